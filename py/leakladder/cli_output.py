"""host - what commands write and when they fail: files, summaries, limits."""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Annotated

import typer

from leakladder.csv_export import write_json
from leakladder.errors import SettingError
from leakladder.outcome import Result
from leakladder.settings import N_MAX, N_MIN
from leakladder.terminal import EXIT_OVER_LIMIT, complain, say, watch_job, write_output

Tokens = Annotated[int, typer.Option("--n", help=f"Tokens in a run, {N_MIN} to {N_MAX}.")]
Threshold = Annotated[
    int,
    typer.Option("--threshold", metavar="PERCENT", help="Dirty share a flag needs, 0 to 100."),
]
Tokenization = Annotated[str, typer.Option("--tokens", help="loose, strict or characters.")]
StripArticles = Annotated[
    bool, typer.Option("--strip-articles", help="Fold away a, an, the too (English).")
]
LlamaMin = Annotated[
    int, typer.Option("--llama-min", help="Shortest run under the Llama 2 rule: 10 or 11.")
]
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
ModelFolder = Annotated[
    str | None,
    typer.Option("--model", metavar="FOLDER", help="Folder of the model, if not its own."),
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


def hold_limits(limits: Mapping[str, Fraction], found: Mapping[str, tuple[float, int]]) -> None:
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
        if not found[name][1] or 100 * Fraction(found[name][0]) > limit * found[name][1]
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
