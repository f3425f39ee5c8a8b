"""A row's vector does not depend on the rows that it is embedded with."""

import random

import numpy as np
import pytest

from leakladder.embed_native import NativeEmbedder, Vectors, find_model, plan_batches
from leakladder.jobs import finish

WORDS = "river stone market window paper garden engine letter silver winter".split()


@pytest.fixture(scope="module")
def embedder() -> NativeEmbedder:
    return NativeEmbedder(find_model())


def embed(embedder: NativeEmbedder, texts: list[str]) -> Vectors:
    return finish(embedder.embed([row.ids for row in embedder.cut_texts(texts)]))


def test_a_vector_is_the_same_bits_alone_and_in_any_batch(embedder: NativeEmbedder) -> None:
    draw = random.Random(5)
    sizes = [*[3] * 10, *[7] * 9, 1, 40, 40, 300, 300]  # words, each a piece: full batches
    texts = [" ".join(draw.choices(WORDS, k=size)) for size in sizes]
    lengths = [len(row.ids) for row in embedder.cut_texts(texts)]
    assert max(len(batch) for batch in plan_batches([[0] * size for size in lengths])) == 8
    alone = np.concatenate([embed(embedder, [text]) for text in texts])
    np.testing.assert_array_equal(embed(embedder, texts), alone)
    np.testing.assert_array_equal(embed(embedder, texts[::-1])[::-1], alone)
    one_thread = NativeEmbedder(find_model(), threads=1)
    np.testing.assert_array_equal(embed(one_thread, texts * 2), np.concatenate([alone] * 2))
    np.testing.assert_allclose(np.linalg.norm(alone.astype(np.float64), axis=1), 1, atol=1e-6)


def test_batches_hold_rows_of_one_length() -> None:
    lengths = [14, 256, 14, 3, *[14] * 20, 256, 256, *[100] * 6]
    batches = plan_batches([[0] * length for length in lengths])
    assert sorted(place for batch in batches for place in batch) == list(range(len(lengths)))
    for batch in batches:
        assert len({lengths[place] for place in batch}) == 1
        assert len(batch) <= 8
        assert len(batch) * lengths[batch[0]] <= 512
