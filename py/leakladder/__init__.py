"""Is your test set in your training data?

The public API. Read two files, choose what to compare, run a rung, write its report:

>>> from leakladder import Bounds, Comparison, ReadOptions, Settings, finish
>>> comparison = Comparison()
>>> rows = b"the same seven words stand in both"
>>> for side in ("test", "train"):
...     _ = finish(comparison.load(side, rows, f"{side}.txt", ReadOptions(), Bounds()))
>>> summary = finish(comparison.run("rows", Settings()))
>>> summary["exact"]["items"], summary["exact"]["test_share"]
(1, 1.0)
"""

from leakladder.errors import LadderError, LimitError, ReadError
from leakladder.jobs import finish
from leakladder.pipeline import Comparison
from leakladder.read import RowReader, Table, read_rows, read_table
from leakladder.results import Progress, Row
from leakladder.settings import Bounds, ReadOptions, Settings, Split
from leakladder.version import __version__

__all__ = [
    "Bounds",
    "Comparison",
    "LadderError",
    "LimitError",
    "Progress",
    "ReadError",
    "ReadOptions",
    "Row",
    "RowReader",
    "Settings",
    "Split",
    "Table",
    "__version__",
    "finish",
    "read_rows",
    "read_table",
]
