"""Stage 7a - the published rules as numbers, tables and pairs.

Reads: `judgement.py` over the measures of one scan. The rules themselves are walked, never
named, save for the columns that the CSV has had from the start.
"""

from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from leakladder.charwindows import WindowHits
from leakladder.coverage import pair_spans
from leakladder.errors import SettingError
from leakladder.facts import Facts
from leakladder.judgement import Judgement, judge, sweep
from leakladder.marking import mark_parts, number_tokens, place_of
from leakladder.measures import choose_parameters, measure_rows
from leakladder.paging import Query, cut_page, filter_rows, refuse_column, sort_rows
from leakladder.results import Progress
from leakladder.rules import RULES
from leakladder.runs import Runs
from leakladder.sides import Side, TrainRow, TrainSource

KIND = "gpt3-words"
SHORTEST = 5
"""Shared runs shown in a pair have at least so many words: below that R knows nothing."""
COLUMNS = (
    "index",
    "record",
    "line",
    "label",
    "words",
    "longest_run",
    "best_train_index",
    "ngrams8",
    "ngrams8_found",
    "tokens_covered_L10",
    "sub50_windows",
    "sub50_hits",
    "gpt3",
    "palm",
    "llama2",
    "gpt4_probability",
    "gpt4_any",
)
TEXT_COLUMNS = frozenset({"label"})


@dataclass(frozen=True)
class RulesScan:
    """Everything that the rules' parameters are answered from.

    Attributes:
        test: The side being judged.
        train: The side searched.
        runs: Runs of GPT-3 words.
        hits: Character windows.
        facts: What the test rows are like.
        same_file: Both sides are the same rows, and no row was compared with itself.
    """

    test: Side
    train: TrainSource
    runs: Runs
    hits: WindowHits
    facts: Facts
    same_file: bool


@dataclass(frozen=True)
class RulesView:
    """One scan judged with one set of parameters."""

    scan: RulesScan
    judged: Judgement


def view_at(scan: RulesScan, rule_n: int | None, llama_min: int) -> RulesView:
    """Judge a scan with these parameters; nothing is searched again."""
    measures = measure_rows(scan.runs, scan.hits, llama_min=llama_min)
    parameters = choose_parameters(measures.words, rule_n=rule_n, llama_min=llama_min)
    return RulesView(scan, judge(measures, parameters))


def summarize(view: RulesView) -> dict[str, Any]:
    """Return the totals as files have them: rules and sweep by name."""
    judged = view.judged
    return {
        "rows": len(judged.measures.words),
        "n": judged.parameters.n,
        "n_from": judged.parameters.n_from,
        "rules": {
            name: {
                "flagged": tally.flagged,
                "defined": tally.defined,
                "undefined": tally.undefined,
                "share": tally.share,
            }
            for name, tally in judged.tallies.items()
        },
        "sweep": {str(n): tally.share for n, tally in sweep(judged.measures).items()},
        "low_evidence": judged.low_evidence,
        "disagreements": [
            {"names": list(names), "count": count} for names, count in judged.disagreements
        ],
        "facts": view.scan.facts.to_wire(),
    }


def screen(view: RulesView) -> dict[str, Any]:
    """Return the totals as the page walks them: rules and sweep as lists."""
    summary = summarize(view)
    parameters = view.judged.parameters
    rules = [
        {
            "name": rule.name,
            "title": rule.title,
            "source": rule.source,
            "unit": rule.unit,
            "note": rule.note(parameters),
            **summary["rules"][rule.name],
        }
        for rule in RULES
    ]
    for rule in rules:
        if isinstance(rule["flagged"], float):
            rule["expected"] = rule["flagged"]
    lengths = [{"n": int(n), "share": share} for n, share in summary["sweep"].items()]
    return {**summary, "rules": rules, "sweep": lengths}


def verdicts(view: RulesView, position: int) -> dict[str, Any]:
    """Return every rule's verdict on a row, the Llama 2 rule's by its name."""
    judged = view.judged
    found = {name: column[position] for name, column in judged.verdicts.items()}
    return {
        "gpt3": found["gpt3"],
        "palm": found["palm"],
        "llama2": judged.llama2[position],
        "gpt4_any": found["gpt4_any"],
        "gpt4_probability": found["gpt4"],
    }


def table_row(view: RulesView, position: int) -> dict[str, Any]:
    """Return one row of the table."""
    row, measures = view.scan.test.rows[position], view.judged.measures
    best = _best_train(view, position)
    return {
        "index": row.index,
        "record": row.record,
        "line": row.line,
        "label": view.scan.test.label(position),
        "words": measures.words[position],
        "longest_run": measures.longest_run[position],
        "best_train_record": best.row.record if best else None,
        "verdicts": verdicts(view, position),
        "disagree": view.judged.disagree[position],
    }


def _best_train(view: RulesView, position: int) -> TrainRow | None:
    index = view.judged.measures.best_train_index[position]
    return None if index is None else view.scan.train.fetch([index])[index]


