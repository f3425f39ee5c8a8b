"""Bench: the command line as whole processes, against plain scripts that do less."""

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

from leakladder_dev.bench_figure import Figure, Target, sample
from leakladder_dev.bench_run import Bench
from leakladder_dev.steps import CACHE, StepError

SIDES = ("gsm8k_test.jsonl", "gsm8k_train.jsonl")
KILOBYTES = 1 if sys.platform == "darwin" else 1024  # of ru_maxrss: bytes there, KiB elsewhere

PLAIN = """
import json, sys
def words(path):
    return [json.loads(line)["text"].split() for line in open(path, encoding="utf-8")]
test, train = map(words, sys.argv[1:3])
grams = {tuple(row[i:i + 13]) for row in train for i in range(len(row) - 12)}
hit = sum(any(tuple(row[i:i + 13]) in grams for i in range(len(row) - 12)) for row in test)
print(hit)
"""

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


# A child inherits its parent's peak, and the bench itself is large: a small parent measures.
MEASURER = """
import json, os, resource, subprocess, sys, time
began = time.perf_counter()
done = subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL)
seconds = time.perf_counter() - began
peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
print(json.dumps([done.returncode, seconds, peak]))
"""


def run_whole(command: list[str]) -> tuple[float, float]:
    """Run a program to its end; return its seconds and its peak resident memory in MB.

    Raises:
        StepError: If it fails, or this system does not tell the memory of a child.
    """
    measure = [sys.executable, "-S", "-c", MEASURER, *command]
    done = subprocess.run(measure, capture_output=True, text=True, check=False)
    code, seconds, peak = json.loads(done.stdout) if done.returncode == 0 else (1, 0, 0)
    if code:
        raise StepError("measure a program", done.stderr.strip(), f"run {command[:4]} by hand")
    return seconds, peak * KILOBYTES / 1e6


def compare(
    bench: Bench, ours: list[str], theirs: list[str]
) -> tuple[list[tuple[float, float]], list[tuple[float, float]]]:
    """Run two programs in turn, once without counting; return (seconds, MB) of each run."""
    rounds = [(run_whole(ours), run_whole(theirs)) for _ in range(bench.runs + 1)][1:]
    return [one for one, _ in rounds], [other for _, other in rounds]


def measure_gsm8k(bench: Bench) -> list[Figure]:
    """GSM8K test against train by `leakladder ngrams`, against a plain position list."""
    files = [str(bench.files.public(name)) for name in SIDES]
    command = [sys.executable, "-m", "leakladder", "ngrams", *files, "--field", "question"]
    ours, theirs = compare(bench, command, [sys.executable, "-c", POSITIONS, *files])
    what = "native `leakladder ngrams`, GSM8K test against train"
    reference = "a plain list of the positions of every 5-gram"
    published = "in one published listing it took 2.8 s and 203 MiB"
    columns = (("s", 1.0, "end to end"), ("MB", 120.0, "peak resident memory"))
    return [
        Figure(
            f"{what}, {name}",
            sample([one[at] for one in ours], unit),
            Target(at_most=limit),
            reference,
            sample([one[at] for one in theirs], unit),
            published,
        )
        for at, (unit, limit, name) in enumerate(columns)
    ]


def measure_ngrams(bench: Bench) -> list[Figure]:
    """The bench's two files by `leakladder ngrams`, against a plain set of 13-grams."""
    files = [str(path) for path in bench.files.pair()]
    command = [sys.executable, "-m", "leakladder", "ngrams", *files, "--field", "text"]
    ours, theirs = compare(bench, command, [sys.executable, "-c", PLAIN, *files])
    return [
        Figure(
            "native `leakladder ngrams`, the two bench files, whole process",
            sample([seconds for seconds, _ in ours], "s"),
            Target(times_at_most=3),
            "a plain set of 13-tuples that answers one n",
            sample([seconds for seconds, _ in theirs], "s"),
        )
    ]


def measure_reproduce(bench: Bench) -> list[Figure]:
    """The article's GSM8K part, against a list of positions of every 5-gram."""
    sides = [bench.files.public(name) for name in SIDES]
    cache = CACHE / "bench" / "gsm8k"
    cache.mkdir(parents=True, exist_ok=True)
    for path in sides:
        (cache / path.name).write_bytes(path.read_bytes())
    # Without the GSM-Plus file the command ends after the GSM8K part; it may not go looking.
    command = [sys.executable, "-c", REPRODUCE, str(cache)]
    plain = [sys.executable, "-c", POSITIONS, *map(str, sides)]
    ours, theirs = compare(bench, command, plain)
    return [
        Figure(
            "native `leakladder reproduce`, GSM8K part, whole process",
            sample([seconds for seconds, _ in ours], "s"),
            Target(at_most=3.0),
            "a plain position list of every 5-gram, train alone, one rule",
            sample([seconds for seconds, _ in theirs], "s"),
        )
    ]


def measure_memory(bench: Bench) -> list[Figure]:
    """Peak traced memory of the run search, against that of the position list."""
    files = [bench.files.public(name) for name in SIDES]
    build = POSITIONS.split("def longest")[0].replace(
        "places = defaultdict(list)",
        "import tracemalloc; tracemalloc.start(); places = defaultdict(list)",
    )
    plain = build + "print(tracemalloc.get_traced_memory()[1])"
    return [
        Figure(
            "peak traced memory of the run search, GSM8K test against train (336,935 words)",
            sample([peak_of(MEMORY, files)], "MB"),
            Target(at_most=13.5),
            "the same position list",
            sample([peak_of(plain, files)], "MB"),
            "counted once, as it is the same each time; 13.5 MB is 40 bytes a word",
        )
    ]


def peak_of(script: str, files: list[Path]) -> float:
    """Return the peak traced memory, in MB, that a script prints first."""
    command = [sys.executable, "-c", script, *map(str, files)]
    told = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    return int(told.split()[0]) / 1e6


ROWS: dict[str, Callable[[Bench], list[Figure]]] = {
    "native-gsm8k": measure_gsm8k,
    "native-ngrams": measure_ngrams,
    "native-reproduce": measure_reproduce,
    "native-memory": measure_memory,
}
