"""Stage 3b - tokens: text to tokens with source offsets, and whole columns to numbers.

Every tokenization splits the source text first and folds each piece afterwards, so that an
offset always belongs to the text as the file has it.

Reads: `letters.py`, `normalize.py`. Read by: `runs.py`, `rules.py`, `pipeline.py`.
"""

import re
import unicodedata
from array import array
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from itertools import accumulate, chain, compress, count, islice
from typing import NamedTuple

from leakladder.jobs import finish
from leakladder.letters import (
    Span,
    character_pieces,
    fold_loose,
    loose_pieces,
    split_characters,
    split_loose,
)
from leakladder.normalize import fold
from leakladder.results import Progress, Token

_STEP = 160_000  # characters tokenized between two yields: about 20 ms in WebAssembly
_PART = 10_000  # characters in which a place is looked for at once
_NO_TOKEN = 0xFFFFFFFF  # id of a piece that folds to nothing, never kept
_CUTS = {
    "characters": re.compile(r"\s|[^\W_\u1160-\u11ff\ud7b0-\ud7ff\U00016d63-\U00016d6a]"),
}
_SPACE = re.compile(r"\s")
_NOT_SPACE = re.compile(r"\S+")


class Tokenization(NamedTuple):
    """One way of making tokens.

    Attributes:
        name: Key in TOKENIZATIONS.
        transform: What is compared, in the words that reports print.
        split: Finds the pieces of a text as half-open ranges of code points.
        fold: Turns a piece into the token; "" when nothing is left, and the piece vanishes.
        pieces: The texts of `split`, faster; for text beyond ASCII.
        ascii_tokens: The finished tokens of an ASCII text, fastest.
    """

    name: str
    transform: str
    split: Callable[[str], Iterator[Span]]
    fold: Callable[[str], str]
    pieces: Callable[[str], list[str]]
    ascii_tokens: Callable[[str], list[str]]


class Vocabulary(defaultdict[str, int]):
    """Token text to id, growing: the first new token gets id 0, the next 1, and so on.

    Both sides of a comparison are encoded with one vocabulary, the test side first.
    """

    def __init__(self) -> None:
        super().__init__(count().__next__)
        self._pieces: dict[str, _PieceIds] = {}

    def piece_ids(self, kind: Tokenization) -> "_PieceIds":
        """Return the table from unfolded pieces to ids, kept so that each is folded once."""
        return self._pieces.setdefault(kind.name, _PieceIds(kind, self))

    def bookmark(self) -> dict[str, int]:
        """Return how much is known now, for `return_to`."""
        return {"": len(self), **{name: len(table) for name, table in self._pieces.items()}}

    def return_to(self, bookmark: Mapping[str, int]) -> None:
        """Forget every token that came after a bookmark; its id is given out again.

        What lets a training side of any size pass: only the tokens of the test side have to be
        told apart, so those of a training chunk may go with it.
        """
        known = bookmark[""]
        if len(self) == known:
            return
        _keep_first(self, known)
        self.default_factory = count(known).__next__
        for name, table in self._pieces.items():
            _keep_first(table, bookmark.get(name, 0))
            table.vanished.intersection_update(table)


def _keep_first(table: dict[str, int], size: int) -> None:
    kept = list(islice(table.items(), size))
    table.clear()
    table.update(kept)


class _PieceIds(dict[str, int]):
    """Piece of source text to the id of its token."""

    def __init__(self, kind: Tokenization, vocabulary: Vocabulary) -> None:
        super().__init__()
        self.kind = kind
        self.vocabulary = vocabulary
        self.vanished: set[str] = set()

    def __missing__(self, piece: str) -> int:
        token = self.kind.fold(piece)
        if token:
            number = self.vocabulary[token]
        else:
            self.vanished.add(piece)
            number = _NO_TOKEN
        self[piece] = number
        return number


class TokenRows(NamedTuple):
    """The tokens of all chosen fields of all rows as one flat array, row by row.

    Attributes:
        ids: Token ids; those of row r, field f are `ids[starts[s]:starts[s + 1]]` with
            s = r * fields + f.
        starts: rows * fields + 1 positions in `ids`, never falling, the first 0.
        fields: Fields of a row, at least 1.
    """

    ids: "array[int]"
    starts: "array[int]"
    fields: int

    @property
    def rows(self) -> int:
        """How many rows there are."""
        return (len(self.starts) - 1) // self.fields


