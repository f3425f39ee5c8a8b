"""The hostile texts of hostile/payloads.json in the page: nothing in them runs, reaches out or
moves the layout, and downloads hold them as they are. `test_hostile_text.py` has the core's.
"""

import csv
import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from hostile_payloads import Payload, load_payloads
from hosts import READY_MS
from tabs import open_row, settle
from test_hostile_text import as_csv_holds, jsonl, read_csv
from test_page import download, give

pytestmark = pytest.mark.browser

PAYLOADS = load_payloads()
SHORT = [payload for payload in PAYLOADS if not payload.is_long]
LONG = [payload for payload in PAYLOADS if payload.is_long]
WORDS = "one two three four five six seven eight nine ten eleven twelve thirteen fourteen"
WIDTHS = (390, 1440)
RECORD = """() => {
  window.broke = []
  const note = (what) => window.broke.push(what)
  addEventListener('securitypolicyviolation', (event) => note(`policy: ${event.blockedURI}`))
  Object.defineProperty(globalThis, 'hostile', { set: (value) => note(`ran: ${value}`) })
  for (const name of ['alert', 'confirm', 'prompt', 'print', 'open']) {
    window[name] = () => note(name)
  }
}"""


class Watched:
    """A tab that writes down whatever a hostile text could do in it."""

    def __init__(self, context: BrowserContext, site: str) -> None:
        self.outside: list[str] = []
        self.wide: list[str] = []
        context.add_init_script(f"({RECORD})()")
        context.on("request", lambda request: self._note(request.url, site))
        context.on("page", lambda page: self.outside.append(f"opened {page.url}"))
        self.page = context.new_page()
        self.outside.clear()
        self.page.on("dialog", lambda dialog: self.outside.append(f"dialog {dialog.message}"))
        self.page.on("pageerror", lambda error: self.outside.append(f"error {error}"))
        self.page.goto(site)
        settle(self.page)
        self.title = self.page.title()

    def _note(self, url: str, site: str) -> None:
        if not url.startswith((site, "blob:", "data:image/")):
            self.outside.append(url)

    def look(self, place: str) -> None:
        """Note where the page is wider than the window, in every width."""
        for width in WIDTHS:
            self.page.set_viewport_size({"width": width, "height": 900})
            found = self.page.evaluate("() => document.documentElement.scrollWidth")
            if found > width:
                self.wide.append(f"{place}: {found} in {width}")

    def check(self) -> None:
        """Nothing ran, nothing was asked for, nothing was too wide, nothing was renamed."""
        assert self.page.evaluate("() => window.broke") == []
        assert self.outside == []
        assert self.wide == []
        assert self.page.title() == self.title
        odd = (
            "script:not([src]), iframe, object, embed, base, form, link[rel=import], img, video"
        )
        assert self.page.locator(odd).count() == 0


@pytest.fixture(scope="module")
def shared(chromium: Browser, site: str) -> Iterator[Watched]:
    context = chromium.new_context(accept_downloads=True)
    yield Watched(context, site)
    context.close()


@pytest.fixture
def watched(shared: Watched) -> Iterator[Watched]:
    """The shared tab; whatever a test shows in it, the recorder stays empty."""
    shared.page.bring_to_front()  # a tab behind another may draw no frames
    shared.page.set_viewport_size({"width": 1440, "height": 900})
    yield shared
    shared.check()


def rows_of(payloads: Sequence[Payload]) -> list[dict[str, str]]:
    """A row each: the payload as its id, and before some words of its own as its text."""
    return [
        {"id": one.text, "text": f"{one.text} {WORDS} w{at}"} for at, one in enumerate(payloads)
    ]


def open_tab(page: Page, name: str) -> None:
    page.locator(f"#tab-{name}").click()
    expect(page.locator(f"#tab-{name}")).to_have_attribute("aria-selected", "true")


def finish(page: Page) -> None:
    """Wait until all checks of the files in the slots are done."""
    for side in ("test", "train"):
        card = page.locator(f".slot[data-side={side}]")
        expect(card).to_have_attribute("data-status", "ready", timeout=READY_MS)
    settle(page)
    open_tab(page, "ngrams")  # the meaning tab of the test before has nothing of these files
    expect(page.locator(".exports [aria-disabled=true]")).to_have_count(0, timeout=READY_MS)


def read_report(data: bytes, rung: str) -> list[dict[str, Any]]:
    report: dict[str, Any] = json.loads(data)
    rows: list[dict[str, Any]] = report["findings" if rung == "rows" else "rows"]
    return rows


def in_panes(page: Page, title: str) -> str:
    paragraphs = page.get_by_role("region", name=f"{title} text").locator(".text")
    return "".join(paragraphs.all_text_contents())  # those out of sight are not laid out


