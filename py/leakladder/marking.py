"""Stage 7a - texts with the shared stretches of a pair marked, as the panes show them.

Read by: `ngram_report.py`, `rules_report.py`. Offsets are code points; `bridge.py` converts.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from itertools import count
from typing import Any

from leakladder.results import Row
from leakladder.tokens import places_of, words


def token_range(text: str, kind: str, start: int, length: int) -> tuple[int, int]:
    """Return the half-open code point range of `length` tokens from token `start`."""
    last = start + length - 1
    places = places_of(text, kind, (start, last))
    return places[start][0], places[last][1]


def number_tokens(
    test: Sequence[str], train: Sequence[str], kind: str
) -> tuple[list[list[int]], list[list[int]]]:
    """Number the tokens of two rows alike."""
    known: defaultdict[str, int] = defaultdict(count().__next__)
    sides = [
        [list(map(known.__getitem__, words(text, kind))) for text in texts]
        for texts in (test, train)
    ]
    return sides[0], sides[1]


def place_of(row: Row, label: str) -> dict[str, Any]:
    """Return where a row stands, as pairs show it."""
    return {"index": row.index, "record": row.record, "line": row.line, "label": label}


def mark_parts(
    fields: Sequence[str],
    texts: Sequence[str],
    kind: str,
    marks: Iterable[tuple[int, int, int]],
) -> list[dict[str, Any]]:
    """Return the texts of a row with the marked stretches of each.

    Args:
        fields: Paths of the fields, one a text.
        texts: The texts.
        kind: Tokenization that the marks count in.
        marks: (field, first token, stop) of each stretch; those that overlap or touch become
            one mark.

    Returns:
        One mapping a field: `field`, `text`, `marks` of {start, stop, tokens} with offsets in
        code points, half-open, ascending.
    """
    ranges: list[list[tuple[int, int]]] = [[] for _ in fields]
    for field, start, stop in sorted(marks):
        mine = ranges[field]
        if mine and start <= mine[-1][1]:
            mine[-1] = (mine[-1][0], max(mine[-1][1], stop))
        else:
            mine.append((start, stop))
    return [
        {"field": field, "text": text, "marks": _locate(text, kind, mine)}
        for field, text, mine in zip(fields, texts, ranges, strict=True)
    ]


def _locate(text: str, kind: str, ranges: Sequence[tuple[int, int]]) -> list[dict[str, int]]:
    places = places_of(text, kind, (end for start, stop in ranges for end in (start, stop - 1)))
    return [
        {"start": places[start][0], "stop": places[stop - 1][1], "tokens": stop - start}
        for start, stop in ranges
    ]
