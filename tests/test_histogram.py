"""The spread of dirty shares that the page draws: every checkable row in exactly one bin."""

import pytest

from leakladder.jobs import finish
from leakladder.pipeline import Comparison
from leakladder.settings import Bounds, ReadOptions, Settings


def spread(rows: list[str], train: str, n: int) -> dict[str, object]:
    """Run the n-gram rung over plain text and return its histogram."""
    comparison = Comparison()
    for side, text in (("test", "\n".join(rows)), ("train", train)):
        finish(comparison.load(side, text.encode(), f"{side}.txt", ReadOptions(), Bounds()))
    found: dict[str, object] = finish(comparison.run("ngrams", Settings(n=n)))["histogram"]
    return found


def own(count: int, letter: str) -> str:
    """Words that stand nowhere else."""
    return " ".join(f"{letter}{at}" for at in range(count))


SHARED = [f"s{at}" for at in range(20)]


@pytest.mark.parametrize(
    ("dirty", "bin_of_it"),
    [
        pytest.param(5, 5, id="25% begins the bin from 25 to 30"),
        pytest.param(6, 6, id="30% too, though 0.3 * 20 is no whole number in binary"),
        pytest.param(7, 7, id="35%"),
        pytest.param(19, 19, id="95%"),
        pytest.param(20, 19, id="all of it belongs to the last bin"),
    ],
)
def test_share_falls_into_the_bin_it_begins(dirty: int, bin_of_it: int) -> None:
    row = " ".join([*SHARED[:dirty], *own(20 - dirty, "x").split()])
    found = spread([row], " ".join(["before", *SHARED]), 5)
    bins = [0] * 20
    bins[bin_of_it] = 1
    assert found == {"clean": 0, "bins": bins}


def test_clean_rows_stand_apart_and_rows_that_were_not_judged_nowhere() -> None:
    rows = [own(20, "a"), own(20, "b"), own(3, "c"), "...", " ".join(SHARED)]
    found = spread(rows, " ".join(SHARED), 5)
    assert found == {"clean": 2, "bins": [0] * 19 + [1]}
