"""1h - where in a JSON file the records are: a table of shapes, tried in order."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from leakladder.errors import ChoiceNeededError
from leakladder.read.info import Reading

Layout = Literal["records", "columns", "keyed", "table", "one"]

SEARCH_DEPTH = 4
"""Levels of objects in which a list of records is looked for; a list_path may go deeper."""


OFFERED = 100
"""Lists that a person is offered; messages say how many there are."""


@dataclass(frozen=True, slots=True)
class Shape:
    """How the records lie in a JSON object.

    Attributes:
        layout: As in `ReadInfo.layout`.
        list_path: Path of the list, for layout "records"; "" otherwise.
        note: What a person should know about it, or "".
    """

    layout: Layout
    list_path: str = ""
    note: str = ""


Object = Mapping[str, object]


def choose_shape(top: Object, reading: Reading) -> Shape:
    """Decide how the records lie in a top-level object.

    Args:
        top: The whole file, parsed.
        reading: The file being read, for its name.

    Returns:
        The first shape of the table that fits.

    Raises:
        ChoiceNeededError: If several lists could be the records.
    """
    lists = dict(find_lists(top))
    for fits in (_dataset_server, _split_table, _schema_table, _columns, _pandas_columns):
        shape = fits(top)
        if shape is not None:
            return shape
    named = [path for path, items in lists.items() if _all_of(items, dict)]
    named = (
        named or [path for path, items in lists.items() if _all_of(items, str)] or list(lists)
    )
    if len(named) > 1:
        raise ChoiceNeededError(
            f"the file holds {len(named):,} lists; which one holds the records?",
            file=reading.info.name,
            option="list_path",
            choices=sorted(named, key=lambda path: -len(lists[path]))[:OFFERED],
        )
    if named:
        return Shape("records", add_nesting(named[0], lists[named[0]]))
    if len(top) > 1 and all(isinstance(value, dict) for value in top.values()):
        return Shape(
            "keyed", note='Each key of the file names a record; it is the field "key".'
        )
    return Shape("one", note="The file is one object without a list: it is read as one record.")


def find_lists(top: Object) -> Iterator[tuple[str, Sequence[object]]]:
    """Find the lists inside objects inside an object, SEARCH_DEPTH levels down.

    Yields:
        Path and list.
    """
    level: list[tuple[str, Object]] = [("", top)]
    for _ in range(SEARCH_DEPTH):
        below: list[tuple[str, Object]] = []
        for prefix, place in level:
            for key, value in place.items():
                path = f"{prefix}{spell(key)}"
                if isinstance(value, list):
                    yield path, value
                elif isinstance(value, dict):
                    below.append((f"{path}.", value))
        level = below


def spell(key: str) -> str:
    """Write a key as a step of a list path, quoted if it would not read back as one."""
    return key if key and not set('."[]') & set(key) else json.dumps(key, ensure_ascii=False)


def _all_of(items: Sequence[object], kind: type) -> bool:
    return bool(items) and all(type(item) is kind for item in items)


def add_nesting(path: str, items: Sequence[object]) -> str:
    """Lengthen the path of a list of articles to their questions, if it is nested as SQuAD is.

    Source:
        The layout of the SQuAD 1.1 and 2.0 files: data[].paragraphs[].qas[].
    """
    paragraphs = _first_list(items, "paragraphs")
    if paragraphs and _first_list(paragraphs, "qas") is not None:
        return f"{path}[].paragraphs[].qas"
    return path


def _first_list(items: Sequence[object], key: str) -> Sequence[object] | None:
    first = items[0] if items else None
    inner = first.get(key) if isinstance(first, dict) else None
    return inner if isinstance(inner, list) else None


def _dataset_server(top: Object) -> Shape | None:
    rows = top.get("rows")
    if not isinstance(rows, list) or not _all_of(rows, dict):
        return None
    if not all(isinstance(item.get("row"), dict) for item in rows):
        return None
    cut = sum(1 for item in rows if item.get("truncated_cells"))
    note = f"{cut:,} records have cells that the dataset server cut short." if cut else ""
    return Shape("records", "rows[].row", note)


def _split_table(top: Object) -> Shape | None:
    columns, data = top.get("columns"), top.get("data")
    if not isinstance(columns, list) or not isinstance(data, list):
        return None
    if not _all_of(columns, str) or not _all_of(data, list):
        return None
    return Shape("table", note='Rows of cells beside a list of column names (pandas "split").')


def _schema_table(top: Object) -> Shape | None:
    schema, data = top.get("schema"), top.get("data")
    if not isinstance(schema, dict) or "fields" not in schema or not isinstance(data, list):
        return None
    return Shape("records", "data", 'The list beside a schema (pandas "table").')


def _columns(top: Object) -> Shape | None:
    columns = [value for value in top.values() if isinstance(value, list)]
    beside = [key for key, value in top.items() if not isinstance(value, list)]
    if not columns or len({len(column) for column in columns}) != 1:
        return None
    if all(_all_of(column, dict) for column in columns) or not columns[0]:
        return None
    if beside and (len(columns) == 1 or any(isinstance(top[key], dict) for key in beside)):
        return None
    note = "The file is an object of columns, one list each."
    if beside:
        note += f" Left aside, since they are no lists: {', '.join(beside)}."
    return Shape("columns", note=note)


def _pandas_columns(top: Object) -> Shape | None:
    columns = [value for value in top.values() if isinstance(value, dict)]
    if not columns or len(columns) != len(top):
        return None
    labels = columns[0].keys()
    if not labels or any(column.keys() != labels for column in columns):
        return None
    if not all(label.isdigit() for label in labels):
        return None
    return Shape("columns", note="The file is an object of columns, one object of cells each.")
