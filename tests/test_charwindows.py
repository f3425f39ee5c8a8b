"""Character windows against a search of every window in every training text."""

import random
import unicodedata
from collections.abc import Generator, Sequence
from typing import TypeVar

import pytest

from leakladder import charsearch
from leakladder.charwindows import WindowHits, find_windows, process_text
from leakladder.results import Progress

T = TypeVar("T")
WORDS = "eggs and ducks lay sixteen per day she eats three for breakfast every morning".split()


def finish(job: Generator[Progress, None, T]) -> T:
    while True:
        try:
            next(job)
        except StopIteration as stop:
            result: T = stop.value
            return result


def search(
    test: Sequence[tuple[str, ...]], train: Sequence[tuple[str, ...]], *, cut: int = 1_000
) -> WindowHits:
    chunks = [
        list(zip(*train[start : start + cut], strict=True))
        for start in range(0, len(train), cut)
    ]
    return finish(find_windows(list(zip(*test, strict=True)), chunks))


def search_self(rows: Sequence[tuple[str, ...]]) -> WindowHits:
    columns = list(zip(*rows, strict=True))
    return finish(find_windows(columns, [columns], same_file=True))


def clean(text: str) -> str:
    return "".join(
        char
        for char in text
        if not char.isspace() and unicodedata.category(char)[0] not in "PSZC"
    )


def expect(
    test: Sequence[tuple[str, ...]], train: Sequence[tuple[str, ...]], *, same: bool = False
) -> list[tuple[int, int]]:
    expected = []
    for row, fields in enumerate(test):
        texts = [clean(text) for text in fields]
        windows = [text[i : i + 50] for text in texts for i in range(len(text) - 49)]
        if not windows:
            windows = [text for text in [max(texts, key=len)] if text]
        others = [
            clean(text)
            for other, train_fields in enumerate(train)
            if not (same and other == row)
            for text in train_fields
        ]
        expected.append((len(windows), sum(any(w in o for o in others) for w in windows)))
    return expected


def pairs(hits: WindowHits) -> list[tuple[int, int]]:
    return list(zip(hits.windows, hits.found, strict=True))


@pytest.mark.parametrize(
    ("text", "processed"),
    [
        pytest.param(
            "It\u2019s $5.00 — or 5€!\t\n", "Its500or5", id="punctuation, symbols and spaces go"
        ),
        pytest.param("Case Stays", "CaseStays", id="case stays"),
        pytest.param(
            "a\u200bb\u00adc\ud800d\x00e", "abcde", id="format, surrogate and control go"
        ),
        pytest.param("हिन्दी ½ e\u0301", "हिन्दी½e\u0301", id="marks and numbers stay"),
        pytest.param("?!", "", id="nothing may be left"),
    ],
)
def test_process_text(text: str, processed: str) -> None:
    assert process_text(text) == processed


@pytest.mark.parametrize(
    ("length", "windows"), [(1, 1), (49, 1), (50, 1), (51, 2), (52, 3), (53, 4)]
)
def test_windows_run_to_the_end(length: int, windows: int) -> None:
    text = "".join(chr(0x4E00 + number) for number in range(length))
    hits = search([(text,)], [("x" + text + "y",)])
    assert pairs(hits) == [(windows, windows)]
    assert list(hits.characters) == [length]


@pytest.mark.parametrize(
    ("test", "train", "found"),
    [
        pytest.param("abcde" * 10, "abcde" * 10, 1, id="equal"),
        pytest.param("abcde" * 10, "abcd" * 10, 0, id="not there"),
        pytest.param("A" * 50, "a" * 50, 0, id="case counts"),
        pytest.param("a" * 49, "a" * 49, 1, id="a shorter row is used whole"),
        pytest.param("a" * 49, "a" * 48, 0, id="and must be there whole"),
        pytest.param("1 2 3!", "0123456", 1, id="digits are text"),
        pytest.param("?!", "?!", 0, id="no text is never found"),
        pytest.param("a", "", 0, id="an empty training row holds nothing"),
    ],
)
def test_one_row(test: str, train: str, found: int) -> None:
    assert list(search([(test,)], [(train,)]).found) == [found]


def test_a_window_split_over_two_training_rows_is_not_found() -> None:
    text = "".join(WORDS)[:50]
    assert list(search([(text,)], [(text[:25],), (text[25:],)]).found) == [0]
    assert list(search([(text,)], [(text[:25], text[25:])]).found) == [0]


def test_a_window_at_the_very_end_is_found() -> None:
    text = "".join(WORDS)[:50]
    assert list(search([("Q",), (text,)], [("y",), ("z" * 99 + text,)]).found) == [0, 1]


