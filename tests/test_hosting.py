"""Hosting: kept for offline use, updated without mixing builds, any folder, the wheel."""

import base64
import hashlib
import json
import os
import re
import shutil
import socket
import struct
import subprocess
import sys
import urllib.request
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from hosts import READY_MS, Host, change_build, copy_build, read_headers
from leakladder_dev.dist import ensure_dist
from leakladder_dev.manifest import group_of
from leakladder_dev.page_wheel import build_page_wheel
from leakladder_dev.steps import DIST, ROOT

FIRST_TITLE = "A shared run of 13 words"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A copy of the build without the saved copies, to be served and changed."""
    return copy_build(tmp_path / "site")


@pytest.fixture
def host(folder: Path) -> Iterator[Host]:
    """A host for that copy."""
    with Host(folder) as running:
        yield running


@pytest.fixture
def tab(context: BrowserContext) -> Iterator[Page]:
    """A tab whose faults fail the test, those of a host that is gone aside."""
    page = context.new_page()
    faults: list[str] = []
    page.on("pageerror", lambda error: faults.append(str(error)))
    yield page
    assert faults == []


def settle(page: Page) -> None:
    """Wait until Python runs."""
    page.locator(".strip[data-tone='ok'], .strip[data-tone='wait']").wait_for(timeout=READY_MS)


def keep(page: Page, url: str) -> None:
    """Open the page and wait until the browser has kept it."""
    page.goto(url)
    settle(page)
    expect(page.locator(".saved-line")).to_contain_text("Offline ready", timeout=READY_MS)


def check_example(page: Page) -> None:
    expect(page.locator(".answer h1")).to_contain_text("66.7%")
    expect(page.get_by_role("button", name="Download CSV")).not_to_have_attribute(
        "aria-disabled", "true", timeout=READY_MS
    )


def titles(page: Page) -> list[str]:
    """The names in the list of examples."""
    return page.get_by_label("Open an example").locator("option").all_inner_texts()


def caches(page: Page) -> list[str]:
    found: list[str] = page.evaluate("() => caches.keys()")
    return found


# ------------------------------------------------------------------ kept for offline use


@pytest.mark.browser
def test_kept_page_reloads_and_computes_with_its_server_stopped(tab: Page, host: Host) -> None:
    keep(tab, host.url)
    host.stop()
    tab.reload()
    settle(tab)
    check_example(tab)
    tab.get_by_role("button", name="n = 8").click()
    expect(tab.locator(".answer")).to_contain_text("a run of 8 tokens")
    tab.goto(f"{host.url}?utm=x#v=1&example=rows")
    settle(tab)
    expect(tab.locator("#tab-rows")).to_have_attribute("aria-selected", "true")


@pytest.mark.browser
def test_nothing_is_fetched_twice_to_keep_the_page(tab: Page, host: Host) -> None:
    keep(tab, host.url)
    large = [
        path for path in host.asked if path.endswith((".wasm", ".zip", ".whl", "worker.js"))
    ]
    assert len(large) == len(set(large)) >= 5


@pytest.mark.browser
def test_model_is_kept_only_on_request(tab: Page, host: Host) -> None:
    keep(tab, host.url)
    model = [f"/{name}" for name in json_files(host.folder) if group_of(name) == "model"]
    if not model:
        pytest.skip("this checkout has no model")
    assert not set(model) & set(host.asked)
    tab.get_by_role("button", name="Keep the model too").click()
    expect(tab.locator(".saved-line")).to_contain_text(
        "The model is kept too", timeout=READY_MS
    )
    assert set(model) <= set(host.asked)


@pytest.mark.browser
def test_model_is_kept_by_its_first_use_and_compares_with_the_server_stopped(
    tab: Page, host: Host
) -> None:
    keep(tab, host.url)
    expect(tab.locator(".saved-line")).to_contain_text("The model is not kept yet")
    compare_example(tab)
    expect(tab.locator(".saved-line")).to_contain_text(
        "The model is kept too", timeout=READY_MS
    )
    host.stop()
    tab.reload()
    settle(tab)
    compare_example(tab)


def compare_example(page: Page) -> None:
    """Hold the example's test rows against its training rows, for which a model is needed."""
    page.get_by_label("Open an example").select_option("meaning")
    page.get_by_role("button", name="test to training").click()
    page.get_by_role("button", name="ompare meanings").click()
    lead = page.locator(".meaning-lead")
    expect(lead).to_contain_text("of 6 test rows read alike", timeout=READY_MS)


