"""The checkpoint's tensors, smoothed and quantized, layer by layer, as the graph wants them.

Smoothing scales are folded into what comes before: those of the two inputs that a layer
normalization feeds into its gain, those of the attention's output into the value weights. The
normalizations' biases go into the layers that read them and into the sums they are kept for, so
that bytes lie evenly around 0. What is left to do at run time is one multiplication after GELU,
and one in each residual, since the stream then carries the divided values.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from leakladder_dev.curves import EXP_UNIT, GELU_UNIT
from leakladder_dev.float_forward import HEADS, LAYERS, WIDTH
from leakladder_dev.quantize import Linear, quantize_linear, smoothing
from leakladder_dev.weights import Floats

Tensors = Mapping[str, Floats]
PARTS = ("query", "key", "value")

# What is added up is first rounded to these grids, in units per 1, so that float sums of it are
# exact (integers under 2^24) and the same on every machine, in whatever order they are added.
SCORE_UNIT = 2.0**-19
SCORE_GRID = math.sqrt(EXP_UNIT / SCORE_UNIT)  # 145; query times key up to 407, room to 797
VALUE_GRID = 256.0  # smoothed values, seen up to 2.6, room to 7.8
SHARE_GRID = 8192.0  # attention shares, up to 1
# `tests/test_graph.py` measures how much of the room random and odd texts take.
START_GRID = 1024.0  # the sum of the embeddings; squares are added in 32-bit integers
RESIDUAL_GRID = 64.0  # the sums of a layer's output and what it read, likewise

# The byte that stands for 0 in GELU's output, which reaches far above 0 and little below.
GELU_ZERO = 48


@dataclass(frozen=True, slots=True, eq=False)
class Block:
    """One encoder layer.

    Attributes:
        mix: Query, key and value in one product, in units of their grids.
        join: The attention's output layer, in units of RESIDUAL_GRID.
        grow: The feed-forward layer before GELU, in GELU's units.
        shrink: The one after it, in units of RESIDUAL_GRID.
        stream: [384], multiplies the residual back to its own size before attention is added.
        stream_inner: The same before the feed-forward output is added.
        squeeze: [1536], smooths GELU's output.
        gain: Of the normalization after attention.
        gain_out: Of the one after the feed-forward layers.
    """

    mix: Linear
    join: Linear
    grow: Linear
    shrink: Linear
    stream: Floats
    stream_inner: Floats
    squeeze: Floats
    gain: Floats
    gain_out: Floats


def _joined(tensors: Tensors, layer: int) -> tuple[Floats, Floats]:
    names = [f"encoder.layer.{layer}.attention.self.{part}" for part in PARTS]
    weight = np.concatenate([tensors[f"{name}.weight"].T for name in names], axis=1)
    return weight, np.concatenate([tensors[f"{name}.bias"] for name in names])


def _norm_before(layer: int) -> str:
    return f"encoder.layer.{layer - 1}.output.LayerNorm" if layer else "embeddings.LayerNorm"


def _gain(tensors: Tensors, name: str, divisor: Floats) -> Floats:
    gain: Floats = tensors[f"{name}.weight"] / divisor * np.float32(math.sqrt(WIDTH))
    return gain


def _moved(bias: Floats, shift: Floats, weight: Floats) -> Floats:
    """Return the bias of a layer whose input has lost `shift`; sums rounded once (fsum)."""
    products = shift[:, None].astype(np.float64) * weight
    sums = [math.fsum([*column, start]) for column, start in zip(products.T, bias, strict=True)]
    return np.array(sums, np.float32)


def input_scales(tensors: Tensors, maxima: Tensors, layer: int) -> Floats:
    """Return the smoothing scales of what layer number `layer` reads; ones after the last."""
    if layer == LAYERS:
        return np.ones(WIDTH, np.float32)
    known = maxima[f"encoder.layer.{layer}.attention.self.query"]
    return smoothing(known, _joined(tensors, layer)[0])


def make_start(tensors: Tensors, maxima: Tensors) -> Floats:
    """Return the gain of the normalization of the embeddings."""
    return _gain(tensors, _norm_before(0), input_scales(tensors, maxima, 0))


def last_bias(tensors: Tensors) -> Floats:
    """Return the bias of the last normalization, which no layer takes over."""
    return tensors[f"{_norm_before(LAYERS)}.bias"]


def make_block(tensors: Tensors, maxima: Tensors, layer: int) -> Block:
    """Smooth and quantize encoder layer number `layer`, 0 to 5."""
    name = f"encoder.layer.{layer}"

    def scales(part: str) -> Floats:
        return smoothing(maxima[f"{name}.{part}"], tensors[f"{name}.{part}.weight"].T)

    def weights(part: str) -> tuple[Floats, Floats]:
        return tensors[f"{name}.{part}.weight"].T, tensors[f"{name}.{part}.bias"]

    stream, following = (input_scales(tensors, maxima, at) for at in (layer, layer + 1))
    joining, growing = scales("attention.output.dense"), scales("intermediate.dense")
    shrinking = scales("output.dense")
    before = tensors[f"{_norm_before(layer)}.bias"]
    middle = tensors[f"{name}.attention.output.LayerNorm.bias"]
    ones = np.ones(WIDTH, np.float32)
    after = np.concatenate([
        ones * np.float32(SCORE_GRID / math.sqrt(WIDTH // HEADS)),
        ones * np.float32(SCORE_GRID),
        np.float32(VALUE_GRID) / joining,
    ])
    grid, curve = np.float32(RESIDUAL_GRID), np.float32(GELU_UNIT)
    mix, mix_bias = _joined(tensors, layer)
    join, join_bias = weights("attention.output.dense")
    grow, grow_bias = weights("intermediate.dense")
    shrink, shrink_bias = weights("output.dense")
    joined = joining * np.float32(RESIDUAL_GRID / (VALUE_GRID * SHARE_GRID))
    return Block(
        mix=quantize_linear(
            mix * stream[:, None] * after, _moved(mix_bias, before, mix) * after
        ),
        join=quantize_linear(join * joined[:, None], (join_bias + before) * grid),
        grow=quantize_linear(
            grow * growing[:, None] * curve, _moved(grow_bias, middle, grow) * curve
        ),
        shrink=quantize_linear(
            shrink * shrinking[:, None] * grid, (shrink_bias + middle) * grid, GELU_ZERO
        ),
        stream=stream * grid,
        stream_inner=growing * grid,
        squeeze=np.float32(1 / GELU_UNIT) / shrinking,
        gain=_gain(tensors, f"{name}.attention.output.LayerNorm", growing),
        gain_out=_gain(tensors, _norm_before(layer + 1), following),
    )
