"""Files without some rows: bytes that stay, and nothing flagged when checked again."""

import gzip
import json
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from leakladder.clean import Cleaned, write_without
from leakladder.culprits import ALL_BUT_ONE, NAMES, RULE_NAMES, flags, rung_of
from leakladder.errors import SettingError
from leakladder.jobs import finish
from leakladder.outcome import is_same_file
from leakladder.pipeline import choose_sides, load_file
from leakladder.read import read_table
from leakladder.removal import Marks, Removal, SideName, choose_rows, repeated_rows, summarize
from leakladder.rungs import RUNGS
from leakladder.settings import Bounds, ReadOptions, Settings, Split
from leakladder.sides import LoadedFile

ANY = ReadOptions()


def load(data: bytes, name: str, options: ReadOptions = ANY) -> LoadedFile:
    return finish(load_file(data, name, options, Bounds()))


def clean(data: bytes, name: str, drop: set[int], options: ReadOptions = ANY) -> Cleaned:
    return finish(write_without(read_table(data, name=name, options=options), drop))


@pytest.mark.parametrize(
    ("name", "data", "drop", "expected"),
    [
        pytest.param("a.jsonl", b'{"q":1}\n{"q":2}\n', {0}, b'{"q":2}\n', id="first line"),
        pytest.param("a.jsonl", b'{"q":1}\n{"q":2}\n', {1}, b'{"q":1}\n', id="last line"),
        pytest.param(
            "a.jsonl", b'{"q":1}\n{"q":2}', {1}, b'{"q":1}', id="still no line end at the end"
        ),
        pytest.param(
            "a.jsonl", b'{"q":1}\n{"q":2}', {0}, b'{"q":2}', id="last line keeps having none"
        ),
        pytest.param(
            "a.jsonl",
            b'{"q":1}\r\n\r\n  {"q" : 2.0}  \r\n{"q":3}\r\n',
            {0, 2},
            b'\r\n  {"q" : 2.0}  \r\n',
            id="CRLF, blank lines and spaces stay",
        ),
        pytest.param(
            "a.jsonl", b'{"q":1}\n\n{"q":2}', {1}, b'{"q":1}\n\n', id="a blank last line stays"
        ),
        pytest.param("a.jsonl", b'{"q":1}\n', {0}, b"", id="nothing is left"),
        pytest.param(
            "a.jsonl",
            b'\xef\xbb\xbf{"q":1}\n{"q":2}\n',
            {0},
            b'\xef\xbb\xbf{"q":2}\n',
            id="byte order mark stays",
        ),
        pytest.param(
            "a.txt", b"one\ntwo\rthree\nfour\n", {0}, b"two\rthree\nfour\n", id="text"
        ),
        pytest.param("a.txt", "één\ntwée\n".encode(), {0}, "twée\n".encode(), id="not ASCII"),
        pytest.param(
            "a.csv",
            b'question,a\n"x\n\ny",1\n"say ""z""",2\n',
            {0},
            b'question,a\n"say ""z""",2\n',
            id="CSV row of several lines",
        ),
        pytest.param(
            "a.csv",
            b'question,a\r"x\ry",1\rz,2',
            {1},
            b'question,a\r"x\ry",1',
            id="CSV with lone carriage returns",
        ),
        pytest.param(
            "a.csv", b"question,a\r\nx,1\r\n", {0}, b"question,a\r\n", id="CSV header alone"
        ),
        pytest.param(
            "a.csv", b"alpha,beta\n1,2\n", {0}, b"alpha,beta\n", id="header of unknown names"
        ),
        pytest.param("a.json", b'[{"q":1}, {"q":2}]', {0}, b'[{"q":2}]', id="first element"),
        pytest.param("a.json", b'[{"q":1}, {"q":2}]', {1}, b'[{"q":1}]', id="last element"),
        pytest.param("a.json", b'[{"q":1}, {"q":2}]', {0, 1}, b"[]", id="every element"),
        pytest.param(
            "a.json",
            b'[\n  {"q": 1},\n  {"q": 2},\n  {"q": 3}\n]\n',
            {1, 2},
            b'[\n  {"q": 1}\n]\n',
            id="elements on lines of their own",
        ),
        pytest.param(
            "a.json",
            b'{"v": 1, "data": [ "a" , "b" ], "w": 2}',
            {0},
            b'{"v": 1, "data": [ "b" ], "w": 2}',
            id="list inside an object",
        ),
        pytest.param(
            "a.json",
            b'{"k, \\"1": {"q": 1}, "k2": {"q": 2}, "k3": {"q": 3}}',
            {0},
            b'{"k2": {"q": 2}, "k3": {"q": 3}}',
            id="named record goes with its key",
        ),
        pytest.param(
            "a.json",
            b'{"a": {"q": 1}, "b": {"q": 2}, "c\\\\" : {"q": 3}}',
            {2},
            b'{"a": {"q": 1}, "b": {"q": 2}}',
            id="last named record goes with its comma",
        ),
        pytest.param(
            "a.json",
            b'[{"paragraphs":[{"context":"c","qas":[{"q":1},{"q":2}]},{"context":"d","qas":'
            b'[{"q":3}]}]}]',
            {1, 2},
            b'[{"paragraphs":[{"context":"c","qas":[{"q":1}]},{"context":"d","qas":[]}]}]',
            id="nested lists",
        ),
    ],
)
def test_what_stays_keeps_its_bytes(
    name: str, data: bytes, drop: set[int], expected: bytes
) -> None:
    made = clean(data, name, drop)
    assert made.data == expected
    assert not made.rewritten
    assert made.rows - made.kept == len(drop)


