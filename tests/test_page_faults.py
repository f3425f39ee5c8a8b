"""What goes wrong around the page: workers that die, downloads that stop, storage that is blocked,
other tabs, reloads, files that change on disk. Each time words say so, and nothing is lost.
"""

import json
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, Locator, Page, Route, Worker, expect

from hosts import READY_MS, Host, change_build
from leakladder_dev.dist import ensure_dist
from leakladder_dev.steps import DIST
from tabs import settle
from test_page import BLOCK, download, give, jsonl

pytestmark = pytest.mark.browser

RUN = "a b c d e f g h i j k l m"
DIED = "The checker ended unexpectedly"
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


def give_both(page: Page, test: list[str] | None = None) -> None:
    """Give two files with one shared run; the tab N-grams is open afterwards."""
    give(page, "test", "mine.test.jsonl", jsonl(test or [RUN, "something else altogether"]))
    give(page, "train", "mine.train.jsonl", jsonl([f"{RUN} n"]))
    page.locator("#tab-ngrams").click()
    expect(page.locator(".answer h1")).to_contain_text("1 of 1", timeout=READY_MS)
    settle(page)


def check_files(page: Page) -> None:
    for side in ("test", "train"):
        name = page.locator(f".slot[data-side={side}] .slot-name")
        expect(name).to_have_text(f"mine.{side}.jsonl")


def python_worker(page: Page) -> Worker:
    (worker,) = page.workers
    return worker


def check_live(page: Page) -> None:
    """The result belongs to the files above and can be downloaded: Python holds it."""
    expect(page.locator(".exports [aria-disabled=true]")).to_have_count(0, timeout=READY_MS)
    settle(page)
    expect(page.locator(".answer h1")).to_contain_text("1 of 1")
    assert json.loads(download(page, "Download JSON"))["summary"]["flagged"] == 1


# ------------------------------------------------------------------ the checker dies


def test_checker_that_ends_at_rest_is_started_again(tab: Page) -> None:
    give_both(tab)
    old = python_worker(tab)
    old.evaluate("() => self.close()")
    expect(tab.locator(".notice")).to_have_text(LOADED_AGAIN, timeout=READY_MS)
    assert python_worker(tab) is not old
    check_files(tab)
    check_live(tab)


def test_last_result_stays_while_the_checker_starts_again(tab: Page) -> None:
    give_both(tab)
    tab.evaluate("""() => {
      window.heads = new Set()
      const look = () => window.heads.add(document.querySelector('.answer h1').textContent)
      new MutationObserver(look).observe(document.body, { subtree: true, childList: true })
    }""")
    python_worker(tab).evaluate("() => self.close()")
    expect(tab.locator(".notice")).to_have_text(LOADED_AGAIN, timeout=READY_MS)
    check_live(tab)
    heads = tab.evaluate("() => [...window.heads]")
    assert heads
    assert all("1 of 1" in head for head in heads), heads


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

