"""Stage 4a - row keys: the chosen fields of a row as one key that only equal rows share.

Reads: `fields.py` cells, `normalize.py`. Read by: `overlap.py`.
"""

from collections.abc import Generator, Iterator, Sequence
from typing import NamedTuple

from leakladder.normalize import fold_column
from leakladder.results import ABSENT, Cell, Progress, Row

Key = str | None
"""What a row is matched by; None for a row that holds no text and so matches nothing."""

_BLANK = frozenset({"a", "n", "s0:"})  # an encoded cell that is absent, null or empty
_BLOCK_ROWS = 8_192  # work between two progress reports: about 20 ms in Pyodide
_BLOCK_CHARACTERS = 65_536

_KEPT = " "  # begins no folded text (L10 trims) and no encoded row


class KeySide(NamedTuple):
    """What the rows rung needs of one side.

    Attributes:
        rows: The side's rows; `index` and `line` point into the file as dropped.
        columns: Cells of the chosen fields, `columns[field][row]`.
        ids: Cells of the id column, or None where none is chosen.
    """

    rows: Sequence[Row]
    columns: Sequence[Sequence[Cell]]
    ids: Sequence[Cell] | None


class Keys(NamedTuple):
    """The keys of one side, one a row; `identifier` is all None where no id is chosen."""

    exact: list[Key]
    normalized: list[Key]
    identifier: list[Key]


def row_keys(columns: Sequence[Sequence[Cell]]) -> list[Key]:
    """Make the exact key of every row.

    Several cells become one string of type-tagged, length-prefixed parts ("s2:ab", "n" for
    null, "a" for absent), so no text can imitate a border between cells. One column needs no
    such frame: there the text is its own key. Keys are therefore comparable only between calls
    that had the same number of columns.

    Args:
        columns: `columns[field][row]`, all of one length.

    Returns:
        One key a row, None where every cell is absent, null or empty. White space and marks
        are text. Time linear in the characters.
    """
    if len(columns) == 1:
        return id_keys(columns[0])
    encoded = [[_encode(cell) for cell in column] for column in columns]
    return [_join(parts) for parts in zip(*encoded, strict=True)]


def normalized_keys(
    columns: Sequence[Sequence[Cell]], steps: Sequence[str], exact: Sequence[Key]
) -> list[Key]:
    """Make the key of every row after each cell has been folded.

    A row in which nothing is left ("???") is known by its exact key, marked so that no folded
    row can equal it. Rows with equal exact keys hence always have equal normalized ones.

    Args:
        columns: As given to `row_keys`.
        steps: Codes of the transform, as `normalize.ROW_STEPS`.
        exact: What `row_keys` made of the same columns.

    Returns:
        One key a row, None exactly where `exact` is None.
    """
    folded = [fold_column([_text(cell) for cell in column], steps) for column in columns]
    if len(columns) == 1:
        return [
            text or (key and _KEPT + key) for text, key in zip(folded[0], exact, strict=True)
        ]
    encoded = [
        [_encode(cell if cell is None or cell is ABSENT else text) for cell, text in pairs]
        for pairs in (zip(*pair, strict=True) for pair in zip(columns, folded, strict=True))
    ]
    return [
        _join(parts) or (key and _KEPT + key)
        for parts, key in zip(zip(*encoded, strict=True), exact, strict=True)
    ]


def id_keys(ids: Sequence[Cell]) -> list[Key]:
    """Make the key of every row's identifier: its text, unfolded, or None where it has none."""
    return [None if cell is ABSENT or not cell else cell for cell in ids]


def key_steps(
    side: KeySide, steps: Sequence[str], phase: str
) -> Generator[Progress, None, Keys]:
    """Make all keys of one side in small steps.

    Args:
        side: The side.
        steps: Codes of the transform.
        phase: Name of the work, for people.

    Yields:
        Progress, counted in rows.

    Returns:
        The keys.
    """
    keys = Keys([], [], id_keys(side.ids or [None] * len(side.rows)))
    for block in _cut_blocks(side.columns):
        columns = [column[block] for column in side.columns]
        exact = row_keys(columns)
        keys.exact.extend(exact)
        keys.normalized.extend(normalized_keys(columns, steps, exact))
        yield Progress(phase, block.stop, len(side.rows))
    return keys


def _cut_blocks(columns: Sequence[Sequence[Cell]]) -> Iterator[slice]:
    # slices of bounded work; a row longer than that stands alone
    todo = [
        slice(start, min(start + _BLOCK_ROWS, len(columns[0])))
        for start in range(0, len(columns[0]), _BLOCK_ROWS)
    ][::-1]
    while todo:
        block = todo.pop()
        size = sum(_count_characters(column[block]) for column in columns)
        if size > _BLOCK_CHARACTERS and block.stop - block.start > 1:
            middle = (block.start + block.stop) // 2
            todo += [slice(middle, block.stop), slice(block.start, middle)]
        else:
            yield block


def _count_characters(cells: Sequence[Cell]) -> int:
    return sum(len(cell) for cell in cells if cell is not ABSENT and cell)


def _text(cell: Cell) -> str:
    return "" if cell is ABSENT or cell is None else cell


def _encode(cell: Cell) -> str:
    if cell is None:
        return "n"
    return "a" if cell is ABSENT else f"s{len(cell)}:{cell}"


def _join(parts: tuple[str, ...]) -> Key:
    return None if _BLANK.issuperset(parts) else "".join(parts)