def json_files(folder: Path) -> dict[str, dict[str, object]]:
    """The files of a build's manifest."""
    found: dict[str, dict[str, object]] = json.loads((folder / "manifest.json").read_text())[
        "files"
    ]
    return found


@pytest.mark.browser
def test_delete_what_is_kept_leaves_no_cache_and_no_worker(tab: Page, host: Host) -> None:
    keep(tab, host.url)
    assert len(caches(tab)) == 1
    tab.get_by_role("button", name="Delete what is kept").click()
    expect(tab.locator(".saved-line")).to_contain_text("Deleted from this browser")
    assert caches(tab) == []
    count = "async () => (await navigator.serviceWorker.getRegistrations()).length"
    assert tab.evaluate(count) == 0
    check_example(tab)


@pytest.mark.browser
@pytest.mark.parametrize("name", ["index.html", "icons/icon.svg"])
def test_damaged_file_is_never_kept(tab: Page, host: Host, name: str) -> None:
    target = host.folder / name
    target.write_bytes(target.read_bytes() + b"\n")
    tab.goto(host.url)
    settle(tab)
    expect(tab.locator(".saved-line")).to_contain_text("did not keep", timeout=READY_MS)
    assert caches(tab) == []


@pytest.mark.browser
@pytest.mark.parametrize("name", ["start.js", "app.js", "app.css"])
def test_damaged_script_or_style_is_refused_by_the_browser(
    tab: Page, host: Host, name: str
) -> None:
    target = host.folder / name
    target.write_bytes(target.read_bytes() + b"\n")
    refused: list[str] = []
    tab.on("console", lambda line: refused.append(line.text))
    tab.goto(host.url)
    tab.wait_for_timeout(1000)
    assert any("integrity" in text and name in text for text in refused)
    if name != "app.css":
        expect(tab.locator(".standby")).to_contain_text("the browser refuses it")
        assert tab.locator(".answer h1").count() == 0
    assert caches(tab) == []


def test_every_script_and_style_of_the_pages_has_its_hash() -> None:
    ensure_dist()
    seen = []
    for path in DIST.glob("*.html"):
        if path.name.startswith("leakladder-offline"):
            continue
        text = path.read_text("utf-8")
        tags = re.findall(r"<(?:script|link rel=.stylesheet.)[^>]*>", text)
        for tag in tags:
            target, value = re.findall(
                r'(?:src|href)="([^"]*)".* integrity="sha256-([^"]*)"', tag
            )[0]
            assert (
                base64.b64decode(value) == hashlib.sha256((DIST / target).read_bytes()).digest()
            )
            seen.append(target)
    # The method page has the style.
    assert sorted(seen) == ["app.css", "app.css", "app.js", "start.js"]


def test_manifest_has_the_hash_of_every_other_file() -> None:
    ensure_dist()
    found = {
        path.relative_to(DIST).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in DIST.rglob("*")
        if path.is_file() and path.name != "manifest.json"
    }
    listed = json_files(DIST)
    assert {name: entry["sha256"] for name, entry in listed.items()} == found
    core = {name for name, entry in listed.items() if entry["group"] == "core"}
    worker = (DIST / "sw.js").read_text("utf-8")
    assert {"index.html", "app.js", "app.css", "worker.js", "meaning-worker.js"} <= core | {
        name for name, entry in listed.items() if entry["group"] == "model"
    }
    for name in core:
        assert found[name] in worker, f"the service worker does not know {name}"


