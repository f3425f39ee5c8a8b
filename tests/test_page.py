"""The page in a real browser: what a person sees, and what leaves the tab (nothing)."""

import csv
import io
import json
import random
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import (
    Browser,
    ConsoleMessage,
    FilePayload,
    Locator,
    Page,
    Route,
    Worker,
    expect,
)

from hosts import READY_MS
from tabs import AXE, AXE_RUN, settle, wait_for_snapshot

pytestmark = pytest.mark.browser

COLUMNS = (
    "index record line label state flagged tokens dirty_tokens dirty_share best_row_share "
    "longest_span windows longest_run best_train_index best_train_label test_field test_start "
    "test_stop train_field train_start train_stop text stamp"
).split()


def give(page: Page, side: str, name: str, data: bytes) -> None:
    """Put bytes into a slot by its own file chooser."""
    file: FilePayload = {"name": name, "mimeType": "application/octet-stream", "buffer": data}
    page.locator(f"input[data-input={side}]").set_input_files(file)


def jsonl(texts: list[str]) -> bytes:
    """One record a text, with an id."""
    rows = ({"id": f"r{at}", "text": text} for at, text in enumerate(texts))
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows).encode()


def figures(page: Page) -> dict[str, str]:
    """The counts table of the answer: name -> "value, of what"."""
    rows = page.locator(".figures tr")
    found = {}
    for at in range(rows.count()):
        cells = rows.nth(at).locator("th, td").all_inner_texts()
        found[cells[0]] = f"{cells[1]}, {cells[2]}"
    return found


def table_rows(page: Page) -> list[list[str]]:
    """The cells of the open table, row by row, without the last column, which holds marks."""
    rows = page.locator("table.data tbody tr:has(.opener)")
    return [rows.nth(at).locator("th, td").all_inner_texts()[:-1] for at in range(rows.count())]


def marked(page: Page, pane: str) -> list[str]:
    """The marked stretches of a pane."""
    return page.get_by_role("region", name=f"{pane} text").locator("mark").all_inner_texts()


def download(page: Page, button: str) -> bytes:
    """Press a download button and return the file's bytes."""
    with page.expect_download() as waiting:
        page.get_by_role("button", name=button).click()
    return Path(waiting.value.path()).read_bytes()


def note_error(faults: list[str], line: ConsoleMessage) -> None:
    """Keep what the console reports as an error."""
    if line.type == "error":
        faults.append(line.text)


@pytest.fixture(scope="module")
def seen() -> dict[str, list[str]]:
    """What the shared tab has asked for, and what went wrong in it."""
    return {"requests": [], "faults": []}


@pytest.fixture(scope="module")
def shared(chromium: Browser, site: str, seen: dict[str, list[str]]) -> Iterator[Page]:
    """One tab with Python ready, for all tests that do not need a first visit."""
    context = chromium.new_context(accept_downloads=True)
    context.on("request", lambda request: seen["requests"].append(request.url))
    page = context.new_page()
    page.on("pageerror", lambda error: seen["faults"].append(str(error)))
    page.on("console", lambda line: note_error(seen["faults"], line))
    page.goto(site)
    settle(page)
    wait_for_snapshot(page)  # from here on it starts no worker by itself
    yield page
    context.close()


@pytest.fixture
def opened(shared: Page, seen: dict[str, list[str]]) -> Iterator[Page]:
    """The shared tab back at the example, with its live result; no error may come up in it."""
    shared.set_viewport_size({"width": 1440, "height": 900})
    shared.get_by_label("Open an example").select_option("ngrams")
    shared.locator("#tab-ngrams").click()  # a tab that a person chose stays open
    shared.get_by_label("with text").check()
    expect(shared.locator(".answer h1")).to_contain_text("66.7%")
    expect(shared.locator(".exports [aria-disabled=true]")).to_have_count(0, timeout=READY_MS)
    settle(shared)
    seen["requests"].clear()
    yield shared
    assert seen["faults"] == []


# ------------------------------------------------------------------ the example


def check_example(page: Page) -> None:
    heading = page.locator(".answer h1")
    expect(heading).to_contain_text("66.7%")
    expect(heading).to_contain_text("2 of 3")
    found = figures(page)
    assert found["Rows flagged"] == "66.7%, 2 of 3 checkable"
    assert found["Tokens dirty overall"] == "31.3%, 26 of 83"
    assert found["Rows under 13 tokens"] == "1, not judged"
    assert found["Rows without text"] == "0, not judged"
    rows = [
        [cell.replace("⚑ flagged, ", "").strip() for cell in row] for row in table_rows(page)
    ]
    assert [row[0].split("\n")[-1] for row in rows] == ["t1", "t2", "t4"]
    assert [row[1:] for row in rows] == [
        ["18", "72.2%", "13", "1", "b1"],
        ["40", "32.5%", "13", "1", "b2"],
        ["25", "0.0%", "0", "0", "none"],
    ]


