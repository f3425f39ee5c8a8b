"""The ONNX graph of the 8-bit encoder, written node by node.

Activations are quantized per token, never per batch, so a row's vector does not depend on its
neighbours. Attention, normalization and residuals stay in 32-bit floats. A few operators are
ONNX Runtime's own (`com.microsoft`), where they are faster in WebAssembly than standard ones.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from onnx import ModelProto, TensorProto, checker, helper, numpy_helper

from leakladder_dev.checkpoint import (
    GELU_ZERO,
    SCORE_UNIT,
    SHARE_GRID,
    START_GRID,
    Block,
    Tensors,
    last_bias,
    make_block,
    make_start,
)
from leakladder_dev.curves import (
    EXP_EDGE,
    EXP_FACTORS,
    EXP_UNIT,
    GELU_EDGE,
    GELU_FACTORS,
    GELU_UNIT,
)
from leakladder_dev.float_forward import HEADS, LAYERS, WIDTH
from leakladder_dev.quantize import MIDDLE, Linear, quantize_rows
from leakladder_dev.weights import Floats

MICROSOFT = "com.microsoft"
MASKED = -1e9


class Graph:
    """Nodes and constants in the order they are added; an output bears its node's name."""

    def __init__(self) -> None:
        self.nodes: list[Any] = []
        self.constants: dict[str, Any] = {}

    def constant(
        self, name: str, value: npt.ArrayLike, kind: npt.DTypeLike = np.float32
    ) -> str:
        """Add a tensor once and return its name."""
        array = np.ascontiguousarray(np.asarray(value, kind))
        self.constants.setdefault(
            name, numpy_helper.from_array(array.reshape(np.shape(value)), name)
        )
        return name

    def add(self, name: str, kind: str, *inputs: str, **attributes: Any) -> str:
        """Add a node with one output and return that output's name."""
        self.nodes.append(helper.make_node(kind, inputs, [name], name=name, **attributes))
        return name


def add_linear(graph: Graph, name: str, x: str, layer: Linear) -> str:
    """Add a linear layer on tokens (rows of `x`) that are quantized one by one, never by batch.

    The product of bytes is taken in integers, which is exact.
    """
    step = add_step(graph, name, x, layer.zero)
    steps = graph.add(f"{name}.steps", "Reshape", step, graph.constant("flat", [-1], np.int64))
    quantized = graph.add(
        f"{name}.bytes", "QuantizeLinear", x, steps, f"zeros_{layer.zero}", axis=0
    )
    product = graph.add(
        f"{name}.product",
        "MatMulIntegerToFloat",
        quantized,
        graph.constant(f"{name}.weight", layer.weight, np.uint8),
        graph.constant("one", 1.0),
        graph.constant(f"{name}.scale", layer.scale),
        graph.constant(f"zero_{layer.zero}", layer.zero, np.uint8),
        graph.constant("middle", MIDDLE, np.uint8),
        domain=MICROSOFT,
    )
    sized = graph.add(f"{name}.sized", "Mul", product, step)
    return graph.add(name, "Add", sized, graph.constant(f"{name}.bias", layer.bias))


def add_step(graph: Graph, name: str, x: str, zero: int) -> str:
    """Give each token the least step at which none of its values saturates."""
    if zero == MIDDLE:
        size = graph.add(f"{name}.size", "Abs", x)
        high = graph.add(f"{name}.max", "ReduceMax", size, axes=[1])
        per_byte = graph.constant("per_byte", 1 / (255 - MIDDLE))
        return graph.add(f"{name}.step", "Mul", high, per_byte)
    high = graph.add(f"{name}.max", "ReduceMax", x, axes=[1])
    above = graph.constant(f"above_{zero}", 1 / (255 - zero))
    high = graph.add(f"{name}.high", "Mul", high, above)
    low = graph.add(f"{name}.min", "ReduceMin", x, axes=[1])
    low = graph.add(f"{name}.low", "Mul", low, graph.constant(f"below_{zero}", -1 / zero))
    return graph.add(f"{name}.step", "Max", high, low)


def add_norm(graph: Graph, name: str, x: str, gain: Floats) -> str:
    """Normalize each token; mean and spread come from whole numbers, whose sums are exact.

    `x` is in units of its grid, and the square root of the width is in the gain.
    """
    whole = graph.add(f"{name}.whole", "Round", x)
    total = graph.add(
        f"{name}.total", "ReduceSum", whole, graph.constant("at_1", [1], np.int64)
    )
    whole = graph.add(f"{name}.integers", "Cast", whole, to=TensorProto.INT32)
    squares = graph.add(f"{name}.integer_squares", "ReduceSumSquare", whole, axes=[1])
    squares = graph.add(f"{name}.squares", "Cast", squares, to=TensorProto.FLOAT)
    mean = graph.add(f"{name}.mean", "Mul", total, graph.constant("per_channel", 1 / WIDTH))
    shift = graph.add(f"{name}.shift", "Mul", total, mean)
    spread = graph.add(f"{name}.spread", "Sub", squares, shift)
    spread = graph.add(f"{name}.some_spread", "Max", spread, graph.constant("one", 1.0))
    root = graph.add(f"{name}.root", "Sqrt", spread)
    centred = graph.add(f"{name}.centred", "Sub", x, mean)
    unit = graph.add(f"{name}.unit", "Div", centred, root)
    return graph.add(name, "Mul", unit, graph.constant(f"{name}.gain", gain))


