"""Stage 9c - verify: a JSON report of ours held against the files it says it is about.

Reads: every stage before it, through `pipeline.py`. Read by: hosts. All that decides a number
is taken from the report's own run stamp; then everything is computed again and compared.
"""

import hashlib
import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

from leakladder.csv_export import write_json
from leakladder.errors import FieldError, LadderError, SettingError
from leakladder.jobs import Job
from leakladder.meaning_inputs import Comparer, UnansweredError
from leakladder.meaning_replay import align_pairs, has_meaning, recompute_meaning
from leakladder.pipeline import load_file
from leakladder.replay import (
    VERSIONS,
    ReportError,
    Wire,
    make_options,
    make_settings,
    parse_report,
    recompute,
    stamped_files,
)
from leakladder.settings import Bounds
from leakladder.sides import LoadedFile

Kind = Literal["file", "version", "setting", "number"]

MISSING = object()
"""Stands for a place that one of the two does not have, which is not one that is null."""

_FILES = {"test", "train", "left_out"}
_UNCOMPARED = re.compile(r"stamp\..*\bname|marks|(rows|findings)\[\d+\]\.(mark|note)")
"""What no computation gives: a file may be renamed, and marks are a person's."""
_COSINE = re.compile(
    r"(meaning\.)?"
    r"((pairs|nearest)\[\d+\]\.cosine|groups\[\d+\]\.lowest|summary\.closest\.cosine)"
)
COSINES_AGREE = 0.001
"""Two hosts may round a vector's last digits differently; more than that is a difference."""


class NamedBytes(NamedTuple):
    """One file given to be checked."""

    name: str
    data: bytes


@dataclass(frozen=True, slots=True)
class Difference:
    """One thing that the report says and the files do not.

    Attributes:
        kind: "file" for what stands in the stamp about an input, "version" for the program,
            "setting" for what else stands in the stamp, "number" for everything outside it.
        path: Where it stands in the report, as `rows[3].dirty_tokens`.
        reported: What the report has there; MISSING if it has nothing.
        found: What was found now; MISSING if nothing.
    """

    kind: Kind
    path: str
    reported: object
    found: object

    def __str__(self) -> str:
        """Say it in one line."""
        return (
            f"{self.kind}: {self.path}: the report has {_show(self.reported)}, "
            f"computed now {_show(self.found)}"
        )


def _show(value: object) -> str:
    if value is MISSING:
        return "nothing"
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 100 else text[:99] + "…"


class Verified(NamedTuple):
    """What came of holding a report against its files.

    Attributes:
        differences: Files first, then versions, settings and numbers, each in report order.
        unverified: Why the part about meaning could not be computed again, "" where it was or
            there is none.
    """

    differences: list[Difference]
    unverified: str = ""


def verify(
    report: bytes, test: NamedBytes, train: Sequence[NamedBytes], compare: Comparer
) -> Job[Verified]:
    """Compute a report again and list what differs.

    Args:
        report: A JSON report of rows, n-grams, rules or meaning, or of several of them.
        test: The test file.
        train: The training files in the order of the stamp; none in one-file mode.
        compare: How this host computes rung 6; called only if the report holds it.

    Returns:
        No difference if everything is as reported. A changed file that cannot be read as
        stamped any more is one, and so is a stamp that names a field the files do not have.
        Cosines may differ by COSINES_AGREE.

    Raises:
        ReportError: If the report is none, or its stamp cannot be followed.
        UnansweredError: If it is about meaning alone, which cannot be compared here.
        LadderError: If the files are those of the report and still cannot be compared.
    """
    said = parse_report(report)
    stamped = stamped_files(said["stamp"])
    given = [test, *train]
    if len(given) != len(stamped):
        counts = len(stamped) - 1, len(given) - 1
        return Verified([Difference("file", "stamp.train", *counts)])
    settings = make_settings(said)
    try:
        loaded = []
        for one, wire in zip(given, stamped, strict=True):
            options = make_options(wire)
            loaded.append((yield from load_file(one.data, one.name, options, Bounds())))
        found = yield from recompute(said, settings, loaded)
        found, unverified = yield from _add_meaning(said, loaded, found, compare)
    except ReportError:
        raise
    except LadderError as error:
        changed = list(_changed_files(stamped, given))
        if not changed and not isinstance(error, FieldError | SettingError):
            raise
        kind: Kind = "file" if changed else "setting"
        what = Difference(kind, "stamp", "what can be compared", str(error))
        return Verified([*changed, what])
    now = json.loads(write_json(found))
    if has_meaning(said) and not unverified:
        align_pairs(said, now)
    left_out = {"meaning", "stamp.meaning"} if unverified else set()
    order = ("file", "version", "setting", "number")
    differences = [one for one in _compare(said, now, "") if one.path not in left_out]
    return Verified(sorted(differences, key=lambda one: order.index(one.kind)), unverified)


def _add_meaning(
    said: Wire, files: Sequence[LoadedFile], found: dict[str, Any], compare: Comparer
) -> Job[tuple[dict[str, Any], str]]:
    """Return the report with its part about meaning, or without it and why.

    Raises:
        UnansweredError: If that is its only part, and cannot be compared here.
    """
    if not has_meaning(said):
        return found, ""
    try:
        return (yield from recompute_meaning(said, files, found, compare)), ""
    except UnansweredError as error:
        if not found:
            raise
        return found, str(error)


def _changed_files(
    stamped: Sequence[Wire], given: Sequence[NamedBytes]
) -> Iterator[Difference]:
    for at, (wire, one) in enumerate(zip(stamped, given, strict=True)):
        found = hashlib.sha256(one.data).hexdigest()
        if found != wire.get("sha256"):
            where = "test" if not at else "train" if len(stamped) < 3 else f"train[{at - 1}]"
            yield Difference("file", f"stamp.{where}.sha256", wire.get("sha256"), found)


def _compare(reported: object, found: object, path: str) -> Iterator[Difference]:
    if isinstance(reported, dict) and isinstance(found, dict):
        for key in dict.fromkeys((*reported, *found)):
            below = f"{path}.{key}" if path else key
            if not _UNCOMPARED.fullmatch(below):
                yield from _compare(reported.get(key, MISSING), found.get(key, MISSING), below)
    elif isinstance(reported, list) and isinstance(found, list):
        for at, (one, other) in enumerate(zip(reported, found, strict=False)):
            yield from _compare(one, other, f"{path}[{at}]")
        if len(reported) != len(found):
            yield _differ(f"{path}.length", len(reported), len(found))
    elif not _agree(reported, found, path):
        yield _differ(path, reported, found)


def _agree(reported: object, found: object, path: str) -> bool:
    if isinstance(reported, bool) != isinstance(found, bool):
        return False
    if reported == found:
        return True
    if not isinstance(reported, int | float) or not isinstance(found, int | float):
        return False
    close = _COSINE.fullmatch(path) is not None and -1 <= reported <= 1
    return close and abs(reported - found) <= COSINES_AGREE


def _differ(path: str, reported: object, found: object) -> Difference:
    top, _, rest = path.partition(".")
    part = rest.partition(".")[0]
    kind: Kind = "number"
    if top == "stamp":
        kind = "setting"
        if part in VERSIONS:
            kind = "version"
        elif part in _FILES:
            kind = "file"
    return Difference(kind, path, reported, found)
