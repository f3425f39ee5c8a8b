"""1a - what reading decided and found: what the page, the stamp and the terminal show."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from leakladder.errors import LimitError, ReadError
from leakladder.settings import Bounds, ReadOptions

LISTED = 10
"""How many bad records are listed; all of them are counted."""


@dataclass(slots=True)
class ReadInfo:
    """Every decision taken about a file and everything counted in it.

    Filled while the file is read, complete once the last row has been given out. Rows read,
    bad records and blank lines add up to the records present.

    Attributes:
        name: File name as the person sees it.
        bytes: Size of the file as dropped (bytes read so far, of a stream).
        unpacked: Bytes after unpacking; equal to `bytes` for a file that is not packed.
        format: One of `settings.FORMATS`.
        encoding: One of `settings.ENCODINGS`; "" for Parquet.
        bom: Whether the file starts with a byte order mark.
        compression: "gzip", "zip", "zstd" or "".
        member: Name of the file inside a zip.
        delimiter: Character between the cells of a delimited file, else "".
        header: Whether the first record names the columns; None where the format has none.
        columns: Column names of a delimited or Parquet file, in file order.
        layout: How the records lie in a JSON file: "records", "columns" (an object of lists),
            "keyed" (an object of objects), "table" (column names beside rows of cells), "one".
        list_path: Where in a JSON file the list of records is; "" for the whole file, None for
            other formats.
        list_choices: The list paths that a person could choose instead, in file order, the
            first hundred of them (a note says so if there are more).
        rows: Records read.
        blank_lines: Lines without content; they are no records.
        bad: Records that cannot be read, all counted.
        first_bad: The first ten of them, in file order.
        left_out: Bad records that the person chose to leave out.
        padded: Delimited rows with fewer or more cells than columns, read by choice.
        lone_surrogates: Halves of surrogate pairs in JSON escapes, kept in the rows; a CSV
            export replaces them.
        duplicate_keys: Objects in which a key stands twice; the last value counts.
        whole_text: A text file was read as one document, by choice.
        quotes: Double quotes of a delimited file enclosed cells; False only by choice.
        notes: Sentences for people about what was decided or is unusual.
    """

    name: str = ""
    bytes: int = 0
    unpacked: int = 0
    format: str = ""
    encoding: str = ""
    bom: bool = False
    compression: str = ""
    member: str = ""
    delimiter: str = ""
    header: bool | None = None
    columns: tuple[str, ...] = ()
    layout: str = ""
    list_path: str | None = None
    list_choices: tuple[str, ...] = ()
    rows: int = 0
    blank_lines: int = 0
    bad: int = 0
    first_bad: list[ReadError] = field(default_factory=list)
    left_out: int = 0
    padded: int = 0
    lone_surrogates: int = 0
    duplicate_keys: int = 0
    whole_text: bool = False
    quotes: bool = True
    notes: list[str] = field(default_factory=list)

    def to_wire(self) -> Mapping[str, object]:
        """Return the JSON-ready form; `columns` is left out, since the fields say it better."""
        return {
            "name": self.name,
            "bytes": self.bytes,
            "unpacked": self.unpacked,
            "format": self.format,
            "encoding": self.encoding,
            "bom": self.bom,
            "compression": self.compression,
            "member": self.member,
            "delimiter": self.delimiter,
            "header": self.header,
            "layout": self.layout,
            "list_path": self.list_path,
            "list_choices": list(self.list_choices),
            "rows": self.rows,
            "blank_lines": self.blank_lines,
            "bad": self.bad,
            "first_bad": [error.to_wire() for error in self.first_bad],
            "left_out": self.left_out,
            "padded": self.padded,
            "lone_surrogates": self.lone_surrogates,
            "duplicate_keys": self.duplicate_keys,
            "notes": list(self.notes),
        }


@dataclass(slots=True)
class Reading:
    """One file being read: what was asked for and what has been found so far.

    Attributes:
        options: How the file is to be read.
        bounds: How much of it may be read.
        info: The record being filled.
    """

    options: ReadOptions
    bounds: Bounds
    info: ReadInfo

    def __post_init__(self) -> None:
        """Note the choices that nothing in the file tells afterwards."""
        self.info.whole_text = self.options.whole_text
        self.info.quotes = self.options.quotes

    def note(self, sentence: str) -> None:
        """Keep a sentence for people, once."""
        if sentence not in self.info.notes:
            self.info.notes.append(sentence)

    def reject(self, make_error: Callable[[], ReadError]) -> None:
        """Count a record that cannot be read; make and list its error if it is among the first.

        Finding a place can take time in proportion to the file, so it is done ten times only.
        """
        self.info.bad += 1
        if len(self.info.first_bad) < LISTED:
            self.info.first_bad.append(make_error())

    def count_rows(self, rows: int) -> None:
        """Add rows that were read.

        Raises:
            LimitError: If the file has more rows than the bound.
        """
        self.info.rows += rows
        self.check_rows(self.info.rows)

    def check_rows(self, rows: int) -> None:
        """Refuse a number of rows over the bound.

        Raises:
            LimitError: If `rows` is over the bound.
        """
        bound = self.bounds.rows
        if bound is not None and rows > bound:
            raise LimitError(file=self.info.name, unit="rows", bound=bound, found=rows)

    def error(
        self,
        reason: str,
        code: str,
        place: tuple[int | None, int | None, int | None] = (None, None, None),
        fix: str = "",
    ) -> ReadError:
        """Make an error about this file; `place` is (line, column, byte)."""
        return ReadError(reason, file=self.info.name, code=code, fix=fix, place=place)
