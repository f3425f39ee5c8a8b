"""Fields: the one rule from values to texts, paths, chat turns, exact fill counts, guesses."""

import json
import time
from collections import Counter
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from leakladder.fields import (
    FieldInfo,
    get_cells,
    guess_id_field,
    guess_split_field,
    guess_text_fields,
    list_fields,
    parse_path,
    row_label,
    split_values,
    value_to_cell,
    value_to_text,
)
from leakladder.read import read_rows, read_table
from leakladder.results import ABSENT, NumberText, Row

A = ABSENT


def rows_of(*records: Any) -> list[Row]:
    return [Row(at, at + 1, None, None, record) for at, record in enumerate(records)]


def read(text: str, name: str = "a.jsonl") -> list[Row]:
    return read_table(text.encode(), name=name).rows


@pytest.mark.parametrize(
    ("value", "text"),
    [
        pytest.param("a", "a", id="a text is itself"),
        pytest.param("", "", id="an empty text too"),
        pytest.param("42", "42", id="a text of digits"),
        pytest.param(NumberText("42"), "42", id="a number as written"),
        pytest.param(NumberText("1.0"), "1.0", id="one point nought is not one"),
        pytest.param(NumberText("1e3"), "1e3", id="an exponent stays"),
        pytest.param(True, "true", id="true"),
        pytest.param(False, "false", id="false"),
        pytest.param([], "[]", id="an empty list"),
        pytest.param({}, "{}", id="an empty object"),
        pytest.param(["a", NumberText("1.0"), None, True], '["a",1.0,null,true]', id="a list"),
        pytest.param({"b": {"c": []}, "a": "é"}, '{"b":{"c":[]},"a":"é"}', id="order is kept"),
        pytest.param([["x"], {"k": ["y", {}]}], '[["x"],{"k":["y",{}]}]', id="nesting"),
        pytest.param(['say "hi"\n'], '["say \\"hi\\"\\n"]', id="quotes and line ends"),
        pytest.param(["\ud800"], '["\ud800"]', id="a lone surrogate is carried along"),
        pytest.param(["[", ",", "}"], '["[",",","}"]', id="texts that look like syntax"),
    ],
)
def test_value_to_text(value: object, text: str) -> None:
    result = value_to_text(value)
    assert result == text
    assert type(result) is str


PLAIN = st.recursive(
    st.none() | st.booleans() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=12,
)


@settings(max_examples=200, deadline=None, derandomize=True)
@given(st.lists(PLAIN) | st.dictionaries(st.text(max_size=3), PLAIN))
def test_containers_are_written_as_the_json_module_writes_them(value: object) -> None:
    expected = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    assert value_to_text(value) == expected


def test_nesting_costs_no_recursion() -> None:
    value: object = NumberText("1")
    for _ in range(5_000):
        value = [{"a": value}]
    assert value_to_text(value) == '[{"a":' * 5_000 + "1" + "}]" * 5_000


def test_42_is_42_in_every_format() -> None:
    texts = [
        get_cells(read('{"a": 42}\n{"a": 1}\n'), "a")[0],
        get_cells(read('[{"a": 42}]', "a.json"), "a")[0],
        get_cells(read("id,a\nx,42\n", "a.csv"), "a")[0],
        get_cells(read('{"a": "42"}\n{"a": 1}\n'), "a")[0],
    ]
    assert texts == ["42"] * 4
    assert {type(text) for text in texts} == {str}


def test_absent_null_and_empty_are_three_things() -> None:
    rows = rows_of({"a": None}, {"a": ""}, {})
    assert get_cells(rows, "a") == [None, "", A]
    assert value_to_cell(None) is None
    assert value_to_cell(A) is A


CHAT = [
    {"role": "system", "content": "S"},
    {"role": "user", "content": "U1"},
    {"role": "assistant", "content": "A1"},
    {
        "role": "user",
        "content": [{"type": "text", "text": "U2"}, {"type": "image_url", "u": "x"}],
    },
    {"role": "assistant", "content": None},
    {"role": "tool", "content": "T"},
]
SHARE = [{"from": "human", "value": "U"}, {"from": "gpt", "value": "A"}]


