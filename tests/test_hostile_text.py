"""Two hundred hostile texts as cells, ids, field and file names: nothing but text comes out.

The browser's half, in which nothing may run or break the layout, reads the same file.
"""

import csv
import io
import json
import unicodedata
from base64 import b64encode
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from conftest import PyodideHost
from core_runs import compare_bytes, digest_exports
from hostile_payloads import Payload, load_payloads
from leakladder.cli import app, explain
from leakladder.csv_export import restore_text
from leakladder.errors import LadderError
from leakladder.fields import list_fields
from leakladder.read import read_table
from leakladder.terminal import complain, say

PAYLOADS = load_payloads()
SHORT = [payload for payload in PAYLOADS if not payload.is_long]
RUNS: list[tuple[str, dict[str, Any]]] = [
    ("rows", {}),
    ("rules", {}),
    *(("ngrams", {"tokens": tokens, "n": 5}) for tokens in ("loose", "strict", "characters")),
]
TURNS = {"LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI"}


def jsonl(rows: Sequence[dict[str, str]]) -> bytes:
    return "".join(json.dumps(row) + "\n" for row in rows).encode()


def as_csv_holds(text: str) -> str:
    return "".join("\ufffd" if "\ud800" <= char <= "\udfff" else char for char in text)


def read_csv(data: bytes) -> list[dict[str, str]]:
    """Read an export back, after a look at every cell as a spreadsheet would see it."""
    rows = list(csv.reader(io.StringIO(data.decode(), newline=""), strict=True))
    for row in rows:
        assert len(row) == len(rows[0])
        assert not any(cell.startswith(("=", "+", "-", "@", "\t", "\r")) for cell in row)
    return [dict(zip(rows[0], map(restore_text, row), strict=True)) for row in rows[1:]]


@pytest.fixture(autouse=True, scope="module")
def _wide_cells() -> Iterator[None]:
    before = csv.field_size_limit(1 << 30)
    yield
    csv.field_size_limit(before)


def test_there_are_two_hundred_of_every_kind() -> None:
    assert len({payload.name for payload in PAYLOADS}) == len(PAYLOADS) == 200
    assert len({payload.text for payload in PAYLOADS}) == 200
    assert {payload.kind for payload in PAYLOADS} >= {
        *("script", "handler", "svg", "address", "template", "direction", "invisible"),
        *("control", "escape", "formula", "surrogate", "long", "marks"),
    }
    assert max(len(payload.text) for payload in PAYLOADS) >= 1_000_000


@pytest.mark.parametrize("form", ["jsonl", "json", "csv", "tsv"])
def test_cells_are_read_as_they_were_written(form: str) -> None:
    payloads = [one for one in PAYLOADS if one.is_utf8 or form.startswith("json")]
    rows = [{"id": one.name, "text": one.text} for one in payloads]
    data = jsonl(rows)
    if form == "json":
        data = json.dumps(rows).encode()
    if form in {"csv", "tsv"}:
        out = io.StringIO(newline="")
        sign = "," if form == "csv" else "\t"
        writer = csv.DictWriter(out, ["id", "text"], delimiter=sign, quoting=csv.QUOTE_ALL)
        writer.writeheader()
        writer.writerows(rows)
        data = out.getvalue().encode()
    table = read_table(data, name=f"a.{form}")
    assert [dict(row.fields) for row in table.rows] == rows


Files = tuple[tuple[str, bytes], tuple[str, bytes]]


def make_files(payloads: Sequence[Payload]) -> Files:
    """Make two files that hold payloads as text; in the training file another row follows."""
    rows = [{"id": one.name, "text": one.text} for one in payloads]
    return ("test.jsonl", jsonl(rows)), (
        "train.jsonl",
        jsonl([*rows, {"id": "x", "text": "y"}]),
    )


@pytest.mark.parametrize(("rung", "settings"), RUNS)
def test_exports_read_back_equal(rung: str, settings: dict[str, Any]) -> None:
    # a million characters are a million tokens there: one such row is enough
    some = [one for one in PAYLOADS if one.kind != "long"] + [PAYLOADS[-5]]
    payloads = some if settings.get("tokens") == "characters" else PAYLOADS
    made = compare_bytes(
        make_files(payloads),
        rung,
        {"test_fields": ["text"], "train_fields": ["text"], **settings},
    )
    report, table = json.loads(made["json"]), read_csv(made["csv"])
    if rung == "rows":
        found = [one for one in report["findings"] if one["match"] == "exact"]
        assert [one["text"] for one in found] == [one.text for one in payloads]
        cells_found = [row["text"] for row in table if row["match"] == "exact"]
        assert cells_found == [as_csv_holds(one.text) for one in payloads]
        return
    assert [row["label"] for row in report["rows"]] == [one.name for one in payloads]
    assert [row["label"] for row in table] == [one.name for one in payloads]
    if rung == "ngrams":
        assert [row["text"] for row in report["rows"]] == [one.text for one in payloads]
        assert [row["text"] for row in table] == [as_csv_holds(one.text) for one in payloads]


