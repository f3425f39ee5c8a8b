"""What every row of the bench is given: how many runs, the files, a browser, the hosts."""

import hashlib
import json
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from playwright.sync_api import BrowserContext, sync_playwright

from leakladder_dev.bench_figure import Figure
from leakladder_dev.bench_files import BenchFiles
from leakladder_dev.bench_host import BenchHost
from leakladder_dev.bench_tab import PAGES, new_profile
from leakladder_dev.node import MODULES, module_program
from leakladder_dev.steps import DIST
from leakladder_dev.wheel import micropip_wheel

ORT = MODULES / "@huggingface" / "transformers" / "node_modules"  # its own runtime
LOCK = "pyodide-lock.json"
PYODIDE = (
    "pyodide.mjs", "pyodide.asm.mjs", "pyodide.asm.wasm", "python_stdlib.zip", LOCK,
)  # fmt: skip


@dataclass
class Bench:
    """One run of the bench.

    Attributes:
        runs: How often each thing is measured.
        files: What it is measured on.
        versions: What rows add to the list of versions, by name.
        sections: What rows add below the table: Markdown by heading.
    """

    runs: int
    files: BenchFiles = field(default_factory=BenchFiles)
    versions: dict[str, str] = field(default_factory=dict)
    sections: dict[str, str] = field(default_factory=dict)

    @contextmanager
    def browser(self) -> Iterator[BrowserContext]:
        """Give a browser with a new profile."""
        with sync_playwright() as play, new_profile(play) as context:
            if context.browser is not None:
                self.versions["Chromium"] = context.browser.version
            yield context

    @staticmethod
    def host() -> BenchHost:
        """Serve the built page."""
        return BenchHost({"/": DIST})

    @contextmanager
    def plain_host(self) -> Iterator[BenchHost]:
        """Serve the bench's own pages, with Pyodide as it comes, npm's packages, the files."""
        folder = Path(tempfile.mkdtemp(prefix="bench-plain-"))
        try:
            shutil.copytree(PAGES, folder, dirs_exist_ok=True)
            (folder / "pyodide").mkdir()
            for name in PYODIDE:
                shutil.copy(module_program("pyodide", name), folder / "pyodide" / name)
            add_micropip(folder / "pyodide")
            (wheel,) = (DIST / "wheels").glob("leakladder-*.whl")
            shutil.copy(wheel, folder / wheel.name)
            (folder / "wheels.json").write_text(json.dumps([wheel.name]), "utf-8")
            folders = {"/": folder, "/node/": MODULES, "/ort/": ORT, "/dist/": DIST}
            with BenchHost({**folders, "/files/": self.files.folder}) as host:
                yield host
        finally:
            shutil.rmtree(folder, ignore_errors=True)

    def address(self, host: BenchHost, path: Path) -> str:
        """Return the address of one of the files on the bench's own host."""
        return f"{host.url}files/{path.relative_to(self.files.folder).as_posix()}"


def add_micropip(folder: Path) -> None:
    """Put micropip beside Pyodide: PyPI's wheel, of another build than its lock file says."""
    wheel = micropip_wheel()
    shutil.copy(wheel, folder / wheel.name)
    lock = json.loads((folder / LOCK).read_text("utf-8"))
    digest = hashlib.sha256(wheel.read_bytes()).hexdigest()
    lock["packages"]["micropip"].update(file_name=wheel.name, sha256=digest)
    (folder / LOCK).write_text(json.dumps(lock), "utf-8")


Row = Callable[[Bench], list[Figure]]
