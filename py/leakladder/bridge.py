"""host - what the page's worker calls: bytes and JSON in, JSON out.

Nothing else crosses: no Python object leaves, so nothing has to be freed on the other side.
Long work is a job that is stepped, so that the worker can look for a cancel between two steps
without threads or shared memory. Offsets leave in UTF-16 units, since JavaScript counts so.
"""

import gc
import json
import time
import traceback
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from platform import python_version
from typing import Any

from leakladder import bridge_more
from leakladder.bridge_meaning import MeaningDesk
from leakladder.errors import LadderError
from leakladder.jobs import Job, finish
from leakladder.pipeline import Comparison, as_loaded
from leakladder.read import interchange_steps
from leakladder.removal import SideName
from leakladder.rungs import RUNGS
from leakladder.settings import PAGE_BOUNDS, Bounds, ReadOptions, Settings
from leakladder.stamp import ALGORITHM
from leakladder.version import __version__

_comparison = Comparison()
_meaning = MeaningDesk(_comparison)
_jobs: list[Job[Any]] = []
_bounds_in_use = [PAGE_BOUNDS]
_made: dict[str, bytes] = {}


def _reply(result: object) -> str:
    return json.dumps({"result": result}, ensure_ascii=True, separators=(",", ":"))


def _failure(error: Exception) -> str:
    """Return an error's wire form; what was not expected carries its traceback."""
    if isinstance(error, LadderError):
        wire: Mapping[str, object] = error.to_wire()
    elif isinstance(error, MemoryError):  # the worker's memory never shrinks: it is replaced
        message = "This tab has too little memory for that. The checker is started again."
        wire = {"code": "worker-lost", "message": message}
    else:
        details = "".join(traceback.format_exception(error))
        wire = {"code": "internal", "message": f"{error!r}", "details": details}
    return json.dumps({"error": wire}, ensure_ascii=True)


def _bytes(data: Any) -> bytes:
    """Return the bytes of a JavaScript typed array, or bytes as they are."""
    return data if isinstance(data, bytes) else bytes(data.to_bytes())


def call(method: str, params: str) -> str:
    """Run a quick method and return its JSON reply, `result` or `error`."""
    try:
        return _reply(METHODS[method](**json.loads(params)))
    except Exception as error:  # noqa: BLE001 - the border: every failure must reach the page
        return _failure(error)


def start(method: str, params: str, data: Any = None, decoded: str | None = None) -> None:
    """Begin a long method; `step` carries it on. A job under way is dropped.

    Args:
        method: Name of the method.
        params: Its arguments as JSON.
        data: Bytes of the file it is about, if any.
        decoded: What the page's own decoder made of a Parquet file.
    """
    abandon()
    arguments = json.loads(params)
    if data is not None:
        arguments["data"] = _bytes(data)
    if decoded is not None:
        arguments["decoded"] = decoded
    _jobs.append(_guarded(method, arguments))


def _guarded(method: str, arguments: Mapping[str, Any]) -> Job[Any]:
    """Create the job inside a generator, so that a bad argument fails in `step`."""
    return (yield from JOBS[method](**arguments))


def step(budget: float) -> str:
    """Carry the job on for about `budget` milliseconds.

    Returns:
        JSON with `progress` while there is more to do, else `result` or `error`.
    """
    (job,) = _jobs
    end = time.perf_counter() + budget / 1000
    try:
        while True:
            progress = next(job)
            if time.perf_counter() >= end:
                return json.dumps({"progress": progress._asdict()})
    except StopIteration as stop:
        _jobs.clear()
        return _reply(stop.value)
    except Exception as error:  # noqa: BLE001 - the border: every failure must reach the page
        _jobs.clear()
        return _failure(error)


def abandon() -> None:
    """Drop the job under way, if any; files and last results stay."""
    for job in _jobs:
        job.close()
    _jobs.clear()


def export(params: str) -> bytes:
    """Return a file to download.

    Raises:
        LadderError: If the rung it shows has not been run.
    """
    arguments = json.loads(params)
    if arguments["what"] in _made:
        return _made.pop(arguments["what"])
    made: bytes = finish(_comparison.export(**arguments))
    return made


def rung_names() -> list[str]:
    """Return the rungs that can be run."""
    return list(RUNGS)


def _versions() -> dict[str, object]:
    return {
        "leakladder": __version__,
        "algorithm": ALGORITHM,
        "python": python_version(),
        "unicode": unicodedata.unidata_version,
    }


def _selftest() -> dict[str, object]:
    """Compare one row with itself inside a longer one; the answer is known.

    Raises:
        RuntimeError: If the answer is another one.
    """
    words = "one two three four five six seven eight nine ten eleven twelve thirteen"
    fresh = Comparison()
    for side, text in (("test", words), ("train", f"zero {words} fourteen")):
        finish(fresh.load(side, text.encode(), "selftest.txt", ReadOptions(), Bounds()))
    summary = finish(fresh.run("ngrams", Settings()))
    good = (summary["flagged"], summary["dirty_tokens"], summary["rows"]) == (1, 13, 1)
    if not good:
        raise RuntimeError(f"the self-test gave {summary}")
    return {"ok": True}


