"""The dialog that hands over a cleaned file: what reads alike, and closing it in the middle."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Locator, Page, expect

from hosts import READY_MS
from tabs import AXE, AXE_RUN, settle
from test_meaning_page import RUN_MS, choose, move, start
from test_page import give, jsonl

pytestmark = pytest.mark.browser

# 1 to 3 are a chain, 4 and 5 a pair; of these 2 and 5 have the longest answers
TEST = [
    {"id": "r1", "text": "How can I end my subscription?", "answer": "In settings."},
    {"id": "r2", "text": "I want to end my subscription, how do I cancel it?",
     "answer": "Open settings, then plan, then cancel."},
    {"id": "r3", "text": "How do I cancel my subscription?", "answer": ""},
    {"id": "r4", "text": "Which planet is the largest in the solar system?",
     "answer": "Jupiter"},
    {"id": "r5", "text": "What is the biggest planet in our solar system?",
     "answer": "Jupiter, by far"},
    {"id": "r6", "text": "At what temperature does water boil?", "answer": "100 degrees"},
    {"id": "r7", "text": "", "answer": "none"},
]  # fmt: skip
TRAIN = ["Where do penguins live?", "At what TEMPERATURE does water boil?"]
NAME = "Download without flagged rows"


def records(rows: list[dict[str, str]]) -> bytes:
    return "".join(json.dumps(row) + "\n" for row in rows).encode()


@pytest.fixture(scope="module")
def home(chromium: Browser) -> Iterator[BrowserContext]:
    context = chromium.new_context(accept_downloads=True, bypass_csp=True)
    yield context
    context.close()


@pytest.fixture(scope="module")
def tab(home: BrowserContext, site: str) -> Iterator[Page]:
    """One tab with the model's run over the test file alone."""
    page = home.new_page()
    faults: list[str] = []
    page.on("pageerror", lambda error: faults.append(str(error)))
    page.goto(site)
    settle(page)
    give(page, "test", "alike.jsonl", records(TEST))
    settle(page)
    page.locator("#tab-meaning").click()
    compare(page, "within the test file")
    yield page
    page.close()
    assert faults == []


def compare(page: Page, mode: str) -> None:
    choose(page, mode)
    move(page, 90)
    start(page)
    page.locator(".meaning-lead").wait_for(timeout=RUN_MS)
    settle(page)


def opened(page: Page) -> Locator:
    dialog = page.get_by_role("dialog", name=NAME)
    expect(dialog.locator(".clean-lines")).to_be_visible()
    return dialog


def hand_over(page: Page, dialog: Locator) -> bytes:
    with page.expect_download() as waiting:
        dialog.get_by_role("button", name="Download", exact=True).click()
    return Path(waiting.value.path()).read_bytes()


def test_one_row_of_each_group_stays_and_a_second_run_finds_none(tab: Page) -> None:
    tab.get_by_role("button", name="Download the test file, one row a group").click()
    dialog = opened(tab)
    box = dialog.get_by_label("Groups that read alike, all but one row each (cosine 0.90")
    expect(box).to_be_checked()
    expect(dialog).to_contain_text("3 rows of 7 will be left out; 4 rows stay.")
    expect(dialog).to_contain_text(
        "Of each group the row with the fullest reference answer stays, the longest text in "
        "'answer'; of equally long ones the first."
    )
    expect(dialog.get_by_label("File").locator("option")).to_have_count(1)  # no training file
    box.uncheck()
    expect(dialog).to_contain_text("0 rows of 7 will be left out")
    box.check()
    expect(dialog).to_contain_text("3 rows of 7 will be left out")
    tab.evaluate(AXE.read_text("utf-8"))
    assert tab.evaluate(AXE_RUN) == []
    data = hand_over(tab, dialog)
    lines = records(TEST).splitlines(keepends=True)
    assert data == b"".join(lines[at] for at in (1, 4, 5, 6))
    give(tab, "test", "cleaned.jsonl", data)
    settle(tab)
    tab.locator("#tab-meaning").click()
    start(tab)
    expect(tab.locator(".meaning-lead")).to_contain_text(
        "0 of 3 rows read alike with another row at 0.90", timeout=RUN_MS
    )


def test_rows_that_read_alike_go_from_either_side(tab: Page) -> None:
    give(tab, "test", "alike.jsonl", records(TEST))
    give(tab, "train", "train.jsonl", jsonl(TRAIN))
    settle(tab)
    tab.locator("#tab-meaning").click()
    compare(tab, "test to training")
    tab.get_by_role("button", name="Download the test file without these").click()
    dialog = opened(tab)
    for label in ("Exact row", "Normalized row", "Shared run of 13 tokens"):
        dialog.get_by_label(label).uncheck()
    box = dialog.get_by_label("Reads alike with a training row (cosine 0.90 or above)")
    expect(box).to_be_checked()
    expect(dialog.get_by_label("Groups that read alike")).to_have_count(0)
    expect(dialog).to_contain_text("1 row of 7 will be left out; 6 rows stay.")
    dialog.get_by_label("File").select_option("train")
    expect(dialog.get_by_label("Reads alike with a test row (cosine 0.90")).to_be_checked()
    expect(dialog).to_contain_text("1 row of 2 will be left out; 1 row stays.")
    expect(dialog.get_by_label("Rows by reason")).to_contain_text("with a test row")
    dialog.get_by_label("File").select_option("test")
    expect(box).to_be_checked()
    expect(dialog).to_contain_text("1 row of 7 will be left out")
    data = hand_over(tab, dialog)
    lines = records(TEST).splitlines(keepends=True)
    assert data == b"".join(line for at, line in enumerate(lines) if at != 5)


