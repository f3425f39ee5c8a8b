"""all - the stages in order: files, sides, rungs, results. Only this module knows the order."""

import hashlib
from typing import Any

from leakladder import overview
from leakladder.csv_export import write_json
from leakladder.errors import LadderError
from leakladder.fields import split_values
from leakladder.jobs import Job
from leakladder.meaning_files import add_part
from leakladder.meaning_report import Meaning
from leakladder.outcome import Marking, Result, check_report, is_same_file, stamp_side
from leakladder.paging import Query
from leakladder.read import Table, read_steps
from leakladder.rules_report import verdicts
from leakladder.rungs import RUNGS, Rung
from leakladder.settings import Bounds, ReadOptions, Settings
from leakladder.sides import LoadedFile, Side, make_side, split_side


class NotRunError(LadderError):
    """A result was asked for that has not been computed with these files and settings."""

    code = "not-run"


def load_file(data: bytes, name: str, options: ReadOptions, bounds: Bounds) -> Job[LoadedFile]:
    """Read one whole file.

    Raises:
        ReadError: If the bytes are not what they claim to be.
        LimitError: If the file is over a bound.
        ChoiceNeededError: If it can be read in several ways.
    """
    table = yield from read_steps(data, name=name, options=options, bounds=bounds)
    return as_loaded(name, data, table)


def as_loaded(name: str, data: bytes, table: Table) -> LoadedFile:
    """Return a file that has been read, with the hash of its bytes."""
    return LoadedFile(name, len(data), hashlib.sha256(data).hexdigest(), table)


def choose_sides(
    test: LoadedFile, train: LoadedFile | None, settings: Settings
) -> tuple[Side, Side]:
    """Return the two sides of a comparison; in one-file mode both are rows of `test`.

    Raises:
        FieldError: If a chosen field, id or split column is not there.
        NotRunError: If there is no training file and no split column.
    """
    split = settings.split
    if split is not None:
        return (
            split_side(test, split, split.test, settings.test_fields, settings.test_id),
            split_side(test, split, split.train, settings.train_fields, settings.train_id),
        )
    if train is None:
        raise NotRunError("there is no training file yet")
    return (
        make_side(test, settings.test_fields, settings.test_id, lambda _: True),
        make_side(train, settings.train_fields, settings.train_id, lambda _: True),
    )


