"""The saved copies: one file, opened from a folder without any network, all rungs working."""

import csv
import hashlib
import io
import json
import os
import re
import shutil
from collections.abc import Callable, Iterator
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from hosts import READY_MS
from leakladder.embed_native import NativeEmbedder, find_model
from leakladder.jobs import finish
from leakladder.search_native import cosines_of
from leakladder_dev.browser import find_browser, launch_flags
from leakladder_dev.dist import ensure_dist
from leakladder_dev.manifest import COPY_FILES
from leakladder_dev.offline import MOST_BYTES, content_hash, offline_policy
from leakladder_dev.steps import DIST
from tabs import settle

WHOLE, CORE = COPY_FILES
NO_NETWORK = "--host-resolver-rules=MAP * ~NOTFOUND"
PROBES = """async () => {
  await new Promise((resolve) => setTimeout(resolve)) // not as the debugger
  const address = 'https://example.org/x'
  const tries = {
    fetch: () => fetch(address),
    xhr: () => new Promise((resolve, reject) => {
      const request = new XMLHttpRequest()
      request.onload = resolve
      request.onerror = reject
      request.open('GET', address)
      request.send()
    }),
    socket: () => new WebSocket('wss://example.org/x'),
    beacon: () => { if (navigator.sendBeacon(address, 'x')) throw new Error('queued') },
    eval: () => (0, eval)('1'),
    worker: () => new Worker('data:text/javascript,1'),
  }
  const refused = []
  addEventListener('securitypolicyviolation', (event) => refused.push(event.effectiveDirective))
  const image = new Image()
  image.src = address
  for (const go of Object.values(tries)) try { await go() } catch { /* refused */ }
  await new Promise((go) => setTimeout(go, 300))
  return refused.sort()
}"""


@pytest.fixture(scope="module")
def cut_off(chromium: Browser) -> Iterator[Browser]:
    """A Chromium of its own that can resolve no name at all."""
    path = os.environ.get("LEAKLADDER_BROWSER") or find_browser()
    flags = [*launch_flags(), NO_NETWORK]
    browser = chromium.browser_type.launch(executable_path=path, args=flags)
    yield browser
    browser.close()


@pytest.fixture
def lone(cut_off: Browser) -> Iterator[Page]:
    """A tab without a network; uncaught errors and requests for anything fail the test."""
    context = cut_off.new_context(
        accept_downloads=True, viewport={"width": 1440, "height": 900}
    )
    page = context.new_page()
    wrong: list[str] = []
    page.on("pageerror", lambda error: wrong.append(str(error)))
    context.on(
        "request",
        lambda request: (
            wrong.append(request.url)
            if not request.url.startswith(("file:", "blob:", "data:"))
            else None
        ),
    )
    yield page
    context.close()
    assert [each for each in wrong if "example.org" not in each] == []


def copied_alone(name: str, folder: Path) -> str:
    """Address of a saved copy in a folder that holds nothing else."""
    ensure_dist()
    return Path(shutil.copy(DIST / name, folder / "my copy é.html")).as_uri()


def download(page: Page, button: str) -> bytes:
    with page.expect_download() as waiting:
        page.get_by_role("button", name=button).click()
    return Path(waiting.value.path()).read_bytes()


