"""Make the two files of the bench: seeded, two JSONL files of exactly 1,990,000 bytes each.

Each holds about 350,000 loose tokens; 44% of the training rows are rows of the test file.
`--size` makes them of another size, for the table of cost against size.

    python tests/bench/make_files.py --seed 1 --out FOLDER
"""

import argparse
import hashlib
import json
import random
import sys
from pathlib import Path

SIZE = 1_990_000
ROWS = 6_000  # more than the files of SIZE bytes hold
SHARED = 0.44
SYLLABLES = (
    "ba be bi bo da de di do ka ke ki ko la le li lo ma me mi mo na ne ra re ri so ta ti tu"
).split()


def make_words(draw: random.Random, count: int) -> list[str]:
    """Return `count` distinct made-up words of one to three syllables, the commonest short."""
    words: dict[str, None] = {}
    while len(words) < count:
        length = 1 if len(words) < 20 else draw.choice((2, 2, 3))
        words["".join(draw.choice(SYLLABLES) for _ in range(length))] = None
    return list(words)


def make_row(draw: random.Random, words: list[str], weights: list[float]) -> str:
    """Return a sentence of 30 to 150 words whose frequencies fall like those of a language."""
    return " ".join(draw.choices(words, cum_weights=weights, k=draw.randint(30, 150)))


def write_rows(path: Path, texts: list[str], name: str, size: int) -> int:
    """Write rows as JSONL up to `size` bytes, the last one cut to fit; return how many."""
    out = bytearray()
    rows = 0
    for text in texts:
        line = json.dumps({"id": f"{name}-{rows}", "text": text}).encode() + b"\n"
        room = size - len(out)
        if len(line) > room:
            frame = len(json.dumps({"id": f"{name}-{rows}", "text": ""}).encode()) + 1
            last = {"id": f"{name}-{rows}", "text": text[: room - frame]}
            out += json.dumps(last).encode() + b"\n"
            rows += 1
            break
        out += line
        rows += 1
    path.write_bytes(bytes(out))
    return rows


def make_files(folder: Path, seed: int, size: int = SIZE) -> tuple[Path, Path]:
    """Write test.jsonl and train.jsonl into `folder` and return their paths."""
    draw = random.Random(seed)
    words = make_words(draw, 6_000)
    weights: list[float] = []
    for rank in range(len(words)):
        weights.append((weights[-1] if weights else 0.0) + 1 / (rank + 8))
    count = -(-ROWS * size // SIZE)
    own = [make_row(draw, words, weights) for _ in range(count)]
    test, train = folder / "test.jsonl", folder / "train.jsonl"
    rows = write_rows(test, own, "test", size)
    mixed = [
        own[draw.randrange(rows)] if draw.random() < SHARED else make_row(draw, words, weights)
        for _ in range(count)
    ]
    write_rows(train, mixed, "train", size)
    return test, train


def main() -> int:
    """Write the files and print their sizes and SHA-256."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--size", type=int, default=SIZE, help="bytes of each file")
    parser.add_argument("--out", type=Path, default=Path())
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    for path in make_files(options.out, options.seed, options.size):
        data = path.read_bytes()
        told = f"{path.name}: {len(data)} bytes, {hashlib.sha256(data).hexdigest()}\n"
        sys.stdout.write(told)
    return 0


if __name__ == "__main__":
    sys.exit(main())
