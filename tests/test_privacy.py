"""Nothing leaves the tab: a marker in the files is in no request, storage, title, address.

The recorder is the host itself, which sees the requests of the page, its workers and the
service worker alike; a second origin, really there, is tried from each of them.
"""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import BrowserContext, Locator, Page, expect

from hosts import READY_MS, Host, copy_build
from leakladder_dev.dist import ensure_dist
from leakladder_dev.manifest import group_of
from leakladder_dev.steps import DIST
from tabs import settle, wait_for_snapshot

MARKER = "zqxmarkerjwv"
RUN = "alpha bravo charlie delta echo foxtrot golf hotel india juliett kilo lima mike"


@pytest.fixture
def host(tmp_path: Path) -> Iterator[Host]:
    """A recording host for a copy of the build."""
    with Host(copy_build(tmp_path / "site")) as running:
        yield running


def open_kept(page: Page, url: str) -> None:
    """Open the page and wait until the browser has kept it, so that nothing is due any more."""
    page.goto(url)
    settle(page)
    expect(page.locator(".saved-line")).to_contain_text("Offline ready", timeout=READY_MS)
    wait_for_snapshot(page)


def give(page: Page, side: str, name: str, text: str) -> None:
    file: Any = {"name": name, "mimeType": "application/json", "buffer": text.encode()}
    page.locator(f"input[data-input={side}]").set_input_files(file)


def give_marked(page: Page) -> None:
    """Two files with a shared run and the marker in cells, field names, ids, file names."""
    for side, tail in (("test", "north"), ("train", "south")):
        rows = [
            {f"id_{MARKER}": f"{MARKER}-{at}", f"text {MARKER}": f"{MARKER} {RUN} {tail} {at}"}
            for at in range(3)
        ]
        text = "".join(json.dumps(row) + "\n" for row in rows)
        give(page, side, f"{MARKER}.{side}.jsonl", text)
    expect(page.locator(".answer h1")).to_contain_text("3 of 3", timeout=READY_MS)
    settle(page)


def download(place: Page | Locator, name: str) -> bytes:
    """Press a download button, once it can be pressed, and return the file's bytes."""
    button = place.get_by_role("button", name=name, exact=True)
    expect(button).not_to_have_attribute("aria-disabled", "true", timeout=READY_MS)
    page = place if isinstance(place, Page) else place.page
    with page.expect_download() as waiting:
        button.click()
    return Path(waiting.value.path()).read_bytes()


def compare_meanings(page: Page) -> list[bytes]:
    """Run the meaning check both ways; return what it exports."""
    saved = []
    page.locator("#tab-meaning").click()
    for mode, files in (
        ("within the test file", ("Pairs CSV", "Groups CSV", "JSON")),
        ("test to training", ("Nearest CSV", "JSON")),
    ):
        page.get_by_role("button", name=mode).click()
        page.get_by_role("button", name="ompare meanings").click()
        page.locator(".meaning-lead").wait_for(timeout=READY_MS)
        saved += [download(page, f"Download {name}") for name in files]
    return saved


EXPORTS = 14  # of use_everything


def beside_the_model(asked: list[str]) -> list[str]:
    """Requests for anything but the model's files, which are fetched on request."""
    return [path for path in asked if group_of(path.removeprefix("/")) != "model"]


def use_everything(page: Page) -> list[bytes]:
    """Run and export every rung, filter, set, mark; return what was exported."""
    saved = []
    for tab in ("rows", "ngrams", "rules"):
        page.locator(f"#tab-{tab}").click()
        saved += [download(page, f"Download {kind}") for kind in ("CSV", "JSON")]
    page.locator("#tab-overview").click()
    saved += [download(page, f"Download the {kind} report") for kind in ("JSON", "HTML")]
    page.get_by_role("button", name="Download without flagged rows").click()
    saved.append(download(page.get_by_role("dialog"), "Download"))
    saved += compare_meanings(page)
    page.locator("#tab-ngrams").click()
    page.get_by_label("Filter rows by text").fill(MARKER)
    page.get_by_role("button", name="n = 8").click()
    page.get_by_label("threshold, 0 to 100").fill("20")
    settle(page)
    page.locator("table.data .opener").first.click()
    page.keyboard.press("j")
    page.keyboard.press("1")  # marks the row as a leak, which the browser keeps
    return saved


