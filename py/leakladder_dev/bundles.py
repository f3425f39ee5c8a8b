"""Bundle the page's scripts and styles with esbuild, each into one file.

None imports another, save the page's script, which imports the small one that runs first.
"""

import json
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from leakladder_dev.node import module_program
from leakladder_dev.steps import WEB, run_step

SERVICE_WORKER = "sw.js"
SHARED = (
    "--bundle",
    "--minify",
    "--log-level=warning",
    "--legal-comments=none",
    "--charset=utf8",
)
PAGE = ("--format=esm", "--target=es2023")
START = "start.js"  # a file of its own, which app.js imports: it runs before that has arrived
# One classic script without import(): the only form that runs from a blob in every engine,
# hosted and offline alike, and a blob inherits the page's Content-Security-Policy.
WORKER = (
    "--format=iife",
    "--platform=browser",
    "--target=es2023",
    "--define:import.meta.url=self.location.href",
)
# Pyodide's loader asks for these only under Node.js; the browser never reaches them.
NODE_BUILT_INS = (
    "node:*",
    "fs",
    "path",
    "url",
    "vm",
    "crypto",
    "child_process",
    "ws",
    "module",
)


def bundle_page(node: str, out: Path) -> None:
    """Bundle the page's script, its stylesheet and the worker scripts.

    Raises:
        StepError: If esbuild refuses a source.
    """
    _esbuild(node, WEB / START, out / START, *PAGE)
    _esbuild(node, WEB / "app.js", out / "app.js", *PAGE, f"--external:./{START}")
    _esbuild(node, WEB / "styles" / "main.css", out / "app.css", *PAGE)
    outside = [f"--external:{name}" for name in NODE_BUILT_INS]
    for name, source in worker_sources().items():
        _esbuild(node, source, out / name, *WORKER, *outside)


def bundle_copy(node: str) -> str:
    """Return the page's script in one piece, as a saved copy has it.

    Raises:
        StepError: If esbuild refuses a source.
    """
    with tempfile.TemporaryDirectory() as folder:
        target = Path(folder) / "app.js"
        _esbuild(node, WEB / "app.js", target, *PAGE)
        return target.read_text("utf-8")


def worker_sources() -> dict[str, Path]:
    """Return the worker scripts of the build by their name in `dist/`."""
    found = {"worker.js": WEB / "worker" / "main.js"}
    meaning = WEB / "worker" / "meaning-worker.js"
    if meaning.exists():
        found["meaning-worker.js"] = meaning
    return found


def bundle_service_worker(node: str, out: Path, build: Mapping[str, Any]) -> None:
    """Bundle the service worker with the list of the build's files inside.

    Args:
        node: The Node.js program.
        out: Folder of the build.
        build: Name of the build, and its files by path with hash and group.

    Raises:
        StepError: If esbuild refuses the source.
    """
    constant = f"--define:__BUILD__={json.dumps(build, sort_keys=True)}"
    source = WEB / "worker" / SERVICE_WORKER
    _esbuild(node, source, out / SERVICE_WORKER, *WORKER, constant)


def _esbuild(node: str, source: Path, target: Path, *options: str) -> None:
    command: list[str | Path] = [node, module_program("esbuild", "bin", "esbuild"), source]
    command += [*SHARED, *options, f"--outfile={target}"]
    run_step(f"bundle {target.name}", command, todo="see esbuild's message above")
