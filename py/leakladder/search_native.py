"""host - unit vectors to pairs at a threshold, in numpy; what `similar.js` does in the page.

A cosine is the dot product in doubles, at most 1. The blocks' products are floats and only
choose what is worth that: whatever lies within SLACK of a decision is decided by the doubles.
"""
# ruff: noqa: TID251 - a host, outside the core

from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from leakladder.embed_native import Vectors
from leakladder.meaning import MOST_PAIRS, NOT_COMPARED
from leakladder.results import Progress

BLOCK = 512
SLACK = np.float32(1e-5)  # floats of unit vectors with 384 channels err by under 2e-6

Numbers = npt.NDArray[np.int64]
Cosines = npt.NDArray[np.float64]
Blocks = Iterator[tuple[int, int, npt.NDArray[np.float32]]]


@dataclass(frozen=True, slots=True)
class SimilarPairs:
    """Pairs of nodes at or above a threshold.

    Attributes:
        total: Pairs of rows they stand for, all counted.
        pairs: (a, b, cosine) with a < b; the highest ones, highest first.
        labels: Per node, the smallest node it is joined to.
        closest: The closest pair of all, threshold or not; None under two nodes.
    """

    total: int
    pairs: list[tuple[int, int, float]]
    labels: list[int]
    closest: tuple[int, int, float] | None


def cosines_of(a: Vectors, b: Vectors) -> Cosines:
    """Return the cosines of rows of `a` with the same rows of `b`."""
    products = a.astype(np.float64) * b.astype(np.float64)
    cosines: Cosines = np.minimum(products.sum(1), 1.0)
    return cosines


def each_block(vectors: Vectors) -> Blocks:
    """Yield (first row, first column, products) for the blocks on and above the diagonal.

    Products at and under the diagonal are -2, less than any cosine.
    """
    for row in range(0, len(vectors), BLOCK):
        for column in range(row, len(vectors), BLOCK):
            products = vectors[row : row + BLOCK] @ vectors[column : column + BLOCK].T
            if row == column:
                products[np.tril_indices(len(products))] = -2
            yield row, column, products


def _exact(
    vectors: Vectors, row: int, column: int, mask: npt.NDArray[np.bool_]
) -> tuple[Numbers, Numbers, Cosines]:
    rows, columns = np.nonzero(mask)
    a, b = rows + row, columns + column
    return a, b, cosines_of(vectors[a], vectors[b])


def _highest(a: Numbers, b: Numbers, cosine: Cosines, most: int) -> npt.NDArray[np.intp]:
    return np.lexsort((b, a, -cosine))[:most]


def join_labels(labels: Numbers, a: Numbers, b: Numbers) -> None:
    """Join the sets of paired nodes; every label is the smallest node of its set."""
    while True:
        low, high = np.minimum(labels[a], labels[b]), np.maximum(labels[a], labels[b])
        apart = low != high
        if not apart.any():
            return
        np.minimum.at(labels, high[apart], low[apart])
        while (labels[labels] != labels).any():
            labels[:] = labels[labels]


