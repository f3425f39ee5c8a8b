"""Write the binary files under golden/read: packed ones, and Parquet of every codec and type.

Run by hand (`python tests/make_read_golden.py`) when a case is added; the files are
committed, so that tests need neither the same pyarrow nor the same zlib. What each must read as
stands here too, written by hand. Parquet files get their interchange from the page's decoder,
so Node and `npm ci` are needed.
"""

import datetime
import decimal
import gzip
import io
import json
import re
import subprocess
import zipfile
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import zstandard

ROOT = Path(__file__).parent
FOLDER = ROOT / "golden" / "read"
LINES = b'{"id": 1, "q": "a"}\n{"id": 2, "q": "b"}\n'
ROWS = ['{"id": 1, "q": "a"}', '{"id": 2, "q": "b"}']


def write(path: str, data: bytes, **expected: Any) -> None:
    """Write one case; `rows` are JSON texts, since they keep numbers as written."""
    target = FOLDER / path
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_bytes(data)
    rows = expected.pop("rows", None)
    parts = [f'  "{key}": {json.dumps(value)}' for key, value in expected.items()]
    if rows is not None:
        parts.append('  "rows": [\n    ' + ",\n    ".join(rows) + "\n  ]")
    text = "{\n" + ",\n".join(parts) + "\n}\n"
    json.loads(text)
    target.with_name(f"{target.name}.expected.json").write_text(text, encoding="utf-8")


def pack_gzip(data: bytes) -> bytes:
    return gzip.compress(data, mtime=0)


def pack_zip(**files: bytes) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            info = zipfile.ZipInfo(re.sub(r"(?<=\w)__(?=.)", "/", name))
            archive.writestr(info, data, zipfile.ZIP_DEFLATED)
    return stream.getvalue()


JSONL = {"format": "jsonl", "encoding": "utf-8", "rows": 2}
DAMAGED = {"code": "bad-packing"}


def write_gzip() -> None:
    gz: dict[str, Any] = {
        "info": {**JSONL, "compression": "gzip", "unpacked": len(LINES)},
        "lines": [1, 2],
        "rows": ROWS,
    }
    write("packed/lines.jsonl.gz", pack_gzip(LINES), **gz)
    write("packed/packed-without-saying-so.jsonl", pack_gzip(LINES), **gz)
    write("packed/two-members.jsonl.gz", pack_gzip(LINES[:20]) + pack_gzip(LINES[20:]), **gz)
    write("packed/padded-with-zeros.jsonl.gz", pack_gzip(LINES) + b"\0" * 9, **gz)
    write("packed/cut.jsonl.gz", pack_gzip(LINES)[:-6], error=DAMAGED)
    write("packed/garbage-behind.jsonl.gz", pack_gzip(LINES) + b"more", error=DAMAGED)
    wrong = bytearray(pack_gzip(LINES))
    wrong[-6] ^= 1
    write("packed/wrong-checksum.jsonl.gz", bytes(wrong), error=DAMAGED)
    write("packed/empty.jsonl.gz", pack_gzip(b""), error={"code": "empty-file"})
    table = "id,text\n1,a\n"
    info = {"format": "csv", "compression": "gzip", "delimiter": ",", "rows": 1}
    row = ['{"id": "1", "text": "a"}']
    write("packed/table.csv.gz", pack_gzip(table.encode()), info=info, lines=[2], rows=row)
    utf16 = pack_gzip(table.encode("utf-16"))
    write("packed/utf16.csv.gz", utf16, info={**info, "encoding": "utf-16"}, rows=row)
    array = pack_gzip(b'[{"q": "a"}]')
    info = {"format": "json", "compression": "gzip"}
    write("packed/array.json.gz", array, info=info, lines=[1], rows=['{"q": "a"}'])
    write("packed/bzip2.jsonl.bz2", b"BZh91AY&SY", error={"code": "unknown-format", "byte": 0})


def write_zip() -> None:
    info = {**JSONL, "compression": "zip", "member": "x/lines.jsonl"}
    one = pack_zip(**{"x__lines.jsonl": LINES})
    write("packed/one-file.zip", one, info=info, lines=[1, 2], rows=ROWS)
    mac = pack_zip(**{"x__lines.jsonl": LINES, "__MACOSX___x": b"junk"})
    write("packed/mac-folder.zip", mac, info=info, lines=[1, 2], rows=ROWS)
    wrong = {"code": "zip-members"}
    two = pack_zip(**{"a.jsonl": LINES, "b.jsonl": LINES})
    write("packed/two-files.zip", two, error=wrong)
    write("packed/no-file.zip", pack_zip(), error=wrong)
    write("packed/cut.zip", one[:-30], error=DAMAGED)
    office = pack_zip(**{"[Content_Types].xml": b"<x/>", "xl__workbook.xml": b"<x/>"})
    write("packed/workbook.xlsx", office, error={"code": "unknown-format"})


