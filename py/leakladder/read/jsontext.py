"""1d - JSON values out of a text: numbers as written, depth bounded, faults with their place.

The parser is the json module's own; this module gives it hooks and looks before and after.
"""

import json
import re
from array import array
from collections.abc import Iterator
from itertools import accumulate

from leakladder.results import NumberText

MAX_DEPTH = 500
"""Nesting that is still parsed; 3,000 levels end a Pyodide interpreter for good."""

SPACE = re.compile(r"[ \t\n\r]*")
_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"?|[\[\]{}]', re.DOTALL)
_SURROGATE = re.compile("[\ud800-\udfff]")
_OPEN, _CLOSE = b"[{", b"]}"
_STEPS = bytes(1 if c in _OPEN else 255 if c in _CLOSE else 0 for c in range(256))
_REST = bytes(c for c in range(256) if c not in _OPEN + _CLOSE)


class JsonDecoder(json.JSONDecoder):
    """The json module's decoder with numbers kept as text and repeated keys counted.

    Attributes:
        repeats: Objects parsed so far in which a key stood twice.
    """

    def __init__(self) -> None:
        self.repeats = 0
        super().__init__(
            object_pairs_hook=self._make_object,
            parse_int=NumberText,
            parse_float=NumberText,
            parse_constant=NumberText,
        )

    def _make_object(self, pairs: list[tuple[str, object]]) -> dict[str, object]:
        made = dict(pairs)
        if len(made) != len(pairs):
            self.repeats += 1
        return made


def find_too_deep(text: str) -> int | None:
    """Find the first bracket that opens more than MAX_DEPTH levels.

    Runs before the parser, on whatever text there is: up to the first fault of the text the
    depth is exact, and after it the parser does not go.

    Args:
        text: JSON, or what should be JSON.

    Returns:
        0-based character of that bracket, or None. Time O(len(text)), in C unless it is found.
    """
    if text.count("[") + text.count("{") <= MAX_DEPTH:
        return None
    bare = text.encode("utf-8", "surrogatepass").replace(rb"\\", b"").replace(rb"\"", b"")
    outside = b"".join(bare.split(b'"')[::2])
    steps = array("b", outside.translate(_STEPS, _REST))
    if max(accumulate(steps), default=0) <= MAX_DEPTH:
        return None
    depth = 0
    for match in _TOKEN.finditer(text):
        depth += {"[": 1, "{": 1, "]": -1, "}": -1}.get(match[0], 0)
        if depth > MAX_DEPTH:
            return match.start()
    return None


def count_lone_surrogates(value: object) -> int:
    """Count surrogate halves in the strings and keys of a parsed value."""
    return sum(len(_SURROGATE.findall(text)) for text in _walk_strings(value))


def _walk_strings(value: object) -> Iterator[str]:
    waiting = [value]
    while waiting:
        item = waiting.pop()
        if isinstance(item, str):
            yield item
        elif isinstance(item, dict):
            yield from item
            waiting.extend(item.values())
        elif isinstance(item, list):
            waiting.extend(item)


def may_hold_surrogates(text: str) -> bool:
    """Tell quickly whether a JSON text has an escape from the surrogate range."""
    return "\\ud" in text or "\\uD" in text


_EXPLAINED = {
    "Expecting value": "expected a value",
    "Expecting property name enclosed in double quotes": "expected a key in double quotes",
    "Expecting ':' delimiter": "expected a colon",
    "Expecting ',' delimiter": "expected a comma or the end",
    "Unterminated string starting at": "a text that opens here is not closed on its line",
    "Invalid control character at": "a control character stands bare in a text",
    "Invalid \\escape": "JSON has no such escape",
    "Invalid \\uXXXX escape": "JSON has no such escape",
    # Since Python 3.13, at the comma; before it was one of the first two, at what follows it.
    "Illegal trailing comma before end of object": "expected a key in double quotes",
    "Illegal trailing comma before end of array": "expected a value",
}


def explain(fault: json.JSONDecodeError, text: str) -> tuple[str, int]:
    """Put the json module's message into words of our own, the same under every Python.

    Args:
        fault: What the parser raised.
        text: What it parsed.

    Returns:
        A sentence that names what stands there, and the character meant.
    """
    at = fault.pos
    if fault.msg.startswith("Illegal trailing comma"):
        match = SPACE.match(text, at + 1)
        at = match.end() if match else at
    if at >= len(text.rstrip(" \t\r\n")):
        return "the JSON ends too early.", at
    words = _EXPLAINED.get(fault.msg.removesuffix(": "), "unexpected text")
    return f"not valid JSON: {words}, found {show(text, at)}.", at


def show(text: str, at: int) -> str:
    """Quote a few characters of a text for a message."""
    end = "..." if len(text) - at > 12 else ""
    return json.dumps(text[at : at + 12] + end, ensure_ascii=False)
