"""Reports computed again: nothing differs until something was changed, and then it is named."""

import gzip
import json
from collections.abc import Callable
from typing import Any

import pytest

from leakladder.csv_export import write_json
from leakladder.jobs import Job, finish
from leakladder.meaning_inputs import MeaningAsk
from leakladder.meaning_report import Meaning
from leakladder.outcome import check_report
from leakladder.pipeline import Comparison
from leakladder.replay import ReportError
from leakladder.settings import Bounds, ReadOptions, Settings
from leakladder.verify import Difference, NamedBytes, verify

RUN = "one two three four five six seven eight nine ten eleven twelve thirteen"
TEST = [{"q": f"say {RUN} now", "id": "a"}, {"q": "short", "id": "b"}, {"q": RUN, "id": "c"}]
TRAIN = [{"q": RUN, "id": "x"}, {"q": f"x {RUN} y fourteen", "id": "a"}]
RUNGS = ("rows", "ngrams", "rules")
ANY = ReadOptions()


def jsonl(rows: list[dict[str, Any]]) -> bytes:
    return "".join(json.dumps(row) + "\n" for row in rows).encode()


def make_report(
    files: tuple[NamedBytes, NamedBytes | None],
    rungs: tuple[str, ...],
    chosen: Settings,
    *,
    options: ReadOptions = ANY,
    text: bool = True,
) -> bytes:
    """Write a report as the hosts do: one rung's own, or that of all together."""
    comparison = Comparison()
    for side, file in zip(("test", "train"), files, strict=True):
        if file is not None:
            finish(comparison.load(side, file.data, file.name, options, Bounds()))
    for rung in rungs:
        finish(comparison.run(rung, chosen))
    results = [comparison.result(rung) for rung in rungs]
    if len(results) == 1:
        return write_json(finish(results[0].report(text=text)))
    return write_json(finish(check_report(results, text=text)))


FILES = NamedBytes("test.jsonl", jsonl(TEST)), NamedBytes("train.jsonl", jsonl(TRAIN))
PLAIN = Settings(
    test_fields=("q",),
    train_fields=("q",),
    test_id="id",
    n=6,
    threshold=40,
    strip_articles=True,
)


def check(report: bytes, *files: NamedBytes) -> list[Difference]:
    test, *train = files or FILES
    done = finish(verify(report, test, train, no_model))
    assert done.unverified == ""
    return done.differences


def no_model(ask: MeaningAsk) -> Job[Meaning]:
    """Stand in where no report of the test holds rung 6."""
    raise AssertionError(f"nothing of {ask.rows.test.file.name} reads alike here")


@pytest.mark.parametrize("rungs", [*((rung,) for rung in RUNGS), RUNGS], ids="+".join)
@pytest.mark.parametrize("text", [True, False], ids=["text", "no text"])
@pytest.mark.parametrize("rule_n", [None, 9])
def test_a_report_of_these_files_does_not_differ(
    rungs: tuple[str, ...], text: bool, rule_n: int | None
) -> None:
    chosen = Settings(
        test_fields=("q",),
        train_fields=("q",),
        test_id="",
        tokens="strict",
        n=6,
        threshold=40,
        strip_articles=True,
        rule_n=rule_n,
        llama_min=11,
    )
    assert check(make_report(FILES, rungs, chosen, text=text)) == []


CSV = b'q;id\n"say ' + RUN.encode() + b'";1\nshort\n' + RUN.encode() + b";3\n"
READ = [
    pytest.param(CSV, "a.csv", ReadOptions(pad_ragged=True), id="padded, semicolons"),
    pytest.param(CSV, "a.csv", ReadOptions(skip_bad=True), id="bad record left out"),
    pytest.param(CSV, "a.csv", ReadOptions(header=False, pad_ragged=True), id="no header"),
    pytest.param(
        CSV, "a.csv", ReadOptions(quotes=False, pad_ragged=True), id="quotes are characters"
    ),
    pytest.param(CSV, "a.txt", ReadOptions(format="text", whole_text=True), id="one document"),
    pytest.param(
        json.dumps({"data": TEST, "other": TRAIN}).encode(),
        "a.json",
        ReadOptions(list_path="other"),
        id="list chosen by hand",
    ),
    pytest.param(
        json.dumps({"q": RUN, "l": [1]}).encode(), "a.json", ReadOptions(list_path=""), id="one"
    ),
    pytest.param(gzip.compress(jsonl(TEST)), "a.jsonl.gz", ANY, id="packed"),
    pytest.param(json.dumps(TEST).encode("utf-16"), "a.json", ANY, id="UTF-16"),
    pytest.param(
        json.dumps({"q": ["a", RUN]}).encode(), "a.json", ReadOptions(), id="JSON by columns"
    ),
    pytest.param(
        CSV.replace(b"short;", b"\xe9"),
        "a.csv",
        ReadOptions(encoding="cp1252", pad_ragged=True),
        id="cp1252",
    ),
]


