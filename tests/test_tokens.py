"""Tokens against the definitions read literally, character by character."""

import random
import sys
import unicodedata
from array import array

import pytest

from leakladder.letters import _negations
from leakladder.tokens import (
    TOKENIZATIONS,
    Vocabulary,
    encode_rows,
    encode_steps,
    places_of,
    split_tokens,
    token_spans,
    words,
)

Pieces = list[tuple[int, int]]


def kind_of(char: str) -> str:
    return unicodedata.category(char)[0]


def fold(text: str) -> str:
    canonical = unicodedata.normalize("NFC", text)
    return unicodedata.normalize("NFKC", canonical).casefold()


def loose_pieces(text: str) -> Pieces:
    """Runs of L, N and M that hold an L or N, by the letter of the definition."""
    pieces = []
    start = 0
    while start < len(text):
        stop = start
        while stop < len(text) and kind_of(text[stop]) in "LNM":
            stop += 1
        if any(kind_of(char) in "LN" for char in text[start:stop]):
            pieces.append((start, stop))
        start = max(stop, start + 1)
    return pieces


def character_pieces(text: str) -> Pieces:
    pieces = []
    for start, char in enumerate(text):
        if kind_of(char) in "LN":
            stop = start + 1
            while stop < len(text) and kind_of(text[stop]) == "M":
                stop += 1
            pieces.append((start, stop))
    return pieces


def space_pieces(text: str) -> Pieces:
    pieces = []
    start = None
    for at, char in enumerate([*text, " "]):
        if not char.isspace():
            start = at if start is None else start
        elif start is not None:
            pieces.append((start, at))
            start = None
    return pieces


def gpt3(piece: str) -> str:
    return "".join(char for char in piece if kind_of(char) not in "PS").lower()


def expected_tokens(text: str, kind: str) -> list[tuple[str, int, int]]:
    if kind == "loose":
        return [(fold(text[a:b]), a, b) for a, b in loose_pieces(text)]
    if kind == "characters":
        return [(fold(text[a:b]), a, b) for a, b in character_pieces(text)]
    if kind == "strict":
        return [(text[a:b], a, b) for a, b in space_pieces(text)]
    return [(token, a, b) for a, b in space_pieces(text) if (token := gpt3(text[a:b]))]


def check(text: str, kind: str) -> None:
    found = split_tokens(text, kind)
    assert [tuple(token) for token in found] == expected_tokens(text, kind)
    agree(text, kind)


def agree(text: str, kind: str) -> None:
    """All four ways to tokenize say the same."""
    tokens = split_tokens(text, kind)
    texts = [token.text for token in tokens]
    assert words(text, kind) == texts
    assert token_spans(text, kind) == [(token.start, token.stop) for token in tokens]
    vocabulary = Vocabulary()
    rows = encode_rows([["x", text, "\u00e4"]], kind, vocabulary)
    names = list(vocabulary)
    ids = rows.ids[rows.starts[1] : rows.starts[2]]
    assert [names[number] for number in ids] == texts


LETTERS = ["a", "B", "7", "é", "ß", "\u0130", "Σ", "½", "\ufb01", "\u0928", "漢", "\U00010400"]
MARKS = ["\u0301", "\u0323", "\u093f", "\u064e", "\u0e31", "\ufe0f", "\U000e0100"]
OTHERS = [
    " ",
    "\n",
    "\u00a0",
    "_",
    "-",
    "\u2019",
    "$",
    "+",
    "\u200b",
    "\u00ad",
    "\U0001f600",
    "\x1e",
]


@pytest.mark.parametrize("kind", TOKENIZATIONS)
@pytest.mark.parametrize("seed", range(150))
def test_tokens_agree_with_the_definition(kind: str, seed: int) -> None:
    draw = random.Random(seed)
    signs = draw.sample(LETTERS + MARKS + OTHERS, draw.randrange(2, 12))
    if seed % 5 == 0:
        signs = ["a", "B", "7", " ", "_", "-", "\t", "$", "\x1e", "'", "\x00"]
    check("".join(draw.choices(signs, k=draw.randrange(40))), kind)


