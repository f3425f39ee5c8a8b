"""The page as a product: the overview, reading and marking, acting on what was found."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, FilePayload, Locator, Page, expect

from hosts import READY_MS
from leakladder_dev.steps import DIST
from tabs import AXE, AXE_RUN, open_row, settle

pytestmark = pytest.mark.browser

LONG = (
    "seven painted wagons rolled slowly past the abandoned orchard while nobody counted the "
    "crows that circled above every broken gate"
)
FOLDED = (
    "a patient clockmaker repaired the tower bell before winter so that the village could hear "
    "noon again from across the frozen lake"
)
RUN = (
    "the northern ferry carries mail barrels and three musicians who rehearse during storms "
    "beneath a striped awning"
)
WINDOW = "thunderous waterfalls surrounding mountainous observatories frighten photographers"
OWN = (
    "gardeners planted saffron crocus bulbs beside warm chimneys hoping that early bees would "
    "discover their purple promise"
)
TEST = [
    LONG,
    FOLDED.upper() + "!",
    f"Listen: {RUN}, at least on Tuesdays.",
    f"perhaps {WINDOW} often",
    OWN,
    "two words",
    "",
]
TRAIN = [
    LONG,
    FOLDED,
    f"Elsewhere {RUN} until spring",
    f"some {WINDOW} sometimes",
    "nothing of this row stands in any other file that anybody here has ever opened before",
    f"once more {RUN} and then silence",
]
"""Caught by hand: row 1 word for word, row 2 folded, row 3 by a run of words, row 4 holds six
shared words, so only a window of 50 characters; rows 5 and 6 by nothing; row 7 is blank."""


def jsonl(texts: list[str], prefix: str) -> bytes:
    """One record a text, with an id."""
    rows = ({"id": f"{prefix}-{at}", "text": text} for at, text in enumerate(texts))
    return "".join(json.dumps(row) + "\n" for row in rows).encode()


def give(page: Page, side: str, name: str, data: bytes) -> None:
    """Put bytes into a slot by its own file chooser."""
    file: FilePayload = {"name": name, "mimeType": "application/octet-stream", "buffer": data}
    page.locator(f"input[data-input={side}]").set_input_files(file)


def give_both(page: Page, test: list[str] = TEST, train: list[str] = TRAIN) -> None:
    """Fill both slots and wait for the overview."""
    give(page, "test", "mine.test.jsonl", jsonl(test, "item"))
    give(page, "train", "mine.train.jsonl", jsonl(train, "doc"))
    expect(page.locator(".slot[data-side=train]")).to_have_attribute(
        "data-status", "ready", timeout=READY_MS
    )
    expect(page.locator(".eyebrow")).to_contain_text("mine.test.jsonl", timeout=READY_MS)
    settle(page)


def open_tab(page: Page, name: str) -> None:
    page.bring_to_front()  # a tab behind another may draw no frames, and a click waits for two
    page.locator(f"#tab-{name}").click()
    expect(page.locator(f"#panel-{name}")).to_be_visible()


def bands(page: Page) -> dict[str, str]:
    """The bands of the overview: name -> rows."""
    found = {}
    for band in page.locator(".band").all():
        name = band.get_attribute("data-band-name") or ""
        found[name] = band.locator("b").inner_text()
    return found


def rows(page: Page) -> list[str]:
    """The names of the rows in the open table."""
    return page.locator(".tabpanel tbody .opener bdi").all_inner_texts()


def tops(page: Page) -> list[float]:
    """How far below the answer's edge its buttons and the result in detail begin."""
    places = (page.locator(place) for place in (".answer", ".answer .acts", ".work"))
    edge, *rest = [
        place.evaluate("(node) => node.getBoundingClientRect().top") for place in places
    ]
    return [top - edge for top in rest]


def download(page: Page, button: Locator) -> tuple[str, bytes]:
    """Press a button and return the file's name and bytes."""
    with page.expect_download() as waiting:
        button.click()
    return waiting.value.suggested_filename, Path(waiting.value.path()).read_bytes()


