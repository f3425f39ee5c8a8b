"""One file at one threshold, against a brute force that walks every pair of rows."""

import math
from collections.abc import Sequence
from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from leakladder import meaning
from leakladder.alike import FLOOR, Alike, View, find_groups, make_edges, view_at
from leakladder.jobs import finish
from leakladder.meaning import NOT_COMPARED, number_nodes
from leakladder.meaning_report import longest_shared

Vector = tuple[float, float]


def at_angles(*degrees: float) -> list[Vector]:
    return [(math.cos(math.radians(d)), math.sin(math.radians(d))) for d in degrees]


def dot(a: Vector, b: Vector) -> float:
    return a[0] * b[0] + a[1] * b[1]


def look(
    vectors: Sequence[Vector],
    threshold: float,
    keys: Sequence[str] | None = None,
    floor: float = FLOOR,
) -> View:
    """Run the core with the similarity side played by plain dot products."""
    names = keys if keys is not None else [str(at) for at in range(len(vectors))]
    node_of = number_nodes(key or None for key in names)
    unique = [vectors[node_of.index(node)] for node in range(max(node_of, default=-1) + 1)]
    sizes = [node_of.count(node) for node in range(len(unique))]
    every = [(a, b, dot(unique[a], unique[b])) for a, b in combinations(range(len(unique)), 2)]
    kept = [pair for pair in every if pair[2] >= floor]
    total = sum(sizes[a] * sizes[b] for a, b, _ in kept)
    closest = max(every, key=lambda pair: pair[2], default=None)
    alike = Alike(node_of, floor, make_edges(kept), total, closest)
    groups = finish(find_groups(alike, threshold))
    lowest = [
        min((dot(unique[a], unique[b]) for a, b in combinations(group, 2)), default=-1.0)
        for group in groups
    ]
    return finish(view_at(alike, threshold, groups, lowest))


def pairs_of(view: View) -> list[tuple[int, int]]:
    return [(pair.a, pair.b) for pair in view.listed]


def test_a_chain_is_one_group_with_its_ends_far_apart() -> None:
    view = look(at_angles(0, 25, 50, 75), 0.90)
    (group,) = view.groups
    assert group.rows == (0, 1, 2, 3)
    assert group.chained
    assert round(group.lowest, 3) == 0.259
    assert set(pairs_of(view)) == {(0, 1), (1, 2), (2, 3)}
    assert (view.pairs, view.rows_in_groups, view.effective) == (3, 4, 1)


def test_two_rows_apart_are_no_group_and_still_the_closest_pair() -> None:
    view = look(at_angles(0, 50), 0.90)
    assert view.groups == ()
    found = view.closest
    assert found is not None
    assert (found.a, found.b, round(found.cosine, 3)) == (0, 1, 0.643)
    assert (view.pairs, view.effective) == (0, 2)


def test_equal_tokens_are_one_node_and_blank_rows_stand_apart() -> None:
    # "Hello there" and "HELLO THERE" have the same key; the rows around them are blank
    view = look(at_angles(0, 0, 0, 0), 0.90, keys=["", "hello there", "hello there", ""])
    (group,) = view.groups
    assert (group.rows, group.lowest, group.chained) == ((1, 2), 1.0, False)
    assert view.alike.node_of == [NOT_COMPARED, 0, 0, NOT_COMPARED]
    assert [tuple(pair) for pair in view.listed] == [(1, 2, 1.0)]
    assert (view.alike.compared, view.rows_in_groups, view.effective) == (2, 2, 1)


@pytest.mark.parametrize(
    "degrees", [pytest.param([], id="no row"), pytest.param([10], id="one")]
)
def test_nothing_to_compare(degrees: list[float]) -> None:
    view = look(at_angles(*degrees), 0.90)
    assert view.groups == ()
    assert view.closest is None
    assert view.effective == len(degrees)


def test_the_threshold_itself_is_a_pair() -> None:
    vectors = [(1.0, 0.0), (0.75, math.sqrt(1 - 0.75**2))]  # 0.75 is exact in binary
    assert len(look(vectors, 0.75).groups) == 1
    assert look(vectors, 0.76).groups == ()


@pytest.mark.parametrize(
    ("cosine", "threshold", "above", "below"),
    [
        pytest.param(0.905, 0.90, 1, 0, id="just above"),
        pytest.param(0.895, 0.90, 0, 1, id="just below"),
        pytest.param(0.92, 0.90, 0, 0, id="well above"),
        pytest.param(0.88, 0.90, 0, 0, id="well below"),
        pytest.param(0.695, 0.70, 0, 1, id="below the lowest threshold that can be set"),
    ],
)
def test_pairs_close_to_the_threshold_are_counted(
    cosine: float, threshold: float, above: int, below: int
) -> None:
    view = look([(1.0, 0.0), (cosine, math.sqrt(1 - cosine**2))], threshold)
    assert (view.just_above, view.just_below) == (above, below)


