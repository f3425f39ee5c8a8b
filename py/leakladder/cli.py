"""host - the command line: files in, a readable summary out, CSV and JSON where asked for.

Exit codes: 0 done, 2 bad input, 3 over a limit given with `--fail-over`, 130 interrupted.
"""

import sys
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Annotated, Any

import typer

from leakladder.version import __version__
from leakladder.command import Inputs, load, memory_sides, run_rung, stream_rung, takes_inputs
from leakladder.csv_export import write_json
from leakladder.errors import BadRecords, LadderError, SettingError
from leakladder.pipeline import Result
from leakladder.rungs import RUNGS
from leakladder.settings import ReadOptions
from leakladder.terminal import (
    EXIT_BAD_INPUT,
    EXIT_INTERRUPTED,
    EXIT_OVER_LIMIT,
    complain,
    count,
    percent,
    say,
    watch_job,
    write_output,
)

app = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    help="Is your test set in your training data?",
)

CsvFile = Annotated[
    str | None,
    typer.Option("--csv", metavar="FILE", help="Write every row as CSV; - prints it."),
]
JsonFile = Annotated[
    str | None,
    typer.Option(
        "--json", metavar="FILE", help="Write summary, rows and stamp; - prints them."
    ),
]
NoText = Annotated[
    bool, typer.Option("--no-text", help="Leave all text of the files out of CSV and JSON.")
]


FailOver = Annotated[
    list[str] | None,
    typer.Option(
        "--fail-over",
        metavar="NAME=PERCENT",
        help="Exit with 3 if a larger share of test rows is flagged, or none could be judged; "
        "repeat for several.",
    ),
]
ROW_CHECKS = {"exact": "Exact", "normalized": "Normalized", "identifier": "Identifier"}


def parse_limits(given: list[str] | None, names: Sequence[str]) -> dict[str, Fraction]:
    """Return the limits of `--fail-over NAME=PERCENT` by name, exactly as written.

    Raises:
        SettingError: If a name is unknown or a limit is no percentage.
    """
    limits = {}
    for item in given or ():
        name, _, text = item.partition("=")
        if name not in names:
            raise SettingError(
                f"--fail-over takes {', '.join(names)} as NAME=PERCENT, not {item!r}",
                setting="fail_over",
            )
        limits[name] = parse_percent(text)
    return limits


def parse_percent(text: str) -> Fraction:
    """Return a percentage such as `1`, `0.5` or `1%` as an exact number.

    Raises:
        SettingError: If it is none, or not from 0 to 100.
    """
    try:
        number = Fraction(text.strip().removesuffix("%"))
    except (ValueError, ZeroDivisionError):
        number = Fraction(-1)
    if not 0 <= number <= 100:
        why = f"--fail-over takes a percentage from 0 to 100, not {text!r}"
        raise SettingError(why, setting="fail_over")
    return number


def hold_limits(limits: Mapping[str, Fraction], found: Mapping[str, tuple[int, int]]) -> None:
    """End with 3 if a share is strictly above its limit or nothing was checkable.

    Args:
        limits: Percent by name.
        found: (flagged, checkable) by name.

    Raises:
        Exit: The end of the program, with its code.
    """
    over = [
        f"{name}: {found[name][0]:,} of {found[name][1]:,}"
        for name, limit in limits.items()
        if not found[name][1] or 100 * found[name][0] > limit * found[name][1]
    ]
    if over:
        complain("over the limit: " + "; ".join(over))
        raise typer.Exit(EXIT_OVER_LIMIT)


def write_files(result: Result, csv: str | None, json: str | None, *, text: bool) -> None:
    """Write the files that were asked for."""
    if csv:
        write_output(csv, watch_job(result.csv(text=text)))
    if json:
        write_output(json, write_json(watch_job(result.report(text=text))))


def say_summary(csv: str | None, json: str | None, *lines: str) -> None:
    """Print the summary, unless standard output carries a file."""
    if "-" not in {csv, json}:
        say(*lines)


