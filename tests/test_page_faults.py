"""What goes wrong around the page: workers die, downloads stop, storage is blocked, other tabs
and builds come between, files change on disk. Each time words say so, and nothing is lost.
"""

import json
import os
import shutil
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, Route, Worker, expect

from hosts import READY_MS, Host, change_build, copy_build
from leakladder_dev.dist import ensure_dist
from leakladder_dev.steps import DIST
from tabs import settle
from test_page import BLOCK, download, give, jsonl

pytestmark = pytest.mark.browser

RUN = "a b c d e f g h i j k l m"
DIED = "The checker ended unexpectedly"
ALIKE = (RUN, f"{RUN}!", "something else")
SHARED = (RUN, f"{RUN} and these", "something else")
LOADED_AGAIN = f"{DIED}, so it was replaced. Your files are loaded again."


@pytest.fixture
def tab(page: Page, site: str) -> Iterator[Page]:
    """A tab of its own with Python ready; no error of the page may come up in it."""
    faults: list[str] = []
    page.on("pageerror", lambda error: faults.append(str(error)))
    page.goto(site)
    settle(page)
    yield page
    assert faults == []


def give_both(page: Page, test: tuple[str, ...] = (RUN, "something else altogether")) -> None:
    """Give two files; every row that begins with the run is flagged. N-grams is open then."""
    give(page, "test", "mine.test.jsonl", jsonl(list(test)))
    give(page, "train", "mine.train.jsonl", jsonl([f"{RUN} n"]))
    page.locator("#tab-ngrams").click()
    flagged = sum(text.startswith(RUN) for text in test)
    says = f"{flagged:,} of {flagged:,} "
    expect(page.locator(".answer h1")).to_contain_text(says, timeout=READY_MS)
    settle(page)


def check_files(page: Page) -> None:
    for side in ("test", "train"):
        name = page.locator(f".slot[data-side={side}] .slot-name")
        expect(name).to_have_text(f"mine.{side}.jsonl")


def python_worker(page: Page) -> Worker:
    """Return the worker that holds the files, once the one that takes the picture is gone."""
    while len(page.workers) > 1:
        page.wait_for_timeout(100)
    (worker,) = page.workers
    return worker


def check_live(page: Page) -> None:
    """The result belongs to the files above and can be downloaded: Python holds it."""
    expect(page.locator(".exports [aria-disabled=true]")).to_have_count(0, timeout=READY_MS)
    settle(page)
    expect(page.locator(".answer h1")).to_contain_text("1 of 1")
    assert json.loads(download(page, "Download JSON"))["summary"]["flagged"] == 1


# ------------------------------------------------------------------ the checker dies


HEADS = """() => {
  window.heads = new Set()
  const look = () => window.heads.add(document.querySelector('.answer h1').textContent)
  new MutationObserver(look).observe(document.body, { subtree: true, childList: true })
}"""


def test_checker_that_ends_at_rest_is_started_again_under_the_last_result(tab: Page) -> None:
    give_both(tab)
    tab.evaluate(HEADS)
    old = python_worker(tab)
    old.evaluate("() => self.close()")
    expect(tab.locator(".notice")).to_have_text(LOADED_AGAIN, timeout=READY_MS)
    assert python_worker(tab) is not old
    check_files(tab)
    check_live(tab)
    heads = tab.evaluate("() => [...window.heads]")
    assert heads
    assert all("1 of 1" in head for head in heads), heads


SPLIT_FILE = f"split,text\ntrain,{RUN}\ntest,x {RUN} y\ndev,{RUN}\n"


def test_picked_split_outlives_the_checker(tab: Page) -> None:
    tab.get_by_label("Both splits are in one file").check()
    give(tab, "test", "all.csv", SPLIT_FILE.encode())
    tab.locator("#tab-ngrams").click()
    expect(tab.locator(".answer h1")).to_contain_text("1 of 1", timeout=READY_MS)
    tab.get_by_label("Judged as test").select_option(label="dev · 1 row")
    expect(tab.locator(".eyebrow")).to_contain_text("dev against train")
    settle(tab)
    python_worker(tab).evaluate("() => self.close()")
    expect(tab.locator(".notice")).to_have_text(LOADED_AGAIN, timeout=READY_MS)
    check_live(tab)
    expect(tab.locator(".eyebrow")).to_contain_text("dev against train")


