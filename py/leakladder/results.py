"""leaf - the data that moves between the stages: frozen, typed, without logic.

Positions are 0-based and ranges half-open; lines are 1-based; shares are fractions from 0 to 1.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Literal, NamedTuple

State = Literal["checked", "short", "blank"]


class NumberText(str):
    """A number as the file wrote it ("1.0" stays "1.0", 2^60 stays exact).

    A subclass of `str` so that it is text wherever text is wanted, and still told apart from a
    quoted string inside a list or an object.
    """

    __slots__ = ()


class Absent(Enum):
    """The value of a field that a record does not have; null and "" are something else."""

    ABSENT = "absent"


ABSENT = Absent.ABSENT

ID_NAMES = (
    *("id", "_id", "uid", "uuid", "guid", "qid", "question_id", "questionid", "example_id"),
    *("item_id", "sample_id", "task_id", "problem_id", "doc_id", "record_id", "row_id"),
    *("row_idx", "idx", "index", "ind", "key"),
)
"""Names of fields that identify a row, the likeliest first; compared in lower case."""

Cell = str | None | Absent
"""One chosen field of one row: its text, None for null, ABSENT where there is no such field."""


class Row(NamedTuple):
    """One record of a file.

    Attributes:
        index: 0-based position among the file's records; a CSV header is not a record.
        line: 1-based line of the file on which the record starts, or None where the format has
            no lines.
        start: Byte offset of the record in the unpacked file, or None where it has none.
        stop: Byte offset just after the record, without its line end, or None.
        fields: Column name to value as read: str, NumberText, bool, None, list or dict.
    """

    index: int  # type: ignore[assignment]  # hides tuple.index, which nobody needs on a record
    line: int | None
    start: int | None
    stop: int | None
    fields: Mapping[str, object]

    @property
    def byte_range(self) -> tuple[int, int] | None:
        """Half-open byte offsets in the unpacked file, or None where the format has none."""
        if self.start is None or self.stop is None:
            return None
        return self.start, self.stop

    @property
    def label(self) -> str:
        """The row's id by its first field named as in ID_NAMES; "" if it has none."""
        names = {name.lower(): value for name, value in [*self.fields.items()][::-1]}
        found = (names[name] for name in ID_NAMES if isinstance(names.get(name), str))
        return next(map(str, found), "")

    @property
    def record(self) -> int:
        """The 1-based number that people see."""
        return self.index + 1


class Progress(NamedTuple):
    """How far a long step has come.

    Attributes:
        phase: Name of the step, for people.
        done: Units finished.
        total: Units in all, or 0 where it is not known.
    """

    phase: str
    done: int
    total: int


class Token(NamedTuple):
    """One token of a text.

    Attributes:
        text: The folded token, the thing that is compared.
        start: Code point offset of its first source character.
        stop: Code point offset just after its last source character.
    """

    text: str
    start: int
    stop: int


@dataclass(frozen=True, slots=True)
class BestRun:
    """The longest run that a test row shares with one training row. All units are tokens.

    Ties are settled by the smallest train index, then test field and start, then train field
    and start.

    Attributes:
        length: Tokens in the run, at least 5.
        train_index: Position of the training row in the order it was searched.
        test_field: Which of the chosen test fields holds the run.
        test_start: Token of that field at which it starts.
        train_field: Which of the chosen training fields holds it.
        train_start: Token of that field at which it starts.
    """

    length: int
    train_index: int
    test_field: int
    test_start: int
    train_field: int
    train_start: int
