"""Parquet by pyarrow and by the page's decoder: the same rows; bombs stop; clear errors.

The interchange files beside the Parquet files are what web/worker/parquet.js made of them;
tests/web/parquet.test.js holds it to them.
"""

import io
import sys
from pathlib import Path
from typing import cast

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from leakladder.errors import LadderError, LimitError, ReadError
from leakladder.read import Table, interchange_steps, read_rows, read_table
from leakladder.settings import PAGE_BOUNDS, Bounds
from read_oracle import typed

GOLDEN = Path(__file__).parent / "golden"
FILES = sorted((GOLDEN / "read" / "parquet").glob("*.parquet"))


def read_interchange(text: str, size: int, *, name: str, bounds: Bounds | None = None) -> Table:
    steps = interchange_steps(text, size, name=name, bounds=bounds)
    while True:
        try:
            next(steps)
        except StopIteration as end:
            return cast("Table", end.value)


def interchange(path: Path) -> str:
    return path.with_name(f"{path.name}.interchange.json").read_text(encoding="utf-8")


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_both_decoders_give_the_same_rows(path: Path) -> None:
    data = path.read_bytes()
    if '"error":' in interchange(path)[:9]:
        with pytest.raises(ReadError) as page_error:
            read_interchange(interchange(path), len(data), name=path.name)
        with pytest.raises(ReadError) as native_error:
            read_table(data, name=path.name)
        assert page_error.value.code == native_error.value.code
        assert page_error.value.file == native_error.value.file == path.name
        return
    native = read_table(data, name=path.name)
    page = read_interchange(interchange(path), len(data), name=path.name)
    assert typed([list(row) for row in page.rows]) == typed([list(row) for row in native.rows])
    assert page.info == native.info


def test_a_stream_that_can_seek_is_read_without_holding_it() -> None:
    sink = io.BytesIO()
    table = pa.table({"q": [f"row {at} " * 20 for at in range(20_000)]})
    pq.write_table(table, sink, row_group_size=1_000, compression="none", use_dictionary=False)
    data = sink.getvalue()

    class Watched(io.BytesIO):
        largest = 0

        def read(self, size: int | None = -1, /) -> bytes:
            data = super().read(size)
            self.largest = max(self.largest, len(data))
            return data

    stream = Watched(data)
    reader = read_rows(stream, name="x.parquet")
    whole = read_table(data, name="x.parquet")
    assert (list(reader), reader.info) == (whole.rows, whole.info)
    assert whole.rows[19_999].fields["q"] == "row 19999 " * 20
    assert 0 < stream.largest < len(data) / 5
    with pytest.raises(LimitError):
        list(read_rows(stream, bounds=Bounds(bytes=10)))


def test_a_column_is_as_long_as_the_footer_says() -> None:
    text = '{"rows":3,"columns":[{"name":"q","type":{"kind":"text"}}]}\n["a","b"]\n["c","d"]'
    with pytest.raises(ReadError, match="differ in length"):
        read_interchange(text, 1, name="x")


def test_the_interchange_is_held_to_the_row_bound_again() -> None:
    path = GOLDEN / "read" / "parquet" / "row-groups.parquet"
    with pytest.raises(LimitError) as caught:
        read_interchange(interchange(path), 1, name="x", bounds=Bounds(rows=2))
    assert (caught.value.unit, caught.value.bound, caught.value.found) == ("rows", 2, 3)


@pytest.mark.parametrize(
    ("name", "unit"),
    [("rows", "rows"), ("characters", "characters"), ("list", "characters")],
)
def test_bombs_stop(name: str, unit: str) -> None:
    data = (GOLDEN / "bombs" / f"{name}.parquet").read_bytes()
    assert len(data) < 250_000
    with pytest.raises(LimitError) as caught:
        read_table(data, name=f"{name}.parquet", bounds=PAGE_BOUNDS)
    assert caught.value.unit == unit
    assert caught.value.found > caught.value.bound


def test_an_error_of_the_page_names_the_file_and_the_bound() -> None:
    text = '{"error":{"code":"over-the-bound","unit":"characters","bound":5,"found":7}}'
    with pytest.raises(LimitError, match=r"^x\.parquet: 7 characters, and the bound is 5$"):
        read_interchange(text, 1, name="x.parquet")


def test_without_pyarrow_the_error_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(ReadError, match=r"leakladder\[parquet\]") as caught:
        read_table(FILES[0].read_bytes(), name="x.parquet")
    assert caught.value.code == "needs-extra"


def test_a_changed_byte_gives_rows_or_an_error() -> None:
    whole = (GOLDEN / "read" / "parquet" / "codec-snappy-pages-1.parquet").read_bytes()
    outcomes = set()
    for at in range(0, len(whole), 3):
        changed = bytearray(whole)
        changed[at] ^= 1 << at % 8
        for data in (bytes(changed), whole[:at]):
            try:
                outcomes.add(read_table(data, name="x.parquet", bounds=PAGE_BOUNDS).info.format)
            except LadderError as error:
                outcomes.add(error.code)
    assert outcomes >= {"parquet", "bad-parquet"}
