"""The rules on the questions of two JSONL files, as plain numbers: for CPython and Pyodide."""

import json
from collections.abc import Generator
from dataclasses import asdict
from pathlib import Path
from typing import Any, TypeVar

from leakladder.charwindows import find_windows
from leakladder.facts import gather_facts
from leakladder.judgement import judge, sweep
from leakladder.measures import choose_parameters, measure_rows
from leakladder.results import Progress
from leakladder.runs import find_runs
from leakladder.tokens import Vocabulary, encode_rows

T = TypeVar("T")


def finish(job: Generator[Progress, None, T]) -> T:
    """Run a job to its end."""
    while True:
        try:
            next(job)
        except StopIteration as stop:
            result: T = stop.value
            return result


def read_questions(path: str) -> list[str]:
    """Read the field `question`; a record ends at a line feed only."""
    lines = Path(path).read_bytes().decode("utf-8").split("\n")
    return [json.loads(line)["question"] for line in lines if line]


def judge_texts(
    test: list[str], train: list[str], *, same: bool = False, llama_min: int = 10
) -> dict[str, Any]:
    """Return columns, verdicts, counts, sweep and facts."""
    vocabulary = Vocabulary()
    tokens = encode_rows([test], "gpt3-words", vocabulary)
    train_tokens = encode_rows([train], "gpt3-words", vocabulary)
    runs = finish(find_runs(tokens, [train_tokens], same_file=same))
    hits = finish(find_windows([test], [[train]], same_file=same))
    rows = measure_rows(runs, hits, llama_min=llama_min)
    judged = judge(rows, choose_parameters(rows.words, llama_min=llama_min))
    facts = finish(gather_facts(tokens, vocabulary, rows))
    return {
        "parameters": asdict(judged.parameters),
        "rows": {name: list(getattr(rows, name)) for name in rows.__slots__},
        "runs": list(runs.lengths) if len(test) == 1 else [],
        "flagged": {name: tally.flagged for name, tally in judged.tallies.items()},
        "undefined": {name: tally.undefined for name, tally in judged.tallies.items()},
        "llama2": list(judged.llama2),
        "probability": list(judged.verdicts["gpt4"]),
        "sweep": {str(n): tally.flagged for n, tally in sweep(rows).items()},
        "facts": facts.to_wire(),
        "train_words": len(train_tokens.ids),
    }


def judge_files(test: str, train: str, same: bool) -> dict[str, Any]:
    """Return `judge_texts` of two files; `same` holds each row against the others."""
    return judge_texts(read_questions(test), read_questions(train), same=same)
