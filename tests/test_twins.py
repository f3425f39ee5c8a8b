"""Which rows that read alike are left out: hand counts, and brute force over any cosines."""

import json
from collections.abc import Sequence
from itertools import combinations
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from leakladder import bridge_more
from leakladder.alike import FLOOR, Alike, find_groups, make_edges, view_at
from leakladder.errors import SettingError
from leakladder.fields import guess_answer_field, list_fields
from leakladder.jobs import finish
from leakladder.meaning_inputs import choose_columns
from leakladder.meaning_report import MINILM, Meaning
from leakladder.pipeline import Comparison, NotRunError
from leakladder.read import read_table
from leakladder.removal import Marks, choose_rows
from leakladder.settings import Bounds, ReadOptions, Settings
from leakladder.twins import Keeper, Twins, find_twins, make_keeper

# ---- which row stays ----


def test_the_fullest_answer_stays_and_of_equal_ones_the_first() -> None:
    keeper = Keeper("answer", [5, 9, 9, 0])
    assert keeper.choose([0, 1, 2, 3]) == 1
    assert keeper.choose([3, 2, 0]) == 2
    assert Keeper("").choose([3, 1, 2]) == 1


def test_rows_that_go_anyway_do_not_stay() -> None:
    twins = Twins([[0, 1, 2], [3, 4]], None, Keeper("answer", [1, 9, 5, 2, 2]))
    assert twins.surplus_rows(set()) == [0, 2, 4]
    assert twins.surplus_rows({1}) == [0, 4]  # 2 stays in its place
    assert twins.surplus_rows({1, 3, 4}) == [0]


def test_other_reasons_are_counted_first_and_marks_keep() -> None:
    twins = Twins([[0, 1, 2]], [1, 3], Keeper("answer", [1, 9, 5]))
    removal = finish(choose_rows("test", {"meaning": twins}, ["groups", "meaning"]))
    assert removal.reasons == {0: ("groups",), 1: ("meaning",), 3: ("meaning",)}
    assert removal.notes == (
        "Of each group the row with the fullest reference answer stays, the longest text in "
        "'answer'; of equally long ones the first.",
    )
    marks = Marks({1: "fine"}, keep=frozenset({"fine"}))
    removal = finish(choose_rows("test", {"meaning": twins}, ["groups", "meaning"], marks))
    assert (list(removal.reasons), removal.spared) == ([0, 2, 3], 1)


def test_what_was_not_compared_is_refused() -> None:
    twins = Twins(None, None, Keeper(""))
    for name, message, on_train in (
        ("groups", "with each other first", "of test rows only"),
        ("meaning", "training rows", "training rows first"),
    ):
        with pytest.raises(SettingError, match=message):
            finish(choose_rows("test", {"meaning": twins}, [name]))
        with pytest.raises(SettingError, match=on_train):
            finish(choose_rows("train", {"meaning": twins}, [name]))
        with pytest.raises(SettingError, match="run meaning first"):
            finish(choose_rows("test", {}, [name]))


@pytest.mark.parametrize(
    ("row", "expected"),
    [
        ({"q": "x", "target": "y", "Answer": "z"}, "Answer"),
        ({"q": "x", "meta": {"solution": "y"}}, "meta.solution"),
        ({"answer": "x", "output": "y"}, "output"),  # the answers themselves are compared
        ({"q": "x", "messages": [{"role": "assistant", "content": "y"}]},
         "messages: assistant turns"),
        ({"q": "x", "other": "a long text that is no answer"}, ""),
    ],
)  # fmt: skip
def test_the_answer_is_known_by_its_name(row: dict[str, Any], expected: str) -> None:
    table = read_table(json.dumps(row).encode() + b"\n", name="a.jsonl")
    column = next(iter(row))
    assert guess_answer_field(list_fields(table.rows), column) == expected


# ---- after it no pair is left: brute force over any cosines ----


@st.composite
def cosine_tables(draw: st.DrawFn) -> dict[tuple[int, int], float]:
    size = draw(st.integers(2, 9))
    values = st.sampled_from([0.2, 0.699, 0.7, 0.85, 0.9, 0.95, 1.0])
    return {pair: draw(values) for pair in combinations(range(size), 2)}


