"""Random pairs of files through the whole pipeline against oracles; a number makes a pair.

What is expected comes from the records a pair was written from, never from the files: tokens by
the letter of their definitions, runs by comparing every pair of positions, keys as tuples,
windows by looking each one up.
"""

import csv
import io
import json
import random
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import comb
from typing import Any
from unittest import mock

from core_runs import compare_bytes
from leakladder import sides
from leakladder.csv_export import restore_text
from oracle_runs import Side, oracle_coverage, oracle_runs
from test_charwindows import clean as processed
from test_charwindows import expect as expect_windows
from test_tokens import expected_tokens

Record = dict[str, str | None]
Covered = tuple[int, int, int, int, str, bool]
WORDS = "the a of lamp Lamp LAMP copper river seven 7 7.5 first-rate don't x_y $5 50%".split()
STRANGE = (
    "caf\u00e9 cafe\u0301 STRASSE stra\u00dfe \u0130 \u00bd \ufb01n \u6f22\u5b57 \U0001f600"
    " \u0928\u092e\u0938\u094d\u0924\u0947 \u200b a\u200bb ? !! \u2014 =1+1 +1 -1 @x 'quoted'"
    " \u0e01\u0e33 \U00010400 \x1e \u2028 \u0345 \u03c3\u03c2 \u01c4 \u2460 \uff21"
).split(" ")
# Hangul parts that compose, and marks that a symbol may have built in: here the definitions
# that the oracle reads by the letter have exceptions, held by tests of their own.
EXCEPTED = {*range(0x1161, 0x1176), *range(0x11A8, 0x11C3), *range(0x300, 0x370), 0x16D67}
GAPS = (" ", " ", " ", " ", "  ", "\n", "\t", "\u00a0", ", ", "; ")
FORMS = ("jsonl", "json", "csv", "tsv")


@dataclass(frozen=True)
class Pair:
    """Two files and what they were written from.

    Attributes:
        files: (name, bytes) of test and train.
        records: Their records in order; an absent key is an absent field.
        fields: The chosen text fields, the same on both sides.
        settings: Wire form of the settings.
    """

    files: tuple[tuple[str, bytes], tuple[str, bytes]]
    records: tuple[list[Record], list[Record]]
    fields: tuple[str, ...]
    settings: dict[str, Any]

    @property
    def same(self) -> bool:
        """Whether one file stands on both sides."""
        return self.files[0][1] == self.files[1][1]

    def texts(self, side: int) -> list[tuple[str, ...]]:
        """Return the chosen texts of each row of a side, "" where there is none."""
        rows = self.records[side]
        return [tuple(row.get(name) or "" for name in self.fields) for row in rows]


def assigned(draw: random.Random) -> str:
    """Draw one code point that the running Unicode knows, half of them below U+3000."""
    while True:
        code = draw.randrange(0x3000 if draw.random() < 0.5 else 0x20000)
        if code in EXCEPTED or 0xD800 <= code < 0xE000:
            continue
        if unicodedata.category(chr(code)) != "Cn":
            return chr(code)


def draw_word(draw: random.Random) -> str:
    kind = draw.random()
    if kind < 0.8:
        return draw.choice(WORDS)
    if kind < 0.95:
        return draw.choice(STRANGE)
    return "".join(assigned(draw) for _ in range(draw.randint(1, 3)))


def draw_text(draw: random.Random, phrases: Sequence[str]) -> str:
    parts = []
    for _ in range(draw.choice((0, 1, 1, 2, 3))):
        if draw.random() < 0.6:
            words = draw.choice(phrases).split(" ")
            start = draw.randrange(len(words))
            parts.append(" ".join(words[start : start + draw.randint(3, 18)]))
        else:
            parts.append(
                "".join(draw_word(draw) + draw.choice(GAPS) for _ in range(draw.randint(0, 8)))
            )
    return draw.choice(("", " ", "-")).join(parts)


