"""Stage 7c - the run stamp: what was compared, how, by which version.

It holds no time and no host, so the same files and settings give the same bytes everywhere. The
one thing that may differ between hosts is the Unicode version, which is why it is named.
"""

import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from leakladder.read import ReadInfo
from leakladder.version import __version__

ALGORITHM = 1
"""Raised whenever a number that a report can show changes for the same files and settings."""


@dataclass(frozen=True, slots=True)
class FileStamp:
    """One input of a run.

    Attributes:
        name: File name without its folder.
        bytes: Size as given, before unpacking.
        sha256: Of those bytes, in hex.
        rows: Records on this side of the comparison.
        fields: Paths of the chosen fields, in order.
        info: How the bytes became rows.
    """

    name: str
    bytes: int
    sha256: str
    rows: int
    fields: tuple[str, ...]
    info: ReadInfo

    def to_wire(self) -> dict[str, object]:
        """Return the JSON form; what reading decided is named where it is unusual."""
        info = self.info
        unusual = {
            "compression": info.compression,
            "delimiter": info.delimiter,
            "header": info.header,
            "list_path": info.list_path,
            "layout": info.layout if info.layout != "records" else "",
            "whole_text": info.whole_text or None,
            "quotes": None if info.quotes else False,
            "padded": info.padded,
            "lone_surrogates": info.lone_surrogates,
        }
        return {
            "name": self.name,
            "bytes": self.bytes,
            "sha256": self.sha256,
            "rows": self.rows,
            "fields": list(self.fields),
            "format": info.format,
            "encoding": info.encoding,
            **{name: value for name, value in unusual.items() if value or value is False},
        }


def _side(files: Sequence[FileStamp]) -> dict[str, object]:
    """Return one side's stamp; several files are summed, and listed one by one."""
    if len(files) == 1:
        return files[0].to_wire()
    return {
        "name": f"{len(files)} files",
        "bytes": sum(item.bytes for item in files),
        "rows": sum(item.rows for item in files),
        "fields": list(files[0].fields) if files else [],
        "files": [item.to_wire() for item in files],
    }


def make_stamp(
    test: Sequence[FileStamp], train: Sequence[FileStamp], settings: Mapping[str, object]
) -> dict[str, object]:
    """Return the stamp of one run.

    Args:
        test: The file being judged (one).
        train: The files searched, in the order searched.
        settings: What decides the numbers: tokenization, n, threshold, transform and so on.

    Returns:
        JSON-ready data, keys always in the same order.
    """
    return {
        "product": f"leakladder {__version__}",
        "algorithm": ALGORITHM,
        "unicode": unicodedata.unidata_version,
        "test": _side(test),
        "train": _side(train),
        **settings,
        "left_out": {
            "test": sum(item.info.left_out for item in test),
            "train": sum(item.info.left_out for item in train),
        },
    }