def loaded(rows: Sequence[dict[str, str]], name: str = "test") -> tuple[Comparison, bytes]:
    data = "".join(json.dumps(row) + "\n" for row in rows).encode()
    made = Comparison()
    finish(made.load(name, data, f"{name}.jsonl", ReadOptions(), Bounds()))
    return made, data


def compared(
    made: Comparison, cosines: dict[tuple[int, int], float], threshold: float
) -> Meaning:
    """A run within the test file, from a table of cosines instead of a model."""
    chosen = Settings(test_fields=("text",))
    side = choose_columns(made.file("test"), None, chosen, across=False).test
    node_of = list(range(len(side.rows)))
    edges = make_edges((a, b, cosine) for (a, b), cosine in cosines.items() if cosine >= FLOOR)
    (a, b), highest = max(cosines.items(), key=lambda item: item[1])
    alike = Alike(node_of, FLOOR, edges, len(edges.a), (a, b, highest))
    groups = finish(find_groups(alike, threshold))
    lowest = [min(cosines[pair] for pair in combinations(nodes, 2)) for nodes in groups]
    view = finish(view_at(alike, threshold, groups, lowest))
    return Meaning(side, node_of, threshold, MINILM, 0, view=view)


@given(cosines=cosine_tables(), threshold=st.sampled_from([0.7, 0.9, 0.95]), data=st.data())
@settings(max_examples=200, deadline=None)
def test_no_pair_is_left_and_no_row_goes_without_a_twin(
    cosines: dict[tuple[int, int], float], threshold: float, data: st.DataObject
) -> None:
    size = max(b for _, b in cosines) + 1
    rows = [
        {"text": f"row {at}", "answer": data.draw(st.sampled_from(["", "x", "xyz"]))}
        for at in range(size)
    ]
    made, _ = loaded(rows)
    run = compared(made, cosines, threshold)
    twins = find_twins(run, make_keeper(run.test.file, "text"))
    gone = finish(choose_rows("test", {"meaning": twins}, ["groups"])).reasons
    kept = [at for at in range(size) if at not in gone]
    assert all(cosines[pair] < threshold for pair in combinations(kept, 2))
    # walk along pairs at the threshold, without the code under test: one row stays of each walk
    for start in range(size):
        walk, reached = [start], {start}
        while walk:
            at = walk.pop()
            near = {
                other
                for pair, cosine in cosines.items()
                if at in pair and cosine >= threshold
                for other in pair
            }
            walk += near - reached
            reached |= near
        stays = [at for at in kept if at in reached]
        assert len(stays) == 1
        longest = max(len(rows[at]["answer"]) for at in reached)
        first = min(at for at in reached if len(rows[at]["answer"]) == longest)
        assert stays == [first]


# ---- the page's side ----


def test_the_page_cleans_by_groups_of_the_file_that_is_there() -> None:
    rows = [{"text": f"row {at}", "answer": "x" * at} for at in range(4)]
    made, data = loaded(rows)
    cosines = dict.fromkeys(combinations(range(4), 2), 0.2) | {(0, 1): 0.93, (1, 3): 0.91}
    run = compared(made, cosines, 0.90)
    kept, summary = finish(bridge_more.clean(made, "test", by=["groups"], meaning=run))
    each = data.splitlines(keepends=True)
    assert kept == each[2] + each[3]  # 0, 1 and 3 hang together, 3 has the longest answer
    assert summary["by"] == {"groups": 2}
    notes = summary["notes"]
    assert isinstance(notes, list)
    assert "longest text in 'answer'" in notes[0]
    with pytest.raises(NotRunError, match="meaning has not been run"):
        finish(bridge_more.clean(made, "test", by=["groups"]))
    finish(made.load("test", data, "test.jsonl", ReadOptions(), Bounds()))
    with pytest.raises(NotRunError, match="the test file has changed"):
        finish(bridge_more.clean(made, "test", by=["groups"], meaning=run))
