"""Stage 8c - twins: rows that read alike, and which of them stays.

Reads: `meaning_report.py`. Read by: `culprits.py` and `removal.py`; `meaning_replay.py` makes
the same of a report.

Of a group one row stays, chained or not: every pair at or above the threshold lies inside one
group, so none is left.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from leakladder.errors import SettingError
from leakladder.fields import guess_answer_field
from leakladder.meaning_report import Meaning, stamp_settings
from leakladder.sides import LoadedFile


@dataclass(frozen=True, slots=True)
class Keeper:
    """Which row of a group stays: the one with the fullest reference answer, else the first.

    Attributes:
        path: Field that holds the reference answers, "" where none looks like it.
        lengths: Characters of the answer of each row of the file, runs of white space as one;
            empty where there is no such field.
    """

    path: str
    lengths: Sequence[int] = ()

    def choose(self, rows: Iterable[int]) -> int:
        """Return the index of the row that stays, the first of equal ones."""
        if not self.path:
            return min(rows)
        return max(rows, key=lambda index: (self.lengths[index], -index))

    @property
    def rule(self) -> str:
        """The rule in a sentence."""
        if not self.path:
            return "Of each group the first row stays: no field looks like a reference answer."
        return (
            f"Of each group the row with the fullest reference answer stays, the longest text "
            f"in '{self.path}'; of equally long ones the first."
        )


def make_keeper(file: LoadedFile, column: str, path: str | None = None) -> Keeper:
    """Return what keeps one row of each group of a file.

    Args:
        file: The file.
        column: The field that was compared, which is no answer.
        path: Field with the reference answers, "" for none, None for the guess.

    Raises:
        FieldError: If the file does not have that field.
    """
    chosen = guess_answer_field(file.fields, column) if path is None else path
    if not chosen:
        return Keeper("")
    cells = file.cells(file.check_field(chosen))
    return Keeper(
        chosen,
        [len(" ".join(cell.split())) if isinstance(cell, str) else 0 for cell in cells],
    )


@dataclass(frozen=True)
class Twins:
    """What one run of rung 6 found, as rows of the files.

    Attributes:
        groups: Indices of the rows of each group; None where test rows were not compared with
            each other.
        near: Indices of the rows that read alike with a training row; None where they were not
            compared with any.
        keeper: Which row of a group stays.
        settings: What decides it, for reports.
        near_train: Indices of the training rows that read alike with a test row that counts;
            None where that was not looked for.
    """

    groups: Sequence[Sequence[int]] | None
    near: Sequence[int] | None
    keeper: Keeper
    settings: Mapping[str, object] = field(default_factory=dict)
    near_train: Sequence[int] | None = None

    def near_rows(self, *, train: bool = False) -> list[int]:
        """List the test rows that read alike with a training row.

        Args:
            train: List the training rows that read alike with a test row.

        Raises:
            SettingError: If that was not compared.
        """
        found = self.near_train if train else self.near
        if found is None:
            why = "compare test with training rows first, to go by meaning"
            raise SettingError(why, setting="by")
        return list(found)

    def surplus_rows(self, gone: Collection[int]) -> list[int]:
        """List the rows of all groups but the one of each that stays.

        Args:
            gone: Indices of rows that go anyway; the one that stays is none of them.

        Raises:
            SettingError: If test rows were not compared with each other.
        """
        if self.groups is None:
            why = "compare the test rows with each other first, to go by groups"
            raise SettingError(why, setting="by")
        surplus: list[int] = []
        for group in self.groups:
            left = [index for index in group if index not in gone]
            if left:
                stays = self.keeper.choose(left)
                surplus += [index for index in left if index != stays]
        return sorted(surplus)


def find_twins(made: Meaning, keeper: Keeper) -> Twins:
    """Return the rows of a run that can be left out.

    Raises:
        SettingError: If the run did not compare all rows, so that others may read alike too.
    """
    refuse_picked(made.picked)
    rows = made.test.rows
    groups, near, near_train = None, None, None
    if made.view is not None:
        groups = [[rows[at].index for at in group.rows] for group in made.view.groups]
    if made.train is not None:
        near = [rows[at].index for at in made.matches if made.reads_alike(at)]
        if made.back is not None:
            near_train = [
                made.train.rows[each.index].index
                for each in made.back
                if each.cosine is not None and each.cosine >= made.threshold
            ]
    settings = name_settings(stamp_settings(made), keeper)
    return Twins(groups, near, keeper, settings, near_train)


def refuse_picked(picked: object) -> None:
    """Refuse a run over some of the rows.

    Raises:
        SettingError: If there is such a choice of rows.
    """
    if picked:
        why = "only some of the rows were compared, so others may read alike too; compare all"
        raise SettingError(why, setting="by")


def name_settings(stamped: Mapping[str, object], keeper: Keeper) -> dict[str, object]:
    """Return what a stamp says of model, threshold and column, and which row stays."""
    chosen = {name: stamped[name] for name in ("model", "threshold", "column")}
    return {**chosen, "keeps": keeper.rule}
