"""Compute the stored result of every example, so that the page has one before Python is ready.

Runs the same bridge that the page's worker calls, and writes what it answers.
"""

import json
import sys
from pathlib import Path
from typing import Any

from leakladder import bridge
from leakladder_dev.steps import WEB


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
    stored = {**example, "facts": facts, "summary": None, "table": None, "pair": None}
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


def main(target: str) -> int:
    """Write all examples to `target` as one JSON object by name."""
    paths = sorted((WEB / "examples").glob("*.json"))
    stored = {path.stem: store_example(json.loads(path.read_text("utf-8"))) for path in paths}
    text = json.dumps(stored, ensure_ascii=False, separators=(",", ":"))
    Path(target).write_text(text, "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
