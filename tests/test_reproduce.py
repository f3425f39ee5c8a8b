"""`reproduce`: what it fetches, what it refuses, and what it prints and writes."""

import csv
import hashlib
import io
import json
import urllib.request
from pathlib import Path
from typing import Any
from urllib.error import URLError

import pytest

from leakladder import download
from leakladder.download import DownloadError, Source, git_blob, obtain
from leakladder.errors import FieldError
from leakladder.reproduce import COPIES, CSV_COLUMNS, TEST, TRAIN, reproduce

DATA = b'{"question": "one"}\n'
SUM = hashlib.sha256(DATA).hexdigest()
PINNED = Source("file.jsonl", "https://example.org/commit/file.jsonl", SUM)
UNPINNED = Source("file.jsonl", "https://example.org/commit/file.jsonl")


class FakeResponse(io.BytesIO):
    headers: dict[str, str] = {}  # noqa: RUF012 - as the real one: read only


@pytest.fixture
def answer(monkeypatch: pytest.MonkeyPatch) -> list[bytes]:
    """What addresses answer with, the last first; no answer once it is used up."""
    answers: list[bytes] = []

    def open_address(url: str, *, timeout: float) -> FakeResponse:
        assert url.startswith("https://")
        assert timeout > 0
        if not answers:
            raise URLError("no such host")
        return FakeResponse(answers.pop())

    monkeypatch.setattr(urllib.request, "urlopen", open_address)
    return answers


# ---- fetching


def test_a_missing_file_is_fetched_and_kept(tmp_path: Path, answer: list[bytes]) -> None:
    answer.append(DATA)
    folder = tmp_path / "new"
    assert obtain(PINNED, folder) == DATA
    assert [path.name for path in folder.iterdir()] == ["file.jsonl"]
    assert obtain(PINNED, folder) == DATA  # nothing answers any more: it came from the folder


def test_a_file_with_another_sum_is_fetched_again(tmp_path: Path, answer: list[bytes]) -> None:
    (tmp_path / "file.jsonl").write_bytes(b"spoilt")
    answer.append(DATA)
    assert obtain(PINNED, tmp_path) == DATA
    assert (tmp_path / "file.jsonl").read_bytes() == DATA


def test_a_fetched_file_with_another_sum_is_refused(
    tmp_path: Path, answer: list[bytes]
) -> None:
    answer.append(b"something else")
    with pytest.raises(DownloadError, match=f"and not {SUM}; nothing was kept"):
        obtain(PINNED, tmp_path)
    assert not list(tmp_path.iterdir())


def test_no_answer_is_an_expected_error(tmp_path: Path, answer: list[bytes]) -> None:
    assert not answer
    with pytest.raises(DownloadError, match="cannot be fetched"):
        obtain(PINNED, tmp_path)


def test_a_first_download_records_its_sum(tmp_path: Path, answer: list[bytes]) -> None:
    answer.append(DATA)
    assert obtain(UNPINNED, tmp_path) == DATA
    record = tmp_path / "file.jsonl.sha256"
    assert record.read_text("utf-8") == f"{SUM}  file.jsonl\n"
    (tmp_path / "file.jsonl").write_bytes(b"changed since")
    answer.append(b"changed since")
    with pytest.raises(DownloadError, match=f"and not {SUM}"):
        obtain(UNPINNED, tmp_path)


def test_the_git_id_of_a_commit_is_checked(tmp_path: Path, answer: list[bytes]) -> None:
    assert git_blob(b"") == "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391"  # git's empty file
    pinned = Source("file.jsonl", PINNED.url, git_blob=git_blob(DATA))
    answer.append(DATA)
    assert obtain(pinned, tmp_path) == DATA
    (tmp_path / "file.jsonl").write_bytes(b"other")
    (tmp_path / "file.jsonl.sha256").unlink()
    answer.append(b"other")
    with pytest.raises(DownloadError, match="its git id is"):
        obtain(pinned, tmp_path)


def test_only_https_is_fetched(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="not an https address"):
        obtain(Source("x", "file:///etc/hostname"), tmp_path)


def test_the_pinned_sums_are_those_of_the_data(data_dir: Path) -> None:
    for source in (TEST, TRAIN):
        assert download.sha256((data_dir / source.name).read_bytes()) == source.sha256


# ---- the tables


@pytest.fixture
def cache(data_dir: Path) -> Path:
    """A folder that holds both GSM8K files; `answer` keeps it from being written to."""
    return data_dir


def table_cells(lines: list[str], title: str) -> list[str]:
    """Return the cells of every table line with a title, all tables after each other."""
    return [cell for line in lines if line.startswith(title) for cell in line[50:].split()]


