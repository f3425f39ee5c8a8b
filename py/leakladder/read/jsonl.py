"""1f - JSONL: one JSON value a line, and a bad line costs that line only."""

import json
from collections.abc import Iterator
from functools import partial

from leakladder.errors import ReadError
from leakladder.read.info import Reading
from leakladder.read.jsontext import (
    MAX_DEPTH,
    JsonDecoder,
    count_lone_surrogates,
    explain,
    find_too_deep,
    may_hold_surrogates,
    show,
)
from leakladder.read.lines import CODECS, Block, Line, cut_lines, decode, split_blocks
from leakladder.results import Row

TEXT_FIELD = "text"
"""Name of the only field of a record that is a bare string."""

SPACES = " \t\r"


def read_jsonl(chunks: Iterator[bytes], reading: Reading) -> Iterator[list[Row]]:
    r"""Read records that end at "\n" or "\r\n" and nowhere else.

    A record is an object, or a string, which becomes the field "text". Lines of spaces are
    counted as blank. A record that is neither, does not parse, or nests too deep is counted in
    `reading.info` and the next line goes on.

    Args:
        chunks: What `lines.strip_bom` gives out.
        reading: The file being read.

    Yields:
        The rows of one block at a time, some of them empty.
    """
    decoder = JsonDecoder()
    for block in split_blocks(chunks, reading):
        yield _read_block(block, decoder, reading)


def _read_block(block: Block, decoder: JsonDecoder, reading: Reading) -> list[Row]:
    text = decode(block, reading)
    look = may_hold_surrogates(text)
    info, parse = reading.info, decoder.raw_decode
    index = info.rows
    rows: list[Row] = []
    for line in cut_lines(block, text, reading):
        record, number, start, stop = line
        try:  # a short line cannot nest too deep
            value, end = parse(record) if len(record) <= MAX_DEPTH else (None, -1)
        except ValueError:
            value, end = None, -1
        if end != len(record) or type(value) is not dict:
            decoder.repeats = info.duplicate_keys  # this try may have counted some
            value = _read_line(line, decoder, reading)
            if value is None:
                decoder.repeats = info.duplicate_keys
                continue
        info.duplicate_keys = decoder.repeats
        if look:
            info.lone_surrogates += count_lone_surrogates(value)
        rows.append(Row(index, number, start, stop, value))
        index += 1
    reading.count_rows(len(rows))
    return rows


def _read_line(line: Line, decoder: JsonDecoder, reading: Reading) -> dict[str, object] | None:
    # With care: a line that has no record is counted as blank or bad and gives None.
    text = line[0].lstrip(SPACES)
    if not text:
        reading.info.blank_lines += 1
        return None
    fault = partial(_make_error, line, reading)
    try:
        deep = find_too_deep(text)
        if deep is not None:
            raise _Bad("too-deep", f"more than {MAX_DEPTH} levels of nesting.", deep)
        value, end = decoder.raw_decode(text)
        if text[end:].strip(SPACES):
            reason = f"found {show(text, end)} after the end of the record."
            raise _Bad("bad-json", reason, end)
        if type(value) is str:  # a NumberText is no text here
            return {TEXT_FIELD: value}
        if isinstance(value, dict):
            return value
        raise _Bad("no-record", f"the record is {name_kind(value)}.", 0, RECORD_FIX)
    except json.JSONDecodeError as error:
        reading.reject(partial(fault, _Bad("bad-json", *explain(error, text))))
    except _Bad as bad:
        reading.reject(partial(fault, bad))
    return None


class _Bad(Exception):  # noqa: N818 - it never leaves this module
    """Why a line has no record: code, reason, character of the stripped line, what to do."""

    def __init__(self, code: str, reason: str, at: int, fix: str = "") -> None:
        self.code, self.reason, self.at, self.fix = code, reason, at, fix


def _make_error(line: Line, reading: Reading, bad: _Bad) -> ReadError:
    text, number, start, _ = line
    at = bad.at + len(text) - len(text.lstrip(SPACES))
    byte = None
    if start is not None:
        byte = start + len(text[:at].encode(CODECS[reading.info.encoding]))
    return reading.error(bad.reason, bad.code, (number, at + 1, byte), bad.fix)


RECORD_FIX = "A record is an object or a text."


def name_kind(value: object) -> str:
    """Name the JSON kind of a value, with its article."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true or false"
    if isinstance(value, list):
        return "a list"
    if isinstance(value, dict):
        return "an object"
    return "a text" if type(value) is str else "a number"
