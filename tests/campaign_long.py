"""One tab used for a long time: many files, settings, views, downloads, and what stays behind.

Memory is read once everything unreachable was collected: the JavaScript of page and worker,
WebAssembly, the document. A leak of one thing a run, however small, shows in the counts.
"""

import json
import random
from typing import Any, NamedTuple

from playwright.sync_api import CDPSession, Page

# Stands before the worker's script: sees the memory that Pyodide makes, and counts the proxies
# of Python objects, registered when they are made and taken out when they are destroyed.
PRELUDE = """"use strict";
self.use = { wasm: null, proxies: 0 };
for (const name of ["instantiate", "instantiateStreaming"]) {
  const make = WebAssembly[name];
  WebAssembly[name] = async (...given) => {
    const made = await make.apply(WebAssembly, given);
    const { memory } = (made.instance ?? made).exports;
    const { env } = given[1] ?? {};
    self.use.wasm ??= memory ?? env?.memory ?? null;
    return made;
  };
}
const { register, unregister } = FinalizationRegistry.prototype;
FinalizationRegistry.prototype.register = function (...given) {
  self.use.proxies += 1;
  return register.apply(this, given);
};
FinalizationRegistry.prototype.unregister = function (token) {
  const known = unregister.call(this, token);
  if (known) self.use.proxies -= 1;
  return known;
};
"""
WATCH = """(prelude) => {
  const open = new Set()
  const { createObjectURL, revokeObjectURL } = URL
  URL.createObjectURL = (given) => {
    const script = given.type === 'text/javascript'
    const thing = script ? new Blob([prelude, given], { type: given.type }) : given
    const address = createObjectURL.call(URL, thing)
    open.add(address)
    return address
  }
  URL.revokeObjectURL = (address) => {
    open.delete(address)
    revokeObjectURL.call(URL, address)
  }
  window.openAddresses = () => open.size
}"""
INSIDE = "() => ({ wasm: self.use.wasm.buffer.byteLength, proxies: self.use.proxies })"
# Not by Playwright's set_input_files: its handles keep the input, and all around it, alive.
GIVE = """({ side, name, text }) => {
  const given = new DataTransfer()
  given.items.add(new File([text], name, { type: 'application/json' }))
  const input = document.querySelector(`input[data-input=${side}]`)
  input.files = given.files
  input.dispatchEvent(new Event('change', { bubbles: true }))
}"""
READY_MS = 120_000
TOKENS = ("loose", "strict", "characters")
PHASE = 12  # runs after which files and settings come again
FIRST = 20  # runs before the first look; the last has to be some phases later
GIVEN_BACK_MS = 11_000  # a download's address is given back after ten seconds


class Use(NamedTuple):
    """What a tab holds at one moment.

    Attributes:
        page: Bytes of JavaScript in the page, but for `code`.
        code: Bytes of code that the browser compiled for the page. It grows with use until all
            that is used often is compiled, and is bounded by the script, so it is told apart.
        worker: Bytes of JavaScript in Python's worker.
        wasm: Bytes of WebAssembly memory of that worker; it grows and never shrinks.
        proxies: Proxies of Python objects in that worker that were not destroyed.
        nodes: DOM nodes.
        listeners: Event listeners of the page.
        addresses: Addresses of blobs that were not given back.
        workers: Workers that run.
    """

    page: int
    code: int
    worker: int
    wasm: int
    proxies: int
    nodes: int
    listeners: int
    addresses: int
    workers: int

    @property
    def memory(self) -> int:
        """Bytes of all that is measured in bytes."""
        return self.page + self.code + self.worker + self.wasm


