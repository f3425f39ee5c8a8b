"""What reading makes of the golden files and of the damaged ones, as JSON, in whatever Python.

Imported by the tests in CPython and, through the fixture `pyodide`, inside Pyodide, where there
is no pytest and no pyarrow: Parquet goes by the interchange there and here.
"""

import hashlib
import json
from pathlib import Path
from typing import Any

from leakladder.errors import LadderError
from leakladder.fields import (
    get_cells,
    guess_id_field,
    guess_text_fields,
    list_fields,
    value_to_text,
)
from leakladder.read import Table, interchange_steps, read_steps
from leakladder.settings import ReadOptions
from read_variants import damage

FOLDER = Path(__file__).parent / "golden" / "read"
SUFFIX = ".expected.json"


def list_cases() -> list[str]:
    return sorted(path.relative_to(FOLDER).as_posix() for path in FOLDER.rglob(f"*{SUFFIX}"))


def golden_outcomes() -> dict[str, Any]:
    return {case: golden_outcome(case) for case in list_cases()}


def golden_outcome(case: str) -> Any:
    path = FOLDER / case.removesuffix(SUFFIX)
    options = json.loads((FOLDER / case).read_text(encoding="utf-8")).get("options", {})
    data = path.read_bytes()
    twin = path.with_name(f"{path.name}.interchange.json")
    if twin.exists():
        text = twin.read_text(encoding="utf-8")
        return outcome(interchange_steps(text, len(data), name=path.name))
    return outcome(read_steps(data, name=path.name, options=ReadOptions(**options)))


def variant_digests(start: int, stop: int) -> list[str]:
    digests = []
    for number in range(start, stop):
        name, data = damage(number)
        text = json.dumps(outcome(read_steps(data, name=name)), sort_keys=True)
        digests.append(hashlib.sha256(text.encode()).hexdigest()[:16])
    return digests


def outcome(steps: Any) -> Any:
    """Run to the end: rows, info and fields, or the error's wire form."""
    try:
        while True:
            next(steps)
    except StopIteration as end:
        return describe(end.value)
    except LadderError as error:
        wire = error.to_wire()
        if error.code == "bad-packing":  # the words are those of the zlib at hand
            wire = {"code": error.code}
        return {"error": wire}


def describe(table: Table) -> Any:
    fields = list_fields(table.rows)
    return {
        "rows": [[*row[:4], value_to_text(dict(row.fields))] for row in table.rows],
        "info": table.info.to_wire(),
        "fields": [field.to_wire() for field in fields],
        "guess": [guess_text_fields(fields, table.rows), guess_id_field(fields, table.rows)],
        "cells": [
            [
                cell if isinstance(cell, str) else str(cell)
                for cell in get_cells(table.rows, path)
            ]
            for path in [field.path for field in fields][:50]
        ],
    }
