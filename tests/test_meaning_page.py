"""Rung 6 in a real browser: the model runs in the tab, and nothing of the rows leaves it."""

import csv
import io
import json
import re
from collections.abc import Iterator
from itertools import combinations
from pathlib import Path
from typing import Literal

import numpy as np
import pytest
from playwright.sync_api import Browser, Page, Request, expect

from hosts import READY_MS
from leakladder.embed_native import NativeEmbedder, Vectors, find_model
from leakladder.jobs import finish
from leakladder.meaning_native import make_comparer
from leakladder.search_native import cosines_of
from leakladder.verify import NamedBytes, verify
from tabs import AXE, AXE_RUN, settle
from test_page import download, give, jsonl

ROOT = Path(__file__).resolve().parents[1]
pytestmark = pytest.mark.browser

# the first three hang together through the second one; the next two are a pair
TEXTS = [
    "How can I end my subscription?",
    "I want to end my subscription, how do I cancel it?",
    "How do I cancel my subscription?",
    "Which planet is the largest in the solar system?",
    "What is the biggest planet in our solar system?",
    "At what temperature does water boil?",
    "",
]
TRAIN = [
    "The largest planet of the solar system is which one?",
    "Where do penguins live?",
    "At what temperature does water boil?",
    # nine words of the fourth test row, whose nearest row is the first one here
    "Card 12 of the quiz: Which planet is the largest in the solar system? Ask it slowly, wait "
    "ten seconds, and take turns.",
]
PAIR_COLUMNS = "group cosine a_record a_label a_text b_record b_label b_text borderline stamp"
GROUP_COLUMNS = "group rows lowest chained record label text stamp"
NEAREST_COLUMNS = (
    "index record label text train_record train_label train_text cosine shared_run stamp"
)
RUN_MS = 60_000


@pytest.fixture(scope="module")
def native() -> dict[str, Vectors]:
    """The vectors of all texts by the command line's runtime."""
    embedder = NativeEmbedder(find_model())
    texts = sorted({*TEXTS, *TRAIN} - {""})
    vectors = finish(embedder.embed([row.ids for row in embedder.cut_texts(texts)]))
    return dict(zip(texts, vectors, strict=True))


def cosine(vectors: dict[str, Vectors], one: str, other: str) -> float:
    return float(cosines_of(vectors[one][None], vectors[other][None])[0])


@pytest.fixture(scope="module")
def asked() -> list[str]:
    """Addresses that the tab has asked for, by itself and not through its service worker."""
    return []


def note(asked: list[str], request: Request) -> None:
    """Keep an address; the service worker's own fetches answer requests of the tab."""
    if request.service_worker is None:
        asked.append(request.url)


@pytest.fixture(scope="module")
def tab(chromium: Browser, site: str, asked: list[str]) -> Iterator[Page]:
    """One tab with both files in, on the tab Meaning, the model not loaded yet."""
    context = chromium.new_context(accept_downloads=True)
    context.on("request", lambda request: note(asked, request))
    page = context.new_page()
    faults: list[str] = []
    page.on("pageerror", lambda error: faults.append(str(error)))
    page.goto(site)
    settle(page)
    give(page, "test", "test.jsonl", jsonl(TEXTS))
    give(page, "train", "train.jsonl", jsonl(TRAIN))
    settle(page)
    page.locator("#tab-meaning").click()
    asked.clear()
    yield page
    context.close()
    assert faults == []


def start(page: Page) -> None:
    page.get_by_role("button", name="ompare meanings").click()


def choose(page: Page, mode: str) -> None:
    page.get_by_role("button", name=mode, exact=True).click()


def run(page: Page, mode: str) -> None:
    """Compare afresh in a mode; the other mode comes first, so that no older run is left."""
    for each in ("within the test file", "test to training"):
        if each != mode:
            choose(page, each)
    choose(page, mode)
    move(page, 90)
    start(page)
    page.locator(".meaning-lead").wait_for(timeout=RUN_MS)


def move(page: Page, percent: int) -> None:
    page.get_by_label("Cosine threshold").fill(str(percent))


