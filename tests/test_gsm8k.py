"""N-gram overlap on GSM8K, against a dictionary of n-grams that shares no code with ours."""

import json
import re
import unicodedata
from collections import defaultdict
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from conftest import PyodideHost
from core_runs import compare_files


def tokens_of(text: str) -> list[str]:
    """Split into runs of letters and digits, then fold each (GSM8K has no combining marks)."""
    found = re.findall(r"[^\W_]+", text)
    return [
        unicodedata.normalize("NFKC", unicodedata.normalize("NFC", word)).casefold()
        for word in found
    ]


@cache
def questions(path: Path) -> list[list[str]]:
    """Return the tokens of every question; records end at a line feed only."""
    lines = path.read_text("utf-8").split("\n")
    return [tokens_of(json.loads(line)["question"]) for line in lines if line]


@cache
def expected_rows(folder: Path, n: int) -> list[tuple[int, int, int, bool | None]]:
    """Return (tokens, dirty tokens, windows, flagged) of every test question."""
    grams: dict[tuple[str, ...], bool] = defaultdict(bool)
    for row in questions(folder / "gsm8k_train.jsonl"):
        for at in range(len(row) - n + 1):
            grams[tuple(row[at : at + n])] = True
    rows: list[tuple[int, int, int, bool | None]] = []
    for row in questions(folder / "gsm8k_test.jsonl"):
        hits = [at for at in range(len(row) - n + 1) if tuple(row[at : at + n]) in grams]
        dirty = {at + step for at in hits for step in range(n)}
        rows.append((len(row), len(dirty), len(hits), bool(hits)))
    return rows


def told_rows(report: dict[str, Any]) -> list[tuple[int, int, int, bool | None]]:
    """Return the same four figures as the core has them."""
    names = ("tokens", "dirty_tokens", "windows", "flagged")
    return [tuple(row[name] for name in names) for row in report["rows"]]


@pytest.mark.parametrize("n", [8, 13])
def test_every_row_agrees_with_a_dictionary_of_ngrams(data_dir: Path, n: int) -> None:
    report = compare_files(
        str(data_dir / "gsm8k_test.jsonl"),
        str(data_dir / "gsm8k_train.jsonl"),
        "ngrams",
        {"test_fields": ["question"], "train_fields": ["question"], "n": n},
    )
    assert told_rows(report) == expected_rows(data_dir, n)
    assert report["summary"]["rows"] == 1319
    assert report["summary"]["train_rows"] == 7473


@pytest.mark.pyodide
@pytest.mark.parametrize("n", [8, 13])
def test_pyodide_agrees_with_the_dictionary_too(
    data_dir: Path, pyodide: PyodideHost, n: int
) -> None:
    report = pyodide.call(
        "core_runs",
        "compare_files",
        "/data/gsm8k_test.jsonl",
        "/data/gsm8k_train.jsonl",
        "ngrams",
        {"test_fields": ["question"], "train_fields": ["question"], "n": n},
    )
    assert told_rows(report) == expected_rows(data_dir, n)
