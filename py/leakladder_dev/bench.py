"""`python build.py bench`: speed as ratios, each pair of figures taken in one run.

Every row runs ours and a reference in turn, five times after a warm-up, and gives medians with
their spread. The last table is kept in `tests/bench/RESULTS.md`.
"""

import hashlib
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
    """One row of the table.

    Attributes:
        what: What was measured.
        ours: Median of our runs.
        spread: Slowest less fastest of them.
        reference: What it is held against.
        theirs: Median of the reference's runs.
        target: The ratio or figure aimed at, in words.
        unit: "s" or "MB".
    """

    what: str
    ours: float
    spread: float
    reference: str
    theirs: float
    target: str
    unit: str = "s"

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


def gsm8k() -> Path | None:
    """Return the folder of public data, or None where it is not on this machine."""
    folder = ROOT.parent / "shared" / "data"
    return folder if (folder / "gsm8k_train.jsonl").exists() else None


POSITIONS = """
import json, sys
from collections import defaultdict
def words(path):
    lines = open(path, encoding="utf-8")
    return [json.loads(line)["question"].lower().split() for line in lines]
test, train = map(words, sys.argv[1:3])
places = defaultdict(list)
for number, row in enumerate(train):
    for at in range(len(row) - 4):
        places[" ".join(row[at:at + 5])].append((number, at))
def longest(row):
    best = 0
    for at in range(len(row) - 4):
        for number, there in places.get(" ".join(row[at:at + 5]), ()):
            other, size = train[number], 5
            room = min(len(row) - at, len(other) - there)
            while size < room and row[at + size] == other[there + size]:
                size += 1
            best = max(best, size)
    return best
print(sum(longest(row) >= 13 for row in test))
"""


def native_reproduce() -> Figure | None:
    """Time the article's GSM8K part against a list of positions of every 5-gram."""
    folder = gsm8k()
    if folder is None:
        return None
    cache = CACHE / "bench" / "gsm8k"
    cache.mkdir(parents=True, exist_ok=True)
    for name in ("gsm8k_test.jsonl", "gsm8k_train.jsonl"):
        (cache / name).write_bytes((folder / name).read_bytes())
    # Without the GSM-Plus file the command ends after the GSM8K part; it may not go looking.
    command = [sys.executable, "-c", REPRODUCE, str(cache)]
    files = [str(cache / f"gsm8k_{side}.jsonl") for side in ("test", "train")]
    plain = [sys.executable, "-c", POSITIONS, *files]
    return measure_pair(
        "native `leakladder reproduce`, GSM8K part, whole process",
        lambda: subprocess.run(command, check=True, capture_output=True),
        "a plain position list of every 5-gram, train alone, one rule",
        lambda: subprocess.run(plain, check=True, capture_output=True),
        "under 3 s",
    )


REPRODUCE = """
import sys
from pathlib import Path
from unittest import mock
from leakladder import reproduce
with mock.patch.object(reproduce, "_find_copies", return_value=None):
    reproduce.reproduce(Path(sys.argv[1]))
"""

MEMORY = """
import json, sys, tracemalloc
from leakladder.jobs import finish
from leakladder.runs import find_runs
from leakladder.tokens import Vocabulary, encode_rows
def texts(path):
    return [json.loads(line)["question"] for line in open(path, encoding="utf-8")]
test, train = map(texts, sys.argv[1:3])
known = Vocabulary()
test, train = (encode_rows([side], "gpt3-words", known) for side in (test, train))
tracemalloc.start()
finish(find_runs(test, [train]))
print(tracemalloc.get_traced_memory()[1], len(train.ids))
"""


def peak_of(script: str, arguments: list[str]) -> float:
    """Return the peak traced memory, in MB, that a script prints first."""
    command = [sys.executable, "-c", script, *arguments]
    told = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    return int(told.split()[0]) / 1e6


def run_memory() -> Figure | None:
    """Compare the peak traced memory of the run search with that of the position list."""
    folder = gsm8k()
    if folder is None:
        return None
    files = [str(folder / f"gsm8k_{side}.jsonl") for side in ("test", "train")]
    build = POSITIONS.split("def longest")[0].replace(
        "places = defaultdict(list)",
        "import tracemalloc; tracemalloc.start(); places = defaultdict(list)",
    )
    plain = build + "print(tracemalloc.get_traced_memory()[1])"
    return Figure(
        "peak traced memory of the run search, GSM8K test against train (336,935 words)",
        peak_of(MEMORY, files),
        0.0,
        "the same position list",
        peak_of(plain, files),
        "13.5 MB: 40 bytes a word",
        "MB",
    )


ROWS: tuple[Callable[[], Figure | None], ...] = (native_ngrams, native_reproduce, run_memory)


def table_of(figures: list[Figure]) -> str:
    """Return the figures as Markdown."""
    lines = [
        "# Bench",
        "",
        f"leakladder {__version__}, Python {platform.python_version()}, {platform.machine()}, "
        f"medians of {RUNS} runs taken in turn; spread is slowest less fastest.",
        "",
        *(
            f"{path.name}: {hashlib.sha256(path.read_bytes()).hexdigest()}  "
            for path in bench_files()
        ),
        "",
        "| what | ours | spread | reference | theirs | ratio | target |",
        "|---|---|---|---|---|---|---|",
    ]
    lines += [
        f"| {one.what} | {one.ours:.2f} {one.unit} | {one.spread:.2f} | {one.reference} "
        f"| {one.theirs:.2f} {one.unit} | {one.ratio:.2f} x | {one.target} |"
        for one in figures
    ]
    return "\n".join(lines) + "\n"


def run_bench(target: Path | None) -> int:
    """Measure every row, print the table, keep it, and write JSON if asked to."""
    figures = []
    for row in ROWS:
        print(f"measuring {row.__name__} ...", flush=True)
        figure = row()
        if figure is None:
            print("  needs the public data in ../shared/data, which is not on this machine")
        else:
            figures.append(figure)
    table = table_of(figures)
    print(table)
    RESULTS.write_text(table, "utf-8")
    if target is not None:
        data = [{**asdict(one), "ratio": one.ratio} for one in figures]
        target.write_text(json.dumps(data, indent=1) + "\n", "utf-8")
    return 0