def draw_records(
    draw: random.Random, phrases: Sequence[str], names: Sequence[str], *, plain: bool
) -> list[Record]:
    """Draw rows; `plain` leaves out what a delimited file cannot say: null and absent."""
    rows: list[Record] = []
    for number in range(draw.randint(1, 5)):
        row: Record = {"id": draw.choice(("", "x")) + str(draw.choice((number, 1)))}
        for name in names:
            kind = draw.random()
            if kind < 0.9 or plain:
                row[name] = draw_text(draw, phrases)
            elif kind < 0.95:
                row[name] = None
        rows.append(row)
    if draw.random() < 0.3:
        rows.append(dict(draw.choice(rows)))
    # each field stands in one row at least, or choosing it would be an error
    rows.append({"id": "last", **{name: draw.choice(("x", "lamp ?")) for name in names}})
    return rows


def write_records(rows: Sequence[Record], names: Sequence[str], form: str) -> bytes:
    if form == "jsonl":
        return "".join(json.dumps(row) + "\n" for row in rows).encode()
    if form == "json":
        return json.dumps(rows, ensure_ascii=False).encode()
    out = io.StringIO(newline="")
    sign = "," if form == "csv" else "\t"
    writer = csv.writer(out, delimiter=sign, quoting=csv.QUOTE_ALL, lineterminator="\n")
    writer.writerow(["id", *names])
    writer.writerows([row["id"], *(row[name] for name in names)] for row in rows)
    return out.getvalue().encode()


def draw_pair(number: int) -> Pair:
    """Make pair `number`."""
    draw = random.Random(number)
    names = ("question", "answer")[: draw.choice((1, 1, 2))]
    forms = draw.choice(FORMS), draw.choice(FORMS)
    phrases = [" ".join(draw_word(draw) for _ in range(24)) for _ in range(2)]
    records = [
        draw_records(draw, phrases, names, plain=form in {"csv", "tsv"}) for form in forms
    ]
    if draw.random() < 0.15:
        forms, records = (forms[0],) * 2, [records[0]] * 2
    files = [
        (f"{side}.{form}", write_records(rows, names, form))
        for side, form, rows in zip(("test", "train"), forms, records, strict=True)
    ]
    settings = {
        "test_fields": names,
        "train_fields": names,
        "test_id": "id",
        "train_id": "id",
        "tokens": draw.choice(("loose", "loose", "strict", "characters")),
        "n": draw.randint(5, 15),
        "threshold": draw.choice((0, 0, 20, 50, 100, draw.randint(0, 100))),
        "strip_articles": draw.random() < 0.3,
        "rule_n": draw.choice((None, None, draw.randint(5, 15))),
        "llama_min": draw.choice((10, 11)),
    }
    return Pair((files[0], files[1]), (records[0], records[1]), names, settings)


def check_pair(number: int) -> None:
    """Run every rung over pair `number` and compare all of its numbers with the oracles.

    Raises:
        AssertionError: If one differs.
    """
    pair = draw_pair(number)
    chunk = (1, 150, sides.CHUNK_CHARACTERS)[number % 3]
    reports = {}
    for rung in ("ngrams", "rows", "rules"):
        with mock.patch.object(sides, "CHUNK_CHARACTERS", chunk):
            made = compare_bytes(pair.files, rung, pair.settings)
        reports[rung] = json.loads(made["json"])
        rows = reports[rung]["findings" if rung == "rows" else "rows"]
        check_csv(made["csv"], rows, reports[rung]["stamp"])
    check_ngrams(pair, reports["ngrams"])
    check_rules(pair, reports["rules"])
    check_rows(pair, reports["rows"])


def check_csv(
    data: bytes, rows: Sequence[Mapping[str, Any]], stamp: Mapping[str, object]
) -> None:
    """The CSV says what the JSON says, cell by cell."""
    found = list(csv.DictReader(io.StringIO(data.decode(), newline="")))
    assert len(found) == len(rows)
    for at, (cells, row) in enumerate(zip(found, rows, strict=True)):
        assert (cells.pop("stamp") != "") == (at == 0)
        said = dict(row)
        for side in ("test", "train"):
            if f"{side}_offsets" in said:
                both = said.pop(f"{side}_offsets") or (None, None)
                said |= {f"{side}_start": both[0], f"{side}_stop": both[1]}
        assert {name: restore_text(cell) for name, cell in cells.items()} == {
            name: show(value) for name, value in said.items()
        }
    if rows:
        first = next(csv.DictReader(io.StringIO(data.decode(), newline="")))
        assert json.loads(first["stamp"]) == stamp


