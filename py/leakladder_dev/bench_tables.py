"""Bench: files in the page, from the drop to each table, the moves after it, memory."""

import json
from typing import Any

from playwright.sync_api import BrowserContext, Page

from leakladder_dev.bench_figure import Figure, Target, sample
from leakladder_dev.bench_files import SCRIPTS, Pair
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
from leakladder_dev.bench_venv import package_version, run_in_venv
from leakladder_dev.steps import StepError

N = 13
MOVES = {
    # label of the control, values it is moved to in turn, how the stamp then says it
    "n": ("n, slider", (12, 11, 10, 9, 14, 15), "n {}"),
    "the threshold": ("threshold, slider", (10, 20, 30, 40, 50, 60), "threshold {}"),
    "rule N": ("N, slider", (8, 9, 10, 11, 12, 14), "n {}"),
}
MOVES_A_PAGE = 3
CHARACTERS = "5, the GPT-4 rule alone"  # as cost_rungs.py calls it
DECON = "decon (Rust, native) was recorded once, on another day and not in this run: 2.1 s"


def measure_files(bench: Bench) -> list[Figure]:
    """Drop the two files into a fresh page again and again, and read five rows off it."""
    pair = bench.files.pair()
    table, rungs, memory, plain = [], [], [], []
    ours = 0
    moves: dict[str, list[float]] = {name: [] for name in MOVES}
    with bench.plain_host() as other, bench.host() as host, bench.browser() as context:
        visit_once(context, host)
        for _ in range(bench.runs):
            page = open_ready(context, host)
            table.append(drop_pair(page, pair, "ngrams"))
            rungs.append(seconds_to_ready(page))
            memory.append(wasm_bytes(page) / 1e6)
            ours = summary_of(page, "ngrams")["flagged"]
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
            Figure(
                f"moving {name} to the repainted table",
                sample(values, "ms"),
                Target(at_most=100),
            )
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


def seconds_to_ready(page: Page) -> float:
    """Return the seconds from the last drop until the last rung is done."""
    return moment(page, "bench.until(bench.isReady).then(bench.sinceDrop)")


def last_run(page: Page, rung: str) -> dict[str, Any]:
    """Return the worker's last call for a rung.

    Raises:
        StepError: If there was none, or it was not answered well.
    """
    calls = ask(page, "() => bench.callsSince(0)")
    runs = [each for each in calls if (each["method"], each["rung"]) == ("run", rung)]
    if not runs or runs[-1]["code"] != "ok":
        raise StepError("look at a rung's result", f"its calls were {runs}", "see tap.js")
    found: dict[str, Any] = runs[-1]
    return found


def summary_of(page: Page, rung: str) -> dict[str, Any]:
    """Return the last summary of a rung that the worker gave to the page."""
    found: dict[str, Any] = last_run(page, rung)["summary"]
    return found


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
            page.locator(".tools select").first.select_option("own")
            page.locator("[aria-label='N, slider']").wait_for()
        turn = len(moves[name])
        for step in range(MOVES_A_PAGE):
            value = values[(turn + step) % len(values)]
            moment(page, "bench.whenIdle()")
            shown = f"bench.isShown(['{said.format(value)}'])"
            seconds = timed(page, f"bench.set('{label}', {value})", shown)
            moves[name].append(seconds * 1000)


def measure_rows(bench: Bench) -> list[Figure]:
    """Time rungs 1 to 3 on 200,000 rows a side against pandas."""
    pair = bench.files.case("rows")
    shown, alone = [], []
    pandas: list[float] = []
    ours: dict[str, int] = {}
    with bench.host() as host, bench.browser() as context:
        visit_once(context, host)
        for _ in range(bench.runs):
            page = open_ready(context, host)
            shown.append(drop_pair(page, pair, "rows"))
            run = last_run(page, "rows")
            alone.append((run["end"] - run["began"]) / 1000)
            page.close()
            told = run_in_venv("pandas_rows.py", [str(path) for path in pair])
            pandas.append(told["seconds"])
            ours = {name: run["summary"][name]["items"] for name in told["items"]}
            for name, found in told["items"].items():
                check_same(ours[name], found)
    bench.versions["pandas"] = package_version("pandas")
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


def measure_gpt4(bench: Bench) -> list[Figure]:
    """Time the search for 50-character windows alone, in Pyodide in the browser."""
    with bench.plain_host() as other, bench.browser() as context:
        page = open_python(context, other)
        took = times_in_python(bench, page, other, bench.files.pair(), bench.runs + 1)
        page.close()
    return [
        Figure(
            "GPT-4 character rule, the two files",
            sample(took[CHARACTERS][1:], "s"),
            Target(at_most=1.5),
            note="the search alone, in Pyodide in Chromium, files already read",
        )
    ]


def open_python(context: BrowserContext, host: BenchHost) -> Page:
    """Open the bench's own page with Python in it."""
    page = open_page(context, f"{host.url}plain.html")
    page.wait_for_function("() => globalThis.python")
    return page


def times_in_python(
    bench: Bench, page: Page, host: BenchHost, pair: Pair, runs: int
) -> dict[str, list[float]]:
    """Run `cost_rungs.py` in the page's Python; return the seconds of each rung's runs."""
    code = (SCRIPTS / "cost_rungs.py").read_text("utf-8")
    addresses = [bench.address(host, path) for path in pair]
    script = """async ([code, test, train, runs]) => {
      python.FS.writeFile('/home/pyodide/cost_rungs.py', code)
      for (const [name, url] of Object.entries({ test, train })) {
        const bytes = await (await fetch(url)).arrayBuffer()
        python.FS.writeFile(`/tmp/${name}`, new Uint8Array(bytes))
      }
      return python.runPython(`
import json
from cost_rungs import time_rungs
sides = [open(f"/tmp/{name}", "rb").read() for name in ("test", "train")]
json.dumps(time_rungs(*sides, ${runs}))`)
    }"""
    told: dict[str, list[float]] = json.loads(ask(page, script, [code, *addresses, runs]))
    return told
