"""Stage 7b - tables to CSV (RFC 4180, safe in a spreadsheet) and to JSON text.

The same rows give the same bytes on every host: UTF-8, CRLF line ends, shares to six decimals.

A text cell that starts with `=`, `+`, `-`, `@`, a tab, a carriage return or an apostrophe gets
one apostrophe in front, so that no spreadsheet runs it as a formula (CWE-1236). Taking one
leading apostrophe off every text cell gives the text back.
"""

import csv
import io
import json
import re
from collections.abc import Iterable, Mapping, Sequence

_RISKY = ("=", "+", "-", "@", "\t", "\r", "'")
_LONE_SURROGATE = re.compile("[\ud800-\udfff]")

Value = str | int | float | bool | None


def safe_text(text: str) -> str:
    """Return a text cell as it stands in the CSV: formula-safe, lone surrogates as U+FFFD."""
    if text.startswith(_RISKY):
        text = "'" + text
    return _LONE_SURROGATE.sub("\ufffd", text)


def restore_text(cell: str) -> str:
    """Undo `safe_text`'s apostrophe: the text a CSV cell stands for."""
    return cell.removeprefix("'")


def _cell(value: Value) -> str:
    """Return a value as a CSV cell: None is empty, shares have six decimals."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return f"{value:.6f}"
    return safe_text(value) if isinstance(value, str) else str(value)


def write_csv(
    columns: Sequence[str], rows: Iterable[Mapping[str, Value]], stamp: Mapping[str, object]
) -> bytes:
    """Write rows as CSV with the run stamp in the first record.

    Args:
        columns: Column names in order, without `stamp`, which is appended.
        rows: One mapping a record, holding at least `columns`.
        stamp: The run stamp; compact JSON in the last column of the first record only.

    Returns:
        UTF-8 bytes. With no rows there is only the header, and no stamp.
    """
    out = io.StringIO(newline="")
    writer = csv.writer(out, lineterminator="\r\n")
    writer.writerow([*columns, "stamp"])
    note = safe_text(compact_json(stamp))
    for row in rows:
        writer.writerow([*[_cell(row[name]) for name in columns], note])
        note = ""
    return out.getvalue().encode("utf-8")


def compact_json(value: object) -> str:
    """Return JSON on one line, keys in the order given, lone surrogates as escapes."""
    return _escape(json.dumps(value, ensure_ascii=False, separators=(",", ":")))


def write_json(value: object) -> bytes:
    """Return JSON for a file: indented by one, UTF-8, shares to six decimals."""
    text = json.dumps(_rounded(value), ensure_ascii=False, indent=1)
    return (_escape(text) + "\n").encode("utf-8")


def _rounded(value: object) -> object:
    """Round every float to six decimals, as the CSV does."""
    if isinstance(value, float):
        return round(value, 6)
    if isinstance(value, Mapping):
        return {key: _rounded(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_rounded(item) for item in value]
    return value


def _escape(text: str) -> str:
    """Write lone surrogates, which UTF-8 cannot hold, as JSON escapes."""
    return _LONE_SURROGATE.sub(lambda match: f"\\u{ord(match.group()):04x}", text)
