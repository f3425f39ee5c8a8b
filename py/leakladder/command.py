"""host - what the commands share: the options for inputs, and files to sides.

A command that takes two sides is written with `takes_inputs`, so each of these options exists
once and reads the same everywhere.
"""

import inspect
from collections.abc import Callable, Sequence
from dataclasses import MISSING, dataclass, fields
from typing import Annotated, Any, get_type_hints

import typer

from leakladder.errors import SettingError
from leakladder.outcome import Result, run_rung, stamp_files, stamp_side
from leakladder.pipeline import choose_sides, load_file
from leakladder.rungs import Rung
from leakladder.settings import Bounds, ReadOptions, Settings, Split
from leakladder.sides import LoadedFile, Side, join_files, make_side
from leakladder.stamp import FileStamp
from leakladder.terminal import watch_job
from leakladder.train_files import FileTrain, expand_paths, open_source
from leakladder.verify import NamedBytes

Texts = list[str] | None


def _option(name: str, text: str, metavar: str | None = None) -> Any:
    return typer.Option(name, help=text, metavar=metavar)


SplitColumn = Annotated[
    str | None,
    _option("--split-column", "One file holds both sides: the column that says which.", "NAME"),
]
SplitTest = Annotated[
    str | None, _option("--test", "Its value on the rows being judged.", "VALUE")
]
SplitTrain = Annotated[
    str | None, _option("--train", "Its value on the rows searched.", "VALUE")
]


def parse_split(
    column: str | None, test: str | None, train: str | None, *, other: bool
) -> Split | None:
    """Return one-file mode as its three options give it, None where none of them is there.

    Args:
        column: Of `--split-column`.
        test: Of `--test`.
        train: Of `--train`.
        other: Whether a training file is given too.

    Raises:
        SettingError: If only some are given, or a training file is too.
    """
    given = (column, test, train)
    if given == (None, None, None):
        return None
    if column is None or test is None or train is None or other:
        why = "one-file mode takes --split-column, --test and --train, and no TRAIN file"
        raise SettingError(why, setting="split")
    return Split(column, test, train)


@dataclass(frozen=True, kw_only=True)
class Inputs:
    """The files of a command and how they are read, as its options give them."""

    test: Annotated[
        str,
        typer.Argument(metavar="TEST", help="Test file, being judged; - is standard input."),
    ]
    train: Annotated[
        Texts,
        typer.Argument(
            metavar="[TRAIN]...", help="Training files, folders or globs, searched."
        ),
    ] = None
    field: Annotated[
        Texts, _option("--field", "Text field on both sides; repeat for several.", "NAME")
    ] = None
    test_field: Annotated[
        Texts,
        _option("--test-field", "Text field of the test file, where names differ.", "NAME"),
    ] = None
    train_field: Annotated[
        Texts, _option("--train-field", "Text field of the training side.", "NAME")
    ] = None
    id: Annotated[
        str | None, _option("--id", "Field that names the rows; '' for none.", "NAME")
    ] = None
    split_column: SplitColumn = None
    split_test: SplitTest = None
    split_train: SplitTrain = None
    format: Annotated[
        str | None, _option("--format", "jsonl, json, csv, tsv, text or parquet.", "NAME")
    ] = None
    encoding: Annotated[
        str | None, _option("--encoding", "utf-8, utf-16, cp1252 or latin-1.", "NAME")
    ] = None
    delimiter: Annotated[
        str | None, _option("--delimiter", "Character between the cells.", "CHAR")
    ] = None
    no_header: Annotated[bool, _option("--no-header", "The first record is data.")] = False
    list_path: Annotated[
        str | None, _option("--list", "Where in a JSON object the records are.", "PATH")
    ] = None
    whole_text: Annotated[bool, _option("--whole-text", "A text file is one document.")] = False
    pad_ragged: Annotated[bool, _option("--pad", "Fill up rows with too few cells.")] = False
    skip_bad: Annotated[
        bool, _option("--skip-bad", "Leave out records that cannot be read, counted.")
    ] = False

    def read_options(self) -> ReadOptions:
        """Return how the files are to be read."""
        return ReadOptions(
            format=self.format,
            encoding=self.encoding,
            delimiter="\t" if self.delimiter == "\\t" else self.delimiter,
            header=False if self.no_header else None,
            list_path=self.list_path,
            whole_text=self.whole_text,
            pad_ragged=self.pad_ragged,
            skip_bad=self.skip_bad,
        )

    def settings(self, *, alone: bool = False, **own: Any) -> Settings:
        """Return the settings of a run: the fields and ids given here, and a command's own.

        Args:
            alone: The test side is enough.
            own: The command's own settings.

        Raises:
            SettingError: If a value is out of range or one-file mode is half given.
        """
        shared = tuple(self.field or ())
        return Settings(
            test_fields=tuple(self.test_field or ()) or shared,
            train_fields=tuple(self.train_field or ()) or shared,
            test_id=self.id,
            train_id=self.id,
            split=self._split(alone=alone),
            **own,
        )

    def _split(self, *, alone: bool) -> Split | None:
        names = self.split_column, self.split_test, self.split_train
        split = parse_split(*names, other=bool(self.train))
        if split is None and not self.train and not alone:
            why = "give TRAIN files, or --split-column with --test and --train"
            raise SettingError(why, setting="train")
        return split


