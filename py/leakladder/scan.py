"""Stage 4b - scan: one chunk of training rows against the test side.

Reads: `tokens.py`, `grams.py`, `automaton.py`, `hits.py`. Read by: `runs.py`.
"""

from array import array
from bisect import bisect_right
from collections.abc import Generator, Iterator
from itertools import compress
from operator import sub

from leakladder.automaton import ROOT, Automaton
from leakladder.grams import SHORTEST, WINDOW, TestWindows, Windows, stretches
from leakladder.hits import NO_MATCH, NO_ROW, Hits, OtherRowHits
from leakladder.results import Progress
from leakladder.tokens import TokenRows

_STEP = 10_000  # windows indexed, searched or read off between two yields
_OVERHEAD = 8  # what a stretch costs beside its windows, in windows
_PLACES = 2_048  # places of one stretch written to in one go
_PIECE = 5_000  # windows of one stretch handled in one go

Stretch = tuple[int, int]
Key = tuple[int, int, int, int]  # -length, train index, test position, train position


class TestSide:
    """The rows being judged, and R as far as it is known.

    Attributes:
        rows: Their tokens.
        same_file: Whether training row i is not to be held against test row i.
        index: Their windows.
        lengths: R of every token over the chunks so far.
        heads: 1 for every token at which a run may start that is no tail of another.
    """

    def __init__(self, rows: TokenRows, *, same_file: bool) -> None:
        self.rows = rows
        self.same_file = same_file
        self.index = TestWindows(rows, same_file=same_file)
        self.lengths = array("I", bytes(4 * len(rows.ids)))
        self.heads = bytearray(len(rows.ids))