@pytest.mark.parametrize(("data", "name", "options"), READ)
def test_files_are_read_as_they_were(data: bytes, name: str, options: ReadOptions) -> None:
    files = NamedBytes(name, data), NamedBytes(name, data.replace(b"now", b"then"))
    report = make_report(files, RUNGS, Settings(), options=options)
    assert check(report, *files) == []


def test_a_renamed_file_is_the_same_file() -> None:
    report = make_report(FILES, RUNGS, PLAIN)
    assert (
        check(report, NamedBytes("x", FILES[0].data), NamedBytes("y.csv", FILES[1].data)) == []
    )


def test_one_file_mode_takes_one_file() -> None:
    rows = [{**row, "part": "test"} for row in TEST] + [
        {**row, "part": "train"} for row in TRAIN
    ]
    file = NamedBytes("all.jsonl", jsonl(rows))
    split = {"column": "part", "test": "test", "train": "train"}
    chosen = Settings.from_wire({"test_fields": ["q"], "train_fields": ["q"], "split": split})
    report = make_report((file, None), RUNGS, chosen)
    assert check(report, file) == []
    assert [one.path for one in check(report, *FILES)] == ["stamp.train"]


def changed(report: bytes, change: Callable[[Any], None]) -> bytes:
    wire = json.loads(report)
    change(wire)
    return write_json(wire)


@pytest.mark.parametrize("side", [0, 1])
def test_a_changed_file_is_named_first(side: int) -> None:
    files = list(FILES)
    files[side] = NamedBytes("x", files[side].data.replace(b"twelve", b"twelfth"))
    found = check(make_report(FILES, ("ngrams",), PLAIN), *files)
    path = f"stamp.{('test', 'train')[side]}.sha256"
    assert path in [one.path for one in found if one.kind == "file"]
    assert found[0].kind == "file"
    assert "number" in {one.kind for one in found}


def test_a_changed_file_that_cannot_be_read_any_more_is_a_difference() -> None:
    found = check(make_report(FILES, ("ngrams",), PLAIN), FILES[0], NamedBytes("x", b"\xff\n"))
    assert [(one.kind, one.path) for one in found] == [
        ("file", "stamp.train.sha256"),
        ("file", "stamp"),
    ]


@pytest.mark.parametrize(
    ("rung", "key", "value"),
    [
        ("ngrams", "n", 5),
        ("ngrams", "threshold", 100),
        ("ngrams", "tokenization", "characters: something"),
        ("rows", "transform", "L1+L3+L4+L8"),
        ("rows", "ids", {"test": "", "train": ""}),
        ("rules", "n", 12),
        ("rules", "llama_min", 15),
        ("rules", "n_from", "chosen"),
    ],
)
def test_a_changed_setting_shows(rung: str, key: str, value: object) -> None:
    def change(wire: Any) -> None:
        assert wire["stamp"][key] != value
        wire["stamp"][key] = value

    files = (
        FILES[0],
        NamedBytes(
            "train.jsonl", jsonl([{"q": RUN, "id": "a"}, {"q": "the short", "id": "z"}])
        ),
    )
    report = make_report(files, (rung,), PLAIN)
    assert check(report, *files) == []
    found = check(changed(report, change), *files)
    assert {one.kind for one in found} <= {"setting", "number"}
    assert found


def test_a_field_that_is_not_there_is_a_changed_setting() -> None:
    report = make_report(FILES, ("ngrams",), PLAIN)
    (found,) = check(changed(report, lambda wire: wire["stamp"]["test"].update(fields=["z"])))
    assert (found.kind, found.reported) == ("setting", "what can be compared")
    assert "there is no field 'z'" in str(found)