def test_windows_of_a_row_are_found_in_different_rows() -> None:
    text = "".join(WORDS)[:60]
    hits = search([(text,)], [("-" + text[:50],), (text[10:] + "q",)])
    assert pairs(hits) == [(11, 2)]


def test_a_short_field_beside_a_long_one_does_not_count() -> None:
    long = "".join(WORDS)[:55]
    assert pairs(search([(long, "42")], [("4242", "")])) == [(6, 0)]
    assert pairs(search([("7", "42")], [("4242", "")])) == [(1, 1)]
    assert pairs(search([("", "")], [("4242", "")])) == [(0, 0)]


def draw_rows(rng: random.Random, phrases: Sequence[str]) -> list[tuple[str, ...]]:
    width = rng.choice([1, 1, 2])

    def draw_text() -> str:
        kind = rng.random()
        if kind < 0.1:
            return ""
        if kind < 0.3:
            return rng.choice(phrases)[: rng.randint(1, 60)]
        return "".join(
            rng.choice([
                rng.choice(phrases),
                rng.choice("ab "),
                "".join(rng.choices(WORDS, k=4)),
            ])
            for _ in range(rng.randint(1, 5))
        )

    return [tuple(draw_text() for _ in range(width)) for _ in range(rng.randint(1, 12))]


def draw_phrases(rng: random.Random) -> list[str]:
    alphabet = rng.choice(["a", "ab", "abcdefghij ", "e\u0301x\u10e7\U0001f600漢, "])
    return ["".join(rng.choices(alphabet, k=rng.randint(1, 130))) for _ in range(4)]


@pytest.mark.parametrize("seed", range(150))
def test_against_every_window(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = random.Random(seed)
    monkeypatch.setattr(charsearch, "_PAIRS", rng.choice([0, 1, 4]))
    monkeypatch.setattr(charsearch, "_FULL", rng.choice([0, 5, 200_000]))
    phrases = draw_phrases(rng)
    test, train = draw_rows(rng, phrases), draw_rows(rng, phrases)
    hits = search(test, train, cut=rng.choice([1, 3, 100]))
    assert pairs(hits) == expect(test, train)


@pytest.mark.parametrize("seed", range(150))
def test_a_file_against_itself(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = random.Random(1_000 + seed)
    monkeypatch.setattr(charsearch, "_PAIRS", rng.choice([0, 1, 4]))
    monkeypatch.setattr(charsearch, "_FULL", rng.choice([0, 5, 200_000]))
    rows = draw_rows(rng, draw_phrases(rng))
    assert pairs(search_self(rows)) == expect(rows, rows, same=True)


def test_a_row_alone_finds_nothing_in_itself() -> None:
    text = "".join(WORDS) * 3
    assert list(search_self([(text, text), ("other", "")]).found) == [0, 0]


def test_a_stock_phrase_in_many_rows() -> None:
    stock = "Whatisthetotalamountofmoneythattheyspendonallofitinaweek"
    test = [(f"{stock}{number:040x}",) for number in range(3_000)]
    train = [(f"{number:040X}{stock}",) for number in range(3_000)]
    hits = search(test, train)
    assert set(hits.found) == {len(stock) - 49}


def test_one_letter_on_both_sides() -> None:
    assert pairs(search([("a" * 300_000,)], [("a" * 299_999,)])) == [(299_951, 299_951)]


def test_progress_of_the_training_side_is_passed_on() -> None:
    told = Progress("reading", 1, 2)
    job = find_windows([["a" * 60]], [told, [["a" * 60]]])
    assert told in list(job)


def test_rows_of_all_short_lengths() -> None:
    rng = random.Random(7)
    train = ["".join(rng.choices("abc", k=120)) for _ in range(30)]
    test = [
        (rng.choice(train)[start : start + length] + rng.choice(["", "", "a"]),)
        for length in range(1, 50)
        for start in (0, 30, 70)
    ]
    hits = search(test, [(text,) for text in train])
    assert pairs(hits) == expect(test, [(text,) for text in train])
    assert 0 < sum(hits.found) < len(test)
    assert list(hits.characters) == [len(text) for (text,) in test]


@pytest.mark.parametrize("length", range(1, 50))
def test_a_short_row_is_found_wherever_it_begins(length: int) -> None:
    text = "".join(chr(0x4E00 + number) for number in range(length))
    for before in range(8):
        hits = search([(text,), (text + "Q",)], [("x" * before + text + "y",)])
        assert list(hits.found) == [1, 0]


@pytest.mark.parametrize("length", [50, 51, 75, 76, 101])
def test_a_long_row_is_found_wherever_it_begins(length: int) -> None:
    text = "".join(chr(0x4E00 + number) for number in range(200))
    for before in range(30):
        for start in range(0, 60, 7):
            part = text[start : start + length]
            hits = search([(text,)], [("x" * before + part,)])
            assert list(hits.found) == [length - 49]
