"""host - texts to unit vectors with onnxruntime, for the command line (extra `meaning`).

The same asset, cut, pooling and checks as the page's `embedder.js`, and the same vectors: the
model's arithmetic is exact in all that depends on order.
"""

import base64
import json
import os
from collections.abc import Generator, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import onnxruntime
from tokenizers import Tokenizer

from leakladder.meaning_inputs import UnansweredError
from leakladder.results import Progress

Vectors = npt.NDArray[np.float32]

MODEL_ID = "all-MiniLM-L6-v2"
WINDOW = 256
DIMENSION = 384
BATCH_ROWS = 8
BATCH_PIECES = 512
LEAST_GOLDEN = 0.9999
FOLDER_VARIABLE = "LEAKLADDER_MODEL"


class ModelError(UnansweredError):
    """The model is not where it was looked for, or does not give the vectors it should."""

    code = "model-failed"


class Pieces(NamedTuple):
    """A text as the model reads it.

    Attributes:
        ids: Word pieces, [CLS] and [SEP] included, at most 256.
        cut: The text goes on after the window.
        readable: Some piece is one that the model knows; False for a blank text, and for one in
            a script that it does not have.
    """

    ids: tuple[int, ...]
    cut: bool
    readable: bool


def find_model(folder: Path | None = None) -> Path:
    """Return the asset's folder: the one given, the one LEAKLADDER_MODEL names, or our own.

    Raises:
        ModelError: If none of them holds the model.
    """
    named = os.environ.get(FOLDER_VARIABLE)
    checkout = Path(__file__).parents[2] / "assets" / "models" / MODEL_ID
    chosen = folder or (Path(named) if named else checkout)
    if not (chosen / "onnx" / "model_quantized.onnx").is_file():
        raise ModelError(
            f"{chosen} does not hold the model {MODEL_ID}. Name its folder with "
            f"{FOLDER_VARIABLE}; the folder is assets/models/{MODEL_ID} of the project."
        )
    return chosen


def plan_batches(rows: Sequence[Sequence[int]]) -> list[list[int]]:
    """Gather row positions into batches of one length, shortest first: nothing is padded."""
    places: dict[int, list[int]] = {}
    for place, row in enumerate(rows):
        places.setdefault(len(row), []).append(place)
    batches = []
    for length, same in sorted(places.items()):
        most = max(1, min(BATCH_ROWS, BATCH_PIECES // length))
        batches += [same[start : start + most] for start in range(0, len(same), most)]
    return batches


def pool_rows(states: Vectors) -> Vectors:
    """Average [rows, pieces, 384] over pieces, in doubles, and scale each row to length 1."""
    sums = states.sum(1, dtype=np.float64)
    norms = np.sqrt((sums * sums).sum(1, keepdims=True))
    pooled: Vectors = (sums / norms).astype(np.float32)
    return pooled


class NativeEmbedder:
    """The model in memory, tested against its golden vectors."""

    def __init__(self, folder: Path, threads: int = 0) -> None:
        """Load the asset.

        Args:
            folder: The asset's folder (`find_model`).
            threads: For one batch; 0 lets onnxruntime choose. The vectors do not depend on it.

        Raises:
            ModelError: If it does not give its golden vectors.
        """
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = threads
        self.session = onnxruntime.InferenceSession(
            (folder / "onnx" / "model_quantized.onnx").read_bytes(),
            options,
            providers=["CPUExecutionProvider"],
        )
        self.tokenizer = Tokenizer.from_str((folder / "tokenizer.json").read_text("utf-8"))
        vocabulary = self.tokenizer.get_vocab()
        self.last, self.unknown = vocabulary["[SEP]"], vocabulary["[UNK]"]
        self._test_golden(json.loads((folder / "golden.json").read_text("utf-8")))

    def _test_golden(self, golden: dict[str, list[str]]) -> None:
        rows = [piece.ids for piece in self.cut_texts(golden["texts"])]
        for number, (row, text) in enumerate(zip(rows, golden["vectors"], strict=True), 1):
            expected = np.frombuffer(base64.b64decode(text), "<f4")
            cosine = float(self.embed_batch([row])[0] @ expected)
            if not cosine >= LEAST_GOLDEN:
                raise ModelError(
                    f"the model fails its own test: cosine {cosine:.6f}, text {number}"
                )

    def cut_texts(self, texts: Sequence[str]) -> list[Pieces]:
        """Cut texts into pieces; lone surrogates, which no tokenizer takes, become U+FFFD."""
        clean = [
            text.encode("utf-16", "surrogatepass").decode("utf-16", "replace") for text in texts
        ]
        return [self._cut(encoding.ids) for encoding in self.tokenizer.encode_batch(clean)]

    def _cut(self, ids: Sequence[int]) -> Pieces:
        cut = len(ids) > WINDOW
        kept = (*ids[: WINDOW - 1], self.last) if cut else tuple(ids)
        return Pieces(kept, cut, any(piece != self.unknown for piece in kept[1:-1]))

    def embed_batch(self, rows: Sequence[Sequence[int]]) -> Vectors:
        """Embed rows of one length."""
        ids = np.array(rows, np.int64)
        feeds = {"input_ids": ids, "attention_mask": np.ones_like(ids)}
        states: Vectors = self.session.run(["last_hidden_state"], feeds)[0]
        return pool_rows(states)

    def embed(self, rows: Sequence[Sequence[int]]) -> Generator[Progress, None, Vectors]:
        """Embed rows of any lengths, in batches of one length.

        Yields:
            Rows done, after each batch.

        Returns:
            Unit vectors [rows, 384], in the order of the rows.
        """
        vectors = np.empty((len(rows), DIMENSION), np.float32)
        done = 0
        for places in plan_batches(rows):
            vectors[places] = self.embed_batch([rows[place] for place in places])
            done += len(places)
            yield Progress("embedding", done, len(rows))
        return vectors
