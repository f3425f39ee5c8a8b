"""`leakladder meaning`: what it prints and writes, and what it says when it cannot run."""

import csv
import io
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from leakladder import cli, meaning_native, pipes
from leakladder.embed_native import NativeEmbedder, find_model
from leakladder.jobs import finish

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


def run_cli(monkeypatch: pytest.MonkeyPatch, *words: str | Path) -> int:
    """Run a command inside this process, so that a test can replace parts; its exit code."""
    monkeypatch.setattr(sys, "argv", ["leakladder", *map(str, words)])
    monkeypatch.setattr(pipes, "end_on_closed_pipes", lambda: None)  # not this process
    with pytest.raises(SystemExit) as ended:
        cli.main()
    assert isinstance(ended.value.code, int)
    return ended.value.code


def run(monkeypatch: pytest.MonkeyPatch, *words: str | Path) -> None:
    assert run_cli(monkeypatch, "meaning", *words) == 0


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


PARTS = {"a": "judged", "b": "judged", "c": "judged", "e": "judged", "d": "searched",
         "f": "searched", "g": "searched"}  # fmt: skip
SPLIT = ("--split-column", "part", "--test", "judged", "--train", "searched")


@pytest.fixture
def one_file(tmp_path: Path) -> Path:
    """The rows in their order, each with the side it is on."""
    return write(tmp_path / "all.jsonl", [{**row, "part": PARTS[row["id"]]} for row in ROWS])


def test_one_file_holds_both_sides(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], one_file: Path
) -> None:
    """Judged are a, b, c and e: a and b are a group, b is near d, e equals f, c is blank."""
    made = report(monkeypatch, capsys, one_file, *SPLIT)
    summary = made["summary"]
    assert [summary[name] for name in ("rows", "blank", "compared")] == [4, 1, 3]
    assert [summary[name] for name in ("groups", "rows_in_groups", "effective")] == [1, 2, 2]
    assert (summary["closest"]["a_index"], summary["closest"]["b_index"]) == (0, 1)
    assert [(row["group"], row["record"], row["label"]) for row in made["groups"]] == [
        (1, 1, "a"), (1, 2, "b"),
    ]  # fmt: skip
    across = summary["across"]
    assert [across[name] for name in ("checked", "reads_alike", "train_rows")] == [3, 2, 3]
    nearest = {
        row["label"]: (row["train_record"], row["train_label"]) for row in made["nearest"]
    }
    assert nearest == {"a": (4, "d"), "b": (4, "d"), "c": (None, None), "e": (6, "f")}
    stamp = made["stamp"]
    assert stamp["split"] == {"column": "part", "test": "judged", "train": "searched"}
    assert [stamp[side]["rows"] for side in ("test", "train")] == [4, 3]
    assert stamp["test"]["sha256"] == stamp["train"]["sha256"]
    assert stamp["column"] == {"test": "text", "train": "text"}
    assert stamp["ids"] == {"test": "id", "train": "id"}


def test_the_sides_of_one_file_may_have_columns_of_their_own(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    rows = [
        {"part": "a", "q": "At what temperature does water boil?", "other": ""},
        {"part": "b", "q": "", "other": "at what TEMPERATURE does water boil?"},
    ]
    path = write(tmp_path / "two.jsonl", rows)
    words = ("--split-column", "part", "--test", "a", "--train", "b")
    made = report(monkeypatch, capsys, path, *words, "--field", "q", "--field", "other")
    assert [(row["train_record"], row["cosine"]) for row in made["nearest"]] == [(2, 1.0)]


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
        (["--split-column", "none", *SPLIT[2:]], "there is no field 'none'"),
        (["--split-column", "id", *SPLIT[2:]], "no row has 'judged' in the column 'id'; its"),
        (
            SPLIT[:4],
            "one-file mode takes --split-column, --test and --train, and",
        ),
        ([*SPLIT, "--against", "x.jsonl"], "and no TRAIN file"),
    ],
)
def test_what_it_refuses(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    test_file: Path,
    words: Sequence[str],
    message: str,
) -> None:
    assert run_cli(monkeypatch, "meaning", test_file, *words) == 2
    assert message in capsys.readouterr().err