@pytest.fixture(scope="module")
def faults() -> list[str]:
    """What went wrong in the shared tab."""
    return []


VIOLATIONS = """document.addEventListener('securitypolicyviolation', (event) =>
  console.error(`policy: ${event.violatedDirective} ${event.sample}`))"""


@pytest.fixture(scope="module")
def home(chromium: Browser, site: str) -> Iterator[BrowserContext]:
    """One profile whose storage the tests may fill and clear."""
    context = chromium.new_context(accept_downloads=True)
    context.grant_permissions(["clipboard-read", "clipboard-write"], origin=site.rstrip("/"))
    context.add_init_script(VIOLATIONS)
    yield context
    context.close()


@pytest.fixture(scope="module")
def shared(home: BrowserContext, site: str, faults: list[str]) -> Page:
    """One tab with Python ready."""
    page = home.new_page()
    page.on("pageerror", lambda error: faults.append(str(error)))
    page.on("console", lambda line: faults.append(line.text) if line.type == "error" else None)
    page.goto(site)
    settle(page)
    return page


@pytest.fixture
def tab(shared: Page, faults: list[str]) -> Iterator[Page]:
    """The shared tab with the two files of this module, without marks, on the overview."""
    shared.set_viewport_size({"width": 1440, "height": 900})
    shared.get_by_label("Open an example").select_option("ngrams")
    give_both(shared)
    open_tab(shared, "overview")
    if shared.get_by_role("button", name="Clear marks").count():
        shared.get_by_role("button", name="Clear marks").click()
    faults.clear()
    yield shared
    assert faults == []


# ------------------------------------------------------------------ the overview


def test_own_files_open_on_the_answer_to_all_of_it(shared: Page) -> None:
    shared.get_by_label("Open an example").select_option("rules")
    expect(shared.locator("#tab-rules")).to_have_attribute("aria-selected", "true")
    give(shared, "test", "mine.test.jsonl", jsonl(TEST, "item"))
    expect(shared.locator(".answer h1")).to_have_text("No result yet")
    before = tops(shared)
    give_both(shared)
    expect(shared.locator("#tab-overview")).to_have_attribute("aria-selected", "true")
    expect(shared.locator(".answer h1")).to_have_text(
        "4 of 7 test rows share text with the training file"
    )
    expect(shared.locator(".say")).to_contain_text(
        "1 stands in it word for word, 1 stands in it once case and punctuation are folded, "
        "1 shares a run of 13 tokens and 1 only meets a published rule"
    )
    assert tops(shared) == before, "something moved when the answer came"


def test_each_row_counts_once_and_a_band_shows_its_rows(tab: Page) -> None:
    assert bands(tab) == {
        "exact": "1",
        "normalized": "1",
        "ngrams": "1",
        "rules": "1",
        "meaning": "\u2013",
        "none": "2",
        "unjudged": "1",
        "identifier": "0",
    }
    assert rows(tab) == [f"item-{at}" for at in range(7)]
    tab.get_by_role("button", name=re.compile("^A published rule only")).click()
    expect(tab.locator(".tabpanel tbody .opener")).to_have_count(1)
    assert rows(tab) == ["item-3"]
    tab.locator(".band-chart [data-band=none]").click()
    expect(tab.locator(".tabpanel tbody .opener")).to_have_count(2)
    assert rows(tab) == ["item-4", "item-5"]
    pressed = tab.locator(".band[aria-pressed=true]")
    expect(pressed).to_have_attribute("data-band-name", "none")
    pressed.click()
    expect(tab.locator(".tabpanel tbody .opener")).to_have_count(7)


def test_pair_holds_both_texts_and_every_verdict(tab: Page) -> None:
    tab.locator(".tabpanel tbody .opener", has_text="item-2").click()
    pair = tab.locator(".tabpanel .pair")
    expect(pair.locator("h3")).to_have_text("item-2")
    assert pair.locator(".text mark").all_inner_texts() == [RUN, RUN]
    expect(pair.locator(".places")).to_contain_text("test record 3, line 3")
    expect(pair.locator(".verdicts")).to_contain_text("GPT-3 ⚑ dirty")
    pair.get_by_role("button", name="Copy numbers").click()
    copied = tab.evaluate("() => navigator.clipboard.readText()")
    assert copied == "test record 3, line 3 · training record 3, line 3"


