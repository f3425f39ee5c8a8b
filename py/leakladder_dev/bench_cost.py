"""Bench: cost against size for every rung, in the browser and natively: a table and a plot."""

import json
import math
import statistics
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from leakladder_dev.bench_figure import Figure, number, sample
from leakladder_dev.bench_files import MEGABYTE, SCRIPTS, Pair
from leakladder_dev.bench_meaning import search_times
from leakladder_dev.bench_run import Bench
from leakladder_dev.bench_tables import open_python, times_in_python
from leakladder_dev.bench_venv import package_version, run_in_venv

IN_PAGE = (0.1, 0.5, 1.0, 2.0)
NATIVE = (0.1, 0.5, 1.0, 2.0, 10.0, 50.0)
LARGE = 10.0  # from here on one run: it takes long, and a long run is steadier
SEARCHED = (2_500, 5_000, 10_000, 20_000)
PLOT = SCRIPTS / "cost.svg"

Curve = list[tuple[float, float]]


@dataclass(frozen=True, slots=True)
class Panel:
    """The curves of one host.

    Attributes:
        title: Of the panel and of its table.
        unit: Of the sizes.
        curves: Name of a rung to (size, median seconds), sizes rising.
    """

    title: str
    unit: str
    curves: Mapping[str, Curve]


def measure_cost(bench: Bench) -> list[Figure]:
    """Time every rung at every size; draw it, and name what grows faster than its input."""
    panels = [in_page(bench), native(bench), searched(bench)]
    given = [
        {"title": each.title, "unit": each.unit, "curves": dict(each.curves)} for each in panels
    ]
    run_in_venv("plot_cost.py", [str(PLOT)], given)
    bench.versions["matplotlib"] = package_version("matplotlib")
    bench.sections["Cost against size"] = "\n\n".join([
        "Medians in seconds; in brackets the exponent from the size before: 1 is "
        "linear, 2 quadratic. Natively one run from "
        f"{LARGE:g} MB on. On the plot, linear cost runs along the grey lines.",
        f"![Cost against size]({PLOT.name})",
        *(table_of(panel) for panel in panels),
    ])
    return [worst_step(panel) for panel in panels[:2]]


def in_page(bench: Bench) -> Panel:
    """Time rungs 1 to 5 in Pyodide in Chromium, one page for each size."""
    times = {}
    with bench.plain_host() as other, bench.browser() as context:
        for size in IN_PAGE:
            page = open_python(context, other)
            times[size] = times_in_python(bench, page, other, pair_of(bench, size), bench.runs)
            page.close()
    return Panel("Pyodide in Chromium", "MB a side", curves_of(times))


def native(bench: Bench) -> Panel:
    """Time rungs 1 to 5 in CPython, one process for each size."""
    times = {}
    for size in NATIVE:
        runs = bench.runs if size < LARGE else 1
        files = [str(path) for path in pair_of(bench, size)]
        command = [sys.executable, str(SCRIPTS / "cost_rungs.py"), *files, str(runs)]
        done = subprocess.run(command, check=True, capture_output=True, text=True)
        times[size] = json.loads(done.stdout)
    return Panel("CPython", "MB a side", curves_of(times))


def searched(bench: Bench) -> Panel:
    """Time the pair search of rung 6; every pair is compared, so it is quadratic by nature."""
    curve = []
    with bench.plain_host() as other, bench.browser() as context:
        for rows in SEARCHED:
            told = search_times(context, other, rows, bench.runs)
            curve.append((float(rows), statistics.median(each["seconds"] for each in told)))
    return Panel("ONNX Runtime in Chromium", "rows", {"6, pair search": curve})


def pair_of(bench: Bench, size: float) -> Pair:
    """Return the bench's files of a size in MB."""
    return bench.files.pair(round(size * MEGABYTE))


def curves_of(times: Mapping[float, Mapping[str, Sequence[float]]]) -> dict[str, Curve]:
    """Return medians by rung from runs by size and rung."""
    names = next(iter(times.values()))
    return {
        name: [(size, statistics.median(found[name])) for size, found in times.items()]
        for name in names
    }


def exponents(curve: Curve) -> list[float]:
    """Return, between neighbours, the power of the size that the cost grew with."""
    return [
        math.log(later / earlier) / math.log(larger / smaller)
        for (smaller, earlier), (larger, later) in pairwise(curve)
    ]


def table_of(panel: Panel) -> str:
    """Return a panel's curves as Markdown."""
    sizes = [size for size, _ in next(iter(panel.curves.values()))]
    heads = " | ".join(f"{size:,g} {panel.unit}" for size in sizes)
    lines = [f"### {panel.title}", "", f"| rung | {heads} |", "|---|" + "---:|" * len(sizes)]
    for name, curve in panel.curves.items():
        powers = ["", *(f" ({power:.2f})" for power in exponents(curve))]
        cells = [
            f"{number(seconds)}{power}"
            for (_, seconds), power in zip(curve, powers, strict=True)
        ]
        lines.append(f"| {name} | {' | '.join(cells)} |")
    return "\n".join(lines)


def worst_step(panel: Panel) -> Figure:
    """Return the largest exponent between the two largest sizes, which noise touches least."""
    last = {name: exponents(curve)[-1] for name, curve in panel.curves.items()}
    name = max(last, key=last.__getitem__)
    sizes = [size for size, _ in panel.curves[name]][-2:]
    between = f"from {sizes[0]:g} to {sizes[1]:g} MB"
    return Figure(
        f"cost against size, {panel.title}: the steepest rung {between}",
        sample([last[name]], "as exponent"),
        note=f"{name}; 1 is linear; all sizes and rungs below",
    )
