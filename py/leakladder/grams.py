"""Stage 4b - grams: the windows of four tokens that both sides share, as flags.

A shared run of five tokens holds two windows of four, side by side, so one of them stands at an
even position of the test side. Looking up only those halves the table that everything is looked
up in; the flags are then widened by one position to both sides. They promise nothing but this:
each window of each shared run of five or more is flagged.

Reads: `tokens.py`. Read by: `runs.py`.
"""

import re
import sys
from array import array
from collections.abc import Generator, Iterator, Sequence
from itertools import compress, repeat
from operator import ne

from leakladder.results import Progress
from leakladder.tokens import TokenRows

WINDOW = 4
SHORTEST = 5
STEP = 50_000  # windows a step: under 20 ms in WebAssembly

_NARROW = 0xFFFF  # ids below it fit two bytes, a window of four then is one machine number
_SEVERAL = -1
_FLAGGED = re.compile(b"\x01{2,}")

Windows = Sequence[int | bytes]


class TestWindows:
    """Windows of the test side, and which of them a chunk of the training side has too.

    Attributes:
        rows: The test side.
        windows: The window at every position, those across a border included.
    """

    def __init__(self, rows: TokenRows, *, same_file: bool) -> None:
        self.rows = rows
        self.narrow = max(rows.ids, default=0) < _NARROW
        self.windows: Windows = ()
        self._known: set[int | bytes] = set()
        self._owners: dict[int | bytes, int] | None = {} if same_file else None
        self._inside = 0

    def build(self) -> Generator[Progress, None, None]:
        """Fill the tables; to be run to its end before anything else.

        Yields:
            Progress in windows.
        """
        self.windows = make_windows(self.rows.ids, narrow=self.narrow)
        self._inside = _inside(self.rows)
        row_of = row_numbers(self.rows) if self._owners is not None else ()
        for start in range(0, len(self.windows), STEP):
            even = self.windows[start : start + STEP : 2]
            self._known.update(even)
            if self._owners is not None:
                _note_owners(self._owners, even, row_of[start : start + STEP : 2])
            yield Progress("index", start, len(self.windows))

    def match(
        self, train: TokenRows, windows: Windows, first_row: int
    ) -> Generator[Progress, None, tuple[bytes, bytes]]:
        """Flag the positions of both sides whose window may belong to a shared run.

        Args:
            train: A chunk of training rows.
            windows: Its windows.
            first_row: Index of its first row; a row with the same index as a test row is not
                matched with it when both sides are the same file.

        Yields:
            Progress in training windows.

        Returns:
            One byte a window for the test side and for the chunk, 1 where flagged.
        """
        found: set[int | bytes] = set()
        parts: list[bytes] = []
        row_of = row_numbers(train, first_row) if self._owners is not None else ()
        for start in range(0, len(windows), STEP):
            block = windows[start : start + STEP]
            flags = bytes(map(self._known.__contains__, block))
            if self._owners is not None:
                flags = _drop_own(self._owners, block, flags, row_of[start : start + STEP])
            found.update(compress(block, flags))
            parts.append(flags)
            yield Progress("compare", start, len(windows))
        if not found:
            return b"", b""
        test = bytearray(len(self.windows))
        for start in range(0, len(self.windows), STEP):
            stop = min(start + STEP, len(self.windows))
            test[start:stop:2] = bytes(map(found.__contains__, self.windows[start:stop:2]))
            yield Progress("compare", len(windows), len(windows))
        return _widen(test, self._inside), _widen(b"".join(parts), _inside(train))


def make_windows(ids: "array[int]", *, narrow: bool) -> Windows:
    """Make the window of four tokens at every position, as something that hashes fast.

    Args:
        ids: Token ids. When `narrow`, those that do not fit two bytes become one id, which must
            be none of the other side's.
        narrow: Whether the test side's ids fit two bytes.

    Returns:
        len(ids) - 3 windows, none for fewer than four ids; equal exactly when the ids are.
    """
    count = len(ids) - WINDOW + 1
    if count <= 0:
        return ()
    data = ids.tobytes()
    if not narrow:
        return [data[start : start + 16] for start in range(0, 4 * count, 4)]
    short = _narrow_bytes(ids, data)
    windows = array("Q", bytes(8 * count))
    for first in range(
        WINDOW
    ):  # the four ways to read the bytes as 64-bit numbers, interleaved
        size = 8 * ((count - first + 3) // WINDOW)
        windows[first::WINDOW] = array("Q", short[2 * first : 2 * first + size])
    return windows


def _narrow_bytes(ids: "array[int]", data: bytes) -> bytes:
    low, high = (0, 2) if sys.byteorder == "little" else (2, 0)
    empty = len(ids)
    if data[high::4].count(0) != empty or data[high + 1 :: 4].count(0) != empty:
        return array("H", map(min, ids, repeat(_NARROW))).tobytes()
    short = bytearray(2 * len(ids))
    short[0::2] = data[low::4]
    short[1::2] = data[low + 1 :: 4]
    return bytes(short)


def row_numbers(rows: TokenRows, first_row: int = 0) -> "array[int]":
    """Return the row index of every token."""
    numbers = array("i")
    starts, fields = rows.starts, rows.fields
    for row in range(rows.rows):
        size = starts[(row + 1) * fields] - starts[row * fields]
        numbers.extend(array("i", [first_row + row]) * size)
    return numbers


def _note_owners(
    owners: dict[int | bytes, int], windows: Windows, row_of: Sequence[int]
) -> None:
    """Note in which one row a window stands, or that it stands in several."""
    for window, row in zip(windows, row_of, strict=False):
        if owners.setdefault(window, row) != row:
            owners[window] = _SEVERAL


def _drop_own(
    owners: dict[int | bytes, int], block: Windows, flags: bytes, row_of: Sequence[int]
) -> bytes:
    """Clear the flags of windows that stand in no test row but the one of the same index."""
    elsewhere = map(ne, map(owners.get, block), row_of)
    both = int.from_bytes(bytes(elsewhere), "little") & int.from_bytes(flags, "little")
    return both.to_bytes(len(flags), "little")


def _inside(rows: TokenRows) -> int:
    """Return one byte a position, 1 where a window starts and ends in the same field."""
    size = len(rows.ids)
    first = bytearray(size + 1)
    for start in rows.starts:
        first[start] = 1
    marks = int.from_bytes(first, "little")
    crossing = (marks >> 8) | (marks >> 16) | (marks >> 24)
    # the last field's end is marked too, so the three positions before it cross it
    ones = int.from_bytes(b"\x01" * size, "little")
    return ones & ~crossing


def _widen(flags: bytes | bytearray, inside: int) -> bytes:
    marks = int.from_bytes(flags, "little")
    return ((marks | marks << 8 | marks >> 8) & inside).to_bytes(len(flags), "little")


def stretches(flags: bytes) -> Iterator[tuple[int, int]]:
    """Return the ranges of flagged positions that hold at least two windows, in order."""
    return (found.span() for found in _FLAGGED.finditer(flags))
