"""host - the command `meaning`: rows that read alike, in one file and against another.

The model runs on this machine's processor; the extra `meaning` brings what it needs. Exit codes
as in `cli.py`.
"""

import os
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

from leakladder.alike import Alike, View, find_groups, make_edges, view_at
from leakladder.cli_output import JsonFile, NoText, say_summary
from leakladder.cli_serve import page_folder
from leakladder.command import load
from leakladder.csv_export import write_json
from leakladder.errors import LadderError
from leakladder.meaning import (
    BORDER,
    MOST_PAIRS,
    NOT_COMPARED,
    NearestRow,
    check_threshold,
    list_members,
    match_rows,
    number_nodes,
    show_cosine,
)
from leakladder.meaning_files import TABLES, report, write_table
from leakladder.meaning_report import MINILM, TOKENS, Meaning, stamp, summarize
from leakladder.outcome import stamp_side
from leakladder.searches import longest_runs
from leakladder.settings import ReadOptions
from leakladder.sides import Side, make_side
from leakladder.terminal import count, percent, watch_job, write_output

if TYPE_CHECKING:
    from leakladder.embed_native import NativeEmbedder, Vectors

Fields = Annotated[
    list[str] | None,
    typer.Option(
        "--field", metavar="NAME", help="Text column; give it twice where TRAIN's differs."
    ),
]


class NoExtraError(LadderError):
    """A library that runs the model is not installed."""

    code = "no-extra"


class Embedded(NamedTuple):
    """Both sides as the model reads them; the training one may be missing.

    Attributes:
        test: The test side.
        train: The training side.
        node_of: Node of each test row and then of each training row, counted up over both.
        vectors: One unit vector a node.
        truncated: Rows that are longer than the window.
        unreadable: Test rows with text of which the model knows no piece.
    """

    test: Side
    train: Side | None
    node_of: list[int]
    vectors: "Vectors"
    truncated: int
    unreadable: int


def register(app: typer.Typer) -> None:
    """Add this command to the command line."""
    app.command("meaning")(meaning_command)


def meaning_command(
    file: Annotated[str, typer.Argument(metavar="FILE", help="File; - is standard input.")],
    against: Annotated[
        str | None,
        typer.Option("--against", metavar="TRAIN", help="Find each row's nearest row here."),
    ] = None,
    field: Fields = None,
    id_: Annotated[
        str | None, typer.Option("--id", metavar="NAME", help="Field that names the rows.")
    ] = None,
    threshold: Annotated[
        float, typer.Option("--threshold", help="Cosine of a pair, 0.70 to 0.99.")
    ] = 0.90,
    csv_dir: Annotated[
        str | None,
        typer.Option(
            "--csv-dir", metavar="FOLDER", help="Write pairs.csv, groups.csv, nearest.csv."
        ),
    ] = None,
    json: JsonFile = None,
    no_text: NoText = False,
    model: Annotated[
        str | None,
        typer.Option("--model", metavar="FOLDER", help="Folder of the model, if not its own."),
    ] = None,
) -> None:
    """Find rows that read alike, whatever their words (needs the extra `meaning`)."""
    check_threshold(threshold)
    columns = (field[0], field[-1]) if field else (None, None)
    embedder, asset = _load_model(model)
    test = _read(file, columns[0], id_)
    both = _embed(embedder, test, _read(against, columns[1], id_) if against else None)
    made = _compare(both, threshold, asset)
    note = stamp(made, stamp_side(test))
    if csv_dir:
        _write_tables(made, note, Path(csv_dir), text=not no_text)
    if json:
        write_output(json, write_json(watch_job(report(made, note, text=not no_text))))
    say_summary(None, json, *describe_meaning(summarize(made)))


def _read(path: str, column: str | None, id_path: str | None) -> Side:
    """Read one file to a side with one text column, the first that looks like text."""
    file = load(path, ReadOptions())
    fields = (column,) if column else file.text_guess[:1]
    return make_side(file, fields, id_path, lambda _: True)


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


def installed_model() -> Path | None:
    """Return the model that came with the installed page (leakladder-page), if there is one.

    None where LEAKLADDER_MODEL names another, or this is a checkout, which has its own.
    """
    site = page_folder()
    if site is None or "LEAKLADDER_MODEL" in os.environ:
        return None
    folder = site / "models" / MINILM.id
    return folder if folder.is_dir() else None


