"""Words and tables to paste, against sentences and counts written out by hand."""

import re
from typing import Any

import pytest

from leakladder.cite import Cited, cite
from leakladder.jobs import finish
from leakladder.pipeline import Comparison
from leakladder.settings import Bounds, ReadOptions, Settings
from leakladder.wording import count, percent, percent_of, short_hash, verb

RUN = "one two three four five six seven eight nine ten eleven twelve thirteen"
TEST = f"{RUN}\nsay {RUN} and then a good deal more of it until the share is small\nshort\n"


def run(test: str, train: str, name: str = "test.txt", **chosen: Any) -> list[Cited]:
    comparison = Comparison()
    for side, text, called in (("test", test, name), ("train", train, "train.txt")):
        finish(comparison.load(side, text.encode(), called, ReadOptions(), Bounds()))
    made = []
    for rung in ("rows", "ngrams", "rules"):
        finish(comparison.run(rung, Settings(**chosen)))
        result = comparison.result(rung)
        made.append(Cited(rung, result.summary(), result.stamp()))
    return made


def test_sentence_names_rule_counts_version_and_files() -> None:
    rows, ngrams, _ = run(TEST, f"{RUN}\n", threshold=50)
    sentence = cite([ngrams])["sentence"]
    test, train = (ngrams.stamp[side]["sha256"][:12] for side in ("test", "train"))
    stamp = ngrams.stamp
    assert sentence == (
        f"Of the 3 rows of test.txt (SHA-256 {test}…),"
        f" held against train.txt (SHA-256 {train}…):"
        " 1 of 2 shares a run of 13 or more tokens with one training row and has 50% or more of"
        " their tokens inside such runs (50.0%, 1 further row could not be judged)."
        f" Computed with {stamp['product']}, algorithm {stamp['algorithm']},"
        f" Unicode {stamp['unicode']}."
    )
    assert (
        "1 of 3 recurs word for word in the training data (33.3%)" in cite([rows])["sentence"]
    )


def test_table_has_a_line_for_every_rate_and_the_whole_hashes_below() -> None:
    results = run(TEST, f"{RUN}\n", llama_min=11)
    made = cite(results)["markdown"].splitlines()
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in made[:11]]
    assert {len(row) for row in cells} == {8}
    assert {row[0]: row[3:] for row in cells[2:]} == {
        "Exact rows": ["", "", "1 of 3", "33.3%", "0"],
        "Normalized rows": ["", "", "1 of 3", "33.3%", "0"],
        "N-gram overlap": ["13", "any", "2 of 2", "100.0%", "1"],
        "GPT-3": ["8", "", "2 of 2", "100.0%", "1"],
        "PaLM": ["", "", "1 of 2", "50.0%", "1"],
        "Llama 2, dirty (80% or more)": ["11", "", "1 of 2", "50.0%", "1"],
        "Llama 2, not clean (20% or more)": ["11", "", "2 of 2", "100.0%", "1"],
        "GPT-4, three draws": ["", "", cells[9][5], cells[9][6], "0"],
        "GPT-4, any window": ["", "", "2 of 3", "66.7%", "0"],
    }
    assert re.fullmatch(r"1\.\d of 3", cells[9][5])
    below = "\n".join(made[11:])
    assert f"- Test file: test.txt, 3 rows, fields text, SHA-256 `{sha(results)}`" in below
    assert "- GPT-3: A shared run of N = 8 words flags." in below
    assert f"- Computed with {results[0].stamp['product']}, algorithm" in below


def sha(results: list[Cited]) -> str:
    return str(results[0].stamp["test"]["sha256"])


def test_identifiers_are_cited_only_where_there_are_some() -> None:
    rows, _, _ = run(
        '{"id":"a","q":"x"}\n{"q":"","id":"b"}\n', '{"id":"a","q":"y"}\n', "t.jsonl"
    )
    made = cite([rows])
    assert "1 of 2 has an id that recurs in the training data (50.0%)" in made["sentence"]
    assert (
        "0 of 2 recur word for word in the training data (0.0%, 1 of them without text)"
        in (made["sentence"])
    )
    assert "| 0 (1 blank in n) |" in made["markdown"]


def test_rows_without_text_could_not_be_judged_either() -> None:
    test = f'{{"q":"{RUN}"}}\n{{"q":""}}\n{{"q":"short"}}\n'
    _, ngrams, _ = run(test, f"{RUN}\n", "t.jsonl", test_fields=("q",))
    assert (
        "1 of 1 shares a run of 13 or more tokens with one training row (100.0%, 2 further"
        in (cite([ngrams])["sentence"])
    )


def test_nothing_to_check_is_said_and_not_given_a_rate() -> None:
    _, ngrams, _ = run("short\n", f"{RUN}\n")
    made = cite([ngrams])
    assert "nothing could be checked (1 further row could not be judged)" in made["sentence"]
    assert "| 0 of 0 | nothing could be checked | 1 |" in made["markdown"]


def test_names_of_files_cannot_write_markup() -> None:
    _, ngrams, _ = run(TEST, f"{RUN}\n", "a|b*[x](y)<b>\x1b[31m.txt")
    made = cite([ngrams])
    assert r"a\|b\*\[x\](y)\<b\>" in made["markdown"]
    assert "\x1b" not in made["markdown"] + made["sentence"]


def test_several_training_files_are_all_named() -> None:
    _, ngrams, _ = run(TEST, f"{RUN}\n")
    one = ngrams.stamp["train"]
    files = [{**one, "name": name} for name in ("a.txt", "b.txt", "c.txt")]
    stamp = {
        **ngrams.stamp,
        "train": {"name": "3 files", "files": files},
        "left_out": {"test": 2},
    }
    made = cite([Cited("ngrams", ngrams.summary, stamp)])
    assert re.search(r"against a.txt \(\S+ \S+\), b.txt \(.*\) and c.txt \(", made["sentence"])
    assert made["markdown"].count("- Training file: ") == 3
    assert (
        "- Left out, since they could not be read: 2 records of the test side"
        in made["markdown"]
    )


def test_nothing_run_nothing_cited() -> None:
    assert cite([]) == {"sentence": "", "markdown": ""}


@pytest.mark.parametrize(
    ("share", "expected"),
    [
        (None, "not defined"),
        (0.0, "0.0%"),
        (0.0004, "<0.1%"),
        (0.0005, "0.1%"),
        (0.9994, "99.9%"),
        (0.9996, ">99.9%"),
        (1.0, "100.0%"),
    ],
)
def test_a_share_never_rounds_to_nothing_or_all(share: float | None, expected: str) -> None:
    assert percent(share) == expected


def test_numbers_for_people() -> None:
    assert [count(1, "row"), count(1204, "row")] == ["1 row", "1,204 rows"]
    assert [percent_of(1, 3), percent_of(0, 0)] == ["33.3%", "not defined"]
    assert [short_hash("a" * 64), short_hash("abc")] == ["a" * 12 + "…", "abc"]


@pytest.mark.parametrize(
    ("part", "whole", "form"),
    [
        pytest.param(0, 1, "shares", id="0 of 1 row shares"),
        pytest.param(1, 1, "shares", id="1 of 1 row shares"),
        pytest.param(1, 5, "shares", id="1 of 5 rows shares"),
        pytest.param(0, 5, "share", id="0 of 5 rows share"),
        pytest.param(2, 5, "share", id="2 of 5 rows share"),
        pytest.param(1.4, 5, "share", id="1.4 of 5 rows share"),
    ],
)
def test_the_verb_agrees_with_the_part(part: float, whole: int, form: str) -> None:
    assert verb(part, whole, "shares", "share") == form
