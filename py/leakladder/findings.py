"""Stage 5a - findings: the items both files hold, one by one, with every row number.

Reads: `overlap.py`. Read by: `report.py`, `csv_export.py`.
"""

import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal, overload

from leakladder.normalize import apply_steps
from leakladder.overlap import CheckName, Match, RowsReport
from leakladder.results import ABSENT, Cell
from leakladder.rowkey import KeySide

Case = Literal["both", "content", "id", "neither"]

# What punctuation removal can take away from a quantity: the point or grouping inside a number,
# a dash beside one, and the marks that Unicode files under punctuation though they are symbols.
_MARKS = re.compile(
    r"""\.?\d+(?:(?:[^\w\s]|_)+\d+)*  # 1.5, .5, 3/4, 1:30
      | (?<=\d)\s*-|-\s*(?=\d)        # -5, 7 - x
      | [%‰‱\#&*@/\\§†‡]              # category P, yet not punctuation to a reader
      | \0.                           # what `_plain` keeps
    """,
    re.VERBOSE | re.DOTALL,
)
_UNLIKE = ("<super>", "<sub>", "<fraction>")  # folded to digits of another meaning: 10² and 102


@dataclass(frozen=True, slots=True)
class Finding:
    """One item that stands in both files.

    Attributes:
        match: The check that found it.
        text: Source text of the first training row that carries it, several fields joined by
            " | "; for an identifier, the id.
        differs: It holds only after folding, and two of its rows differ in digits, a sign or a
            symbol, so that they may well mean different things.
        test_records: 1-based records of all test rows that carry it, ascending.
        test_lines: Their lines, each None where the format has none.
        train_records: 1-based records of all training rows that carry it, ascending.
        train_lines: Their lines.
    """

    match: CheckName
    text: str
    differs: bool
    test_records: tuple[int, ...]
    test_lines: tuple[int | None, ...]
    train_records: tuple[int, ...]
    train_lines: tuple[int | None, ...]

    def to_wire(self) -> dict[str, object]:
        """Return the JSON-ready form; a side without lines has none listed."""
        return {
            "match": self.match,
            "text": self.text,
            "differs": self.differs,
            "test_records": list(self.test_records),
            "test_lines": [line for line in self.test_lines if line is not None],
            "train_records": list(self.train_records),
            "train_lines": [line for line in self.train_lines if line is not None],
        }


@dataclass(frozen=True, slots=True)
class Reading:
    """The three checks read together.

    Attributes:
        case: What overlaps: "both" text and id, "content" only, "id" only, "neither".
        sentence: The same for people.
    """

    case: Case
    sentence: str

    def to_wire(self) -> dict[str, str]:
        """Return the JSON-ready form."""
        return {"case": self.case, "sentence": self.sentence}


class Findings(Sequence[Finding]):
    """Every finding of a report, made when asked for.

    Order: exact items, then the normalized items that reach a row the exact check does not,
    then identifiers; within each, by the first training row.
    """

    def __init__(self, report: RowsReport) -> None:
        self._report = report
        self._order: list[tuple[CheckName, int]] = [
            *(("exact", item) for item in range(report.exact.items)),
            *(("normalized", item) for item in _reach_further(report)),
            *(("identifier", item) for item in range(report.identifier.items)),
        ]
        self._rows: dict[CheckName, tuple[list[list[int]], list[list[int]]]] = {}

    def __len__(self) -> int:
        return len(self._order)

    @overload
    def __getitem__(self, at: int) -> Finding: ...
    @overload
    def __getitem__(self, at: slice) -> list[Finding]: ...
    def __getitem__(self, at: int | slice) -> Finding | list[Finding]:
        if isinstance(at, slice):
            return [self._make(*place) for place in self._order[at]]
        return self._make(*self._order[at])

    def check(self, at: int) -> CheckName:
        """Return the check that found an item, without making it."""
        return self._order[at][0]

    def texts(self, at: int) -> dict[str, str]:
        """Return the text of the first row that carries an item, on each side."""
        check, item = self._order[at]
        test, train = self._rows_of(check, item)
        return {
            "test": _show(self._report.test, check, test[0]),
            "train": _show(self._report.train, check, train[0]),
        }

    def _rows_of(self, check: CheckName, item: int) -> tuple[list[int], list[int]]:
        if check not in self._rows:
            match = self._report.match(check)
            self._rows[check] = _list_rows(match.test, match), _list_rows(match.train, match)
        test, train = self._rows[check]
        return test[item], train[item]

    def _make(self, check: CheckName, item: int) -> Finding:
        test, train = self._rows_of(check, item)
        sides = self._report.test, self._report.train
        return Finding(
            match=check,
            text=_show(sides[1], check, train[0]),
            differs=check == "normalized" and _differ(sides, (test, train)),
            test_records=tuple(sides[0].rows[row].record for row in test),
            test_lines=tuple(sides[0].rows[row].line for row in test),
            train_records=tuple(sides[1].rows[row].record for row in train),
            train_lines=tuple(sides[1].rows[row].line for row in train),
        )