def test_a_column_with_one_value_says_so(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    path = write(tmp_path / "one.jsonl", [{**row, "part": "judged"} for row in ROWS])
    assert run_cli(monkeypatch, "meaning", path, *SPLIT) == 2
    assert capsys.readouterr().err == (
        "leakladder: one.jsonl: no row has 'searched' in the column 'part'; its only value is "
        "'judged'\n"
    )


def test_the_model_of_an_installed_page_is_found(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.delenv("LEAKLADDER_MODEL", raising=False)
    monkeypatch.setattr(meaning_native, "page_folder", lambda: None)
    assert meaning_native.installed_model() is None
    monkeypatch.setattr(meaning_native, "page_folder", lambda: tmp_path)
    assert meaning_native.installed_model() is None  # a page without a model
    folder = tmp_path / "models" / "all-MiniLM-L6-v2"
    folder.mkdir(parents=True)
    assert meaning_native.installed_model() == folder
    monkeypatch.setenv("LEAKLADDER_MODEL", "/elsewhere")
    assert meaning_native.installed_model() is None  # the person's word comes first


def test_it_says_which_extra_is_missing(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], test_file: Path
) -> None:
    monkeypatch.setitem(sys.modules, "leakladder.embed_native", None)
    assert run_cli(monkeypatch, "meaning", test_file) == 2
    assert "pip install 'leakladder[meaning]'" in capsys.readouterr().err


def test_a_file_against_itself_finds_other_rows(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    test_file: Path,
    tmp_path: Path,
) -> None:
    """The same bytes under another name; the oracle is every pair of rows, one by one."""
    copy = tmp_path / "copy.jsonl"
    copy.write_bytes(test_file.read_bytes())
    made = report(monkeypatch, capsys, test_file, "--against", copy)
    assert made["stamp"]["same_file"] is True
    embedder = NativeEmbedder(find_model())
    texts = [row["text"] for row in ROWS]
    readable = [at for at, row in enumerate(embedder.cut_texts(texts)) if row.readable]
    cut = [embedder.cut_texts([texts[at]])[0].ids for at in readable]
    vectors = np.concatenate([finish(embedder.embed([ids])) for ids in cut]).astype(np.float64)
    table = vectors @ vectors.T
    np.fill_diagonal(table, -2)
    nearest = {row["index"]: (row["train_index"], row["cosine"]) for row in made["nearest"]}
    for at, cosines in zip(readable, table, strict=True):
        assert nearest[at][0] == readable[int(cosines.argmax())]
        assert nearest[at][1] == pytest.approx(cosines.max(), abs=0.001)
    assert (nearest[4], nearest[5]) == ((5, 1.0), (4, 1.0))  # equal once letters are folded
    assert nearest[2] == nearest[6] == (None, None)  # no text, no piece
    assert made["summary"]["across"]["checked"] == len(readable) == 5


def test_the_same_file_by_another_field_is_another_side(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], test_file: Path
) -> None:
    """A row may read like another field of itself, as on every rung."""
    words = ("--field", "text", "--field", "id")
    made = report(monkeypatch, capsys, test_file, "--against", test_file, *words)
    assert "same_file" not in made["stamp"]
    assert made["summary"]["across"]["checked"] == 5


def test_words_shared_with_itself_are_not_counted(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """Each row shares ten words with itself alone, and reads like the other."""
    rows = [
        {"text": "I want to end my subscription, how do I cancel it?"},
        {"text": "How do I cancel my subscription? I want to end it."},
    ]
    file = write(tmp_path / "rows.jsonl", rows)
    made = report(monkeypatch, capsys, file, "--against", file, "--threshold", "0.80")
    across = made["summary"]["across"]
    assert [across[name] for name in ("checked", "reads_alike", "few_words")] == [2, 2, 2]
