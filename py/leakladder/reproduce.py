"""host - reproduce: the four rules measured on GSM8K and GSM-Plus, from the published files.

The facts to reproduce are those of an article on the four rules: shares of the 1,319 GSM8K test
questions against other questions and against edited copies of themselves.
"""

import csv
import io
from collections.abc import Iterator, Sequence
from pathlib import Path

from leakladder.corpora import (
    Corpus,
    Questions,
    against_copies,
    against_others,
    against_train,
    column_texts,
    make_questions,
)
from leakladder.download import DownloadError, Source, obtain
from leakladder.facts import Facts, gather_facts
from leakladder.judgement import Judgement
from leakladder.pipeline import load_file
from leakladder.settings import Bounds, ReadOptions
from leakladder.sides import LoadedFile
from leakladder.terminal import complain, percent, say, watch_job, write_output

_GSM8K = (
    "https://raw.githubusercontent.com/openai/grade-school-math/"
    "3101c7d5072418e28b9008a6636bde82a006892c/grade_school_math/data/"
)
_GSMPLUS = (
    "https://raw.githubusercontent.com/qtli/GSM-Plus/"
    "3474129ec12fcd3e8ac08cb037aca1928efca98c/dataset/"
)
TEST = Source(
    "gsm8k_test.jsonl",
    _GSM8K + "test.jsonl",
    "3730d312f6e3440559ace48831e51066acaca737f6eabec99bccb9e4b3c39d14",
)
TRAIN = Source(
    "gsm8k_train.jsonl",
    _GSM8K + "train.jsonl",
    "17f347dc51477c50d4efb83959dbb7c56297aba886e5544ee2aaed3024813465",
)
COPIES = Source(
    "gsmplus_test.jsonl",
    _GSMPLUS + "gsmplus_test.jsonl",
    git_blob="971fdd3c8ad17fa252d7faf9b830ec80ea31a800",
)
CSV_COLUMNS = (
    "test_index",
    "corpus",
    "words",
    "longest_run",
    "ngrams8",
    "ngrams8_found",
    "tokens_covered_L10",
    "sub50_windows",
    "sub50_hits",
)
_RULES = {
    "gpt3": "gpt3",
    "palm": "palm",
    "llama2_dirty": "l2 dirty",
    "llama2_20": "l2 >=20%",
    "gpt4": "gpt4 x3",
    "gpt4_any": "gpt4 any",
}
_LENGTHS = (5, 6, 8, 10, 13, 20, 30, 50)


def reproduce(cache: Path, *, gsmplus: Path | None = None, csv_target: str = "") -> int:
    """Print the tables, and write the counts behind them.

    Args:
        cache: Folder of the three files; those missing are fetched into it.
        gsmplus: A GSM-Plus file to take instead of the full one, such as its testmini.
        csv_target: File for the counts, "-" for standard output, "" for none.

    Returns:
        Exit code 0. Where the GSM-Plus file cannot be had, standard error says so and the
        tables end with GSM8K.

    Raises:
        DownloadError: If a GSM8K file cannot be had.
        LadderError: If a file cannot be read.
    """
    questions = make_questions(_read_column(TEST.name, obtain(TEST, cache), "question"))
    train = _read_column(TRAIN.name, obtain(TRAIN, cache), "question")
    corpora = [
        watch_job(against_train(questions, train)),
        watch_job(against_others(questions)),
    ]
    judged = corpora[0].judged
    facts = watch_job(gather_facts(questions.tokens, questions.vocabulary, judged.measures))
    say(*describe(questions, train, facts, judged), "")
    say(*rule_table(corpora), "", *length_table(corpora), "", *list_long_runs(corpora))
    copies = _find_copies(cache, gsmplus)
    if copies:
        more = list(against_copies(questions, copies))
        seeds = len(more[-1].indices)
        say(
            "",
            f"{copies.name}: {len(copies.table.rows):,} edited copies of {seeds:,} questions",
        )
        say("", *rule_table(more), "", *length_table(more))
        corpora += more
    if csv_target:
        write_output(csv_target, write_counts(corpora))
    return 0


