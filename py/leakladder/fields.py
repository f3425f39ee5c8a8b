"""2b - which fields a file has, how many rows fill each, and which are probably meant."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import islice
from typing import Literal

from leakladder.results import ID_NAMES, NumberText, Row
from leakladder.values import (
    TURNS,
    as_step,
    get_cells,
    is_chat,
    parse_path,
    quote,
    turns_cell,
    value_to_cell,
    value_to_text,
)

__all__ = [
    "FieldInfo",
    "get_cells",
    "guess_answer_field",
    "guess_id_field",
    "guess_split_field",
    "guess_text_fields",
    "list_fields",
    "parse_path",
    "row_label",
    "split_values",
    "value_to_cell",
    "value_to_text",
]

Kind = Literal["text", "number", "boolean", "null", "list", "object", "mixed", "chat"]

MAX_LEVELS = 8
"""Levels listed apart; what lies deeper is part of the text of the value above it."""

SAMPLES = 3
SAMPLE_LENGTH = 120
"""Samples are for looking at: the first distinct ones, cut to so many characters."""

LOOKED_AT = 200
"""Rows from which the length of texts is taken where names do not settle the guess."""

TEXT_NAMES = (
    "question",
    "instruction input",
    "instruction",
    "problem",
    "premise hypothesis",
    "sentence1 sentence2",
    "prompt",
    "query",
    "text",
    "sentence",
    "ctx",
    "goal",
    "input",
    "inputs",
    "user_prompt",
    "problem_statement",
    "content",
    "context",
    "passage",
    "article",
    "document",
    "body",
    "code",
    "title",
)
"""Names of text fields, the first entry whose names a file all has wins: what a model is asked
comes before what it answers, since that is the part that must not have been seen."""

SPLIT_NAMES = ("split", "subset", "partition", "set", "fold", "dataset_split")

ANSWER_NAMES = (
    *("answer", "answers", "reference_answer", "correct_answer", "gold_answer", "final_answer"),
    *("gold", "ground_truth", "reference", "references", "expected", "expected_output"),
    *("solution", "target", "targets", "response", "completion", "output", "outputs"),
)
"""Names of fields with the answer that a row is judged by, the likeliest first."""

_LAST_BEFORE_CHATS = "text"
_STEP_SIGNS = frozenset('.[]"')


@dataclass(frozen=True, slots=True)
class FieldInfo:
    """One field that a person can choose.

    Attributes:
        path: How to ask for it.
        filled: Rows in which it holds something: not absent, not null, not empty. Exact.
        kind: "mixed" where rows differ; null does not count as a difference.
        samples: The first distinct texts, cut to SAMPLE_LENGTH characters.
    """

    path: str
    filled: int
    kind: Kind
    samples: tuple[str, ...]

    def to_wire(self) -> dict[str, object]:
        """Return the JSON-ready form."""
        return {
            "path": self.path,
            "filled": self.filled,
            "kind": self.kind,
            "samples": list(self.samples),
        }


@dataclass(slots=True)
class _Column:
    """The values at one path; `owners` are their row numbers, rising, or None for one a row."""

    path: str
    level: int
    values: Sequence[object]
    owners: Sequence[int] | None


def list_fields(rows: Sequence[Row]) -> tuple[FieldInfo, ...]:
    """List every field of a file with how many rows fill it.

    Every row is looked at, so no field is missed and every count is exact. Containers are
    listed before what they hold; below MAX_LEVELS only the container is.

    Args:
        rows: All rows of the file.

    Returns:
        The fields, in the order in which they first appear. Time in proportion to the values.
    """
    waiting = list(reversed(_top_columns(rows)))
    literal = frozenset(column.path for column in waiting)
    found: list[FieldInfo] = []
    while waiting:
        column = waiting.pop()
        info, kinds = _describe(column)
        found.append(info)
        if column.level < MAX_LEVELS and not kinds.isdisjoint((list, dict)):
            if list in kinds and "[]" not in column.path and any(map(is_chat, column.values)):
                found += map(partial(_describe_turns, column), TURNS)
            waiting += reversed(_split_column(column, literal))
    return tuple(found)


def _top_columns(rows: Sequence[Row]) -> list[_Column]:
    fields = [row.fields for row in rows]
    if len(set(map(tuple, fields))) == 1:  # the same keys in the same order, as in a CSV
        keys = tuple(fields[0])
        columns = zip(*(record.values() for record in fields), strict=True)
        return [
            _Column(key, 0, values, None) for key, values in zip(keys, columns, strict=True)
        ]
    return _gather(fields, None, 0, lambda key: key)


def _gather(
    records: Sequence[Mapping[str, object]],
    owners: Sequence[int] | None,
    level: int,
    name: Callable[[str], str],
) -> list[_Column]:
    values: dict[str, list[object]] = {}
    of: dict[str, list[int]] = {}
    for owner, record in zip(owners or range(len(records)), records, strict=True):
        for key, value in record.items():
            if key in values:
                values[key].append(value)
                of[key].append(owner)
            else:
                values[key], of[key] = [value], [owner]
    return [_Column(name(key), level, values[key], of[key]) for key in values]


def _describe(column: _Column) -> tuple[FieldInfo, set[type]]:
    values = column.values
    kinds = set(map(type, values))
    if column.owners is None and kinds <= {str, type(None)}:
        filled = len(values) - values.count("") - values.count(None)
    else:
        owners = column.owners or range(len(values))
        filled = len({
            owner for owner, value in zip(owners, values, strict=True) if _has(value)
        })
    return FieldInfo(column.path, filled, _name_kinds(kinds), _sample(values)), kinds


def _has(value: object) -> bool:
    return value is False or bool(value)  # a NumberText is never empty


def _name_kinds(kinds: set[type]) -> Kind:
    names: dict[type, Kind] = {
        str: "text",
        NumberText: "number",
        bool: "boolean",
        list: "list",
        dict: "object",
    }
    found = {names[kind] for kind in kinds if kind in names}
    if not found:
        return "null"
    return found.pop() if len(found) == 1 else "mixed"


def _sample(values: Sequence[object]) -> tuple[str, ...]:
    samples: dict[str, None] = {}
    for value in islice(filter(None, values), LOOKED_AT):
        samples[value_to_text(value)[:SAMPLE_LENGTH]] = None
        if len(samples) == SAMPLES:
            break
    if not samples and False in values:
        return ("false",)
    return tuple(samples)


def _describe_turns(column: _Column, turns: str) -> FieldInfo:
    cells = [turns_cell(value, TURNS[turns]) for value in column.values]
    filled = sum(1 for cell in cells if isinstance(cell, str) and cell)
    texts = [cell for cell in cells if isinstance(cell, str)]
    return FieldInfo(f"{column.path}: {turns}", filled, "chat", _sample(texts))


def _split_column(column: _Column, literal: frozenset[str]) -> list[_Column]:
    """Make a column of each key of a column's objects, and one of its lists' items."""
    owners = column.owners or range(len(column.values))
    prefix = as_step(column.path) if column.level == 0 else column.path

    def name(key: str) -> str:
        path = f"{prefix}.{as_step(key)}"
        return f"{prefix}.{quote(key)}" if path in literal else path

    pairs = list(zip(owners, column.values, strict=True))
    records = [(owner, value) for owner, value in pairs if isinstance(value, dict)]
    items = [
        (owner, item) for owner, value in pairs if isinstance(value, list) for item in value
    ]
    level = column.level + 1
    below: list[_Column] = []
    if records:
        below += _gather(
            [value for _, value in records], [at for at, _ in records], level, name
        )
    if items:
        values, of = [item for _, item in items], [at for at, _ in items]
        below.append(_Column(f"{prefix}[]", level, values, of))
    return below


def guess_text_fields(fields: Sequence[FieldInfo], rows: Sequence[Row]) -> tuple[str, ...]:
    """Guess which fields hold the text to be compared.

    The first entry of TEXT_NAMES of which the file has all wins (by the last key of a path that
    enters no list; the first of them in half of the rows or more). A chat log gives its user
    turns, unless a question, prompt or text stands beside them. Where no name helps, it is the
    text field with the longest texts in the first LOOKED_AT rows, ids aside.

    Args:
        fields: What `list_fields` says.
        rows: The same rows.

    Returns:
        Paths, in the order of TEXT_NAMES; empty only if no field is filled.
    """
    usable = [field for field in fields if field.filled and field.kind in {"text", "mixed"}]
    half = [field for field in usable if field.filled * 2 >= len(rows)]
    plain = [field for field in usable if "[]" not in field.path]
    named = {_last_key(field.path): field.path for field in reversed(plain)}
    common = {_last_key(field.path) for field in half if "[]" not in field.path}
    chats = [field.path for field in fields if field.path.endswith(": user turns")]
    filled = {field.path: field.filled for field in fields}
    for entry in TEXT_NAMES:
        names = entry.split()
        if names[0] in common and all(name in named for name in names):
            return tuple(named[name] for name in names)
        if entry == _LAST_BEFORE_CHATS and chats and filled[chats[0]] * 2 >= len(rows):
            return (chats[0],)
    id_path = guess_id_field(fields, rows)
    texts = [field.path for field in half or usable if field.path != id_path]
    if texts:
        return (max(texts, key=partial(_text_length, rows[:LOOKED_AT])),)
    rest = [field.path for field in (*usable, *fields) if field.filled]
    return tuple(rest[:1])


def _last_key(path: str) -> str:
    if _STEP_SIGNS.isdisjoint(path):  # parsing costs seconds where there are 200,000 columns
        return path.lower()
    steps = [step for step in parse_path(path) if step is not None]
    return steps[-1].lower() if steps else path.lower()


def _text_length(rows: Sequence[Row], path: str) -> int:
    return sum(len(cell) for cell in get_cells(rows, path) if isinstance(cell, str))


def guess_id_field(fields: Sequence[FieldInfo], rows: Sequence[Row]) -> str | None:
    """Guess which field names the rows.

    It is filled in every row and called by one of ID_NAMES, or ends in "_id" or "Id"; one whose
    values are all different goes before one that repeats, which only a name of ID_NAMES may.

    Returns:
        A path, or None.
    """
    full = [
        field
        for field in fields
        if rows and field.filled == len(rows) and field.kind in {"text", "number", "mixed"}
    ]
    by_name = {_last_key(field.path): field.path for field in reversed(full)}
    named = [by_name[name] for name in ID_NAMES if name in by_name]
    ending = [field.path for field in full if field.path.endswith(("_id", "Id", "ID"))]
    for path in dict.fromkeys((*named, *ending)):
        if len(set(get_cells(rows, path))) == len(rows):
            return path
    return named[0] if named else None


def guess_answer_field(fields: Sequence[FieldInfo], column: str) -> str:
    """Guess which field holds the reference answers: by its name, else a chat's answers.

    Args:
        fields: What `list_fields` says.
        column: The field that is compared, which is not its own answer.

    Returns:
        A path, or "".
    """
    usable = [field for field in fields if field.filled and field.path != column]
    plain = [field for field in usable if "[]" not in field.path and field.kind != "chat"]
    named = {_last_key(field.path): field.path for field in reversed(plain)}
    found = [named[name] for name in ANSWER_NAMES if name in named]
    chats = [field.path for field in usable if field.path.endswith(": assistant turns")]
    return next(iter((*found, *chats)), "")


def guess_split_field(fields: Sequence[FieldInfo], rows: Sequence[Row]) -> str | None:
    """Guess which field says to which split a row belongs: by its name, with 2 to 20 values."""
    for field in fields:
        if _last_key(field.path) not in SPLIT_NAMES:
            continue
        if field.kind in {"text", "number"} and 2 <= len(split_values(rows, field.path)) <= 20:
            return field.path
    return None


def row_label(row: Row, id_path: str | None) -> str:
    """Return the text of a row's id, "" where it has none or no id field is chosen."""
    cell = get_cells([row], id_path)[0] if id_path else None
    return cell if isinstance(cell, str) else ""


def split_values(rows: Sequence[Row], path: str) -> list[tuple[str, int]]:
    """Count the values of a field, most frequent first, ties in file order, nulls left out."""
    cells = get_cells(rows, path)
    return Counter(cell for cell in cells if isinstance(cell, str)).most_common()
