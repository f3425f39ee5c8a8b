"""The ladder at a glance: every test row once, on the lowest rung that catches it."""

import json
from typing import Any

import pytest

from leakladder.errors import SettingError
from leakladder.jobs import finish
from leakladder.ngram_report import TABLE_COLUMNS
from leakladder.pipeline import Comparison, NotRunError
from leakladder.settings import Bounds, ReadOptions, Settings

COPY = "the first of the nine boats left the harbour at dawn with forty crates aboard"
TEST = [
    "an exact row",  # exact
    "A Folded Row!",  # normalized
    f"before {COPY} after it came to pass",  # ngrams, 15 words
    "alpha beta gamma delta epsilon zeta eta theta iota",  # nine words: rules alone
    "nothing of this is anywhere",  # none
    "",  # unjudged
]
TRAIN = [
    "unrelated",
    "an exact row",
    "a folded row",
    f"Once {COPY}.",
    "x alpha beta gamma delta epsilon zeta eta theta iota y",
]


def jsonl(texts: list[str], ids: list[str]) -> bytes:
    rows = (
        f'{{"id": "{name}", "q": "{text}"}}\n' for name, text in zip(ids, texts, strict=True)
    )
    return "".join(rows).encode()


@pytest.fixture
def comparison() -> Comparison:
    made = Comparison()
    test = jsonl(TEST, [f"t{at}" for at in range(6)])
    train = jsonl(TRAIN, ["t5", *(f"r{at}" for at in range(4))])
    for side, data in (("test", test), ("train", train)):
        finish(made.load(side, data, f"{side}.jsonl", ReadOptions(), Bounds()))
    return made


def run(comparison: Comparison, *rungs: str) -> dict[str, Any]:
    for rung in rungs:
        finish(comparison.run(rung, Settings(rule_n=9)))
    return comparison.overview()


def test_each_row_counts_once_on_its_lowest_rung(comparison: Comparison) -> None:
    told = run(comparison, "rows", "ngrams", "rules")
    assert told["lowest"] == [
        {"name": "exact", "count": 1},
        {"name": "normalized", "count": 1},
        {"name": "ngrams", "count": 1},
        {"name": "rules", "count": 1},
        {"name": "none", "count": 1},
    ]
    assert (told["rows"], told["unjudged"], told["identifier"]) == (6, 1, 1)


def test_a_rung_that_was_not_run_has_no_band(comparison: Comparison) -> None:
    told = run(comparison, "ngrams")
    assert told["lowest"] == [{"name": "ngrams", "count": 1}, {"name": "none", "count": 4}]
    assert (told["identifier"], told["run"]) == (None, ["ngrams"])


def test_table_stands_in_ladder_order_and_filters_by_band(comparison: Comparison) -> None:
    run(comparison, "rows", "ngrams", "rules")
    page = comparison.table("overview")
    assert [row["lowest"] for row in page["rows"]] == [
        "exact", "normalized", "ngrams", "rules", "none", "unjudged",
    ]  # fmt: skip
    (row,) = comparison.table("overview", subset="rules")["rows"]
    assert (row["record"], row["rules"]) == (4, ["gpt3", "palm", "gpt4_any"])
    assert row["ngrams"] == {
        "state": "short", "flagged": None, "dirty_share": None, "longest_span": None,
    }  # fmt: skip
    (row,) = comparison.table("overview", subset="identifier")["rows"]
    assert row["label"] == "t5"
    assert comparison.table("overview", filter="ANYWHERE")["total"] == 1
    with pytest.raises(SettingError):
        comparison.table("overview", subset="nonsense")


def test_training_rows_that_hit_have_their_longest_run(comparison: Comparison) -> None:
    run(comparison, "rows", "ngrams")
    page = comparison.table("train")
    assert [(row["record"], row["longest_run"]) for row in page["rows"]] == [
        (4, 15), (2, 0), (3, 0),
    ]  # fmt: skip
    assert [row["exact"] for row in page["rows"]] == [False, True, False]
    assert comparison.table("train", subset="all")["total"] == 5


def test_a_pair_of_the_overview_has_the_verdicts(comparison: Comparison) -> None:
    run(comparison, "ngrams", "rules")
    pair = comparison.pair("overview", 2)
    assert pair["verdicts"]["gpt3"] is True
    assert pair["longest_span"] == 15