def show(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, list):
        return " ".join(map(show, value))
    return f"{value:.6f}" if isinstance(value, float) else str(value)


def tokens_of(pair: Pair, side: int, kind: str) -> list[list[list[tuple[str, int, int]]]]:
    return [[expected_tokens(text, kind) for text in row] for row in pair.texts(side)]


def bare(tokens: Sequence[Sequence[Sequence[tuple[str, int, int]]]]) -> Side:
    return [[[token for token, _, _ in field] for field in row] for row in tokens]


def check_ngrams(pair: Pair, report: Mapping[str, Any]) -> None:
    n, threshold = pair.settings["n"], pair.settings["threshold"]
    places = [tokens_of(pair, side, pair.settings["tokens"]) for side in (0, 1)]
    test, train = map(bare, places)
    runs, best, longest = oracle_runs(test, train, same_file=pair.same)
    covered = oracle_coverage(test, runs, n, threshold)
    texts = pair.texts(0)
    for at, (row, expected) in enumerate(zip(report["rows"], covered, strict=True)):
        tokens, dirty, windows, span, state, flagged = expected
        judged = state == "checked"
        assert (row["index"], row["state"], row["tokens"]) == (at, state, tokens)
        assert row["label"] == pair.records[0][at]["id"]
        assert row["flagged"] == (flagged if judged else None)
        assert (row["dirty_tokens"], row["windows"], row["longest_span"]) == (
            (dirty, windows, span) if judged else (None, None, None)
        )
        assert row["dirty_share"] == (round(dirty / tokens, 6) if judged else None)
        run = best[at]
        assert row["longest_run"] == (run[0] if run else 0)
        if run is None or run[0] < n:
            assert row["best_train_index"] is None
            assert row["test_offsets"] is row["train_offsets"] is None
            assert row["text"] == texts[at][0]
            continue
        length, hit, test_field, start, train_field, there = run
        assert (row["best_train_index"], row["test_field"], row["train_field"]) == (
            hit, pair.fields[test_field], pair.fields[train_field],
        )  # fmt: skip
        assert row["text"] == texts[at][test_field]
        mine, theirs = places[0][at][test_field], places[1][hit][train_field]
        assert row["test_offsets"] == [mine[start][1], mine[start + length - 1][2]]
        assert row["train_offsets"] == [theirs[there][1], theirs[there + length - 1][2]]
        alone, _, _ = oracle_runs([test[at]], [train[hit]])
        ((_, supplied, *_),) = oracle_coverage([test[at]], alone, n, 0)
        assert row["best_row_share"] == round(supplied / tokens, 6)
    check_totals(report["summary"], covered, n, longest)


def check_totals(
    summary: Mapping[str, Any], covered: Sequence[Covered], n: int, longest: Sequence[int]
) -> None:
    judged = [row for row in covered if row[4] == "checked"]
    assert summary["flagged"] == sum(row[5] for row in covered)
    assert summary["checkable"] == len(judged)
    assert summary["dirty_tokens"] == sum(row[1] for row in judged)
    assert (summary["short"], summary["blank"]) == tuple(
        sum(row[4] == state for row in covered) for state in ("short", "blank")
    )
    assert summary["train_rows"] == len(longest)
    assert summary["train_rows_hit"] == sum(length >= n for length in longest)


