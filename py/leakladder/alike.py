"""Stage 6d - one file at one threshold: what the pairs that were found answer.

Pairs are found once, from a floor on; every threshold above it is answered from them. Past
MOST_PAIRS pairs are counted and not kept; then the floor alone can be asked for, and the groups
come from the side that compared the vectors.

Reads: `meaning.py` and what a host found. Read by: `meaning_report.py`.
"""

from array import array
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from leakladder import meaning
from leakladder.jobs import Job
from leakladder.meaning import (
    BORDER,
    NOT_COMPARED,
    STEP,
    Group,
    RowPair,
    count_pairs,
    describe_groups,
    find_closest,
    is_borderline,
    join_nodes,
    list_groups,
    list_members,
    list_pairs,
)
from leakladder.results import Progress

FLOOR = meaning.THRESHOLD_MIN - BORDER
"""Pairs from here on answer every threshold, and say what just misses it."""


class Edges(NamedTuple):
    """Pairs of nodes as columns, a < b, highest cosine first, ties by a and b."""

    a: "array[int]"
    b: "array[int]"
    cosine: "array[float]"

    def upto(self, threshold: float) -> int:
        """Return how many of them reach a threshold."""
        return bisect_right(self.cosine, -threshold, key=lambda cosine: -cosine)

    def take(self, first: int, stop: int) -> Iterator[tuple[int, int, float]]:
        """Give those from one place to another."""
        columns = (self.a[first:stop], self.b[first:stop], self.cosine[first:stop])
        return zip(*columns, strict=True)


def make_edges(pairs: Iterable[tuple[int, int, float]]) -> Edges:
    """Put pairs of nodes into columns, sorted."""
    ordered = sorted(pairs, key=lambda pair: (-pair[2], pair[0], pair[1]))
    a, b, cosine = zip(*ordered, strict=True) if ordered else ((), (), ())
    return Edges(array("I", a), array("I", b), array("d", cosine))


@dataclass(frozen=True)
class Alike:
    """What was found inside one file.

    Attributes:
        node_of: Node of each row, NOT_COMPARED for a row without text.
        floor: The cosine from which on pairs were counted.
        edges: The highest of them, MOST_PAIRS at most.
        total: Pairs of rows in different nodes that all of them stand for.
        closest: The two nodes with the highest cosine, at the floor or not, and that cosine;
            None under two nodes.
        labels: Per node the smallest node it hangs together with at the floor; looked at only
            where edges were dropped.
    """

    node_of: Sequence[int]
    floor: float
    edges: Edges
    total: int
    closest: tuple[int, int, float] | None
    labels: Sequence[int] = ()

    @property
    def compared(self) -> int:
        """Rows that were compared."""
        return sum(node != NOT_COMPARED for node in self.node_of)

    def members(self) -> list[list[int]]:
        """Return the rows of each node."""
        return list_members(self.node_of)


class View(NamedTuple):
    """One file at one threshold.

    Attributes:
        alike: What was found in it.
        threshold: The cosine from which on two rows read alike.
        groups: Groups, most rows first.
        listed: Pairs of rows that are listed, highest cosine first, MOST_PAIRS at most.
        pairs: All of them, counted.
        just_above: How many are borderline; None where not all were kept.
        just_below: How many miss the threshold and are borderline; None where the floor hides
            them.
        closest: The two rows with the highest cosine in the file.
    """

    alike: Alike
    threshold: float
    groups: tuple[Group, ...]
    listed: Sequence[RowPair]
    pairs: int
    just_above: int | None
    just_below: int | None
    closest: RowPair | None

    @property
    def rows_in_groups(self) -> int:
        """Rows that are in a group."""
        return sum(len(group.rows) for group in self.groups)

    @property
    def effective(self) -> int:
        """Compared rows when each group counts once."""
        return self.alike.compared - self.rows_in_groups + len(self.groups)

    @property
    def not_kept(self) -> int:
        """Pairs that are counted and not listed."""
        return self.pairs - len(self.listed)


def find_groups(alike: Alike, threshold: float) -> Job[list[list[int]]]:
    """Find the nodes of each group at a threshold, groups with most rows first.

    Raises:
        ValueError: If the threshold lies under the floor, or over it where edges were
            dropped.
    """
    members = alike.members()
    dropped = yield from _dropped(alike, members)
    if threshold < alike.floor or (dropped and threshold > alike.floor):
        raise ValueError(f"pairs from {alike.floor} on do not answer {threshold}")
    labels = alike.labels
    if not dropped:
        reach = alike.edges.upto(threshold)
        labels = list(range(len(members)))
        for first in range(0, reach, STEP):
            edges = alike.edges.take(first, min(reach, first + STEP))
            labels = join_nodes(len(members), ((a, b) for a, b, _ in edges), labels)
            yield Progress("joining groups", min(reach, first + STEP), reach)
    groups = list_groups(members, labels)
    return sorted(groups, key=lambda nodes: -sum(len(members[at]) for at in nodes))


def _dropped(alike: Alike, members: Sequence[Sequence[int]]) -> Job[int]:
    return alike.total - (yield from _weigh(alike, members, range(len(alike.edges.a))))


def _weigh(alike: Alike, members: Sequence[Sequence[int]], places: Sequence[int]) -> Job[int]:
    """Count the pairs of rows that the edges at these places stand for."""
    edges = alike.edges
    if len(members) == alike.compared:
        return len(places)
    weight = 0
    for first in range(0, len(places), STEP):
        part = places[first : first + STEP]
        weight += sum(len(members[edges.a[at]]) * len(members[edges.b[at]]) for at in part)
        yield Progress("counting pairs", first + len(part), len(places))
    return weight


def view_at(
    alike: Alike, threshold: float, groups: Sequence[Sequence[int]], lowest: Sequence[float]
) -> Job[View]:
    """Put a file at one threshold together.

    Args:
        alike: What was found in the file.
        threshold: The threshold that `groups` were found at.
        groups: From `find_groups`.
        lowest: For each group the lowest cosine over all pairs of its nodes, from the side that
            has the vectors; not looked at for a group of one node.
    """
    members, edges = alike.members(), alike.edges
    reach = edges.upto(threshold)
    dropped = yield from _dropped(alike, members)
    between = alike.total if dropped else (yield from _weigh(alike, members, range(reach)))
    near = [
        at
        for at in range(edges.upto(threshold + 2 * BORDER), edges.upto(threshold - 2 * BORDER))
        if is_borderline(edges.cosine[at], threshold)
    ]
    above = yield from _weigh(alike, members, [at for at in near if at < reach])
    below = yield from _weigh(alike, members, [at for at in near if at >= reach])
    listed = yield from list_pairs(members, edges.take(0, reach), meaning.MOST_PAIRS)
    return View(
        alike,
        threshold,
        describe_groups(members, groups, lowest, threshold),
        listed,
        count_pairs(members, between),
        None if dropped else above,
        None if alike.floor > threshold - BORDER else below,
        find_closest(members, alike.closest),
    )
