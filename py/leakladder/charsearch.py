"""Stage 4c - character search: which stretches of the test texts stand in a training text.

Reads: processed texts. Read by: `charwindows.py`.

Test texts are indexed, training text passes by once. Both searches below note the surroundings
of every place where an anchor of the index turns up and settle them later, anchor by anchor:
equal surroundings count once, so a phrase that recurs 30,000 times a side costs 60,000 steps
and not 900 million.

Not every place of the training text need be looked at. A shared window of 50 characters is
sure to hold a block of 25 that begins at an odd place of the joined training texts and, counted
from the start of the test text, at a multiple of 26 or one after it: a window has 26 blocks, 13
of them at odd places, and those 13 begin at 13 different even (or odd) remainders of 26.
"""

from bisect import bisect_right
from collections.abc import Generator, Iterable, Mapping, Sequence
from itertools import product, takewhile
from operator import eq
from typing import NamedTuple

from leakladder.results import Progress

WINDOW = 50
BLOCK = 25
MANY = -1  # owner of a stretch that more than one row holds, or whose row does not matter
NOBODY = -2  # owner of a test text that may match any training row

_FULL = 200_000  # surroundings noted before they are settled: about 25 MB
_PAIRS = 4  # places compared one to one; more are compared by sets
_PERIOD = 26  # the longest for which every window holds a whole block at one of its residues
_STRIDE = 2  # must divide the period


class TrainText(NamedTuple):
    """Training texts joined, with a border no test text has.

    Attributes:
        text: The texts, a carriage return after each and 25 before the first.
        starts: Where each text begins.
        owners: The row of each text, or MANY; None when rows do not matter.
    """

    text: str
    starts: Sequence[int]
    owners: Sequence[int] | None

    def note(self, places: list[int], before: int, after: int, noted: dict[str, int]) -> None:
        """Add the surroundings of some places to `noted`, with the row that holds them."""
        text, owners = self.text, self.owners
        if owners is None:
            around = [text[place - before : place + after] for place in places]
            noted.update(dict.fromkeys(around, MANY))
            return
        for place in places:
            owner = owners[bisect_right(self.starts, place) - 1]
            _add(noted, text[place - before : place + after], owner)


def join_train(texts: Sequence[str], owners: Sequence[int] | None) -> TrainText:
    """Join processed training texts for a search."""
    starts, end = [], BLOCK
    for text in texts:
        starts.append(end)
        end += len(text) + 1
    return TrainText("\r" * BLOCK + "\r".join(texts) + "\r" * WINDOW, starts, owners)


class WindowSearch:
    """Finds every 50-character window of texts that have one.

    Args:
        owners: Distinct processed test texts of 50 characters or more, each with the row that
            is not to be compared with it, or NOBODY.
    """

    def __init__(self, owners: Mapping[str, int]) -> None:
        self._text = "\n" * BLOCK + "\n".join(owners) + "\n" * WINDOW
        self._owners = list(owners.values())
        self._starts: list[int] = []
        self._start_of: dict[str, int] = {}
        self._found = bytearray(b"\1") * len(self._text)  # 0: a window not found yet
        self._blocks: dict[str, list[int]] = {}
        self._noted: dict[str, int] = {}

    def index(self) -> Generator[Progress, None, None]:
        """Build the index. Must be run before a scan."""
        start = BLOCK
        for number, text in enumerate(self._text[BLOCK:-WINDOW].split("\n")):
            if not text:
                continue
            self._starts.append(start)
            self._start_of[text] = start
            windows = len(text) - WINDOW + 1
            self._found[start : start + windows] = bytes(windows)
            for first in range(_STRIDE):
                for at in range(first, len(text) - BLOCK + 1, _PERIOD):
                    self._blocks.setdefault(text[at : at + BLOCK], []).append(start + at)
            start += len(text) + 1
            if not number % 1_000:
                yield Progress("indexing character windows", 0, 0)

    def take_wholes(self, texts: Iterable[str]) -> None:
        """Find all windows of the test texts that equal a training text."""
        for text in filter(self._start_of.__contains__, texts):
            start, windows = self._start_of[text], len(text) - WINDOW + 1
            self._found[start : start + windows] = b"\1" * windows

    def scan(self, train: TrainText, start: int, stop: int) -> None:
        """Note the blocks that begin in a range of the training text."""
        text, blocks = train.text, self._blocks
        if blocks:
            last = min(stop, len(text) - WINDOW)
            places = [p for p in range(start, last, _STRIDE) if text[p : p + BLOCK] in blocks]
            train.note(places, BLOCK, WINDOW, self._noted)

    def is_full(self) -> bool:
        """Tell whether so much is noted that it should be settled."""
        return len(self._noted) > _FULL

    def settle(self) -> Generator[Progress, None, None]:
        """Mark the windows that what was noted proves to be found."""
        by_block: dict[str, list[str]] = {}
        for around in self._noted:
            by_block.setdefault(around[BLOCK : 2 * BLOCK], []).append(around)
        for number, (block, train) in enumerate(by_block.items()):
            places = [place for place in self._blocks[block] if self._is_open(place)]
            if min(len(places), len(train)) > _PAIRS:
                yield from self._compare_sets(places, train)
            else:
                yield from self._compare_pairs(places, train)
            if not number % 1_000:
                yield Progress("comparing character windows", number, len(by_block))
        self._noted.clear()

    def count(self, text: str) -> int:
        """Count the windows of a test text that were found."""
        start = self._start_of[text]
        return self._found.count(1, start, start + len(text) - WINDOW + 1)

    def _is_open(self, place: int) -> bool:
        return self._found.find(0, place - BLOCK, place + 1) >= 0

    def _owner(self, place: int) -> int:
        return self._owners[bisect_right(self._starts, place) - 1]

    def _compare_pairs(
        self, places: list[int], train: list[str]
    ) -> Generator[Progress, None, None]:
        """Extend the block both ways at each pair of places."""
        for number, (place, around) in enumerate(product(places, train), 1):
            if self._noted[around] != self._owner(place):
                self._extend(place, around)
            if not number % 5_000:
                yield Progress("comparing character windows", 0, 0)

    def _extend(self, place: int, around: str) -> None:
        here = self._text[place - BLOCK : place + WINDOW]
        left = _count_equal(here[BLOCK - 1 :: -1], around[BLOCK - 1 :: -1])
        right = _count_equal(here[2 * BLOCK :], around[2 * BLOCK :])
        windows = left + right - BLOCK + 1
        if windows > 0:
            first = place - left
            self._found[first : first + windows] = b"\1" * windows

    def _compare_sets(
        self, places: list[int], train: list[str]
    ) -> Generator[Progress, None, None]:
        """Look up the window that begins `back` characters before the block, at all places."""
        for back in range(BLOCK + 1):
            cut = slice(BLOCK - back, BLOCK - back + WINDOW)
            owners: dict[str, int] = {}
            for around in train:
                _add(owners, around[cut], self._noted[around])
            self._look_up([place - back for place in places], owners)
            yield Progress("comparing character windows", back, BLOCK)

    def _look_up(self, firsts: list[int], owners: dict[str, int]) -> None:
        found, text = self._found, self._text
        for first in firsts:
            if not found[first]:
                owner = owners.get(text[first : first + WINDOW])
                if owner is not None and owner != self._owner(first):
                    found[first] = 1


