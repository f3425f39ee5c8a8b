"""Bench: rung 6 in the page: embedding, from the click to groups, and the pair search."""

from playwright.sync_api import BrowserContext, Page

from leakladder_dev.bench_figure import Figure, Target, sample
from leakladder_dev.bench_host import BenchHost
from leakladder_dev.bench_run import Bench
from leakladder_dev.bench_tab import (
    WARMING,
    ask,
    hold,
    open_page,
    open_ready,
    timed,
    visit_once,
)
from leakladder_dev.steps import StepError

EMBEDDED = 500
ROWS = 2_000
SEARCHED = 20_000


def measure_embedding(bench: Bench) -> list[Figure]:
    """Embed the same short rows in the page and with transformers.js, in turn.

    Once with caches filled by earlier visits, among them the browser's of compiled code, and
    once in a new browser each time.
    """
    kept: list[tuple[float, float]] = []
    fresh: list[tuple[float, float]] = []
    with bench.plain_host() as other, bench.host() as host:
        with bench.browser() as context:
            visit_once(context, host)
            for turn in range(bench.runs + WARMING):
                speeds = embed_both(context, other, host, bench)
                if turn >= WARMING:
                    kept.append(speeds)
        for _ in range(bench.runs):
            with bench.browser() as context:
                visit_once(context, host)
                fresh.append(embed_both(context, other, host, bench))
    reference = "transformers.js, q8, one thread, batch 8, same rows, same model files"
    what = "embedding, short rows (10 words), two cores"
    note = f"{EMBEDDED:,} rows, tokenizing included, starting the model not"
    return [
        Figure(
            name,
            sample([ours for ours, _ in pairs], "rows/s"),
            target,
            reference,
            sample([theirs for _, theirs in pairs], "rows/s"),
            f"{note}; {state}",
        )
        for name, pairs, target, state in (
            (what, kept, Target(times_at_least=2.0), "after visits that fill the caches"),
            (
                f"{what}, first use",
                fresh,
                Target(),
                "a new browser each time, no compiled code kept",
            ),
        )
    ]


def embed_both(
    context: BrowserContext, other: BenchHost, host: BenchHost, bench: Bench
) -> tuple[float, float]:
    """Return the rows a second of the page and of transformers.js, each in a fresh tab."""
    page = open_meaning(context, host, bench, words=10)
    compare(page, EMBEDDED)
    ours = EMBEDDED / embedding_seconds(page)
    page.close()
    beside = open_page(context, f"{other.url}transformers.html")
    beside.wait_for_function("() => globalThis.measure")
    address = bench.address(other, bench.files.short_rows(10))
    told = ask(beside, "([url, rows]) => measure(url, rows)", [address, EMBEDDED])
    beside.close()
    bench.versions["transformers.js"] = told["version"]
    return ours, told["rows"] / told["seconds"]


def measure_groups(bench: Bench) -> list[Figure]:
    """Time 2,000 rows of 14 word pieces from the click to the groups, model cached."""
    seconds = []
    with bench.host() as host, bench.browser() as context:
        visit_once(context, host)
        for turn in range(bench.runs + 1):
            page = open_meaning(context, host, bench, words=12)
            took = compare(page, ROWS)
            page.close()
            if turn:  # the first turn fetches the model
                seconds.append(took)
    return [
        Figure(
            "2,000 rows of about 14 word pieces, click to groups, model cached",
            sample(seconds, "s"),
            Target(at_most=8.0),
            note="a fresh page each time, so the model is started too",
        )
    ]


def measure_search(bench: Bench) -> list[Figure]:
    """Time the product's worker over 20,000 vectors."""
    with bench.plain_host() as other, bench.browser() as context:
        told = search_times(context, other, SEARCHED, bench.runs)
    steps = told[0]["told"]
    return [
        Figure(
            "pair search, 20,000 rows",
            sample([each["seconds"] for each in told], "s"),
            Target(at_most=8.0),
            note=f"one worker, as in the page; {told[0]['pairs']:,} pairs, just those planted; "
            f"progress was told {steps} times",
        )
    ]


def search_times(
    context: BrowserContext, host: BenchHost, rows: int, runs: int
) -> list[dict[str, float]]:
    """Run the pair search of the product's worker over planted pairs, once without counting.

    Raises:
        StepError: If it did not find just the planted pairs, or told of no progress.
    """
    page = open_page(context, f"{host.url}search.html")
    page.wait_for_function("() => globalThis.measure")
    told = [ask(page, "(rows) => measure(rows)", rows) for _ in range(runs + 1)][1:]
    page.close()
    for each in told:
        if each["pairs"] != each["expected"] or not each["told"]:
            raise StepError("search for planted pairs", f"it told {each}", "see search.mjs")
    return told


def open_meaning(context: BrowserContext, host: BenchHost, bench: Bench, *, words: int) -> Page:
    """Open the page with a file of short rows in it, on the tab Meaning."""
    page = open_ready(context, host)
    names = hold(page, bench.files.short_rows(words))
    timed(page, "bench.drop(args)", "document.body.innerText.includes(args[0])", *names)
    page.locator("#tab-meaning").click()
    page.get_by_role("button", name="within the test file", exact=True).click()
    page.get_by_role("button", name="ompare meanings").wait_for()
    return page


def compare(page: Page, rows: int) -> float:
    """Press the button; return the seconds until the groups of so many rows can be seen.

    On a slow machine the page asks whether it shall go on; it shall.
    """
    lead = "document.querySelector('.meaning-lead')?.textContent"
    shown = f"{lead}?.includes(' of {rows:,} rows')"
    return timed(page, "bench.pressThrough('ompare meanings', 'Go on')", shown)


def embedding_seconds(page: Page) -> float:
    """Return the time from the first text cut into pieces to the last vector.

    Raises:
        StepError: If nothing was embedded.
    """
    calls = ask(page, "() => bench.callsSince(0)")
    cut = [each for each in calls if each["method"] == "pieces"]
    embedded = [each for each in calls if each["method"] == "embed"]
    if not cut or not embedded:
        raise StepError("time the embedding", "the page embedded nothing", "see tap.js")
    return float(max(each["end"] for each in embedded) - cut[0]["began"]) / 1000
