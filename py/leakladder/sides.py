"""Stage 2b - read files to the two sides of a comparison: rows, chosen fields, ids.

Reads: `read` and `fields`. Read by: every report and `pipeline.py`. In one-file mode both sides
are rows of one file, and they keep the index and line that they have in it.
"""

from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple, Protocol

from leakladder.errors import FieldError, SettingError
from leakladder.fields import (
    FieldInfo,
    get_cells,
    guess_id_field,
    guess_split_field,
    guess_text_fields,
    list_fields,
    row_label,
    split_values,
)
from leakladder.read import Table
from leakladder.results import Cell, Row
from leakladder.settings import Split

CHUNK_CHARACTERS = 4_000_000
"""Characters of training text searched at a time: what bounds memory on the command line."""


class LoadedFile:
    """One file that has been read whole, with what its fields are.

    Attributes:
        name: File name without its folder.
        size: Bytes as dropped.
        sha256: Of those bytes, in hex.
        table: Its rows and what reading decided.
    """

    def __init__(self, name: str, size: int, sha256: str, table: Table) -> None:
        self.name = name
        self.size = size
        self.sha256 = sha256
        self.table = table

    @cached_property
    def fields(self) -> tuple[FieldInfo, ...]:
        """Every field of the file with its fill count."""
        return list_fields(self.table.rows)

    @cached_property
    def text_guess(self) -> tuple[str, ...]:
        """The fields that look like the text to compare."""
        return tuple(guess_text_fields(self.fields, self.table.rows))

    @cached_property
    def id_guess(self) -> str | None:
        """The field that looks like an identifier, if one does."""
        return guess_id_field(self.fields, self.table.rows)

    def to_wire(self) -> dict[str, Any]:
        """Return everything the page shows of a file."""
        return {
            **self.table.info.to_wire(),
            "name": self.name,
            "bytes": self.size,
            "sha256": self.sha256,
            "fields": [item.to_wire() for item in self.fields],
            "guess": {
                "text": list(self.text_guess),
                "id": self.id_guess,
                "split": guess_split_field(self.fields, self.table.rows),
            },
        }

    def check_field(self, path: str) -> str:
        """Return `path` if the file has it.

        Raises:
            FieldError: If no row of the file fills it.
        """
        names = [item.path for item in self.fields]
        if path in names or any(cell.__class__ is str for cell in self.cells(path)):
            return path
        listed = ", ".join(names[:8]) + (", ..." if len(names) > 8 else "")
        raise FieldError(
            f"there is no field '{path}'; the fields are: {listed or 'none'}",
            file=self.name,
            field=path,
            available=names,
        )

    def cells(self, path: str) -> list[Cell]:
        """Return one field of every row."""
        return get_cells(self.table.rows, path)


def join_files(files: Sequence[LoadedFile]) -> LoadedFile:
    """Return several files as one, rows numbered on across them; a single one as it is."""
    if len(files) == 1:
        return files[0]
    rows = [row for file in files for row in file.table.rows]
    rows = [row._replace(index=at) for at, row in enumerate(rows)]
    table = Table(rows, files[0].table.info, None)
    return LoadedFile(f"{len(files)} files", sum(file.size for file in files), "", table)


class TrainRow(NamedTuple):
    """A training row as the reports show it.

    Attributes:
        row: The record.
        texts: One text per chosen field, "" where there is none.
        label: Its id, or "".
        file: Name of its file.
    """

    row: Row
    texts: tuple[str, ...]
    label: str
    file: str


class TrainChunk(NamedTuple):
    """Some consecutive rows of the training side.

    Attributes:
        columns: One list of texts per chosen field, as long as there are rows.
        rows: How many rows.
    """

    columns: Sequence[Sequence[str]]
    rows: int


class TrainSource(Protocol):
    """The side that is searched: in memory in the page, streamed on the command line."""

    @property
    def fields(self) -> tuple[str, ...]:
        """Paths of the chosen text fields."""
        ...

    @property
    def id_path(self) -> str:
        """Path of the id field, or "" for none."""
        ...

    def chunks(self) -> Iterator[TrainChunk]:
        """Give the rows in order, some at a time; may be called again."""
        ...

    def fetch(self, positions: Iterable[int]) -> Mapping[int, TrainRow]:
        """Return rows by their position in the order of `chunks`."""
        ...


