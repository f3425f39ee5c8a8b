"""`leakladder meaning`: what it prints and writes, and what it says when it cannot run."""

import csv
import io
import json
import sys
from pathlib import Path
from typing import Any

import pytest

from leakladder import cli, cli_meaning

ROWS = [
    {"id": "a", "text": "How can I end my subscription?"},
    {"id": "b", "text": "I want to end my subscription, how do I cancel it?"},
    {"id": "c", "text": ""},
    {"id": "d", "text": "How do I cancel my subscription?"},
    {"id": "e", "text": "At what temperature does water boil?"},
    {"id": "f", "text": "  AT WHAT temperature does water boil?"},
    {"id": "g", "text": "\U0001f600"},
]


@pytest.fixture
def test_file(tmp_path: Path) -> Path:
    return write(tmp_path / "test.jsonl", ROWS)


def write(path: Path, rows: list[dict[str, str]]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    return path


def run(monkeypatch: pytest.MonkeyPatch, *words: str | Path) -> None:
    monkeypatch.setattr(sys, "argv", ["leakladder", "meaning", *map(str, words)])
    with pytest.raises(SystemExit) as ended:
        cli.main()
    assert ended.value.code == 0


def report(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], *words: str | Path
) -> dict[str, Any]:
    run(monkeypatch, *words, "--json", "-")
    made: dict[str, Any] = json.loads(capsys.readouterr().out)
    return made


def test_groups_of_one_file(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], test_file: Path
) -> None:
    made = report(monkeypatch, capsys, test_file)
    summary = made["summary"]
    assert [summary[name] for name in ("rows", "blank", "unreadable", "compared")] == [
        7,
        1,
        1,
        5,
    ]
    assert [summary[name] for name in ("groups", "rows_in_groups", "effective")] == [2, 5, 2]
    assert (summary["truncated"], summary["chained"]) == (0, 1)
    assert summary["closest"] == {"a_index": 4, "b_index": 5, "cosine": 1.0}
    members = [(row["group"], row["label"], row["chained"]) for row in made["groups"]]
    assert members == [
        (1, "a", True), (1, "b", True), (1, "d", True), (2, "e", False), (2, "f", False),
    ]  # fmt: skip
    assert [(pair["a_label"], pair["b_label"]) for pair in made["pairs"]] == [
        ("e", "f"), ("b", "d"), ("a", "b"),
    ]  # fmt: skip
    assert made["nearest"] == []
    assert "train" not in made["stamp"]
    assert made["stamp"]["model"]["window"] == 256


def test_a_higher_threshold_parts_the_chain(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], test_file: Path
) -> None:
    made = report(monkeypatch, capsys, test_file, "--threshold", "0.95")
    assert {row["label"] for row in made["groups"]} == {"b", "d", "e", "f"}
    assert made["stamp"]["threshold"] == 0.95


def test_each_row_finds_its_nearest_training_row(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    test_file: Path,
    tmp_path: Path,
) -> None:
    rows = [{"q": "Where do penguins live?"}, {"q": ""}, {"q": ROWS[4]["text"]}]
    train = write(tmp_path / "train.jsonl", rows)
    made = report(
        monkeypatch, capsys, test_file, "--against", train, "--field", "text", "--field", "q"
    )
    nearest = {row["label"]: row for row in made["nearest"]}
    assert [row["index"] for row in made["nearest"]] == list(range(7))
    assert nearest["c"]["train_index"] is None
    assert nearest["g"]["cosine"] is None
    for label in "ef":
        assert (nearest[label]["train_index"], nearest[label]["cosine"]) == (2, 1.0)
    assert nearest["f"]["shared_run"] == 6  # words are folded
    assert nearest["a"]["cosine"] < 0.3
    assert made["summary"]["across"]["reads_alike"] == 2
    assert made["summary"]["across"]["few_words"] == 2
    assert made["stamp"]["column"] == {"test": "text", "train": "q"}


def test_csv_files_have_the_columns_and_the_stamp(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    test_file: Path,
    tmp_path: Path,
) -> None:
    folder = tmp_path / "out"
    run(monkeypatch, test_file, "--against", test_file, "--csv-dir", folder)
    assert "5 of 5 rows read alike with another row at 0.90" in capsys.readouterr().out
    heads, firsts = {}, {}
    for path in folder.iterdir():
        rows = list(csv.reader(io.StringIO(path.read_text("utf-8"))))
        heads[path.name], firsts[path.name] = " ".join(rows[0]), rows[1]
    assert heads == {
        "pairs.csv": "group cosine a_record a_label a_text b_record b_label b_text borderline "
        "stamp",
        "groups.csv": "group rows lowest chained record label text stamp",
        "nearest.csv": "index record label text train_record train_label train_text cosine "
        "shared_run stamp",
    }
    for first in firsts.values():
        assert json.loads(first[-1])["model"]["id"] == "all-MiniLM-L6-v2"


def test_no_text_leaves_no_text(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], test_file: Path
) -> None:
    made = report(monkeypatch, capsys, test_file, "--against", test_file, "--no-text")
    assert "subscription" not in json.dumps(made)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--threshold", "0.5"], "threshold must be from 0.70 to 0.99"),
        (["--model", "/nowhere"], "/nowhere does not hold the model"),
        (["--field", "none"], "there is no field 'none'"),
    ],
)
def test_what_it_refuses(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    test_file: Path,
    words: list[str],
    message: str,
) -> None:
    monkeypatch.setattr(sys, "argv", ["leakladder", "meaning", str(test_file), *words])
    with pytest.raises(SystemExit) as ended:
        cli.main()
    assert ended.value.code == 2
    assert message in capsys.readouterr().err


def test_the_model_of_an_installed_page_is_found(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.delenv("LEAKLADDER_MODEL", raising=False)
    monkeypatch.setattr(cli_meaning, "page_folder", lambda: None)
    assert cli_meaning.installed_model() is None
    monkeypatch.setattr(cli_meaning, "page_folder", lambda: tmp_path)
    assert cli_meaning.installed_model() is None  # a page without a model
    folder = tmp_path / "models" / "all-MiniLM-L6-v2"
    folder.mkdir(parents=True)
    assert cli_meaning.installed_model() == folder
    monkeypatch.setenv("LEAKLADDER_MODEL", "/elsewhere")
    assert cli_meaning.installed_model() is None  # the person's word comes first


def test_it_says_which_extra_is_missing(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], test_file: Path
) -> None:
    monkeypatch.setitem(sys.modules, "leakladder.embed_native", None)
    monkeypatch.setattr(sys, "argv", ["leakladder", "meaning", str(test_file)])
    with pytest.raises(SystemExit) as ended:
        cli.main()
    assert ended.value.code == 2
    assert "pip install 'leakladder[meaning]'" in capsys.readouterr().err
