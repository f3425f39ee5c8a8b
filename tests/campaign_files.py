"""Damaged files through reading, held against independent readers; a number makes a file.

A file is one of the golden files, or one that a random table was written to, with up to four
changes. It must give a LadderError, or the rows that the json and csv modules give.
"""

import gzip
import io
import random
import sys
import zipfile
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from time import perf_counter
from typing import Any

from campaign_pairs import draw_records, draw_word, write_records
from leakladder.errors import BadRecords, LadderError
from leakladder.fields import get_cells, guess_id_field, guess_text_fields, list_fields
from leakladder.read import ReadInfo, Table, read_rows, read_table
from leakladder.settings import Bounds, ReadOptions
from read_oracle import Found, read_as, typed

GOLDEN = Path(__file__).parent / "golden" / "read"
SLOW = 3.0
"""Seconds a file of some kilobytes may take at most."""
TEXTUAL = frozenset({"jsonl", "json", "csv", "tsv", "text"})
PIECES = (
    *(b",", b";", b"\t", b"|", b'"', b'""', b"\n", b"\r", b"\r\n", b"{", b"}", b"[", b"]"),
    *(b"\\", b":", b" ", b"0", b"e9", b"-", b"null", b"true", b"NaN", b'{"a":1}', b"[]", b"{}"),
    *(b"\\ud800", b"\\u0000", b"\x00", b"\xff", b"\xc3", b"\xc3\xa9", b"\xe2\x80\xa8"),
    *(b"\xc2\x85", b"\xef\xbb\xbf", b"\xff\xfe", b"PAR1", b"\x1f\x8b", b"PK\x03\x04"),
    *(b"\x28\xb5\x2f\xfd", b"#", b"'"),
)
EXTENSIONS = (".jsonl", ".json", ".csv", ".tsv", ".txt", "", ".parquet", ".md", ".gz", ".zip")


@cache
def golden_files() -> list[tuple[str, bytes]]:
    """Return name and content of every golden file that is small enough to be changed often."""
    return [
        (path.name, path.read_bytes())
        for path in sorted(GOLDEN.rglob("*"))
        if path.is_file() and not path.name.endswith((".expected.json", ".interchange.json"))
        if path.stat().st_size < 20_000 and path.name != ".gitattributes"
    ]


def draw_table(draw: random.Random) -> tuple[str, bytes]:
    form = draw.choice(("jsonl", "json", "csv", "tsv"))
    phrases = [" ".join(draw_word(draw) for _ in range(9))]
    rows = draw_records(draw, phrases, ("question",), plain=form in {"csv", "tsv"})
    data = write_records(rows, ("question",), form)
    if draw.random() < 0.2:
        data = data.replace(b"\n", b"\r\n")
    packing = draw.random()
    if packing < 0.1:
        return f"a.{form}.gz", gzip.compress(data, mtime=0)
    if packing < 0.2:
        out = io.BytesIO()
        with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr(zipfile.ZipInfo(f"a.{form}"), data)
        return "a.zip", out.getvalue()
    if packing < 0.3:
        return f"a.{form}", data.decode().encode("utf-16")
    return f"a.{form}", data


def cut(draw: random.Random, data: bytearray, at: int) -> None:
    del data[at:]


def flip(draw: random.Random, data: bytearray, at: int) -> None:
    data[at] ^= 1 << draw.randrange(8)


def overwrite(draw: random.Random, data: bytearray, at: int) -> None:
    piece = draw.choice(PIECES)
    data[at : at + len(piece)] = piece


def insert(draw: random.Random, data: bytearray, at: int) -> None:
    data[at:at] = draw.choice(PIECES) * draw.choice((1, 1, 1, 2, 600))


def remove(draw: random.Random, data: bytearray, at: int) -> None:
    del data[at : at + draw.randint(1, 9)]


def repeat(draw: random.Random, data: bytearray, at: int) -> None:
    data[at:at] = data[at : at + draw.randint(1, 60)]


def swap_bytes(draw: random.Random, data: bytearray, at: int) -> None:
    old, new = draw.sample(list(b',;|\t"\n{['), 2)
    data[:] = bytes(data).replace(bytes([old]), bytes([new]))


def splice(draw: random.Random, data: bytearray, at: int) -> None:
    _, other = draw.choice(golden_files())
    data[at:at] = other[draw.randrange(len(other) + 1) :][:400]


CHANGES: Sequence[Callable[[random.Random, bytearray, int], None]] = (
    cut, flip, flip, overwrite, overwrite, insert, insert, remove, repeat, swap_bytes, splice,
)  # fmt: skip


