"""Row overlap against counts made by hand and against comparing every pair of rows."""

import itertools
import json
import random
import unicodedata
from collections.abc import Sequence
from pathlib import Path

import pytest

from leakladder.errors import SettingError
from leakladder.findings import Finding, Findings, quantity_marks, read_together
from leakladder.overlap import CheckName, RowsReport, compare_rows
from leakladder.results import ABSENT, Cell, Row
from leakladder.rowkey import KeySide

Item = tuple[tuple[int, ...], tuple[int, ...]]  # its test rows, its training rows
EXAMPLE = Path(__file__).parent.parent / "web" / "examples" / "rows.json"


def make_side(columns: Sequence[Sequence[Cell]], ids: Sequence[Cell] | None = None) -> KeySide:
    count = len(columns[0])
    rows = [Row(index, index + 1, None, None, {}) for index in range(count)]
    return KeySide(rows, columns, ids)


def compare(test: KeySide, train: KeySide, *, strip_articles: bool = False) -> RowsReport:
    job = compare_rows(test, train, strip_articles=strip_articles)
    while True:
        try:
            next(job)
        except StopIteration as stop:
            report: RowsReport = stop.value
            return report


def compare_texts(
    test: Sequence[Cell], train: Sequence[Cell], *, strip_articles: bool = False
) -> RowsReport:
    return compare(make_side([test]), make_side([train]), strip_articles=strip_articles)


def counts(report: RowsReport, check: CheckName) -> tuple[int, int, int]:
    match = report.match(check)
    return match.items, match.train_rows, match.test_rows


def test_copies_of_copies_marks_only_and_blank_rows() -> None:
    report = compare_texts(["A", "A", "A", "C", "???", ""], ["A", "A", "B", "???", ""])
    for check in ("exact", "normalized"):
        assert counts(report, check) == (2, 3, 4)
        assert report.match(check).train_share == 3 / 5
        assert report.match(check).test_share == 4 / 6
    assert (report.further_items, report.further_rows) == (0, 0)
    assert (report.test_blank, report.train_blank) == (1, 1)


@pytest.mark.parametrize("strip_articles", [False, True])
def test_folding_adds_items_and_rows(*, strip_articles: bool) -> None:
    report = compare_texts(
        ["Paris?", "PARIS", "1. rome", "The-end"],
        ["Paris?", "PARIS", "⒈ Rome", "end"],
        strip_articles=strip_articles,
    )
    assert counts(report, "exact") == (2, 2, 2)
    assert counts(report, "normalized") == (2, 3, 3)
    assert (report.further_items, report.further_rows) == (1, 1)
    assert report.transform == ("L1+L3+L4+L8+L9+L10" if strip_articles else "L1+L3+L4+L8+L10")
    found = [(finding.match, finding.text, finding.differs) for finding in Findings(report)]
    assert found == [
        ("exact", "Paris?", False),
        ("exact", "PARIS", False),
        ("normalized", "⒈ Rome", False),
    ]


def test_articles_join_rows_only_when_stripped() -> None:
    sides = ["the end of a day"], ["End of the day"]
    assert counts(compare_texts(*sides), "normalized") == (0, 0, 0)
    assert counts(compare_texts(*sides, strip_articles=True), "normalized") == (1, 1, 1)


# ---- the oracle: every test row against every training row, cells compared one by one


def fold_cell(cell: Cell) -> Cell:
    """Fold by a reading of the definition that shares nothing with the code under test."""
    if not isinstance(cell, str):
        return cell
    text = unicodedata.normalize("NFKC", unicodedata.normalize("NFC", cell)).casefold()
    kept = [char for char in text if not unicodedata.category(char).startswith("P")]
    return " ".join("".join(kept).split())


def is_blank(row: Sequence[Cell]) -> bool:
    return all(not isinstance(cell, str) or cell == "" for cell in row)


def same_exact(first: Sequence[Cell], second: Sequence[Cell]) -> bool:
    return not is_blank(first) and all(
        type(one) is type(two) and one == two for one, two in zip(first, second, strict=True)
    )


