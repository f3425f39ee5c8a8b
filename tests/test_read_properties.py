"""Write then read gives the same rows; CRLF, a byte order mark and gzip change nothing."""

import csv
import gzip
import io
import json
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from leakladder.errors import LadderError
from leakladder.read import read_rows, read_table
from leakladder.results import NumberText
from leakladder.settings import ReadOptions
from read_oracle import typed

repeatable = settings(
    max_examples=80,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow],
)

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=6,
)
RECORDS = st.lists(st.dictionaries(TEXT, VALUES, max_size=4), min_size=1, max_size=6)
# Without "\r": until Python 3.13 csv.writer left it unquoted when lines end in "\n".
CELL = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\r"), max_size=12)
TABLES = st.integers(1, 4).flatmap(
    lambda width: st.lists(
        st.lists(CELL, min_size=width, max_size=width).filter(any), min_size=1, max_size=6
    )
)


def as_read(value: Any) -> Any:
    """Turn a value into what reading gives: numbers as the json module writes them."""
    if isinstance(value, bool) or value is None or isinstance(value, str):
        return value
    if isinstance(value, (int, float)):
        return NumberText(json.dumps(value))
    if isinstance(value, dict):
        return {key: as_read(item) for key, item in value.items()}
    return [as_read(item) for item in value]


def rows_of(data: bytes, name: str, **options: Any) -> list[Any]:
    table = read_table(data, name=name, options=ReadOptions(**options))
    stream = read_rows(io.BytesIO(data), name=name, options=ReadOptions(**options))
    assert list(stream) == table.rows
    return [typed(dict(row.fields)) for row in table.rows]


def write_jsonl(records: list[Any], *, ascii_only: bool = False) -> str:
    return "".join(json.dumps(record, ensure_ascii=ascii_only) + "\n" for record in records)


@repeatable
@given(RECORDS, st.booleans())
def test_jsonl(records: list[Any], ascii_only: bool) -> None:
    text = write_jsonl(records, ascii_only=ascii_only)
    expected = typed(as_read(records))
    assert rows_of(text.encode(), "a.jsonl") == expected
    assert rows_of(text.replace("\n", "\r\n").encode(), "a.jsonl") == expected
    assert rows_of(b"\xef\xbb\xbf" + text.encode(), "a.jsonl") == expected
    assert rows_of(text.encode("utf-16"), "a.jsonl") == expected
    assert rows_of(gzip.compress(text.encode()), "a.jsonl") == expected
    assert rows_of(text.rstrip("\n").encode(), "a.jsonl") == expected


@repeatable
@given(RECORDS, st.sampled_from([None, 0, 2]), st.booleans())
def test_json_array(records: list[Any], indent: int | None, ascii_only: bool) -> None:
    text = json.dumps(records, indent=indent, ensure_ascii=ascii_only)
    expected = typed(as_read(records))
    assert rows_of(text.encode(), "a.json", format="json") == expected
    assert rows_of(b"\xef\xbb\xbf" + text.encode(), "a.json", format="json") == expected
    wrapped = json.dumps({"n": 1, "data": records}, indent=indent)
    assert rows_of(wrapped.encode(), "a.json", format="json", list_path="data") == expected


@repeatable
@given(RECORDS)
def test_byte_ranges_of_a_json_array(records: list[Any]) -> None:
    text = json.dumps(records, indent=1, ensure_ascii=False)
    table = read_table(text.encode(), name="a.json", options=ReadOptions(format="json"))
    assert table.data is not None
    for row, record in zip(table.rows, records, strict=True):
        assert json.loads(table.data[row.start : row.stop]) == record
        assert row.start is not None
        assert row.line == table.data[: row.start].count(b"\n") + 1


@repeatable
@given(TABLES, st.sampled_from(",;\t|"), st.sampled_from(["\n", "\r\n"]), st.booleans())
def test_delimited(cells: list[list[str]], delimiter: str, end: str, quote_all: bool) -> None:
    names = [f"c{at}" for at in range(len(cells[0]))]
    stream = io.StringIO(newline="")
    writer = csv.writer(
        stream,
        delimiter=delimiter,
        lineterminator=end,
        quoting=csv.QUOTE_ALL if quote_all else csv.QUOTE_MINIMAL,
    )
    writer.writerows([names, *cells])
    text = stream.getvalue()
    expected = typed([dict(zip(names, row, strict=True)) for row in cells])
    chosen = {"format": "csv", "delimiter": delimiter, "header": True}
    assert rows_of(text.encode(), "a.csv", **chosen) == expected
    assert rows_of(b"\xef\xbb\xbf" + text.encode(), "a.csv", **chosen) == expected
    assert rows_of(text.encode("utf-16"), "a.csv", **chosen) == expected
    assert rows_of(gzip.compress(text.encode()), "a.csv", **chosen) == expected


@repeatable
@given(TABLES, st.sampled_from(["\n", "\r\n"]))
def test_lines_and_byte_ranges_of_a_table(cells: list[list[str]], end: str) -> None:
    stream = io.StringIO(newline="")
    csv.writer(stream, lineterminator=end).writerows(cells)
    data = stream.getvalue().encode()
    options = ReadOptions(format="csv", delimiter=",", header=False)
    table = read_table(data, name="a.csv", options=options)
    for row, record in zip(table.rows, cells, strict=True):
        part = data[row.start : row.stop].decode()
        assert next(csv.reader(io.StringIO(part, newline=""))) == record
        assert data[row.stop :].startswith(end.encode())
        before = data[: row.start].decode()
        assert row.line == len(io.StringIO(before, newline="").readlines()) + 1


@repeatable
@given(st.lists(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\n"))))
def test_plain_text(lines: list[str]) -> None:
    lines = ["first", *(line.rstrip("\r") for line in lines)]
    expected = typed([{"text": line} for line in lines if line.strip()])
    for end in ("\n", "\r\n"):
        data = "".join(line + end for line in lines).encode()
        assert rows_of(data, "a.txt", format="text") == expected
        assert rows_of(gzip.compress(data), "a.txt", format="text") == expected


@repeatable
@given(st.binary(max_size=200), st.sampled_from(["a.jsonl", "a.json", "a.csv", "a.txt", ""]))
def test_reading_twice_gives_the_same_whatever_the_bytes(data: bytes, name: str) -> None:
    def read() -> object:
        try:
            table = read_table(data, name=name)
        except LadderError as error:
            return error.to_wire()
        return table.rows, table.info.to_wire()

    assert read() == read()