def add_polynomial(graph: Graph, name: str, x: str, factors: Sequence[float]) -> str:
    """Evaluate factors[0] + factors[1] x + ... + x^n, n factors, by Horner's rule."""
    value = x
    for power in range(len(factors) - 1, -1, -1):
        factor = graph.constant(f"{name}.{power}", factors[power])
        value = graph.add(f"{name}.plus_{power}", "Add", value, factor)
        if power:
            value = graph.add(f"{name}.times_{power}", "Mul", value, x)
    return value


def add_gelu(graph: Graph, name: str, x: str) -> str:
    """Apply GELU; input and output are in the units of its polynomial."""
    edges = (graph.constant(f"gelu_{sign}", sign * GELU_EDGE * GELU_UNIT) for sign in (-1, 1))
    inside = graph.add(f"{name}.inside", "Clip", x, *edges)
    square = graph.add(f"{name}.square", "Mul", inside, inside)
    slope = add_polynomial(graph, f"{name}.slope", square, GELU_FACTORS)
    odd = graph.add(f"{name}.odd", "Mul", slope, inside)
    share = graph.add(f"{name}.share", "Add", odd, graph.constant("half", 0.5))
    return graph.add(name, "Mul", x, share)


def add_shares(graph: Graph, name: str, scores: str) -> str:
    """Turn scores, in the units of e^x's polynomial, into whole shares of 1 / SHARE_GRID.

    This is softmax; e^x times 2^16 is rounded to a whole number, and sums of those are exact.
    """
    largest = graph.add(f"{name}.largest", "ReduceMax", scores, axes=[4])
    below = graph.add(f"{name}.below", "Sub", scores, largest)
    edge = graph.constant("exp_edge", -EXP_EDGE * EXP_UNIT)
    value = graph.add(f"{name}.near", "Max", below, edge)
    value = add_polynomial(graph, f"{name}.exp", value, EXP_FACTORS)
    for power in (2, 4, 8, 16):
        value = graph.add(f"{name}.power_{power}", "Mul", value, value)
    whole = graph.add(f"{name}.whole", "Round", value)
    total = graph.add(
        f"{name}.total", "ReduceSum", whole, graph.constant("at_4", [4], np.int64)
    )
    grid = graph.constant("share_grid", SHARE_GRID)
    each = graph.add(f"{name}.each", "Div", grid, total)
    return graph.add(name, "Round", graph.add(f"{name}.part", "Mul", whole, each))


def add_heads(graph: Graph, name: str, x: str) -> list[str]:
    """Split [tokens, 3 x 384] into query, key and value, [1, batch, heads, sequence, 32]."""
    heads = graph.add(f"{name}.heads", "Reshape", x, "heads_shape")
    turned = graph.add(f"{name}.by_part", "Transpose", heads, perm=[2, 0, 3, 1, 4])
    parts = [f"{name}.{part}" for part in ("query", "key", "value")]
    graph.nodes.append(helper.make_node("Split", [turned], parts, name=f"{name}.split", axis=0))
    return parts


def add_attention(graph: Graph, name: str, x: str, block: Block) -> str:
    """Let each token look at the tokens of its own row that the mask leaves in."""
    mixed = graph.add(f"{name}.grid", "Round", add_linear(graph, f"{name}.mix", x, block.mix))
    query, key, value = add_heads(graph, name, mixed)
    scores = graph.add(
        f"{name}.scores",
        "FusedMatMul",
        query,
        key,
        domain=MICROSOFT,
        transB=1,
        alpha=SCORE_UNIT,
    )
    masked = graph.add(f"{name}.masked", "Add", scores, "mask")
    shares = add_shares(graph, f"{name}.shares", masked)
    mixed = graph.add(f"{name}.mixed", "MatMul", shares, value)
    turned = graph.add(f"{name}.turned", "Transpose", mixed, perm=[0, 1, 3, 2, 4])
    tokens = graph.constant("tokens_shape", [-1, WIDTH], np.int64)
    together = graph.add(f"{name}.together", "Reshape", turned, tokens)
    return add_linear(graph, f"{name}.join", together, block.join)


