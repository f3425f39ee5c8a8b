"""The page's Python imports the package from bytecode that the build made of these sources."""

import base64
import hashlib
import json
import threading
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import Page, expect

from hosts import READY_MS, Host, copy_build
from leakladder_dev.dist import BYTECODE, ensure_dist
from leakladder_dev.steps import DIST
from tabs import settle, starts, wait_for_snapshot
from test_snapshot import check_example, page_modules

if TYPE_CHECKING:
    from conftest import PyodideHost

PATH = f"wheels/{BYTECODE}"
VERSION = ("leakladder/version.py", '__version__ = "', '__version__ = "9.')


@pytest.fixture(scope="module")
def packed() -> tuple[str, str]:
    """The build's wheel and its bytecode, in base64."""
    ensure_dist()
    (wheel,) = (DIST / "wheels").glob("leakladder-*.whl")
    both = (wheel.read_bytes(), (DIST / PATH).read_bytes())
    return base64.b64encode(both[0]).decode(), base64.b64encode(both[1]).decode()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A copy of the build without the saved copies."""
    return copy_build(tmp_path / "site")


def put(folder: Path, data: bytes) -> None:
    """Make other bytes this build's bytecode."""
    (folder / PATH).write_bytes(data)
    manifest = json.loads((folder / "manifest.json").read_text("utf-8"))
    entry = {"bytes": len(data), "sha256": hashlib.sha256(data).hexdigest()}
    manifest["files"][PATH].update(entry)
    (folder / "manifest.json").write_text(json.dumps(manifest), "utf-8")


@pytest.mark.pyodide
def test_no_module_of_the_page_is_compiled_anew(
    pyodide: "PyodideHost", packed: tuple[str, str]
) -> None:
    found = pyodide.call("bytecode_host", "import_beside", *packed)
    assert found == {"loaded": page_modules(), "compiled": []}


@pytest.mark.pyodide
def test_bytecode_of_another_source_is_left_unused(
    pyodide: "PyodideHost", packed: tuple[str, str]
) -> None:
    wheel, _ = packed
    other = pyodide.call("bytecode_host", "forged", *packed, VERSION, False)
    found = pyodide.call("bytecode_host", "import_beside", wheel, other)
    assert found["compiled"] == ["leakladder.version"]


@pytest.mark.browser
@pytest.mark.pyodide
def test_page_runs_the_bytecode(
    page: Page, folder: Path, pyodide: "PyodideHost", packed: tuple[str, str]
) -> None:
    """Bytecode that says another version of itself is believed: so it is what runs."""
    other = pyodide.call("bytecode_host", "forged", *packed, VERSION, True)
    put(folder, base64.b64decode(other))
    with Host(folder) as host:
        page.goto(host.url)
        expect(page.locator(".strip")).to_contain_text("the wheel is 9.", timeout=READY_MS)


def take_away(folder: Path) -> None:
    (folder / PATH).unlink()


def damage(folder: Path) -> None:
    data = bytearray((folder / PATH).read_bytes())
    data[len(data) // 2] ^= 1
    (folder / PATH).write_bytes(data)


@pytest.mark.browser
@pytest.mark.parametrize("change", [take_away, damage])
def test_page_starts_without_it(
    page: Page, folder: Path, change: Callable[[Path], None]
) -> None:
    change(folder)
    faults: list[str] = []
    page.on("pageerror", lambda error: faults.append(str(error)))
    with Host(folder) as host:
        page.goto(host.url)
        settle(page)
        check_example(page)
        assert f"/{PATH}" in host.asked
    assert starts(page) == ["plain"]
    assert faults == []


@pytest.mark.browser
def test_bytecode_that_comes_late_is_not_waited_for(page: Page, folder: Path) -> None:
    with Host(folder) as host:
        rest = threading.Event()
        host.halved[PATH] = rest
        page.goto(host.url)
        settle(page)
        check_example(page)
        assert page.evaluate("caches.keys()") == [], "kept once all that is under way is here"
        host.halved.clear()
        rest.set()
        wait_for_snapshot(page)
        page.reload()
        settle(page)
        check_example(page)
        assert starts(page) == ["snapshot"]