def damage(number: int) -> tuple[str, bytes]:
    """Make file `number`."""
    draw = random.Random(number)
    name, whole = draw.choice(golden_files()) if draw.random() < 0.7 else draw_table(draw)
    data = bytearray(whole)
    for _ in range(draw.randint(0, 4)):
        if data:
            draw.choice(CHANGES)(draw, data, draw.randrange(len(data)))
    if draw.random() < 0.15:
        name = name.split(".")[0] + draw.choice(EXTENSIONS)
    return name, bytes(data)


def check_file(number: int) -> str:
    """Read file `number` every way and compare.

    Returns:
        What came of it: a format, or the code of the error.

    Raises:
        AssertionError: If anything but LadderError was raised, rows differ from those of the
            independent readers, records are lost, or it took too long.
    """
    name, data = damage(number)
    start = perf_counter()
    outcome = check_bytes(name, data)
    spent = perf_counter() - start
    assert spent < SLOW, f"{name} of {len(data)} bytes took {spent:.1f} s"
    return outcome


def check_bytes(name: str, data: bytes) -> str:
    lenient, strict = (attempt(name, data, skip_bad=skip) for skip in (True, False))
    streamed = attempt_stream(name, data)
    if isinstance(lenient, LadderError):
        assert isinstance(strict, LadderError)
        if lenient.code == "bad-packing":  # a trickle may show the damage in the text first
            assert isinstance(streamed, dict)
        else:
            assert streamed == lenient.to_wire()
        assert lenient.code not in {"error", "internal", "bad-records"}
        assert str(lenient).startswith(name)
        return lenient.code
    info = lenient.info
    assert streamed == [row.fields for row in lenient.rows]
    assert [row.index for row in lenient.rows] == list(range(info.rows))
    if info.bad:
        assert isinstance(strict, BadRecords)
        assert (strict.total, len(strict.first)) == (info.bad, min(10, info.bad))
    else:
        assert isinstance(strict, Table)
        assert strict.rows == lenient.rows
    check_rows(lenient, data)
    check_fields(lenient)
    return info.format


def attempt(name: str, data: bytes, *, skip_bad: bool) -> Table | LadderError:
    options = ReadOptions(skip_bad=skip_bad)
    try:
        return read_table(data, name=name, options=options, bounds=BOUNDS)
    except LadderError as error:
        return error


BOUNDS = Bounds(bytes=2_000_000, rows=200_000, unpacked=32_000_000)


class Trickle(io.RawIOBase):
    """A stream that gives out a few bytes at a time, as a pipe may."""

    def __init__(self, data: bytes) -> None:
        super().__init__()
        self._data = io.BytesIO(data)

    def readable(self) -> bool:
        return True

    def read(self, size: int = -1) -> bytes:
        return self._data.read(97 if size < 0 else min(size, 97))


def attempt_stream(name: str, data: bytes) -> object:
    """Return the rows read from a trickling stream, or the wire form of the error."""
    try:
        reader = read_rows(
            Trickle(data),  # type: ignore[arg-type]  # all of BinaryIO that reading needs
            name=name,
            options=ReadOptions(skip_bad=True),
            bounds=BOUNDS,
        )
        return [row.fields for row in reader]
    except LadderError as error:
        return error.to_wire()


def unpack(info: ReadInfo, data: bytes) -> bytes:
    """Unpack by the standard library; zstd has none here."""
    if info.compression == "gzip":
        return gzip.decompress(data)
    if info.compression == "zip":
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            return archive.read(info.member)
    return data


def check_rows(table: Table, data: bytes) -> None:
    """Rows, bad records and blank lines are those of an independent reader."""
    info = table.info
    if info.format not in TEXTUAL or info.compression == "zstd" or info.layout == "table":
        return
    if info.layout == "records" and not {*'["'}.isdisjoint(info.list_path or ""):
        return  # rows wrapped in another object, quoted keys: golden files hold these
    if any(fault.code == "too-deep" for fault in info.first_bad):
        return  # the independent reader has no such bound
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(4_000)  # the helpers call themselves, and values nest 500 deep
    try:
        found: Found = read_as(info, unpack(info, data))
        assert [typed(dict(row.fields)) for row in table.rows] == typed(found.records)
    finally:
        sys.setrecursionlimit(before)
    assert (info.rows, info.bad, info.blank_lines) == (
        len(found.records), found.bad, found.blank,
    )  # fmt: skip


def check_fields(table: Table) -> None:
    """What is listed can be taken out, with the fill count told."""
    fields = list_fields(table.rows)
    for item in fields[:30]:
        cells = get_cells(table.rows, item.path)
        assert sum(isinstance(cell, str) and cell != "" for cell in cells) <= len(table.rows)
        if item.kind == "text":
            assert sum(isinstance(cell, str) and cell != "" for cell in cells) == item.filled
    chosen: Any = guess_text_fields(fields, table.rows)
    assert all(path in {item.path for item in fields} for path in chosen)
    guess_id_field(fields, table.rows)
