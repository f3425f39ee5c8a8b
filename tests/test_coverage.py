"""Coverage at one n: spans by hand; the rest is held against brute force in test_runs.py."""

from array import array

import pytest

from leakladder.coverage import covered, measure, pair_runs, pair_spans, spans_at
from leakladder.results import BestRun
from leakladder.runs import Runs


@pytest.mark.parametrize(
    ("runs", "expected"),
    [
        pytest.param([], [], id="an empty field has no spans"),
        pytest.param([4, 3, 2], [], id="no run reaches n"),
        pytest.param([5, 4, 3, 2, 1], [(0, 5)], id="a run of exactly n"),
        pytest.param([6, 5, 4, 3, 2, 1], [(0, 6)], id="windows that overlap join"),
        pytest.param([5, 0, 0, 0, 0, 5, 0, 0, 0, 0], [(0, 10)], id="runs that touch join"),
        pytest.param(
            [5, 0, 0, 0, 0, 0, 5, 0, 0, 0, 0],
            [(0, 5), (6, 11)],
            id="one clean token parts them",
        ),
        pytest.param([0, 9, 5, 0, 0, 0, 0, 0, 0, 0], [(1, 10)], id="a run inside a longer one"),
    ],
)
def test_spans_at(runs: list[int], expected: list[tuple[int, int]]) -> None:
    assert spans_at(runs, 5) == expected
    assert covered(runs, 5) == sum(stop - start for start, stop in expected)


def test_runs_under_five_are_not_known() -> None:
    runs = Runs(array("I"), array("I", [0]), 1, (), array("I"))
    for ask in (lambda: spans_at([], 4), lambda: covered([], 4), lambda: measure(runs, 4)):
        with pytest.raises(ValueError, match="n must be at least 5, got 4"):
            ask()


def test_measure_of_nothing() -> None:
    said = measure(Runs(array("I"), array("I", [0]), 1, (), array("I")), 13)
    assert (said.rows, said.checkable, said.all_tokens, said.flagged) == (0, 0, 0, [])


def test_states_are_told_apart() -> None:
    # fields of 0 + 0, 12 + 12, 13 + 0 and 5 + 20 tokens; the last two share a run of 13 and 6
    starts = array("I", [0, 0, 0, 12, 24, 37, 37, 42, 62])
    lengths = array("I", bytes(4 * 62))
    lengths[24:33] = array("I", range(13, 4, -1))
    lengths[50:52] = array("I", [6, 5])
    best = (None, None, BestRun(13, 1, 0, 0, 0, 0), BestRun(6, 0, 1, 8, 0, 0))
    said = measure(Runs(lengths, starts, 2, best, array("I", [6, 13, 0])), 13)
    assert said.state == ["blank", "short", "checked", "checked"]
    assert list(said.tokens) == [0, 24, 13, 25]
    assert (said.dirty, said.windows, said.span) == ([0, 0, 13, 0], [0, 0, 1, 0], [0, 0, 13, 0])
    assert said.flagged == [False, False, True, False]
    assert (said.checkable, said.short_rows, said.blank_rows) == (2, 1, 1)
    assert (said.all_tokens, said.dirty_tokens) == (38, 13)
    assert (said.train_rows, said.train_rows_hit) == (3, 1)


@pytest.mark.parametrize("row", [[1, 2, 3, 4, 5, 6], [7, 7, 7, 7, 7, 7], [1, 2, 1, 2, 1, 2]])
def test_a_row_copied_whole_is_one_run(row: list[int]) -> None:
    assert pair_spans([row], [list(row)], 6) == [(0, 0, 6, 0, 0, 6)]
    assert pair_spans([row], [list(row)], 7) == []
    assert pair_runs([row], [list(row)], 3) == [[6, 5, 4, 3, 0, 0]]
    with_more = pair_spans([row], [[0], [*row, 0], row], 3)
    assert with_more[0][:3] == (0, 0, 6)


def test_a_pane_marks_both_sides() -> None:
    test_row = [[1, 2, 3, 4, 5, 9, 6, 7, 8, 6, 7], [3, 4, 5]]
    train_row = [[0, 6, 7, 8], [1, 2, 3, 4, 5]]
    assert pair_spans(test_row, train_row, 3) == [
        (0, 0, 5, 1, 0, 5),
        (0, 6, 9, 0, 1, 4),
        (1, 0, 3, 1, 2, 5),
    ]
    assert pair_runs(test_row, train_row, 3) == [[5, 4, 3, 0, 0, 0, 3, 0, 0, 0, 0], [3, 0, 0]]
    assert pair_runs([[], [1]], [[]], 1) == [[], [0]]
    with pytest.raises(ValueError, match="at least 1 token"):
        pair_runs([[1]], [[1]], 0)
