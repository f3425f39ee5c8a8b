"""What the core says of two files, as plain data; called in CPython and inside Pyodide."""

import re
from base64 import b64decode
from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any

from leakladder.jobs import finish
from leakladder.pipeline import Comparison
from leakladder.settings import Bounds, ReadOptions, Settings


def compare_files(test: str, train: str, rung: str, settings: dict[str, Any]) -> dict[str, Any]:
    """Run one rung over two files and return summary, rows and stamp."""
    comparison = Comparison()
    for side, path in (("test", Path(test)), ("train", Path(train))):
        data = path.read_bytes()
        finish(comparison.load(side, data, path.name, ReadOptions(), Bounds()))
    finish(comparison.run(rung, Settings.from_wire(settings)))
    return finish(comparison.result(rung).report())


def compare_texts(
    test: str, train: str, rung: str, settings: dict[str, Any], names: list[str]
) -> dict[str, str]:
    """Run one rung over two files given as text and return its CSV and JSON as text."""
    comparison = Comparison()
    for side, text, name in (("test", test, names[0]), ("train", train, names[1])):
        finish(comparison.load(side, text.encode(), name, ReadOptions(), Bounds()))
    finish(comparison.run(rung, Settings.from_wire(settings)))
    return {
        kind: finish(comparison.export(f"{rung}.{kind}")).decode() for kind in ("csv", "json")
    }


def compare_bytes(
    files: Sequence[tuple[str, bytes]], rung: str, settings: dict[str, Any]
) -> dict[str, bytes]:
    """Run one rung over the (name, bytes) of two files and return its CSV and JSON."""
    comparison = Comparison()
    for side, (name, data) in zip(("test", "train"), files, strict=True):
        finish(comparison.load(side, data, name, ReadOptions(), Bounds()))
    finish(comparison.run(rung, Settings.from_wire(settings)))
    return {kind: finish(comparison.export(f"{rung}.{kind}")) for kind in ("csv", "json")}


def digest_exports(jobs: Sequence[tuple[list[list[str]], str, dict[str, Any]]]) -> list[str]:
    """Return the SHA-256 of CSV and JSON of each job, the Unicode version taken out.

    A job is the (name, base64) of two files, a rung, and settings.
    """
    digests = []
    for files, rung, settings in jobs:
        raw = [(name, b64decode(data)) for name, data in files]
        made = compare_bytes(raw, rung, settings)
        digests += [sha256(without_unicode(made[kind])).hexdigest() for kind in ("csv", "json")]
    return digests


def without_unicode(data: bytes) -> bytes:
    """Take the Unicode version, which may differ between hosts, out of a file's stamp."""
    return re.sub(rb'(unicode"+: ?"+)[\d.]+', rb"\1", data)