def test_checker_that_keeps_ending_is_given_up_with_words(tab: Page) -> None:
    """Four times within a minute of the page's clock, which is stopped meanwhile."""
    give_both(tab)
    tab.evaluate("() => { const now = performance.now(); performance.now = () => now }")
    for _ in range(3):
        python_worker(tab).evaluate("() => self.close()")
        expect(tab.locator(".notice")).to_have_text(LOADED_AGAIN, timeout=READY_MS)
        settle(tab)
        tab.get_by_role("button", name="Dismiss this message").click()
    python_worker(tab).evaluate("() => self.close()")
    expect(tab.locator(".strip")).to_contain_text("4 times within a minute; reload the page")
    expect(tab.locator(".answer h1")).to_contain_text("1 of 1")
    check_files(tab)


def test_checker_that_ends_in_a_run_says_so_and_runs_again_when_asked(tab: Page) -> None:
    give_both(tab)
    python_worker(tab).evaluate(BLOCK)
    tab.wait_for_timeout(200)
    tab.get_by_role("button", name="n = 8").click()
    tab.wait_for_timeout(400)  # the run waits behind the block, as a long step would keep it
    python_worker(tab).evaluate("() => self.close()")
    expect(tab.locator(".answer [role=alert]")).to_contain_text(DIED, timeout=READY_MS)
    expect(tab.locator(".answer h1")).to_contain_text("1 of 1")
    check_files(tab)
    settle(tab)
    tab.get_by_role("button", name="Run again").click()
    expect(tab.locator(".stamp")).to_contain_text("n 8", timeout=READY_MS)
    check_live(tab)


NO_MORE = """() => {
  WebAssembly.Memory.prototype.grow = () => { throw new RangeError('cannot grow memory') }
}"""


def test_checker_without_memory_says_so_and_is_started_again(tab: Page) -> None:
    give_both(tab)
    old = python_worker(tab)
    old.evaluate(NO_MORE)
    give(tab, "train", "large.jsonl", jsonl([f"{RUN} {at} " * 4 for at in range(12_000)]))
    card = tab.locator(".slot[data-side=train]")
    expect(tab.locator(".notice")).to_have_text(LOADED_AGAIN, timeout=READY_MS)
    expect(card.or_(tab.locator(".answer [role=alert]")).first).to_contain_text("memory")
    assert python_worker(tab) is not old
    if card.get_attribute("data-status") == "refused":
        card.get_by_role("button", name="Read it again").click()
    else:
        tab.get_by_role("button", name="Run again").click()
    expect(card).to_have_attribute("data-status", "ready", timeout=READY_MS)
    expect(tab.locator(".answer h1")).to_contain_text("1 of 1", timeout=READY_MS)
    expect(tab.locator(".eyebrow .tag[data-tone=stale]")).to_have_count(0, timeout=READY_MS)


# ------------------------------------------------------------------ rung 6


def open_meaning(page: Page) -> None:
    page.locator("#tab-meaning").click()
    page.get_by_role("button", name="ompare meanings").wait_for(timeout=READY_MS)


def start(page: Page) -> None:
    page.get_by_role("button", name="ompare meanings").click()


def model_workers(page: Page) -> list[Worker]:
    names = [(worker, worker.evaluate("() => self.name")) for worker in page.workers]
    return [worker for worker, name in names if name == "leakladder-meaning"]


def found(page: Page) -> None:
    expect(page.locator(".meaning-lead")).to_contain_text("rows read alike", timeout=READY_MS)


def wait_for_workers(page: Page, count: int) -> None:
    """Wait until so many workers run; one that was ended takes a moment to go."""
    for _ in range(100):
        if len(page.workers) == count:
            break
        page.wait_for_timeout(100)
    assert len(page.workers) == count


MANY = tuple(f"{RUN} and then {at} more of them {'x ' * (at % 90)}" for at in range(1_200))


