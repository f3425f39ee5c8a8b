"""`python build.py check`: lint, types, layers, documents, own words."""

import subprocess
import sys
from collections.abc import Callable

from leakladder_dev.node import ensure_modules, module_program
from leakladder_dev.ownwords import REFERENCE, shared_runs
from leakladder_dev.steps import ROOT, StepError

PYTHON = ("py", "tests", "build.py")


def run(words: list[str]) -> bool:
    """Run a tool, its output shown; True if it found nothing."""
    return subprocess.call(words, cwd=ROOT) == 0


def python_checks() -> dict[str, Callable[[], bool]]:
    """Return the checks of the Python half by name."""
    module = [sys.executable, "-m"]
    static = ["tests/test_layers.py", "tests/test_documents.py"]
    return {
        "ruff check": lambda: run([*module, "ruff", "check", *PYTHON]),
        "ruff format": lambda: run([*module, "ruff", "format", "--check", *PYTHON]),
        "mypy": lambda: run([*module, "mypy"]),
        "layers and documents": lambda: run([*module, "pytest", "-q", *static]),
        "own words": own_words,
    }


def web_checks(node: str) -> dict[str, Callable[[], bool]]:
    """Return the checks of the web half by name.

    Raises:
        StepError: If a tool's npm package is damaged.
    """
    tsc = str(module_program("typescript", "bin", "tsc"))
    biome = str(module_program("@biomejs/biome", "bin", "biome"))
    return {
        "types of the page": lambda: run([node, tsc, "-p", "tsconfig.json"]),
        "types of the workers": lambda: run([node, tsc, "-p", "tsconfig.worker.json"]),
        "biome": lambda: run([node, biome, "ci", "--colors=off", "--max-diagnostics=20"]),
    }


def own_words() -> bool:
    """Print what our text shares with the source documents; True if nothing."""
    if not REFERENCE.is_dir():
        print("own words: the source documents are not on this machine, so nothing to compare")
        return True
    lines = shared_runs()
    for line in lines:
        print(line)
    return not lines


def run_checks() -> int:
    """Run every check and list those that failed.

    Raises:
        StepError: If the tools cannot be had.
    """
    checks = {**python_checks(), **web_checks(ensure_modules(everything=True))}
    failed = []
    for name, check in checks.items():
        print(f"== {name}", flush=True)
        if not check():
            failed.append(name)
    if failed:
        why = f"{', '.join(failed)} found something"
        raise StepError(
            "check", why, "see the lines above; `ruff format` and `biome` can mend form"
        )
    print("All checks passed.")
    return 0