def table(data: bytes) -> tuple[str, list[dict[str, str]]]:
    """Columns and records of a CSV file."""
    reader = csv.DictReader(io.StringIO(data.decode()))
    return " ".join(reader.fieldnames or ()), list(reader)


def test_the_button_says_what_it_fetches(tab: Page, asked: list[str]) -> None:
    expect(tab.locator(".meaning-start")).to_contain_text("MB from this site, once")
    expect(tab.locator(".meaning-start")).to_contain_text(
        "7 rows: an estimated 1 second on usual machines; nothing has been measured on this one"
    )
    expect(tab.locator(".meaning-reads")).to_contain_text("text of 7 rows")
    assert not [url for url in asked if "model" in url]


def test_a_run_fetches_the_model_once_and_groups_the_rows(
    tab: Page, asked: list[str], native: dict[str, Vectors]
) -> None:
    run(tab, "within the test file")
    assert sum(url.endswith("model_quantized.onnx") for url in asked) <= 1
    asked.clear()
    expect(tab.locator(".meaning-lead")).to_contain_text(
        "5 of 6 rows read alike with another row at 0.90 (83.3%), in 2 groups."
    )
    facts = tab.locator(".meaning-facts").inner_text().split("\n")
    assert facts[facts.index("Effective rows") + 1] == "3"
    expect(tab.locator(".meaning-notes")).to_contain_text("1 row without text")
    groups = tab.get_by_role("table", name="Groups of rows that read alike").locator("tbody tr")
    expect(groups.nth(0)).to_contain_text("r0, r1, r2")
    lowest = min(cosine(native, one, other) for one, other in combinations(TEXTS[:3], 2))
    expect(groups.nth(0)).to_contain_text(f"{lowest:.3f}")
    expect(groups.nth(0)).to_contain_text("Chained")
    expect(groups.nth(1)).not_to_contain_text("Chained")
    expect(tab.locator("#tab-meaning")).to_contain_text("5")
    assert [url for url in asked if not url.startswith("blob:")] == []


def test_the_threshold_moves_without_embedding(tab: Page, native: dict[str, Vectors]) -> None:
    run(tab, "within the test file")
    pairs = tab.get_by_role("table", name="Pairs that read alike").locator("tbody tr")
    texts = [text for text in TEXTS if text]
    every = [cosine(native, one, other) for one, other in combinations(texts, 2)]
    for percent in (95, 70, 90):
        move(tab, percent)
        expect(pairs).to_have_count(sum(each >= percent / 100 for each in every))
        expect(tab.locator(".meaning-progress")).to_have_count(0)
    move(tab, 99)
    expect(tab.locator(".meaning-lead")).to_contain_text("0 of 6 rows")
    expect(tab.locator(".meaning-facts")).to_contain_text(f"{max(every):.3f}")  # closest pair


def test_a_pair_is_read_with_its_shared_words_marked(tab: Page) -> None:
    run(tab, "within the test file")
    tab.get_by_role("button", name="Read records 4 and 5 side by side").click()
    first = tab.get_by_role("region", name="Row A text")
    expect(first.locator("mark")).to_have_text(["planet is the", "in the solar system"])
    expect(tab.get_by_role("region", name="Row B text")).to_contain_text("biggest planet")


def test_exports_hold_pairs_and_groups_with_the_stamp(
    tab: Page, native: dict[str, Vectors]
) -> None:
    run(tab, "within the test file")
    columns, rows = table(download(tab, "Download Pairs CSV"))
    assert columns == PAIR_COLUMNS
    for row in rows:
        expected = cosine(native, row["a_text"], row["b_text"])
        assert abs(float(row["cosine"]) - expected) < 0.001
    stamp = json.loads(rows[0]["stamp"])
    assert stamp["model"]["id"] == "all-MiniLM-L6-v2"
    assert len(stamp["model"]["sha256"]) == 64
    assert (stamp["threshold"], stamp["token_window"], stamp["truncated"]) == (0.9, 256, 0)
    assert stamp["column"] == {"test": "text"}
    columns, rows = table(download(tab, "Download Groups CSV"))
    assert columns == GROUP_COLUMNS
    assert [(row["group"], row["chained"], row["record"]) for row in rows] == [
        *[("1", "true", record) for record in "123"],
        *[("2", "false", record) for record in "45"],
    ]
    report = json.loads(download(tab, "Download JSON"))
    assert (report["summary"]["groups"], report["summary"]["effective"]) == (2, 3)
    assert report["nearest"] == []


