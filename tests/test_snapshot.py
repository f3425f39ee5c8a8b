"""Python started from a picture of its memory: same bytes, and a plain start where it fails."""

import ast
import json
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from hosts import READY_MS, Host, change_build, copy_build
from leakladder_dev.steps import ROOT
from tabs import settle, starts, wait_for_outcome, wait_for_snapshot

MARKER = "qjxsnapshotmarker"
FOX = "the quick brown fox jumps over the lazy dog and runs away from the"
WORDS = ("old", "große", "ﬁerce", "\U0001f43b")
PAIR = {
    "test": [f"{MARKER} {word} {FOX} {word} bear at noon" for word in WORDS],
    "train": [f"so {FOX} old bear", f"{MARKER} große {FOX} große bear", "nothing of it"],
}

# The address under which the picture lies in the cache of its build, and what is noted with it.
FIND = """
  const [name] = await caches.keys()
  const cache = await caches.open(name)
  const address = new URL('python.snapshot', document.baseURI).href
  const kept = await cache.match(address)
"""
SIZE = f"async () => {{ {FIND} return kept ? (await kept.arrayBuffer()).byteLength : null }}"
CHANGE_A_BYTE = f"""async () => {{ {FIND}
  const bytes = new Uint8Array(await kept.arrayBuffer())
  bytes[bytes.length >> 1] ^= 1
  await cache.put(address, new Response(bytes, {{ headers: kept.headers }}))
}}"""
# A body whose hash is right and which is no memory at all.
MAKE_UNUSABLE = f"""async () => {{ {FIND}
  const bytes = new TextEncoder().encode('not a memory, but kept with its own hash')
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes))
  const sha256 = Array.from(digest, (byte) => byte.toString(16).padStart(2, '0')).join('')
  const headers = {{ 'x-sha256': sha256, 'x-browser': kept.headers.get('x-browser') }}
  await cache.put(address, new Response(bytes, {{ headers }}))
}}"""
OTHER_BROWSER = f"""async () => {{ {FIND}
  const headers = {{ 'x-sha256': kept.headers.get('x-sha256'), 'x-browser': 'Another/1.0' }}
  await cache.put(address, new Response(await kept.arrayBuffer(), {{ headers }}))
}}"""
HOLDS = f"""async (marker) => {{ {FIND}
  return new TextDecoder('latin1').decode(await kept.arrayBuffer()).includes(marker)
}}"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the build without the saved copies."""
    return copy_build(tmp_path_factory.mktemp("snapshot") / "site")


@pytest.fixture(scope="module")
def host(folder: Path) -> Iterator[Host]:
    """A host for that copy."""
    with Host(folder) as running:
        yield running


@pytest.fixture(scope="module")
def kept(chromium: Browser, host: Host) -> Iterator[Page]:
    """A tab after its first visit, with the picture in the browser; what changes it, last."""
    context = chromium.new_context()
    page = context.new_page()
    page.goto(host.url)
    settle(page)
    wait_for_snapshot(page)
    yield page
    context.close()


@pytest.fixture
def faults(page: Page) -> list[str]:
    """What went wrong in the tab without being caught."""
    found: list[str] = []
    page.on("pageerror", lambda error: found.append(str(error)))
    return found


def check_example(page: Page) -> None:
    """The example's answer is there, computed by this tab's Python."""
    expect(page.locator(".answer h1")).to_contain_text("66.7%")
    button = page.get_by_role("button", name="Download CSV")
    expect(button).not_to_have_attribute("aria-disabled", "true", timeout=READY_MS)


def reload(page: Page) -> None:
    page.reload()
    settle(page)


def give_pair(page: Page) -> None:
    page.locator("#tab-ngrams").click()
    for side, texts in PAIR.items():
        rows = [{"id": f"{side}{at}", "text": text} for at, text in enumerate(texts)]
        data = "".join(json.dumps(row) + "\n" for row in rows).encode()
        file: Any = {"name": f"{side}.jsonl", "mimeType": "application/json", "buffer": data}
        page.locator(f"input[data-input={side}]").set_input_files(file)
    expect(page.locator(".answer h1")).to_contain_text("4 of 4", timeout=READY_MS)
    settle(page)


