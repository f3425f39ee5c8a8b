"""Stage 6c - facts about the test rows that put the rules' verdicts into proportion.

Reads: `tokens.py`, `measures.py`. Read by: `rules_report.py`, `reproduce.py`.
"""

from collections.abc import Generator, Mapping
from dataclasses import dataclass
from itertools import islice, pairwise

from leakladder.measures import Measures, percentile_length
from leakladder.results import Progress
from leakladder.tokens import TokenRows

DIGIT_WINDOWS = (8, 13)
_STEP = 5_000


@dataclass(frozen=True, slots=True)
class Facts:
    """What the test rows are like.

    Attributes:
        percentile_length: Words of the row at the 5th percentile, None without words.
        shortest_characters: Length of the shortest processed row with text, None without one.
        digit_windows: Window length in words to (windows with a digit, all windows); each has a
            number that a near copy may well have changed.
    """

    percentile_length: int | None
    shortest_characters: int | None
    digit_windows: Mapping[int, tuple[int, int]]

    def to_wire(self) -> dict[str, object]:
        """Return the JSON-ready form."""
        windows = {
            f"windows{size}": {"with_digit": found, "all": every}
            for size, (found, every) in self.digit_windows.items()
        }
        return {
            "percentile_length": self.percentile_length,
            "shortest_characters": self.shortest_characters,
            **windows,
        }


def gather_facts(
    tokens: TokenRows, vocabulary: Mapping[str, int], measures: Measures
) -> Generator[Progress, None, Facts]:
    """Gather the facts.

    Args:
        tokens: GPT-3 words of the test side, encoded first of all.
        vocabulary: What they were encoded with: ids in order of insertion.
        measures: Of the same rows.

    Yields:
        Progress in rows.

    Returns:
        The facts. Time linear in the words.
    """
    known = islice(vocabulary, max(tokens.ids, default=-1) + 1)
    digits = bytes(any(map(str.isdigit, word)) for word in known)
    flags = bytes(map(digits.__getitem__, tokens.ids))
    clean = dict.fromkeys(DIGIT_WINDOWS, 0)
    every = dict.fromkeys(DIGIT_WINDOWS, 0)
    for number, (start, stop) in enumerate(pairwise(tokens.starts)):
        stretches = list(map(len, flags[start:stop].split(b"\1")))
        for size in DIGIT_WINDOWS:
            every[size] += max(0, stop - start - size + 1)
            clean[size] += sum(length - size + 1 for length in stretches if length >= size)
        if not number % _STEP:
            yield Progress("looking at digits", number, len(tokens.starts))
    return Facts(
        percentile_length=percentile_length(measures.words),
        shortest_characters=min(filter(None, measures.characters), default=None),
        digit_windows={n: (every[n] - clean[n], every[n]) for n in DIGIT_WINDOWS},
    )
