"""host - corpora: the GSM8K test questions measured against four bodies of text.

Read by: `reproduce.py`.
"""

from array import array
from collections.abc import Generator, Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from leakladder.charsearch import WINDOW
from leakladder.charwindows import WindowHits, find_windows, process_text
from leakladder.coverage import pair_runs
from leakladder.errors import FieldError
from leakladder.judgement import Judgement, judge
from leakladder.measures import Measures, choose_parameters, measure_rows
from leakladder.results import BestRun, Progress
from leakladder.runs import Runs, find_runs
from leakladder.sides import LoadedFile
from leakladder.terminal import watch_job
from leakladder.tokens import TokenRows, Vocabulary, encode_rows

_KIND = "gpt3-words"


class Corpus(NamedTuple):
    """The test questions measured against one body of text.

    Attributes:
        name: Value of the CSV's `corpus` column.
        title: Name in the tables.
        indices: 0-based test rows measured.
        judged: The rules on them.
    """

    name: str
    title: str
    indices: Sequence[int]
    judged: Judgement


class Questions(NamedTuple):
    """The test questions, ready to be searched for.

    Attributes:
        texts: As read.
        vocabulary: Of their words, and of whatever was searched since.
        tokens: Their words.
    """

    texts: Sequence[str]
    vocabulary: Vocabulary
    tokens: TokenRows

    def row(self, index: int) -> "array[int]":
        """Return the words of one question."""
        return self.tokens.ids[self.tokens.starts[index] : self.tokens.starts[index + 1]]


def make_questions(texts: Sequence[str]) -> Questions:
    """Tokenize the test questions."""
    vocabulary = Vocabulary()
    return Questions(texts, vocabulary, encode_rows([texts], _KIND, vocabulary))


def against_train(
    questions: Questions, texts: Sequence[str]
) -> Generator[Progress, None, Corpus]:
    """Measure the test questions against the training questions."""
    indices = range(len(questions.texts))
    measures = yield from _search(questions, texts)
    title = f"GSM8K train ({len(texts):,} other problems)"
    return Corpus("gsm8k_train", title, indices, _judge(measures))


def against_others(questions: Questions) -> Generator[Progress, None, Corpus]:
    """Measure each test question against all other test questions."""
    indices = range(len(questions.texts))
    runs = yield from find_runs(questions.tokens, [questions.tokens], same_file=True)
    columns = [questions.texts]
    hits = yield from find_windows(columns, [columns], same_file=True)
    judged = _judge(measure_rows(runs, hits))
    return Corpus("gsm8k_test_others", "GSM8K test, the other rows", indices, judged)


def against_copies(questions: Questions, copies: LoadedFile) -> Iterator[Corpus]:
    """Measure questions against their own edited copies, edit by edit, then against all.

    Yields:
        One corpus an edit, in the order of their first rows, then the file as a whole over the
        questions that have a copy in it.

    Raises:
        FieldError: If a copy's seed is no test question, or has two copies of a kind.
    """
    place = {text: index for index, text in enumerate(questions.texts)}
    seeds = [place.get(text, -1) for text in column_texts(copies, "seed_question")]
    if -1 in seeds:
        raise FieldError(
            "a seed question is no test question of GSM8K",
            file=copies.name,
            field="seed_question",
            available=[],
        )
    texts = column_texts(copies, "question")
    by_kind: dict[str, dict[int, str]] = {}
    kinds = column_texts(copies, "perturbation_type")
    for kind, seed, text in zip(kinds, seeds, texts, strict=True):
        if by_kind.setdefault(kind, {}).setdefault(seed, text) != text:
            raise FieldError(
                f"question {seed} has two copies by one edit, {kind}",
                file=copies.name,
                field="perturbation_type",
                available=[],
            )
    for kind, own in by_kind.items():
        measures = watch_job(_search_pairs(questions, own))
        yield Corpus(f"own_variant:{kind}", f"own copy: {kind}", sorted(own), _judge(measures))
    chosen = sorted(set(seeds))
    some = make_questions([questions.texts[index] for index in chosen])
    measures = watch_job(_search(some, texts))
    yield Corpus("gsmplus_all", f"all {len(texts):,} copies", chosen, _judge(measures))


def column_texts(file: LoadedFile, path: str) -> list[str]:
    """Return one field of every row as text, "" where there is none."""
    return [cell if isinstance(cell, str) else "" for cell in file.cells(path)]


def _search(questions: Questions, texts: Sequence[str]) -> Generator[Progress, None, Measures]:
    tokens = encode_rows([texts], _KIND, questions.vocabulary)
    runs = yield from find_runs(questions.tokens, [tokens])
    hits = yield from find_windows([questions.texts], [[texts]])
    return measure_rows(runs, hits)


def _search_pairs(
    questions: Questions, own: dict[int, str]
) -> Generator[Progress, None, Measures]:
    """Measure each question against one text alone."""
    lengths, starts = array("I"), array("I", [0])
    best: list[BestRun | None] = []
    hits = WindowHits(array("I"), array("I"), array("I"))
    tokens = encode_rows([[own[index] for index in sorted(own)]], _KIND, questions.vocabulary)
    for number, (index, (start, stop)) in enumerate(
        zip(sorted(own), pairwise(tokens.starts), strict=True)
    ):
        runs = pair_runs([questions.row(index)], [tokens.ids[start:stop]], 5)[0]
        lengths.extend(runs)
        starts.append(len(lengths))
        size = max(runs, default=0)
        best.append(BestRun(size, number, 0, runs.index(size), 0, 0) if size else None)
        _add_windows(hits, questions.texts[index], own[index])
        yield Progress("comparing edited copies", number, len(own))
    return measure_rows(Runs(lengths, starts, 1, tuple(best), array("I")), hits)


def _add_windows(hits: WindowHits, test: str, train: str) -> None:
    text, other = process_text(test), process_text(train)
    windows = [text[at : at + WINDOW] for at in range(max(1, len(text) - WINDOW + 1))]
    windows = windows if text else []
    hits.windows.append(len(windows))
    hits.found.append(sum(window in other for window in windows))
    hits.characters.append(len(text))


def _judge(measures: Measures) -> Judgement:
    return judge(measures, choose_parameters(measures.words))