def check_rules(pair: Pair, report: Mapping[str, Any]) -> None:
    test, train = (bare(tokens_of(pair, side, "gpt3-words")) for side in (0, 1))
    runs, best, _ = oracle_runs(test, train, same_file=pair.same)
    windows = expect_windows(pair.texts(0), pair.texts(1), same=pair.same)
    eights = oracle_coverage(test, runs, 8, 0)
    least = pair.settings["llama_min"]
    tens = oracle_coverage(test, runs, least, 0)
    lengths = sorted(row[0] for row in tens if row[0])
    n = pair.settings["rule_n"]
    if n is None:
        n = min(max(lengths[len(lengths) * 5 // 100], 8), 13) if lengths else 13
    assert report["summary"]["n"] == n
    counts = dict.fromkeys(("gpt3", "palm", "gpt4_any"), 0)
    for at, row in enumerate(report["rows"]):
        size = max(map(len, test[at]))
        words, covered = tens[at][0], tens[at][1]
        known = best[at]
        run = known[0] if known else 0
        every = sum(max(0, len(field) - 7) for field in test[at])
        m, h = windows[at]
        share = Fraction(covered, words) if words else Fraction(0)
        llama = "dirty" if share >= Fraction(4, 5) else "between"
        llama = llama if share >= Fraction(1, 5) else "clean"
        draws = min(3, m)
        chance = 1 - Fraction(comb(m - h, draws), comb(m, draws)) if m else None
        expected = {
            "words": words,
            "longest_run": run,
            "ngrams8": every,
            "ngrams8_found": eights[at][2],
            "tokens_covered_L10": covered,
            "sub50_windows": m,
            "sub50_hits": h,
            "gpt3": run >= n if size >= n else None,
            "palm": Fraction(eights[at][2], every) >= Fraction(7, 10) if every else None,
            "llama2": llama if size >= least else None,
            "gpt4_any": h > 0 if m else None,
            "gpt4_probability": None if chance is None else round(float(chance), 6),
        }
        assert {name: row[name] for name in expected} == expected
        for name in counts:
            counts[name] += expected[name] is True
    told = report["summary"]["rules"]
    assert {name: told[name]["flagged"] for name in counts} == counts
    low = sum(0 < max(len(processed(text)) for text in row) < 50 for row in pair.texts(0))
    assert report["summary"]["low_evidence"] == low


Key = tuple[object, ...] | None


def fold_cell(cell: str, *, articles: bool) -> str:
    text = unicodedata.normalize("NFKC", unicodedata.normalize("NFC", cell)).casefold()
    kept = "".join(char for char in text if not unicodedata.category(char).startswith("P"))
    return " ".join(
        word for word in kept.split() if not (articles and word in {"a", "an", "the"})
    )


def exact_key(pair: Pair, row: Record) -> Key:
    cells = tuple(row.get(name, False) for name in pair.fields)
    return cells if any(cells) else None


def folded_key(pair: Pair, row: Record) -> Key:
    articles = pair.settings["strip_articles"]
    exact = exact_key(pair, row)
    if exact is None:
        return None
    folded = tuple(
        fold_cell(cell, articles=articles) if isinstance(cell, str) else cell for cell in exact
    )
    return folded if any(folded) else ("as it stands", exact)


def find_items(test: Sequence[Key], train: Sequence[Key]) -> list[tuple[list[int], list[int]]]:
    """Return the 1-based records of both sides for every key on both, in order of train."""
    found = []
    for key in dict.fromkeys(train):
        rows = [
            [at for at, other in enumerate(side, 1) if other == key] for side in (test, train)
        ]
        if key is not None and rows[0]:
            found.append((rows[0], rows[1]))
    return found


def check_rows(pair: Pair, report: Mapping[str, Any]) -> None:
    keys: dict[str, list[list[Key]]] = {
        "exact": [[exact_key(pair, row) for row in side] for side in pair.records],
        "normalized": [[folded_key(pair, row) for row in side] for side in pair.records],
        "identifier": [
            [(row["id"],) if row["id"] else None for row in side] for side in pair.records
        ],
    }
    reached: tuple[set[int], set[int]] = (set(), set())
    for name, (test, train) in keys.items():
        items = find_items(test, train)
        assert report[name]["items"] == len(items)
        for at, side in enumerate(("test", "train")):
            carriers = {record for item in items for record in item[at]}
            assert report[name][f"{side}_rows"] == len(carriers)
            if name == "exact":
                reached[at].update(carriers)
        if name == "normalized":  # only those that reach a row the exact check does not
            items = [
                item for item in items if set(item[0]) - reached[0] or set(item[1]) - reached[1]
            ]
        told = [one for one in report["findings"] if one["match"] == name]
        assert [(one["test_records"], one["train_records"]) for one in told] == items
    blank = [sum(key is None for key in side) for side in keys["exact"]]
    assert [report["blank"]["test"], report["blank"]["train"]] == blank
