"""Reports of rung 6 verified and cited, alone and as a part of the whole page's report."""

import json
import sys
from array import array
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from leakladder import bridge
from leakladder.cite import Cited, cite
from leakladder.csv_export import write_json
from leakladder.jobs import finish
from leakladder.meaning_files import report as meaning_report
from leakladder.meaning_inputs import MeaningAsk, MeaningRows, choose_columns
from leakladder.meaning_native import make_comparer
from leakladder.meaning_report import MINILM, stamp
from leakladder.outcome import stamp_side
from leakladder.pipeline import load_file
from leakladder.settings import Bounds, ReadOptions, Settings
from leakladder.verify import Difference, NamedBytes, Verified, verify
from test_cli_meaning import ROWS, SPLIT, run_cli, write
from test_verify import numbers

TRAIN = [
    {"id": "x", "text": "Where do penguins live?"},
    {"id": "y", "text": "at what temperature does water boil?"},
    {"id": "z", "text": "How do I cancel my subscription?"},
]


COMPARE = make_comparer()


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    return write(tmp_path / "test.jsonl", ROWS), write(tmp_path / "train.jsonl", TRAIN)


@pytest.fixture
def report(
    monkeypatch: pytest.MonkeyPatch, files: tuple[Path, Path], tmp_path: Path
) -> dict[str, Any]:
    """A report of both comparisons."""
    test, train = files
    path = tmp_path / "r.json"
    assert run_cli(monkeypatch, "meaning", test, "--against", train, "--json", path) == 0
    made: dict[str, Any] = json.loads(path.read_bytes())
    return made


def check(report: dict[str, Any], *paths: Path) -> list[Difference]:
    test, *train = (NamedBytes(path.name, path.read_bytes()) for path in paths)
    done = finish(verify(write_json(report), test, train, COMPARE))
    assert done.unverified == ""
    return done.differences


@pytest.mark.parametrize("options", [[], ["--no-text"], ["--threshold", "0.95"]], ids=str)
@pytest.mark.parametrize("against", [True, False])
def test_a_report_of_these_files_does_not_differ(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    files: tuple[Path, Path],
    tmp_path: Path,
    options: list[str],
    against: bool,
) -> None:
    test, train = files
    there: list[str | Path] = ["--against", train] if against else []
    assert (
        run_cli(monkeypatch, "meaning", test, *there, *options, "--json", tmp_path / "r") == 0
    )
    capsys.readouterr()
    given = files if against else files[:1]
    assert run_cli(monkeypatch, "verify", tmp_path / "r", *given) == 0
    assert "Nothing differs" in capsys.readouterr().out


