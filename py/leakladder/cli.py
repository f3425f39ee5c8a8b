"""host - the command line: files in, a readable summary out, CSV and JSON where asked for.

EXIT_CODES names the exit codes, for people too.
"""

import sys
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from leakladder import cli_clean, cli_meaning, cli_more
from leakladder.cli_output import (
    CsvFile,
    FailOver,
    JsonFile,
    LlamaMin,
    NoText,
    StripArticles,
    Threshold,
    Tokenization,
    Tokens,
    hold_limits,
    parse_limits,
    parse_percent,
    say_summary,
    write_files,
)
from leakladder.cli_serve import serve
from leakladder.command import Inputs, load, memory_sides, stream_rung, takes_inputs
from leakladder.csv_export import write_json
from leakladder.describe import (
    count_rules,
    describe_check,
    describe_file,
    describe_ngrams,
    describe_rows,
    describe_rules,
    gather_rates,
)
from leakladder.errors import BadRecords, LadderError
from leakladder.outcome import check_report, run_rung
from leakladder.reproduce import reproduce as run_reproduce
from leakladder.rules_report import name_rules
from leakladder.rungs import RUNGS
from leakladder.settings import N_DEFAULT, ReadOptions
from leakladder.terminal import (
    EXIT_BAD_INPUT,
    EXIT_INTERRUPTED,
    complain,
    prepare_streams,
    watch_job,
    without_cycle_search,
    write_output,
)
from leakladder.version import __version__

EXIT_CODES = (
    "Exit codes: 0 done; 1 verify found a difference; 2 bad input, a file that cannot be read "
    "or written, or a part that verify could not compute; 3 over a limit given with "
    "--fail-over, or nothing could be judged; 130 interrupted; 141 the reader of a pipe went "
    "away."
)
app = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    help="Is your test set in your training data?",
    epilog=EXIT_CODES,
)


@app.command()
@takes_inputs
def ngrams(
    inputs: Inputs,
    n: Tokens = N_DEFAULT,
    threshold: Threshold = 0,
    tokens: Tokenization = "loose",
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


@app.command()
@takes_inputs
def rows(
    inputs: Inputs,
    strip_articles: StripArticles = False,
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


@app.command()
@takes_inputs
def rules(
    inputs: Inputs,
    against_itself: Annotated[
        bool, typer.Option("--self", help="Compare TEST with itself, no row with itself.")
    ] = False,
    n: Annotated[
        int | None,
        typer.Option("--n", help="N of the GPT-3 rule, if not its own."),
    ] = None,
    llama_min: LlamaMin = 10,
    csv: CsvFile = None,
    json: JsonFile = None,
    no_text: NoText = False,
    fail_over: FailOver = None,
) -> None:
    """Say what GPT-3, PaLM, Llama 2 and GPT-4 would have called dirty."""
    limits = parse_limits(fail_over, name_rules())
    if against_itself:
        inputs = replace(inputs, train=[*(inputs.train or ()), inputs.test])
    settings = inputs.settings(rule_n=n, llama_min=llama_min)
    result = stream_rung(RUNGS["rules"], inputs, settings)
    write_files(result, csv, json, text=not no_text)
    summary = result.summary()
    say_summary(csv, json, *describe_rules(summary))
    hold_limits(limits, count_rules(summary))


@app.command()
@takes_inputs
def check(
    inputs: Inputs,
    n: Tokens = N_DEFAULT,
    threshold: Threshold = 0,
    tokens: Tokenization = "loose",
    strip_articles: StripArticles = False,
    rule_n: Annotated[
        int | None,
        typer.Option("--rule-n", help="N of the GPT-3 rule, if not its own."),
    ] = None,
    llama_min: LlamaMin = 10,
    json: JsonFile = None,
    csv_dir: Annotated[
        str | None,
        typer.Option("--csv-dir", metavar="FOLDER", help="Write every rung as CSV."),
    ] = None,
    no_text: NoText = False,
    fail_over: FailOver = None,
) -> None:
    """Run rows, n-grams and published rules, and print one table."""
    names = ("exact", "normalized", "identifier", "ngrams", *name_rules())
    limits = parse_limits(fail_over, names)
    settings = inputs.settings(
        n=n,
        threshold=threshold,
        tokens=tokens,
        strip_articles=strip_articles,
        rule_n=rule_n,
        llama_min=llama_min,
    )
    test, train, stamps = memory_sides(inputs, settings)
    results = {
        name: watch_job(run_rung(rung, (test, train), stamps, settings))
        for name, rung in RUNGS.items()
    }
    if csv_dir:
        Path(csv_dir).mkdir(parents=True, exist_ok=True)
        for name, result in results.items():
            data = watch_job(result.csv(text=not no_text))
            write_output(str(Path(csv_dir) / f"{name}.csv"), data)
    if json:
        report = watch_job(check_report(list(results.values()), text=not no_text))
        write_output(json, write_json(report))
    rates = gather_rates({name: result.summary() for name, result in results.items()})
    say_summary(None, json, *describe_check(rates, len(test.rows), n))
    hold_limits(
        limits, {name: (rate["flagged"], rate["defined"]) for name, rate in rates.items()}
    )


@app.command()
def reproduce(
    cache: Annotated[
        Path,
        typer.Option("--cache", metavar="DIR", help="Folder of the data, fetched if absent."),
    ],
    gsmplus: Annotated[
        Path | None,
        typer.Option("--gsmplus", metavar="FILE", help="GSM-Plus file, if not the full one."),
    ] = None,
    csv: Annotated[
        str, typer.Option("--csv", metavar="FILE", help="Write the counts of every question.")
    ] = "",
) -> None:
    """Print the rules measured on GSM8K and GSM-Plus, whose answers are known."""
    run_reproduce(cache, gsmplus=gsmplus, csv_target=csv)


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


cli_clean.register(app)
cli_more.register(app)
cli_meaning.register(app)
app.command()(serve)


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
    prepare_streams()
    try:
        with without_cycle_search():
            app()
    except LadderError as error:
        explain(error)
        sys.exit(EXIT_BAD_INPUT)
    except OSError as error:
        complain(f"{error.filename or ''}: {error.strerror or error}")
        sys.exit(EXIT_BAD_INPUT)
    except KeyboardInterrupt:
        sys.exit(EXIT_INTERRUPTED)