def test_training_rows_that_hit_have_their_longest_run(tab: Page) -> None:
    open_tab(tab, "train")
    cells = [row.locator("td") for row in tab.locator(".tabpanel tbody tr").all()]
    facts = [(cell.nth(0).inner_text(), cell.nth(1).inner_text()) for cell in cells]
    runs = [(name, *fact) for name, fact in zip(rows(tab), facts, strict=True)]
    # words of each text: LONG 20, FOLDED 22, RUN 17, found in doc-2 and in doc-5 alike
    assert runs == [
        ("doc-1", "22", "normalized"),
        ("doc-0", "20", "exact"),
        ("doc-2", "17", "no"),
        ("doc-5", "17", "no"),
    ]
    tab.get_by_label("Show").select_option("all")
    expect(tab.locator(".tabpanel tbody tr")).to_have_count(6)


def test_item_is_read_as_each_side_has_it(tab: Page) -> None:
    open_tab(tab, "rows")
    tab.locator(".tabpanel tbody .opener", has_text="normalized").click()
    expect(tab.get_by_role("region", name="Test text")).to_contain_text(FOLDED.upper())
    expect(tab.get_by_role("region", name="Training text")).to_contain_text(FOLDED)
    expect(tab.get_by_role("region", name="Test text")).to_contain_text("Record 2; line 2")
    tab.keyboard.press("3")
    marked = tab.locator(".tabpanel .table-side tbody tr[aria-current=true] .mark")
    expect(marked).to_have_text("shared sentence")


# ------------------------------------------------------------------ charts


def test_charts_have_words_and_a_table_and_break_no_policy(tab: Page) -> None:
    pictures = {
        "overview": re.compile("^Exact row 1, Normalized row 1, Shared run 1"),
        "ngrams": re.compile("^3 rows hold dirty tokens; 1 more holds none"),
        "rules": re.compile("^From "),
    }
    for name, says in pictures.items():
        open_tab(tab, name)
        chart = tab.get_by_role("img", name=says)
        expect(chart.locator("svg.plot")).to_be_visible()
        assert chart.locator("style").count() == 0
        figure = tab.locator("figure.chart", has=chart)
        figure.get_by_text("The numbers").click()
        assert figure.locator("tbody tr").count() >= 6
        figure.get_by_text("The numbers").click()


def test_histogram_counts_the_rows_that_its_table_lists(tab: Page) -> None:
    open_tab(tab, "ngrams")
    figure = tab.locator("figure.chart")
    figure.get_by_text("The numbers").click()
    counts = [int(text) for text in figure.locator("tbody td").all_inner_texts()]
    figure.get_by_text("The numbers").click()
    # 20 of 20 words, 22 of 22 and 17 of 21; one checkable row is clean
    assert [counts[0], counts[-1], counts[-5], sum(counts)] == [1, 2, 1, 4]


# ------------------------------------------------------------------ marks


def test_marks_are_said_by_key_and_shown_everywhere(tab: Page) -> None:
    tab.locator(".tabpanel tbody .opener").first.focus()
    tab.keyboard.press("1")
    tab.keyboard.press("j")
    expect(tab.locator(".pair h3")).to_have_text("item-1")
    tab.keyboard.press("2")
    expect(tab.locator(".tally")).to_contain_text("Marked by you: 1 leak, 1 template.")
    tab.get_by_label("Note on this row").fill("seen in 5 places")
    expect(tab.locator(".tally")).to_contain_text("1 note")
    assert tab.locator(".tabpanel tbody .mark").all_inner_texts() == ["leak", "template"]
    open_tab(tab, "ngrams")
    assert sorted(tab.locator(".tabpanel tbody .mark").all_inner_texts()) == [
        "leak",
        "template",
    ]
    _, data = download(tab, tab.get_by_role("button", name="Download CSV"))
    lines = data.decode().split("\r\n")
    assert lines[0].split(",").count("mark") == 1
    assert "template,seen in 5 places" in data.decode()
    open_tab(tab, "overview")
    tab.locator(".tabpanel tbody .opener").nth(1).click()
    tab.get_by_role("button", name="2 template").click()
    expect(tab.locator(".tabpanel tbody .mark")).to_have_count(1)


