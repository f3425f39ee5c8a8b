"""host - download: one pinned file from the net into a folder, checked before it is used."""

import hashlib
import urllib.request
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from rich.console import Console
from rich.progress import BarColumn, DownloadColumn, TextColumn, TimeRemainingColumn
from rich.progress import Progress as Bar

from leakladder.errors import LadderError
from leakladder.pipes import survive_closed_connections

_PART = 65_536
_TIMEOUT = 20  # seconds without a byte


class DownloadError(LadderError):
    """A pinned file cannot be had, or is not what was pinned."""

    code = "download-failed"


class Response(Protocol):
    """What is needed of an open address."""

    def read(self, size: int, /) -> bytes:
        """Return the next bytes, none at the end."""
        ...


@dataclass(frozen=True, slots=True)
class Source:
    """A file at a fixed commit.

    Attributes:
        name: File name in the folder.
        url: Address, commit included.
        sha256: Sum of its bytes, or "" where none has been published or taken yet: the first
            download then records it beside the file.
        git_blob: The id that git has for its content at that commit, or "".
    """

    name: str
    url: str
    sha256: str = ""
    git_blob: str = ""


def obtain(source: Source, folder: Path) -> bytes:
    """Return the bytes of a pinned file, from the folder or else from the net.

    Raises:
        DownloadError: If it cannot be fetched, or does not have the pinned sum.
    """
    path = folder / source.name
    if path.is_file():
        data = path.read_bytes()
        if not find_fault(source, data, folder):
            return data
    data = fetch(source)
    fault = find_fault(source, data, folder)
    if fault:
        raise DownloadError(f"{source.url}: {fault}; nothing was kept")
    folder.mkdir(parents=True, exist_ok=True)
    part = path.with_name(f".{path.name}.part")
    part.write_bytes(data)
    part.replace(path)
    if not source.sha256:
        _record(source, folder).write_text(f"{sha256(data)}  {source.name}\n", "utf-8")
    return data


def find_fault(source: Source, data: bytes, folder: Path) -> str:
    """Say what is wrong with the bytes of a file, "" for nothing."""
    pinned = source.sha256
    record = _record(source, folder)
    if not pinned and record.is_file():
        pinned = record.read_text("utf-8").split()[0]
    if pinned and sha256(data) != pinned:
        return f"its SHA-256 is {sha256(data)} and not {pinned}"
    if source.git_blob and git_blob(data) != source.git_blob:
        return f"its git id is {git_blob(data)} and not {source.git_blob}"
    return ""


def sha256(data: bytes) -> str:
    """Return the SHA-256 sum in hex."""
    return hashlib.sha256(data).hexdigest()


def git_blob(data: bytes) -> str:
    """Return the id git gives to a file with these bytes."""
    return hashlib.sha1(b"blob %d\0" % len(data) + data, usedforsecurity=False).hexdigest()


def fetch(source: Source) -> bytes:
    """Fetch a file, with a progress bar if standard error is a terminal.

    Raises:
        DownloadError: If the address does not answer with the file.
        ValueError: If the address is not an https one.
    """
    if not source.url.startswith("https://"):
        raise ValueError(f"not an https address: {source.url}")
    try:
        with (
            survive_closed_connections(),
            urllib.request.urlopen(source.url, timeout=_TIMEOUT) as response,  # noqa: S310
        ):
            size = int(response.headers.get("Content-Length") or 0)
            return b"".join(_watch(response, source.name, size))
    except OSError as error:
        raise DownloadError(f"{source.url} cannot be fetched: {error}") from error


def _watch(response: Response, name: str, size: int) -> Iterator[bytes]:
    console = Console(stderr=True)
    columns = (TextColumn("{task.description}"), BarColumn(), DownloadColumn())
    with Bar(
        *columns,
        TimeRemainingColumn(),
        console=console,
        transient=True,
        disable=not console.is_terminal,
    ) as bar:
        task = bar.add_task(f"fetching {name}", total=size or None)
        yield from _read(response, lambda count: bar.update(task, advance=count))


def _read(response: Response, moved: Callable[[int], None]) -> Iterator[bytes]:
    while part := response.read(_PART):
        moved(len(part))
        yield part


def _record(source: Source, folder: Path) -> Path:
    return folder / f"{source.name}.sha256"