@pytest.mark.browser
@pytest.mark.parametrize("name", COPY_FILES)
def test_saved_copy_computes_every_rung_without_a_network(
    lone: Page, tmp_path: Path, name: str
) -> None:
    lone.goto(copied_alone(name, tmp_path))
    settle(lone)
    run = "a b c d e f g h i j k l m"
    for side, text in (("test", f"{run} x"), ("train", f"y {run}")):
        data = json.dumps({"id": 1, "text": text}).encode()
        file: Any = {"name": f"{side}.jsonl", "mimeType": "text/plain", "buffer": data}
        lone.locator(f"input[data-input={side}]").set_input_files(file)
    expect(lone.locator(".answer h1")).to_contain_text("1 of 1", timeout=READY_MS)
    settle(lone)
    for tab, column in (("ngrams", "dirty_share"), ("rows", "match"), ("rules", "label")):
        lone.locator(f"#tab-{tab}").click()
        rows = list(csv.DictReader(io.StringIO(download(lone, "Download CSV").decode())))
        assert column in rows[0]
    expect(lone.locator(".answer")).to_contain_text("1 row")
    text = lone.locator(".saved").inner_text()
    assert "saved copy" in text
    assert ("leaves out the meaning check" in text) == (name == CORE or not has_model())
    assert "Save a copy" not in text
    lone.locator("#tab-meaning").click()
    lacks = name == CORE or not has_model()
    says = "made without the model" if lacks else "Unpacks the model"
    expect(lone.locator(".meaning-start")).to_contain_text(says, timeout=READY_MS)


TEXTS = [
    "How can I end my subscription?",
    "Which planet is the largest in the solar system?",
    "How do I cancel my subscription?",
    "What is the biggest planet in our solar system?",
    "At what temperature does water boil?",
]
TRAIN = [
    "Where do penguins live?",
    "The largest planet of the solar system is which one?",
    "What do I do to cancel the subscription?",
]


@pytest.fixture(scope="module")
def native() -> Callable[[str, str], float]:
    """Cosines by the command line's runtime."""
    embedder = NativeEmbedder(find_model())
    texts = [*TEXTS, *TRAIN]
    vectors = finish(embedder.embed([row.ids for row in embedder.cut_texts(texts)]))
    by_text = dict(zip(texts, vectors, strict=True))

    def cosine(one: str, other: str) -> float:
        return float(cosines_of(by_text[one][None], by_text[other][None])[0])

    return cosine


def give_texts(page: Page) -> None:
    for side, texts in (("test", TEXTS), ("train", TRAIN)):
        data = "".join(json.dumps({"text": text}) + "\n" for text in texts).encode()
        file: Any = {"name": f"{side}.jsonl", "mimeType": "text/plain", "buffer": data}
        page.locator(f"input[data-input={side}]").set_input_files(file)
        slot = page.locator(f".slot[data-side={side}]")
        expect(slot).to_have_attribute("data-status", "ready", timeout=READY_MS)
    settle(page)
    page.locator("#tab-meaning").click()


def read_csv(data: bytes) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(data.decode())))


@pytest.mark.browser
def test_saved_copy_compares_meanings_without_a_network(
    lone: Page, tmp_path: Path, native: Callable[[str, str], float]
) -> None:
    lone.goto(copied_alone(WHOLE, tmp_path))
    settle(lone)
    give_texts(lone)
    expect(lone.locator(".meaning-go")).to_contain_text("Unpacks the model")
    expect(lone.locator(".meaning-go")).to_contain_text("from this file, once")
    lone.get_by_label("Cosine threshold").fill("85")
    lone.get_by_role("button", name="ompare meanings").click()
    lead = lone.locator(".meaning-lead")
    expect(lead).to_contain_text("4 of 5 rows", timeout=READY_MS)
    every = {(a, b): native(a, b) for a, b in combinations(TEXTS, 2)}
    pairs = read_csv(download(lone, "Download Pairs CSV"))
    expected = {pair for pair, cosine in every.items() if cosine >= 0.85}
    assert {(row["a_text"], row["b_text"]) for row in pairs} == expected
    assert len(expected) == 2
    for row in pairs:
        assert abs(float(row["cosine"]) - every[row["a_text"], row["b_text"]]) < 0.001
    groups = read_csv(download(lone, "Download Groups CSV"))
    assert [(row["group"], row["record"]) for row in groups] == [
        ("1", "1"), ("1", "3"), ("2", "2"), ("2", "4"),
    ]  # fmt: skip
    lone.get_by_role("button", name="test to training").click()
    expect(lone.locator(".meaning-go")).to_contain_text("nothing is fetched")
    lone.get_by_role("button", name="ompare meanings").click()
    expect(lead).to_contain_text("test rows read alike with a training row", timeout=READY_MS)
    nearest = read_csv(download(lone, "Download Nearest CSV"))
    assert [row["text"] for row in nearest] == TEXTS
    for row in nearest:
        text = row["text"]
        cosines = {train: native(text, train) for train in TRAIN}
        assert cosines[row["train_text"]] == max(cosines.values())
        assert abs(float(row["cosine"]) - max(cosines.values())) < 0.001
    assert json.loads(nearest[0]["stamp"])["model"]["id"] == "all-MiniLM-L6-v2"