def test_model_worker_that_ends_in_a_run_says_so_and_another_run_works(tab: Page) -> None:
    give_both(tab, MANY)
    open_meaning(tab)
    start(tab)
    embedding = tab.locator(".meaning-progress", has_text="Embedding")
    ask = tab.get_by_role("button", name="Go on")  # where the machine is slow
    expect(embedding.or_(ask)).to_be_visible(timeout=READY_MS)
    if ask.is_visible():
        ask.click()
    expect(embedding).to_be_visible(timeout=READY_MS)
    model_workers(tab)[-1].evaluate("() => self.close()")
    box = tab.locator(".meaning-start")
    expect(box.get_by_role("alert")).to_contain_text("ended unexpectedly")
    expect(box.get_by_role("alert")).to_contain_text("Nothing half done was kept")
    wait_for_workers(tab, 1)
    check_files(tab)
    give(tab, "test", "mine.test.jsonl", jsonl(list(ALIKE)))
    open_meaning(tab)
    start(tab)
    found(tab)
    # one that ends at rest is missed only when it is asked, and then another is started
    (resting,) = model_workers(tab)
    resting.evaluate("() => self.close()")
    wait_for_workers(tab, 1)
    tab.get_by_label("Cosine threshold").fill("80")
    wait_for_workers(tab, 2)  # the move is under way: another was started for it
    found(tab)
    expect(tab.locator(".meaning-start")).to_have_count(0)
    assert len(model_workers(tab)) == 1


def test_result_by_meaning_stays_when_the_checker_ends(tab: Page) -> None:
    give_both(tab, ALIKE)
    open_meaning(tab)
    start(tab)
    found(tab)
    lead = tab.locator(".meaning-lead").text_content() or ""
    (python, *_) = tab.workers
    python.evaluate("() => self.close()")
    expect(tab.locator(".notice")).to_have_text(LOADED_AGAIN, timeout=READY_MS)
    expect(tab.locator(".meaning-lead")).to_have_text(lead)
    start(tab)
    expect(tab.locator(".meaning-start")).to_have_count(0, timeout=READY_MS)
    expect(tab.locator(".meaning-lead")).to_have_text(lead)


MODEL = "**/model_quantized.onnx"


