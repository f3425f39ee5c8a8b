"""Static hosts for the tests: they record what they are asked, and can be taken down."""

import http.server
import re
import shutil
import threading
from functools import partial
from pathlib import Path
from typing import Any

from leakladder.cli_serve import PageHandler
from leakladder_dev.dist import ensure_dist, page_bounds, seal
from leakladder_dev.node import ensure_modules
from leakladder_dev.steps import DIST

READY_MS = 60_000


class Host:
    """A static host for a folder, on a loopback port of its own.

    Attributes:
        asked: Path of every request so far, in order.
        halved: Ends of paths of which only the first half comes; then the host waits for the
            event, or hangs up where there is none.
        url: Its address, with a slash at the end.
    """

    def __init__(
        self, folder: Path, *, headers: dict[str, str] | None = None, port: int = 0
    ) -> None:
        self.asked: list[str] = []
        self.halved: dict[str, threading.Event | None] = {}
        self.folder = folder
        asked, halved, extra = self.asked, self.halved, headers or {}

        class Handler(PageHandler):
            def do_GET(self) -> None:  # noqa: N802 - the base's name
                asked.append(self.path)
                super().do_GET()

            def copyfile(self, source: Any, outputfile: Any) -> None:
                end = next((end for end in halved if self.path.endswith(end)), None)
                if end is None:
                    super().copyfile(source, outputfile)
                    return
                data = source.read()
                outputfile.write(data[: len(data) // 2])
                outputfile.flush()
                if event := halved[end]:
                    event.wait(60)

            def end_headers(self) -> None:
                for name, value in extra.items():
                    self.send_header(name, value)
                super().end_headers()

        class Server(http.server.ThreadingHTTPServer):
            def handle_error(self, request: object, client_address: object) -> None:
                """A browser that hangs up in the middle is no fault of the test."""

        handler = partial(Handler, directory=str(folder))
        server = Server(("127.0.0.1", port), handler)
        self.port = server.server_address[1]
        self.url = f"http://127.0.0.1:{self.port}/"
        self._server: http.server.ThreadingHTTPServer | None = server
        self._thread = threading.Thread(target=server.serve_forever, daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Cut the network: nothing listens on the port any more."""
        if self._server:
            self._server.shutdown()
            self._server.server_close()
            self._thread.join()
        self._server = None

    def __enter__(self) -> "Host":
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()


def copy_build(folder: Path) -> Path:
    """Make `folder` a copy of the build without the saved copies, to be served and changed."""
    ensure_dist()
    return Path(
        shutil.copytree(DIST, folder, ignore=shutil.ignore_patterns("leakladder-offline*"))
    )


def change_build(folder: Path, title: str) -> None:
    """Make `folder` a build of its own: the built page with another title for an example."""
    shutil.copytree(DIST, folder, dirs_exist_ok=True)
    examples = folder / "examples.json"
    text = examples.read_text("utf-8")
    changed = re.sub(r'"title":"A shared run of 13 words"', f'"title":"{title}"', text, count=1)
    assert changed != text
    examples.write_text(changed, "utf-8")
    for name in ("manifest.json", "sw.js", "_headers"):
        (folder / name).unlink()
    for path in folder.glob("leakladder-offline*"):
        path.unlink()
    seal(ensure_modules(everything=False), folder, page_bounds(2.0, 200_000))


def read_headers(folder: Path, path: str) -> dict[str, str]:
    """Return what `_headers` says of one address, as Netlify and Cloudflare Pages read it."""
    found: dict[str, str] = {}
    applies = False
    for line in (folder / "_headers").read_text("utf-8").splitlines():
        if line and not line.startswith(" "):
            applies = line in {path, "/*"}
        elif applies and line.strip():
            name, value = line.strip().split(": ", 1)
            found[name] = value
    return found


class Witness(http.server.BaseHTTPRequestHandler):
    """Another origin that lets everybody in and notes what came, body and all."""

    def note(self) -> None:
        """Record a request and answer it."""
        size = int(self.headers.get("Content-Length") or 0)
        came = f"{self.command} {self.path} {self.rfile.read(size)!r}"
        self.server.hits.append(came)  # type: ignore[attr-defined]
        self.send_response(200)
        self.send_header("Access-Control-Allow-Origin", "*")
        self.end_headers()

    do_GET = do_POST = do_OPTIONS = note  # noqa: N815 - the base's names

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the base's name
        """Print nothing."""