HOLD = """() => {
  const post = Worker.prototype.postMessage
  const held = []
  Worker.prototype.postMessage = function (message, ...rest) {
    if (!message?.method?.endsWith('pair')) return post.call(this, message, ...rest)
    held.push(() => post.call(this, message, ...rest))
  }
  window.letGo = () => {
    Worker.prototype.postMessage = post
    for (const go of held) go()
  }
}"""


@pytest.mark.parametrize("name", ["overview", "rows", "ngrams", "rules"])
def test_what_is_said_goes_to_the_row_that_was_chosen(tab: Page, name: str) -> None:
    open_tab(tab, name)
    openers = tab.locator(".tabpanel tbody .opener")
    open_row(openers.nth(0))
    before = tab.locator(".panes").inner_text()
    tab.evaluate(HOLD)  # the worker has other work before it reads the next pair
    openers.nth(1).click()
    expect(tab.locator(".pair")).to_have_attribute("aria-busy", "true")
    assert tab.locator(".panes").inner_text() == before
    note = tab.get_by_label("Note on this row")
    note.press_sequentially("seen ")
    tab.evaluate("() => letGo()")
    expect(tab.locator(".pair[aria-busy]")).to_have_count(0)
    assert tab.locator(".panes").inner_text() != before
    tab.keyboard.type("late")  # the focus has stayed in the box
    expect(note).to_have_value("seen late")
    row = tab.locator(".tabpanel tbody tr:has(.opener)").nth(1)
    expect(row.locator(".note-sign")).to_have_attribute("title", "seen late")
    assert tab.locator(".note-sign").count() == 1


def test_marks_survive_a_reload_and_die_with_clear(
    home: BrowserContext, site: str, tab: Page
) -> None:
    tab.locator(".tabpanel tbody .opener").nth(2).click()
    tab.get_by_role("button", name="1 leak").click()
    stored = tab.evaluate("() => JSON.stringify({ ...localStorage })")
    assert "3" in stored
    for private in ("item", "mine", "ferry", "text", "jsonl"):
        assert private not in stored, f"{private} is in the browser's storage"
    other = home.new_page()
    other.goto(site)
    settle(other)
    give_both(other)
    expect(other.locator(".tally")).to_contain_text("1 leak")
    expect(
        other.locator(".tabpanel tbody tr", has_text="item-2").locator(".mark")
    ).to_have_text("leak")
    give(other, "train", "mine.train.jsonl", jsonl(TRAIN[:3], "doc"))
    expect(other.locator(".tally")).to_contain_text("Nothing marked yet")
    give_both(other)
    other.get_by_role("button", name="Clear marks").click()
    expect(other.locator(".tabpanel tbody .mark")).to_have_count(0)
    assert "leakladder-marks" not in other.evaluate("() => JSON.stringify({ ...localStorage })")
    other.close()
    expect(tab.locator(".tally")).to_contain_text("Nothing marked yet")  # both tabs share them


BLOCKED = """Object.defineProperty(window, 'localStorage', {
  get() { throw new DOMException('blocked', 'SecurityError') },
})"""


def test_blocked_storage_costs_nothing_but_the_memory(page: Page, site: str) -> None:
    faults: list[str] = []
    page.on("pageerror", lambda error: faults.append(str(error)))
    page.add_init_script(BLOCKED)
    page.goto(site)
    settle(page)
    give_both(page)
    page.locator(".tabpanel tbody .opener").first.focus()
    page.keyboard.press("4")
    expect(page.locator(".tally")).to_contain_text("1 fine")
    expect(page.locator(".tally")).to_contain_text("marks last until the tab closes")
    assert faults == []


