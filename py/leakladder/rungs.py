"""Stage 8b - the rungs as one table: what each scans, shows and writes.

`pipeline.py` and the hosts walk RUNGS; a rung that is added here is in all of them.
"""

from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

from leakladder import ngram_report, rows_report, rules_report
from leakladder.findings import Findings
from leakladder.jobs import Job
from leakladder.ngram_report import NgramScan, NgramView
from leakladder.overlap import RowsReport
from leakladder.paging import Query
from leakladder.results import Progress
from leakladder.rules_report import RulesScan, RulesView
from leakladder.searches import scan_ngrams, scan_rows, scan_rules
from leakladder.settings import Settings
from leakladder.sides import Side, TrainSource
from leakladder.tokens import TOKENIZATIONS


class Export(NamedTuple):
    """A table ready to be written.

    Attributes:
        columns: Names in order.
        text_columns: Those that hold text of the files.
        rows: One mapping a row, as JSON has it.
        csv_rows: The same as CSV has it.
    """

    columns: Sequence[str]
    text_columns: frozenset[str]
    rows: Sequence[Mapping[str, Any]]
    csv_rows: Sequence[Mapping[str, Any]]


class Rung(Protocol):
    """One question asked of two sides.

    A scan is what takes time and depends on `scan_key` alone; a view is that scan at the other
    settings, computed at once.
    """

    name: str

    def scan_key(self, settings: Settings) -> object:
        """Return the settings that a new scan is needed for."""
        ...

    def scan(
        self, test: Side, train: TrainSource, settings: Settings, *, same_file: bool
    ) -> Job[Any]:
        """Search; the job returns a scan."""
        ...

    def view(self, scan: Any, settings: Settings) -> Any:
        """Return a scan at these settings."""
        ...

    def stamp(self, view: Any) -> dict[str, object]:
        """Return what decides the numbers of a view, for the run stamp."""
        ...

    def summary(self, view: Any) -> dict[str, Any]:
        """Return the totals."""
        ...

    def screen(self, view: Any) -> dict[str, Any]:
        """Return the totals with what the page shows beside them."""
        ...

    def table(self, view: Any, query: Query) -> dict[str, Any]:
        """Return one page of the table."""
        ...

    def pair(self, view: Any, position: int) -> dict[str, Any]:
        """Return a test row beside what it matches."""
        ...

    def export(self, view: Any) -> Job[Any]:
        """Describe everything; the job returns an Export."""
        ...


def name_tokens(kind: str) -> str:
    """Return a tokenization's name with what it does, as stamps print it."""
    return f"{kind}: {TOKENIZATIONS[kind].transform}"


def name_ids(test: Side, train: TrainSource) -> dict[str, str]:
    """Return the id fields of both sides, which labels come from, as stamps have them."""
    return {"test": test.id_path, "train": train.id_path}


class NgramRung:
    """Rung 4: runs of n tokens."""

    name = "ngrams"

    def scan_key(self, settings: Settings) -> object:
        """Only another tokenization needs another scan."""
        return settings.tokens

    def scan(
        self, test: Side, train: TrainSource, settings: Settings, *, same_file: bool
    ) -> Job[Any]:
        """Search for runs of five tokens or more."""
        return scan_ngrams(test, train, settings.tokens, same_file=same_file)

    def view(self, scan: NgramScan, settings: Settings) -> NgramView:
        """Return the scan at the chosen n and threshold."""
        return ngram_report.view_at(scan, settings.n, settings.threshold)

    def stamp(self, view: NgramView) -> dict[str, object]:
        """Name the tokenization, n and threshold."""
        return {
            "tokenization": name_tokens(view.scan.kind),
            "n": view.n,
            "threshold": view.threshold,
            "ids": name_ids(view.scan.test, view.scan.train),
            **({"same_file": True} if view.scan.same_file else {}),
        }

    def summary(self, view: NgramView) -> dict[str, Any]:
        """Return the totals."""
        return ngram_report.summarize(view)

    def screen(self, view: NgramView) -> dict[str, Any]:
        """Return the totals with n, threshold and hints."""
        return ngram_report.screen(view)

    def table(self, view: NgramView, query: Query) -> dict[str, Any]:
        """Return one page of test rows, worst first."""
        return ngram_report.table_page(view, query)

    def pair(self, view: NgramView, position: int) -> dict[str, Any]:
        """Return a test row beside its best training row."""
        return ngram_report.pair(view, position)

    def export(self, view: NgramView) -> Generator[Progress, None, Export]:
        """Describe every test row."""
        rows = yield from ngram_report.export_rows(view)
        return Export(
            ngram_report.COLUMNS, ngram_report.TEXT_COLUMNS, ngram_report.json_rows(rows), rows
        )


