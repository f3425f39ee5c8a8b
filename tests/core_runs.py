"""What the core says of two files, as plain data; called in CPython and inside Pyodide."""

from pathlib import Path
from typing import Any

from leakladder.pipeline import Comparison, finish
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