@pytest.mark.parametrize(
    ("record", "path", "cell"),
    [
        pytest.param({"a": "x"}, "a", "x", id="a key"),
        pytest.param({"a": "x"}, "b", A, id="no such key"),
        pytest.param({"a.b": "x"}, "a.b", "x", id="a top-level key with a dot"),
        pytest.param({"a": {"b": "x"}}, "a.b", "x", id="a nested key"),
        pytest.param({"a": {"b": None}}, "a.b", None, id="a nested null"),
        pytest.param({"a": {}}, "a.b", A, id="a nested absent one"),
        pytest.param({"a": "x"}, "a.b", A, id="a text has no keys"),
        pytest.param({"a.b": "x", "a": {"b": "y"}}, "a.b", "x", id="the top-level key wins"),
        pytest.param({"a.b": "x", "a": {"b": "y"}}, 'a."b"', "y", id="the nested one, quoted"),
        pytest.param({"a": {"b.c": "x"}}, 'a."b.c"', "x", id="a nested key with a dot"),
        pytest.param({"a.b": {"c": "x"}}, '"a.b".c', "x", id="below a key with a dot"),
        pytest.param({"a": {"": "x"}}, 'a.""', "x", id="an empty key"),
        pytest.param({"": "x"}, "", "x", id="an empty top-level key"),
        pytest.param({"a": {'q"': "x"}}, 'a."q\\""', "x", id="a key with a quote"),
        pytest.param({"a": {"\n": "x"}}, "a.\n", "x", id="a key that is a line end"),
        pytest.param({"a": ["x", "y"]}, "a[]", "x\ny", id="the items of a list"),
        pytest.param({"a": ["x", "y"]}, "a", '["x","y"]', id="the list itself"),
        pytest.param({"a": []}, "a[]", A, id="no items"),
        pytest.param({"a": [None]}, "a[]", None, id="a list of null"),
        pytest.param({"a": ["", None]}, "a[]", "", id="an empty item and null"),
        pytest.param({"a": [{"t": "x"}, {}, {"t": "y"}]}, "a[].t", "x\ny", id="keys of items"),
        pytest.param({"a": [["x"], ["y", "z"]]}, "a[][]", "x\ny\nz", id="lists of lists"),
        pytest.param({"a": [{"b": ["x"]}, {"b": ["y"]}]}, "a[].b[]", "x\ny", id="lists inside"),
        pytest.param({"a": "x"}, "a[]", A, id="a text has no items"),
        pytest.param({"m": CHAT}, "m: user turns", "U1\nU2", id="user turns"),
        pytest.param({"m": CHAT}, "m: assistant turns", "A1", id="assistant turns"),
        pytest.param({"m": CHAT}, "m: all turns", "S\nU1\nA1\nU2\nT", id="all turns"),
        pytest.param({"m": SHARE}, "m: user turns", "U", id="ShareGPT user turns"),
        pytest.param({"m": SHARE}, "m: assistant turns", "A", id="ShareGPT assistant turns"),
        pytest.param({"d": {"m": SHARE}}, "d.m: all turns", "U\nA", id="a nested chat"),
        pytest.param(
            {"m: user turns": "x", "m": CHAT}, "m: user turns", "x", id="a real column"
        ),
        pytest.param({"m": []}, "m: user turns", A, id="an empty chat"),
        pytest.param({"m": None}, "m: user turns", None, id="a null chat"),
        pytest.param({"m": "text"}, "m: user turns", A, id="a text is no chat"),
        pytest.param({}, "m: user turns", A, id="no chat at all"),
    ],
)
def test_get_cells(record: dict[str, object], path: str, cell: object) -> None:
    assert get_cells(rows_of(record), path) == [cell]


@pytest.mark.parametrize(
    ("path", "steps"),
    [
        ("a", ("a",)),
        ("a.b", ("a", "b")),
        ("a[].b", ("a", None, "b")),
        ("a[][]", ("a", None, None)),
        ("[].a", (None, "a")),
        ('"a.b"[].c', ("a.b", None, "c")),
        ("a..b", ("a..b",)),
        ("a[0]", ("a[0]",)),
        ('a"', ('a"',)),
    ],
)
def test_parse_path(path: str, steps: tuple[str | None, ...]) -> None:
    assert parse_path(path) == steps


def listed(rows: list[Row]) -> dict[str, tuple[int, str]]:
    return {field.path: (field.filled, field.kind) for field in list_fields(rows)}


def test_every_field_is_listed_with_how_many_rows_fill_it() -> None:
    rows = read(
        '{"id": 1, "prompt": {"text": "x", "n": null},'
        ' "choices": [{"text": "a"}, {"text": ""}]}\n'
        '{"id": 2, "prompt": {"text": ""}, "choices": [], "late": true}\n'
        '{"id": "3", "choices": [{"text": ""}], "late": false, "tags": ["t", null]}\n'
    )
    assert listed(rows) == {
        "id": (3, "mixed"),
        "prompt": (2, "object"),
        "prompt.text": (1, "text"),
        "prompt.n": (0, "null"),
        "choices": (2, "list"),
        "choices[]": (2, "object"),
        "choices[].text": (1, "text"),
        "late": (2, "boolean"),
        "tags": (1, "list"),
        "tags[]": (1, "text"),
    }


