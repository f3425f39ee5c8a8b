"""Build `dist/`: a static, complete folder that any host can serve.

Everything is copied or bundled from pinned inputs, so two builds are byte-identical. A
fingerprint of the inputs says whether anything has to be done at all.
"""

import hashlib
import json
import os
import shutil
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path

from leakladder_dev.node import ensure_modules, module_program
from leakladder_dev.steps import CACHE, DIST, ROOT, WEB, StepError, run_step
from leakladder_dev.wheel import build_wheel, micropip_wheel, wheel_version

MAX_MB = 2.0
MAX_ROWS = 200_000
INPUTS = (
    "assets", "py", "web", "README.md", "LICENSE", "build.py", "pyproject.toml",
    "package.json", "package-lock.json", "requirements-build.txt",
)  # fmt: skip
STAMP = ".built"
PYODIDE_FILES = ("pyodide.asm.wasm", "python_stdlib.zip")
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


def input_files() -> Iterator[Path]:
    """Yield every file the build reads, in a fixed order."""
    for name in INPUTS:
        path = ROOT / name
        if path.is_file():
            yield path
        elif path.is_dir():
            for item in sorted(path.rglob("*")):
                if item.is_file() and "__pycache__" not in item.parts:
                    yield item


def fingerprint(bounds: dict[str, int]) -> str:
    """Return a hash over all inputs of the build and its options."""
    total = hashlib.sha256(json.dumps(bounds, sort_keys=True).encode())
    for path in input_files():
        total.update(path.relative_to(ROOT).as_posix().encode())
        total.update(hashlib.sha256(path.read_bytes()).digest())
    return total.hexdigest()


def page_bounds(max_mb: float, max_rows: int) -> dict[str, int]:
    """Return the page's bounds as the manifest carries them."""
    return {"bytes": round(max_mb * 1_000_000), "rows": max_rows}


def ensure_dist(
    *, max_mb: float = MAX_MB, max_rows: int = MAX_ROWS, force: bool = False
) -> None:
    """Build `dist/` unless it is already the build of these inputs.

    Raises:
        StepError: Naming the step that failed.
    """
    bounds = page_bounds(max_mb, max_rows)
    wanted = fingerprint(bounds)
    stamp = CACHE / STAMP
    done = stamp.exists() and stamp.read_text("utf-8") == wanted
    if done and (DIST / "manifest.json").exists() and not force:
        return
    stamp.unlink(missing_ok=True)
    build_dist(bounds)
    stamp.write_text(wanted, "utf-8")


def build_dist(bounds: dict[str, int]) -> None:
    """Build everything into a new folder, then put it in the place of the old one.

    Raises:
        StepError: Naming the step that failed.
    """
    node = ensure_modules(everything=False)
    new = CACHE / "dist"
    shutil.rmtree(new, ignore_errors=True)
    new.mkdir(parents=True)
    wheel = build_wheel()
    print("Bundling the page ...", flush=True)
    bundle(node, new)
    copy_parts(new, wheel)
    store_examples(new)
    write_manifest(new, bounds)
    shutil.rmtree(DIST, ignore_errors=True)
    new.rename(DIST)
    size = sum(path.stat().st_size for path in DIST.rglob("*") if path.is_file())
    print(f"Built dist/: {size / 1e6:.1f} MB.", flush=True)


def bundle(node: str, out: Path) -> None:
    """Bundle the page's script, its stylesheet and the worker scripts with esbuild.

    Raises:
        StepError: If esbuild refuses a source.
    """
    esbuild: list[str | Path] = [node, module_program("esbuild", "bin", "esbuild")]
    shared = [
        "--bundle",
        "--minify",
        "--log-level=warning",
        "--legal-comments=none",
        "--charset=utf8",
    ]
    todo = "see esbuild's message above"
    page = ["--format=esm", "--target=es2023"]
    run_step(
        "bundle the page",
        [*esbuild, WEB / "app.js", *shared, *page, f"--outfile={out / 'app.js'}"],
        todo=todo,
    )
    run_step(
        "bundle the styles",
        [*esbuild, WEB / "styles" / "main.css", *shared, f"--outfile={out / 'app.css'}"],
        todo=todo,
    )
    # One classic script without import(): the only form that runs from a blob in every engine,
    # hosted and offline alike, and a blob inherits the page's Content-Security-Policy.
    worker = ["--format=iife", "--platform=browser", "--target=es2023"]
    worker += ["--define:import.meta.url=self.location.href"]
    worker += [f"--external:{name}" for name in NODE_BUILT_INS]
    for name, source in worker_sources().items():
        run_step(
            f"bundle {name}",
            [*esbuild, source, *shared, *worker, f"--outfile={out / name}"],
            todo=todo,
        )


def worker_sources() -> dict[str, Path]:
    """Return the worker scripts of the build by their name in `dist/`."""
    found = {"worker.js": WEB / "worker" / "main.js"}
    meaning = WEB / "worker" / "meaning-worker.js"
    if meaning.exists():
        found["meaning-worker.js"] = meaning
    return found


def copy_parts(out: Path, wheel: Path) -> None:
    """Copy what is served as it is: the page, icons, the interpreter and the wheels.

    Raises:
        StepError: If an npm package lacks a file.
    """
    shutil.copy(WEB / "index.html", out / "index.html")
    for name in ("icons", "static"):
        if (WEB / name).is_dir():
            shutil.copytree(WEB / name, out, dirs_exist_ok=True)
    (out / "pyodide").mkdir()
    for name in PYODIDE_FILES:
        shutil.copy(module_program("pyodide", name), out / "pyodide" / name)
    (out / "pyodide" / "pyodide-lock.json").write_text(mini_lock(), "utf-8")
    (out / "wheels").mkdir()
    for path in (wheel, micropip_wheel()):
        shutil.copy(path, out / "wheels" / path.name)


def mini_lock() -> str:
    """Return Pyodide's lock file without its 357 packages: the full one costs a second.

    Raises:
        StepError: If the npm package has no lock file.
    """
    full = json.loads(module_program("pyodide", "pyodide-lock.json").read_text("utf-8"))
    return json.dumps({"info": full["info"], "packages": {}}, sort_keys=True)


def store_examples(out: Path) -> None:
    """Store every example with the result the core gives for it.

    Raises:
        StepError: If the core refuses an example.
    """
    run_step(
        "compute the examples",
        [sys.executable, "-m", "leakladder_dev.examples", out / "examples.json"],
        todo="the files are in web/examples; the message above says which one failed",
        env=dict(os.environ, PYTHONPATH=str(ROOT / "py"), PYTHONUTF8="1"),
    )


def write_manifest(out: Path, bounds: dict[str, int]) -> None:
    """Write `manifest.json`: the build's name, its bounds, and the SHA-256 of every file.

    Raises:
        StepError: If a wheel in the build is not a zip file.
    """
    files = {}
    for path in sorted(out.rglob("*")):
        if path.is_file():
            data = path.read_bytes()
            if path.suffix == ".whl" and not zipfile.is_zipfile(path):
                raise StepError(
                    "write the manifest", f"{path.name} is damaged", "delete .cache"
                )
            name = path.relative_to(out).as_posix()
            files[name] = {"bytes": len(data), "sha256": hashlib.sha256(data).hexdigest()}
    listing = json.dumps(files, sort_keys=True)
    manifest = {
        "build": hashlib.sha256(listing.encode()).hexdigest()[:16],
        "version": wheel_version(),
        "bounds": bounds,
        "files": files,
    }
    text = json.dumps(manifest, indent=1, sort_keys=True) + "\n"
    (out / "manifest.json").write_text(text, "utf-8")
