"""Stage 7a - n-gram overlap as numbers, tables and pairs.

Reads: `coverage.py` over the runs of one scan. Everything about one n and threshold is computed
from the scan here; nothing is searched again.
"""

from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from leakladder.coverage import Coverage, PairSpan, covered, measure, pair_runs, pair_spans
from leakladder.errors import SettingError
from leakladder.marking import mark_parts, number_tokens, place_of, token_range
from leakladder.paging import Query, cut_page, filter_rows, refuse_column, sort_rows
from leakladder.results import BestRun, Progress
from leakladder.runs import Runs
from leakladder.sides import Side, TrainRow, TrainSource

COLUMNS = (
    "index",
    "record",
    "line",
    "label",
    "state",
    "flagged",
    "tokens",
    "dirty_tokens",
    "dirty_share",
    "best_row_share",
    "longest_span",
    "windows",
    "longest_run",
    "best_train_index",
    "best_train_label",
    "test_field",
    "test_start",
    "test_stop",
    "train_field",
    "train_start",
    "train_stop",
    "text",
)
TABLE_COLUMNS = frozenset(COLUMNS[:9] + COLUMNS[10:15])
"""Columns of the table on the screen, which can be sorted by: all but where the text stands."""
TEXT_COLUMNS = frozenset({"label", "best_train_label", "text"})
HINT_LENGTH = 15
"""A mean loose token longer than this many characters means: the script has no spaces."""


HISTOGRAM_BINS = 20
"""Bins of the chart of dirty shares: 5% each."""


@dataclass(frozen=True)
class NgramScan:
    """Everything that n and threshold are answered from.

    Attributes:
        test: The side being judged.
        train: The side searched.
        kind: Name of the tokenization.
        runs: R and what goes with it.
        same_file: Both sides are the same rows, and no row was compared with itself.
        mean_token: Characters in the mean token of the test side, folded.
    """

    test: Side
    train: TrainSource
    kind: str
    runs: Runs
    same_file: bool
    mean_token: float


@dataclass(frozen=True)
class NgramView:
    """One scan at one n and threshold.

    Attributes:
        scan: The scan.
        coverage: Its rows at this n and threshold.
        n: Tokens of a run that counts.
        threshold: Whole percent of dirty tokens for a flag.
    """

    scan: NgramScan
    coverage: Coverage
    n: int
    threshold: int

    def best(self, position: int) -> BestRun | None:
        """Return the best run of a row if it reaches n."""
        best = self.scan.runs.best[position]
        return best if best is not None and best.length >= self.n else None


def view_at(scan: NgramScan, n: int, threshold: int) -> NgramView:
    """Return a scan at one n and threshold, without searching again."""
    return NgramView(scan, measure(scan.runs, n, threshold), n, threshold)


def summarize(view: NgramView) -> dict[str, Any]:
    """Return the totals; a share of nothing is None."""
    coverage = view.coverage
    return {
        "rows": coverage.rows,
        "checkable": coverage.checkable,
        "flagged": coverage.flagged_rows,
        "short": coverage.short_rows,
        "blank": coverage.blank_rows,
        "tokens": coverage.all_tokens,
        "dirty_tokens": coverage.dirty_tokens,
        "dirty_share": share(coverage.dirty_tokens, coverage.all_tokens),
        "flagged_share": share(coverage.flagged_rows, coverage.checkable),
        "train_rows": coverage.train_rows,
        "train_rows_hit": coverage.train_rows_hit,
    }


def screen(view: NgramView) -> dict[str, Any]:
    """Return the totals with what the page shows beside them."""
    long_tokens = view.scan.kind == "loose" and view.scan.mean_token > HINT_LENGTH
    return {
        **summarize(view),
        "n": view.n,
        "threshold": view.threshold,
        "tokens_hint": long_tokens,
        "same_file": view.scan.same_file,
        "histogram": count_shares(view.coverage),
    }


