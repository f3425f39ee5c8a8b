"""Files of hostile shapes, and what comes of each: for CPython and for Pyodide.

Each is read with the page's bounds and run through the rungs on both sides.
"""

import gzip
import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from leakladder.errors import LadderError
from leakladder.jobs import finish
from leakladder.pipeline import Comparison
from leakladder.settings import PAGE_BOUNDS, ReadOptions, Settings

WORDS = "one two three four five six seven eight nine ten eleven twelve thirteen"


def deep(levels: int) -> bytes:
    return b'{"q": ' + b"[" * levels + b"1" + b"]" * levels + b"}\n"


def wide_csv(columns: int, rows: int) -> bytes:
    header = ",".join(f"c{number}" for number in range(columns))
    return (header + "\n" + ("," * (columns - 1) + "\n") * rows).encode()


def wide_object(columns: int) -> bytes:
    return json.dumps({f"k{number}": 1 for number in range(columns)}).encode() + b"\n"


def bomb(name: str) -> bytes:
    """Read one of the small files that unpack to a hundred megabytes."""
    return (Path(__file__).parent / "golden" / "bombs" / name).read_bytes()


def long_runs() -> bytes:
    return (json.dumps({"q": "la " * 300_000}) + "\n").encode()


def odd_numbers() -> bytes:
    values = [
        "9" * 100_000,
        "1e999999",
        "-0.0",
        "1E-400",
        "9007199254740993",
        "NaN",
        "-Infinity",
    ]
    return "".join(f'{{"n": {value}, "q": "{WORDS}"}}\n' for value in values).encode()


def dates() -> bytes:
    values = ["2024-02-30", "0000-00-00", "1e5", "01/02/03", "2024-01-01T25:61:61Z", "00012"]
    return ("day,q\n" + "".join(f"{value},{WORDS}\n" for value in values)).encode()


def repeated_keys() -> bytes:
    return b"{" + b'"q": "a", ' * 150_000 + f'"q": "{WORDS}"}}\n'.encode()


SHAPES: dict[str, tuple[str, Callable[[], bytes]]] = {
    "10,000 columns": ("a.csv", lambda: wide_csv(10_000, 100)),
    "10,000 keys": ("a.jsonl", lambda: wide_object(10_000) * 10),
    "200,000 columns of one row": ("a.csv", lambda: wide_csv(200_000, 1)),
    "100,000 keys of one row": ("a.jsonl", lambda: wide_object(100_000)),
    "nested 400 deep": ("a.jsonl", lambda: deep(400) * 100),
    "nested 10,000 deep": ("a.jsonl", lambda: deep(10_000)),
    "nested 900,000 deep, never closed": ("a.json", lambda: b"[" * 900_000),
    "200,000 empty lines": ("a.csv", lambda: b"\n" * 200_000),
    "200,000 empty rows": ("a.csv", lambda: b"q,a\n" + b",\n" * 199_999),
    "200,000 empty objects": ("a.jsonl", lambda: b"{}\n" * 200_000),
    "one 2 MB cell": ("a.jsonl", lambda: json.dumps({"q": "x" * 1_990_000}).encode()),
    "one 2 MB cell, quoted": ("a.csv", lambda: b'q\n"' + b'a""\n' * 480_000 + b'"\n'),
    "one word 300,000 times": ("a.jsonl", long_runs),
    "an open quote before 2 MB": ("a.csv", lambda: b'q\n"' + b"text\n" * 390_000),
    "a key 150,000 times": ("a.jsonl", repeated_keys),
    "huge numbers": ("a.jsonl", odd_numbers),
    "dates": ("a.csv", dates),
    "gzip bomb": ("a.jsonl.gz", lambda: bomb("zeros.jsonl.gz")),
    "gzip inside gzip": ("a.gz", lambda: gzip.compress(bomb("zeros.jsonl.gz"), mtime=0)),
    "zip bomb": ("a.zip", lambda: bomb("zeros.zip")),
}


def run_shape(name: str) -> dict[str, Any]:
    """Read a shape and run every rung over it.

    Returns:
        `outcome`: the code of the error, or format and rows; `flagged` by rung; `seconds` of
        the whole and `step`, those of the longest single step of work.
    """
    file, make = SHAPES[name]
    data = make()
    comparison = Comparison()
    start = last = time.perf_counter()
    longest = 0.0
    found: dict[str, Any] = {}

    def tick(_: object) -> None:
        nonlocal last, longest
        now = time.perf_counter()
        longest, last = max(longest, now - last), now

    try:
        for side in ("test", "train"):
            finish(comparison.load(side, data, file, ReadOptions(), PAGE_BOUNDS), tick)
        facts = comparison.facts("test")
        tick(None)
        assert facts is not None
        found["outcome"] = f"{facts['format']}, {facts['rows']} rows"
        for rung in ("rows", "ngrams", "rules"):
            summary = finish(comparison.run(rung, Settings()), tick)
            tick(None)
            found[rung] = summary["exact"]["test_rows"] if rung == "rows" else summary["rows"]
    except LadderError as error:
        found["outcome"] = f"{found.get('outcome', '')} {error.code}".strip()
    now = time.perf_counter()
    return {**found, "seconds": now - start, "step": max(longest, now - last)}
