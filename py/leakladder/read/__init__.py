"""1 - file bytes to rows: the one door to every format.

What was decided about a file stands in `ReadInfo` and can be overridden by `ReadOptions`. Rows
read, bad records and blank lines always add up to the records present.
"""

import io
from collections.abc import Callable, Generator, Iterator
from dataclasses import dataclass
from itertools import chain
from typing import BinaryIO

from leakladder.errors import BadRecords, ReadError
from leakladder.jobs import Job, finish
from leakladder.read.delimited import read_delimited
from leakladder.read.info import ReadInfo, Reading
from leakladder.read.json_file import read_json
from leakladder.read.jsonl import read_jsonl
from leakladder.read.lines import has_places, strip_bom
from leakladder.read.parquet import MAGIC, read_interchange, read_parquet, read_stream
from leakladder.read.plain import read_text
from leakladder.read.sniff import HEAD, HEAD_MOST, sniff_format
from leakladder.read.unpack import count_bytes, unpack_file
from leakladder.results import Progress, Row
from leakladder.settings import Bounds, ReadOptions

__all__ = [
    "FORMAT_READERS",
    "Job",
    "ReadInfo",
    "RowReader",
    "Table",
    "interchange_steps",
    "read_rows",
    "read_steps",
    "read_table",
]

NO_RECORDS = "The file holds no records."

Reader = Callable[[Iterator[bytes], Reading], Iterator[list[Row]]]

FORMAT_READERS: dict[str, Reader] = {
    "jsonl": read_jsonl,
    "json": read_json,
    "csv": read_delimited,
    "tsv": read_delimited,
    "text": read_text,
    "parquet": read_parquet,
}
"""Format to its reader. A new format is an entry here, in `settings.FORMATS` and in `sniff`."""


@dataclass(frozen=True, slots=True)
class Table:
    """A whole file, read.

    Attributes:
        rows: All rows, `rows[i].index == i`.
        info: What was decided and found.
        data: The unpacked bytes that the rows' byte ranges point into; None without ranges.
    """

    rows: list[Row]
    info: ReadInfo
    data: bytes | None


class RowReader(Iterator[Row]):
    """Rows of a file, one after the other.

    Attributes:
        info: What was decided and found; complete once the last row has been given out.
    """

    def __init__(self, batches: Iterator[list[Row]], info: ReadInfo) -> None:
        self.info = info
        self._rows = chain.from_iterable(batches)

    def __iter__(self) -> Iterator[Row]:
        return self._rows

    def __next__(self) -> Row:
        return next(self._rows)


def read_rows(
    source: bytes | BinaryIO,
    *,
    name: str = "",
    options: ReadOptions | None = None,
    bounds: Bounds | None = None,
) -> RowReader:
    """Read a file row by row.

    JSONL, delimited files and plain text are never held whole when `source` is a stream, nor is
    Parquet when it can seek; JSON and zip are.

    Args:
        source: The file, or a stream of its bytes.
        name: Its name, for messages and where the content leaves the format open.
        options: How to read it; None decides everything by looking.
        bounds: How much to read; None reads everything.

    Returns:
        An iterator of rows. On a bad record it gives out no more rows, reads on to count all
        bad records, and raises BadRecords, unless the option `skip_bad` is set. Its other
        errors are ReadError, ChoiceNeededError and LimitError.
    """
    reading = Reading(
        options or ReadOptions(), bounds or Bounds(), ReadInfo(name=name or "input")
    )
    return RowReader(_good_batches(source, reading, None), reading.info)


def read_table(
    data: bytes,
    *,
    name: str = "",
    options: ReadOptions | None = None,
    bounds: Bounds | None = None,
) -> Table:
    """Read a whole file at once; arguments and errors as `read_rows`."""
    return finish(read_steps(data, name=name, options=options, bounds=bounds))


