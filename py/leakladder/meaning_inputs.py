"""Stage 9c - what rung 6 is asked about: one column of each side, all rows or a sample of them.

Reads: `pipeline.py`. Read by: `meaning_replay.py` and hosts, which embed the rows and compare
them.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from hashlib import sha256

from leakladder.errors import LadderError
from leakladder.jobs import Job
from leakladder.meaning import NOT_COMPARED
from leakladder.meaning_report import Meaning, keep_rows
from leakladder.outcome import is_same_file
from leakladder.pipeline import choose_sides
from leakladder.settings import Settings, Split
from leakladder.sides import LoadedFile, Side, make_side

SEED = 1
"""Of the sample, so that it is the same one every time."""


@dataclass(frozen=True)
class MeaningRows:
    """The rows of a run.

    Attributes:
        test: The test side; its first field is read.
        train: The training side, whose nearest row each test row looks for, or None.
        searched: Every training row, whose runs of words are looked for, also where `train`
            holds some of them.
        same_file: Both sides are the same rows of one file, before some were picked: no row is
            compared with itself.
        split: One-file mode, for the stamp.
        picked: How rows were chosen where not all are compared, for the stamp.
    """

    test: Side
    train: Side | None
    searched: Side | None
    same_file: bool = False
    split: Split | None = None
    picked: Mapping[str, object] = field(default_factory=dict)

    def own(self, *, back: bool = False) -> list[int]:
        """Return the training row that each test row is itself, or NOT_COMPARED.

        Nothing where the sides are not one file.

        Args:
            back: The test row that each training row is itself.
        """
        if self.train is None or not self.same_file:
            return []
        one, other = (self.train, self.test) if back else (self.test, self.train)
        places = {row.index: at for at, row in enumerate(other.rows)}
        return [places.get(row.index, NOT_COMPARED) for row in one.rows]

    def pick(self, how: str, size: int, flagged: Sequence[int] = ()) -> "MeaningRows":
        """Return some of these rows.

        Args:
            how: "sample" takes `size` rows of each side, "flagged" of the test rows only
                `flagged`, and `size` of them at most.
            size: Rows of a side at most.
            flagged: Positions of the test rows that another rung catches.
        """
        test, train = self.test, self.train
        picked: dict[str, object] = {"rows": how, "seed": SEED, "size": size}
        picked["test_of"] = len(test.rows)
        test = sample_rows(keep_rows(test, flagged) if how == "flagged" else test, size)
        if train is not None:
            picked["train_of"] = len(train.rows)
            train = sample_rows(train, size)
        return replace(self, test=test, train=train, picked=picked)


@dataclass(frozen=True)
class MeaningAsk:
    """What a run compares.

    Attributes:
        rows: The rows.
        threshold: The cosine from which on two rows read alike.
        within: Whether test rows are compared with each other.
        back: Whether the nearest test row of each training row is looked for too.
    """

    rows: MeaningRows
    threshold: float
    within: bool = True
    back: bool = False


Comparer = Callable[[MeaningAsk], Job[Meaning]]
"""A host's way to embed and compare."""


class UnansweredError(LadderError):
    """What a run asks for cannot be compared here: no model, or no way to find its rows."""

    code = "unanswered"


def choose_columns(
    test: LoadedFile, train: LoadedFile | None, settings: Settings, *, across: bool
) -> MeaningRows:
    """Return all rows of both sides, each side with the first of its chosen fields.

    Args:
        test: The test file; in one-file mode it holds both sides.
        train: The training file, where there is one.
        settings: Fields, ids and split.
        across: Whether test rows are held against training rows; without, the test side is
            enough, and the training side is None.

    Raises:
        FieldError: If a chosen field, id or split column is not there, or no row holds a value
            of the split.
        NotRunError: If a training side is asked for and there is none.
    """
    there = test if settings.split else train
    chosen = replace(settings, test_fields=_first(settings.test_fields, test))
    if there is not None:
        chosen = replace(chosen, train_fields=_first(settings.train_fields, there))
    if across or settings.split is not None:
        one, other = choose_sides(test, train, chosen)
        if across:
            return MeaningRows(one, other, other, is_same_file(one, other), settings.split)
        return MeaningRows(one, None, None, split=settings.split)
    one = make_side(test, chosen.test_fields, chosen.test_id, lambda _: True)
    return MeaningRows(one, None, None)


def _first(fields: Sequence[str], file: LoadedFile) -> tuple[str, ...]:
    return tuple(fields[:1]) or file.text_guess[:1]


def sample_rows(side: Side, size: int) -> Side:
    """Return at most `size` rows of a side, the same ones every time, in file order."""
    if len(side.rows) <= size:
        return side
    ranks = sorted(
        range(len(side.rows)),
        key=lambda at: sha256(f"{SEED}:{side.rows[at].index}".encode()).digest(),
    )
    return keep_rows(side, sorted(ranks[:size]))
