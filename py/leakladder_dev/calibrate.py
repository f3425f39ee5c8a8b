"""The largest size of each input channel over our own texts: what smoothing is made from."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from leakladder_dev.float_forward import FloatModel
from leakladder_dev.weights import Floats

STORED = Path(__file__).with_name("calibration.json")
TEXTS = Path(__file__).with_name("calibration.txt")


def read_texts() -> list[str]:
    """Return the committed calibration texts."""
    return TEXTS.read_text("utf-8").splitlines()


def measure_maxima(
    tensors: Mapping[str, Floats], rows: Sequence[Sequence[int]]
) -> Mapping[str, list[float]]:
    """Run the float model over token ids and note, to three digits, how large channels get.

    Query, key and value read the same input; it is noted once, under query.
    """
    found: dict[str, Floats] = {}

    def watch(name: str, x: Floats) -> None:
        largest = np.abs(x).max((0, 1))
        found[name] = np.maximum(found.get(name, largest), largest)

    FloatModel(tensors, watch).embed(rows)
    return {
        name: [float(f"{value:.3g}") for value in values]
        for name, values in found.items()
        if not name.endswith((".key", ".value"))
    }


def write_maxima(maxima: Mapping[str, list[float]]) -> None:
    """Store the maxima, one layer a line."""
    lines = [f'"{name}": {json.dumps(values)}' for name, values in maxima.items()]
    STORED.write_text("{\n" + ",\n".join(lines) + "\n}\n", "utf-8")


def read_maxima() -> Mapping[str, Floats]:
    """Return the committed maxima by linear layer."""
    stored = json.loads(STORED.read_text("utf-8"))
    return {name: np.array(values, np.float32) for name, values in stored.items()}