# ------------------------------------------------------------------ acting on it


def open_cleaning(page: Page) -> Locator:
    page.get_by_role("button", name="Download without flagged rows").click()
    dialog = page.get_by_role("dialog", name="Download without flagged rows")
    expect(dialog.locator(".clean-lines")).to_be_visible()
    return dialog


def test_test_file_without_flagged_rows_is_the_other_lines_as_they_were(tab: Page) -> None:
    dialog = open_cleaning(tab)
    expect(dialog).to_contain_text("3 rows of 7 will be left out; 4 rows stay.")
    expect(dialog).to_contain_text("byte for byte")
    dialog.get_by_label("GPT-4, any window").check()
    expect(dialog).to_contain_text("4 rows of 7 will be left out; 3 rows stay.")
    name, data = download(tab, dialog.get_by_role("button", name="Download"))
    assert name == "mine.test.jsonl"
    lines = jsonl(TEST, "item").splitlines(keepends=True)
    assert data == b"".join(lines[4:])
    expect(tab.get_by_role("dialog")).to_have_count(0)


def test_marks_drop_rows_and_keep_them(tab: Page) -> None:
    tab.locator(".tabpanel tbody .opener").nth(0).click()
    tab.get_by_role("button", name="4 fine").click()
    tab.locator(".tabpanel tbody .opener").nth(4).click()
    tab.get_by_role("button", name="1 leak").click()
    dialog = open_cleaning(tab)
    dialog.get_by_role("group", name="and rows marked").get_by_label("leak (1)").check()
    dialog.get_by_role("group", name="but keep rows marked").get_by_label("fine (1)").check()
    expect(dialog).to_contain_text("Kept by your marks: 1 flagged row.")
    _, data = download(tab, dialog.get_by_role("button", name="Download"))
    lines = jsonl(TEST, "item").splitlines(keepends=True)
    assert data == b"".join([lines[0], lines[3], lines[5], lines[6]])


def test_training_file_without_what_hits_checks_clean(tab: Page) -> None:
    dialog = open_cleaning(tab)
    dialog.get_by_label("File").select_option("train")
    expect(dialog).to_contain_text("4 rows of 6 will be left out; 2 rows stay.")
    _, data = download(tab, dialog.get_by_role("button", name="Download"))
    lines = jsonl(TRAIN, "doc").splitlines(keepends=True)
    assert data == lines[3] + lines[4]
    give(tab, "train", "clean.train.jsonl", data)
    expect(tab.locator(".eyebrow")).to_contain_text("clean.train.jsonl")
    settle(tab)
    assert {name: bands(tab)[name] for name in ("exact", "normalized", "ngrams")} == {
        "exact": "0",
        "normalized": "0",
        "ngrams": "0",
    }


def test_rewritten_format_is_said(tab: Page) -> None:
    text = "\n".join(["id\ttext", *(f"r{at}\t{row}" for at, row in enumerate(TEST[:4]))])
    give(tab, "test", "wide.tsv", text.encode("utf-16"))
    expect(tab.locator(".eyebrow")).to_contain_text("wide.tsv", timeout=READY_MS)
    settle(tab)
    dialog = open_cleaning(tab)
    expect(dialog).to_contain_text("written anew as JSONL in UTF-8")
    dialog.get_by_role("button", name="Close").click()


def test_sentence_and_table_go_to_the_clipboard(tab: Page) -> None:
    tab.get_by_role("button", name="Copy sentence").click()
    expect(tab.locator(".notice")).to_contain_text("Copied the sentence")
    sentence = tab.evaluate("() => navigator.clipboard.readText()")
    assert "Of the 7 rows of mine.test.jsonl" in sentence
    assert "3 of 4 share a run of 13" in sentence or "3 of 4" in sentence
    tab.get_by_role("button", name="Copy Markdown table").click()
    expect(tab.locator(".notice")).to_contain_text("Copied the Markdown table")
    table = tab.evaluate("() => navigator.clipboard.readText()")
    assert table.startswith("| Check |")