@pytest.mark.parametrize("kind", TOKENIZATIONS)
def test_every_character_of_unicode(kind: str) -> None:
    # Beyond these code points nothing is assigned, or all is of one category.
    for first in [*range(0, 0x20000, 4096), 0x2F000, 0xE0000]:
        check(" x".join(map(chr, range(first, first + 4096))), kind)


@pytest.mark.parametrize(
    ("kind", "text", "expected"),
    [
        pytest.param("loose", "½ cup", ["1\u20442", "cup"], id="a half is one token"),
        pytest.param("loose", "snake_case don't", ["snake", "case", "don", "t"], id="borders"),
        pytest.param("loose", "नमस्ते", ["नमस्ते"], id="Hindi vowel signs do not split"),
        pytest.param("loose", "\u0301 \u0323\u0301", [], id="marks alone are no token"),
        pytest.param("loose", "STRASSE straße", ["strasse", "strasse"], id="sharp s"),
        pytest.param("strict", "A a, ½", ["A", "a,", "½"], id="nothing is folded"),
        pytest.param("characters", "नि漢A1!", ["नि", "漢", "a", "1"], id="marks stay on"),
        pytest.param("gpt3-words", "Tom's $5 - “ok”", ["toms", "5", "ok"], id="what vanishes"),
        pytest.param("gpt3-words", "B\u03a3'B", ["b\u03c3b"], id="dropped before lower case"),
        pytest.param("gpt3-words", "İ ½", ["i\u0307", "½"], id="lower, not casefold or NFKC"),
    ],
)
def test_tokens(kind: str, text: str, expected: list[str]) -> None:
    assert words(text, kind) == expected
    agree(text, kind)


@pytest.mark.parametrize("kind", ["loose", "characters"])
@pytest.mark.parametrize(
    "text",
    [
        pytest.param("Café naïve ṩ Å", id="letters with marks"),
        pytest.param("각 값이다 가각", id="Hangul"),
        pytest.param("a≠b ≮x ῁y ≠\u0323z", id="symbols with a mark built in"),
        pytest.param("\u2adcb \U0001d15ex", id="symbols that NFC takes apart"),
        pytest.param("\u1100\u1161\u0301\u11a8", id="a mark keeps a final from its syllable"),
    ],
)
def test_canonically_equivalent_texts_give_equal_tokens(kind: str, text: str) -> None:
    expected = words(text, kind)
    for other in (unicodedata.normalize("NFC", text), unicodedata.normalize("NFD", text)):
        assert words(other, kind) == expected
        agree(other, kind)


def test_every_symbol_with_a_mark_built_in_is_known() -> None:
    symbols = set()
    for char in map(chr, range(sys.maxunicode + 1)):
        parts = unicodedata.decomposition(char).split()
        if len(parts) == 2 and parts[0][0] != "<" and kind_of(char) not in "LNM":
            symbols.add(char)
    assert _negations()[1] == symbols


def test_offsets_are_code_points_of_the_source() -> None:
    text = "\U0001f600 ﬁne ½"
    found = [tuple(token) for token in split_tokens(text, "loose")]
    assert found == [("fine", 2, 5), ("1\u20442", 6, 7)]


def test_rows_and_fields_lie_row_by_row() -> None:
    vocabulary = Vocabulary()
    rows = encode_rows([["a b", "", "c"], ["b", "A", "-"]], "loose", vocabulary)
    assert rows.ids == array("I", [0, 1, 1, 0, 2])
    assert rows.starts == array("I", [0, 2, 3, 3, 4, 5, 5])
    assert (rows.fields, rows.rows, list(vocabulary)) == (2, 3, ["a", "b", "c"])
    assert encode_rows([[]], "loose", vocabulary).starts == array("I", [0])