class Cut:
    """A route's handler that spoils the first answers for the model and then lets them pass."""

    def __init__(self, kind: str, times: int) -> None:
        self.kind, self.left, self.seen = kind, times, 0

    def __call__(self, route: Route) -> None:
        self.seen += 1
        if not self.left:
            route.continue_()
            return
        self.left -= 1
        path = DIST / route.request.url.split("/", 3)[3]
        data = path.read_bytes()
        match self.kind:
            case "down":
                route.abort("connectionrefused")
            case "missing":
                route.fulfill(status=404, body="not here")
            case "truncated":
                route.fulfill(body=data[: len(data) // 2])
            case _:
                route.fulfill(body=bytes([data[0] ^ 1]) + data[1:])


@pytest.fixture
def without_workers(chromium: Browser, site: str) -> Iterator[Page]:
    """A tab without a service worker, so that every request of its own can be answered here."""
    context = chromium.new_context(accept_downloads=True, service_workers="block")
    page = context.new_page()
    faults: list[str] = []
    page.on("pageerror", lambda error: faults.append(str(error)))
    page.goto(site)
    settle(page)
    yield page
    assert faults == []
    context.close()


@pytest.mark.parametrize(
    ("kind", "times", "words"),
    [
        ("down", 1, "could not be fetched; is the server still running?"),
        ("missing", 1, "the server answered 404"),
        ("truncated", 2, "bytes came, twice; try again later"),
        ("damaged", 2, "is not the file this build was made with"),
    ],
)
def test_model_that_does_not_come_is_refused_with_words_and_asked_for_again(
    without_workers: Page, kind: str, times: int, words: str
) -> None:
    tab, cut = without_workers, Cut(kind, times)
    tab.route(MODEL, cut)
    give_both(tab, ALIKE)
    open_meaning(tab)
    start(tab)
    alert = tab.locator(".meaning-start [role=alert]")
    expect(alert).to_contain_text(words, timeout=READY_MS)
    expect(alert).to_contain_text("model_quantized.onnx")
    assert cut.seen == times
    start(tab)
    found(tab)
    check_files(tab)


def test_damaged_once_is_mended_without_a_word(without_workers: Page) -> None:
    tab, cut = without_workers, Cut("damaged", 1)
    tab.route(MODEL, cut)
    give_both(tab, ALIKE)
    open_meaning(tab)
    start(tab)
    found(tab)
    assert cut.seen == 2


def test_download_that_stops_half_way_is_said_and_one_that_hangs_can_be_cancelled(
    chromium: Browser,
) -> None:
    ensure_dist()
    go_on = threading.Event()
    context = chromium.new_context(service_workers="block")
    tab = context.new_page()
    with Host(DIST) as host:
        tab.goto(host.url)
        settle(tab)
        give_both(tab, ALIKE)
        open_meaning(tab)
        host.halved["model_quantized.onnx"] = None
        start(tab)
        alert = tab.locator(".meaning-start [role=alert]")
        expect(alert).to_contain_text("stopped coming after", timeout=READY_MS)
        expect(alert).to_contain_text("try again")
        host.halved["model_quantized.onnx"] = go_on
        start(tab)
        expect(tab.locator(".meaning-progress")).to_contain_text("Fetching the model")
        tab.get_by_role("button", name="Cancel").click()
        expect(tab.locator(".meaning-start")).to_contain_text("nothing half done was kept")
        host.halved.clear()
        start(tab)  # while the host still holds the other half of the second answer back
        found(tab)
        check_files(tab)
        go_on.set()
    context.close()


# ------------------------------------------------------------------ storage


BLOCKED = """() => {
  const no = () => { throw new DOMException('blocked', 'SecurityError') }
  for (const name of ['localStorage', 'sessionStorage', 'indexedDB', 'caches']) {
    Object.defineProperty(window, name, { get: no })
  }
  ServiceWorkerContainer.prototype.register = async () => no()
}"""
FULL = """() => {
  const full = () => { throw new DOMException('full', 'QuotaExceededError') }
  Storage.prototype.setItem = full
  CacheStorage.prototype.open = async () => full()
  Cache.prototype.put = async () => full()
}"""


@pytest.mark.parametrize(
    ("script", "words"), [(BLOCKED, "Not kept by this browser"), (FULL, "did not keep")]
)
def test_page_works_where_storage_is_blocked_or_full(
    page: Page, site: str, script: str, words: str
) -> None:
    faults: list[str] = []
    page.on("pageerror", lambda error: faults.append(str(error)))
    page.add_init_script(f"({script})()")
    page.goto(site)
    settle(page)
    give_both(page)
    mark(page, 0, "4")
    expect(page.locator(".tally")).to_contain_text("marks last until the tab closes")
    expect(page.locator(".saved-line")).to_contain_text(words)
    expect(page.locator(".strip")).to_contain_text("Ready")
    page.locator("#tab-ngrams").click()
    check_live(page)
    open_meaning(page)
    start(page)
    found(page)
    assert faults == []


def test_storage_that_is_blocked_after_a_visit_does_not_stop_the_next(
    context: BrowserContext, site: str
) -> None:
    """The service worker is there already, and can open no cache any more."""
    first = context.new_page()
    first.goto(site)
    settle(first)
    expect(first.locator(".saved-line")).to_contain_text("Offline ready", timeout=READY_MS)
    (worker,) = context.service_workers
    worker.evaluate(FULL.replace("Storage.prototype.setItem = full", ""))
    page = context.new_page()
    page.add_init_script(f"({FULL})()")
    page.goto(site)
    settle(page)
    give_both(page)
    check_live(page)


# ------------------------------------------------------------------ other tabs, reloads, builds


def mark(page: Page, row: int, key: str) -> None:
    """Give a row of the overview, where all marks are told, a mark by its key."""
    settle(page)  # no row can be opened before
    page.locator("#tab-overview").click()
    opener = page.locator(".tabpanel tbody .opener").nth(row)
    opener.click()
    expect(page.locator(".pair").first).to_contain_text(opener.locator("bdi").inner_text())
    page.keyboard.press(key)


def test_two_tabs_share_marks_and_neither_writes_over_the_other(
    context: BrowserContext, site: str
) -> None:
    tabs = [context.new_page() for _ in range(2)]
    for tab in tabs:
        tab.goto(site)
        settle(tab)
        give_both(tab, SHARED)
    one, other = tabs
    mark(one, 0, "1")
    other.locator("#tab-overview").click()
    expect(other.locator(".tally")).to_contain_text("1 leak")
    mark(other, 1, "4")
    for tab in tabs:
        expect(tab.locator(".tally")).to_contain_text("1 leak")
        expect(tab.locator(".tally")).to_contain_text("1 fine")
    other.close()
    one.reload()
    settle(one)
    give_both(one, SHARED)
    one.locator("#tab-overview").click()
    expect(one.locator(".tally")).to_contain_text("1 leak")
    expect(one.locator(".tally")).to_contain_text("1 fine")


def test_reload_in_the_middle_of_a_run_begins_afresh_and_keeps_marks(tab: Page) -> None:
    give_both(tab)
    mark(tab, 0, "1")
    large = [f"{RUN} {at} " * 8 for at in range(6_000)]
    give(tab, "train", "large.jsonl", jsonl(large))
    tab.get_by_role("button", name="Stop").wait_for()
    tab.reload()
    settle(tab)
    expect(tab.locator(".answer h1")).to_contain_text("66.7%")
    give_both(tab)
    check_live(tab)
    tab.locator("#tab-overview").click()
    expect(tab.locator(".tally")).to_contain_text("1 leak")


def test_new_build_in_the_middle_of_a_run_waits_and_mixes_nothing(
    context: BrowserContext, tmp_path: Path
) -> None:
    folder, second = copy_build(tmp_path / "site"), tmp_path / "second"
    change_build(second, "Second build")
    with Host(folder) as host:
        busy = context.new_page()
        loads: list[str] = []
        busy.on("load", lambda page: loads.append(page.url))
        busy.goto(host.url)
        settle(busy)
        expect(busy.locator(".saved-line")).to_contain_text("Offline ready", timeout=READY_MS)
        give_both(busy)
        shutil.copytree(second, folder, dirs_exist_ok=True)
        other = context.new_page()
        other.goto(host.url)
        settle(other)
        expect(busy.locator(".saved-line")).to_contain_text("newer version", timeout=READY_MS)
        python_worker(busy).evaluate(BLOCK)
        busy.wait_for_timeout(300)  # it blocks a moment later
        busy.get_by_role("button", name="n = 8").click()
        expect(busy.locator(".strip[data-busy]")).to_have_count(1)
        with other.expect_navigation():
            other.get_by_role("button", name="New version ready").click()
        settle(other)
        titles = other.get_by_label("Open an example").locator("option").all_inner_texts()
        assert "Second build" in titles
        line = busy.locator(".saved-line")
        expect(line).to_contain_text("Another tab changed to a newer version. Reload this one")
        expect(busy.locator(".stamp")).to_contain_text("n 8", timeout=READY_MS)
        check_live(busy)
        check_files(busy)
        open_meaning(busy)
        start(busy)  # its model is the same in both builds, and its hash is looked at
        found(busy)
        assert len(loads) == 1, "it did not reload by itself"


# ------------------------------------------------------------------ files on the disk


WAIT = """() => {
  const read = Blob.prototype.arrayBuffer
  Blob.prototype.arrayBuffer = async function () {
    if (this instanceof File) await new Promise((resolve) => { window.readNow = resolve })
    return read.call(this)
  }
}"""


@pytest.mark.parametrize("change", ["changed", "deleted"])
def test_file_that_is_gone_before_it_is_read_is_named(
    page: Page, site: str, tmp_path: Path, change: str
) -> None:
    faults: list[str] = []
    page.on("pageerror", lambda error: faults.append(str(error)))
    page.goto(site)
    settle(page)
    give_both(page)
    page.evaluate(WAIT)
    path = tmp_path / "other.jsonl"
    path.write_bytes(jsonl(["one"]))
    page.locator("input[data-input=train]").set_input_files(path)
    page.wait_for_function("() => window.readNow")
    if change == "deleted":
        path.unlink()
    else:
        path.write_bytes(jsonl(["one", "two"]) * 50)
        os.utime(path, (1, 1))
    page.evaluate("() => window.readNow()")
    card = page.locator(".slot[data-side=train]")
    expect(card.get_by_role("alert")).to_contain_text("other.jsonl: the browser could not read")
    expect(card.get_by_role("alert")).to_contain_text("Choose it again")
    expect(page.locator(".answer h1")).to_contain_text("1 of 1")
    expect(page.locator(".eyebrow .tag[data-tone=stale]")).to_have_count(1)
    assert faults == []


def test_file_that_changes_after_it_was_read_changes_nothing(tab: Page, tmp_path: Path) -> None:
    give_both(tab)
    path = tmp_path / "mine.train.jsonl"
    path.write_bytes(jsonl([f"{RUN} n"]))
    tab.locator("input[data-input=train]").set_input_files(path)
    check_live(tab)
    path.write_bytes(b"{ not the file that was chosen")
    card = tab.locator(".slot[data-side=train]")
    card.get_by_text("How it is read").click()
    card.get_by_label("Format").select_option("jsonl")  # read again, from the bytes kept
    check_live(tab)
    python_worker(tab).evaluate("() => self.close()")  # and again, into another worker
    expect(tab.locator(".notice")).to_have_text(LOADED_AGAIN, timeout=READY_MS)
    check_live(tab)
