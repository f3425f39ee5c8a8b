"""Stage 3a - normalize: the text transforms, each under the code that reports print.

Reads: nothing of the package. Read by: `tokens.py`, `rowkey.py`, `charwindows.py`.
"""

import re
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from itertools import repeat
from typing import Literal

_LONG = 32  # characters; unicodedata sorts n marks in a row in n * n steps
_BLOCK = 50_000  # rows of a column folded at once
_SEPARATOR = "\x1e"  # counts as whitespace, and no step below composes, folds or removes it

Form = Literal["NFC", "NFKC"]

STEP_NAMES: Mapping[str, str] = {
    "L1": "Unicode canonical form (NFC)",
    "L3": "compatibility fold (NFKC)",
    "L4": "full Unicode case fold",
    "L8": "remove punctuation (general category P, symbols stay)",
    "L9": "drop a, an, the where they stand as words",
    "L10": "collapse whitespace and trim",
}

ROW_STEPS = ("L1", "L3", "L4", "L8", "L10")
ROW_STEPS_ARTICLES = ("L1", "L3", "L4", "L8", "L9", "L10")


def transform_name(steps: Sequence[str]) -> str:
    """Join step codes the way reports print them, as in "L1+L3+L4"."""
    return "+".join(steps)


def compose(form: Form, text: str) -> str:
    """Bring text into a composed normal form, in linear time also on endless marks.

    Args:
        form: "NFC" or "NFKC".
        text: Any text; lone surrogates pass through.

    Returns:
        What `unicodedata.normalize` returns. CPython's insertion sort of combining marks takes
        half a second for 50,000 of them, so long runs are put in order before it sees them.
    """
    if text.isascii():
        return text
    if len(text) > _LONG:
        text = _order_marks(form, text)
    return unicodedata.normalize(form, text)


def fold(text: str) -> str:
    """Apply L1, L3 and L4 in that order: the fold of tokens.

    L3 of L1 is L3 by the definition of the forms (UAX #15, section 1.2), so L1 costs nothing.
    """
    if text.isascii():
        return text.lower()
    return compose("NFKC", text).casefold()


def apply_steps(text: str, steps: Sequence[str]) -> str:
    """Run a text through the steps, in the order given.

    Args:
        text: Any text.
        steps: Codes of STEP_NAMES. L9 expects L4 and L8 before it: it knows lower case only and
            takes a word for what stands between whitespace.

    Returns:
        The transformed text, which may be empty.

    Raises:
        ValueError: If a code is not in STEP_NAMES.
    """
    for code in steps:
        text = _step(code)(text)
    return text


def fold_column(texts: Sequence[str], steps: Sequence[str]) -> list[str]:
    """Apply the steps to every text of a column, with a few calls for all of them.

    Args:
        texts: One text a row.
        steps: As for `apply_steps`.

    Returns:
        `apply_steps` of each text, in order. Time linear in the characters.

    Raises:
        ValueError: If a code is not in STEP_NAMES.
    """
    folded: list[str] = []
    for start in range(0, len(texts), _BLOCK):
        folded += _fold_block(texts[start : start + _BLOCK], steps)
    return folded


def _fold_block(texts: Sequence[str], steps: Sequence[str]) -> list[str]:
    joined = _SEPARATOR.join(texts)
    if joined.count(_SEPARATOR) != len(texts) - 1:  # a text holds the separator itself
        return [apply_steps(text, steps) for text in texts]
    together = [code for code in steps if code != "L10"]
    if "L10" in steps and steps[-1] != "L10":
        return [apply_steps(text, steps) for text in texts]
    rows = apply_steps(joined, together).split(_SEPARATOR)
    if "L10" in steps:
        rows = list(map(str.join, repeat(" "), map(str.split, rows)))
    return rows


def _step(code: str) -> Callable[[str], str]:
    if code not in _STEPS:
        raise ValueError(f"there is no step {code!r}; the steps are {', '.join(_STEPS)}")
    return _STEPS[code]


def _order_marks(form: Form, text: str) -> str:
    decomposed: Literal["NFD", "NFKD"] = "NFD" if form == "NFC" else "NFKD"

    def is_mark(char: str) -> bool:
        return unicodedata.combining(unicodedata.normalize(decomposed, char)[0]) > 0

    marks = "".join(filter(is_mark, sorted(set(text))))
    if not marks:
        return text
    pattern = re.compile(f"[{marks}]{{{_LONG},}}")
    return pattern.sub(lambda found: _order_run(decomposed, found[0]), text)


def _order_run(decomposed: Literal["NFD", "NFKD"], run: str) -> str:
    """Decompose a run of marks and sort it stably by combining class, one pass a class."""
    for char in set(run):
        parts = unicodedata.normalize(decomposed, char)
        if parts != char:
            run = run.replace(char, parts)
    classes: dict[int, str] = {}
    for char in set(run):
        order = unicodedata.combining(char)
        classes[order] = classes.get(order, "") + char
    if len(classes) == 1:
        return run
    return "".join(re.sub(f"[^{classes[order]}]+", "", run) for order in sorted(classes))


def _remove_punctuation(text: str) -> str:
    if text.isascii():
        return text.translate(_ASCII_PUNCTUATION)
    found = [char for char in set(text) if unicodedata.category(char)[0] == "P"]
    return _one_of("".join(sorted(found))).sub("", text) if found else text


@lru_cache(maxsize=64)
def _one_of(chars: str) -> re.Pattern[str]:
    return re.compile(f"[{re.escape(chars)}]+")


def _drop_articles(text: str) -> str:
    return _ARTICLE.sub("", text)


def _collapse(text: str) -> str:
    return " ".join(text.split())


_ARTICLE = re.compile(r"(?<!\S)(?:an?|the)(?!\S)")
_ASCII_PUNCTUATION = dict.fromkeys(map(ord, "!\"#%&'()*,-./:;?@[\\]_{}"))
_STEPS: Mapping[str, Callable[[str], str]] = {
    "L1": lambda text: compose("NFC", text),
    "L3": lambda text: compose("NFKC", text),
    "L4": str.casefold,
    "L8": _remove_punctuation,
    "L9": _drop_articles,
    "L10": _collapse,
}
