"""Serve `dist/` on this machine only, with the MIME types that WebAssembly and modules need."""

import http.server
import webbrowser

from leakladder.cli_serve import page_server
from leakladder_dev.dist import ensure_dist
from leakladder_dev.steps import DIST, StepError


def make_server(port: int) -> http.server.ThreadingHTTPServer:
    """Return a server for `dist/` on the loopback address, not yet running.

    Args:
        port: Port to listen on; 0 takes a free one.

    Raises:
        StepError: If the port is taken.
    """
    try:
        return page_server(DIST, port)
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
