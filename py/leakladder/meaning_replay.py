"""Stage 9c - replay of rung 6: its part of a report back to rows, and to the same part.

Reads: `replay.py`, `meaning_inputs.py`. Read by: `verify.py`. A host embeds and compares.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from leakladder.errors import LadderError
from leakladder.jobs import Job
from leakladder.meaning import check_threshold
from leakladder.meaning_files import TEXT_COLUMNS, add_part, report
from leakladder.meaning_inputs import (
    Comparer,
    MeaningAsk,
    UnansweredError,
    choose_columns,
)
from leakladder.meaning_report import stamp
from leakladder.outcome import stamp_side
from leakladder.replay import MEANING, ReportError, Wire, find_rungs
from leakladder.settings import Settings
from leakladder.sides import LoadedFile, join_files
from leakladder.twins import Keeper, Twins, name_settings, refuse_picked

TABLES = ("pairs", "groups", "nearest")


def has_meaning(said: Wire) -> bool:
    """Tell whether a report holds rung 6, alone or beside others."""
    return MEANING in find_rungs(said)


def is_alone(said: Wire) -> bool:
    """Tell whether a report is one of rung 6 alone, with a stamp of its own."""
    return find_rungs(said).get(MEANING) is said["stamp"]


def recompute_meaning(
    said: Wire, files: Sequence[LoadedFile], found: Mapping[str, Any], compare: Comparer
) -> Job[dict[str, Any]]:
    """Make the meaning part of a report again.

    Args:
        said: The report, as parsed.
        files: Test file and training files, read as they were.
        found: The other parts, made again; none in a report of rung 6 alone.
        compare: How this host embeds and compares.

    Returns:
        The report with every part.

    Raises:
        ReportError: If its stamp cannot be followed.
        UnansweredError: If the rows cannot be compared here.
        LadderError: If the files cannot be compared so.
    """
    made = yield from compare(make_ask(said, files))
    text = _has_text(said if is_alone(said) else said[MEANING])
    if is_alone(said):
        whole: dict[str, Any] = yield from report(
            made, stamp(made, stamp_side(made.test)), text=text
        )
        return whole
    return (yield from add_part(found, made, text=text))


def make_ask(said: Wire, files: Sequence[LoadedFile]) -> MeaningAsk:
    """Return what a report's run of rung 6 compared.

    Raises:
        ReportError: If its stamp cannot be followed.
        UnansweredError: If the stamp does not say which rows were compared.
        LadderError: If a file lacks a field that it names.
    """
    own, split = find_rungs(said)[MEANING], said["stamp"].get("split")
    try:
        column, ids, picked = own["column"], own["ids"], own.get("picked", {})
        settings = Settings.from_wire({
            "split": split,
            **{f"{side}_fields": [str(path)] for side, path in column.items()},
            **{f"{side}_id": path for side, path in ids.items()},
        })
        threshold = check_threshold(float(own["threshold"]))
        how, size = picked.get("rows"), int(picked.get("size", 0))
    except (KeyError, TypeError, ValueError, AttributeError, LadderError) as error:
        raise ReportError(f"the run stamp cannot be followed: {error}") from error
    if how not in {None, "sample"}:
        why = "it compared the rows that other checks had flagged, and does not list them"
        raise UnansweredError(why)
    train = join_files(files[1:]) if len(files) > 1 else None
    rows = choose_columns(files[0], train, settings, across="train" in column)
    if how is not None:
        rows = rows.pick(how, size)
    return MeaningAsk(rows, threshold, within="pairs_not_kept" in own)


def read_twins(said: Wire, keeper: Keeper) -> Twins:
    """Return the rows that a report says read alike; nothing is compared.

    Args:
        said: The report, as parsed; the caller makes sure that it is about this file.
        keeper: Which row of a group stays.

    Raises:
        ReportError: If its part about meaning is none.
        SettingError: If it did not compare all rows.
    """
    own = find_rungs(said)[MEANING]
    part = said if is_alone(said) else said[MEANING]
    refuse_picked(own.get("picked"))
    groups: dict[int, list[int]] = {}
    try:
        threshold = check_threshold(float(own["threshold"]))
        for row in part["groups"]:
            groups.setdefault(row["group"], []).append(int(row["record"]) - 1)
        pairs = [(int(row["index"]), row["cosine"]) for row in part["nearest"]]
        near = [index for index, cosine in pairs if cosine is not None and cosine >= threshold]
        settings, across = name_settings(own, keeper), "train" in own["column"]
    except (KeyError, TypeError, ValueError, LadderError) as error:
        raise ReportError(f"the report cannot be followed: {error}") from error
    within = "pairs_not_kept" in own
    found = list(groups.values()) if within else None
    return Twins(found, near if across else None, keeper, settings)


def align_pairs(said: Wire, found: Wire) -> None:
    """Put the reported pairs into the order of those found now, in place.

    Cosines that differ in the last digits may change places in a list that goes by them; a pair
    is the same pair wherever it stands.
    """
    own, now = (wire if is_alone(wire) else wire[MEANING] for wire in (said, found))
    pairs = own.get("pairs")
    if isinstance(pairs, list):
        places = {key: at for at, key in enumerate(map(_name_pair, now["pairs"]))}
        pairs.sort(key=lambda pair: places.get(_name_pair(pair), len(places)))


def _name_pair(pair: object) -> tuple[str, str] | None:
    if not isinstance(pair, dict):
        return None
    return str(pair.get("a_record")), str(pair.get("b_record"))


def _has_text(part: Wire) -> bool:
    """Tell whether the part was written with the text of the files."""
    rows = list(_list_rows(part))
    return not rows or any(TEXT_COLUMNS & row.keys() for row in rows)


def _list_rows(part: Wire) -> Iterator[Wire]:
    for name in TABLES:
        rows = part.get(name)
        yield from filter(_is_object, rows if isinstance(rows, list) else ())


def _is_object(row: object) -> bool:
    return isinstance(row, dict)
