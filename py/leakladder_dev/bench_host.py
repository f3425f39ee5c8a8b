"""A host for the bench: several folders at one address, gzip, caching, a count of bytes."""

import gzip
import http.server
import threading
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from types import TracebackType
from typing import NamedTuple
from urllib.parse import unquote, urlsplit

from leakladder.cli_serve import PageHandler

LEVEL = 6  # what web servers compress with, unless told otherwise


class Sent(NamedTuple):
    """One answer.

    Attributes:
        path: What was asked for.
        status: HTTP status.
        bytes: Length of the body on the wire.
    """

    path: str
    status: int
    bytes: int


@cache
def packed(path: Path) -> bytes:
    """Return a file's bytes as gzip sends them."""
    return gzip.compress(path.read_bytes(), LEVEL, mtime=0)


class BenchHost:
    """Serves folders on a loopback port of its own until it is closed.

    A file may be kept by the browser for an hour, so a second visit asks for nothing that the
    first one has fetched: the warm HTTP cache of the targets.

    Attributes:
        url: Its address, with a slash at the end.
        origin: The same without the slash.
        sent: Every answer so far.
    """

    def __init__(self, folders: Mapping[str, Path]) -> None:
        """Start to serve.

        Args:
            folders: Folder by the path it is served under, such as "/" or "/node/"; the longest
                path that fits is taken.
        """
        self.sent: list[Sent] = []
        sent = self.sent
        prefixes = sorted(folders, key=len, reverse=True)

        class Handler(PageHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self) -> None:  # noqa: N802 - the base's name
                asked = unquote(urlsplit(self.path).path)
                prefix = next(each for each in prefixes if asked.startswith(each))
                path = folders[prefix] / (asked.removeprefix(prefix) or "index.html")
                self.answer(asked, path if path.is_file() else None)

            def answer(self, asked: str, path: Path | None) -> None:
                body = b"" if path is None else path.read_bytes()
                zipped = False
                if path is not None and "gzip" in self.headers.get("Accept-Encoding", ""):
                    zipped = len(packed(path)) < len(body)
                    body = packed(path) if zipped else body
                status = 404 if path is None else 200
                sent.append(Sent(asked, status, len(body)))
                self.send_response(status)
                self.send_header("Content-Length", str(len(body)))
                if path is not None:
                    self.send_header("Content-Type", self.guess_type(str(path)))
                    self.send_header("Cache-Control", "max-age=3600")
                if zipped:
                    self.send_header("Content-Encoding", "gzip")
                # not PageHandler's: it forbids what is measured here
                http.server.SimpleHTTPRequestHandler.end_headers(self)
                self.wfile.write(body)

        class Server(http.server.ThreadingHTTPServer):
            def handle_error(self, request: object, client_address: object) -> None:
                """Say nothing of a browser that hangs up, as one does that is closed."""

        self._server = Server(("127.0.0.1", 0), Handler)
        self.origin = f"http://127.0.0.1:{self._server.server_address[1]}"
        self.url = f"{self.origin}/"
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)
        self._thread.start()

    def __enter__(self) -> "BenchHost":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()
