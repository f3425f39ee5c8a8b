"""Bench: the two files in the page, from the drop to each table, the moves after it, and memory."""

from pathlib import Path

from playwright.sync_api import BrowserContext, Page

from leakladder_dev.bench_figure import Figure, Sample, Target, in_turn, sample
from leakladder_dev.bench_files import Pair
from leakladder_dev.bench_host import BenchHost
from leakladder_dev.bench_run import Bench
from leakladder_dev.bench_tab import (
    ask,
    hold,
    moment,
    open_page,
    open_ready,
    open_tab,
    timed,
    visit_once,
    wasm_bytes,
)
from leakladder_dev.bench_venv import run_in_venv
from leakladder_dev.steps import StepError

N = 13
MOVES = {
    # label of the control, values it is moved to in turn, how the stamp then says it
    "n": ("n, slider", (12, 11, 10, 9, 14, 15), "n {}"),
    "the threshold": ("threshold, slider", (10, 20, 30, 40, 50, 60), "threshold {}"),
    "rule N": ("N, slider", (8, 9, 10, 11, 12, 14), "n {}"),
}
MOVES_A_PAGE = 3
DECON = "decon (Rust, native) was recorded once, on another day and not in this run: 2.1 s"


def measure_files(bench: Bench) -> list[Figure]:
    """Drop the two files into a fresh page again and again, and read five rows off it."""
    pair = bench.files.pair()
    table, rungs, memory, plain = [], [], [], []
    moves: dict[str, list[float]] = {name: [] for name in MOVES}
    with bench.plain_host() as other, bench.host() as host, bench.browser() as context:
        visit_once(context, host)
        for _ in range(bench.runs):
            page = open_ready(context, host)
            dropped = ask(page, "() => performance.now()") / 1000
            table.append(drop_pair(page, pair, "ngrams"))
            rungs.append(moment(page, "bench.until(bench.isReady)") - began_at(page, dropped))
            memory.append(wasm_bytes(page) / 1e6)
            ours = flagged_rows(page)
            move_all(page, moves)
            page.close()
            theirs, seconds = plain_ngrams(bench, context, other, pair)
            plain.append(seconds)
            check_same(ours, theirs)
    return [
        Figure(
            "the two files, dropped to first n-gram table, R exact",
            sample(table, "s"),
            Target(at_most=1.2, times_at_most=6),
            f"plain JavaScript that does n = {N} only: tokenize, index, walk",
            sample(plain, "s"),
            f"{ours:,} rows flagged by both. {DECON}",
        ),
        Figure(
            "rungs 1 to 5 together on the same files, from the drop",
            sample(rungs, "s"),
            Target(at_most=3.0),
        ),
        *(
            Figure(f"moving {name} to the repainted table", sample(values, "ms"), Target(at_most=100))
            for name, values in moves.items()
        ),
        Figure(
            "peak WebAssembly memory for the two files, all five rungs",
            sample(memory, "MB"),
            Target(at_most=400),
            note="the size of the worker's memory at the end, which never shrinks",
        ),
    ]


def drop_pair(page: Page, pair: Pair, tab: str, n: int = N) -> float:
    """Drop two files on an open tab; return the seconds until that tab's live table stands."""
    open_tab(page, tab)
    names = hold(page, *pair, names=(f"test{pair[0].suffix}", f"train{pair[1].suffix}"))
    pieces = [f"test {names[0]}", f"train {names[1]}", *([f"n {n}"] if tab == "ngrams" else [])]
    return timed(page, "bench.drop(args)", f"bench.isShown({pieces})", *names)


def began_at(page: Page, since: float) -> float:
    """Return when the last files were dropped, in seconds of the page's clock."""
    return float(ask(page, "(since) => bench.dropped", since)) / 1000


def flagged_rows(page: Page) -> int:
    """Return how many rows the answer says are flagged."""
    row = page.locator(".figures tr", has_text="Rows flagged")
    return int(row.locator(".of").inner_text().split()[0].replace(",", ""))


