"""Each file under golden/read beside what it must read as; adding a case adds two files.

`X.expected.json` holds `options` (of ReadOptions), then either `rows`, `info` (a part of the
info's wire form) and `lines`, or `error` (a part of the error's wire form). All of it is
written by hand: numbers are compared as the texts they are written as.
"""

import csv
import io
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from leakladder.errors import LadderError
from leakladder.read import Table, read_rows, read_table
from leakladder.results import NumberText, Row
from leakladder.settings import ReadOptions
from read_oracle import typed

FOLDER = Path(__file__).parent / "golden" / "read"
SUFFIX = ".expected.json"
CASES = sorted(path.relative_to(FOLDER).as_posix() for path in FOLDER.rglob(f"*{SUFFIX}"))

ERROR_FREE = {"rows", "info", "lines", "options"}


@pytest.fixture(autouse=True)
def _deep_values() -> Iterator[None]:
    """Let the helpers here, which call themselves, walk values of 500 levels."""
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(4_000)
    yield
    sys.setrecursionlimit(before)


def load(case: str) -> tuple[str, bytes, ReadOptions, dict[str, Any]]:
    path = FOLDER / case
    expected = json.loads(
        path.read_text(encoding="utf-8"),
        parse_float=NumberText,
        parse_constant=NumberText,
        parse_int=NumberText,
    )
    source = path.with_name(path.name.removesuffix(SUFFIX))
    return (
        source.name,
        source.read_bytes(),
        ReadOptions(**expected.get("options", {})),
        expected,
    )


def plain(value: Any) -> Any:
    """Turn the number texts of an expectation back into numbers, for the wire form."""
    if isinstance(value, NumberText):
        return int(value)
    if isinstance(value, list):
        return [plain(item) for item in value]
    return value


def test_there_are_enough_cases_and_each_has_its_file() -> None:
    assert len(CASES) >= 120
    files = {p.relative_to(FOLDER).as_posix() for p in FOLDER.rglob("*") if p.is_file()}
    orphans = files - set(CASES) - {case.removesuffix(SUFFIX) for case in CASES}
    assert orphans <= {".gitattributes"} | {f for f in files if f.endswith(".interchange.json")}


@pytest.mark.parametrize("case", CASES)
def test_golden(case: str) -> None:
    name, data, options, expected = load(case)
    if "error" in expected:
        with pytest.raises(LadderError) as caught:
            read_table(data, name=name, options=options)
        wire = caught.value.to_wire()
        assert {key: wire.get(key) for key in expected["error"]} == {
            key: plain(value) for key, value in expected["error"].items()
        }
        assert str(wire["message"]).startswith(name)
        return
    check_rows(read_table(data, name=name, options=options), expected)


def check_rows(table: Table, expected: dict[str, Any]) -> None:
    assert set(expected) <= ERROR_FREE
    fields = [dict(row.fields) for row in table.rows]
    assert [typed(record) for record in fields] == [
        typed(record) for record in expected["rows"]
    ]
    assert [list(record) for record in fields] == [list(record) for record in expected["rows"]]
    assert [row.index for row in table.rows] == list(range(len(fields)))
    wire = table.info.to_wire()
    assert {key: wire[key] for key in expected["info"]} == {
        key: plain(value) for key, value in expected["info"].items()
    }
    assert wire["rows"] == len(fields)
    if "lines" in expected:
        assert [row.line for row in table.rows] == plain(expected["lines"])


@pytest.mark.parametrize("case", CASES)
def test_golden_in_chunks_of_seven_bytes(case: str, monkeypatch: pytest.MonkeyPatch) -> None:
    name, data, options, _ = load(case)
    whole = outcome(lambda: read_table(data, name=name, options=options).rows)
    monkeypatch.setattr("leakladder.read.unpack.CHUNK", 7 if len(data) < 2_000 else 997)
    assert outcome(lambda: read_table(data, name=name, options=options).rows) == whole
    stream = io.BytesIO(data)
    assert outcome(lambda: list(read_rows(stream, name=name, options=options))) == whole


def outcome(read: Any) -> object:
    try:
        return [tuple(row) for row in read()]
    except LadderError as error:
        return error.to_wire()


@pytest.mark.parametrize("case", CASES)
def test_byte_ranges_hold_the_record_alone(case: str) -> None:
    name, data, options, expected = load(case)
    if "error" in expected:
        return
    table = read_table(data, name=name, options=options)
    for row in table.rows:
        if row.start is None or row.stop is None:
            continue
        assert table.data is not None
        text = table.data[row.start : row.stop].decode(table.info.encoding)
        assert parse_record(text, row, table, quotes=options.quotes) == typed(dict(row.fields))


def parse_record(text: str, row: Row, table: Table, *, quotes: bool) -> object:
    """Read one record's text by other means than the reader."""
    if table.info.format == "text":
        return typed({"text": text})
    if table.info.format in {"csv", "tsv"}:
        assert not text.endswith(("\n", "\r"))
        (cells,) = csv.reader(
            io.StringIO(text, newline=""),
            delimiter=table.info.delimiter,
            quoting=csv.QUOTE_MINIMAL if quotes else csv.QUOTE_NONE,
        )
        return typed(dict(zip(row.fields, cells, strict=True)))
    value = json.loads(
        text, parse_float=NumberText, parse_int=NumberText, parse_constant=NumberText
    )
    if isinstance(value, str):
        value = {"text": value}
    inherited = {key: row.fields[key] for key in row.fields if key not in value}
    assert set(inherited) <= {"title", "context", "row_idx", "key"}
    return typed({key: value.get(key, inherited.get(key)) for key in row.fields})
