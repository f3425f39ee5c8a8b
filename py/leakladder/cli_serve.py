"""host - `leakladder serve`: the page on this machine, from the files that a wheel installed.

Standard library only, so that the build's own server can use the handler too.
"""

import http.server
import sys
import webbrowser
from functools import partial
from importlib.resources import files
from pathlib import Path
from typing import Any, NoReturn

from leakladder.pipes import survive_closed_connections

TYPES = {
    "": "application/octet-stream",
    ".css": "text/css; charset=utf-8",
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".json": "application/json",
    ".mjs": "text/javascript; charset=utf-8",
    ".png": "image/png",
    ".svg": "image/svg+xml",
    ".wasm": "application/wasm",
    ".webmanifest": "application/manifest+json",
    ".whl": "application/zip",
    ".zip": "application/zip",
}
MISSING = """\
The page is not installed: it comes in a package of its own, because it is large.
  pip install leakladder-page
Then `leakladder serve` shows it on this machine. Nothing of your files leaves it."""
EXIT_MISSING = 2


class PageHandler(http.server.SimpleHTTPRequestHandler):
    """Serve the page's files quietly, always asking the browser to check for newer ones."""

    extensions_map = TYPES

    def end_headers(self) -> None:
        """Add the headers of every answer."""
        self.send_header("Cache-Control", "no-cache")
        self.send_header("X-Content-Type-Options", "nosniff")
        super().end_headers()

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the base's name
        """Print nothing for a request that went well."""


class PageServer(http.server.ThreadingHTTPServer):
    """A server to which a browser that closes its connection is nothing special."""

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Print what went wrong, but for a connection that the other side has closed."""
        if not isinstance(sys.exc_info()[1], ConnectionError):
            super().handle_error(request, client_address)


def page_server(folder: Path, port: int) -> PageServer:
    """Return a server for a folder on the loopback address, not yet running.

    Args:
        folder: What is served.
        port: Port to listen on; 0 takes a free one.

    Raises:
        OSError: If the port is taken.
    """
    handler = partial(PageHandler, directory=str(folder))
    return PageServer(("127.0.0.1", port), handler)


def page_folder() -> Path | None:
    """Return the folder of the installed page, or None where it is not installed."""
    try:
        folder = Path(str(files("leakladder_page"))) / "site"
    except ModuleNotFoundError:
        return None
    return folder if (folder / "index.html").exists() else None


def serve(port: int = 8000, *, open: bool = True) -> None:  # noqa: A002 - the option's name
    """Show the page in the browser, served from this machine only.

    Raises:
        SystemExit: If the page is not installed or the port is taken.
    """
    folder = page_folder()
    if folder is None:
        _end(MISSING)
    try:
        server = page_server(folder, port)
    except OSError as error:
        _end(f"Port {port} could not be opened ({error}). Choose another one with --port.")
    with survive_closed_connections(), server:
        address = f"http://127.0.0.1:{server.server_address[1]}/"
        sys.stdout.write(f"Serving {address} (Ctrl-C stops)\n")
        sys.stdout.flush()
        if open:
            webbrowser.open(address)
        try:
            server.serve_forever()
        except KeyboardInterrupt:
            sys.stdout.write("Stopped.\n")


def _end(message: str) -> NoReturn:
    sys.stderr.write(f"{message}\n")
    raise SystemExit(EXIT_MISSING)
