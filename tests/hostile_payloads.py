"""The hostile texts of hostile/payloads.json: for tests of core, terminal and page."""

import json
from functools import cache
from pathlib import Path
from typing import NamedTuple

FILE = Path(__file__).parent / "hostile" / "payloads.json"


class Payload(NamedTuple):
    """One hostile text.

    Attributes:
        name: Its kind and a number.
        kind: What it tries: "script", "escape", "formula", ...
        text: The text; in the file, `repeat` [piece, times] is added to its end.
    """

    name: str
    kind: str
    text: str

    @property
    def is_long(self) -> bool:
        """Whether it is one of the few that hold tens of thousands of characters."""
        return self.kind in {"long", "marks"}

    @property
    def is_utf8(self) -> bool:
        """Whether a UTF-8 file can hold it as it is: it has no lone surrogate."""
        return self.kind != "surrogate"


@cache
def load_payloads() -> tuple[Payload, ...]:
    """Return all of them, in file order."""
    made = []
    for item in json.loads(FILE.read_text("utf-8")):
        piece, times = item.get("repeat", ("", 0))
        made.append(Payload(item["name"], item["kind"], item["text"] + piece * times))
    return tuple(made)
