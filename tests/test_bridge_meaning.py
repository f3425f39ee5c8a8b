"""Rung 6 across the border, with the workers' part played by numbers written down here."""

import csv
import io
import json
import struct
from array import array
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from leakladder import bridge
from oracle_runs import oracle_runs

TEST = [
    {"id": "a", "text": "Why is the sky blue in the daytime?"},
    {"id": "b", "text": "What makes the daytime sky look blue?"},
    {"id": "c", "text": ""},
    {"id": "d", "text": "Name three rivers of Spain 🙂 and their sources"},
    {"id": "e", "text": "Who wrote the first novel?"},
]
TRAIN = [
    {"id": "x", "text": "Which three rivers of Spain 🙂 do you know"},
    {"id": "y", "text": "Who wrote the first novel?"},
]
ROWS = {"truncated": 1, "unreadable": 0, "sha256": "ab" * 32}


def ask(method: str, **params: Any) -> Any:
    reply = json.loads(bridge.call(method, json.dumps(params)))
    assert "error" not in reply, reply
    return reply["result"]


def refused(method: str, **params: Any) -> Any:
    return json.loads(bridge.call(method, json.dumps(params)))["error"]


def to_end(method: str, data: bytes | None, params: dict[str, Any]) -> dict[str, Any]:
    bridge.start(method, json.dumps(params), data)
    while "progress" in (reply := json.loads(bridge.step(1000))):
        pass
    last: dict[str, Any] = reply
    return last


def work(method: str, data: bytes | None = None, **params: Any) -> Any:
    reply = to_end(method, data, params)
    assert "error" not in reply, reply
    return reply["result"]


def refused_work(method: str, data: bytes | None = None, **params: Any) -> Any:
    return to_end(method, data, params)["error"]


def write(what: str, **params: Any) -> bytes:
    work("write", what=what, **params)
    return bridge.export(json.dumps({"what": "written"}))


@pytest.fixture(autouse=True)
def _files() -> Iterator[None]:
    for side, rows in (("test", TEST), ("train", TRAIN)):
        data = "".join(json.dumps(row) + "\n" for row in rows).encode()
        work("load", data, side=side, name=f"{side}.jsonl")
    yield
    ask("meaning_clear")
    for side in ("test", "train"):
        ask("unload", side=side)


def take() -> None:
    """Nodes are the four rows with text; the first two are 0.93 alike, 2 and 3 0.695."""
    ask("meaning_texts", mode="within", settings={})
    data = array("I", [0, 2]).tobytes() + array("I", [1, 3]).tobytes()
    found = {
        "floor": 0.69, "total": 2, "closest": {"a": 0, "b": 1, "cosine": 0.93}, "labels": [],
    }  # fmt: skip
    rows = {**ROWS, "node_of": [0, 1, -1, 2, 3]}
    work("meaning_take", data + struct.pack("<2d", 0.93, 0.695), rows=rows, found=found)


def match() -> None:
    """Row a is 0.42 near x, b 0.4, d 0.93; e stands on the training side."""
    ask("meaning_texts", mode="across", settings={})
    rows = {**ROWS, "node_of": [0, 1, -1, 2, 3, 4, 3]}
    data = struct.pack("<5d", 0.42, 0.40, 0.93, 0.0, 0.0)
    work("meaning_match", data, rows=rows, nearest=[4, 4, 4, -1, -1])


def match_back(rows: list[int], nearest: list[int], *cosines: float) -> None:
    data = struct.pack("<5d", *cosines)
    work("meaning_back", data, rows=rows, nearest=nearest)


def cleaned_of(**params: Any) -> list[int]:
    """Records of the training rows that go."""
    found = work("clean", side="train", by=["meaning"], **params)
    return [row["record"] for row in found["left_out_rows"]]