def test_example_stands_with_its_result_before_python_is_ready(page: Page, site: str) -> None:
    page.route("**/*.wasm", lambda route: None)  # never answered: Python cannot start
    page.goto(site)
    check_example(page)
    expect(page.locator(".strip")).to_contain_text("Getting ready")
    assert page.locator(".slot .tag[data-tone=example]").count() == 2
    expect(page.locator(".eyebrow .tag[data-tone=example]")).to_have_text("example")
    assert marked(page, "Test") == [
        "The lighthouse keeper wound the brass clock every evening before the ferry crossed"
    ]
    assert marked(page, "Training") == [
        "the lighthouse keeper wound the brass clock every evening, before the ferry crossed"
    ]


def test_live_result_takes_the_stored_ones_place_without_a_shift(page: Page, site: str) -> None:
    held: list[Any] = []
    page.route("**/*.wasm", lambda route: held.append(route))
    page.goto(site)
    expect(page.locator(".answer h1")).to_contain_text("66.7%")
    names = [
        ".slot",
        ".strip",
        ".answer",
        ".answer h1",
        ".figures",
        ".work",
        ".split",
        ".stamp",
    ]
    before = {name: page.locator(name).first.bounding_box() for name in names}
    held[0].continue_()
    settle(page)
    check_example(page)
    expect(page.get_by_role("button", name="Download CSV")).not_to_have_attribute(
        "aria-disabled", "true"
    )
    assert {name: page.locator(name).first.bounding_box() for name in names} == before


def test_first_visit_asks_its_own_origin_alone(page: Page, site: str) -> None:
    asked: list[str] = []
    page.context.on("request", lambda request: asked.append(request.url))
    page.goto(site)
    settle(page)
    assert len(asked) > 5
    assert [url for url in asked if not url.startswith((site, "blob:", "data:"))] == []


def test_first_file_clears_the_example_from_both_slots_and_its_result(opened: Page) -> None:
    give(opened, "train", "mine.jsonl", jsonl(["one two three"]))
    expect(opened.locator(".slot[data-side=train] .slot-name")).to_have_text("mine.jsonl")
    expect(opened.locator(".slot[data-side=test]")).to_have_attribute("data-status", "empty")
    expect(opened.locator(".answer h1")).to_have_text("No result yet")
    assert opened.locator(".tag[data-tone=example]").count() == 0
    assert opened.get_by_text("66.7%").count() == 0


# ------------------------------------------------------------------ a person's files


def make_corpus(seed: int, rows: int, words: list[str]) -> list[str]:
    draw = random.Random(seed)
    return [" ".join(draw.choices(words, k=draw.randint(5, 120))) for _ in range(rows)]


@pytest.fixture(scope="module")
def large() -> tuple[list[str], list[str]]:
    """Two corpora of about 1.9 MB each; every 40th test row holds a copied stretch."""
    draw = random.Random(7)
    words = [
        "".join(draw.choices("abcdefghijklmnopqrstuvwxyz", k=draw.randint(3, 9)))
        for _ in range(4000)
    ]
    train, test = make_corpus(1, 4100, words), make_corpus(2, 4100, words)
    for at in range(0, len(test), 40):
        source = train[(at * 7) % len(train)].split()
        mine = test[at].split()
        test[at] = " ".join([*mine[:10], *source[:25], *mine[10:]])
    return test, train


def flagged_by_hand(test: list[str], train: list[str], n: int) -> tuple[int, int]:
    """Count rows that share n words in a row, and rows of n words or more, by a plain set."""
    grams = {
        tuple(row[at : at + n])
        for row in map(str.split, train)
        for at in range(len(row) - n + 1)
    }
    flagged = checkable = 0
    for row in map(str.split, test):
        checkable += len(row) >= n
        flagged += any(tuple(row[at : at + n]) in grams for at in range(len(row) - n + 1))
    return flagged, checkable


def test_two_large_files_and_no_request_once_they_are_in(
    opened: Page, seen: dict[str, list[str]], large: tuple[list[str], list[str]]
) -> None:
    test, train = (jsonl(texts) for texts in large)
    assert 1_800_000 < len(test) < 2_000_000
    assert 1_800_000 < len(train) < 2_000_000
    give(opened, "test", "mine.test.jsonl", test)
    give(opened, "train", "mine.train.jsonl", train)
    flagged, checkable = flagged_by_hand(*large, 13)
    assert flagged > 50
    expect(opened.locator(".answer h1")).to_contain_text(
        f"{flagged} of {checkable:,}", timeout=30_000
    )
    settle(opened)
    opened.locator("#tab-rows").click()
    opened.locator("#tab-ngrams").click()
    opened.get_by_role("button", name="n = 8").click()
    eight, checkable = flagged_by_hand(*large, 8)
    expect(opened.locator(".answer h1")).to_contain_text(f"{eight} of {checkable:,}")
    download(opened, "Download CSV")
    assert [url for url in seen["requests"] if not url.startswith("blob:")] == []
    assert opened.locator(".table-side tbody tr").count() == 100
    expect(opened.locator(".pager")).to_contain_text(f"Rows 1 to 100 of {checkable:,}")
    opened.get_by_role("button", name="Later").click()
    expect(opened.locator(".pager")).to_contain_text(f"Rows 101 to 200 of {checkable:,}")