def test_training_rows_near_a_row_that_is_marked_fine_stay(tab: Page) -> None:
    """As the test before leaves it: record 6 is near the second row."""
    tab.get_by_role("group", name="Your word on this row").get_by_text("fine").click()
    tab.get_by_role("button", name="Download the test file without these").click()
    dialog = opened(tab)
    for label in ("Exact row", "Normalized row", "Shared run of 13 tokens"):
        dialog.get_by_label(label).uncheck()
    dialog.get_by_label("File").select_option("train")
    expect(dialog).to_contain_text("1 row of 2 will be left out")
    dialog.get_by_role("group", name="but keep rows marked").get_by_label("fine").check()
    expect(dialog).to_contain_text("0 rows of 2 will be left out")
    dialog.get_by_role("group", name="but keep rows marked").get_by_label("fine").uncheck()
    expect(dialog).to_contain_text("1 row of 2 will be left out")
    cleaned = hand_over(tab, dialog)
    assert cleaned == jsonl(TRAIN).splitlines(keepends=True)[0]
    give(tab, "train", "cleaned.jsonl", cleaned)
    settle(tab)
    tab.locator("#tab-meaning").click()
    start(tab)
    expect(tab.locator(".meaning-lead")).to_contain_text("0 of 6", timeout=RUN_MS)
    give(tab, "train", "train.jsonl", jsonl(TRAIN))
    settle(tab)
    compare(tab, "test to training")


def test_what_reads_alike_is_offered_only_for_the_files_that_are_there(tab: Page) -> None:
    tab.locator("#tab-overview").click()
    tab.get_by_role("button", name=NAME).click()
    dialog = opened(tab)
    expect(dialog.get_by_label("Reads alike with a training row")).not_to_be_checked()
    tab.keyboard.press("Escape")
    give(tab, "train", "other.jsonl", jsonl(["Something else."]))
    settle(tab)
    tab.get_by_role("button", name=NAME).click()
    expect(opened(tab).get_by_label("Reads alike")).to_have_count(0)
    tab.keyboard.press("Escape")


# ---- closed in the middle ----

LISTEN = """
window.wire = []
const post = Worker.prototype.postMessage
const known = new WeakSet()
Worker.prototype.postMessage = function (message, ...rest) {
  if (!known.has(this)) {
    known.add(this)
    this.addEventListener('message', ({ data }) => {
      if (data && 'id' in data && !data.progress) {
        window.wire.push({ id: data.id, ended: data.error ? data.error.code : 'result' })
      }
    })
  }
  if (message.method === 'clean') window.wire.push({ id: message.id, began: 'clean' })
  if ('cancel' in message) window.wire.push({ id: message.cancel, asked: 'stop' })
  return post.call(this, message, ...rest)
}
"""


@pytest.fixture(scope="module")
def busy(home: BrowserContext, site: str) -> Iterator[Page]:
    """A tab with files over which a clean of the training side takes a while."""
    page = home.new_page()
    page.add_init_script(LISTEN)
    page.goto(site)
    settle(page)
    words = [f"word{at % 911} other{at % 677} third{at % 53}" for at in range(60_000)]
    rows = [" ".join(words[at : at + 20]) for at in range(0, 60_000, 20)]
    give(page, "test", "big.test.jsonl", jsonl(rows[:2_600]))
    give(page, "train", "big.train.jsonl", jsonl(rows[400:]))
    rules = page.locator(".ladder-list li").filter(has_text="published rule")
    expect(rules).to_contain_text("of 2,600", timeout=READY_MS)
    settle(page)
    yield page
    page.close()


def wire(page: Page) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = page.evaluate("() => window.wire")
    return found


def begin(page: Page) -> int:
    """Open the dialog, ask for the slowest rule on the training side; the id of that call."""
    page.get_by_role("button", name=NAME).click()
    dialog = opened(page)
    dialog.get_by_label("File").select_option("train")
    expect(dialog.locator(".clean-lines")).to_be_visible(timeout=READY_MS)
    dialog.get_by_label("GPT-4, any window").check()
    expect(dialog.locator(".clean-report")).to_have_text("Counting the rows that go")
    began: list[int] = [line["id"] for line in wire(page) if line.get("began")]
    return began[-1]


@pytest.mark.parametrize("way", ["Escape", "Close"])
def test_closing_stops_the_clean_and_it_can_be_opened_again(busy: Page, way: str) -> None:
    number = begin(busy)
    if way == "Escape":
        busy.keyboard.press("Escape")
    else:
        busy.get_by_role("dialog").get_by_role("button", name="Close").click()
    expect(busy.get_by_role("dialog")).to_have_count(0)
    ended = f"() => window.wire.some((line) => line.id === {number} && line.ended)"
    busy.wait_for_function(ended, timeout=READY_MS)
    assert [line for line in wire(busy) if line["id"] == number] == [
        {"id": number, "began": "clean"},
        {"id": number, "asked": "stop"},
        {"id": number, "ended": "cancelled"},
    ]
    expect(busy.locator(".notice")).to_have_count(0)
    busy.get_by_role("button", name=NAME).click()
    dialog = opened(busy)
    expect(dialog).to_contain_text("rows of 2,600 will be left out")
    busy.keyboard.press("Escape")


def test_another_choice_stops_the_count_before_it(busy: Page) -> None:
    number = begin(busy)
    dialog = busy.get_by_role("dialog")
    dialog.get_by_label("GPT-4, any window").uncheck()
    expect(dialog.locator(".clean-lines")).to_be_visible(timeout=READY_MS)
    lines = [line for line in wire(busy) if line["id"] == number]
    assert lines[1:] == [{"id": number, "asked": "stop"}, {"id": number, "ended": "cancelled"}]
    expect(dialog.locator(".clean-by")).not_to_contain_text("GPT-4")
    busy.keyboard.press("Escape")
