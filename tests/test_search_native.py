"""The command line's pair search against every pair computed one by one."""

from itertools import combinations

import numpy as np
import pytest

from leakladder import search_native
from leakladder.embed_native import Vectors
from leakladder.jobs import finish
from leakladder.meaning import NOT_COMPARED, join_nodes
from leakladder.search_native import cosines_of, find_lowest, find_nearest, find_similar

Pair = tuple[int, int, float]


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(search_native, "BLOCK", 16)


def make_vectors(count: int, seed: int) -> Vectors:
    draw = np.random.default_rng(seed)
    centres = draw.normal(size=(5, 384))
    raw = centres[draw.integers(0, 5, count)] + 0.32 * draw.normal(size=(count, 384))
    unit: Vectors = (raw / np.linalg.norm(raw, axis=1, keepdims=True)).astype(np.float32)
    return unit


def angles(*degrees: float) -> Vectors:
    out = np.zeros((len(degrees), 384), np.float32)
    out[:, 0], out[:, 1] = np.cos(np.radians(degrees)), np.sin(np.radians(degrees))
    return out


def every_pair(vectors: Vectors) -> list[Pair]:
    pairs = [
        (a, b, float(cosines_of(vectors[a : a + 1], vectors[b : b + 1])[0]))
        for a, b in combinations(range(len(vectors)), 2)
    ]
    return sorted(pairs, key=lambda pair: (-pair[2], pair[0], pair[1]))


@pytest.mark.parametrize("count", [0, 1, 2, 15, 16, 17, 70])
def test_the_search_gives_what_every_pair_gives(count: int) -> None:
    vectors = make_vectors(count, seed=count)
    sizes = [1 + at % 3 for at in range(count)]
    all_pairs = every_pair(vectors)
    expected = [pair for pair in all_pairs if pair[2] >= 0.905]
    found = finish(find_similar(vectors, 0.905, sizes))
    assert found.pairs == expected
    assert found.total == sum(sizes[a] * sizes[b] for a, b, _ in expected)
    assert found.labels == join_nodes(count, ((a, b) for a, b, _ in expected))
    assert found.closest == (all_pairs[0] if all_pairs else None)


def test_there_are_groups_and_gaps_to_tell_apart() -> None:
    found = finish(find_similar(make_vectors(70, seed=70), 0.905, [1] * 70))
    assert len(found.pairs) > 100
    assert 1 < len(set(found.labels)) < 70


def test_past_the_limit_the_highest_pairs_are_kept_and_all_are_counted() -> None:
    vectors = make_vectors(70, seed=1)
    expected = [pair for pair in every_pair(vectors) if pair[2] >= 0.9]
    found = finish(find_similar(vectors, 0.9, [1] * 70, most=12))
    assert found.pairs == expected[:12]
    assert found.total == len(expected) > 100


def test_the_threshold_is_met_by_the_unrounded_cosine_alone() -> None:
    vectors = angles(0, 25)
    exact = float(cosines_of(vectors[:1], vectors[1:])[0])
    assert finish(find_similar(vectors, exact, [1, 1])).total == 1
    assert finish(find_similar(vectors, exact + 1e-12, [1, 1])).total == 0


def test_a_chain_has_the_lowest_pair_of_its_ends() -> None:
    vectors = angles(0, 25, 50, 75)
    found = finish(find_similar(vectors, 0.9, [1] * 4))
    assert found.labels == [0, 0, 0, 0]
    (lowest,) = find_lowest(vectors, [[0, 1, 2, 3]])
    assert f"{lowest:.3f}" == "0.259"


def test_rows_apart_have_a_closest_pair() -> None:
    found = finish(find_similar(angles(0, 50), 0.9, [1, 1]))
    assert found.labels == [0, 1]
    assert found.closest is not None
    assert f"{found.closest[2]:.3f}" == "0.643"


def test_the_lowest_pair_is_over_all_pairs() -> None:
    vectors = make_vectors(60, seed=4)
    groups = [[3, 9], list(range(0, 60, 2)), [7]]
    expected = [
        min((c for a, b, c in every_pair(vectors) if a in group and b in group), default=1.0)
        for group in groups
    ]
    assert find_lowest(vectors, groups) == expected


def test_the_nearest_row_is_the_first_of_the_nearest() -> None:
    test, train = make_vectors(40, seed=8), make_vectors(50, seed=9)
    train = np.concatenate([train, train[:20]])
    places, cosines = finish(find_nearest(test, train))
    for row in range(40):
        exact = cosines_of(np.repeat(test[row : row + 1], len(train), 0), train)
        assert places[row] == int(exact.argmax()) < 50
        assert cosines[row] == exact.max()


def test_a_vector_that_is_skipped_is_nobodys_nearest() -> None:
    vectors = make_vectors(50, seed=8)
    places, cosines = finish(find_nearest(vectors, vectors, range(50)))
    for row in range(50):
        exact = cosines_of(np.repeat(vectors[row : row + 1], 50, 0), vectors)
        exact[row] = -2
        assert (places[row], cosines[row]) == (int(exact.argmax()), exact.max())
    assert finish(find_nearest(angles(0), angles(0), [0]))[0] == [NOT_COMPARED]


def test_nothing_to_compare_with_gives_no_nearest_row() -> None:
    places, _ = finish(find_nearest(angles(0), angles()))
    assert places == [NOT_COMPARED]