def test_null_and_empty_fill_nothing_where_all_rows_have_the_same_keys() -> None:
    rows = rows_of(*({"a": value, "b": "x"} for value in ["", None, "x", "0", None]))
    assert listed(rows) == {"a": (2, "text"), "b": (5, "text")}


def test_chats_are_listed_with_their_turns() -> None:
    fields = listed(rows_of({"m": CHAT}, {"m": SHARE}, {"m": []}, {"m": CHAT[:1]}))
    assert fields["m: all turns"] == (3, "chat")
    assert fields["m: user turns"] == (2, "chat")
    assert fields["m: assistant turns"] == (2, "chat")


def test_samples_are_the_first_distinct_texts_cut() -> None:
    rows = rows_of(*({"a": text} for text in ["", "x", "x", "y" * 500, "z", "w"]))
    (field,) = list_fields(rows)
    assert field.samples == ("x", "y" * 120, "z")
    assert list_fields(rows_of({"a": False}, {"a": False}))[0].samples == ("false",)
    sparse = rows_of(*({"a": ""} for _ in range(5_000)), {"a": "late"})
    assert list_fields(sparse)[0].samples == ("late",)


def test_below_eight_levels_the_container_is_the_field() -> None:
    value: object = "x"
    for _ in range(20):
        value = {"a": value}
    paths = [field.path for field in list_fields(rows_of(value))]
    assert paths == [".".join("a" * depth) for depth in range(1, 10)]
    assert get_cells(rows_of(value), ".".join("a" * 20)) == ["x"]


KEYS = st.sampled_from(["a", "b", "a.b", "", "x[]", 'q"'])
FLAT = st.sampled_from(["", "x", None, True, False, NumberText("0")])
TREES = st.recursive(
    FLAT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=3),
    max_leaves=8,
)


@settings(max_examples=200, deadline=None, derandomize=True)
@given(st.lists(st.dictionaries(KEYS, TREES, max_size=4), max_size=5))
def test_fill_counts_are_those_of_the_cells(records: list[dict[str, object]]) -> None:
    rows = rows_of(*records)
    for field in list_fields(rows):
        cells = get_cells(rows, field.path)
        assert any(cell is not A for cell in cells), field.path
        if "[]" in field.path or field.kind in {"list", "object", "mixed"}:
            continue
        assert field.filled == sum(1 for cell in cells if cell is not A and cell), field.path


@settings(max_examples=200, deadline=None, derandomize=True)
@given(st.lists(st.dictionaries(KEYS, TREES, max_size=4), max_size=5))
def test_the_values_at_all_paths_are_all_there_is(records: list[dict[str, object]]) -> None:
    """Walk the records here, and count leaves that hold something; none may lack a path."""
    rows = rows_of(*records)
    paths = {parse_path(field.path) for field in list_fields(rows) if field.kind != "chat"}
    top = {(key,) for record in records for key in record}
    paths |= {(field.path,) for field in list_fields(rows) if (field.path,) in top}
    for record in records:
        waiting: list[tuple[tuple[str | None, ...], object]] = [
            ((key,), value) for key, value in record.items()
        ]
        while waiting:
            steps, value = waiting.pop()
            assert steps in paths
            if isinstance(value, dict):
                waiting += [((*steps, key), inner) for key, inner in value.items()]
            elif isinstance(value, list):
                waiting += [((*steps, None), inner) for inner in value]


GUESSES = [
    ("question answer", '{"question": "q", "answer": "a"}', ("question",), None),
    ("an id", '{"id": 1, "text": "q"}', ("text",), "id"),
    (
        "instructions",
        '{"instruction": "i", "input": "x", "output": "o"}',
        ("instruction", "input"),
        None,
    ),
    (
        "instructions without input",
        '{"instruction": "i", "input": "", "output": "o"}',
        ("instruction",),
        None,
    ),
    ("choices", '{"question": "q", "choices": ["a", "b"], "answer": 1}', ("question",), None),
    ("a nested prompt", '{"prompt": {"text": "t"}, "uid": "u"}', ("prompt.text",), "uid"),
    (
        "pairs",
        '{"premise": "p", "hypothesis": "h", "label": 0}',
        ("premise", "hypothesis"),
        None,
    ),
    ("a chat", json.dumps({"messages": CHAT, "id": "x"}), ("messages: user turns",), "id"),
    ("ShareGPT", json.dumps({"conversations": SHARE}), ("conversations: user turns",), None),
    (
        "a prompt beside a chat",
        json.dumps({"prompt": "p", "messages": CHAT}),
        ("prompt",),
        None,
    ),
    ("the longest", '{"x": "short", "y": "a longer text", "z": 1}', ("y",), None),
    ("another case", '{"Question": "q", "ID": "7"}', ("Question",), "ID"),
    ("only numbers", '{"n": 1}', ("n",), None),
    ("a list only", '{"tags": ["a"]}', ("tags[]",), None),
    (
        "squad",
        '{"title": "t", "context": "c", "question": "q", "id": "1"}',
        ("question",),
        "id",
    ),
    (
        "code",
        '{"task_id": "t/1", "prompt": "def f():", "test": "assert"}',
        ("prompt",),
        "task_id",
    ),
    ("an ending", '{"goal": "g", "paper_id": 3}', ("goal",), "paper_id"),
    ("nothing", "{}", (), None),
]


