"""Run the whole test suite: JavaScript units in Node.js, everything else under pytest."""

import os
import subprocess
import sys
from collections.abc import Sequence

from leakladder_dev.browser import find_browser
from leakladder_dev.dist import ensure_dist
from leakladder_dev.node import ensure_modules
from leakladder_dev.steps import ROOT
from leakladder_dev.weights import try_package


def run_suite(arguments: Sequence[str]) -> int:
    """Build, then run every test; `arguments` go to pytest, and then only pytest runs.

    Raises:
        StepError: If the build or the browser cannot be had.
    """
    node = ensure_modules(everything=True)
    ensure_dist()
    try_package()
    environment = dict(
        os.environ, LEAKLADDER_BROWSER=find_browser(), LEAKLADDER_NODE=node, PYTHONUTF8="1"
    )
    codes = []
    scripts = sorted((ROOT / "tests" / "web").glob("*.test.js"))
    if scripts and not arguments:
        print(f"JavaScript units: {len(scripts)} files under node --test", flush=True)
        codes.append(subprocess.call([node, "--test", *map(str, scripts)], cwd=ROOT))
    command = [sys.executable, "-m", "pytest", *arguments]
    codes.append(subprocess.call(command, cwd=ROOT, env=environment))
    return next((code for code in codes if code), 0)
