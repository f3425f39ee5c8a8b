"""host - the command `clean`: a file written again without the rows that were found.

Exit codes as in `cli.py`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any

import typer

from leakladder.clean import Cleaned, write_without
from leakladder.cli_output import ModelFolder
from leakladder.command import Inputs, load, load_all, read_bytes, takes_inputs
from leakladder.csv_export import write_json
from leakladder.culprits import ALIKE, NAMES, rung_of
from leakladder.errors import SettingError
from leakladder.meaning import THRESHOLD_DEFAULT, check_threshold
from leakladder.meaning_inputs import MeaningAsk, choose_columns
from leakladder.meaning_native import make_comparer
from leakladder.meaning_replay import has_meaning, read_twins
from leakladder.outcome import name_reading, run_rung, stamp_file, stamp_side
from leakladder.pipeline import choose_sides
from leakladder.removal import Removal, SideName, check_names, choose_rows, summarize
from leakladder.replay import MEANING, ReportError, find_rungs, parse_report, stamped_files
from leakladder.rungs import RUNGS
from leakladder.settings import N_DEFAULT, Settings, Split
from leakladder.sides import LoadedFile
from leakladder.terminal import count, say, watch_job, write_output
from leakladder.twins import Twins, find_twins, make_keeper

ALONE = frozenset({"groups"})
"""What needs no training side."""


def register(app: typer.Typer) -> None:
    """Add this command to the command line."""
    app.command("clean")(takes_inputs(clean_command))


@dataclass(frozen=True)
class _Alike:
    """Where what reads alike comes from: a report, or the model at a threshold."""

    report: str | None
    threshold: float
    answers: str | None
    model: str | None

    def check(self, side: SideName, by: Sequence[str]) -> None:
        """Refuse a report that nothing is taken from.

        Raises:
            SettingError: If no name in `by` needs one, or it cannot say what is asked.
        """
        if self.report and ALIKE.isdisjoint(by):
            why = "--meaning-report goes with --by meaning or --by groups"
            raise SettingError(why, setting="meaning_report")
        if self.report and side == "train":
            why = "a report names one training row for each test row, not all; leave it out"
            raise SettingError(why, setting="meaning_report")


@dataclass(frozen=True)
class _Read:
    """The files, read: the test file, and the training files as one and one by one."""

    test: LoadedFile
    train: LoadedFile | None
    files: list[LoadedFile]


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
    cosine: Annotated[
        float,
        typer.Option(
            "--cosine", help="From which on rows read alike, 0.70 to 0.99 (meaning, groups)."
        ),
    ] = THRESHOLD_DEFAULT,
    meaning_report: Annotated[
        str | None,
        typer.Option(
            "--meaning-report",
            metavar="FILE",
            help="Take what reads alike, and its cosine, from this JSON report of `meaning`.",
        ),
    ] = None,
    answer_field: Annotated[
        str | None,
        typer.Option(
            "--answer-field",
            metavar="NAME",
            help="Reference answers: the row with the fullest one of a group stays; '' for the "
            "first row.",
        ),
    ] = None,
    model: ModelFolder = None,
    json: Annotated[
        str | None,
        typer.Option("--json", metavar="FILE", help="Write what was left out; - prints it."),
    ] = None,
) -> None:
    """Write a file again without the rows that were found, every other byte as it was."""
    side = parse_side(drop_from)
    check_names(side, by)
    alike = _Alike(meaning_report, check_threshold(cosine), answer_field, model)
    alike.check(side, by)
    settings = inputs.settings(
        alone=ALONE.issuperset(by),
        n=n,
        threshold=threshold,
        tokens=tokens,
        strip_articles=strip_articles,
        rule_n=rule_n,
        llama_min=llama_min,
    )
    found = _read_files(inputs, settings)
    views = _make_views(found, settings, side, by, alike)
    removal = watch_job(choose_rows(side, views, by))
    cleaned = [found.test] if side == "test" or settings.split else found.files
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


def _read_files(inputs: Inputs, settings: Settings) -> _Read:
    options = inputs.read_options()
    test = load(inputs.test, options)
    if settings.split is not None or not inputs.train:
        return _Read(test, None, [])
    return _Read(test, *load_all(inputs.train, options))


def _make_views(
    found: _Read, settings: Settings, side: SideName, by: Sequence[str], alike: _Alike
) -> dict[str, Any]:
    """Run what the names need."""
    wanted = {rung_of(name) for name in by}
    views: dict[str, Any] = {}
    if not wanted.isdisjoint(RUNGS):
        sides = choose_sides(found.test, found.train, settings)
        for name, rung in RUNGS.items():
            if name in wanted:
                result = watch_job(run_rung(rung, sides, [stamp_side(sides[1])], settings))
                views[name] = result.view
    if MEANING in wanted:
        if alike.report is not None:
            views[MEANING] = _take_twins(found, settings, by, alike)
        else:
            views[MEANING] = _compute_twins(found, settings, side, by, alike)
    return views


def _compute_twins(
    found: _Read, settings: Settings, side: SideName, by: Sequence[str], alike: _Alike
) -> Twins:
    """Embed and compare the rows."""
    across = "meaning" in by
    rows = choose_columns(found.test, found.train, settings, across=across)
    keeper = make_keeper(found.test, rows.test.fields[0], alike.answers)
    ask = MeaningAsk(rows, alike.threshold, "groups" in by, back=side == "train")
    return find_twins(watch_job(make_comparer(alike.model)(ask)), keeper)


def _take_twins(found: _Read, settings: Settings, by: Sequence[str], alike: _Alike) -> Twins:
    """Take what a report says, which must be of these files, read as they are now.

    Raises:
        ReportError: If it is of other files, or holds nothing about meaning.
        SettingError: If it is of other rows of the file.
    """
    said = parse_report(read_bytes(alike.report or "").data)
    if not has_meaning(said):
        raise ReportError("the report holds nothing about meaning")
    reported = [name_reading(wire) for wire in stamped_files(said["stamp"])]
    files = [found.test, *(found.files if "meaning" in by else ())]
    now = [name_reading(stamp_file(file, 0, ()).to_wire()) for file in files]
    if reported[: len(now)] != now:
        raise ReportError("the report is of other files, or they were read in another way")
    split = said["stamp"].get("split")
    if (Split(**split) if split else None) != settings.split:
        raise SettingError("the report is of other rows: its split is another", setting="split")
    column = find_rungs(said)[MEANING]["column"]["test"]
    return read_twins(said, make_keeper(found.test, column, alike.answers))


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
        summary = summarize(replace(removal, reasons=own), cleaned, rows, source)
        made.append((cleaned, summary))
        first += len(rows)
    return made


def _report(
    summaries: Sequence[Mapping[str, object]], views: Mapping[str, Any], by: Sequence[str]
) -> dict[str, object]:
    settings = {
        name: view.settings if name == MEANING else RUNGS[name].stamp(view)
        for name, view in views.items()
    }
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
