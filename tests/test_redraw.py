"""What changes on the page is drawn again, and what does not stays the very same element."""

import pytest
from playwright.sync_api import Page, expect

from tabs import settle
from test_page import give, jsonl

pytestmark = pytest.mark.browser

SHARED = " ".join(f"word{at}" for at in range(40))
TABLE = ".table-side table.data"
REMEMBER = "rows => rows.forEach((row) => { row.before = row.textContent })"
LOOK = """rows => rows.map((row) => {
  const name = row.querySelector('bdi').textContent
  return [name, row.before !== undefined, row.before !== row.textContent]
})"""


@pytest.fixture
def tab(page: Page, site: str) -> Page:
    """The page with a test file of 30 rows, of which row r<k> shares k + 5 words."""
    page.goto(site)
    settle(page)
    words = SHARED.split()
    own = [f"own{at}" for at in range(40)]
    rows = [" ".join([*words[: at + 5], *own[at + 5 :]]) for at in range(30)]
    for side, texts in (("test", rows), ("train", [SHARED])):
        give(page, side, f"{side}.jsonl", jsonl(texts))
    page.locator("#tab-ngrams").click()
    expect(page.locator(".answer h1")).to_contain_text("22 of 30")
    settle(page)
    return page


def html(page: Page) -> str:
    """The open table as it stands."""
    return str(page.locator(TABLE).first.evaluate("table => table.outerHTML"))


def check_as_drawn_afresh(page: Page, name: str) -> None:
    """Another tab and back builds the whole panel anew; it may not come out differently."""
    settle(page)
    before = html(page)
    page.locator("#tab-meaning").click()
    page.locator(f"#tab-{name}").click()
    assert html(page) == before


def move(page: Page, label: str, value: int, told: str) -> None:
    """Move a slider and wait for its result."""
    slider = page.get_by_label(f"{label}, slider")
    slider.fill(str(value))
    expect(page.locator(".panel:not([data-stale]) .stamp")).to_contain_text(told)
    settle(page)


def test_rows_that_stay_as_they_are_keep_their_elements(tab: Page) -> None:
    rows = tab.locator(f"{TABLE} tbody tr")
    rows.evaluate_all(REMEMBER)
    move(tab, "threshold", 60, "threshold 60")
    found = rows.evaluate_all(LOOK)
    assert all(kept for _, kept, _ in found)
    # 13 to 23 words of 40 are shared by r8 to r18: a run of 13, and under 60%
    changed = {name for name, _, changed in found if changed}
    assert changed == {f"r{at}" for at in range(8, 19)}
    check_as_drawn_afresh(tab, "ngrams")


def test_every_change_reaches_the_rows(tab: Page) -> None:
    move(tab, "n", 8, "n 8")
    check_as_drawn_afresh(tab, "ngrams")
    tab.keyboard.press("j")
    tab.keyboard.press("2")  # a mark on the row that is read now
    expect(tab.locator(f"{TABLE} tbody tr[aria-current=true] .mark")).to_have_count(1)
    check_as_drawn_afresh(tab, "ngrams")
    tab.locator("#tab-rules").click()
    expect(tab.locator(f"{TABLE} tbody tr .mark").last).to_be_visible()
    check_as_drawn_afresh(tab, "rules")
    tab.locator("#tab-overview").click()
    check_as_drawn_afresh(tab, "overview")


def test_a_row_opens_by_any_of_its_cells(tab: Page) -> None:
    row = tab.locator(f"{TABLE} tbody tr").nth(4)
    row.locator("td").nth(2).click()
    expect(row).to_have_attribute("aria-current", "true")
    expect(tab.locator(f"{TABLE} tbody tr[aria-current=true]")).to_have_count(1)
