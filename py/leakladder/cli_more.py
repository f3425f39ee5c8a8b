"""host - commands that act on a report: verify it, cite it.

Exit codes as in `cli.py`; `verify` ends with 1 when something differs.
"""

from typing import Annotated

import typer

from leakladder.cite import Cited, cite
from leakladder.cli_output import ModelFolder
from leakladder.command import read_bytes
from leakladder.meaning_native import make_comparer
from leakladder.replay import find_rungs, parse_report
from leakladder.terminal import EXIT_BAD_INPUT, complain, count, say, watch_job
from leakladder.train_files import expand_paths
from leakladder.verify import Verified, verify

EXIT_DIFFERS = 1
SHOWN = 20
"""Differences printed; the number of all is printed too."""


def register(app: typer.Typer) -> None:
    """Add these commands to the command line."""
    app.command("verify")(verify_command)
    app.command("cite")(cite_command)


def verify_command(
    report: Annotated[
        str, typer.Argument(metavar="REPORT", help="JSON report that this tool wrote.")
    ],
    test: Annotated[str, typer.Argument(metavar="TEST", help="The test file.")],
    train: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[TRAIN]...",
            help="The training files, in the order of the report; none in one-file mode.",
        ),
    ] = None,
    model: ModelFolder = None,
) -> None:
    """Compute a report again from its files and print what differs; 1 if anything does."""
    train_paths = expand_paths(train or ())
    files = read_bytes(test), [read_bytes(path) for path in train_paths]
    done = watch_job(verify(read_bytes(report).data, *files, make_comparer(model)))
    say(*describe_differences(done))
    end_if(done)


def end_if(done: Verified) -> None:
    """End with 1 if anything differs, with 2 if a part could not be verified.

    Raises:
        Exit: The end of the program, with its code.
    """
    if done.unverified:
        complain(f"not verified: the part about meaning: {done.unverified}")
    if done.differences:
        raise typer.Exit(EXIT_DIFFERS)
    if done.unverified:
        raise typer.Exit(EXIT_BAD_INPUT)


def describe_differences(done: Verified) -> list[str]:
    """Return what differs, for people; the first SHOWN and how many there are in all."""
    differences = done.differences
    if not differences and done.unverified:
        return ["Nothing differs in what could be verified; the part about meaning was not."]
    if not differences:
        return ["Nothing differs: every file, setting and number is as reported."]
    lines = list(map(str, differences[:SHOWN]))
    if len(differences) > SHOWN:
        lines.append(f"and {len(differences) - SHOWN:,} more")
    return [*lines, f"{count(len(differences), 'difference')}."]


def cite_command(
    report: Annotated[
        list[str],
        typer.Argument(metavar="REPORT...", help="JSON reports that this tool wrote."),
    ],
) -> None:
    """Print a sentence and a Markdown table for a paper or a dataset card."""
    cited: list[Cited] = []
    for path in report:
        cited += find_cited(read_bytes(path).data)
    made = cite(cited)
    say(made["sentence"], "", *made["markdown"].splitlines())


def find_cited(data: bytes) -> list[Cited]:
    """Return what can be cited of a JSON report.

    Raises:
        LadderError: If it is no report.
    """
    report = parse_report(data)
    rungs = find_rungs(report)
    cited = []
    for name, own in rungs.items():
        part = report if own is report["stamp"] else report[name]
        summary = part if name == "rows" else part["summary"]
        cited.append(Cited(name, summary, {**report["stamp"], **own}))
    return cited
