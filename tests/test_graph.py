"""The arithmetic of the model's graph: its curves, and room on the grids for any text."""

import math
import random

import numpy as np
import numpy.typing as npt
import onnx
import pytest
from onnx import helper

from leakladder.embed_native import NativeEmbedder, find_model
from leakladder_dev import model
from leakladder_dev.curves import (
    EXP_EDGE,
    EXP_FACTORS,
    EXP_UNIT,
    GELU_EDGE,
    GELU_FACTORS,
    GELU_UNIT,
)
from leakladder_dev.float_forward import LAYERS

Doubles = npt.NDArray[np.float64]
PIECES = 30522
ODD = [
    "",
    "x" * 5000,
    "a b" * 2500,
    "\u4e16\u754c" * 400,
    "[CLS] [SEP] [MASK] [UNK] [PAD]",
    "!" * 300,
    "0 " * 300,
    "for (let i = 0; i < n; i++) total += row[i];",
]


def test_the_curves_are_near_gelu_and_e_to_the_x() -> None:
    for x in np.linspace(-8, 8, 3201):
        inside = min(max(x, -GELU_EDGE), GELU_EDGE) * GELU_UNIT
        slope = np.polyval([1, *GELU_FACTORS[::-1]], inside**2)
        exact = x * (1 + math.erf(x / math.sqrt(2))) / 2
        assert x * (0.5 + inside * slope) == pytest.approx(exact, abs=0.0012)
    for x in np.linspace(-EXP_EDGE, 0, 1201):
        value = np.polyval([1, *EXP_FACTORS[::-1]], x * EXP_UNIT) ** 16 / 2**16
        assert value == pytest.approx(math.exp(x), abs=0.00011)


def draw_rows() -> list[list[int]]:
    """Rows of pieces that no text is made of: random, one piece repeated, marks in between."""
    draw = random.Random(1)
    rows = []
    for length in [1, 2, 5, 14, 60, 256] * 4:
        rows.append([draw.randrange(PIECES) for _ in range(length)])
        rows.append([draw.randrange(PIECES)] * length)
        marks = [0, 100, 102, 103]
        rows.append([draw.choice([*marks, draw.randrange(1000)]) for _ in range(length)])
    return rows


def test_sums_stay_exact_with_room_whatever_a_row_holds() -> None:
    """Squares under 2^31, products and shares under 2^24, no token whose step is nothing."""
    body = onnx.load(model.ASSET / model.MODEL)
    layers = [f"layer{at}" for at in range(LAYERS)]
    squared = ["tokens", *(f"{at}.{part}" for at in layers for part in ("attended", "fed"))]
    heads = [f"{at}.attention.{part}" for at in layers for part in ("query", "key", "value")]
    totals = [f"{at}.attention.shares.total" for at in layers]
    inputs = ("attention.mix", "attention.join", "grow", "shrink")
    steps = [f"{at}.{part}.step" for at in layers for part in inputs]
    names = [*squared, *heads, *totals, *steps]
    for name in names:
        body.graph.output.append(helper.make_empty_tensor_value_info(name))
    import onnxruntime

    session = onnxruntime.InferenceSession(
        body.SerializeToString(), providers=["CPUExecutionProvider"]
    )
    rows = draw_rows() + [list(row.ids) for row in NativeEmbedder(find_model()).cut_texts(ODD)]
    for row in rows:
        ids = np.array([row], np.int64)
        feeds = {"input_ids": ids, "attention_mask": np.ones_like(ids)}
        found: dict[str, Doubles] = {
            name: np.abs(value.astype(np.float64))
            for name, value in zip(names, session.run(names, feeds), strict=True)
        }
        for name in squared:
            assert (np.rint(found[name]) ** 2).sum(-1).max() < 2**31 / 4, name
        for name in steps:
            assert found[name].min() > 1e-3, name
        for at, total in zip(layers, totals, strict=True):
            query, key, value = (
                found[f"{at}.attention.{p}"] for p in ("query", "key", "value")
            )
            assert (query @ np.swapaxes(key, -1, -2)).max() < 2**24 / 2
            assert value.max() * 8192 < 2**24 / 2
            assert found[total].max() <= 2**24