@pytest.mark.parametrize(
    ("name", "data", "expected", "why"),
    [
        pytest.param(
            "a.json",
            b'{"q": ["a", "b"], "n": [1.0, 2]}',
            b'{"q":"b","n":2}\n',
            "one piece of text a row",
            id="JSON by columns",
        ),
        pytest.param(
            "a.jsonl",
            '{"q":"é"}\r\n{"q":"\u2028","n":null}\r\n'.encode("utf-16"),
            '{"q":"\u2028","n":null}\n'.encode(),
            "UTF-16",
            id="UTF-16",
        ),
        pytest.param(
            "a.json",
            b'{"a": {"q": 1}, "b": {"q": "\\ud800"}}',
            b'{"key":"b","q":"\\ud800"}\n',
            "could not be read as before",
            id="one named record is no file of named records",
        ),
        pytest.param(
            "a.json",
            b'{"data": {"q": "x"}}',
            b"",
            "could not be read as before",
            id="the only record is no element of a list",
        ),
    ],
)
def test_what_has_no_bytes_of_its_own_is_written_as_jsonl(
    name: str, data: bytes, expected: bytes, why: str
) -> None:
    made = clean(data, name, {0}, ReadOptions(list_path="data" if b'"data"' in data else None))
    assert made.data == expected
    assert made.rewritten
    assert made.format == "jsonl"
    assert why in made.notes[0]


def test_ragged_rows_that_were_padded_stay_as_they_were() -> None:
    data = b"q,a\nx\ny,2\nz,3,more\n"
    made = clean(data, "a.csv", {1}, ReadOptions(pad_ragged=True))
    assert (made.data, made.rewritten) == (b"q,a\nx\nz,3,more\n", False)


def test_packed_file_is_written_unpacked_and_says_so() -> None:
    made = clean(gzip.compress(b'{"q":1}\n{"q":2}\n'), "a.jsonl.gz", {0})
    assert made.data == b'{"q":2}\n'
    assert made.notes == ("The gzip file is written unpacked.",)
    assert made.name == "a.jsonl"


@pytest.mark.parametrize(
    ("name", "data", "expected"),
    [
        ("A.csv", b"q,a\n1,2\n", "A.csv"),
        ("a.v2.json", '[{"q": 1}]'.encode("utf-16"), "a.v2.jsonl"),
        ("b.TSV.GZ", gzip.compress(b"q\ta\n1\t2\n"), "b.TSV"),
        ("notes", "x".encode("utf-16"), "notes.jsonl"),
    ],
)
def test_name_fits_what_is_written(name: str, data: bytes, expected: str) -> None:
    assert clean(data, name, set()).name == expected


@pytest.mark.parametrize(
    ("name", "data", "expected"),
    [
        pytest.param(
            "a.jsonl",
            b'\xef\xbb\xbfbad\n{"q":1}\n\nworse\n{"q":2}\n{"q":3}\n[1]',
            b'\xef\xbb\xbf{"q":1}\n\n{"q":3}',
            id="JSONL",
        ),
        pytest.param(
            "a.csv",
            b'\n"question",a\nragged\nx,1\n"r\n\nagged",2,3\n"y",2\n\nz,3\nragged',
            b'\n"question",a\nx,1\n\nz,3',
            id="CSV with its header before a bad record",
        ),
    ],
)
def test_records_left_out_as_bad_do_not_stay(name: str, data: bytes, expected: bytes) -> None:
    made = clean(data, name, {1}, ReadOptions(skip_bad=True))
    assert made.data == expected
    assert made.bad == {"a.jsonl": 3, "a.csv": 3}[name]
    assert f"{made.bad} records that could not be read" in made.notes[0]