def test_csv_parses_back_to_what_the_page_shows(opened: Page) -> None:
    data = download(opened, "Download CSV")
    assert b"\r\n" in data
    rows = list(csv.DictReader(io.StringIO(data.decode("utf-8"), newline="")))
    assert list(rows[0]) == COLUMNS
    assert [(row["label"], row["state"], row["flagged"]) for row in rows] == [
        ("t1", "checked", "true"),
        ("t2", "checked", "true"),
        ("t3", "short", ""),
        ("t4", "checked", "false"),
    ]
    assert [row["dirty_share"] for row in rows] == ["0.722222", "0.325000", "", "0.000000"]
    start, stop = int(rows[0]["test_start"]), int(rows[0]["test_stop"])
    assert [rows[0]["text"][start:stop]] == marked(opened, "Test")
    stamp = json.loads(rows[0]["stamp"])
    assert (stamp["n"], stamp["threshold"], stamp["test"]["name"]) == (
        13,
        0,
        "sample.test.jsonl",
    )
    assert [row["stamp"] for row in rows[1:]] == ["", "", ""]


def test_switch_leaves_out_every_column_of_text(opened: Page) -> None:
    opened.get_by_label("with text").uncheck()
    rows = list(csv.DictReader(io.StringIO(download(opened, "Download CSV").decode())))
    assert {"text", "label", "best_train_label"}.isdisjoint(rows[0])
    assert "lighthouse" not in str(rows)


def test_panes_mark_only_what_the_best_training_row_supplied(opened: Page) -> None:
    run = "one two three four five six seven eight nine ten eleven twelve thirteen"
    more = "fourteen fifteen sixteen seventeen eighteen nineteen twenty"
    tail = "eight nine ten eleven twelve thirteen " + more
    give(opened, "test", "t.jsonl", jsonl([f"{run} {more}"]))
    give(opened, "train", "b.jsonl", jsonl([run, tail]))
    expect(opened.locator(".answer h1")).to_contain_text("1 of 1")
    assert table_rows(opened)[0][1:] == ["20", "100.0%", "13", "2", "r0"]
    assert marked(opened, "Test") == [run]
    expect(opened.locator(".legend")).to_contain_text("Other training rows cover more")
    opened.get_by_label("n, 5 to 25").fill("14")
    expect(opened.locator(".answer h1")).to_contain_text("0 of 1")
    assert table_rows(opened)[0][1:] == ["20", "0.0%", "0", "0", "none"]
    expect(opened.get_by_text("No training row shares a run of 14 tokens")).to_be_visible()


def test_marks_survive_emoji_and_markup_stays_text(opened: Page) -> None:
    run = "a b c d e f g h i j k l m"
    evil = f"😀😀 <img src=x onerror=alert(1)> {run} <b>end</b>"
    give(opened, "test", "t.jsonl", jsonl([evil]))
    give(opened, "train", "b.jsonl", jsonl([f"🚀 {run}"]))
    expect(opened.locator(".answer h1")).to_contain_text("1 of 1")
    assert marked(opened, "Test") == [run]
    assert marked(opened, "Training") == [run]
    assert opened.locator(".pane .text").first.inner_text() == evil
    assert opened.locator(".pane img, .pane b").count() == 0


def test_rows_are_walked_by_keyboard_alone(opened: Page) -> None:
    opened.locator("#tab-ngrams").focus()
    for _ in range(30):
        opened.keyboard.press("Tab")
        if opened.evaluate("() => document.activeElement.className") == "opener":
            break
    title = opened.locator(".pair h3")
    expect(title).to_have_text("t1")
    opened.keyboard.press("ArrowDown")
    expect(title).to_have_text("t2")
    assert "t2" in opened.evaluate("() => document.activeElement.innerText")
    opened.keyboard.press("j")
    expect(title).to_have_text("t4")
    opened.keyboard.press("k")
    expect(title).to_have_text("t2")
    expect(opened.locator("tr[aria-current=true]")).to_have_count(1)
    opened.locator("#tab-ngrams").focus()
    opened.keyboard.press("ArrowLeft")
    expect(opened.locator("#tab-rows")).to_have_attribute("aria-selected", "true")
    expect(opened.locator("#tab-rows")).to_be_focused()


def test_typing_in_a_field_is_not_a_command(opened: Page) -> None:
    opened.get_by_label("Filter rows by text").fill("")
    opened.get_by_label("Filter rows by text").press_sequentially("jk")
    expect(opened.locator(".pair h3")).to_have_text("t1")
    expect(opened.get_by_text("No row passes this filter.")).to_be_visible()


# ------------------------------------------------------------------ what goes wrong


def test_file_over_the_bound_is_not_read_and_its_command_is_printed(opened: Page) -> None:
    give(opened, "test", "my test.jsonl", jsonl(["short one"]))
    give(opened, "train", "big.jsonl", b"x" * 2_000_001)
    card = opened.locator(".slot[data-side=train]")
    expect(card).to_contain_text("2,000,001 bytes; this page takes 2,000,000")
    expect(card.locator("code")).to_have_text(
        "leakladder ngrams 'my test.jsonl' big.jsonl --n 13"
    )
    card.get_by_role("button", name="Copy the command").click()
    expect(opened.locator(".notice")).to_be_visible()
    expect(opened.locator(".answer h1")).to_have_text("No result yet")