def write_zstd() -> None:
    zst: dict[str, Any] = {
        "info": {**JSONL, "compression": "zstd"},
        "lines": [1, 2],
        "rows": ROWS,
    }
    frame = zstandard.compress(LINES)
    write("packed/lines.jsonl.zst", frame, **zst)
    frames = zstandard.compress(LINES[:20]) + zstandard.compress(LINES[20:])
    write("packed/two-frames.jsonl.zst", frames, **zst)
    write("packed/cut.jsonl.zst", frame[:-3], error=DAMAGED)
    write("packed/damaged.jsonl.zst", frame[:8] + b"\xff" * 20, error=DAMAGED)


TYPES: dict[str, tuple[pa.Array, list[str]]] = {
    "text": (pa.array(["a", None, ""]), ['"a"', "null", '""']),
    "text-line-ends": (
        pa.array(["a\u2028b", "c\u0085d\x0be", "f\r\ng"]),
        ['"a\\u2028b"', '"c\\u0085d\\u000be"', '"f\\r\\ng"'],
    ),
    "int64": (
        pa.array([2**60 + 1, None, -(2**63)]),
        ["1152921504606846977", "null", "-9223372036854775808"],
    ),
    "uint64": (
        pa.array([2**64 - 1, None, 0], pa.uint64()),
        ["18446744073709551615", "null", "0"],
    ),
    "uint32": (pa.array([2**32 - 1, None, 0], pa.uint32()), ["4294967295", "null", "0"]),
    "int8": (pa.array([-128, None, 127], pa.int8()), ["-128", "null", "127"]),
    "double": (pa.array([1.0, None, 0.1]), ["1.0", "null", "0.1"]),
    "double-far": (pa.array([1e21, -0.0, 5e-324]), ["1e+21", "-0.0", "5e-324"]),
    "double-odd": (
        pa.array([float("nan"), float("inf"), float("-inf")]),
        ["NaN", "Infinity", "-Infinity"],
    ),
    "float": (pa.array([1.0, 0.1, 16777216.0], pa.float32()), ["1.0", "0.1", "16777216.0"]),
    "float-far": (
        pa.array([3.4028234663852886e38, 1e-45, -0.3], pa.float32()),
        ["3.4028235e+38", "1e-45", "-0.3"],
    ),
    "half": (pa.array([1.0, None, 0.1], pa.float16()), ["1.0", "null", "0.1"]),
    "boolean": (pa.array([True, None, False]), ["true", "null", "false"]),
    "decimal": (
        pa.array([decimal.Decimal("1.10"), None, decimal.Decimal("-0.05")]),
        ["1.10", "null", "-0.05"],
    ),
    "decimal-narrow": (
        pa.array(
            [decimal.Decimal("12.3"), None, decimal.Decimal("-12.3")], pa.decimal128(4, 1)
        ),
        ["12.3", "null", "-12.3"],
    ),
    "decimal-wide": (
        pa.array(
            [decimal.Decimal("1" * 40 + ".5"), None, decimal.Decimal(0)], pa.decimal256(60, 1)
        ),
        ["1" * 40 + ".5", "null", "0.0"],
    ),
    "decimal-whole": (
        pa.array([decimal.Decimal(7), None, decimal.Decimal(-7)]),
        ["7", "null", "-7"],
    ),
    "date": (
        pa.array([datetime.date(2024, 2, 29), None, datetime.date(1, 1, 1)]),
        ['"2024-02-29"', "null", '"0001-01-01"'],
    ),
    "date64": (
        pa.array([datetime.date(2024, 2, 29), None, None], pa.date64()),
        ['"2024-02-29"', "null", "null"],
    ),
    "seconds": (
        pa.array([0, None, -1], pa.timestamp("s")),
        ['"1970-01-01T00:00:00"', "null", '"1969-12-31T23:59:59"'],
    ),
    "millis-utc": (
        pa.array([1_500, None, -1], pa.timestamp("ms", "UTC")),
        ['"1970-01-01T00:00:01.500Z"', "null", '"1969-12-31T23:59:59.999Z"'],
    ),
    "micros": (
        pa.array([1_709_164_800_000_001, None, 0], pa.timestamp("us")),
        ['"2024-02-29T00:00:00.000001"', "null", '"1970-01-01T00:00:00"'],
    ),
    "nanos": (
        pa.array([1, None, 1_000], pa.timestamp("ns")),
        ['"1970-01-01T00:00:00.000000001"', "null", '"1970-01-01T00:00:00.000001"'],
    ),
    "time-millis": (
        pa.array([3_661_500, None, 0], pa.time32("ms")),
        ['"01:01:01.500"', "null", '"00:00:00"'],
    ),
    "time-nanos": (
        pa.array([86_399_000_000_001, None, 0], pa.time64("ns")),
        ['"23:59:59.000000001"', "null", '"00:00:00"'],
    ),
    "duration": (pa.array([5, None, -5], pa.duration("ms")), ["5", "null", "-5"]),
    "binary": (pa.array([b"caf\xc3\xa9", None, b"\xff\x00"]), ['"café"', "null", '"0xff00"']),
    "fixed": (pa.array([b"ab", None, b"\xff\xfe"], pa.binary(2)), ['"ab"', "null", '"0xfffe"']),
    "category": (
        pa.array(["x", None, "x"]).dictionary_encode(),
        ['"x"', "null", '"x"'],
    ),
    "null": (pa.nulls(3), ["null", "null", "null"]),
    "list": (pa.array([["a", None], None, []]), ['["a", null]', "null", "[]"]),
    "list-of-lists": (
        pa.array([[[1], [], None], None, [[2, 3]]]),
        ["[[1], [], null]", "null", "[[2, 3]]"],
    ),
    "struct": (
        pa.array([{"a": 1, "b": ["x"]}, None, {"a": None, "b": None}]),
        ['{"a": 1, "b": ["x"]}', "null", '{"a": null, "b": null}'],
    ),
    "chat": (
        pa.array([
            [{"role": "user", "content": "hi"}, {"role": "assistant", "content": None}],
            [],
            None,
        ]),
        [
            '[{"role": "user", "content": "hi"}, {"role": "assistant", "content": null}]',
            "[]",
            "null",
        ],
    ),
    "struct-of-typed": (
        pa.array([
            {"d": decimal.Decimal("1.50"), "t": datetime.date(2024, 1, 1), "f": 2.0},
            None,
            None,
        ]),
        ['{"d": 1.50, "t": "2024-01-01", "f": 2.0}', "null", "null"],
    ),
    "map": (
        pa.array([[("k", 1), ("l", None)], None, []], pa.map_(pa.string(), pa.int64())),
        ['{"k": 1, "l": null}', "null", "{}"],
    ),
    "map-of-numbers": (
        pa.array([[(7, [1.0])], None, []], pa.map_(pa.int32(), pa.list_(pa.float64()))),
        ['{"7": [1.0]}', "null", "{}"],
    ),
    "fixed-list": (
        pa.array([[1, 2], None, [3, None]], pa.list_(pa.int32(), 2)),
        ["[1, 2]", "null", "[3, null]"],
    ),
}