@app.command()
@takes_inputs
def ngrams(
    inputs: Inputs,
    n: Annotated[int, typer.Option("--n", help="Tokens in a run, 5 to 25.")] = 13,
    threshold: Annotated[
        int,
        typer.Option(
            "--threshold", metavar="PERCENT", help="Dirty tokens a flag needs, 0 to 100."
        ),
    ] = 0,
    tokens: Annotated[
        str, typer.Option("--tokens", help="loose, strict or characters.")
    ] = "loose",
    csv: CsvFile = None,
    json: JsonFile = None,
    no_text: NoText = False,
    fail_over: Annotated[
        str | None,
        typer.Option(
            "--fail-over",
            metavar="PERCENT",
            help="Exit with 3 if a larger share is flagged, or if no row could be judged.",
        ),
    ] = None,
) -> None:
    """Find test rows that share runs of n tokens with the training side."""
    settings = inputs.settings(n=n, threshold=threshold, tokens=tokens)
    result = stream_rung(RUNGS["ngrams"], inputs, settings)
    write_files(result, csv, json, text=not no_text)
    summary = result.summary()
    say_summary(csv, json, *describe_ngrams(summary, n, threshold))
    if fail_over is not None:
        limits = {"ngrams": parse_percent(fail_over)}
        hold_limits(limits, {"ngrams": (summary["flagged"], summary["checkable"])})


def describe_ngrams(summary: dict[str, Any], n: int, threshold: int) -> list[str]:
    """Return the summary of an n-gram run for people."""
    checkable, flagged = summary["checkable"], summary["flagged"]
    verb = "shares" if flagged == 1 else "share"
    bar = f", {threshold}% of their tokens or more" if threshold else ""
    lead = (
        f"{flagged:,} of {count(checkable, 'checkable test row')} {verb} a run of at least {n} "
        f"tokens with the training side{bar} ({percent(summary['flagged_share'])})."
    )
    short, blank = summary["short"], summary["blank"]
    return [
        lead if checkable else f"Nothing could be checked: no test row has {n} tokens.",
        f"Not judged: {count(short, 'row')} shorter than {n} tokens, "
        f"{count(blank, 'row')} without text.",
        f"Dirty tokens: {summary['dirty_tokens']:,} of {summary['tokens']:,} over the "
        f"checkable rows ({percent(summary['dirty_share'])}). "
        f"Training rows hit: {summary['train_rows_hit']:,} of {summary['train_rows']:,}.",
    ]


@app.command()
@takes_inputs
def rows(
    inputs: Inputs,
    strip_articles: Annotated[
        bool,
        typer.Option("--strip-articles", help="Fold away a, an, the too (English)."),
    ] = False,
    csv: CsvFile = None,
    json: JsonFile = None,
    no_text: NoText = False,
    fail_over: FailOver = None,
) -> None:
    """Find rows that stand in both files: exactly, after folding, and by id."""
    limits = parse_limits(fail_over, ("exact", "normalized", "identifier"))
    settings = inputs.settings(strip_articles=strip_articles)
    test, train, stamps = memory_sides(inputs, settings)
    result = watch_job(run_rung(RUNGS["rows"], (test, train), stamps, settings))
    write_files(result, csv, json, text=not no_text)
    summary = result.summary()
    say_summary(csv, json, *describe_rows(summary))
    total = summary["counts"]["test"]
    hold_limits(limits, {name: (summary[name]["test_rows"], total) for name in limits})


