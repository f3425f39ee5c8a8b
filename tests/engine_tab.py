"""One tab, whatever engine it is in: what the end-to-end pass asks of it.

An engine supplies five things: open an address, call JavaScript, choose a file, tell what the
console complained of, and close. The rest is written once, over `evaluate`.
"""

import json
import subprocess
import time
from abc import ABC, abstractmethod
from base64 import b64encode
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

PATIENCE_S = 120.0  # for one step or one answer; the machine may be busy with other tests
START_S = 200.0  # the page itself gives Python three minutes, then it says that it gave up
END_S = 20.0  # for a program to end when it is asked to
LOOK_S = 0.1
WRAPPED = "async (given) => JSON.stringify((await ({})(...JSON.parse(given))) ?? null)"

DROP = """(files, selector) => {
  const dataTransfer = new DataTransfer()
  for (const [name, text] of files) {
    const bytes = Uint8Array.from(atob(text), (character) => character.charCodeAt(0))
    dataTransfer.items.add(new File([bytes], name))
  }
  for (const type of ['dragenter', 'dragover', 'drop']) {
    const options = { bubbles: true, cancelable: true, dataTransfer }
    document.querySelector(selector).dispatchEvent(new DragEvent(type, options))
  }
}"""
PRESS = """(label) => {
  const named = (button) => (button.getAttribute('aria-label') ?? button.textContent) === label
  const found = [...document.querySelectorAll('button')].filter(named)
  if (found.length > 1) throw new Error(`${found.length} buttons are named ${label}`)
  if (!found.length || found[0].getAttribute('aria-disabled') === 'true') return false
  found[0].click()
  return true
}"""
SETTLED = """() => {
  const strip = document.querySelector('.strip')
  if (strip?.dataset.tone === 'bad') throw new Error(strip.textContent)
  return ['ok', 'wait'].includes(strip?.dataset.tone) && !('busy' in strip.dataset)
}"""


class EngineError(Exception):
    """What a page's script threw, or an engine refused."""


class SilenceError(EngineError):
    """An engine gave no answer in time. It is not asked again: only one silence is sat out."""


class Tab(ABC):
    """A tab with a folder that takes its downloads. Values cross as JSON."""

    def __init__(self, downloads: Path) -> None:
        self.downloads = downloads
        self._silence = ""

    @contextmanager
    def answering(self, question: str) -> Iterator[None]:
        """Around one question to the engine, where a TimeoutError is its silence.

        Raises:
            SilenceError: If no answer comes, or did not come before.
        """
        if self._silence:
            raise SilenceError(self._silence)
        try:
            yield
        except TimeoutError as error:
            self._silence = f"no answer in {PATIENCE_S:g} s to {question}"
            raise SilenceError(self._silence) from error

    @abstractmethod
    def open(self, url: str) -> None:
        """Go to an address; from before the page's own script runs, complaints are kept."""

    @abstractmethod
    def call(self, function: str, given: str) -> str:
        """Call a JavaScript function of a string and return the string it resolves to.

        Raises:
            EngineError: If it throws.
        """

    @abstractmethod
    def choose(self, selector: str, path: Path) -> None:
        """Give a file to a file input, as its own chooser does."""

    @abstractmethod
    def complaints(self) -> list[str]:
        """Return console errors, uncaught errors and refusals by the policy since `open`."""

    @abstractmethod
    def close(self) -> None:
        """End the tab and whatever was started for it."""

    def evaluate(self, function: str, *arguments: Any) -> Any:
        """Call a JavaScript function of JSON values and return its JSON result."""
        return json.loads(self.call(WRAPPED.format(function), json.dumps(arguments)))

    def until(self, what: str, ready: Callable[[], Any], patience: float = PATIENCE_S) -> Any:
        """Look again and again until there is something to see, and return it."""
        end = time.monotonic() + patience
        while not (seen := ready()):
            if time.monotonic() > end:
                shown = self.evaluate("() => document.body.innerText.slice(0, 2000)")
                raise AssertionError(f"no sight of {what} in {patience} s; shown: {shown}")
            time.sleep(LOOK_S)
        return seen

    def settle(self) -> None:
        """Wait until Python runs and nothing is being computed."""
        self.until("a page at rest", lambda: self.evaluate(SETTLED), START_S)

    def texts(self, selector: str) -> list[str]:
        """Return the text of each matching element, as it is shown."""
        found: list[str] = self.evaluate(
            "(selector) => [...document.querySelectorAll(selector)].map((e) => e.innerText)",
            selector,
        )
        return found

    def see(self, selector: str, part: str) -> None:
        """Wait until an element shows a text."""

        def shown() -> bool:
            return any(part in text for text in self.texts(selector))

        self.until(f"{part!r} in {selector}", shown)

    def click(self, selector: str) -> None:
        """Click the first matching element."""
        self.evaluate("(selector) => document.querySelector(selector).click()", selector)

    def press(self, label: str) -> None:
        """Press the one button of this name, once it is there and not off."""
        self.until(f"the button {label}", lambda: self.evaluate(PRESS, label))

    def drop(self, files: Mapping[str, bytes], selector: str = "main") -> None:
        """Drop files on an element."""
        given = [(name, b64encode(data).decode()) for name, data in files.items()]
        self.evaluate(DROP, given, selector)

    def download(self, label: str, name: str) -> bytes:
        """Press a button and return the file of this name that arrives in the folder."""
        self.press(label)
        path = self.downloads / name
        sizes = [-1]

        def arrived() -> bool:
            self.evaluate("() => 0")  # an engine whose events come with its answers hears them
            sizes.append(path.stat().st_size if path.exists() else 0)
            return sizes[-1] > 0 and sizes[-1] == sizes[-2]  # written to its end

        self.until(name, arrived)
        data = path.read_bytes()
        path.unlink()
        return data


def end_process(process: subprocess.Popen[bytes]) -> None:
    """End a program that a tab was started with, and wait until it is gone."""
    process.terminate()
    try:
        process.communicate(timeout=END_S)
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()
