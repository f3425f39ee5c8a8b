"""Stage 7a - texts with the shared stretches of a pair marked, as the panes show them.

Read by: `ngram_report.py`, `rules_report.py`. Offsets are code points; `bridge.py` converts.
"""

from collections.abc import Iterable, Sequence
from typing import Any

from leakladder.results import Row
from leakladder.tokens import token_spans, words


def token_range(text: str, kind: str, start: int, length: int) -> tuple[int, int]:
    """Return the half-open code point range of `length` tokens from token `start`."""
    spans = token_spans(text, kind)
    return spans[start][0], spans[start + length - 1][1]


def number_tokens(
    test: Sequence[str], train: Sequence[str], kind: str
) -> tuple[list[list[int]], list[list[int]]]:
    """Number the tokens of two rows alike."""
    known: dict[str, int] = {}
    sides = [
        [[known.setdefault(word, len(known)) for word in words(text, kind)] for text in texts]
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
    if not ranges:
        return []
    spans = token_spans(text, kind)
    return [
        {"start": spans[start][0], "stop": spans[stop - 1][1], "tokens": stop - start}
        for start, stop in ranges
    ]
