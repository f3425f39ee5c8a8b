"""Stage 8a - the searches, from texts to what every view is computed from.

Reads: stages 3 to 5. Read by: `rungs.py`.
"""

from array import array
from collections.abc import Iterator
from typing import NamedTuple

from leakladder.charwindows import find_windows
from leakladder.facts import gather_facts
from leakladder.jobs import Job
from leakladder.measures import measure_rows
from leakladder.ngram_report import NgramScan
from leakladder.overlap import RowsReport, compare_rows
from leakladder.results import Progress
from leakladder.rowkey import KeySide
from leakladder.rules_report import KIND, RulesScan
from leakladder.runs import Runs, find_runs
from leakladder.sides import Side, TrainSource
from leakladder.tokens import TokenRows, Vocabulary, encode_steps


class Searched(NamedTuple):
    """What a search for runs leaves behind: the test tokens, their vocabulary, and R."""

    tokens: TokenRows
    vocabulary: Vocabulary
    runs: Runs


def search_runs(test: Side, train: TrainSource, kind: str, *, same_file: bool) -> Job[Searched]:
    """Search the training side for every run of five tokens or more of the test side.

    Args:
        test: The side being judged.
        train: The side searched; its rows pass once, some at a time.
        kind: A tokenization.
        same_file: Both sides are the same rows, so no row is compared with itself.
    """
    vocabulary = Vocabulary()
    tokens = yield from encode_steps(test.texts, kind, vocabulary)
    chunks = _encode_chunks(train, kind, vocabulary)
    runs = yield from find_runs(tokens, chunks, same_file=same_file)
    return Searched(tokens, vocabulary, runs)


def longest_runs(test: Side, train: Side, kind: str, *, same_file: bool) -> Job[list[int]]:
    """Find, per test row, the longest run that any training row has too; 0 under 5 tokens.

    Args:
        test: The rows asked about.
        train: The rows searched.
        kind: A tokenization.
        same_file: `train` is a whole file and `test` rows of it; none is held against itself.
    """
    asked = train if same_file else test
    found = yield from search_runs(asked, train, kind, same_file=same_file)
    longest = {
        row.index: best.length if best else 0
        for row, best in zip(asked.rows, found.runs.best, strict=True)
    }
    return [longest[row.index] for row in test.rows]


def _encode_chunks(
    train: TrainSource, kind: str, vocabulary: Vocabulary
) -> Iterator[Progress | TokenRows]:
    """Give the training tokens chunk by chunk, with progress in between."""
    known = vocabulary.bookmark()
    for chunk in train.chunks():
        vocabulary.return_to(known)  # or its memory would follow the training side
        yield (yield from encode_steps(chunk.columns, kind, vocabulary))


def scan_ngrams(
    test: Side, train: TrainSource, kind: str, *, same_file: bool
) -> Job[NgramScan]:
    """Search for n-gram overlap, so that every n and threshold can be answered."""
    found = yield from search_runs(test, train, kind, same_file=same_file)
    lengths = array("I", map(len, found.vocabulary))
    characters = sum(map(lengths.__getitem__, found.tokens.ids))
    mean = characters / len(found.tokens.ids) if found.tokens.ids else 0.0
    return NgramScan(test, train, kind, found.runs, same_file, mean)


def scan_rules(test: Side, train: TrainSource, *, same_file: bool) -> Job[RulesScan]:
    """Search for what the published rules decide on: runs of words, windows of characters."""
    found = yield from search_runs(test, train, KIND, same_file=same_file)
    columns = (chunk.columns for chunk in train.chunks())
    hits = yield from find_windows(test.texts, columns, same_file=same_file)
    measures = measure_rows(found.runs, hits)
    facts = yield from gather_facts(found.tokens, found.vocabulary, measures)
    return RulesScan(test, train, found.runs, hits, facts, same_file)


def scan_rows(test: Side, train: Side, *, strip_articles: bool) -> Job[RowsReport]:
    """Match whole rows exactly, after folding and by id."""
    sides = [KeySide(side.rows, side.columns, side.ids) for side in (test, train)]
    return (yield from compare_rows(*sides, strip_articles=strip_articles))
