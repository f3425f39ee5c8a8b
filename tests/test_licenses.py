"""licenses.html names everything that is bundled, with a text, and is text only."""

import html
import json
import re
from pathlib import Path

import pytest

from leakladder_dev import licenses
from leakladder_dev.dist import ensure_dist
from leakladder_dev.licenses import all_parts, is_shipped, write_licenses
from leakladder_dev.node import ensure_modules
from leakladder_dev.steps import StepError

ROOT = Path(__file__).resolve().parents[1]


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> str:
    ensure_modules(everything=True)
    out = tmp_path_factory.mktemp("licenses") / "licenses.html"
    write_licenses(out)
    first = out.read_bytes()
    write_licenses(out)
    assert out.read_bytes() == first
    return first.decode()


def test_every_package_of_the_lock_file_that_can_be_bundled_is_named(page: str) -> None:
    packages = json.loads((ROOT / "package-lock.json").read_text("utf-8"))["packages"]
    names = {
        path.removeprefix("node_modules/"): entry["version"]
        for path, entry in packages.items()
        if path and not entry.get("dev") and not entry.get("optional")
    }
    shipped = {f"{name} {version}" for name, version in names.items() if is_shipped(name)}
    assert len(shipped) >= 20
    listed = set(map(html.unescape, re.findall(r"<li><b>(.*?)</b>", page)))
    assert shipped <= listed
    assert {"Leak Ladder", "micropip, with packaging inside", "CPython and its library"} <= {
        re.sub(r" [\d.]+$", "", name) for name in listed
    }


def test_every_part_points_to_a_text_that_is_there(page: str) -> None:
    items = re.findall(r"<li>.*</li>", page)
    texts = dict(re.findall(r'id="text-(\d+)">.*\n<pre>([^<]*)</pre>', page))
    assert len(items) == len(all_parts())
    for item in items:
        wanted = re.findall(r'href="#text-(\d+)"', item)
        assert wanted
        assert all(len(texts[number]) > 150 for number in wanted)


# What the WebAssembly file itself says of each part, or a function that only this part has.
SIGNS = {
    "Emscripten's run-time library": b"emscripten_",
    "musl": b"__crypt_blowfish",
    "compiler-rt, libc++ and libc++abi": b"compiler-rt",
    "mimalloc": b"mimalloc",
    "libffi": b"ffi_prep_cif",
    "zlib": b"inflate 1.3.1 Copyright 1995-2024 Mark Adler",
    "bzip2": b"1.0.6, 6-Sept-2010",
    "liblzma": b"5.2.2",
    "Zstandard": b"1.5.7",
    "SQLite": b"3.39.0",
    "Expat": b"expat_2.7.3",
    "HACL*": b"HACL*",
}


def test_what_pyodide_is_linked_from_is_in_its_file_and_on_the_page(page: str) -> None:
    packages = ROOT / "node_modules" / "pyodide"
    binary = (packages / "pyodide.asm.wasm").read_bytes()
    platform = json.loads((packages / "pyodide-lock.json").read_text("utf-8"))["info"][
        "platform"
    ]
    assert [name for name, *_ in licenses.INSIDE_PYODIDE] == list(SIGNS)
    for name, version, _, _ in licenses.INSIDE_PYODIDE:
        assert SIGNS[name] in binary, name
        if name.startswith("Emscripten"):
            assert platform == f"emscripten_{version.replace('.', '_')}"
        elif version:
            assert version.encode() in SIGNS[name]
        assert f"<b>{html.escape(name)} (inside Pyodide)" in page


def test_guid_is_in_no_bundle() -> None:
    ensure_dist()
    known = (ROOT / "node_modules" / "guid-typescript" / "dist" / "guid.js").read_text("utf-8")
    empty = "00000000-0000-0000-0000-000000000000"
    assert empty in known
    for path in (ROOT / "dist").glob("*.js"):
        assert empty not in path.read_text("utf-8"), path.name


def test_there_is_no_markup_but_its_own(page: str) -> None:
    tags = set(re.findall(r"</?([a-z]+\d?)", page))
    assert tags == {
        "html",
        "meta",
        "title",
        "main",
        "h1",
        "h2",
        "p",
        "ul",
        "li",
        "b",
        "a",
        "pre",
    }


def test_a_part_without_a_text_stops_the_build(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for package in ("fzstd", "new-part"):
        (tmp_path / package).mkdir()
        manifest = '{"version": "1.0.0", "license": "MIT", "dependencies": {"new-part": "1"}}'
        (tmp_path / package / "package.json").write_text(manifest, "utf-8")
    (tmp_path / "fzstd" / "LICENSE").write_text("MIT", "utf-8")
    (tmp_path / "root").mkdir()
    (tmp_path / "root" / "package.json").write_text('{"dependencies": {"fzstd": "1"}}', "utf-8")
    monkeypatch.setattr(licenses, "MODULES", tmp_path)
    monkeypatch.setattr(licenses, "ROOT", tmp_path / "root")
    with pytest.raises(StepError, match="new-part has no licence text"):
        write_licenses(tmp_path / "licenses.html")
