"""Stage 5b - coverage: what the runs of a row say at one n.

Reads: `runs.py`. Read by: `rules.py`, `report.py`.
"""

from array import array
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain, compress
from operator import sub

from leakladder.automaton import Automaton
from leakladder.hits import NO_MATCH, NO_ROW, Hits
from leakladder.results import State
from leakladder.runs import Runs

PairSpan = tuple[int, int, int, int, int, int]
_N_LEAST = 5


@dataclass(frozen=True, slots=True)
class Coverage:
    """Every test row at one n and threshold, one list a column, and the totals.

    Attributes:
        tokens: Tokens of each row, all fields together.
        dirty: Tokens inside a shared run of n or more, each counted once.
        windows: Positions at which a shared run of n or more starts.
        span: Longest shared run, 0 where it is under n.
        state: "checked", "short" (no field holds n tokens) or "blank" (no tokens at all).
        flagged: Checked, matched at n, and dirty at or over the threshold.
        checkable: Rows that are checked: the denominator of every share.
        flagged_rows: How many rows are flagged.
        short_rows: How many are short.
        blank_rows: How many are blank.
        all_tokens: Tokens of the checkable rows.
        dirty_tokens: Dirty tokens of the checkable rows.
        train_rows: Training rows searched.
        train_rows_hit: How many share a run of n or more with some test row.
    """

    tokens: "array[int]"
    dirty: list[int]
    windows: list[int]
    span: list[int]
    state: list[State]
    flagged: list[bool]
    checkable: int
    flagged_rows: int
    short_rows: int
    blank_rows: int
    all_tokens: int
    dirty_tokens: int
    train_rows: int
    train_rows_hit: int

    @property
    def rows(self) -> int:
        """Test rows in all, checkable or not."""
        return len(self.state)


def measure(runs: Runs, n: int, threshold: int = 0) -> Coverage:
    """Judge every test row at one n, from R alone.

    Args:
        runs: What `find_runs` returned.
        n: Tokens a run must have to count, n >= 5.
        threshold: Percent of a row's tokens that must be dirty for a flag, 0 to 100; compared
            in whole numbers, and at 0 any match flags.

    Returns:
        The columns and totals. Time linear in the rows and in the maximal runs, not the tokens.

    Raises:
        ValueError: If n < 5, since R does not know shorter runs.
    """
    _check(n)
    tokens, longest = _sizes(runs)
    dirty, windows = _cover_rows(runs, n)
    state: list[State] = [
        "checked" if most >= n else "short" if most else "blank" for most in longest
    ]
    flagged = [
        hit > 0 and 100 * hit >= threshold * size
        for hit, size in zip(dirty, tokens, strict=True)
    ]
    return Coverage(
        tokens=tokens,
        dirty=dirty,
        windows=windows,
        span=[best.length if best and best.length >= n else 0 for best in runs.best],
        state=state,
        flagged=flagged,
        checkable=state.count("checked"),
        flagged_rows=flagged.count(True),
        short_rows=state.count("short"),
        blank_rows=state.count("blank"),
        all_tokens=sum(compress(tokens, map("checked".__eq__, state))),
        dirty_tokens=sum(dirty),
        train_rows=len(runs.train_longest),
        train_rows_hit=sum(map(n.__le__, runs.train_longest)),
    )


def _sizes(runs: Runs) -> tuple["array[int]", Sequence[int]]:
    """Return the tokens of each row, and of its longest field."""
    starts, fields = runs.starts, runs.fields
    sizes = array("I", map(sub, starts[1:], starts))
    if fields == 1:
        return sizes, sizes
    rows = array("I", map(sub, starts[fields::fields], starts[::fields]))
    return rows, list(map(max, *(sizes[field::fields] for field in range(fields))))


def _cover_rows(runs: Runs, n: int) -> tuple[list[int], list[int]]:
    """Count dirty tokens and windows of each row.

    A run's tail is inside it, so the heads of `n` or more cover all; their ends never fall
    within a field, and never reach beyond it.
    """
    lengths, starts, fields = runs.lengths, runs.starts, runs.fields
    rows = len(runs.best)
    dirty, windows = [0] * rows, [0] * rows
    sizes = list(map(lengths.__getitem__, runs.heads))
    counted = list(map(n.__le__, sizes))
    heads = list(compress(runs.heads, counted))
    following = chain(heads[1:], [len(lengths) + n])  # the last has nothing to stop it
    covered = 0
    for head, size, after in zip(heads, compress(sizes, counted), following, strict=False):
        row = (bisect_right(starts, head) - 1) // fields
        stop = head + size
        dirty[row] += stop - max(head, covered)
        windows[row] += min(after - head, size - n + 1)
        covered = stop
    return dirty, windows


