"""Runs against brute force, and the cases that break a scan that pairs positions."""

import random
from array import array
from collections.abc import Generator, Iterable, Sequence
from dataclasses import astuple
from itertools import accumulate, chain
from typing import TypeVar

import pytest

from leakladder import scan
from leakladder.coverage import measure, pair_runs, pair_spans
from leakladder.results import BestRun, Progress
from leakladder.runs import Runs, find_runs
from leakladder.tokens import TokenRows, Vocabulary, encode_rows, split_tokens
from oracle_runs import oracle_coverage, oracle_runs

Field = list[int]
Side = list[list[Field]]
Result = TypeVar("Result")


def to_end(steps: Generator[Progress, None, Result]) -> Result:
    while True:
        try:
            next(steps)
        except StopIteration as end:
            result: Result = end.value
            return result


def pack(side: Side, fields: int = 1, *, shift: int = 0) -> TokenRows:
    flat = [field for row in side for field in row]
    ids = array("I", [token + shift for token in chain.from_iterable(flat)])
    return TokenRows(ids, array("I", accumulate(map(len, flat), initial=0)), fields)


def search(test: Side, train: Side, fields: int = 1, *, same_file: bool = False) -> Runs:
    return to_end(find_runs(pack(test, fields), [pack(train, fields)], same_file=same_file))


def one_field(*rows: Iterable[int]) -> Side:
    return [[list(row)] for row in rows]


def draw_field(draw: random.Random, letters: int, phrases: Side) -> Field:
    field: Field = []
    for _ in range(draw.choice([0, 1, 1, 2, 3])):
        kind = draw.random()
        if kind < 0.2:
            field += [draw.randrange(letters)] * draw.randrange(1, 20)  # one over and over
        elif kind < 0.6:
            phrase = draw.choice(phrases)[0]
            start = draw.randrange(len(phrase) + 1)
            field += phrase[start : start + draw.randrange(1, 15)]
        else:
            field += [draw.randrange(letters) for _ in range(draw.randrange(12))]
    return field


def draw_side(draw: random.Random, rows: int, fields: int, letters: int, phrases: Side) -> Side:
    return [
        [draw_field(draw, letters, phrases) for _ in range(fields)]
        for _ in range(draw.randrange(rows))
    ]


def cut_in_chunks(draw: random.Random, side: Side, fields: int, shift: int) -> list[TokenRows]:
    chunks = []
    start = 0
    while start < len(side):
        stop = start + draw.randrange(5)  # 0 makes an empty chunk
        chunks.append(pack(side[start:stop], fields, shift=shift))
        start = stop
    return chunks


