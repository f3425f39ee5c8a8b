"""The build's own list: every file with its size, SHA-256 and group, and the build's name.

Groups say when a browser keeps a file for offline use: `core` at once, `model` after its first
use or on request, `copy` and `host` never (the saved copies themselves, and what only the host
or the browser's update check reads).
"""

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypedDict

from leakladder_dev.wheel import wheel_version

MANIFEST = "manifest.json"
HOST_FILES = ("sw.js", "_headers")
COPY_FILES = ("leakladder-offline.html", "leakladder-offline-core.html")
MODEL_PARTS = ("models/", "ort/", "meaning-worker.js")


class Entry(TypedDict):
    """One file of the build."""

    bytes: int
    sha256: str
    group: str


def group_of(name: str) -> str:
    """Return the group of a path in the build."""
    if name in HOST_FILES:
        return "host"
    if name in COPY_FILES:
        return "copy"
    return "model" if name.startswith(MODEL_PARTS) else "core"


def list_files(out: Path) -> dict[str, Entry]:
    """Return every file of the build except the list itself, by path, in order."""
    found: dict[str, Entry] = {}
    for path in sorted(out.rglob("*")):
        name = path.relative_to(out).as_posix()
        if path.is_file() and name != MANIFEST:
            data = path.read_bytes()
            digest = hashlib.sha256(data).hexdigest()
            found[name] = {"bytes": len(data), "sha256": digest, "group": group_of(name)}
    return found


def build_name(files: Mapping[str, Entry], bounds: Mapping[str, int]) -> str:
    """Return the name of the build: it changes when anything that a page reads changes."""
    read = {name: entry for name, entry in files.items() if entry["group"] in {"core", "model"}}
    listing = json.dumps([read, dict(bounds)], sort_keys=True)
    return hashlib.sha256(listing.encode()).hexdigest()[:16]


def make_manifest(
    build: str, bounds: Mapping[str, int], files: Mapping[str, Entry], **more: Any
) -> str:
    """Return the text of a manifest over `files`."""
    manifest = {
        "build": build,
        "version": wheel_version(),
        "bounds": dict(bounds),
        "files": dict(files),
        **more,
    }
    return json.dumps(manifest, indent=1, sort_keys=True) + "\n"
