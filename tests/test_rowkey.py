"""Row keys are equal exactly when the chosen cells are."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leakladder.normalize import ROW_STEPS, ROW_STEPS_ARTICLES
from leakladder.results import ABSENT, Cell
from leakladder.rowkey import id_keys, normalized_keys, row_keys

AWKWARD = [
    "",
    "a",
    "b",
    "n",
    "s1:a",
    "s0:",
    ":",
    "1:",
    "\x1f",
    "\0",
    '"',
    ",",
    "ab",
    "\ud800",
    "s",
]
CELLS: list[Cell] = [*AWKWARD, None, ABSENT]
cells = st.sampled_from(CELLS) | st.text(max_size=4)


def keys_of(*rows: tuple[Cell, ...]) -> list[str | None]:
    return row_keys(list(zip(*rows, strict=True)))


def normalized_of(
    *rows: tuple[Cell, ...], steps: tuple[str, ...] = ROW_STEPS
) -> list[str | None]:
    columns = list(zip(*rows, strict=True))
    return normalized_keys(columns, steps, row_keys(columns))


@pytest.mark.parametrize(
    ("first", "second"),
    [
        pytest.param(("a", "bc"), ("ab", "c"), id="the border between cells counts"),
        pytest.param(("x", ABSENT), ("x", ""), id="absent is not empty"),
        pytest.param(("x", ABSENT), ("x", None), id="absent is not null"),
        pytest.param(("x", None), ("x", ""), id="null is not empty"),
        pytest.param(("x", None), ("x", "n"), id="null is not the letter of its tag"),
        pytest.param(("x", ABSENT), ("x", "a"), id="absent is not the letter of its tag"),
        pytest.param(("x", "y"), ("y", "x"), id="order counts"),
        pytest.param(("a\x1fb", "c"), ("a", "b\x1fc"), id="a unit separator is text"),
        pytest.param(("s1:a", ""), ("", "s1:a"), id="an encoded cell is text"),
    ],
)
def test_unequal_rows_have_unequal_keys(
    first: tuple[Cell, ...], second: tuple[Cell, ...]
) -> None:
    assert len({*keys_of(first, second)}) == 2
    assert len({*normalized_of(first, second)}) == 2


@pytest.mark.parametrize("width", [1, 2])
def test_all_awkward_rows_stay_apart(width: int) -> None:
    rows = list(itertools.product(CELLS, repeat=width))
    blank = [row for row in rows if all(cell in {"", None, ABSENT} for cell in row)]
    keys = keys_of(*rows)
    assert keys.count(None) == len(blank)
    assert len(set(keys)) == len(rows) - len(blank) + 1


@given(st.lists(st.tuples(cells, cells, cells), min_size=2, max_size=8))
def test_keys_agree_with_cells(rows: list[tuple[Cell, ...]]) -> None:
    keys = keys_of(*rows)
    for (row, key), (other, other_key) in itertools.combinations(
        zip(rows, keys, strict=True), 2
    ):
        if key is not None and other_key is not None:
            assert (row == other) == (key == other_key)


@given(st.lists(st.tuples(cells), min_size=1, max_size=8))
def test_one_column_is_keyed_by_its_text(rows: list[tuple[Cell]]) -> None:
    assert keys_of(*rows) == [
        cell if isinstance(cell, str) and cell else None for (cell,) in rows
    ]


@pytest.mark.parametrize(
    ("first", "second"),
    [
        pytest.param("STRASSE", "straße", id="sharp s"),
        pytest.param("ﬁve", "FIVE", id="ligature"),
        pytest.param(
            "\uff30\uff41\uff52is\u3000\uff11", "paris 1", id="full width, and its space"
        ),
        pytest.param("ΟΔΟΣ", "οδος", id="final sigma"),
        pytest.param("İ", "i\u0307", id="dotted capital i"),
        pytest.param("q\u0323\u0307", "q\u0307\u0323", id="order of combining marks"),
        pytest.param("“so”, he said…", "so he said", id="curly quotes and an ellipsis"),
        pytest.param("  a \t b\n", "a b", id="white space"),
        pytest.param("⒈ Rome", "1. rome", id="compatibility form with a full stop"),
    ],
)
def test_folding_joins(first: str, second: str) -> None:
    assert len({*normalized_of((first,), (second,))}) == 1
    assert len({*normalized_of((first, "x"), (second, "x"))}) == 1
    assert len({*keys_of((first,), (second,))}) == 2


@pytest.mark.parametrize(
    ("first", "second"),
    [
        pytest.param("zero\u200bwidth", "zerowidth", id="zero-width space"),
        pytest.param("soft\u00adhyphen", "softhyphen", id="soft hyphen"),
        pytest.param("5 $", "5", id="a symbol stays"),
        pytest.param("end", "The-end", id="no article inside a joined word"),
        pytest.param("\u0131", "i", id="dotless i"),
        pytest.param("???", "!!!", id="rows that fold to nothing"),
    ],
)
@pytest.mark.parametrize("steps", [ROW_STEPS, ROW_STEPS_ARTICLES])
def test_folding_keeps_apart(first: str, second: str, steps: tuple[str, ...]) -> None:
    assert len({*normalized_of((first,), (second,), steps=steps)}) == 2
    assert len({*normalized_of((first, ""), (second, ""), steps=steps)}) == 2


def test_articles_go_only_when_asked() -> None:
    assert len({*normalized_of(("The end of an era",), ("end of era",))}) == 2
    with_articles = normalized_of(
        ("The end of an era",), ("end of era",), steps=ROW_STEPS_ARTICLES
    )
    assert len({*with_articles}) == 1


def test_a_row_that_folds_to_nothing_keeps_its_exact_key() -> None:
    keys = normalized_of(("???", None), ("???", ABSENT), ("???", None), ("", None), ("?", "x"))
    assert keys[0] == keys[2] != keys[1]
    assert None not in keys[:3]
    assert keys[3] is None
    assert keys[4] == normalized_of(("", "x"))[0]


def test_the_kept_key_of_one_row_is_no_folded_text_of_another() -> None:
    column: list[Cell] = ["?", "the", "a", " ", "a the", "??", "s1:?"]
    keys = normalized_of(*((cell,) for cell in column), steps=ROW_STEPS_ARTICLES)
    assert len(set(keys)) == len(column)


@given(st.lists(st.tuples(cells, cells), min_size=1, max_size=10))
def test_equal_exact_keys_have_equal_normalized_keys(rows: list[tuple[Cell, ...]]) -> None:
    exact, normalized = keys_of(*rows), normalized_of(*rows)
    assert len(set(zip(exact, normalized, strict=True))) == len(set(exact))
    assert [key is None for key in exact] == [key is None for key in normalized]


def test_ids_are_text_and_nothing_matches_an_empty_one() -> None:
    ids: list[Cell] = ["9007199254740993", "9007199254740992", "", None, ABSENT, " ", "A", "a"]
    keys = id_keys(ids)
    assert keys == ["9007199254740993", "9007199254740992", None, None, None, " ", "A", "a"]
