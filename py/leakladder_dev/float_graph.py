"""The float encoder as ONNX in the usual form: what a per-tensor 8-bit file is made from.

Only the bench wants it, for its comparison of speeds.
"""

import tempfile
from pathlib import Path

import numpy as np
from onnx import TensorProto, helper, save
from onnxruntime.quantization import QuantType, quantize_dynamic

from leakladder_dev.float_forward import EPSILON, HEADS, LAYERS, WIDTH
from leakladder_dev.graph import MASKED, Graph
from leakladder_dev.weights import Floats, read_weights


class FloatGraph(Graph):
    """A graph whose constants are the checkpoint's tensors."""

    def __init__(self) -> None:
        super().__init__()
        self.tensors = read_weights()

    def tensor(self, name: str, value: Floats | None = None) -> str:
        """Add a tensor of the checkpoint, or another under its name."""
        return self.constant(name, self.tensors[name] if value is None else value)

    def linear(self, name: str, x: str) -> str:
        """Add x W + b."""
        weight = self.tensor(f"{name}.weight", self.tensors[f"{name}.weight"].T)
        product = self.add(f"{name}.product", "MatMul", x, weight)
        return self.add(name, "Add", product, self.tensor(f"{name}.bias"))

    def norm(self, name: str, x: str) -> str:
        """Add a layer normalization."""
        scale, shift = self.tensor(f"{name}.weight"), self.tensor(f"{name}.bias")
        epsilon = float(EPSILON)
        return self.add(name, "LayerNormalization", x, scale, shift, axis=-1, epsilon=epsilon)

    def attention(self, name: str, x: str) -> str:
        """Add attention up to its output layer."""
        turns = {"query": [0, 2, 1, 3], "key": [0, 2, 3, 1], "value": [0, 2, 1, 3]}
        heads = []
        for part, order in turns.items():
            flat = self.linear(f"{name}.self.{part}", x)
            split = self.add(f"{name}.{part}_split", "Reshape", flat, "heads_shape")
            heads.append(self.add(f"{name}.{part}_heads", "Transpose", split, perm=order))
        scores = self.add(f"{name}.scores", "MatMul", *heads[:2])
        root = self.constant("root", np.sqrt(WIDTH // HEADS))
        scores = self.add(f"{name}.scaled", "Div", scores, root)
        scores = self.add(f"{name}.masked", "Add", scores, "mask")
        shares = self.add(f"{name}.shares", "Softmax", scores, axis=-1)
        mixed = self.add(f"{name}.mixed", "MatMul", shares, heads[2])
        mixed = self.add(f"{name}.turned", "Transpose", mixed, perm=[0, 2, 1, 3])
        mixed = self.add(f"{name}.together", "Reshape", mixed, "rows_shape")
        return self.linear(f"{name}.output.dense", mixed)

    def gelu(self, name: str, x: str) -> str:
        """Add GELU as exporters write it."""
        part = self.add(f"{name}.part", "Div", x, self.constant("root_2", np.sqrt(2)))
        curve = self.add(f"{name}.erf", "Erf", part)
        curve = self.add(f"{name}.plus", "Add", curve, self.constant("one", 1.0))
        curve = self.add(f"{name}.times", "Mul", x, curve)
        return self.add(name, "Mul", curve, self.constant("half", 0.5))

    def block(self, name: str, x: str) -> str:
        """Add one encoder layer."""
        attended = self.add(f"{name}.sum", "Add", self.attention(f"{name}.attention", x), x)
        x = self.norm(f"{name}.attention.output.LayerNorm", attended)
        inner = self.gelu(f"{name}.gelu", self.linear(f"{name}.intermediate.dense", x))
        fed = self.add(f"{name}.fed", "Add", self.linear(f"{name}.output.dense", inner), x)
        return self.norm(f"{name}.output.LayerNorm", fed)

    def embeddings(self) -> str:
        """Add the embeddings, and what depends on the inputs' shape alone."""
        shape = self.add("shape", "Shape", "input_ids")
        for name, tail in (("heads_shape", [HEADS, WIDTH // HEADS]), ("rows_shape", [WIDTH])):
            self.add(
                name, "Concat", shape, self.constant(f"{name}_tail", tail, np.int64), axis=0
            )
        mask = self.add("mask_float", "Cast", "attention_mask", to=TensorProto.FLOAT)
        mask = self.add("left_out", "Sub", self.constant("one", 1.0), mask)
        mask = self.add("mask_scores", "Mul", mask, self.constant("masked", MASKED))
        self.add("mask", "Unsqueeze", mask, self.constant("mask_axes", [1, 2], np.int64))
        word = self.add(
            "word", "Gather", self.tensor("embeddings.word_embeddings.weight"), "input_ids"
        )
        ends = [self.constant(f"at_{at}", [at], np.int64) for at in (0, 1, 2)]
        length = self.add("length", "Slice", "shape", ends[1], ends[2])
        places = self.tensors["embeddings.position_embeddings.weight"]
        places = places + self.tensors["embeddings.token_type_embeddings.weight"][0]
        place = self.add("place", "Slice", self.constant("places", places), ends[0], length)
        return self.norm("embeddings.LayerNorm", self.add("placed", "Add", word, place))


def build_dynamic(target: Path) -> None:
    """Write the per-tensor model that onnxruntime's own dynamic quantization makes."""
    graph = FloatGraph()
    x = graph.embeddings()
    for layer in range(LAYERS):
        x = graph.block(f"encoder.layer.{layer}", x)
    graph.add("last_hidden_state", "Identity", x)
    axes = ["batch", "sequence"]
    inputs = [
        helper.make_tensor_value_info(name, TensorProto.INT64, axes)
        for name in ("input_ids", "attention_mask")
    ]
    output = helper.make_tensor_value_info(
        "last_hidden_state", TensorProto.FLOAT, [*axes, WIDTH]
    )
    body = helper.make_graph(
        graph.nodes, "float", inputs, [output], list(graph.constants.values())
    )
    model = helper.make_model(body, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "float.onnx"
        save(model, source)
        quantize_dynamic(source, target, weight_type=QuantType.QUInt8)
