"""WebKitGTK's MiniBrowser, driven by WebKitWebDriver over HTTP, on a display of its own."""

import json
import os
import socket
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from engine_tab import LOOK_S, PATIENCE_S, EngineError, Tab, end_process
from leakladder_dev.engines import need_program

ELEMENT = "element-6066-11e4-a52e-4f735466cecf"  # W3C WebDriver, section 12.1
CALL = """
const [given, done] = arguments
const said = (error) => done({ error: `${error}` })
;(%s)(given).then((result) => done({ result }), said)
"""
# WebDriver has no console log, and WebKit writes none for a driven tab, so the page's events
# are heard from before its script runs: that is a module, so not while the page is parsed, and
# it takes the first line away. At file: an uncaught error has "Script error." for its words.
LISTEN = """(address) => {
  if (location.href !== address) return 'not there'
  const parsed = document.readyState !== 'loading'
  if (parsed && !document.querySelector('[data-region=standby]')) return 'too late'
  globalThis.complaints = []
  const keep = (text) => complaints.push(text)
  addEventListener(
    'error',
    (event) => keep(event.message ? `uncaught: ${event.message}` : event.target.outerHTML),
    true,
  )
  addEventListener('unhandledrejection', (event) => keep(`${event.reason}`))
  addEventListener('securitypolicyviolation', (event) => {
    keep(`refused by ${event.effectiveDirective}: ${event.blockedURI}`)
  })
  const { error } = console
  console.error = (...parts) => {
    keep(parts.join(' '))
    error.apply(console, parts)
  }
  return 'listening'
}"""
OPENINGS = 5  # tries to listen before the page's script runs


class WebKitTab(Tab):
    """A MiniBrowser of its own with one tab, its settings and caches in `home`."""

    def __init__(self, home: Path, downloads: Path) -> None:
        super().__init__(downloads)
        with socket.create_server(("127.0.0.1", 0)) as free:
            port = free.getsockname()[1]
        self._base = f"http://127.0.0.1:{port}"
        with ExitStack() as started:
            display, number = start_display()
            started.callback(end_process, display)
            self._driver = subprocess.Popen(
                [need_program("WebKitWebDriver"), f"--port={port}"],
                env=environment(home, downloads, number),
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
            )
            started.callback(end_process, self._driver)
            self._wait_for_driver()
            options = {"binary": need_program("MiniBrowser"), "args": ["--automation"]}
            wanted = {"webkitgtk:browserOptions": options, "pageLoadStrategy": "none"}
            made = self._ask("POST", "/session", {"capabilities": {"alwaysMatch": wanted}})
            self._session = f"/session/{made['sessionId']}"
            started.callback(self._ask, "DELETE", self._session, None)
            self._post("/timeouts", script=2 * PATIENCE_S * 1000)  # ours is over first
            self._post("/window/rect", x=0, y=0, width=1440, height=900)
            self._started = started.pop_all()

    def _wait_for_driver(self) -> None:
        end = time.monotonic() + PATIENCE_S
        while True:
            try:
                self._ask("GET", "/status", None)
            except OSError:
                if time.monotonic() > end or self._driver.poll() is not None:
                    raise
                time.sleep(LOOK_S)
            else:
                return

    def _ask(self, verb: str, path: str, body: Mapping[str, Any] | None) -> Any:
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self._base + path, data, method=verb)
        try:
            with (
                self.answering(path),
                urllib.request.urlopen(request, timeout=PATIENCE_S) as answer,
            ):
                return json.load(answer)["value"]
        except urllib.error.HTTPError as error:
            raise EngineError(f"{path}: {error.read().decode()}") from error

    def _post(self, path: str, **body: Any) -> Any:
        return self._ask("POST", self._session + path, body)

    def open(self, url: str) -> None:
        for _ in range(OPENINGS):
            self._post("/url", url="about:blank")
            self.until("an empty tab", lambda: self._listen("about:blank") != "not there")
            self._post("/url", url=url)
            end = time.monotonic() + PATIENCE_S
            heard = "not there"
            while heard == "not there" and time.monotonic() < end:  # at once, without a pause
                heard = self._listen(url)
            if heard == "listening":
                return
        raise EngineError(f"{OPENINGS} times the page's script ran before it could be heard")

    def _listen(self, url: str) -> str:
        """Listen to the page at an address, if the tab has come so far."""
        try:
            heard: str = self.evaluate(LISTEN, url)
        except EngineError:  # the page before was left while it answered
            return "not there"
        return heard

    def call(self, function: str, given: str) -> str:
        done = self._post("/execute/async", script=CALL % function, args=[given])
        if "error" in done:
            raise EngineError(done["error"])
        found: str = done["result"]
        return found

    def choose(self, selector: str, path: Path) -> None:
        found = self._post("/element", using="css selector", value=selector)
        self._post(f"/element/{found[ELEMENT]}/value", text=str(path))

    def complaints(self) -> list[str]:
        found: list[str] = self.evaluate("() => complaints")
        return found

    def close(self) -> None:
        self._started.close()


def start_display() -> tuple[subprocess.Popen[bytes], str]:
    """Start a screen that nobody sees and return it with its number."""
    reading, writing = os.pipe()
    display = subprocess.Popen(
        [need_program("Xvfb"), "-displayfd", str(writing), "-screen", "0", "1440x1000x24",
         "-nolisten", "tcp"],
        pass_fds=[writing], stderr=subprocess.DEVNULL,
    )  # fmt: skip
    os.close(writing)
    with os.fdopen(reading) as told:
        return display, told.readline().strip()


def environment(home: Path, downloads: Path, display: str) -> dict[str, str]:
    """Return an environment in which nothing of this machine's user is read or written."""
    config = home / "config"
    config.mkdir()
    (config / "user-dirs.dirs").write_text(f'XDG_DOWNLOAD_DIR="{downloads}"\n', "utf-8")
    own = {
        "DISPLAY": f":{display}",
        "HOME": str(home),
        "XDG_CONFIG_HOME": str(config),
        "XDG_CACHE_HOME": str(home / "cache"),
        "XDG_DATA_HOME": str(home / "data"),
        "GSETTINGS_BACKEND": "memory",
        "NO_AT_BRIDGE": "1",
    }
    return {**os.environ, **own}