def check(data: bytes, *files: tuple[str, bytes]) -> list[str]:
    """Verify a report of the page with the command line's runtime; what differs."""
    test, *train = (NamedBytes(*file) for file in files)
    done = finish(verify(data, test, train, make_comparer()))
    assert done.unverified == ""
    versions = {one.path for one in done.differences if one.kind == "version"}
    assert versions <= {"stamp.unicode"}  # the page's Python is another
    return [str(one) for one in done.differences if one.kind != "version"]


def test_the_command_line_verifies_the_pages_reports(tab: Page) -> None:
    files = ("test.jsonl", jsonl(TEXTS)), ("train.jsonl", jsonl(TRAIN))
    run(tab, "within the test file")
    inside = download(tab, "Download JSON")
    assert check(inside, files[0]) == []
    whole = download(tab, "Download the JSON report")
    assert json.loads(whole)["meaning"]["summary"]["groups"] == 2
    assert check(whole, *files) == []
    run(tab, "test to training")
    across = download(tab, "Download JSON")
    assert check(across, *files) == []
    changed = json.loads(across)
    changed["nearest"][0]["cosine"] += 0.002
    (found,) = check(json.dumps(changed).encode(), *files)
    assert found.startswith("number: nearest[0].cosine: the report has ")


def test_test_rows_find_their_nearest_training_row(
    tab: Page, native: dict[str, Vectors]
) -> None:
    run(tab, "test to training")
    texts = [text for text in TEXTS if text]
    best = {text: max(cosine(native, text, train) for train in TRAIN) for text in texts}
    alike = [text for text in texts if best[text] >= 0.90]
    expect(tab.locator(".meaning-lead")).to_contain_text(f"{len(alike)} of 6 test rows")
    rows = tab.get_by_role("table", name="Test rows with their nearest").locator("tbody tr")
    expect(rows).to_have_count(6)
    expect(rows.nth(0)).to_contain_text("At what temperature does water boil?")
    expect(rows.nth(0)).to_contain_text("1.000")
    expect(tab.locator("figure.chart")).to_be_visible()
    tab.get_by_label("Show").select_option("few")
    # Only the fourth has 8 words in common with a training row, and not with its nearest one.
    assert best[TEXTS[3]] == cosine(native, TEXTS[3], TRAIN[0]) >= 0.90
    expect(rows).to_have_count(len(alike) - 1)
    expect(rows.filter(has_text=TEXTS[3])).to_have_count(0)
    expect(tab.locator(".meaning-lead")).to_contain_text(
        f"{len(alike) - 1} of them share no run of 8 words with any training row."
    )
    expect(tab.locator(".meaning-tables, .meaning-found")).to_contain_text(
        "share no run of 8 words with any training row, the nearest or another one"
    )
    columns, records = table(download(tab, "Download Nearest CSV"))
    assert columns == NEAREST_COLUMNS
    assert len(records) == len(TEXTS)
    for record in records[:-1]:
        assert abs(float(record["cosine"]) - best[record["text"]]) < 0.001
    assert records[-1]["cosine"] == ""  # the row without text
    assert records[5]["shared_run"] == "6"
    tab.get_by_label("Show").select_option("")


