"""What the bench writes: one table, the versions of everything, the files by their hashes."""

import json
import os
import platform
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from leakladder import __version__
from leakladder_dev.bench_figure import Failure, Figure
from leakladder_dev.bench_run import Bench
from leakladder_dev.node import MODULES

HEADS = (
    "what", "target", "ours", "lowest to highest", "reference", "its median",
    "lowest to highest", "ours / its", "met", "note",
)  # fmt: skip
NPM = {"Pyodide": "pyodide", "onnxruntime-web": "onnxruntime-web"}
MET = {True: "yes", False: "**no**", None: ""}


def report_of(bench: Bench, results: Sequence[Figure | Failure]) -> str:
    """Return everything as Markdown."""
    parts = [
        "# Bench",
        versions_of(bench),
        f"Medians of {bench.runs} runs unless a row says otherwise, ours and the reference "
        "in turn; MB are 1,000,000 bytes. In the page, time runs from the drop, click or move "
        "to the paint that follows the result, in headless Chromium. Written by "
        "`python build.py bench`.",
        table_of(results),
        *(f"## {heading}\n\n{text}" for heading, text in bench.sections.items()),
        "## Files\n\n| file | SHA-256 |\n|---|---|\n"
        + "\n".join(f"| {name} | `{digest}` |" for name, digest in bench.files.used.items()),
    ]
    return "\n\n".join(parts) + "\n"


def versions_of(bench: Bench) -> str:
    """Return what was measured with, and on what kind of machine."""
    found = {
        "leakladder": __version__,
        "Python": platform.python_version(),
        **{name: npm_version(package) for name, package in NPM.items()},
        **bench.versions,
    }
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    machine = f"{platform.system()}, {platform.machine()}, {cores} cores"
    return ", ".join(f"{name} {version}" for name, version in found.items()) + f". {machine}."


def npm_version(package: str) -> str:
    """Return the version of an installed npm package."""
    text = (MODULES / package / "package.json").read_text("utf-8")
    version: str = json.loads(text)["version"]
    return version


def table_of(results: Sequence[Figure | Failure]) -> str:
    """Return the table, a line for each row."""
    lines = [f"| {' | '.join(HEADS)} |", "|" + "---|" * len(HEADS)]
    for one in results:
        if isinstance(one, Failure):
            cells = [one.what, "", f"failed: {one.why.replace('|', '/')}", *[""] * 7]
        else:
            cells = cells_of(one)
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def cells_of(one: Figure) -> list[str]:
    """Return the cells of one row."""
    theirs, ratio = one.theirs, one.ratio
    return [
        one.what,
        one.target.words(one.ours.unit),
        one.ours.words,
        one.ours.spread,
        one.reference,
        theirs.words if theirs else "",
        theirs.spread if theirs else "",
        f"{ratio:.2f} x" if ratio is not None else "",
        MET[one.met],
        one.note,
    ]


def write_json(target: Path, results: Sequence[Figure | Failure]) -> None:
    """Write the figures, every run of them, for a program to read."""
    data: list[dict[str, Any]] = []
    for one in results:
        more = {} if isinstance(one, Failure) else {"met": one.met, "ratio": one.ratio}
        data.append({**asdict(one), **more})
    target.write_text(json.dumps(data, indent=1) + "\n", "utf-8")
