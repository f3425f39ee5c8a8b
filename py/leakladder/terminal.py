"""host - what the command line prints: text made safe, percentages, bars, exit codes."""

import os
import re
import sys
from collections.abc import Callable, Generator
from contextlib import suppress
from pathlib import Path
from typing import TypeVar

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
from rich.progress import Progress as Bar

from leakladder.pipeline import finish
from leakladder.results import Progress

T = TypeVar("T")

EXIT_BAD_INPUT = 2
EXIT_OVER_LIMIT = 3
EXIT_INTERRUPTED = 130

_CONTROL = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff]"
)


def clean(text: str) -> str:
    """Return text with control characters shown as U+FFFD, so none reaches the terminal."""
    return _CONTROL.sub("\ufffd", text)


def say(*lines: str) -> None:
    """Print a result to standard output."""
    for line in lines:
        print(clean(line))


def complain(message: str) -> None:
    """Print an error to standard error."""
    print(f"leakladder: {clean(message)}", file=sys.stderr)


def percent(share: float | None) -> str:
    """Return a share as a percentage with one decimal.

    A share that is not nothing never reads 0.0%, one that is not all never reads 100.0%.
    """
    if share is None:
        return "not defined"
    text = f"{100 * share:.1f}%"
    if text == "0.0%" and share > 0:
        return "<0.1%"
    if text == "100.0%" and share < 1:
        return ">99.9%"
    return text


def count(number: int, noun: str) -> str:
    """Return a number with its noun: `1 row`, `1,204 rows`."""
    return f"{number:,} {noun}" + ("" if number == 1 else "s")


def watch_job(job: Generator[Progress, None, T]) -> T:
    """Run a job to its end, with a progress bar if standard error is a terminal."""
    console = Console(stderr=True)
    if not console.is_terminal:
        return finish(job)
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
    with Bar(*columns, TimeRemainingColumn(), console=console, transient=True) as bar:
        task = bar.add_task("Starting", total=None)
        return finish(job, _mover(bar, task))


def _mover(bar: Bar, task: object) -> Callable[[Progress], None]:
    def move(progress: Progress) -> None:
        total = progress.total or None
        bar.update(task, description=progress.phase, completed=progress.done, total=total)  # type: ignore[arg-type]

    return move


def write_output(target: str, data: bytes) -> None:
    """Write a file whole or not at all; `-` is standard output.

    Raises:
        OSError: If the folder cannot be written to.
    """
    if target == "-":
        sys.stdout.flush()
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()
        return
    path = Path(target)
    part = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        part.write_bytes(data)
        part.replace(path)
    finally:
        with suppress(FileNotFoundError):
            part.unlink()
