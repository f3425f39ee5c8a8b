"""Firefox as it is installed, driven by WebDriver BiDi: JSON over a web socket."""

import json
import re
import subprocess
import time
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from websockets.sync.client import connect

from engine_tab import PATIENCE_S, EngineError, Tab, end_process
from leakladder_dev.engines import need_program

# A driven Firefox has preferences of its own, which relax the rules of file: addresses. Not
# here, apart from what choosing a file needs (createInChild).
PREFERENCES = {
    "remote.prefs.recommended": False,
    "security.fileuri.strict_origin_policy": True,
    "app.update.auto": False,
    "app.normandy.enabled": False,
    "browser.download.folderList": 2,
    "browser.download.useDownloadDir": True,
    "browser.shell.checkDefaultBrowser": False,
    "browser.startup.page": 0,
    "dom.file.createInChild": True,
    "datareporting.policy.dataSubmissionEnabled": False,
    "extensions.update.enabled": False,
    "network.captive-portal-service.enabled": False,
    "network.connectivity-service.enabled": False,
    "services.settings.server": "data:,",
    "toolkit.telemetry.enabled": False,
}
LISTENING = re.compile(rb"WebDriver BiDi listening on (ws://\S+)")


class FirefoxTab(Tab):
    """A Firefox of its own with one tab and a fresh profile in `home`."""

    def __init__(self, home: Path, downloads: Path) -> None:
        super().__init__(downloads)
        self._wrong: list[str] = []
        self._last = 0
        wanted = {**PREFERENCES, "browser.download.dir": str(downloads)}
        lines = (f"user_pref({json.dumps(k)}, {json.dumps(v)});\n" for k, v in wanted.items())
        (home / "user.js").write_text("".join(lines), "utf-8")
        command = [need_program("Firefox"), "--headless", "--no-remote", "--profile", str(home)]
        size = ["--width", "1440", "--height", "900"]
        with ExitStack() as started:
            process = subprocess.Popen(
                [*command, *size, "--remote-debugging-port", "0"],
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
            )
            started.callback(end_process, process)
            address = f"{find_address(process)}/session"
            self._socket = started.enter_context(connect(address, max_size=None))
            self._ask("session.new", capabilities={})
            self._ask("session.subscribe", events=["log.entryAdded"])
            self._tab = self._ask("browsingContext.getTree")["contexts"][0]["context"]
            self._started = started.pop_all()

    def _ask(self, method: str, **params: Any) -> Any:
        """Send a command and return its result; events on the way are kept."""
        self._last += 1
        end = time.monotonic() + PATIENCE_S
        self._socket.send(json.dumps({"id": self._last, "method": method, "params": params}))
        while True:
            with self.answering(method):
                message = json.loads(self._socket.recv(timeout=max(end - time.monotonic(), 0)))
            if message["type"] == "event":
                self._note(message["params"])
            elif message["type"] == "error":
                raise EngineError(f"{method}: {message['message']}")
            else:
                return message["result"]

    def _note(self, entry: dict[str, Any]) -> None:
        if entry.get("level") == "error":
            self._wrong.append(str(entry["text"]))

    def open(self, url: str) -> None:
        self._go("about:blank")
        self.complaints()  # of the page before
        self._wrong.clear()
        self._go(url)

    def _go(self, url: str) -> None:
        self._ask("browsingContext.navigate", context=self._tab, url=url, wait="complete")

    def call(self, function: str, given: str) -> str:
        done = self._ask(
            "script.callFunction",
            functionDeclaration=function,
            arguments=[{"type": "string", "value": given}],
            target={"context": self._tab},
            awaitPromise=True,
        )
        if done["type"] == "exception":
            raise EngineError(done["exceptionDetails"]["text"])
        found: str = done["result"]["value"]
        return found

    def choose(self, selector: str, path: Path) -> None:
        locator = {"type": "css", "value": selector}
        found = self._ask("browsingContext.locateNodes", context=self._tab, locator=locator)
        element = {"sharedId": found["nodes"][0]["sharedId"]}
        self._ask("input.setFiles", context=self._tab, element=element, files=[str(path)])

    def complaints(self) -> list[str]:
        self.evaluate("() => 0")  # what was said before it is answered has been heard
        return list(self._wrong)

    def close(self) -> None:
        self._started.close()


def find_address(process: subprocess.Popen[bytes]) -> str:
    """Read what Firefox prints until it says where it listens.

    Raises:
        EngineError: If it ends before.
    """
    assert process.stderr is not None
    said = b""
    for line in process.stderr:
        said += line
        if found := LISTENING.search(line):
            return found[1].decode()
    raise EngineError(f"Firefox ended: {said.decode()}")
