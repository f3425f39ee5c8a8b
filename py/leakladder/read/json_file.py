"""1i - one JSON file: an array of records, or an object that holds them somewhere."""

from collections.abc import Generator, Iterator, Mapping, Sequence
from functools import partial

from leakladder.read.containers import (
    OFFERED,
    Shape,
    add_nesting,
    choose_shape,
    find_lists,
    spell,
)
from leakladder.read.document import Document, Found
from leakladder.read.info import Reading
from leakladder.read.jsonl import RECORD_FIX, TEXT_FIELD, name_kind
from leakladder.read.jsontext import (
    count_lone_surrogates,
    may_hold_surrogates,
)
from leakladder.read.lines import Block, decode, has_places
from leakladder.results import Row

BATCH = 1 << 17
"""Characters parsed between two steps."""


def read_json(chunks: Iterator[bytes], reading: Reading) -> Iterator[list[Row]]:
    """Read the records of one JSON file, which is held in memory.

    Args:
        chunks: What `lines.strip_bom` gives out.
        reading: The file being read; its layout and list path are filled.

    Yields:
        Rows in file order, some batches empty.

    Raises:
        ReadError: If the text is no JSON, nests too deep, or holds no list of records.
        ChoiceNeededError: If several lists could be the records.
    """
    start = 3 if reading.info.bom and has_places(reading) else 0
    raw = b"".join(chunks)
    text = decode(Block(raw, start, 1), reading)
    document = Document(text, start, reading)
    document.check_depth()
    first = document.skip(0)
    if text.startswith("[", first):
        path = reading.options.list_path
        if path is None:
            path = add_nesting("", _peek(document, first))
        yield from _read_records(document, first, path)
    elif text.startswith("{", first):
        yield from _read_object(document, first)
    else:
        value, _ = document.parse(first)
        raise document.fault(
            f"the file is {name_kind(value)}, not records.", "no-records", first
        )
    reading.info.duplicate_keys = document.decoder.repeats


def _peek(document: Document, first: int) -> Sequence[object]:
    """Parse the first element only; a fault in it is reported later, with the others."""
    at = document.skip(first + 1)
    try:
        value, _ = document.decoder.raw_decode(document.text, at)
    except ValueError:
        return []
    finally:
        document.decoder.repeats = 0
    return [value]


def _read_object(document: Document, first: int) -> Iterator[list[Row]]:
    top, places = yield from _parse_top(document, first)
    document.close(document.end)
    info, path = document.reading.info, document.reading.options.list_path
    paths = [where for where, _ in find_lists(top)]
    info.list_choices = tuple(paths[:OFFERED])
    if len(paths) > OFFERED:
        document.reading.note(f"Of {len(paths):,} lists the first {OFFERED} are offered.")
    shape = choose_shape(top, document.reading) if path is None else Shape("records", path)
    if path == "":
        shape = Shape("one")
    info.layout = shape.layout
    if shape.note:
        document.reading.note(shape.note)
    if shape.layout == "records":
        repeats = document.decoder.repeats
        yield from _read_records(document, first, shape.list_path)
        document.decoder.repeats = repeats  # the values were parsed a second time
        return
    info.list_path = ""
    if shape.layout == "keyed":
        named = any("key" in value for value in top.values() if isinstance(value, dict))
        name = "_key" if named else "key"
        found: Iterator[Found] = (
            ({name: key, **value}, *places[key])
            for key, value in top.items()
            if isinstance(value, dict)
        )
        yield from _make_rows(document, found)
        return
    records = {"one": _one, "table": _table, "columns": _transpose}[shape.layout](top)
    yield from _make_rows(document, ((record, -1, -1) for record in records))


def _parse_top(
    document: Document, first: int
) -> Generator[list[Row], None, tuple[dict[str, object], dict[str, tuple[int, int]]]]:
    # A whole object, an element of its lists at a time so that it can be cancelled.
    top: dict[str, object] = {}
    places: dict[str, tuple[int, int]] = {}
    due = BATCH
    for key, start in document.pairs(first):
        if key in top:
            document.decoder.repeats += 1
        if document.text.startswith("[", start):
            items: list[object] = []
            for value, _, stop in document.elements(start):
                items.append(value)
                if stop > due:
                    due = stop + BATCH
                    yield []
            top[key] = items
        else:
            top[key], document.end = document.parse(start)
        places[key] = (start, document.end)
    return top, places


def _one(top: Mapping[str, object]) -> Iterator[object]:
    yield top