@pytest.mark.browser
def test_html_answer_in_place_of_a_file_is_never_kept(tab: Page, host: Host) -> None:
    (host.folder / "icons" / "icon-512.png").write_bytes(
        b"<!doctype html><title>Not found</title>"
    )
    tab.goto(host.url)
    settle(tab)
    expect(tab.locator(".saved-line")).to_contain_text("did not keep", timeout=READY_MS)
    assert caches(tab) == []


@pytest.mark.browser
def test_page_works_where_there_is_no_service_worker(chromium: Browser, host: Host) -> None:
    context = chromium.new_context()
    context.add_init_script("delete Navigator.prototype.serviceWorker")
    page = context.new_page()
    page.goto(host.url)
    settle(page)
    check_example(page)
    expect(page.locator(".saved-line")).to_have_text("Not kept by this browser.")
    context.close()


# ------------------------------------------------------------------ a new build


@pytest.mark.browser
def test_new_build_waits_for_a_click_and_never_mixes(
    tab: Page, folder: Path, tmp_path: Path
) -> None:
    second = tmp_path / "second"
    change_build(second, "Second build")
    with Host(folder) as host:
        keep(tab, host.url)
        assert FIRST_TITLE in titles(tab)
        (first_cache,) = caches(tab)
        for path in second.rglob("*"):
            if path.is_file():
                shutil.copy(path, folder / path.relative_to(second))
        tab.reload()
        settle(tab)
        # The old build, whole, while the new one is being kept beside it.
        assert FIRST_TITLE in titles(tab)
        expect(tab.locator(".saved-line")).to_contain_text("newer version", timeout=READY_MS)
        expect(tab.locator(".notice")).to_contain_text("newer version of this page is ready")
        assert len(caches(tab)) == 2
        assert FIRST_TITLE in titles(tab), "it did not reload by itself"
        asked = len(host.asked)
        with tab.expect_navigation():
            tab.get_by_role("button", name="New version ready").click()
        settle(tab)
        expect(tab.locator(".saved-line")).to_contain_text("Offline ready", timeout=READY_MS)
        assert "Second build" in titles(tab)
        assert FIRST_TITLE not in titles(tab)
        (second_cache,) = caches(tab)
        assert second_cache != first_cache
        fetched = [path for path in host.asked[asked:] if not path.startswith("/sw.js")]
        assert fetched == [], "everything came from the new build's cache"
        host.stop()
        tab.reload()
        settle(tab)
        check_example(tab)
        assert "Second build" in titles(tab)


@pytest.mark.browser
def test_new_build_fetches_only_what_changed(tab: Page, folder: Path, tmp_path: Path) -> None:
    second = tmp_path / "second"
    change_build(second, "Second build")
    with Host(folder) as host:
        keep(tab, host.url)
        shutil.copytree(second, folder, dirs_exist_ok=True)
        asked = len(host.asked)
        tab.reload()
        expect(tab.locator(".saved-line")).to_contain_text("newer version", timeout=READY_MS)
        assert sorted(set(host.asked[asked:])) == ["/examples.json", "/manifest.json", "/sw.js"]


@pytest.mark.browser
def test_new_build_with_a_missing_file_leaves_the_old_one_working(
    tab: Page, folder: Path, tmp_path: Path
) -> None:
    second = tmp_path / "second"
    change_build(second, "Second build")
    with Host(folder) as host:
        keep(tab, host.url)
        kept = caches(tab)
        shutil.copytree(second, folder, dirs_exist_ok=True)
        (folder / "examples.json").unlink()
        tab.reload()
        settle(tab)
        tab.wait_for_timeout(1500)
        assert caches(tab) == kept
        host.stop()
        tab.reload()
        settle(tab)
        check_example(tab)
        assert FIRST_TITLE in titles(tab)


# ------------------------------------------------------------------ any folder, any host