def parquet_bytes(table: pa.Table, **options: Any) -> bytes:
    stream = io.BytesIO()
    pq.write_table(table, stream, **options)
    return stream.getvalue()


def write_parquet() -> None:
    """Write a file a type, a file a codec, and a few odd ones."""
    info = {"format": "parquet", "encoding": "", "rows": 3}
    for name, (values, texts) in TYPES.items():
        data = parquet_bytes(pa.table({"id": ["1", "2", "3"], "v": values}))
        rows = [f'{{"id": "{at}", "v": {text}}}' for at, text in enumerate(texts, 1)]
        write(f"parquet/type-{name}.parquet", data, info=info, rows=rows)
    table = pa.table({
        "id": pa.array([1, 2, 3]),
        "text": pa.array(["same words " * 9, None, "same words " * 9]),
        "tags": pa.array([["a", "b"], None, []]),
    })
    same = f'"{"same words " * 9}"'
    rows = [
        f'{{"id": 1, "text": {same}, "tags": ["a", "b"]}}',
        '{"id": 2, "text": null, "tags": null}',
        f'{{"id": 3, "text": {same}, "tags": []}}',
    ]
    for codec in ("none", "snappy", "gzip", "zstd", "brotli", "lz4"):
        for version in ("1.0", "2.0"):
            data = parquet_bytes(table, compression=codec, data_page_version=version)
            name = f"parquet/codec-{codec}-pages-{version[0]}.parquet"
            write(name, data, info=info, rows=rows)
    write_odd_parquet(table, info, rows)


