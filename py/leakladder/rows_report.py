"""Stage 7a - rows in both files as numbers, tables and files.

Reads: `overlap.py` and `findings.py`.
"""

from collections.abc import Generator, Sequence
from typing import Any

from leakladder.errors import SettingError
from leakladder.findings import Finding, Findings, read_together
from leakladder.overlap import RowsReport
from leakladder.paging import Query, cut_page, filter_rows, refuse_column, sort_rows
from leakladder.results import Progress

COLUMNS = (
    "match",
    "text",
    "differs",
    "test_records",
    "test_lines",
    "train_records",
    "train_lines",
)
TEXT_COLUMNS = frozenset({"text"})
CLIPPED = 80
"""Characters of an item's text on screen; files have all of it."""
LISTED = 200
"""Rows of an item listed beside its text, a side."""
SHOWN = 3
"""Rows of an item on screen, a side; files have all of them."""


def summarize(report: RowsReport) -> dict[str, Any]:
    """Return the counts of every check and the sentence that reads them together."""
    return {**report.to_wire(), "reading": read_together(report).to_wire()}


def _screen_side(
    records: Sequence[int], lines: Sequence[int | None], most: int = SHOWN
) -> dict[str, Any]:
    pairs = list(zip(records, lines, strict=True))[:most]
    return {
        "rows": [{"record": record, "line": line} for record, line in pairs],
        "more": len(records) - len(pairs),
    }


def _screen(finding: Finding) -> dict[str, Any]:
    text = finding.text
    return {
        "match": finding.match,
        "text": text if len(text) <= CLIPPED else text[: CLIPPED - 1] + "…",
        "differs": finding.differs,
        "test": _screen_side(finding.test_records, finding.test_lines),
        "train": _screen_side(finding.train_records, finding.train_lines),
    }


def pair(findings: Findings, position: int) -> dict[str, Any]:
    """Return one item with the whole text of its first row on each side.

    Raises:
        SettingError: If there is no item at this place.
    """
    if not 0 <= position < len(findings):
        raise SettingError(f"there is no item {position}", setting="index")
    finding = findings[position]
    texts = findings.texts(position)
    sides = {
        "test": _screen_side(finding.test_records, finding.test_lines, LISTED),
        "train": _screen_side(finding.train_records, finding.train_lines, LISTED),
    }
    return {
        "match": finding.match,
        "differs": finding.differs,
        **{name: {**side, "text": texts[name]} for name, side in sides.items()},
    }


def table_page(findings: Findings, query: Query) -> dict[str, Any]:
    """Return one page of the findings, in their own order unless sorted otherwise.

    Raises:
        SettingError: If there is no such group of findings or column.
    """
    checks = ("exact", "normalized", "identifier")
    if query.subset not in {"", "all", *checks}:
        raise SettingError(f"there is no check named {query.subset!r}", setting="subset")
    rows = list(range(len(findings)))
    if query.subset in checks:
        rows = [at for at in rows if findings.check(at) == query.subset]
    rows = filter_rows(rows, query.filter, lambda at: (findings[at].text,))
    keys = {
        "text": lambda at: findings[at].text,
        "test": lambda at: len(findings[at].test_records),
        "train": lambda at: len(findings[at].train_records),
    }
    if query.sort in keys:
        rows = sort_rows(rows, keys[query.sort], descending=query.descending)
    elif query.sort:
        refuse_column(query.sort)
    return cut_page(rows, query, lambda at: {"at": at, **_screen(findings[at])})


def export_rows(findings: Findings) -> Generator[Progress, None, list[dict[str, Any]]]:
    """Describe every finding by COLUMNS, with the numbers of all its rows, in their order."""
    rows = []
    for at, finding in enumerate(findings):
        rows.append(finding.to_wire())
        if at % 500 == 0:
            yield Progress("writing rows", at, len(findings))
    return rows


def csv_row(row: dict[str, Any]) -> dict[str, Any]:
    """Return an exported finding with its numbers joined by a space."""
    return {
        name: " ".join(map(str, value)) if isinstance(value, list) else value
        for name, value in row.items()
    }