STORED = """async () => {
  const found = []
  for (const store of [localStorage, sessionStorage]) {
    for (let at = 0; at < store.length; at += 1) {
      const key = store.key(at)
      found.push(key + '=' + store.getItem(key))
    }
  }
  for (const { name } of await indexedDB.databases()) found.push('database ' + name)
  for (const name of await caches.keys()) {
    const cache = await caches.open(name)
    for (const request of await cache.keys()) {
      const body = await (await cache.match(request)).arrayBuffer()
      found.push(request.url, new TextDecoder('latin1').decode(body))
    }
  }
  found.push(document.cookie, document.title, location.href, JSON.stringify(history.state))
  return found
}"""


def search_storage(page: Page) -> list[str]:
    """Where the marker is stored; and a look whether the search can find anything at all."""
    found: list[str] = page.evaluate(STORED)
    assert len(found) > 20, "the kept page is in there"
    assert any(text.startswith("leakladder-marks:") for text in found), "the mark as well"
    return [text[:80] for text in found if MARKER in text]


@pytest.mark.browser
def test_marker_is_in_no_request_storage_title_or_address(
    page: Page, host: Host, witness: tuple[str, list[str]]
) -> None:
    open_kept(page, host.url)
    assert len(host.asked) > 10
    before = len(host.asked)
    give_marked(page)
    saved = use_everything(page)
    assert len(saved) == EXPORTS
    # All but two hold it: no row stands in both files as it is, and all rows were cleaned away.
    assert sum(MARKER.encode() in data for data in saved) == EXPORTS - 2
    assert len(host.asked) > before, "the model was fetched when it was asked for"
    assert beside_the_model(host.asked[before:]) == []
    assert MARKER not in "".join(host.asked)
    assert search_storage(page) == []
    page.reload()
    settle(page)
    assert MARKER not in page.content()


@pytest.mark.browser
def test_every_rung_and_export_works_with_the_network_cut(page: Page, host: Host) -> None:
    open_kept(page, host.url)
    page.get_by_role("button", name="Keep the model too").click()
    kept = page.locator(".saved-line")
    expect(kept).to_contain_text("The model is kept too", timeout=READY_MS)
    host.stop()
    give_marked(page)
    assert len(use_everything(page)) == EXPORTS


@pytest.mark.browser
def test_first_file_given_early_keeps_the_browser_from_fetching(page: Page, host: Host) -> None:
    page.add_init_script("delete Navigator.prototype.serviceWorker")
    page.goto(host.url)
    settle(page)
    before = list(host.asked)
    give_marked(page)
    use_everything(page)
    assert beside_the_model(host.asked[len(before) :]) == []


# ------------------------------------------------------------------ foreign addresses

TRIES = """async (address) => {
  const socket = address.replace('http', 'ws')
  const event = (make, good) => new Promise((resolve, reject) => {
    const thing = make()
    thing[good] = resolve
    thing.onerror = () => reject(new Error('refused'))
  })
  const tries = {
    fetch: () => fetch(address + 'fetch?' + 'MARKER', { mode: 'no-cors' }),
    post: () => fetch(address + 'post', { method: 'POST', mode: 'no-cors', body: 'MARKER' }),
    xhr: () => event(() => {
      const request = new XMLHttpRequest()
      request.open('POST', address + 'xhr')
      request.send('MARKER')
      return request
    }, 'onload'),
    socket: () => event(() => new WebSocket(socket), 'onopen'),
    events: () => event(() => new EventSource(address + 'events'), 'onopen'),
    import: () => import(address + 'import.js'),
    scripts: () => { importScripts(address + 'scripts.js') },
    beacon: () => {
      if (!navigator.sendBeacon(address + 'beacon', 'MARKER')) throw new Error('refused')
    },
    image: () => event(() => {
      const image = new Image()
      image.src = address + 'image.png?MARKER'
      return image
    }, 'onload'),
    frame: () => {
      const frame = document.createElement('iframe')
      frame.src = address + 'frame'
      document.body.append(frame)
    },
    script: () => event(() => {
      const script = document.createElement('script')
      script.src = address + 'script.js'
      document.head.append(script)
      return script
    }, 'onload'),
    style: () => event(() => {
      const link = document.createElement('link')
      link.rel = 'stylesheet'
      link.href = address + 'style.css'
      document.head.append(link)
      return link
    }, 'onload'),
    form: () => {
      const form = document.createElement('form')
      form.action = address + 'form'
      form.target = '_blank'
      document.body.append(form)
      form.submit()
    },
    worker: () => event(() => new Worker(address + 'worker.js'), 'onmessage'),
  }
  const names = []
  for (const [name, go] of Object.entries(tries)) {
    names.push(name)
    const patience = new Promise((resolve) => setTimeout(resolve, 700))
    try { await Promise.race([go(), patience]) } catch { /* refused */ }
  }
  await new Promise((resolve) => setTimeout(resolve, 500))
  return names.length
}""".replace("MARKER", MARKER)


