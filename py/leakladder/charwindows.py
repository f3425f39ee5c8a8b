"""Stage 4c - character windows: the 50-character stretches of a row that stand in train.

Reads: `fields.py` texts. Read by: `measures.py`.
"""

import unicodedata
from array import array
from collections.abc import Generator, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain

from leakladder.charsearch import (
    BLOCK,
    MANY,
    NOBODY,
    WINDOW,
    Searches,
    WholeSearch,
    WindowSearch,
    join_train,
)
from leakladder.results import Progress

Columns = Sequence[Sequence[str]]

_STEP = 32_768  # characters between two progress reports: 5 to 60 ms in Pyodide
_ROWS = 8_192  # rows between two, where the work is a row's
_DROPPED = frozenset("PSZC")


@dataclass(frozen=True, slots=True)
class WindowHits:
    """What the character windows of each test row came to.

    A row's windows are those of its fields of 50 characters or more. A row that has no such
    field has one window, its longest field whole (the first of equals); a row without text has
    none.

    Attributes:
        windows: m of each row.
        found: h of each row, 0 <= h <= m: windows that stand whole in one field of one training
            row.
        characters: Length of each row's longest processed field; under 50 the row is low
            evidence.
    """

    windows: "array[int]"
    found: "array[int]"
    characters: "array[int]"


def process_text(text: str) -> str:
    """Drop white space and all characters of the categories P, S, Z and C; keep case.

    Source:
        GPT-4 report (arXiv:2303.08774), appendix C: spaces and symbols go, letters and numbers
        stay. It does not mention case.
    """
    return text.translate(_drop_table([text]))


def find_windows(
    test: Columns, chunks: Iterable[Columns | Progress], *, same_file: bool = False
) -> Generator[Progress, None, WindowHits]:
    """Count, for every test row, its windows and those that stand in a training row.

    Args:
        test: Texts as read, `test[field][row]`, "" where there is none.
        chunks: The training side likewise, some rows at a time; progress in between is passed
            on.
        same_file: The training rows are the test rows, in the same order: no row is compared
            with itself.

    Yields:
        Progress.

    Returns:
        m and h a row, exact. Time linear in the characters of both sides, memory in those of
        the test side and the largest chunk.
    """
    rows = yield from _process_columns(test)
    owners = _find_owners(rows) if same_file else {}
    chosen = yield from _choose_texts(rows)
    searches = yield from _make_searches(chosen, owners)
    for chunk in chunks:
        if isinstance(chunk, Progress):
            yield chunk
        else:
            yield from _search_chunk(chunk, searches, owners if same_file else None)
    for search in searches:
        yield from search.settle()
    return (yield from _sum_rows(chosen, searches, owners))


def _process_columns(columns: Columns) -> Generator[Progress, None, list[list[str]]]:
    processed: list[list[str]] = []
    for column in columns:
        texts: list[str] = []
        for block in _cut_rows(column):
            table = _drop_table(block)
            texts += [text.translate(table) for text in block]
            yield Progress("stripping spaces and symbols", len(texts), len(column))
        processed.append(texts)
    return processed


def _drop_table(texts: Sequence[str]) -> dict[int, None]:
    """Map the characters that occur in some texts and are to go to None."""
    return {
        ord(char): None
        for char in set().union(*texts)
        if char.isspace() or unicodedata.category(char)[0] in _DROPPED
    }


def _cut_rows(texts: Sequence[str]) -> Iterator[Sequence[str]]:
    start = size = 0
    for row, text in enumerate(texts):
        size += len(text) + 8
        if size > _STEP:
            yield texts[start : row + 1]
            start, size = row + 1, 0
    if start < len(texts):
        yield texts[start:]


def _find_owners(columns: Columns) -> dict[str, int]:
    """Map every text to the row that holds it, MANY where more than one does."""
    owners: dict[str, int] = {}
    for column in columns:
        for row, text in enumerate(column):
            if owners.setdefault(text, row) != row:
                owners[text] = MANY
    return owners


def _choose_texts(
    columns: Columns,
) -> Generator[Progress, None, list[tuple[str, ...]]]:
    """Choose the texts of each row whose windows count."""
    chosen: list[tuple[str, ...]] = []
    for fields in zip(*columns, strict=True):
        texts = tuple(text for text in fields if len(text) >= WINDOW)
        if not texts and any(fields):
            texts = (max(fields, key=len),)
        chosen.append(texts)
        if not len(chosen) % _ROWS:
            yield Progress("choosing character windows", len(chosen), len(columns[0]))
    return chosen


def _make_searches(
    chosen: list[tuple[str, ...]], owners: dict[str, int]
) -> Generator[Progress, None, Searches]:
    """Index the test texts; one that two rows of the same file hold is found as it is."""
    texts = dict.fromkeys(chain.from_iterable(chosen))
    wanted = {text: owners.get(text, NOBODY) for text in texts if owners.get(text) != MANY}
    yield Progress("indexing character windows", 0, 0)
    searches = (
        WindowSearch({text: wanted[text] for text in wanted if len(text) >= WINDOW}),
        WholeSearch({text: wanted[text] for text in wanted if len(text) < WINDOW}),
    )
    for search in searches:
        yield from search.index()
    return searches


def _search_chunk(
    chunk: Columns, searches: Searches, owners: dict[str, int] | None
) -> Generator[Progress, None, None]:
    columns = yield from _process_columns(chunk)
    texts = list(dict.fromkeys(filter(None, chain.from_iterable(columns))))
    if owners is None:
        for search in searches:
            search.take_wholes(texts)
    train = join_train(texts, None if owners is None else [owners[text] for text in texts])
    for start in range(BLOCK, len(train.text), _STEP):
        for search in searches:
            search.scan(train, start, start + _STEP)
            if search.is_full():
                yield from search.settle()
        yield Progress("searching character windows", start, len(train.text))


def _sum_rows(
    chosen: list[tuple[str, ...]], searches: Searches, owners: dict[str, int]
) -> Generator[Progress, None, WindowHits]:
    hits = WindowHits(array("I"), array("I"), array("I"))
    for row, texts in enumerate(chosen):
        windows = found = 0
        for text in texts:
            here = max(1, len(text) - WINDOW + 1)
            windows += here
            whole = owners.get(text) == MANY
            found += here if whole else searches[len(text) < WINDOW].count(text)
        hits.windows.append(windows)
        hits.found.append(found)
        hits.characters.append(max(map(len, texts), default=0))
        if not row % _ROWS:
            yield Progress("counting character windows", row, len(chosen))
    return hits
