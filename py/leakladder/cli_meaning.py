"""host - the command `meaning`: rows that read alike, in one file and against another.

The model runs on this machine's processor; the extra `meaning` brings what it needs. Exit codes
as in `cli.py`.
"""

from pathlib import Path
from typing import Annotated, Any

import typer

from leakladder.cli_output import JsonFile, ModelFolder, NoText, say_summary
from leakladder.command import SplitColumn, SplitTest, SplitTrain, load, parse_split
from leakladder.csv_export import write_json
from leakladder.meaning import check_threshold, show_cosine
from leakladder.meaning_files import TABLES, report, write_table
from leakladder.meaning_inputs import MeaningAsk, choose_columns
from leakladder.meaning_native import make_comparer
from leakladder.meaning_report import Meaning, stamp, summarize
from leakladder.outcome import stamp_side
from leakladder.settings import ReadOptions, Settings
from leakladder.terminal import count, percent, watch_job, write_output

Fields = Annotated[
    list[str] | None,
    typer.Option(
        "--field", metavar="NAME", help="Text column; give it twice where TRAIN's differs."
    ),
]


def register(app: typer.Typer) -> None:
    """Add this command to the command line."""
    app.command("meaning")(meaning_command)


def meaning_command(
    file: Annotated[str, typer.Argument(metavar="FILE", help="File; - is standard input.")],
    against: Annotated[
        str | None,
        typer.Option(
            "--against",
            metavar="TRAIN",
            help="Find each row's nearest row here; in FILE itself, its nearest other row.",
        ),
    ] = None,
    split_column: SplitColumn = None,
    split_test: SplitTest = None,
    split_train: SplitTrain = None,
    field: Fields = None,
    id_: Annotated[
        str | None, typer.Option("--id", metavar="NAME", help="Field that names the rows.")
    ] = None,
    threshold: Annotated[
        float, typer.Option("--threshold", help="Cosine of a pair, 0.70 to 0.99.")
    ] = 0.90,
    csv_dir: Annotated[
        str | None,
        typer.Option(
            "--csv-dir", metavar="FOLDER", help="Write pairs.csv, groups.csv, nearest.csv."
        ),
    ] = None,
    json: JsonFile = None,
    no_text: NoText = False,
    model: ModelFolder = None,
) -> None:
    """Find rows that read alike, whatever their words (needs the extra `meaning`)."""
    check_threshold(threshold)
    split = parse_split(split_column, split_test, split_train, other=against is not None)
    wanted = Settings(
        test_fields=tuple(field or ())[:1],
        train_fields=tuple(field or ())[-1:],
        test_id=id_,
        train_id=id_,
        split=split,
    )
    test_file = load(file, ReadOptions())
    train_file = load(against, ReadOptions()) if against else None
    across = against is not None or split is not None
    rows = choose_columns(test_file, train_file, wanted, across=across)
    made = watch_job(make_comparer(model)(MeaningAsk(rows, threshold)))
    note = stamp(made, stamp_side(rows.test))
    if csv_dir:
        _write_tables(made, note, Path(csv_dir), text=not no_text)
    if json:
        write_output(json, write_json(watch_job(report(made, note, text=not no_text))))
    say_summary(None, json, *describe_meaning(summarize(made)))


def _write_tables(made: Meaning, note: dict[str, object], folder: Path, *, text: bool) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for name in TABLES:
        if name != "nearest" or made.train is not None:
            data = watch_job(write_table(made, name, note, text=text))
            write_output(str(folder / f"{name}.csv"), data)


def describe_meaning(summary: dict[str, Any]) -> list[str]:
    """Return the summary of a meaning run for people."""
    at, rows = f"{summary['threshold']:.2f}", summary["compared"]
    closest = summary["closest"]
    lines = [
        f"{summary['rows_in_groups']:,} of {count(rows, 'row')} read alike with another row "
        f"at {at} ({percent(summary['duplicate_share'])}), in "
        f"{count(summary['groups'], 'group')}; {summary['effective']:,} effective.",
        f"Not compared: {count(summary['blank'], 'row')} without text, "
        f"{count(summary['unreadable'], 'row')} in a script the model does not read. Read to "
        f"the first 256 word pieces only: {count(summary['truncated'], 'row')}.",
    ]
    if closest:
        lines.append(
            f"Closest pair: records {closest['a_index'] + 1} and {closest['b_index'] + 1}, "
            f"{show_cosine(closest['cosine'], summary['threshold'])}."
        )
    if across := summary.get("across"):
        lines.append(
            f"{across['reads_alike']:,} of {count(across['checked'], 'row')} read alike with a "
            f"training row ({percent(across['share'])}); {across['few_words']:,} of them share "
            f"no run of 8 words with any training row."
        )
    return lines
