"""The command line as a process of its own, with what it cost.

`python tests/cli_process.py 1000` makes a training file of so many megabytes, runs `ngrams`
over it, prints the cost and deletes the file: the figure in bench/RELIABILITY.md.
"""

import json
import subprocess
import sys
import tempfile
from pathlib import Path
from time import perf_counter
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[1]
ENVIRONMENT = {"PYTHONPATH": str(ROOT / "py"), "PATH": "", "COLUMNS": "200"}


class Cost(NamedTuple):
    """What a process took.

    Attributes:
        code: Its exit code.
        megabytes: The most memory it held.
        seconds: How long it ran.
    """

    code: int
    megabytes: float
    seconds: float


def command(*words: str | Path) -> list[str]:
    return [sys.executable, "-X", "utf8", "-m", "leakladder", *map(str, words)]


# A process is charged with what its parent held when it was forked, so a small one starts it.
STARTER = """
import json, os, subprocess, sys
process = subprocess.Popen(sys.argv[1:], stdout=subprocess.DEVNULL)
_, status, usage = os.wait4(process.pid, 0)
print(json.dumps([os.waitstatus_to_exitcode(status), usage.ru_maxrss]))
"""


def measure(*words: str | Path) -> Cost:
    """Run the command line to its end, its output thrown away."""
    start = perf_counter()
    starter = [sys.executable, "-c", STARTER, *command(*words)]
    told = subprocess.run(starter, env=ENVIRONMENT, stdout=subprocess.PIPE, check=True).stdout
    code, peak = json.loads(told)
    unit = 1 << 20 if sys.platform == "darwin" else 1 << 10  # bytes there, KiB elsewhere
    return Cost(code, peak / unit, perf_counter() - start)


def write_corpus(path: Path, megabytes: float) -> Path:
    """Write training rows, each of sixty words that no other row has: the worst for a table."""
    size = 0
    number = 0
    with path.open("w", encoding="utf-8") as out:
        while size < megabytes * 1_000_000:
            words = " ".join(f"w{number * 60 + at:x}" for at in range(60))
            number += 1
            size += out.write(f'{{"id": {number}, "text": "{words}"}}\n')
    return path


def main(megabytes: float) -> None:
    with tempfile.TemporaryDirectory() as name:
        test = write_corpus(Path(name) / "test.jsonl", 0.1)
        train = write_corpus(Path(name) / "train.jsonl", megabytes)
        cost = measure("ngrams", test, train, "--field", "text")
    print(f"exit code {cost.code}, {cost.megabytes:.0f} MB at most, {cost.seconds:.0f} s")  # noqa: T201


if __name__ == "__main__":
    main(float(sys.argv[1]))
