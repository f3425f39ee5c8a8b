"""1m - Parquet: decoded by pyarrow or, in the page, by hyparquet, and formatted here for both.

A decoder hands over columns of raw values with the type that the schema gives them, so that
the two hosts cannot differ in how a number, a date or a decimal is written. In the page this
crosses as text, the interchange, which web/worker/parquet.js makes: a line of JSON that names
the columns, then for each column in turn lines that are lists of its values, in row order.

    {"rows": 2, "columns": [{"name": "price", "type": {"kind": "decimal", "scale": 2}}]}
    [110, null]

For a file that cannot be read it is the one line {"error": {...}}. Raw values by kind: int,
float, double, date (days), time, timestamp (in `unit` since midnight or 1970) and decimal
(without its point) are numbers; half, uuid and binary are hexadecimal; text and boolean are
themselves; list is a list of values, struct one value a field in order, map a list of
[key, value] pairs. Null is null everywhere.
"""

import io
import json
import struct
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, date, datetime, timedelta
from itertools import count, repeat
from typing import Any, BinaryIO, NoReturn

from leakladder.errors import LimitError
from leakladder.read.arrow import Columns, read_columns
from leakladder.read.info import Reading
from leakladder.results import NumberText, Row

MAGIC = b"PAR1"
BATCH = 4_096
"""Rows formatted at a time."""

Type = Mapping[str, Any]
Format = Callable[[Any], object]

TICKS = {"s": 1, "ms": 1_000, "us": 1_000_000, "ns": 1_000_000_000}
"""Units of times and timestamps to their number in a second."""


def read_parquet(chunks: Iterator[bytes], reading: Reading) -> Iterator[list[Row]]:
    """Read a Parquet file, which is held in memory, with pyarrow.

    Args:
        chunks: The file.
        reading: The file being read.

    Yields:
        Rows in file order, a few thousand at a time, without line or byte range.

    Raises:
        ReadError: If pyarrow is missing or the file is damaged.
        LimitError: If the file declares or holds more than its bounds allow.
    """
    data = b"".join(chunks)
    if not data.startswith(MAGIC):
        raise reading.error("the first bytes are not PAR1.", "bad-parquet", (None, None, 0))
    yield from read_stream(io.BytesIO(data), reading)


def read_stream(stream: BinaryIO, reading: Reading) -> Iterator[list[Row]]:
    """Read a Parquet file from a stream that can seek, a row group at a time.

    Yields, raises: As `read_parquet`.
    """
    counter = _Counter(reading)
    for columns in read_columns(stream, reading, BATCH):
        yield _make_rows(columns, reading, counter)


def read_interchange(text: str, reading: Reading) -> Iterator[list[Row]]:
    """Read what the page's decoder hands over.

    Args:
        text: The interchange, as the module describes.
        reading: The file being read; its bounds are checked again.

    Yields:
        The rows that `read_parquet` gives for the same file, a few thousand at a time; empty
        lists before that, while values are parsed.

    Raises:
        ReadError: If the decoder reports a damaged file.
        LimitError: If the decoder stopped at a bound.
    """
    lines = iter(text.split("\n"))  # never splitlines(): U+2028 is text
    head = _load(next(lines))
    if "error" in head:
        _raise_decoder_error(head["error"], reading)
    rows = int(head["rows"])
    reading.check_rows(rows)
    columns: list[list[Any]] = []
    for _ in head["columns"]:
        values: list[Any] = []
        while len(values) < rows:
            values += _load(next(lines))
            yield []
        columns.append(values)
    names = [column["name"] for column in head["columns"]]
    types = [column["type"] for column in head["columns"]]
    counter = _Counter(reading)
    for start in range(0, max(rows, 1), BATCH):
        part = [values[start : start + BATCH] for values in columns]
        height = min(BATCH, rows - start)
        yield _make_rows(Columns(names, types, part, height), reading, counter)


def _load(line: str) -> Any:
    return json.loads(
        line, parse_int=NumberText, parse_float=NumberText, parse_constant=NumberText
    )