def test_rows_that_read_alike_stand_on_the_ladder_until_they_are_cleared(
    tab: Page, native: dict[str, Vectors]
) -> None:
    run(tab, "test to training")
    best = [max(cosine(native, text, train) for train in TRAIN) for text in TEXTS if text]
    alike = sum(each >= 0.90 for each in best)
    step = tab.locator(".ladder-list li").filter(has_text="Reads alike")
    expect(step).to_contain_text(f"{alike} of 6")
    tab.locator("#tab-overview").click()
    band = tab.locator(".chart.bands").get_by_role("button", name="Meaning only")
    # One of them is in both files as it stands, one shares 50 characters with a training row.
    expect(band).to_contain_text(f"Meaning only{alike - 2}")
    tab.locator("#tab-meaning").click()
    tab.get_by_role("button", name="Clear vectors and result").click()
    expect(tab.locator(".meaning-found")).to_have_count(0)
    expect(step).to_contain_text("not run")
    tab.locator("#tab-overview").click()
    expect(tab.locator(".chart.bands")).to_contain_text(re.compile("Meaning only.{0,2}not run"))
    tab.locator("#tab-meaning").click()


def test_a_file_against_itself_finds_other_rows(tab: Page, native: dict[str, Vectors]) -> None:
    give(tab, "train", "copy.jsonl", jsonl(TEXTS))
    settle(tab)
    tab.locator("#tab-meaning").click()
    run(tab, "test to training")
    texts = [text for text in TEXTS if text]
    best = {
        text: max(cosine(native, text, other) for other in texts if other != text)
        for text in texts
    }
    alike = sum(each >= 0.90 for each in best.values())
    assert 0 < alike < 6
    expect(tab.locator(".meaning-lead")).to_contain_text(f"{alike} of 6 test rows")
    expect(tab.locator(".meaning-notes")).to_contain_text("no row is compared with itself")
    _, records = table(download(tab, "Download Nearest CSV"))
    for record in records[:-1]:
        assert record["train_record"] != record["record"]
        assert abs(float(record["cosine"]) - best[record["text"]]) < 0.001
    give(tab, "train", "train.jsonl", jsonl(TRAIN))
    settle(tab)
    tab.locator("#tab-meaning").click()


def test_cancel_keeps_nothing_and_asks_the_network_for_nothing(
    tab: Page, asked: list[str]
) -> None:
    numbers = np.random.default_rng(1)
    words = "river stone market window paper garden engine letter silver winter".split()
    rows = [" ".join(numbers.choice(words, 40)) for _ in range(600)]
    give(tab, "test", "many.jsonl", jsonl(rows))
    settle(tab)
    tab.locator("#tab-meaning").click()
    choose(tab, "within the test file")
    asked.clear()
    start(tab)
    progress = tab.locator(".meaning-progress")
    expect(progress).to_contain_text("rows/s", timeout=RUN_MS)
    expect(progress).to_contain_text("left")
    expect(tab.locator(".meaning-start")).to_contain_text(
        re.compile(r"Measured on the first \d+ rows: the other \d+ take about")
    )
    tab.get_by_role("button", name="Cancel").click()
    expect(tab.locator(".meaning-start")).to_contain_text("nothing half done was kept")
    expect(tab.locator(".meaning-found")).to_have_count(0)
    expect(tab.get_by_role("button", name="Compare meanings")).to_be_visible()
    expect(tab.locator(".meaning-go")).to_contain_text("at the speed measured here before")
    assert [url for url in asked if not url.startswith("blob:")] == []


def test_many_rows_wait_for_a_yes_and_too_many_offer_a_part(tab: Page) -> None:
    give(tab, "test", "many.jsonl", jsonl([f"row number {at}" for at in range(2_001)]))
    settle(tab)
    tab.locator("#tab-meaning").click()
    start(tab)
    ask = tab.get_by_role("alertdialog")
    ask.wait_for(timeout=RUN_MS)
    expect(ask).to_contain_text(
        re.compile(r"Measured on the first \d+ rows: the other 1,\d+ take about \d+ \w+.")
    )
    ask.get_by_role("button", name="Leave it").click()
    expect(tab.locator(".meaning-start")).to_contain_text("nothing half done was kept")
    give(tab, "test", "more.jsonl", jsonl([f"row {at}" for at in range(20_001)]))
    tab.locator(".strip[data-busy]").wait_for(state="detached", timeout=READY_MS)
    tab.locator("#tab-meaning").click()
    expect(tab.locator(".meaning-go")).to_contain_text("20,001 rows: about", timeout=READY_MS)
    expect(tab.get_by_role("button", name="A fixed sample of 20,000 rows")).to_be_visible()