def _load(
    side: str,
    name: str,
    data: bytes,
    options: Mapping[str, Any] | None = None,
    decoded: str | None = None,
) -> Job[Any]:
    gc.collect()  # what the slot held before is gone by reference count, cycles here
    if decoded is None:
        chosen = ReadOptions(**(options or {}))
        yield from _comparison.load(side, data, name, chosen, _bounds_in_use[0])
    else:
        steps = interchange_steps(decoded, len(data), name=name, bounds=_bounds_in_use[0])
        table = yield from steps
        _comparison.take(side, as_loaded(name, data, table))
    return _comparison.facts(side)


def _bounds(bytes: int | None = None, rows: int | None = None) -> dict[str, int | None]:  # noqa: A002 - a name of the wire
    """Settle the worker: the bounds that the page was built with, and no looking for cycles.

    Rows and results form no cycles, and looking for some among 400,000 rows doubles the time of
    reading. So from here on the interpreter looks only before each load, and only among what
    came after this moment: the modules stay.

    Returns:
        What a decoder in the page has to keep.
    """
    if bytes and rows:
        gc.disable()
        gc.freeze()
        unpacked = max(PAGE_BOUNDS.unpacked or 0, 16 * bytes)
        _bounds_in_use[0] = Bounds(bytes=bytes, rows=rows, unpacked=unpacked)
    return {"rows": _bounds_in_use[0].rows, "unpacked": _bounds_in_use[0].unpacked}


def _run(rung: str, settings: Mapping[str, Any]) -> Job[Any]:
    return (yield from _comparison.run(rung, Settings.from_wire(settings)))


def _view(rung: str, settings: Mapping[str, Any]) -> object:
    return _comparison.view(rung, Settings.from_wire(settings))


def _clean(side: SideName, **choice: Any) -> Job[Any]:
    """Write a file without rows; `export` of "cleaned" hands the bytes over, once."""
    choice["meaning"] = _meaning.last()
    data, summary = yield from bridge_more.clean(_comparison, side, **choice)
    _made["cleaned"] = data
    return summary


def _write(what: str, **choice: Any) -> Job[Any]:
    """Make a file to download; `export` of "written" hands the bytes over, once."""
    rung, _, rest = what.partition("/")
    if rung == "meaning":
        _made["written"] = yield from _meaning.export(rest, **choice)
    else:
        choice["meaning"] = _meaning.last()
        _made["written"] = yield from _comparison.export(what, **choice)
    return {"bytes": len(_made["written"])}


def _overview() -> object:
    return _comparison.overview()


def _cite(rungs: Sequence[str]) -> object:
    more = [_meaning.cited()] if "meaning" in rungs else []
    return bridge_more.cite(_comparison, [rung for rung in rungs if rung != "meaning"], more)


def _unload(side: str) -> object:
    _comparison.unload(side)
    return {}


def _swap() -> object:
    _comparison.swap()
    return {side: _comparison.facts(side) for side in ("test", "train")}


def _pair(rung: str, index: int) -> object:
    made = _comparison.pair(rung, index)
    if rung == "overview" and made["train"] is None and _comparison.reads_alike(index):
        nearest = _meaning.pair(index)
        made |= {"test": nearest["test"], "train": nearest["train"], "match": "meaning"}
    return _to_utf16(made)


def _meaning_pair(index: int, other: int | None = None) -> object:
    return _to_utf16(_meaning.pair(index, other))


def _to_utf16(pair: dict[str, Any]) -> dict[str, Any]:
    """Turn the marks of a pair from code points to UTF-16 units, in place."""
    for side in ("test", "train"):
        for part in (pair.get(side) or {}).get("parts", ()):
            marks = part["marks"]
            ends = sorted({mark[end] for mark in marks for end in ("start", "stop")})
            units = utf16_offsets(part["text"], ends)
            for mark in marks:
                mark["start"], mark["stop"] = units[mark["start"]], units[mark["stop"]]
    return pair


def utf16_offsets(text: str, offsets: Sequence[int]) -> dict[int, int]:
    """Return the UTF-16 offset of each code point offset.

    Args:
        text: The text that the offsets point into; lone surrogates count as one unit.
        offsets: Code point offsets, ascending.

    Returns:
        Offset to offset. Time O(length of text), whatever the number of offsets.
    """
    if text.isascii():
        return {offset: offset for offset in offsets}
    units = at = 0
    found = {}
    for offset in offsets:
        piece = text[at:offset]
        units += len(piece) + sum(1 for character in piece if character > "\uffff")
        at = offset
        found[offset] = units
    return found


METHODS: Mapping[str, Callable[..., object]] = {
    "versions": _versions,
    "bounds": _bounds,
    "selftest": _selftest,
    "unload": _unload,
    "swap": _swap,
    "view": _view,
    "pair": _pair,
    "cite": _cite,
    "overview": _overview,
    "table": _comparison.table,
    "meaning_plan": _meaning.plan,
    "meaning_texts": _meaning.texts,
    "meaning_groups": lambda **arguments: finish(_meaning.groups(**arguments)),
    "meaning_counted": _meaning.counted,
    "meaning_view": lambda **arguments: finish(_meaning.view(**arguments)),
    "meaning_table": _meaning.table,
    "meaning_clear": _meaning.clear,
    "meaning_pair": _meaning_pair,
    "split_values": _comparison.split_values,
}
JOBS: Mapping[str, Callable[..., Job[Any]]] = {
    "load": _load,
    "run": _run,
    "clean": _clean,
    "write": _write,
    "meaning_take": _meaning.take,
    "meaning_match": _meaning.match,
    "meaning_back": _meaning.back,
    "meaning_groups_steps": _meaning.groups,  # where there are many rows
    "meaning_view_steps": _meaning.view,
}
