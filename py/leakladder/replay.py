"""Stage 9c - replay: a report's run stamp back to settings and options, and to the same report.

Reads: every stage before it, through `pipeline.py`. Read by: `verify.py`.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from leakladder.errors import LadderError
from leakladder.jobs import Job
from leakladder.outcome import Result, check_report, run_rung, stamp_files, stamp_side
from leakladder.pipeline import choose_sides
from leakladder.rungs import RUNGS
from leakladder.settings import ReadOptions, Settings
from leakladder.sides import LoadedFile, join_files

Wire = Mapping[str, Any]

VERSIONS = frozenset({"product", "algorithm", "unicode"})
MEANING = "meaning"
"""The rung that needs a model, so that a host computes it (`meaning_replay.py`)."""
_SIGNS = {MEANING: "model", "rules": "n_from", "ngrams": "threshold", "rows": "transform"}
"""What only the stamp of this rung has, or of those before it in this order."""
_EITHER_TEXT = {"text", "label"}


class ReportError(LadderError):
    """The file is no JSON report of this tool."""

    code = "bad-report"


def parse_report(data: bytes) -> Wire:
    """Read a report and make sure that it is one.

    Raises:
        ReportError: If the bytes are no JSON object with a run stamp and a rung's result.
    """
    try:
        report = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise ReportError("the report is not JSON") from error
    stamp = report.get("stamp") if isinstance(report, dict) else None
    if not isinstance(stamp, dict) or not {"test", *VERSIONS} <= stamp.keys():
        raise ReportError("the report has no run stamp, so nothing can be computed again")
    if not find_rungs(report):
        raise ReportError("the report holds no result that can be computed again")
    if "train" not in stamp and find_rungs(report).keys() != {MEANING}:
        raise ReportError("the run stamp names no training file")
    return report  # type: ignore[no-any-return]  # a dict, as was just seen


def find_rungs(report: Wire) -> dict[str, Wire]:
    """Return the settings of every rung that a report holds, by its name."""
    stamp = report["stamp"]
    several = {
        name: stamp[name]
        for name in (*RUNGS, MEANING)
        if isinstance(report.get(name), dict) and isinstance(stamp.get(name), dict)
    }
    if several:
        return several
    for name, sign in _SIGNS.items():
        if sign in stamp:
            return {name: stamp}
    return {}


def make_settings(report: Wire) -> Settings:
    """Return the settings that a report was made with.

    Raises:
        ReportError: If its stamp lacks one or holds one that cannot be.
    """
    stamp, rungs = report["stamp"], find_rungs(report)
    try:
        chosen: dict[str, Any] = {
            "test_fields": _fields(stamp["test"]),
            "train_fields": _fields(stamp["train"]) if "train" in stamp else (),
            "split": stamp.get("split"),
        }
        for name, own in _computed(rungs).items():
            ids = own.get("ids", {})
            chosen |= {f"{side}_id": ids[side] for side in ("test", "train") if side in ids}
            chosen |= _OWN[name](own)
        return Settings.from_wire(chosen)
    except (KeyError, TypeError, AttributeError, LadderError) as error:
        raise ReportError(f"the run stamp cannot be followed: {error}") from error


def _computed(rungs: Mapping[str, Wire]) -> dict[str, Wire]:
    return {name: own for name, own in rungs.items() if name != MEANING}


def _fields(side: Wire) -> list[str]:
    return [str(path) for path in side["fields"]]


_OWN: Mapping[str, Callable[[Wire], dict[str, Any]]] = {
    "rows": lambda own: {"strip_articles": "L9" in own["transform"].split("+")},
    "ngrams": lambda own: {
        "tokens": own["tokenization"].partition(":")[0],
        "n": own["n"],
        "threshold": own["threshold"],
    },
    "rules": lambda own: {
        "rule_n": own["n"] if own["n_from"] == "chosen" else None,
        "llama_min": own["llama_min"],
    },
}


def make_options(file: Wire) -> ReadOptions:
    """Return how a stamped file was read, so that it is read so again.

    Raises:
        ReportError: If the stamp names something that does not exist.
    """
    try:
        return ReadOptions(
            format=file["format"] or None,
            encoding=file["encoding"] or None,
            delimiter=file.get("delimiter"),
            header=file.get("header"),
            list_path="" if file.get("layout") == "one" else file.get("list_path"),
            whole_text=file.get("whole_text", False),
            quotes=file.get("quotes", True),
            pad_ragged=bool(file.get("padded")),
            skip_bad=True,  # what was left out is counted in the stamp, and compared
        )
    except (KeyError, TypeError, LadderError) as error:
        raise ReportError(f"the run stamp cannot be followed: {error}") from error


def stamped_files(stamp: Wire) -> list[Wire]:
    """Return the stamps of the files a report is about, the test file first."""
    names = ("test",) if "split" in stamp or "train" not in stamp else ("test", "train")
    sides = [stamp[name] for name in names]
    return [file for side in sides for file in side.get("files", [side])]


def recompute(
    report: Wire, settings: Settings, files: Sequence[LoadedFile]
) -> Job[dict[str, Any]]:
    """Make a report again from its files.

    Args:
        report: The report, as parsed.
        settings: From `make_settings`.
        files: Test file and training files, read with `make_options`.

    Returns:
        Every part but that of rung 6; nothing where that is the only one.

    Raises:
        LadderError: If the files cannot be compared so.
    """
    rungs = _computed(find_rungs(report))
    if not rungs:
        return {}
    train = join_files(files[1:]) if len(files) > 1 else None
    sides = choose_sides(files[0], train, settings)
    stamps = stamp_files(files[1:], sides[1]) if len(files) > 1 else [stamp_side(sides[1])]
    results: list[Result] = []
    for name in rungs:
        results += [(yield from run_rung(RUNGS[name], sides, stamps, settings))]
    text = _has_text(report, rungs)
    if report["stamp"] in rungs.values():
        return (yield from results[0].report(text=text))
    return (yield from check_report(results, text=text))


def _has_text(report: Wire, rungs: Mapping[str, Wire]) -> bool:
    """Tell whether a report was written with the text of the files."""
    parts = [report[name] for name in rungs if isinstance(report.get(name), dict)] or [report]
    rows = [row for part in parts for row in part.get("rows") or part.get("findings") or ()]
    return not rows or any(_EITHER_TEXT & row.keys() for row in rows)
