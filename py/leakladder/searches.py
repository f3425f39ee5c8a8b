"""Stage 8a - the searches, from texts to what every view is computed from.

Reads: stages 3 to 5. Read by: `rungs.py`.
"""

from collections.abc import Generator, Iterator
from typing import TypeVar

from leakladder.ngram_report import NgramScan
from leakladder.overlap import RowsReport, compare_rows
from leakladder.results import Progress
from leakladder.rowkey import KeySide
from leakladder.runs import Runs, find_runs
from leakladder.sides import Side, TrainSource
from leakladder.tokens import TokenRows, Vocabulary, encode_steps

T = TypeVar("T")
Job = Generator[Progress, None, T]


def search_runs(
    test: Side, train: TrainSource, kind: str, *, same_file: bool
) -> Job[tuple[TokenRows, Runs]]:
    """Search the training side for every run of five tokens or more of the test side.

    Args:
        test: The side being judged.
        train: The side searched; its rows pass once, some at a time.
        kind: A tokenization.
        same_file: Both sides are the same rows, so no row is compared with itself.

    Returns:
        The test tokens, and R with what goes with it.
    """
    vocabulary = Vocabulary()
    tokens = yield from encode_steps(test.texts, kind, vocabulary)
    chunks = _encode_chunks(train, kind, vocabulary)
    return tokens, (yield from find_runs(tokens, chunks, same_file=same_file))


def _encode_chunks(
    train: TrainSource, kind: str, vocabulary: Vocabulary
) -> Iterator[Progress | TokenRows]:
    """Give the training tokens chunk by chunk, with progress in between."""
    for chunk in train.chunks():
        yield (yield from encode_steps(chunk.columns, kind, vocabulary))


def scan_ngrams(
    test: Side, train: TrainSource, kind: str, *, same_file: bool
) -> Job[NgramScan]:
    """Search for n-gram overlap, so that every n and threshold can be answered."""
    _, runs = yield from search_runs(test, train, kind, same_file=same_file)
    return NgramScan(test, train, kind, runs, same_file)


def scan_rows(test: Side, train: Side, *, strip_articles: bool) -> Job[RowsReport]:
    """Match whole rows exactly, after folding and by id."""
    sides = [KeySide(side.rows, side.columns, side.ids) for side in (test, train)]
    return (yield from compare_rows(*sides, strip_articles=strip_articles))
