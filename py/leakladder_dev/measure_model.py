"""Measure the model asset: error against the floats, recall on GSM-Plus, speed in WebAssembly.

`python -m leakladder_dev.measure_model` prints all of it as Markdown, which the card quotes.
"""

import ast
import json
import subprocess
import sys
import sysconfig
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

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
BITS = 400
SKIPPED = {"idlelib", "site-packages", "test"}
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


def read_gsm8k(side: str) -> list[str]:
    """Return the questions of one side of GSM8K."""
    lines = TESTMINI.with_name(f"gsm8k_{side}.jsonl").read_text("utf-8").split("\n")
    return [json.loads(line)["question"] for line in lines if line]


def read_docstrings() -> list[str]:
    """Return the standard library's docstrings, first paragraphs of 20 to 300 characters."""
    root = Path(sysconfig.get_path("stdlib"))
    found: dict[str, None] = {}
    for path in [*sorted(root.glob("*.py")), *sorted(root.glob("[a-z]*/*.py"))]:
        if not SKIPPED & set(path.relative_to(root).parts):
            for node in ast.walk(ast.parse(path.read_bytes())):
                if isinstance(node, (ast.FunctionDef, ast.ClassDef, ast.Module)):
                    text = " ".join((ast.get_docstring(node) or "").split("\n\n")[0].split())
                    if 20 <= len(text) <= 300:
                        found[text] = None
    return list(found)


JUDGED = {"GSM-Plus testmini, 2,400 questions": lambda: read_testmini("question")}
OTHERS = {
    "GSM8K train, first 3,000 questions": lambda: read_gsm8k("train")[:3000],
    "GSM8K test, 1,319 questions": lambda: read_gsm8k("test"),
    "docstrings of Python's standard library": read_docstrings,
}


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


def measure_bits(embedder: NativeEmbedder, texts: Sequence[str]) -> int:
    """Count the texts whose vector has other bits alone, in batches or in another order."""
    together = embed_texts(embedder, texts)
    backwards = embed_texts(embedder, texts[::-1])[::-1]
    alone = np.concatenate([embed_texts(embedder, [text]) for text in texts])
    same = (together == backwards).all(1) & (together == alone).all(1)
    return int((~same).sum())


def describe_error(name: str, error: ModelError) -> str:
    """Return one row of the table of errors."""
    return (
        f"| {name} | {error.pairs:,} | {error.largest:.4f} | {error.spread:.4f} "
        f"| {error.mean:+.4f} |"
    )


def report(sources: Mapping[str, Callable[[], list[str]]]) -> str:
    """Return all measurements as Markdown, the error over each of the sources of texts."""
    embedder = NativeEmbedder(find_model())
    lines = [
        f"Cosines of the asset less those of the floats, over pairs with float cosine above "
        f"{HIGH} (targets on GSM-Plus testmini: largest 0.012, standard deviation 0.0025):",
        "",
        "| texts | pairs | largest | standard deviation | mean |",
        "|---|---|---|---|---|",
    ]
    for name, read in sources.items():
        lines.append(describe_error(name, measure_error(embedder, read())))
    texts = read_testmini("question")[:BITS]
    lines += [
        "",
        f"Vectors with other bits alone, in batches or backwards: "
        f"{measure_bits(embedder, texts)} of {len(texts)} (target 0).",
        "",
        "| threshold | seeds found | false flags |",
        "|---|---|---|",
    ]
    for row in measure_recall(embedder):
        shares = [f"{n} of {row.seeds} ({n / row.seeds:.1%})" for n in (row.found, row.false)]
        lines.append(f"| {row.threshold:.2f} | {shares[0]} | {shares[1]} |")
    speeds = "Speed in onnxruntime-web, WebAssembly, one thread (target for each ratio: 0.95):"
    return "\n".join([*lines, "", speeds, "", measure_speed()])


if __name__ == "__main__":
    sys.stdout.write(report({**JUDGED, **OTHERS}))
