"""1b - gzip, zip and zstd by their first bytes, bounded while unpacking: bombs stop early."""

import io
import zipfile
import zlib
from collections.abc import Callable, Iterator
from itertools import chain
from typing import BinaryIO

from leakladder.errors import LimitError
from leakladder.read.info import Reading

CHUNK = 1 << 17
"""Bytes handled at a time: a step of reading stays under 50 ms in the page."""

GZIP, ZIP, ZSTD = b"\x1f\x8b", b"PK\x03\x04", b"\x28\xb5\x2f\xfd"
EMPTY_ZIP = b"PK\x05\x06"

REFUSED = {
    b"BZh": ("bzip2", "Unpack it, or pack it with gzip."),
    b"\xfd7zXZ": ("xz", "Unpack it, or pack it with gzip."),
    b"7z\xbc\xaf": ("7-Zip", "Unpack it, or pack it with gzip."),
    b"%PDF": ("PDF", "Save its text as a text file."),
    b"ARROW1": ("Arrow or Feather", "Write it as Parquet, JSONL or CSV."),
    b"SQLite format 3": ("SQLite", "Export the table as CSV."),
    b"\x89PNG": ("PNG image", ""),
    b"\xff\xd8\xff": ("JPEG image", ""),
    b"\x80\x04\x95": ("Python pickle", "Write it as JSONL."),
    b"\xd0\xcf\x11\xe0": ("old Office", "Save it as CSV."),
}


def unpack_file(source: bytes | BinaryIO, reading: Reading) -> Iterator[bytes]:
    """Give out the bytes of a file, unpacked if it is packed.

    The packing is recognized by the first bytes, never by the name. What is found goes into
    `reading.info` (compression, member, bytes, unpacked) before the first chunk is given out.

    Args:
        source: A whole file, or a stream opened for reading bytes. A zip that comes as a stream
            is held in memory, since its table of contents stands at the end.
        reading: Bounds and the record to fill.

    Yields:
        Chunks of at most about 128 KiB, never empty.

    Raises:
        LimitError: If the file, or what it unpacks to, is over its bound.
    """
    chunks = _read_source(source, reading)
    head = b""
    for chunk in chunks:
        head += chunk
        if len(head) >= 16:
            break
    _refuse_other_formats(head, reading)
    rest = chain((head,) if head else (), chunks)
    unpacker = _choose(head, reading)
    if unpacker is None:
        for chunk in rest:
            reading.info.unpacked += len(chunk)
            yield chunk
        return
    bound = reading.bounds.unpacked
    for chunk in unpacker(rest, reading):
        if not chunk:
            continue
        reading.info.unpacked += len(chunk)
        if bound is not None and reading.info.unpacked > bound:
            raise LimitError(
                file=reading.info.name,
                unit="unpacked bytes",
                bound=bound,
                found=reading.info.unpacked,
            )
        yield chunk


def _read_source(source: bytes | BinaryIO, reading: Reading) -> Iterator[bytes]:
    if isinstance(source, bytes):
        count_bytes(len(source), reading)
        for start in range(0, len(source), CHUNK):
            yield source[start : start + CHUNK]
        return
    while chunk := source.read(CHUNK):
        count_bytes(len(chunk), reading)
        yield chunk


def count_bytes(more: int, reading: Reading) -> None:
    """Add bytes of the file as it was dropped.

    Raises:
        LimitError: If the file is over its bound.
    """
    reading.info.bytes += more
    bound = reading.bounds.bytes
    if bound is not None and reading.info.bytes > bound:
        raise LimitError(
            file=reading.info.name, unit="bytes", bound=bound, found=reading.info.bytes
        )


def _refuse_other_formats(head: bytes, reading: Reading) -> None:
    for magic, (kind, fix) in REFUSED.items():
        if head.startswith(magic):
            raise reading.error(
                f"this is a {kind} file, which cannot be read here.",
                "unknown-format",
                (None, None, 0),
                fix,
            )


Unpacker = Callable[[Iterator[bytes], Reading], Iterator[bytes]]


def _choose(head: bytes, reading: Reading) -> Unpacker | None:
    if head.startswith(GZIP):
        reading.info.compression = "gzip"
        return _gunzip
    if head.startswith((ZIP, EMPTY_ZIP)):
        reading.info.compression = "zip"
        return _unzip
    if head.startswith(ZSTD):
        reading.info.compression = "zstd"
        return _unzstd
    return None


