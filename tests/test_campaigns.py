"""The first numbers of both fuzz campaigns; `python build.py fuzz` goes on from there."""

import faulthandler
from collections.abc import Iterator

import pytest

from campaign_files import check_file
from campaign_pairs import check_pair, draw_pair


@pytest.fixture(autouse=True, scope="module")
def _watchdog() -> Iterator[None]:
    faulthandler.dump_traceback_later(180, exit=True)
    yield
    faulthandler.cancel_dump_traceback_later()


def test_damaged_files_give_an_error_or_the_rows_of_an_independent_reader() -> None:
    ends = {check_file(number) for number in range(3_000)}
    assert ends >= {
        *("jsonl", "json", "csv", "tsv", "text", "parquet"),
        *("bad-json", "bad-encoding", "bad-packing", "bad-parquet", "too-deep", "open-quote"),
    }


@pytest.mark.parametrize("block", range(10))
def test_random_pairs_agree_with_the_oracles(block: int) -> None:
    for number in range(30 * block, 30 * block + 30):
        check_pair(number)


def test_the_pairs_reach_what_they_are_for() -> None:
    pairs = list(map(draw_pair, range(300)))
    assert {pair.settings["tokens"] for pair in pairs} == {"loose", "strict", "characters"}
    assert {len(pair.fields) for pair in pairs} == {1, 2}
    assert sum(pair.same for pair in pairs) > 10


@pytest.mark.parametrize("number", [6079, 19911])
def test_utf16_is_told_the_same_however_few_bytes_arrive_at_a_time(number: int) -> None:
    check_file(number)