@pytest.mark.parametrize(
    ("record", "text", "id_path"),
    [pytest.param(*case[1:], id=case[0]) for case in GUESSES],
)
def test_guesses(record: str, text: tuple[str, ...], id_path: str | None) -> None:
    rows = rows_of(json.loads(record, parse_int=NumberText))
    fields = list_fields(rows)
    assert guess_text_fields(fields, rows) == text
    assert guess_id_field(fields, rows) == id_path


def test_a_field_filled_in_under_half_of_the_rows_is_not_guessed_by_name() -> None:
    rows = rows_of(
        {"question": "", "body": "b"}, {"question": "", "body": "c"}, {"question": "q"}
    )
    assert guess_text_fields(list_fields(rows), rows) == ("body",)


def test_an_id_has_to_be_there_and_one_that_differs_goes_first() -> None:
    rows = rows_of({"id": "a", "uid": "1"}, {"id": "a", "uid": "2"})
    assert guess_id_field(list_fields(rows), rows) == "uid"
    rows = rows_of({"id": "a"}, {"id": "a"})
    assert guess_id_field(list_fields(rows), rows) == "id"
    rows = rows_of({"paperId": "a"}, {"paperId": "a"})
    assert guess_id_field(list_fields(rows), rows) is None
    rows = rows_of({"id": "a"}, {"id": ""})
    assert guess_id_field(list_fields(rows), rows) is None


def test_columns_without_names_are_guessed_by_length() -> None:
    rows = read(
        "What is the order of it?,4,8,2,24,B\nFind the degree of x.,0,4,2,6,A\n", "x.csv"
    )
    assert guess_text_fields(list_fields(rows), rows) == ("1",)


def test_labels() -> None:
    row = rows_of({"id": NumberText("7"), "n": None, "o": {"id": "x"}})[0]
    assert [row_label(row, path) for path in ("id", "n", "o.id", "no", "", None)] == [
        *("7", "", "x", "", "", ""),
    ]


def test_split_values_most_frequent_first() -> None:
    rows = rows_of(*({"split": value} for value in ["b", "a", "a", None, "c", "b", "a", ""]))
    assert split_values(rows, "split") == [("a", 3), ("b", 2), ("c", 1), ("", 1)]
    assert guess_split_field(list_fields(rows), rows) == "split"
    rows = rows_of({"split": "a"}, {"split": "a"})
    assert guess_split_field(list_fields(rows), rows) is None


def test_the_wire_form_is_json() -> None:
    field = FieldInfo("a", 1, "text", ("x",))
    assert json.loads(json.dumps(field.to_wire())) == {
        "path": "a",
        "filled": 1,
        "kind": "text",
        "samples": ["x"],
    }


def timed(rows: list[Row]) -> tuple[Counter[str], float]:
    started = time.perf_counter()
    kinds = Counter[str](field.kind for field in list_fields(rows))
    return kinds, time.perf_counter() - started


def test_many_columns_in_linear_time() -> None:
    kinds, seconds = timed(rows_of({f"c{at}": "x" for at in range(200_000)}))
    assert kinds == {"text": 200_000}
    assert seconds < 10
    nested = rows_of({"a": {f"c{at}": {"b": "x"} for at in range(50_000)}})
    kinds, seconds = timed(nested)
    assert kinds == {"object": 50_001, "text": 50_000}
    assert seconds < 10
    ragged = rows_of(*({f"c{at}": "x", "id": "y"} for at in range(20_000)))
    kinds, seconds = timed(ragged)
    assert kinds == {"text": 20_001}
    assert seconds < 10


def test_a_row_knows_its_label_and_its_bytes() -> None:
    data = b'{"Text": "x", "ID": 7}\n{"qid": "q2", "idx": 1}\n{"text": "none"}\n'
    rows = list(read_rows(data, name="a.jsonl"))
    assert [row.label for row in rows] == ["7", "q2", ""]
    assert [row.record for row in rows] == [1, 2, 3]
    start, stop = rows[1].byte_range or (0, 0)
    assert data[start:stop] == b'{"qid": "q2", "idx": 1}'
