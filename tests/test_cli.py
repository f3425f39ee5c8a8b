"""The command line: the README's example, files out, exit codes, one-file mode, streams."""

import csv
import gzip
import io
import json
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[1]


def run(
    *words: str | Path, cwd: Path, stdin: bytes | None = None
) -> subprocess.CompletedProcess[bytes]:
    """Run the command line as a process of its own."""
    command = [sys.executable, "-X", "utf8", "-m", "leakladder", *map(str, words)]
    return subprocess.run(
        command,
        cwd=cwd,
        input=stdin,
        capture_output=True,
        check=False,
        env={"PYTHONPATH": str(ROOT / "py"), "PATH": "", "COLUMNS": "200"},
    )


def write_jsonl(path: Path, rows: list[dict[str, Any]]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    return path


COPY = "the first of the nine boats left the harbour at dawn with forty crates aboard"
CLEAN = "sixteen other words stand here so that this row is long enough to be judged clean"


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    """A test file of four rows, one copied, one short, one blank, and a training file."""
    test = [
        {"id": "t1", "q": f"Say why {COPY} and no more."},
        {"id": "t2", "q": CLEAN},
        {"id": "t3", "q": "too short"},
        {"id": "t4", "q": ""},
    ]
    train = [{"id": "a", "q": "unrelated"}, {"id": "b", "q": f"Once {COPY}, it is said."}]
    paths = tmp_path / "test.jsonl", tmp_path / "train.jsonl"
    return write_jsonl(paths[0], test), write_jsonl(paths[1], train)


def test_readme_example_prints_what_the_readme_says(tmp_path: Path) -> None:
    readme = (ROOT / "README.md").read_text("utf-8")
    test, train = re.findall(r"```jsonl\n(.*?)```", readme, flags=re.DOTALL)
    (printed,) = re.findall(r"```text\n(.*?)```", readme, flags=re.DOTALL)
    (command,) = re.findall(r"^leakladder (ngrams .*)$", readme, flags=re.MULTILINE)
    (tmp_path / "test.jsonl").write_text(test, "utf-8")
    (tmp_path / "train.jsonl").write_text(train, "utf-8")
    done = run(*shlex.split(command), cwd=tmp_path)
    assert done.returncode == 0, done.stderr.decode()
    assert done.stdout.decode() == printed
    made = (tmp_path / "overlap.csv").read_bytes().decode()
    rows = list(csv.DictReader(io.StringIO(made, newline="")))
    assert [row["state"] for row in rows] == ["checked", "checked", "short"]


def test_csv_holds_every_row_with_offsets_into_both_texts(files: tuple[Path, Path]) -> None:
    test, train = files
    done = run("ngrams", test, train, "--csv", "-", cwd=test.parent)
    rows = list(csv.DictReader(io.StringIO(done.stdout.decode(), newline="")))
    assert [row["state"] for row in rows] == ["checked", "checked", "short", "blank"]
    hit = rows[0]
    assert hit["flagged"] == "true"
    assert (hit["tokens"], hit["dirty_tokens"], hit["longest_span"], hit["windows"]) == (
        "20", "15", "15", "3",
    )  # fmt: skip
    assert hit["dirty_share"] == "0.750000"
    assert (hit["best_train_index"], hit["best_train_label"]) == ("1", "b")
    texts = {"test": hit["text"], "train": json.loads(train.read_text().split("\n")[1])["q"]}
    for side, text in texts.items():
        assert text[int(hit[f"{side}_start"]) : int(hit[f"{side}_stop"])] == COPY
    assert json.loads(hit["stamp"])["n"] == 13
    assert [row["stamp"] for row in rows[1:]] == ["", "", ""]
    assert rows[2]["flagged"] == rows[2]["dirty_share"] == ""


def test_json_holds_summary_rows_and_stamp(files: tuple[Path, Path]) -> None:
    test, train = files
    done = run("ngrams", test, train, "--json", "-", cwd=test.parent)
    report = json.loads(done.stdout)
    assert report["summary"] == {
        "rows": 4,
        "checkable": 2,
        "flagged": 1,
        "short": 1,
        "blank": 1,
        "tokens": 20 + 16,
        "dirty_tokens": 15,
        "dirty_share": round(15 / 36, 6),
        "flagged_share": 0.5,
        "train_rows": 2,
        "train_rows_hit": 1,
    }
    first = report["rows"][0]
    assert first["test_offsets"] == [8, 8 + len(COPY)]
    assert first["train_offsets"] == [5, 5 + len(COPY)]
    assert report["rows"][1]["test_offsets"] is None
    assert report["stamp"]["test"]["bytes"] == test.stat().st_size


def test_no_text_leaves_no_cell_of_the_files(files: tuple[Path, Path]) -> None:
    test, train = files
    for kind in ("--csv", "--json"):
        done = run("ngrams", test, train, kind, "-", "--no-text", cwd=test.parent)
        told = done.stdout.decode()
        assert "harbour" not in told
        assert "t1" not in told
        assert "15" in told


@pytest.mark.parametrize(
    ("limit", "code"),
    [("50", 0), ("49.999", 3), ("0", 3), ("100", 0), ("50%", 0)],
)
def test_fail_over_is_strict(files: tuple[Path, Path], limit: str, code: int) -> None:
    test, train = files
    assert run("ngrams", test, train, "--fail-over", limit, cwd=test.parent).returncode == code


def test_fail_over_fails_when_nothing_was_checkable(files: tuple[Path, Path]) -> None:
    test, train = files
    write_jsonl(test, [{"q": "too short"}])
    done = run("ngrams", test, train, "--fail-over", "100", cwd=test.parent)
    assert done.returncode == 3
    assert b"Nothing could be checked" in done.stdout


def test_split_column_compares_rows_of_one_file(tmp_path: Path) -> None:
    rows = [
        {"part": "dev", "q": "never looked at"},
        {"part": "train", "q": f"Once {COPY}."},
        {"part": "test", "q": f"Then {COPY}."},
    ]
    path = write_jsonl(tmp_path / "all.jsonl", rows)
    split = ("--split-column", "part", "--test", "test", "--train", "train")
    done = run("ngrams", path, *split, "--field", "q", "--json", "-", cwd=tmp_path)
    report = json.loads(done.stdout)
    (row,) = report["rows"]
    assert (row["index"], row["line"], row["best_train_index"]) == (2, 3, 1)
    assert report["stamp"]["split"] == {"column": "part", "test": "test", "train": "train"}


def test_train_may_be_several_files_a_folder_and_a_glob(files: tuple[Path, Path]) -> None:
    test, train = files
    folder = test.parent / "mix" / "deep"
    folder.mkdir(parents=True)
    write_jsonl(folder / "one.jsonl", [{"q": "nothing in here"}])
    (folder / "two.jsonl.gz").write_bytes(gzip.compress(train.read_bytes()))
    for given in ([folder.parent], [folder / "*"], sorted(folder.iterdir())):
        done = run("ngrams", test, *given, "--json", "-", "--field", "q", cwd=test.parent)
        report = json.loads(done.stdout)
        assert report["summary"]["train_rows"] == 3, done.stderr
        assert report["rows"][0]["best_train_index"] == 2
        names = [file["name"] for file in report["stamp"]["train"]["files"]]
        assert names == ["one.jsonl", "two.jsonl.gz"]


def test_a_chosen_field_that_no_training_row_has_is_refused(files: tuple[Path, Path]) -> None:
    test, train = files
    chosen = ("--field", "q", "--field", "id")
    assert run("ngrams", test, train, *chosen, cwd=test.parent).returncode == 0
    more = write_jsonl(test.parent / "more.jsonl", [{"q": "no id here"}, {"q": "nor here"}])
    assert run("ngrams", test, train, more, *chosen, cwd=test.parent).returncode == 0
    for command in ("ngrams", "rules", "rows"):  # streamed or held, the same answer
        done = run(command, test, more, *chosen, "--id", "", cwd=test.parent)
        assert done.returncode == 2, command
        assert b"more.jsonl" in done.stderr
        assert b"'id'" in done.stderr


def test_standard_input_is_either_side(files: tuple[Path, Path]) -> None:
    test, train = files
    expected = run("ngrams", test, train, cwd=test.parent).stdout
    piped = run("ngrams", "-", train, cwd=test.parent, stdin=test.read_bytes())
    assert piped.stdout == expected
    piped = run("ngrams", test, "-", cwd=test.parent, stdin=train.read_bytes())
    assert piped.stdout == expected


def test_streamed_and_held_training_sides_give_the_same_rows(files: tuple[Path, Path]) -> None:
    test, train = files
    both = test.parent / "both.jsonl"
    marked = [
        {"part": path.stem, **json.loads(line)}
        for path in files
        for line in path.read_text("utf-8").splitlines()
    ]
    write_jsonl(both, marked)
    split = ("--split-column", "part", "--test", "test", "--train", "train")
    held = json.loads(
        run("ngrams", both, *split, "--json", "-", "--field", "q", cwd=test.parent).stdout
    )
    streamed = json.loads(
        run("ngrams", test, train, "--json", "-", "--field", "q", cwd=test.parent).stdout
    )
    assert held["summary"] == streamed["summary"]


def test_a_file_against_itself_excludes_each_row_from_its_own_match(tmp_path: Path) -> None:
    path = write_jsonl(
        tmp_path / "a.jsonl",
        [{"q": f"{COPY} {i}"} for i in range(2)] + [{"q": " ".join("abcdefghijklmnop")}],
    )
    report = json.loads(run("ngrams", path, path, "--json", "-", cwd=tmp_path).stdout)
    assert [row["flagged"] for row in report["rows"]] == [True, True, False]
    assert [row["best_train_index"] for row in report["rows"]] == [1, 0, None]
    assert report["stamp"]["same_file"] is True


@pytest.mark.parametrize(
    ("words", "code", "told"),
    [
        (["ngrams", "none.jsonl", "train.jsonl"], 2, "none.jsonl"),
        (["ngrams", "test.jsonl"], 2, "TRAIN"),
        (["ngrams", "test.jsonl", "train.jsonl", "--n", "4"], 2, "from 5 to 25"),
        (["ngrams", "test.jsonl", "train.jsonl", "--threshold", "101"], 2, "from 0 to 100"),
        (["ngrams", "test.jsonl", "train.jsonl", "--tokens", "bpe"], 2, "loose, strict"),
        (["ngrams", "test.jsonl", "train.jsonl", "--field", "nope"], 2, "nope"),
        (["ngrams", "test.jsonl", "train.jsonl", "--train-field", "nope"], 2, "nope"),
        (["ngrams", "bad.jsonl", "train.jsonl"], 2, "line 2"),
        (["ngrams", "test.jsonl", "bad.jsonl"], 2, "line 2"),
        (["ngrams", "test.jsonl", "train.jsonl", "--fail-over", "x"], 2, "percentage"),
        (["ngrams", "test.jsonl", "train.jsonl", "--csv", "no/such/folder.csv"], 2, "folder"),
        (["rows", "test.jsonl", "train.jsonl", "--fail-over", "exact"], 2, "percentage"),
        (["rows", "test.jsonl", "train.jsonl", "--fail-over", "some=1"], 2, "exact"),
        (["rows", "test.jsonl", "train.jsonl", "--fail-over", "exact=1%"], 0, ""),
        (["read", "bad.jsonl"], 2, "line 2"),
    ],
)
def test_bad_input_ends_with_its_code_and_says_what(
    files: tuple[Path, Path], words: list[str], code: int, told: str
) -> None:
    folder = files[0].parent
    (folder / "bad.jsonl").write_text('{"q": "fine"}\n{"q": \n', "utf-8")
    done = run(*words, cwd=folder)
    assert done.returncode == code
    assert told in done.stderr.decode()
    assert b"Traceback" not in done.stderr


def test_skip_bad_counts_what_it_left_out(files: tuple[Path, Path]) -> None:
    test, train = files
    with test.open("a", encoding="utf-8") as out:
        out.write("{broken\n")
    assert run("ngrams", test, train, cwd=test.parent).returncode == 2
    done = run("ngrams", test, train, "--skip-bad", "--json", "-", cwd=test.parent)
    assert json.loads(done.stdout)["stamp"]["left_out"] == {"test": 1, "train": 0}


def test_an_interrupted_write_leaves_the_old_file(files: tuple[Path, Path]) -> None:
    test, train = files
    out = test.parent / "out.csv"
    out.write_text("kept", "utf-8")
    done = run("ngrams", test, train, "--csv", out, "--field", "nope", cwd=test.parent)
    assert done.returncode == 2
    assert out.read_text("utf-8") == "kept"
    assert [path.name for path in test.parent.glob(".out*")] == []


def test_control_characters_do_not_reach_the_terminal(files: tuple[Path, Path]) -> None:
    test, _ = files
    evil = write_jsonl(test.parent / "evil.jsonl", [{"\x1b[31mred\x07": "text of the row"}])
    done = run("read", evil, cwd=test.parent)
    assert done.returncode == 0
    assert b"\x1b" not in done.stdout + done.stderr
    assert b"\x07" not in done.stdout + done.stderr
