"""leaf - what a person can choose: frozen, validated, JSON-able (the run stamp holds it)."""

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any

from leakladder.errors import SettingError

N_MIN, N_MAX, N_DEFAULT = 5, 25, 13
TOKENS = ("loose", "strict", "characters")
FORMATS = ("jsonl", "json", "csv", "tsv", "text", "parquet")
ENCODINGS = ("utf-8", "utf-16", "cp1252", "latin-1")


@dataclass(frozen=True, slots=True)
class Bounds:
    """How much of a file is read; None means no bound, as on the command line.

    Attributes:
        bytes: Size of the file as dropped.
        rows: Records.
        unpacked: Bytes after unpacking gzip, zip or zstd, and characters decoded from Parquet.
    """

    bytes: int | None = None
    rows: int | None = None
    unpacked: int | None = None


PAGE_BOUNDS = Bounds(bytes=2_000_000, rows=200_000, unpacked=32_000_000)


@dataclass(frozen=True, slots=True)
class ReadOptions:
    """How one file is to be read. None or "" means: decide by looking at it.

    Attributes:
        format: One of FORMATS.
        encoding: One of ENCODINGS.
        delimiter: Character between cells of a delimited file.
        header: Whether the first record of a delimited file names its columns.
        list_path: Dotted path of the list of records inside one JSON object.
        whole_text: A text file is one document rather than one document a line.
        quotes: Double quotes in a delimited file enclose cells; off, they are plain characters.
        pad_ragged: A delimited row with too few cells is filled up with absent ones.
        skip_bad: Leave bad records out, counted, instead of refusing the file.
    """

    format: str | None = None
    encoding: str | None = None
    delimiter: str | None = None
    header: bool | None = None
    list_path: str | None = None
    whole_text: bool = False
    quotes: bool = True
    pad_ragged: bool = False
    skip_bad: bool = False

    def __post_init__(self) -> None:
        """Refuse names that do not exist.

        Raises:
            SettingError: If `format`, `encoding` or `delimiter` is not one that is known.
        """
        if self.format is not None and self.format not in FORMATS:
            raise SettingError(
                f"format must be one of {', '.join(FORMATS)}, not {self.format!r}",
                setting="format",
            )
        if self.encoding is not None and self.encoding not in ENCODINGS:
            raise SettingError(
                f"encoding must be one of {', '.join(ENCODINGS)}, not {self.encoding!r}",
                setting="encoding",
            )
        if self.delimiter is not None and (
            len(self.delimiter) != 1 or self.delimiter in '"\r\n'
        ):
            raise SettingError(
                f"delimiter must be one character, no quote or line end: {self.delimiter!r}",
                setting="delimiter",
            )


@dataclass(frozen=True, slots=True)
class Split:
    """One file holds both sides: the column that says which, and the two values compared.

    Attributes:
        column: Path of the split column.
        test: Its value, as text, on the rows being judged.
        train: Its value, as text, on the rows searched.
    """

    column: str
    test: str
    train: str


@dataclass(frozen=True, slots=True)
class Settings:
    """Everything that changes a result, apart from the files.

    Attributes:
        test_fields: Paths of the chosen text fields of the test file; empty means guess.
        train_fields: The same of the training file.
        test_id: Path of the test file's id column, "" for none, None for guess.
        train_id: The same of the training file.
        tokens: Tokenization of the n-gram rung, one of TOKENS.
        n: Tokens of a run that counts, 5 to 25.
        threshold: Share of a row's tokens that must be dirty for a flag, in whole percent.
        strip_articles: The normalized rung drops a, an and the (step L9).
        rule_n: N of the GPT-3 rule, or None for its percentile rule.
        llama_min: Shortest run whose tokens count under the Llama 2 rule, 10 or 11.
        split: One-file mode, or None.
    """

    test_fields: tuple[str, ...] = ()
    train_fields: tuple[str, ...] = ()
    test_id: str | None = None
    train_id: str | None = None
    tokens: str = "loose"
    n: int = N_DEFAULT
    threshold: int = 0
    strip_articles: bool = False
    rule_n: int | None = None
    llama_min: int = 10
    split: Split | None = field(default=None)

    def __post_init__(self) -> None:
        """Refuse values out of range.

        Raises:
            SettingError: Naming the first setting that is out of its range.
        """
        if self.tokens not in TOKENS:
            raise SettingError(
                f"tokens must be one of {', '.join(TOKENS)}, not {self.tokens!r}",
                setting="tokens",
            )
        self._check("n", self.n, N_MIN, N_MAX)
        self._check("threshold", self.threshold, 0, 100)
        self._check("llama_min", self.llama_min, 5, 50)
        if self.rule_n is not None:
            self._check("rule_n", self.rule_n, 5, 50)

    @staticmethod
    def _check(name: str, value: object, low: int, high: int) -> None:
        if not isinstance(value, int) or isinstance(value, bool) or not low <= value <= high:
            raise SettingError(
                f"{name} must be a whole number from {low} to {high}, not {value!r}",
                setting=name,
            )

    @classmethod
    def from_wire(cls, wire: Mapping[str, Any]) -> "Settings":
        """Make settings from JSON data, whose keys are the attribute names.

        Raises:
            SettingError: If a key is unknown or a value is out of range.
        """
        known = {item.name for item in fields(cls)}
        for key in wire:
            if key not in known:
                raise SettingError(f"there is no setting named {key!r}", setting=key)
        values = dict(wire)
        for key in ("test_fields", "train_fields"):
            if key in values:
                values[key] = tuple(values[key])
        if values.get("split") is not None:
            values["split"] = Split(**values["split"])
        return cls(**values)