def test_equal_rows_are_never_borderline() -> None:
    view = look(at_angles(0, 0), 0.99, keys=["same", "same"])
    assert (view.pairs, view.just_above) == (1, 0)


@pytest.mark.parametrize("most", [0, 1, 2, 3])
def test_groups_and_counts_do_not_depend_on_how_many_pairs_are_kept(
    monkeypatch: pytest.MonkeyPatch, most: int
) -> None:
    # nodes 0 and 3 hold two rows each, so two of the three edges stand for two pairs
    node_of = number_nodes(["a", "b", "c", "d", "e", "a", "d"])
    every = [(0, 1, 0.97), (1, 2, 0.95), (3, 4, 0.92)]
    monkeypatch.setattr(meaning, "MOST_PAIRS", most)
    alike = Alike(node_of, 0.90, make_edges(every[:most]), 5, every[0], [0, 0, 0, 3, 3])
    groups = finish(find_groups(alike, 0.90))
    assert groups == [[0, 1, 2], [3, 4]]
    view = finish(view_at(alike, 0.90, groups, [0.8, 0.92]))
    assert view.pairs == 2 + 5  # equal rows, then the edges
    assert len(view.listed) == most
    assert view.not_kept == 7 - most
    if most < 3:
        assert (view.just_above, view.just_below) == (None, None)
        with pytest.raises(ValueError, match=r"do not answer 0\.95"):
            finish(find_groups(alike, 0.95))


def test_pairs_below_the_floor_cannot_be_asked_for() -> None:
    alike = Alike([0, 1], 0.90, make_edges([]), 0, None)
    with pytest.raises(ValueError, match="do not answer"):
        finish(find_groups(alike, 0.89))


def oracle(vectors: list[Vector], keys: list[str], threshold: float) -> dict[str, object]:
    """Count everything from all pairs of rows; groups by walking from row to row."""
    live = [row for row, key in enumerate(keys) if key]
    first = {key: keys.index(key) for key in keys}

    def cosine(a: int, b: int) -> float:
        return (
            1.0 if keys[a] == keys[b] else dot(vectors[first[keys[a]]], vectors[first[keys[b]]])
        )

    near = {row: [o for o in live if o != row and cosine(row, o) >= threshold] for row in live}
    groups, seen = [], set[int]()
    for row in live:
        if row in seen:
            continue
        walk, members = [row], {row}
        while walk:
            for other in near[walk.pop()]:
                if other not in members:
                    members.add(other)
                    walk.append(other)
        seen |= members
        if len(members) > 1:
            lowest = min(cosine(a, b) for a, b in combinations(sorted(members), 2))
            groups.append((tuple(sorted(members)), round(lowest, 5), lowest < threshold))
    return {
        "groups": sorted(groups),
        "pairs": sorted({(min(a, b), max(a, b)) for a in near for b in near[a]}),
        "effective": len(live) - sum(len(rows) for rows, _, _ in groups) + len(groups),
        "closest": max((cosine(a, b) for a, b in combinations(live, 2)), default=None),
    }


@settings(deadline=None)
@given(
    rows=st.lists(
        st.tuples(st.sampled_from(["", "a", "b", "c", "d", "e", "f"]), st.integers(0, 359)),
        max_size=12,
    ),
    threshold=st.sampled_from([0.70, 0.85, 0.90, 0.99]),
)
def test_groups_equal_the_brute_force(rows: list[tuple[str, int]], threshold: float) -> None:
    keys = [key for key, _ in rows]
    vectors = at_angles(*[angle for _, angle in rows])  # no whole angle has such a cosine
    expected = oracle(vectors, keys, threshold)
    view = look(vectors, threshold, keys)
    made = [(group.rows, round(group.lowest, 5), group.chained) for group in view.groups]
    assert sorted(made) == expected["groups"]
    assert sorted(pairs_of(view)) == expected["pairs"]
    assert view.pairs == len(view.listed)
    cosines = [pair.cosine for pair in view.listed]
    assert cosines == sorted(cosines, reverse=True)
    assert view.effective == expected["effective"]
    assert (view.closest and view.closest.cosine) == pytest.approx(expected["closest"])


WORDS = "one two three four five six seven eight nine".split()


@pytest.mark.parametrize(
    ("first", "other", "shared"),
    [
        pytest.param(WORDS[:8], WORDS[:8], True, id="eight words"),
        pytest.param(WORDS[:7], WORDS[:7], False, id="seven words"),
        pytest.param(WORDS, ["zero", *WORDS[1:]], True, id="a run inside"),
        pytest.param(WORDS, [*WORDS[:7], "x", *WORDS[7:]], False, id="a word between"),
        pytest.param(WORDS[:8], [word.upper() for word in WORDS[:8]], True, id="folded"),
        pytest.param([], WORDS, False, id="no word"),
    ],
)
def test_few_shared_words(first: list[str], other: list[str], *, shared: bool) -> None:
    assert (longest_shared(" ".join(first), ", ".join(other)) >= 8) is shared
