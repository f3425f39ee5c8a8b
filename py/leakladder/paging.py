"""Stage 7a - one page of a long table: filter, sort, cut.

The page of a table is made here and not in the browser, so that 200,000 rows never cross the
border for the 200 that are read.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NoReturn

from leakladder.errors import SettingError

MAX_PAGE = 1_000


@dataclass(frozen=True, slots=True)
class Query:
    """Which rows of a table are wanted, and in which order.

    Attributes:
        sort: Column name, or "" for the table's own order.
        descending: Largest first; rows without a value stand last either way.
        filter: Only rows whose text holds this, case folded; "" keeps all.
        subset: Name of a group of rows, or "" for the table's own.
        offset: Rows skipped.
        limit: Rows given, at most MAX_PAGE.
    """

    sort: str = ""
    descending: bool = False
    filter: str = ""
    subset: str = ""
    offset: int = 0
    limit: int = 200

    def __post_init__(self) -> None:
        """Refuse a page that cannot be.

        Raises:
            SettingError: If `offset` is negative or `limit` is not from 1 to MAX_PAGE.
        """
        if self.offset < 0:
            raise SettingError(f"offset must be 0 or more, not {self.offset}", setting="offset")
        if not 1 <= self.limit <= MAX_PAGE:
            raise SettingError(
                f"limit must be from 1 to {MAX_PAGE}, not {self.limit}", setting="limit"
            )


def refuse_column(name: str) -> NoReturn:
    """Refuse to sort by a column that the table does not have.

    Raises:
        SettingError: Always.
    """
    raise SettingError(f"there is no column named {name!r} to sort by", setting="sort")


def filter_rows(
    rows: Iterable[int], needle: str, texts: Callable[[int], Sequence[str]]
) -> list[int]:
    """Return the rows of which some text holds `needle`, in the order given."""
    if not needle:
        return list(rows)
    wanted = needle.casefold()
    return [row for row in rows if any(wanted in text.casefold() for text in texts(row))]


def sort_rows(rows: list[int], key: Callable[[int], Any], *, descending: bool) -> list[int]:
    """Return rows by a key that may be None; ties keep the order given."""
    known = [row for row in rows if key(row) is not None]
    unknown = [row for row in rows if key(row) is None]
    return sorted(known, key=key, reverse=descending) + unknown


def cut_page(
    rows: Sequence[int], query: Query, describe: Callable[[int], dict[str, Any]]
) -> dict[str, Any]:
    """Return the wire form of one page: how many rows there are, and those asked for."""
    chosen = rows[query.offset : query.offset + query.limit]
    return {
        "total": len(rows),
        "offset": query.offset,
        "rows": [describe(row) for row in chosen],
    }
