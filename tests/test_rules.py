"""The published rules at their borders, against brute force, and on GSM8K."""

import json
import random
import unicodedata
from collections.abc import Generator, Sequence
from fractions import Fraction
from itertools import combinations
from pathlib import Path
from typing import NamedTuple, TypeVar

import pytest

from leakladder.charwindows import find_windows
from leakladder.judgement import SWEEP, Judgement, judge, sweep
from leakladder.measures import Measures, choose_parameters, measure_rows, percentile_length
from leakladder.results import Progress
from leakladder.rules import RULES, YES_OR_NO, hit_probability
from leakladder.runs import find_runs
from leakladder.tokens import Vocabulary, encode_rows

T = TypeVar("T")
Rows = Sequence[tuple[str, ...]]
EXAMPLE = Path(__file__).parent.parent / "web" / "examples" / "rules.json"
LETTERS = [chr(0x4E00 + number) for number in range(5_000)]  # each stands for one word


def finish(job: Generator[Progress, None, T]) -> T:
    while True:
        try:
            next(job)
        except StopIteration as stop:
            result: T = stop.value
            return result


def measure(test: Rows, train: Rows, *, llama_min: int = 10, same: bool = False) -> Measures:
    vocabulary = Vocabulary()
    sides = [list(zip(*rows, strict=True)) for rows in (test, train)]
    tokens, train_tokens = (encode_rows(side, "gpt3-words", vocabulary) for side in sides)
    runs = finish(find_runs(tokens, [train_tokens], same_file=same))
    hits = finish(find_windows(sides[0], [sides[1]], same_file=same))
    return measure_rows(runs, hits, llama_min=llama_min)


def decide(
    test: Rows, train: Rows, *, rule_n: int | None = None, llama_min: int = 10
) -> Judgement:
    rows = measure(test, train, llama_min=llama_min)
    return judge(rows, choose_parameters(rows.words, rule_n=rule_n, llama_min=llama_min))


def decide_one(test: str, *train: str, llama_min: int = 10) -> dict[str, bool | float | None]:
    judgement = decide([(test,)], [(text,) for text in train], llama_min=llama_min)
    return {name: column[0] for name, column in judgement.verdicts.items()}


def text_of(*ranges: tuple[int, int]) -> str:
    """Write words numbered by half-open ranges; equal numbers are equal words."""
    return " ".join(LETTERS[number] for start, stop in ranges for number in range(start, stop))


# ---- the borders


@pytest.mark.parametrize(
    ("words", "n", "palm", "llama2"),
    [
        pytest.param(7, None, None, None, id="7 words: no rule of words is defined"),
        pytest.param(8, 8, True, None, id="8 words"),
        pytest.param(9, 9, True, None, id="9 words: N follows, Llama 2 is not defined"),
        pytest.param(10, 10, True, "dirty", id="10 words"),
        pytest.param(11, 11, True, "dirty", id="11 words"),
    ],
)
def test_a_short_row_copied_whole(
    words: int, n: int | None, *, palm: bool | None, llama2: str | None
) -> None:
    text = text_of((0, words))
    judgement = decide([(text,)], [(text,)])
    assert judgement.parameters.n == (n or 8)
    assert list(judgement.verdicts["gpt3"]) == [True if n else None]
    assert list(judgement.verdicts["palm"]) == [palm]
    assert list(judgement.measures.ngrams8_found) == [max(0, words - 7)]
    assert list(judgement.llama2) == [llama2]
    assert list(judgement.verdicts["gpt4"]) == [1.0]
    assert judgement.low_evidence == 1


@pytest.mark.parametrize(
    ("length", "probability"), [(49, 0), (50, 1), (51, 1), (52, 1), (53, 0.75), (54, 0.6)]
)
def test_three_draws_over_the_first_50_characters(length: int, probability: float) -> None:
    text = "".join(LETTERS[:length])
    verdicts = decide_one(text, text[:50] if length >= 50 else text[:48])
    assert verdicts["gpt4"] == probability
    assert verdicts["gpt4_any"] is (probability > 0)