def test_one_vocabulary_serves_both_sides_and_all_kinds() -> None:
    vocabulary = Vocabulary()
    first = encode_rows([["Straße - x"]], "loose", vocabulary)
    second = encode_rows([["x strasse - new"]], "loose", vocabulary)
    third = encode_rows([["STRASSE é ¿ x"]], "gpt3-words", vocabulary)
    assert (list(first.ids), list(second.ids), list(third.ids)) == (
        [0, 1],
        [1, 0, 2],
        [0, 3, 1],
    )


def test_columns_of_different_length_are_refused() -> None:
    with pytest.raises(ValueError, match="shorter"):
        encode_rows([["a"], []], "loose", Vocabulary())


@pytest.mark.parametrize("kind", TOKENIZATIONS)
@pytest.mark.parametrize("unit", ["word ", "wörd 漢", "漢\u0301字", "각", "-"])
def test_a_huge_row_is_cut_where_no_token_is(kind: str, unit: str) -> None:
    text = unit * (500_000 // len(unit))
    rows = encode_rows([["before", text, "after"]], kind, Vocabulary())
    assert list(rows.starts) == [0, *(length(text, kind, extra) for extra in range(3))]


def length(text: str, kind: str, extra: int) -> int:
    first = 6 if kind == "characters" else 1
    last = 5 if kind == "characters" else 1
    return first + (len(words(text, kind)) if extra else 0) + (last if extra == 2 else 0)


@pytest.mark.parametrize("kind", TOKENIZATIONS)
@pytest.mark.parametrize("seed", range(20))
def test_places_of_some_tokens_are_those_of_all(
    monkeypatch: pytest.MonkeyPatch, kind: str, seed: int
) -> None:
    draw = random.Random(seed)
    text = "".join(draw.choices(LETTERS + MARKS + OTHERS, k=200))
    every = [(start, stop) for _, start, stop in expected_tokens(text, kind) if _]
    chosen = sorted(draw.sample(range(len(every)), draw.randint(0, len(every))))
    expected = {number: every[number] for number in chosen}
    for part in (1, 7, 50, 10_000):
        monkeypatch.setattr("leakladder.tokens._PART", part)
        assert places_of(text, kind, [*reversed(chosen), *chosen]) == expected
        with pytest.raises(IndexError, match=f"has {len(every)} tokens"):
            places_of(text, kind, [0, len(every)])


def test_progress_counts_characters_and_comes_often() -> None:
    steps = list(encode_steps([["a b " * 100] * 5000], "loose", Vocabulary()))
    assert len(steps) > 10
    assert [step.done for step in steps] == sorted(step.done for step in steps)
    assert (steps[-1].done, steps[-1].total) == (2_000_000, 2_000_000)


@pytest.mark.parametrize("kind", TOKENIZATIONS)
def test_endless_texts_end(kind: str) -> None:
    marks, token = "a" + "\u0301\u0323" * 500_000, "x" * 2_000_000
    rows = encode_rows([[marks, token, marks[1:]]], kind, Vocabulary())
    counts = [stop - start for start, stop in zip(rows.starts, rows.starts[1:], strict=False)]
    expected = {"characters": [1, 2_000_000, 0], "loose": [1, 1, 0]}
    assert counts == expected.get(kind, [1, 1, 1])


def test_a_piece_is_folded_once_however_often_it_comes(monkeypatch: pytest.MonkeyPatch) -> None:
    folded: list[str] = []

    def note(piece: str) -> str:
        folded.append(piece)
        return fold(piece)

    counting = TOKENIZATIONS["characters"]._replace(fold=note)
    monkeypatch.setitem(TOKENIZATIONS, "characters", counting)
    assert len(token_spans("abc\u0301" * 10_000, "characters")) == 30_000
    assert sorted(folded) == ["a", "b", "c\u0301"]
