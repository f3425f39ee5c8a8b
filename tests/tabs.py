"""What the tests that drive a tab share: waiting until it is at rest, and the axe checks."""

from pathlib import Path

from playwright.sync_api import Page

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
