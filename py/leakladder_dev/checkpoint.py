"""The checkpoint's tensors, smoothed and quantized, layer by layer, as the graph wants them.

Smoothing scales are folded into what comes before: those of the two inputs that a layer
normalization feeds into its gain and bias, those of the attention's output into the value
weights. What is left to do at run time is one multiplication after GELU, and one in each
residual, since the stream then carries the divided values.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from leakladder_dev.float_forward import HEADS, LAYERS, WIDTH
from leakladder_dev.quantize import MIDDLE, Linear, quantize_linear, smoothing
from leakladder_dev.weights import Floats

Tensors = Mapping[str, Floats]
PARTS = ("query", "key", "value")

# Attention's factors are rounded to these grids, so that float products of them are exact
# (integers under 2^24) and the same on every machine, in whatever order they are added.
SCORE_GRID = (
    128.0  # units per 1 of a query or key; seen up to 407 per product sum, room to 1,024
)
VALUE_GRID = 256.0  # units per 1 of a smoothed value; seen up to 2.6, room to 7.8
SHARE_GRID = 8192.0  # units per 1 of an attention share
GELU_ZERO = 48


@dataclass(frozen=True, slots=True, eq=False)
class Norm:
    """A layer normalization whose output is divided by the smoothing scales of its reader."""

    gain: Floats
    bias: Floats


@dataclass(frozen=True, slots=True, eq=False)
class Block:
    """One encoder layer.

    Attributes:
        mix: Query, key and value in one product, in units of their grids.
        join: The attention's output layer.
        grow: The feed-forward layer before GELU.
        shrink: The one after it.
        stream: [384], multiplies the residual back to its own size before attention is added.
        stream_inner: The same before the feed-forward output is added.
        squeeze: [1536], smooths GELU's output.
        norm: After attention.
        norm_out: After the feed-forward layers.
    """

    mix: Linear
    join: Linear
    grow: Linear
    shrink: Linear
    stream: Floats
    stream_inner: Floats
    squeeze: Floats
    norm: Norm
    norm_out: Norm


def _joined(tensors: Tensors, layer: int) -> tuple[Floats, Floats]:
    names = [f"encoder.layer.{layer}.attention.self.{part}" for part in PARTS]
    weight = np.concatenate([tensors[f"{name}.weight"].T for name in names], axis=1)
    return weight, np.concatenate([tensors[f"{name}.bias"] for name in names])


def _norm(tensors: Tensors, name: str, divisor: Floats) -> Norm:
    return Norm(tensors[f"{name}.weight"] / divisor, tensors[f"{name}.bias"] / divisor)


def input_scales(tensors: Tensors, maxima: Tensors, layer: int) -> Floats:
    """Return the smoothing scales of what layer number `layer` reads; ones after the last."""
    if layer == LAYERS:
        return np.ones(WIDTH, np.float32)
    known = maxima[f"encoder.layer.{layer}.attention.self.query"]
    return smoothing(known, _joined(tensors, layer)[0])


def first_norm(tensors: Tensors, maxima: Tensors) -> Norm:
    """Return the normalization of the embeddings."""
    return _norm(tensors, "embeddings.LayerNorm", input_scales(tensors, maxima, 0))


def make_block(tensors: Tensors, maxima: Tensors, layer: int) -> Block:
    """Smooth and quantize encoder layer number `layer`, 0 to 5."""
    name = f"encoder.layer.{layer}"

    def scales(part: str) -> Floats:
        return smoothing(maxima[f"{name}.{part}"], tensors[f"{name}.{part}.weight"].T)

    def linear(part: str, divisor: Floats, zero: int | None) -> Linear:
        weight = tensors[f"{name}.{part}.weight"].T * divisor[:, None]
        return quantize_linear(weight, tensors[f"{name}.{part}.bias"], zero)

    stream, following = (input_scales(tensors, maxima, at) for at in (layer, layer + 1))
    joining, growing = scales("attention.output.dense"), scales("intermediate.dense")
    shrinking = scales("output.dense")
    ones = np.ones(WIDTH, np.float32)
    after = np.concatenate([
        ones * np.float32(SCORE_GRID / np.sqrt(WIDTH // HEADS)),
        ones * np.float32(SCORE_GRID),
        np.float32(VALUE_GRID) / joining,
    ])
    weight, bias = _joined(tensors, layer)
    return Block(
        mix=quantize_linear(weight * stream[:, None] * after, bias * after, None),
        join=linear(
            "attention.output.dense", joining / np.float32(VALUE_GRID * SHARE_GRID), MIDDLE
        ),
        grow=linear("intermediate.dense", growing, None),
        shrink=linear("output.dense", shrinking, GELU_ZERO),
        stream=stream,
        stream_inner=growing,
        squeeze=np.float32(1) / shrinking,
        norm=_norm(tensors, f"{name}.attention.output.LayerNorm", growing),
        norm_out=_norm(tensors, f"{name}.output.LayerNorm", following),
    )