def split_tokens(text: str, kind: str) -> list[Token]:
    """Find the tokens of one text and where they stand in it.

    Args:
        text: The source text, as the file has it.
        kind: Key of TOKENIZATIONS.

    Returns:
        Tokens in order, offsets in code points of `text`, half-open. Empty when there are none.
    """
    how = TOKENIZATIONS[kind]
    found = []
    for start, stop in how.split(text):
        token = how.fold(text[start:stop])
        if token:
            found.append(Token(token, start, stop))
    return found


def token_spans(text: str, kind: str) -> list[Span]:
    """Return the places of `split_tokens` without the tokens, faster.

    Every piece is folded once, however often it comes: only to know whether it vanishes.
    """
    how = TOKENIZATIONS[kind]
    spans = list(how.split(text))
    if text.isascii() and len(how.ascii_tokens(text)) == len(spans):
        return spans
    pieces = [text[start:stop] for start, stop in spans]
    vanished = _vanished(pieces, how)
    if not vanished:
        return spans
    kept = (piece not in vanished for piece in pieces)
    return list(compress(spans, kept))


def places_of(text: str, kind: str, numbers: Iterable[int]) -> dict[int, Span]:
    """Return the places of some tokens of a text, faster than those of all.

    Args:
        text: The source text.
        kind: Key of TOKENIZATIONS.
        numbers: Of the tokens, from 0.

    Returns:
        Number to what `token_spans` has there. Time linear in the text up to the last of them;
        only parts that hold one of them are looked at closely.

    Raises:
        IndexError: If the text has no such token.
    """
    wanted = sorted(set(numbers))
    found: dict[int, Span] = {}
    first = offset = 0
    parts = _cut(text, kind, _PART)
    while len(found) < len(wanted):
        part = next(parts, None)
        if part is None:
            raise IndexError(f"the text has {first} tokens, none has number {wanted[-1]}")
        size = _count(part, kind)
        mine = wanted[len(found) : bisect_left(wanted, first + size)]
        spans = token_spans(part, kind) if mine else []
        for number in mine:
            start, stop = spans[number - first]
            found[number] = start + offset, stop + offset
        first += size
        offset += len(part)
    return found


def _count(text: str, kind: str) -> int:
    how = TOKENIZATIONS[kind]
    if text.isascii():
        return len(how.ascii_tokens(text))
    pieces = how.pieces(text)
    return len(pieces) - sum(map(_vanished(pieces, how).__contains__, pieces))


def _vanished(pieces: Sequence[str], how: Tokenization) -> set[str]:
    """Return those that fold to nothing; each is folded once, however often it comes."""
    return {piece for piece in set(pieces) if not how.fold(piece)}


def words(text: str, kind: str) -> list[str]:
    """Return the token texts of `split_tokens`, without offsets and faster."""
    how = TOKENIZATIONS[kind]
    if text.isascii():
        return how.ascii_tokens(text)
    return [token for piece in how.pieces(text) if (token := how.fold(piece))]


def encode_rows(
    columns: Sequence[Sequence[str]], kind: str, vocabulary: Vocabulary
) -> TokenRows:
    """Do all of `encode_steps` at once."""
    return finish(encode_steps(columns, kind, vocabulary))