@pytest.mark.browser
def test_page_works_below_a_path_and_keeps_to_it(
    tab: Page, folder: Path, tmp_path: Path
) -> None:
    root = tmp_path / "root"
    shutil.copytree(folder, root / "tools" / "leakladder")
    (root / "index.html").write_text("<!doctype html><title>Another page</title>")
    with Host(root) as host:
        keep(tab, f"{host.url}tools/leakladder/")
        check_example(tab)
        outside = [path for path in host.asked if not path.startswith("/tools/leakladder/")]
        assert outside in ([], ["/favicon.ico"])
        (name,) = caches(tab)
        assert "/tools/leakladder/" in name
        other = tab.context.new_page()
        other.goto(host.url)
        assert other.title() == "Another page"
        host.stop()
        tab.goto(f"{host.url}tools/leakladder/index.html#v=1&example=rows")
        settle(tab)
        expect(tab.locator("#tab-rows")).to_have_attribute("aria-selected", "true")


@pytest.mark.browser
def test_page_runs_isolated_under_the_headers_it_asks_for(tab: Page, folder: Path) -> None:
    headers = read_headers(folder, "/index.html")
    assert "frame-ancestors 'none'" in headers["Content-Security-Policy"]
    assert headers["Cache-Control"] == "no-cache"
    del (
        headers["Cache-Control"],
        headers["X-Content-Type-Options"],
    )  # the host sends these itself
    with Host(folder, headers=headers) as host:
        keep(tab, host.url)
        check_example(tab)
        assert tab.evaluate("() => crossOriginIsolated") is True
        tab.reload()
        settle(tab)
        assert tab.evaluate("() => crossOriginIsolated") is True, "kept with its headers"


def test_headers_leave_the_saved_copies_their_own_policy() -> None:
    ensure_dist()
    assert "Content-Security-Policy" not in read_headers(DIST, "/leakladder-offline.html")
    page = (DIST / "index.html").read_text("utf-8")
    policy = read_headers(DIST, "/")["Content-Security-Policy"].removesuffix(
        "; frame-ancestors 'none'"
    )
    assert policy in page


@pytest.mark.browser
def test_index_opened_from_a_folder_names_the_file_to_open(page: Page) -> None:
    ensure_dist()
    page.goto((DIST / "index.html").as_uri())
    link = page.get_by_role("link", name="leakladder-offline.html")
    expect(link).to_be_visible()
    link.click()
    settle(page)
    check_example(page)


def test_every_address_in_the_build_is_relative() -> None:
    ensure_dist()
    page = (DIST / "index.html").read_text("utf-8")
    for target in re.findall(r'(?:src|href)="([^"]+)"', page):
        assert not target.startswith(("/", "http")), target
    manifest = json.loads((DIST / "manifest.webmanifest").read_text("utf-8"))
    assert (manifest["start_url"], manifest["scope"]) == ("./", "./")


def png_size(data: bytes) -> tuple[int, int]:
    """Width and height of a PNG whose pixels unpack to exactly its size."""
    assert data.startswith(b"\x89PNG\r\n\x1a\n")
    width, height = struct.unpack(">II", data[16:24])
    length = struct.unpack(">I", data[33:37])[0]
    assert len(zlib.decompress(data[41 : 41 + length])) == height * (1 + 4 * width)
    return width, height


def test_icons_are_what_the_web_manifest_says() -> None:
    ensure_dist()
    manifest = json.loads((DIST / "manifest.webmanifest").read_text("utf-8"))
    sizes = set()
    for icon in manifest["icons"]:
        path = DIST / icon["src"]
        assert path.exists()
        if icon["type"] == "image/png":
            width, height = png_size(path.read_bytes())
            assert icon["sizes"] == f"{width}x{height}"
            sizes.add(width)
    assert {192, 512} <= sizes


# ------------------------------------------------------------------ bounds


@pytest.mark.browser
def test_bounds_of_the_build_are_printed_and_hold_in_the_worker(
    tab: Page, folder: Path
) -> None:
    manifest = json.loads((folder / "manifest.json").read_text("utf-8"))
    manifest["bounds"] = {"bytes": 3_000_000, "rows": 300_000}
    (folder / "manifest.json").write_text(json.dumps(manifest), "utf-8")
    with Host(folder) as host:
        tab.goto(host.url)
        settle(tab)
        expect(tab.locator(".saved")).to_contain_text("files of up to 3.0 MB and 300,000 rows")
        data = b"word\n" * 250_000 + b"w" * 1_300_000
        file = {"name": "long.txt", "mimeType": "text/plain", "buffer": data}
        tab.locator("input[data-input=test]").set_input_files(file)  # type: ignore[arg-type]
        card = tab.locator(".slot[data-side=test]")
        expect(card).to_have_attribute("data-status", "ready", timeout=READY_MS)
        expect(card.locator(".facts").first).to_contain_text("250,001 rows")


