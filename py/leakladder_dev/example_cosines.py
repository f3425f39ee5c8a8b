"""Write into every example the cosines that the model gives its test rows.

The page answers an example's thresholds from them, so that a link to one needs no model. Run as
`python -m leakladder_dev.example_cosines` after a change to the texts or the model; the tests
hold what is stored against the model.
"""

import json
import sys
from itertools import combinations
from pathlib import Path
from typing import Any

from leakladder.embed_native import NativeEmbedder, find_model
from leakladder.jobs import finish
from leakladder.meaning import list_members, number_nodes
from leakladder.search_native import cosines_of
from leakladder_dev.examples import ask, load_sides
from leakladder_dev.steps import WEB

DIGITS = 6


def find_cosines(texts: list[str], embedder: NativeEmbedder) -> dict[str, Any]:
    """Return what an example stores: the nodes, and the cosine of every two of them."""
    rows = embedder.cut_texts(texts)
    node_of = number_nodes(row.ids if row.readable else None for row in rows)
    members = list_members(node_of)
    vectors = finish(embedder.embed([rows[same[0]].ids for same in members]))
    pairs = list(combinations(range(len(members)), 2))
    a, b = ([pair[side] for pair in pairs] for side in (0, 1))
    found = [round(float(each), DIGITS) for each in cosines_of(vectors[a], vectors[b])]
    marked = zip(texts, rows, strict=True)
    return {
        "node_of": node_of,
        "cosines": [[*pair, cosine] for pair, cosine in zip(pairs, found, strict=True)],
        "truncated": sum(row.cut for row in rows),
        "unreadable": sum(bool(text.strip()) and not row.readable for text, row in marked),
    }


def rewrite(path: Path, embedder: NativeEmbedder) -> None:
    """Replace what an example stores; nothing else of the file changes."""
    example = json.loads(path.read_text("utf-8"))
    load_sides(example)
    settings = example.get("settings", {})
    texts = ask("meaning_texts", mode="within", settings=settings)["test"]
    example["found"] = find_cosines(texts, embedder)
    lines = json.dumps(example, ensure_ascii=False, indent=2)
    path.write_text(join_short(lines) + "\n", "utf-8")


def join_short(text: str) -> str:
    """Put each array of numbers on one line."""
    out: list[str] = []
    numbers: list[str] | None = None
    for line in text.split("\n"):
        bare = line.strip()
        if bare.endswith("["):
            if numbers is not None:
                out.extend(numbers)
            numbers = [line]
        elif numbers is None:
            out.append(line)
        elif bare.rstrip(",").lstrip("-").replace(".", "").isdigit():
            numbers.append(bare)
        elif bare.startswith("]") and len(numbers) > 1:
            out.append(numbers[0] + " ".join(numbers[1:]) + bare)
            numbers = None
        else:
            out.extend([*numbers, line])
            numbers = None
    return "\n".join(out)


def main() -> int:
    """Rewrite every example."""
    embedder = NativeEmbedder(find_model())
    for path in sorted((WEB / "examples").glob("*.json")):
        rewrite(path, embedder)
    return 0


if __name__ == "__main__":
    sys.exit(main())