def turn_page(page: Page, way: str) -> bool:
    """Go one page Earlier or Later, and wait until it shows; false where there is none."""
    pager = page.locator(".pager")
    turner = pager.get_by_role("button", name=way)
    if turner.count() == 0 or turner.get_attribute("aria-disabled") == "true":
        return False
    told = pager.text_content() or ""  # as to_have_text reads it; inner_text has line breaks
    turner.click()
    expect(pager).not_to_have_text(told, timeout=READY_MS)
    return True


def turn_pages(page: Page) -> Iterator[int]:
    """Show the open table page after page, to the last; yield how many rows each has."""
    openers = page.locator(".tabpanel tbody .opener")
    expect(openers.first).to_be_visible(timeout=READY_MS)
    while turn_page(page, "Earlier"):
        pass
    yield openers.count()
    while turn_page(page, "Later"):
        yield openers.count()


def test_cells_and_ids_are_text_in_every_view_and_download(watched: Watched) -> None:
    page, rows = watched.page, rows_of(SHORT)
    csv.field_size_limit(1 << 30)
    for side in ("test", "train"):
        give(page, side, f"{side}.jsonl", jsonl(rows))
    finish(page)
    watched.look("files")
    for name in ("overview", "rows", "ngrams", "rules", "train"):
        open_tab(page, name)
        for rows_here in turn_pages(page):
            watched.look(f"{name}, {rows_here} rows")
    open_tab(page, "ngrams")
    openers = page.locator(".tabpanel tbody .opener")
    seen = 0
    for rows_here in turn_pages(page):
        for at in range(0, rows_here, 15):
            open_row(openers.nth(at))
            watched.look(f"pair {seen + at}")
        seen += rows_here
    assert seen == len(SHORT)
    texts = [row["text"] for row in rows]
    labels = [row["id"] for row in rows]
    for name in ("rows", "ngrams", "rules"):
        open_tab(page, name)
        found = read_report(download(page, "Download JSON"), name)
        table = read_csv(download(page, "Download CSV"))
        if name == "rows":
            found = [one for one in found if one["match"] == "exact"]
            table = [one for one in table if one["match"] == "exact"]
        else:
            assert [one["label"] for one in found] == labels
            assert [one["label"] for one in table] == list(map(as_csv_holds, labels))
        if name != "rules":
            assert [one["text"] for one in found] == texts
            assert [one["text"] for one in table] == list(map(as_csv_holds, texts))


def test_notes_are_text_here_and_in_the_report(watched: Watched, tmp_path: Path) -> None:
    page = watched.page
    open_tab(page, "ngrams")
    note = " ".join(one.text for one in SHORT if one.kind in {"script", "handler", "svg"})
    open_row(page.locator(".tabpanel tbody .opener").first)
    page.get_by_label("Note on this row").fill(note)
    page.keyboard.press("Tab")
    watched.look("a note")
    report = tmp_path / "report.html"
    open_tab(page, "overview")
    report.write_bytes(download(page, "Download the HTML report"))
    apart = page.context.browser
    assert apart
    context = apart.new_context()
    lone = context.new_page()
    lone.add_init_script(f"({RECORD})()")
    lone.goto(report.as_uri())
    assert lone.evaluate("() => window.broke") == []
    body = lone.locator("body").inner_text()
    assert "<script>globalThis.hostile=1</script>" in body
    for width in WIDTHS:
        lone.set_viewport_size({"width": width, "height": 900})
        assert lone.evaluate("() => document.documentElement.scrollWidth") <= width
    context.close()
    page.get_by_role("button", name="Clear marks").click()


def test_rows_that_read_alike_are_text(watched: Watched) -> None:
    page = watched.page
    open_tab(page, "meaning")
    page.get_by_role("button", name="ompare meanings").click()
    page.locator(".meaning-lead").wait_for(timeout=2 * READY_MS)
    watched.look("meaning")
    report = json.loads(download(page, "Download JSON"))
    known = {row["text"] for row in rows_of(SHORT)}
    pairs = read_csv(download(page, "Download Pairs CSV"))
    assert len(pairs) == len(report["pairs"]) > 0
    assert {one["a_text"] for one in report["pairs"]} <= known
    assert {one["a_text"] for one in pairs} <= set(map(as_csv_holds, known))
    assert len(read_csv(download(page, "Download Groups CSV"))) > 0


MOST_LONG = 600_000  # Han characters that fit into the page's bound on bytes


