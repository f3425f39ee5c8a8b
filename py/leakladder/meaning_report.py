"""Stage 7d - rows that read alike as numbers, tables and pairs.

Reads: `alike.py` and `meaning.py`. Read by: `meaning_files.py`. Everything here is at one
threshold; nothing is embedded again.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from typing import Any, NamedTuple

from leakladder.alike import View
from leakladder.coverage import pair_spans
from leakladder.errors import SettingError
from leakladder.marking import mark_parts, number_tokens, place_of
from leakladder.meaning import NOT_COMPARED, NearestRow, is_borderline
from leakladder.paging import Query, cut_page, filter_rows, refuse_column, sort_rows
from leakladder.settings import Split
from leakladder.sides import Side
from leakladder.stamp import FileStamp, make_stamp

FEW_WORDS = 8
"""A run of this many words that any training row has too is what the other rungs can see."""
TOKENS = "loose"
"""What counts as a word where words are compared."""
PAIRS_SHOWN = 50
GROUPS_SHOWN = 20
LABELS_SHOWN = 8
BINS = 40
"""Bins of the chart of nearest cosines: 0.025 each, from 0 to 1."""


class Model(NamedTuple):
    """What made the vectors.

    Attributes:
        id: Its name.
        sha256: Of the model file, in hex.
        quantization: How weights and activations are stored.
        pooling: How piece vectors become one.
        window: Word pieces read of a row, with the two that frame it.
    """

    id: str
    sha256: str
    quantization: str
    pooling: str
    window: int


MINILM = Model(
    "all-MiniLM-L6-v2",
    "",
    "int8 weights per output channel, activations to 8 bits per token",
    "mean over the mask, L2-normalized",
    256,
)
"""The model of `assets/models/`; the hash is that of the file in use."""


@dataclass(frozen=True)
class Meaning:
    """One run at one threshold.

    Attributes:
        test: The test side; its first field is the column that was read.
        node_of: Node of each of its rows, NOT_COMPARED for a row without text.
        threshold: The cosine from which on two rows read alike.
        model: What made the vectors.
        truncated: Rows of either side that are longer than the model's window.
        unreadable: Test rows with text of which the model knows no piece.
        view: Pairs and groups inside the test side, where that was asked for.
        train: The training side, where rows were matched across.
        nearest: The nearest training row of each test row, in order, where that was asked for.
        train_stamps: Stamps of the training files.
        picked: How rows were chosen where not all were compared, for the stamp.
        split: The split column and its values in one-file mode.
        longest: Per test row the longest run of words that any training row has too, near or
            not, 0 under five; where rows were matched across.
        same_file: Both sides are the same rows of one file, and none was compared with itself.
        back: The nearest test row of each training row, in order, of the test rows that count;
            None where that was not asked for.
        runs: Longest runs shared with the nearest row alone, as far as they have been asked
            for; they hold at every threshold.
    """

    test: Side
    node_of: Sequence[int]
    threshold: float
    model: Model
    truncated: int
    unreadable: int = 0
    view: View | None = None
    train: Side | None = None
    nearest: Sequence[NearestRow] = ()
    train_stamps: Sequence[FileStamp] = ()
    picked: Mapping[str, object] = field(default_factory=dict)
    split: Split | None = None
    longest: Sequence[int] = ()
    same_file: bool = False
    back: Sequence[NearestRow] | None = None
    runs: dict[int, int] = field(default_factory=dict)

    @cached_property
    def matches(self) -> dict[int, tuple[int, float]]:
        """The nearest training row of each test row that has one, and their cosine."""
        return {
            each.index: (each.train_index, each.cosine)
            for each in self.nearest
            if each.train_index is not None and each.cosine is not None
        }

    def text(self, position: int) -> str:
        """Return the text of a test row."""
        return self.test.texts[0][position]

    def shared_run(self, position: int) -> int:
        """Return the longest run of words that a test row shares with its nearest one."""
        match = self.matches.get(position)
        if match is None or self.train is None:
            return 0
        if position not in self.runs:
            there = self.train.texts[0][match[0]]
            self.runs[position] = longest_shared(self.text(position), there)
        return self.runs[position]

    def shares_few(self, position: int) -> bool:
        """Tell whether a row reads alike and shares no FEW_WORDS-run with any training row."""
        return self.reads_alike(position) and self.longest[position] < FEW_WORDS

    def reads_alike(self, position: int) -> bool:
        """Tell whether a test row's nearest training row is at or above the threshold."""
        match = self.matches.get(position)
        return match is not None and match[1] >= self.threshold


