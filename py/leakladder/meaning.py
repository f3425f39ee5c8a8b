"""Stage 6c - meaning: similar pairs to groups, chains, effective rows and nearest rows.

Knows no model and no vectors: a host cuts texts into pieces, embeds each distinct sequence of
pieces once and compares (`embed_native.py` and `search_native.py`, or the page's meaning
workers). What is compared is a node: all rows whose texts are equal after tokenization, which
read the same to the model, cosine 1.

Reads: what the host found. Read by: the command line and `bridge.py`.
"""

from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, islice, product
from typing import NamedTuple

from leakladder.errors import SettingError
from leakladder.jobs import Job
from leakladder.results import Progress

THRESHOLD_MIN, THRESHOLD_MAX, THRESHOLD_DEFAULT = 0.70, 0.99, 0.90
BORDER = 0.010
MOST_PAIRS = 1_000_000
NOT_COMPARED = -1
STEP = 10_000
"""Pairs after which long work tells how far it is."""


class RowPair(NamedTuple):
    """Two rows that read alike, or the closest two there are.

    Attributes:
        a: 0-based position of the earlier row.
        b: 0-based position of the later row.
        cosine: -1.0 to 1.0, not rounded; 1.0 where the two are equal after tokenization.
    """

    a: int
    b: int
    cosine: float


@dataclass(frozen=True, slots=True)
class Group:
    """Rows that are joined, directly or through others, by pairs at the threshold.

    Attributes:
        rows: 0-based positions, ascending, at least two.
        lowest: Lowest cosine over all pairs of the group, joined directly or not.
        chained: The lowest pair is under the threshold: some rows met only through others.
    """

    rows: tuple[int, ...]
    lowest: float
    chained: bool


@dataclass(frozen=True, slots=True)
class Summary:
    """One file in numbers. Shares are over all rows.

    Attributes:
        rows: All rows, those that were not compared included.
        compared: Rows with text that the model can read.
        groups: How many groups there are.
        rows_in_groups: Rows in any of them.
        effective: Rows if each group kept one.
        pairs: Pairs of rows at or above the threshold, all counted.
        closest: The closest pair, at the threshold or under it; None under two compared rows.
    """

    rows: int
    compared: int
    groups: int
    rows_in_groups: int
    effective: int
    pairs: int
    closest: RowPair | None


@dataclass(frozen=True, slots=True)
class NearestRow:
    """The training row that reads most like a test row.

    Attributes:
        index: 0-based position of the test row.
        train_index: 0-based position of the training row, the first of equally near ones; None
            where either side has nothing to compare.
        cosine: Their cosine, or None.
    """

    index: int
    train_index: int | None
    cosine: float | None


def check_threshold(threshold: float) -> float:
    """Return the threshold.

    Raises:
        SettingError: If it is not from 0.70 to 0.99.
    """
    if not THRESHOLD_MIN <= threshold <= THRESHOLD_MAX:
        raise SettingError(
            f"threshold must be from {THRESHOLD_MIN:.2f} to {THRESHOLD_MAX:.2f}, "
            f"not {threshold:g}",
            setting="threshold",
        )
    return threshold


def number_nodes(keys: Iterable[Hashable | None]) -> list[int]:
    """Give equal keys one number, counted up from 0 in order of first sight.

    Args:
        keys: Per row its pieces, or None where there is nothing to compare.

    Returns:
        Per row its node, or NOT_COMPARED.
    """
    numbers: dict[Hashable, int] = {}
    return [
        NOT_COMPARED if key is None else numbers.setdefault(key, len(numbers)) for key in keys
    ]


def list_members(node_of: Sequence[int]) -> list[list[int]]:
    """Return the rows of each node, ascending; nodes without a row have an empty list."""
    members: list[list[int]] = [[] for _ in range(max(node_of, default=-1) + 1)]
    for row, node in enumerate(node_of):
        if node != NOT_COMPARED:
            members[node].append(row)
    return members


def join_nodes(
    count: int, pairs: Iterable[tuple[int, int]], before: Sequence[int] | None = None
) -> list[int]:
    """Return, per node, the smallest node that pairs join it to, directly or through others.

    Args:
        count: Nodes there are.
        pairs: Nodes that are joined.
        before: What this gave for other pairs, which stay joined.
    """
    parent = list(range(count) if before is None else before)

    def find(node: int) -> int:
        while parent[node] != node:
            parent[node] = parent[parent[node]]
            node = parent[node]
        return node

    for a, b in pairs:
        low, high = sorted((find(a), find(b)))
        parent[high] = low
    return [find(node) for node in range(count)]


def list_groups(members: Sequence[Sequence[int]], labels: Sequence[int]) -> list[list[int]]:
    """Return the nodes of each group of two rows or more.

    Args:
        members: Rows of each node.
        labels: Per node, the node that names its group (`join_nodes`, or the host's own).

    Returns:
        Node lists, ascending, in order of each group's first row. A group may be one node.
    """
    joined: dict[int, list[int]] = {}
    for node, label in enumerate(labels):
        joined.setdefault(label, []).append(node)
    groups = [nodes for nodes in joined.values() if sum(len(members[at]) for at in nodes) > 1]
    return sorted(groups, key=lambda nodes: min(members[at][0] for at in nodes if members[at]))


