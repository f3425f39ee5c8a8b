"""leaf - numbers and foreign text as people read them: percentages, counts, hashes, names."""

import re

SHORT_HASH = 12
"""Characters of a SHA-256 that stand for it in a sentence; tables and files have all 64."""

_CONTROL = re.compile(
    "[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff"
    "\U000e0000-\U000e007f]"
)


def mask_controls(text: str) -> str:
    """Return text with U+FFFD for every character that acts instead of being read.

    Escape sequences, line ends, marks that turn the direction of what follows, lone surrogates.
    """
    return _CONTROL.sub("\ufffd", text)


def percent(share: float | None) -> str:
    """Return a share as a percentage with one decimal.

    A share that is not nothing never reads 0.0%, one that is not all never reads 100.0%.
    """
    if share is None:
        return "not defined"
    text = f"{100 * share:.1f}%"
    if text == "0.0%" and share > 0:
        return "<0.1%"
    if text == "100.0%" and share < 1:
        return ">99.9%"
    return text


def percent_of(part: float, whole: int) -> str:
    """Return part / whole as a percentage; of nothing it is not defined."""
    return percent(part / whole if whole else None)


def count(number: int, noun: str) -> str:
    """Return a number with its noun: `1 row`, `1,204 rows`."""
    return f"{number:,} {noun}" + ("" if number == 1 else "s")


def verb(part: float, whole: int, one: str, many: str) -> str:
    """Return the form of a verb that follows "part of whole rows": one of 5 shares, 2 share.

    Of a single row the singular stands whatever the part: 0 of 1 row shares.
    """
    return one if 1 in {part, whole} else many


def short_hash(sha256: str) -> str:
    """Return the first characters of a hash, marked as cut."""
    return sha256[:SHORT_HASH] + "…" if len(sha256) > SHORT_HASH else sha256