@pytest.mark.browser
def test_copy_without_the_model_says_so_where_it_is_missed(lone: Page, tmp_path: Path) -> None:
    lone.goto(copied_alone(CORE, tmp_path) + "#v=1&example=meaning&cosine=0.95")
    lead = lone.locator(".meaning-lead")
    expect(lead).to_contain_text("2 of 6 rows", timeout=READY_MS)  # it came with the example
    give_texts(lone)
    box = lone.locator(".meaning-start")
    expect(box).to_contain_text("made without the model")
    expect(box).to_contain_text("leakladder-offline.html")
    expect(lone.get_by_role("button", name="ompare meanings")).to_have_count(0)
    expect(lead).to_have_count(0)


def has_model() -> bool:
    files = json.loads((DIST / "manifest.json").read_text("utf-8"))["files"]
    return any(entry["group"] == "model" for entry in files.values())


@pytest.mark.browser
def test_links_work_in_the_saved_copy(lone: Page, tmp_path: Path) -> None:
    lone.goto(copied_alone(CORE, tmp_path) + "#v=1&example=rows&n=8")
    settle(lone)
    expect(lone.locator("#tab-rows")).to_have_attribute("aria-selected", "true")
    lone.locator("#tab-ngrams").click()
    expect(lone.get_by_label("n, 5 to 25")).to_have_value("8")
    lone.wait_for_url(re.compile("rung=ngrams"))
    lone.go_back()
    expect(lone.locator("#tab-rows")).to_have_attribute("aria-selected", "true")


@pytest.mark.browser
def test_saved_copy_refuses_every_connection(lone: Page, tmp_path: Path) -> None:
    lone.goto(copied_alone(CORE, tmp_path))
    settle(lone)
    refused = lone.evaluate(PROBES)
    assert refused.count("connect-src") == 4
    assert "img-src" in refused
    assert "worker-src" in refused or "require-trusted-types-for" in refused


@pytest.mark.browser
def test_bytes_are_taken_out_of_the_page_once_decoded(lone: Page, tmp_path: Path) -> None:
    lone.goto(copied_alone(CORE, tmp_path))
    settle(lone)
    left = lone.evaluate("() => document.documentElement.textContent.length")
    own = ("app.js", "app.css", "index.html", "licenses.html", "method.html")
    assert left < 1.05 * sum((DIST / each).stat().st_size for each in own), "only these stay"


@pytest.mark.browser
def test_method_and_licences_open_inside_the_saved_copy(lone: Page, tmp_path: Path) -> None:
    lone.goto(copied_alone(CORE, tmp_path))
    settle(lone)
    address = lone.url
    section = lone.locator("[data-page='method.html']")
    expect(section).to_be_hidden()
    lone.locator("footer a[href='method.html']").click()
    expect(section).to_be_visible()
    section.locator("a[href='#ngrams']").first.click()
    expect(section.locator("#ngrams")).to_be_in_viewport()
    lone.locator("footer a[href='licenses.html']").click()
    expect(lone.locator("[data-page='licenses.html'] h1")).to_be_in_viewport()
    assert lone.url == address


@pytest.mark.parametrize("name", COPY_FILES)
def test_saved_copy_keeps_to_its_size(name: str) -> None:
    ensure_dist()
    assert (DIST / name).stat().st_size <= MOST_BYTES[name]
    assert MOST_BYTES == {WHOLE: 45_000_000, CORE: 16_000_000}


