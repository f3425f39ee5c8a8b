r"""Stage 3b - letters: pieces of text by Unicode category, whatever the script.

Python's `\w` breaks words at combining marks, so Hindi, Thai and Arabic vowels need classes of
our own. `[^\W_]` is exactly the categories L and N (in Unicode 14 and in 16), and only the
marks have to be looked up.

Reads: `normalize.py`. Read by: `tokens.py`.
"""

import re
import unicodedata
from collections.abc import Iterable, Iterator
from functools import cache, lru_cache
from itertools import groupby

from leakladder.normalize import compose, fold

Span = tuple[int, int]  # half-open, in code points

_LETTER = re.compile(r"[^\W_]")
_ASTRAL = re.compile("[\U00010000-\U0010ffff]")
# Letters that can melt into the letter before them: Hangul vowels and finals, Kirat Rai E.
_JOINING = re.compile("[\u1161-\u1175\u11a8-\u11c2\U00016d67]")
# Where the symbols stand that have a mark built in; a test goes through all of Unicode.
_SYMBOLS = [
    (0x80, 0x400),
    (0x1F00, 0x2000),
    (0x2190, 0x2300),
    (0x2A00, 0x2B00),
    (0x1D100, 0x1D200),
]


@cache
def _marks() -> str:
    """Return the characters of category M up to U+FFFF, as the inside of a class.

    They are looked up when a text first needs them, as start-up in a browser has no time for
    it. Those above are left to `_compile_for`: a class with hundreds of ranges there is slow.
    """
    ranges = []
    code = 0x300
    kinds = map(unicodedata.category, map(chr, range(code, 0x10000)))
    for is_mark, group in groupby(kinds, lambda kind: kind[0] == "M"):
        size = len(list(group))
        if is_mark:
            ranges.append(f"{chr(code)}-{chr(code + size - 1)}")
        code += size
    return "".join(ranges)


def _compile_for(text: str, pattern: str) -> re.Pattern[str]:
    """Compile a pattern in which MARKS stands for all marks that the text may hold."""
    astral = set(_ASTRAL.findall(text))
    marks = sorted(char for char in astral if unicodedata.category(char)[0] == "M")
    return _compile(pattern, "".join(marks))


@lru_cache(maxsize=256)
def _compile(pattern: str, more_marks: str) -> re.Pattern[str]:
    return re.compile(pattern.replace("MARKS", _marks() + more_marks))


@cache
def _negations() -> tuple[str, frozenset[str], frozenset[str]]:
    """Find symbols that are canonically another symbol and a mark, as U+2260 is = and U+0338.

    Returns:
        Class of those symbols and of what they are made from, the symbols, and the pairs.
    """
    blocks = [
        (0x80, 0x400),
        (0x1F00, 0x2000),
        (0x2190, 0x2300),
        (0x2A00, 0x2B00),
        (0x1D100, 0x1D200),
    ]
    symbols, pairs = set(), set()
    for char in (chr(code) for first, stop in blocks for code in range(first, stop)):
        parts = unicodedata.decomposition(char).split()
        if unicodedata.category(char)[0] == "S" and len(parts) == 2 and parts[0][0] != "<":
            symbols.add(char)
            pairs.add("".join(chr(int(part, 16)) for part in parts))
    made_from = {pair[0] for pair in pairs}
    return re.escape("".join(sorted(symbols | made_from))), frozenset(symbols), frozenset(pairs)


def _blank_symbol_marks(text: str) -> str:
    """Put spaces for marks that sit on a symbol which has them built in elsewhere.

    A mark belongs to a run of letters only by its category. Where a symbol exists with and
    without the mark inside, canonically equivalent texts would else give different tokens.
    """
    members, symbols, pairs = _negations()

    def blank(found: re.Match[str]) -> str:
        base, marks = found[0][0], found[0][1:]
        if base not in symbols and not any(base + mark in pairs for mark in set(marks)):
            return found[0]
        return base + " " * len(marks)

    return _compile_for(text, f"[{members}][MARKS]+").sub(blank, text)


def _prepare_loose(text: str) -> str:
    return _blank_symbol_marks(text).replace("_", " ")  # the one character of \w too many


def split_loose(text: str) -> Iterator[Span]:
    """Find runs of letters, digits and marks; one of marks alone is still to be dropped."""
    text = _prepare_loose(text)
    return map(re.Match.span, _compile_for(text, r"[\wMARKS]+").finditer(text))


def loose_pieces(text: str) -> list[str]:
    """Return the texts of `split_loose`, faster."""
    text = _prepare_loose(text)
    return _compile_for(text, r"[\wMARKS]+").findall(text)


def fold_loose(piece: str) -> str:
    """Fold a piece of `split_loose`; "" when it holds neither letter nor digit."""
    return fold(piece) if _LETTER.search(piece) else ""


def split_characters(text: str) -> Iterator[Span]:
    """Find each letter or digit with the marks that follow it."""
    spans = (found.span() for found in _compile_for(text, r"[^\W_][MARKS]*").finditer(text))
    if _JOINING.search(text):
        return _join_letters(text, spans)
    return spans


def _join_letters(text: str, spans: Iterable[Span]) -> Iterator[Span]:
    """Join letters that compose into one, so that a decomposed Hangul syllable is one token.

    Yields:
        Spans in order.
    """
    open_start, open_stop = 0, 0
    for start, stop in spans:
        if start == open_stop and _JOINING.match(text, start) and start > open_start:
            joined = compose("NFC", text[open_start:stop])
            if len(_LETTER.findall(joined)) == 1:
                open_stop = stop
                continue
        if open_stop:
            yield open_start, open_stop
        open_start, open_stop = start, stop
    if open_stop:
        yield open_start, open_stop


def character_pieces(text: str) -> list[str]:
    """Return the texts of `split_characters`, faster."""
    if _JOINING.search(text):
        return [text[start:stop] for start, stop in split_characters(text)]
    return _compile_for(text, r"[^\W_][MARKS]*").findall(text)