def _gunzip(chunks: Iterator[bytes], reading: Reading) -> Iterator[bytes]:
    member = zlib.decompressobj(wbits=31)
    for data in chunks:
        while data:
            if member.eof:
                data = data.lstrip(b"\0")  # writers may pad with zeros, as gzip(1) allows
                if not data:
                    break
                member = zlib.decompressobj(wbits=31)
            try:
                yield member.decompress(data, CHUNK)
            except zlib.error as fault:
                raise _packed_badly("gzip", str(fault), reading) from fault
            data = member.unused_data if member.eof else member.unconsumed_tail
    while not member.eof and (data := member.decompress(b"", CHUNK)):
        yield data
    if not member.eof:
        raise _packed_badly("gzip", "the file ends too early", reading)


def _packed_badly(kind: str, fault: str, reading: Reading) -> Exception:
    return reading.error(
        f"the {kind} packing is damaged: {fault}.",
        "bad-packing",
        fix="Pack or download the file again.",
    )


def _unzip(chunks: Iterator[bytes], reading: Reading) -> Iterator[bytes]:
    try:
        archive = zipfile.ZipFile(io.BytesIO(b"".join(chunks)))
        member = _only_member(archive, reading)
        reading.info.member = member.filename
        with archive.open(member) as stream:
            while chunk := stream.read(CHUNK):
                yield chunk
    except (zipfile.BadZipFile, zlib.error, EOFError, ValueError, OSError, IndexError) as fault:
        # IndexError: zipfile of Python 3.11 stumbles over an encrypted member without a name
        raise _packed_badly("zip", str(fault), reading) from fault
    except (NotImplementedError, RuntimeError) as fault:  # method unknown, or a password
        raise _packed_badly("zip", f"it cannot be unpacked here ({fault})", reading) from fault


def _only_member(archive: zipfile.ZipFile, reading: Reading) -> zipfile.ZipInfo:
    if "[Content_Types].xml" in archive.namelist():
        raise reading.error(
            "this is an Office document, which cannot be read here.",
            "unknown-format",
            (None, None, 0),
            "Save the sheet as CSV.",
        )
    members = [
        item
        for item in archive.infolist()
        if not item.filename.endswith("/") and not item.filename.startswith("__MACOSX/")
    ]
    if len(members) != 1:
        names = ", ".join(item.filename for item in members[:5])
        raise reading.error(
            f"the zip holds {len(members):,} files"
            + (f" ({names}{', ...' if len(members) > 5 else ''})" if names else "")
            + ", and exactly one is needed.",
            "zip-members",
            (None, None, None),
            "Unpack it and choose one file.",
        )
    return members[0]


def _unzstd(chunks: Iterator[bytes], reading: Reading) -> Iterator[bytes]:
    try:
        from compression import zstd  # Python 3.14 and later have it
    except ImportError:
        yield from _unzstd_by_package(chunks, reading)
        return
    frame = zstd.ZstdDecompressor()
    for data in chunks:
        try:
            while data:
                if frame.eof:
                    frame = zstd.ZstdDecompressor()
                yield frame.decompress(data, CHUNK)
                while not frame.eof and not frame.needs_input:
                    yield frame.decompress(b"", CHUNK)
                data = frame.unused_data if frame.eof else b""
        except zstd.ZstdError as fault:
            raise _packed_badly("zstd", str(fault), reading) from fault
    if not frame.eof:
        raise _packed_badly("zstd", "the file ends too early", reading)


def _unzstd_by_package(chunks: Iterator[bytes], reading: Reading) -> Iterator[bytes]:
    try:
        import zstandard  # the extra leakladder[zstd]
    except ImportError as missing:
        raise reading.error(
            "the file is packed with zstd, and this Python cannot unpack that.",
            "needs-extra",
            fix="Install leakladder[zstd], or pack the file with gzip.",
        ) from missing
    factory = zstandard.ZstdDecompressor()
    frame = factory.decompressobj()
    for chunk in chunks:
        # A zstd block takes 4 bytes or more and gives at most 128 KiB (RFC 8878), so a slice of
        # 1 KiB cannot fill more than 32 MiB before the bound is looked at.
        for start in range(0, len(chunk), 1024):
            data = chunk[start : start + 1024]
            while data:
                if frame.eof:
                    frame = factory.decompressobj()
                try:
                    yield frame.decompress(data)
                except zstandard.ZstdError as fault:
                    raise _packed_badly("zstd", str(fault), reading) from fault
                data = frame.unused_data if frame.eof else b""
    if not frame.eof:
        raise _packed_badly("zstd", "the file ends too early", reading)