def describe_groups(
    members: Sequence[Sequence[int]],
    groups: Sequence[Sequence[int]],
    lowest: Sequence[float],
    threshold: float,
) -> tuple[Group, ...]:
    """Turn node groups into groups of rows.

    Args:
        members: Rows of each node.
        groups: Nodes of each group (`list_groups`).
        lowest: Lowest cosine between nodes of each group; not looked at for a group of one.
        threshold: At which the groups were joined.

    Returns:
        One Group per entry of `groups`, in the same order.
    """
    described = []
    for nodes, found in zip(groups, lowest, strict=True):
        low = found if len(nodes) > 1 else 1.0
        rows = sorted(row for node in nodes for row in members[node])
        described.append(Group(tuple(rows), low, chained=low < threshold))
    return tuple(described)


def list_pairs(
    members: Sequence[Sequence[int]],
    node_pairs: Iterable[tuple[int, int, float]],
    most: int = MOST_PAIRS,
) -> Job[list[RowPair]]:
    """Write out the pairs of rows that pairs of nodes stand for.

    Args:
        members: Rows of each node.
        node_pairs: (a, b, cosine), highest cosine first.
        most: Pairs returned at most; the caller counts them all with `count_pairs`.

    Returns:
        Highest cosine first; of equal cosines in order of a, then b.
    """

    def write_out() -> Iterator[RowPair]:
        same = (pair for rows in members for pair in combinations(rows, 2))
        yield from (RowPair(a, b, 1.0) for a, b in sorted(same))
        for first, second, cosine in node_pairs:
            for a, b in product(members[first], members[second]):
                yield RowPair(min(a, b), max(a, b), cosine)

    pairs: list[RowPair] = []
    equal: list[RowPair] = []  # pairs of one cosine, which come one after the other
    for at, pair in enumerate(islice(write_out(), most), 1):
        if equal and equal[0].cosine != pair.cosine:
            pairs += sorted(equal)
            equal = []
        equal.append(pair)
        if at % STEP == 0:
            yield Progress("listing pairs", at, 0)
    return pairs + sorted(equal)


def count_pairs(members: Sequence[Sequence[int]], between: int) -> int:
    """Return how many pairs of rows are at the threshold.

    Args:
        members: Rows of each node.
        between: Pairs of rows of different nodes, as the host's search counted them.
    """
    return between + sum(len(rows) * (len(rows) - 1) // 2 for rows in members)


def find_closest(
    members: Sequence[Sequence[int]], between: tuple[int, int, float] | None
) -> RowPair | None:
    """Return the closest pair of rows: the first two of a node, else of the closest nodes.

    Args:
        members: Rows of each node.
        between: The closest pair of nodes and its cosine, or None under two nodes.
    """
    same = [(rows[0], rows[1]) for rows in members if len(rows) > 1]
    if same:
        a, b = min(same)
        return RowPair(a, b, 1.0)
    if between is None:
        return None
    first, second, cosine = between
    a, b = sorted((members[first][0], members[second][0]))
    return RowPair(a, b, cosine)


def summarize(
    node_of: Sequence[int], groups: Sequence[Group], pairs: int, closest: RowPair | None
) -> Summary:
    """Count a file's rows, and what is left of them if each group keeps one."""
    inside = sum(len(group.rows) for group in groups)
    return Summary(
        rows=len(node_of),
        compared=sum(node != NOT_COMPARED for node in node_of),
        groups=len(groups),
        rows_in_groups=inside,
        effective=len(node_of) - inside + len(groups),
        pairs=pairs,
        closest=closest,
    )


def match_rows(
    test_of: Sequence[int],
    train_of: Sequence[int],
    nearest: Sequence[int],
    cosines: Sequence[float],
    own: Sequence[int] = (),
) -> list[NearestRow]:
    """Give each test row its nearest training row.

    Args:
        test_of: Node of each test row, numbered over both files together.
        train_of: Node of each training row.
        nearest: Per node, the nearest other node that has a training row, or NOT_COMPARED; not
            looked at for a test row whose own node has one to give it.
        cosines: Per node, the cosine of that.
        own: Where both sides are one file, the training row that each test row is itself, or
            NOT_COMPARED; no row is given itself.

    Returns:
        One entry a test row, in order.
    """
    rows_of: dict[int, list[int]] = {}
    for row, node in enumerate(train_of):
        rows = rows_of.setdefault(node, [])
        if len(rows) < 2:  # the first, and another for the one that is it
            rows.append(row)
    rows_of.pop(NOT_COMPARED, None)

    def match(index: int, node: int) -> NearestRow:
        itself = own[index] if own else NOT_COMPARED
        equal = next((row for row in rows_of.get(node, ()) if row != itself), None)
        if equal is not None:
            return NearestRow(index, equal, 1.0)
        if node == NOT_COMPARED or nearest[node] == NOT_COMPARED:
            return NearestRow(index, None, None)
        return NearestRow(index, rows_of[nearest[node]][0], cosines[node])

    return [match(index, node) for index, node in enumerate(test_of)]


def is_borderline(cosine: float, threshold: float) -> bool:
    """Tell whether a pair lies within 0.010 of the threshold, on either side."""
    return (
        abs(cosine - threshold) <= BORDER + 1e-12
    )  # 0.91 - 0.90 is a little over 0.01 in floats


def show_cosine(cosine: float, threshold: float) -> str:
    """Write a cosine with three decimals, with more where three would cross the threshold."""
    for digits in range(3, 9):
        text = f"{cosine:.{digits}f}"
        if (float(text) >= threshold) == (cosine >= threshold):
            return text
    return f"{cosine:.9f}"
