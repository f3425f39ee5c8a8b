"""Fixtures that every test may use: the public data, the built page, a browser, Pyodide.

What a test needs and cannot have is a failure; only the public data, which is not part of this
project, is skipped where it is absent.
"""

import http.server
import json
import os
import signal
import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect, sync_playwright

from hosts import Witness
from leakladder_dev.browser import find_browser, launch_flags
from leakladder_dev.dist import ensure_dist
from leakladder_dev.node import ensure_modules
from leakladder_dev.server import make_server

ROOT = Path(__file__).resolve().parents[1]
DATA = ROOT.parent / "shared" / "data"
expect.set_options(timeout=30_000)  # no test asserts a time, and machines are busy at times
# Programs that the bench runs in an environment of its own, with libraries that tests lack.
collect_ignore = ["bench/pandas_rows.py", "bench/plot_cost.py"]


@pytest.fixture(autouse=True)
def _closed_connections_end_no_test() -> Iterator[None]:
    """A browser that closes a connection may not end this process, and all tests with it."""
    yield
    if hasattr(signal, "SIGPIPE"):
        assert signal.getsignal(signal.SIGPIPE) is signal.SIG_IGN


@pytest.fixture(scope="session")
def data_dir() -> Path:
    """The folder of public data, ../shared/data from the project's root."""
    if not DATA.is_dir():
        pytest.skip("needs the public data in ../shared/data, which is not part of the project")
    return DATA


@pytest.fixture(scope="session")
def site() -> Iterator[str]:
    """Address of the built page on a loopback server."""
    ensure_dist()
    with make_server(0) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{server.server_address[1]}/"
        server.shutdown()
        thread.join()


@pytest.fixture(scope="session")
def chromium() -> Iterator[Browser]:
    """One headless Chromium for the whole session."""
    path = os.environ.get("LEAKLADDER_BROWSER") or find_browser()
    os.environ["LEAKLADDER_BROWSER"] = path  # looking for it needs a Playwright of its own
    with sync_playwright() as play:
        browser = play.chromium.launch(executable_path=path, args=launch_flags())
        yield browser
        browser.close()


@pytest.fixture
def context(chromium: Browser) -> Iterator[BrowserContext]:
    """A fresh browser profile: no storage, no cache."""
    fresh = chromium.new_context(accept_downloads=True, viewport={"width": 1440, "height": 900})
    yield fresh
    fresh.close()


@pytest.fixture
def page(context: BrowserContext) -> Page:
    """An empty tab."""
    return context.new_page()


class PyodideHost:
    """The package inside Pyodide, under Node.js.

    Calls a function by name with JSON data and gives back its JSON result, so a test runs the
    same code in CPython and there.
    """

    def __init__(self, node: str) -> None:
        script = ROOT / "tests" / "pyodide_host.mjs"
        self._process = subprocess.Popen(
            [node, str(script), str(ROOT)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            encoding="utf-8",
        )

    def call(self, module: str, function: str, *arguments: Any) -> Any:
        """Call `module.function(*arguments)` there; modules in tests/ are importable too."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        request = {"module": module, "function": function, "arguments": arguments}
        self._process.stdin.write(json.dumps(request) + "\n")
        self._process.stdin.flush()
        line = self._process.stdout.readline()
        assert line, "Pyodide's process ended; its messages are above"
        answer = json.loads(line)
        assert "error" not in answer, answer.get("error")
        return answer["result"]

    def close(self) -> None:
        """End the process."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.close()
        self._process.wait(timeout=30)
        self._process.stdout.close()


@pytest.fixture(scope="session")
def pyodide() -> Iterator[PyodideHost]:
    """Pyodide with the package and the folder tests/ mounted; about three seconds to start."""
    host = PyodideHost(ensure_modules(everything=True))
    yield host
    host.close()


@pytest.fixture
def witness() -> Iterator[tuple[str, list[str]]]:
    """Address of the other origin, and what reached it."""
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Witness) as server:
        server.hits = []  # type: ignore[attr-defined]
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{server.server_address[1]}/", server.hits  # type: ignore[attr-defined]
        server.shutdown()
        thread.join()
