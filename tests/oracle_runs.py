"""Shared runs by brute force, from the definition: every pair of positions is compared.

Imports nothing of the package. A side is a list of rows, a row a list of fields, a field a list
of tokens (anything that compares equal).
"""

from collections.abc import Sequence

Side = Sequence[Sequence[Sequence[object]]]
Best = tuple[int, int, int, int, int, int]

LEAST = 5


def common(a: Sequence[object], i: int, b: Sequence[object], j: int) -> int:
    """Count the equal tokens from a[i] and b[j] on."""
    size = 0
    while i + size < len(a) and j + size < len(b) and a[i + size] == b[j + size]:
        size += 1
    return size


def oracle_matches(
    test: Side, train: Side, *, same_file: bool = False, least: int = LEAST
) -> list[tuple[int, int, int, int, int, int, int]]:
    """List (length, test row, field, start, train row, field, start) for every pair."""
    found = []
    for r, test_row in enumerate(test):
        for t, train_row in enumerate(train):
            if same_file and r == t:
                continue
            for f, a in enumerate(test_row):
                for g, b in enumerate(train_row):
                    for i in range(len(a)):
                        for j in range(len(b)):
                            size = common(a, i, b, j)
                            if size >= least:
                                found.append((size, r, f, i, t, g, j))
    return found


def oracle_runs(
    test: Side, train: Side, *, same_file: bool = False, least: int = LEAST
) -> tuple[list[list[list[int]]], list[Best | None], list[int]]:
    """Return R as [row][field][token], the best run of each row, each training row's longest.

    A best run is (length, train row, test field, test start, train field, train start).
    """
    runs = [[[0] * len(field) for field in row] for row in test]
    best: list[Best | None] = [None] * len(test)
    longest = [0] * len(train)
    for size, r, f, i, t, g, j in oracle_matches(test, train, same_file=same_file, least=least):
        runs[r][f][i] = max(runs[r][f][i], size)
        longest[t] = max(longest[t], size)
        candidate = (-size, t, f, i, g, j)
        known = best[r]
        if known is None or candidate < (-known[0], *known[1:]):
            best[r] = (size, t, f, i, g, j)
    return runs, best, longest


def oracle_coverage(
    test: Side, runs: Sequence[Sequence[Sequence[int]]], n: int, threshold: int
) -> list[tuple[int, int, int, int, str, bool]]:
    """Return (tokens, dirty, windows, longest run, state, flagged) of each row, from R."""
    out = []
    for row, row_runs in zip(test, runs, strict=True):
        tokens = sum(len(field) for field in row)
        dirty = windows = span = 0
        for field, field_runs in zip(row, row_runs, strict=True):
            marks = [False] * len(field)
            for start, size in enumerate(field_runs):
                if size >= n:
                    windows += 1
                    span = max(span, size)
                    marks[start : start + size] = [True] * size
            dirty += sum(marks)
        longest_field = max(len(field) for field in row)
        state = "blank" if not tokens else "short" if longest_field < n else "checked"
        flagged = state == "checked" and windows > 0 and 100 * dirty >= threshold * tokens
        out.append((tokens, dirty, windows, span, state, flagged))
    return out