def same_folded(first: Sequence[Cell], second: Sequence[Cell]) -> bool:
    if is_blank(first) or is_blank(second):
        return False
    folded = [[fold_cell(cell) for cell in row] for row in (first, second)]
    if is_blank(folded[0]) or is_blank(folded[1]):
        return same_exact(first, second)
    return same_exact(*folded)


def expect(
    test: list[tuple[Cell, ...]], train: list[tuple[Cell, ...]]
) -> dict[str, list[Item]]:
    """Return, for each check, one (test rows, train rows) pair an item, in order of train."""
    found: dict[str, list[Item]] = {}
    for check, same in (("exact", same_exact), ("normalized", same_folded)):
        items = {}
        for row in train:
            here = tuple(i for i, other in enumerate(test) if same(other, row))
            if here:
                items[here] = tuple(j for j, other in enumerate(train) if same(other, row))
        found[check] = list(items.items())
    return found


ALPHABET: list[Cell] = [
    *["", "a", "A", "a.", "?", "!", "a,b", "a\x1fb", "ab", "a\0b", '"a"', "the a", "1", "1.0"],
    *["ß", "SS", "İ", "i\u0307", "\ud800", "\U0001f600", None, ABSENT],
]


@pytest.mark.parametrize("seed", range(60))
def test_against_every_pair(seed: int) -> None:
    rng = random.Random(seed)
    width = rng.choice([1, 1, 2, 3])
    alphabet = rng.sample(ALPHABET, rng.randint(2, len(ALPHABET)))

    def draw() -> list[tuple[Cell, ...]]:
        return [tuple(rng.choices(alphabet, k=width)) for _ in range(rng.randint(1, 30))]

    test, train = draw(), draw()
    report = compare(
        make_side(list(zip(*test, strict=True))), make_side(list(zip(*train, strict=True)))
    )
    expected = expect(test, train)
    for check in ("exact", "normalized"):
        match = report.match(check)
        listed = [
            (
                tuple(i for i, item in enumerate(match.test) if item == number),
                tuple(j for j, item in enumerate(match.train) if item == number),
            )
            for number in range(match.items)
        ]
        assert listed == expected[check]
        assert match.test_rows == sum(item >= 0 for item in match.test)
        assert match.train_rows == sum(item >= 0 for item in match.train)
    in_exact = {i for rows, _ in expected["exact"] for i in rows}
    in_normalized = {i for rows, _ in expected["normalized"] for i in rows}
    assert in_exact <= in_normalized
    assert report.further_rows == len(in_normalized - in_exact)
    assert report.further_items == sum(
        not in_exact.intersection(rows) for rows, _ in expected["normalized"]
    )
    groups = [
        [j for j, other in enumerate(train) if same_folded(row, other)]
        for i, row in enumerate(train)
        if not any(same_folded(row, earlier) for earlier in train[:i])
    ]
    repeats = report.normalized.train_repeats
    assert repeats.groups == sum(len(group) > 1 for group in groups)
    assert repeats.rows == sum(len(group) for group in groups if len(group) > 1)
    assert repeats.effective == len(groups)  # a blank row is not even equal to itself


# ---- findings


def test_findings_point_into_the_file_as_dropped() -> None:
    test = KeySide(
        [Row(7, 20, None, None, {}), Row(9, None, None, None, {})], [["x", "X"]], None
    )
    train = KeySide([Row(2, 5, None, None, {}), Row(4, 6, None, None, {})], [["y", "x"]], None)
    assert list(Findings(compare(test, train))) == [
        Finding("exact", "x", False, (8,), (20,), (5,), (6,)),
        Finding("normalized", "x", False, (8, 10), (20, None), (5,), (6,)),
    ]
    assert Findings(compare(test, train))[1].to_wire()["test_lines"] == [20]


def test_a_training_row_reached_only_by_folding_is_a_finding() -> None:
    found = Findings(compare_texts(["x", "z"], ["x", "X", "z"]))
    assert [(finding.match, finding.train_records) for finding in found] == [
        ("exact", (1,)),
        ("exact", (3,)),
        ("normalized", (1, 2)),
    ]


def test_identifier_findings_come_last_and_show_the_id() -> None:
    report = compare(
        make_side([["one", None]], ["k9", "k1"]), make_side([["one", "two"]], ["k2", "k9"])
    )
    assert [(finding.match, finding.text) for finding in Findings(report)] == [
        ("exact", "one"),
        ("identifier", "k9"),
    ]