def _raise_decoder_error(wire: Mapping[str, Any], reading: Reading) -> NoReturn:
    if wire["code"] == LimitError.code:
        bound, found = int(wire["bound"]), int(wire["found"])
        raise LimitError(file=reading.info.name, unit=wire["unit"], bound=bound, found=found)
    raise reading.error(wire["reason"], wire["code"], fix=wire.get("fix", ""))


class _Counter:
    """Characters handed out so far, against the bound."""

    def __init__(self, reading: Reading) -> None:
        self._reading = reading
        self._bound = reading.bounds.unpacked
        self._done = 0

    def add(self, values: Sequence[object]) -> None:
        """Count the texts of a column.

        Raises:
            LimitError: If the file holds more characters than the bound.
        """
        if self._bound is None:
            return
        for value in values:
            self._done += len(value) if isinstance(value, str) else _size(value)
            if self._done > self._bound:
                raise LimitError(
                    file=self._reading.info.name,
                    unit="characters",
                    bound=self._bound,
                    found=self._done,
                )


def _size(value: object) -> int:
    """Count the characters of all texts inside a value."""
    if isinstance(value, str):
        return len(value)
    if isinstance(value, dict):
        return sum(len(key) + _size(inner) for key, inner in value.items())
    return sum(map(_size, value)) if isinstance(value, list) else 1


def _make_rows(columns: Columns, reading: Reading, counter: _Counter) -> list[Row]:
    info = reading.info
    if len(set(columns.names)) != len(columns.names):
        raise reading.error("two columns have the same name.", "bad-parquet")
    info.columns = tuple(columns.names)
    formatted: list[Sequence[object]] = []
    for type_, values in zip(columns.types, columns.values, strict=True):
        if len(values) != columns.height:
            raise reading.error("its columns differ in length.", "bad-parquet")
        column = format_column(type_, values)
        counter.add(column)
        formatted.append(column)
    index = info.rows
    records = zip(*formatted, strict=True) if formatted else repeat((), columns.height)
    rows = [
        Row(at, None, None, None, dict(zip(columns.names, cells, strict=True)))
        for at, cells in zip(count(index), records, strict=False)
    ]
    reading.count_rows(len(rows))
    return rows


def format_column(type_: Type, values: Sequence[Any]) -> Sequence[object]:
    """Turn the raw values of one column into values of rows, as the module describes."""
    format_ = make_format(type_)
    return values if format_ is None else [None if v is None else format_(v) for v in values]


def make_format(type_: Type) -> Format | None:
    """Make the function that turns a raw value of a type, not null, into a value of a row.

    Returns:
        The function, or None where a raw value is already what a row holds.
    """
    kind = type_["kind"]
    if kind in _FORMATS:
        return _FORMATS[kind]
    if kind in _MAKERS:
        return _MAKERS[kind](type_)
    return None  # text, boolean, null


def _format_int(value: Any) -> NumberText:
    return NumberText(value)


def _format_double(value: Any) -> NumberText:
    number = float(value)
    if number != number:
        return NumberText("NaN")
    if number in {float("inf"), float("-inf")}:
        return NumberText("Infinity" if number > 0 else "-Infinity")
    return NumberText(repr(number))


def _shortest(value: Any, form: str, digits: range, normal: float) -> NumberText:
    """Write a narrow float with the fewest digits that give the same float back.

    Args:
        value: The number.
        form: Its `struct` format.
        digits: Digits tried. Fewer than the first always come back, from `normal` on.
        normal: The smallest float of this width that has all its bits.
    """
    number = float(value)
    packed = struct.pack(form, number)
    for precision in digits if abs(number) >= normal else range(1, digits.stop):
        short = float(f"{number:.{precision}g}")
        try:
            if struct.pack(form, short) == packed:
                return _format_double(short)
        except OverflowError:  # rounded up beyond the largest float of this width
            continue
    return _format_double(number)


def _format_float(value: Any) -> NumberText:
    return _shortest(value, "<f", range(6, 10), 2.0**-126)  # IEEE 754: 24 bits, 6 to 9 digits


