"""leaf - long work as a job: a generator that yields Progress and returns its result.

The page steps a job and looks for a cancel in between, the command line draws a bar over it,
`finish` just runs it.
"""

from collections.abc import Callable, Generator
from typing import TypeVar

from leakladder.results import Progress

T = TypeVar("T")
Job = Generator[Progress, None, T]


def finish(job: Job[T], watch: Callable[[Progress], None] | None = None) -> T:
    """Run a job to its end and return its result.

    Args:
        job: Any generator of Progress.
        watch: Called with every step, for a progress bar.
    """
    while True:
        try:
            progress = next(job)
        except StopIteration as stop:
            result: T = stop.value
            return result
        if watch:
            watch(progress)
