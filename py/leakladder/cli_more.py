"""host - commands that act on a result: clean a file, verify a report, cite it.

Exit codes as in `cli.py`; `verify` ends with 1 when something differs.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from leakladder.cite import Cited, cite
from leakladder.clean import Cleaned, write_without
from leakladder.cli_output import ModelFolder
from leakladder.command import Inputs, load, load_all, takes_inputs
from leakladder.csv_export import write_json
from leakladder.culprits import NAMES, rung_of
from leakladder.errors import SettingError
from leakladder.meaning_native import make_comparer
from leakladder.outcome import run_rung, stamp_side
from leakladder.pipeline import choose_sides
from leakladder.removal import Removal, SideName, choose_rows, summarize
from leakladder.replay import find_rungs, parse_report
from leakladder.rungs import RUNGS
from leakladder.settings import N_DEFAULT, Settings
from leakladder.sides import LoadedFile, Side
from leakladder.terminal import (
    EXIT_BAD_INPUT,
    complain,
    count,
    say,
    watch_job,
    write_output,
)
from leakladder.train_files import expand_paths, open_source
from leakladder.verify import NamedBytes, Verified, verify

EXIT_DIFFERS = 1
SHOWN = 20
"""Differences printed; the number of all is printed too."""


def register(app: typer.Typer) -> None:
    """Add these commands to the command line."""
    app.command("clean")(takes_inputs(clean_command))
    app.command("verify")(verify_command)
    app.command("cite")(cite_command)


def clean_command(
    inputs: Inputs,
    drop_from: Annotated[
        str, typer.Option("--drop-from", metavar="SIDE", help="test or train.")
    ],
    by: Annotated[
        list[str],
        typer.Option("--by", metavar="NAME", help=f"{', '.join(NAMES)}; repeat for several."),
    ],
    out: Annotated[
        str,
        typer.Option(
            "--out", metavar="FILE", help="File to write, or a folder for several; - prints it."
        ),
    ],
    n: Annotated[int, typer.Option("--n", help="Tokens in a run, 5 to 25.")] = N_DEFAULT,
    threshold: Annotated[
        int,
        typer.Option(
            "--threshold", metavar="PERCENT", help="Dirty tokens a flag needs, 0 to 100."
        ),
    ] = 0,
    tokens: Annotated[
        str, typer.Option("--tokens", help="loose, strict or characters.")
    ] = "loose",
    strip_articles: Annotated[
        bool, typer.Option("--strip-articles", help="Fold away a, an, the too (English).")
    ] = False,
    rule_n: Annotated[
        int | None, typer.Option("--rule-n", help="N of the GPT-3 rule, if not its own.")
    ] = None,
    llama_min: Annotated[
        int, typer.Option("--llama-min", help="Shortest run of the Llama 2 rule, 10 or 11.")
    ] = 10,
    json: Annotated[
        str | None,
        typer.Option("--json", metavar="FILE", help="Write what was left out; - prints it."),
    ] = None,
) -> None:
    """Write a file again without the rows that were found, every other byte as it was."""
    side = parse_side(drop_from)
    settings = inputs.settings(
        n=n,
        threshold=threshold,
        tokens=tokens,
        strip_articles=strip_articles,
        rule_n=rule_n,
        llama_min=llama_min,
    )
    sides, files = _read_sides(inputs, settings)
    views = _run_rungs(sides, files[1:], settings, by)
    removal = watch_job(choose_rows(side, views, by))
    cleaned = files[:1] if side == "test" or settings.split else files[1:]
    check_out(out, len(cleaned))
    made = _clean_files(cleaned, removal)
    targets = choose_targets(out, [file.name for file, _ in made])
    for (cleaned_file, _), target in zip(made, targets, strict=True):
        write_output(target, cleaned_file.data)
    summaries = [summary for _, summary in made]
    if json:
        write_output(json, write_json(_report(summaries, views, by)))
    if "-" not in {out, json}:
        for summary, target in zip(summaries, targets, strict=True):
            say(*describe_clean(summary, target))


def parse_side(text: str) -> SideName:
    """Return a side by its name.

    Raises:
        SettingError: If it is neither test nor train.
    """
    if text == "test":
        return "test"
    if text == "train":
        return "train"
    raise SettingError(f"--drop-from takes test or train, not {text!r}", setting="drop_from")


def check_out(out: str, files: int) -> None:
    """Refuse one file as the place for several.

    Raises:
        SettingError: If `out` is no folder and more than one file is to be written.
    """
    if files > 1 and not Path(out).is_dir():
        why = f"{files} files are written, so --out must be a folder that exists"
        raise SettingError(why, setting="out")


def choose_targets(out: str, names: Sequence[str]) -> list[str]:
    """Return where each file is written: `out` itself, or its own name in the folder `out`.

    Raises:
        SettingError: If two files would be written to one place.
    """
    if not Path(out).is_dir():
        return [out]
    if len(set(names)) < len(names):
        raise SettingError("two of the files have the same name", setting="out")
    return [str(Path(out) / name) for name in names]


def _read_sides(
    inputs: Inputs, settings: Settings
) -> tuple[tuple[Side, Side], list[LoadedFile]]:
    """Return both sides, and the test file followed by the training files."""
    options = inputs.read_options()
    test = load(inputs.test, options)
    if settings.split is not None:
        return choose_sides(test, None, settings), [test]
    train, files = load_all(inputs.train or (), options)
    return choose_sides(test, train, settings), [test, *files]


def _run_rungs(
    sides: tuple[Side, Side], train: Sequence[LoadedFile], settings: Settings, by: Sequence[str]
) -> Mapping[str, Any]:
    wanted = {rung_of(name) for name in by}
    stamps = [stamp_side(sides[1])]
    return {
        name: watch_job(run_rung(rung, sides, stamps, settings)).view
        for name, rung in RUNGS.items()
        if name in wanted
    }


def _clean_files(
    files: Sequence[LoadedFile], removal: Removal
) -> list[tuple[Cleaned, dict[str, object]]]:
    """Write every file without its rows; their numbers run on across several files."""
    made = []
    first = 0
    for file in files:
        rows = file.table.rows
        own = {
            at - first: names
            for at, names in removal.reasons.items()
            if first <= at < first + len(rows)
        }
        cleaned = watch_job(write_without(file.table, own.keys()))
        source = {"name": file.name, "sha256": file.sha256}
        summary = summarize(Removal(removal.side, own), cleaned, rows, source)
        made.append((cleaned, summary))
        first += len(rows)
    return made


def _report(
    summaries: Sequence[Mapping[str, object]], views: Mapping[str, Any], by: Sequence[str]
) -> dict[str, object]:
    settings = {name: RUNGS[name].stamp(view) for name, view in views.items()}
    return {"by": list(by), "settings": settings, "files": list(summaries)}


def describe_clean(summary: Mapping[str, Any], target: str) -> list[str]:
    """Return what was left out of one file, for people."""
    by = ", ".join(f"{name} {number:,}" for name, number in summary["by"].items())
    lines = [
        f"{summary['source']['name']}: {count(summary['left_out'], 'row')} of "
        f"{summary['rows']:,} left out" + (f" ({by})" if by else "") + f"; "
        f"{count(summary['kept'], 'row')} written to {target}.",
    ]
    return [*lines, *summary["notes"]]


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
    files = _read(test), [_read(path) for path in train_paths]
    done = watch_job(verify(_read(report).data, *files, make_comparer(model)))
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


def _read(path: str) -> NamedBytes:
    source = open_source(path)
    with source.open() as stream:
        return NamedBytes(source.name, stream.read())


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
        cited += find_cited(_read(path).data)
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
