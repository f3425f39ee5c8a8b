"""Stage 9a - removal: which rows of a side have to go, and why.

Reads: the views of the rungs, `touching.py`. Read by: hosts, which hand the rows to `clean.py`.

On the test side a row goes when a rung flags it. On the training side every row goes that gives
a rung reason to flag: not only the best one of a test row. Checked again with the same settings
(the N of the GPT-3 rule included, since its own rule would choose another for fewer rows), what
is left flags nothing.
"""

from collections.abc import (
    Callable,
    Collection,
    Hashable,
    Iterable,
    Mapping,
    Sequence,
)
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from leakladder.clean import Cleaned
from leakladder.culprits import (
    ALL_BUT_ONE,
    NAMES,
    Views,
    flagged_rows,
    rung_of,
    touching_rows,
)
from leakladder.errors import SettingError
from leakladder.jobs import Job
from leakladder.normalize import ROW_STEPS, ROW_STEPS_ARTICLES
from leakladder.overlap import RowsReport
from leakladder.results import Row
from leakladder.rowkey import key_steps

if TYPE_CHECKING:
    from leakladder.twins import Twins

SideName = Literal["test", "train"]

MARKS = ("leak", "template", "shared-sentence", "fine", "unsure")
"""What a person may call a flagged test row after reading the pair."""


@dataclass(frozen=True, slots=True)
class Marks:
    """What a person said of test rows, and what follows from it.

    Attributes:
        of: Index of a test row to its mark, one of MARKS.
        drop: Marks whose rows go, whatever the rungs say.
        keep: Marks whose rows do not count, whatever the rungs say; a check of the cleaned file
            still flags these.
    """

    of: Mapping[int, str] = field(default_factory=dict)
    drop: frozenset[str] = frozenset()
    keep: frozenset[str] = frozenset()

    def __post_init__(self) -> None:
        """Refuse marks that do not exist.

        Raises:
            SettingError: If a mark is not one of MARKS, or is both to drop and to keep.
        """
        for mark in (*self.of.values(), *self.drop, *self.keep):
            if mark not in MARKS:
                raise SettingError(
                    f"a mark is one of {', '.join(MARKS)}, not {mark!r}", setting="marks"
                )
        if both := sorted(self.drop & self.keep):
            raise SettingError(
                f"the mark {both[0]} cannot both drop rows and keep them", setting="keep_marks"
            )

    def counts(self, row: Row) -> bool:
        """Tell of a test row whether the rungs' word on it counts."""
        return self.of.get(row.index) not in self.keep

    def has(self, mark: str) -> Callable[[Row], bool]:
        """Return what tells whether a row has this mark."""
        return lambda row: self.of.get(row.index) == mark


@dataclass(frozen=True, slots=True)
class Removal:
    """The rows that go.

    Attributes:
        side: "test" or "train".
        reasons: Index of a row in its file to the names it goes by, in the order of NAMES;
            marks read "mark: leak". Rows ascending.
        spared: Test rows that a rung names and a mark keeps; 0 on the training side, where
            such rows are never looked for.
        notes: Sentences for people about which rows were chosen.
    """

    side: SideName
    reasons: Mapping[int, tuple[str, ...]]
    spared: int = 0
    notes: tuple[str, ...] = ()

    def tally(self) -> dict[str, int]:
        """Count the rows by each name; a row that goes by two is counted under both."""
        counts: dict[str, int] = {}
        for names in self.reasons.values():
            for name in names:
                counts[name] = counts.get(name, 0) + 1
        return counts

    def to_wire(self, rows: Sequence[Row]) -> dict[str, object]:
        """Return the JSON-ready form; `rows` are those of the file, so `rows[i].index == i`."""
        return {
            "side": self.side,
            "by": self.tally(),
            "spared": self.spared,
            "left_out_rows": [
                {"record": index + 1, "line": rows[index].line, "by": list(names)}
                for index, names in self.reasons.items()
            ],
        }


def summarize(
    removal: Removal, cleaned: Cleaned, rows: Sequence[Row], source: Mapping[str, object]
) -> dict[str, object]:
    """Return what was left out of a file and how the rest was written. No text of the file.

    Args:
        removal: The rows that went.
        cleaned: What was written.
        rows: The rows of the file before.
        source: Name and sha256 of the file before.
    """
    notes = [*removal.notes, *cleaned.notes]
    made = {"source": dict(source), **cleaned.to_wire(), **removal.to_wire(rows)}
    return {**made, "notes": notes}