@pytest.mark.parametrize(
    ("test", "train", "differs"),
    [
        pytest.param("costs 1.5", "costs 15", True, id="a decimal point"),
        pytest.param("costs .5", "costs 5", True, id="a leading point"),
        pytest.param("at -5 degrees", "at 5 degrees", True, id="a minus before a digit"),
        pytest.param("7 - x", "7 x", True, id="a minus after a digit"),
        pytest.param("\u20135", "-5", False, id="two ways to write a minus"),
        pytest.param("50%", "50", True, id="a per cent sign, which is category P"),
        pytest.param("C#", "C", True, id="a letter with a sharp"),
        pytest.param("10² m", "102 m", True, id="a superscript"),
        pytest.param("Acme™", "AcmeTM", True, id="a symbol folded to letters"),
        pytest.param("1½ cups", "11\u20442 cups", True, id="a mixed number"),
        pytest.param("\uff11\uff12 eggs", "12 eggs!", False, id="full-width digits"),
        pytest.param("Well, well.", "well well", False, id="ordinary punctuation"),
        pytest.param("It was 1990.", "it was 1990", False, id="a full stop after a number"),
        pytest.param(
            "a well-known end", "a wellknown end", False, id="a hyphen between letters"
        ),
        pytest.param("½ full", "½ FULL", False, id="the same fraction"),
    ],
)
def test_differs(test: str, train: str, *, differs: bool) -> None:
    for pair in ((test, train), (train, test)):
        (finding,) = Findings(compare_texts(*([text] for text in pair)))
        assert (finding.match, finding.differs) == ("normalized", differs)


def test_exact_matches_never_differ() -> None:
    (finding,) = Findings(compare_texts(["-5.0%"], ["-5.0%"]))
    assert not finding.differs


def test_quantity_marks_lists_numbers_signs_and_symbols() -> None:
    assert quantity_marks("Take - 1.5 kg, 1,000 times; 30% off #3 (x2).") == (
        *("-", "1.5", "1,000", "30", "%", "#", "3", "2"),
    )


# ---- identifiers and the sentence


@pytest.mark.parametrize(
    ("ids", "serial"),
    [
        pytest.param(["0", "1", "2"], True, id="from zero"),
        pytest.param(["3", "1", "2"], True, id="from one, shuffled"),
        pytest.param(["1", "2", "4"], False, id="a gap"),
        pytest.param(["1", "2", "2"], False, id="a repeat"),
        pytest.param(["a1", "a2", "a3"], False, id="letters"),
        pytest.param(["9" * 5000, "1", "2"], False, id="a number too long to be a serial one"),
        pytest.param(["1", None, ABSENT], True, id="rows without one do not count"),
        pytest.param(["¹", "²", "³"], False, id="digits that are no numbers"),
    ],
)
def test_serial_ids_are_told(ids: list[Cell], *, serial: bool) -> None:
    texts: list[Cell] = ["a", "b", "c"]
    report = compare(make_side([texts], ids), make_side([texts], ["2", "0", "1"]))
    assert report.identifier_note == ("serial" if serial else None)


def test_ids_beyond_53_bits_stay_apart() -> None:
    report = compare(
        make_side([["a"]], ["9007199254740993"]), make_side([["b"]], ["9007199254740992"])
    )
    assert counts(report, "identifier") == (0, 0, 0)


def test_empty_ids_match_nothing() -> None:
    texts: list[Cell] = ["a", "b", "c"]
    ids: list[Cell] = ["", None, ABSENT]
    report = compare(make_side([texts], ids), make_side([texts], ids))
    assert counts(report, "identifier") == (0, 0, 0)
    assert report.identifier_note == "no-id"


@pytest.mark.parametrize(
    ("test", "train", "case", "joint"),
    [
        pytest.param(("t", "1x"), ("T.", "1x"), "both", 1, id="copied with its id"),
        pytest.param(("t", "1x"), ("t", "2x"), "content", 0, id="given a new id"),
        pytest.param(("t", "1x"), ("u", "1x"), "id", 0, id="an id used twice"),
        pytest.param(("t", "1x"), ("u", "2x"), "neither", 0, id="nothing in common"),
    ],
)
def test_the_checks_read_together(
    test: tuple[str, str], train: tuple[str, str], case: str, joint: int
) -> None:
    report = compare(make_side([[test[0]]], [test[1]]), make_side([[train[0]]], [train[1]]))
    assert read_together(report).case == case
    assert report.joint_rows == joint


