"""`python build.py faults`: plant one-line faults in a copy, and see the suite catch each.

The copy lies in a temporary folder; the checkout is never touched. CONTRIBUTING.md lists the
faults with a test that caught each.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

from leakladder_dev.steps import ROOT

COPIED = ("py", "tests", "web", "README.md", "CONTRIBUTING.md", "ARCHITECTURE.md",
          "pyproject.toml", "package.json", "package-lock.json")  # fmt: skip
LINKED = ("assets",)  # the model, which no fault touches
PATIENCE = 600
"""Seconds until a test run with a fault in it counts as caught: it may hang."""


class Fault(NamedTuple):
    """One line changed for the worse.

    Attributes:
        what: The fault in words.
        module: File under `py/leakladder`.
        old: Text that stands there once.
        new: What it becomes.
        tests: Test files that are asked, without `test_` and `.py`.
    """

    what: str
    module: str
    old: str
    new: str
    tests: str


FAULTS = (
    Fault("a row of exactly n tokens counts as short", "coverage.py",
          '"checked" if most >= n', '"checked" if most > n', "runs coverage"),
    Fault("`>` for `>=` at the threshold", "coverage.py",
          "100 * hit >= threshold", "100 * hit > threshold", "runs coverage"),
    Fault("windows off by one", "coverage.py",
          "size - n + 1)", "size - n)", "runs coverage"),
    Fault("touching runs make two stretches", "coverage.py",
          "start <= spans[-1][1]", "start < spans[-1][1]", "runs coverage"),
    Fault("a row without a match is flagged at threshold 0", "coverage.py",
          "hit > 0 and", "hit >= 0 and", "runs coverage"),
    Fault("all training rows together stand in for the best one", "ngram_report.py",
          '"best_row_share": evidence.share', '"best_row_share": row["dirty_share"]',
          "campaigns"),
    Fault("case fold skipped beyond ASCII", "normalize.py",
          'compose("NFKC", text).casefold()', 'compose("NFKC", text)', "normalize tokens"),
    Fault("case fold skipped in ASCII", "normalize.py",
          "return text.lower()", "return text", "normalize tokens"),
    Fault("cells of a key joined without their length", "rowkey.py",
          'f"s{len(cell)}:{cell}"', 'f"s{cell}"', "rowkey overlap"),
    Fault("absent equals null", "rowkey.py",
          '"a" if cell is ABSENT', '"n" if cell is ABSENT', "rowkey overlap"),
    Fault("a row of marks alone is lost when folded", "rowkey.py",
          "text or (key and _KEPT + key) for text", "text or None for text", "rowkey overlap"),
    Fault("blank rows match each other", "overlap.py",
          "counts.pop(None, None)", "counts.get(None)", "rowkey overlap"),
    Fault("`>` for `>=` in the PaLM rule", "rules.py",
          "100 * found >= _PALM", "100 * found > _PALM", "rules"),
    Fault("`>` for `>=` in the GPT-3 rule", "rules.py", "run >= n if", "run > n if", "rules"),
    Fault("the chance of no hit for the chance of one", "rules.py",
          "(every - comb(windows - hits, draws))", "comb(windows - hits, draws)", "rules"),
    Fault("tenth percentile for the fifth", "measures.py",
          "5 * len(lengths) // 100", "10 * len(lengths) // 100", "rules"),
    Fault("8-word windows off by one", "measures.py",
          "size - _PALM_N + 1", "size - _PALM_N", "rules"),
    Fault("character windows off by one", "charwindows.py",
          "here = max(1, len(text) - WINDOW + 1)", "here = max(1, len(text) - WINDOW)",
          "charwindows"),
    Fault("a run may cross a field border", "grams.py",
          "| (marks >> 24)", "", "runs campaigns"),
    Fault("a tie goes to the later chunk", "runs.py",
          "known.length >= -size", "known.length > -size", "runs campaigns"),
    Fault("a file against itself finds every row", "outcome.py",
          "test.file.sha256 == train.file.sha256", "test.file is None", "campaigns"),
    Fault("ids of training tokens begin at 0 again", "tokens.py",
          "count(known).__next__", "count().__next__", "campaigns cli_hard"),
    Fault("a chunk leaves out its last row", "sides.py",
          "yield self._chunk(start, position + 1)", "yield self._chunk(start, position)",
          "campaigns"),
    Fault("`@` is no formula", "csv_export.py", '"-", "@",', '"-",', "csv_export hostile_text"),
    Fault("lone surrogates stay in the CSV", "csv_export.py",
          'return _LONE_SURROGATE.sub("\\ufffd", text)', "return text",
          "csv_export hostile_text"),
    Fault("offsets count code points on the wire", "bridge.py",
          'if character > "\\uffff"', 'if character > "\\U0010ffff"', "bridge"),
    Fault("escape sequences reach the terminal", "wording.py",
          '"[\\x00-\\x1f', '"[\\x00-\\x1a', "cli hostile_text"),
    Fault("blank lines are not counted", "read/jsonl.py",
          "reading.info.blank_lines += 1", "reading.info.blank_lines += 0",
          "read_golden campaigns"),
    Fault("an open quote swallows the rest in silence", "read/delimited.py",
          "quotes=quotes, strict=True", "quotes=quotes, strict=False", "read_golden campaigns"),
    Fault("line numbers count blocks", "read/lines.py",
          'line += raw.count(b"\\n")', "line += 1", "read read_golden"),
    Fault("rows left out are not stamped", "stamp.py",
          '"train": sum(item.info.left_out for item in train)', '"train": 0', "cli_hard"),
    Fault("of a group that reads alike the last of equal rows stays", "twins.py",
          "(self.lengths[index], -index)", "(self.lengths[index], index)", "twins"),
    Fault("the row that stays of a group may go for another reason", "twins.py",
          "for index in group if index not in gone]", "for index in group]", "twins"),
    Fault("batch-dependent scaling: one length for all rows of a batch", "embed_native.py",
          ".sum(1, keepdims=True))", ".sum(1, keepdims=True).mean())", "embed_native"),
    Fault("a batch mixes rows of two lengths", "embed_native.py",
          "places.setdefault(len(row), [])", "places.setdefault(len(row) // 2, [])",
          "embed_native"),
)  # fmt: skip


def plant(fault: Fault, folder: Path) -> None:
    """Make a copy of the project with the fault in it.

    Raises:
        ValueError: If the text to be changed does not stand there exactly once.
    """
    for name in COPIED:
        source, target = ROOT / name, folder / name
        if source.is_dir():
            shutil.copytree(source, target, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(source, target)
    for name in LINKED:
        (folder / name).symlink_to(ROOT / name)
    path = folder / "py" / "leakladder" / fault.module
    text = path.read_text("utf-8")
    if text.count(fault.old) != 1:
        raise ValueError(f"{fault.module} does not hold {fault.old!r} once")
    path.write_text(text.replace(fault.old, fault.new), "utf-8")


def find_catcher(fault: Fault) -> str:
    """Run the tests of a fault over it and return the first that fails, "" for none."""
    with tempfile.TemporaryDirectory(prefix="fault-") as name:
        folder = Path(name)
        plant(fault, folder)
        tests = [f"tests/test_{test}.py" for test in fault.tests.split()]
        command = [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider"]
        command += ["-m", "not browser and not pyodide", *tests]
        environment = dict(os.environ, PYTHONPATH=str(folder / "py"))
        try:
            done = subprocess.run(
                command,
                cwd=folder,
                env=environment,
                capture_output=True,
                check=False,
                text=True,
                timeout=PATIENCE,
            )
        except subprocess.TimeoutExpired:
            return "(it hangs)"
    if done.returncode == 0:
        return ""
    failed = re.findall(r"^(?:FAILED|ERROR) (?:tests/)?(\S+::\w+)", done.stdout, re.MULTILINE)
    return failed[0] if failed else f"(pytest ended with {done.returncode})"


def run_faults(first: int = 1) -> int:
    """Plant every fault from a number on and print what caught it; 1 if one was not."""
    missed = 0
    for number, fault in list(enumerate(FAULTS, 1))[first - 1 :]:
        caught = find_catcher(fault)
        missed += not caught
        print(f"| {number} | {fault.what} | `{fault.module}` | `{caught or 'NOT CAUGHT'}` |")
        sys.stdout.flush()
    planted = len(FAULTS) - first + 1
    print(f"{planted} planted, {planted - missed} caught")
    return 1 if missed else 0