@dataclass(frozen=True)
class RowsView:
    """What rungs 1 to 3 found, with the list of items."""

    report: RowsReport
    findings: Findings
    ids: tuple[str, str]


class RowsRung:
    """Rungs 1 to 3: rows that stand in both files."""

    name = "rows"

    def scan_key(self, settings: Settings) -> object:
        """The switch for articles changes every normalized key."""
        return settings.strip_articles

    def scan(
        self, test: Side, train: TrainSource, settings: Settings, *, same_file: bool
    ) -> Job[Any]:
        """Match rows; both sides are held in memory for it.

        Raises:
            TypeError: If the training side is a stream.
        """
        if not isinstance(train, Side):
            raise TypeError("the rows rung needs the training side in memory")
        return self._scan(test, train, strip_articles=settings.strip_articles)

    @staticmethod
    def _scan(test: Side, train: Side, *, strip_articles: bool) -> Job[Any]:
        report = yield from scan_rows(test, train, strip_articles=strip_articles)
        return RowsView(report, Findings(report), (test.id_path, train.id_path))

    def view(self, scan: RowsView, settings: Settings) -> RowsView:
        """Return the scan: no other setting changes it."""
        return scan

    def stamp(self, view: RowsView) -> dict[str, object]:
        """Name the transform and the id fields."""
        test, train = view.ids
        return {"transform": view.report.transform, "ids": {"test": test, "train": train}}

    def summary(self, view: RowsView) -> dict[str, Any]:
        """Return the counts of every check."""
        return rows_report.summarize(view.report)

    def screen(self, view: RowsView) -> dict[str, Any]:
        """Return the counts of every check."""
        return rows_report.summarize(view.report)

    def table(self, view: RowsView, query: Query) -> dict[str, Any]:
        """Return one page of the items."""
        return rows_report.table_page(view.findings, query)

    def pair(self, view: RowsView, position: int) -> dict[str, Any]:
        """Return the item at a place of the table, with its text on both sides."""
        return rows_report.pair(view.findings, position)

    def export(self, view: RowsView) -> Generator[Progress, None, Export]:
        """Describe every item."""
        rows = yield from rows_report.export_rows(view.findings)
        return Export(
            rows_report.COLUMNS,
            rows_report.TEXT_COLUMNS,
            rows,
            [rows_report.csv_row(row) for row in rows],
        )


class RulesRung:
    """Rung 5: what four model reports would call dirty."""

    name = "rules"

    def scan_key(self, settings: Settings) -> object:
        """No parameter of a rule needs another scan."""
        return None

    def scan(
        self, test: Side, train: TrainSource, settings: Settings, *, same_file: bool
    ) -> Job[Any]:
        """Search for runs of words and windows of characters."""
        return scan_rules(test, train, same_file=same_file)

    def view(self, scan: RulesScan, settings: Settings) -> RulesView:
        """Judge with the chosen N and reading of Llama 2."""
        return rules_report.view_at(scan, settings.rule_n, settings.llama_min)

    def stamp(self, view: RulesView) -> dict[str, object]:
        """Name the tokenization and the rules' parameters."""
        parameters = view.judged.parameters
        return {
            "tokenization": name_tokens(rules_report.KIND),
            "n": parameters.n,
            "n_from": parameters.n_from,
            "llama_min": parameters.llama_min,
            "ids": name_ids(view.scan.test, view.scan.train),
            **({"same_file": True} if view.scan.same_file else {}),
        }

    def summary(self, view: RulesView) -> dict[str, Any]:
        """Return every rule's counts, the sweep and the facts."""
        return rules_report.summarize(view)

    def screen(self, view: RulesView) -> dict[str, Any]:
        """Return the same with what is printed of each rule."""
        return rules_report.screen(view)

    def table(self, view: RulesView, query: Query) -> dict[str, Any]:
        """Return one page of test rows, disagreements first."""
        return rules_report.table_page(view, query)

    def pair(self, view: RulesView, position: int) -> dict[str, Any]:
        """Return a test row beside its best training row, with the verdicts."""
        return rules_report.pair(view, position)

    def export(self, view: RulesView) -> Generator[Progress, None, Export]:
        """Describe every test row."""
        rows = yield from rules_report.export_rows(view)
        return Export(rules_report.COLUMNS, rules_report.TEXT_COLUMNS, rows, rows)


RUNGS: Mapping[str, Rung] = {rung.name: rung for rung in (RowsRung(), NgramRung(), RulesRung())}
