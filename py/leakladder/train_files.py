"""host - the training side streamed from files, so that it may be larger than memory.

Rows pass once for the search and, where a report needs the best training rows, once more to
fetch those. Hashes and counts are taken while the rows pass.
"""

import glob
import hashlib
import io
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import BinaryIO, NamedTuple, NoReturn, cast

from leakladder.errors import FieldError, LadderError
from leakladder.fields import (
    get_cells,
    guess_id_field,
    guess_text_fields,
    list_fields,
    row_label,
)
from leakladder.read import ReadInfo, read_rows
from leakladder.results import ABSENT, Row
from leakladder.settings import ReadOptions
from leakladder.sides import CHUNK_CHARACTERS, TrainChunk, TrainRow
from leakladder.stamp import FileStamp

GUESS_ROWS = 1_000
"""Rows of the first file from which its fields are guessed when none are named."""
BATCH_ROWS = 500


class NoSuchFileError(LadderError):
    """A path given on the command line does not lead to a file."""

    code = "no-such-file"


class Source(NamedTuple):
    """One input: its name, and how to open it, which may be done again."""

    name: str
    open: Callable[[], BinaryIO]
    size: int


@cache
def _standard_input() -> bytes:
    """Read standard input once, however often it is opened."""
    return sys.stdin.buffer.read()


def open_source(path: str) -> Source:
    """Return one file, or standard input, which is read whole, for `-`.

    Raises:
        NoSuchFileError: If the path is not a file.
    """
    if path == "-":
        data = _standard_input()
        return Source("standard input", lambda: io.BytesIO(data), len(data))
    file = Path(path)
    if not file.is_file():
        raise NoSuchFileError(f"{path}: there is no such file")
    return Source(file.name, lambda: file.open("rb"), file.stat().st_size)


def expand_paths(paths: Iterable[str]) -> list[str]:
    """Return the files that paths, folders and globs stand for, folders walked in name order.

    Raises:
        NoSuchFileError: If one of them stands for no file.
    """
    found: list[str] = []
    for path in paths:
        if path == "-" or Path(path).is_file():
            found.append(path)
            continue
        folder = Path(path)
        # pathlib's own glob takes no absolute pattern
        matches = glob.glob(path, recursive=True)  # noqa: PTH207
        names = folder.rglob("*") if folder.is_dir() else map(Path, matches)
        files = [str(name) for name in sorted(names) if name.is_file() and name.name[0] != "."]
        if not files:
            raise NoSuchFileError(f"{path}: there is no such file, and no file it stands for")
        found += files
    return found


class HashedStream(io.RawIOBase):
    """A stream that knows the SHA-256 and the number of the bytes read from it."""

    def __init__(self, stream: BinaryIO) -> None:
        super().__init__()
        self._stream = stream
        self.sha256 = hashlib.sha256()
        self.bytes = 0

    def readable(self) -> bool:
        """Say that it can be read."""
        return True

    def read(self, size: int = -1) -> bytes:
        """Read and count bytes."""
        data = self._stream.read(size)
        self.sha256.update(data)
        self.bytes += len(data)
        return data

    def drain(self) -> None:
        """Read what is left, so that the hash is that of the whole file."""
        while self.read(1 << 20):
            pass


