"""The form of the page: nothing moves by itself, the focus is never lost, every state fits.

What moves is measured by the browser (layout-shift entries without recent input) and by where
the large parts stand before and after.
"""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from hosts import READY_MS
from tabs import AXE, AXE_RUN, settle
from test_product import TEST, TRAIN, download, give, give_both, jsonl, open_tab

pytestmark = pytest.mark.browser

SIZES = {1440: 900, 1024: 768, 390: 844}
SHIFTS = """window.shifts = []
new PerformanceObserver((list) => {
  for (const { value, hadRecentInput, sources } of list.getEntries()) {
    const moved = sources.map(({ node, previousRect, currentRect }) =>
      `${node?.nodeName} ${node?.className} ${previousRect.top} to ${currentRect.top}`)
    if (!hadRecentInput) window.shifts.push([value, moved])
  }
}).observe({ type: 'layout-shift', buffered: true })"""
PARTS = (
    ".files", ".strip", ".answer", ".acts", ".ladder", ".tabs", ".bands", ".band-buttons",
    ".split", ".data.overview", ".work .stamp",
)  # fmt: skip
SPLITS = [("test", "a row"), ("train", "a row"), ("train", "another one"), ("test", "last")]
UNLIKE = "of this sentence no part stands in any other file that was ever given to this page"


TOUCHING = """() => {
  const words = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
  const line = (node) => {
    let up = node.parentElement
    while (getComputedStyle(up).display === 'inline') up = up.parentElement
    return up
  }
  const found = []
  let last = null
  for (let node = words.nextNode(); node; node = words.nextNode()) {
    if (!node.data || node.parentElement.closest('svg, mark, script, style')) continue
    if (!node.parentElement.checkVisibility()) continue
    const near = last && last.parentElement !== node.parentElement && line(last) === line(node)
    if (near && /\\w$/.test(last.data) && /^\\w/.test(node.data))
      found.push(`${last.data.slice(-30)}|${node.data.slice(0, 30)}`)
    last = node
  }
  return found
}"""


@pytest.fixture(scope="module")
def shared(chromium: Browser, site: str) -> Iterator[Page]:
    """One tab with Python ready."""
    context = chromium.new_context(
        accept_downloads=True, bypass_csp=True, reduced_motion="reduce"
    )
    context.add_init_script(SHIFTS)
    page = context.new_page()
    faults: list[str] = []
    page.on("pageerror", lambda error: faults.append(str(error)))
    page.goto(site)
    settle(page)
    page.evaluate(AXE.read_text("utf-8"))
    yield page
    context.close()
    assert faults == []


@pytest.fixture
def tab(shared: Page) -> Page:
    """The tab with both slots empty and no result."""
    shared.set_viewport_size({"width": 1440, "height": 900})
    shared.emulate_media(color_scheme="light")
    one = shared.get_by_label("Both splits are in one file")
    if one.is_checked():
        one.uncheck()
    shared.get_by_label("Open an example").select_option("rows")
    expect(shared.locator("#tab-rows")).to_have_attribute("aria-selected", "true")
    shared.get_by_role("button", name="Clear the test file").click()
    expect(shared.locator(".answer h1")).to_have_text("No result yet")
    return shared


def read(page: Page, side: str, name: str, data: bytes, status: str = "ready") -> None:
    """Give a file and wait until its slot says what came of it."""
    give(page, side, name, data)
    slot = page.locator(f".slot[data-side={side}]")
    expect(slot).to_have_attribute("data-status", status, timeout=READY_MS)


# ------------------------------------------------------------------ nothing moves


def tops(page: Page) -> dict[str, float]:
    """Where the large parts of the page begin, from its upper edge."""
    place = "(node) => node.getBoundingClientRect().top + window.scrollY"
    return {part: page.locator(part).first.evaluate(place) for part in PARTS}


@pytest.mark.parametrize("seen", [".bar", ".work"])
@pytest.mark.parametrize("width", SIZES)
def test_nothing_moves_when_a_file_is_read_and_its_results_come(
    tab: Page, width: int, seen: str
) -> None:
    tab.set_viewport_size({"width": width, "height": SIZES[width]})
    read(tab, "test", "mine.test.jsonl", jsonl(TEST, "item"))
    tab.locator(seen).evaluate("(node) => node.scrollIntoView({ block: 'start' })")
    tab.wait_for_timeout(700)  # what comes within half a second of a press counts as its own
    tab.evaluate("() => { window.shifts = [] }")
    before = tops(tab)
    read(tab, "train", "mine.train.jsonl", jsonl(TRAIN, "doc"))
    expect(tab.locator(".answer h1")).to_contain_text("4 of 7", timeout=READY_MS)
    settle(tab)
    tab.wait_for_timeout(200)
    moved = {part: top - before[part] for part, top in tops(tab).items()}
    assert {part: by for part, by in moved.items() if abs(by) > 2} == {}
    shifts = tab.evaluate("() => window.shifts")
    # numbers that are written into their places move by themselves; 0.1 is what is called good
    assert sum(value for value, _ in shifts) < 0.02, shifts