class Scan:
    """One chunk of training rows against the stretches of the test side that it may share.

    Attributes:
        best: For a test row with a shared run of 5 or more, the best of this chunk.
        longest: For each training row, the longest run it shares, 0 where that is under 5.
    """

    def __init__(
        self, side: TestSide, train: TokenRows, windows: Windows, first_row: int
    ) -> None:
        self.best: dict[int, Key] = {}
        self.longest = array("I", bytes(4 * train.rows))
        self._side = side
        self._train = train
        self._windows = windows
        self._first_row = first_row
        self._groups: list[tuple[list[int], list[int]]] = []  # states, and where they stand
        self._hits = Hits(Automaton(0))
        self._falling = array("I")
        self._left = _STEP

    def _due(self, work: int) -> bool:
        """Count work and say whether it is time to yield."""
        self._left -= work + _OVERHEAD
        if self._left > 0:
            return False
        self._left = _STEP
        return True

    def index(self, flags: bytes) -> Generator[Progress, None, None]:
        """Index the flagged test stretches, equal ones once.

        Yields:
            Progress in test windows.
        """
        found: dict[bytes, tuple[Stretch, list[int]]] = {}
        for start, stop in stretches(flags):
            key = self._side.rows.ids[start : stop + WINDOW - 1].tobytes()
            found.setdefault(key, ((start, stop), []))[1].append(start)
        sizes = [stop - start for (start, stop), _ in found.values()]
        automaton = Automaton(sum(sizes))
        self._falling = _falling(max(sizes, default=0) + WINDOW)
        for (start, stop), places in found.values():
            states: list[int] = []
            for _, symbols in _pieces(self._side.index.windows, start, stop):
                states += automaton.extend(symbols, states[-1] if states else ROOT)
                if self._due(len(symbols)):
                    yield Progress("index", start, len(flags))
            self._groups.append((states, places))
        if self._side.same_file:
            self._hits = hits = OtherRowHits(automaton)
            yield from self._own(hits)
        else:
            self._hits = Hits(automaton)

    def _own(self, hits: OtherRowHits) -> Generator[Progress, None, None]:
        for states, places in self._groups:
            for place in places:
                row = _row_at(self._side.rows, place)
                for start in range(0, len(states), _PIECE):
                    piece = states[start : start + _PIECE]
                    hits.own(piece, row)
                    if self._due(len(piece)):
                        yield Progress("index", place, len(self._side.rows.ids))

    def follow(self, flags: bytes) -> Generator[Progress, None, None]:
        """Lead the flagged training stretches through the index.

        Yields:
            Progress in training windows.
        """
        for start, stop in stretches(flags):
            row = _row_at(self._train, start)
            match = NO_MATCH
            for at, symbols in _pieces(self._windows, start, stop):
                match = self._hits.follow(symbols, at, self._first_row + row, match)
                if self._due(len(symbols)):
                    yield Progress("search", at, len(flags))
            size = match[2] + WINDOW - 1
            if size >= SHORTEST and size > self.longest[row]:
                self.longest[row] = size

    def read_off(self) -> Generator[Progress, None, None]:
        """Merge R into the test side's, and note the best run of each test row.

        Yields:
            Progress in distinct test stretches.
        """
        for number, (states, places) in enumerate(self._groups):
            rows = {NO_ROW: places}
            if self._side.same_file:
                rows = {}
                for place in places:
                    rows.setdefault(_row_at(self._side.rows, place), []).append(place)
            for row, row_places in rows.items():
                for start in range(0, len(row_places), _PLACES):
                    some = row_places[start : start + _PLACES]
                    yield from self._read_stretch(states, row, some)
                    if self._due(8 * len(some)):
                        yield Progress("read", number, len(self._groups))

    def _read_stretch(
        self, states: list[int], row: int, places: list[int]
    ) -> Generator[Progress, None, None]:
        """Turn the longest matches that end at each window into those that start there.

        The starts of longest matches never fall from one end to the next. So between two
        starts the longest run is the one that goes to the last end of the first of them.

        Yields:
            Progress in windows of the stretch.
        """
        size = len(states)
        opened, ended = 0, -1
        for first in range(0, size, _PIECE):
            piece = states[first : first + _PIECE]
            sizes, ends = self._hits.read(piece, row)
            self._note_best(sizes, ends, first, places)
            for start, end in _last_ends(sizes, first).items():
                if start != opened:
                    self._fill(places, opened, start, ended)
                    opened = start
                ended = end
            if self._due(len(piece)):
                yield Progress("read", first, size)
        self._fill(places, opened, size, ended)

    def _fill(self, places: list[int], start: int, stop: int, end: int) -> None:
        """Set R of windows `start` to `stop` of a stretch, whose runs go to window `end`."""
        if start == stop:
            return
        top = len(self._falling) - 1 - (end - start + WINDOW)
        run = self._falling[top : top + stop - start]
        for place in places:
            self._side.heads[place + start] = 1
            known = self._side.lengths[place + start : place + stop]
            if any(known):
                self._side.lengths[place + start : place + stop] = array(
                    "I", map(max, known, run)
                )
            else:
                self._side.lengths[place + start : place + stop] = run

    def _note_best(
        self, sizes: list[int], ends: list[int], first: int, places: list[int]
    ) -> None:
        """Offer the longest match of a piece to the rows it stands in."""
        size = max(sizes)
        if size + WINDOW - 1 < SHORTEST:
            return
        at = sizes.index(size)
        if sizes.count(size) > 1:
            at = self._first_of(size, sizes, ends)
        row = _row_at(self._train, ends[at])
        before = first + at - size + 1
        for place in places:
            test_row = _row_at(self._side.rows, place)
            key = (
                -(size + WINDOW - 1),
                self._first_row + row,
                place + before,
                ends[at] - size + 1,
            )
            if test_row not in self.best or key < self.best[test_row]:
                self.best[test_row] = key

    def _first_of(self, size: int, sizes: list[int], ends: list[int]) -> int:
        """Return the first match of a size that ends in the smallest training row there is."""
        end = min(compress(ends, map(size.__eq__, sizes)))
        row = _row_at(self._train, end)
        last = self._train.starts[(row + 1) * self._train.fields]
        return next(at for at, found in enumerate(sizes) if found == size and ends[at] < last)


def _pieces(windows: Windows, start: int, stop: int) -> Iterator[tuple[int, list[int | bytes]]]:
    for at in range(start, stop, _PIECE):
        piece = windows[at : min(at + _PIECE, stop)]
        yield at, piece.tolist() if isinstance(piece, array) else list(piece)


def _last_ends(sizes: list[int], first: int) -> dict[int, int]:
    """Map each start of a longest match to the last end with it; ends count from `first`."""
    last = first + len(sizes) - 1
    if sizes[-1] == sizes[0] + last - first:  # a match grows by one at most, so all are one
        return {first + 1 - sizes[0]: last}
    starts = map(sub, range(first + 1, last + 2), sizes)
    return dict(zip(starts, range(first, last + 1), strict=True))


def _falling(top: int) -> "array[int]":
    """Return top, top - 1, ..., 0, with 0 for what is too short to count."""
    numbers = array("I", range(top, -1, -1))
    for size in range(min(SHORTEST, top + 1)):
        numbers[top - size] = 0
    return numbers


def _row_at(rows: TokenRows, position: int) -> int:
    """Return the row that holds the token at a position."""
    return (bisect_right(rows.starts, position) - 1) // rows.fields