def exports(page: Page) -> dict[str, bytes]:
    """What every rung writes of the files in the page, CSV and JSON."""
    saved = {}
    for tab in ("rows", "ngrams", "rules"):
        page.locator(f"#tab-{tab}").click()
        for kind in ("CSV", "JSON"):
            button = page.get_by_role("button", name=f"Download {kind}", exact=True)
            expect(button).not_to_have_attribute("aria-disabled", "true", timeout=READY_MS)
            with page.expect_download() as waiting:
                button.click()
            saved[f"{tab}.{kind}"] = Path(waiting.value.path()).read_bytes()
    return saved


def all_exports(page: Page) -> list[dict[str, bytes]]:
    """The exports of the example and of a pair of files."""
    check_example(page)
    example = exports(page)
    give_pair(page)
    return [example, exports(page)]


@pytest.mark.browser
def test_second_visit_starts_from_the_picture_and_writes_the_same_bytes(
    page: Page, host: Host
) -> None:
    page.goto(host.url)
    settle(page)
    assert starts(page) == ["plain"]
    plain = all_exports(page)
    wait_for_snapshot(page)
    assert 10_000_000 < page.evaluate(SIZE) < 25_000_000
    assert page.evaluate(HOLDS, "leakladder.bridge"), "the search finds what is there"
    assert not page.evaluate(HOLDS, MARKER), "taken beside the files, not of them"
    asked = len(host.asked)
    reload(page)
    assert starts(page) == ["snapshot"]
    restored = all_exports(page)
    assert restored == plain
    assert all(len(part) == 6 and len(part["rules.JSON"]) > 1_000 for part in restored)
    assert MARKER.encode() in restored[1]["ngrams.CSV"]
    fetched = [path for path in host.asked[asked:] if path != "/sw.js"]
    assert fetched == []
    assert starts(page) == ["snapshot"]


@pytest.mark.browser
def test_replaced_worker_starts_from_the_picture(kept: Page) -> None:
    before = starts(kept)
    give_pair(kept)
    (worker,) = kept.workers
    worker.evaluate("""() => { setTimeout(() => {
      const end = performance.now() + 6000
      while (performance.now() < end);
    }, 100) }""")
    kept.wait_for_timeout(200)
    kept.get_by_role("button", name="n = 8").click()
    kept.get_by_role("button", name="Stop").click()
    expect(kept.locator(".notice")).to_contain_text("replaced", timeout=READY_MS)
    expect(kept.locator(".answer h1")).to_contain_text("4 of 4", timeout=READY_MS)
    assert starts(kept) == [*before, "snapshot"]


@pytest.mark.browser
@pytest.mark.parametrize(
    "change",
    [
        pytest.param(CHANGE_A_BYTE, id="damaged"),
        pytest.param(OTHER_BROWSER, id="of another browser version"),
    ],
)
def test_picture_that_may_not_be_used_is_taken_again(kept: Page, change: str) -> None:
    kept.evaluate(change)
    reload(kept)
    assert starts(kept) == ["plain"]
    check_example(kept)
    wait_for_snapshot(kept)
    reload(kept)
    assert starts(kept) == ["snapshot"]


@pytest.mark.browser
def test_picture_that_does_not_load_is_given_up_for_this_build(kept: Page) -> None:
    kept.evaluate(MAKE_UNUSABLE)
    reload(kept)
    assert starts(kept) == ["plain"]
    check_example(kept)
    assert kept.evaluate(SIZE) == 0
    kept.wait_for_timeout(4_000)  # twice as long as the page rests before it takes one
    assert kept.evaluate(SIZE) == 0
    reload(kept)
    assert starts(kept) == ["plain"]


@pytest.mark.browser
def test_picture_is_not_kept_once_a_person_has_deleted_the_page(page: Page, host: Host) -> None:
    page.goto(host.url)
    settle(page)
    page.get_by_role("button", name="Delete what is kept").click(timeout=READY_MS)
    expect(page.locator(".saved-line")).to_contain_text("Deleted from this browser")
    (outcome,) = wait_for_outcome(page)
    assert "not kept any more" in outcome
    assert page.evaluate("caches.keys()") == []


