"""Groups, chains, effective rows, pairs and nearest rows against a brute-force oracle."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from leakladder.errors import SettingError
from leakladder.jobs import finish
from leakladder.meaning import (
    NOT_COMPARED,
    Group,
    NearestRow,
    RowPair,
    check_threshold,
    count_pairs,
    describe_groups,
    find_closest,
    is_borderline,
    join_nodes,
    list_groups,
    list_members,
    list_pairs,
    match_rows,
    number_nodes,
    show_cosine,
    summarize,
)

Table = list[list[float]]


def angles(*degrees: float) -> Table:
    """Cosines between unit vectors of the plane at these angles."""
    turns = np.radians(degrees)
    cosines: Table = np.cos(turns[:, None] - turns[None, :]).tolist()
    return cosines


def groups_of(cosines: Table, keys: list[str | None], threshold: float) -> tuple[Group, ...]:
    """The core's groups over a table of cosines between distinct keys."""
    members = list_members(number_nodes(keys))
    count = len(members)
    pairs = [(a, b) for a, b in combinations(range(count), 2) if cosines[a][b] >= threshold]
    groups = list_groups(members, join_nodes(count, pairs))
    lowest = [min((cosines[a][b] for a, b in combinations(g, 2)), default=1.0) for g in groups]
    return describe_groups(members, groups, lowest, threshold)


def oracle(row_cosines: Table, compared: list[int], threshold: float) -> list[tuple[int, ...]]:
    """Grow each group row by row until nothing more reaches the threshold."""
    left, found = set(compared), []
    while left:
        group = {min(left)}
        while more := {
            row
            for row in left - group
            if any(row_cosines[row][at] >= threshold for at in group)
        }:
            group |= more
        left -= group
        if len(group) > 1:
            found.append(tuple(sorted(group)))
    return found


def test_a_chain_is_one_group_with_the_lowest_pair_of_its_ends() -> None:
    (group,) = groups_of(angles(0, 25, 50, 75), ["a", "b", "c", "d"], 0.90)
    assert group.rows == (0, 1, 2, 3)
    assert f"{group.lowest:.3f}" == "0.259"
    assert group.chained


def test_rows_apart_make_no_group_but_have_a_closest_pair() -> None:
    cosines = angles(0, 50)
    assert groups_of(cosines, ["a", "b"], 0.90) == ()
    closest = find_closest([[0], [1]], (0, 1, cosines[0][1]))
    assert closest is not None
    assert (closest.a, closest.b, f"{closest.cosine:.3f}") == (0, 1, "0.643")


def test_blank_rows_stay_apart_and_equal_pieces_are_one_node() -> None:
    keys = [None, "hello there", None, "hello there"]
    node_of = number_nodes(keys)
    assert node_of == [NOT_COMPARED, 0, NOT_COMPARED, 0]
    groups = groups_of([[1.0]], keys, 0.90)
    assert groups == (Group(rows=(1, 3), lowest=1.0, chained=False),)
    summary = summarize(node_of, groups, count_pairs([[1, 3]], 0), find_closest([[1, 3]], None))
    assert (summary.rows, summary.compared, summary.effective, summary.pairs) == (4, 2, 3, 1)
    assert summary.closest == RowPair(1, 3, 1.0)


def test_the_threshold_itself_joins() -> None:
    assert len(groups_of([[1.0, 0.9], [0.9, 1.0]], ["a", "b"], 0.9)) == 1
    assert groups_of([[1.0, 0.9], [0.9, 1.0]], ["a", "b"], 0.9000001) == ()


def test_a_tight_group_is_not_chained() -> None:
    (group,) = groups_of(angles(0, 10, 20), ["a", "b", "c"], 0.90)
    assert not group.chained
    assert group.lowest == pytest.approx(np.cos(np.radians(20)))


def test_effective_rows_keep_one_of_each_group() -> None:
    groups = groups_of(angles(0, 20, 40, 120, 130, 200), list("abcdef"), 0.90)
    summary = summarize([0, 1, 2, 3, 4, 5], groups, 3, None)
    assert [group.rows for group in groups] == [(0, 1, 2), (3, 4)]
    assert (summary.groups, summary.rows_in_groups, summary.effective) == (2, 5, 3)


rows = st.lists(st.one_of(st.none(), st.integers(0, 11)), min_size=0, max_size=14)


