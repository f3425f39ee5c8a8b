"""Our words are our own: no long run of words is shared with the source documents.

Facts carry over from those documents, sentences do not. A run of eight words, six of them
alphabetic, that stands both in our text and in theirs fails the check, save for the few that
cannot be said otherwise: titles of papers and a report's own definition of its rule.
"""

import re
from collections.abc import Iterator
from pathlib import Path

from leakladder_dev.steps import ROOT

REFERENCE = ROOT.parent / "shared" / "reference"
RUN, ALPHABETIC = 8, 6
ALLOWED = (
    # Titles of papers.
    "benchmark data contamination of large language models a survey",
    "rethinking benchmark and contamination for language models with rephrased samples",
    "question and answer test train overlap in open domain qa",
    # Published definitions, quoted as such.
    "a lowercase whitespace delimited word with no punctuation",
    "at least 70 of the 8 grams in question prompt or target were seen at least once",
    "a match is identified if any of the three sampled evaluation substrings"
    " is a substring of the processed training example",
)  # fmt: skip
FOLDERS = ("py", "web", "tests", "assets")
KINDS = {".py", ".js", ".ts", ".html", ".css", ".md", ".json", ".txt"}
WORD = re.compile(r"[a-z0-9]+")


def words_of(text: str) -> list[str]:
    """Return the lower-case words of a text, apostrophes dropped."""
    return WORD.findall(text.lower().replace("'", "").replace("\u2019", ""))


def runs_of(text: str) -> dict[tuple[str, ...], int]:
    """Return each run of RUN words that counts, with the index of its first word."""
    found = words_of(text)
    runs: dict[tuple[str, ...], int] = {}
    for start in range(len(found) - RUN + 1):
        run = tuple(found[start : start + RUN])
        if sum(word.isalpha() for word in run) >= ALPHABETIC:
            runs.setdefault(run, start)
    return runs


def own_files() -> Iterator[Path]:
    """Yield every file with text of ours: sources, documents, tests and examples."""
    yield from sorted(path for path in ROOT.glob("*.md") if path.is_file())
    for folder in FOLDERS:
        for path in sorted((ROOT / folder).rglob("*")):
            if path.suffix in KINDS and "golden" not in path.parts and is_prose(path):
                yield path


def is_prose(path: Path) -> bool:
    """Tell whether a file is ours to word: not this list, and not a model's vocabulary."""
    return path.name != Path(__file__).name and path.stat().st_size < 400_000


def shared_runs() -> list[str]:
    """Return a line for every run that our text shares with the source documents.

    Empty where the documents are not on this machine.
    """
    theirs: dict[tuple[str, ...], str] = {}
    for path in sorted(REFERENCE.glob("*.txt")):
        theirs.update(dict.fromkeys(runs_of(path.read_text("utf-8")), path.name))
    allowed = {run for text in ALLOWED for run in runs_of(text)}
    lines: list[str] = []
    for path in own_files():
        ours = runs_of(path.read_text("utf-8"))
        shared = sorted(ours.keys() & theirs.keys() - allowed, key=ours.__getitem__)
        name = path.relative_to(ROOT)
        lines.extend(f"{name}: '{' '.join(run)}' is in {theirs[run]}" for run in shared)
    return lines