class _Anchor(NamedTuple):
    """How texts of some lengths are looked up.

    Their anchors are the `size` characters at each of their first `stride` places, one of which
    is sure to meet a place of train that is looked at: every `stride`-th.
    """

    shortest: int
    longest: int
    size: int
    stride: int


_ANCHORS = (
    _Anchor(1, 3, 1, 1),
    _Anchor(4, 10, 4, 1),
    _Anchor(11, 18, 8, 4),
    _Anchor(19, WINDOW - 1, 16, 4),
)


class WholeSearch:
    """Finds texts under 50 characters as a whole inside a training text.

    Args:
        owners: Distinct processed test texts, none empty, each with the row that is not to be
            compared with it, or NOBODY.
    """

    def __init__(self, owners: Mapping[str, int]) -> None:
        self._owners = dict(owners)
        self._found: set[str] = set()
        self._places: dict[_Anchor, dict[str, set[tuple[int, int]]]] = {a: {} for a in _ANCHORS}
        self._noted: dict[_Anchor, dict[str, int]] = {a: {} for a in _ANCHORS}

    def index(self) -> Generator[Progress, None, None]:
        """Build the index: anchor text -> (its place in a test text, length of that)."""
        for number, text in enumerate(self._owners):
            anchor = next(a for a in _ANCHORS if a.shortest <= len(text) <= a.longest)
            places = self._places[anchor]
            for first in range(anchor.stride):
                key = text[first : first + anchor.size]
                places.setdefault(key, set()).add((first, len(text)))
            if not number % 5_000:
                yield Progress("indexing character windows", 0, 0)

    def take_wholes(self, texts: Iterable[str]) -> None:
        """Find the test texts that equal a training text."""
        self._found.update(filter(self._owners.__contains__, texts))

    def scan(self, train: TrainText, start: int, stop: int) -> None:
        """Note the anchors that begin in a range of the training text."""
        text = train.text
        last = min(stop, len(text) - WINDOW)
        for anchor, places in self._places.items():
            if places:
                size = anchor.size
                here = [
                    p for p in range(start, last, anchor.stride) if text[p : p + size] in places
                ]
                train.note(here, anchor.stride - 1, anchor.longest, self._noted[anchor])

    def is_full(self) -> bool:
        """Tell whether so much is noted that it should be settled."""
        return any(len(noted) > _FULL for noted in self._noted.values())

    def settle(self) -> Generator[Progress, None, None]:
        """Mark the texts that what was noted proves to be found."""
        for anchor, noted in self._noted.items():
            places, before = self._places[anchor], anchor.stride - 1
            for number, (around, owner) in enumerate(noted.items()):
                for first, length in places[around[before : before + anchor.size]]:
                    text = around[before - first : before - first + length]
                    if self._owners.get(text, owner) != owner:
                        self._found.add(text)
                if not number % 5_000:
                    yield Progress("comparing short texts", number, len(noted))
            noted.clear()

    def count(self, text: str) -> int:
        """Return 1 if a test text was found, else 0."""
        return int(text in self._found)


def _add(owners: dict[str, int], text: str, owner: int) -> None:
    """Give a text an owner, or MANY if it has another already."""
    if owners.setdefault(text, owner) != owner:
        owners[text] = MANY


def _count_equal(first: str, second: str) -> int:
    if first == second:
        return len(first)
    return sum(1 for _ in takewhile(bool, map(eq, first, second)))


Searches = tuple[WindowSearch, WholeSearch]