def test_training_rows_go_by_the_test_rows_that_count() -> None:
    """x is 0.93 near d and no other; y stands there as e, and is 0.4 near d."""
    match()
    ask("meaning_view", threshold=0.90)
    assert refused_work("clean", side="train", by=["meaning"])["code"] == "bad-setting"
    assert ask("meaning_counted", without=[]) == {"rows": [0, 1, 2, 3, 4]}
    match_back([0, 1, 2, 3, 4], [-1, -1, -1, -1, 2], 0, 0, 0, 0, 0.93)
    assert cleaned_of() == [1, 2]
    ask("meaning_view", threshold=0.94)  # holds at every threshold
    assert cleaned_of() == [2]
    ask("meaning_view", threshold=0.90)
    marks = {"5": "fine"}
    assert ask("meaning_counted", without=[5]) == {"rows": [0, 1, 2, 3]}
    match_back([0, 1, 2, 3], [-1, -1, -1, 2, 2], 0, 0, 0, 0.4, 0.93)
    assert cleaned_of(marks=marks, keep_marks=["fine"]) == [1]


def test_what_was_not_held_against_training_rows_has_no_way_back() -> None:
    take()
    ask("meaning_view", threshold=0.90, lowest=[0.93])
    told = refused_work("meaning_back", struct.pack("<5d", *[0] * 5), rows=[], nearest=[-1] * 5)
    assert told["code"] == "not-run"


def test_a_plan_names_columns_and_counts() -> None:
    plan = ask("meaning_plan", mode="across", settings={})
    assert plan["rows"] == {"test": 5, "train": 2}
    assert plan["columns"] == {"test": "text", "train": "text"}
    plan = ask("meaning_plan", mode="within", settings={"test_fields": ["id", "text"]})
    assert (plan["rows"]["train"], plan["columns"]) == (0, {"test": "id", "train": None})


def test_within_needs_no_training_file() -> None:
    ask("unload", side="train")
    texts = ask("meaning_texts", mode="within", settings={})
    assert texts == {"test": [row["text"] for row in TEST], "train": [], "own": []}
    assert refused("meaning_plan", mode="across", settings={})["code"] == "not-run"


def test_groups_at_a_threshold() -> None:
    take()
    assert ask("meaning_groups", threshold=0.90) == {"groups": [[0, 1]]}
    shown = ask("meaning_view", threshold=0.90, lowest=[0.93])
    summary = shown["summary"]
    expected = {"rows": 5, "blank": 1, "compared": 4, "groups": 1, "rows_in_groups": 2}
    assert {name: summary[name] for name in expected} == expected
    assert (summary["duplicate_share"], summary["effective"], summary["pairs"]) == (0.5, 3, 1)
    (pair,) = shown["pairs"]
    assert (pair["a_label"], pair["b_label"], pair["cosine"]) == ("a", "b", 0.93)
    assert [member["label"] for member in shown["groups"][0]["members"]] == ["a", "b"]
    stamp = shown["stamp"]
    assert (stamp["threshold"], stamp["truncated"], stamp["column"]) == (
        0.9,
        1,
        {"test": "text"},
    )
    low = ask("meaning_view", threshold=0.70, lowest=[0.93])["summary"]
    assert (low["pairs"], low["just_below"]) == (1, 1)  # 0.695 just misses it


def test_a_threshold_out_of_range_is_refused() -> None:
    take()
    assert refused("meaning_groups", threshold=0.5)["code"] == "bad-setting"


def test_nearest_rows_with_filters_and_pairs() -> None:
    match()
    summary = ask("meaning_view", threshold=0.90)["summary"]["across"]
    assert (summary["checked"], summary["reads_alike"], summary["few_words"]) == (4, 2, 2)
    page = ask("meaning_table")
    assert [(row["label"], row["cosine"]) for row in page["rows"]] == [
        ("e", 1.0), ("d", 0.93), ("a", 0.42), ("b", 0.4),
    ]  # fmt: skip
    assert [row["shared_run"] for row in page["rows"]] == [5, 4, 0, 0]
    assert [row["longest_run"] for row in page["rows"]] == [5, 0, 0, 0]  # 0 is under five
    few = ask("meaning_table", subset="few")
    assert [row["label"] for row in few["rows"]] == ["e", "d"]
    pair = ask("meaning_pair", index=3)
    (mark,) = pair["test"]["parts"][0]["marks"]
    # "three rivers of Spain" from character 5 on; the smiley after it is two units of UTF-16
    assert (mark["start"], mark["stop"], pair["shared_run"]) == (5, 26, 4)


