"""`rules`, `check` and `reproduce` on the command line: shapes, limits, published numbers."""

import csv
import io
import json
from pathlib import Path

import pytest

from test_cli import COPY, run, write_jsonl

RULE_COLUMNS = (
    "index record line label words longest_run best_train_index ngrams8 ngrams8_found "
    "tokens_covered_L10 sub50_windows sub50_hits gpt3 palm llama2 "
    "gpt4_probability gpt4_any stamp"
).split()


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    """A copied row, one of three words, one without text; and two training rows."""
    test = [
        {"id": "t1", "q": COPY},
        {"id": "t2", "q": "three short words"},
        {"id": "t3", "q": ""},
    ]
    train = [{"id": "t1", "q": COPY}, {"id": "b", "q": "something else"}]
    paths = tmp_path / "test.jsonl", tmp_path / "train.jsonl"
    return write_jsonl(paths[0], test), write_jsonl(paths[1], train)


def test_rules_csv_has_its_columns_and_leaves_undefined_cells_empty(
    files: tuple[Path, Path],
) -> None:
    test, train = files
    done = run("rules", test, train, "--csv", "-", "--n", "8", cwd=test.parent)
    rows = list(csv.DictReader(io.StringIO(done.stdout.decode(), newline="")))
    assert list(rows[0]) == RULE_COLUMNS
    copied, short, blank = rows
    assert (copied["words"], copied["longest_run"], copied["best_train_index"]) == (
        "15",
        "15",
        "0",
    )
    assert (copied["ngrams8"], copied["ngrams8_found"], copied["tokens_covered_L10"]) == (
        "8", "8", "15",
    )  # fmt: skip
    assert (copied["gpt3"], copied["palm"], copied["llama2"]) == ("true", "true", "dirty")
    assert (copied["gpt4_probability"], copied["gpt4_any"]) == ("1.000000", "true")
    assert (short["gpt3"], short["palm"], short["llama2"], short["gpt4_any"]) == (
        "",
        "",
        "",
        "false",
    )
    assert (blank["gpt4_any"], blank["gpt4_probability"]) == ("", "")


def test_check_joins_the_rungs_with_one_stamp(files: tuple[Path, Path]) -> None:
    test, train = files
    done = run("check", test, train, "--json", "-", "--csv-dir", "out", cwd=test.parent)
    report = json.loads(done.stdout)
    assert list(report) == ["rows", "ngrams", "rules", "stamp"]
    assert report["rows"]["exact"]["items"] == 1
    assert report["rows"]["identifier"]["items"] == 1
    assert report["ngrams"]["summary"]["flagged"] == 1
    assert report["rules"]["summary"]["rules"]["gpt3"]["flagged"] == 1
    assert report["stamp"]["ngrams"]["n"] == 13
    assert report["stamp"]["rules"]["n_from"] == "percentile"
    assert "stamp" not in report["rows"]
    names = sorted(path.name for path in (test.parent / "out").iterdir())
    assert names == ["ngrams.csv", "rows.csv", "rules.csv"]


@pytest.mark.parametrize(
    ("limit", "code"),
    [
        ("exact=33", 3),  # 1 of 3 test rows is 33.3%
        ("exact=33.4", 0),
        ("ngrams=99.9", 3),  # 1 of 1 checkable
        ("ngrams=100", 0),
        ("gpt3=100", 0),
        ("palm=99", 3),
        ("llama2_dirty=100%", 0),
        ("gpt4_any=50", 0),  # 1 of 2 rows with text
        ("gpt4_any=49.9", 3),
    ],
)
def test_check_holds_a_limit_by_name(files: tuple[Path, Path], limit: str, code: int) -> None:
    test, train = files
    done = run("check", test, train, "--fail-over", limit, cwd=test.parent)
    assert done.returncode == code, done.stderr.decode()


def test_check_fails_when_nothing_was_checkable(files: tuple[Path, Path]) -> None:
    test, train = files
    write_jsonl(test, [{"q": "short"}])
    assert run("check", test, train, "--fail-over", "palm=100", cwd=test.parent).returncode == 3
    assert run("check", test, train, "--fail-over", "exact=0", cwd=test.parent).returncode == 0


def test_check_prints_one_line_a_rate(files: tuple[Path, Path]) -> None:
    test, train = files
    lines = run("check", test, train, cwd=test.parent).stdout.decode().splitlines()
    assert lines[0] == "3 test rows"
    shown = {line.split("  ")[1]: line for line in lines[1:]}
    assert "33.3%" in shown["Exact"]
    assert "1 of 1, 2 not judged" in shown["Shared run of 13"]
    assert len(lines) == 1 + 3 + 1 + 6


def test_rules_of_a_file_against_itself(tmp_path: Path) -> None:
    path = write_jsonl(tmp_path / "a.jsonl", [{"q": COPY}, {"q": COPY}, {"q": "alone " * 20}])
    done = run("rules", path, "--self", "--json", "-", cwd=tmp_path)
    report = json.loads(done.stdout)
    assert [row["best_train_index"] for row in report["rows"]] == [1, 0, None]
    assert report["stamp"]["same_file"] is True


def test_rules_reproduces_the_published_counts(data_dir: Path, tmp_path: Path) -> None:
    test, train = data_dir / "gsm8k_test.jsonl", data_dir / "gsm8k_train.jsonl"
    done = run("rules", test, train, "--field", "question", "--json", "-", cwd=tmp_path)
    summary = json.loads(done.stdout)["summary"]
    assert (summary["rows"], summary["n"], summary["n_from"]) == (1319, 13, "percentile")
    assert {
        name: rule["flagged"] for name, rule in summary["rules"].items() if name != "gpt4"
    } == {
        "gpt3": 3,
        "palm": 0,
        "llama2_dirty": 0,
        "llama2_20": 9,
        "gpt4_any": 4,
    }
    assert round(summary["rules"]["gpt4"]["flagged"], 1) == 1.9
    assert list(summary["sweep"]) == [str(n) for n in range(5, 51)]
    shares = {n: f"{100 * summary['sweep'][n]:.1f}" for n in ("5", "6", "8", "10", "13", "20")}
    assert list(shares.values()) == ["67.9", "34.8", "5.8", "0.7", "0.2", "0.1"]


def test_reproduce_prints_the_tables_and_writes_the_counts(
    data_dir: Path, tmp_path: Path
) -> None:
    cache = tmp_path / "cache"
    cache.mkdir()
    for name in ("gsm8k_test.jsonl", "gsm8k_train.jsonl"):
        (cache / name).write_bytes((data_dir / name).read_bytes())
    testmini = data_dir / "gsmplus_testmini.jsonl"
    done = run(
        "reproduce",
        "--cache",
        cache,
        "--gsmplus",
        testmini,
        "--csv",
        "counts.csv",
        cwd=tmp_path,
    )
    told = done.stdout.decode()
    assert done.returncode == 0, done.stderr.decode()
    assert "26,595 of 51,768" in told
    assert "632 (25 words, with 20)" in told
    head = (tmp_path / "counts.csv").read_text("utf-8").splitlines()[0]
    assert head == (
        "test_index,corpus,words,longest_run,ngrams8,ngrams8_found,"
        "tokens_covered_L10,sub50_windows,sub50_hits"
    )