def spans_at(runs: Sequence[int], n: int) -> list[tuple[int, int]]:
    """Find the stretches of a field that shared runs of at least `n` tokens cover.

    Runs that touch or overlap make one stretch, so a sentence copied whole is one stretch
    however many windows of n it holds.

    Args:
        runs: R of one field, a number a token, 0 where it is under 5.
        n: Tokens a run must have to count, n >= 5.

    Returns:
        Half-open token ranges, sorted, at least one uncovered token apart; empty when no run
        reaches n. Time linear in the tokens, whatever n.

    Raises:
        ValueError: If n < 5, since R does not know shorter runs.

    Source:
        Token coverage: Touvron et al. 2023 (arXiv:2307.09288), appendix A.6.
    """
    _check(n)
    spans: list[tuple[int, int]] = []
    for start, size in enumerate(runs):
        if size < n:
            continue
        if spans and start <= spans[-1][1]:
            spans[-1] = (spans[-1][0], max(spans[-1][1], start + size))
        else:
            spans.append((start, start + size))
    return spans


def covered(runs: Sequence[int], n: int) -> int:
    """Count the tokens of a field inside shared runs of at least `n` tokens, each once.

    Raises:
        ValueError: If n < 5, since R does not know shorter runs.
    """
    return sum(stop - start for start, stop in spans_at(runs, n))


def pair_runs(
    test_row: Sequence[Sequence[int]], train_row: Sequence[Sequence[int]], minimum: int
) -> list[list[int]]:
    """Find R of one test row against one training row alone.

    Args:
        test_row: Token ids of each field of the test row.
        train_row: The same of the training row.
        minimum: Shorter runs count as 0; at least 1.

    Returns:
        R of each test field. Time linear in both rows.
    """
    result = [[0] * len(field) for field in test_row]
    for field, start, stop, *_ in _maximal(test_row, train_row, minimum):
        runs = result[field]
        tail = max(start, stop - minimum + 1)
        runs[start:tail] = range(stop - start, stop - tail, -1)
    return result


def pair_spans(
    test_row: Sequence[Sequence[int]], train_row: Sequence[Sequence[int]], n: int
) -> list[PairSpan]:
    """Find the maximal runs that one test row shares with one training row, on both sides.

    Args:
        test_row: Token ids of each field of the test row.
        train_row: The same of the training row.
        n: Tokens a run must have, at least 1.

    Returns:
        (test field, start, stop, train field, start, stop), half-open, sorted by the test side.
        Runs may overlap. Where the training row has a run twice, the first place is given. Time
        linear in both rows.
    """
    return _maximal(test_row, train_row, n)


def _maximal(
    test_row: Sequence[Sequence[int]], train_row: Sequence[Sequence[int]], least: int
) -> list[PairSpan]:
    if least < 1:
        raise ValueError(f"a run has at least 1 token, got {least}")
    if len(test_row) == 1 and test_row == train_row:  # a row copied whole is one run
        size = len(test_row[0])
        return [(0, 0, size, 0, 0, size)] if size >= least else []
    automaton = Automaton(sum(map(len, test_row)))
    states = [automaton.extend(list(field)) if field else [] for field in test_row]
    hits = Hits(automaton)
    offsets = [0]
    for field in train_row:
        if field:
            hits.follow(list(field), offsets[-1], NO_ROW, NO_MATCH)
        offsets.append(offsets[-1] + len(field))
    spans: list[PairSpan] = []
    for number, field_states in enumerate(states):
        sizes, ends = hits.read(field_states, NO_ROW)
        after = chain(sizes[1:], [0])  # one too many when the field is empty
        for at, (size, end, later) in enumerate(zip(sizes, ends, after, strict=False)):
            if size < least or later == size + 1:
                continue
            train_field = bisect_right(offsets, end) - 1
            train_stop = end + 1 - offsets[train_field]
            spans.append((
                number,
                at + 1 - size,
                at + 1,
                train_field,
                train_stop - size,
                train_stop,
            ))
    return spans


def _check(n: int) -> None:
    if n < _N_LEAST:
        raise ValueError(f"n must be at least {_N_LEAST}, got {n}")