def test_one_json_report_holds_every_rung(tab: Page) -> None:
    tab.locator(".tabpanel tbody .opener").nth(1).click()
    tab.get_by_role("button", name="2 template").click()
    name, data = download(tab, tab.get_by_role("button", name="Download the JSON report"))
    assert name == "leakladder-check.json"
    report = json.loads(data)
    assert report["marks"] == {"2": {"mark": "template", "note": ""}}
    assert {"rows", "ngrams", "rules", "stamp"} <= set(report)
    assert report["ngrams"]["summary"]["flagged"] == 3


def test_html_report_stands_alone(tab: Page, page: Page, tmp_path: Path) -> None:
    tab.locator(".tabpanel tbody .opener").nth(2).click()
    tab.get_by_role("button", name="3 shared sentence").click()
    name, data = download(tab, tab.get_by_role("button", name="Download the HTML report"))
    assert name == "leakladder-report.html"
    text = data.decode()
    assert "<script" not in text
    assert "http" not in re.sub(r'xmlns(:\w+)?="[^"]*"|http-equiv', "", text)
    file = tmp_path / name
    file.write_bytes(data)
    faults: list[str] = []
    page.on("console", lambda line: faults.append(line.text))
    page.goto(file.as_uri())
    expect(page.locator("h1")).to_contain_text("4 of 7 test rows")
    assert page.locator("svg.plot").count() == 3
    assert RUN in page.locator("mark").all_inner_texts()
    expect(page.get_by_text("Marked: shared sentence.")).to_be_visible()
    expect(page.locator(".stamp").first).to_contain_text("algorithm")
    assert faults == []


def test_report_without_text_holds_no_row(tab: Page) -> None:
    open_tab(tab, "ngrams")
    tab.get_by_label("with text").uncheck()
    _, data = download(tab, tab.get_by_role("button", name="Download the HTML report"))
    tab.get_by_label("with text").check()
    assert b"ferry" not in data


# ------------------------------------------------------------------ how


def test_every_how_link_leads_to_a_section_that_is_there(tab: Page) -> None:
    method = (DIST / "method.html").read_text("utf-8")
    found = set()
    for name in ("overview", "rows", "ngrams", "rules", "train"):
        open_tab(tab, name)
        found |= set(
            tab.locator("a.how").evaluate_all("all => all.map((a) => a.getAttribute('href'))")
        )
    assert len(found) >= 4
    for href in found:
        page, _, section = href.partition("#")
        assert page == "method.html"
        assert f'id="{section}"' in method, href


# ------------------------------------------------------------------ form


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_in_any_view(chromium: Browser, site: str, scheme: Any) -> None:
    context = chromium.new_context(
        bypass_csp=True, color_scheme=scheme, reduced_motion="reduce"
    )
    page = context.new_page()
    page.goto(site)
    settle(page)
    page.evaluate(AXE.read_text("utf-8"))
    found = {}
    open_tab(page, "overview")
    page.get_by_role("button", name="Clear").first.click()
    expect(page.locator(".answer h1")).to_have_text("No result yet")
    for name in ("overview", "train"):
        open_tab(page, name)
        found[f"empty {name}"] = page.evaluate(AXE_RUN)
    open_tab(page, "overview")
    give_both(page)
    for key in ("1", "2", "3", "4", "5"):
        page.locator(".tabpanel tbody .opener").nth(int(key)).click()
        page.keyboard.press(key)
    for name in ("overview", "rows", "ngrams", "rules", "train"):
        open_tab(page, name)
        for numbers in page.get_by_text("The numbers", exact=True).all():
            numbers.click()
        found[name] = page.evaluate(AXE_RUN)
    open_cleaning(page)
    found["dialog"] = page.evaluate(AXE_RUN)
    page.keyboard.press("Escape")
    give(page, "train", "broken.jsonl", b"{\n")
    expect(page.locator(".slot[data-side=train]")).to_have_attribute("data-status", "refused")
    for name in ("overview", "train"):
        open_tab(page, name)
        found[f"stale {name}"] = page.evaluate(AXE_RUN)
    page.goto(f"{site}method.html")
    page.evaluate(AXE.read_text("utf-8"))
    found["method"] = page.evaluate(AXE_RUN)
    context.close()
    assert {name: issues for name, issues in found.items() if issues} == {}