@pytest.mark.parametrize("names", ["long-1 marks-1 marks-2", "long-2", "long-3"])
def test_long_cells_leave_the_layout_alone(watched: Watched, names: str) -> None:
    page, payloads = watched.page, [one for one in LONG if one.name in names.split()]
    rows = []
    for one in payloads:
        text = one.text if len(one.text.encode()) < 1_800_000 else one.text[:MOST_LONG]
        rows.append({"id": one.name, "text": f"{text} {WORDS}"})
    lines = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    for side in ("test", "train"):
        give(page, side, f"{side}.jsonl", lines.encode())
    finish(page)
    for name in ("rows", "rules", "overview", "ngrams"):
        open_tab(page, name)
        openers = page.locator(".tabpanel tbody .opener")
        expect(openers.nth(len(rows) - 1)).to_be_visible(timeout=READY_MS)
        for at in range(len(rows)):
            open_row(openers.nth(at))
            watched.look(f"{name} {at}")
    assert len(in_panes(page, "Test")) >= min(len(row["text"]) for row in rows) - len(WORDS)
    found = read_report(download(page, "Download JSON"), "ngrams")
    assert [one["text"] for one in found] == [row["text"] for row in rows]


def test_column_names_are_text_in_every_picker(watched: Watched) -> None:
    page = watched.page
    names = {one.text: f"{WORDS} {at}" for at, one in enumerate(SHORT)}
    for side in ("test", "train"):
        give(page, side, f"{side}.jsonl", jsonl([names, dict.fromkeys(names, "other words")]))
    finish(page)
    for side in ("test", "train"):
        card = page.locator(f".slot[data-side={side}]")
        boxes = card.get_by_role("group", name="Text fields").get_by_role("checkbox")
        assert boxes.count() == len(SHORT)
        card.get_by_text("How it is read").click()
    watched.look("field pickers")
    card = page.locator(".slot[data-side=test] .field-boxes")
    for box in card.get_by_role("checkbox", checked=True).all():
        box.uncheck()
    card.get_by_role("checkbox").nth(3).check()
    finish_one_field(page, SHORT[3].text)
    watched.look("one field chosen")
    page.get_by_label("Both splits are in one file").check()
    expect(page.get_by_label("Column", exact=True)).to_be_visible()
    watched.look("split picker")
    page.get_by_label("Both splits are in one file").uncheck()


def finish_one_field(page: Page, name: str) -> None:
    """Wait until the stamp names that field of the test file alone."""
    settle(page)
    open_tab(page, "ngrams")
    finish(page)
    report = json.loads(download(page, "Download JSON"))
    assert report["stamp"]["test"]["fields"] == [name]


DROP = """([names, text]) => {
  const transfer = new DataTransfer()
  for (const name of names) transfer.items.add(new File([text], name))
  const how = { bubbles: true, cancelable: true, dataTransfer: transfer }
  document.body.dispatchEvent(new DragEvent('drop', how))
}"""
BATCH = 20


def test_file_names_are_text_on_cards_and_in_results(watched: Watched) -> None:
    page = watched.page
    page.get_by_label("Open an example").select_option("ngrams")
    finish(page)
    wanted = [one.text for one in SHORT if one.is_utf8 and "\0" not in one.text]
    for first in range(0, len(wanted), BATCH):
        name = " ".join(wanted[first : first + BATCH]) + ".txt"
        page.evaluate(DROP, [[f"test {name}", f"train {name}"], f"{WORDS}\n"])
        shown = page.locator(".slot[data-side=train] .slot-name")
        expect(shown).to_contain_text("train ", timeout=READY_MS)
        finish(page)
        watched.look(f"names from {first}")
        open_tab(page, "ngrams")
        stamp = json.loads(download(page, "Download JSON"))["stamp"]
        as_browser_has_it = page.evaluate("(name) => new File([''], name).name", f"test {name}")
        assert stamp["test"]["name"] == as_browser_has_it
        (row,) = read_csv(download(page, "Download CSV"))
        assert json.loads(row["stamp"])["test"]["name"] == as_browser_has_it
    broken = " ".join(wanted[:BATCH])
    page.evaluate(DROP, [[f"{broken}.jsonl"], "{"])
    expect(page.locator(".slot [role=alert]").first).to_be_visible()
    watched.look("an error with a name")


def test_link_fragments_are_text(watched: Watched, site: str) -> None:
    page = watched.page
    page.get_by_label("Open an example").select_option("ngrams")
    finish(page)
    fragments = []
    for one in SHORT:
        text = one.text if one.is_utf8 else as_csv_holds(one.text)
        safe = quote(text)
        fragments += [
            text,
            f"v={safe}&example={safe}",
            f"v=1&example=ngrams&n={safe}&rung={safe}&{safe}=1",
            f"v=1&example=ngrams&fields={safe}",
            f"v=1&rows={safe}",
        ]
    for at in range(0, len(fragments), 5 * BATCH):
        part = fragments[at : at + 5 * BATCH]
        page.evaluate(
            """async (fragments) => {
              for (const fragment of fragments) {
                location.hash = `#${fragment}`
                await new Promise((resolve) => setTimeout(resolve, 5))
              }
            }""",
            part,
        )
        watched.look(f"fragments from {at}")
    page.goto(f"{site}#v=7&example={quote(SHORT[0].text)}")
    expect(page.locator(".notice")).to_contain_text(SHORT[0].text)
    watched.look("a notice")