def test_exactly_the_bound_is_read(opened: Page) -> None:
    give(opened, "test", "edge.txt", b"word " * 399_999 + b"words")
    expect(opened.locator(".slot[data-side=test]")).to_have_attribute(
        "data-status", "ready", timeout=20_000
    )


def test_broken_line_is_named_and_can_be_left_out(opened: Page) -> None:
    data = jsonl(["one", "two"]) + b'{"id": "r2", "text": oops}\n' + jsonl(["four"])
    give(opened, "test", "broken.jsonl", data)
    card = opened.locator(".slot[data-side=test]")
    expect(card.get_by_role("alert")).to_contain_text("line 3")
    expect(opened.locator("[data-region=said]")).to_contain_text("broken.jsonl")
    card.get_by_role("button", name="Leave this one out").click()
    expect(card.locator(".facts").first).to_contain_text("3 rows")
    expect(card.locator(".facts").first).to_contain_text("1 record left out")


def test_bad_file_keeps_the_last_result_and_marks_it(opened: Page) -> None:
    run = "a b c d e f g h i j k l m"
    give(opened, "test", "t.jsonl", jsonl([run]))
    give(opened, "train", "b.jsonl", jsonl([f"{run} n"]))
    expect(opened.locator(".answer h1")).to_contain_text("1 of 1")
    give(opened, "train", "bad.jsonl", b"{")
    expect(opened.locator(".eyebrow .tag[data-tone=stale]")).to_contain_text(
        "not of the files above"
    )
    expect(opened.locator(".answer h1")).to_contain_text("1 of 1")
    expect(opened.locator(".eyebrow")).to_contain_text("t.jsonl against b.jsonl")
    expect(opened.get_by_role("button", name="Download CSV")).to_have_attribute(
        "aria-disabled", "true"
    )


def test_setting_out_of_range_keeps_the_last_result_and_marks_it(opened: Page) -> None:
    box = opened.get_by_label("n, 5 to 25")
    box.fill("26")
    expect(opened.locator(".eyebrow .tag[data-tone=stale]")).to_contain_text("out of range")
    expect(opened.locator(".answer h1")).to_contain_text("66.7%")
    box.fill("13")
    expect(opened.locator(".eyebrow .tag[data-tone=stale]")).to_have_count(0)


def test_nothing_could_be_checked(opened: Page) -> None:
    give(opened, "test", "t.jsonl", jsonl(["too short", ""]))
    give(opened, "train", "b.jsonl", jsonl(["also short"]))
    expect(opened.locator(".answer h1")).to_have_text("Nothing could be checked")
    assert figures(opened)["Rows flagged"].startswith("n/a")


def test_threshold_compares_whole_numbers(opened: Page) -> None:
    run = [f"w{at}" for at in range(29)]
    row = [*run, *(f"x{at}" for at in range(71))]
    give(opened, "test", "t.jsonl", jsonl([" ".join(row)]))
    give(opened, "train", "b.jsonl", jsonl([" ".join(run)]))
    expect(opened.locator(".answer h1")).to_contain_text("1 of 1")
    opened.get_by_label("threshold, 0 to 100").fill("29")
    expect(opened.locator(".answer p").nth(1)).to_contain_text("29%")
    expect(opened.locator(".answer h1")).to_contain_text("1 of 1")
    opened.get_by_label("threshold, 0 to 100").fill("30")
    expect(opened.locator(".answer h1")).to_contain_text("0 of 1")


# ------------------------------------------------------------------ stop

WATCH_STOP = """() => new Promise((resolve) => {
  const buttons = [...document.querySelectorAll('button')]
  const button = buttons.find((each) => each.textContent === 'Stop')
  const started = performance.now()
  button.click()
  const look = () => document.querySelector('.strip[data-busy]')
    ? setTimeout(look, 5)
    : resolve(performance.now() - started)
  look()
})"""


def start_large(page: Page, large: tuple[list[str], list[str]]) -> Locator:
    for side, texts in zip(("test", "train"), large, strict=True):
        give(page, side, f"{side}.jsonl", jsonl(texts))
        ready = page.locator(f".slot[data-side={side}]")
        expect(ready).to_have_attribute("data-status", "ready", timeout=20_000)
    stop = page.get_by_role("button", name="Stop")
    stop.wait_for()
    return stop


def test_running_check_stops_at_once_and_can_run_again(
    opened: Page, large: tuple[list[str], list[str]]
) -> None:
    """Under load the worker may lose its life; then the page says so, and runs too."""
    start_large(opened, large)
    workers = [worker.url for worker in opened.workers]
    assert opened.evaluate(WATCH_STOP) < 300
    opened.get_by_role("button", name="Run again").click()
    flagged, checkable = flagged_by_hand(*large, 13)
    expect(opened.locator(".answer h1")).to_contain_text(
        f"{flagged} of {checkable:,}", timeout=30_000
    )
    if [worker.url for worker in opened.workers] != workers:
        expect(opened.locator(".notice")).to_contain_text("replaced")


BLOCK = """() => { setTimeout(() => {
  const end = performance.now() + 6000
  while (performance.now() < end);
}, 100) }"""