class Worker:
    """Python's worker, asked over the debugger."""

    def __init__(self, session: CDPSession) -> None:
        self.session, self.number = session, 0
        self.answers: dict[int, dict[str, Any]] = {}
        self.sessions: list[str] = []
        session.on("Target.attachedToTarget", self._attached)
        session.on("Target.detachedFromTarget", self._detached)
        session.on("Target.receivedMessageFromTarget", self._received)
        how = {"autoAttach": True, "waitForDebuggerOnStart": False, "flatten": False}
        session.send("Target.setAutoAttach", how)

    def _attached(self, event: dict[str, Any]) -> None:
        if event["targetInfo"]["type"] == "worker":
            self.sessions.append(event["sessionId"])

    def _detached(self, event: dict[str, Any]) -> None:
        if event["sessionId"] in self.sessions:
            self.sessions.remove(event["sessionId"])

    def _received(self, event: dict[str, Any]) -> None:
        message = json.loads(event["message"])
        if "id" in message:
            self.answers[message["id"]] = message

    def wait_alone(self, page: Page) -> None:
        """Wait until the worker that makes the snapshot, in a tab at rest, has ended."""
        for _ in range(READY_MS // 50):
            if len(self.sessions) == len(page.workers) == 1:
                return
            page.wait_for_timeout(50)
        raise AssertionError(f"{len(self.sessions)} workers run in a tab at rest")

    def ask(self, page: Page, method: str, **params: Any) -> dict[str, Any]:
        """Send a command to the worker and wait for its result."""
        self.number += 1
        message = json.dumps({"id": self.number, "method": method, "params": params})
        (session,) = self.sessions
        self.session.send(
            "Target.sendMessageToTarget", {"sessionId": session, "message": message}
        )
        for _ in range(600):
            if self.number in self.answers:
                break
            page.wait_for_timeout(50)
        result: dict[str, Any] = self.answers.pop(self.number)["result"]
        return result


class Tab:
    """A tab in which the campaign runs; after `phase` runs everything comes again."""

    def __init__(self, page: Page, address: str, phase: int = PHASE) -> None:
        self.page, self.phase = page, phase
        page.add_init_script(f"({WATCH})({json.dumps(PRELUDE)})")
        self.session = page.context.new_cdp_session(page)
        self.worker = Worker(self.session)
        page.goto(address)
        self.wait()

    def wait(self) -> None:
        """Wait until nothing is being read or computed."""
        tone = self.page.locator(".strip[data-tone='ok'], .strip[data-tone='wait']")
        tone.wait_for(timeout=READY_MS)
        self.page.locator(".strip[data-busy]").wait_for(state="detached", timeout=READY_MS)

    def use(self) -> Use:
        """Collect what can be collected and measure what stays."""
        self.page.wait_for_timeout(GIVEN_BACK_MS)
        self.worker.wait_alone(self.page)
        for _ in range(3):
            self.session.send("HeapProfiler.collectGarbage")
            self.worker.ask(self.page, "HeapProfiler.collectGarbage")
        counters = self.session.send("Memory.getDOMCounters")
        code = self._weigh_code()
        (python,) = self.page.workers
        inside = python.evaluate(INSIDE)
        return Use(
            page=self.session.send("Runtime.getHeapUsage")["usedSize"] - code,
            code=code,
            wasm=inside["wasm"],
            proxies=inside["proxies"],
            worker=self.worker.ask(self.page, "Runtime.getHeapUsage")["usedSize"],
            nodes=counters["nodes"],
            listeners=counters["jsEventListeners"],
            addresses=self.page.evaluate("() => window.openAddresses()"),
            workers=len(self.page.workers),
        )

    def _weigh_code(self) -> int:
        """Return the bytes of the page's heap that are compiled code."""
        chunks: list[str] = []

        def keep(event: dict[str, Any]) -> None:
            chunks.append(event["chunk"])

        self.session.on("HeapProfiler.addHeapSnapshotChunk", keep)
        self.session.send("HeapProfiler.takeHeapSnapshot", {"reportProgress": False})
        self.session.remove_listener("HeapProfiler.addHeapSnapshotChunk", keep)
        heap = json.loads("".join(chunks))
        names = heap["snapshot"]["meta"]["node_fields"]
        code = heap["snapshot"]["meta"]["node_types"][0].index("code")
        kinds = heap["nodes"][names.index("type") :: len(names)]
        sizes = heap["nodes"][names.index("self_size") :: len(names)]
        return sum(size for kind, size in zip(kinds, sizes, strict=True) if kind == code)

    def run(self, number: int) -> None:
        """Do what run `number` does: files, a setting, views, now and then a download."""
        page, turn = self.page, number % self.phase
        test, train = make_files(turn)
        for side, text in (("test", test), ("train", train)):
            page.evaluate(GIVE, {"side": side, "name": f"{side}-{turn}.jsonl", "text": text})
        self.wait()
        page.locator("#tab-ngrams").click()
        page.get_by_label("tokens", exact=True).select_option(TOKENS[turn % len(TOKENS)])
        page.get_by_label("n, 5 to 25").fill(str(5 + turn % 12))
        self.wait()
        for name in ("rows", "rules", "overview", "train", "ngrams"):
            page.locator(f"#tab-{name}").click()
            opener = page.locator(".tabpanel tbody .opener").first
            opener.click(timeout=READY_MS)
        page.get_by_label("Filter rows by text").fill("river" if turn % 2 else "")
        self.wait()
        if turn % 4 == 0:
            for button in ("Download CSV", "Download JSON"):
                with page.expect_download(timeout=READY_MS) as waiting:
                    page.get_by_role("button", name=button).click()
                waiting.value.delete()
        if turn % 8 == 1:
            page.get_by_label("Open an example").select_option("rows")
            self.wait()


WORDS = (
    "river stone market window paper garden engine letter silver winter bridge harbour".split()
)


def make_files(turn: int) -> tuple[str, str]:
    """Make a pair of files of 5 to 25 kB, the same for a turn, with shared runs."""
    draw = random.Random(turn)
    rows = 40 + 12 * turn
    train = [" ".join(draw.choices(WORDS, k=draw.randint(6, 40))) for _ in range(rows)]
    test = [f"{draw.choice(train)} {at}" if at % 3 else f"own row {at}" for at in range(rows)]
    return to_jsonl(test), to_jsonl(train)


def to_jsonl(texts: list[str]) -> str:
    """Return one record a text, with an id."""
    rows = ({"id": f"r{at}", "text": text} for at, text in enumerate(texts))
    return "".join(json.dumps(row) + "\n" for row in rows)


def grown(before: Use, after: Use) -> dict[str, float]:
    """Return what is more than a tenth larger, as ratios; code counts in all memory alone."""
    ratios = {
        name: getattr(after, name) / max(1, getattr(before, name))
        for name in Use._fields
        if name != "code"
    }
    ratios["all memory"] = after.memory / before.memory
    return {name: round(ratio, 3) for name, ratio in ratios.items() if ratio > 1.1}
