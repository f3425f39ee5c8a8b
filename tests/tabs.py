"""What the tests that drive a tab share: waiting until it is at rest, and the axe checks."""

import time
from pathlib import Path

from playwright.sync_api import Locator, Page, expect

from hosts import READY_MS

AXE = Path(__file__).parents[1] / "node_modules" / "axe-core" / "axe.min.js"
AXE_RUN = """async () => {
  const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']
  const { violations } = await axe.run(document, { runOnly: tags })
  return violations.map(({ id, nodes }) => `${id}: ${nodes[0].html.slice(0, 200)}`)
}"""


def settle(page: Page) -> None:
    """Wait until Python runs and nothing is being computed."""
    page.locator(".strip[data-tone='ok'], .strip[data-tone='wait']").wait_for(timeout=READY_MS)
    page.locator(".strip[data-busy]").wait_for(state="detached", timeout=READY_MS)


def open_row(opener: Locator) -> None:
    """Open a row of a table, and wait until what is read is that row."""
    opener.click()
    expect(opener.locator("xpath=ancestor::tr")).to_have_attribute("aria-current", "true")
    expect(opener.page.locator(".pair[aria-busy]")).to_have_count(0, timeout=READY_MS)


def marks(page: Page, name: str) -> list[str]:
    """The details of the page's performance marks of one name, oldest first."""
    found: list[str] = page.evaluate(
        "(name) => performance.getEntriesByName(name).map((mark) => mark.detail)", name
    )
    return found


def starts(page: Page) -> list[str]:
    """How Python was started in this tab each time: "plain" or "snapshot"."""
    return marks(page, "leakladder-ready")


def wait_for_outcome(page: Page) -> list[str]:
    """Wait until the page at rest has taken the picture of Python's memory, and how it went."""
    end = time.monotonic() + READY_MS / 1000
    while not (outcome := marks(page, "leakladder-snapshot")):
        assert time.monotonic() < end, "no picture was taken"
        page.wait_for_timeout(100)
    return outcome


def wait_for_snapshot(page: Page) -> None:
    """Wait until that picture is kept by the browser."""
    assert wait_for_outcome(page) == ["kept"]