def test_a_report_of_one_file_takes_one_file(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    rows = [{**row, "part": "judged" if at % 2 else "searched"} for at, row in enumerate(ROWS)]
    path = write(tmp_path / "all.jsonl", rows)
    assert run_cli(monkeypatch, "meaning", path, *SPLIT, "--json", tmp_path / "r.json") == 0
    made = json.loads((tmp_path / "r.json").read_bytes())
    assert check(made, path) == []
    made["stamp"]["split"]["test"], made["stamp"]["split"]["train"] = "searched", "judged"
    assert "number" in {one.kind for one in check(made, path)}


def test_a_changed_file_is_named(report: dict[str, Any], files: tuple[Path, Path]) -> None:
    test, train = files
    train.write_bytes(train.read_bytes().replace(b"penguins", b"puffins"))
    found = check(report, test, train)
    assert found[0].kind == "file"
    assert "stamp.train.sha256" in {one.path for one in found}
    train.write_bytes(b"\xff\xfe\xff")
    assert check(report, test, train)[0].path == "stamp.train.sha256"


@pytest.mark.parametrize(
    ("change", "kind"),
    [
        (lambda stamp: stamp.update(threshold=0.95), "number"),
        (lambda stamp: stamp.update(token_window=128), "setting"),
        (lambda stamp: stamp.update(truncated=1), "setting"),
        (lambda stamp: stamp["model"].update(sha256="ab" * 32), "setting"),
        (lambda stamp: stamp["model"].update(window=512), "setting"),
        (lambda stamp: stamp["ids"].update(test="text"), "number"),
        (lambda stamp: stamp["column"].update(test="id"), "number"),
        (lambda stamp: stamp["column"].pop("train"), "number"),
        (lambda stamp: stamp.pop("pairs_not_kept"), "number"),
        (lambda stamp: stamp.update(algorithm=99), "version"),
    ],
)
def test_a_changed_setting_shows(
    report: dict[str, Any],
    files: tuple[Path, Path],
    change: Callable[[Any], None],
    kind: str,
) -> None:
    change(report["stamp"])
    assert kind in {one.kind for one in check(report, *files)}


def test_any_one_number_changed_is_named(
    report: dict[str, Any], files: tuple[Path, Path]
) -> None:
    """One model run answers for all: what it found is handed out again."""
    kept: list[Any] = []

    def again(ask: Any) -> Any:
        if not kept:
            kept.append((yield from COMPARE(ask)))
        return kept[0]

    inputs = [NamedBytes(path.name, path.read_bytes()) for path in files]
    places = numbers(report)
    assert len(places) > 60
    for holder, key, path in places:
        before = holder[key]
        holder[key] = not before if isinstance(before, bool) else before + 1
        done = finish(verify(write_json(report), inputs[0], inputs[1:], again))
        paths = {one.path for one in done.differences}
        kinds = {one.kind for one in done.differences}
        assert kinds == {"number"}, path
        if not path.startswith("pairs["):  # a pair is known by its records, so it may move
            assert paths == {path}
        holder[key] = before


def test_cosines_may_differ_by_a_thousandth_and_no_more(
    report: dict[str, Any], files: tuple[Path, Path]
) -> None:
    for holder, key in (
        (report["summary"]["closest"], "cosine"),
        (report["pairs"][1], "cosine"),
        (report["groups"][0], "lowest"),
        (report["nearest"][0], "cosine"),
    ):
        before = holder[key]
        holder[key] = before - 0.0009
        assert check(report, *files) == []
        holder[key] = before - 0.0011
        assert [one.kind for one in check(report, *files)] == ["number"]
        holder[key] = before
    report["summary"]["threshold"] += 0.0005
    assert [one.path for one in check(report, *files)] == ["summary.threshold"]


def test_pairs_of_nearly_one_cosine_may_change_places(
    report: dict[str, Any], files: tuple[Path, Path]
) -> None:
    report["pairs"].reverse()
    assert check(report, *files) == []
    report["pairs"].append(report["pairs"][0])
    assert "pairs.length" in {one.path for one in check(report, *files)}


def test_the_missing_extra_is_said(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    report: dict[str, Any],
    files: tuple[Path, Path],
    tmp_path: Path,
) -> None:
    assert report
    monkeypatch.setitem(sys.modules, "leakladder.embed_native", None)
    capsys.readouterr()
    assert run_cli(monkeypatch, "verify", tmp_path / "r.json", *files) == 2
    said = capsys.readouterr()
    assert "pip install 'leakladder[meaning]'" in said.err
    assert "Nothing differs" not in said.out
    files[0].write_bytes(files[0].read_bytes() + b"\n")
    assert run_cli(monkeypatch, "verify", tmp_path / "r.json", *files) == 1  # needs none


# ---- the report of the whole page ----


def ask(method: str, **params: Any) -> Any:
    reply = json.loads(bridge.call(method, json.dumps(params)))
    assert "error" not in reply, reply
    return reply["result"]


def work(method: str, data: bytes | None = None, **params: Any) -> Any:
    bridge.start(method, json.dumps(params), data)
    while "progress" in (reply := json.loads(bridge.step(1000))):
        pass
    assert "error" not in reply, reply
    return reply["result"]


@pytest.fixture
def whole(report: dict[str, Any], files: tuple[Path, Path]) -> Iterator[dict[str, Any]]:
    """What the page writes after the rows rung and a run across, with real cosines."""
    for side, path in zip(("test", "train"), files, strict=True):
        work("load", path.read_bytes(), side=side, name=path.name)
    settings = {"test_fields": ["text"], "train_fields": ["text"]}
    work("run", rung="rows", settings=settings)
    ask("meaning_texts", mode="across", settings=settings)
    # a, b, d, e and f are nodes 0 to 3, since f is e to the model; y is e too, z is d
    rows: dict[str, Any] = {"truncated": 0, "unreadable": 1}
    rows |= {"sha256": report["stamp"]["model"]["sha256"]}
    node_of = [0, 1, -1, 2, 3, 3, -1, 4, 3, 2]
    near = {row["label"]: row["cosine"] for row in report["nearest"]}
    cosines = array("d", [near["a"], near["b"], 0, 0, 0]).tobytes()
    work(
        "meaning_match", cosines, rows={**rows, "node_of": node_of}, nearest=[2, 2, -1, -1, -1]
    )
    ask("meaning_view", threshold=0.90)
    work("write", what="check.json", text=True)
    made: dict[str, Any] = json.loads(bridge.export(json.dumps({"what": "written"})))
    yield made
    ask("meaning_clear")
    for side in ("test", "train"):
        ask("unload", side=side)


def test_the_pages_report_holds_meaning_and_it_is_verified(
    whole: dict[str, Any], files: tuple[Path, Path]
) -> None:
    assert list(whole) == ["rows", "stamp", "meaning"]
    assert whole["meaning"]["summary"]["across"]["reads_alike"] == 4  # b, d, e and f
    assert check(whole, *files) == []
    whole["meaning"]["summary"]["across"]["reads_alike"] = 3
    (found,) = check(whole, *files)
    assert (found.kind, found.path) == ("number", "meaning.summary.across.reads_alike")


def test_without_the_extra_the_other_parts_are_verified_and_meaning_is_said_not_to_be(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    whole: dict[str, Any],
    files: tuple[Path, Path],
    tmp_path: Path,
) -> None:
    monkeypatch.setitem(sys.modules, "leakladder.embed_native", None)
    (tmp_path / "w.json").write_bytes(write_json(whole))
    capsys.readouterr()
    assert run_cli(monkeypatch, "verify", tmp_path / "w.json", *files) == 2
    said = capsys.readouterr()
    assert said.out == (
        "Nothing differs in what could be verified; the part about meaning was not.\n"
    )
    assert "not verified: the part about meaning: leakladder.embed_native" in said.err
    whole["rows"]["exact"]["items"] += 1
    (tmp_path / "w.json").write_bytes(write_json(whole))
    assert run_cli(monkeypatch, "verify", tmp_path / "w.json", *files) == 1


def test_rows_that_other_checks_had_picked_are_said_not_to_be_verified(
    whole: dict[str, Any], files: tuple[Path, Path]
) -> None:
    whole["stamp"]["meaning"]["picked"] = {
        "rows": "flagged",
        "seed": 1,
        "size": 9,
        "test_of": 7,
    }
    test, train = (NamedBytes(path.name, path.read_bytes()) for path in files)
    done = finish(verify(write_json(whole), test, [train], COMPARE))
    assert done == Verified(
        [], "it compared the rows that other checks had flagged, and does not list them"
    )


def test_a_part_without_its_settings_is_not_passed_over(
    whole: dict[str, Any], files: tuple[Path, Path]
) -> None:
    del whole["stamp"]["meaning"]
    assert "meaning" in {one.path for one in check(whole, *files)}


def test_a_sample_is_drawn_again(files: tuple[Path, Path]) -> None:
    data = files[0].read_bytes()
    file = finish(load_file(data, "test.jsonl", ReadOptions(), Bounds()))
    rows = choose_columns(file, None, Settings(test_fields=("text",)), across=False)
    made = finish(COMPARE(MeaningAsk(rows.pick("sample", 3), 0.9)))
    note = stamp(made, stamp_side(made.test))
    wire = json.loads(write_json(finish(meaning_report(made, note, text=True))))
    assert wire["summary"]["rows"] == 3
    assert check(wire, files[0]) == []
    wire["stamp"]["picked"]["size"] = 4
    assert {"summary.rows", "stamp.test.rows"} <= {one.path for one in check(wire, files[0])}


def draw_one(*paths: Path) -> MeaningRows:
    """A sample of one row each of a test and a training file."""
    test, train = (
        finish(load_file(path.read_bytes(), path.name, ReadOptions(), Bounds()))
        for path in paths
    )
    every = choose_columns(test, train, Settings(test_fields=("text",)), across=True)
    return every.pick("sample", 1)


def test_words_are_looked_for_in_all_training_rows_also_where_a_sample_is_compared(
    tmp_path: Path,
) -> None:
    """Row b is near d, which is drawn; a row that is not drawn has all ten words of b."""
    text = ROWS[1]["text"]
    longer = {"text": f"{text} And much else besides that is about boats and rivers."}
    train = write(tmp_path / "train.jsonl", [longer] * 3)
    paths = write(tmp_path / "test.jsonl", [{"text": text}]), train
    sampled = draw_one(*paths).train
    assert sampled is not None
    (drawn,) = sampled.rows
    rows = [longer] * 3
    rows[drawn.index] = {"text": ROWS[3]["text"]}
    write(train, rows)
    made = finish(COMPARE(MeaningAsk(draw_one(*paths), 0.9)))
    note = stamp(made, stamp_side(made.test))
    wire = json.loads(write_json(finish(meaning_report(made, note, text=True))))
    across = wire["summary"]["across"]
    assert [across[name] for name in ("reads_alike", "few_words", "train_rows")] == [1, 0, 1]
    assert check(wire, *paths) == []


# ---- words to paste ----


def test_a_report_of_both_comparisons_is_cited(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    report: dict[str, Any],
    tmp_path: Path,
) -> None:
    """a, b and d hang together, e and f do; of these all but a have a near training row."""
    test, train = (report["stamp"][side]["sha256"] for side in ("test", "train"))
    capsys.readouterr()
    assert run_cli(monkeypatch, "cite", tmp_path / "r.json") == 0
    sentence, _, *table = capsys.readouterr().out.splitlines()
    made = report["stamp"]
    assert sentence == (
        f"Of the 7 rows of test.jsonl (SHA-256 {test[:12]}…), "
        f"held against train.jsonl (SHA-256 {train[:12]}…): "
        "5 of 5 read alike with another test row at a cosine of 0.90 or above "
        "(100.0%, 2 further rows could not be judged); "
        "4 of 5 read alike with a training row at a cosine of 0.90 or above "
        "(80.0%, 2 further rows could not be judged). Computed with "
        f"{made['product']}, algorithm {made['algorithm']}, Unicode {made['unicode']}."
    )
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in table[2:4]]
    assert [[row[0], *row[3:]] for row in cells] == [
        ["Meaning, within the test rows", "", "0.90", "5 of 5", "100.0%", "2"],
        ["Meaning", "", "0.90", "4 of 5", "80.0%", "2"],
    ]
    below = "\n".join(table[4:])
    assert f"SHA-256 `{test}`" in below
    assert f"SHA-256 `{train}`" in below
    (note,) = [line for line in table if "cosine of all-MiniLM-L6-v2 vectors" in line]
    assert f"SHA-256 {made['model']['sha256'][:12]}…" in note
    assert "first 256 word pieces; 0 rows longer than that" in note
    assert "not compared: 1 without text, 1 in a script the model does not read" in note


