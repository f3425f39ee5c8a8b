"""Build the second wheel, `leakladder-page`: the files of `dist/`, for `leakladder serve`."""

import os
import shutil
import sys
from pathlib import Path

from leakladder_dev.steps import CACHE, DIST, ROOT, run_step
from leakladder_dev.wheel import SOURCE_DATE_EPOCH, wheel_version

PROJECT = """\
[build-system]
requires = ["hatchling"]
build-backend = "hatchling.build"

[project]
name = "leakladder-page"
version = "{version}"
description = "The page of Leak Ladder, for `leakladder serve`."
requires-python = ">=3.11"
license = "Apache-2.0"
dependencies = ["leakladder=={version}"]

[tool.hatch.build.targets.wheel]
packages = ["leakladder_page"]
"""
CODE = (
    '"""The page of Leak Ladder as files: the folder `site`. `leakladder serve` shows it."""\n'
)


def build_page_wheel(out: Path) -> Path:
    """Build the wheel over `dist/` into a folder and return its path.

    Args:
        out: Where the wheel goes.

    Raises:
        StepError: If hatchling cannot build it.
    """
    project = CACHE / "page-wheel"
    shutil.rmtree(project, ignore_errors=True)
    package = project / "leakladder_page"
    shutil.copytree(DIST, package / "site")
    (package / "__init__.py").write_text(CODE, "utf-8")
    (project / "pyproject.toml").write_text(PROJECT.format(version=wheel_version()), "utf-8")
    shutil.copy(ROOT / "LICENSE", project / "LICENSE")
    out.mkdir(parents=True, exist_ok=True)
    run_step(
        "build the page's wheel",
        [sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", out],
        todo="see hatchling's message above",
        cwd=project,
        env=dict(os.environ, SOURCE_DATE_EPOCH=SOURCE_DATE_EPOCH),
    )
    shutil.rmtree(project)
    wheel = out / f"leakladder_page-{wheel_version()}-py3-none-any.whl"
    print(f"Built {wheel}: {wheel.stat().st_size / 1e6:.1f} MB", flush=True)
    return wheel
