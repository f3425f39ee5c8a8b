"""Run inside Pyodide by start_host.mjs: what a start of the page's Python compiles."""

import importlib
import json
import os
import sys
import traceback
from pathlib import Path

compiled: list[str] = []


def listen(event: str, arguments: tuple[object, ...]) -> None:
    """Note the file of every module that is compiled from its source."""
    if event == "compile" and str(arguments[1]).endswith(".py"):
        compiled.append(str(arguments[1]))


sys.addaudithook(listen)
STDLIB = f"{Path(os.__file__).parent}/"  # a zip file


async def start(wheel: str) -> None:
    """Install the package as the page does, and import what the page imports."""
    micropip = importlib.import_module("micropip")  # late: it is looked at too
    await micropip.install(wheel, deps=False)
    importlib.import_module("leakladder.bridge")


def found() -> str:
    """Return as JSON what was loaded of the library, what was compiled, and a traceback."""
    files = [
        getattr(module, "__file__", None) or ""
        for module in sys.modules.values()
        if module.__spec__ is None or module.__spec__.origin != "frozen"
    ]
    loaded = [path.removeprefix(STDLIB) for path in files if path.startswith(STDLIB)]
    told = [path for path in compiled if not path.endswith("start_host.py")]
    fault = ""
    try:
        json.loads("{")
    except ValueError:
        fault = traceback.format_exc()
    return json.dumps({"loaded": sorted(loaded), "compiled": told, "fault": fault})