def test_a_report_of_one_file_is_cited_without_a_training_file(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    files: tuple[Path, Path],
    tmp_path: Path,
) -> None:
    assert run_cli(monkeypatch, "meaning", files[0], "--json", tmp_path / "r.json") == 0
    capsys.readouterr()
    assert run_cli(monkeypatch, "cite", tmp_path / "r.json") == 0
    out = capsys.readouterr().out
    assert "held against" not in out
    assert "Training file" not in out
    assert "…): 5 of 5 read alike with another test row at a cosine of 0.90 or above" in out


def test_the_pages_report_is_cited_with_its_meaning_part(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    whole: dict[str, Any],
    tmp_path: Path,
) -> None:
    (tmp_path / "w.json").write_bytes(write_json(whole))
    capsys.readouterr()
    assert run_cli(monkeypatch, "cite", tmp_path / "w.json") == 0
    out = capsys.readouterr().out
    page = ask("cite", rungs=["rows", "meaning"])
    assert out.splitlines()[0] == page["sentence"]
    assert out.split("\n\n", 1)[1] == page["markdown"]
    assert "; 4 of 5 read alike with a training row" in page["sentence"]


def test_a_sample_is_said_to_be_one() -> None:
    side = {"name": "t", "rows": 3, "fields": ["q"], "sha256": "ab" * 32}
    stamp = {
        "product": "p", "algorithm": 1, "unicode": "1", "test": side, "threshold": 0.9,
        "model": {**MINILM._asdict(), "sha256": "cd" * 32}, "column": {"test": "q"},
        "truncated": 0, "left_out": {}, "picked": {"rows": "sample", "test_of": 31_204},
    }  # fmt: skip
    summary = {
        "rows": 3, "compared": 2, "blank": 1, "unreadable": 0, "groups": 1, "rows_in_groups": 2,
    }  # fmt: skip
    sentence = cite([Cited("meaning", summary, stamp)])["sentence"]
    assert "2 of 2 read alike with another test row" in sentence
    assert (
        "at a cosine of 0.90 or above, in a sample of the 31,204 test rows (100.0%" in sentence
    )