def takes_inputs(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command all options of `Inputs`, handed over as its first argument."""
    hints = get_type_hints(Inputs, include_extras=True)
    shared = [
        inspect.Parameter(
            item.name,
            inspect.Parameter.KEYWORD_ONLY,
            default=inspect.Parameter.empty if item.default is MISSING else item.default,
            annotation=hints[item.name],
        )
        for item in fields(Inputs)
    ]
    own_hints = get_type_hints(command, include_extras=True)
    own = [
        item.replace(kind=inspect.Parameter.KEYWORD_ONLY, annotation=own_hints[item.name])
        for item in list(inspect.signature(command).parameters.values())[1:]
    ]

    def run(**values: Any) -> None:
        given = {item.name: values.pop(item.name) for item in shared}
        command(Inputs(**given), **values)

    run.__name__ = command.__name__
    run.__doc__ = command.__doc__
    run.__signature__ = inspect.Signature([*shared, *own])  # type: ignore[attr-defined]
    run.__annotations__ = {item.name: item.annotation for item in [*shared, *own]}
    return run


def read_bytes(path: str) -> NamedBytes:
    """Read the bytes of one file.

    Raises:
        LadderError: If it is not there.
    """
    source = open_source(path)
    with source.open() as stream:
        return NamedBytes(source.name, stream.read())


def load(path: str, options: ReadOptions) -> LoadedFile:
    """Read one file whole, without bounds.

    Raises:
        LadderError: If it is not there or cannot be read.
    """
    name, data = read_bytes(path)
    return watch_job(load_file(data, name, options, Bounds()))


def load_all(paths: Sequence[str], options: ReadOptions) -> tuple[LoadedFile, list[LoadedFile]]:
    """Read the training files into memory as one, rows numbered on across them.

    Raises:
        LadderError: If one is not there or cannot be read.
    """
    files = [load(path, options) for path in expand_paths(paths)]
    return join_files(files), files


def memory_sides(inputs: Inputs, settings: Settings) -> tuple[Side, Side, list[FileStamp]]:
    """Read both sides into memory.

    Returns:
        Test side, training side, and the stamps of the training files.

    Raises:
        LadderError: If a file cannot be read or lacks a chosen field.
    """
    options = inputs.read_options()
    test_file = load(inputs.test, options)
    if settings.split is not None:
        test, train = choose_sides(test_file, None, settings)
        return test, train, [stamp_side(train)]
    train_file, files = load_all(inputs.train or (), options)
    test, train = choose_sides(test_file, train_file, settings)
    return test, train, stamp_files(files, train)


def stream_rung(rung: Rung, inputs: Inputs, settings: Settings) -> Result:
    """Run a rung with the training side streamed from its files, whatever their size.

    Raises:
        LadderError: If a file cannot be read or lacks a chosen field.
    """
    if settings.split is not None or _may_be_same(inputs):
        test, train, stamps = memory_sides(inputs, settings)
        return watch_job(run_rung(rung, (test, train), stamps, settings))
    options = inputs.read_options()
    test_file = load(inputs.test, options)
    test = make_side(test_file, settings.test_fields, settings.test_id, lambda _: True)
    stream = FileTrain(inputs.train or (), options, settings.train_fields, settings.train_id)
    scan = watch_job(rung.scan(test, stream, settings, same_file=False))
    return Result(rung, rung.view(scan, settings), test, stream.stamps)


def _may_be_same(inputs: Inputs) -> bool:
    """Tell whether the one training file has the size of the test file, so may be the same."""
    paths = [path for path in inputs.train or () if path != "-"]
    if inputs.test == "-" or len(paths) != 1 or len(inputs.train or ()) != 1:
        return False
    files = expand_paths(paths)
    return len(files) == 1 and open_source(files[0]).size == open_source(inputs.test).size