def numbers(wire: Any, path: str = "") -> list[tuple[Any, Any, str]]:
    """List every number of a report outside its stamp, with its holder and key."""
    found: list[tuple[Any, Any, str]] = []
    pairs = wire.items() if isinstance(wire, dict) else enumerate(wire)
    for key, value in pairs:
        here = f"{path}[{key}]" if isinstance(wire, list) else f"{path}.{key}".lstrip(".")
        if isinstance(value, dict | list):
            found += [] if here == "stamp" else numbers(value, here)
        elif isinstance(value, int | float):
            found.append((wire, key, here))
    return found


def test_any_one_number_changed_is_named() -> None:
    report = json.loads(make_report(FILES, RUNGS, PLAIN))
    places = numbers(report)
    assert len(places) > 150
    for holder, key, path in places:
        before = holder[key]
        holder[key] = not before if isinstance(before, bool) else before + 1
        (found,) = check(write_json(report))
        assert (found.kind, found.path) == ("number", path)
        assert found.found == pytest.approx(before)
        holder[key] = before


@pytest.mark.parametrize(
    ("change", "path", "kind"),
    [
        (lambda wire: wire["stamp"].update(algorithm=99), "stamp.algorithm", "version"),
        (lambda wire: wire["stamp"].update(unicode="1.0"), "stamp.unicode", "version"),
        (lambda wire: wire["stamp"].update(product="other 1"), "stamp.product", "version"),
        (lambda wire: wire["stamp"]["left_out"].update(test=1), "stamp.left_out.test", "file"),
        (lambda wire: wire["rows"].pop(), "rows.length", "number"),
        (lambda wire: wire["rows"][1].pop("tokens"), "rows[1].tokens", "number"),
        (lambda wire: wire["summary"].update(more=1), "summary.more", "number"),
        (lambda wire: wire["rows"][0].update(flagged=1), "rows[0].flagged", "number"),
    ],
)
def test_whatever_else_is_changed_is_named(
    change: Callable[[Any], None], path: str, kind: str
) -> None:
    found = check(changed(make_report(FILES, ("ngrams",), PLAIN), change))
    assert [(one.kind, one.path) for one in found] == [(kind, path)]


def test_marks_of_a_person_are_not_computed() -> None:
    report = make_report(FILES, ("ngrams",), PLAIN)
    marked = changed(report, lambda wire: wire["rows"][0].update(mark="leak", note="seen"))
    assert check(marked) == []
    beside = {"1": {"mark": "leak", "note": "seen"}}
    whole = changed(make_report(FILES, RUNGS, PLAIN), lambda wire: wire.update(marks=beside))
    assert check(whole) == []


def test_a_difference_reads_in_one_line() -> None:
    report = make_report(FILES, ("ngrams",), PLAIN)
    (found,) = check(changed(report, lambda wire: wire["summary"].update(rows=4)))
    assert str(found) == "number: summary.rows: the report has 4, computed now 3"
    (found,) = check(changed(report, lambda wire: wire["summary"].pop("rows")))
    assert str(found) == "number: summary.rows: the report has nothing, computed now 3"


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"\xff", "not JSON"),
        (b"[" * 100_000, "not JSON"),
        (b"[]", "no run stamp"),
        (b'{"stamp": {"test": {}}}', "no run stamp"),
        (
            b'{"stamp": {"test": 1, "train": 1, "product": 1, "algorithm": 1, "unicode": 1}}',
            "no result",
        ),
    ],
)
def test_what_is_no_report_is_refused(data: bytes, message: str) -> None:
    with pytest.raises(ReportError, match=message):
        check(data)


@pytest.mark.parametrize(
    "change",
    [
        lambda stamp: stamp.update(n=99),
        lambda stamp: stamp.update(n="x"),
        lambda stamp: stamp.pop("n"),
        lambda stamp: stamp.update(ids=5),
        lambda stamp: stamp["test"].pop("fields"),
        lambda stamp: stamp["test"].update(format="odd"),
        lambda stamp: stamp["train"].pop("encoding"),
    ],
)
def test_a_stamp_that_cannot_be_followed_is_refused(change: Callable[[Any], None]) -> None:
    report = make_report(FILES, ("ngrams",), PLAIN)
    with pytest.raises(ReportError, match="cannot be followed"):
        check(changed(report, lambda wire: change(wire["stamp"])))


def test_guessed_ids_of_older_reports_are_guessed_again() -> None:
    report = make_report(FILES, ("ngrams",), Settings(test_fields=("q",), train_fields=("q",)))
    found = check(changed(report, lambda wire: wire["stamp"].pop("ids")))
    assert [one.path for one in found] == ["stamp.ids"]
