"""Build `dist/`: a static, complete folder that any host can serve.

Everything is copied or bundled from pinned inputs, so two builds are byte-identical. A
fingerprint of the inputs says whether anything has to be done at all.
"""

import hashlib
import json
import os
import shutil
import sys
import tempfile
import zipfile
from collections.abc import Iterator
from pathlib import Path

from leakladder_dev.bundles import bundle_copy, bundle_page, bundle_service_worker
from leakladder_dev.hosting import write_headers, write_integrity
from leakladder_dev.licenses import write_licenses
from leakladder_dev.manifest import MANIFEST, build_name, list_files, make_manifest
from leakladder_dev.node import ensure_modules, module_program
from leakladder_dev.offline import write_copies
from leakladder_dev.steps import CACHE, DIST, ROOT, WEB, StepError, run_step
from leakladder_dev.wheel import build_wheel, micropip_wheel

MAX_MB = 2.0
MAX_ROWS = 200_000
INPUTS = (
    "assets", "py", "web", "README.md", "LICENSE", "build.py", "pyproject.toml",
    "package.json", "package-lock.json", "requirements-build.txt",
)  # fmt: skip
STAMP = ".built"
PYODIDE_FILES = ("pyodide.asm.wasm",)
MODEL_FOLDER = ROOT / "assets" / "models"
MODEL_FILES = (".onnx", ".json")
BYTECODE_SCRIPT = ROOT / "py" / "leakladder_dev" / "page_bytecode.mjs"
BYTECODE = "leakladder-bytecode.bin"
ORT_FILE = "ort-wasm-simd-threaded.wasm"


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
    CACHE.mkdir(exist_ok=True)
    new = Path(tempfile.mkdtemp(prefix="dist-", dir=CACHE))
    try:
        fill(node, new, bounds)
        shutil.rmtree(DIST, ignore_errors=True)
        new.rename(DIST)
        DIST.chmod(0o755)  # a temporary folder is made for its owner alone
    finally:
        shutil.rmtree(new, ignore_errors=True)


def fill(node: str, out: Path, bounds: dict[str, int]) -> None:
    """Put the whole build into an empty folder.

    Raises:
        StepError: Naming the step that failed.
    """
    wheel = build_wheel()
    print("Bundling the page ...", flush=True)
    bundle_page(node, out)
    copy_parts(out, wheel)
    compile_start(node, out, wheel)
    write_integrity(out)
    copy_model(out)
    write_licenses(out / "licenses.html")
    store_examples(out)
    seal(node, out, bounds)


def seal(node: str, out: Path, bounds: dict[str, int]) -> None:
    """Name the build that a folder holds and add what depends on all of its files.

    Raises:
        StepError: Naming the step that failed.
    """
    files = list_files(out)
    build = build_name(files, bounds)
    known = {
        name: entry for name, entry in files.items() if entry["group"] in {"core", "model"}
    }
    bundle_service_worker(node, out, {"build": build, "files": known})
    write_headers(out)
    print("Built dist/:", flush=True)
    write_copies(out, build, bounds, known, bundle_copy(node))
    files = list_files(out)
    (out / MANIFEST).write_text(make_manifest(build, bounds, files), "utf-8", newline="\n")
    for group, what in (("core", "the page"), ("model", "the model and its runtime")):
        size = sum(entry["bytes"] for entry in files.values() if entry["group"] == group)
        print(f"  {what}: {size / 1e6:.1f} MB before the host's compression", flush=True)


def copy_parts(out: Path, wheel: Path) -> None:
    """Copy what is served as it is: the page, icons, the interpreter and the wheels.

    Raises:
        StepError: If an npm package lacks a file, or a wheel is not a zip file.
    """
    for path in sorted(WEB.glob("*.html")):
        shutil.copy(path, out / path.name)
    shutil.copytree(WEB / "static", out, dirs_exist_ok=True)
    (out / "pyodide").mkdir()
    for name in PYODIDE_FILES:
        shutil.copy(module_program("pyodide", name), out / "pyodide" / name)
    (out / "pyodide" / "pyodide-lock.json").write_text(mini_lock(), "utf-8")
    (out / "wheels").mkdir()
    for path in (wheel, micropip_wheel()):
        if not zipfile.is_zipfile(path):
            raise StepError("copy the wheels", f"{path.name} is damaged", "delete .cache")
        shutil.copy(path, out / "wheels" / path.name)


def compile_start(node: str, out: Path, wheel: Path) -> None:
    """Put bytecode of what the page imports at its start beside the wheels, and in the library.

    Raises:
        StepError: If the wheel does not import in Pyodide.
    """
    made = (out / "wheels" / BYTECODE, out / "pyodide" / "python_stdlib.zip")
    run_step(
        "compile what the page imports",
        [node, BYTECODE_SCRIPT, micropip_wheel(), wheel, *made],
        todo="see Pyodide's message above",
    )


def copy_model(out: Path) -> None:
    """Copy the embedding model and the runtime for it, where this checkout has them.

    Raises:
        StepError: If onnxruntime-web lacks its binary.
    """
    if not MODEL_FOLDER.is_dir():
        return
    for path in sorted(MODEL_FOLDER.rglob("*")):
        if path.is_file() and path.suffix in MODEL_FILES:
            target = out / "models" / path.relative_to(MODEL_FOLDER)
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(path, target)
    (out / "ort").mkdir()
    shutil.copy(module_program("onnxruntime-web", "dist", ORT_FILE), out / "ort" / ORT_FILE)


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
