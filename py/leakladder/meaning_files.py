"""Stage 7e - rows that read alike as files: pairs, groups and nearest rows, CSV and JSON.

Reads: `meaning_report.py`. Read by: the hosts.
"""

from collections.abc import Iterable, Mapping
from typing import Any

from leakladder.csv_export import write_csv
from leakladder.errors import SettingError
from leakladder.jobs import Job
from leakladder.meaning import is_borderline
from leakladder.meaning_report import Meaning, name_match, name_row, stamp_settings, summarize
from leakladder.results import Progress

PAIR_COLUMNS = (
    "group", "cosine", "a_record", "a_label", "a_text", "b_record", "b_label", "b_text",
    "borderline",
)  # fmt: skip
GROUP_COLUMNS = ("group", "rows", "lowest", "chained", "record", "label", "text")
NEAREST_COLUMNS = (
    "index", "record", "label", "text", "train_record", "train_label", "train_text", "cosine",
    "shared_run",
)  # fmt: skip
"""`shared_run` is the longest run of words shared with the nearest training row, no other."""
TEXT_COLUMNS = frozenset({
    "a_label", "a_text", "b_label", "b_text", "label", "text", "train_label", "train_text",
})  # fmt: skip


def pair_rows(made: Meaning, *, most: int | None = None) -> Job[Any]:
    """Describe the pairs at or above the threshold by PAIR_COLUMNS, highest cosine first."""
    rows: list[dict[str, Any]] = []
    listed = made.view.listed[:most] if made.view else ()
    groups = made.view.groups if made.view else ()
    group_of = {row: number for number, group in enumerate(groups, 1) for row in group.rows}
    for at, pair in enumerate(listed):
        near = pair.cosine < 1 and is_borderline(pair.cosine, made.threshold)
        rows.append(
            {"group": group_of[pair.a], "cosine": pair.cosine}
            | name_row("a_", made.test, pair.a)
            | name_row("b_", made.test, pair.b)
            | {"borderline": near}
        )
        if at % 500 == 0:
            yield Progress("writing pairs", at, len(listed))
    return rows


def group_rows(made: Meaning) -> Job[Any]:
    """Describe every row of every group by GROUP_COLUMNS."""
    rows: list[dict[str, Any]] = []
    for number, group in enumerate(made.view.groups if made.view else (), start=1):
        head = {"group": number, "rows": len(group.rows), "lowest": group.lowest}
        for at in group.rows:
            member = name_row("", made.test, at)
            rows.append(head | {"chained": group.chained} | member)
        yield Progress("writing groups", number, 0)
    return rows


def nearest_rows(made: Meaning) -> Job[Any]:
    """Describe every test row by NEAREST_COLUMNS, in file order; a blank one has no match."""
    rows = []
    count = len(made.test.rows)
    for at in range(count if made.train else 0):
        rows.append(name_row("", made.test, at) | name_match(made, at))
        if at % 50 == 0:
            yield Progress("writing rows", at, count)
    return rows


TABLES = {
    "pairs": (PAIR_COLUMNS, pair_rows),
    "groups": (GROUP_COLUMNS, group_rows),
    "nearest": (NEAREST_COLUMNS, nearest_rows),
}


def write_table(
    made: Meaning,
    name: str,
    note: Mapping[str, object],
    *,
    text: bool,
    marks: Mapping[str, Mapping[str, object]] | None = None,
) -> Job[Any]:
    """Write one of the three tables as CSV.

    Args:
        made: The run.
        name: Table.
        note: The run stamp.
        text: False leaves out the files' text.
        marks: Test record, as text, to {"mark", "note"}; for the tables with a row a line.

    Raises:
        SettingError: If there is no such table.
    """
    if name not in TABLES:
        raise SettingError(f"there is no table named {name!r}", setting="what")
    columns, describe = TABLES[name]
    rows = yield from describe(made)
    kept = [column for column in columns if text or column not in TEXT_COLUMNS]
    if marks and "record" in columns:
        kept += ["mark", "note"]
        none = {"mark": None, "note": None}
        rows = [row | none | marks.get(str(row["record"]), {}) for row in rows]
    return write_csv(kept, rows, note)


def report(made: Meaning, note: Mapping[str, object], *, text: bool) -> Job[Any]:
    """Return summary, pairs, groups, nearest rows and stamp, ready for `write_json`."""
    pairs = yield from pair_rows(made)
    groups = yield from group_rows(made)
    nearest = yield from nearest_rows(made)
    return {
        "summary": summarize(made),
        "pairs": _without(pairs, text=text),
        "groups": _without(groups, text=text),
        "nearest": _without(nearest, text=text),
        "stamp": note,
    }


def add_part(whole: Mapping[str, Any], made: Meaning, *, text: bool) -> Job[dict[str, Any]]:
    """Return the report of other rungs over the same files with this one in it.

    Its settings stand under its name in the stamp, as those of every rung do.
    """
    part = yield from report(made, {}, text=text)
    del part["stamp"]
    note = {**whole["stamp"], "meaning": stamp_settings(made)}
    return {**whole, "meaning": part, "stamp": note}


def _without(rows: Iterable[Mapping[str, Any]], *, text: bool) -> list[dict[str, Any]]:
    return [
        {name: value for name, value in row.items() if text or name not in TEXT_COLUMNS}
        for row in rows
    ]
