"""Stage 6a - measures: the numbers of each test row that the published rules decide on.

Reads: `runs.py`, `coverage.py`, `charwindows.py`. Read by: `rules.py`, `judgement.py`.
"""

from array import array
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from operator import sub
from typing import Literal

from leakladder.charwindows import WindowHits
from leakladder.coverage import measure
from leakladder.runs import Runs

N_LOWEST, N_HIGHEST = 8, 13  # bounds of the GPT-3 rule's N when it follows the row lengths
_PALM_N = 8


@dataclass(frozen=True, slots=True)
class Parameters:
    """What the rules were run with.

    Attributes:
        n: N of the GPT-3 rule.
        n_from: "percentile" when it follows the row lengths, "chosen" when a person set it.
        llama_min: Shortest run whose words the Llama 2 rule counts; 10, or 11 as the other
            reading of its report.
    """

    n: int
    n_from: Literal["percentile", "chosen"]
    llama_min: int = 10


@dataclass(frozen=True, slots=True)
class Measures:
    """What the rules decide on: one number a test row in each column, all fields together.

    Attributes:
        words: GPT-3 words of the row.
        field_words: Words of its longest field; no run can be longer.
        longest_run: Longest shared run in words, 0 where under 5.
        best_train_index: Training row that holds it, None where there is none.
        ngrams8: Positions at which 8 words stand in one field.
        ngrams8_found: How many of these 8 words occur in train, each in any row.
        covered: Words inside shared runs of `llama_min` or more.
        windows: 50-character windows, m.
        window_hits: Windows found, h.
        characters: Length of the longest processed field.
    """

    words: Sequence[int]
    field_words: Sequence[int]
    longest_run: Sequence[int]
    best_train_index: Sequence[int | None]
    ngrams8: Sequence[int]
    ngrams8_found: Sequence[int]
    covered: Sequence[int]
    windows: Sequence[int]
    window_hits: Sequence[int]
    characters: Sequence[int]


def percentile_length(words: Iterable[int]) -> int | None:
    """Return the 5th-percentile length of the rows that have words, None if none has.

    Source:
        Brown et al. 2020 (arXiv:2005.14165), appendix C; the percentile is the length at
        position floor(0.05 x rows) of the sorted lengths.
    """
    lengths = sorted(filter(None, words))
    return lengths[5 * len(lengths) // 100] if lengths else None


def choose_parameters(
    words: Iterable[int], *, rule_n: int | None = None, llama_min: int = 10
) -> Parameters:
    """Settle N: as asked for, or the 5th-percentile length held between 8 and 13."""
    if rule_n is not None:
        return Parameters(rule_n, "chosen", llama_min)
    length = percentile_length(words) or N_HIGHEST
    return Parameters(min(max(length, N_LOWEST), N_HIGHEST), "percentile", llama_min)


def measure_rows(runs: Runs, hits: WindowHits, *, llama_min: int = 10) -> Measures:
    """Bring together what the word runs and the character windows say of each test row.

    Args:
        runs: Runs over "gpt3-words".
        hits: Character windows of the same rows.
        llama_min: Shortest run whose words count as covered, at least 5.
    """
    sizes = array("I", map(sub, runs.starts[1:], runs.starts))
    fields = [sizes[field :: runs.fields] for field in range(runs.fields)]
    eights = [[max(0, size - _PALM_N + 1) for size in field] for field in fields]
    one = runs.fields == 1
    return Measures(
        words=sizes if one else list(map(sum, zip(*fields, strict=True))),
        field_words=sizes if one else list(map(max, *fields)),
        longest_run=[best.length if best else 0 for best in runs.best],
        best_train_index=[best.train_index if best else None for best in runs.best],
        ngrams8=eights[0] if one else list(map(sum, zip(*eights, strict=True))),
        ngrams8_found=measure(runs, _PALM_N).windows,
        covered=measure(runs, llama_min).dirty,
        windows=hits.windows,
        window_hits=hits.found,
        characters=hits.characters,
    )