# 720 pixels are 1440 at a zoom of 200%
@pytest.mark.parametrize("width", [720, 390])
def test_nothing_scrolls_sideways(tab: Page, width: int) -> None:
    tab.set_viewport_size({"width": width, "height": 800})
    for name in ("overview", "rows", "ngrams", "rules", "train"):
        open_tab(tab, name)
        sizes = tab.evaluate(
            "() => [document.documentElement.scrollWidth, document.documentElement.clientWidth]"
        )
        assert sizes[0] <= sizes[1], name
    dialog = open_cleaning(tab)
    box = dialog.bounding_box()
    assert box is not None
    assert box["x"] >= 0
    assert box["x"] + box["width"] <= width
    tab.keyboard.press("Escape")
    expect(tab.get_by_role("dialog")).to_have_count(0)


def test_forced_colours_and_less_motion(tab: Page) -> None:
    tab.emulate_media(forced_colors="active", reduced_motion="reduce")
    swatch = tab.locator(".band .swatch").first
    assert swatch.evaluate("(node) => getComputedStyle(node).borderTopStyle") == "solid"
    assert (
        tab.locator(".btn").first.evaluate(
            "(node) => getComputedStyle(node).transitionDuration"
        )
        == "0s"
    )
    ground = tab.evaluate("() => getComputedStyle(document.body).backgroundColor")
    line = "(node) => getComputedStyle(node).borderBlockEndColor"
    for each in tab.locator("[role=tab]").all():
        chosen = each.get_attribute("aria-selected") == "true"
        assert (each.evaluate(line) != ground) == chosen
    tab.emulate_media(forced_colors="none", reduced_motion="no-preference")


def press_to(page: Page, name: str, *, most: int = 120) -> None:
    """Press Tab until the element with this accessible name has the focus."""
    for _ in range(most):
        page.keyboard.press("Tab")
        focused = page.evaluate(
            "() => document.activeElement.getAttribute('aria-label')"
            " ?? document.activeElement.innerText ?? ''"
        )
        if focused.strip().startswith(name):
            return
    raise AssertionError(f"Tab never reached {name!r}")


def test_whole_job_by_keyboard_alone(home: BrowserContext, site: str) -> None:
    page = home.new_page()
    page.goto(site)
    settle(page)
    for side, texts in (("test", TEST), ("train", TRAIN)):
        title = page.locator(f".slot[data-side={side}]")
        press_to(page, "Paste text")
        page.keyboard.press("Enter")
        page.keyboard.press("Tab")
        page.keyboard.insert_text("\n".join(text for text in texts if text))
        press_to(page, "Use this text", most=3)
        page.keyboard.press("Enter")
        expect(title).to_have_attribute("data-status", "ready")
    expect(page.locator(".answer h1")).to_contain_text("4 of 6", timeout=READY_MS)
    settle(page)
    press_to(page, "Read the pairs")
    page.keyboard.press("Enter")
    title = page.locator(".tabpanel .pair h3")
    expect(title).to_have_text("Record 1")
    page.keyboard.press("1")
    page.keyboard.press("ArrowDown")
    expect(title).to_have_text("Record 2")
    page.keyboard.press("2")
    expect(page.locator(".tally")).to_contain_text("1 leak, 1 template")
    page.keyboard.press("Shift+Tab")
    page.evaluate("() => document.querySelector('.skip').focus()")
    press_to(page, "Download without flagged rows")
    page.keyboard.press("Enter")
    expect(page.locator(".clean-lines")).to_contain_text("3 rows of 6")
    with page.expect_download() as waiting:
        press_to(page, "Download")
        page.keyboard.press("Enter")
    kept = Path(waiting.value.path()).read_text("utf-8").splitlines()
    assert kept == TEST[3:6]
    page.close()
