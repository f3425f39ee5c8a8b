"""Packages that only the bench needs, in a virtual environment of their own under the cache."""

import hashlib
import json
import subprocess
import sys
import venv
from collections.abc import Sequence
from typing import Any

from leakladder_dev.bench_files import SCRIPTS
from leakladder_dev.steps import CACHE, ROOT, StepError, run_step

REQUIREMENTS = ROOT / "requirements-bench.txt"
FOLDER = CACHE / "bench-venv"
PYTHON = FOLDER / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python")


def ensure_venv() -> None:
    """Install what the bench needs, unless it is there already.

    Raises:
        StepError: If pip fails.
    """
    wanted = hashlib.sha256(REQUIREMENTS.read_bytes() + sys.version.encode()).hexdigest()
    stamp = FOLDER / ".installed"
    if stamp.exists() and stamp.read_text("utf-8") == wanted:
        return
    print("Installing the packages of requirements-bench.txt ...", flush=True)
    venv.create(FOLDER, with_pip=True, clear=FOLDER.exists())
    pip = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    run_step(
        "install the bench's packages",
        [PYTHON, *pip, "--require-hashes", "-r", REQUIREMENTS],
        todo="check the network, delete .cache/bench-venv and run this again",
    )
    stamp.write_text(wanted, "utf-8")


def run_in_venv(script: str, arguments: Sequence[str], given: object = None) -> Any:
    """Run one of the bench's scripts there and return the JSON that it prints, if any.

    Args:
        script: File name in tests/bench.
        arguments: Of the script.
        given: JSON-able, for its standard input.

    Raises:
        StepError: If it fails.
    """
    ensure_venv()
    command = [str(PYTHON), str(SCRIPTS / script), *arguments]
    done = subprocess.run(
        command, input=json.dumps(given), capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise StepError(f"run {script}", done.stderr.strip(), "see the message above")
    return json.loads(done.stdout) if done.stdout else None


def package_version(name: str) -> str:
    """Return the version of a package that is installed there."""
    ensure_venv()
    ask = f"from importlib.metadata import version; print(version({name!r}))"
    return subprocess.check_output([str(PYTHON), "-c", ask], text=True).strip()
