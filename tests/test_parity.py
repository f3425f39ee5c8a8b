"""CPython and Pyodide on the same thousand random pairs: the same bytes in every export."""

from base64 import b64encode
from typing import Any

import pytest

from campaign_pairs import draw_pair
from conftest import PyodideHost
from core_runs import compare_bytes, digest_exports, without_unicode

PAIRS = 1_000
BLOCK = 100
FIRST = 500_000  # numbers that the campaigns' own tests do not use


def make_jobs(first: int, count: int) -> list[tuple[list[list[str]], str, dict[str, Any]]]:
    """Describe the runs of all three rungs over some pairs, as JSON can carry them."""
    jobs = []
    for pair in map(draw_pair, range(first, first + count)):
        files = [[name, b64encode(data).decode()] for name, data in pair.files]
        jobs += [(files, rung, pair.settings) for rung in ("ngrams", "rows", "rules")]
    return jobs


@pytest.mark.pyodide
@pytest.mark.parametrize("block", range(PAIRS // BLOCK))
def test_exports_are_equal_apart_from_the_unicode_version(
    block: int, pyodide: PyodideHost
) -> None:
    first = FIRST + block * BLOCK
    jobs = make_jobs(first, BLOCK)
    here = digest_exports(jobs)
    there = pyodide.call("core_runs", "digest_exports", jobs)
    assert len(there) == 6 * BLOCK
    unequal = [first + at // 6 for at in range(len(here)) if here[at] != there[at]]
    assert unequal == []


def test_only_the_version_is_taken_out_of_the_stamp() -> None:
    pair = draw_pair(FIRST)
    for data in compare_bytes(pair.files, "ngrams", pair.settings).values():
        bare = without_unicode(data)
        assert 4 <= len(data) - len(bare) <= 8
        assert without_unicode(bare) == bare
