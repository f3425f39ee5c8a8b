"""1e - format, delimiter and header from the first bytes, by rules: content before name.

Every answer here is a guess that stands in `ReadInfo` and that a `ReadOptions` field overrides.
"""

import csv
import io
import json
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from leakladder.read.info import Reading
from leakladder.read.jsontext import find_too_deep
from leakladder.read.lines import CODECS

if TYPE_CHECKING:
    from _csv import Reader

HEAD = 1 << 16
"""Bytes looked at, or up to the first line end if that comes later ..."""

HEAD_MOST = 1 << 22
"""... and within so many bytes."""

SAMPLE = 200
"""Records of a delimited file looked at."""

DELIMITERS = (",", "\t", ";", "|")

PACKED = (".gz", ".gzip", ".zst", ".zstd", ".zip")

EXTENSIONS = {
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".jsonlines": "jsonl",
    ".json": "json",
    ".csv": "csv",
    ".tsv": "tsv",
    ".tab": "tsv",
    ".txt": "text",
    ".text": "text",
    ".md": "text",
    ".parquet": "parquet",
    ".pq": "parquet",
}

KNOWN_NAMES = frozenset((
    "id",
    "idx",
    "index",
    "key",
    "text",
    "content",
    "question",
    "questions",
    "prompt",
    "query",
    "input",
    "inputs",
    "instruction",
    "answer",
    "answers",
    "output",
    "outputs",
    "completion",
    "response",
    "responses",
    "target",
    "targets",
    "label",
    "labels",
    "choices",
    "options",
    "context",
    "passage",
    "document",
    "documents",
    "title",
    "subject",
    "category",
    "split",
    "source",
    "sentence",
    "sentence1",
    "sentence2",
    "premise",
    "hypothesis",
    "problem",
    "solution",
    "goal",
    "body",
    "url",
    "name",
    "type",
    "level",
    "task",
))
"""Column names that make a first record a header even where nothing else decides."""

_NUMBER = re.compile(r"[-+]?[\d.,]*\d[\d.,]*(?:[eE][-+]?\d+)?%?")
_NAME = re.compile(r"[^\n\r]{0,60}")
_JSON_LIST = re.compile(r'\[\s*[\[{"\]]|\[\s*$')


def sniff_format(head: bytes, reading: Reading, *, whole: bool) -> str:
    """Decide on the format of a file.

    Args:
        head: The first bytes, without byte order mark, unpacked.
        reading: The file being read; its name counts only where the content leaves it open.
        whole: Whether `head` is the whole file.

    Returns:
        One of `settings.FORMATS`.

    Raises:
        ReadError: If the name says Parquet and the bytes do not.
    """
    if reading.options.format is not None:
        return reading.options.format
    said = EXTENSIONS.get(extension(reading.info.member or reading.info.name), "")
    text = head.decode(CODECS[reading.info.encoding], "replace")
    bare = text.lstrip(" \t\r\n")
    if said == "parquet":
        raise reading.error(
            "the name says Parquet, but the first bytes are not PAR1.",
            "bad-parquet",
            (None, None, 0),
            "Download the file again, or choose its format.",
        )
    if bare.startswith("{") or (said == "jsonl" and "\n{" in text):
        return _json_or_lines(bare, said, whole=whole)
    if bare.startswith("[") and (said in {"json", "jsonl"} or _JSON_LIST.match(bare)):
        return _list_or_lines(bare, said)
    if said in {"csv", "tsv"} or _is_table(text, whole=whole):
        quotes = reading.options.quotes
        tab = sniff_delimiter(text, reading.info.name, quotes=quotes) == "\t"
        return "tsv" if (reading.options.delimiter or ("\t" if tab else ",")) == "\t" else "csv"
    return said or "text"


def extension(name: str) -> str:
    """Return the last extension of a name in lower case, that of a packing taken off first."""
    lower = name.lower()
    for packed in PACKED:
        lower = lower.removesuffix(packed)
    dot = lower.rfind(".")
    return lower[dot:] if dot >= 0 else ""


def _json_or_lines(text: str, said: str, *, whole: bool) -> str:
    lines = [line for line in text.split("\n") if line.strip()]
    if not whole and len(lines) > 1:
        lines.pop()  # it may be cut
    good = [_is_object(line) for line in lines[:20]]
    if len(good) > 1 and (good[0] or sum(good) * 2 >= len(good)):
        return "jsonl"
    if said == "jsonl" and (len(good) == 1 or lines[0].rstrip().endswith("}")):
        return "jsonl"
    return "json"


def _is_object(line: str) -> bool:
    if not line.lstrip().startswith("{") or find_too_deep(line) is not None:
        return False
    try:
        json.loads(line, parse_int=str)  # int() refuses numbers over 4,300 digits
    except ValueError:
        return False
    return True


