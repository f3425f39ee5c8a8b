"""1c - chunks of bytes to whole lines in one encoding, with their places in the file."""

import codecs
from collections.abc import Iterator
from itertools import accumulate, chain, count, repeat
from operator import add
from typing import NamedTuple

from leakladder.errors import EncodingError
from leakladder.read.info import Reading

BOM8, BOM16 = codecs.BOM_UTF8, (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
BOM32 = (codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE)

CODECS = {"utf-8": "utf-8", "utf-16": "utf-8", "cp1252": "cp1252", "latin-1": "latin-1"}
"""Encoding of a file to that of its blocks: UTF-16 is turned into UTF-8 on the way in."""


_LOOKED_AT = 2048  # bytes; however few a stream gives out at a time


class Block(NamedTuple):
    r"""Whole lines of a file; only the last block may end without a line end.

    Attributes:
        raw: The bytes, never empty.
        start: Byte offset of the first of them in the unpacked file.
        line: 1-based line that starts there, counted by "\n".
    """

    raw: bytes
    start: int
    line: int


def strip_bom(chunks: Iterator[bytes], reading: Reading) -> Iterator[bytes]:
    """Settle the encoding by the byte order mark and give the bytes out without it.

    UTF-16 comes out as UTF-8, so that every reader sees one kind of line end; byte offsets then
    mean nothing, and readers give none (`has_places`).

    Yields:
        Chunks in the codec that `CODECS` names for `reading.info.encoding`.

    Raises:
        EncodingError: If the bytes hold UTF-16 without a mark, or UTF-32.
    """
    head = next(chunks, b"")
    while len(head) < _LOOKED_AT and (more := next(chunks, b"")):
        head += more
    info, asked = reading.info, reading.options.encoding
    if head.startswith(BOM32) and asked is None:
        reason = "the file is UTF-32, which cannot be read here."
        raise EncodingError(reason, file=info.name, place=(None, None, 0))
    info.bom = head.startswith((BOM8, *BOM16)) and asked in {None, "utf-8", "utf-16"}
    info.encoding = asked or ("utf-16" if head.startswith(BOM16) else "utf-8")
    if info.encoding == "utf-16":
        yield from _from_utf16(head, chunks, reading)
        return
    if asked is None and _looks_like_utf16(head):
        raise EncodingError(
            "every other byte is zero, as in UTF-16, but the byte order mark is missing.",
            file=info.name,
            place=(None, None, 0),
            choices=("utf-16", "utf-8"),
        )
    if head.startswith(BOM8) and info.bom:
        head = head[3:]
    yield from chain((head,) if head else (), chunks)


def has_places(reading: Reading) -> bool:
    """Tell whether byte offsets of the text are byte offsets of the file."""
    return reading.info.encoding != "utf-16"


def _looks_like_utf16(head: bytes) -> bool:
    sample = head[:_LOOKED_AT]
    return len(sample) >= 4 and any(sample[::2]) != any(sample[1::2])


def _from_utf16(head: bytes, chunks: Iterator[bytes], reading: Reading) -> Iterator[bytes]:
    codec = "utf-16" if head.startswith(BOM16) else "utf-16-le"
    if codec == "utf-16-le" and not any(head[:_LOOKED_AT:2]):
        codec = "utf-16-be"
    decoder = codecs.getincrementaldecoder(codec)()
    done = 0
    for chunk in chain((head,), chunks, (b"",)):
        waiting = len(decoder.getstate()[0])
        try:
            text = decoder.decode(chunk, final=not chunk)
        except UnicodeDecodeError as fault:
            place = done - waiting + fault.start
            reason = f"byte {place:,} is not UTF-16 ({fault.reason})."
            name = reading.info.name
            raise EncodingError(reason, file=name, place=(None, None, place)) from fault
        done += len(chunk)
        if text:
            yield text.encode()


def split_blocks(chunks: Iterator[bytes], reading: Reading) -> Iterator[Block]:
    """Regroup chunks so that each ends at a line end.

    Args:
        chunks: What `strip_bom` gives out.
        reading: The file being read.

    Yields:
        Blocks in file order that together hold every byte. A line longer than a chunk makes its
        block longer; time stays linear.
    """
    start = 3 if reading.info.bom and reading.info.encoding == "utf-8" else 0
    line = 1
    waiting: list[bytes] = []
    for chunk in chunks:
        cut = chunk.rfind(b"\n") + 1
        if not cut:
            waiting.append(chunk)
            continue
        raw = b"".join((*waiting, chunk[:cut]))
        waiting = [chunk[cut:]] if cut < len(chunk) else []
        yield Block(raw, start, line)
        start += len(raw)
        line += raw.count(b"\n")
    if rest := b"".join(waiting):
        yield Block(rest, start, line)


def decode(block: Block, reading: Reading) -> str:
    """Decode a block.

    Raises:
        EncodingError: Naming the first byte that the encoding does not allow, and the encodings
            that a person may choose instead.
    """
    try:
        return block.raw.decode(CODECS[reading.info.encoding])
    except UnicodeDecodeError as fault:
        encoding = reading.info.encoding
        place = block.start + fault.start
        line = block.line + block.raw.count(b"\n", 0, fault.start)
        byte = f"byte {place:,} (0x{block.raw[fault.start]:02x})"
        raise EncodingError(
            f"{byte} is not {encoding} ({fault.reason}).",
            file=reading.info.name,
            place=(line, None, place),
            choices=[name for name in ("cp1252", "latin-1") if name != encoding],
        ) from fault


Line = tuple[str, int, int | None, int | None]
"""A line's text without its end, its number, and its half-open range of bytes if it has one."""


def cut_lines(block: Block, text: str, reading: Reading) -> Iterator[Line]:
    r"""Cut a block into lines at "\n" and "\r\n", never at other line ends of Unicode.

    Args:
        block: The block.
        text: The same, decoded.
        reading: The file being read.

    Returns:
        Its lines in order, empty ones too.
    """
    raws = block.raw.split(b"\n")
    lines = text.replace("\r\n", "\n").split("\n")
    if not raws[-1]:
        raws.pop()
    numbers = count(block.line)
    if not has_places(reading):
        return zip(lines[: len(raws)], numbers, repeat(None), repeat(None), strict=False)
    sizes = list(map(len, raws))
    starts = list(accumulate(map(add, sizes, repeat(1)), initial=block.start))
    if "\r\n" in text:
        ended = len(raws) - (not block.raw.endswith(b"\n"))
        for at, raw in enumerate(raws[:ended]):
            sizes[at] -= raw.endswith(b"\r")
    return zip(lines, numbers, starts, map(add, starts, sizes), strict=False)
