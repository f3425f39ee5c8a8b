"""host - what the command line prints: text made safe, percentages, bars, exit codes."""

import gc
import io
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
from rich.progress import Progress as Bar

from leakladder import pipes
from leakladder.jobs import Job, T, finish
from leakladder.results import Progress
from leakladder.wording import count as count
from leakladder.wording import mask_controls
from leakladder.wording import percent as percent

EXIT_BAD_INPUT = 2
EXIT_OVER_LIMIT = 3
EXIT_INTERRUPTED = 130


def prepare_streams() -> None:
    """Let a closed pipe end the program, and print what the encoding can say."""
    pipes.end_on_closed_pipes()
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


@contextmanager
def without_cycle_search() -> Iterator[None]:
    """Leave memory to reference counts while a command works.

    Rows and results form no cycles, and looking for some among 400,000 rows doubles the time.
    """
    was = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was:
            gc.enable()


def clean(text: str) -> str:
    """Return one line of text with control characters shown as U+FFFD.

    None reaches the terminal: no escape sequence, no line end that a file name or field name
    smuggles in, nothing that turns the direction of what follows.
    """
    return mask_controls(text)


def say(*lines: str) -> None:
    """Print a result to standard output."""
    for line in lines:
        print(clean(line))


def complain(message: str) -> None:
    """Print an error to standard error."""
    print(f"leakladder: {clean(message)}", file=sys.stderr)


def watch_job(job: Job[T]) -> T:
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
    except OSError as error:
        error.filename, error.filename2 = target, None  # not the temporary name
        raise
    finally:
        with suppress(OSError):  # it was renamed or never made; what went wrong is on its way
            part.unlink()
