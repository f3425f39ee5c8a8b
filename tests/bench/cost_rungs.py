"""Time each rung on two files, in CPython or inside Pyodide: the same code, the same figures.

    python cost_rungs.py TEST TRAIN RUNS

Prints JSON: seconds of every run by rung. Inside Pyodide the bench calls `time_rungs` itself.
"""

import gc
import json
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from leakladder.charwindows import find_windows
from leakladder.jobs import finish
from leakladder.pipeline import choose_sides, load_file
from leakladder.rungs import RUNGS
from leakladder.settings import Bounds, ReadOptions, Settings
from leakladder.sides import Side

NAMES = {"rows": "1 to 3, rows", "ngrams": "4, n-grams", "rules": "5, published rules"}
CHARACTERS = "5, the GPT-4 rule alone"


def time_rungs(test: bytes, train: bytes, runs: int) -> dict[str, list[float]]:
    """Return the seconds of every rung on two JSONL files, reading apart, one figure a run.

    A rung is its scan and its first view. As in the page, nothing looks for cycles meanwhile.
    """
    gc.collect()
    gc.disable()
    took: dict[str, list[float]] = {}

    def clock(name: str, work: Callable[[], Any]) -> Any:
        began = time.perf_counter()
        made = work()
        took.setdefault(name, []).append(time.perf_counter() - began)
        return made

    for _ in range(runs):
        sides = clock("reading both", partial(read_sides, test, train))
        for rung, name in NAMES.items():
            clock(name, partial(run_rung, rung, *sides))
        clock(CHARACTERS, partial(find_characters, *sides))
    return took


def read_sides(test: bytes, train: bytes) -> tuple[Side, Side]:
    """Read both files and take out their texts."""
    files = [
        finish(load_file(data, f"{name}.jsonl", ReadOptions(), Bounds()))
        for name, data in (("test", test), ("train", train))
    ]
    return choose_sides(files[0], files[1], Settings())


def run_rung(rung: str, test: Side, train: Side) -> object:
    """Scan, and look at the scan at the usual settings."""
    chosen, settings = RUNGS[rung], Settings()
    return chosen.view(finish(chosen.scan(test, train, settings, same_file=False)), settings)


def find_characters(test: Side, train: Side) -> object:
    """Search for the 50-character windows alone."""
    return finish(find_windows(test.texts, (chunk.columns for chunk in train.chunks())))


def main() -> int:
    """Time the files of the command line."""
    sides = [Path(path).read_bytes() for path in sys.argv[1:3]]
    sys.stdout.write(json.dumps(time_rungs(sides[0], sides[1], int(sys.argv[3]))) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