@pytest.mark.parametrize("seed", range(700))
def test_runs_and_coverage_agree_with_brute_force(
    seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    draw = random.Random(seed)
    monkeypatch.setattr(scan, "_PIECE", draw.choice([1, 2, 3, 7, 8192]))
    monkeypatch.setattr(scan, "_PLACES", draw.choice([1, 2, 2048]))
    letters = draw.choice([1, 2, 2, 3, 5, 30])
    shift = draw.choice([0, 0, 70_000])  # ids beyond two bytes take another way
    phrases = one_field(*([draw.randrange(letters) for _ in range(20)] for _ in range(4)))
    same_file = draw.random() < 0.4
    test_fields = draw.randrange(1, 4)
    test = draw_side(draw, 7, test_fields, letters, phrases)
    train_fields = test_fields if same_file else draw.randrange(1, 4)
    train = test
    if not same_file or draw.random() < 0.3:
        train = draw_side(draw, 9, train_fields, letters, phrases)

    chunks = cut_in_chunks(draw, train, train_fields, shift)
    found = to_end(
        find_runs(pack(test, test_fields, shift=shift), iter(chunks), same_file=same_file)
    )

    runs, best, longest = oracle_runs(test, train, same_file=same_file)
    assert list(found.lengths) == [r for row in runs for field in row for r in field]
    assert [row and astuple(row) for row in found.best] == best
    assert list(found.train_longest) == longest
    n, threshold = draw.randrange(5, 16), draw.randrange(101)
    check_coverage(found, test, runs, n, threshold)


def check_coverage(
    found: Runs, test: Side, runs: list[list[list[int]]], n: int, threshold: int
) -> None:
    said = measure(found, n, threshold)
    columns = (said.tokens, said.dirty, said.windows, said.span, said.state, said.flagged)
    expected = oracle_coverage(test, runs, n, threshold)
    assert list(zip(*columns, strict=True)) == expected
    checked = [row for row in expected if row[4] == "checked"]
    assert (said.rows, said.checkable) == (len(test), len(checked))
    assert said.flagged_rows == sum(row[5] for row in expected)
    assert said.all_tokens == sum(row[0] for row in checked)
    assert said.dirty_tokens == sum(row[1] for row in checked)
    assert said.short_rows + said.blank_rows + said.checkable == len(test)
    assert said.train_rows_hit == sum(size >= n for size in found.train_longest)


@pytest.mark.parametrize("seed", range(200))
def test_one_pair_of_rows_agrees_with_brute_force(seed: int) -> None:
    draw = random.Random(seed)
    letters = draw.choice([1, 2, 4, 20])
    phrases = one_field(*([draw.randrange(letters) for _ in range(20)] for _ in range(2)))
    test_row = [draw_field(draw, letters, phrases) for _ in range(draw.randrange(1, 4))]
    train_row = [draw_field(draw, letters, phrases) for _ in range(draw.randrange(1, 4))]
    n = draw.randrange(1, 9)

    runs, _, _ = oracle_runs([test_row], [train_row], least=n)
    assert pair_runs(test_row, train_row, n) == runs[0]

    spans = pair_spans(test_row, train_row, n)
    for field, start, stop, train_field, train_start, train_stop in spans:
        copied = train_row[train_field][train_start:train_stop]
        assert test_row[field][start:stop] == copied
    maximal = [
        (field, start, start + size)
        for field, sizes in enumerate(runs[0])
        for start, size in enumerate(sizes)
        if size and (start == 0 or sizes[start - 1] != size + 1)
    ]
    assert [span[:3] for span in spans] == maximal


def test_two_rows_that_overlap_cover_a_row_between_them() -> None:
    runs = search(one_field(range(1, 21)), one_field([90, *range(1, 14)], [*range(8, 21), 91]))
    at_13 = measure(runs, 13)
    assert (at_13.dirty, at_13.windows, at_13.span) == ([20], [2], [13])
    assert runs.best == (BestRun(13, 0, 0, 0, 0, 1),)
    at_14 = measure(runs, 14)
    assert (at_14.dirty, at_14.span, at_14.state) == ([0], [0], ["checked"])
    assert not at_14.flagged_rows


def test_a_share_at_the_threshold_is_flagged_in_whole_numbers() -> None:
    runs = search(one_field(range(100)), one_field(range(40, 69)))
    assert measure(runs, 13, 29).flagged == [True]
    assert measure(runs, 13, 30).flagged == [False]


def test_fields_copied_whole_are_short_each_for_itself() -> None:
    row = [list(range(8)), list(range(8, 16))]
    said = measure(search([row], [row], 2), 13)
    assert (said.state, said.short_rows, said.flagged) == (["short"], 1, [False])
    assert measure(search([row], [row], 2), 8).dirty == [16]


def test_no_run_crosses_a_row_of_the_training_side() -> None:
    runs = search(one_field(range(12)), one_field(range(6), range(6, 12)))
    assert list(runs.lengths) == [6, 5, 0, 0, 0, 0] * 2


def test_the_smaller_row_wins_although_it_was_first_seen_shorter() -> None:
    # Row 0 has the first six tokens after a token that leads the scan elsewhere at first.
    test = one_field([1, 2, 3, 4, 5, 6, 7, 8], [1, 2, 3, 4, 5, 6, 9, 9])
    train = one_field([1, 2, 3, 4, 5, 6, 9], [1, 2, 3, 4, 5, 6, 7], [1, 2, 3, 4, 5, 6, 7])
    best = search(test, train).best
    assert best == (BestRun(7, 1, 0, 0, 0, 0), BestRun(7, 0, 0, 0, 0, 0))


def test_a_row_is_left_out_also_where_it_matches_twice() -> None:
    # Both test rows are alike; training row 0 has their end twice, the longer piece later.
    test = one_field(range(8), range(8))
    train = one_field([2, 3, 4, 5, 6, 7, 99, 1, 2, 3, 4, 5, 6, 7], [])
    runs = search(test, train, same_file=True)
    assert list(runs.lengths) == [0] * 8 + [0, 7, 6, 5, 0, 0, 0, 0]
    assert list(runs.train_longest) == [7, 0]


def test_train_ids_beyond_two_bytes_match_nothing_of_a_small_test_vocabulary() -> None:
    test = pack(one_field(range(0xFFF0, 0xFFFF)))
    train = pack(one_field(range(0x1FFF0, 0x1FFFF), [0xFFFF] * 9, range(0xFFF5, 0xFFFC)))
    assert to_end(find_runs(test, [train])).best == (BestRun(7, 2, 0, 5, 0, 0),)


def test_chunks_are_taken_one_at_a_time() -> None:
    taken = []

    def chunks() -> Iterable[TokenRows]:
        for number in range(3):
            taken.append(number)
            yield pack(one_field(range(number, number + 6)))

    steps = find_runs(pack(one_field(range(8))), chunks())
    next(steps)
    assert not taken
    runs = to_end(steps)
    assert list(runs.lengths) == [6, 6, 6, 5, 0, 0, 0, 0]
    assert list(runs.train_longest) == [6, 6, 6]


@pytest.mark.parametrize("same_file", [False, True])
def test_an_endless_repeat_is_exact(same_file: bool) -> None:
    size = 1_000_000
    row = pack(one_field([7] * size))
    runs = to_end(find_runs(row, [row], same_file=same_file))
    expected = array("I", bytes(4 * size))
    if not same_file:
        expected = array("I", [*range(size, 4, -1), 0, 0, 0, 0])
    assert runs.lengths == expected


def test_a_short_row_in_an_endless_one() -> None:
    long, short = one_field([7] * 100_000), one_field([1], [7] * 9)
    assert list(search(long, short).lengths) == [9] * 99_992 + [8, 7, 6, 5, 0, 0, 0, 0]
    back = search(short, long)
    assert back.best == (None, BestRun(9, 0, 0, 0, 0, 0))


@pytest.mark.parametrize("same_file", [False, True])
def test_a_stock_phrase_in_every_row(same_file: bool) -> None:
    rows = 30_000
    test = one_field(*([*range(7), 100 + row] for row in range(rows)))
    train = (
        test if same_file else one_field(*([*range(7), row + 50_000] for row in range(rows)))
    )
    runs = search(test, train, same_file=same_file)
    assert list(runs.lengths) == [7, 6, 5, 0, 0, 0, 0, 0] * rows
    assert list(runs.train_longest) == [7] * rows
    other = 1 if same_file else 0
    assert runs.best == (
        BestRun(7, other, 0, 0, 0, 0),
        *[BestRun(7, 0, 0, 0, 0, 0)] * (rows - 1),
    )


def test_a_cancelled_search_has_many_places_to_stop() -> None:
    row = pack(one_field([7] * 500_000))
    phases = [step.phase for step in find_runs(row, [row])]
    for phase in ("index", "compare", "search", "read", "sum up"):
        assert phases.count(phase) >= 5, phase


def test_offsets_of_a_run_count_code_points_before_it() -> None:
    copied = "one two three four five six"
    test, train = f"\U0001f600\U0001f600 e\u0301 {copied}", f"\u00bd {copied} end"
    words = Vocabulary()
    runs = to_end(
        find_runs(
            encode_rows([[test]], "loose", words), [encode_rows([[train]], "loose", words)]
        )
    )
    best = runs.best[0]
    assert best is not None
    for text, start in ((test, best.test_start), (train, best.train_start)):
        tokens: Sequence[tuple[str, int, int]] = split_tokens(text, "loose")
        first, last = tokens[start], tokens[start + best.length - 1]
        assert text[first[1] : last[2]] == copied