def test_bad_values_in_a_json_list_do_not_stay_either() -> None:
    made = clean(b'[{"q":1}, 5, {"q":2}, null]', "a.json", {0}, ReadOptions(skip_bad=True))
    assert (made.data, made.bad, made.rewritten) == (b'{"q":2}\n', 2, True)


def test_repeats_keep_the_first_row_that_stays() -> None:
    assert repeated_rows(["a", "b", "a", None, None, "b", "a"], {0}) == [5, 6]


# ---- checked again with the same settings, nothing is flagged ----

PIECES = (
    "the boats left at dawn with forty crates",
    "Add 1.5 and 5, then say why",
    "nobody saw the lamp go out that night",
    "THE BOATS left, at dawn",
    "x",
    "a river that runs both ways is no river at all, she said to the clerk",
)
TEXTS = st.lists(st.sampled_from(PIECES), max_size=4).map(" ".join)
FORMATS = (
    *("jsonl", "jsonl-crlf", "jsonl-bom", "jsonl-16", "json", "json-data", "json-keyed"),
    *("json-columns", "csv", "csv-multi", "tsv", "csv-1252", "text", "parquet"),
)


def write_file(texts: list[str], form: str) -> tuple[bytes, str]:
    """Write rows of one text and one id in a format, by other code than the one under test."""
    rows = [{"id": str(at % 3), "text": text} for at, text in enumerate(texts)]
    kind, _, variant = form.partition("-")
    if kind == "jsonl":
        end = "\r\n" if variant == "crlf" else "\n"
        lines = end.join(json.dumps(row) for row in rows)
        codec = {"bom": "utf-8-sig", "16": "utf-16"}.get(variant, "utf-8")
        return lines.encode(codec), "a.jsonl"
    if kind == "json":
        return json.dumps(shape_json(rows, variant), indent=1).encode(), "a.json"
    if kind == "parquet":
        import io

        import pyarrow as pa
        import pyarrow.parquet as pq

        out = io.BytesIO()
        pq.write_table(pa.Table.from_pylist(rows), out)
        return out.getvalue(), "a.parquet"
    if kind == "text":
        return "".join(f"{text}\n" for text in texts).encode(), "a.txt"
    delimiter, end = ("\t", "\n") if kind == "tsv" else (",", "\r\n")
    gap = "\n" if variant == "multi" else " "
    cells = [f'{row["id"]}{delimiter}"{row["text"]}{gap}é"{end}' for row in rows]
    codec = "cp1252" if variant == "1252" else "utf-8"
    return (f"id{delimiter}text{end}" + "".join(cells)).encode(codec), f"a.{kind}"


def shape_json(rows: list[dict[str, str]], variant: str) -> object:
    if variant == "data":
        return {"version": "1", "data": rows, "more": 1}
    if variant == "keyed":
        return {f"k{at}": row for at, row in enumerate(rows)}
    if variant == "columns":
        return {name: [row[name] for row in rows] for name in ("id", "text")}
    return rows


def options_for(form: str) -> ReadOptions:
    if form == "json-data":
        return ReadOptions(list_path="data")
    return ReadOptions(encoding="cp1252") if form == "csv-1252" else ANY


def run_views(
    test: LoadedFile, train: LoadedFile | None, chosen: Settings
) -> Mapping[str, Any]:
    sides = choose_sides(test, train, chosen)
    same = is_same_file(*sides)
    return {
        name: rung.view(finish(rung.scan(*sides, chosen, same_file=same)), chosen)
        for name, rung in RUNGS.items()
        if name in {"rows", "ngrams", "rules"}
    }


def pin(chosen: Settings, views: Mapping[str, Any]) -> Settings:
    """Settle what a second run would choose anew: the N of the GPT-3 rule."""
    return replace(chosen, rule_n=views["rules"].judged.parameters.n)


def run_clean(
    side: SideName, files: tuple[LoadedFile, LoadedFile], views: Mapping[str, Any], by: str
) -> tuple[Cleaned, Removal]:
    removal = finish(choose_rows(side, views, [by]))
    table = files[side == "train"].table
    return finish(write_without(table, removal.reasons.keys())), removal