def test_gsm8k_alone_when_gsmplus_cannot_be_had(
    cache: Path, answer: list[bytes], capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    assert not answer
    target = tmp_path / "counts.csv"
    assert reproduce(cache, csv_target=str(target)) == 0
    told = capsys.readouterr()
    assert "the GSM-Plus tables are left out" in told.err
    assert COPIES.url in told.err
    lines = told.out.splitlines()
    assert table_cells(lines, "GSM8K train (7,473") == [
        *("1,319", "0.2%", "0.0%", "0.0%", "0.7%", "0.1%", "0.3%"),
        *("1,319", "67.9%", "34.8%", "5.8%", "0.7%", "0.2%", "0.1%", "0.0%", "0.0%"),
    ]
    assert table_cells(lines, "GSM8K test, the other rows") == [
        *("1,319", "0.3%", "0.0%", "0.0%", "0.6%", "0.2%", "0.6%"),
        *("1,319", "41.1%", "16.0%", "2.7%", "0.8%", "0.3%", "0.0%", "0.0%", "0.0%"),
    ]
    assert "8-word windows with a digit: 26,595 of 51,768 (51.4%)" in lines
    assert "13-word windows with a digit: 31,432 of 45,173 (69.6%)" in lines
    assert any("632 (25 words, with 20), 602 (19 words, with 1314)" in line for line in lines)
    rows = list(csv.DictReader(io.StringIO(target.read_text("utf-8"))))
    assert tuple(rows[0]) == CSV_COLUMNS
    assert len(rows) == 2 * 1319
    assert rows[632] == {
        "test_index": "632",
        "corpus": "gsm8k_train",
        "words": rows[632]["words"],
        "longest_run": "25",
        "ngrams8": str(int(rows[632]["words"]) - 7),
        "ngrams8_found": rows[632]["ngrams8_found"],
        "tokens_covered_L10": rows[632]["tokens_covered_L10"],
        "sub50_windows": "185",
        "sub50_hits": "52",
    }


def test_the_testmini_in_place_of_gsmplus(
    cache: Path,
    data_dir: Path,
    answer: list[bytes],
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
) -> None:
    assert not answer
    target = tmp_path / "counts.csv"
    copies = data_dir / "gsmplus_testmini.jsonl"
    assert reproduce(cache, gsmplus=copies, csv_target=str(target)) == 0
    told = capsys.readouterr()
    assert told.err == ""
    lines = told.out.splitlines()
    assert "gsmplus_testmini.jsonl: 2,400 edited copies of 300 questions" in lines
    # 225, 29, 63, 271 and 233 of 300, and a mean of 0.4586
    assert table_cells(lines, "own copy: numerical substitution")[:7] == [
        *("300", "75.0%", "9.7%", "21.0%", "90.3%", "45.9%", "77.7%")
    ]
    # 4, 0, 1, 8 and 4 of 300, and a mean of 0.0058
    assert table_cells(lines, "own copy: problem understanding")[:7] == [
        *("300", "1.3%", "0.0%", "0.3%", "2.7%", "0.6%", "1.3%")
    ]
    rows = list(csv.DictReader(io.StringIO(target.read_text("utf-8"))))
    corpora = dict.fromkeys(row["corpus"] for row in rows)
    assert list(corpora)[:2] == ["gsm8k_train", "gsm8k_test_others"]
    assert list(corpora)[-1] == "gsmplus_all"
    assert len(rows) == 2 * 1319 + 9 * 300
    questions = questions_of(data_dir / "gsm8k_test.jsonl")
    seeds = {
        json.loads(line)["seed_question"] for line in copies.read_text("utf-8").split("\n")[:-1]
    }
    own = [row for row in rows if row["corpus"] == "own_variant:adding operation"]
    assert {questions[int(row["test_index"])] for row in own} == seeds
    assert sum(int(row["longest_run"]) >= 13 for row in own) == 264


def test_a_copy_of_no_question_is_refused(
    cache: Path, answer: list[bytes], tmp_path: Path
) -> None:
    assert not answer
    stray: dict[str, Any] = {
        "question": "a",
        "seed_question": "no such question",
        "perturbation_type": "x",
    }
    path = tmp_path / "stray.jsonl"
    path.write_text(json.dumps(stray) + "\n", "utf-8")
    with pytest.raises(FieldError, match="no test question"):
        reproduce(cache, gsmplus=path)


def questions_of(path: Path) -> list[str]:
    return [
        json.loads(line)["question"] for line in path.read_text("utf-8").split("\n") if line
    ]