def count_shares(coverage: Coverage) -> dict[str, Any]:
    """Count the checkable rows by their dirty share, for a chart.

    Returns:
        `clean`: rows without a dirty token; `bins`: the others by share, HISTOGRAM_BINS of
        equal width, each with its lower end and without its upper one but for the last.
    """
    bins = [0] * HISTOGRAM_BINS
    clean = 0
    for state, tokens, dirty in zip(
        coverage.state, coverage.tokens, coverage.dirty, strict=True
    ):
        if state != "checked":
            continue
        if dirty:
            bins[min(HISTOGRAM_BINS - 1, dirty * HISTOGRAM_BINS // tokens)] += 1
        else:
            clean += 1
    return {"clean": clean, "bins": bins}


def share(part: int, whole: int) -> float | None:
    """Return part / whole, or None where the whole is nothing."""
    return part / whole if whole else None


class Evidence(NamedTuple):
    """Where the longest span of a test row stands, in code points of both texts.

    Attributes:
        train: The best training row.
        test_field: Path of the test field that holds the span.
        test_start: First character.
        test_stop: Just after the last one.
        train_field: Path of the training field that holds it.
        train_start: First character.
        train_stop: Just after the last one.
        share: Share of the test row's tokens that this one training row makes dirty.
    """

    train: TrainRow
    test_field: str
    test_start: int
    test_stop: int
    train_field: str
    train_start: int
    train_stop: int
    share: float


def find_evidence(view: NgramView, position: int, best: BestRun, train: TrainRow) -> Evidence:
    """Locate the longest span of a row and measure what its best training row supplies."""
    scan = view.scan
    texts = scan.test.text_parts(position)
    test_ids, train_ids = number_tokens(texts, train.texts, scan.kind)
    dirty = sum(covered(runs, view.n) for runs in pair_runs(test_ids, train_ids, view.n))
    at = token_range(texts[best.test_field], scan.kind, best.test_start, best.length)
    there = token_range(train.texts[best.train_field], scan.kind, best.train_start, best.length)
    return Evidence(
        train,
        scan.test.fields[best.test_field],
        *at,
        scan.train.fields[best.train_field],
        *there,
        dirty / view.coverage.tokens[position],
    )


def export_rows(view: NgramView) -> Generator[Progress, None, list[dict[str, Any]]]:
    """Describe every test row by COLUMNS, in file order.

    Offsets are code points of the longest span in the two texts; `text` is the test text that
    holds the span, or the first chosen one. What was not measured is None.
    """
    count = len(view.scan.test.rows)
    best = [view.best(position) for position in range(count)]
    fetched = view.scan.train.fetch(sorted({item.train_index for item in best if item}))
    rows = []
    for position, item in enumerate(best):
        evidence = None
        if item is not None:
            evidence = find_evidence(view, position, item, fetched[item.train_index])
        rows.append(_describe(view, position, evidence))
        if position % 50 == 0:
            yield Progress("writing rows", position, count)
    return rows


def _describe(view: NgramView, position: int, evidence: Evidence | None) -> dict[str, Any]:
    row = table_row(view, position, evidence.train if evidence else None)
    if evidence is None:
        checked = row["state"] == "checked"
        place: dict[str, Any] = dict.fromkeys(Evidence._fields[1:-1])
        text = view.scan.test.texts[0][position]
        return {**row, **place, "best_row_share": 0.0 if checked else None, "text": text}
    at = view.scan.test.fields.index(evidence.test_field)
    place = {name: getattr(evidence, name) for name in Evidence._fields[1:-1]}
    text = view.scan.test.texts[at][position]
    return {**row, **place, "best_row_share": evidence.share, "text": text}


def json_rows(rows: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return exported rows as the JSON report has them: offsets as [start, stop] or None."""
    return [_json_row(row) for row in rows]


def _json_row(row: Mapping[str, Any]) -> dict[str, Any]:
    made = dict(row)
    for side in ("test", "train"):
        start, stop = made.pop(f"{side}_start"), made.pop(f"{side}_stop")
        made[f"{side}_offsets"] = None if start is None else [start, stop]
    return made


def table_row(view: NgramView, position: int, train: TrainRow | None) -> dict[str, Any]:
    """Return one row of the table; `train` is its best training row, if one reaches n."""
    row, coverage = view.scan.test.rows[position], view.coverage
    best = view.scan.runs.best[position]
    checked = coverage.state[position] == "checked"
    tokens, dirty = coverage.tokens[position], coverage.dirty[position]
    return {
        "index": row.index,
        "record": row.record,
        "line": row.line,
        "label": view.scan.test.label(position),
        "state": coverage.state[position],
        "flagged": bool(coverage.flagged[position]) if checked else None,
        "tokens": tokens,
        "dirty_tokens": dirty if checked else None,
        "dirty_share": dirty / tokens if checked else None,
        "longest_span": coverage.span[position] if checked else None,
        "windows": coverage.windows[position] if checked else None,
        "longest_run": best.length if best else 0,
        "best_train_index": train.row.index if train else None,
        "best_train_label": train.label if train else None,
    }


def table_page(view: NgramView, query: Query) -> dict[str, Any]:
    """Return one page of the table of test rows, worst first unless sorted otherwise."""
    rows = filter_rows(_subset(view, query.subset or "checkable"), query.filter, _texts(view))
    coverage = view.coverage
    if query.sort in {"", "worst"}:
        rows.sort(key=lambda at: (-_worth(coverage, at), -coverage.span[at], at))
    elif query.sort not in TABLE_COLUMNS:
        refuse_column(query.sort)
    else:
        shown = {at: table_row(view, at, _best_train(view, at)) for at in rows}
        rows = sort_rows(rows, lambda at: shown[at][query.sort], descending=query.descending)
    return cut_page(
        rows, query, lambda at: _with_record(table_row(view, at, _best_train(view, at)))
    )


def _worth(coverage: Coverage, at: int) -> float:
    return coverage.dirty[at] / coverage.tokens[at] if coverage.tokens[at] else 0.0


def _with_record(row: dict[str, Any]) -> dict[str, Any]:
    index = row["best_train_index"]
    return {**row, "best_train_record": None if index is None else index + 1}


def _best_train(view: NgramView, position: int) -> TrainRow | None:
    best = view.best(position)
    if best is None:
        return None
    return view.scan.train.fetch([best.train_index])[best.train_index]


def _subset(view: NgramView, name: str) -> list[int]:
    """Return the rows of a group: checkable, flagged, short, blank or all.

    Raises:
        SettingError: If there is no such group.
    """
    coverage = view.coverage
    rows = range(len(coverage.tokens))
    groups: dict[str, Callable[[int], bool]] = {
        "all": lambda _: True,
        "checkable": lambda at: coverage.state[at] == "checked",
        "flagged": lambda at: bool(coverage.flagged[at]),
        "short": lambda at: coverage.state[at] == "short",
        "blank": lambda at: coverage.state[at] == "blank",
    }
    if name not in groups:
        raise SettingError(f"there is no group of rows named {name!r}", setting="subset")
    return [at for at in rows if groups[name](at)]


def _texts(view: NgramView) -> Callable[[int], Sequence[str]]:
    test = view.scan.test
    return lambda at: (*test.text_parts(at), test.label(at))


def beside(
    view: NgramView, position: int, train: TrainRow | None, least: int
) -> dict[str, Any]:
    """Return a test row and a training row, their shared runs of `least` tokens marked."""
    scan = view.scan
    texts = scan.test.text_parts(position)
    spans: Sequence[PairSpan] = ()
    if train is not None:
        spans = pair_spans(*number_tokens(texts, train.texts, scan.kind), least)
    return {
        "test": {
            **place_of(scan.test.rows[position], scan.test.label(position)),
            "parts": mark_parts(
                scan.test.fields, texts, scan.kind, [span[:3] for span in spans]
            ),
        },
        "train": train
        and {
            **place_of(train.row, train.label),
            "parts": mark_parts(
                scan.train.fields, train.texts, scan.kind, [span[3:] for span in spans]
            ),
        },
    }


def pair(view: NgramView, position: int) -> dict[str, Any]:
    """Return a test row beside its best training row, with what that row supplied marked.

    Offsets are code points. `train` is None when no run reaches n; `other_rows` says that other
    training rows make further tokens of the test row dirty.
    """
    best, train = view.best(position), _best_train(view, position)
    row = table_row(view, position, train)
    sides = beside(view, position, train, view.n)
    parts = sides["test"]["parts"]
    dirty = sum(mark["tokens"] for part in parts for mark in part["marks"])
    return {
        **sides,
        "tokens": row["tokens"],
        "dirty_tokens": row["dirty_tokens"],
        "best_row_share": dirty / row["tokens"] if row["state"] == "checked" else None,
        "longest_span": best.length if best else 0,
        "other_rows": (row["dirty_tokens"] or 0) > dirty,
    }
