"""leaf - every error this package raises on purpose.

Imports nothing from the package. A caller who catches `LadderError` has caught everything that
bad input can cause; any other exception is a bug here.
"""

from collections.abc import Mapping, Sequence


class LadderError(Exception):
    """Base of all expected failures.

    Attributes:
        code: Stable kebab-case name. The page picks its help by it, and it is the only part of
            an error that other code may branch on.
    """

    code = "error"

    def to_wire(self) -> dict[str, object]:
        """Return the JSON-ready form that crosses the worker boundary."""
        return {"code": self.code, "message": str(self)}


class ReadError(LadderError):
    """A file's bytes do not parse as the format they claim to be.

    Attributes:
        code: Names the kind of fault (`bad-json`, `ragged-row`, `open-quote`, ...).
        reason: What was found, without the place.
        fix: What the person can do about it; empty when the reason says it all.
        file: Name as the user sees it, not a path in the worker's file system.
        line: 1-based line of the first bad character, or None where the format has no lines.
        column: 1-based column in that line, in characters, or None.
        byte: 0-based offset in the (unpacked) file, or None.
    """

    code = "unreadable-file"

    def __init__(
        self,
        reason: str,
        *,
        file: str,
        code: str | None = None,
        fix: str = "",
        place: tuple[int | None, int | None, int | None] = (None, None, None),
    ) -> None:
        """Take `place` as (line, column, byte), each None where it is not known."""
        self.line, self.column, self.byte = place
        where = file
        if self.line is not None:
            where += f", line {self.line:,}"
        if self.column is not None:
            where += f", column {self.column:,}"
        if self.line is None and self.byte is not None:
            where += f", byte {self.byte:,}"
        super().__init__(f"{where}: {reason}" + (f" {fix}" if fix else ""))
        if code is not None:
            self.code = code
        self.reason = reason
        self.fix = fix
        self.file = file

    def to_wire(self) -> dict[str, object]:
        """Return the base form with the place that failed."""
        return {
            **super().to_wire(),
            "reason": self.reason,
            "fix": self.fix,
            "file": self.file,
            "line": self.line,
            "column": self.column,
            "byte": self.byte,
        }


class EncodingError(ReadError):
    """A file's bytes are no text in the encoding it is read in; the person may name another.

    Attributes:
        option: Which `ReadOptions` field the answer goes into.
        choices: The encodings offered, most likely first; empty where none would help.
    """

    code = "bad-encoding"
    option = "encoding"

    def __init__(
        self,
        reason: str,
        *,
        file: str,
        place: tuple[int | None, int | None, int | None],
        choices: Sequence[str] = (),
    ) -> None:
        fix = "Save the file as UTF-8."
        if choices:
            fix = f"Save the file as UTF-8, or choose its encoding: {' or '.join(choices)}."
        super().__init__(reason, file=file, fix=fix, place=place)
        self.choices = tuple(choices)

    def to_wire(self) -> dict[str, object]:
        """Return the base form with the option and its values."""
        return {**super().to_wire(), "option": self.option, "choices": list(self.choices)}


class BadRecords(ReadError):  # noqa: N818 - a collection of errors, named for what it holds
    """Some records of a file cannot be read; nothing is computed until the person decides.

    Attributes:
        first: The first ten faults, in file order.
        total: How many records are bad, all counted.
    """

    code = "bad-records"

    def __init__(self, first: Sequence[ReadError], total: int, *, file: str) -> None:
        """Take the faults in file order; `first` holds at least one."""
        lead = first[0]
        noun = "record cannot be read" if total == 1 else "records cannot be read"
        super().__init__(
            f"{total:,} {noun}; the first: {lead.reason}",
            file=file,
            fix=lead.fix or "Mend the file, or choose to leave these records out.",
            place=(lead.line, lead.column, lead.byte),
        )
        self.first = tuple(first[:10])
        self.total = total

    def to_wire(self) -> dict[str, object]:
        """Return the base form with the listed faults and the total."""
        return {
            **super().to_wire(),
            "first": [error.to_wire() for error in self.first],
            "total": self.total,
        }


class LimitError(LadderError):
    """A file is over a bound of the page; nothing of it was used.

    Attributes:
        file: Name as the user sees it.
        bound: The bound, in the unit that `unit` names.
        found: What the file has, in the same unit; for a file that was not read to its end, the
            count at which reading stopped.
        unit: "bytes", "rows", "characters" or "unpacked bytes".
    """

    code = "over-the-bound"

    def __init__(self, *, file: str, unit: str, bound: int, found: int) -> None:
        super().__init__(f"{file}: {found:,} {unit}, and the bound is {bound:,}")
        self.file = file
        self.unit = unit
        self.bound = bound
        self.found = found

    def to_wire(self) -> dict[str, object]:
        """Return the base form with the bound and what was found."""
        place = {"file": self.file, "unit": self.unit, "bound": self.bound, "found": self.found}
        return {**super().to_wire(), **place}


class ChoiceNeededError(LadderError):
    """The file can be read in more than one way and guessing would be wrong.

    Attributes:
        file: Name as the user sees it.
        option: Which `ReadOptions` field the answer goes into.
        choices: The values offered, most likely first.
    """

    code = "choice-needed"

    def __init__(
        self, question: str, *, file: str, option: str, choices: Sequence[str]
    ) -> None:
        super().__init__(f"{file}: {question}")
        self.file = file
        self.option = option
        self.choices = tuple(choices)

    def to_wire(self) -> dict[str, object]:
        """Return the base form with the option and its values."""
        ask = {"file": self.file, "option": self.option, "choices": list(self.choices)}
        return {**super().to_wire(), **ask}


class FieldError(LadderError):
    """A chosen field, id column or split column is not in the file.

    Attributes:
        file: Name as the user sees it.
        field: The path that was asked for.
        available: Paths the file has, most filled first.
    """

    code = "no-such-field"

    def __init__(
        self, message: str, *, file: str, field: str, available: Sequence[str]
    ) -> None:
        super().__init__(f"{file}: {message}")
        self.file = file
        self.field = field
        self.available = tuple(available)

    def to_wire(self) -> dict[str, object]:
        """Return the base form with the field asked for and those there are."""
        ask = {"file": self.file, "field": self.field, "available": list(self.available)}
        return {**super().to_wire(), **ask}


class SettingError(LadderError):
    """A setting is out of its range or does not exist.

    Attributes:
        setting: Name of the setting.
    """

    code = "bad-setting"

    def __init__(self, message: str, *, setting: str) -> None:
        super().__init__(message)
        self.setting = setting

    def to_wire(self) -> dict[str, object]:
        """Return the base form with the setting's name."""
        return {**super().to_wire(), "setting": self.setting}


Wire = Mapping[str, object]