# ------------------------------------------------------------------ every state


def give_result(page: Page, test: list[str], train: list[str]) -> None:
    """Fill both slots and wait for the answer."""
    give_both(page, test, train)
    expect(page.locator("[data-waiting]")).to_have_count(0, timeout=READY_MS)


def one_file(page: Page, column: str) -> None:
    """Both splits in one file, told apart by a column."""
    page.get_by_label("Both splits are in one file").check()
    rows = [json.dumps({"split": split, "text": text}) for split, text in SPLITS]
    read(page, "test", "all.jsonl", "\n".join(rows).encode())
    page.get_by_label("Column").select_option(column)


def split_found(page: Page) -> None:
    one_file(page, "split")
    expect(page.locator(".answer h1")).to_contain_text("1 of 2 test rows shares")
    settle(page)


def too_many_splits(page: Page) -> None:
    page.get_by_label("Both splits are in one file").check()
    read(page, "test", "one.jsonl", b'{"split":"test","text":"a"}\n')
    page.get_by_label("Column").select_option("split")
    expect(page.locator("[aria-label=Splits] [role=alert]")).to_contain_text("one value")


def stale(page: Page) -> None:
    give_result(page, TEST, TRAIN)
    read(page, "train", "broken.jsonl", b'{"text":"a"}\n{\n{"text":"b"}\n{,}\n', "refused")
    expect(page.locator(".eyebrow")).to_contain_text("last valid result")


def link_dialog(page: Page) -> None:
    give_result(page, TEST, TRAIN)
    page.get_by_role("button", name="Copy link").click()
    expect(page.get_by_role("dialog", name="Copy a link")).to_be_visible()


def over(page: Page) -> None:
    read(page, "test", "large.jsonl", b'{"text":"a"}\n' * 160_000, "over")
    expect(page.locator(".copyline")).to_contain_text("leakladder")


STATES: dict[str, Callable[[Page], None]] = {
    "empty": lambda _: None,
    "one file in": lambda page: read(page, "test", "t.jsonl", jsonl(TEST, "item")),
    "bad lines, last result kept": stale,
    "wrong file": lambda page: read(page, "test", "p.png", b"\x89PNG\r\n\x1a\n\0\0", "refused"),
    "over the bound": over,
    "zero found": lambda page: give_result(page, TEST[:2], [UNLIKE]),
    "nothing could be judged": lambda page: give_result(page, ["two words"], [UNLIKE]),
    "two splits": split_found,
    "one split only": too_many_splits,
    "a link to copy": link_dialog,
}


@pytest.mark.parametrize("state", STATES)
def test_every_state_fits_and_axe_finds_nothing(tab: Page, state: str) -> None:
    open_tab(tab, "overview")
    STATES[state](tab)
    found: dict[str, Any] = {}
    for scheme in ("light", "dark"):
        tab.emulate_media(color_scheme=scheme)
        tab.wait_for_timeout(400)  # the colours of an old result change a moment later
        found[scheme] = tab.evaluate(AXE_RUN)
    for width in (1440, 720, 390):  # 720 is 1440 at a zoom of 200%
        tab.set_viewport_size({"width": width, "height": 800})
        found[str(width)] = tab.evaluate(SIDEWAYS)
    tab.keyboard.press("Escape")
    assert {name: issues for name, issues in found.items() if issues} == {}


SIDEWAYS = """() => {
  const { scrollWidth, clientWidth } = document.documentElement
  return scrollWidth > clientWidth ? [`${scrollWidth} pixels wide`] : []
}"""


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_html_report_fits_and_axe_finds_nothing(
    tab: Page, chromium: Browser, tmp_path: Path, scheme: Any
) -> None:
    open_tab(tab, "overview")
    give_result(tab, TEST, TRAIN)
    _, data = download(tab, tab.get_by_role("button", name="Download the HTML report"))
    file = tmp_path / "report.html"
    file.write_bytes(data)
    context = chromium.new_context(bypass_csp=True, color_scheme=scheme)
    page = context.new_page()
    page.goto(file.as_uri())
    page.evaluate(AXE.read_text("utf-8"))
    assert page.evaluate(AXE_RUN) == []
    assert page.locator("a").count() == 0  # its method page is not with it
    expect(page.locator(".key")).to_contain_text("Meaning only not run")
    pairs = page.locator("section.pair h3").all_inner_texts()
    # worst first by shared runs, 22 of 22, 20 of 20 and 17 of 21 words; then by a rule alone
    assert pairs == ["item-1", "item-0", "item-2", "item-3"]
    for width in (1440, 390):
        page.set_viewport_size({"width": width, "height": 800})
        assert page.evaluate(SIDEWAYS) == []
    context.close()


