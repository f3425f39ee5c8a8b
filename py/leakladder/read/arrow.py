"""1l - Parquet by pyarrow: columns of raw values with the type that the schema gives them.

The only module that knows pyarrow, which is an extra (leakladder[parquet]) and is imported when
the first Parquet file comes.
"""

import json
import struct
from collections.abc import Iterator, Mapping
from itertools import pairwise
from typing import Any, BinaryIO, NamedTuple

from leakladder.read.info import Reading

Type = Mapping[str, Any]

MAX_LEVELS = 100
"""Nesting of a schema that is still read."""


class Columns(NamedTuple):
    """Some rows, column by column.

    Attributes:
        names: Column names.
        types: Their types, as `parquet.py` describes them.
        values: Their raw values, `height` each.
        height: Rows.
    """

    names: list[str]
    types: list[Type]
    values: list[list[Any]]
    height: int


def read_columns(stream: BinaryIO, reading: Reading, batch: int) -> Iterator[Columns]:
    """Decode a Parquet file some rows at a time.

    Args:
        stream: The file, able to seek.
        reading: The file being read.
        batch: Rows a step.

    Yields:
        Columns, at least once.

    Raises:
        ReadError: If pyarrow is missing, or cannot read the file.
        LimitError: If the file declares more rows than the bound.
    """
    try:
        import pyarrow as pa
        from pyarrow import parquet
    except ImportError as missing:
        raise reading.error(
            "this is a Parquet file, and pyarrow, which reads it, is not installed.",
            "needs-extra",
            fix="Install leakladder[parquet].",
        ) from missing
    try:
        file = parquet.ParquetFile(stream, pre_buffer=False)
        reading.check_rows(file.metadata.num_rows)
        leaves = (file.schema.column(at) for at in range(len(file.schema)))
        schema = file.schema_arrow
        names = list(schema.names)
        types = [_type_of(field.type, leaves, reading, 0) for field in schema]
        yield Columns(names, types, [[] for _ in names], 0)
        for part in file.iter_batches(batch):
            values = [
                _pull(column, type_) for column, type_ in zip(part.columns, types, strict=True)
            ]
            yield Columns(names, types, values, part.num_rows)
    except (pa.ArrowException, OSError, ValueError, TypeError) as fault:
        reason = str(fault).strip().splitlines()[0] if str(fault).strip() else "unknown"
        raise reading.error(f"the Parquet file is damaged: {reason}.", "bad-parquet") from fault


def _type_of(arrow: Any, leaves: Iterator[Any], reading: Reading, level: int) -> Type:
    from pyarrow import types

    if level > MAX_LEVELS:
        raise reading.error(f"its schema nests more than {MAX_LEVELS} deep.", "too-deep")
    if types.is_map(arrow):
        key, value = (
            _type_of(inner, leaves, reading, level + 1)
            for inner in (arrow.key_type, arrow.item_type)
        )
        return {"kind": "map", "key": key, "value": value}
    if _is_list(arrow):
        return {"kind": "list", "item": _type_of(arrow.value_type, leaves, reading, level + 1)}
    if types.is_struct(arrow):
        fields = [
            {"name": field.name, "type": _type_of(field.type, leaves, reading, level + 1)}
            for field in (arrow.field(at) for at in range(arrow.num_fields))
        ]
        return {"kind": "struct", "fields": fields}
    return _leaf_type(next(leaves), arrow)


def _is_list(arrow: Any) -> bool:
    from pyarrow import types

    return bool(
        types.is_list(arrow) or types.is_large_list(arrow) or types.is_fixed_size_list(arrow)
    )


PHYSICAL = {
    "BOOLEAN": "boolean",
    "INT32": "int",
    "INT64": "int",
    "FLOAT": "float",
    "DOUBLE": "double",
    "BYTE_ARRAY": "binary",
    "FIXED_LEN_BYTE_ARRAY": "binary",
}
LOGICAL = {
    "String": "text",
    "Enum": "text",
    "JSON": "text",
    "Date": "date",
    "Float16": "half",
    "UUID": "uuid",
    "Null": "null",
}


def _leaf_type(column: Any, arrow: Any) -> Type:
    logical = json.loads(column.logical_type.to_json())
    name = logical["Type"]
    if name == "Decimal":
        return {"kind": "decimal", "scale": logical["scale"]}
    if name == "Timestamp" or column.physical_type == "INT96":
        return {"kind": "timestamp", "unit": arrow.unit, "utc": arrow.tz is not None}
    if name == "Time":
        return {"kind": "time", "unit": arrow.unit}
    return {"kind": LOGICAL.get(name) or PHYSICAL[column.physical_type]}


def _pull(array: Any, type_: Type) -> list[Any]:
    """Take the raw values out of an Arrow array."""
    import pyarrow as pa

    if isinstance(array, pa.ExtensionArray):
        array = array.storage
    if pa.types.is_dictionary(array.type):
        array = array.dictionary_decode()
    kind = type_["kind"]
    if kind in _NESTED:
        valid = array.is_valid().to_pylist()
        values = _NESTED[kind](array, type_)
        return [value if there else None for value, there in zip(values, valid, strict=True)]
    return _pull_leaf(array, kind)


def _pull_leaf(array: Any, kind: str) -> list[Any]:
    import pyarrow as pa

    if kind == "date":
        array = array.cast(pa.date32()).cast(pa.int32())
    elif kind == "time":
        array = array.cast(pa.int32() if pa.types.is_time32(array.type) else pa.int64())
    elif kind == "timestamp" or pa.types.is_duration(array.type):
        array = array.cast(pa.int64())
    elif kind == "half":
        return [None if v is None else struct.pack("<e", float(v)) for v in array.to_pylist()]
    elif kind == "decimal":
        return [None if value is None else _unscaled(value) for value in array.to_pylist()]
    values: list[Any] = array.to_pylist()
    return values


def _unscaled(value: Any) -> int:
    """Drop the point of a Decimal, by its digits, since its arithmetic rounds to 28 of them."""
    sign, digits, _ = value.as_tuple()
    number = int("".join(map(str, digits)))
    return -number if sign else number


def _pull_list(array: Any, type_: Type) -> list[Any]:
    import pyarrow as pa

    if pa.types.is_fixed_size_list(array.type):
        array = array.cast(pa.list_(array.type.value_field))
    offsets = array.offsets.to_pylist()
    first = offsets[0] if offsets else 0
    items = _pull(array.values.slice(first, offsets[-1] - first), type_["item"])
    return _cut(items, offsets)


def _cut(items: list[Any], offsets: list[int]) -> list[Any]:
    first = offsets[0]
    return [items[start - first : stop - first] for start, stop in pairwise(offsets)]


def _pull_struct(array: Any, type_: Type) -> list[Any]:
    columns = [
        _pull(array.field(at), field["type"]) for at, field in enumerate(type_["fields"])
    ]
    return [list(cells) for cells in zip(*columns, strict=True)]


def _pull_map(array: Any, type_: Type) -> list[Any]:
    offsets = array.offsets.to_pylist()
    first, size = offsets[0], offsets[-1] - offsets[0]
    keys = _pull(array.keys.slice(first, size), type_["key"])
    values = _pull(array.items.slice(first, size), type_["value"])
    pairs = [list(pair) for pair in zip(keys, values, strict=True)]
    return _cut(pairs, offsets)


_NESTED = {"list": _pull_list, "struct": _pull_struct, "map": _pull_map}