def only_worker(page: Page) -> Worker:
    """The Python worker, once blocked ones before it have ended."""
    for _ in range(100):
        if len(page.workers) == 1:
            break
        page.wait_for_timeout(100)
    (worker,) = page.workers
    return worker


@pytest.mark.parametrize("pause", [0, 600], ids=["before", "after"])
def test_run_again_is_kept_where_the_worker_is_replaced(opened: Page, pause: int) -> None:
    """Pressed before the old worker is given up or while the new one starts: it runs."""
    run = "a b c d e f g h i j k l m"
    give(opened, "test", "t.jsonl", jsonl([run]))
    give(opened, "train", "b.jsonl", jsonl([f"{run} n"]))
    expect(opened.locator(".answer h1")).to_contain_text("1 of 1")
    settle(opened)
    only_worker(opened).evaluate(BLOCK)
    opened.wait_for_timeout(200)
    opened.get_by_role("button", name="n = 8").click()
    opened.get_by_role("button", name="Stop").click()
    opened.wait_for_timeout(pause)
    opened.get_by_role("button", name="Run again").click()
    expect(opened.locator(".notice")).to_contain_text("replaced", timeout=20_000)
    expect(opened.locator(".answer p").nth(1)).to_contain_text("a run of 8 tokens")
    expect(opened.locator(".eyebrow .tag[data-tone=stale]")).to_have_count(0)
    expect(opened.get_by_role("button", name="Run again")).to_have_count(0)


def test_worker_that_does_not_yield_is_replaced_and_files_are_kept(opened: Page) -> None:
    run = "a b c d e f g h i j k l m"
    give(opened, "test", "t.jsonl", jsonl([run]))
    give(opened, "train", "b.jsonl", jsonl([f"{run} n"]))
    expect(opened.locator(".answer h1")).to_contain_text("1 of 1")
    settle(opened)
    old = only_worker(opened)
    old.evaluate(BLOCK)
    opened.wait_for_timeout(200)
    opened.get_by_role("button", name="n = 8").click()
    opened.get_by_role("button", name="Stop").click()
    expect(opened.locator(".notice")).to_contain_text("replaced", timeout=20_000)
    opened.wait_for_timeout(2_500)  # the browser gives a blocked worker two seconds to end
    (new,) = opened.workers
    assert new is not old
    settle(opened)
    opened.get_by_role("button", name="Run again").click()
    expect(opened.locator(".eyebrow .tag[data-tone=stale]")).to_have_count(0)
    expect(opened.locator(".slot[data-side=test] .slot-name")).to_have_text("t.jsonl")
    expect(opened.locator(".stamp")).to_contain_text("n 8")


# ------------------------------------------------------------------ privacy


ESCAPES = """async (address) => {
  const tries = {
    fetch: () => fetch(address),
    importScripts: () => { importScripts(address) },
    import: () => import(address),
    xhr: () => new Promise((resolve, reject) => {
      const request = new XMLHttpRequest()
      request.onload = resolve
      request.onerror = () => reject(new Error('refused'))
      request.open('GET', address)
      request.send()
    }),
    socket: () => new Promise((resolve, reject) => {
      const socket = new WebSocket(address.replace('http', 'ws'))
      socket.onopen = resolve
      socket.onerror = () => reject(new Error('refused'))
    }),
    events: () => new Promise((resolve, reject) => {
      const source = new EventSource(address)
      source.onopen = resolve
      source.onerror = () => reject(new Error('refused'))
    }),
  }
  const outcome = {}
  for (const [name, go] of Object.entries(tries)) {
    try { await go(); outcome[name] = 'went out' } catch { outcome[name] = 'refused' }
  }
  return outcome
}"""
REFUSED = dict.fromkeys(
    ("fetch", "importScripts", "import", "xhr", "socket", "events"), "refused"
)


def test_python_worker_can_reach_no_other_origin(
    page: Page, site: str, witness: tuple[str, list[str]]
) -> None:
    address, hits = witness
    page.goto(site)
    settle(page)
    (worker,) = page.workers
    assert worker.evaluate(ESCAPES, address) == REFUSED
    assert worker.evaluate(ESCAPES, f"{site}manifest.json") == REFUSED, (
        "not even its own origin"
    )
    assert hits == []


BARE = """async ([address, escapes]) => {
  const source = `onmessage = async ({ data }) => postMessage(await (${escapes})(data))`
  const worker = new Worker(URL.createObjectURL(new Blob([source])))
  return new Promise((resolve) => {
    worker.onmessage = ({ data }) => resolve(data)
    worker.postMessage(address)
  })
}"""


def test_policy_alone_refuses_other_origins_in_a_worker(
    page: Page, site: str, witness: tuple[str, list[str]]
) -> None:
    """A worker started as ours is, but with every door still there: only the policy stands."""
    address, hits = witness
    trusted = "; require-trusted-types-for 'script'; trusted-types leakladder"

    # With them the test itself could start no worker.
    def without_trusted_types(route: Route) -> None:
        text = route.fetch().text()
        assert trusted in text
        route.fulfill(body=text.replace(trusted, ""), content_type="text/html; charset=utf-8")

    page.route(site, without_trusted_types)
    page.goto(site)
    assert page.evaluate(BARE, [address, ESCAPES]) == REFUSED
    assert hits == []


