"""Stage 9b - cite: results as a sentence and a table for a paper or a dataset card.

Reads: summaries and run stamps, as reports hold them. Read by: hosts. Everything that someone
needs to find the same numbers is in them: rule, unit, N, threshold, both counts, version and
file hashes.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from leakladder.measures import Parameters
from leakladder.rules import RULES, Rule
from leakladder.wording import count, mask_controls, percent_of, short_hash, verb

_SPECIAL = re.compile(r"([\\`*_\[\]<>|&])")

Wire = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Cited:
    """One rung at the settings it was run with.

    Attributes:
        rung: "rows", "ngrams", "rules" or "meaning".
        summary: Its totals, as its JSON report has them.
        stamp: Its run stamp.
    """

    rung: str
    summary: Wire
    stamp: Wire


@dataclass(frozen=True, slots=True)
class Line:
    """One rate: a row of the table and a clause of the sentence.

    Attributes:
        check: Name of the check.
        rule: What flags a row.
        unit: What is counted.
        n: Units of a run, "" where there is none.
        threshold: Share needed, "" where there is none.
        flagged: Rows flagged, k; with a fraction for a rule that draws at random.
        judged: Rows that could be judged, n.
        unjudged: All other rows.
        clause: What the flagged rows do, after "k of n".
        note: What the rule is, at its parameters, for below the table; "" where `rule` says it.
        blank: Rows without text among those n, since row checks count them as not flagged.
    """

    check: str
    rule: str
    unit: str
    n: str
    threshold: str
    flagged: float
    judged: int
    unjudged: int
    clause: str
    note: str = ""
    blank: int = 0

    @property
    def shown(self) -> str:
        """The flagged rows as a number for people."""
        if isinstance(self.flagged, int):
            return f"{self.flagged:,}"
        return f"{self.flagged:,.1f}"

    @property
    def share(self) -> str:
        """The flagged share of the rows that could be judged."""
        return percent_of(self.flagged, self.judged)


def cite(results: Sequence[Cited]) -> dict[str, str]:
    """Write up results that were found with the same two files.

    Args:
        results: One a rung, in the order they are to be told.

    Returns:
        `sentence`: one paragraph of plain text. `markdown`: a table with what it was computed
        from below. Both empty without results.
    """
    if not results:
        return {"sentence": "", "markdown": ""}
    lines = [line for result in results for line in LINES[result.rung](result)]
    return {
        "sentence": _write_sentence(lines, results),
        "markdown": _write_table(lines, results),
    }


def _ngram_lines(result: Cited) -> list[Line]:
    summary, stamp = result.summary, result.stamp
    n, threshold = stamp["n"], stamp["threshold"]
    flagged, judged = summary["flagged"], summary["checkable"]
    shares = verb(flagged, judged, "shares", "share")
    clause = f"{shares} a run of {n} or more tokens with one training row"
    if threshold:
        have = verb(flagged, judged, "has", "have")
        clause += f" and {have} {threshold}% or more of their tokens inside such runs"
    return [
        Line(
            "N-gram overlap",
            f"a shared run of {n} or more tokens"
            + (f", at least {threshold}% of tokens covered" if threshold else ""),
            f"tokens ({stamp['tokenization']})",
            str(n),
            f"{threshold}%" if threshold else "any",
            flagged,
            judged,
            summary["rows"] - judged,
            clause,
        )
    ]


def _row_lines(result: Cited) -> list[Line]:
    summary = result.summary
    checks = {
        "exact": ("Exact rows", "equal text", ("recurs", "recur"), " word for word"),
        "normalized": (
            "Normalized rows",
            f"equal text after {summary['transform']}",
            ("recurs", "recur"),
            f" after folding ({summary['transform']})",
        ),
        "identifier": ("Identifiers", "equal id", ("has", "have"), " an id that recurs"),
    }
    if summary["identifier_note"] == "no-id":
        del checks["identifier"]
    rows, blank = summary["counts"]["test"], summary["blank"]["test"]
    lines = []
    for name, (check, rule, forms, how) in checks.items():
        inside = 0 if name == "identifier" else blank
        found = summary[name]["test_rows"]
        words = f"{verb(found, rows, *forms)}{how} in the training data"
        lines.append(Line(check, rule, "rows", "", "", found, rows, 0, words, "", inside))
    return lines


def _rule_lines(result: Cited) -> list[Line]:
    stamp, found = result.stamp, result.summary["rules"]
    with_ = Parameters(stamp["n"], stamp["n_from"], stamp["llama_min"])
    return [_rule_line(rule, found[rule.name], with_) for rule in RULES if rule.name in found]


def _rule_line(rule: Rule, found: Wire, with_: Parameters) -> Line:
    drawn = isinstance(found["flagged"], float)
    return Line(
        rule.title,
        f"{rule.source}" + (" (expected rows)" if drawn else ""),
        rule.unit,
        "".join(str(getattr(with_, name)) for name in rule.parameters),
        "",
        found["flagged"],
        found["defined"],
        found["undefined"],
        f"{verb(found['flagged'], found['defined'], 'is', 'are')} "
        f"{'expected to be ' if drawn else ''}flagged by the rule {rule.title}",
        rule.note(with_),
    )


def _meaning_lines(result: Cited) -> list[Line]:
    """Tell what read alike inside the test side, across, or both, as far as it was compared."""
    summary, across = result.summary, result.summary.get("across")
    at = f"{result.stamp['threshold']:.2f}"
    kinds = []
    if "groups" in summary:
        found, checked = summary["rows_in_groups"], summary["compared"]
        kinds.append(("Meaning, within the test rows", "another test row", found, checked))
    if across:
        found, checked = across["reads_alike"], across["checked"]
        kinds.append(("Meaning", "a training row", found, checked))
    picked = _name_picked(result.stamp.get("picked"))
    lines = [
        Line(
            check,
            f"{other} at a cosine of {at} or above",
            "rows",
            "",
            at,
            found,
            checked,
            summary["rows"] - checked,
            f"{verb(found, checked, 'reads', 'read')} alike with {other} at a cosine of {at} "
            f"or above{picked}",
        )
        for check, other, found, checked in kinds
    ]
    return [
        replace(line, note=_note_model(result)) if line is lines[0] else line for line in lines
    ]


def _name_picked(picked: Wire | None) -> str:
    """Say of which rows a run was that did not compare all."""
    if picked is None:
        return ""
    every = f"the {count(picked['test_of'], 'test row')}"
    if picked["rows"] == "sample":
        return f", in a sample of {every}"
    return f", among those of {every} that other checks flag"


def _note_model(result: Cited) -> str:
    summary, stamp = result.summary, result.stamp
    model, columns = stamp["model"], list(dict.fromkeys(stamp["column"].values()))
    return (
        f"cosine of {model['id']} vectors ({model['quantization']}; {model['pooling']}), model "
        f"file SHA-256 {short_hash(model['sha256'])}, column {_plain(' and '.join(columns))}, "
        f"first {model['window']} word pieces; {count(stamp['truncated'], 'row')} longer than "
        f"that. Test rows not compared: {summary['blank']:,} without text, "
        f"{summary['unreadable']:,} in a script the model does not read"
    )


LINES: Mapping[str, Callable[[Cited], list[Line]]] = {
    "rows": _row_lines,
    "ngrams": _ngram_lines,
    "rules": _rule_lines,
    "meaning": _meaning_lines,
}
"""Rung to what is cited of it. A new rung is an entry here."""


def _write_sentence(lines: Sequence[Line], results: Sequence[Cited]) -> str:
    stamp = results[0].stamp
    clauses = "; ".join(map(_clause, lines))
    against = f", held against {_side(stamp['train'])}" if "train" in stamp else ""
    return (
        f"Of the {count(_rows(results[0]), 'row')} of {_side(stamp['test'])}{against}: "
        f"{clauses}. Computed with {_version(stamp)}."
    )


def _clause(line: Line) -> str:
    aside = f"{count(line.unjudged, 'further row')} could not be judged"
    if not line.judged:
        return f"{line.check}: nothing could be checked ({aside})"
    tail = f", {aside}" if line.unjudged else ""
    if line.blank:
        tail += f", {line.blank:,} of them without text"
    return f"{line.shown} of {line.judged:,} {line.clause} ({line.share}{tail})"


def _rows(result: Cited) -> int:
    return int(result.stamp["test"]["rows"])


def _side(side: Wire) -> str:
    """Name one side with its short hash, or each of its files."""
    files = side.get("files") or [side]
    named = [f"{_plain(item['name'])} (SHA-256 {short_hash(item['sha256'])})" for item in files]
    return named[0] if len(named) == 1 else ", ".join(named[:-1]) + f" and {named[-1]}"


def _version(stamp: Wire) -> str:
    return f"{stamp['product']}, algorithm {stamp['algorithm']}, Unicode {stamp['unicode']}"


HEADS = (
    "Check",
    "What flags a row",
    "Unit",
    "n",
    "Threshold",
    "Flagged",
    "Share",
    "Not judged",
)
NUMBERS = frozenset({"n", "Flagged", "Share", "Not judged"})


def _write_table(lines: Sequence[Line], results: Sequence[Cited]) -> str:
    rule = ["---:" if head in NUMBERS else "---" for head in HEADS]
    rows = [_row(HEADS), _row(rule), *(_row(map(_escape, _cells(line))) for line in lines)]
    stamp = results[0].stamp
    below = _files("Test", stamp["test"])
    below += _files("Training", stamp["train"]) if "train" in stamp else []
    left_out = {side: found for side, found in stamp["left_out"].items() if found}
    below += [
        f"- Left out, since they could not be read: {count(found, 'record')} of the {side} side"
        for side, found in left_out.items()
    ]
    below += [f"- {line.check}: {_escape(line.note)}" for line in lines if line.note]
    below += [f"- Computed with {_escape(_version(stamp))}"]
    return "\n".join([*rows, "", *below]) + "\n"


def _cells(line: Line) -> tuple[str, ...]:
    flagged = f"{line.shown} of {line.judged:,}"
    rate = line.share if line.judged else "nothing could be checked"
    return (
        line.check,
        line.rule,
        line.unit,
        line.n,
        line.threshold,
        flagged,
        rate,
        f"{line.unjudged:,}" + (f" ({line.blank:,} blank in n)" if line.blank else ""),
    )


def _row(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _files(title: str, side: Wire) -> list[str]:
    files = side.get("files") or [side]
    return [
        f"- {title} file: {_escape(_plain(item['name']))}, {count(item['rows'], 'row')}, "
        f"fields {_escape(_plain(', '.join(item['fields'])))}, SHA-256 `{item['sha256']}`"
        for item in files
    ]


def _plain(text: str) -> str:
    return mask_controls(text)


def _escape(text: str) -> str:
    """Return text that Markdown shows as it stands."""
    return _SPECIAL.sub(r"\\\1", text)
