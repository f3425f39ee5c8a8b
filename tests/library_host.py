"""Run inside Pyodide by test_page_stdlib.py: what modules of Python's library ask for."""

import ast
import os
import zipfile
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

STDLIB = Path(os.__file__).parent  # a zip file


def imports_of(files: list[str], wanted: list[str]) -> dict[str, list[str]]:
    """Find imports, also those inside functions, that name some modules.

    Args:
        files: To look at, as the library's zip file names them.
        wanted: The modules, as files too.

    Returns:
        Per file that names any, those files.
    """
    found = {}
    with zipfile.ZipFile(STDLIB) as library:
        for file in files:
            named = set(_imports(file, ast.parse(library.read(file))))
            if asked := sorted(path for path in wanted if _module(path) in named):
                found[file] = asked
    return found


def _module(file: str) -> str:
    return file.removesuffix(".py").removesuffix("/__init__").replace("/", ".")


def _imports(file: str, tree: ast.AST) -> Iterator[str]:
    package = PurePosixPath(file).parent.parts
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            above = package[: len(package) - node.level + 1] if node.level else ()
            base = ".".join([*above, *filter(None, [node.module])])
            yield base
            yield from (f"{base}.{alias.name}" for alias in node.names)