@dataclass(frozen=True)
class Side:
    """One side of a comparison, held in memory.

    Attributes:
        file: The file its rows are from.
        rows: Its rows; in one-file mode only those of its split value.
        fields: Paths of the chosen text fields, at least one.
        id_path: Path of the id field, or "" for none.
        columns: One list of cells per chosen field, as long as `rows`.
    """

    file: LoadedFile
    rows: Sequence[Row]
    fields: tuple[str, ...]
    id_path: str
    columns: tuple[list[Cell], ...]

    @cached_property
    def texts(self) -> tuple[list[str], ...]:
        """The chosen fields as text, "" where a cell is null or absent."""
        return tuple(
            [cell if isinstance(cell, str) else "" for cell in column]
            for column in self.columns
        )

    @cached_property
    def ids(self) -> list[Cell] | None:
        """The id of every row, or None where there is no id field."""
        return get_cells(self.rows, self.id_path) if self.id_path else None

    def position(self, index: int) -> int:
        """Return where on this side the row with an index of the file stands.

        Raises:
            SettingError: If the row is not on this side.
        """
        at = bisect_left(self.rows, index, key=lambda row: row.index)
        if at == len(self.rows) or self.rows[at].index != index:
            raise SettingError(f"there is no row {index} on this side", setting="index")
        return at

    def label(self, position: int) -> str:
        """Return the id of a row as text, or ""."""
        return row_label(self.rows[position], self.id_path)

    def text_parts(self, position: int) -> tuple[str, ...]:
        """Return the chosen texts of one row."""
        return tuple(column[position] for column in self.texts)

    def chunks(self) -> Iterator[TrainChunk]:
        """Give the texts in pieces of about CHUNK_CHARACTERS."""
        start = held = 0
        for position in range(len(self.rows)):
            held += sum(len(column[position]) for column in self.texts)
            if held >= CHUNK_CHARACTERS:
                yield self._chunk(start, position + 1)
                start, held = position + 1, 0
        if start < len(self.rows):
            yield self._chunk(start, len(self.rows))

    def _chunk(self, start: int, stop: int) -> TrainChunk:
        return TrainChunk([column[start:stop] for column in self.texts], stop - start)

    def fetch(self, positions: Iterable[int]) -> Mapping[int, TrainRow]:
        """Return rows by their position on this side."""
        return {
            at: TrainRow(self.rows[at], self.text_parts(at), self.label(at), self.file.name)
            for at in positions
        }


def make_side(
    file: LoadedFile, fields: Sequence[str], id_path: str | None, keep: Callable[[int], bool]
) -> Side:
    """Choose the rows and fields of one side.

    Args:
        file: The file read.
        fields: Paths chosen; empty takes the guess.
        id_path: Path of the id field, "" for none, None for the guess.
        keep: Whether the row at a position of the file belongs to this side.

    Raises:
        FieldError: If a chosen field is not in the file, or none is chosen and none looks
            like text.
    """
    chosen = tuple(fields) or file.text_guess
    if not chosen:
        raise FieldError(
            "no field looks like text; choose one",
            file=file.name,
            field="",
            available=[item.path for item in file.fields],
        )
    for path in chosen:
        file.check_field(path)
    ids = (file.id_guess or "") if id_path is None else id_path
    if ids:
        file.check_field(ids)
    rows = [row for at, row in enumerate(file.table.rows) if keep(at)]
    return Side(file, rows, chosen, ids, tuple(get_cells(rows, path) for path in chosen))


def split_side(
    file: LoadedFile, split: Split, value: str, fields: Sequence[str], id_path: str | None
) -> Side:
    """Choose the rows whose split column holds `value`.

    Raises:
        FieldError: If the column is not in the file or no row holds the value.
    """
    cells = file.cells(file.check_field(split.column))
    side = make_side(file, fields, id_path, lambda at: cells[at] == value)
    if not side.rows:
        held = [f"'{each[:40]}'" for each, _ in split_values(file.table.rows, split.column)]
        listed = ", ".join(held[:8]) + (", ..." if len(held) > 8 else "")
        every = "its only value is" if len(held) == 1 else "its values are"
        raise FieldError(
            f"no row has '{value}' in the column '{split.column}'; {every} {listed or 'none'}",
            file=file.name,
            field=split.column,
            available=[],
        )
    return side