@pytest.mark.parametrize(
    ("shared", "dirty"),
    [
        pytest.param(13, False, id="6 of 10 8-grams"),
        pytest.param(14, True, id="7 of 10: exactly 70%"),
        pytest.param(15, True, id="8 of 10"),
    ],
)
def test_palm_at_its_border(shared: int, *, dirty: bool) -> None:
    verdicts = decide_one(text_of((0, 17)), text_of((0, shared)))
    assert verdicts["palm"] is dirty


@pytest.mark.parametrize(
    ("words", "shared", "llama2"),
    [
        pytest.param(51, 10, "clean", id="10 of 51 words, under 20%"),
        pytest.param(50, 10, "between", id="10 of 50: exactly 20%"),
        pytest.param(50, 39, "between", id="39 of 50, under 80%"),
        pytest.param(50, 40, "dirty", id="40 of 50: exactly 80%"),
        pytest.param(10, 9, "clean", id="a run of 9 does not count"),
    ],
)
def test_llama2_at_its_borders(words: int, shared: int, llama2: str) -> None:
    judgement = decide([(text_of((0, words)),)], [(text_of((0, shared)),)])
    assert list(judgement.llama2) == [llama2]


@pytest.mark.parametrize(
    ("run", "covered_at_10", "covered_at_11"),
    [pytest.param(9, 0, 0), pytest.param(10, 10, 0), pytest.param(11, 11, 11)],
)
def test_runs_of_9_10_and_11_words(run: int, covered_at_10: int, covered_at_11: int) -> None:
    sides = [(text_of((0, 30)),)], [(text_of((5, 5 + run), (100, 120)),)]
    assert list(measure(*sides).covered) == [covered_at_10]
    assert list(measure(*sides, llama_min=11).covered) == [covered_at_11]


def test_the_other_reading_leaves_rows_of_ten_words_undefined() -> None:
    text = text_of((0, 10))
    assert decide_one(text, text)["llama2_dirty"] is True
    assert decide_one(text, text, llama_min=11)["llama2_dirty"] is None


def test_a_match_split_over_two_rows_is_no_match_for_gpt3() -> None:
    verdicts = decide_one(text_of((0, 16)), text_of((0, 8)), text_of((8, 16)))
    assert verdicts["gpt3"] is False
    assert verdicts["palm"] is False  # 2 of 9: each window may come from another row


def test_palm_takes_windows_from_different_rows() -> None:
    verdicts = decide_one(text_of((0, 16)), text_of((0, 12)), text_of((5, 16)))
    assert verdicts["gpt3"] is False
    assert verdicts["palm"] is True  # windows 0 to 4 and 5 to 8: all 9


def test_a_match_at_the_very_end_counts() -> None:
    text = text_of((0, 13))
    verdicts = decide_one(text, "x", text_of((200, 230)) + " " + text)
    assert verdicts == {**dict.fromkeys(verdicts, True), "gpt4": 1.0}


def test_a_row_of_digits_is_text() -> None:
    text = " ".join(map(str, range(1_000, 1_020)))
    verdicts = decide_one(text, text)
    assert verdicts == {**dict.fromkeys(verdicts, True), "gpt4": 1.0}


def test_one_giant_token_has_no_words_to_share() -> None:
    text = "".join(LETTERS[:3_000])
    verdicts = decide_one(text, text)
    words = ("gpt3", "palm", "llama2_dirty", "llama2_20")
    assert [verdicts[name] for name in words] == [None] * 4
    assert verdicts["gpt4_any"] is True


def test_a_row_is_defined_by_its_longest_field() -> None:
    long, short = text_of((0, 20)), text_of((50, 53))
    judgement = decide([(long, short), (short, long), (short, short)], [(long, "")])
    for name in ("gpt3", "palm", "llama2_dirty"):
        assert list(judgement.verdicts[name]) == [True, True, None]
    assert list(judgement.measures.words) == [23, 23, 6]


