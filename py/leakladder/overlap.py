"""Stage 5a - row overlap: items in both files, the rows that carry them, and repeats.

Reads: `rowkey.py` keys. Read by: `findings.py`, `report.py`.
"""

from array import array
from collections import Counter
from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass
from itertools import repeat
from typing import Literal

from leakladder.errors import SettingError
from leakladder.normalize import ROW_STEPS, ROW_STEPS_ARTICLES, transform_name
from leakladder.results import Cell, Progress
from leakladder.rowkey import Key, KeySide, id_keys, key_steps

CheckName = Literal["exact", "normalized", "identifier"]
IdentifierNote = Literal["serial", "no-id"]

_BLOCK_ROWS = 32_768  # work between two progress reports: about 20 ms in Pyodide


@dataclass(frozen=True, slots=True)
class Repeats:
    """How often one side repeats itself.

    Attributes:
        groups: Keys that two or more rows carry.
        rows: Rows in those groups.
        effective: Rows that would be left with one row a group; blank rows all stay.
    """

    groups: int
    rows: int
    effective: int

    def to_wire(self) -> dict[str, int]:
        """Return the JSON-ready form."""
        return {"groups": self.groups, "rows": self.rows, "effective": self.effective}


@dataclass(frozen=True, slots=True)
class Match:
    """One check: which keys stand on both sides, and on which rows.

    Attributes:
        items: Distinct keys on both sides, numbered in the order of their first training row.
        test: The item of each test row, -1 for none.
        train: The item of each training row, -1 for none.
        test_rows: Test rows that carry an item.
        train_rows: Training rows that carry one.
        test_repeats: Repeats inside the test side.
        train_repeats: Repeats inside the training side.
    """

    items: int
    test: Sequence[int]
    train: Sequence[int]
    test_rows: int
    train_rows: int
    test_repeats: Repeats
    train_repeats: Repeats

    @property
    def test_share(self) -> float | None:
        """Test rows with an item / all test rows, blank ones included; None of no rows."""
        return self.test_rows / len(self.test) if self.test else None

    @property
    def train_share(self) -> float | None:
        """Training rows with an item / all training rows; None of no rows."""
        return self.train_rows / len(self.train) if self.train else None

    def to_wire(self) -> dict[str, object]:
        """Return the JSON-ready counts and shares."""
        return {
            "items": self.items,
            "train_rows": self.train_rows,
            "test_rows": self.test_rows,
            "train_share": self.train_share,
            "test_share": self.test_share,
        }


@dataclass(frozen=True, slots=True)
class RowsReport:
    """What rungs 1 to 3 found.

    Attributes:
        test: The test side as given.
        train: The training side as given.
        exact: Items by exact key.
        normalized: Items by normalized key; its rows include all those of `exact`.
        identifier: Items by id.
        identifier_note: "no-id" when a side has no id column, or no id in it, so that nothing
            was compared; "serial" when both sides merely number their rows; None otherwise.
        further_items: Normalized keys that hold no exact item.
        further_rows: Test rows that carry a normalized item and no exact one.
        joint_rows: Test rows for which some one training row has both their normalized key and
            their id.
        test_blank: Test rows without a key.
        train_blank: Training rows without a key.
        transform: Printed name of the fold, such as "L1+L3+L4+L8+L10".
    """

    test: KeySide
    train: KeySide
    exact: Match
    normalized: Match
    identifier: Match
    identifier_note: IdentifierNote | None
    further_items: int
    further_rows: int
    joint_rows: int
    test_blank: int
    train_blank: int
    transform: str

    def match(self, check: CheckName) -> Match:
        """Return the match of a check by its name."""
        return {
            "exact": self.exact,
            "normalized": self.normalized,
            "identifier": self.identifier,
        }[check]

    def to_wire(self) -> dict[str, object]:
        """Return the JSON-ready counts; findings and the reading are `findings.py`'s."""
        checks = {"exact": self.exact, "normalized": self.normalized}
        return {
            "counts": {"test": len(self.test.rows), "train": len(self.train.rows)},
            "blank": {"test": self.test_blank, "train": self.train_blank},
            **{name: match.to_wire() for name, match in checks.items()},
            "identifier": self._identifier_wire(),
            "identifier_note": self.identifier_note,
            "further": {"items": self.further_items, "rows": self.further_rows},
            "repeats": {
                "test": {name: m.test_repeats.to_wire() for name, m in checks.items()},
                "train": {name: m.train_repeats.to_wire() for name, m in checks.items()},
            },
            "transform": self.transform,
        }

    def _identifier_wire(self) -> dict[str, object]:
        wire = self.identifier.to_wire()
        if self.identifier_note == "no-id":  # not compared is not 0.0%
            wire |= {"train_share": None, "test_share": None}
        return wire


