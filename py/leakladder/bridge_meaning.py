"""host - what the page calls for rung 6: texts out, vectors' cosines in, tables out.

The page's meaning workers tokenize, embed and compare; here stand the rows, and everything that
is said about them. Methods are called in this order: plan, texts, take or match, groups, view;
then, before a training file is cleaned, counted and back.
"""

from array import array
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from leakladder.alike import Alike, Edges, find_groups, view_at
from leakladder.cite import Cited
from leakladder.csv_export import write_json
from leakladder.errors import SettingError
from leakladder.jobs import Job
from leakladder.meaning import NOT_COMPARED, check_threshold, match_rows
from leakladder.meaning_files import pair_rows, report, write_table
from leakladder.meaning_inputs import MeaningRows, choose_columns
from leakladder.meaning_report import (
    MINILM,
    PAIRS_SHOWN,
    TOKENS,
    Meaning,
    nearest_page,
    pair_view,
    show_groups,
    stamp,
    summarize,
)
from leakladder.outcome import Marking, stamp_side
from leakladder.paging import Query
from leakladder.pipeline import Comparison, NotRunError
from leakladder.results import Progress
from leakladder.searches import longest_runs
from leakladder.settings import Settings
from leakladder.sides import Side

WINDOW_CHARACTERS = 1_150
"""Characters of English that fill the model's window of 256 word pieces, about."""


