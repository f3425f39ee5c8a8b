"""The one-node ONNX graph with which the page multiplies blocks of vectors."""

from onnx import TensorProto, helper

from leakladder_dev.graph import serialize


def build_search_graph() -> bytes:
    """Return the graph of `scores` [m, n] = `a` [m, d] times the transpose of `b` [n, d]."""
    kind = TensorProto.FLOAT
    inputs = [
        helper.make_tensor_value_info("a", kind, ["m", "d"]),
        helper.make_tensor_value_info("b", kind, ["n", "d"]),
    ]
    output = helper.make_tensor_value_info("scores", kind, ["m", "n"])
    node = helper.make_node("Gemm", ["a", "b"], ["scores"], transB=1)
    body = helper.make_graph([node], "g", inputs, [output])
    versions = [helper.make_opsetid("", 17)]
    return serialize(helper.make_model(body, opset_imports=versions, ir_version=8))
