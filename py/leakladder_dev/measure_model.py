"""Measure the model asset: error against the floats, recall on GSM-Plus, speed in WebAssembly.

`python -m leakladder_dev.measure_model` prints all of it as Markdown, which the card quotes.
"""

import json
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from leakladder.embed_native import NativeEmbedder, Vectors, find_model
from leakladder.jobs import finish
from leakladder_dev.float_forward import FloatModel
from leakladder_dev.float_graph import build_dynamic
from leakladder_dev.model import ASSET, MODEL
from leakladder_dev.node import ensure_modules
from leakladder_dev.steps import CACHE, ROOT
from leakladder_dev.weights import read_weights

TESTMINI = ROOT.parent / "shared" / "data" / "gsmplus_testmini.jsonl"
HIGH = 0.75
THRESHOLDS = (0.80, 0.85, 0.90, 0.95)


@dataclass(frozen=True, slots=True)
class ModelError:
    """Cosines of the asset less those of the float model, over pairs of floats above 0.75.

    Attributes:
        pairs: How many there are.
        largest: Largest error, without its sign.
        spread: Standard deviation.
        mean: With its sign.
    """

    pairs: int
    largest: float
    spread: float
    mean: float


@dataclass(frozen=True, slots=True)
class Recall:
    """Seeds found again in their reworded copies, at one threshold.

    Attributes:
        threshold: Cosine at or above which a pair counts.
        found: Seeds whose own copy is there.
        false: Seeds with another seed's copy there.
        seeds: All seeds.
    """

    threshold: float
    found: int
    false: int
    seeds: int


def read_testmini(field: str, kind: str | None = None) -> list[str]:
    """Return one field of the GSM-Plus testmini rows, of one kind of edit or of all."""
    rows = [json.loads(line) for line in TESTMINI.read_text("utf-8").split("\n") if line]
    return [row[field] for row in rows if kind in {None, row["perturbation_type"]}]


def embed_texts(embedder: NativeEmbedder, texts: Sequence[str]) -> Vectors:
    """Embed texts with the asset."""
    return finish(embedder.embed([row.ids for row in embedder.cut_texts(texts)]))


def measure_error(embedder: NativeEmbedder, texts: Sequence[str]) -> ModelError:
    """Compare the asset with the float model over all pairs of texts."""
    rows = [row.ids for row in embedder.cut_texts(texts)]
    floats = FloatModel(read_weights()).embed(rows)
    expected = floats @ floats.T
    ours = finish(embedder.embed(rows))
    error = (ours @ ours.T - expected)[np.triu(expected > HIGH, 1)]
    return ModelError(
        error.size, float(np.abs(error).max()), float(error.std()), float(error.mean())
    )


def measure_recall(embedder: NativeEmbedder) -> list[Recall]:
    """Look for the 300 seed questions among their `problem understanding` copies."""
    kind = "problem understanding"
    seeds = embed_texts(embedder, read_testmini("seed_question", kind))
    copies = embed_texts(embedder, read_testmini("question", kind))
    cosines = seeds @ copies.T
    own = np.eye(len(seeds), dtype=bool)
    table = []
    for threshold in THRESHOLDS:
        found = cosines >= threshold
        false = int((found & ~own).any(1).sum())
        table.append(Recall(threshold, int(found[own].sum()), false, len(seeds)))
    return table


def measure_speed() -> str:
    """Return rows per second in onnxruntime-web beside a per-tensor file, as Markdown."""
    node = ensure_modules(everything=True)
    dynamic = CACHE / "model" / "dynamic.onnx"
    if not dynamic.exists():
        build_dynamic(dynamic)
    script = ROOT / "tests" / "bench" / "model_speed.mjs"
    done = subprocess.run(
        [node, script, ASSET / MODEL, dynamic], capture_output=True, text=True, check=True
    )
    return done.stdout


def report() -> str:
    """Return all measurements as Markdown."""
    embedder = NativeEmbedder(find_model())
    error = measure_error(embedder, read_testmini("question"))
    lines = [
        f"Error against the floats over {error.pairs:,} pairs with float cosine above {HIGH}: "
        f"largest {error.largest:.4f}, standard deviation {error.spread:.4f}, "
        f"mean {error.mean:+.4f}.",
        "",
        "| threshold | seeds found | false flags |",
        "|---|---|---|",
    ]
    for row in measure_recall(embedder):
        shares = [f"{n} of {row.seeds} ({n / row.seeds:.1%})" for n in (row.found, row.false)]
        lines.append(f"| {row.threshold:.2f} | {shares[0]} | {shares[1]} |")
    return "\n".join([*lines, "", measure_speed()])


if __name__ == "__main__":
    sys.stdout.write(report())
