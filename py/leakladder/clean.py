"""Stage 9a - clean: a file written again without some of its rows.

Reads: a file as `sides.py` holds it. Read by: hosts. Which rows go is for `removal.py` to say.

What stays keeps its bytes: a row that goes takes its line end with it, or its comma in a JSON
list, and nothing else moves. A file whose rows have no byte ranges (Parquet, UTF-16, JSON by
columns) is written as JSONL in UTF-8 instead. Records that could not be read and were left out
by choice were never judged, so they do not stay: they are dropped and counted.

The result is read back before it is handed out, and must give the very rows that were to stay.
"""

import re
from collections.abc import Collection, Sequence
from dataclasses import asdict, dataclass, field, replace

from leakladder.cut import SPACES, STEP, cut_rows
from leakladder.errors import LadderError
from leakladder.fields import value_to_text
from leakladder.jobs import Job
from leakladder.read import ReadInfo, Table, read_steps
from leakladder.read.sniff import PACKED, extension
from leakladder.results import Progress, Row
from leakladder.settings import ReadOptions

_LONE_SURROGATE = re.compile("[\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class Cleaned:
    """A file without some of its rows.

    Attributes:
        name: What it may be called: the file's own name, without the extension of a packing,
            and with .jsonl where it is written anew.
        data: Its bytes, unpacked.
        rows: Records that the file had.
        kept: Records that are in `data`.
        bad: Records that could not be read; they are in neither number and not in `data`.
        rewritten: Every record was written anew as JSONL, so no byte is as it was.
        read_as: How to read `data` so that it gives the rows that were to stay.
        notes: Sentences for people about how it was written.
    """

    name: str
    data: bytes
    rows: int
    kept: int
    bad: int
    rewritten: bool
    read_as: ReadOptions
    notes: tuple[str, ...] = field(default=())

    @property
    def format(self) -> str:
        """Format of `data`."""
        return self.read_as.format or ""

    def to_wire(self) -> dict[str, object]:
        """Return the JSON-ready facts, without the bytes."""
        options = {name: value for name, value in asdict(self.read_as).items() if value}
        if self.read_as.header is False:
            options["header"] = False
        if self.read_as.quotes:
            del options["quotes"]
        else:
            options["quotes"] = False
        return {
            "name": self.name,
            "rows": self.rows,
            "kept": self.kept,
            "left_out": self.rows - self.kept,
            "bad_left_out": self.bad,
            "bytes": len(self.data),
            "format": self.format,
            "rewritten": self.rewritten,
            "read_as": options,
            "notes": list(self.notes),
        }


def write_without(table: Table, drop: Collection[int]) -> Job[Cleaned]:
    """Write a file again without some rows.

    Args:
        table: The file as read.
        drop: Indices of the rows to leave out; others than the file has are ignored.

    Returns:
        The new file. Blank lines, line ends, byte order mark, header and a last line without a
        line end are as they were. Time linear in the file, which is read once more.
    """
    info = table.info
    kept = [row for row in table.rows if row.index not in drop]
    notes = _note_packing(info)
    if table.data is not None and _has_ranges(table):
        data = yield from cut_rows(table, table.data, drop)
        options = options_of(info)
        if (yield from _gives(data, options, kept, info.name)):
            made = _make(table, data, kept, options)
            return _with_notes(made, notes)
    data = yield from _write_jsonl(kept)
    options = ReadOptions(format="jsonl", encoding="utf-8")
    notes.append(f"Written as JSONL in UTF-8: {_why_rewritten(table)}.")
    return _with_notes(_make(table, data, kept, options, rewritten=True), notes)


def options_of(info: ReadInfo) -> ReadOptions:
    """Return options that read a file as it was read, with nothing left to guess."""
    path = info.list_path
    if info.format == "json" and info.layout not in {"records", "one"}:
        path = None
    return ReadOptions(
        format=info.format or None,
        encoding=info.encoding or None,
        delimiter=info.delimiter or None,
        header=info.header,
        list_path=path,
        whole_text=info.whole_text,
        quotes=info.quotes,
        pad_ragged=info.padded > 0,
        skip_bad=info.left_out > 0,
    )


def _make(
    table: Table,
    data: bytes,
    kept: Sequence[Row],
    options: ReadOptions,
    *,
    rewritten: bool = False,
) -> Cleaned:
    info = table.info
    name = _name(info, rewritten=rewritten)
    return Cleaned(name, data, len(table.rows), len(kept), info.left_out, rewritten, options)


def _name(info: ReadInfo, *, rewritten: bool) -> str:
    name = info.name
    if info.compression:
        name = (info.member or name).rpartition("/")[2]
        packed = (end for end in PACKED if name.lower().endswith(end))
        name = name[: len(name) - len(next(packed, ""))]
    if rewritten:
        name = name[: len(name) - len(extension(name))] + ".jsonl"
    return name


def _with_notes(made: Cleaned, notes: list[str]) -> Cleaned:
    if made.bad:
        noun = "record" if made.bad == 1 else "records"
        notes.append(f"{made.bad:,} {noun} that could not be read did not stay either.")
    return replace(made, notes=tuple(notes))


def _note_packing(info: ReadInfo) -> list[str]:
    return [f"The {info.compression} file is written unpacked."] if info.compression else []


def _why_rewritten(table: Table) -> str:
    info = table.info
    if info.format == "parquet":
        return "Parquet has no lines to take out"
    if info.encoding == "utf-16":
        return "the file was UTF-16"
    if info.format == "json" and info.left_out:
        return "the list holds values that are no records"
    if info.layout in {"columns", "table", "one"}:
        return "its JSON does not hold one piece of text a row"
    return "without these rows it could not be read as before"


def _has_ranges(table: Table) -> bool:
    if table.info.format == "json" and table.info.left_out:
        return False
    return not table.rows or table.rows[0].start is not None


def _gives(data: bytes, options: ReadOptions, kept: Sequence[Row], name: str) -> Job[bool]:
    """Read a file back and tell whether it holds the very rows that were to stay."""
    if not kept and not data.strip(SPACES):
        return True
    if not kept and options.format in {"jsonl", "text"}:
        return True  # blank lines only, which nothing can be read from
    try:
        table = yield from read_steps(data, name=name, options=options)
    except LadderError:
        return False
    return [row.fields for row in table.rows] == [row.fields for row in kept]


def _write_jsonl(rows: Sequence[Row]) -> Job[bytes]:
    lines: list[str] = []
    for at, row in enumerate(rows):
        lines.append(_LONE_SURROGATE.sub(_escape, value_to_text(dict(row.fields))) + "\n")
        if at % STEP == 0:
            yield Progress("writing rows", at, len(rows))
    return "".join(lines).encode()


def _escape(match: re.Match[str]) -> str:
    return f"\\u{ord(match.group()):04x}"