def _flagged(view: RulesView, position: int) -> int:
    """Count the rules that flag a row outright."""
    columns = view.judged.verdicts.values()
    return sum(column[position] is True for column in columns)


def table_page(view: RulesView, query: Query) -> dict[str, Any]:
    """Return one page of rows: those on which rules part first, then those most flag.

    Raises:
        SettingError: If there is no such group of rows or column.
    """
    judged, test = view.judged, view.scan.test
    groups: dict[str, Callable[[int], bool]] = {
        "": lambda _: True,
        "all": lambda _: True,
        "disagree": lambda at: judged.disagree[at],
        "flagged": lambda at: _flagged(view, at) > 0,
    }
    if query.subset not in groups:
        raise SettingError(
            f"there is no group of rows named {query.subset!r}", setting="subset"
        )
    chosen = filter(groups[query.subset], range(len(test.rows)))
    rows = filter_rows(chosen, query.filter, lambda at: (*test.text_parts(at), test.label(at)))
    if query.sort in {"", "worst"}:
        longest = judged.measures.longest_run
        rows.sort(
            key=lambda at: (not judged.disagree[at], -_flagged(view, at), -longest[at], at)
        )
    else:
        rows = sort_rows(rows, _sort_key(view, query.sort), descending=query.descending)
    return cut_page(rows, query, lambda at: table_row(view, at))


def _sort_key(view: RulesView, name: str) -> Callable[[int], Any]:
    judged, test = view.judged, view.scan.test
    order = {"clean": 0, "between": 1, "dirty": 2, None: None}
    keys: dict[str, Callable[[int], Any]] = {
        "index": lambda at: test.rows[at].index,
        "record": lambda at: test.rows[at].index,
        "line": lambda at: test.rows[at].line,
        "label": test.label,
        "words": lambda at: judged.measures.words[at],
        "longest_run": lambda at: judged.measures.longest_run[at],
        "best_train_record": lambda at: judged.measures.best_train_index[at],
        "disagree": lambda at: judged.disagree[at],
        "llama2": lambda at: order[judged.llama2[at]],
        "gpt4_probability": lambda at: judged.verdicts["gpt4"][at],
    }
    keys |= {rule: column.__getitem__ for rule, column in judged.verdicts.items()}
    if name not in keys:
        refuse_column(name)
    return keys[name]


def pair(view: RulesView, position: int) -> dict[str, Any]:
    """Return a test row beside its best training row, every run of SHORTEST words marked.

    Offsets are code points. `runs` has the words of each maximal shared run, in test order.
    """
    scan = view.scan
    texts, train = scan.test.text_parts(position), _best_train(view, position)
    spans = pair_spans(*number_tokens(texts, train.texts, KIND), SHORTEST) if train else []
    test_marks, train_marks = [span[:3] for span in spans], [span[3:] for span in spans]
    return {
        "test": {
            **place_of(scan.test.rows[position], scan.test.label(position)),
            "parts": mark_parts(scan.test.fields, texts, KIND, test_marks),
        },
        "train": train
        and {
            **place_of(train.row, train.label),
            "parts": mark_parts(scan.train.fields, train.texts, KIND, train_marks),
        },
        "runs": [span[2] - span[1] for span in spans],
        "tokens": view.judged.measures.words[position],
        "dirty_tokens": view.judged.measures.covered[position],
        "best_row_share": None,
        "longest_span": view.judged.measures.longest_run[position],
        "other_rows": False,
        "verdicts": verdicts(view, position),
    }


def export_rows(view: RulesView) -> Generator[Progress, None, list[dict[str, Any]]]:
    """Describe every test row by COLUMNS, in file order; what is not defined is None."""
    measures = view.judged.measures
    wanted = sorted({index for index in measures.best_train_index if index is not None})
    fetched = view.scan.train.fetch(wanted)
    rows = []
    for position in range(len(view.scan.test.rows)):
        rows.append(_describe(view, position, fetched))
        if position % 500 == 0:
            yield Progress("writing rows", position, len(measures.words))
    return rows


def _describe(
    view: RulesView, position: int, fetched: Mapping[int, TrainRow]
) -> dict[str, Any]:
    row, measures = view.scan.test.rows[position], view.judged.measures
    best = measures.best_train_index[position]
    return {
        "index": row.index,
        "record": row.record,
        "line": row.line,
        "label": view.scan.test.label(position),
        "words": measures.words[position],
        "longest_run": measures.longest_run[position],
        "best_train_index": None if best is None else fetched[best].row.index,
        "ngrams8": measures.ngrams8[position],
        "ngrams8_found": measures.ngrams8_found[position],
        "tokens_covered_L10": measures.covered[position],
        "sub50_windows": measures.windows[position],
        "sub50_hits": measures.window_hits[position],
        **verdicts(view, position),
    }


def name_rules() -> Sequence[str]:
    """Return the names of all rules, in the order they are shown."""
    return [rule.name for rule in RULES]
