"""Build the wheel reproducibly, and fetch micropip's wheel once, checked by its hash."""

import hashlib
import os
import shutil
import sys
from pathlib import Path

from leakladder_dev.steps import CACHE, ROOT, StepError, run_step

MICROPIP = "micropip-0.11.1-py3-none-any.whl"
MICROPIP_SHA256 = "768de165adb8e66906039d8fec4127a57f522dfdf8e6fbff877a4616941ecfd3"
# 2020-01-01: one fixed time for every file in the wheel, so that two builds are byte-identical.
SOURCE_DATE_EPOCH = "1577836800"


def build_wheel() -> Path:
    """Build `leakladder`'s wheel into the cache folder and return its path.

    Raises:
        StepError: If hatchling cannot build it.
    """
    out = CACHE / "wheel"
    shutil.rmtree(out, ignore_errors=True)
    out.mkdir(parents=True)
    run_step(
        "build the wheel",
        [sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", out],
        todo="see hatchling's message above; pyproject.toml says what it packs",
        env=dict(os.environ, SOURCE_DATE_EPOCH=SOURCE_DATE_EPOCH),
    )
    (wheel,) = out.glob("leakladder-*.whl")
    return wheel


def micropip_wheel() -> Path:
    """Return micropip's wheel, downloading it by pip if the cache does not hold it.

    Raises:
        StepError: If it cannot be had or its hash is not the pinned one.
    """
    path = CACHE / MICROPIP
    if not path.exists():
        CACHE.mkdir(exist_ok=True)
        # micropip needs a newer Python than may run here, so it is downloaded, not installed.
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps"]
        command += ["--python-version", "3.14", "--only-binary=:all:", "--dest", str(CACHE)]
        run_step(
            "download micropip",
            [*command, "micropip==" + MICROPIP.split("-")[1]],
            todo="check the network and run this again",
        )
    found = hashlib.sha256(path.read_bytes()).hexdigest()
    if found != MICROPIP_SHA256:
        path.unlink()
        why = f"{MICROPIP} has SHA-256 {found}, not the pinned {MICROPIP_SHA256}"
        todo = "run this again; if it happens twice, do not trust the package index you use"
        raise StepError("check micropip", why, todo)
    return path


def wheel_version() -> str:
    """Return the version in `py/leakladder/version.py`."""
    source = (ROOT / "py" / "leakladder" / "version.py").read_text("utf-8")
    line = next(line for line in source.splitlines() if line.startswith("__version__"))
    return line.split('"')[1]
