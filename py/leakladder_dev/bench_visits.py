"""Bench: from opening the page to ready, and what a first visit costs on the wire."""

from playwright.sync_api import BrowserContext

from leakladder_dev.bench_figure import Figure, Target, sample
from leakladder_dev.bench_host import BenchHost, Sent
from leakladder_dev.bench_run import Bench
from leakladder_dev.bench_tab import WARMING, moment, open_page, started_from, wait_kept
from leakladder_dev.steps import StepError

STORED = "service_workers,cache_storage,local_storage,indexeddb,websql,file_systems"
LARGE = 100_000
PLAIN = "a page of `loadPyodide`, micropip and the wheel alone, warm HTTP cache"
PLAIN_READY = "bench.until(() => document.querySelector('#told')?.textContent === 'ready')"


def measure_visits(bench: Bench) -> list[Figure]:
    """Open the page as a new and then as a returning visitor, in turn with a plain page."""
    first: list[float] = []
    later: list[float] = []
    plain: list[float] = []
    beside: list[float] = []
    ways: list[str] = []
    with bench.plain_host() as other, bench.host() as host, bench.browser() as context:
        address = f"{other.url}plain.html"
        for turn in range(bench.runs + WARMING):
            forget(context, host)
            before = len(host.sent)
            page = open_page(context, host.url)
            opened = moment(page, "bench.ready")
            check_warm(host.sent[before:], first_turn=turn == 0)
            wait_kept(page)
            page.close()
            reference = time_ready(context, address, PLAIN_READY)
            if turn >= WARMING:
                first.append(opened)
                plain.append(reference)
        for _ in range(bench.runs):
            later.append(time_ready(context, host.url, "bench.ready", ways))
            beside.append(time_ready(context, address, PLAIN_READY))
    return [
        Figure(
            "page open to ready, first visit, warm HTTP cache",
            sample(first, "s"),
            Target(at_most=2.4, times_at_most=1.1),
            PLAIN,
            sample(plain, "s"),
            "storage cleared before each visit, nothing over 100 kB came over the wire; both "
            "pages after visits that fill the caches of files and of compiled code",
        ),
        Figure(
            "page open to ready, later visits",
            sample(later, "s"),
            Target(at_most=0.7),
            PLAIN,
            sample(beside, "s"),
            f"visits after the page has kept itself; Python's start: {', '.join(set(ways))}",
        ),
    ]


def time_ready(
    context: BrowserContext, url: str, promise: str, ways: list[str] | None = None
) -> float:
    """Return the seconds from opening an address to a promise of its page.

    Args:
        context: The browser.
        url: The address.
        promise: An expression of the page.
        ways: Gets how the product's page started Python.
    """
    page = open_page(context, url)
    seconds = moment(page, promise)
    if ways is not None:
        ways.append(started_from(page))
    page.close()
    return seconds


def forget(context: BrowserContext, host: BenchHost) -> None:
    """Clear all that the page keeps, and leave the HTTP cache as it is."""
    page = context.new_page()
    session = context.new_cdp_session(page)
    wanted = {"origin": host.origin, "storageTypes": STORED}
    session.send("Storage.clearDataForOrigin", wanted)
    page.close()


def check_warm(sent: list[Sent], *, first_turn: bool) -> None:
    """Make sure that the HTTP cache was cold in the first turn and warm after it.

    Raises:
        StepError: If it was not.
    """
    large = [each.path for each in sent if each.bytes > LARGE]
    if bool(large) != first_turn:
        why = f"these came over the wire: {', '.join(large) or 'nothing'}"
        raise StepError("visit with a warm HTTP cache", why, "see bench_host.py")


def measure_wire(bench: Bench) -> list[Figure]:
    """Count what a first visit without the model has sent to it, item by item.

    Raises:
        StepError: If something was not there, or the model was fetched.
    """
    with bench.host() as host, bench.browser() as context:
        page = open_page(context, host.url)
        moment(page, "bench.ready")
        ready = len(host.sent)
        wait_kept(page)
        sent = list(host.sent)
    if any(each.status != 200 or each.path.startswith("/models/") for each in sent):
        why = f"unlooked-for answers: {[each for each in sent if each.status != 200]}"
        raise StepError("count the bytes of a first visit", why, "see the page's requests")
    bench.sections["A first visit on the wire"] = wire_table(sent, ready)
    total = sum(each.bytes for each in sent) / 1e6
    return [
        Figure(
            "bytes over the wire for a first visit without the model, gzip",
            sample([total], "MB"),
            Target(at_most=7.5),
            note=f"until ready {sum(each.bytes for each in sent[:ready]) / 1e6:.2f} MB; "
            "counted once, as it is the same each time; items below",
        )
    ]


def wire_table(sent: list[Sent], ready: int) -> str:
    """Return what was sent as a table, largest first."""
    lines = ["| item | bytes | when |", "|---|---:|---|"]
    whens = [(each, "before ready" if at < ready else "after") for at, each in enumerate(sent)]
    for each, when in sorted(whens, key=lambda pair: (-pair[0].bytes, pair[0].path)):
        lines.append(f"| {each.path} | {each.bytes:,} | {when} |")
    lines.append(f"| together | {sum(each.bytes for each in sent):,} | |")
    return "\n".join(lines)
