"""`leakladder clean` by what reads alike, with the model: hand counts, and a second run."""

import json
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from test_cli_meaning import ROWS, SPLIT, run_cli, write

ANSWERS = {"a": "short", "b": "by far the fullest", "d": "", "e": "equal", "f": "e  qual"[:5]}


def lines(path: Path) -> list[str]:
    """Ids of the rows of a file."""
    return [json.loads(line)["id"] for line in path.read_text("utf-8").splitlines()]


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


@pytest.mark.parametrize("files", [1, 2])
def test_every_near_training_row_goes_and_a_second_run_finds_none(
    monkeypatch: pytest.MonkeyPatch, test_file: Path, tmp_path: Path, files: int
) -> None:
    """Of the training side u is c's text in other words, v and w read like d; x like no row."""
    texts = {
        "u": "Where do penguins live?",
        "v": "at what temperature does water boil?",
        "w": ROWS[3]["text"],
        "x": "",
        "y": ROWS[0]["text"].upper(),
    }
    rows = [{"id": name, "text": text} for name, text in texts.items()]
    parts = [rows] if files == 1 else [rows[:2], rows[2:]]
    train = [write(tmp_path / f"train{at}.jsonl", part) for at, part in enumerate(parts)]
    out = tmp_path / "out"
    out.mkdir()
    words = ("--drop-from", "train", "--field", "text", "--by", "meaning", "--out", out)
    assert run_cli(monkeypatch, "clean", test_file, *train, *words) == 0
    cleaned = [out / path.name for path in train]
    assert [name for path in cleaned for name in lines(path)] == ["u", "x"]
    told = (word for path in cleaned for word in ("--against", path))
    report = tmp_path / "r.json"
    assert (
        run_cli(monkeypatch, "meaning", test_file, "--field", "text", *told, "--json", report)
        == 0
    )
    assert json.loads(report.read_bytes())["summary"]["across"]["reads_alike"] == 0


def test_training_rows_of_one_file_go_and_none_by_itself(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Both sides are one file: a goes for b and d, e for f, but c and g for nobody."""
    path, out = write(tmp_path / "all.jsonl", ROWS), tmp_path / "out.jsonl"
    words = ("--drop-from", "train", "--field", "text", "--by", "meaning", "--out", out)
    assert run_cli(monkeypatch, "clean", path, path, *words) == 0
    assert lines(out) == ["c", "g"]


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
        (("--by", "groups", "--drop-from", "train"), "of test rows only"),
        (
            ("--by", "meaning", "other.jsonl", "--drop-from", "train", "--meaning-report", "x"),
            "one training row for each test row",
        ),
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