def test_a_row_without_text_is_defined_nowhere() -> None:
    judgement = decide([("?! $",), ("",)], [("?! $",), ("",)])
    for rule in RULES:
        assert list(judgement.verdicts[rule.name]) == [None, None]
        assert judgement.tallies[rule.name].share is None
        assert judgement.tallies[rule.name].undefined == 2


@pytest.mark.parametrize(
    ("lengths", "expected"),
    [
        pytest.param([], None, id="no rows"),
        pytest.param([0, 0], None, id="no words"),
        pytest.param([4], 4, id="one row"),
        pytest.param([*range(1, 20)], 1, id="19 rows: floor(0.95) is 0"),
        pytest.param([*range(1, 21)], 2, id="20 rows: the second"),
        pytest.param([0] * 500 + [*range(1, 21)], 2, id="rows without words do not count"),
        pytest.param([*range(1, 61)], 4, id="60 rows: the fourth, in whole numbers"),
    ],
)
def test_percentile_length(lengths: list[int], expected: int | None) -> None:
    assert percentile_length(lengths) == expected


@pytest.mark.parametrize(
    ("length", "n"), [(1, 8), (7, 8), (8, 8), (9, 9), (12, 12), (13, 13), (14, 13), (90, 13)]
)
def test_n_stays_within_8_and_13(length: int, n: int) -> None:
    parameters = choose_parameters([length])
    assert (parameters.n, parameters.n_from) == (n, "percentile")


def test_n_can_be_chosen() -> None:
    parameters = choose_parameters([90], rule_n=20)
    assert (parameters.n, parameters.n_from) == (20, "chosen")


def test_hit_probability_counts_draws() -> None:
    for windows in range(1, 9):
        for hits in range(windows + 1):
            draws = list(combinations(range(windows), min(3, windows)))
            found = sum(any(window < hits for window in draw) for draw in draws)
            assert hit_probability(windows, hits) == float(Fraction(found, len(draws)))
    assert hit_probability(0, 0) is None


def test_hit_probability_of_two_million_windows_is_exact() -> None:
    windows = 1_989_951
    expected = 1 - Fraction(windows - 3, windows)  # one hit is drawn with probability 3/m
    assert hit_probability(windows, 1) == float(expected)


# ---- the oracle


class Expected(NamedTuple):
    words: int
    longest_run: int
    ngrams8: int
    ngrams8_found: int
    covered: int
    windows: int
    window_hits: int


def split_words(text: str) -> list[str]:
    kept = (
        "".join(char for char in word if unicodedata.category(char)[0] not in "PS")
        for word in text.split()
    )
    return [word.lower() for word in kept if word]


def process(text: str) -> str:
    return "".join(
        char
        for char in text
        if not char.isspace() and unicodedata.category(char)[0] not in "PSZC"
    )


def holds(words: list[str], part: list[str]) -> bool:
    return any(words[at : at + len(part)] == part for at in range(len(words) - len(part) + 1))


def expect_row(fields: tuple[str, ...], others: Rows, llama_min: int) -> Expected:
    train = [split_words(text) for row in others for text in row]
    longest = ngrams = found = covered = total = 0
    for words in map(split_words, fields):
        total += len(words)
        dirty = set()
        for start, stop in combinations(range(len(words) + 1), 2):
            size = stop - start
            if size == 8:
                ngrams += 1
            if size >= 5 and any(holds(other, words[start:stop]) for other in train):
                longest = max(longest, size)
                found += size == 8
                dirty |= set(range(start, stop)) if size >= llama_min else set()
        covered += len(dirty)
    texts = list(map(process, fields))
    windows = [text[at : at + 50] for text in texts for at in range(len(text) - 49)]
    windows = windows or [text for text in [max(texts, key=len)] if text]
    train_texts = [process(text) for row in others for text in row]
    hits = sum(any(window in text for text in train_texts) for window in windows)
    return Expected(total, longest, ngrams, found, covered, len(windows), hits)


