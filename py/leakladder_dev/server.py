"""Serve `dist/` on this machine only, with the MIME types that WebAssembly and modules need."""

import http.server
import webbrowser
from functools import partial

from leakladder_dev.dist import ensure_dist
from leakladder_dev.steps import DIST, StepError


class PageHandler(http.server.SimpleHTTPRequestHandler):
    """Serve the build's files, quietly, always asking the browser to check for newer ones."""

    extensions_map = {  # noqa: RUF012 - the base class declares it on the instance
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

    def end_headers(self) -> None:
        """Add the headers of every answer."""
        self.send_header("Cache-Control", "no-cache")
        self.send_header("X-Content-Type-Options", "nosniff")
        super().end_headers()

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the base's name
        """Print nothing for a request that went well."""


def make_server(port: int) -> http.server.ThreadingHTTPServer:
    """Return a server for `dist/` on the loopback address, not yet running.

    Args:
        port: Port to listen on; 0 takes a free one.

    Raises:
        StepError: If the port is taken.
    """
    try:
        return http.server.ThreadingHTTPServer(
            ("127.0.0.1", port), partial(PageHandler, directory=str(DIST))
        )
    except OSError as error:
        todo = f"stop what uses port {port}, or choose another one with --port"
        raise StepError("open the port", str(error), todo) from error


def serve(port: int, *, open_browser: bool) -> int:
    """Build what is missing and serve the page until interrupted.

    Raises:
        StepError: If a step of the build fails or the port is taken.
    """
    ensure_dist()
    with make_server(port) as server:
        address = f"http://127.0.0.1:{server.server_address[1]}/"
        print(f"Serving {address}", flush=True)
        if open_browser:
            webbrowser.open(address)
        try:
            server.serve_forever()
        except KeyboardInterrupt:
            print("Stopped.")
    return 0
