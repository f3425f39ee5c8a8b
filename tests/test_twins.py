"""Rows that read alike left out of a file: hand counts, a brute-force check, a second run."""

import json
import sys
from collections.abc import Sequence
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from leakladder import bridge_more, cli
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
from test_cli_meaning import ROWS, SPLIT, write

ANSWERS = {"a": "short", "b": "by far the fullest", "d": "", "e": "equal", "f": "e  qual"[:5]}


def lines(path: Path) -> list[str]:
    """Ids of the rows of a file."""
    return [json.loads(line)["id"] for line in path.read_text("utf-8").splitlines()]


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
    for name, message in (("groups", "with each other first"), ("meaning", "training rows")):
        with pytest.raises(SettingError, match=message):
            finish(choose_rows("test", {"meaning": twins}, [name]))
        with pytest.raises(SettingError, match="from the test side only"):
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
    side, _ = choose_columns(made.file("test"), None, chosen, across=False)
    node_of = list(range(len(side.rows)))
    edges = make_edges((a, b, cosine) for (a, b), cosine in cosines.items() if cosine >= FLOOR)
    (a, b), highest = max(cosines.items(), key=lambda item: item[1])
    alike = Alike(node_of, FLOOR, edges, len(edges.a), (a, b, highest))
    groups = find_groups(alike, threshold)
    lowest = [min(cosines[pair] for pair in combinations(nodes, 2)) for nodes in groups]
    view = view_at(alike, threshold, groups, lowest)
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


# ---- the command line, with the model ----


def run_cli(monkeypatch: pytest.MonkeyPatch, *words: str | Path) -> int:
    monkeypatch.setattr(sys, "argv", ["leakladder", *map(str, words)])
    with pytest.raises(SystemExit) as ended:
        cli.main()
    assert isinstance(ended.value.code, int)
    return ended.value.code


@pytest.fixture
def test_file(tmp_path: Path) -> Path:
    """a, b and d are a chain, e and f are equal to the model; c is blank, g not readable."""
    rows = [{**row, "answer": ANSWERS.get(row["id"], "")} for row in ROWS]
    return write(tmp_path / "test.jsonl", rows)


CLEAN = ("--drop-from", "test", "--field", "text")


@pytest.mark.parametrize("from_report", [False, True])
def test_each_group_keeps_one_row_and_a_second_run_finds_none(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    test_file: Path,
    tmp_path: Path,
    from_report: bool,
) -> None:
    out, report = tmp_path / "out.jsonl", tmp_path / "r.json"
    words: tuple[str | Path, ...] = (*CLEAN, "--by", "groups", "--out", out)
    if from_report:
        assert run_cli(monkeypatch, "meaning", test_file, "--no-text", "--json", report) == 0
        words = (*words, "--meaning-report", report)
        monkeypatch.setitem(sys.modules, "leakladder.embed_native", None)  # not needed for it
    capsys.readouterr()
    assert run_cli(monkeypatch, "clean", test_file, *words, "--json", tmp_path / "w.json") == 0
    assert capsys.readouterr().out.splitlines() == [
        f"test.jsonl: 3 rows of 7 left out (groups 3); 4 rows written to {out}.",
        "Of each group the row with the fullest reference answer stays, the longest text in "
        "'answer'; of equally long ones the first.",
    ]
    assert lines(out) == ["b", "c", "e", "g"]
    made = json.loads((tmp_path / "w.json").read_bytes())
    assert made["settings"]["meaning"]["threshold"] == 0.9
    assert [row["record"] for row in made["files"][0]["left_out_rows"]] == [1, 4, 6]
    monkeypatch.undo()
    assert run_cli(monkeypatch, "meaning", out, "--field", "text", "--json", report) == 0
    again = json.loads(report.read_bytes())["summary"]
    assert (again["groups"], again["pairs"], again["rows"]) == (0, 0, 4)


def test_the_first_row_stays_without_answers_and_a_higher_cosine_parts_the_chain(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    test_file: Path,
    tmp_path: Path,
) -> None:
    out = tmp_path / "out.jsonl"
    words = (*CLEAN, "--by", "groups", "--out", out, "--answer-field", "")
    assert run_cli(monkeypatch, "clean", test_file, *words) == 0
    assert "Of each group the first row stays" in capsys.readouterr().out
    assert lines(out) == ["a", "c", "e", "g"]
    assert run_cli(monkeypatch, "clean", test_file, *words, "--cosine", "0.95") == 0
    assert lines(out) == ["a", "b", "c", "e", "g"]  # b and d, e and f are left


