"""Compute the stored result of every example, so that the page has one before Python is ready.

Runs the same bridge that the page's worker calls, and writes what it answers.
"""

import hashlib
import json
import sys
from array import array
from pathlib import Path
from typing import Any

from leakladder import bridge
from leakladder.alike import FLOOR
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


def store_example(example: dict[str, Any]) -> dict[str, Any]:
    """Return an example with what the core makes of it."""
    facts = {
        side: work(
            "load", example[side]["text"].encode(), side=side, name=example[side]["name"]
        )
        for side in ("test", "train")
    }
    rung = example["rung"]
    found = example.pop("found", None)
    stored = {**example, "facts": facts, "summary": None, "table": None, "pair": None}
    if rung == "meaning":
        return {**stored, "meaning": show_meaning(found)}
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


def show_meaning(found: dict[str, Any]) -> dict[str, Any]:
    """Return what the page shows of an example of rung 6.

    Args:
        found: What the model made of it, committed beside the texts: `node_of`, `pairs` of
            nodes, `lowest` of each group, at `threshold`.
    """
    ask("meaning_texts", mode="within", settings={})
    pairs = found["pairs"]
    a, b, cosine = zip(*pairs, strict=True)
    data = b"".join(
        array(kind, values).tobytes()
        for kind, values in zip("IId", (a, b, cosine), strict=True)
    )
    closest = dict(zip(("a", "b", "cosine"), pairs[0], strict=True))
    work(
        "meaning_take",
        data,
        rows={
            "node_of": found["node_of"],
            "truncated": 0,
            "unreadable": 0,
            "sha256": hashlib.sha256(MODEL.read_bytes()).hexdigest() if MODEL.exists() else "",
        },
        found={"floor": FLOOR, "total": len(pairs), "closest": closest, "labels": []},
    )
    result = ask("meaning_view", threshold=found["threshold"], lowest=found["lowest"])
    first = result["pairs"][0]
    pair = ask("meaning_pair", index=first["a_index"], other=first["b_index"])
    return {"result": result, "pair": {**pair, "within": True}}


def main(target: str) -> int:
    """Write all examples to `target` as one JSON object by name."""
    paths = sorted((WEB / "examples").glob("*.json"))
    stored = {path.stem: store_example(json.loads(path.read_text("utf-8"))) for path in paths}
    text = json.dumps(stored, ensure_ascii=False, separators=(",", ":"))
    Path(target).write_text(text, "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