def check_names(side: SideName, by: Iterable[str]) -> None:
    """Refuse names that do not exist or say nothing of a side's rows.

    Raises:
        SettingError: If there is one.
    """
    names = list(by)
    for name in names:
        rung_of(name)
    if side == "train" and "groups" in names:
        why = "groups are formed of test rows only; give the file as the test file"
        raise SettingError(why, setting="by")


def choose_rows(
    side: SideName, views: Views, by: Iterable[str], marks: Marks | None = None
) -> Job[Removal]:
    """Find the rows of a side that have to go.

    Args:
        side: Whose rows.
        views: The views of the rungs that `by` needs; on the training side, what a mark drops
            is looked for with `rows` and `ngrams`, as far as they are there.
        by: Names out of NAMES.
        marks: What a person said of test rows.

    Returns:
        The rows. Where a test row counts, on the training side: for n-grams every row with a
        shared run of n or more, whatever the threshold; for a rule every row with a run or
        window that the rule counts in a row it flags.

    Raises:
        SettingError: If a name does not exist, needs a rung that is not in `views`, or says
            nothing of this side's rows.
    """
    said = marks or Marks()
    wanted = set(by)
    check_names(side, wanted)
    for name in sorted(wanted):
        if rung_of(name) not in views:
            raise SettingError(f"run {rung_of(name)} first, to go by {name}", setting="by")
    reasons: dict[int, list[str]] = {}
    for name in (name for name in NAMES if name in wanted and name not in ALL_BUT_ONE):
        _add(reasons, name, (yield from _rows_by(side, name, views, said)))
    for mark in sorted(said.drop):
        _add(reasons, f"mark: {mark}", (yield from _rows_marked(side, mark, views, said)))
    if "repeats" in wanted:
        repeats = yield from _find_repeats(side, views["rows"].report, reasons)
        _add(reasons, "repeats", repeats)
    notes: tuple[str, ...] = ()
    if "groups" in wanted:
        twins: Twins = views["meaning"]
        gone = {index for index in reasons if said.of.get(index) not in said.keep}
        _add(reasons, "groups", twins.surplus_rows(gone))
        notes = (twins.keeper.rule,)
    spared = [at for at in reasons if side == "test" and said.of.get(at) in said.keep]
    for at in spared:
        del reasons[at]
    chosen = {at: tuple(reasons[at]) for at in sorted(reasons)}
    return Removal(side, chosen, len(spared), notes)


def _add(reasons: dict[int, list[str]], name: str, rows: Iterable[int]) -> None:
    for index in rows:
        reasons.setdefault(index, []).append(name)


def _rows_by(side: SideName, name: str, views: Views, marks: Marks) -> Job[list[int]]:
    if side == "test":
        return flagged_rows(name, views)
    return (yield from touching_rows(name, views, marks.counts))


def _rows_marked(side: SideName, mark: str, views: Views, marks: Marks) -> Job[list[int]]:
    if side == "test":
        return [index for index, one in marks.of.items() if one == mark]
    names = {"rows": "normalized", "ngrams": "ngrams"}
    known = [name for rung, name in names.items() if rung in views]
    if not known:
        why = "run rows or ngrams first: training rows go by what a marked row shares"
        raise SettingError(why, setting="drop_marks")
    touched: set[int] = set()
    for name in known:
        touched.update((yield from touching_rows(name, views, marks.has(mark))))
    return sorted(touched)


def repeated_rows(keys: Sequence[Hashable | None], gone: Collection[int]) -> list[int]:
    """List the positions of rows that repeat another which stays.

    Args:
        keys: One a row; rows with the same key are one group, None is in no group.
        gone: Positions that go anyway: the first other row of their group is the one to stay.
    """
    seen: set[Hashable] = set()
    repeats = []
    for at, key in enumerate(keys):
        if key is None or at in gone:
            continue
        if key in seen:
            repeats.append(at)
        seen.add(key)
    return repeats


def _find_repeats(
    side: SideName, report: RowsReport, reasons: Mapping[int, object]
) -> Job[list[int]]:
    keyed = report.test if side == "test" else report.train
    steps = ROW_STEPS_ARTICLES if "L9" in report.transform else ROW_STEPS
    keys = yield from key_steps(keyed, steps, f"keying the {side} rows")
    gone = {at for at, row in enumerate(keyed.rows) if row.index in reasons}
    return [keyed.rows[at].index for at in repeated_rows(keys.normalized, gone)]