def find_similar(
    vectors: Vectors, threshold: float, sizes: Sequence[int], most: int = MOST_PAIRS
) -> Generator[Progress, None, SimilarPairs]:
    """Compare every pair of nodes.

    Args:
        vectors: One unit vector a node.
        threshold: Pairs at or above it are similar.
        sizes: Rows of each node.
        most: Pairs kept, the highest ones; all are counted.

    Yields:
        Blocks done.

    Returns:
        What was found.
    """
    weight = np.array(sizes, np.int64)
    labels = np.arange(len(vectors))
    kept: list[tuple[Numbers, Numbers, Cosines]] = []
    total = stored = 0
    closest: tuple[int, int, float] | None = None
    blocks = -(-len(vectors) // BLOCK)
    for done, (row, column, products) in enumerate(each_block(vectors), 1):
        closest = _closer(vectors, row, column, products, closest)
        a, b, cosine = _exact(vectors, row, column, products >= threshold - SLACK)
        at = cosine >= threshold
        a, b, cosine = a[at], b[at], cosine[at]
        total += int((weight[a] * weight[b]).sum())
        join_labels(labels, a, b)
        kept.append((a, b, cosine))
        stored += len(a)
        if stored > 2 * most:
            kept = [_pruned(kept, most)]
            stored = most
        yield Progress("comparing", done, blocks * (blocks + 1) // 2)
    pairs = zip(*(part.tolist() for part in _pruned(kept, most)), strict=True)
    return SimilarPairs(total, list(pairs), labels.tolist(), closest)


def _pruned(
    kept: Sequence[tuple[Numbers, Numbers, Cosines]], most: int
) -> tuple[Numbers, Numbers, Cosines]:
    if not kept:
        return np.empty(0, np.int64), np.empty(0, np.int64), np.empty(0)
    a, b = (np.concatenate([part[side] for part in kept]) for side in (0, 1))
    cosine = np.concatenate([part[2] for part in kept])
    best = _highest(a, b, cosine, most)
    return a[best], b[best], cosine[best]


def _closer(
    vectors: Vectors,
    row: int,
    column: int,
    products: npt.NDArray[np.float32],
    closest: tuple[int, int, float] | None,
) -> tuple[int, int, float] | None:
    largest = products.max(initial=np.float32(-2))
    if largest < -1.5 or (closest and largest < closest[2] - SLACK):
        return closest
    a, b, cosine = _exact(vectors, row, column, products >= largest - SLACK)
    best = _highest(a, b, cosine, 1)[0]
    found = (int(a[best]), int(b[best]), float(cosine[best]))
    if closest is None or (-found[2], *found[:2]) < (-closest[2], *closest[:2]):
        return found
    return closest


def find_lowest(vectors: Vectors, groups: Sequence[Sequence[int]]) -> list[float]:
    """Return the lowest cosine over all node pairs of each group; 1.0 for a group of one."""
    return [_lowest(vectors[list(nodes)]) if len(nodes) > 1 else 1.0 for nodes in groups]


def _lowest(own: Vectors) -> float:
    lowest = np.inf
    for row, column, products in each_block(own):
        real = np.where(products < -1.5, np.float32(2), products)
        smallest = real.min()
        if smallest < min(lowest, 1.5) + SLACK:
            lowest = min(lowest, _exact(own, row, column, real <= smallest + SLACK)[2].min())
    return float(lowest)


def find_nearest(
    test: Vectors, train: Vectors, skip: Sequence[int] | None = None
) -> Generator[Progress, None, tuple[list[int], list[float]]]:
    """Find each test vector's nearest training vector; of equally near ones, the first.

    Args:
        test: One unit vector a test node.
        train: One unit vector a training node.
        skip: Per test vector, the place in `train` that is no match for it, or NOT_COMPARED.

    Yields:
        Blocks done.

    Returns:
        Places in `train` (NOT_COMPARED where there is nothing to compare) and cosines.
    """
    skipped = np.full(len(test), NOT_COMPARED) if skip is None else np.array(skip)
    places = np.full(len(test), NOT_COMPARED)
    cosines = np.full(len(test), -np.inf)
    columns = range(0, len(train), BLOCK)
    total = -(-len(test) // BLOCK) * len(columns)
    done = 0
    for row in range(0, len(test), BLOCK):
        part = test[row : row + BLOCK]
        for column in columns:
            other = train[column : column + BLOCK]
            products = part @ other.T
            out = skipped[row : row + BLOCK, None] == column + np.arange(len(other))
            products[out] = -2  # less than any cosine
            near = (products >= products.max(1, keepdims=True) - SLACK) & ~out
            at, to = np.nonzero(near & (products >= cosines[row : row + BLOCK, None] - SLACK))
            exact = cosines_of(part[at], other[to])
            for i, j, cosine in zip(at.tolist(), to.tolist(), exact.tolist(), strict=True):
                if cosine > cosines[row + i]:
                    cosines[row + i], places[row + i] = cosine, column + j
            done += 1
            yield Progress("comparing", done, total)
    return places.tolist(), cosines.tolist()
