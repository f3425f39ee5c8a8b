"""Hostile shapes natively and in Pyodide: the right result or a clear error, in bounds."""

import json
import subprocess
import sys
from typing import Any

import pytest

from cli_process import ROOT
from conftest import PyodideHost
from hostile_shapes import SHAPES, run_shape

PATIENCE = 120
"""Seconds for one shape, all rungs on both sides; twenty times what it takes alone."""
MEMORY = 700
"""Megabytes that a process may come to over all shapes."""

EXPECTED = {
    "10,000 columns": "csv, 100 rows no-such-field",
    "10,000 keys": "jsonl, 10 rows",
    "200,000 columns of one row": "csv, 2 rows",
    "100,000 keys of one row": "jsonl, 1 rows",
    "nested 400 deep": "jsonl, 100 rows",
    "nested 10,000 deep": "bad-records",
    "nested 900,000 deep, never closed": "too-deep",
    "200,000 empty lines": "empty-file",
    "200,000 empty rows": "csv, 199999 rows no-such-field",
    "200,000 empty objects": "jsonl, 200000 rows no-such-field",
    "one 2 MB cell": "jsonl, 1 rows",
    "one 2 MB cell, quoted": "csv, 1 rows",
    "one word 300,000 times": "jsonl, 1 rows",
    "an open quote before 2 MB": "open-quote",
    "a key 150,000 times": "jsonl, 1 rows",
    "huge numbers": "jsonl, 7 rows",
    "dates": "csv, 6 rows",
    "gzip bomb": "over-the-bound",
    "gzip inside gzip": "bad-encoding",
    "zip bomb": "over-the-bound",
}
"""Outcome by hand: format and rows, then the code of the error if a rung refuses."""

CHILD = """
import json, resource
from hostile_shapes import SHAPES, run_shape
found = {name: run_shape(name) for name in SHAPES}
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
print(json.dumps({"found": found, "peak": peak}))
"""


def check(name: str, found: dict[str, Any]) -> None:
    assert found["outcome"] == EXPECTED[name]
    assert found["seconds"] < PATIENCE
    rows = {found[rung] for rung in ("ngrams", "rules") if rung in found}
    assert rows <= {int(word) for word in EXPECTED[name].split() if word.isdecimal()}


@pytest.fixture(scope="module")
def native() -> dict[str, Any]:
    """Every shape in one process of its own, and the most memory it held."""
    done = subprocess.run(
        [sys.executable, "-c", CHILD],
        env={"PYTHONPATH": f"{ROOT / 'py'}:{ROOT / 'tests'}"},
        capture_output=True,
        check=True,
        timeout=PATIENCE * 4,
    )
    return dict(json.loads(done.stdout))


def test_every_shape_is_expected() -> None:
    assert EXPECTED.keys() == SHAPES.keys()


@pytest.mark.skipif(sys.platform == "win32", reason="rusage is that of POSIX")
@pytest.mark.parametrize("name", SHAPES)
def test_natively(name: str, native: dict[str, Any]) -> None:
    check(name, native["found"][name])


@pytest.mark.skipif(sys.platform == "win32", reason="rusage is that of POSIX")
def test_memory_is_bounded(native: dict[str, Any]) -> None:
    unit = 1 << 20 if sys.platform == "darwin" else 1 << 10
    assert native["peak"] / unit < MEMORY


@pytest.mark.pyodide
@pytest.mark.parametrize("name", SHAPES)
def test_in_pyodide(name: str, pyodide: PyodideHost) -> None:
    check(name, pyodide.call("hostile_shapes", "run_shape", name))


def test_numbers_and_dates_stay_as_written() -> None:
    assert run_shape("huge numbers")["rows"] == 7
    assert run_shape("dates")["rows"] == 6
