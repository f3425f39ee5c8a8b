"""1j - CSV, TSV and their kin, by the csv module in strict mode.

A record may hold line ends inside quotes, so its line is the one it starts on, and its bytes
are those of all its lines.
"""

import csv
import io
import re
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import accumulate, chain, count, islice, repeat
from operator import add, sub
from typing import TYPE_CHECKING, NamedTuple, cast

from leakladder.errors import ReadError
from leakladder.read.info import Reading
from leakladder.read.jsontext import show
from leakladder.read.lines import CODECS, decode, has_places, split_blocks
from leakladder.read.sniff import (
    SAMPLE,
    make_reader,
    name_columns,
    sniff_delimiter,
    sniff_header,
)
from leakladder.results import Row

if TYPE_CHECKING:
    from _csv import Reader

FIELD_LIMIT = 1 << 28
"""Characters of a cell; the csv module's own limit is 131,072, and texts are longer."""

RECORDS = 4_096
"""Records parsed at a time, or as many as the lines at hand are likely to hold."""

OPEN_QUOTE = "open-quote"

_LINE_END = re.compile(r"\r\n|\r|\n")
_QUOTED = re.compile(r'"[^"]*+(?:""[^"]*+)*+"')


# Row._make without its Python frame: half the time on 200,000 rows.
_make_row = cast("Callable[[tuple[object, ...]], Row]", partial(tuple.__new__, Row))


class _Batch(NamedTuple):
    """Records as parallel columns; `lines`, `starts` and `stops` are their places."""

    cells: list[list[str]]
    lines: Sequence[int]
    starts: Sequence[int | None]
    stops: Sequence[int | None]


def read_delimited(chunks: Iterator[bytes], reading: Reading) -> Iterator[list[Row]]:
    r"""Read records of cells; physical lines end at "\n", "\r\n" or "\r".

    Empty lines are counted as blank. A record with too few or too many cells is counted as bad
    unless the option `pad_ragged` is set: then missing cells are absent, and those beyond the
    last column get its number as name.

    Args:
        chunks: What `lines.strip_bom` gives out.
        reading: The file being read; delimiter, header and columns are filled.

    Yields:
        Rows in file order, a few thousand at a time.

    Raises:
        ReadError: If a quote is still open at the end of the file, since it has swallowed
            everything after it. Other faults cost one record and are counted.
    """
    csv.field_size_limit(FIELD_LIMIT)
    table = _Records(chunks, reading)
    batches = table.batches()
    for batch in batches:
        if any(batch.cells):
            yield _make_rows(_take_header(batch, reading), reading)
            break
        reading.info.blank_lines += len(batch.cells)
    for batch in batches:
        yield _make_rows(batch, reading)


def _take_header(batch: _Batch, reading: Reading) -> _Batch:
    info = reading.info
    sample = list(islice(filter(None, batch.cells), SAMPLE))
    asked = reading.options.header
    info.header = sniff_header(sample) if asked is None else asked
    info.columns = name_columns(sample[0], header=info.header)
    if not info.header:
        return batch
    at = batch.cells.index(sample[0])
    info.blank_lines += at
    return _Batch(*(column[at + 1 :] for column in batch))  # type: ignore[arg-type]