@pytest.mark.browser
def test_newer_build_starts_plainly_and_drops_the_picture(
    context: BrowserContext, folder: Path, tmp_path: Path
) -> None:
    served, second = tmp_path / "served", tmp_path / "second"
    shutil.copytree(folder, served)
    change_build(second, "Second build")
    page = context.new_page()
    with Host(served) as host:
        page.goto(host.url)
        settle(page)
        wait_for_snapshot(page)
        shutil.copytree(second, served, dirs_exist_ok=True)
        reload(page)
        assert starts(page) == ["snapshot"], "the old build, until a person changes to the new"
        expect(page.locator(".saved-line")).to_contain_text("newer version", timeout=READY_MS)
        with page.expect_navigation():
            page.get_by_role("button", name="New version ready").click()
        settle(page)
        assert starts(page) == ["plain"]
        expect(page.locator(".saved-line")).to_contain_text("Offline ready", timeout=READY_MS)
        wait_for_snapshot(page)
        (only,) = page.evaluate("caches.keys()")
        build = json.loads((second / "manifest.json").read_text("utf-8"))["build"]
        assert only.endswith(build)


BLOCKED = {
    "every call refused": """
      for (const name of ['open', 'has', 'keys', 'match', 'delete']) {
        CacheStorage.prototype[name] = async () => { throw new DOMException('', 'Security') }
      }""",
    "not even named": """Object.defineProperty(globalThis, 'caches', {
        get() { throw new DOMException('', 'SecurityError') } })""",
    "not there": "delete globalThis.caches",
    "full": """Cache.prototype.put = async () => {
        throw new DOMException('', 'QuotaExceededError') }""",
}
NO_ROOM_FOR_IT = """{ const { put } = Cache.prototype
  Cache.prototype.put = async function (request, response) {
    if (String(request).endsWith('snapshot')) throw new DOMException('no room', 'Quota')
    return put.call(this, request, response)
} }"""


@pytest.mark.browser
@pytest.mark.parametrize("way", BLOCKED)
def test_page_works_where_storage_is_blocked_or_full(
    way: str, page: Page, host: Host, faults: list[str]
) -> None:
    page.add_init_script(BLOCKED[way])
    page.goto(host.url)
    settle(page)
    check_example(page)
    assert starts(page) == ["plain"]
    assert faults == []


@pytest.mark.browser
def test_page_is_kept_where_there_is_no_room_for_the_picture(
    page: Page, host: Host, faults: list[str]
) -> None:
    page.add_init_script(NO_ROOM_FOR_IT)
    page.goto(host.url)
    settle(page)
    expect(page.locator(".saved-line")).to_contain_text("Offline ready", timeout=READY_MS)
    (outcome,) = wait_for_outcome(page)
    assert "no room" in outcome
    reload(page)
    assert starts(page) == ["plain"]
    check_example(page)
    assert faults == []


def page_modules() -> list[str]:
    """The package's modules that Python has imported once it has what the page imports."""
    code = (
        "import sys, leakladder.bridge; print(*(m for m in sys.modules if 'leakladder' in m))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={"PYTHONPATH": str(ROOT / "py")},
        capture_output=True,
        text=True,
        check=True,
    )
    return sorted(done.stdout.split())


def test_page_imports_nothing_of_the_package_later_than_at_its_start() -> None:
    """The restored interpreter has the package in its memory, not in its file system."""
    loaded = page_modules()
    assert len(loaded) > 40
    late = []
    for name in loaded:
        base = ROOT / "py" / Path(*name.split("."))
        path = base / "__init__.py" if base.is_dir() else base.with_suffix(".py")
        for function in ast.walk(ast.parse(path.read_text("utf-8"))):
            if not isinstance(function, ast.FunctionDef | ast.Lambda):
                continue
            for node in ast.walk(function):
                names = [alias.name for alias in getattr(node, "names", [])]
                source = getattr(node, "module", None) or ""
                if isinstance(node, ast.Import | ast.ImportFrom) and any(
                    each.startswith("leakladder") for each in (*names, source)
                ):
                    late.append(f"{name}: {ast.unparse(node)}")
    assert late == []
