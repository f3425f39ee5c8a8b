"""The golden files and the damaged ones read in Pyodide as in CPython."""

import json
from typing import TYPE_CHECKING

import pytest

from read_outcomes import golden_outcome, golden_outcomes, variant_digests
from read_variants import VARIANTS

if TYPE_CHECKING:
    from conftest import PyodideHost


@pytest.mark.pyodide
def test_golden_files_read_the_same(pyodide: "PyodideHost") -> None:
    there = pyodide.call("read_outcomes", "golden_outcomes")
    here = json.loads(json.dumps(golden_outcomes()))
    assert there.keys() == here.keys()
    for case, outcome in here.items():
        assert there[case] == outcome, case


@pytest.mark.pyodide
def test_damaged_files_read_the_same(pyodide: "PyodideHost") -> None:
    there = pyodide.call("read_outcomes", "variant_digests", 0, VARIANTS)
    assert there == variant_digests(0, VARIANTS)


def test_the_outcomes_hold_rows_and_errors() -> None:
    assert golden_outcome("jsonl/crlf.jsonl.expected.json")["rows"] == [
        [0, 1, 0, 10, '{"q":"a"}'],
        [1, 2, 12, 22, '{"q":"b"}'],
    ]
    assert golden_outcome("json/too-deep.json.expected.json")["error"]["code"] == "too-deep"
