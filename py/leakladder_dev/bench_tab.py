"""The page in a browser, as the bench drives it: open it, drop files, read its stop watch.

Times are taken inside the page by `tests/bench/pages/tap.js`; nothing of this side is in them.
"""

import base64
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from playwright.sync_api import BrowserContext, Error, Page, Playwright

from leakladder_dev.bench_files import SCRIPTS
from leakladder_dev.bench_host import BenchHost
from leakladder_dev.browser import find_browser, launch_flags
from leakladder_dev.steps import StepError

PAGES = SCRIPTS / "pages"
PATIENCE_MS = 300_000
CACHE_BYTES = 1_000_000_000  # a browser keeps no file over an eighth of its cache
LOOK_MS = 100
WARMING = 3  # visits that fill the HTTP cache, and beside it the browser's of compiled code

KEPT = """async () => {
  const [told] = performance.getEntriesByName('leakladder-snapshot')
  const worker = (await navigator.serviceWorker.getRegistration())?.active?.state
  return worker === 'activated' && told ? told.detail : null
}"""


@contextmanager
def new_profile(play: Playwright) -> Iterator[BrowserContext]:
    """Give a browser with a new profile on disk, so that its HTTP cache is a real one."""
    folder = tempfile.mkdtemp(prefix="bench-profile-")
    context = play.chromium.launch_persistent_context(
        folder,
        executable_path=find_browser_once(),
        args=[*launch_flags(), f"--disk-cache-size={CACHE_BYTES}"],
        viewport={"width": 1440, "height": 900},
    )
    try:
        context.set_default_timeout(PATIENCE_MS)
        context.add_init_script(path=PAGES / "tap.js")
        yield context
    finally:
        context.close()
        shutil.rmtree(folder, ignore_errors=True)


_found: list[str] = []


def find_browser_once() -> str:
    """Return the browser's path, looked for once: that takes a Playwright of its own.

    Raises:
        StepError: If there is none and none can be installed.
    """
    if not _found:
        _found.append(find_browser())
    return _found[0]


def open_page(context: BrowserContext, url: str) -> Page:
    """Open an address in a new tab; what goes wrong in it ends the row.

    Raises:
        StepError: If the page was not served.
    """
    page = context.new_page()
    answer = page.goto(url)
    if answer is None or not answer.ok:
        raise StepError("open a page of the bench", f"{url} was not served", "see the host")
    return page


def open_ready(context: BrowserContext, host: BenchHost) -> Page:
    """Open the product's page and wait until it is ready."""
    page = open_page(context, host.url)
    moment(page, "bench.ready")
    return page


def visit_once(context: BrowserContext, host: BenchHost) -> None:
    """Open the page and let it finish keeping itself; later opens find nothing to do."""
    page = open_ready(context, host)
    wait_kept(page)
    page.close()


def wait_kept(page: Page) -> None:
    """Wait, on a first visit, until the page and the picture of Python's memory are kept.

    Raises:
        StepError: If they are not.
    """
    said = None
    for _ in range(round(PATIENCE_MS / LOOK_MS)):
        said = page.evaluate(KEPT)
        if said is not None:
            break
        page.wait_for_timeout(LOOK_MS)
    if said != "kept":
        raise StepError("let the page keep itself", f"it said {said}", "see web/startup.js")


def started_from(page: Page) -> str:
    """Return how Python was started in this tab, in the page's own word."""
    return str(page.evaluate("performance.getEntriesByName('leakladder-ready')[0].detail"))


def moment(page: Page, promise: str) -> float:
    """Return when, in seconds since the page was asked for, a promise of it was kept."""
    return float(ask(page, f"() => {promise}")) / 1000


def ask(page: Page, function: str, argument: Any = None) -> Any:
    """Return what a function of the page gives, or fail when that takes minutes.

    Raises:
        StepError: If it took too long; what went wrong in the page is in it.
    """
    faults: list[str] = []
    page.on("pageerror", lambda error: faults.append(str(error)))
    late = f"new Promise((_, no) => setTimeout(() => no(new Error('too late')), {PATIENCE_MS}))"
    try:
        return page.evaluate(
            f"(given) => Promise.race([({function})(given), {late}])", argument
        )
    except Error as error:
        why = f"{'; '.join(faults) or error.message} in {function}"
        raise StepError("measure in the page", why, "open the page by hand") from error


def hold(page: Page, *paths: Path, names: tuple[str, ...] = ()) -> list[str]:
    """Give the page files to drop; returns their names there."""
    chosen = names or tuple(path.name for path in paths)
    for name, path in zip(chosen, paths, strict=True):
        data = base64.b64encode(path.read_bytes()).decode()
        page.evaluate("([name, data]) => bench.hold(name, data)", [name, data])
    return list(chosen)


def timed(page: Page, act: str, until: str, *arguments: Any) -> float:
    """Do something in the page and return the seconds until it can be seen to be done.

    Args:
        page: The tab.
        act: An expression that does it and gives the moment; `args` are the arguments.
        until: An expression that holds once it is done.
        arguments: JSON-able.
    """
    script = f"""async (args) => {{
      const began = {act}
      return (await bench.until(() => {until})) - began
    }}"""
    return float(ask(page, script, list(arguments))) / 1000


def open_tab(page: Page, name: str) -> None:
    """Open a tab of the page; one that a person chose stays open."""
    page.locator(f"#tab-{name}").click()


def wasm_bytes(page: Page) -> int:
    """Return the WebAssembly memory of all the page's workers; it never shrinks.

    Raises:
        StepError: If no worker has any.
    """
    sizes = [int(worker.evaluate("() => self.benchMemory?.() ?? 0")) for worker in page.workers]
    if not sum(sizes):
        raise StepError("read the worker's memory", "no worker has any", "see tap.js")
    return sum(sizes)
