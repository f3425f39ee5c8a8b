"""Stage 6b - rules: four model reports' definitions of a dirty row, as one table.

Reads: `measures.py`. Read by: `judgement.py`.

A rule is an entry of RULES and nothing else: the page, the command line and the documents walk
that table. Verdicts come a column at a time; None is a row on which the rule is not defined,
which is neither clean nor dirty and stands outside the denominator.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import comb

from leakladder.measures import N_HIGHEST, N_LOWEST, Measures, Parameters

_PALM_PERCENT = 70
_CLEAN_BELOW, _DIRTY_FROM = 20, 80  # Llama 2, in percent
_DRAWS = 3

Verdicts = Sequence[bool | None] | Sequence[float | None]


@dataclass(frozen=True, slots=True)
class Rule:
    """One published rule.

    Attributes:
        name: Stable key in JSON, CSV and --fail-over.
        title: Name for people.
        source: Paper and section.
        unit: What it counts.
        parameters: Attributes of `Parameters` it depends on.
        decide: The verdict on every row: True, False or None; or, for a rule that draws at
            random, the probability of True, or None.
        note: What to print beside it, given the parameters.
    """

    name: str
    title: str
    source: str
    unit: str
    parameters: tuple[str, ...]
    decide: Callable[[Measures, Parameters], Verdicts]
    note: Callable[[Parameters], str]


def hit_probability(windows: int, hits: int, draws: int = _DRAWS) -> float | None:
    """Return the chance that one of a few distinct random windows is among the hits.

    Args:
        windows: m, all windows of a row.
        hits: h, those found.
        draws: Windows drawn; all of them where there are fewer.

    Returns:
        1 - C(m-h, k) / C(m, k) with k = min(draws, m), the division rounded once; None when
        there is no window.
    """
    if not windows:
        return None
    draws = min(draws, windows)
    every = comb(windows, draws)
    return (every - comb(windows - hits, draws)) / every


def _decide_gpt3(rows: Measures, with_: Parameters) -> list[bool | None]:
    n = with_.n
    return [
        run >= n if size >= n else None
        for run, size in zip(rows.longest_run, rows.field_words, strict=True)
    ]


def _decide_palm(rows: Measures, _: Parameters) -> list[bool | None]:
    return [
        100 * found >= _PALM_PERCENT * every if every else None
        for found, every in zip(rows.ngrams8_found, rows.ngrams8, strict=True)
    ]


def _decide_llama2(rows: Measures, with_: Parameters, percent: int) -> list[bool | None]:
    least = with_.llama_min
    return [
        100 * covered >= percent * words if size >= least else None
        for covered, words, size in zip(rows.covered, rows.words, rows.field_words, strict=True)
    ]


def _decide_llama2_dirty(rows: Measures, with_: Parameters) -> list[bool | None]:
    return _decide_llama2(rows, with_, _DIRTY_FROM)


def _decide_llama2_20(rows: Measures, with_: Parameters) -> list[bool | None]:
    return _decide_llama2(rows, with_, _CLEAN_BELOW)


def _decide_gpt4(rows: Measures, _: Parameters) -> list[float | None]:
    return list(map(hit_probability, rows.windows, rows.window_hits))


def _decide_gpt4_any(rows: Measures, _: Parameters) -> list[bool | None]:
    return [
        hits > 0 if every else None
        for hits, every in zip(rows.window_hits, rows.windows, strict=True)
    ]


def _note_gpt3(with_: Parameters) -> str:
    if with_.n_from == "chosen":
        return f"A shared run of N = {with_.n} words flags; N was set by hand."
    return (
        f"A shared run of N = {with_.n} words flags. N is the 5th percentile of the row"
        f" lengths, kept within {N_LOWEST} and {N_HIGHEST}; the report states its floor of"
        f" {N_LOWEST} for tasks that are not synthetic."
    )


def _note_palm(_: Parameters) -> str:
    return (
        f"At least {_PALM_PERCENT}% of the 8-word windows occur in train. Windows are counted"
        " by position, and each may be found in another row."
    )


def _note_llama2(with_: Parameters) -> str:
    other = 11 if with_.llama_min == 10 else 10
    return (
        f"A word is contaminated inside a shared run of {with_.llama_min} words or more. Words"
        " stand in for Llama tokens, and there is no skipgram budget. The report can also be"
        f" read as {other}."
    )


def _note_gpt4(_: Parameters) -> str:
    return (
        f"The chance that one of {_DRAWS} random 50-character pieces of the row is found,"
        " worked out rather than drawn. A row shorter than that is used whole. Case is kept:"
        " the report is silent on it."
    )


def _note_gpt4_any(_: Parameters) -> str:
    return "Every window is looked up, so that there is a plain yes or no to compare."


_BROWN = "Brown et al. 2020, arXiv:2005.14165, appendix C"
_CHOWDHERY = "Chowdhery et al. 2022, arXiv:2204.02311, section 8"
_TOUVRON = "Touvron et al. 2023, arXiv:2307.09288, appendix A.6"
_OPENAI = "OpenAI 2023, arXiv:2303.08774, appendix C"
_WINDOWS = "50-character windows"

RULES: tuple[Rule, ...] = (
    Rule("gpt3", "GPT-3", _BROWN, "words", ("n",), _decide_gpt3, _note_gpt3),
    Rule("palm", "PaLM", _CHOWDHERY, "8-word windows", (), _decide_palm, _note_palm),
    Rule(
        "llama2_dirty",
        f"Llama 2, dirty ({_DIRTY_FROM}% or more)",
        _TOUVRON,
        "words",
        ("llama_min",),
        _decide_llama2_dirty,
        _note_llama2,
    ),
    Rule(
        "llama2_20",
        f"Llama 2, not clean ({_CLEAN_BELOW}% or more)",
        _TOUVRON,
        "words",
        ("llama_min",),
        _decide_llama2_20,
        _note_llama2,
    ),
    Rule("gpt4", "GPT-4, three draws", _OPENAI, _WINDOWS, (), _decide_gpt4, _note_gpt4),
    Rule(
        "gpt4_any", "GPT-4, any window", _OPENAI, _WINDOWS, (), _decide_gpt4_any, _note_gpt4_any
    ),
)
YES_OR_NO = ("gpt3", "palm", "llama2_dirty", "gpt4_any")
"""The rules that are held against each other: one a report."""
