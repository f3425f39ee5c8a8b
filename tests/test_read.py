"""The door to reading: streams, bounds, steps, packings, and files of awkward shapes."""

import csv
import gzip
import io
import json
import sys
import tracemalloc
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO, cast

import pytest

from leakladder.errors import BadRecords, ChoiceNeededError, LimitError, ReadError, SettingError
from leakladder.read import FORMAT_READERS, Table, read_rows, read_steps, read_table
from leakladder.results import Progress, Row
from leakladder.settings import FORMATS, PAGE_BOUNDS, Bounds, ReadOptions

BOMBS = Path(__file__).parent / "golden" / "bombs"


class Endless(io.RawIOBase):
    """A stream that makes its bytes as they are asked for."""

    def __init__(self, head: bytes, piece: bytes, pieces: int) -> None:
        self._parts: Iterator[bytes] = iter([head or piece, *[piece] * (pieces - (not head))])
        self._rest = b""

    def read(self, size: int = -1) -> bytes:
        while len(self._rest) < size and (part := next(self._parts, b"")):
            self._rest += part
        data, self._rest = self._rest[:size], self._rest[size:]
        return data


def stream(head: bytes, piece: bytes, pieces: int) -> BinaryIO:
    return cast("BinaryIO", Endless(head, piece, pieces))


def test_every_format_has_a_reader() -> None:
    assert tuple(FORMAT_READERS) == FORMATS


@pytest.mark.parametrize(
    ("name", "head", "piece"),
    [
        ("a.jsonl", b"", b'{"q": "' + b"x" * 990 + b'"}\n'),
        ("a.csv", b"id,text\n", b'1,"' + b"x" * 490 + b"\n" * 9 + b"y" * 490 + b'"\n'),
        ("a.txt", b"", b"x" * 999 + b"\n"),
    ],
)
def test_line_formats_are_streamed(name: str, head: bytes, piece: bytes) -> None:
    pieces = 12_000
    tracemalloc.start()
    reader = read_rows(stream(head, piece, pieces), name=name)
    count = sum(1 for _ in reader)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert count == reader.info.rows == pieces
    assert reader.info.bytes == len(head) + pieces * len(piece) > 11_000_000
    assert peak < 8_000_000


def test_a_packed_stream_is_streamed_too() -> None:
    data = gzip.compress(b'{"q": "' + b"x" * 9_990 + b'"}\n', mtime=0)
    tracemalloc.start()
    reader = read_rows(stream(b"", data, 5_000), name="a.jsonl.gz")
    assert sum(1 for _ in reader) == 5_000
    assert tracemalloc.get_traced_memory()[1] < 6_000_000
    tracemalloc.stop()


def test_the_reader_is_an_iterator() -> None:
    reader = read_rows(b'{"q": 1}\n{"q": 2}\n')
    assert next(reader).fields == {"q": "1"}
    assert [row.fields for row in reader] == [{"q": "2"}]
    assert next(reader, None) is None


def test_after_a_bad_record_a_stream_gives_out_no_more_rows_but_counts_them_all() -> None:
    data = b'{"q": 1}\n' * 40_000 + b"oops\n" + b'{"q": 2}\n' * 40_000 + b"oops\n" * 20
    reader = read_rows(io.BytesIO(data), name="a.jsonl")
    seen: list[Row] = []
    with pytest.raises(BadRecords) as caught:
        seen.extend(reader)
    assert len(seen) < 40_000
    assert caught.value.total == 21
    assert [error.line for error in caught.value.first] == [40_001, *range(80_002, 80_011)]