def add_block(graph: Graph, name: str, x: str, block: Block) -> str:
    """Add one encoder layer and return its output, divided by the next layer's scales."""
    kept = graph.add(f"{name}.kept", "Mul", x, graph.constant(f"{name}.stream", block.stream))
    attended = add_attention(graph, f"{name}.attention", x, block)
    x = graph.add(f"{name}.attended", "Add", attended, kept)
    x = add_norm(graph, f"{name}.norm", x, block.gain)
    inner = graph.constant(f"{name}.stream_inner", block.stream_inner)
    kept = graph.add(f"{name}.kept_inner", "Mul", x, inner)
    grown = add_linear(graph, f"{name}.grow", x, block.grow)
    curved = add_gelu(graph, f"{name}.gelu", grown)
    squeeze = graph.constant(f"{name}.squeeze", block.squeeze)
    curved = graph.add(f"{name}.squeezed", "Mul", curved, squeeze)
    shrunk = add_linear(graph, f"{name}.shrink", curved, block.shrink)
    x = graph.add(f"{name}.fed", "Add", shrunk, kept)
    return add_norm(graph, f"{name}.norm_out", x, block.gain_out)


def add_shapes(graph: Graph) -> None:
    """Add what depends on the inputs' shape alone, and the mask as scores to add."""
    shape = graph.add("shape", "Shape", "input_ids")
    for name, tail in (("heads_shape", [3, HEADS, WIDTH // HEADS]), ("rows_shape", [WIDTH])):
        graph.add(name, "Concat", shape, graph.constant(f"{name}_tail", tail, np.int64), axis=0)
    count = graph.add("count", "ReduceProd", shape, axes=[0])
    for zero in (MIDDLE, GELU_ZERO):
        same = graph.constant(f"same_{zero}", [zero], np.uint8)
        graph.add(f"zeros_{zero}", "Expand", same, count)
    mask = graph.add("mask_float", "Cast", "attention_mask", to=TensorProto.FLOAT)
    left_out = graph.add("left_out", "Sub", graph.constant("one", 1.0), mask)
    scores = graph.add("mask_scores", "Mul", left_out, graph.constant("masked", MASKED))
    graph.add("mask", "Unsqueeze", scores, graph.constant("mask_axes", [0, 2, 3], np.int64))


def add_embeddings(graph: Graph, tensors: Tensors) -> str:
    """Look up words (8 bits, a scale each) and add positions; all rows have token type 0.

    The sum is in units of START_GRID.
    """
    units, scales = quantize_rows(tensors["embeddings.word_embeddings.weight"])
    units_name = graph.constant("words", units, np.int8)
    word = graph.add("word_units", "Gather", units_name, "input_ids")
    word = graph.add("word_floats", "Cast", word, to=TensorProto.FLOAT)
    known = graph.constant("word_scales", scales * START_GRID)
    scale = graph.add("word_scale", "Gather", known, "input_ids")
    word = graph.add("word", "Mul", word, scale)
    places = tensors["embeddings.position_embeddings.weight"]
    places = (places + tensors["embeddings.token_type_embeddings.weight"][0]) * START_GRID
    first, second = (graph.constant(f"at_{at}", [at], np.int64) for at in (1, 2))
    length = graph.add("length", "Slice", "shape", first, second)
    start = graph.constant("at_0", [0], np.int64)
    place = graph.add("place", "Slice", graph.constant("places", places), start, length)
    placed = graph.add("placed", "Add", word, place)
    return graph.add(
        "tokens", "Reshape", placed, graph.constant("tokens_shape", [-1, WIDTH], np.int64)
    )


def build_model(tensors: Tensors, maxima: Mapping[str, npt.NDArray[np.float32]]) -> bytes:
    """Build the whole model; the same tensors and maxima give the same bytes.

    Args:
        tensors: The float checkpoint.
        maxima: Largest size of each input channel, by linear layer (`calibrate.py`).

    Returns:
        The ONNX file. Inputs `input_ids` and `attention_mask` [batch, sequence] int64; output
        `last_hidden_state` [batch, sequence, 384] float.
    """
    graph = Graph()
    add_shapes(graph)
    x = add_norm(graph, "norm", add_embeddings(graph, tensors), make_start(tensors, maxima))
    for layer in range(LAYERS):
        x = add_block(graph, f"layer{layer}", x, make_block(tensors, maxima, layer))
    x = graph.add("shifted", "Add", x, graph.constant("last_bias", last_bias(tensors)))
    graph.add("last_hidden_state", "Reshape", x, "rows_shape")
    axes = ["batch", "sequence"]
    inputs = [
        helper.make_tensor_value_info(name, TensorProto.INT64, axes)
        for name in ("input_ids", "attention_mask")
    ]
    output = helper.make_tensor_value_info(
        "last_hidden_state", TensorProto.FLOAT, [*axes, WIDTH]
    )
    body = helper.make_graph(
        graph.nodes, "all-MiniLM-L6-v2", inputs, [output], list(graph.constants.values())
    )
    versions = [helper.make_opsetid("", 17), helper.make_opsetid(MICROSOFT, 1)]
    model = helper.make_model(
        body, opset_imports=versions, ir_version=8, producer_name="leakladder"
    )
    return serialize(model)


def serialize(model: ModelProto) -> bytes:
    """Check the model and return its bytes, map fields in a fixed order."""
    checker.check_model(model)
    data: bytes = model.SerializeToString(deterministic=True)
    return data