@pytest.mark.parametrize("name", COPY_FILES)
def test_saved_copy_holds_no_address_and_no_open_door(name: str) -> None:
    ensure_dist()
    page = (DIST / name).read_text("utf-8")
    head = page[: page.index("<style>")]
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', head)
    assert policy
    rules = dict(rule.strip().partition(" ")[::2] for rule in policy[1].split(";"))
    assert rules["connect-src"] == "'none'"
    assert "unsafe-inline" not in policy[1]
    assert "unsafe-eval" not in policy[1].replace("wasm-unsafe-eval", "")
    shell = re.sub(r"<(script|style)\b.*?</\1>", "", page, flags=re.DOTALL)
    sections = re.findall(r"<section [^>]*data-page=.*?</section>", shell, flags=re.DOTALL)
    for section in sections:  # sources to read, which a person may follow; nothing is fetched
        assert not re.search(r"<(?!a\b|p\b)[^>]*\b(?:src|href)=", section)
        shell = shell.replace(section, "")
    assert sorted(re.findall(r'(?:src|href)="(?!data:|#)([^"]*)"', shell)) == [
        "leakladder-offline.html",
        "licenses.html",
        "method.html",
    ]


@pytest.mark.parametrize("name", COPY_FILES)
def test_saved_copy_carries_every_file_with_its_hash(name: str) -> None:
    ensure_dist()
    page = (DIST / name).read_text("utf-8")
    nodes = set(re.findall(r'<script type="[^"]*" data-path="([^"]+)"', page)) - {
        "manifest.json"
    }
    files = json.loads((DIST / "manifest.json").read_text("utf-8"))["files"]
    groups = {"core"} if name == CORE else {"core", "model"}
    shell = (
        "index.html", "start.js", "app.js", "app.css", "manifest.webmanifest", "icons/",
    )  # fmt: skip
    sections = ("method.html", "licenses.html")
    assert re.findall(r'<section [^>]*data-page="([^"]+)" hidden>', page) == [*sections]
    wanted = {
        path
        for path, entry in files.items()
        if entry["group"] in groups and not path.startswith(shell + sections)
    }
    assert nodes == wanted


@pytest.mark.parametrize("name", COPY_FILES)
def test_no_script_element_is_long(name: str) -> None:
    """WebKit needs time quadratic in the length of one: a minute for 20 million characters."""
    ensure_dist()
    page = (DIST / name).read_text("utf-8")
    lengths = [
        len(text) for text in re.findall(r"<script[^>]*>(.*?)</script>", page, re.DOTALL)
    ]
    assert sum(lengths) > 0.9 * len(page)
    assert max(lengths) <= 1_000_000


def test_manifest_names_size_and_hash_of_the_copies() -> None:
    ensure_dist()
    files = json.loads((DIST / "manifest.json").read_text("utf-8"))["files"]
    for name in COPY_FILES:
        data = (DIST / name).read_bytes()
        assert files[name]["bytes"] == len(data)
        assert files[name]["sha256"] == hashlib.sha256(data).hexdigest()
        assert files[name]["group"] == "copy"


def test_policy_of_the_copy_follows_the_page() -> None:
    hosted = (
        "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self' 'sha256-x';"
        " worker-src 'self' blob:; img-src 'self' data: blob:; manifest-src 'self'; "
        "connect-src 'self'; base-uri 'none'"
    )
    assert offline_policy(hosted, "script", "style") == (
        f"default-src 'none'; script-src {content_hash('script')} 'wasm-unsafe-eval'; "
        f"style-src {content_hash('style')} 'sha256-x'; worker-src blob:; img-src data: blob:; "
        "connect-src 'none'; base-uri 'none'"
    )


def test_content_hash_is_the_one_browsers_compute() -> None:
    # Of the text alert('Hello, world.'); as in the CSP Level 2 recommendation, section 7.
    assert content_hash("alert('Hello, world.');") == (
        "'sha256-qznLcsROx4GACP2dm0UCKCzCG+HiZ1guq6ZZDob/Tng='"
    )