@pytest.mark.parametrize(
    ("data", "bounds", "unit", "found"),
    [
        (b'{"q": 1}\n' * 3, Bounds(bytes=26), "bytes", 27),
        (b'{"q": 1}\n' * 3, Bounds(rows=2), "rows", 3),
        (b"id,text\n1,a\n2,b\n", Bounds(rows=1), "rows", 2),
        (b"a\nb\n", Bounds(rows=1), "rows", 2),
        (b"[{},{}]", Bounds(rows=1), "rows", 2),
    ],
)
def test_bounds(data: bytes, bounds: Bounds, unit: str, found: int) -> None:
    with pytest.raises(LimitError) as caught:
        read_table(data, name="x", bounds=bounds)
    assert (caught.value.unit, caught.value.found) == (unit, found)


def test_a_file_at_its_bounds_is_read() -> None:
    data = b'{"q": 1}\n' * 3
    bounds = Bounds(bytes=len(data), rows=3, unpacked=1)  # not packed: `unpacked` says nothing
    assert len(read_table(data, bounds=bounds).rows) == 3


@pytest.mark.parametrize("name", ["zeros.jsonl.gz", "zeros.zip", "zeros.jsonl.zst"])
def test_bombs_stop_at_the_bound(name: str) -> None:
    data = (BOMBS / name).read_bytes()
    tracemalloc.start()
    with pytest.raises(LimitError) as caught:
        read_table(data, name=name, bounds=PAGE_BOUNDS)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert caught.value.unit == "unpacked bytes"
    assert 32_000_000 < caught.value.found <= 64_000_000
    assert peak < 160_000_000


def test_a_bomb_of_rows_stops_at_the_bound() -> None:
    data = (BOMBS / "lines.jsonl.gz").read_bytes()
    with pytest.raises(LimitError) as caught:
        read_table(data, name="x", bounds=PAGE_BOUNDS)
    assert caught.value.unit == "rows"
    assert 200_000 < caught.value.found < 220_000


def test_without_zstd_the_error_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    data = (BOMBS / "zeros.jsonl.zst").read_bytes()
    monkeypatch.setitem(sys.modules, "zstandard", None)
    monkeypatch.setitem(sys.modules, "compression", None)
    with pytest.raises(ReadError, match=r"leakladder\[zstd\]") as caught:
        read_table(data, name="x.zst")
    assert caught.value.code == "needs-extra"


def test_steps_report_bytes_and_end_in_the_table() -> None:
    data = b'{"q": 1}\n' * 60_000
    tables: list[Table] = []

    def run() -> Iterator[Progress]:
        tables.append((yield from read_steps(data, name="a.jsonl")))

    seen = list(run())
    (table,) = tables
    assert len(table.rows) == 60_000
    assert len(seen) >= 4
    done = [progress.done for progress in seen]
    assert done == sorted(done)
    assert done[-1] == len(data)
    assert {progress.total for progress in seen} == {len(data)}


def test_an_unnamed_file_is_called_input() -> None:
    with pytest.raises(ReadError, match=r"^input, byte 0: the file is empty\."):
        read_table(b"")


@pytest.mark.parametrize("delimiter", ['"', "\n", "\r", ",,", ""])
def test_a_delimiter_that_cannot_be_one_is_refused(delimiter: str) -> None:
    with pytest.raises(SettingError):
        ReadOptions(delimiter=delimiter)


def test_the_info_crosses_the_wire_as_json() -> None:
    options = ReadOptions(skip_bad=True)
    info = read_table(b'{"q": 1}\noops\n', name="a.jsonl", options=options).info
    wire = json.loads(json.dumps(info.to_wire()))
    assert wire["left_out"] == wire["bad"] == len(wire["first_bad"]) == 1
    assert wire["first_bad"][0]["line"] == 2
    assert {"format", "encoding", "compression", "delimiter", "header", "notes"} <= set(wire)


# Awkward shapes. Bounds on time are wide: they catch what is quadratic, not what is slow.


def test_ten_thousand_columns() -> None:
    names = [f"c{at}" for at in range(10_000)]
    text = "\n".join([",".join(names), *[",".join("x" * 10_000)] * 20])
    table = read_table(text.encode(), name="a.csv")
    assert len(table.rows) == 20
    assert list(table.rows[-1].fields) == names