@pytest.mark.browser
def test_witness_sees_what_a_page_without_our_policy_sends(
    page: Page, witness: tuple[str, list[str]], tmp_path: Path
) -> None:
    """The tries are real ones: from an ordinary page they arrive."""
    (tmp_path / "index.html").write_text("<!doctype html><title>open</title><body>")
    with Host(tmp_path) as other:
        page.goto(other.url)
        page.evaluate(TRIES, witness[0])
    came = "\n".join(witness[1])
    for name in (
        "fetch",
        "post",
        "xhr",
        "beacon",
        "image",
        "frame",
        "script",
        "style",
        "import",
    ):
        assert f"/{name}" in came, name
    assert MARKER in came


@pytest.mark.browser
def test_page_and_every_worker_reach_no_other_origin(
    context: BrowserContext, page: Page, host: Host, witness: tuple[str, list[str]]
) -> None:
    open_kept(page, host.url)
    give_marked(page)
    page.locator("#tab-meaning").click()
    page.get_by_role("button", name="ompare meanings").click()
    page.locator(".meaning-lead").wait_for(timeout=60_000)
    workers = page.workers
    assert len(workers) >= 2, "Python's and one of the meaning check"
    services = context.service_workers
    assert len(services) == 1
    for each in (*workers, *services):
        assert each.evaluate(TRIES, witness[0]) >= 12
    assert page.evaluate(TRIES, witness[0]) >= 12
    assert witness[1] == []
    assert MARKER not in "".join(host.asked)


@pytest.mark.browser
def test_scripts_need_a_trusted_address_and_text_never_becomes_markup(
    page: Page, host: Host
) -> None:
    page.goto(host.url)
    settle(page)
    outcome = page.evaluate("""async () => {
      await new Promise((resolve) => setTimeout(resolve)) // not as the debugger
      const tries = {
        markup: () => { document.createElement('div').innerHTML = '<b>x</b>' },
        script: () => { document.createElement('script').src = 'app.js' },
        worker: () => new Worker('worker.js'),
        eval: () => (0, eval)('1'),
        policy: () => trustedTypes.createPolicy('another', { createHTML: (x) => x }),
        again: () => trustedTypes.createPolicy('leakladder', { createScriptURL: (x) => x }),
      }
      const went = []
      for (const [name, go] of Object.entries(tries)) {
        try { go(); went.push(name) } catch { /* refused */ }
      }
      return went
    }""")
    assert outcome == []


def test_page_has_no_unsafe_eval_and_no_inline_script() -> None:
    ensure_dist()
    page = (DIST / "index.html").read_text("utf-8")
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', page)
    assert policy
    rules = dict(rule.strip().partition(" ")[::2] for rule in policy[1].split(";"))
    assert rules["default-src"] == "'none'"
    assert rules["script-src"] == "'self' 'wasm-unsafe-eval'"
    assert rules["connect-src"] == "'self'"
    assert rules["require-trusted-types-for"] == "'script'"
    assert rules["trusted-types"] == "leakladder"
    assert re.findall(r"<script(?![^>]*\bsrc=)", page) == []


def test_privacy_text_says_what_is_tested() -> None:
    script = (DIST / "app.js").read_text("utf-8")
    for words in ("after a file is in, it asks the network for nothing", "only if you tick"):
        assert words in script