def test_the_example_is_shown_before_anything_runs(tab: Page, asked: list[str]) -> None:
    tab.get_by_label("Open an example").select_option("meaning")
    expect(tab.locator(".meaning-lead")).to_contain_text(
        "5 of 6 rows read alike with another row at 0.90 (83.3%), in 2 groups."
    )
    expect(tab.locator(".meaning .tag[data-tone=example]")).to_be_visible()
    groups = tab.get_by_role("table", name="Groups of rows that read alike").locator("tbody tr")
    expect(groups).to_have_count(2)
    expect(groups.nth(0)).to_contain_text("Chained")
    settle(tab)
    move(tab, 95)  # answered from the cosines that came with it
    expect(tab.locator(".meaning-lead")).to_contain_text("2 of 6 rows")
    expect(tab.locator(".meaning .tag[data-tone=stale]")).to_have_count(0)
    move(tab, 90)
    expect(groups).to_have_count(2)
    _, pairs = table(download(tab, "Download Pairs CSV"))
    start(tab)
    expect(tab.locator(".meaning .tag")).to_have_count(0, timeout=RUN_MS)
    expect(groups).to_have_count(2)
    _, computed = table(download(tab, "Download Pairs CSV"))
    for stored, own in zip(pairs, computed, strict=True):
        assert abs(float(stored.pop("cosine")) - float(own.pop("cosine"))) < 0.001
        assert stored == own


EXAMPLES = sorted((ROOT / "web" / "examples").glob("*.json"))


@pytest.mark.parametrize("path", EXAMPLES, ids=[path.stem for path in EXAMPLES])
def test_examples_hold_what_the_model_gives(path: Path) -> None:
    example = json.loads(path.read_text("utf-8"))
    field = "question" if '"question"' in example["test"]["text"] else "text"
    texts = [json.loads(line)[field] for line in example["test"]["text"].splitlines()]
    embedder = NativeEmbedder(find_model())
    rows = embedder.cut_texts(texts)
    nodes = [at for at, row in enumerate(rows) if row.readable]
    assert len({rows[at].ids for at in nodes}) == len(nodes), "no two of them read the same"
    vectors = dict(
        zip(nodes, finish(embedder.embed([rows[at].ids for at in nodes])), strict=True)
    )
    found = example["found"]
    assert found["node_of"] == [
        nodes.index(at) if at in nodes else -1 for at in range(len(rows))
    ]
    assert (found["truncated"], found["unreadable"]) == (0, len(rows) - len(nodes))
    assert [(a, b) for a, b, _ in found["cosines"]] == [*combinations(range(len(nodes)), 2)]
    for a, b, value in found["cosines"]:
        own = cosines_of(vectors[nodes[a]][None], vectors[nodes[b]][None])[0]
        assert value == pytest.approx(own, abs=1e-5)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_and_nothing_scrolls_sideways(
    chromium: Browser, site: str, scheme: Literal["light", "dark"]
) -> None:
    context = chromium.new_context(
        bypass_csp=True, color_scheme=scheme, reduced_motion="reduce"
    )
    page = context.new_page()
    page.goto(site)
    settle(page)
    page.add_script_tag(content=AXE.read_text("utf-8"))
    page.get_by_label("Open an example").select_option("meaning")
    settle(page)
    found = {"example": page.evaluate(AXE_RUN)}
    for mode in ("within the test file", "test to training"):
        run(page, mode)
        found[mode] = page.evaluate(AXE_RUN)
        page.set_viewport_size({"width": 390, "height": 800})
        width = page.evaluate("() => document.documentElement.scrollWidth")
        found[f"{mode}, width"] = [] if width <= 390 else [width]
        page.set_viewport_size({"width": 1280, "height": 800})
    context.close()
    assert {name: issues for name, issues in found.items() if issues} == {}