def test_ids_read_back_equal() -> None:
    words = "one two three four five six"
    ids = [{"name": one.text, "text": words} for one in SHORT]
    files = (
        ("test.jsonl", jsonl(ids)),
        ("train.jsonl", jsonl([*ids, {"name": "-", "text": "-"}])),
    )
    settings = {"n": 5, "test_id": "name", "train_id": "name", "test_fields": ["text"]}
    made = compare_bytes(files, "ngrams", settings)
    rows, table = json.loads(made["json"])["rows"], read_csv(made["csv"])
    assert [row["label"] for row in rows] == [one.text for one in SHORT]
    assert [row["label"] for row in table] == [as_csv_holds(one.text) for one in SHORT]
    assert {row["best_train_label"] for row in rows} == {SHORT[0].text}
    items = json.loads(compare_bytes(files, "rows", settings)["json"])["findings"]
    named = [one["text"] for one in items if one["match"] == "identifier"]
    assert named == [one.text for one in SHORT]


def test_field_names_are_listed_and_chosen_as_they_are() -> None:
    words = "one two three four five six"
    data = jsonl([{one.text: words for one in SHORT}])
    other = jsonl([{one.text: f"{words} seven" for one in SHORT}])
    paths = [item.path for item in list_fields(read_table(data).rows)]
    assert paths == [one.text for one in SHORT]
    for path in paths:
        settings = {"test_fields": [path], "train_fields": [path], "n": 5}
        made = compare_bytes((("a.jsonl", data), ("b.jsonl", other)), "ngrams", settings)
        (row,) = json.loads(made["json"])["rows"]
        assert (row["test_field"], row["train_field"], row["flagged"]) == (path, path, True)
        (cells,) = read_csv(made["csv"])
        assert cells["test_field"] == as_csv_holds(path)
        assert json.loads(cells["stamp"])["test"]["fields"] == [path]


@pytest.mark.parametrize("payload", SHORT, ids=lambda one: one.name)
def test_a_file_name_stands_in_the_stamp_as_it_is(payload: Payload) -> None:
    files = (payload.text, b"one two\n"), (payload.text + "2", b"three\n")
    for rung in ("rows", "ngrams"):
        made = compare_bytes(files, rung, {})
        assert json.loads(made["json"])["stamp"]["test"]["name"] == payload.text
        for cells in read_csv(made["csv"]):
            assert json.loads(cells["stamp"])["test"]["name"] == payload.text


@pytest.mark.pyodide
def test_pyodide_writes_the_same_bytes(pyodide: PyodideHost) -> None:
    files = [
        [name, b64encode(data).decode()]
        for name, data in make_files([one for one in PAYLOADS if one.kind != "long"])
    ]
    jobs = [(files, rung, settings) for rung, settings in RUNS]
    assert pyodide.call("core_runs", "digest_exports", jobs) == digest_exports(jobs)


# ---- the terminal


def assert_plain(text: str, lines: int | None = None) -> None:
    """Nothing in it moves a cursor, colours, turns direction or begins a line of its own."""
    if lines is not None:
        assert text.count("\n") == lines
    for char in set(text.replace("\n", "")):
        assert unicodedata.category(char) not in {"Cc", "Cs", "Zl", "Zp"}, ascii(char)
        assert unicodedata.bidirectional(char) not in TURNS, ascii(char)
        assert char not in "\u200e\u200f\u061c", ascii(char)


@pytest.mark.parametrize("payload", SHORT, ids=lambda one: one.name)
def test_messages_are_one_plain_line(
    payload: Payload, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    good, bad = tmp_path / "good.jsonl", tmp_path / "bad.jsonl"
    good.write_bytes(jsonl([{"q": "text", payload.text: "x"}]))
    bad.write_bytes(b'{"q": ' + json.dumps(payload.text).encode() + b"\n")
    calls = [
        ["ngrams", str(good), str(good), "--field", "no " + payload.text],
        ["ngrams", str(good), "./no" + payload.text[:60] + "?", "--field", "q"],
        ["ngrams", str(good), str(good), "--tokens", payload.text],
        ["read", str(bad)],
    ]
    for words in calls:
        with pytest.raises(LadderError) as caught:
            app(words, standalone_mode=False)
        explain(caught.value)
        out, told = capsys.readouterr()
        assert out == ""
        assert_plain(told, 2 if words[0] == "read" else 1)  # the place, and what to do
    say(payload.text)
    complain(payload.text)
    out, told = capsys.readouterr()
    assert_plain(out, 1)
    assert_plain(told, 1)


def test_tables_are_plain(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "all.jsonl"
    path.write_bytes(jsonl([{one.text: one.text for one in SHORT}]))
    app(["read", str(path)], standalone_mode=False)
    out = capsys.readouterr().out
    assert_plain(out)
    assert out.count(" filled  ") == len(SHORT)
    assert out.count("\n") <= len(SHORT) + 10


@pytest.mark.parametrize("payload", SHORT, ids=lambda one: one.name)
def test_a_file_of_that_name_prints_plainly(
    payload: Payload, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "folder" / payload.text.replace("/", "_").replace("\0", "_")
    path.parent.mkdir()
    if path == path.parent or not payload.is_utf8 or len(path.name.encode()) > 255:
        path = path.parent / "other"  # no file system has such a name
    path.write_bytes(b'{"q": "one two three four five"}\n')
    for words in (["read", str(path)], ["check", str(path), str(path), "--field", "q"]):
        app(words, standalone_mode=False)
        out, told = capsys.readouterr()
        assert_plain(out)
        assert told == ""
