"""The planted faults can still be planted, and CONTRIBUTING.md lists each with its catcher."""

from pathlib import Path

import pytest

from leakladder_dev.faults import FAULTS, Fault

ROOT = Path(__file__).resolve().parents[1]


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.what)
def test_a_fault_changes_one_place(fault: Fault) -> None:
    text = (ROOT / "py" / "leakladder" / fault.module).read_text("utf-8")
    assert text.count(fault.old) == 1
    assert fault.old != fault.new
    for name in fault.tests.split():
        assert (ROOT / "tests" / f"test_{name}.py").is_file()


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.what)
def test_contributing_names_the_fault_and_a_test_that_exists(fault: Fault) -> None:
    lines = (ROOT / "CONTRIBUTING.md").read_text("utf-8").splitlines()
    (row,) = [line for line in lines if f"| {fault.what} | `{fault.module}` |" in line]
    file, name = row.split("|")[-2].strip().strip("`").split("::")
    assert f"def {name}(" in (ROOT / "tests" / file).read_text("utf-8")


def test_there_are_twenty_and_more() -> None:
    assert len(FAULTS) >= 20
    assert len({fault.what for fault in FAULTS}) == len(FAULTS)