def _list_or_lines(text: str, said: str) -> str:
    lines = [line.strip() for line in text.split("\n", 20)[:20] if line.strip()]
    ends = [line.startswith("[") and line.endswith("]") for line in lines]
    if len(ends) > 1 and all(ends[:2]):
        return "jsonl"
    return "jsonl" if said == "jsonl" and ends == [True] and '"' not in text[:2] else "json"


def make_reader(
    lines: Iterable[str], delimiter: str, *, quotes: bool, strict: bool
) -> "Reader":
    """Make the csv module's reader; without `quotes` double quotes are plain characters."""
    return csv.reader(
        lines,
        delimiter=delimiter,
        quoting=csv.QUOTE_MINIMAL if quotes else csv.QUOTE_NONE,
        strict=strict,
    )


def sample_records(text: str, delimiter: str, *, quotes: bool) -> list[list[str]]:
    """Parse the first records of a delimited text, leniently; the last may be cut."""
    lines = list(io.StringIO(text[:HEAD], newline=""))
    records: list[list[str]] = []
    try:
        for cells in make_reader(lines, delimiter, quotes=quotes, strict=False):
            if cells:
                records.append(cells)
            if len(records) > SAMPLE:
                break
    except csv.Error:  # an over-long cell: what was parsed before it is the sample
        return records
    return records


def sniff_delimiter(text: str, name: str, *, quotes: bool) -> str:
    """Choose the delimiter that cuts most of the first records to one width of two or more.

    Args:
        text: The start of the file.
        name: File name; a tab is tried first for .tsv, a comma for the rest.
        quotes: Whether cells may be quoted.

    Returns:
        One of DELIMITERS; the first one tried if none of them cuts anything.
    """
    first = "\t" if EXTENSIONS.get(extension(name)) == "tsv" else ","
    best, best_score = first, (0.0, 0)
    for delimiter in (first, *(item for item in DELIMITERS if item != first)):
        widths = Counter(map(len, sample_records(text, delimiter, quotes=quotes)))
        if not widths:
            continue
        width, count = max(widths.items(), key=lambda item: (item[1], item[0]))
        score = (round(count / widths.total(), 2), width)
        if width > 1 and score[0] > best_score[0]:
            best, best_score = delimiter, score
    return best


def _is_table(text: str, *, whole: bool) -> bool:
    """Tell whether a text without a telling name is a table with a header of known names."""
    delimiter = sniff_delimiter(text, "", quotes=True)
    records = sample_records(text, delimiter, quotes=True)
    if not whole and len(records) > 1:
        records.pop()
    if len(records) < 2 or len(records[0]) < 2 or len(set(map(len, records))) != 1:
        return False
    return _has_known_name(records[0]) and sniff_header(records)


def _has_known_name(cells: Sequence[str]) -> bool:
    return any(cell.strip().lower() in KNOWN_NAMES for cell in cells)


def sniff_header(records: Sequence[Sequence[str]]) -> bool:
    """Tell whether the first record names the columns.

    It does if its cells look like names (short, one line, no number, no sentence) and either
    one of them is a name that data sets use, or none of them comes back further down in its
    column (an answer letter does, so the files of MMLU have no header).

    Args:
        records: The first records of the file, at least one.

    Returns:
        True for a header. A file of one record has none unless a known name is in it.
    """
    first, rest = records[0], records[1:]
    if not any(cell.strip() for cell in first) or not all(map(_is_name, first)):
        return False
    if _has_known_name(first):
        return True
    if not rest:
        return False
    columns = list(zip(*(record for record in rest if len(record) == len(first)), strict=True))
    return not any(name in column for name, column in zip(first, columns, strict=False) if name)


def _is_name(cell: str) -> bool:
    bare = cell.strip()
    return (
        _NAME.fullmatch(bare) is not None
        and len(bare.split()) <= 6
        and not bare.endswith((".", "?", "!", ":"))
        and _NUMBER.fullmatch(bare) is None
    )


def name_columns(cells: Sequence[str], *, header: bool) -> tuple[str, ...]:
    """Name the columns: by the header, by their number where it is empty or there is none.

    A name that comes again gets " (2)", " (3)" behind it, so that no column hides another.
    """
    names: list[str] = []
    taken: set[str] = set()
    again: Counter[str] = Counter()
    for number, cell in enumerate(cells, 1):
        base = (cell if header else "") or str(number)
        name = base
        while name in taken:
            again[base] += 1
            name = f"{base} ({again[base] + 1})"
        taken.add(name)
        names.append(name)
    return tuple(names)
