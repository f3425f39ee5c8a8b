"""Independent readers: what a file holds according to the json and csv modules alone."""

import csv
import io
import json
from dataclasses import dataclass, field
from typing import Any

from leakladder.read import ReadInfo
from leakladder.results import NumberText


@dataclass
class Found:
    """Records that an independent reader sees, the header of a table aside."""

    records: list[Any] = field(default_factory=list)
    bad: int = 0
    blank: int = 0


def load(text: str) -> Any:
    return json.loads(
        text, parse_float=NumberText, parse_int=NumberText, parse_constant=NumberText
    )


def typed(value: Any) -> Any:
    """Make 1, "1" and true differ, whatever str they are."""
    if isinstance(value, dict):
        return {key: typed(item) for key, item in value.items()}
    if isinstance(value, list):
        return [typed(item) for item in value]
    return (type(value).__name__, value)


def read_lines(text: str) -> list[str]:
    """Cut at the ends that JSONL and plain text know, and no others."""
    lines = text.replace("\r\n", "\n").split("\n")
    return lines if lines[-1] else lines[:-1]


def read_jsonl(text: str) -> Found:
    found = Found()
    for line in read_lines(text):
        if not line.strip(" \t\r"):
            found.blank += 1
            continue
        try:
            value = load(line)
        except ValueError:
            found.bad += 1
            continue
        if type(value) is str:
            value = {"text": value}
        if isinstance(value, dict):
            found.records.append(value)
        else:
            found.bad += 1
    return found


def read_text(text: str) -> Found:
    found = Found()
    for line in read_lines(text):
        if line.strip():
            found.records.append({"text": line})
        else:
            found.blank += 1
    return found


def read_csv(text: str, info: ReadInfo) -> Found:
    """Read strictly; a fault costs the lines that the csv module has used up for it."""
    found = Found()
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=info.delimiter, strict=True)
    records: list[list[str]] = []
    while True:
        try:
            cells = next(reader)
        except StopIteration:
            break
        except csv.Error:
            found.bad += 1
            continue
        if cells:
            records.append(cells)
        else:
            found.blank += 1
    if info.header:
        records = records[1:]
    for cells in records:
        if len(cells) == len(info.columns):
            found.records.append(dict(zip(info.columns, cells, strict=True)))
        else:
            found.bad += 1
    return found


def read_json(text: str, info: ReadInfo) -> Found:
    """Read arrays, lists under plain keys, and columns; other layouts have golden files."""
    value = load(text)
    if info.layout == "records" and isinstance(value, dict):
        path = str(info.list_path)
        for key in [json.loads(path)] if path.startswith('"') else path.split("."):
            value = value[key]
    elif info.layout == "columns":
        columns = {
            key: list(column.values()) if isinstance(column, dict) else column
            for key, column in value.items()
            if isinstance(column, (list, dict))
        }
        value = [
            dict(zip(columns, cells, strict=True))
            for cells in zip(*columns.values(), strict=True)
        ]
    elif info.layout == "keyed":
        value = [{"key": key, **item} for key, item in value.items()]
    elif info.layout == "one":
        value = [value]
    found = Found()
    for item in value:
        if type(item) is str:
            found.records.append({"text": item})
        elif isinstance(item, dict):
            found.records.append(item)
        else:
            found.bad += 1
    return found


def read_as(info: ReadInfo, data: bytes) -> Found:
    """Read what the reader under test took for `info.format`, by the means of this module."""
    codec = "utf-8-sig" if info.encoding == "utf-8" else info.encoding
    text = data.decode(codec)
    if info.format == "jsonl":
        return read_jsonl(text)
    if info.format == "json":
        return read_json(text, info)
    if info.format == "text":
        return read_text(text)
    return read_csv(text, info)