# ------------------------------------------------------------------ the second wheel


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The page's wheel, unpacked as pip would."""
    ensure_dist()
    place = tmp_path_factory.mktemp("page-wheel")
    wheel = build_page_wheel(place)
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(place / "site-packages")
    return place / "site-packages"


def run_serve(path: str, *arguments: str) -> subprocess.Popen[str]:
    environment = dict(os.environ, PYTHONPATH=path, PYTHONUNBUFFERED="1")
    return subprocess.Popen(
        [sys.executable, "-m", "leakladder", "serve", *arguments],
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def test_serve_says_how_to_install_the_page() -> None:
    process = run_serve(str(ROOT / "py"), "--no-open", "--port", "0")
    out, err = process.communicate(timeout=30)
    assert process.returncode == 2
    assert "pip install leakladder-page" in err
    assert "Traceback" not in err + out


def test_serve_shows_the_installed_page_on_this_machine_only(installed: Path) -> None:
    process = run_serve(f"{ROOT / 'py'}{os.pathsep}{installed}", "--no-open", "--port", "0")
    assert process.stdout is not None
    try:
        line = process.stdout.readline()
        found = re.match(r"Serving (http://127\.0\.0\.1:\d+/)", line)
        assert found, line
        for name, kind in (
            ("", "text/html; charset=utf-8"),
            ("pyodide/pyodide.asm.wasm", "application/wasm"),
            ("sw.js", "text/javascript; charset=utf-8"),
        ):
            with urllib.request.urlopen(found[1] + name) as answer:
                assert answer.headers["Content-Type"] == kind
                assert answer.read() == (DIST / (name or "index.html")).read_bytes()
    finally:
        process.terminate()
        process.communicate(timeout=30)


def test_serve_outlives_a_browser_that_closes_its_connection(installed: Path) -> None:
    process = run_serve(f"{ROOT / 'py'}{os.pathsep}{installed}", "--no-open", "--port", "0")
    assert process.stdout is not None
    try:
        found = re.match(r"Serving http://127\.0\.0\.1:(\d+)/", process.stdout.readline())
        assert found
        for _ in range(5):
            with socket.create_connection(("127.0.0.1", int(found[1]))) as caller:
                caller.sendall(b"GET /pyodide/pyodide.asm.wasm HTTP/1.0\r\n\r\n")
                caller.recv(1)
                reset = struct.pack("ii", 1, 0)
                caller.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, reset)
        with urllib.request.urlopen(f"http://127.0.0.1:{found[1]}/") as answer:
            assert answer.read() == (DIST / "index.html").read_bytes()
        assert process.poll() is None
    finally:
        process.terminate()
        _, said = process.communicate(timeout=30)
    assert said == ""


def test_page_wheel_holds_the_whole_build(installed: Path) -> None:
    names = {
        path.relative_to(DIST).as_posix(): path.stat().st_size
        for path in DIST.rglob("*")
        if path.is_file()
    }
    site = installed / "leakladder_page" / "site"
    assert names == {
        path.relative_to(site).as_posix(): path.stat().st_size
        for path in site.rglob("*")
        if path.is_file()
    }


# ------------------------------------------------------------------ the deployment


def test_deployment_builds_and_publishes_dist() -> None:
    text = (ROOT / ".github" / "workflows" / "pages.yml").read_text("utf-8")
    assert "python build.py build" in text
    assert re.search(r"path: dist\n", text)
    assert "pages: write" in text
    assert "actions/deploy-pages@" in text
    for action in re.findall(r"uses: (\S+)", text):
        assert re.search(r"@v\d+$", action), f"{action} is not pinned"