WORDS = st.lists(st.sampled_from(["Ash", "birch", "Cedar", "DOGWOOD"]), max_size=24)
SIDES = st.lists(WORDS, min_size=1, max_size=5)


@settings(max_examples=60, deadline=None)
@given(test=SIDES, train=SIDES)
def test_few_words_are_held_against_every_training_row(
    test: list[list[str]], train: list[list[str]]
) -> None:
    """The nearest row is always the first one; a run of 8 with another counts all the same."""
    for side, rows in (("test", test), ("train", train)):
        mark = " " if side == "test" else ", "
        data = "".join(json.dumps({"text": mark.join(words)}) + "\n" for words in rows)
        work("load", data.encode(), side=side, name=f"{side}.jsonl")
    ask(
        "meaning_texts",
        mode="across",
        settings={"test_fields": ["text"], "train_fields": ["text"]},
    )
    count = len(test) + len(train)
    made = {**ROWS, "node_of": list(range(count))}
    cosines = struct.pack(f"<{count}d", *[0.95] * count)
    work("meaning_match", cosines, rows=made, nearest=[len(test)] * count)
    folded = [[[[word.lower() for word in words]] for words in side] for side in (test, train)]
    best = oracle_runs(*folded)[1]
    expected = [0 if each is None else each[0] for each in best]
    found = ask("meaning_view", threshold=0.90)["summary"]["across"]
    assert found["few_words"] == sum(longest < 8 for longest in expected)
    page = ask("meaning_table", sort="record", descending=False)["rows"]
    assert [row["longest_run"] for row in page] == expected
    few = ask("meaning_table", subset="few", sort="record", descending=False)["rows"]
    assert [row["index"] for row in few] == [
        at for at, longest in enumerate(expected) if longest < 8
    ]


def test_few_words_are_held_against_training_rows_that_are_not_compared() -> None:
    """A sample is compared by meaning; shared words are looked for in all of the file."""
    run = "one two three four five six seven eight"
    rows = [{"text": f"{run} nine {at}"} for at in range(3)]
    for side in ("test", "train"):
        data = "".join(json.dumps(row) + "\n" for row in rows[: 1 if side == "test" else 3])
        work("load", data.encode(), side=side, name=f"{side}.jsonl")
    texts = ask("meaning_texts", mode="across", settings={}, pick="sample", size=1)
    assert len(texts["train"]) == 1
    made = {**ROWS, "node_of": [0, 1]}
    work("meaning_match", struct.pack("<2d", 0.95, 0.0), rows=made, nearest=[1, -1])
    summary = ask("meaning_view", threshold=0.90)["summary"]["across"]
    (row,) = ask("meaning_table")["rows"]
    assert (summary["few_words"], row["longest_run"]) == (0, 10)  # the row itself stands there


def test_a_plan_counts_characters_up_to_the_window() -> None:
    data = (
        json.dumps({"text": "w" * 5_000}).encode()
        + b"\n"
        + json.dumps({"text": "abc"}).encode()
    )
    work("load", data, side="test", name="test.jsonl")
    plan = ask("meaning_plan", mode="within", settings={})
    assert plan["characters"] == {"test": 1_150 + 3, "train": 0}


def test_rows_that_read_alike_are_a_band_of_the_overview_until_cleared() -> None:
    work("run", rung="rows", settings={})
    match()
    ask("meaning_view", threshold=0.90)
    bands = {band["name"]: band["count"] for band in ask("overview")["lowest"]}
    assert (bands["exact"], bands["meaning"], bands["none"]) == (1, 1, 2)  # e is an exact row
    ask("meaning_view", threshold=0.95)
    bands = {band["name"]: band["count"] for band in ask("overview")["lowest"]}
    assert bands["meaning"] == 0
    ask("meaning_clear")
    assert "meaning" not in {band["name"] for band in ask("overview")["lowest"]}