def compare_rows(
    test: KeySide, train: KeySide, *, strip_articles: bool
) -> Generator[Progress, None, RowsReport]:
    """Match the rows of two sides exactly, after folding, and by identifier.

    Args:
        test: The side being judged.
        train: The side it may have leaked from.
        strip_articles: Whether the fold drops a, an and the (step L9).

    Yields:
        Progress, counted in rows.

    Returns:
        The report. Time linear in the rows and characters of both sides.

    Raises:
        SettingError: If the sides were given different numbers of fields, whose keys could
            never be equal.
        ValueError: If a side was given no field.
    """
    if not test.columns or not train.columns:
        raise ValueError("each side needs at least one field")
    if len(test.columns) != len(train.columns):
        raise SettingError(
            f"a row key takes as many fields on one side as on the other; chosen are"
            f" {len(test.columns)} of test and {len(train.columns)} of train",
            setting="train_fields",
        )
    steps = ROW_STEPS_ARTICLES if strip_articles else ROW_STEPS
    test_keys = yield from key_steps(test, steps, "keying the test rows")
    train_keys = yield from key_steps(train, steps, "keying the training rows")
    exact = yield from _match(test_keys.exact, train_keys.exact)
    normalized = yield from _match(test_keys.normalized, train_keys.normalized)
    identifier = yield from _match(test_keys.identifier, train_keys.identifier)
    joint = yield from _count_joint(normalized, identifier)
    return RowsReport(
        test=test,
        train=train,
        exact=exact,
        normalized=normalized,
        identifier=identifier,
        identifier_note=_note_ids(test.ids, train.ids),
        further_items=normalized.items - _count_holding(normalized, exact),
        further_rows=normalized.test_rows - exact.test_rows,
        joint_rows=joint,
        test_blank=test_keys.exact.count(None),
        train_blank=train_keys.exact.count(None),
        transform=transform_name(steps),
    )


def _match(test: list[Key], train: list[Key]) -> Generator[Progress, None, Match]:
    test_counts = yield from _count_keys(test)
    train_counts = yield from _count_keys(train)
    shared: dict[Key, None] = {}
    for block in _cut_list(train):
        shared.update(dict.fromkeys(filter(test_counts.__contains__, block)))
        yield Progress("matching rows", 0, 0)
    numbers = dict(zip(shared, range(len(shared)), strict=True))
    return Match(
        items=len(shared),
        test=(yield from _number_rows(test, numbers)),
        train=(yield from _number_rows(train, numbers)),
        test_rows=sum(map(test_counts.__getitem__, shared)),
        train_rows=sum(map(train_counts.__getitem__, shared)),
        test_repeats=_count_repeats(test_counts, len(test)),
        train_repeats=_count_repeats(train_counts, len(train)),
    )


def _cut_list(keys: list[Key]) -> Iterator[list[Key]]:
    return (keys[start : start + _BLOCK_ROWS] for start in range(0, len(keys), _BLOCK_ROWS))


def _count_keys(keys: list[Key]) -> Generator[Progress, None, Counter[Key]]:
    counts: Counter[Key] = Counter()
    for block in _cut_list(keys):
        counts.update(block)
        yield Progress("counting keys", 0, 0)
    counts.pop(None, None)
    return counts


def _number_rows(
    keys: list[Key], numbers: dict[Key, int]
) -> Generator[Progress, None, "array[int]"]:
    items = array("i")
    for block in _cut_list(keys):
        items.extend(map(numbers.get, block, repeat(-1)))
        yield Progress("matching rows", 0, 0)
    return items


def _count_repeats(counts: Counter[Key], rows: int) -> Repeats:
    sizes = [count for count in counts.values() if count > 1]
    return Repeats(len(sizes), sum(sizes), rows - sum(sizes) + len(sizes))


def _count_holding(normalized: Match, exact: Match) -> int:
    """Count the normalized items that hold an exact one."""
    return len({n for n, e in zip(normalized.test, exact.test, strict=True) if e >= 0})


def _count_joint(normalized: Match, identifier: Match) -> Generator[Progress, None, int]:
    # a row counts when its normalized key and its id stand together on one training row
    if not normalized.items or not identifier.items:
        return 0
    pairs: set[tuple[int, int]] = set()
    joint = 0
    for block in _cut_pairs(normalized.train, identifier.train):
        pairs.update(block)
        yield Progress("reading the checks together", 0, 0)
    for block in _cut_pairs(normalized.test, identifier.test):
        joint += sum(map(pairs.__contains__, block))
        yield Progress("reading the checks together", 0, 0)
    return joint


def _cut_pairs(first: Sequence[int], second: Sequence[int]) -> Iterator[list[tuple[int, int]]]:
    # the rows that carry an item of both, block by block
    for start in range(0, len(first), _BLOCK_ROWS):
        stop = start + _BLOCK_ROWS
        pairs = zip(first[start:stop], second[start:stop], strict=True)
        yield [(one, two) for one, two in pairs if one >= 0 <= two]


def _note_ids(
    test: Sequence[Cell] | None, train: Sequence[Cell] | None
) -> IdentifierNote | None:
    if not any(id_keys(test or ())) or not any(id_keys(train or ())):
        return "no-id"
    return "serial" if _is_serial(test or ()) and _is_serial(train or ()) else None


def _is_serial(ids: Sequence[Cell]) -> bool:
    """Tell whether the ids are whole numbers without a gap or a repeat, in any order."""
    texts = [cell for cell in id_keys(ids) if cell is not None]
    joined = "".join(texts)
    if not (joined.isascii() and joined.isdecimal()) or max(map(len, texts)) > 18:
        return False
    numbers = set(map(int, texts))
    return len(numbers) == len(texts) == max(numbers) - min(numbers) + 1
