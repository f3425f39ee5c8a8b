"""Stage 8d - culprits: the rows of either side that stand behind a rung's flags.

Reads: the views of the rungs, `touching.py`. Read by: `removal.py`.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, cast

from leakladder.errors import SettingError
from leakladder.jobs import Job
from leakladder.results import Row
from leakladder.rules import RULES, YES_OR_NO
from leakladder.rules_report import KIND, RulesView
from leakladder.sides import Side, TrainSource
from leakladder.touching import Keep, longest_runs, touch_items, touch_windows

if TYPE_CHECKING:
    from leakladder.overlap import CheckName
    from leakladder.twins import Twins

Views = Mapping[str, Any]
"""Rung to its view: `rows` (with the attribute `report`), `ngrams`, `rules`; the view of
`meaning` is its `Twins`."""

CHECKS = ("exact", "normalized", "identifier")
RULE_NAMES = tuple(rule.name for rule in RULES)
ALL_BUT_ONE = ("repeats", "groups")
ALIKE = frozenset({"meaning", "groups"})
NAMES = (*CHECKS, "ngrams", "rules", *RULE_NAMES, "meaning", *ALL_BUT_ONE)
"""What rows can be left out by. `rules` is any of the yes-or-no rules, one a report; `meaning`
those that read alike with a row of the other side. `repeats` keeps one row of those whose
normalized text is the same, `groups` one row of each group that reads alike."""

_PALM_N = 8


def rung_of(name: str) -> str:
    """Return the rung whose view a name needs.

    Raises:
        SettingError: If there is no such name.
    """
    if name not in NAMES:
        raise SettingError(
            f"rows can be left out by {', '.join(NAMES)}, not by {name!r}", setting="by"
        )
    if name in CHECKS or name == "repeats":
        return "rows"
    if name in ALIKE:
        return "meaning"
    return "ngrams" if name == "ngrams" else "rules"


def rows_of(name: str, views: Views) -> Sequence[Row]:
    """Return the test rows of the view that a name needs."""
    view = views[rung_of(name)]
    rows: Sequence[Row] = view.report.test.rows if name in CHECKS else view.scan.test.rows
    return rows


def flags(name: str, views: Views) -> list[bool]:
    """Tell of each test row whether what a name stands for flags it.

    The rule with random draws flags a row that it may find, however small the chance.
    """
    if name in CHECKS:
        match = views["rows"].report.match(cast("CheckName", name))
        return [item >= 0 for item in match.test]
    if name == "ngrams":
        return list(views["ngrams"].coverage.flagged)
    verdicts = views["rules"].judged.verdicts
    names = YES_OR_NO if name == "rules" else (name,)
    return [any(row) for row in zip(*(verdicts[one] for one in names), strict=True)]


def flagged_rows(name: str, views: Views) -> list[int]:
    """List the test rows that a name flags, by index."""
    if name == "meaning":
        return _twins(views).near_rows()
    rows = zip(rows_of(name, views), flags(name, views), strict=True)
    return [row.index for row, flag in rows if flag]


def touching_rows(name: str, views: Views, counts: Callable[[Row], bool]) -> Job[list[int]]:
    """List the training rows that give a name reason to flag a test row that counts.

    Args:
        name: One of NAMES but `repeats` and `groups`.
        views: The views of the rungs, training side in memory.
        counts: Whether a test row counts; what reads alike was held against those alone.

    Returns:
        Their indices. For n-grams all with a shared run of n or more, whatever the threshold;
        for a rule all with a run or window that it counts in a row it flags; for meaning all at
        or above the threshold.
    """
    if name == "meaning":
        return _twins(views).near_rows(train=True)
    keep = list(map(counts, rows_of(name, views)))
    if name in CHECKS:
        report = views["rows"].report
        touched = touch_items(report.match(cast("CheckName", name)), keep)
        return [report.train.rows[at].index for at in touched]
    train = _in_memory(views[rung_of(name)].scan.train)
    if name == "ngrams":
        touched = yield from _sharing(views["ngrams"], train, keep)
        return [train.rows[at].index for at in touched]
    judged = _Judged(views["rules"], train)
    found: set[int] = set()
    for rule in YES_OR_NO if name == "rules" else (name,):
        both = [flag and kept for flag, kept in zip(flags(rule, views), keep, strict=True)]
        found.update((yield from judged.touching(rule, both)))
    return sorted(train.rows[at].index for at in found)


def _twins(views: Views) -> "Twins":
    twins: Twins = views["meaning"]
    return twins


def _sharing(view: Any, train: Side, keep: Keep) -> Job[list[int]]:
    scan = view.scan
    longest = scan.runs.train_longest
    if not all(keep):
        sides = scan.test, train
        longest = yield from longest_runs(sides, scan.kind, keep, same_file=scan.same_file)
    return [at for at, most in enumerate(longest) if most >= view.n]


class _Judged:
    """Training rows behind the verdicts of rules, which often flag the same rows."""

    def __init__(self, view: RulesView, train: Side) -> None:
        self._scan = view.scan
        self._parameters = view.judged.parameters
        self._sides = view.scan.test, train
        self._known: dict[tuple[bool, ...], Sequence[int]] = {}

    def touching(self, rule: str, keep: Keep) -> Job[list[int]]:
        """List the rows with a run or window that a rule counts in a row it flags."""
        same = self._scan.same_file
        if rule in {"gpt4", "gpt4_any"}:
            return (yield from touch_windows(self._sides, keep, same_file=same))
        flagged = tuple(keep)
        if flagged not in self._known:
            longest = yield from longest_runs(self._sides, KIND, keep, same_file=same)
            self._known[flagged] = longest
        least = {"gpt3": self._parameters.n, "palm": _PALM_N}
        shortest = least.get(rule, self._parameters.llama_min)
        return [at for at, most in enumerate(self._known[flagged]) if most >= shortest]


def _in_memory(train: TrainSource) -> Side:
    if not isinstance(train, Side):
        raise TypeError("rows can be left out of a training side in memory only")
    return train