def test_text_and_id_on_different_rows_are_not_called_copied_whole() -> None:
    report = compare(
        make_side([["a", "b"]], ["1x", "2x"]), make_side([["a", "c"]], ["3x", "2x"])
    )
    reading = read_together(report)
    assert (reading.case, report.joint_rows) == ("both", 0)
    assert "never on the rows" in reading.sentence


def test_without_ids_the_reading_says_so() -> None:
    report = compare_texts(["a"], ["a"])
    assert report.identifier_note == "no-id"
    assert read_together(report).sentence.endswith("No id was compared.")
    identifier = report.to_wire()["identifier"]
    assert identifier == {
        "items": 0,
        "train_rows": 0,
        "test_rows": 0,
        "train_share": None,
        "test_share": None,
    }


def test_serial_ids_are_read_as_an_accident() -> None:
    ids: list[Cell] = ["0", "1"]
    report = compare(make_side([["a", "b"]], ids), make_side([["c", "d"]], ids))
    assert read_together(report).sentence.endswith("by accident.")


def test_blank_sides_are_not_read_as_clean() -> None:
    report = compare_texts(["", None], ["a"])
    assert "so no text was compared" in read_together(report).sentence


# ---- limits


def test_fields_must_pair_up() -> None:
    with pytest.raises(SettingError, match="2 of test and 1 of train"):
        compare(make_side([["a"], ["b"]]), make_side([["a"]]))
    with pytest.raises(ValueError, match="at least one field"):
        compare(KeySide([], [], None), make_side([["a"]]))


def test_an_empty_side_has_no_share() -> None:
    report = compare_texts([], ["a"])
    assert report.exact.test_share is None
    assert report.exact.train_share == 0.0


@pytest.mark.parametrize("length", [8_191, 8_192, 8_193, 40_000])
def test_blocks_leave_no_row_out(length: int) -> None:
    texts: list[Cell] = [str(number) * (1 + number % 7) for number in range(length)]
    report = compare_texts(texts, texts[::-1])
    assert report.exact.test_rows == report.normalized.train_rows == length
    assert Findings(report)[length - 1].test_records == (1,)


def test_long_rows_are_keyed_in_small_steps() -> None:
    texts: list[Cell] = ["x" * 30_000 + str(number) for number in range(100)]
    steps = compare_rows(make_side([texts]), make_side([["x"]]), strip_articles=False)
    done = [step.done for step in steps if step.phase == "keying the test rows"]
    assert done[-1] == 100
    assert all(1 <= after - before <= 2 for before, after in itertools.pairwise([0, *done]))


# ---- the worked example of the page


def read_example(side: str) -> KeySide:
    text = json.loads(EXAMPLE.read_text("utf-8"))[side]["text"]
    records = [json.loads(line) for line in text.split("\n") if line]
    ids = [str(record["id"]) for record in records]
    return make_side([[record["question"] for record in records]], ids)


def test_the_example_has_the_stated_figures() -> None:
    report = compare(read_example("test"), read_example("train"))
    wire = report.to_wire()
    assert wire["counts"] == {"test": 10, "train": 12}
    assert counts(report, "exact") == (7, 8, 7)
    assert counts(report, "normalized") == (7, 8, 8)
    assert counts(report, "identifier") == (0, 0, 0)
    assert (report.further_items, report.further_rows) == (0, 1)
    shares = [report.exact.train_share, report.exact.test_share, report.normalized.test_share]
    assert [f"{share:.1%}" for share in shares if share] == ["66.7%", "70.0%", "80.0%"]
    assert read_together(report).case == "content"
    found = Findings(report)
    assert [finding.match for finding in found] == ["exact"] * 7 + ["normalized"]
    assert (found[0].train_lines, found[0].test_lines) == ((2, 9), (2,))
    assert 9 in found[7].test_lines
    assert not any(9 in finding.test_lines for finding in found[:7])
