"""`python build.py fuzz`: seeded campaigns of damaged files and random pairs, for some minutes.

What makes and checks one case by its number lies in `tests/campaign_files.py` and
`tests/campaign_pairs.py`; the suite runs the first numbers of both. A find is kept in
`.cache/fuzz` with its number; it becomes a golden file or a regression test when it is fixed.
"""

import sys
import time
import traceback
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field

from leakladder_dev.steps import CACHE, ROOT

FINDS = CACHE / "fuzz"
STRIDE = 1_000_000
"""Numbers of one seed; the next seed goes on after them."""
ROUND = (400, 20)
"""Files and pairs checked in turn: about half of the time each."""


@dataclass
class Campaign:
    """One kind of case and what has come of it.

    Attributes:
        name: Names its finds.
        check: Checks the case with a number; returns how it ended, raises if it is a find.
        tried: Cases checked.
        finds: Numbers of those that failed.
        outcomes: How the others ended.
        seconds: The longest that one case took.
    """

    name: str
    check: Callable[[int], str | None]
    tried: int = 0
    finds: list[int] = field(default_factory=list)
    outcomes: Counter[str] = field(default_factory=Counter)
    seconds: float = 0.0

    def run(self, number: int) -> None:
        """Check one case; a failure of any kind is written down and the campaign goes on."""
        start = time.perf_counter()
        try:
            self.outcomes[self.check(number) or "equal"] += 1
        except Exception:  # noqa: BLE001 - finding exceptions is what this is for
            self.finds.append(number)
            self._keep(number, traceback.format_exc())
        self.seconds = max(self.seconds, time.perf_counter() - start)
        self.tried += 1

    def _keep(self, number: int, trace: str) -> None:
        FINDS.mkdir(parents=True, exist_ok=True)
        (FINDS / f"{self.name}-{number}.txt").write_text(trace, "utf-8", "backslashreplace")
        print(f"find: {self.name} {number}: {trace.splitlines()[-1]}", flush=True)

    def describe(self) -> str:
        """Return tried, failed, the slowest case and the outcomes on one line."""
        ends = ", ".join(f"{name} {count:,}" for name, count in self.outcomes.most_common())
        return (
            f"{self.name}: {self.tried:,} tried, {len(self.finds):,} failed, slowest "
            f"{self.seconds:.2f} s ({ends})"
        )


def run_fuzz(minutes: float, seed: int) -> int:
    """Run both campaigns in turn until the time is over.

    Args:
        minutes: How long.
        seed: Which numbers to begin with; the same seed gives the same cases.

    Returns:
        0, or 1 if there was a find.
    """
    sys.path.insert(0, str(ROOT / "tests"))
    from campaign_files import check_file
    from campaign_pairs import check_pair

    campaigns = Campaign("files", check_file), Campaign("pairs", check_pair)
    end = time.monotonic() + 60 * minutes
    while time.monotonic() < end:
        for campaign, count in zip(campaigns, ROUND, strict=True):
            first = seed * STRIDE + campaign.tried
            for number in range(first, first + count):
                campaign.run(number)
    for campaign in campaigns:
        print(campaign.describe())
    if any(campaign.finds for campaign in campaigns):
        print(f"The finds are in {FINDS.relative_to(ROOT)}.")
        return 1
    return 0