@pytest.mark.parametrize("from_report", [False, True])
def test_rows_with_a_near_training_row_go_and_a_second_run_finds_none(
    monkeypatch: pytest.MonkeyPatch, test_file: Path, tmp_path: Path, from_report: bool
) -> None:
    rows = [{"text": "at what temperature does water boil?"}, {"text": ROWS[3]["text"]}]
    train, out = write(tmp_path / "train.jsonl", rows), tmp_path / "out.jsonl"
    report = tmp_path / "r.json"
    words: tuple[str | Path, ...] = (*CLEAN, "--by", "meaning", "--out", out)
    if from_report:
        told = ("--against", train, "--json", report)
        assert run_cli(monkeypatch, "meaning", test_file, "--field", "text", *told) == 0
        words = (*words, "--meaning-report", report)
    assert run_cli(monkeypatch, "clean", test_file, train, *words) == 0
    assert lines(out) == ["a", "c", "g"]  # d, e and f stand there, b is near d, a is not
    told = ("--against", train, "--json", report)
    assert run_cli(monkeypatch, "meaning", out, "--field", "text", *told) == 0
    assert json.loads(report.read_bytes())["summary"]["across"]["reads_alike"] == 0


def test_both_at_once_in_one_file(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Judged are a, b, e and f, searched d: b goes as d's twin, then f as e's."""
    parts = {"a": "judged", "b": "judged", "e": "judged", "f": "judged", "d": "searched"}
    rows = [{**row, "part": parts[row["id"]]} for row in ROWS if row["id"] in parts]
    path, out = write(tmp_path / "all.jsonl", rows), tmp_path / "out.jsonl"
    words = ("--by", "meaning", "--by", "groups", "--out", out)
    assert run_cli(monkeypatch, "clean", path, *SPLIT, *CLEAN, *words) == 0
    assert lines(out) == ["a", "d", "e"]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--by", "meaning"), "give TRAIN files"),
        (("--by", "groups", "--drop-from", "train"), "from the test side only"),
        (("--by", "groups", "--cosine", "0.5"), "threshold must be from 0.70 to 0.99"),
        (("--by", "groups", "--answer-field", "none"), "there is no field 'none'"),
        (("--by", "exact", "other.jsonl", "--meaning-report", "x"), "goes with --by meaning"),
    ],
)
def test_what_it_refuses(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    test_file: Path,
    tmp_path: Path,
    words: Sequence[str],
    message: str,
) -> None:
    out = tmp_path / "out.jsonl"
    assert run_cli(monkeypatch, "clean", test_file, *CLEAN, *words, "--out", out) == 2
    assert message in capsys.readouterr().err
    assert not out.exists()


def test_a_report_of_another_file_or_of_some_rows_is_refused(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    test_file: Path,
    tmp_path: Path,
) -> None:
    report, out = tmp_path / "r.json", tmp_path / "out.jsonl"
    assert run_cli(monkeypatch, "meaning", test_file, "--json", report) == 0
    words = (*CLEAN, "--out", out, "--meaning-report", report)
    train = write(tmp_path / "train.jsonl", ROWS)

    def refused(*more: str | Path) -> str:
        assert run_cli(monkeypatch, "clean", *more, *words) == 2
        assert not out.exists()
        return capsys.readouterr().err

    assert "of other files" in refused(train, "--by", "groups")
    assert "of other files" in refused(test_file, train, "--by", "meaning")
    made = json.loads(report.read_bytes())
    made["stamp"]["split"] = {"column": "id", "test": "a", "train": "b"}
    report.write_text(json.dumps(made), "utf-8")
    assert "its split is another" in refused(test_file, "--by", "groups")
    del made["stamp"]["split"]
    made["stamp"]["picked"] = {"rows": "sample"}
    report.write_text(json.dumps(made), "utf-8")
    assert "only some of the rows were compared" in refused(test_file, "--by", "groups")
    made["groups"][0]["record"] = None
    del made["stamp"]["picked"]
    report.write_text(json.dumps(made), "utf-8")
    assert "cannot be followed" in refused(test_file, "--by", "groups")


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
