"""host - the summary of each command, in words for a terminal."""

from collections.abc import Mapping
from typing import Any

from leakladder.rules import RULES
from leakladder.terminal import count, percent
from leakladder.wording import verb

ROW_CHECKS = {"exact": "Exact", "normalized": "Normalized", "identifier": "Identifier"}


def describe_ngrams(summary: dict[str, Any], n: int, threshold: int) -> list[str]:
    """Return the summary of an n-gram run for people."""
    checkable, flagged = summary["checkable"], summary["flagged"]
    shares = verb(flagged, checkable, "shares", "share")
    bar = f", {threshold}% of their tokens or more" if threshold else ""
    lead = (
        f"{flagged:,} of {count(checkable, 'checkable test row')} {shares} a run of at least "
        f"{n} tokens with the training side{bar} ({percent(summary['flagged_share'])})."
    )
    short, blank = summary["short"], summary["blank"]
    return [
        lead if checkable else f"Nothing could be checked: no test row has {n} tokens.",
        f"Not judged: {count(short, 'row')} shorter than {n} tokens, "
        f"{count(blank, 'row')} without text.",
        f"Dirty tokens: {summary['dirty_tokens']:,} of {summary['tokens']:,} over the "
        f"checkable rows ({percent(summary['dirty_share'])}). "
        f"Training rows hit: {summary['train_rows_hit']:,} of {summary['train_rows']:,}.",
    ]


def describe_rows(summary: dict[str, Any]) -> list[str]:
    """Return the summary of a rows run for people."""
    counts = summary["counts"]
    lines = []
    for name, label in ROW_CHECKS.items():
        check = summary[name]
        if name == "identifier" and summary["identifier_note"] == "no-id":
            lines.append(f"{label}: not compared, there is no id on both sides.")
            continue
        lines.append(
            f"{label}: {count(check['items'], 'item')} in both; "
            f"{check['test_rows']:,} of {count(counts['test'], 'test row')} "
            f"({percent(check['test_share'])}), {check['train_rows']:,} of "
            f"{count(counts['train'], 'training row')} ({percent(check['train_share'])})."
        )
    further = summary["further"]
    lines.append(
        f"Folding ({summary['transform']}) adds {count(further['items'], 'item')} and "
        f"{count(further['rows'], 'test row')}."
    )
    for side, label in (("test", "test side"), ("train", "training side")):
        repeats = summary["repeats"][side]["normalized"]
        lines.append(
            f"Repeats on the {label}: {count(repeats['rows'], 'row')} in "
            f"{count(repeats['groups'], 'group')}, {repeats['effective']:,} effective."
        )
    return [*lines, summary["reading"]["sentence"]]


def count_rules(summary: dict[str, Any]) -> dict[str, tuple[float, int]]:
    """Return (flagged, defined) of every rule by name."""
    return {name: (rule["flagged"], rule["defined"]) for name, rule in summary["rules"].items()}


def describe_rules(summary: dict[str, Any]) -> list[str]:
    """Return the summary of a rules run for people."""
    origin = "from the row lengths" if summary["n_from"] == "percentile" else "as given"
    rows, n = count(summary["rows"], "test row"), summary["n"]
    lines = [f"{rows}; N of the GPT-3 rule is {n}, {origin}."]
    lines += describe_shares(
        {rule.title: summary["rules"][rule.name] for rule in RULES}, summary["rows"]
    )
    parts = sum(group["count"] for group in summary["disagreements"])
    return [*lines, f"Rules part on {count(parts, 'row')}."]


def describe_shares(rates: Mapping[str, Mapping[str, Any]], total: int) -> list[str]:
    """Return one aligned line a rate: its share, k of n, and what could not be judged."""
    width = max(map(len, rates))
    lines = []
    for title, rate in rates.items():
        flagged, defined = rate["flagged"], rate["defined"]
        found = f"{flagged:,.1f} expected" if isinstance(flagged, float) else f"{flagged:,}"
        share = percent(flagged / defined) if defined else "nothing could be checked"
        lines.append(
            f"  {title:<{width}}  {share:>7}  {found} of {defined:,}, "
            f"{total - defined:,} not judged"
        )
    return lines


def gather_rates(summaries: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """Return flagged and defined of every rung and rule, by the name that limits use."""
    rows, ngrams_, rules_ = (summaries[name] for name in ("rows", "ngrams", "rules"))
    total = rows["counts"]["test"]
    rates = {
        name: {"flagged": rows[name]["test_rows"], "defined": total} for name in ROW_CHECKS
    }
    if rows["identifier_note"] == "no-id":
        rates["identifier"] = {"flagged": 0, "defined": 0}
    rates["ngrams"] = {"flagged": ngrams_["flagged"], "defined": ngrams_["checkable"]}
    return {**rates, **rules_["rules"]}


def describe_check(rates: Mapping[str, dict[str, Any]], total: int, n: int) -> list[str]:
    """Return the one table of all rungs for people."""
    titles = {**ROW_CHECKS, "ngrams": f"Shared run of {n}"}
    titles |= {rule.name: rule.title for rule in RULES}
    named = {titles[name]: rate for name, rate in rates.items()}
    return [f"{count(total, 'test row')}", *describe_shares(named, total)]


def describe_file(facts: dict[str, Any]) -> list[str]:
    """Return what was decided about a file, for people."""
    packed = f", unpacked from {facts['compression']}" if facts["compression"] else ""
    lines = [
        f"{facts['name']}: {facts['format']}, {facts['encoding'] or 'binary'}{packed}",
        f"{count(facts['rows'], 'row')}, {count(facts['blank_lines'], 'blank line')}, "
        f"{facts['left_out']:,} left out",
        "",
    ]
    width = max((len(item["path"]) for item in facts["fields"]), default=0)
    lines += [
        f"  {item['path']:<{width}}  {item['filled']:>9,} filled  {item['kind']}"
        for item in facts["fields"]
    ]
    guess = facts["guess"]
    lines += [
        "",
        f"text: {', '.join(guess['text']) or 'none found'}",
        f"id: {guess['id'] or 'none'}",
    ]
    return [*lines, *(f"note: {note}" for note in facts["notes"])]
