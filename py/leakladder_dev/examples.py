"""Compute the stored result of every example, so that the page has one before Python is ready.

Runs the same bridge that the page's worker calls, and writes what it answers.
"""

import hashlib
import json
import sys
from array import array
from collections import Counter
from pathlib import Path
from typing import Any

from leakladder import bridge
from leakladder.alike import FLOOR
from leakladder.meaning import THRESHOLD_DEFAULT
from leakladder_dev.steps import ROOT, WEB

MODEL = ROOT / "assets" / "models" / "all-MiniLM-L6-v2" / "onnx" / "model_quantized.onnx"


def ask(method: str, **params: Any) -> Any:
    """Call a quick method of the bridge.

    Raises:
        RuntimeError: If it answers with an error.
    """
    return _unwrap(bridge.call(method, json.dumps(params)))


def work(method: str, data: bytes | None = None, **params: Any) -> Any:
    """Run a long method of the bridge to its end.

    Raises:
        RuntimeError: If it answers with an error.
    """
    bridge.start(method, json.dumps(params), data)
    while "progress" in (reply := json.loads(bridge.step(1000))):
        pass
    return _unwrap(json.dumps(reply))


def _unwrap(reply: str) -> Any:
    answer = json.loads(reply)
    if "error" in answer:
        raise RuntimeError(answer["error"].get("details") or answer["error"]["message"])
    return answer["result"]


def load_sides(example: dict[str, Any]) -> dict[str, Any]:
    """Give both files of an example to the bridge and return what it says of them."""
    return {
        side: work(
            "load", example[side]["text"].encode(), side=side, name=example[side]["name"]
        )
        for side in ("test", "train")
    }


def store_example(example: dict[str, Any]) -> dict[str, Any]:
    """Return an example with what the core makes of it."""
    facts = load_sides(example)
    rung = example["rung"]
    found = example.pop("found")
    stored = {**example, "facts": facts, "summary": None, "table": None, "pair": None}
    stored["meaning"] = show_meaning(found, example.get("settings", {}))
    if rung not in bridge.rung_names():
        return stored
    stored["summary"] = work("run", rung=rung, settings=example.get("settings", {}))
    stored["table"] = ask("table", rung=rung)
    first = next(iter(stored["table"]["rows"]), None)
    if first is not None and "index" in first:
        stored["pair"] = ask("pair", rung=rung, index=first["index"])
    elif first is not None:
        stored["item"] = ask("pair", rung=rung, index=first["at"])
    return stored


def show_meaning(found: dict[str, Any], settings: dict[str, Any]) -> dict[str, Any]:
    """Return what the page shows of an example's test rows, and what it looks further in.

    Args:
        found: What the model made of them, committed beside the texts
            (`example_cosines.py`): `node_of`, `cosines` of every two nodes, counts.
        settings: Of the example.
    """
    ask("meaning_texts", mode="within", settings=settings)
    sizes = Counter(found["node_of"])
    ordered = sorted(found["cosines"], key=lambda pair: (-pair[2], pair[0], pair[1]))
    kept = [pair for pair in ordered if pair[2] >= FLOOR]
    columns = zip("IId", (0, 1, 2), strict=True)
    data = b"".join(array(kind, [pair[at] for pair in kept]).tobytes() for kind, at in columns)
    sha256 = hashlib.sha256(MODEL.read_bytes()).hexdigest() if MODEL.exists() else ""
    rows = {name: found[name] for name in ("node_of", "truncated", "unreadable")}
    closest = dict(zip(("a", "b", "cosine"), ordered[0], strict=True)) if ordered else None
    looked: dict[str, Any] = {
        "floor": FLOOR,
        "total": sum(sizes[a] * sizes[b] for a, b, _ in kept),
        "closest": closest,
        "labels": [],
    }
    work("meaning_take", data, rows={**rows, "sha256": sha256}, found=looked)
    groups = ask("meaning_groups", threshold=THRESHOLD_DEFAULT)["groups"]
    result = ask(
        "meaning_view",
        threshold=THRESHOLD_DEFAULT,
        lowest=[lowest_in(group, ordered) for group in groups],
    )
    first = next(iter(result["pairs"]), None)
    pair = first and ask("meaning_pair", index=first["a_index"], other=first["b_index"])
    return {
        "result": result,
        "pair": pair and {**pair, "within": True},
        "found": {**found, "sha256": sha256},
    }


def lowest_in(group: list[int], cosines: list[tuple[int, int, float]]) -> float:
    """Return the lowest cosine between nodes of a group, 1 for a single node."""
    inside = set(group)
    return min((cosine for a, b, cosine in cosines if {a, b} <= inside), default=1.0)


def main(target: str) -> int:
    """Write all examples to `target` as one JSON object by name."""
    paths = sorted((WEB / "examples").glob("*.json"))
    stored = {path.stem: store_example(json.loads(path.read_text("utf-8"))) for path in paths}
    text = json.dumps(stored, ensure_ascii=False, separators=(",", ":"))
    Path(target).write_text(text, "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
