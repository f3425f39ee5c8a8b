"""Bench: files made to be hard, in the page: time, exactness, and how soon Stop stops."""

import json
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

from playwright.sync_api import Page

from leakladder_dev.bench_figure import Figure, Target, sample
from leakladder_dev.bench_files import BenchFiles, Pair
from leakladder_dev.bench_run import Bench
from leakladder_dev.bench_tab import ask, hold, moment, open_ready, timed, visit_once
from leakladder_dev.bench_tables import N, drop_pair, last_run, seconds_to_ready, summary_of
from leakladder_dev.steps import StepError

LIMIT_S = 3.0
STOP_MS = 300
TRIES = 4


@dataclass(frozen=True, slots=True)
class Case:
    """A hard pair of files.

    Attributes:
        what: In the table's words.
        files: Makes the pair.
        expected: Counts of the n-gram rung, at n = 13, that are known beforehand.
        more: Looks at the page once it is at rest, for what else has to be exact.
        stop: Whether Stop is measured too.
    """

    what: str
    files: Callable[[BenchFiles], Pair]
    expected: Callable[[Pair], dict[str, int]]
    more: Callable[[Page], None] = lambda page: None
    stop: bool = True


def measure_case(case: Case, bench: Bench) -> list[Figure]:
    """Drop a hard pair into fresh pages, check what is found, and stop it half way."""
    pair = case.files(bench.files)
    expected = case.expected(pair)
    table, rungs, stops = [], [], []
    killed = 0
    with bench.host() as host, bench.browser() as context:
        visit_once(context, host)
        for turn in range(bench.runs):
            page = open_ready(context, host)
            table.append(drop_pair(page, pair, "ngrams"))
            rungs.append(seconds_to_ready(page))
            check_counts(summary_of(page, "ngrams"), expected)
            moment(page, "bench.whenIdle()")
            case.more(page)
            if case.stop:
                share = (turn + 0.5) / bench.runs
                told = stop_at(page, pair, rungs[-1] * share)
                stops.append(told["latency"])
                killed += told["killed"]
            page.close()
    said = ", ".join(f"{name.replace('_', ' ')} {count:,}" for name, count in expected.items())
    known = f"exact: {said}, as known beforehand"
    limit = Target(at_most=LIMIT_S)
    figures = [
        Figure(
            f"{case.what}: dropped to the n-gram table", sample(table, "s"), limit, note=known
        ),
        Figure(f"{case.what}: dropped to the end of rung 5", sample(rungs, "s"), limit),
    ]
    if stops:
        figures.append(
            Figure(
                f"{case.what}: Stop to an idle worker",
                sample(stops, "ms"),
                Target(slowest_at_most=STOP_MS),
                note=f"pressed at {len(stops)} moments of the work; "
                f"the worker had to be replaced {killed} times",
            )
        )
    return figures


def check_counts(summary: dict[str, Any], expected: dict[str, int]) -> None:
    """Hold the page's counts against those known beforehand.

    Raises:
        StepError: If they differ.
    """
    found = {name: summary[name] for name in expected}
    if found != expected:
        why = f"found {found}, expected {expected}"
        raise StepError("check a hard case", why, "the page or the bench is wrong")


def stop_at(page: Page, pair: Pair, seconds: float) -> dict[str, Any]:
    """Drop the files again and press Stop after some seconds of work.

    Raises:
        StepError: If the work was always over before it could be stopped.
    """
    names = hold(page, *pair, names=(f"test{pair[0].suffix}", f"train{pair[1].suffix}"))
    for _ in range(TRIES):
        moment(page, "bench.whenIdle()")
        script = "([names, wait]) => { bench.drop(names); return bench.stopAfter(wait) }"
        told: dict[str, Any] | None = ask(page, script, [names, seconds * 1000])
        if told is not None:
            return told
        seconds /= 2  # it was over by then
    raise StepError("stop a hard case", "it ended before it was stopped", "run it again")


def one_row(pair: Pair) -> dict[str, int]:
    """Every token of the one row stands in the other row."""
    tokens = len(pair[0].read_bytes().split())
    return {"rows": 1, "flagged": 1, "dirty_tokens": tokens}


def one_short_row(pair: Pair) -> dict[str, int]:
    """One token is no n-gram."""
    return {"rows": 1, "flagged": 0, "short": 1}


def phrase_counts(pair: Pair) -> dict[str, int]:
    """A phrase of seven words is no run of 13."""
    return {"rows": len(pair[0].read_bytes().splitlines()), "flagged": 0}


def flagged_at_seven(page: Page) -> None:
    """At n = 7 every row of the phrase case is flagged."""
    timed(page, "bench.set('n, slider', 7)", "bench.isShown(['n 7'])")
    summary = last_run(page, "ngrams")["summary"]
    check_counts(summary, {"flagged": summary["rows"]})


def flagged_by_others(pair: Pair) -> dict[str, int]:
    """Count the rows of a file that share an n-gram with another row of it, by brute force."""
    lines = pair[0].read_text("utf-8").splitlines()
    rows = [json.loads(line)["text"].split() for line in lines]
    grams = [{tuple(row[at : at + N]) for at in range(len(row) - N + 1)} for row in rows]
    owners = Counter(gram for own in grams for gram in own)
    flagged = sum(any(owners[gram] > 1 for gram in own) for own in grams)
    return {"rows": len(rows), "flagged": flagged}


def itself(files: BenchFiles) -> Pair:
    """The bench's training file on both sides."""
    train = files.pair()[1]
    return train, train


CASES = {
    "equal": Case(
        "1,000,000 equal tokens on both sides", lambda files: files.case("equal"), one_row
    ),
    "itself": Case("a file of 2 MB against itself", itself, flagged_by_others),
    "phrase": Case(
        "a 7-word stock phrase in 30,000 rows a side",
        lambda files: files.case("phrase"),
        phrase_counts,
        flagged_at_seven,
    ),
    "marks": Case(
        "2 MB of combining marks in one run",
        lambda files: files.case("marks"),
        one_short_row,
        stop=False,
    ),
    "token": Case(
        "one 2 MB token", lambda files: files.case("token"), one_short_row, stop=False
    ),
}
ROWS = {name: partial(measure_case, case) for name, case in CASES.items()}
