"""Stage 4b - runs: for every test token, the longest run that a training row has too.

The test side is indexed and training rows stream past it in chunks, so memory follows the test
side. For each chunk: flag what may be shared (`grams.py`), index the flagged test stretches and
lead the flagged training stretches through that index (`scan.py`), and merge into the result.
The merge is exact because a run lies inside one training row, and a row inside one chunk: R is
the larger of two, the best row the better of two.

Positions are never paired, so the cost is linear however often a phrase repeats.

Reads: `tokens.py`, `grams.py`, `scan.py`. Read by: `coverage.py`, `rules.py`.
"""

import re
from array import array
from bisect import bisect_right
from collections.abc import Generator, Iterable
from dataclasses import dataclass, field

from leakladder.grams import make_windows
from leakladder.results import BestRun, Progress
from leakladder.scan import Key, Scan, TestSide
from leakladder.tokens import TokenRows

_MERGE = 2_000  # rows merged between two yields
_SWEEP = 100_000  # test tokens swept for heads between two yields
_SET = re.compile(b"\x01")


@dataclass(frozen=True, slots=True)
class Runs:
    """What the test side shares with the training side, for every n at once.

    Attributes:
        lengths: R, one number a test token: tokens in the longest run that starts there and
            occurs inside one field of one training row, 0 where that is under 5.
        starts: As `TokenRows.starts` of the test side.
        fields: Fields of a test row.
        best: One a test row: its longest run, None where it has none of 5 or more.
        train_longest: One a training row: tokens in the longest run it shares with a test row,
            0 where that is under 5.
        heads: Positions in `lengths` at which a run starts that is no tail of a longer one, in
            order; found here when not given. All that coverage needs, and few.
    """

    lengths: "array[int]"
    starts: "array[int]"
    fields: int
    best: tuple[BestRun | None, ...]
    train_longest: "array[int]"
    heads: "array[int]" = field(default_factory=lambda: array("I"))

    def __post_init__(self) -> None:
        """Find the heads if they were not given."""
        if not self.heads and any(self.lengths):
            places = range(len(self.lengths))
            object.__setattr__(self, "heads", _heads(self.lengths, places))


def find_runs(
    test: TokenRows, chunks: Iterable[TokenRows | Progress], *, same_file: bool = False
) -> Generator[Progress, None, Runs]:
    """Find all shared runs of five tokens or more.

    Args:
        test: The rows being judged.
        chunks: The training rows in order, in parts of any size, taken one at a time; encoded
            with the vocabulary of the test side. Progress of making them is passed on.
        same_file: Both sides are the same rows: training row i is not held against test row i.

    Yields:
        Progress, after at most some 50 ms of work in WebAssembly.

    Returns:
        The runs. Time linear in both sides, but test stretches found in several chunks are
        indexed once for each.
    """
    search = _Search(test, same_file=same_file)
    yield from search.side.index.build()
    for chunk in chunks:
        if isinstance(chunk, Progress):
            yield chunk
        else:
            yield from search.add(chunk)
    return (yield from search.finish())


class _Search:
    """The test side, and what is known of it after the chunks so far."""

    def __init__(self, test: TokenRows, *, same_file: bool) -> None:
        self.test = test
        self.side = TestSide(test, same_file=same_file)
        self.best: list[BestRun | None] = [None] * test.rows
        self.train_longest = array("I")

    def add(self, train: TokenRows) -> Generator[Progress, None, None]:
        """Search one chunk and merge what it has.

        Yields:
            Progress of its steps.
        """
        first_row = len(self.train_longest)
        windows = make_windows(train.ids, narrow=self.side.index.narrow)
        test_flags, flags = yield from self.side.index.match(train, windows, first_row)
        scan = Scan(self.side, train, windows, first_row)
        if test_flags:
            yield from scan.index(test_flags)
            yield from scan.follow(flags)
            yield from scan.read_off()
            yield from self._merge_best(train, first_row, scan.best)
        self.train_longest.extend(scan.longest)

    def finish(self) -> Generator[Progress, None, Runs]:
        """Find the heads of R, last of all.

        Yields:
            Progress in test tokens.

        Returns:
            The result.
        """
        lengths, flags = self.side.lengths, self.side.heads
        heads = array("I")
        for start in range(0, len(lengths), _SWEEP):
            found = _SET.finditer(flags, start, start + _SWEEP)
            heads.extend(_heads(lengths, [flag.start() for flag in found]))
            yield Progress("sum up", start, len(lengths))
        starts, fields = self.test.starts, self.test.fields
        return Runs(lengths, starts, fields, tuple(self.best), self.train_longest, heads)

    def _merge_best(
        self, train: TokenRows, first_row: int, best: dict[int, Key]
    ) -> Generator[Progress, None, None]:
        """Take the better rows of a chunk; on a tie the earlier chunk has the smaller index.

        Yields:
            Progress in test rows with a match.
        """
        for done, (row, (size, index, test_at, train_at)) in enumerate(best.items()):
            if done % _MERGE == 0:
                yield Progress("sum up", done, len(best))
            known = self.best[row]
            if known is not None and known.length >= -size:
                continue
            test_field, test_start = _place(self.test, row, test_at)
            train_field, train_start = _place(train, index - first_row, train_at)
            self.best[row] = BestRun(
                -size, index, test_field, test_start, train_field, train_start
            )


def _heads(lengths: "array[int]", places: Iterable[int]) -> "array[int]":
    """Keep the places where R is not one less than just before; field borders need no care."""
    return array(
        "I",
        [at for at in places if lengths[at] and (not at or lengths[at - 1] != lengths[at] + 1)],
    )


def _place(rows: TokenRows, row: int, position: int) -> tuple[int, int]:
    """Return the field of a row, and the token of it, at a position."""
    segment = bisect_right(rows.starts, position) - 1
    return segment - row * rows.fields, position - rows.starts[segment]