def describe_rows(summary: dict[str, Any]) -> list[str]:
    """Return the summary of a rows run for people."""
    counts = summary["counts"]
    lines = []
    for name, label in ROW_CHECKS.items():
        check = summary[name]
        if name == "identifier" and summary["identifier_note"] == "no-id":
            lines.append(f"{label}: not compared, there is no id on both sides.")
            continue
        lines.append(
            f"{label}: {count(check['items'], 'item')} in both; "
            f"{check['test_rows']:,} of {count(counts['test'], 'test row')} "
            f"({percent(check['test_share'])}), {check['train_rows']:,} of "
            f"{count(counts['train'], 'training row')} ({percent(check['train_share'])})."
        )
    further = summary["further"]
    lines.append(
        f"Folding ({summary['transform']}) adds {count(further['items'], 'item')} and "
        f"{count(further['rows'], 'test row')}."
    )
    for side, label in (("test", "test side"), ("train", "training side")):
        repeats = summary["repeats"][side]["normalized"]
        lines.append(
            f"Repeats on the {label}: {count(repeats['rows'], 'row')} in "
            f"{count(repeats['groups'], 'group')}, {repeats['effective']:,} effective."
        )
    return [*lines, summary["reading"]["sentence"]]


@app.command()
def read(
    file: Annotated[
        str, typer.Argument(metavar="FILE", help="File to read; - is standard input.")
    ],
    json: JsonFile = None,
    format_: Annotated[
        str | None, typer.Option("--format", help="Format, if not this one.")
    ] = None,
    encoding: Annotated[str | None, typer.Option("--encoding", help="Encoding.")] = None,
    skip_bad: Annotated[
        bool, typer.Option("--skip-bad", help="Leave bad records out.")
    ] = False,
) -> None:
    """Print how a file is read: format, encoding, rows, fields with their fill counts."""
    loaded = load(file, ReadOptions(format=format_, encoding=encoding, skip_bad=skip_bad))
    facts = loaded.to_wire()
    if json:
        write_output(json, write_json(facts))
    say_summary(None, json, *describe_file(facts))


def describe_file(facts: dict[str, Any]) -> list[str]:
    """Return what was decided about a file, for people."""
    packed = f", unpacked from {facts['compression']}" if facts["compression"] else ""
    lines = [
        f"{facts['name']}: {facts['format']}, {facts['encoding'] or 'binary'}{packed}",
        f"{count(facts['rows'], 'row')}, {count(facts['blank_lines'], 'blank line')}, "
        f"{facts['left_out']:,} left out",
        "",
    ]
    width = max((len(item["path"]) for item in facts["fields"]), default=0)
    lines += [
        f"  {item['path']:<{width}}  {item['filled']:>9,} filled  {item['kind']}"
        for item in facts["fields"]
    ]
    guess = facts["guess"]
    lines += [
        "",
        f"text: {', '.join(guess['text']) or 'none found'}",
        f"id: {guess['id'] or 'none'}",
    ]
    return [*lines, *(f"note: {note}" for note in facts["notes"])]


def _version(*, wanted: bool) -> None:
    if wanted:
        print(f"leakladder {__version__}")
        raise typer.Exit


@app.callback()
def options(
    version: Annotated[
        bool, typer.Option("--version", callback=lambda wanted: _version(wanted=wanted))
    ] = False,
) -> None:
    """Is your test set in your training data?"""


def explain(error: LadderError) -> None:
    """Print an expected error, with every listed place of a file with bad records."""
    complain(str(error))
    if isinstance(error, BadRecords):
        for one in error.first[1:]:
            complain(str(one))
        if error.total > len(error.first):
            complain(f"and {error.total - len(error.first):,} more")
        complain("mend the file, or leave these records out with --skip-bad")


def main() -> None:
    """Run the command line; expected errors end it with 2 and no traceback."""
    try:
        app()
    except LadderError as error:
        explain(error)
        sys.exit(EXIT_BAD_INPUT)
    except BrokenPipeError:
        sys.stderr.close()
        sys.exit(EXIT_BAD_INPUT)
    except OSError as error:
        complain(f"{error.filename or ''}: {error.strerror or error}")
        sys.exit(EXIT_BAD_INPUT)
    except KeyboardInterrupt:
        sys.exit(EXIT_INTERRUPTED)
