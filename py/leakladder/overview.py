"""Stage 8e - the ladder at a glance: every test row once, on the lowest rung that catches it.

Reads: the views of the rungs that have been run, `culprits.py`. Read by: `pipeline.py`.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from leakladder import ngram_report, rules_report
from leakladder.culprits import flags
from leakladder.errors import SettingError
from leakladder.overlap import CheckName
from leakladder.paging import Query, cut_page, filter_rows, refuse_column, sort_rows
from leakladder.rules import YES_OR_NO
from leakladder.sides import Side

BANDS = ("exact", "normalized", "ngrams", "rules", "meaning")
"""What catches a row, the most literal first."""
RUNG_OF = {
    "exact": "rows",
    "normalized": "rows",
    "ngrams": "ngrams",
    "rules": "rules",
    "meaning": "meaning",
}
SUBSETS = (*BANDS, "none", "unjudged", "identifier")


@dataclass(frozen=True)
class Overview:
    """Every test row on every rung that has been run.

    Attributes:
        test: The test side.
        views: Rung to its view.
        flagged: Band to one flag a row; bands whose rung has not been run are missing.
        identifier: One flag a row, None where no id was compared.
        lowest: The first band that flags each row; "none"; "unjudged" for a row without text.
    """

    test: Side
    views: Mapping[str, Any]
    flagged: Mapping[str, Sequence[bool]]
    identifier: Sequence[bool] | None
    lowest: Sequence[str]


def make_overview(test: Side, views: Mapping[str, Any]) -> Overview:
    """Place every test row.

    Args:
        test: The test side that all views are of.
        views: Rung to its view, as far as they have been run; of "meaning" the indices of
            the test rows that read alike with a training row.
    """
    flagged = {band: _flags(band, test, views) for band in BANDS if RUNG_OF[band] in views}
    identifier = None
    if "rows" in views and views["rows"].report.identifier_note != "no-id":
        identifier = flags("identifier", views)
    blank = [not any(texts) for texts in zip(*test.texts, strict=True)]
    lowest = ["unjudged" if empty else "none" for empty in blank]
    for band in reversed(flagged):
        for at, hit in enumerate(flagged[band]):
            if hit:
                lowest[at] = band
    return Overview(test, views, flagged, identifier, lowest)


def _flags(band: str, test: Side, views: Mapping[str, Any]) -> list[bool]:
    """Return one flag a row; what reads alike comes as a set of indices."""
    if band == "meaning":
        return [row.index in views["meaning"] for row in test.rows]
    return flags(band, views)


def summarize(overview: Overview) -> dict[str, Any]:
    """Return how many rows stand on each band; each row counts once."""
    counts = Counter(overview.lowest)
    bands = [band for band in (*BANDS, "none") if band == "none" or band in overview.flagged]
    identifier = overview.identifier
    return {
        "rows": len(overview.lowest),
        "lowest": [{"name": band, "count": counts[band]} for band in bands],
        "identifier": None if identifier is None else sum(identifier),
        "unjudged": counts["unjudged"],
        "run": list(overview.views),
    }


def table_page(overview: Overview, query: Query) -> dict[str, Any]:
    """Return one page of test rows, lowest rung first and then in file order.

    Raises:
        SettingError: If there is no such band or column.
    """
    if query.subset not in {"", "all", *SUBSETS}:
        raise SettingError(f"there is no band named {query.subset!r}", setting="subset")
    test = overview.test
    rows = filter_rows(
        _members(overview, query.subset),
        query.filter,
        lambda at: (*test.text_parts(at), test.label(at)),
    )
    order = {name: place for place, name in enumerate(SUBSETS)}
    if query.sort in {"", "worst", "lowest"}:
        rows.sort(key=lambda at: (order[overview.lowest[at]], at), reverse=query.descending)
    elif query.sort in {"record", "index", "line", "label"}:
        keys = {"label": test.label, "line": lambda at: test.rows[at].line}
        key = keys.get(query.sort, lambda at: test.rows[at].index)
        rows = sort_rows(rows, key, descending=query.descending)
    else:
        refuse_column(query.sort)
    return cut_page(rows, query, lambda at: describe(overview, at))


def _members(overview: Overview, subset: str) -> Sequence[int]:
    every = range(len(overview.lowest))
    if subset in {"", "all"}:
        return every
    if subset == "identifier":
        hits = overview.identifier or ()
        return [at for at, hit in enumerate(hits) if hit]
    return [at for at in every if overview.lowest[at] == subset]


def describe(overview: Overview, at: int) -> dict[str, Any]:
    """Return one row of the table; a rung that has not been run is None."""
    row = overview.test.rows[at]
    flagged = overview.flagged
    return {
        "index": row.index,
        "record": row.record,
        "line": row.line,
        "label": overview.test.label(at),
        "lowest": overview.lowest[at],
        "exact": flagged["exact"][at] if "exact" in flagged else None,
        "normalized": flagged["normalized"][at] if "normalized" in flagged else None,
        "identifier": None if overview.identifier is None else overview.identifier[at],
        "ngrams": _describe_ngrams(overview, at),
        "rules": _name_rules(overview, at),
    }


def _describe_ngrams(overview: Overview, at: int) -> dict[str, Any] | None:
    if "ngrams" not in overview.views:
        return None
    coverage = overview.views["ngrams"].coverage
    tokens = coverage.tokens[at]
    checked = coverage.state[at] == "checked"
    return {
        "state": coverage.state[at],
        "flagged": coverage.flagged[at] if checked else None,
        "dirty_share": coverage.dirty[at] / tokens if checked else None,
        "longest_span": coverage.span[at] if checked else None,
    }


def _name_rules(overview: Overview, at: int) -> list[str] | None:
    if "rules" not in overview.views:
        return None
    verdicts = overview.views["rules"].judged.verdicts
    return [name for name in YES_OR_NO if verdicts[name][at]]


def pair(views: Mapping[str, Any], position: int) -> dict[str, Any]:
    """Return a test row beside the training row that it is caught by.

    That is the row with most of it in runs of n tokens. Where no run reaches n it is the first
    row that says the same, as written or folded, with `match` "exact" or "normalized"; else the
    row that the published rules go by.
    """
    ngrams, rules = views["ngrams"], views.get("rules")
    made = ngram_report.pair(ngrams, position)
    if made["train"] is None and (found := _same_row(views, position)):
        match, at = found
        train = ngrams.scan.train.fetch([at])[at]
        made |= {**ngram_report.beside(ngrams, position, train, 1), "match": match}
    elif made["train"] is None and rules is not None:
        judged = rules_report.pair(rules, position)
        if judged["train"] is not None:
            made |= {name: judged[name] for name in ("test", "train", "runs")}
    if rules is not None:
        made["verdicts"] = rules_report.verdicts(rules, position)
    return made


def _same_row(views: Mapping[str, Any], position: int) -> tuple[CheckName, int] | None:
    """Return the check by which a training row is the same, and the first such row."""
    if "rows" not in views:
        return None
    own = position if views["ngrams"].scan.same_file else None
    checks: tuple[CheckName, ...] = ("exact", "normalized")
    for check in checks:
        match = views["rows"].report.match(check)
        item = match.test[position]
        if item < 0:
            continue
        for at, carried in enumerate(match.train):
            if carried == item and at != own:
                return check, at
    return None


def train_page(test_views: Mapping[str, Any], train: Side, query: Query) -> dict[str, Any]:
    """Return one page of training rows, longest shared run first.

    Args:
        test_views: Rung to its view; rows and n-grams are used, as far as they have been run.
        train: The training side.
        query: `subset` "hit" (from the start) or "all".

    Raises:
        SettingError: If there is no such group of rows or column.
    """
    if query.subset not in {"", "hit", "all"}:
        raise SettingError(
            f"there is no group of rows named {query.subset!r}", setting="subset"
        )
    ngrams, rows_view = test_views.get("ngrams"), test_views.get("rows")
    longest = ngrams.scan.runs.train_longest if ngrams else [0] * len(train.rows)
    least = ngrams.n if ngrams else 1
    report = rows_view.report if rows_view else None
    exact = [item >= 0 for item in report.exact.train] if report else None
    folded = [item >= 0 for item in report.normalized.train] if report else None

    def hit(at: int) -> bool:
        return longest[at] >= least or bool(folded and folded[at])

    every: Sequence[int] = range(len(train.rows))
    chosen = every if query.subset == "all" else [at for at in every if hit(at)]
    rows = filter_rows(
        chosen, query.filter, lambda at: (*train.text_parts(at), train.label(at))
    )
    if query.sort in {"record", "index"}:
        rows = sort_rows(rows, lambda at: at, descending=query.descending)
    elif query.sort == "longest_run" and not query.descending:
        rows.sort(key=lambda at: (longest[at], at))
    elif query.sort in {"", "worst", "longest_run"}:
        rows.sort(key=lambda at: (-longest[at], at))
    else:
        refuse_column(query.sort)
    return cut_page(
        rows,
        query,
        lambda at: {
            "index": train.rows[at].index,
            "record": train.rows[at].record,
            "line": train.rows[at].line,
            "label": train.label(at),
            "longest_run": longest[at],
            "hit": hit(at),
            "exact": exact[at] if exact else None,
            "normalized": folded[at] if folded else None,
        },
    )
