"""The files that the bench measures on, made by seeded scripts and kept in the cache."""

import hashlib
import sys
from collections.abc import Sequence
from pathlib import Path

from leakladder_dev.steps import CACHE, ROOT, StepError, run_step

SCRIPTS = ROOT / "tests" / "bench"
MAKE_FILES = SCRIPTS / "make_files.py"
MAKE_CASES = SCRIPTS / "make_cases.py"
DATA = ROOT.parent / "shared" / "data"
SIZE = 1_990_000
MEGABYTE = 1_000_000

Pair = tuple[Path, Path]


class BenchFiles:
    """Files by name; each is made when a row first asks for it, and named in the results.

    Attributes:
        used: SHA-256 of every file that was asked for, by name.
    """

    def __init__(self) -> None:
        # A script that changes makes other files, so what it made before lies elsewhere.
        texts = b"".join(path.read_bytes() for path in (MAKE_FILES, MAKE_CASES))
        self.folder = CACHE / "bench" / hashlib.sha256(texts).hexdigest()[:12]
        self.used: dict[str, str] = {}

    def pair(self, size: int = SIZE) -> Pair:
        """Return the bench's two files, of a size in bytes."""
        folder = self.folder / str(size)
        if not (folder / ".made").exists():
            arguments: list[str | Path] = ["--seed", "1", "--size", str(size), "--out", folder]
            self._make(MAKE_FILES, arguments, folder)
        prefix = "" if size == SIZE else f"{size / MEGABYTE:g} MB/"
        test, train = folder / "test.jsonl", folder / "train.jsonl"
        return self._use(test, prefix), self._use(train, prefix)

    def case(self, name: str) -> Pair:
        """Return the two files of a case of `make_cases.py`."""
        test, train = (next(self._cases().glob(f"{name}-{side}.*")) for side in SIDES)
        return self._use(test), self._use(train)

    def short_rows(self, words: int) -> Path:
        """Return rows of so many words: 500 of 10, or 2,000 of 12."""
        return self._use(self._cases() / f"words-{words}.jsonl")

    def public(self, name: str) -> Path:
        """Return a file of the public data.

        Raises:
            StepError: If the data are not on this machine.
        """
        path = DATA / name
        if not path.exists():
            why = f"{name} is not in ../shared/data, and is no part of the project"
            raise StepError("find the public data", why, f"put {name} there")
        return self._use(path)

    def _cases(self) -> Path:
        folder = self.folder / "cases"
        if not (folder / ".made").exists():
            self._make(MAKE_CASES, ["--out", folder], folder)
        return folder

    @staticmethod
    def _make(script: Path, arguments: Sequence[str | Path], folder: Path) -> None:
        run_step(
            "make the bench's files",
            [sys.executable, script, *arguments],
            todo="see the message above",
        )
        (folder / ".made").write_text("", "utf-8")

    def _use(self, path: Path, prefix: str = "") -> Path:
        name = prefix + path.name
        if name not in self.used:
            self.used[name] = hashlib.sha256(path.read_bytes()).hexdigest()
        return path


SIDES = ("test", "train")