def describe(
    questions: Questions, train: Sequence[str], facts: Facts, judged: Judgement
) -> Iterator[str]:
    """Say what was read and what the questions are like.

    Yields:
        Lines.
    """
    yield f"GSM8K: {len(questions.texts):,} test questions, {len(train):,} training questions"
    yield (
        f"5th percentile of the test lengths: {facts.percentile_length} words, so N ="
        f" {judged.parameters.n}; shortest question once processed:"
        f" {facts.shortest_characters} characters"
    )
    for size, (found, every) in facts.digit_windows.items():
        share = percent(found / every)
        yield f"{size}-word windows with a digit: {found:,} of {every:,} ({share})"


def rule_table(corpora: Sequence[Corpus]) -> Iterator[str]:
    """Tabulate the share that each rule flags.

    Yields:
        Lines.
    """
    n = corpora[0].judged.parameters.n
    yield f"Flagged by each rule (N = {n}), share of the rows defined"
    yield _line("searched", "rows", *_RULES.values())
    for corpus in corpora:
        tallies = corpus.judged.tallies
        shares = (percent(tallies[name].share) for name in _RULES)
        yield _line(corpus.title, f"{len(corpus.indices):,}", *shares)


def length_table(corpora: Sequence[Corpus]) -> Iterator[str]:
    """Tabulate the share of all rows with a shared run of at least n words.

    Yields:
        Lines.
    """
    yield "Rows with one shared run of n words or more, share of all rows"
    yield _line("searched", "rows", *(f"n={n}" for n in _LENGTHS))
    for corpus in corpora:
        longest = corpus.judged.measures.longest_run
        shares = (percent(sum(run >= n for run in longest) / len(longest)) for n in _LENGTHS)
        yield _line(corpus.title, f"{len(longest):,}", *shares)


def list_long_runs(corpora: Sequence[Corpus]) -> Iterator[str]:
    """List the rows that the GPT-3 rule flags, longest run first.

    Yields:
        Lines.
    """
    for corpus in corpora:
        measures, n = corpus.judged.measures, corpus.judged.parameters.n
        flagged = [row for row, run in enumerate(measures.longest_run) if run >= n]
        flagged.sort(key=lambda row: -measures.longest_run[row])
        listed = (
            f"{row} ({measures.longest_run[row]} words, with {measures.best_train_index[row]})"
            for row in flagged
        )
        yield f"{n} words or more, {corpus.title}: {len(flagged)} rows: {', '.join(listed)}"
    yield "Rows are counted from 0; 'with' names the row that holds the run."


def write_counts(corpora: Sequence[Corpus]) -> bytes:
    """Write the counts of every row and corpus as CSV; no text of the files is in it."""
    out = io.StringIO(newline="")
    writer = csv.writer(out, lineterminator="\r\n")
    writer.writerow(CSV_COLUMNS)
    for corpus in corpora:
        rows = corpus.judged.measures
        counts = zip(
            rows.words,
            rows.longest_run,
            rows.ngrams8,
            rows.ngrams8_found,
            rows.covered,
            rows.windows,
            rows.window_hits,
            strict=True,
        )
        for index, numbers in zip(corpus.indices, counts, strict=True):
            writer.writerow([index, corpus.name, *numbers])
    return out.getvalue().encode()


def _find_copies(cache: Path, gsmplus: Path | None) -> LoadedFile | None:
    """Load the GSM-Plus file, or say that it cannot be had."""
    try:
        data = gsmplus.read_bytes() if gsmplus else obtain(COPIES, cache)
    except DownloadError as error:
        complain(f"the GSM-Plus tables are left out: {error}")
        complain(f"put the file into {cache}, or give one with --gsmplus FILE")
        return None
    return _load(gsmplus.name if gsmplus else COPIES.name, data)


def _load(name: str, data: bytes) -> LoadedFile:
    return watch_job(load_file(data, name, ReadOptions(format="jsonl"), Bounds()))


def _read_column(name: str, data: bytes, path: str) -> list[str]:
    return column_texts(_load(name, data), path)


def _line(title: str, *cells: str) -> str:
    return title.ljust(50) + "".join(cell.rjust(9) for cell in cells)
