"""Make the bench's other files: hard cases near the bound of 2 MB, many rows, short rows.

    python tests/bench/make_cases.py --out FOLDER

Every file is the same on every machine. Each case is a pair, NAME-test and NAME-train.
"""

import argparse
import csv
import io
import json
import random
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TOKENIZER = ROOT / "assets" / "models" / "all-MiniLM-L6-v2" / "tokenizer.json"
BOUND = 2_000_000
TOKENS = 1_000_000
PHRASE = "we are to go on as if"
PHRASE_ROWS = 30_000
MANY_ROWS = 200_000
LETTERS = "abcdefghijklmnopqrstuvwxyz"
DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"
Pair = tuple[bytes, bytes]


def base36(number: int, width: int = 1) -> str:
    """Return a number in base 36, with zeros in front up to a width."""
    made = ""
    while number or len(made) < width:
        number, digit = divmod(number, 36)
        made = DIGITS[digit] + made
    return made


def equal_tokens() -> Pair:
    """One row of a million times the same token, a side; a last line end sets them apart."""
    row = b"a " * (TOKENS - 1) + b"a"
    return row, row + b"\n"


def phrase_rows(side: str) -> Iterator[str]:
    """Yield rows of a stock phrase of seven words and six words of the row's own."""
    for number in range(PHRASE_ROWS):
        own = " ".join(f"{side}{base36(number * 6 + at, 4)}" for at in range(6))
        yield f"{PHRASE} {own}"


def stock_phrase() -> Pair:
    """30,000 rows a side that share seven words and nothing else."""
    test, train = ("\n".join(phrase_rows(side)).encode() for side in "xy")
    return test, train


def one_token() -> Pair:
    """One token of almost two million letters, a side; they differ in the last letter."""
    return b"a" * (BOUND - 1) + b"b", b"a" * (BOUND - 1) + b"c"


def combining_marks() -> Pair:
    """One letter under a million marks of two kinds in turn, a side: 2 MB of UTF-8."""
    marks = "\u0301\u0323" * ((BOUND - 2) // 4)
    return f"a{marks}".encode(), f"b{marks}".encode()


def many_rows() -> Pair:
    """200,000 rows a side of an id and a short text: half shared by text, a quarter by id."""
    draw = random.Random(7)
    texts = [base36(draw.randrange(36**4), 4) for _ in range(MANY_ROWS * 2)]
    half, quarter = MANY_ROWS // 2, MANY_ROWS // 4
    ids = range(MANY_ROWS), [*range(quarter), *range(MANY_ROWS, MANY_ROWS * 2 - quarter)]
    sides = []
    for own, first in zip(ids, (0, half), strict=True):
        table = io.StringIO(newline="")
        rows = csv.writer(table, lineterminator="\n")
        rows.writerow(["id", "t"])
        for at, number in enumerate(own):
            text = texts[first + at]
            rows.writerow([base36(number), text.upper() if at % 7 == 0 else text])
        sides.append(table.getvalue().encode())
    return sides[0], sides[1]


def whole_words() -> list[str]:
    """Return the model's words of three to eight letters that are one word piece each."""
    vocabulary = json.loads(TOKENIZER.read_text("utf-8"))["model"]["vocab"]
    return sorted(
        word for word in vocabulary if 3 <= len(word) <= 8 and all(x in LETTERS for x in word)
    )


def short_rows(words: int, rows: int) -> bytes:
    """Return rows of so many one-piece words; with both ends, that many pieces and two."""
    draw = random.Random(11)
    known = whole_words()
    texts = (" ".join(draw.choices(known, k=words)) for _ in range(rows))
    return "".join(json.dumps({"text": text}) + "\n" for text in texts).encode()


CASES: dict[str, tuple[str, Callable[[], Pair]]] = {
    "equal": ("txt", equal_tokens),
    "phrase": ("txt", stock_phrase),
    "token": ("txt", one_token),
    "marks": ("txt", combining_marks),
    "rows": ("csv", many_rows),
}
SHORT = {"words-10.jsonl": (10, 500), "words-12.jsonl": (12, 2_000)}


def make_cases(folder: Path) -> Iterator[Path]:
    """Write every file and yield its path."""
    for name, (ending, make) in CASES.items():
        for side, data in zip(("test", "train"), make(), strict=True):
            path = folder / f"{name}-{side}.{ending}"
            path.write_bytes(data)
            yield path
    for name, (words, rows) in SHORT.items():
        path = folder / name
        path.write_bytes(short_rows(words, rows))
        yield path


def main() -> int:
    """Write the files and print their sizes."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=Path())
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    for path in make_cases(options.out):
        sys.stdout.write(f"{path.name}: {path.stat().st_size} bytes\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