def test_policy_refuses_other_origins_in_the_page(
    page: Page, site: str, witness: tuple[str, list[str]]
) -> None:
    address, hits = witness
    page.goto(site)
    assert page.evaluate(ESCAPES, address) == REFUSED
    page.evaluate(
        "(address) => { navigator.sendBeacon(address); new Image().src = address + 'image' }",
        address,
    )
    page.wait_for_timeout(300)
    assert hits == []


# ------------------------------------------------------------------ other ways in


def test_pasted_text_and_swap(opened: Page) -> None:
    run = "a b c d e f g h i j k l m"
    for side, text in (("test", f"{run}\nsomething else"), ("train", f"x {run} y")):
        card = opened.locator(f".slot[data-side={side}]")
        card.get_by_text("Paste text").click()
        card.locator("textarea").fill(text)
        card.get_by_role("button", name="Use this text").click()
        expect(card).to_have_attribute("data-status", "ready")
    expect(opened.locator(".answer h1")).to_contain_text("1 of 1")
    opened.get_by_role("button", name="Swap the two files").click()
    expect(opened.locator(".eyebrow")).to_contain_text(
        "pasted-train.txt against pasted-test.txt"
    )
    expect(opened.locator(".eyebrow .tag[data-tone=stale]")).to_have_count(0)
    expect(opened.locator(".slot[data-side=test] .facts").first).to_contain_text("1 row ")


DROP = """(files) => {
  const transfer = new DataTransfer()
  for (const { name, text } of files) transfer.items.add(new File([text], name))
  const how = { bubbles: true, cancelable: true, dataTransfer: transfer }
  document.body.dispatchEvent(new DragEvent('drop', how))
}"""


def test_two_files_dropped_anywhere_find_their_slots(opened: Page) -> None:
    run = "a b c d e f g h i j k l m"
    files = [{"name": "my-train.txt", "text": f"{run} n"}, {"name": "my-eval.txt", "text": run}]
    opened.evaluate(DROP, files)
    expect(opened.locator(".slot[data-side=test] .slot-name")).to_have_text("my-eval.txt")
    expect(opened.locator(".slot[data-side=train] .slot-name")).to_have_text("my-train.txt")
    expect(opened.locator(".answer h1")).to_contain_text("1 of 1")


def test_chosen_fields_change_the_result(opened: Page) -> None:
    run = "a b c d e f g h i j k l m"
    row = json.dumps({"question": "what is it about then", "notes": run})
    for side in ("test", "train"):
        give(opened, side, f"{side}.jsonl", f"{row}\n".encode() * (1 + (side == "train")))
        card = opened.locator(f".slot[data-side={side}]")
        card.get_by_label("question").set_checked(checked=False)
        card.get_by_label("notes").set_checked(checked=True)
    expect(opened.locator(".answer h1")).to_contain_text("1 of 1")
    opened.locator(".slot[data-side=test]").get_by_label("notes").uncheck()
    expect(opened.locator(".strip")).to_contain_text("Tick at least one text field")
    expect(opened.locator(".eyebrow .tag[data-tone=stale]")).to_have_count(1)


SPLIT_FILE = """split,text
train,a b c d e f g h i j k l m
test,x a b c d e f g h i j k l m y
dev,nothing here that is shared with anyone in this file at all today
train,some other row that has more than thirteen words in it for the count
"""


def test_one_file_holds_both_splits(opened: Page) -> None:
    opened.get_by_label("Both splits are in one file").check()
    give(opened, "test", "all.csv", SPLIT_FILE.encode())
    expect(opened.locator(".answer h1")).to_contain_text("1 of 1")
    expect(opened.locator(".eyebrow")).to_contain_text("test against train")
    expect(opened.locator(".pair .places")).to_contain_text("test record 2, line 3")
    expect(opened.locator(".pair .places")).to_contain_text("training record 1, line 2")
    opened.get_by_label("Judged as test").select_option(label="dev · 1 row")
    expect(opened.locator(".answer h1")).to_contain_text("0 of 1")
    opened.get_by_label("Column", exact=True).select_option("text")
    expect(opened.locator(".strip")).to_contain_text("Pick the split column")


def test_one_value_in_the_split_column_is_said(opened: Page) -> None:
    opened.get_by_label("Both splits are in one file").check()
    give(opened, "test", "all.csv", b"split,text\ntest,a b\ntest,c d\n")
    opened.get_by_label("Column", exact=True).select_option("split")
    expect(opened.get_by_role("alert")).to_contain_text("holds one value")
    expect(opened.locator(".answer h1")).to_have_text("No result yet")


def test_way_of_reading_can_be_chosen(opened: Page) -> None:
    give(opened, "test", "cells.csv", "name;text\nä;b\n".encode("cp1252"))
    card = opened.locator(".slot[data-side=test]")
    expect(card.get_by_role("alert")).to_contain_text("line 2")
    card.get_by_role("button", name="cp1252").click()
    expect(card.locator(".facts").first).to_contain_text("1 row ")
    expect(card.locator(".facts").first).to_contain_text("CP1252")
    card.get_by_text("How it is read").click()
    card.get_by_label("First line").select_option("no")
    expect(card.locator(".facts").first).to_contain_text("2 rows")


