"""host - closed pipes: what ends a command, and what is an error of a connection.

Standard library only, as `cli_serve.py` is.
"""

import signal
from collections.abc import Iterator
from contextlib import contextmanager


def end_on_closed_pipes() -> None:
    """Let a closed pipe end the program without a word.

    A shell then reports 141, 128 and the number of the signal. Python's own way, an exception,
    comes as late as the last flush; it exists for connections, and whoever has one takes it
    back meanwhile.
    """
    if hasattr(signal, "SIGPIPE"):
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)


@contextmanager
def survive_closed_connections() -> Iterator[None]:
    """Let a connection that the other side closes be an OSError for a while, not the end."""
    if not hasattr(signal, "SIGPIPE"):
        yield
        return
    before = signal.signal(signal.SIGPIPE, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGPIPE, before)
