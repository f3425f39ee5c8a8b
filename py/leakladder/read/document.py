"""1g - one JSON text, walked a value at a time, and the way from characters to places."""

import json
from collections.abc import Iterator

from leakladder.errors import ReadError
from leakladder.read.info import Reading
from leakladder.read.jsontext import MAX_DEPTH, SPACE, JsonDecoder, explain, find_too_deep, show
from leakladder.read.lines import CODECS, has_places

Found = tuple[object, int, int]
"""A value with its half-open range of characters in the text."""


class Document:
    """A JSON text with its parser.

    Attributes:
        text: The text.
        decoder: Its parser, which counts repeated keys.
        end: Where the value that was walked last ends, in characters.
    """

    def __init__(self, text: str, start: int, reading: Reading) -> None:
        self.text = text
        self.reading = reading
        self.decoder = JsonDecoder()
        self.end = 0
        self._codec = CODECS[reading.info.encoding]
        self._base = start
        self._ascii = text.isascii() or self._codec != "utf-8"  # one byte a character
        self._seen, self._line, self._byte = 0, 1, start

    def check_depth(self) -> None:
        """Refuse a text that the parser may not be given.

        Raises:
            ReadError: If it nests too deep.
        """
        deep = find_too_deep(self.text)
        if deep is not None:
            raise self.fault(f"more than {MAX_DEPTH} levels of nesting.", "too-deep", deep)

    def skip(self, at: int) -> int:
        """Return the place of the next character that is no space."""
        match = SPACE.match(self.text, at)
        return match.end() if match else at

    def parse(self, at: int) -> tuple[object, int]:
        """Parse the value that starts at a character; return it and where it ends.

        Raises:
            ReadError: If there is none.
        """
        try:
            return self.decoder.raw_decode(self.text, at)
        except json.JSONDecodeError as error:
            reason, at = explain(error, self.text)
            raise self.fault(reason, "bad-json", at) from error

    def fault(self, reason: str, code: str, at: int, fix: str = "") -> ReadError:
        """Make the error for a character. Time in proportion to what stands before it."""
        line = self.text.count("\n", 0, at) + 1
        column = at - self.text.rfind("\n", 0, at)
        byte = self._base + len(self.text[:at].encode(self._codec, "surrogatepass"))
        place = (line, column, byte if has_places(self.reading) else None)
        return self.reading.error(reason, code, place, fix)

    def expected(self, what: str, at: int, fix: str = "") -> ReadError:
        """Make the error for a character that is not what JSON has there."""
        if at >= len(self.text):
            return self.fault("the JSON ends too early.", "bad-json", at)
        reason = f"not valid JSON: expected {what}, found {show(self.text, at)}."
        return self.fault(reason, "bad-json", at, fix)

    def locate(self, at: int) -> tuple[int, int]:
        """Return (line, byte) of a character at or after the one asked for last."""
        if at < self._seen:  # a repeated key puts its value after later ones
            self._seen, self._line, self._byte = 0, 1, self._base
        text, seen = self.text, self._seen
        self._line += text.count("\n", seen, at)
        self._byte += at - seen if self._ascii else len(text[seen:at].encode())
        self._seen = at
        return self._line, self._byte

    def elements(self, at: int) -> Iterator[Found]:
        """Walk the array that starts at a character.

        Yields:
            Its values; after the last one `end` is set.

        Raises:
            ReadError: Where the text is no JSON.
        """
        at = self.skip(at + 1)
        closed = self.text.startswith("]", at)
        while not closed:
            value, stop = self.parse(at)
            yield value, at, stop
            at = self.skip(stop)
            closed = self.text.startswith("]", at)
            if not closed:
                if not self.text.startswith(",", at):
                    raise self.expected("a comma or ]", at)
                at = self.skip(at + 1)
        self.end = at + 1

    def pairs(self, at: int) -> Iterator[tuple[str, int]]:
        """Walk the object that starts at a character.

        Yields:
            Key and start of each value. Whoever asks for the next one has set `end` to the
            value's end; after the last one it is set here.

        Raises:
            ReadError: Where the text is no JSON.
        """
        at = self.skip(at + 1)
        closed = self.text.startswith("}", at)
        while not closed:
            if not self.text.startswith('"', at):
                raise self.expected("a key in double quotes", at)
            key, at = self.parse(at)
            at = self.skip(at)
            if not self.text.startswith(":", at):
                raise self.expected("a colon", at)
            self.end = -1
            yield str(key), self.skip(at + 1)
            at = self.skip(self.end)
            closed = self.text.startswith("}", at)
            if not closed:
                if not self.text.startswith(",", at):
                    raise self.expected("a comma or }", at)
                at = self.skip(at + 1)
        self.end = at + 1

    def close(self, at: int) -> None:
        """Refuse anything but space after the end of the document.

        Raises:
            ReadError: If something else is there.
        """
        at = self.skip(at)
        if at < len(self.text):
            fix = "If each line is a record of its own, choose the format JSONL."
            raise self.expected("the end of the file", at, fix)
