"""2a - values to texts: one rule, nested paths, and the turns of chat logs.

A path is the name of a top-level key as it stands ("prompt.text" if a CSV column is called
so), or keys joined by dots, with "[]" where a list is entered: `prompt.text`, `choices[].text`.
A key below the top level that holds a dot, a bracket or a double quote stands in double quotes.
A chat log has three paths more: `messages: all turns`, `messages: user turns` and
`messages: assistant turns`.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence

from leakladder.results import ABSENT, Absent, Cell, NumberText, Row

TURNS: Mapping[str, frozenset[str] | None] = {
    "all turns": None,
    "user turns": frozenset({"user", "human", "prompter"}),
    "assistant turns": frozenset({
        "assistant",
        "gpt",
        "model",
        "bot",
        "chatbot",
        "bing",
        "bard",
    }),
}
"""Name of a chat field to the roles it takes; None takes every role."""

_SEGMENT = re.compile(
    r'("(?:[^"\\]|\\.)*"|[^.\[\]"]+)((?:\[\])*)(?:\.(?=.)|$)|((?:\[\])+)(?:\.|$)',
    re.DOTALL,
)
_PLAIN_KEY = re.compile(r'[^.\[\]"]+')

quote = json.encoder.encode_basestring
"""A text as a JSON string, its characters unescaped as far as JSON allows."""


class _Mark(str):
    """A piece of JSON syntax on its way out, told apart from a text."""

    __slots__ = ()


def value_to_text(value: object) -> str:
    """Turn a value into text, by the one rule that every rung and export uses.

    A text is itself. A number is what the file wrote ("1.0", "1e3"), so 42 in a CSV equals 42
    in JSONL. True and false are "true" and "false". A list or object is its JSON without
    spaces, keys in file order, characters unescaped, numbers as written. Null is "null" inside
    a list or object; of its own it is no text, see `value_to_cell`.

    Args:
        value: str, NumberText, bool, None, list or dict, nested at will.

    Returns:
        The text. Time in proportion to its length; nesting costs no recursion.
    """
    if isinstance(value, str):
        return str(value)
    parts: list[str] = []
    waiting: list[object] = [value]
    while waiting:
        item = waiting.pop()
        if isinstance(item, list):
            waiting.append(_Mark("]"))
            for at in range(len(item) - 1, -1, -1):
                waiting += (item[at], _Mark(",")) if at else (item[at],)
            parts.append("[")
        elif isinstance(item, dict):
            waiting.append(_Mark("}"))
            for at, (key, inner) in enumerate(reversed(item.items()), 1 - len(item)):
                waiting += (inner, _Mark(f"{quote(key)}:"), _Mark(","))[: 3 if at else 2]
            parts.append("{")
        else:
            parts.append(_plain(item))
    return "".join(parts)


def _plain(item: object) -> str:
    if isinstance(item, (NumberText, _Mark)):
        return item
    if isinstance(item, str):
        return quote(item)
    if item is None:
        return "null"
    return str(item).lower() if isinstance(item, bool) else str(item)


def value_to_cell(value: object) -> Cell:
    """Turn a value into a cell: null stays None and absent stays ABSENT."""
    if value is None or isinstance(value, Absent):
        return value
    return value_to_text(value)


def get_cells(rows: Sequence[Row], path: str) -> list[Cell]:
    """Take one field out of every row.

    Args:
        rows: The rows.
        path: As the module describes. A top-level key of just this name wins over a nested one.

    Returns:
        One cell a row. A path through lists gives the values of all elements, nulls and absent
        ones left out, joined by line ends; null if there are only nulls; absent if nothing is
        there. Chat turns are joined the same way.
    """
    values: list[object] = [row.fields.get(path, ABSENT) for row in rows]
    kinds = set(map(type, values))
    if kinds == {Absent}:
        return _get_nested(rows, path)
    if kinds <= {str, type(None), Absent}:
        return values  # type: ignore[return-value]  # the line above has looked
    return [value_to_cell(value) for value in values]


def _get_nested(rows: Sequence[Row], path: str) -> list[Cell]:
    base, _, turns = path.rpartition(": ")
    if base and turns in TURNS:
        return [turns_cell(_first(row.fields, base), TURNS[turns]) for row in rows]
    steps = parse_path(path)
    if len(steps) < 2:
        return [ABSENT] * len(rows)
    return [_join(_follow(row.fields, steps), steps) for row in rows]


def parse_path(path: str) -> tuple[str | None, ...]:
    """Cut a path into its steps: a key, or None where a list is entered.

    >>> parse_path('choices[].text')
    ('choices', None, 'text')
    """
    steps: list[str | None] = []
    at = 0
    while at < len(path):
        match = _SEGMENT.match(path, at)
        if match is None:
            return (path,)
        key, lists = match[1], match[2] or match[3] or ""
        if key:
            steps.append(json.loads(key) if key.startswith('"') else key)
        steps += [None] * (len(lists) // 2)
        at = match.end()
    return tuple(steps)


def _first(fields: Mapping[str, object], path: str) -> object:
    if path in fields:
        return fields[path]
    return next(_follow(fields, parse_path(path)), ABSENT)


def _follow(fields: Mapping[str, object], steps: Sequence[str | None]) -> Iterator[object]:
    # A stack instead of recursion: the values nest 500 deep and Pyodide's stack is small.
    waiting: list[tuple[object, int]] = [(fields, 0)]
    while waiting:
        value, at = waiting.pop()
        if at == len(steps):
            yield value
            continue
        step = steps[at]
        if step is None:
            if isinstance(value, list):
                waiting += [(item, at + 1) for item in reversed(value)]
        elif isinstance(value, Mapping) and step in value:
            waiting.append((value[step], at + 1))


def _join(values: Iterator[object], steps: Sequence[str | None]) -> Cell:
    if None not in steps:
        return value_to_cell(next(values, ABSENT))
    found = list(values)
    texts = [value_to_text(value) for value in found if value is not None]
    if not texts:
        return None if found else ABSENT
    return "\n".join(texts)


def turns_cell(log: object, roles: frozenset[str] | None) -> Cell:
    """Join the texts of a chat log's turns by line ends.

    Args:
        log: A list of turns: {"role", "content"}, or {"from", "value"}.
        roles: Roles that count, in lower case; None for all.

    Returns:
        The text; null for a null log; absent if it is no log or no such turn has a text.
    """
    if not isinstance(log, list):
        return None if log is None else ABSENT
    texts = [
        text
        for turn in log
        if isinstance(turn, dict)
        and (roles is None or str(turn.get("role", turn.get("from"))).lower() in roles)
        for text in _content_texts(turn.get("content", turn.get("value")))
    ]
    return "\n".join(texts) if texts else ABSENT


def _content_texts(content: object) -> list[str]:
    """Take the texts of a turn: itself, or those of its parts; pictures have none."""
    if isinstance(content, str):
        return [str(content)]
    if isinstance(content, dict):
        content = [content]
    if not isinstance(content, list):
        return []
    texts: list[str] = []
    for part in content:
        text = part.get("text") if isinstance(part, dict) else part
        if isinstance(text, dict):  # {"text": {"value": ...}}, as some interfaces nest it
            text = text.get("value")
        if isinstance(text, str):
            texts.append(str(text))
    return texts


def is_chat(value: object) -> bool:
    """Tell whether a value is a list in which a turn of a chat stands."""
    return isinstance(value, list) and any(
        isinstance(turn, dict)
        and (("role" in turn and "content" in turn) or ("from" in turn and "value" in turn))
        for turn in value
    )


def as_step(key: str) -> str:
    """Quote a key that would not come back from `parse_path` as one step."""
    return key if _PLAIN_KEY.fullmatch(key) else quote(key)
