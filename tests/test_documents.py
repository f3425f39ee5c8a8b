"""The documents say what is so: the module table, the dependencies, the README's example."""

import json
import re
import tomllib
from pathlib import Path

import pytest

from test_layers import HOSTS, ORDER, PACKAGE, module_path

ROOT = Path(__file__).resolve().parents[1]
ARCHITECTURE = (ROOT / "ARCHITECTURE.md").read_text("utf-8")


def listed_modules() -> list[str]:
    """Return the module names of ARCHITECTURE's table, in its order."""
    table = ARCHITECTURE.split("## Modules of `py/leakladder`")[1].split("\n## ")[0]
    return re.findall(r"^\| `([^`]+)` \|", table, flags=re.MULTILINE)


def test_module_table_is_the_order() -> None:
    paths = [module_path(name) for name in [*filter(None, ORDER), *HOSTS]]
    assert listed_modules() == [path.relative_to(PACKAGE).as_posix() for path in paths]


def direct_dependencies() -> set[str]:
    """Return the name of every direct dependency of every manifest."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    lines = [*project["dependencies"]]
    for extra in project["optional-dependencies"].values():
        lines += extra
    for path in ROOT.glob("requirements-*.in"):
        lines += [line for line in path.read_text("utf-8").splitlines() if line[:1].isalpha()]
    package = json.loads((ROOT / "package.json").read_text("utf-8"))
    lines += [*package["dependencies"], *package["devDependencies"]]
    return {re.split(r"[=><; ]", line)[0] for line in lines}


@pytest.mark.parametrize("name", sorted(direct_dependencies()))
def test_dependency_is_named_with_its_reason(name: str) -> None:
    table = ARCHITECTURE.split("## Dependencies")[1].split("\n## ")[0]
    assert re.search(rf"(\| |, ){re.escape(name)}[ ,|]", table), f"{name} has no reason given"


def test_lock_files_hold_no_address() -> None:
    assert '"resolved"' not in (ROOT / "package-lock.json").read_text("utf-8")
    for path in ROOT.glob("requirements-*.txt"):
        assert "://" not in path.read_text("utf-8")


def test_requirements_are_pinned_with_hashes() -> None:
    for path in ROOT.glob("requirements-*.txt"):
        for line in path.read_text("utf-8").splitlines():
            assert not re.match(r"[a-z]", line) or "==" in line
        assert "--hash=sha256:" in path.read_text("utf-8")