def test_a_row_that_only_reads_alike_is_read_beside_its_nearest_row() -> None:
    work("run", rung="rows", settings={})
    work("run", rung="ngrams", settings={})
    match()
    ask("meaning_view", threshold=0.90)
    pair = ask("pair", rung="overview", index=3)
    assert (pair["match"], pair["train"]["label"]) == ("meaning", "x")
    (mark,) = pair["test"]["parts"][0]["marks"]
    assert (mark["start"], mark["stop"]) == (5, 26)  # in units of UTF-16, once
    assert ask("pair", rung="overview", index=4)["match"] == "exact"
    assert ask("pair", rung="overview", index=0)["train"] is None  # 0.42 is not alike


def test_files_carry_marks() -> None:
    match()
    ask("meaning_view", threshold=0.90)
    marks = {"4": {"mark": "leak", "note": "reworded"}}
    rows = list(csv.DictReader(io.StringIO(write("meaning/nearest.csv", marks=marks).decode())))
    found = [(row["record"], row["mark"], row["note"]) for row in rows]
    assert [row for row in found if row[1]] == [("4", "leak", "reworded")]
    assert json.loads(write("meaning/meaning.json", marks=marks))["marks"] == marks


def test_meaning_is_cited_with_its_model() -> None:
    work("run", rung="rows", settings={})
    match()
    ask("meaning_view", threshold=0.90)
    cited = ask("cite", rungs=["rows", "meaning"])
    assert (
        "2 of 4 read alike with a training row at a cosine of 0.90 or above"
        in cited["sentence"]
    )
    assert "all-MiniLM-L6-v2" in cited["markdown"]


def test_exports_leave_the_text_out_where_asked() -> None:
    take()
    ask("meaning_view", threshold=0.90, lowest=[0.93])
    rows = list(csv.DictReader(io.StringIO(write("meaning/pairs.csv").decode())))
    assert rows[0]["a_text"] == TEST[0]["text"]
    bare = write("meaning/pairs.csv", text=False).decode()
    assert bare.split("\r\n")[0] == "group,cosine,a_record,b_record,borderline,stamp"
    report = json.loads(write("meaning/meaning.json"))
    assert [row["label"] for row in report["groups"]] == ["a", "b"]


def test_both_sides_in_one_file_are_compared_by_the_split_column() -> None:
    rows = [
        {"part": part, "text": row["text"]} for part, row in zip("aabba", TEST, strict=True)
    ]
    data = "".join(json.dumps(row) + "\n" for row in rows).encode()
    ask("unload", side="train")
    work("load", data, side="test", name="both.jsonl")
    split = {"column": "part", "test": "b", "train": "a"}
    settings = {"test_fields": ["text"], "split": split}
    texts = ask("meaning_texts", mode="across", settings=settings)
    assert texts["test"] == [TEST[2]["text"], TEST[3]["text"]]
    assert texts["train"] == [TEST[0]["text"], TEST[1]["text"], TEST[4]["text"]]
    numbered = {**ROWS, "node_of": [-1, 0, 1, 2, 3]}
    data = struct.pack("<4d", 0.5, 0.0, 0.0, 0.0)
    work("meaning_match", data, rows=numbered, nearest=[2, -1, -1, -1])
    stamp = ask("meaning_view", threshold=0.90)["stamp"]
    assert stamp["split"] == split
    assert [stamp[side]["rows"] for side in ("test", "train")] == [2, 3]
    inside = ask("meaning_texts", mode="within", settings=settings)
    assert inside == {"test": texts["test"], "train": [], "own": []}
    found: dict[str, Any] = {"floor": 0.69, "total": 0, "closest": None, "labels": []}
    work("meaning_take", b"", rows={**ROWS, "node_of": [-1, 0]}, found=found)
    stamp = ask("meaning_view", threshold=0.90)["stamp"]
    assert (stamp["split"], "train" in stamp, stamp["test"]["rows"]) == (split, False, 2)


def test_a_sample_is_the_same_every_time_and_in_the_stamp() -> None:
    options = {"mode": "within", "settings": {}, "pick": "sample", "size": 3}
    first = ask("meaning_texts", **options)["test"]
    assert len(first) == 3
    assert ask("meaning_texts", **options)["test"] == first
    every = [row["text"] for row in TEST]
    assert [text for text in every if text in first] == first  # in file order
    found: dict[str, Any] = {"floor": 0.69, "total": 0, "closest": None, "labels": []}
    work("meaning_take", b"", rows={**ROWS, "node_of": [0, 1, 2]}, found=found)
    shown = ask("meaning_view", threshold=0.90)
    assert shown["stamp"]["picked"] == {"rows": "sample", "seed": 1, "size": 3, "test_of": 5}