def _format_half(value: Any) -> NumberText:
    return _shortest(struct.unpack("<e", _bytes(value))[0], "<e", range(3, 6), 2.0**-14)


def _bytes(value: Any) -> bytes:
    return bytes.fromhex(value) if isinstance(value, str) else bytes(value)


def _format_binary(value: Any) -> str:
    """Take bytes as UTF-8, which old writers leave unsaid, or else write them as 0x...."""
    data = _bytes(value)
    try:
        return data.decode()
    except UnicodeDecodeError:
        return f"0x{data.hex()}"


def _format_uuid(value: Any) -> str:
    text = _bytes(value).hex()
    return "-".join((text[:8], text[8:12], text[12:16], text[16:20], text[20:]))


def _format_date(value: Any) -> object:
    try:
        return (date(1970, 1, 1) + timedelta(days=int(value))).isoformat()
    except OverflowError:  # outside the years 1 to 9999
        return NumberText(value)


_FORMATS: Mapping[str, Format] = {
    "int": _format_int,
    "double": _format_double,
    "float": _format_float,
    "half": _format_half,
    "binary": _format_binary,
    "uuid": _format_uuid,
    "date": _format_date,
}


def _make_decimal(type_: Type) -> Format:
    scale = int(type_["scale"])

    def format_(value: Any) -> NumberText:
        text = str(value)
        sign, digits = ("-", text[1:]) if text.startswith("-") else ("", text)
        if not scale:
            return NumberText(sign + digits)
        digits = digits.rjust(scale + 1, "0")
        return NumberText(f"{sign}{digits[:-scale]}.{digits[-scale:]}")

    return format_


def _fraction(ticks: int, unit: str) -> str:
    """Write the part below a second with 0, 3, 6 or 9 digits, as many as it needs."""
    nanos = ticks * (1_000_000_000 // TICKS[unit])
    if not nanos:
        return ""
    digits = f"{nanos:09d}"
    while digits.endswith("000"):
        digits = digits[:-3]
    return f".{digits}"


def _make_timestamp(type_: Type) -> Format:
    unit, zone = type_["unit"], "Z" if type_["utc"] else ""

    def format_(value: Any) -> object:
        seconds, ticks = divmod(int(value), TICKS[unit])
        try:
            moment = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(seconds=seconds)
        except OverflowError:  # outside the years 1 to 9999
            return NumberText(value)
        return moment.replace(tzinfo=None).isoformat() + _fraction(ticks, unit) + zone

    return format_


def _make_time(type_: Type) -> Format:
    unit = type_["unit"]

    def format_(value: Any) -> str:
        seconds, ticks = divmod(int(value), TICKS[unit])
        hours, minutes = divmod(seconds // 60, 60)
        return f"{hours:02d}:{minutes:02d}:{seconds % 60:02d}{_fraction(ticks, unit)}"

    return format_


def _make_list(type_: Type) -> Format:
    item = type_["item"]
    return lambda values: list(format_column(item, values))


def _make_struct(type_: Type) -> Format:
    names = [field["name"] for field in type_["fields"]]
    formats = [make_format(field["type"]) for field in type_["fields"]]

    def format_(values: Any) -> dict[str, object]:
        return {
            name: value if value is None or form is None else form(value)
            for name, form, value in zip(names, formats, values, strict=True)
        }

    return format_


def _make_map(type_: Type) -> Format:
    entry = _make_struct({"fields": [{"name": n, "type": type_[n]} for n in ("key", "value")]})

    def format_(pairs: Any) -> dict[str, object]:
        entries = [entry(pair) for pair in pairs]
        return {map_key(item["key"]): item["value"] for item in entries}  # type: ignore[index]

    return format_


def map_key(value: object) -> str:
    """Write the key of a map as the key of an object."""
    if isinstance(value, str):
        return str(value)
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


_MAKERS: Mapping[str, Callable[[Type], Format]] = {
    "decimal": _make_decimal,
    "timestamp": _make_timestamp,
    "time": _make_time,
    "list": _make_list,
    "struct": _make_struct,
    "map": _make_map,
}