def longest_shared(one: str, other: str) -> int:
    """Return the words of the longest run that two texts share, folded, 0 where none."""
    ids, others = number_tokens([one], [other], TOKENS)
    return max((span[2] - span[1] for span in pair_spans(ids, others, 1)), default=0)


def keep_rows(side: Side, positions: Sequence[int]) -> Side:
    """Return a side with only some of its rows."""
    rows = [side.rows[at] for at in positions]
    columns = tuple([column[at] for at in positions] for column in side.columns)
    return replace(side, rows=rows, columns=columns)


def stamp(made: Meaning, test: FileStamp) -> dict[str, object]:
    """Return the run stamp: what was compared, by which model, at which threshold."""
    settings = stamp_settings(made)
    if made.split is not None:
        settings["split"] = asdict(made.split)
    note = make_stamp([test], made.train_stamps, settings)
    if made.train is None:
        del note["train"]
    return note


def stamp_settings(made: Meaning) -> dict[str, object]:
    """Return what decides the numbers of a run, apart from the files and the split."""
    sides = {"test": made.test} | ({"train": made.train} if made.train else {})
    settings: dict[str, object] = {
        "model": made.model._asdict(),
        "threshold": made.threshold,
        "column": {name: side.fields[0] for name, side in sides.items()},
        "ids": {name: side.id_path for name, side in sides.items()},
        "token_window": made.model.window,
        "truncated": made.truncated,
        **({"picked": dict(made.picked)} if made.picked else {}),
        **({"same_file": True} if made.same_file else {}),
    }
    if made.view is not None:
        settings["pairs_not_kept"] = made.view.not_kept
    return settings


def summarize(made: Meaning) -> dict[str, Any]:
    """Return the totals; a share of nothing is None."""
    view = made.view
    blank = sum(node == NOT_COMPARED for node in made.node_of)
    summary: dict[str, Any] = {
        "rows": len(made.test.rows),
        "blank": blank - made.unreadable,
        "unreadable": made.unreadable,
        "compared": len(made.node_of) - blank,
        "threshold": made.threshold,
        "truncated": made.truncated,
    }
    if view is not None:
        summary |= {
            "groups": len(view.groups),
            "rows_in_groups": view.rows_in_groups,
            "duplicate_share": _share(view.rows_in_groups, view.alike.compared),
            "effective": view.effective,
            "chained": sum(group.chained for group in view.groups),
            "pairs": view.pairs,
            "pairs_not_kept": view.not_kept,
            "just_above": view.just_above,
            "just_below": view.just_below,
            "closest": _closest(made, view),
        }
    if made.train is not None:
        summary["across"] = _summarize_across(made)
    return summary


def _share(part: int, whole: int) -> float | None:
    return part / whole if whole else None


def _closest(made: Meaning, view: View) -> dict[str, Any] | None:
    found = view.closest
    if found is None:
        return None
    a, b, cosine = found
    return {
        "a_index": made.test.rows[a].index,
        "b_index": made.test.rows[b].index,
        "cosine": cosine,
    }


def _summarize_across(made: Meaning) -> dict[str, Any]:
    alike = [at for at in made.matches if made.reads_alike(at)]
    near = [is_borderline(cosine, made.threshold) for _, cosine in made.matches.values()]
    bins = [0] * BINS
    for _, cosine in made.matches.values():
        bins[min(BINS - 1, max(0, int(cosine * BINS)))] += 1
    return {
        "checked": len(made.matches),
        "reads_alike": len(alike),
        "share": _share(len(alike), len(made.matches)),
        "few_words": sum(map(made.shares_few, alike)),
        "borderline": sum(near),
        "train_rows": len(made.train.rows) if made.train else 0,
        "bins": bins,
    }


