"""Stage 6c - judgement: every rule on every row, counted, and where the rules part.

Reads: `measures.py`, `rules.py`. Read by: `rules_report.py`, `reproduce.py`.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import fsum
from typing import Literal

from leakladder.measures import Measures, Parameters
from leakladder.rules import RULES, YES_OR_NO, Verdicts

SWEEP = range(5, 51)

LlamaVerdict = Literal["clean", "between", "dirty"]


@dataclass(frozen=True, slots=True)
class Tally:
    """A rule's verdicts counted.

    Attributes:
        flagged: Rows it flags; for a rule that draws at random, the rows to be expected.
        defined: Rows on which it is defined.
        undefined: All other rows.
    """

    flagged: int | float
    defined: int
    undefined: int

    @property
    def share(self) -> float | None:
        """Flagged / defined, None where it is defined on no row."""
        return self.flagged / self.defined if self.defined else None


@dataclass(frozen=True, slots=True)
class Judgement:
    """Every rule on every row.

    Attributes:
        measures: What was judged.
        parameters: With what.
        verdicts: Rule name to verdict column, in the order of RULES.
        tallies: Rule name to counts.
        llama2: The Llama 2 rule's own three-way verdict.
        disagree: Rows that one rule flags and another, defined there too, does not.
        disagreements: (names of the rules that flag, rows) over the rows that `disagree`, most
            rows first.
        low_evidence: Rows used whole by the GPT-4 rule, being under 50 characters.
    """

    measures: Measures
    parameters: Parameters
    verdicts: Mapping[str, Verdicts]
    tallies: Mapping[str, Tally]
    llama2: Sequence[LlamaVerdict | None]
    disagree: Sequence[bool]
    disagreements: tuple[tuple[tuple[str, ...], int], ...]
    low_evidence: int


def judge(measures: Measures, parameters: Parameters) -> Judgement:
    """Apply every rule to every row.

    Args:
        measures: From `measure_rows`, with the `llama_min` of `parameters`.
        parameters: From `choose_parameters`.
    """
    verdicts = {rule.name: rule.decide(measures, parameters) for rule in RULES}
    flags = [verdicts[name] for name in YES_OR_NO]
    rows = list(zip(*flags, strict=True))
    disagree = [True in row and False in row for row in rows]
    groups = Counter(row for row, apart in zip(rows, disagree, strict=True) if apart)
    named = Counter[tuple[str, ...]]()
    for row, count in groups.items():
        named[tuple(name for name, flag in zip(YES_OR_NO, row, strict=True) if flag)] += count
    return Judgement(
        measures=measures,
        parameters=parameters,
        verdicts=verdicts,
        tallies={name: _tally(column) for name, column in verdicts.items()},
        llama2=_name_llama2(verdicts),
        disagree=disagree,
        disagreements=tuple(sorted(named.items(), key=lambda item: (-item[1], item[0]))),
        low_evidence=sum(0 < size < 50 for size in measures.characters),
    )


def sweep(measures: Measures) -> dict[int, Tally]:
    """Count the rows that share a run of at least n words, for every n from 5 to 50.

    Returns:
        n to counts over the rows that have a field of n words, so that the share at the GPT-3
        rule's N is that rule's share. Read off the longest runs alone.
    """
    longest = Counter(measures.longest_run)
    sizes = Counter(measures.field_words)
    rows = len(measures.field_words)
    flagged = {n: sum(count for run, count in longest.items() if run >= n) for n in SWEEP}
    defined = {n: sum(count for size, count in sizes.items() if size >= n) for n in SWEEP}
    return {n: Tally(flagged[n], defined[n], rows - defined[n]) for n in SWEEP}


def _tally(verdicts: Verdicts) -> Tally:
    defined = [verdict for verdict in verdicts if verdict is not None]
    flagged = fsum(defined) if float in set(map(type, defined)) else sum(map(int, defined))
    return Tally(flagged, len(defined), len(verdicts) - len(defined))


def _name_llama2(verdicts: Mapping[str, Verdicts]) -> list[LlamaVerdict | None]:
    names: dict[tuple[object, object], LlamaVerdict] = {
        (False, False): "clean",
        (True, False): "between",
        (True, True): "dirty",
    }
    pairs = zip(verdicts["llama2_20"], verdicts["llama2_dirty"], strict=True)
    return [names.get(pair) for pair in pairs]
