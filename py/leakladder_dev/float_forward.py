"""all-MiniLM-L6-v2 as plain numpy over the float weights: the reference, and the calibrator.

Nothing here is shared with the ONNX graph, so agreement of the two says something.
"""

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from leakladder_dev.weights import Floats

LAYERS, HEADS, WIDTH = 6, 12, 384
EPSILON = np.float32(1e-12)

Watch = Callable[[str, Floats], None]


def erf(x: Floats) -> Floats:
    """Approximate the error function to 1.5e-7.

    Source:
        Abramowitz and Stegun 1964, formula 7.1.26.
    """
    size = np.abs(x)
    t: Floats = np.float32(1) / (1 + np.float32(0.3275911) * size)
    series = np.zeros_like(t)
    for factor in (1.061405429, -1.453152027, 1.421413741, -0.284496736, 0.254829592):
        series = (series + np.float32(factor)) * t
    curve: Floats = np.sign(x) * (1 - series * np.exp(-size * size))
    return curve


def gelu(x: Floats) -> Floats:
    """Apply GELU in its exact (error function) form, as the checkpoint's config asks."""
    root = np.float32(np.sqrt(2))
    return x * (1 + erf(x / root)) * np.float32(0.5)


def normalize(x: Floats, gain: Floats, bias: Floats) -> Floats:
    """Normalize the last axis to mean 0 and variance 1, then scale and shift."""
    centred = x - x.mean(-1, keepdims=True)
    spread = np.sqrt((centred * centred).mean(-1, keepdims=True) + EPSILON)
    out: Floats = centred / spread * gain + bias
    return out


def softmax(x: Floats) -> Floats:
    """Turn scores along the last axis into weights that add up to 1."""
    powers = np.exp(x - x.max(-1, keepdims=True))
    shares: Floats = powers / powers.sum(-1, keepdims=True)
    return shares


class FloatModel:
    """The encoder in float32, one length of rows at a time, so that there is no padding."""

    def __init__(self, weights: Mapping[str, Floats], watch: Watch | None = None) -> None:
        """Take the checkpoint's tensors; `watch` sees each linear layer's name and input."""
        self.weights = weights
        self.watch = watch

    def _linear(self, name: str, x: Floats) -> Floats:
        if self.watch is not None:
            self.watch(name, x)
        out: Floats = x @ self.weights[f"{name}.weight"].T + self.weights[f"{name}.bias"]
        return out

    def _norm(self, name: str, x: Floats) -> Floats:
        return normalize(x, self.weights[f"{name}.weight"], self.weights[f"{name}.bias"])

    def _heads(self, name: str, x: Floats) -> Floats:
        rows, length, _ = x.shape
        return self._linear(name, x).reshape(rows, length, HEADS, -1).swapaxes(1, 2)

    def _attend(self, name: str, x: Floats) -> Floats:
        query, key, value = (
            self._heads(f"{name}.self.{part}", x) for part in ("query", "key", "value")
        )
        scale = np.float32(1 / np.sqrt(WIDTH // HEADS))
        mixed = softmax(query @ key.swapaxes(2, 3) * scale) @ value
        return self._linear(f"{name}.output.dense", mixed.swapaxes(1, 2).reshape(x.shape))

    def hidden(self, ids: Sequence[Sequence[int]]) -> Floats:
        """Run rows of one length, [CLS] and [SEP] included, to the last hidden state."""
        table = self.weights
        x = table["embeddings.word_embeddings.weight"][np.asarray(ids)]
        x = x + table["embeddings.position_embeddings.weight"][: x.shape[1]]
        x = x + table["embeddings.token_type_embeddings.weight"][0]
        x = self._norm("embeddings.LayerNorm", x)
        for layer in range(LAYERS):
            name = f"encoder.layer.{layer}"
            attended = self._attend(f"{name}.attention", x)
            x = self._norm(f"{name}.attention.output.LayerNorm", x + attended)
            inner = gelu(self._linear(f"{name}.intermediate.dense", x))
            x = self._norm(
                f"{name}.output.LayerNorm", x + self._linear(f"{name}.output.dense", inner)
            )
        return x

    def embed(self, rows: Sequence[Sequence[int]]) -> Floats:
        """Return one unit vector a row, in the order given, whatever the lengths."""
        vectors = np.empty((len(rows), WIDTH), np.float32)
        for places in by_length(rows):
            pooled = self.hidden([rows[place] for place in places]).mean(1)
            vectors[places] = pooled / np.linalg.norm(pooled, axis=1, keepdims=True)
        return vectors


def by_length(rows: Sequence[Sequence[int]], most: int = 32) -> list[list[int]]:
    """Gather row positions into batches of equal piece counts, at most `most` rows each."""
    places: dict[int, list[int]] = {}
    for place, row in enumerate(rows):
        places.setdefault(len(row), []).append(place)
    return [
        same[start : start + most]
        for _, same in sorted(places.items())
        for start in range(0, len(same), most)
    ]
