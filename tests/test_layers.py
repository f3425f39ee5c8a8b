"""Imports run one way: the order below is the pipeline, read top to bottom.

A module may import only modules above it. A new module must be given its place here, which is
also the table in ARCHITECTURE.md (`test_documents.py` compares them).
"""

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = ROOT / "py" / "leakladder"
WEB = ROOT / "web"

ORDER = [
    "errors",
    "results",
    "jobs",
    "settings",
    "version",
    "wording",
    "read.info",
    "read.unpack",
    "read.lines",
    "read.jsontext",
    "read.sniff",
    "read.jsonl",
    "read.document",
    "read.containers",
    "read.json_file",
    "read.delimited",
    "read.plain",
    "read.arrow",
    "read.parquet",
    "read",
    "values",
    "fields",
    "sides",
    "normalize",
    "letters",
    "tokens",
    "rowkey",
    "automaton",
    "grams",
    "hits",
    "scan",
    "runs",
    "charsearch",
    "charwindows",
    "overlap",
    "findings",
    "coverage",
    "measures",
    "rules",
    "facts",
    "judgement",
    "meaning",
    "alike",
    "marking",
    "paging",
    "ngram_report",
    "rows_report",
    "rules_report",
    "csv_export",
    "stamp",
    "meaning_report",
    "meaning_files",
    "searches",
    "rungs",
    "touching",
    "twins",
    "culprits",
    "overview",
    "outcome",
    "cut",
    "clean",
    "removal",
    "cite",
    "pipeline",
    "meaning_inputs",
    "replay",
    "meaning_replay",
    "verify",
    "",
]
HOSTS = [
    "bridge_meaning",
    "bridge_more",
    "pipes",
    "terminal",
    "cli_serve",
    "embed_native",
    "train_files",
    "download",
    "bridge",
    "cli_output",
    "corpora",
    "describe",
    "search_native",
    "meaning_native",
    "command",
    "reproduce",
    "cli_meaning",
    "cli_clean",
    "cli_more",
    "cli",
    "__main__",
]

WEB_MAY_IMPORT = {
    ".": {".", "views", "lib"},
    "views": {"views", "lib"},
    "lib": {"lib"},
    "worker": {"worker", "lib"},
}
HOST_MODULES = {
    "js",
    "pyodide",
    "pyodide_js",
    "typer",
    "rich",
    "numpy",
    "onnxruntime",
    "os",
    "time",
}


def dotted(path: Path) -> str:
    """Return a module's name inside the package: `read/jsonl.py` is `read.jsonl`."""
    parts = list(path.relative_to(PACKAGE).with_suffix("").parts)
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def module_path(name: str) -> Path:
    """Return the file of a module name."""
    base = PACKAGE.joinpath(*name.split(".")) if name else PACKAGE
    return base / "__init__.py" if base.is_dir() else base.with_suffix(".py")


def resolve(target: str) -> str:
    """Return the module that an absolute import inside the package ends at."""
    inner = target.removeprefix("leakladder").lstrip(".")
    while inner and not module_path(inner).exists():
        inner = inner.rpartition(".")[0]
    return inner


def imported_modules(name: str) -> set[str]:
    """Return every module of ours that a module imports, by any form, at any depth of it."""
    found: set[str] = set()
    path = module_path(name)
    package = name if path.name == "__init__.py" else name.rpartition(".")[0]
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            targets = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:
                parents = package.split(".") if package else []
                kept = parents[: len(parents) - (node.level - 1)]
                base = ".".join(["leakladder", *kept, *([base] if base else [])])
            targets = [f"{base}.{alias.name}" for alias in node.names]
        else:
            continue
        ours = [target for target in targets if target.split(".")[0] == "leakladder"]
        found.update(resolve(target) for target in ours)
    return found - {name}


def test_every_module_has_a_place() -> None:
    present = {dotted(path) for path in PACKAGE.rglob("*.py")}
    assert present == {*ORDER, *HOSTS}


@pytest.mark.parametrize("name", [name for name in ORDER if name])
def test_module_imports_only_what_comes_before_it(name: str) -> None:
    allowed = set(ORDER[: ORDER.index(name)])
    extra = imported_modules(name) - allowed
    assert not extra, f"{name} imports {sorted(extra)}, which comes later or has no place"


def test_hosts_are_imported_by_nobody_else() -> None:
    for name in ORDER:
        assert not imported_modules(name) & set(HOSTS), name


@pytest.mark.parametrize("name", [name for name in ORDER if name])
def test_core_knows_no_host(name: str) -> None:
    tree = ast.parse(module_path(name).read_text("utf-8"))
    names: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names.update(alias.name.split(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            names.add(node.module.split(".")[0])
    assert not names & HOST_MODULES


@pytest.mark.parametrize("path", sorted(PACKAGE.rglob("*.py")), ids=dotted)
def test_module_says_its_stage_and_stays_small(path: Path) -> None:
    text = path.read_text("utf-8")
    assert len(text.splitlines()) <= 400
    if path != PACKAGE / "__init__.py":
        lead = (ast.get_docstring(ast.parse(text)) or "").split("\n")[0]
        assert re.match(r"(leaf|all|host|(Stage )?\d[a-z]?) - ", lead), lead


@pytest.mark.parametrize("path", sorted(WEB.rglob("*.js")), ids=lambda path: path.name)
def test_page_module_keeps_to_its_layer(path: Path) -> None:
    text = path.read_text("utf-8")
    folder = path.parent.relative_to(WEB).as_posix()
    # Imports of types stand in comments and bind no layer.
    pattern = r"""^(?:import|export)\b(?:[^'"]*?\bfrom)?\s*['"](\.[^'"]+)['"]"""
    for target in re.findall(pattern, text, flags=re.MULTILINE):
        if target.endswith(".d.ts"):
            continue
        place = (path.parent / target).resolve().parent.relative_to(WEB).as_posix()
        assert place in WEB_MAY_IMPORT[folder], f"{path.name} imports {target}"
    assert len(text.splitlines()) <= 400


@pytest.mark.parametrize("path", sorted(WEB.rglob("*.js")), ids=lambda path: path.name)
def test_page_never_turns_text_into_markup_or_code(path: Path) -> None:
    text = path.read_text("utf-8")
    for word in ("innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval("):
        assert word not in text
    assert not re.search(r"new Function\b|\bFunction\(", text)


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("from leakladder.errors import LadderError", {"errors"}),
        ("import leakladder.read.jsonl", {"read.jsonl"}),
        ("from leakladder.read import jsonl", {"read.jsonl"}),
        ("from . import errors", {"errors"}),
        ("from .read import sniff", {"read.sniff"}),
        ("def f():\n    from leakladder import runs", {"runs"}),
        ("import json", set()),
    ],
)
def test_every_form_of_import_is_seen(
    source: str, expected: set[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("errors", "runs", "read/jsonl", "read/sniff", "read/__init__"):
        target = tmp_path / f"{name}.py"
        target.parent.mkdir(exist_ok=True)
        target.write_text("", "utf-8")
    (tmp_path / "planted.py").write_text(source, "utf-8")
    monkeypatch.setitem(globals(), "PACKAGE", tmp_path)
    assert imported_modules("planted") == expected
