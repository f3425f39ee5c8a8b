"""`python build.py bench`: speed, memory and bytes, ours and references in one run.

ROWS is all that is measured, by the names that `--only` takes; the modules `bench_*` do the
measuring. A whole run is kept in `tests/bench/RESULTS.md`; a part is only printed.
"""

import time
import traceback
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from leakladder_dev import (
    bench_cost,
    bench_meaning,
    bench_model,
    bench_native,
    bench_stress,
    bench_tables,
    bench_visits,
)
from leakladder_dev.bench_figure import Failure, Figure
from leakladder_dev.bench_files import SCRIPTS
from leakladder_dev.bench_report import report_of, table_of, write_json
from leakladder_dev.bench_run import Bench, Row
from leakladder_dev.bench_tab import find_browser_once
from leakladder_dev.dist import ensure_dist
from leakladder_dev.node import ensure_modules
from leakladder_dev.steps import StepError

RESULTS = SCRIPTS / "RESULTS.md"
RUNS = 5

ROWS: Mapping[str, Row] = {
    "visits": bench_visits.measure_visits,
    "wire": bench_visits.measure_wire,
    "files": bench_tables.measure_files,
    "rows": bench_tables.measure_rows,
    "gpt4": bench_tables.measure_gpt4,
    **bench_stress.ROWS,
    "embedding": bench_meaning.measure_embedding,
    "groups": bench_meaning.measure_groups,
    "search": bench_meaning.measure_search,
    "model": bench_model.measure_model,
    **bench_native.ROWS,
    "cost": bench_cost.measure_cost,
}


@dataclass(frozen=True, slots=True)
class Wanted:
    """What is to be measured.

    Attributes:
        only: Names of rows; empty means all.
        runs: How often each thing is measured.
        json: File that gets every run, or None.
    """

    only: Sequence[str] = ()
    runs: int = RUNS
    json: Path | None = None


def run_bench(wanted: Wanted) -> int:
    """Measure, print, and keep the table of a whole run.

    Returns:
        1 if a row could not be measured, else 0; a missed target is no failure.

    Raises:
        StepError: If a name is no row's, or the page or the browser cannot be had.
    """
    unknown = [name for name in wanted.only if name not in ROWS]
    if unknown:
        todo = f"the rows are {', '.join(ROWS)}"
        raise StepError("choose rows", f"there is no row {', '.join(unknown)}", todo)
    ensure_modules(everything=True)
    ensure_dist()
    find_browser_once()
    bench = Bench(wanted.runs)
    results = list(measure(bench, wanted.only or list(ROWS)))
    if wanted.only:
        print(f"\n{table_of(results)}\n")
        for heading, text in bench.sections.items():
            print(f"## {heading}\n\n{text}\n")
        print(f"A part of the bench; {RESULTS.name} keeps whole runs alone.")
    else:
        report = report_of(bench, results)
        print(report)
        RESULTS.write_text(report, "utf-8")
    if wanted.json is not None:
        write_json(wanted.json, results)
    return int(any(isinstance(one, Failure) for one in results))


def measure(bench: Bench, names: Sequence[str]) -> Iterator[Figure | Failure]:
    """Measure row by row; one that fails is told and does not end the others."""
    for name in names:
        began = time.perf_counter()
        print(f"measuring {name} ...", end="", flush=True)
        try:
            found: list[Figure | Failure] = [*ROWS[name](bench)]
        except Exception as error:  # noqa: BLE001 - one row must not cost the others
            found = [Failure(name, why_of(error))]
            print(f" failed: {why_of(error)}")
            if not isinstance(error, StepError):
                traceback.print_exception(error)
        print(f" {time.perf_counter() - began:.0f} s", flush=True)
        yield from found


def why_of(error: Exception) -> str:
    """Return an error on one line; what was not foreseen says what kind it is."""
    if isinstance(error, StepError):
        return f"{error.step}: {' '.join(str(error).split())}"
    return f"{type(error).__name__}: {' '.join(str(error).split())[:300]}"