def encode_steps(
    columns: Sequence[Sequence[str]], kind: str, vocabulary: Vocabulary
) -> Generator[Progress, None, TokenRows]:
    """Tokenize whole columns, a slice of the characters a step.

    Args:
        columns: `columns[field][row]` is a text, "" where the row has none; at least one
            column, all of one length.
        kind: Key of TOKENIZATIONS.
        vocabulary: Grows by the tokens it does not know.

    Yields:
        Progress in characters.

    Returns:
        The tokens as numbers. Time linear in the characters.
    """
    how = TOKENIZATIONS[kind]
    table = vocabulary.piece_ids(how)
    texts = (
        columns[0]
        if len(columns) == 1
        else list(chain.from_iterable(zip(*columns, strict=True)))
    )
    ends = list(accumulate(map(len, texts)))
    total = ends[-1] if ends else 0
    ids, starts = array("I"), array("I", [0])
    first = 0
    while first < len(texts):
        done = ends[first - 1] if first else 0
        stop = max(first + 1, min(bisect_left(ends, done + _STEP), first + _STEP))
        if stop == first + 1 and len(texts[first]) > _STEP:
            for part in _cut(texts[first], kind, _STEP):
                _append(ids, table, [part])
                yield Progress("tokens", min(done := done + len(part), total), total)
            starts.append(len(ids))
        else:
            counts = _append(ids, table, texts[first:stop])
            starts.extend(list(accumulate(counts, initial=starts[-1]))[1:])
            yield Progress("tokens", ends[stop - 1], total)
        first = stop
    return TokenRows(ids, starts, len(columns))


def _append(ids: "array[int]", table: _PieceIds, texts: Sequence[str]) -> list[int]:
    """Add the token ids of some texts and return how many each has."""
    how = table.kind
    if all(map(str.isascii, texts)):
        rows = list(map(how.ascii_tokens, texts))
        ids.extend(array("I", map(table.vocabulary.__getitem__, chain.from_iterable(rows))))
        return list(map(len, rows))
    rows = [how.ascii_tokens(text) if text.isascii() else how.pieces(text) for text in texts]
    numbers = array("I", map(table.__getitem__, chain.from_iterable(rows)))
    vanished = table.vanished
    if vanished:
        rows = [
            row
            if vanished.isdisjoint(row)
            else [piece for piece in row if piece not in vanished]
            for row in rows
        ]
        numbers = array("I", map(table.__getitem__, chain.from_iterable(rows)))
    ids.extend(numbers)
    return list(map(len, rows))


def _cut(text: str, kind: str, size: int) -> Iterator[str]:
    """Cut a text where no token can be cut through, into parts of `size` or what it takes.

    Yields:
        The parts in order.
    """
    border = _CUTS.get(kind, _SPACE)
    start = 0
    while start < len(text):
        found = border.search(text, start + size)
        stop = found.start() if found else len(text)
        yield text[start:stop]
        start = stop


def _split_space(text: str) -> Iterator[Span]:
    return map(re.Match.span, _NOT_SPACE.finditer(text))


class _DroppedSymbols(dict[int, int | None]):
    """A translation that drops categories P and S, learning each character when it comes."""

    def __missing__(self, code: int) -> int | None:
        dropped = unicodedata.category(chr(code))[0] in "PS"
        self[code] = number = None if dropped else code
        return number


_DROPPED = _DroppedSymbols()
_ASCII = [chr(code) for code in range(128)]
_ASCII_WORDS = {ord(char): char.lower() if char.isalnum() else " " for char in _ASCII}
_ASCII_LETTERS = {ord(char): char.lower() if char.isalnum() else None for char in _ASCII}
_ASCII_GPT3 = {
    ord(char): None if unicodedata.category(char)[0] in "PS" else char.lower()
    for char in _ASCII
}


def _fold_gpt3(piece: str) -> str:
    return piece.translate(_DROPPED).lower()


TOKENIZATIONS: Mapping[str, Tokenization] = {
    "loose": Tokenization(
        "loose",
        "runs of letters, digits and marks, then L1+L3+L4",
        split_loose,
        fold_loose,
        loose_pieces,
        lambda text: text.translate(_ASCII_WORDS).split(),
    ),
    "strict": Tokenization(
        "strict",
        "runs of anything but whitespace, nothing folded",
        _split_space,
        str,
        str.split,
        str.split,
    ),
    "characters": Tokenization(
        "characters",
        "each letter or digit with its marks, then L1+L3+L4",
        split_characters,
        fold,
        character_pieces,
        lambda text: list(text.translate(_ASCII_LETTERS)),
    ),
    "gpt3-words": Tokenization(
        "gpt3-words",
        "split on whitespace, categories P and S dropped, lower case",
        _split_space,
        _fold_gpt3,
        str.split,
        lambda text: text.translate(_ASCII_GPT3).split(),
    ),
}