def read_steps(
    data: bytes,
    *,
    name: str = "",
    options: ReadOptions | None = None,
    bounds: Bounds | None = None,
) -> Generator[Progress, None, Table]:
    """Read a whole file in steps of about 128 KiB, so that it can be shown and cancelled.

    Arguments and errors as `read_rows`.

    Yields:
        Bytes unpacked so far; the total is 0 for packed files, whose size is not known before.

    Returns:
        The table.
    """
    reading = Reading(
        options or ReadOptions(), bounds or Bounds(), ReadInfo(name=name or "input")
    )
    rows: list[Row] = []
    unpacked: list[bytes] = []
    for batch in _good_batches(data, reading, unpacked):
        rows += batch
        total = 0 if reading.info.compression else len(data)
        yield Progress("reading", reading.info.unpacked, total)
    kept: bytes | None = None
    if reading.info.format != "parquet" and has_places(reading):
        kept = b"".join(unpacked) if reading.info.compression else data
    return Table(rows, reading.info, kept)


def interchange_steps(
    text: str, size: int, *, name: str = "", bounds: Bounds | None = None
) -> Generator[Progress, None, Table]:
    """Read a Parquet file that the page's own decoder has decoded, in steps.

    Args:
        text: What `web/worker/parquet.js` made of the file; `read.parquet` describes it.
        size: Bytes of the file itself.
        name: Its name, for messages.
        bounds: How much to read; None reads everything.

    Yields:
        Rows so far; the total is 0, not known.

    Returns:
        The table that `read_table` gives for the file's bytes. Errors as there.
    """
    info = ReadInfo(name=name or "input", format="parquet", bytes=size, unpacked=size)
    reading = Reading(ReadOptions(), bounds or Bounds(), info)
    rows: list[Row] = []
    for batch in read_interchange(text, reading):
        rows += batch
        yield Progress("reading", len(rows), 0)
    if not rows:
        reading.note(NO_RECORDS)
    return Table(rows, info, None)


def _good_batches(
    source: bytes | BinaryIO, reading: Reading, keep: list[bytes] | None
) -> Iterator[list[Row]]:
    info = reading.info
    if not isinstance(source, bytes) and _is_parquet(source, reading):
        batches = read_stream(source, reading)
    else:
        chunks = unpack_file(source, reading)
        batches = _open(chunks if keep is None else _kept(chunks, keep, reading), reading)
    for batch in batches:
        if not info.bad or reading.options.skip_bad:
            yield batch
    if info.bad and not reading.options.skip_bad:
        raise BadRecords(info.first_bad, info.bad, file=info.name)
    info.left_out = info.bad
    if not (info.rows or info.bad or info.columns or info.layout):
        raise _empty(reading)
    if not info.rows:
        reading.note(NO_RECORDS)


def _is_parquet(stream: BinaryIO, reading: Reading) -> bool:
    """Look whether a stream is Parquet that need not be held in memory; note its size if so."""
    if reading.options.format not in {None, "parquet"} or not stream.seekable():
        return False
    start = stream.tell()
    found = stream.read(len(MAGIC)) == MAGIC
    if found:
        count_bytes(stream.seek(0, io.SEEK_END) - start, reading)
        reading.info.unpacked = reading.info.bytes
        reading.info.format = "parquet"
    stream.seek(start)
    return found


def _kept(chunks: Iterator[bytes], keep: list[bytes], reading: Reading) -> Iterator[bytes]:
    for chunk in chunks:
        if reading.info.compression:
            keep.append(chunk)
        yield chunk


def _empty(reading: Reading) -> ReadError:
    lines = reading.info.blank_lines
    found = f"the file holds {lines:,} blank lines and no record." if lines else ""
    return reading.error(found or "the file is empty.", "empty-file", (None, None, 0))


def _open(chunks: Iterator[bytes], reading: Reading) -> Iterator[list[Row]]:
    # Settle encoding and format by the head of the file, then hand over to its reader.
    head = next(chunks, b"")
    if head.startswith(MAGIC) and reading.options.format in {None, "parquet"}:
        reading.info.format = "parquet"
        return read_parquet(chain((head,), chunks), reading)
    texts = strip_bom(chain((head,), chunks), reading)
    head = next(texts, b"")
    ended = False
    while not ended and (len(head) < HEAD or (b"\n" not in head and len(head) < HEAD_MOST)):
        more = next(texts, b"")
        ended = not more
        head += more
    if ended and not head:
        raise _empty(reading)
    reading.info.format = sniff_format(head, reading, whole=ended)
    return FORMAT_READERS[reading.info.format](chain((head,), texts), reading)