# ------------------------------------------------------------------ what is said and offered


def test_pairs_are_offered_where_there_are_some(tab: Page) -> None:
    offer = tab.get_by_role("button", name="Read the pairs")
    open_tab(tab, "overview")
    expect(offer).to_have_attribute("aria-disabled", "true")
    give_result(tab, TEST, [UNLIKE])
    for name in ("overview", "rows", "ngrams", "rules", "train"):
        open_tab(tab, name)
        expect(offer).to_have_attribute(
            "title", "No row is flagged here, so there is no pair to read"
        )
    give_result(tab, TEST, [TEST[4], TEST[5]])  # 18 words, which all but the meaning rung find
    for name in ("rows", "ngrams", "rules", "overview"):
        open_tab(tab, name)
        expect(offer).not_to_have_attribute("aria-disabled", "true")
    open_tab(tab, "train")
    offer.click()  # no pair is read there
    expect(tab.locator("#tab-overview")).to_have_attribute("aria-selected", "true")
    expect(tab.locator("tr[aria-current=true] .opener")).to_be_focused()


def test_one_row_is_one_row(tab: Page) -> None:
    open_tab(tab, "overview")
    give_result(tab, ["two words"], [UNLIKE])
    expect(tab.locator(".answer h1")).to_have_text(
        "0 of 1 test row shares text with the training file"
    )
    expect(tab.locator(".say")).to_contain_text("could not judge 1 row under 13 tokens.")


def test_a_short_copy_is_read_beside_what_it_copies(tab: Page) -> None:
    open_tab(tab, "overview")
    give_result(tab, ["Two words!", "apart"], ["x", "two words"])
    expect(tab.locator(".tabpanel .pair .legend")).to_contain_text("once case and punctuation")
    panes = tab.locator(".tabpanel .pane-texts mark")
    assert panes.all_inner_texts() == ["Two words", "two words"]
    expect(tab.locator(".tabpanel .places")).to_contain_text("training record 2, line 2")


def test_the_focus_stays_where_the_work_is(tab: Page) -> None:
    open_tab(tab, "overview")
    give_result(tab, TEST, TRAIN)
    for name in ("Download without flagged rows", "Copy link"):
        tab.get_by_role("button", name=name).press("Enter")
        dialog = tab.get_by_role("dialog")
        expect(dialog).to_be_visible()
        assert dialog.evaluate("(node) => node.contains(document.activeElement)")
        tab.keyboard.press("Escape")
        expect(dialog).to_have_count(0)
        expect(tab.get_by_role("button", name=name)).to_be_focused()
    tab.locator(".tabpanel tbody .opener").first.press("1")
    tab.get_by_role("button", name="Clear marks").press("Enter")
    assert tab.evaluate(FOCUS) == "A in tally"  # the button went with the marks
    tab.get_by_role("button", name="Clear the training file").press("Enter")
    assert tab.evaluate(FOCUS) == "INPUT in slot"


FOCUS = """() => {
  const { activeElement: node } = document
  return `${node.tagName} in ${node.closest('.tally, .slot')?.className}`
}"""


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_stop_of_the_tab_key_shows_that_it_has_the_focus(tab: Page, scheme: Any) -> None:
    open_tab(tab, "overview")
    give_result(tab, TEST, TRAIN)
    tab.emulate_media(color_scheme=scheme)
    tab.evaluate("() => document.querySelector('.skip').focus()")
    bare, seen = [], 0
    while seen < 60:
        tab.keyboard.press("Tab")
        stop = tab.evaluate(OUTLINED)
        if stop is None:
            break
        seen += 1
        bare += [stop["name"]] if not stop["shown"] else []
    assert seen > 40
    assert bare == []


OUTLINED = """() => {
  const node = document.activeElement
  if (node === document.body) return null
  const holder = node.closest('.chip, .filebtn') ?? node  // their label has the ring
  const { outlineStyle, outlineWidth } = getComputedStyle(holder)
  const shown = outlineStyle !== 'none' && parseFloat(outlineWidth) >= 1
  return { name: node.outerHTML.slice(0, 80), shown }
}"""


def test_words_of_one_line_stand_apart(tab: Page) -> None:
    """Parts that only a margin sets apart are read out, and copied, as one word."""
    give(tab, "test", "t.jsonl", jsonl(["too short", "", "so is this"], "item"))
    give(tab, "train", "b.jsonl", jsonl(["another"], "doc"))
    rung = tab.locator(".rung[data-rung=ngram]")
    expect(rung).to_contain_text("nothing could be checked 3 not judged")
    settle(tab)
    assert tab.evaluate(TOUCHING) == []
    give_both(tab)
    settle(tab)
    for name in ("overview", "rows", "ngrams", "rules", "meaning", "train"):
        open_tab(tab, name)
        assert tab.evaluate(TOUCHING) == [], name