def test_ragged_rows_can_be_filled_up(opened: Page) -> None:
    give(opened, "test", "cells.csv", b"id,text,note\n1,a,x\n2,b\n3,c,y\n")
    card = opened.locator(".slot[data-side=test]")
    expect(card.get_by_role("alert")).to_contain_text("line 3")
    card.get_by_role("button", name="Fill up rows with too few cells").click()
    expect(card.locator(".facts").first).to_contain_text("3 rows")


def test_list_inside_one_json_object_can_be_chosen(opened: Page) -> None:
    lists = {"train": [{"t": "a"}], "eval": {"items": [{"t": "b"}, {"t": "c"}]}}
    give(opened, "test", "all.json", json.dumps(lists).encode())
    card = opened.locator(".slot[data-side=test]")
    card.get_by_role("button", name="eval.items").click()
    expect(card.locator(".facts").first).to_contain_text("2 rows")


def test_same_file_in_both_slots_is_compared_without_itself(opened: Page) -> None:
    run = "a b c d e f g h i j k l m"
    for side in ("test", "train"):
        give(opened, side, "same.jsonl", jsonl([run, "x y z"]))
    expect(opened.locator(".answer h1")).to_contain_text("0 of 1")
    expect(opened.locator(".answer")).to_contain_text("no row is compared with itself")


# ------------------------------------------------------------------ form


@pytest.mark.parametrize("width", [1440, 1024, 390])
def test_page_never_scrolls_sideways(opened: Page, width: int) -> None:
    opened.set_viewport_size({"width": width, "height": 900})
    for tab in ("overview", "rows", "ngrams", "rules", "meaning"):
        opened.locator(f"#tab-{tab}").click()
        sizes = opened.evaluate(
            "() => [document.documentElement.scrollWidth, document.documentElement.clientWidth]"
        )
        assert sizes[0] <= sizes[1], tab


def test_theme_is_kept_and_files_are_not(opened: Page) -> None:
    give(opened, "test", "secret-name.jsonl", jsonl(["secret-cell"]))
    expect(opened.locator(".slot[data-side=test]")).to_have_attribute("data-status", "ready")
    opened.get_by_role("button", name=re.compile("^Theme")).click()
    opened.get_by_role("button", name=re.compile("^Theme")).click()
    stored = opened.evaluate("() => JSON.stringify({ ...localStorage })")
    assert "secret" not in stored
    opened.reload()
    settle(opened)
    assert opened.evaluate("() => document.documentElement.dataset.theme") == "dark"
    expect(opened.locator(".answer h1")).to_contain_text("66.7%")


def test_failed_start_is_said_and_the_example_still_stands(page: Page, site: str) -> None:
    page.route("**/*.wasm", lambda route: route.fulfill(status=404))
    page.goto(site)
    expect(page.locator(".strip[data-tone=bad]")).to_contain_text("pyodide.asm.wasm")
    expect(page.locator(".answer h1")).to_contain_text("66.7%")


def test_changed_file_of_the_build_is_refused(page: Page, site: str) -> None:
    def spoil(route: Any) -> None:
        body = route.fetch().body()
        route.fulfill(body=body[:-1] + b"!", content_type="application/zip")

    page.route("**/leakladder-*.whl", spoil)
    page.goto(site)
    expect(page.locator(".strip[data-tone=bad]")).to_contain_text(
        "is not the file this build was made with"
    )


def test_parquet_is_read_in_the_page(opened: Page) -> None:
    folder = Path(__file__).parent / "golden" / "read" / "parquet"
    data = (folder / "codec-zstd-pages-2.parquet").read_bytes()
    give(opened, "test", "rows.parquet", data)
    card = opened.locator(".slot[data-side=test]")
    expect(card).to_have_attribute("data-status", "ready")
    expect(card.locator(".facts").first).to_contain_text("Parquet")
    give(opened, "train", "cut.parquet", data[:-9])
    cut = opened.locator(".slot[data-side=train]")
    expect(cut.get_by_role("alert")).to_contain_text("cut.parquet")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_in_any_state(chromium: Browser, site: str, scheme: str) -> None:
    context = chromium.new_context(
        bypass_csp=True,
        color_scheme=scheme,  # type: ignore[arg-type]
        reduced_motion="reduce",  # or a colour is measured half way to another
    )
    page = context.new_page()
    page.goto(site)
    settle(page)
    page.add_script_tag(content=AXE.read_text("utf-8"))
    found = {}
    for name in ("ngrams", "rows", "rules"):
        page.get_by_label("Open an example").select_option(name)
        expect(page.locator(".exports [aria-disabled=true]")).to_have_count(0)
        settle(page)
        found[name] = page.evaluate(AXE_RUN)
    for tab in ("overview", "meaning", "ngrams"):
        page.locator(f"#tab-{tab}").click()
        found[tab] = page.evaluate(AXE_RUN)
    page.get_by_label("n, 5 to 25").fill("26")
    found["stale"] = page.evaluate(AXE_RUN)
    page.get_by_label("Both splits are in one file").check()
    found["one file"] = page.evaluate(AXE_RUN)
    page.get_by_label("Both splits are in one file").uncheck()
    give(page, "test", "broken.jsonl", b'{"a": 1}\n{\n[\n')
    give(page, "train", "big.jsonl", b"x" * 2_000_001)
    expect(page.locator(".slot[data-side=test]")).to_have_attribute("data-status", "refused")
    found["errors"] = page.evaluate(AXE_RUN)
    context.close()
    assert {name: issues for name, issues in found.items() if issues} == {}