def name_row(prefix: str, side: Side, at: int) -> dict[str, Any]:
    """Return what names a row, with its whole text."""
    return {
        f"{prefix}index": side.rows[at].index,
        f"{prefix}record": side.rows[at].record,
        f"{prefix}label": side.label(at),
        f"{prefix}text": side.texts[0][at],
    }


def name_match(made: Meaning, at: int) -> dict[str, Any]:
    """Return the nearest training row of a test row; None where it has none."""
    match = made.matches.get(at)
    if match is None or made.train is None:
        names = ("train_index", "train_record", "train_label", "train_text", "cosine")
        return {**dict.fromkeys(names), "shared_run": None}
    train = name_row("train_", made.train, match[0])
    return train | {"cosine": match[1], "shared_run": made.shared_run(at)}


def show_groups(made: Meaning) -> list[dict[str, Any]]:
    """Return the first groups with the names of their first rows."""
    shown = []
    for number, group in enumerate(made.view.groups[:GROUPS_SHOWN] if made.view else (), 1):
        first = group.rows[:LABELS_SHOWN]
        shown.append({
            "group": number,
            "rows": len(group.rows),
            "lowest": group.lowest,
            "chained": group.chained,
            "members": [place_of(made.test.rows[at], made.test.label(at)) for at in first],
        })
    return shown


def nearest_page(made: Meaning, query: Query) -> dict[str, Any]:
    """Return one page of test rows with their nearest training row, highest cosine first.

    Raises:
        SettingError: If there is no such group of rows or column.
    """
    groups: dict[str, Callable[[int], bool]] = {
        "": lambda _: True,
        "alike": made.reads_alike,
        "few": made.shares_few,
        "borderline": lambda at: is_borderline(made.matches[at][1], made.threshold),
    }
    if query.subset not in groups:
        raise SettingError(f"there is no group named {query.subset!r}", setting="subset")
    chosen = [at for at in made.matches if groups[query.subset](at)]
    rows = filter_rows(chosen, query.filter, lambda at: (made.text(at), made.test.label(at)))
    if query.sort == "record":
        rows = sort_rows(rows, lambda at: at, descending=query.descending)
    elif query.sort in {"", "worst"}:
        rows.sort(key=lambda at: (-made.matches[at][1], at))
    else:
        refuse_column(query.sort)
    return cut_page(rows, query, lambda at: _nearest_row(made, at))


def _nearest_row(made: Meaning, at: int) -> dict[str, Any]:
    row = made.test.rows[at]
    return {
        **place_of(row, made.test.label(at)),
        "text": made.text(at)[:200],
        **name_match(made, at),
        "longest_run": made.longest[at],
        "borderline": is_borderline(made.matches[at][1], made.threshold),
        "alike": made.reads_alike(at),
    }


def pair_view(made: Meaning, index: int, other: int | None) -> dict[str, Any]:
    """Return two rows side by side with the words they share marked, in code points.

    Args:
        made: The run.
        index: Of the test row.
        other: Index of another row of the test side; None takes the nearest training row.

    Raises:
        SettingError: If a row is not there or has no match.
    """
    at = made.test.position(index)
    if other is not None:
        side, there = made.test, made.test.position(other)
    elif made.train is not None and at in made.matches:
        side, there = made.train, made.matches[at][0]
    else:
        raise SettingError(f"row {index} has no nearest row", setting="index")
    texts = made.text(at), side.texts[0][there]
    ids = number_tokens(texts[:1], texts[1:], TOKENS)
    back = pair_spans(ids[1], ids[0], 1)
    spans = pair_spans(*ids, 1)
    return {
        "test": {
            **place_of(made.test.rows[at], made.test.label(at)),
            "parts": mark_parts(
                made.test.fields, texts[:1], TOKENS, [span[:3] for span in spans]
            ),
        },
        "train": {
            **place_of(side.rows[there], side.label(there)),
            "parts": mark_parts(side.fields, texts[1:], TOKENS, [span[:3] for span in back]),
        },
        "shared_run": max((span[2] - span[1] for span in spans), default=0),
    }
