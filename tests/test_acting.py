"""Acting on a result from the two hosts: `clean`, `verify` and `cite`."""

import json
from pathlib import Path
from typing import Any

import pytest

from leakladder import bridge_more
from leakladder.errors import SettingError
from leakladder.jobs import finish
from leakladder.pipeline import Comparison, NotRunError
from leakladder.removal import SideName
from leakladder.settings import Bounds, ReadOptions, Settings
from test_cli import run

RUN = "one two three four five six seven eight nine ten eleven twelve thirteen"
TEST = f"question,id\n{RUN},1\nshort,2\n\nsay {RUN},3"
TRAIN = (f'"{RUN}"\r\n', f"more\r\nthen {RUN}\r\n")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A test file, two training files and a folder to write to."""
    (tmp_path / "test.csv").write_bytes(TEST.encode())
    for name, text in zip("ab", TRAIN, strict=True):
        (tmp_path / f"{name}.txt").write_bytes(text.encode())
    (tmp_path / "out").mkdir()
    return tmp_path


FIELDS = ("--test-field", "question", "--train-field", "text", "--id", "")


def test_clean_writes_the_test_file_without_flagged_rows(folder: Path) -> None:
    done = run(
        *("clean", "test.csv", "a.txt", *FIELDS, "--drop-from", "test"),
        *("--by", "ngrams", "--by", "palm", "--out", "new.csv", "--json", "what.json"),
        cwd=folder,
    )
    assert (done.returncode, done.stderr) == (0, b"")
    assert (folder / "new.csv").read_bytes() == b"question,id\nshort,2\n\n"
    assert done.stdout.decode() == (
        "test.csv: 2 rows of 3 left out (ngrams 2, palm 2); 1 row written to new.csv.\n"
    )
    made = json.loads((folder / "what.json").read_bytes())
    (file,) = made["files"]
    assert file["left_out_rows"] == [
        {"record": 1, "line": 2, "by": ["ngrams", "palm"]},
        {"record": 3, "line": 5, "by": ["ngrams", "palm"]},
    ]
    assert made["settings"]["ngrams"]["n"] == 13
    assert RUN not in (folder / "what.json").read_text("utf-8")


def test_clean_writes_several_training_files_into_a_folder(folder: Path) -> None:
    words = ("clean", "test.csv", "a.txt", "b.txt", *FIELDS, "--drop-from", "train")
    refused = run(*words, "--by", "ngrams", "--out", "new.txt", cwd=folder)
    assert refused.returncode == 2
    assert b"must be a folder" in refused.stderr
    done = run(*words, "--by", "ngrams", "--out", "out", "--json", "-", cwd=folder)
    assert (done.returncode, done.stderr) == (0, b"")
    assert (folder / "out" / "a.txt").read_bytes() == b""
    assert (folder / "out" / "b.txt").read_bytes() == b"more\r\n"
    files = json.loads(done.stdout)["files"]
    assert [(file["source"]["name"], file["left_out"]) for file in files] == [
        ("a.txt", 1),
        ("b.txt", 1),
    ]
    again = run("ngrams", "test.csv", "out/b.txt", *FIELDS, "--json", "-", cwd=folder)
    assert json.loads(again.stdout)["summary"]["flagged"] == 0


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--drop-from", "both", "--by", "exact"), "takes test or train"),
        (("--drop-from", "test", "--by", "nothing"), "not by 'nothing'"),
    ],
)
def test_clean_refuses_what_does_not_exist(
    folder: Path, words: tuple[str, ...], message: str
) -> None:
    done = run("clean", "test.csv", "a.txt", *FIELDS, *words, "--out", "x", cwd=folder)
    assert done.returncode == 2
    assert message in done.stderr.decode()
    assert not (folder / "x").exists()


def test_verify_ends_with_0_1_or_2(folder: Path) -> None:
    run("check", "test.csv", "a.txt", "b.txt", *FIELDS, "--json", "r.json", cwd=folder)
    good = run("verify", "r.json", "test.csv", "a.txt", "b.txt", cwd=folder)
    assert (good.returncode, good.stderr) == (0, b"")
    assert b"Nothing differs" in good.stdout
    (folder / "b.txt").write_bytes(b"changed\n")
    bad = run("verify", "r.json", "test.csv", "a.txt", "b.txt", cwd=folder)
    assert bad.returncode == 1
    assert b"file: stamp.train.files[1].sha256: the report has" in bad.stdout
    none = run("verify", "test.csv", "test.csv", "a.txt", cwd=folder)
    assert (none.returncode, none.stdout) == (2, b"")
    assert b"the report is not JSON" in none.stderr


@pytest.mark.parametrize("rung", ["ngrams", "rows", "rules"])
def test_verify_follows_the_streamed_and_the_held_run(folder: Path, rung: str) -> None:
    words = ("test.csv", "a.txt", "b.txt")
    run(rung, *words, *FIELDS, "--json", "r.json", "--no-text", cwd=folder)
    done = run("verify", "r.json", *words, cwd=folder)
    assert (done.returncode, done.stderr) == (0, b"")


def test_cite_prints_a_sentence_and_a_table(folder: Path) -> None:
    run("check", "test.csv", "a.txt", *FIELDS, "--json", "r.json", cwd=folder)
    done = run("cite", "r.json", cwd=folder)
    assert (done.returncode, done.stderr) == (0, b"")
    text = done.stdout.decode()
    assert "2 of 2 share a run of 13 or more tokens with one training row (100.0%" in text
    assert (
        "| Normalized rows | equal text after L1+L3+L4+L8+L10 | rows |  |  | 1 of 3 |" in text
    )


# ---- the page's side ----


def compare(**chosen: Any) -> Comparison:
    made = Comparison()
    for side, text, name in (("test", TEST, "t.csv"), ("train", "".join(TRAIN), "a.txt")):
        finish(made.load(side, text.encode(), name, ReadOptions(), Bounds()))
    fields = {"test_fields": ("question",), "train_fields": ("text",), "test_id": ""}
    for rung in ("rows", "ngrams"):
        finish(made.run(rung, Settings(**{**fields, **chosen})))
    return made


def page_clean(made: Comparison, side: SideName, **what: Any) -> tuple[bytes, dict[str, Any]]:
    return finish(bridge_more.clean(made, side, **what))


def test_page_cleans_by_rung_and_mark() -> None:
    made = compare()
    data, summary = page_clean(
        made, "test", by=["normalized"], marks={"2": "leak", "3": "fine"}, drop_marks=["leak"]
    )
    assert data == f"question,id\n\nsay {RUN},3".encode()
    assert summary["by"] == {"normalized": 1, "mark: leak": 1}
    assert (summary["rows"], summary["kept"], summary["bad_left_out"]) == (3, 1, 0)
    data, summary = page_clean(
        made, "test", by=["ngrams"], marks={"3": "fine"}, keep_marks=["fine"]
    )
    assert (data, summary["spared"]) == (f"question,id\nshort,2\n\nsay {RUN},3".encode(), 1)
    data, _ = page_clean(made, "train", marks={"1": "leak"}, drop_marks=["leak"])
    assert data == b"more\r\n"


@pytest.mark.parametrize(
    ("what", "message"),
    [
        ({"marks": {"0": "leak"}}, "no record number"),
        ({"marks": {"x": "leak"}}, "no record number"),
        ({"marks": {"4": "leak"}}, "no record 4"),
        ({"marks": {"1": "good"}}, "a mark is one of"),
    ],
)
def test_page_refuses_marks_that_cannot_be(what: dict[str, Any], message: str) -> None:
    with pytest.raises(SettingError, match=message):
        page_clean(compare(), "test", **what)


def test_page_refuses_a_file_that_is_not_the_one_that_was_run() -> None:
    made = compare()
    with pytest.raises(NotRunError, match="rules has not been run"):
        page_clean(made, "test", by=["gpt3"])
    finish(made.load("test", TEST.encode(), "t.csv", ReadOptions(header=False), Bounds()))
    with pytest.raises(NotRunError, match="the test file has changed"):
        page_clean(made, "test", by=["ngrams"])


def test_page_cites_what_was_run() -> None:
    made = compare(n=9)
    cited = bridge_more.cite(made, ["ngrams"])
    assert "share a run of 9 or more tokens" in cited["sentence"]
    assert cited["markdown"].startswith("| Check |")
    with pytest.raises(NotRunError):
        bridge_more.cite(made, ["rules"])