def draw_rows(rng: random.Random, phrases: list[list[str]]) -> list[tuple[str, ...]]:
    def draw_text() -> str:
        parts = [
            rng.choice(phrases) if rng.random() < 0.7 else rng.choices("abcdefgh", k=3)
            for _ in range(rng.randint(0, 4))
        ]
        return " ".join(word for part in parts for word in part)

    return [tuple(draw_text() for _ in range(len(phrases) % 2 + 1)) for _ in range(6)]


@pytest.mark.parametrize("same", [False, True])
@pytest.mark.parametrize("seed", range(30))
def test_against_brute_force(seed: int, *, same: bool) -> None:
    rng = random.Random(seed)
    alphabet = rng.choice([["one"], ["ab", "c,", "-", "D"], LETTERS[:40], ["12", "eggs", "$"]])
    count = rng.choice([3, 4])
    phrases = [rng.choices(alphabet, k=rng.randint(4, 16)) for _ in range(count)]
    test = draw_rows(rng, phrases)
    train = test if same else draw_rows(rng, phrases)
    least = rng.choice([10, 11])
    rows = measure(test, train, llama_min=least, same=same)
    for at, fields in enumerate(test):
        others = [row for other, row in enumerate(train) if not (same and other == at)]
        expected = expect_row(fields, others, least)
        assert Expected(*(getattr(rows, name)[at] for name in Expected._fields)) == expected


# ---- tables over rows


def test_the_sweep_agrees_with_the_gpt3_rule_at_every_n() -> None:
    rng = random.Random(3)
    test = [(text_of((0, rng.randint(0, 60))),) for _ in range(40)]
    train = [(text_of((3, rng.randint(4, 60))),) for _ in range(3)]
    measures = measure(test, train)
    swept = sweep(measures)
    assert list(swept) == list(SWEEP)
    for n in SWEEP:
        tally = judge(measures, choose_parameters(measures.words, rule_n=n)).tallies["gpt3"]
        assert swept[n] == tally
    assert 0 < swept[13].flagged < swept[5].flagged


def test_disagreements_name_the_rules_that_flag() -> None:
    copied, half, other = text_of((0, 40)), text_of((100, 114), (200, 240)), text_of((300, 340))
    test = [(copied,), (half,), (half,), (other,), ("short",)]
    judgement = decide(test, [(copied,), (text_of((100, 114)),)], rule_n=13)
    assert judgement.disagreements == ((("gpt3",), 2),)
    assert judgement.disagree == [False, True, True, False, False]


def test_an_undefined_rule_disagrees_with_nobody() -> None:
    copied = text_of((0, 8))
    judgement = decide([(copied,)], [(copied,)])
    assert [judgement.verdicts[name][0] for name in YES_OR_NO] == [True, True, None, True]
    assert judgement.disagree == [False]


def test_every_rule_prints_what_it_ran_with() -> None:
    ten = choose_parameters([9], llama_min=10)
    eleven = choose_parameters([9], rule_n=13, llama_min=11)
    for rule in RULES:
        notes = rule.note(ten), rule.note(eleven)
        assert (notes[0] != notes[1]) == bool(rule.parameters)
        assert "arXiv:" in rule.source
    assert len({rule.name for rule in RULES}) == len(RULES)


# ---- the worked example of the page


def test_the_four_rules_part_on_the_example() -> None:
    example = json.loads(EXAMPLE.read_text("utf-8"))
    sides = [
        [(json.loads(line)["question"],) for line in example[side]["text"].split("\n") if line]
        for side in ("test", "train")
    ]
    judgement = decide(*sides)
    rows = [judgement.verdicts[name] for name in YES_OR_NO]
    assert judgement.parameters.n == 13
    assert list(zip(*rows, strict=True)) == [
        (True, True, True, True),  # copied whole
        (True, False, False, True),  # numbers changed
        (False, True, True, True),  # sewn together from two rows
        (False, False, False, True),  # seven long words
        (False, False, False, False),  # the first row in other words
    ]
    assert list(judgement.llama2) == ["dirty", "between", "dirty", "clean", "clean"]
    assert judgement.disagree == [False, True, True, True, False]
    assert len(judgement.disagreements) == 3