class FileTrain:
    """The training side from files, a `TrainSource`.

    Attributes:
        fields: Paths of the chosen text fields.
        id_path: Path of the id field, or "".
        stamps: One a file, complete once `chunks` has been read to its end.
    """

    def __init__(
        self,
        paths: Sequence[str],
        options: ReadOptions,
        fields: Sequence[str],
        id_path: str | None,
    ) -> None:
        """Open the files and choose the fields, guessing from the first rows if none are named.

        Raises:
            FieldError: If no field looks like text.
        """
        self.sources = [open_source(path) for path in expand_paths(paths)]
        self.stamps: list[FileStamp] = []
        self._options = options
        head = self._head()
        infos = list_fields(head)
        self.fields = tuple(fields) or tuple(guess_text_fields(infos, head))
        self.id_path = (guess_id_field(infos, head) or "") if id_path is None else id_path
        if not self.fields:
            raise FieldError(
                "no field looks like text; name one with --train-field",
                file=self.sources[0].name,
                field="",
                available=[item.path for item in infos],
            )

    def _head(self) -> list[Row]:
        source = self.sources[0]
        rows: list[Row] = []
        with source.open() as stream:
            reader = read_rows(stream, name=source.name, options=self._options)
            for row in reader:
                rows.append(row)
                if len(rows) == GUESS_ROWS:
                    break
        return rows

    def chunks(self) -> Iterator[TrainChunk]:
        """Give the texts of all rows in order, about CHUNK_CHARACTERS at a time.

        Raises:
            LadderError: If a file cannot be read or lacks a chosen field.
        """
        self.stamps.clear()
        columns: list[list[str]] = [[] for _ in self.fields]
        held = rows = 0
        for batch in self._batches():
            for column, path in zip(columns, self.fields, strict=True):
                texts = [
                    cell if isinstance(cell, str) else "" for cell in get_cells(batch, path)
                ]
                held += sum(map(len, texts))
                column += texts
            rows += len(batch)
            if held >= CHUNK_CHARACTERS:
                yield TrainChunk(columns, rows)
                columns = [[] for _ in self.fields]
                held = rows = 0
        if rows:
            yield TrainChunk(columns, rows)

    def _batches(self) -> Iterator[list[Row]]:
        present: set[str] = set()
        for source in self.sources:
            with source.open() as raw:
                stream = HashedStream(raw)
                reader = read_rows(
                    cast("BinaryIO", stream), name=source.name, options=self._options
                )
                texts: set[str] = set()
                batch: list[Row] = []
                for row in reader:
                    batch.append(row)
                    if len(batch) == BATCH_ROWS:
                        self._note_fields(batch, texts, present)
                        yield batch
                        batch = []
                self._note_fields(batch, texts, present)
                yield batch
                stream.drain()
                if reader.info.rows and not texts:
                    self._refuse(source.name, self.fields[0], "no row has text in")
                self.stamps.append(self._stamp(stream, reader.info))
        missing = [path for path in self.fields if path not in present]
        if missing and any(stamp.rows for stamp in self.stamps):
            names = ", ".join(source.name for source in self.sources)
            self._refuse(names, missing[0], "no row has")

    def _note_fields(self, batch: Sequence[Row], texts: set[str], present: set[str]) -> None:
        """Note which chosen fields hold text in some row, and which are there at all."""
        for path in self.fields:
            if path not in texts or path not in present:
                cells = get_cells(batch, path)
                if any(isinstance(cell, str) for cell in cells):
                    texts.add(path)
                if any(cell is not ABSENT for cell in cells):
                    present.add(path)

    @staticmethod
    def _refuse(name: str, path: str, what: str) -> NoReturn:
        raise FieldError(
            f"{what} the field '{path}'; see `leakladder read`",
            file=name,
            field=path,
            available=[],
        )

    def _stamp(self, stream: HashedStream, info: ReadInfo) -> FileStamp:
        return FileStamp(
            name=info.name,
            bytes=stream.bytes,
            sha256=stream.sha256.hexdigest(),
            rows=info.rows,
            fields=self.fields,
            info=info,
        )

    def fetch(self, positions: Iterable[int]) -> Mapping[int, TrainRow]:
        """Read the files again as far as the last row wanted, and return the rows wanted."""
        wanted = set(positions)
        found: dict[int, TrainRow] = {}
        at = 0
        for source in self.sources:
            if len(found) == len(wanted):
                break
            with source.open() as stream:
                for row in read_rows(stream, name=source.name, options=self._options):
                    if at in wanted:
                        found[at] = self._train_row(row._replace(index=at), source.name)
                        if len(found) == len(wanted):
                            break
                    at += 1
        return found

    def _train_row(self, row: Row, file: str) -> TrainRow:
        cells = [get_cells([row], path)[0] for path in self.fields]
        texts = tuple(cell if isinstance(cell, str) else "" for cell in cells)
        return TrainRow(row, texts, row_label(row, self.id_path), file)