class _Records:
    """The records of a file with their places, parsed a few thousand at a time."""

    def __init__(self, chunks: Iterator[bytes], reading: Reading) -> None:
        self._reading = reading
        self._blocks = split_blocks(chunks, reading)
        self._texts: list[str] = []  # lines handed to the reader and not yet given out
        self._starts: list[int] = []
        self._stops: list[int] = []
        self._line = 1  # of the first of them
        first = next(self._lines(), [])
        info, options = reading.info, reading.options
        info.delimiter = options.delimiter or (
            "\t"
            if options.format == "tsv"
            else sniff_delimiter(
                "".join(first), info.member or info.name, quotes=options.quotes
            )
        )
        info.format = "tsv" if info.delimiter == "\t" else "csv"
        lines = chain.from_iterable(chain([first], self._lines()))
        self._reader = self._parse(lines)

    def _parse(self, lines: Iterator[str]) -> "Reader":
        reading = self._reading
        quotes = reading.options.quotes
        return make_reader(lines, reading.info.delimiter, quotes=quotes, strict=True)

    def _lines(self) -> Iterator[list[str]]:
        for block in self._blocks:
            text = decode(block, self._reading)
            lines = list(io.StringIO(text, newline=""))
            sized = lines if text.isascii() else block.raw.splitlines(keepends=True)
            starts = list(accumulate(map(len, sized), initial=block.start))
            if "\r" in text or not text.endswith("\n"):
                stops = map(add, starts, map(len, block.raw.splitlines()))
            else:  # each line ends in one byte
                stops = map(sub, islice(starts, 1, None), repeat(1))
            self._texts += lines
            self._starts += starts[:-1]
            self._stops += stops
            yield lines

    def batches(self) -> Iterator[_Batch]:
        """Parse the file.

        Yields:
            All records but the bad ones, which are counted on the way.

        Raises:
            ReadError: If a quote is still open at the end.
        """
        done = 0
        share = 1.0  # records a line, in the batch before
        while True:
            wanted = min(RECORDS, max(1, int(len(self._texts) * share)))
            try:
                cells = list(islice(self._reader, wanted))
            except csv.Error:
                cells = []
            used = self._reader.line_num - done
            done += used
            if not used:
                return
            batch = self._place(cells, used)
            share = max(len(batch.cells), 1) / used
            yield batch

    def _place(self, cells: list[list[str]], used: int) -> _Batch:
        """Find where records stand among the lines that they used up."""
        texts, starts, stops = self._texts[:used], self._starts[:used], self._stops[:used]
        del self._texts[:used], self._starts[:used], self._stops[:used]
        first, self._line = self._line, self._line + used
        if len(cells) == used:  # each line is one record
            lines: Sequence[int] = range(first, self._line)
        else:
            cells, spans = self._reparse(texts, starts, first)
            lines = [first + start for start, _ in spans]
            starts = [starts[start] for start, _ in spans]
            stops = [stops[stop - 1] for _, stop in spans]
        if has_places(self._reading):
            return _Batch(cells, lines, starts, stops)
        return _Batch(cells, lines, [None] * len(cells), [None] * len(cells))

    def _reparse(
        self, texts: list[str], starts: list[int], first: int
    ) -> tuple[list[list[str]], list[tuple[int, int]]]:
        """Parse lines once more, one record after the other, to see which lines each uses."""
        reader = self._parse(iter(texts))
        found: list[list[str]] = []
        spans: list[tuple[int, int]] = []
        while (start := reader.line_num) < len(texts):
            try:
                found.append(next(reader))
                spans.append((start, reader.line_num))
            except csv.Error as error:
                record = "".join(texts[start : reader.line_num])
                make = partial(
                    self._explain, record, (first + start, starts[start]), str(error)
                )
                if reader.line_num == len(texts) and make().code == OPEN_QUOTE:
                    raise make() from error
                self._reading.reject(make)
        return found, spans

    def _explain(self, record: str, place: tuple[int, int], said: str) -> ReadError:
        fault = _find_fault(record, self._reading.info.delimiter)
        fault = fault or _Fault(0, "bad-csv", f"{said}.", "")
        before = record[: fault.at]
        ends = list(_LINE_END.finditer(before))
        column = fault.at - (ends[-1].end() if ends else 0) + 1
        byte = place[1] + len(before.encode(CODECS[self._reading.info.encoding]))
        where = (place[0] + len(ends), column, byte if has_places(self._reading) else None)
        return self._reading.error(fault.reason, fault.code, where, fault.fix)


class _Fault(NamedTuple):
    """What is wrong with the quotes of a record, and at which character."""

    at: int
    code: str
    reason: str
    fix: str


_QUOTE_FIX = "Double the quotes inside a cell, or choose to read quotes as plain characters."


def _find_fault(record: str, delimiter: str) -> _Fault | None:
    """Find the quote that is never closed, or the text behind a closed one."""
    plain = re.compile(f"[^{re.escape(delimiter)}\r\n]*+")
    at = 0
    while at < len(record):
        if record[at] == '"':
            match = _QUOTED.match(record, at)
            if match is None:
                reason = "a quote opens here and is never closed."
                return _Fault(at, OPEN_QUOTE, reason, _QUOTE_FIX)
            at = match.end()
            if at < len(record) and record[at] not in f"{delimiter}\r\n":
                reason = f"found {show(record, at)} behind a closing quote."
                return _Fault(at, "bad-quote", reason, _QUOTE_FIX)
        elif (match := plain.match(record, at)) is not None:
            at = match.end()
        at += 1
    return None


def _make_rows(batch: _Batch, reading: Reading) -> list[Row]:
    """Make rows of records; empty ones are blank lines, ragged ones bad or padded."""
    info = reading.info
    columns: Sequence[str] = info.columns
    width = len(columns)
    widths = set(map(len, batch.cells))
    if widths - {width}:
        batch = _select(batch, reading)
        wide = max(map(len, batch.cells), default=0)
        columns = (*columns, *(str(number) for number in range(width + 1, wide + 1)))
    fields = map(dict, map(zip, repeat(columns), batch.cells))
    places = zip(count(info.rows), batch.lines, batch.starts, batch.stops, fields, strict=False)
    rows = list(map(_make_row, places))
    reading.count_rows(len(rows))
    return rows


def _select(batch: _Batch, reading: Reading) -> _Batch:
    info, width = reading.info, len(reading.info.columns)
    kept: list[int] = []
    for at, cells in enumerate(batch.cells):
        if not cells:
            info.blank_lines += 1
            continue
        if len(cells) != width:
            if not reading.options.pad_ragged:
                place = (batch.lines[at], None, batch.starts[at])
                reading.reject(partial(_ragged, reading, len(cells), place))
                continue
            info.padded += 1
        kept.append(at)
    return _Batch(
        [batch.cells[at] for at in kept],
        [batch.lines[at] for at in kept],
        [batch.starts[at] for at in kept],
        [batch.stops[at] for at in kept],
    )


def _ragged(reading: Reading, found: int, place: tuple[int, None, int | None]) -> ReadError:
    noun = "cell" if found == 1 else "cells"
    whose = "the header names" if reading.info.header else "the first record has"
    return reading.error(
        f"the record has {found:,} {noun}, and {whose} {len(reading.info.columns):,}.",
        "ragged-row",
        place,
        "Mend the line, or choose to pad short records or another delimiter.",
    )