@settings(max_examples=200, deadline=None)
@given(rows, st.integers(0, 2**32 - 1), st.sampled_from([0.70, 0.85, 0.90, 0.99]))
def test_groups_equal_the_oracle(keys: list[int | None], seed: int, threshold: float) -> None:
    corners = np.random.default_rng(seed).normal(size=(12, 3))
    corners /= np.linalg.norm(corners, axis=1, keepdims=True)
    cosine_of: Table = (corners @ corners.T).tolist()
    node_of = number_nodes(keys)
    distinct = list(dict.fromkeys(key for key in keys if key is not None))
    table = [[cosine_of[a][b] for b in distinct] for a in distinct]
    by_row = [
        [0.0 if a is None or b is None else 1.0 if a == b else cosine_of[a][b] for b in keys]
        for a in keys
    ]
    compared = [row for row, key in enumerate(keys) if key is not None]
    names = [None if key is None else str(key) for key in keys]
    groups = groups_of(table, names, threshold)
    assert [group.rows for group in groups] == oracle(by_row, compared, threshold)
    for group in groups:
        lowest = min(by_row[a][b] for a, b in combinations(group.rows, 2))
        assert group.lowest == lowest
        assert group.chained == (lowest < threshold)

    expected = sorted(
        (-by_row[a][b], a, b) for a, b in combinations(compared, 2) if by_row[a][b] >= threshold
    )
    near = [
        (a, b, table[a][b])
        for a, b in combinations(range(len(distinct)), 2)
        if table[a][b] >= threshold
    ]
    near.sort(key=lambda pair: -pair[2])
    members = list_members(node_of)
    listed = finish(list_pairs(members, near))
    assert [(-pair.cosine, pair.a, pair.b) for pair in listed] == expected
    between = sum(len(members[a]) * len(members[b]) for a, b, _ in near)
    assert count_pairs(members, between) == len(expected)


def test_pairs_past_the_limit_are_the_lowest_ones() -> None:
    members = [[0, 3], [1], [2]]
    pairs = finish(list_pairs(members, [(0, 1, 0.95), (1, 2, 0.91)], most=2))
    assert pairs == [RowPair(0, 3, 1.0), RowPair(0, 1, 0.95)]


def test_the_nearest_row_of_an_equal_text_is_that_text() -> None:
    test_of, train_of = [0, 1, NOT_COMPARED], [NOT_COMPARED, 2, 0, 0, 3]
    found = match_rows(test_of, train_of, nearest=[2, 3, -1, -1], cosines=[0.99, 0.5, 0, 0])
    assert found == [NearestRow(0, 2, 1.0), NearestRow(1, 4, 0.5), NearestRow(2, None, None)]


def test_no_row_of_a_file_against_itself_is_given_itself() -> None:
    """Rows 0 and 2 are equal to the model, row 1 is alone, row 3 has no text."""
    nodes = [0, 1, 0, NOT_COMPARED]
    own = [0, 1, 2, 3]
    found = match_rows(nodes, nodes, nearest=[1, 0], cosines=[0.5, 0.5], own=own)
    pairs = [(each.train_index, each.cosine) for each in found]
    assert pairs == [(2, 1.0), (0, 0.5), (0, 1.0), (None, None)]


def test_no_training_text_means_no_nearest_row() -> None:
    assert match_rows([0], [NOT_COMPARED], [NOT_COMPARED], [0.0]) == [NearestRow(0, None, None)]


def test_nothing_at_all() -> None:
    summary = summarize([], (), 0, find_closest([], None))
    assert (summary.rows, summary.effective, summary.closest) == (0, 0, None)


@pytest.mark.parametrize(
    ("cosine", "borderline"),
    [(0.90, True), (0.91, True), (0.89, True), (0.9101, False), (0.8899, False)],
)
def test_pairs_within_a_hundredth_are_borderline(cosine: float, *, borderline: bool) -> None:
    assert is_borderline(cosine, 0.90) == borderline


@pytest.mark.parametrize(
    ("cosine", "shown"),
    [
        pytest.param(0.9, "0.900", id="three decimals"),
        pytest.param(0.8996, "0.8996", id="one more where three would cross the threshold"),
        pytest.param(0.89996, "0.89996", id="and more where four would"),
        pytest.param(0.9004, "0.900", id="from above there is nothing to cross"),
        pytest.param(-0.0123, "-0.012", id="under zero"),
    ],
)
def test_cosines_are_never_shown_on_the_wrong_side(cosine: float, shown: str) -> None:
    assert show_cosine(cosine, 0.90) == shown


@pytest.mark.parametrize("threshold", [0.69, 1.0, float("nan")])
def test_a_threshold_out_of_range_is_refused(threshold: float) -> None:
    assert check_threshold(0.70) == 0.70
    with pytest.raises(SettingError, match=r"from 0\.70 to 0\.99"):
        check_threshold(threshold)