def check_same(ours: int, theirs: int) -> None:
    """Make sure that both sides of a comparison found the same.

    Raises:
        StepError: If they did not.
    """
    if ours != theirs:
        why = f"ours {ours}, the reference {theirs}"
        raise StepError("compare what both found", why, "one of them is wrong")


def plain_ngrams(
    bench: Bench, context: BrowserContext, host: BenchHost, pair: Pair
) -> tuple[int, float]:
    """Run the plain JavaScript in a fresh page; return rows flagged and seconds."""
    page = open_page(context, f"{host.url}ngrams.html")
    page.wait_for_function("() => globalThis.measure")
    addresses = [bench.address(host, path) for path in pair]
    told = ask(page, "([test, train, n]) => measure(test, train, n)", [*addresses, N])
    page.close()
    return told["flagged"], told["seconds"]


def move_all(page: Page, moves: dict[str, list[float]]) -> None:
    """Move each control a few times, each time from rest, and add the milliseconds taken."""
    for name, (label, values, said) in MOVES.items():
        if name == "rule N":
            open_tab(page, "rules")
            page.get_by_label("GPT-3’s N").select_option("own")
            page.locator("[aria-label='N, slider']").wait_for()
        turn = len(moves[name])
        for step in range(MOVES_A_PAGE):
            value = values[(turn + step) % len(values)]
            moment(page, "bench.whenIdle()")
            page.wait_for_timeout(100)  # what an answer set off has begun
            moment(page, "bench.whenIdle()")
            shown = f"bench.isShown(['{said.format(value)}'])"
            seconds = timed(page, f"bench.set('{label}', {value})", shown)
            moves[name].append(seconds * 1000)


def measure_rows(bench: Bench) -> list[Figure]:
    """Time rungs 1 to 3 on 200,000 rows a side against pandas."""
    pair = bench.files.case("rows")
    shown, alone = [], []
    pandas: list[float] = []
    with bench.host() as host, bench.browser() as context:
        visit_once(context, host)
        for _ in range(bench.runs):
            page = open_ready(context, host)
            before = ask(page, "() => performance.now()")
            shown.append(drop_pair(page, pair, "rows"))
            alone.append(call_seconds(page, before, "rows"))
            ours = items_found(page)
            page.close()
            told = run_in_venv(bench, "pandas_rows.py", *map(str, pair))
            pandas.append(told["seconds"])
            for name, found in told["items"].items():
                check_same(ours[name], found)
    said = ", ".join(f"{name} {found:,}" for name, found in ours.items())
    what = "rows rung, 200,000 rows a side, exact, normalized, id"
    reference = "pandas: three merges on the same keys, native, files already read"
    return [
        Figure(
            f"{what}: the rung alone",
            sample(alone, "s"),
            Target(at_most=3.0),
            reference,
            sample(pandas, "s"),
            f"items in both, ours and pandas': {said}",
        ),
        Figure(f"{what}: dropped to the table", sample(shown, "s")),
    ]


def call_seconds(page: Page, since: float, rung: str) -> float:
    """Return how long the worker took for a rung, from the call to its answer.

    Raises:
        StepError: If it was not asked or has not answered well.
    """
    calls = ask(page, "(since) => bench.callsSince(since)", since)
    done = [each for each in calls if each["rung"] == rung and each["method"] == "run"]
    if len(done) != 1 or done[0]["code"] != "ok":
        raise StepError("time a rung in the worker", f"its calls were {done}", "see tap.js")
    return float(done[0]["end"] - done[0]["began"]) / 1000


def items_found(page: Page) -> dict[str, int]:
    """Return the items that stand in both files, by check, as the page says."""
    raise NotImplementedError


def gpt4_seconds(page: Page) -> Sample:
    raise NotImplementedError


_ = (in_turn, Path)