class Comparison:
    """Two files, what was asked of them, and the last result of every rung.

    The page has one of these for its whole life. A rung that fails or is cancelled leaves the
    last result as it was.
    """

    def __init__(self) -> None:
        self._files: dict[str, LoadedFile | None] = {"test": None, "train": None}
        self._sides: tuple[object, tuple[Side, Side]] | None = None
        self._scans: dict[str, tuple[object, Any]] = {}
        self._results: dict[str, Result] = {}
        self._alike: tuple[object, frozenset[int]] | None = None

    def load(
        self, side: str, data: bytes, name: str, options: ReadOptions, bounds: Bounds
    ) -> Job[LoadedFile]:
        """Read a file into a slot; the slot keeps the old one if that fails."""
        loaded = yield from load_file(data, name, options, bounds)
        self.take(side, loaded)
        return loaded

    def take(self, side: str, file: LoadedFile) -> None:
        """Put a file that has been read into a slot."""
        self._files[side] = file

    def unload(self, side: str) -> None:
        """Empty a slot; results stay until the next run."""
        self._files[side] = None

    def swap(self) -> None:
        """Let the two files change places."""
        files = self._files
        files["test"], files["train"] = files["train"], files["test"]

    def file(self, side: str) -> LoadedFile:
        """Return the file in a slot.

        Raises:
            NotRunError: If the slot is empty.
        """
        found = self._files[side]
        if found is None:
            raise NotRunError(f"there is no {side} file yet")
        return found

    def file_or_none(self, side: str) -> LoadedFile | None:
        """Return the file in a slot, or None if it is empty."""
        return self._files[side]

    def facts(self, side: str) -> dict[str, Any] | None:
        """Return what is known of the file in a slot, or None if it is empty."""
        found = self._files[side]
        return None if found is None else {"side": side, **found.to_wire()}

    def split_values(self, column: str) -> dict[str, Any]:
        """Return the distinct values of a column of the test file, most frequent first."""
        file = self.file("test")
        values = split_values(file.table.rows, file.check_field(column))
        return {"values": [{"value": value, "count": count} for value, count in values]}

    def run(self, rung: str, settings: Settings) -> Job[dict[str, Any]]:
        """Run a rung, or only look at its last scan again where that is enough."""
        chosen = RUNGS[rung]
        test, train = self._choose_sides(settings)
        key = self._key(chosen, test, train, settings)
        known = self._scans.get(rung)
        if known is None or known[0] != key:
            same = is_same_file(test, train)
            scan = yield from chosen.scan(test, train, settings, same_file=same)
            known = self._scans[rung] = (key, scan)
        view = chosen.view(known[1], settings)
        self._results[rung] = Result(chosen, view, test, [stamp_side(train)], settings.split)
        return self._wire(rung)

    def _choose_sides(self, settings: Settings) -> tuple[Side, Side]:
        """Return the two sides: those of last time if nothing that makes them changed."""
        files = self.file("test"), self._files["train"]
        key = (
            *files,
            settings.test_fields,
            settings.train_fields,
            settings.test_id,
            settings.train_id,
            settings.split,
        )
        if self._sides is None or self._sides[0] != key:
            self._sides = key, choose_sides(*files, settings)
        return self._sides[1]

    @staticmethod
    def _key(rung: Rung, test: Side, train: Side, settings: Settings) -> object:
        """Return what a scan depends on: files, fields, ids and the rung's own settings."""
        sides = [(side.file, side.fields, side.id_path) for side in (test, train)]
        return sides, settings.split, rung.scan_key(settings)

    def view(self, rung: str, settings: Settings) -> dict[str, Any]:
        """Show a rung's last scan at other settings; nothing is searched.

        Raises:
            NotRunError: If these settings need another scan.
        """
        for _ in self.run(rung, settings):  # yields only where the last scan does not answer
            raise NotRunError(f"these settings need another scan of {rung}")
        return self._wire(rung)

    def result(self, rung: str) -> Result:
        """Return the last result of a rung.

        Raises:
            NotRunError: If there is none.
        """
        if rung not in self._results:
            raise NotRunError(f"{rung} has not been run yet")
        return self._results[rung]

    def _wire(self, rung: str) -> dict[str, Any]:
        result = self.result(rung)
        stamp = result.stamp()
        sides = {side: stamp[side] for side in ("test", "train")}
        return {**result.screen(), **sides, "stamp": stamp}

    def _current(self) -> tuple[Side, Side, dict[str, Result]]:
        """Return the two sides and the results that are of just these, in the order of RUNGS.

        A rung that was last run over other files or fields has a result, but not of these.

        Raises:
            NotRunError: If nothing has been run.
        """
        if self._sides is None:
            raise NotRunError("nothing has been run yet")
        test, train = self._sides[1]
        known = {name: self._results[name] for name in RUNGS if name in self._results}
        return test, train, {name: one for name, one in known.items() if one.test is test}

    def _views(self) -> tuple[Side, Side, dict[str, Any]]:
        """Return the two sides and the views of what was run over just these."""
        test, train, results = self._current()
        views: dict[str, Any] = {name: result.view for name, result in results.items()}
        if self._alike is not None and self._alike[0] == (test.rows, train.rows):
            views["meaning"] = self._alike[1]
        return test, train, views

    def _is_of_these(self, meaning: Meaning) -> bool:
        """Tell whether a run of rung 6 is over the two sides that other rungs ran over."""
        test, train, results = self._current()
        own = meaning.train or train
        same = meaning.test.file is test.file and own.file is train.file
        return same and all(result.split == meaning.split for result in results.values())

    def take_alike(self, test: Side, train: Side, indices: frozenset[int] | None) -> None:
        """Keep which test rows read alike with a training row; None forgets it."""
        self._alike = None if indices is None else ((test.rows, train.rows), indices)

    def reads_alike(self, index: int) -> bool:
        """Whether the meaning check found a training row that says the same."""
        return index in self._views()[2].get("meaning", ())

    def overview(self) -> dict[str, Any]:
        """Return how many test rows the lowest rung that catches them is which."""
        test, _, views = self._views()
        return overview.summarize(overview.make_overview(test, views))

    def flagged_indices(self) -> frozenset[int]:
        """Return the indices of the test rows that some rung has caught.

        Raises:
            NotRunError: If nothing has been run.
        """
        test, _, views = self._views()
        bands = overview.make_overview(test, views).lowest
        caught = zip(test.rows, bands, strict=True)
        return frozenset(row.index for row, band in caught if band in overview.BANDS[:-1])

    def table(self, rung: str, **query: Any) -> dict[str, Any]:
        """Return one page of a table: of a rung, of the overview, or of training rows."""
        chosen = Query(**query)
        if rung in {"overview", "train"}:
            test, train, views = self._views()
            if rung == "train":
                return overview.train_page(views, train, chosen)
            return overview.table_page(overview.make_overview(test, views), chosen)
        result = self.result(rung)
        return result.rung.table(result.view, chosen)

    def pair(self, rung: str, index: int) -> dict[str, Any]:
        """Return the test row with this index, or the finding at this place, with its match."""
        result = self.result("ngrams" if rung == "overview" else rung)
        position = index if rung == "rows" else result.test.position(index)
        if rung == "overview":
            return overview.pair(self._views_of(result.test), position)
        made = result.rung.pair(result.view, position)
        if rung == "ngrams" and (rules := self._views_of(result.test).get("rules")):
            made["verdicts"] = verdicts(rules, position)
        return made

    def _views_of(self, test: Side) -> dict[str, Any]:
        """Return the views of the rungs that judged these very rows."""
        made = self._results.items()
        return {name: result.view for name, result in made if result.test is test}

    def export(
        self,
        what: str,
        *,
        text: bool = True,
        marks: Marking | None = None,
        meaning: Meaning | None = None,
    ) -> Job[bytes]:
        """Return a file to download: `ngrams.csv`, `rows.json`, `check.json` and so on.

        Args:
            what: Rung and kind; `check` has every rung that was run over the current files.
            text: False leaves out every column of the files' text.
            marks: Test record, as text, to {"mark", "note"}; added to a CSV's rows, and to
                JSON beside them.
            meaning: The last run of rung 6; `check` has it too if it is of the same files.

        Raises:
            NotRunError: If the rung, or for `check` every rung, has not been run.
        """
        rung, _, kind = what.partition(".")
        if kind == "csv":
            return (yield from self.result(rung).csv(text=text, marks=marks))
        if rung == "check":
            results = list(self._current()[2].values())
            if not results:
                raise NotRunError("no rung has been run over these files")
            report = yield from check_report(results, text=text)
            if meaning is not None and self._is_of_these(meaning):
                report = yield from add_part(report, meaning, text=text)
        else:
            report = yield from self.result(rung).report(text=text)
        return write_json({**report, "marks": marks} if marks else report)