def marked(side: dict[str, Any]) -> list[str]:
    return [
        part["text"][mark["start"] : mark["stop"]]
        for part in side["parts"]
        for mark in part["marks"]
    ]


@pytest.mark.parametrize(
    ("index", "record", "match", "text"),
    [
        pytest.param(0, 2, "exact", "an exact row", id="three words, as written"),
        pytest.param(1, 3, "normalized", "a folded row", id="three words, once folded"),
    ],
)
def test_a_row_too_short_for_a_run_is_read_beside_the_row_that_it_is(
    comparison: Comparison, index: int, record: int, match: str, text: str
) -> None:
    run(comparison, "rows", "ngrams", "rules")
    pair = comparison.pair("overview", index)
    assert (pair["train"]["record"], pair["match"]) == (record, match)
    assert marked(pair["train"]) == [text]
    assert comparison.pair("ngrams", index)["train"] is None  # no run of 13, and that is said


def test_a_row_that_a_rule_alone_catches_is_read_beside_the_rule_s_row(
    comparison: Comparison,
) -> None:
    run(comparison, "rows", "ngrams", "rules")
    pair = comparison.pair("overview", 3)
    assert (pair["train"]["record"], pair["runs"], "match" in pair) == (5, [9], False)
    assert marked(pair["test"]) == [TEST[3]]
    assert comparison.pair("overview", 4)["train"] is None


def test_in_a_file_against_itself_a_row_is_read_beside_another_one() -> None:
    made = Comparison()
    data = jsonl(["a row twice", "a row once", "A row, twice!"], ["x", "y", "z"])
    for side in ("test", "train"):
        finish(made.load(side, data, "same.jsonl", ReadOptions(), Bounds()))
    run(made, "rows", "ngrams")
    assert made.pair("overview", 0)["train"]["record"] == 3
    assert made.pair("overview", 1)["train"] is None


@pytest.mark.parametrize("rung", ["overview", "train", "rows", "ngrams", "rules"])
def test_a_table_refuses_a_column_that_it_does_not_have(
    comparison: Comparison, rung: str
) -> None:
    run(comparison, "rows", "ngrams", "rules")
    with pytest.raises(SettingError, match="no column named 'nonsense'"):
        comparison.table(rung, sort="nonsense")


@pytest.mark.parametrize("column", sorted(TABLE_COLUMNS))
def test_the_n_gram_table_sorts_by_each_of_its_columns(
    comparison: Comparison, column: str
) -> None:
    run(comparison, "ngrams")
    rows = comparison.table("ngrams", sort=column, subset="all")["rows"]
    known = [row[column] for row in rows if row[column] is not None]
    assert known == sorted(known)
    assert len(rows) == 6


def test_an_item_of_the_rows_rung_has_its_whole_text(comparison: Comparison) -> None:
    run(comparison, "rows")
    rows = comparison.table("rows")["rows"]
    folded = next(row for row in rows if row["match"] == "normalized")
    pair = comparison.pair("rows", folded["at"])
    assert (pair["test"]["text"], pair["train"]["text"]) == ("A Folded Row!", "a folded row")
    assert pair["test"]["rows"] == [{"record": 2, "line": 2}]
    with pytest.raises(SettingError):
        comparison.pair("rows", 99)


def test_nothing_run_says_so(comparison: Comparison) -> None:
    with pytest.raises(NotRunError):
        comparison.overview()


def test_results_of_other_files_do_not_mix_with_those_of_these(comparison: Comparison) -> None:
    run(comparison, "rows", "ngrams", "rules")
    fresh = jsonl([f"now {COPY}", "second", "third", "4", "5", "6", "7"], list("abcdefg"))
    finish(comparison.load("test", fresh, "fresh.jsonl", ReadOptions(), Bounds()))
    finish(comparison.run("ngrams", Settings()))
    report = json.loads(finish(comparison.export("check.json")))
    assert list(report) == ["ngrams", "stamp"]
    assert report["stamp"]["test"]["name"] == "fresh.jsonl"
    assert "verdicts" not in comparison.pair("overview", 0)
    assert "verdicts" not in comparison.pair("overview", 6)  # the old file had six rows
    finish(comparison.load("test", b"other", "other.txt", ReadOptions(), Bounds()))
    job = comparison.run("ngrams", Settings(tokens="strict"))
    next(job)
    job.close()
    with pytest.raises(NotRunError):
        finish(comparison.export("check.json"))