class MeaningDesk:
    """The rows of one run of rung 6, and what the page found out about them."""

    def __init__(self, comparison: Comparison) -> None:
        self._comparison = comparison
        self._rows: MeaningRows | None = None
        self._alike: Alike | None = None
        self._groups: tuple[float, list[list[int]]] = (0.0, [])
        self._base: Meaning | None = None
        self._made: Meaning | None = None
        self._train_of: Sequence[int] = ()

    def plan(self, mode: str, settings: Mapping[str, Any]) -> dict[str, Any]:
        """Say what a run would compare.

        Args:
            mode: "within" the test file, or "across" from it to the training file.
            settings: As the other rungs take them; the first chosen field of a side is read.
        """
        rows = self._choose(mode, settings)
        test, train = rows.test, rows.train
        flagged = self._flagged(test)
        return {
            "mode": mode,
            "rows": {"test": len(test.rows), "train": len(train.rows) if train else 0},
            "columns": {"test": test.fields[0], "train": train.fields[0] if train else None},
            "characters": {
                "test": count_read(test),
                "train": count_read(train) if train else 0,
            },
            "flagged": None if flagged is None else len(flagged),
        }

    def texts(
        self, mode: str, settings: Mapping[str, Any], pick: str = "", size: int = 0
    ) -> dict[str, Any]:
        """Return the texts of a run and keep their rows until the next one.

        Args:
            mode: As for `plan`.
            settings: As for `plan`.
            pick: "" takes all rows, "sample" `size` of each side, "flagged" the test rows that
                another rung catches and `size` of the training rows.
            size: Rows of a side at most, where not all are taken.

        Returns:
            The texts, and `own`: the training row that each test row is itself, or -1, where
            both sides are one file.
        """
        rows = self._choose(mode, settings)
        if pick:
            flagged = self._flagged(rows.test) if pick == "flagged" else ()
            rows = rows.pick(pick, size, flagged or ())
        self._rows = rows
        self._alike = self._base = self._made = None
        return {
            "test": rows.test.texts[0],
            "train": rows.train.texts[0] if rows.train else [],
            "own": rows.own(),
        }

    def _choose(self, mode: str, settings: Mapping[str, Any]) -> MeaningRows:
        files = self._comparison.file("test"), self._comparison.file_or_none("train")
        return choose_columns(*files, Settings.from_wire(settings), across=mode == "across")

    def _flagged(self, test: Side) -> list[int] | None:
        """Return the rows that another rung catches, None where none has run."""
        try:
            indices = self._comparison.flagged_indices()
        except NotRunError:
            return None
        return [at for at, row in enumerate(test.rows) if row.index in indices]

    def take(
        self,
        rows: Mapping[str, Any],
        found: Mapping[str, Any],
        data: bytes,
    ) -> Job[Any]:
        """Take the pairs found inside the test rows.

        Args:
            rows: `node_of`, `truncated`, `unreadable`, and `sha256` of the model file.
            found: `floor`, `total`, `closest` and `labels`, as `Alike` has them.
            data: The edges: all a and all b as 32-bit unsigned, then all cosines as doubles.
        """
        yield Progress("taking pairs", 0, 1)
        self._base = self._start(rows, rows["node_of"])
        self._groups = 0.0, []
        closest = found["closest"]
        self._alike = Alike(
            rows["node_of"],
            found["floor"],
            unpack_edges(data),
            found["total"],
            closest and (closest["a"], closest["b"], closest["cosine"]),
            found["labels"],
        )
        return {}

    def match(self, rows: Mapping[str, Any], nearest: Sequence[int], data: bytes) -> Job[Any]:
        """Take the nearest training row of each test row, and search for runs of words.

        Args:
            rows: As for `take`, with `node_of` for the test rows and then the training rows.
            nearest: Per test node its nearest other node that has a training row, or -1.
            data: Their cosines as doubles.

        Raises:
            NotRunError: If the run has no training side.
        """
        yield Progress("taking rows", 0, 1)
        run = self._need_rows()
        if run.train is None or run.searched is None:
            raise NotRunError("there is no training side in this run")
        node_of = rows["node_of"]
        count = len(run.test.rows)
        cosines = unpack_cosines(data)
        matched = match_rows(node_of[:count], node_of[count:], nearest, cosines, run.own())
        longest = yield from longest_runs(
            run.test, run.searched, TOKENS, same_file=run.same_file
        )
        self._base = replace(
            self._start(rows, node_of[:count]),
            train=run.train,
            nearest=matched,
            train_stamps=[stamp_side(run.train)],
            longest=longest,
            same_file=run.same_file,
        )
        self._train_of = node_of[count:]
        return {}

    def counted(self, without: Sequence[int]) -> dict[str, Any]:
        """Return the positions of the test rows that count.

        Args:
            without: Records of those that do not, from 1.
        """
        rows = self._need_rows().test.rows
        skipped = set(without)
        return {"rows": [at for at, row in enumerate(rows) if row.record not in skipped]}

    def back(self, rows: Sequence[int], nearest: Sequence[int], data: bytes) -> Job[Any]:
        """Take the nearest test row of each training row.

        Args:
            rows: Positions of the test rows they were held against, from `counted`.
            nearest: Per node its nearest other node that has one of these test rows, or -1.
            data: Their cosines as doubles.

        Raises:
            NotRunError: If test rows have not been held against training rows.
        """
        yield Progress("taking rows", 0, 1)
        made = self._need()
        if self._base is None or made.train is None:
            raise NotRunError("compare test with training rows first")
        test_of = [NOT_COMPARED] * len(made.node_of)
        for at in rows:
            test_of[at] = made.node_of[at]
        own = self._need_rows().own(back=True)
        found = match_rows(self._train_of, test_of, nearest, unpack_cosines(data), own)
        self._base = replace(self._base, back=found)
        self._made = replace(made, back=found)
        return {}

    def _start(self, rows: Mapping[str, Any], node_of: Sequence[int]) -> Meaning:
        run = self._need_rows()
        return Meaning(
            run.test,
            node_of,
            0.0,
            MINILM._replace(sha256=rows["sha256"]),
            rows["truncated"],
            rows["unreadable"],
            picked=run.picked,
            split=run.split,
        )

    def _need_rows(self) -> MeaningRows:
        if self._rows is None:
            raise NotRunError("meaning has not been run yet")
        return self._rows

    def groups(self, threshold: float) -> Job[Any]:
        """Return the nodes of each group, for which `view` wants the lowest cosines.

        Raises:
            NotRunError: If no pairs have been taken.
        """
        if self._alike is None:
            raise NotRunError("meaning has not been run yet")
        groups = yield from find_groups(self._alike, check_threshold(threshold))
        self._groups = threshold, groups
        return {"groups": groups}

    def view(self, threshold: float, lowest: Sequence[float] = ()) -> Job[Any]:
        """Return everything the page shows at a threshold.

        Args:
            threshold: The cosine from which on two rows read alike.
            lowest: For each group of `groups` its lowest cosine.

        Raises:
            NotRunError: If nothing has been taken.
        """
        if self._base is None:
            raise NotRunError("meaning has not been run yet")
        made = replace(self._base, threshold=check_threshold(threshold))
        if self._alike is not None:
            if self._groups[0] != threshold:
                yield from self.groups(threshold)
            groups = self._groups[1]
            view = yield from view_at(self._alike, threshold, groups, lowest)
            made = replace(made, view=view)
        self._made = made
        self._tell(made)
        return {
            "summary": summarize(made),
            "pairs": (yield from pair_rows(made, most=PAIRS_SHOWN)),
            "groups": show_groups(made),
            "stamp": self._stamp(made),
        }

    def _tell(self, made: Meaning) -> None:
        """Let the overview know which test rows read alike, where all rows were compared."""
        if made.train is None or made.picked:
            return
        alike = {made.test.rows[at].index for at in made.matches if made.reads_alike(at)}
        self._comparison.take_alike(made.test, made.train, frozenset(alike))

    def clear(self) -> dict[str, Any]:
        """Forget the run."""
        if self._made is not None and self._made.train is not None:
            self._comparison.take_alike(self._made.test, self._made.train, None)
        self._rows = self._alike = self._base = self._made = None
        return {}

    def _stamp(self, made: Meaning) -> dict[str, object]:
        return stamp(made, stamp_side(made.test))

    def _need(self) -> Meaning:
        if self._made is None:
            raise NotRunError("meaning has not been run yet")
        return self._made

    def last(self) -> Meaning | None:
        """Return the run as it is shown, None where there is none."""
        return self._made

    def cited(self) -> Cited:
        """Return the run as `cite` takes it."""
        made = self._need()
        return Cited("meaning", summarize(made), self._stamp(made))

    def table(self, **query: Any) -> dict[str, Any]:
        """Return one page of test rows with their nearest training rows."""
        return nearest_page(self._need(), Query(**query))

    def pair(self, index: int, other: int | None = None) -> dict[str, Any]:
        """Return two rows side by side; offsets in code points."""
        return pair_view(self._need(), index, other)

    def export(self, what: str, *, text: bool = True, marks: Marking | None = None) -> Job[Any]:
        """Return a file to download: `pairs.csv`, `groups.csv`, `nearest.csv`, `meaning.json`.

        Marks are added to the tables that have a row a line, and to JSON beside them.

        Raises:
            SettingError: If there is no such file.
        """
        made = self._need()
        name, _, kind = what.partition(".")
        if kind == "csv":
            note = self._stamp(made)
            return (yield from write_table(made, name, note, text=text, marks=marks))
        if what != "meaning.json":
            raise SettingError(f"there is no file named {what!r}", setting="what")
        written = yield from report(made, self._stamp(made), text=text)
        return write_json({**written, "marks": marks} if marks else written)


def count_read(side: Side) -> int:
    """Return about how many characters of a side the model reads."""
    return sum(min(len(text), WINDOW_CHARACTERS) for text in side.texts[0])


def unpack_edges(data: bytes) -> Edges:
    """Return edges from their bytes: 4 for a, 4 for b and 8 for the cosine each."""
    count = len(data) // 16
    edges = Edges(array("I"), array("I"), unpack_cosines(data[8 * count :]))
    edges.a.frombytes(data[: 4 * count])
    edges.b.frombytes(data[4 * count : 8 * count])
    return edges


def unpack_cosines(data: bytes) -> "array[float]":
    """Return cosines from their bytes, 8 each."""
    cosines = array("d")
    cosines.frombytes(data)
    return cosines