# ------------------------------------------------------------------ the other rungs


def named_table(page: Page, name: str) -> list[list[str]]:
    """The body of the table with this caption, row by row."""
    rows = page.get_by_role("table", name=name).locator("tbody tr")
    return [rows.nth(at).locator("th, td").all_inner_texts() for at in range(rows.count())]


def open_example(page: Page, name: str) -> None:
    page.get_by_label("Open an example").select_option(name)
    expect(page.locator(f"#tab-{name}")).to_have_attribute("aria-selected", "true")
    expect(page.locator(".exports [aria-disabled=true]")).to_have_count(0)


def test_rows_example_shows_both_rates_and_the_lines_to_open(opened: Page) -> None:
    open_example(opened, "rows")
    expect(opened.locator(".answer h1")).to_contain_text("7 of 10")
    assert named_table(opened, "Items in both sides") == [
        ["Exact", "7", "7 · 70.0%", "8 · 66.7%"],
        ["Normalized", "7", "8 · 80.0%", "8 · 66.7%"],
        ["Identifier, beside", "0", "0 · 0.0%", "0 · 0.0%"],
    ]
    found = named_table(opened, "Items found on both sides")
    assert len(found) == 8
    assert [row[0] for row in found] == ["exact"] * 7 + ["normalized"]
    assert found[0][2:4] == ["line 2", "lines 2 and 9"]
    assert found[7][2:4] == ["lines 7 and 9", "line 7"]
    expect(opened.locator(".panel")).to_contain_text("L1+L3+L4+L8+L10")


def test_articles_are_one_switch_and_the_transform_says_so(opened: Page) -> None:
    opened.locator("#tab-rows").click()
    give(opened, "test", "t.jsonl", jsonl(["The cat sat", "a dog"]))
    give(opened, "train", "b.jsonl", jsonl(["cat sat", "x", "a dog."]))
    expect(opened.locator(".answer h1")).to_contain_text("0 of 2")
    assert named_table(opened, "Items in both sides")[1][2] == "1 · 50.0%"
    opened.get_by_label("drop a, an and the").check()
    expect(opened.locator(".panel")).to_contain_text("L1+L3+L4+L8+L9+L10")
    assert named_table(opened, "Items in both sides")[1][2] == "2 · 100.0%"
    rows = list(csv.DictReader(io.StringIO(download(opened, "Download CSV").decode())))
    assert [(row["match"], row["test_records"], row["train_records"]) for row in rows] == [
        ("normalized", "1", "1"),
        ("normalized", "2", "3"),
        ("identifier", "1", "1"),
        ("identifier", "2", "2"),
    ]
    opened.get_by_label("drop a, an and the").uncheck()


def test_rules_example_shows_where_the_rules_part(opened: Page) -> None:
    open_example(opened, "rules")
    expect(opened.locator(".answer h1")).to_contain_text("depending on whose rule is asked")
    rules = named_table(opened, "What each published rule calls dirty")
    assert rules[0][0] == "Share"
    assert rules[1][:4] == ["Rows", "2 of 5", "2 of 5", "2 of 5"]
    assert "expected of 5" in rules[1][5]
    verdicts = [row[3:] for row in table_rows(opened)]
    flags = [[cell == "⚑ dirty" for cell in row] for row in verdicts]
    parted = [len(set(row)) > 1 for row in flags]
    assert parted == sorted(parted, reverse=True), "rows on which rules part come first"
    expect(opened.locator(".verdicts")).to_contain_text("chance")
    expect(opened.locator(".pair")).to_contain_text(re.compile(r"in (a run|runs) of \d+"))
    sweep = opened.get_by_role("img", name=re.compile("^From "))
    expect(sweep).to_be_visible()
    opened.get_by_text("The numbers").click()
    assert (
        opened.get_by_role("region", name="Share by n, scrollable").locator("tbody tr").count()
        == 46
    )


def test_chosen_n_of_the_gpt3_rule_is_used(opened: Page) -> None:
    open_example(opened, "rules")
    opened.get_by_label(re.compile("^GPT-3.s N$")).select_option("own")
    opened.get_by_label("N, 5 to 50").fill("24")
    expect(opened.locator(".stamp")).to_contain_text("n 24")
    rules = named_table(opened, "What each published rule calls dirty")
    # two of the five rows hold 24 words, and the longest run of any row is 23
    assert [rules[1][1], rules[2][1]] == ["0 of 2", "3"]
    rows = list(csv.DictReader(io.StringIO(download(opened, "Download CSV").decode())))
    assert [row["gpt3"] for row in rows].count("true") == 0
    assert len(rows) == 5