def _table(top: Mapping[str, object]) -> Iterator[object]:
    columns, data = top["columns"], top["data"]
    if isinstance(columns, list) and isinstance(data, list):
        for cells in data:
            fits = isinstance(cells, list) and len(cells) == len(columns)
            yield dict(zip(columns, cells, strict=True)) if fits else cells


def _transpose(top: Mapping[str, object]) -> Iterator[object]:
    columns: dict[str, list[object]] = {}
    for key, value in top.items():
        if isinstance(value, dict):
            first = next(iter(top.values()))
            order = first if isinstance(first, dict) else value
            columns[key] = [value[label] for label in order]
        elif isinstance(value, list):
            columns[key] = value
    for cells in zip(*columns.values(), strict=True):
        yield dict(zip(columns, cells, strict=True))


def _read_records(document: Document, first: int, path: str) -> Iterator[list[Row]]:
    info = document.reading.info
    info.list_path, info.layout = path, "records"
    yield from _make_rows(document, _walk(document, first, path, None))
    if not document.text.startswith("{", first):
        document.close(document.end)


def _walk(
    document: Document, at: int, path: str, inherited: dict[str, object] | None
) -> Iterator[Found]:
    # An object inside a list hands its plain values down to the records below it, where they do
    # not hide a key of their own; `inherited` is None until a list has been entered.
    text = document.text
    if path.startswith("[]"):
        if not text.startswith("[", at):
            return
        below = path[2:].removeprefix(".")
        for _, start, _ in document.elements(at):
            yield from _walk(document, start, below, inherited or {})
        return
    if not path:
        if text.startswith("[", at):
            for value, start, stop in document.elements(at):
                yield _inherit(value, inherited), start, stop
        else:
            value, document.end = document.parse(at)
            yield _inherit(value, inherited), at, document.end
        return
    yield from _walk_key(document, at, path, inherited)


def _inherit(value: object, inherited: dict[str, object] | None) -> object:
    return {**inherited, **value} if inherited and isinstance(value, dict) else value


def _walk_key(
    document: Document, at: int, path: str, inherited: dict[str, object] | None
) -> Iterator[Found]:
    if not document.text.startswith("{", at):
        raise document.fault(f"there is no list at {path!r}.", "no-records", at)
    values: dict[str, object] = {}
    starts: dict[str, int] = {}
    for key, start in document.pairs(at):
        values[key], document.end = document.parse(start)
        starts[key] = start
    # As spelled in `list_choices`, or else as it stands, which a person may well have typed.
    fitting = _fitting({spell(key): key for key in values}, path)
    fitting = fitting or _fitting({key: key for key in values if key}, path)
    if not fitting:
        keys = ", ".join(list(values)[:10])
        raise document.fault(
            f"there is no list at {path!r}.", "no-records", at, f"The keys here are: {keys}."
        )
    _, key, below = max(fitting)
    if inherited is not None:
        plain = {k: v for k, v in values.items() if not isinstance(v, (list, dict))}
        inherited = {**inherited, **plain}
    yield from _walk(document, starts[key], below, inherited)


def _fitting(names: Mapping[str, str], path: str) -> list[tuple[int, str, str]]:
    """Find the keys that a path begins with: length of the name, key, rest of the path."""
    return [
        (len(name), key, path[len(name) :].removeprefix("."))
        for name, key in names.items()
        if path == name or path.startswith((f"{name}.", f"{name}[]"))
    ]


def _make_rows(document: Document, found: Iterator[Found]) -> Iterator[list[Row]]:
    reading = document.reading
    look = may_hold_surrogates(document.text)
    rows: list[Row] = []
    due, index = BATCH, reading.info.rows
    for value, start, stop in found:
        if type(value) is str:
            fields: Mapping[str, object] = {TEXT_FIELD: value}
        elif isinstance(value, dict):
            fields = value
        else:
            reason = f"the record is {name_kind(value)}."
            at = max(start, 0)
            reading.reject(partial(document.fault, reason, "no-record", at, RECORD_FIX))
            continue
        if look:
            reading.info.lone_surrogates += count_lone_surrogates(fields)
        line, first, last = _places(document, start, stop)
        rows.append(Row(index, line, first, last, fields))
        index += 1
        if stop > due or len(rows) >= 5_000:
            reading.count_rows(len(rows))
            yield rows
            rows, due = [], stop + BATCH
    reading.count_rows(len(rows))
    yield rows


def _places(
    document: Document, start: int, stop: int
) -> tuple[int | None, int | None, int | None]:
    if start < 0:
        return None, None, None
    line, first = document.locate(start)
    if not has_places(document.reading):
        return line, None, None
    _, last = document.locate(stop)
    return line, first, last