def quantity_marks(text: str) -> tuple[str, ...]:
    """List the numbers, signs and symbols of a text that folding may take away or change.

    Full-width and other plain variants of a digit count as that digit; a superscript, subscript
    or fraction does not, since 10² is not 102.

    Returns:
        The marks in order, blanks removed: ("-5", "1.5", "%") is the form. Equal for texts that
        differ only in letters, case and ordinary punctuation.
    """
    if not text.isascii():
        text = "".join(map(_plain, apply_steps(text, ("L1",))))
    return tuple("".join(mark.split()) for mark in _MARKS.findall(text))


def read_together(report: RowsReport) -> Reading:
    """Say what the text checks and the identifier check mean side by side."""
    content, ids = report.normalized.items, report.identifier.items
    case: Case = "neither"
    if content:
        case = "both" if ids else "content"
    elif ids:
        case = "id"
    return Reading(case, f"{_read_texts(report)} {_read_ids(report, case)}")


def _read_texts(report: RowsReport) -> str:
    sides = (report.test, report.test_blank), (report.train, report.train_blank)
    if any(len(side.rows) == blank for side, blank in sides):
        return "No row of one side holds text in the chosen fields, so no text was compared."
    rows = report.normalized.test_rows
    if not rows:
        return "No test row has its text in train."
    return f"{_count(rows, 'test row has its text', 'test rows have their text')} in train."


def _read_ids(report: RowsReport, case: Case) -> str:
    if report.identifier_note == "no-id":
        return "No id was compared."
    joint = report.joint_rows
    used_twice = _count(report.identifier.items, "id stands", "ids stand")
    sentence = {
        "both": "Ids recur too, but never on the rows whose text does: those are other items.",
        "content": "Not one id recurs, so the copies were given new ids, and a check by id"
        " would miss them all.",
        "id": f"{used_twice} in both files over different text: an id was used twice, which"
        " copies nothing.",
        "neither": "No id recurs either.",
    }[case]
    if joint:
        sentence = f"Of these, {joint:,} bring their id along: copied whole, with the id."
    if report.identifier_note == "serial" and report.identifier.items:
        sentence += " Both files just number their rows, so equal ids come about by accident."
    return sentence


def _count(number: int, one: str, many: str) -> str:
    return f"{number:,} {one if number == 1 else many}"


def _reach_further(report: RowsReport) -> list[int]:
    """List the normalized items with a row, on either side, that has no exact item."""
    exact, normalized = report.exact, report.normalized
    found = {n for n, e in zip(normalized.test, exact.test, strict=True) if n >= 0 > e}
    found |= {n for n, e in zip(normalized.train, exact.train, strict=True) if n >= 0 > e}
    return sorted(found)


def _list_rows(items: Sequence[int], match: Match) -> list[list[int]]:
    rows: list[list[int]] = [[] for _ in range(match.items)]
    for row, item in enumerate(items):
        if item >= 0:
            rows[item].append(row)
    return rows


def _show(side: KeySide, check: CheckName, row: int) -> str:
    if check == "identifier":
        return _text(side.ids[row]) if side.ids else ""
    return " | ".join(_text(column[row]) for column in side.columns)


def _text(cell: Cell) -> str:
    return "" if cell is ABSENT or cell is None else cell


def _differ(sides: Iterable[KeySide], rows: Iterable[list[int]]) -> bool:
    marks = {
        tuple(quantity_marks(_text(column[row])) for column in side.columns)
        for side, numbers in zip(sides, rows, strict=True)
        for row in numbers
    }
    return len(marks) > 1


@lru_cache(maxsize=4096)
def _plain(char: str) -> str:
    """Return a character as `quantity_marks` compares it; a NUL first makes it a mark."""
    if char.isdecimal():
        return str(unicodedata.decimal(char))
    folded = unicodedata.normalize("NFKC", char)
    if char.isnumeric() and unicodedata.decomposition(char).startswith(_UNLIKE):
        return f"\0{char}"
    if unicodedata.category(char)[0] == "S" and unicodedata.category(folded[0])[0] != "S":
        return f"\0{char}"
    return "-" if unicodedata.category(folded[0]) == "Pd" else folded
