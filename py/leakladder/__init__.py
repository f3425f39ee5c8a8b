"""Is your test set in your training data?

The public API of Leak Ladder: read rows, choose fields, compare two files, report.
"""

__version__ = "0.1.0"