@st.composite
def jobs(draw: st.DrawFn) -> tuple[list[str], list[str], str, Settings]:
    form = draw(st.sampled_from(FORMATS))
    test = draw(st.lists(TEXTS, min_size=2, max_size=6))
    train = draw(st.lists(TEXTS, min_size=2, max_size=6))
    if form == "text":
        test, train = [text or "x" for text in test], [text or "x" for text in train]
    chosen = Settings(
        test_fields=("text",),
        train_fields=("text",),
        test_id="" if form == "text" else "id",
        train_id="" if form == "text" else "id",
        n=draw(st.sampled_from([5, 7, 13])),
        threshold=draw(st.sampled_from([0, 1, 50, 100])),
        strip_articles=draw(st.booleans()),
        rule_n=draw(st.sampled_from([None, 6])),
        llama_min=draw(st.sampled_from([5, 10])),
    )
    return test, train, form, chosen


APART = {*ALL_BUT_ONE, "meaning"}  # whose rows are tested below, and in test_twins


@pytest.mark.parametrize("side", ["test", "train"])
@given(job=jobs(), by=st.sampled_from([name for name in NAMES if name not in APART]))
@settings(max_examples=120, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_checked_again_a_cleaned_file_flags_nothing(
    side: SideName, job: tuple[list[str], list[str], str, Settings], by: str
) -> None:
    test, train, form, chosen = job
    options = options_for(form)
    files = load(*write_file(test, form), options), load(*write_file(train, form), options)
    if is_same_file(*choose_sides(*files, chosen)):
        return  # a file against itself: the test below
    views = run_views(*files, chosen)
    made, removal = run_clean(side, files, views, by)
    if side == "test" or by != "ngrams" or not chosen.threshold:
        assert bool(removal.reasons) == any(flags(by, views))  # nothing flagged, nothing goes
    if not made.kept:
        return
    anew = form in {"jsonl-16", "json-columns", "parquet"}
    assert made.rewritten == (anew or (form == "json-keyed" and made.kept < 2))
    again = load(made.data, "again", made.read_as)
    assert len(again.table.rows) == made.kept
    files = (again, files[1]) if side == "test" else (files[0], again)
    if is_same_file(*choose_sides(*files, chosen)):
        return  # now a comparison of a file with itself, which is another question
    assert not any(flags(by, run_views(*files, pin(chosen, views))))


@given(
    texts=st.lists(TEXTS, min_size=3, max_size=7), by=st.sampled_from(("ngrams", *RULE_NAMES))
)
@settings(max_examples=80, deadline=None)
def test_a_file_cleaned_against_itself_flags_nothing(texts: list[str], by: str) -> None:
    chosen = Settings(test_fields=("text",), train_fields=("text",), n=5, llama_min=5)
    file = load(*write_file(texts, "csv"))
    views = run_views(file, file, chosen)
    for side in ("test", "train"):
        made, removal = run_clean(side, (file, file), views, by)
        assert bool(removal.reasons) == any(flags(by, views))
        if made.kept:
            again = load(made.data, "a.csv", made.read_as)
            assert not any(flags(by, run_views(again, again, pin(chosen, views))))


@given(texts=st.lists(TEXTS, min_size=2, max_size=8), by=st.sampled_from(["ngrams", "exact"]))
@settings(max_examples=60, deadline=None)
def test_one_file_mode_leaves_other_rows_alone(texts: list[str], by: str) -> None:
    parts = ["test", "train", "other"]
    rows = [{"part": parts[at % 3], "text": text} for at, text in enumerate(texts)]
    data = "".join(json.dumps(row) + "\n" for row in rows).encode()
    chosen = Settings(
        test_fields=("text",),
        train_fields=("text",),
        n=5,
        split=Split("part", "test", "train"),
    )
    file = load(data, "a.jsonl")
    views = run_views(file, None, chosen)
    made, removal = run_clean("test", (file, file), views, by)
    assert {rows[at]["part"] for at in removal.reasons} <= {"test"}
    kept = [json.loads(line) for line in made.data.splitlines()]
    assert kept == [row for at, row in enumerate(rows) if at not in removal.reasons]
    if any(row["part"] == "test" for row in kept):
        assert not any(flags(by, run_views(load(made.data, "a.jsonl"), None, chosen)))


@given(texts=st.lists(TEXTS, min_size=2, max_size=8))
@settings(max_examples=60, deadline=None)
def test_without_repeats_every_text_stands_once(texts: list[str]) -> None:
    file = load(*write_file(texts, "jsonl"))
    chosen = Settings(test_fields=("text",), train_fields=("text",))
    views = run_views(file, file, chosen)
    made, _ = run_clean("train", (file, file), views, "repeats")
    again = load(made.data, "a.jsonl", made.read_as)
    repeats = run_views(again, again, chosen)["rows"].report.normalized.test_repeats
    assert repeats.groups == 0
    assert made.kept == views["rows"].report.normalized.train_repeats.effective


SPACES = st.sampled_from(["", " ", "\n", "\r\n  ", "\t"])


@given(data=st.data(), form=st.sampled_from(["json", "jsonl", "csv", "text"]))
@settings(max_examples=200, deadline=None)
def test_rows_that_stay_and_blank_lines_are_byte_for_byte(
    data: st.DataObject, form: str
) -> None:
    texts = data.draw(
        st.lists(st.sampled_from(['a "b"', "é,;", "[{", "x\\", "😀", "]"]), min_size=1)
    )
    drop = data.draw(st.sets(st.integers(0, len(texts) - 1)))
    raw = write_loosely(texts, form, lambda: data.draw(SPACES), data.draw(st.booleans()))
    name = "a.txt" if form == "text" else f"a.{form}"
    options = ReadOptions(format=form, header=True if form == "csv" else None)
    before = read_table(raw, name=name, options=options)
    assert len(before.rows) == len(texts)
    made = finish(write_without(before, drop))
    assert not made.rewritten
    if made.kept or form in {"json", "csv"}:
        after = read_table(made.data, name=name, options=made.read_as)
        kept = [row for row in before.rows if row.index not in drop]
        assert [made.data[row.start : row.stop] for row in after.rows] == [
            raw[row.start : row.stop] for row in kept
        ]
        assert after.info.blank_lines == before.info.blank_lines
        assert after.info.bom == before.info.bom
        if kept and kept[-1] is before.rows[-1]:
            assert made.data.endswith(raw[kept[-1].start :])
    if form == "json":
        assert json.loads(made.data) == [t for at, t in enumerate(texts) if at not in drop]


def write_loosely(texts: list[str], form: str, space: Callable[[], str], bom: bool) -> bytes:
    """Write texts with white space, blank lines and line ends as they come."""
    if form == "json":
        items = ",".join(space() + json.dumps(text) + space() for text in texts)
        return (b"\xef\xbb\xbf" if bom else b"") + f"{space()}[{items}]{space()}".encode()
    lines = {
        "jsonl": [json.dumps(text) for text in texts],
        "csv": ["q", *('"' + text.replace('"', '""') + '\n"' for text in texts)],
        "text": texts,
    }[form]
    ends = ["\r\n" if "\r" in space() else "\n" for _ in lines]
    blank = ["\n" if space() == "\n" else "" for _ in lines]
    text = "".join(map("".join, zip(blank, lines, ends, strict=True)))
    if space() == " ":
        text = text.removesuffix("\n").removesuffix("\r")
    return text.encode("utf-8-sig" if bom else "utf-8")


# ---- by hand ----

RUN = "one two three four five six seven eight nine ten eleven twelve thirteen"


def by_hand() -> tuple[tuple[LoadedFile, LoadedFile], Mapping[str, Any]]:
    """Test rows 0 and 1 share a run with training rows 0 and 2, and 2; row 2 with none."""
    test = [f"start {RUN}", f"{RUN} and {RUN} fourteen fifteen", "clean"]
    train = [f"{RUN} end", "other", f"and {RUN} fourteen fifteen sixteen", "more"]
    files = load(*write_file(test, "jsonl")), load(*write_file(train, "jsonl"))
    return files, run_views(*files, Settings(test_fields=("text",), train_fields=("text",)))


def test_training_rows_go_even_if_they_are_no_ones_best() -> None:
    files, views = by_hand()
    assert [best.train_index if best else None for best in views["ngrams"].scan.runs.best] == [
        0,
        2,
        None,
    ]
    made, removal = run_clean("train", files, views, "ngrams")
    assert removal.reasons == {0: ("ngrams",), 2: ("ngrams",)}
    assert summarize(removal, made, files[1].table.rows, {"name": "b"})["left_out_rows"] == [
        {"record": 1, "line": 1, "by": ["ngrams"]},
        {"record": 3, "line": 3, "by": ["ngrams"]},
    ]


def test_marks_drop_rows_or_spare_them() -> None:
    _, views = by_hand()
    said = {0: "fine", 2: "leak"}
    marks = Marks(said, drop=frozenset({"leak"}), keep=frozenset({"fine"}))
    removal = finish(choose_rows("test", views, ["ngrams"], marks))
    assert removal.reasons == {1: ("ngrams",), 2: ("mark: leak",)}
    assert removal.spared == 1
    assert removal.tally() == {"ngrams": 1, "mark: leak": 1}


def test_marks_lead_to_the_training_rows_that_share_with_them() -> None:
    test = [f"start {RUN}", "alpha beta gamma delta epsilon zeta"]
    train = [f"{RUN} end", "Alpha beta gamma delta, epsilon zeta!", "more"]
    files = load(*write_file(test, "jsonl")), load(*write_file(train, "jsonl"))
    views = run_views(*files, Settings(test_fields=("text",), train_fields=("text",)))
    for index, expected in ((0, [0]), (1, [1])):
        marks = Marks({index: "leak"}, drop=frozenset({"leak"}))
        removal = finish(choose_rows("train", views, [], marks))
        assert list(removal.reasons) == expected
    spare = Marks({0: "fine"}, keep=frozenset({"fine"}))
    assert list(finish(choose_rows("train", views, ["ngrams"], spare)).reasons) == []
    assert list(finish(choose_rows("train", views, ["normalized"], spare)).reasons) == [1]


def test_training_rows_that_hold_a_short_row_whole_go_by_gpt4() -> None:
    long = "Z" * 60
    test = ["a-b c", f"q{long}r", "nowhere to be seen"]
    train = ["xabcx", f"{long}", "ab", "A B C", "Q" + "Z" * 49, "Z" * 40]
    files = load(*write_file(test, "jsonl")), load(*write_file(train, "jsonl"))
    views = run_views(*files, Settings(test_fields=("text",), train_fields=("text",)))
    assert flags("gpt4_any", views) == [True, True, False]
    removal = finish(choose_rows("train", views, ["gpt4_any"]))
    assert list(removal.reasons) == [0, 1]


def test_rules_look_only_for_what_rows_that_count_share() -> None:
    _, views = by_hand()
    spare = Marks({0: "fine"}, keep=frozenset({"fine"}))
    assert flags("palm", views) == [True, False, False]  # 6 of 7 windows, 15 of 22, none
    assert list(finish(choose_rows("train", views, ["palm"])).reasons) == [0, 2]
    marks = Marks({0: "fine", 1: "fine"}, keep=frozenset({"fine"}))
    assert list(finish(choose_rows("train", views, ["palm", "gpt3"], marks)).reasons) == []
    assert list(finish(choose_rows("train", views, ["gpt3"], spare)).reasons) == [0, 2]


@pytest.mark.parametrize(
    ("texts", "spared", "expected"),
    [
        pytest.param(["Z" * 60, f"q{'Z' * 60}", "clean"], 1, [1], id="long rows"),
        pytest.param(["a b c", "xabcx", "clean"], 2, [1], id="a short row in another"),
    ],
)
def test_a_row_of_one_file_is_not_held_against_itself(
    texts: list[str], spared: int, expected: list[int]
) -> None:
    file = load(*write_file(texts, "jsonl"))
    views = run_views(file, file, Settings(test_fields=("text",), train_fields=("text",)))
    marks = Marks({spared: "fine"}, keep=frozenset({"fine"}))
    assert list(finish(choose_rows("train", views, ["gpt4_any"], marks)).reasons) == expected


@pytest.mark.parametrize(
    ("by", "message"), [("nothing", "not by 'nothing'"), ("ngrams", "run ngrams first")]
)
def test_names_that_do_not_exist_or_were_not_run_are_refused(by: str, message: str) -> None:
    with pytest.raises(SettingError, match=message):
        finish(choose_rows("test", {}, [by]))


def test_unknown_marks_are_refused() -> None:
    with pytest.raises(SettingError, match="not 'good'"):
        Marks({0: "good"})
    with pytest.raises(SettingError, match="cannot both"):
        Marks({}, drop=frozenset({"leak"}), keep=frozenset({"leak"}))


def test_every_name_has_its_rung() -> None:
    assert {
        name: rung_of(name) for name in ("exact", "repeats", "ngrams", "palm", "rules")
    } == {
        "exact": "rows",
        "repeats": "rows",
        "ngrams": "ngrams",
        "palm": "rules",
        "rules": "rules",
    }
