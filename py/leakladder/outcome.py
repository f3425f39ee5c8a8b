"""Stage 8f - what one rung found over two sides, and the files that are written of it.

Reads: `rungs.py`, `csv_export.py`, `stamp.py`. Read by: `pipeline.py`, `replay.py` and hosts.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from leakladder.csv_export import write_csv
from leakladder.jobs import Job
from leakladder.rungs import Export, Rung
from leakladder.settings import Settings, Split
from leakladder.sides import LoadedFile, Side
from leakladder.stamp import FileStamp, make_stamp

Marking = Mapping[str, Mapping[str, str]]


def is_same_file(test: Side, train: Side) -> bool:
    """Tell whether both sides are the same rows and fields of the same bytes."""
    return (
        test.file.sha256 == train.file.sha256
        and test.fields == train.fields
        and [row.index for row in test.rows] == [row.index for row in train.rows]
    )


def stamp_file(file: LoadedFile, rows: int, fields: tuple[str, ...]) -> FileStamp:
    """Return the stamp of a file of which so many rows and these fields are compared."""
    return FileStamp(file.name, file.size, file.sha256, rows, fields, file.table.info)


def name_reading(stamp: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a file's stamp says of its bytes and how they were read.

    Two stamps that agree in it are of the same rows, whatever they are compared by or called.
    """
    apart = {"name", "rows", "fields"}
    return {name: value for name, value in stamp.items() if name not in apart}


def stamp_side(side: Side) -> FileStamp:
    """Return the stamp of a side that is held in memory."""
    return stamp_file(side.file, len(side.rows), side.fields)


def stamp_files(files: Sequence[LoadedFile], side: Side) -> list[FileStamp]:
    """Return the stamps of one or more whole files that make up a side."""
    return [stamp_file(file, len(file.table.rows), side.fields) for file in files]


@dataclass(frozen=True)
class Result:
    """What one rung found, at the settings it is shown with.

    Attributes:
        rung: The rung.
        view: Its view, as the rung made it.
        test: The test side.
        train: Stamps of the training files, complete once the scan is done.
        split: The split column and its values in one-file mode.
    """

    rung: Rung
    view: Any
    test: Side
    train: Sequence[FileStamp]
    split: Split | None = None

    def stamp(self) -> dict[str, object]:
        """Return the run stamp."""
        settings = self.rung.stamp(self.view)
        if self.split is not None:
            settings["split"] = asdict(self.split)
        return make_stamp([stamp_side(self.test)], self.train, settings)

    def summary(self) -> dict[str, Any]:
        """Return the totals without names and stamp, as files have them."""
        return self.rung.summary(self.view)

    def screen(self) -> dict[str, Any]:
        """Return the totals with what the page shows beside them."""
        return self.rung.screen(self.view)

    def export(self, *, text: bool) -> Job[Export]:
        """Return the whole table; `text` False leaves out every column of the files' text."""
        made: Export = yield from self.rung.export(self.view)
        return made if text else drop_text(made)

    def csv(self, *, text: bool = True, marks: Marking | None = None) -> Job[bytes]:
        """Return the table as a CSV file; with marks it has the columns `mark` and `note`."""
        made = yield from self.export(text=text)
        if marks:
            made = add_marks(made, marks)
        return write_csv(made.columns, made.csv_rows, self.stamp())

    def report(self, *, text: bool = True) -> Job[dict[str, Any]]:
        """Return summary, every row and the stamp, ready for `write_json`."""
        made = yield from self.export(text=text)
        if self.rung.name == "rows":
            return {**self.summary(), "findings": made.rows, "stamp": self.stamp()}
        return {"summary": self.summary(), "rows": made.rows, "stamp": self.stamp()}


def add_marks(made: Export, marks: Marking) -> Export:
    """Add what a person noted while reading: the mark and the note of each row's record.

    An item of the rows rung takes those of the first test row that carries it and has any.
    """
    rows = []
    for row in made.csv_rows:
        records = row["test_records"].split() if "test_records" in row else [str(row["record"])]
        found = next((marks[record] for record in records if record in marks), {})
        rows.append({**row, "mark": found.get("mark"), "note": found.get("note")})
    return made._replace(columns=[*made.columns, "mark", "note"], csv_rows=rows)


def check_report(results: Sequence[Result], *, text: bool = True) -> Job[dict[str, Any]]:
    """Return the reports of several rungs over the same two sides as one, with one stamp.

    Args:
        results: At least one, all of the same files.
        text: False leaves out every column of the files' text.

    Returns:
        One entry a rung by its name, each as `Result.report` without its stamp; and `stamp`,
        where each rung's own settings stand under its name.
    """
    made: dict[str, Any] = {}
    for result in results:
        report = yield from result.report(text=text)
        report.pop("stamp")
        made[result.rung.name] = report
    first = results[0]
    settings: dict[str, object] = {one.rung.name: one.rung.stamp(one.view) for one in results}
    if first.split is not None:
        settings["split"] = asdict(first.split)
    return {**made, "stamp": make_stamp([stamp_side(first.test)], first.train, settings)}


def drop_text(made: Export) -> Export:
    """Leave out the columns that hold text of the files."""
    kept = [name for name in made.columns if name not in made.text_columns]
    rows, csv_rows = (
        [{name: row[name] for name in row if name not in made.text_columns} for row in rows]
        for rows in (made.rows, made.csv_rows)
    )
    return Export(kept, frozenset(), rows, csv_rows)


def run_rung(
    rung: Rung, sides: tuple[Side, Side], stamps: Sequence[FileStamp], settings: Settings
) -> Job[Result]:
    """Run one rung over two sides in memory; `stamps` are those of the training files."""
    test, train = sides
    same = is_same_file(test, train)
    scan = yield from rung.scan(test, train, settings, same_file=same)
    return Result(rung, rung.view(scan, settings), test, stamps, settings.split)
