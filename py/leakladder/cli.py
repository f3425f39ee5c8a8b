"""host - the command line: files in, a readable summary out, CSV and JSON where asked for.

Exit codes: 0 done, 2 bad input, 3 over a limit given with `--fail-over`, 130 interrupted.
"""

import sys
from typing import Annotated, Any

import typer

from leakladder import __version__
from leakladder.command import Inputs, stream_rung, takes_inputs
from leakladder.csv_export import write_json
from leakladder.errors import BadRecords, LadderError
from leakladder.pipeline import Result
from leakladder.rungs import RUNGS
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
        float | None,
        typer.Option(
            "--fail-over",
            metavar="PERCENT",
            help="Exit with 3 if more rows are flagged, or if none could be judged.",
        ),
    ] = None,
) -> None:
    """Find test rows that share runs of n tokens with the training side."""  # noqa: DOC501
    settings = inputs.settings(n=n, threshold=threshold, tokens=tokens)
    result = stream_rung(RUNGS["ngrams"], inputs, settings)
    write_files(result, csv, json, text=not no_text)
    summary = result.summary()
    say_summary(csv, json, *describe_ngrams(summary, n, threshold))
    if fail_over is not None:
        share = summary["flagged_share"]
        if share is None or 100 * summary["flagged"] > fail_over * summary["checkable"]:
            raise typer.Exit(EXIT_OVER_LIMIT)


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
