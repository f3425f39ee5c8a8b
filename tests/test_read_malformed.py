"""Two thousand damaged files: each gives an error, or what an independent reader gives.

Seeded, so that a find can be run again by its number; every find becomes a golden file.
"""

import faulthandler
from collections.abc import Iterator

import pytest

from leakladder.errors import BadRecords, LadderError
from leakladder.read import read_rows, read_table
from leakladder.settings import Bounds, ReadOptions
from read_oracle import read_as, typed
from read_variants import VARIANTS, damage


@pytest.fixture(autouse=True, scope="module")
def _watchdog() -> Iterator[None]:
    faulthandler.dump_traceback_later(60, exit=True)
    yield
    faulthandler.cancel_dump_traceback_later()


@pytest.mark.parametrize("block", range(20))
def test_damaged_files(block: int) -> None:
    for number in range(block * VARIANTS // 20, (block + 1) * VARIANTS // 20):
        name, data = damage(number)
        try:
            check(name, data)
        except Exception as fault:
            raise AssertionError(f"variant {number}, {name}: {data!r}") from fault


def check(name: str, data: bytes) -> None:
    lenient = ReadOptions(skip_bad=True)
    try:
        table = read_table(data, name=name, options=lenient)
    except LadderError as error:
        wire = error.to_wire()
        assert wire["code"] not in {"error", "bad-records"}
        assert str(wire["message"]).startswith(name)
        with pytest.raises(LadderError):
            read_table(data, name=name)
        return
    info = table.info
    found = read_as(info, data)
    assert [typed(dict(row.fields)) for row in table.rows] == typed(found.records)
    assert (info.rows, info.bad, info.blank_lines) == (
        len(found.records),
        found.bad,
        found.blank,
    )
    if not info.bad:
        assert read_table(data, name=name, bounds=Bounds()).rows == table.rows
        return
    with pytest.raises(BadRecords) as caught:
        list(read_rows(data, name=name))
    assert caught.value.total == info.bad
    assert len(caught.value.first) == min(10, info.bad)


def test_the_variants_reach_every_outcome() -> None:
    outcomes = set()
    for number in range(VARIANTS):
        name, data = damage(number)
        try:
            outcomes.add(read_table(data, name=name).info.format)
        except LadderError as error:
            outcomes.add(error.code)
    assert outcomes >= {
        *("jsonl", "json", "csv", "tsv", "text"),
        *("bad-records", "bad-json", "bad-encoding", "open-quote", "bad-parquet"),
    }
