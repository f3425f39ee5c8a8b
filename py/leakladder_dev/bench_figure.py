"""What the bench says of one thing that it measured: its runs, a reference, a target."""

import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Sample:
    """The runs of one thing.

    Attributes:
        values: One figure a run.
        unit: "s", "ms", "MB" or "rows/s".
    """

    values: tuple[float, ...]
    unit: str

    @property
    def median(self) -> float:
        """The middle run."""
        return statistics.median(self.values)

    @property
    def words(self) -> str:
        """The median as the table prints it."""
        return f"{number(self.median)} {self.unit}"

    @property
    def spread(self) -> str:
        """Lowest and highest run, and how many there were where it is not told elsewhere."""
        if len(self.values) == 1:
            return "one run"
        return f"{number(min(self.values))} to {number(max(self.values))}"


def number(value: float) -> str:
    """Return a figure with three digits that count, at most two after the point."""
    if value >= 100:
        return f"{value:,.0f}"
    return f"{value:.1f}" if value >= 10 else f"{value:.2f}"


@dataclass(frozen=True, slots=True)
class Target:
    """What is aimed at; every bound that is given has to hold.

    Attributes:
        at_most: Of our median, in its unit.
        times_at_most: Of ours / theirs.
        times_at_least: Of ours / theirs.
        slowest_at_most: Of our slowest run.
    """

    at_most: float | None = None
    times_at_most: float | None = None
    times_at_least: float | None = None
    slowest_at_most: float | None = None

    def words(self, unit: str) -> str:
        """Return the target for the table."""
        bounds = [
            (self.at_most, f"at most {{}} {unit}"),
            (self.slowest_at_most, f"every run at most {{}} {unit}"),
            (self.times_at_most, "at most {} x"),
            (self.times_at_least, "at least {} x"),
        ]
        said = [words.format(f"{bound:g}") for bound, words in bounds if bound is not None]
        return " and ".join(said)

    def is_met(self, ours: Sample, theirs: Sample | None) -> bool | None:
        """Return whether the figures keep to it; None where nothing is aimed at.

        Raises:
            ValueError: If a ratio is aimed at and there is nothing to divide by.
        """
        kept = []
        if self.at_most is not None:
            kept.append(ours.median <= self.at_most)
        if self.slowest_at_most is not None:
            kept.append(max(ours.values) <= self.slowest_at_most)
        if self.times_at_most is not None or self.times_at_least is not None:
            if theirs is None:
                raise ValueError("a ratio needs a reference")
            ratio = ours.median / theirs.median
            kept.append(self.times_at_most is None or ratio <= self.times_at_most)
            kept.append(self.times_at_least is None or ratio >= self.times_at_least)
        return all(kept) if kept else None


@dataclass(frozen=True, slots=True)
class Figure:
    """One row of the table.

    Attributes:
        what: What was measured.
        ours: Our runs.
        target: What is aimed at.
        reference: What it is held against, "" for nothing.
        theirs: The reference's runs, taken in turn with ours.
        note: What a reader has to know beside it.
    """

    what: str
    ours: Sample
    target: Target = Target()
    reference: str = ""
    theirs: Sample | None = None
    note: str = ""

    @property
    def met(self) -> bool | None:
        """Whether the target is met; None where there is none."""
        return self.target.is_met(self.ours, self.theirs)

    @property
    def ratio(self) -> float | None:
        """Ours / theirs."""
        return self.ours.median / self.theirs.median if self.theirs else None


@dataclass(frozen=True, slots=True)
class Failure:
    """A row that could not be measured.

    Attributes:
        what: Name of the row, as `--only` takes it.
        why: The error, on one line.
    """

    what: str
    why: str


def clock(work: Callable[[], object]) -> float:
    """Return the seconds that one call takes."""
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def sample(values: Sequence[float], unit: str) -> Sample:
    """Return runs as a sample.

    Raises:
        ValueError: If there are none.
    """
    if not values:
        raise ValueError("nothing was measured")
    return Sample(tuple(values), unit)


def in_turn(runs: int, *works: Callable[[], float]) -> list[Sample]:
    """Take figures of several things in turn, after one round that does not count.

    Returns:
        A sample in seconds for each.
    """
    for work in works:
        work()
    rounds = [[work() for work in works] for _ in range(runs)]
    return [sample(column, "s") for column in zip(*rounds, strict=True)]
