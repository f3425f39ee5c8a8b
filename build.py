"""Build, serve and test Leak Ladder from nothing but Python 3.11 or newer.

    python build.py serve     set everything up, build the page and serve it on this machine
    python build.py test      the whole suite, browser included

`python build.py --help` lists the other commands. This file only makes the virtual environment
and hands over to `py/leakladder_dev`, which runs inside it.
"""

import hashlib
import os
import subprocess
import sys
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parent
VENV = ROOT / ".venv"
OLDEST = (3, 11)
# Commands that need no more than what builds the page; every other one needs all tools.
LIGHT = {"serve", "build"}


def venv_python() -> Path:
    """Return the interpreter of the virtual environment, whether it exists or not."""
    if os.name == "nt":
        return VENV / "Scripts" / "python.exe"
    return VENV / "bin" / "python"


def fail(step: str, why: str, todo: str) -> int:
    """Say which step failed, why, and what to do; return the exit code for it."""
    print(f"\nbuild.py: the step '{step}' failed.\n  Why: {why}\n  What to do: {todo}")
    return 1


def install(requirements: Path) -> int:
    """Install pinned tools into the virtual environment unless the same ones are there.

    Args:
        requirements: File with exact versions and hashes.

    Returns:
        0, or an exit code after saying what went wrong.
    """
    wanted = hashlib.sha256(requirements.read_bytes() + sys.version.encode()).hexdigest()
    stamp = VENV / f"{requirements.stem}.installed"
    if stamp.exists() and stamp.read_text("utf-8") == wanted:
        return 0
    if not venv_python().exists():
        print(f"Making the virtual environment {VENV.name} ...", flush=True)
        venv.create(VENV, with_pip=True, clear=VENV.exists())
    print(f"Installing the tools of {requirements.name} ...", flush=True)
    command = [str(venv_python()), "-m", "pip", "install", "--quiet", "--require-hashes"]
    command += ["--disable-pip-version-check", "-r", str(requirements)]
    code = subprocess.call(command, cwd=ROOT)
    if code:
        todo = "check the network, delete .venv and run this again; pip's own message is above"
        return fail("install the Python tools", f"pip ended with exit code {code}", todo)
    stamp.write_text(wanted, "utf-8")
    return 0


def main(argv: list[str]) -> int:
    """Set up the environment for the command in `argv` and run it there."""
    if sys.version_info < OLDEST:
        have = ".".join(map(str, sys.version_info[:3]))
        return fail(
            "check Python", f"this is Python {have}", "run it with Python 3.11 or newer"
        )
    command = argv[0] if argv else "--help"
    files = ["requirements-build.txt"]
    if command not in LIGHT | {"-h", "--help"}:
        files.append("requirements-dev.txt")
    for name in files:
        code = install(ROOT / name)
        if code:
            return code
    environment = dict(os.environ, PYTHONPATH=str(ROOT / "py"), PYTHONUTF8="1")
    handover = [str(venv_python()), "-m", "leakladder_dev", *(argv or ["--help"])]
    if os.name == "posix":  # in this very process, so that a signal to it reaches the command
        os.chdir(ROOT)
        os.execve(handover[0], handover, environment)  # noqa: S606 - no shell is wanted
    try:
        return subprocess.call(handover, cwd=ROOT, env=environment)
    except KeyboardInterrupt:
        return 130


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
