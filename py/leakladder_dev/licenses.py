"""`dist/licenses.html`: the licence texts of every part that the page is built of.

Texts come from the packages themselves; those that ship without one have theirs in
`assets/licenses/`. A part without a text stops the build.
"""

import html
import json
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from leakladder_dev.steps import ROOT, StepError
from leakladder_dev.wheel import micropip_wheel, wheel_version

STEP = "write licenses.html"
TODO = "run npm ci, or put the text into assets/licenses"
OWN_TEXTS = ROOT / "assets" / "licenses"
MODULES = ROOT / "node_modules"
NOT_SHIPPED = ("@types/", "ws", "undici-types", "esbuild", "@esbuild/", "guid-typescript")
"""Packages, or beginnings of their names, that no bundle holds: types, Node.js only, tools, and
what onnxruntime-web needs for WebGL alone, which this page does not use."""
TEXTS_OF = {
    "pyodide": ("pyodide",),
    "onnxruntime-common": ("onnxruntime",),
    "onnxruntime-web": ("onnxruntime", "onnxruntime-third-parties"),
}
"""npm packages without a licence file, and which of our own texts stand in for it."""
INSIDE_PYODIDE = (
    ("Emscripten's run-time library", "5.0.3", "MIT", ("emscripten",)),
    ("musl", "", "MIT", ("musl",)),
    ("compiler-rt, libc++ and libc++abi", "", "Apache-2.0 WITH LLVM-exception", ("llvm",)),
    ("mimalloc", "", "MIT", ("mimalloc",)),
    ("libffi", "", "MIT", ("libffi",)),
    ("zlib", "1.3.1", "Zlib", ("zlib",)),
    ("bzip2", "1.0.6", "bzip2-1.0.6", ("bzip2",)),
    ("liblzma", "5.2.2", "public domain", ("xz",)),
    ("Zstandard", "1.5.7", "BSD-3-Clause", ("zstd",)),
    ("SQLite", "3.39.0", "public domain", ("sqlite",)),
    ("Expat", "2.7.3", "MIT", ("expat",)),
    ("HACL*", "", "MIT", ("hacl",)),
)
"""What is linked into Pyodide's WebAssembly file besides CPython: name, version where the file
says one, SPDX name, texts. A test looks for each of them in the file."""


class Part(NamedTuple):
    """One bundled part.

    Attributes:
        name: As its makers write it.
        version: The version that is bundled.
        license: SPDX name.
        texts: Its licence texts, at least one.
    """

    name: str
    version: str
    license: str
    texts: tuple[str, ...]


def is_shipped(name: str) -> bool:
    """Tell whether a package that another one depends on can be in a bundle."""
    return not any(
        name == start or (start.endswith("/") and name.startswith(start))
        for start in NOT_SHIPPED
    )


def npm_parts() -> Iterator[Part]:
    """Yield the npm packages of the bundles with all they depend on, in order of name.

    Raises:
        StepError: If one is not installed or has no licence text.
    """
    direct = json.loads((ROOT / "package.json").read_text("utf-8"))["dependencies"]
    waiting = sorted(filter(is_shipped, direct))
    known = set(waiting)
    manifests: dict[str, Any] = {}
    while waiting:
        name = waiting.pop()
        path = MODULES / name / "package.json"
        if not path.exists():
            raise StepError(STEP, f"the npm package {name} is not installed", TODO)
        manifests[name] = json.loads(path.read_text("utf-8"))
        more = set(filter(is_shipped, manifests[name].get("dependencies", {}))) - known
        known |= more
        waiting += sorted(more)
    for name in sorted(manifests):
        yield Part(name, manifests[name]["version"], manifests[name]["license"], _texts(name))


def _texts(name: str) -> tuple[str, ...]:
    own = TEXTS_OF.get(name)
    if own:
        return tuple(map(_own_text, own))
    found = sorted((MODULES / name).glob("LICENSE*")) + sorted((MODULES / name).glob("NOTICE*"))
    if not found:
        raise StepError(STEP, f"the npm package {name} has no licence text", TODO)
    return tuple(path.read_text("utf-8") for path in found)


def _own_text(name: str) -> str:
    return (OWN_TEXTS / f"{name}.txt").read_text("utf-8")


def python_parts() -> Iterator[Part]:
    """Yield CPython's library, what Pyodide holds, micropip, the model, and this project.

    Raises:
        StepError: If micropip's wheel cannot be had.
    """
    lock = json.loads((MODULES / "pyodide" / "pyodide-lock.json").read_text("utf-8"))
    python = (_own_text("python"), _own_text("python-changes"), _own_text("python-inside"))
    yield Part("CPython and its library", lock["info"]["python"], "PSF-2.0", python)
    for name, version, license_name, files in INSIDE_PYODIDE:
        part = tuple(map(_own_text, files))
        if "Apache" in license_name:
            part = (*part, (ROOT / "LICENSE").read_text("utf-8"))
        yield Part(f"{name} (inside Pyodide)", version, license_name, part)
    wheel = micropip_wheel()
    with zipfile.ZipFile(wheel) as archive:
        names = [name for name in archive.namelist() if Path(name).name.startswith("LICENSE")]
        texts = tuple(archive.read(name).decode("utf-8") for name in names)
    yield Part("micropip, with packaging inside", wheel.name.split("-")[1], "MPL-2.0", texts)
    apache = (ROOT / "LICENSE").read_text("utf-8")
    yield Part("all-MiniLM-L6-v2, the model of the last rung", "", "Apache-2.0", (apache,))
    yield Part("Leak Ladder", wheel_version(), "Apache-2.0", (apache,))


def all_parts() -> list[Part]:
    """Return every part, this project last."""
    return [*npm_parts(), *python_parts()]


def write_licenses(out: Path) -> None:
    """Write the page of all licences, text only, the same bytes for the same parts.

    Args:
        out: The file to write.

    Raises:
        StepError: If a part or its text is missing.
    """
    numbers: dict[str, int] = {}
    sections = []
    for part in all_parts():
        title = html.escape(f"{part.name} {part.version}".strip())
        links = []
        for text in part.texts:
            number = numbers.setdefault(text, len(numbers) + 1)
            links.append(f'<a href="#text-{number}">text {number}</a>')
        license_name = html.escape(part.license)
        sections.append(f"<li><b>{title}</b>: {license_name}, {', '.join(links)}</li>")
    texts = [
        f'<h2 id="text-{number}">Text {number}</h2>\n<pre>{html.escape(text)}</pre>'
        for text, number in numbers.items()
    ]
    out.write_text(PAGE.format("\n".join(sections), "\n".join(texts)), "utf-8", newline="\n")


PAGE = """<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'">
<meta name="color-scheme" content="light dark">
<title>Licences of Leak Ladder</title>
<main>
<h1>Licences</h1>
<p>What this page is built of, and under which terms.</p>
<ul>
{}
</ul>
{}
</main>
</html>
"""
