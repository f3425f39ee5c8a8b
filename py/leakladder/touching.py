"""Stage 8c - touching: which training rows share something with some of the test rows.

Reads: sides and the searches. Read by: `removal.py`. A report names one training row beside a
test row, the best; here it is all of them, since every one has to go.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from leakladder.charsearch import WINDOW
from leakladder.charwindows import find_windows, process_text
from leakladder.jobs import Job
from leakladder.overlap import Match
from leakladder.results import Progress
from leakladder.searches import search_runs
from leakladder.sides import Side

Keep = Sequence[bool]
"""One a test row: whether it counts."""

STEP = 200
"""Rows looked through between two progress reports."""

_MANY = -1


def touch_items(match: Match, keep: Keep) -> list[int]:
    """List the training rows that carry an item which a test row that counts carries too."""
    items = {item for item, kept in zip(match.test, keep, strict=True) if kept and item >= 0}
    return [at for at, item in enumerate(match.train) if item in items]


def blank_out(test: Side, keep: Keep) -> Side:
    """Return the test side with no text in the rows that do not count, rows as they were."""
    columns = tuple(
        [cell if kept else None for cell, kept in zip(column, keep, strict=True)]
        for column in test.columns
    )
    return replace(test, columns=columns)


def longest_runs(
    sides: tuple[Side, Side], kind: str, keep: Keep, *, same_file: bool
) -> Job[Sequence[int]]:
    """Find the longest run that each training row shares with a test row that counts.

    Args:
        sides: Test and training side.
        kind: Tokenization.
        keep: The test rows that count.
        same_file: Both sides are the same rows; none is held against itself.

    Returns:
        Tokens, one number a training row; 0 where it is under 5.
    """
    test, train = sides
    if not any(keep):
        return [0] * len(train.rows)
    found = yield from search_runs(blank_out(test, keep), train, kind, same_file=same_file)
    return found.runs.train_longest


def touch_windows(sides: tuple[Side, Side], keep: Keep, *, same_file: bool) -> Job[list[int]]:
    """List the training rows that hold a character window of a row that counts.

    Windows are those of the GPT-4 rule: 50 characters of a longer field, or the longest field
    whole where all are shorter. For the long ones the search is turned round, which finds the
    same windows and counts them by training row.

    Args:
        sides: Test and training side.
        keep: The test rows that count.
        same_file: Both sides are the same rows; none is held against itself.
    """
    test, train = sides
    long, short = yield from _choose_texts(blank_out(test, keep))
    touched: set[int] = set()
    if any(map(any, long)):
        hits = yield from find_windows(train.texts, [long], same_file=same_file)
        touched = {
            at
            for at, (found, size) in enumerate(zip(hits.found, hits.characters, strict=True))
            if found and size >= WINDOW  # a shorter row was looked up whole, the wrong way
        }
    if short:
        touched.update((yield from _touch_whole(train, short, same_file=same_file)))
    return sorted(touched)


def _choose_texts(test: Side) -> Job[tuple[list[list[str]], Mapping[int, dict[str, int]]]]:
    """Return the texts with 50 characters or more, and by length the others with their row."""
    long: list[list[str]] = [[] for _ in test.texts]
    short: dict[int, dict[str, int]] = defaultdict(dict)
    for at, texts in enumerate(zip(*test.texts, strict=True)):
        processed = list(map(process_text, texts))
        sizes = list(map(len, processed))
        for column, text, size in zip(long, texts, sizes, strict=True):
            column.append(text if size >= WINDOW else "")
        if 0 < max(sizes) < WINDOW:
            text = max(processed, key=len)
            known = short[len(text)].setdefault(text, at)
            short[len(text)][text] = at if known == at else _MANY
        if at % STEP == 0:
            yield Progress("choosing character windows", at, len(test.rows))
    return long, short


def _touch_whole(
    train: Side, short: Mapping[int, dict[str, int]], *, same_file: bool
) -> Job[list[int]]:
    touched = []
    for at in range(len(train.rows)):
        own = at if same_file else _MANY - 1
        for text in map(process_text, train.text_parts(at)):
            if any(_holds(text, size, wanted, own) for size, wanted in short.items()):
                touched.append(at)
                break
        if at % STEP == 0:
            yield Progress("looking for short rows", at, len(train.rows))
    return touched


def _holds(text: str, size: int, wanted: dict[str, int], own: int) -> bool:
    """Tell whether a text holds a wanted one that is not only its own row's."""
    pieces = _cut(text, size)
    if own < 0:
        return not wanted.keys().isdisjoint(pieces)
    return any(wanted.get(piece, own) != own for piece in pieces)


def _cut(text: str, size: int) -> Iterator[str]:
    last = len(text) - size + 1
    return map(text.__getitem__, map(slice, range(last), range(size, size + last)))
