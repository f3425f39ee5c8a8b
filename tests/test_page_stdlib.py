"""Python's library in the page: what a start loads is compiled, the rest is Pyodide's own."""

import json
import subprocess
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from leakladder_dev.dist import ensure_dist
from leakladder_dev.node import ensure_modules, module_program
from leakladder_dev.steps import DIST, ROOT

if TYPE_CHECKING:
    from conftest import PyodideHost

pytestmark = pytest.mark.pyodide
OURS = DIST / "pyodide" / "python_stdlib.zip"


def start_python(*library: Path) -> dict[str, Any]:
    """Start the build's Python as the page does, with its own library or another."""
    node = ensure_modules(everything=True)
    command = [node, *map(str, (ROOT / "tests" / "start_host.mjs", DIST, *library))]
    done = subprocess.run(command, capture_output=True, check=True, encoding="utf-8")
    found: dict[str, Any] = json.loads(done.stdout)
    return found


@pytest.fixture(scope="module")
def started() -> dict[str, Any]:
    """What a start with the build's own library loads."""
    ensure_dist()
    return start_python()


def read(path: Path) -> dict[str, bytes]:
    """The files of a zip file."""
    with zipfile.ZipFile(path) as archive:
        names = [name for name in archive.namelist() if not name.endswith("/")]
        return {name: archive.read(name) for name in names}


@pytest.fixture(scope="module")
def theirs() -> dict[str, bytes]:
    """The files of Pyodide's own library."""
    return read(module_program("pyodide", "python_stdlib.zip"))


def test_a_start_compiles_nothing(started: dict[str, Any]) -> None:
    assert started["compiled"] == []
    assert [name for name in started["loaded"] if not name.endswith(".pyc")] == []


def test_the_same_start_with_pyodides_library_does(started: dict[str, Any]) -> None:
    plain = start_python(module_program("pyodide", "python_stdlib.zip"))
    assert "/lib/python314.zip/tarfile.py" in plain["compiled"]
    assert [f"{name}c" for name in plain["loaded"]] == started["loaded"]


def test_the_rest_is_pyodides_own(started: dict[str, Any], theirs: dict[str, bytes]) -> None:
    ours = read(OURS)
    compiled = {name for name in ours if name.endswith(".pyc")}
    assert compiled == set(started["loaded"])
    assert all(ours[name] == theirs[name] for name in ours.keys() - compiled)
    assert {name.removesuffix("c") for name in compiled} <= theirs.keys()


def test_what_is_loaded_asks_for_nothing_that_was_left_out(
    pyodide: "PyodideHost", started: dict[str, Any], theirs: dict[str, bytes]
) -> None:
    ours = read(OURS).keys()
    left_out = [name for name in theirs if name not in ours and f"{name}c" not in ours]
    loaded = [name.removesuffix("c") for name in started["loaded"]]
    found = pyodide.call("library_host", "imports_of", loaded, left_out)
    assert found == {"heapq.py": ["doctest.py"]}  # only where it is run as a program


def test_faults_in_compiled_modules_are_told_with_their_lines(
    started: dict[str, Any], theirs: dict[str, bytes]
) -> None:
    source = theirs["json/decoder.py"].decode()
    said = [line for line in started["fault"].split("\n") if "json/decoder.py" in line]
    assert said[-1].endswith("in raw_decode")
    at = int(said[-1].split("line ")[1].split(",")[0])
    assert "self.scan_once(s, idx)" in source.split("\n")[at - 1]
