"""host - what the page calls to act on results: a cleaned file, words to paste.

Plain data in, dicts and bytes out; `bridge.py` puts them on the wire. Records are numbered from
1 here, as people see them.
"""

from collections.abc import Generator, Iterable, Mapping, Sequence
from typing import Any

from leakladder.cite import Cited
from leakladder.cite import cite as write_citation
from leakladder.clean import write_without
from leakladder.culprits import ALIKE, rung_of
from leakladder.errors import SettingError
from leakladder.meaning_report import Meaning
from leakladder.outcome import Result, name_reading, stamp_file
from leakladder.pipeline import Comparison, NotRunError
from leakladder.removal import Marks, SideName, choose_rows, summarize
from leakladder.results import Progress
from leakladder.sides import LoadedFile
from leakladder.twins import Twins, find_twins, make_keeper


def clean(
    comparison: Comparison,
    side: SideName,
    *,
    by: Iterable[str] = (),
    marks: Mapping[str, str] | None = None,
    drop_marks: Iterable[str] = (),
    keep_marks: Iterable[str] = (),
    meaning: Meaning | None = None,
) -> Generator[Progress, None, tuple[bytes, dict[str, object]]]:
    """Write a file again without some of its rows.

    Args:
        comparison: The files and the last results.
        side: Whose file, "test" or "train"; in one-file mode there is only one, and it says
            which of its rows.
        by: Names as in `culprits.NAMES`; their rungs must have been run.
        marks: Record of a test row, as text since JSON has no other keys, to its mark.
        drop_marks: Marks whose rows go. On the training side that is what the marked test rows
            share with, as far as rows and n-grams were run.
        keep_marks: Marks whose rows stay, whatever a rung says.
        meaning: The last run of rung 6.

    Returns:
        The bytes, and a summary that holds no text of the file.

    Raises:
        NotRunError: If a rung has not been run, or a file has changed since.
        SettingError: If a name, mark or record does not exist.
    """
    names = list(by)
    chosen = Marks(
        {record_index(record): mark for record, mark in (marks or {}).items()},
        frozenset(drop_marks),
        frozenset(keep_marks),
    )
    results = _gather(comparison, names, side, marked=bool(chosen.drop))
    file = _find_file(comparison, side, list(results.values()))
    _check_marks(chosen, _find_file(comparison, "test", list(results.values())))
    views: dict[str, Any] = {name: result.view for name, result in results.items()}
    if ALIKE & set(names):
        views["meaning"] = _find_twins(comparison, meaning)
    removal = yield from choose_rows(side, views, names, chosen)
    made = yield from write_without(file.table, removal.reasons.keys())
    source = {"name": file.name, "sha256": file.sha256}
    return made.data, summarize(removal, made, file.table.rows, source)


def cite(
    comparison: Comparison, rungs: Sequence[str], more: Sequence[Cited] = ()
) -> dict[str, str]:
    """Write up the last results of some rungs, and more; `sentence` and `markdown`.

    Raises:
        NotRunError: If one of them has not been run.
    """
    results = [(name, comparison.result(name)) for name in rungs]
    return write_citation([
        *(Cited(name, result.summary(), result.stamp()) for name, result in results),
        *more,
    ])


def record_index(record: str | int) -> int:
    """Return the 0-based index of a record number.

    Raises:
        SettingError: If it is no record number.
    """
    text = str(record)
    if not (text.isascii() and text.isdecimal()) or int(text) < 1:
        raise SettingError(f"{record!r} is no record number", setting="marks")
    return int(text) - 1


def _gather(
    comparison: Comparison, names: Iterable[str], side: SideName, *, marked: bool
) -> dict[str, Result]:
    rungs = sorted(set(map(rung_of, names)) - {"meaning"})
    results = {rung: comparison.result(rung) for rung in rungs}
    if marked and side == "train":
        for rung in ("rows", "ngrams"):
            try:
                results.setdefault(rung, comparison.result(rung))
            except NotRunError:
                continue  # `choose_rows` refuses if neither is there
    return results


def _find_file(comparison: Comparison, side: SideName, results: Sequence[Result]) -> LoadedFile:
    slot: SideName = "test" if any(result.split for result in results) else side
    file = comparison.file(slot)
    now = name_reading(stamp_file(file, 0, ()).to_wire())
    for result in results:
        stamped: Any = result.stamp()[slot]
        if name_reading(stamped) != now:
            raise NotRunError(_changed(slot))
    return file


def _changed(slot: str) -> str:
    return f"the {slot} file has changed since the last run; run again"


def _find_twins(comparison: Comparison, made: Meaning | None) -> Twins:
    """Return what reads alike in the files that are there now.

    Raises:
        NotRunError: If rung 6 has not been run, or a file has changed since.
    """
    if made is None:
        raise NotRunError("meaning has not been run yet")
    train = made.train
    if made.test.file is not comparison.file("test"):
        raise NotRunError(_changed("test"))
    if train and not made.split and train.file is not comparison.file("train"):
        raise NotRunError(_changed("train"))
    return find_twins(made, make_keeper(made.test.file, made.test.fields[0]))


def _check_marks(marks: Marks, file: LoadedFile) -> None:
    rows = len(file.table.rows)
    for index in marks.of:
        if index >= rows:
            raise SettingError(
                f"there is no record {index + 1}: {file.name} has {rows:,}", setting="marks"
            )