def _embed(embedder: "NativeEmbedder", test: Side, train: Side | None) -> Embedded:
    """Embed every distinct text of both sides once."""
    texts = [*test.texts[0], *(train.texts[0] if train else ())]
    rows = embedder.cut_texts(texts)
    node_of = number_nodes(row.ids if row.readable else None for row in rows)
    distinct = [rows[same[0]].ids for same in list_members(node_of)]
    vectors = watch_job(embedder.embed(distinct))
    own = zip(test.texts[0], rows, strict=False)
    unreadable = sum(bool(text.strip()) and not row.readable for text, row in own)
    cut = sum(row.cut for row in rows)
    return Embedded(test, train, node_of, vectors, cut, unreadable)


def _compare(both: Embedded, threshold: float, asset: str) -> Meaning:
    size = len(both.test.rows)
    test_of, train_of = both.node_of[:size], both.node_of[size:]
    return Meaning(
        both.test,
        test_of,
        threshold,
        MINILM._replace(sha256=asset),
        both.truncated,
        both.unreadable,
        _group(test_of, both.vectors, threshold),
        both.train,
        _match(test_of, train_of, both.vectors) if both.train else (),
        [stamp_side(both.train)] if both.train else (),
        longest=watch_job(longest_runs(both.test, both.train, TOKENS)) if both.train else (),
    )


def _group(test_of: list[int], every: "Vectors", threshold: float) -> View:
    from leakladder.search_native import find_lowest, find_similar

    sizes = [len(rows) for rows in list_members(test_of)]  # nodes of the test side come first
    vectors = every[: len(sizes)]
    floor = threshold - BORDER
    found = watch_job(find_similar(vectors, floor, sizes, MOST_PAIRS))
    if len(found.pairs) == MOST_PAIRS:  # not all were kept: the threshold itself is asked for
        floor = threshold
        found = watch_job(find_similar(vectors, floor, sizes, MOST_PAIRS))
    edges = make_edges(found.pairs)
    alike = Alike(test_of, floor, edges, found.total, found.closest, found.labels)
    groups = find_groups(alike, threshold)
    return view_at(alike, threshold, groups, find_lowest(vectors, groups))


def _match(test_of: list[int], train_of: list[int], vectors: "Vectors") -> list[NearestRow]:
    """Find the nearest training row of every test row."""
    from leakladder.search_native import find_nearest

    asked = sorted(set(test_of) - {NOT_COMPARED})
    there = sorted(set(train_of) - {NOT_COMPARED})
    places, cosines = watch_job(find_nearest(vectors[asked], vectors[there]))
    nearest = [NOT_COMPARED if at == NOT_COMPARED else there[at] for at in places]
    return match_rows(test_of, train_of, nearest, cosines)


def _write_tables(made: Meaning, note: dict[str, object], folder: Path, *, text: bool) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for name in TABLES:
        if name != "nearest" or made.train is not None:
            data = watch_job(write_table(made, name, note, text=text))
            write_output(str(folder / f"{name}.csv"), data)


def describe_meaning(summary: dict[str, Any]) -> list[str]:
    """Return the summary of a meaning run for people."""
    at, rows = f"{summary['threshold']:.2f}", summary["compared"]
    closest = summary["closest"]
    lines = [
        f"{summary['rows_in_groups']:,} of {count(rows, 'row')} read alike with another row "
        f"at {at} ({percent(summary['duplicate_share'])}), in "
        f"{count(summary['groups'], 'group')}; {summary['effective']:,} effective.",
        f"Not compared: {count(summary['blank'], 'row')} without text, "
        f"{count(summary['unreadable'], 'row')} in a script the model does not read. Read to "
        f"the first 256 word pieces only: {count(summary['truncated'], 'row')}.",
    ]
    if closest:
        lines.append(
            f"Closest pair: records {closest['a_index'] + 1} and {closest['b_index'] + 1}, "
            f""
            f"{show_cosine(closest['cosine'], summary['threshold'])}."
        )
    if across := summary.get("across"):
        lines.append(
            f"{across['reads_alike']:,} of {count(across['checked'], 'row')} read alike with a "
            f"training row ({percent(across['share'])}); {across['few_words']:,} of them share "
            f"no run of 8 words with any training row."
        )
    return lines