def write_odd_parquet(table: pa.Table, info: dict[str, Any], rows: list[str]) -> None:
    shapes: dict[str, dict[str, Any]] = {
        "row-groups": {"row_group_size": 1},
        "small-pages": {"data_page_size": 1, "write_batch_size": 1},
        "no-dictionary": {"use_dictionary": False},
        "delta": {
            "use_dictionary": False,
            "column_encoding": {"id": "DELTA_BINARY_PACKED", "text": "DELTA_BYTE_ARRAY"},
        },
        "byte-stream-split": {
            "use_dictionary": False,
            "column_encoding": {"id": "BYTE_STREAM_SPLIT", "text": "DELTA_LENGTH_BYTE_ARRAY"},
        },
    }
    for name, options in shapes.items():
        write(f"parquet/{name}.parquet", parquet_bytes(table, **options), info=info, rows=rows)
    moments = pa.table({"v": pa.array([1, None], pa.timestamp("us"))})
    data = parquet_bytes(moments, use_deprecated_int96_timestamps=True)
    texts = ['{"v": "1970-01-01T00:00:00.000001"}', '{"v": null}']
    write("parquet/type-int96.parquet", data, info={**info, "rows": 2}, rows=texts)
    names = pa.table({"": ["a"], "a.b": ["c"], "ü": ["d"]})
    texts = ['{"": "a", "a.b": "c", "ü": "d"}']
    write("parquet/names.parquet", parquet_bytes(names), info={**info, "rows": 1}, rows=texts)
    none = parquet_bytes(pa.table({"q": pa.array([], pa.string())}))
    write("parquet/no-rows.parquet", none, info={**info, "rows": 0}, rows=[])
    one = parquet_bytes(table)
    damaged = {"code": "bad-parquet"}
    write("parquet/cut.parquet", one[: len(one) // 2], error=damaged)
    write("parquet/magic-only.parquet", b"PAR1PAR1", error=damaged)
    write("parquet/no-footer.parquet", one[:-4] + b"XXXX", error=damaged)
    twice = pa.Table.from_arrays([pa.array(["a"]), pa.array(["b"])], names=["q", "q"])
    write("parquet/two-columns-of-a-name.parquet", parquet_bytes(twice), error=damaged)
    writer_text = pa.table({"q": pa.array([b"caf\xff"])})
    schema = pa.schema([pa.field("q", pa.string())])
    broken = pa.Table.from_arrays([writer_text["q"].chunk(0).view(pa.string())], schema=schema)
    write("parquet/text-that-is-not-utf8.parquet", parquet_bytes(broken), error=damaged)


def write_bombs() -> None:
    """Write small files that declare or unpack to far more than the page allows."""
    folder = FOLDER.parent / "bombs"
    folder.mkdir(exist_ok=True)
    text = "never the same day twice " * 40
    for name, rows in (("rows", 2_000_000), ("characters", 150_000)):
        column = pa.DictionaryArray.from_arrays(pa.array([0] * rows, pa.int32()), [text])
        data = parquet_bytes(pa.table({"q": column}), compression="zstd")
        (folder / f"{name}.parquet").write_bytes(data)
    nested = pa.array([[text] * 50_000])
    data = parquet_bytes(pa.table({"q": nested}), compression="zstd")
    (folder / "list.parquet").write_bytes(data)
    wide = {str(at): pa.nulls(190_000, pa.int8()) for at in range(200)}
    data = parquet_bytes(pa.table(wide), compression="zstd")
    (folder / "cells.parquet").write_bytes(data)
    zeros = b"\0" * 100_000_000
    (folder / "zeros.jsonl.gz").write_bytes(pack_gzip(zeros))
    (folder / "zeros.zip").write_bytes(pack_zip(**{"zeros.jsonl": zeros}))
    (folder / "zeros.jsonl.zst").write_bytes(zstandard.compress(zeros))
    lines = b'{"q": 1}\n' * 300_000
    (folder / "lines.jsonl.gz").write_bytes(pack_gzip(lines))


def write_interchange() -> None:
    """Let the page's decoder read each Parquet file and keep what it hands over."""
    script = ROOT / "web" / "decode_parquet.mjs"
    files = sorted(map(str, (FOLDER / "parquet").glob("*.parquet")))
    subprocess.run(["node", str(script), *files], check=True)


if __name__ == "__main__":
    write_gzip()
    write_zip()
    write_zstd()
    write_parquet()
    write_bombs()
    write_interchange()