def test_two_hundred_thousand_columns_in_one_row() -> None:
    record = {f"c{at}": at for at in range(200_000)}
    fields = read_table(json.dumps(record).encode() + b"\n", name="a.jsonl").rows[0].fields
    assert len(fields) == 200_000
    names = ",".join(record)
    table = read_table(f"{names}\n{','.join('1' * 200_000)}\n".encode(), name="a.csv")
    assert len(table.rows[0].fields) == 200_000


def test_one_duplicate_name_in_many_columns() -> None:
    text = ",".join(["a"] * 20_000)
    table = read_table(
        f"{text}\n{text}\n".encode(), name="a.csv", options=ReadOptions(header=True)
    )
    assert len(table.rows[0].fields) == 20_000
    assert list(table.rows[0].fields)[-1] == "a (20000)"


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_two_hundred_thousand_empty_csv_lines(end: str) -> None:
    data = f"id,text{end}{end * 200_000}1,a{end}".encode()
    table = read_table(data, name="a.csv", bounds=PAGE_BOUNDS)
    assert (len(table.rows), table.info.blank_lines) == (1, 200_000)
    assert table.rows[0].line == 200_002


def test_two_hundred_thousand_rows_that_are_no_records() -> None:
    data = b"[" + b"1," * 199_999 + b"1]"
    with pytest.raises(BadRecords) as caught:
        read_table(data, name="a.json", bounds=PAGE_BOUNDS)
    assert caught.value.total == 200_000


def test_of_very_many_lists_a_hundred_are_offered_and_the_message_counts_all() -> None:
    data = json.dumps({f"k{at}": [{}] for at in range(5_000)}).encode()
    with pytest.raises(ChoiceNeededError, match="5,000 lists") as caught:
        read_table(data, name="a.json")
    assert len(caught.value.choices) == 100
    table = read_table(data, name="a.json", options=ReadOptions(list_path="k4999"))
    assert len(table.info.list_choices) == 100
    assert table.info.notes == ["Of 5,000 lists the first 100 are offered."]


@pytest.mark.parametrize("name", ["a.jsonl", "a.csv", "a.tsv", "a.txt", "a", ""])
def test_a_file_of_blank_lines_is_an_error(name: str) -> None:
    with pytest.raises(ReadError, match="1,000 blank lines and no record") as caught:
        read_table(b"\n" * 1_000, name=name)
    assert caught.value.code == "empty-file"


def test_one_cell_of_two_megabytes() -> None:
    text = "x y" * 650_000
    for data, name in [
        (json.dumps({"q": text}) + "\n", "a.jsonl"),
        (json.dumps([{"q": text}]), "a.json"),
        (f'q,id\n"{text}",1\n', "a.csv"),
    ]:
        assert read_table(data.encode(), name=name).rows[0].fields["q"] == text


def test_a_number_of_a_hundred_thousand_digits() -> None:
    digits = "9" * 100_000
    table = read_table(f'{{"n": {digits}}}\n{{"n": 1}}\n'.encode(), name="a.jsonl")
    assert table.rows[0].fields["n"] == digits


def test_a_long_file_without_line_ends_is_read_in_linear_time() -> None:
    table = read_table(b"x" * 20_000_000, name="a.txt")
    assert len(str(table.rows[0].fields["text"])) == 20_000_000


def test_an_open_quote_early_in_a_long_file_is_found() -> None:
    data = b'id,text\n1,"a\n' + b"2,b\n" * 200_000
    with pytest.raises(ReadError) as caught:
        read_table(data, name="a.csv")
    assert (caught.value.code, caught.value.line, caught.value.column) == ("open-quote", 2, 3)


def test_the_field_limit_of_the_csv_module_is_raised() -> None:
    csv.field_size_limit(131_072)
    cell = "x" * 200_000
    assert (
        read_table(f"id,text\n1,{cell}\n".encode(), name="a.csv").rows[0].fields["text"] == cell
    )
