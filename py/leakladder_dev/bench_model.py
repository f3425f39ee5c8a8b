"""Bench: what the model asset is worth, as a section of the report."""

from leakladder_dev.bench_figure import Figure
from leakladder_dev.bench_run import Bench
from leakladder_dev.measure_model import JUDGED, TESTMINI, report
from leakladder_dev.steps import StepError


def measure_model(bench: Bench) -> list[Figure]:
    """Write error, bits, recall and speed of the asset into a section; it has no other row.

    Raises:
        StepError: If the public data or the float weights cannot be had.
    """
    if not TESTMINI.exists():
        why = "the public data in ../shared/data is not on this machine"
        raise StepError("measure the model asset", why, "put it there")
    bench.sections["The model asset"] = report(JUDGED).strip()
    return []
