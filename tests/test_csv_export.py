"""CSV and JSON as files: quoting, formulas, lone surrogates, fixed decimals, same bytes."""

import csv
import io
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leakladder.csv_export import compact_json, restore_text, safe_text, write_csv, write_json


def cells(data: bytes) -> list[list[str]]:
    return list(csv.reader(io.StringIO(data.decode("utf-8"), newline="")))


@pytest.mark.parametrize(
    ("text", "cell"),
    [
        ("plain", "plain"),
        ("=1+1", "'=1+1"),
        ("+1", "'+1"),
        ("-1", "'-1"),
        ("@x", "'@x"),
        ("\tx", "'\tx"),
        ("\rx", "'\rx"),
        ("'quoted", "''quoted"),
        (" =1", " =1"),
        ("", ""),
        ("\ud800", "\ufffd"),
    ],
)
def test_safe_text(text: str, cell: str) -> None:
    assert safe_text(text) == cell


@given(st.text())
def test_an_apostrophe_taken_off_gives_the_text_back(text: str) -> None:
    assert restore_text(safe_text(text)) == text.encode("utf-8", "replace").decode(
        "utf-8"
    ) or any("\ud800" <= character <= "\udfff" for character in text)


@given(st.lists(st.text(alphabet=st.characters(exclude_categories=["Cs"])), min_size=1))
def test_every_cell_reads_back(texts: list[str]) -> None:
    data = write_csv(["text"], [{"text": text} for text in texts], {"a": 1})
    read = cells(data)
    assert read[0] == ["text", "stamp"]
    assert [restore_text(row[0]) for row in read[1:]] == texts


def test_values_have_one_form() -> None:
    row = {"a": None, "b": True, "c": False, "d": 1 / 3, "e": 12345678, "f": 0.0}
    assert write_csv(list(row), [row], {}) == (
        b"a,b,c,d,e,f,stamp\r\n,true,false,0.333333,12345678,0.000000,{}\r\n"
    )


def test_stamp_stands_in_the_first_record_only() -> None:
    read = cells(write_csv(["a"], [{"a": 1}, {"a": 2}], {"k": "v"}))
    assert read == [["a", "stamp"], ["1", '{"k":"v"}'], ["2", ""]]


def test_no_rows_leave_the_header() -> None:
    assert write_csv(["a"], [], {"k": "v"}) == b"a,stamp\r\n"


def test_json_rounds_and_escapes_lone_surrogates() -> None:
    data = write_json({"share": 2 / 3, "rows": [{"text": "a\ud83dß😀"}], "none": None})
    assert json.loads(data) == {
        "share": 0.666667,
        "rows": [{"text": "a\ud83dß😀"}],
        "none": None,
    }
    assert b"\\ud83d" in data
    assert "😀".encode() in data


def test_compact_json_is_one_line_in_the_order_given() -> None:
    assert compact_json({"b": [1, 2], "a": "ü"}) == '{"b":[1,2],"a":"ü"}'