def test_rows_that_other_checks_caught_can_be_picked() -> None:
    work("run", rung="rows", settings={})
    assert ask("meaning_plan", mode="within", settings={})["flagged"] == 1
    texts = ask("meaning_texts", mode="within", settings={}, pick="flagged", size=10)
    assert texts["test"] == [TEST[4]["text"]]


def test_a_file_against_itself_stamps_it_and_gives_no_row_itself() -> None:
    """Nodes are the four rows with text; the words of each stand in no other row."""
    data = "".join(json.dumps(row) + "\n" for row in TEST).encode()
    work("load", data, side="train", name="copy.jsonl")
    texts = ask("meaning_texts", mode="across", settings={})
    assert texts["own"] == [0, 1, 2, 3, 4]
    nodes = [0, 1, -1, 2, 3]
    near = struct.pack("<4d", 0.93, 0.93, 0.42, 0.41)
    work("meaning_match", near, rows={**ROWS, "node_of": nodes * 2}, nearest=[1, 0, 1, 2])
    shown = ask("meaning_view", threshold=0.90)
    assert shown["stamp"]["same_file"] is True
    across = shown["summary"]["across"]
    assert [across[name] for name in ("checked", "reads_alike", "few_words")] == [4, 2, 2]
    found = {row["label"]: row for row in ask("meaning_table")["rows"]}
    assert {label: row["train_label"] for label, row in found.items()} == {
        "a": "b", "b": "a", "d": "b", "e": "d",
    }  # fmt: skip
    assert {row["longest_run"] for row in found.values()} == {0}


def test_a_sample_of_a_file_against_itself_knows_its_own_rows() -> None:
    """Two rows of five are drawn on either side: the same ones."""
    data = "".join(json.dumps(row) + "\n" for row in TEST).encode()
    work("load", data, side="train", name="copy.jsonl")
    texts = ask("meaning_texts", mode="across", settings={}, pick="sample", size=2)
    assert texts["test"] == texts["train"]
    assert texts["own"] == [0, 1]


@pytest.mark.parametrize("method", ["meaning_groups_steps", "meaning_view_steps"])
def test_a_look_over_many_pairs_is_told_in_steps_and_can_be_dropped(method: str) -> None:
    """30,000 pairs: a chain of nodes joins all rows to one group."""
    count = 30_001
    data = "".join(json.dumps({"text": f"row {at}"}) + "\n" for at in range(count)).encode()
    work("load", data, side="test", name="many.jsonl")
    ask("meaning_texts", mode="within", settings={})
    first, other = range(count - 1), range(1, count)
    edges = array("I", first).tobytes() + array("I", other).tobytes()
    cosines = array("d", [0.95] * (count - 1)).tobytes()
    found = {
        "floor": 0.69, "total": count - 1, "labels": [],
        "closest": {"a": 0, "b": 1, "cosine": 0.95},
    }  # fmt: skip
    rows = {**ROWS, "node_of": list(range(count))}
    work("meaning_take", edges + cosines, rows=rows, found=found)
    lowest = {"lowest": [0.1]} if method == "meaning_view_steps" else {}
    params = json.dumps({"threshold": 0.9, **lowest})
    bridge.start(method, params)
    assert "progress" in json.loads(bridge.step(0))
    assert "progress" in json.loads(bridge.step(0))
    bridge.abandon()
    bridge.start(method, params)
    while "progress" in (reply := json.loads(bridge.step(0))):
        pass
    if method == "meaning_groups_steps":
        assert [len(group) for group in reply["result"]["groups"]] == [count]
    else:
        summary = reply["result"]["summary"]
        assert (summary["pairs"], summary["rows_in_groups"]) == (count - 1, count)
        assert reply["result"] == ask("meaning_view", threshold=0.9, lowest=[0.1])
