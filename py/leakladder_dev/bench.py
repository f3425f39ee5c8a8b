"""`python build.py bench`: speed as ratios, each pair of figures taken in one run.

Every row runs ours and a reference in turn, five times after a warm-up, and gives medians with
their spread. The last table is kept in `tests/bench/RESULTS.md`.
"""

import json
import platform
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path

from leakladder import __version__
from leakladder_dev.steps import CACHE, ROOT, run_step

RESULTS = ROOT / "tests" / "bench" / "RESULTS.md"
RUNS = 5


@dataclass(frozen=True)
class Figure:
    """One row of the table; seconds.

    Attributes:
        what: What was measured.
        ours: Median of our runs.
        spread: Slowest less fastest of them.
        reference: What it is held against.
        theirs: Median of the reference's runs.
        target: The ratio or figure aimed at, in words.
    """

    what: str
    ours: float
    spread: float
    reference: str
    theirs: float
    target: str

    @property
    def ratio(self) -> float:
        """Ours / theirs."""
        return self.ours / self.theirs


def clock(work: Callable[[], object]) -> float:
    """Return the seconds that one call takes."""
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def measure_pair(
    what: str,
    ours: Callable[[], object],
    reference: str,
    theirs: Callable[[], object],
    target: str,
) -> Figure:
    """Run two things in turn and return the medians."""
    ours()
    theirs()
    pairs = [(clock(ours), clock(theirs)) for _ in range(RUNS)]
    mine = [pair[0] for pair in pairs]
    other = [pair[1] for pair in pairs]
    spread = max(mine) - min(mine)
    return Figure(
        what, statistics.median(mine), spread, reference, statistics.median(other), target
    )


def bench_files() -> tuple[Path, Path]:
    """Return the two files of the bench, made by their seeded script."""
    folder = CACHE / "bench"
    if not (folder / "train.jsonl").exists():
        script = ROOT / "tests" / "bench" / "make_files.py"
        run_step(
            "make the bench's files",
            [sys.executable, script, "--seed", "1", "--out", folder],
            todo="see the message above",
        )
    return folder / "test.jsonl", folder / "train.jsonl"


PLAIN = """
import json, sys
def words(path):
    return [json.loads(line)["text"].split() for line in open(path, encoding="utf-8")]
test, train = map(words, sys.argv[1:3])
grams = {tuple(row[i:i + 13]) for row in train for i in range(len(row) - 12)}
hit = sum(any(tuple(row[i:i + 13]) in grams for i in range(len(row) - 12)) for row in test)
print(hit)
"""


def native_ngrams() -> Figure:
    """Time the command line against a plain set of 13-grams, both as whole processes."""
    test, train = map(str, bench_files())
    command = [sys.executable, "-m", "leakladder", "ngrams", test, train, "--field", "text"]
    plain = [sys.executable, "-c", PLAIN, test, train]
    return measure_pair(
        "native `leakladder ngrams`, the two bench files, whole process",
        lambda: subprocess.run(command, check=True, capture_output=True),
        "a plain set of 13-tuples that answers one n",
        lambda: subprocess.run(plain, check=True, capture_output=True),
        "at most 3 x",
    )


ROWS = (native_ngrams,)


def table_of(figures: list[Figure]) -> str:
    """Return the figures as Markdown."""
    lines = [
        "# Bench",
        "",
        f"leakladder {__version__}, Python {platform.python_version()}, {platform.machine()}, "
        f"medians of {RUNS} runs taken in turn; spread is slowest less fastest.",
        "",
        "| what | ours | spread | reference | theirs | ratio | target |",
        "|---|---|---|---|---|---|---|",
    ]
    lines += [
        f"| {one.what} | {one.ours:.2f} s | {one.spread:.2f} s | {one.reference} "
        f"| {one.theirs:.2f} s | {one.ratio:.2f} x | {one.target} |"
        for one in figures
    ]
    return "\n".join(lines) + "\n"


def run_bench(target: Path | None) -> int:
    """Measure every row, print the table, keep it, and write JSON if asked to."""
    figures = []
    for row in ROWS:
        print(f"measuring {row.__name__} ...", flush=True)
        figures.append(row())
    table = table_of(figures)
    print(table)
    RESULTS.write_text(table, "utf-8")
    if target is not None:
        data = [{**asdict(one), "ratio": one.ratio} for one in figures]
        target.write_text(json.dumps(data, indent=1) + "\n", "utf-8")
    return 0
