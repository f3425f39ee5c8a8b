"""Stage 9a - cut: the bytes of a file without the bytes of some of its rows.

Reads: a file as `read` holds it. Read by: `clean.py`.
"""

import csv
import io
import re
from collections.abc import Collection, Iterator

from leakladder.jobs import Job
from leakladder.read import ReadInfo, Table
from leakladder.read.lines import CODECS
from leakladder.read.sniff import make_reader
from leakladder.results import Progress, Row

STEP = 5_000
"""Rows written between two progress reports: about 20 ms in Pyodide."""

SPACES = b" \t\r\n"
_JSONL_LINE = re.compile(rb"[^\n]*\n|[^\n]+")


def cut_rows(table: Table, data: bytes, drop: Collection[int]) -> Job[bytes]:
    """Take rows with byte ranges out of the bytes of their file.

    Args:
        table: The file as read; every row has a byte range.
        data: The bytes that the ranges point into.
        drop: Indices of the rows to take out.

    Returns:
        The bytes that stay, in order.
    """
    if table.info.format == "json":
        return (yield from _cut_elements(table, data, drop))
    return (yield from _cut_lines(table, data, drop))


def _cut_lines(table: Table, data: bytes, drop: Collection[int]) -> Job[bytes]:
    """Leave rows out of a file of lines, each with its line end."""
    gaps = _Gaps(table.info)
    at = 3 if table.info.bom and table.info.encoding == "utf-8" else 0
    out = [data[:at]]
    for done, row in enumerate(table.rows):
        start, stop = _range(row)
        out.append(gaps.keep(data[at:start]))
        at = _after_line_end(data, stop)
        if row.index not in drop:
            out.append(data[start:at])
        if done % STEP == 0:
            yield Progress("writing rows", done, len(table.rows))
    out.append(gaps.keep(data[at:]))
    return _end_like(b"".join(out), data)


def _range(row: Row) -> tuple[int, int]:
    if row.start is None or row.stop is None:
        raise TypeError(f"row {row.index} has no byte range")
    return row.start, row.stop


def _after_line_end(data: bytes, at: int) -> int:
    if data.startswith(b"\r\n", at):
        return at + 2
    return at + data.startswith((b"\n", b"\r"), at)


def _end_like(made: bytes, source: bytes) -> bytes:
    """Take the last line end away if the source had none; a blank last line keeps its own."""
    if source.endswith((b"\n", b"\r")) or not made.endswith((b"\n", b"\r")):
        return made
    bare = made[: -2 if made.endswith(b"\r\n") else -1]
    return made if not bare or bare.endswith((b"\n", b"\r")) else bare


class _Gaps:
    """What stands between rows: header and blank lines stay, records left out go."""

    def __init__(self, info: ReadInfo) -> None:
        self._info = info
        self._header = bool(info.header)  # still to come

    def keep(self, gap: bytes) -> bytes:
        """Return the part of a gap that stays."""
        if not gap or not self._info.left_out:
            return gap
        if self._info.format == "jsonl":
            lines = _JSONL_LINE.findall(gap)
            return b"".join(line for line in lines if not line.strip(SPACES))
        return self._keep_cells(gap)

    def _keep_cells(self, gap: bytes) -> bytes:
        codec = CODECS[self._info.encoding]
        kept: list[str] = []
        for cells, text in _records(gap.decode(codec), self._info):
            if self._header and cells:
                self._header = False
            elif cells or cells is None:
                continue
            kept.append(text)
        return "".join(kept).encode(codec)


def _records(text: str, info: ReadInfo) -> Iterator[tuple[list[str] | None, str]]:
    """Give the records of a piece of a delimited file; None for one that does not parse."""
    lines = list(io.StringIO(text, newline=""))
    reader = make_reader(lines, info.delimiter, quotes=info.quotes, strict=True)
    while (start := reader.line_num) < len(lines):
        try:
            cells: list[str] | None = next(reader)
        except csv.Error:
            cells = None
        yield cells, "".join(lines[start : reader.line_num])


def _cut_elements(table: Table, data: bytes, drop: Collection[int]) -> Job[bytes]:
    """Leave elements out of JSON lists, or named values out of an object, each with a comma.

    An element takes the comma behind it and the space up to the next one along; the last takes
    the comma before it.
    """
    out = bytearray()
    at = 0
    for done, row in enumerate(table.rows):
        if row.index in drop:
            start, stop = _range(row)
            if table.info.layout == "keyed":
                start = _key_start(data, start)
            out += data[at:start]
            at = _skip_spaces(data, stop)
            if data.startswith(b",", at):
                at = _skip_spaces(data, at + 1)
            else:
                at = stop
                _drop_comma(out)
        if done % STEP == 0:
            yield Progress("writing rows", done, len(table.rows))
    return bytes(out + data[at:])


def _skip_spaces(data: bytes, at: int) -> int:
    while data[at : at + 1] and data[at] in SPACES:
        at += 1
    return at


def _drop_comma(out: bytearray) -> None:
    bare = len(out)
    while bare and out[bare - 1] in SPACES:
        bare -= 1
    if bare and out[bare - 1 : bare] == b",":
        del out[bare - 1 :]


def _key_start(data: bytes, value: int) -> int:
    """Find the opening quote of the key of the value that starts at a byte."""
    closing = data.rfind(b'"', 0, data.rfind(b":", 0, value))
    opening = data.rfind(b'"', 0, closing)
    while _is_escaped(data, opening):
        opening = data.rfind(b'"', 0, opening)
    return opening


def _is_escaped(data: bytes, at: int) -> bool:
    before = at
    while data[before - 1 : before] == b"\\":
        before -= 1
    return (at - before) % 2 == 1
