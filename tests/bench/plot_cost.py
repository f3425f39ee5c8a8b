"""Draw the bench's cost against size: one SVG, both axes logarithmic, a panel for each host.

    python plot_cost.py OUT.svg < PANELS.json

PANELS.json is a list of {"title", "unit", "curves": {name: [[size, seconds], ...]}}. On such
axes a cost that grows with the size is a straight line that climbs as the grey lines do.
"""

import json
import sys

import matplotlib as mpl

mpl.use("svg")
import matplotlib.pyplot as plt
from matplotlib.axes import Axes

MARKS = "osD^vP"


def draw_panel(axes: Axes, panel: dict[str, object]) -> None:
    """Draw the curves of one host, with grey lines of linear cost behind them."""
    curves = panel["curves"]
    assert isinstance(curves, dict)
    for mark, (name, points) in zip(MARKS, curves.items(), strict=False):
        sizes, seconds = zip(*points, strict=True)
        axes.loglog(sizes, seconds, marker=mark, markersize=4, linewidth=1.2, label=name)
    low, high = axes.get_xlim()
    bottom, top = axes.get_ylim()
    start = bottom / 1000
    while start < top * 10:
        axes.loglog(
            [low, high], [start, start * high / low], color="0.85", linewidth=0.6, zorder=0
        )
        start *= 10**0.5
    axes.set(xlim=(low, high), ylim=(bottom, top))
    measured = sorted({size for points in curves.values() for size, _ in points})
    axes.set_xticks(measured, labels=[f"{size:,g}" for size in measured])
    axes.set_xticks([], minor=True)
    axes.yaxis.set_major_formatter(lambda seconds, _: f"{seconds:g}")
    axes.set(title=panel["title"], xlabel=panel["unit"], ylabel="seconds, median")
    axes.legend(fontsize=7, frameon=False)


def main() -> int:
    """Read the panels and write the SVG."""
    panels = json.load(sys.stdin)
    mpl.rcParams["svg.hashsalt"] = "leakladder"  # the same picture has the same bytes
    mpl.rcParams["font.size"] = 9
    figure, grid = plt.subplots(1, len(panels), figsize=(4.2 * len(panels), 4.2), squeeze=False)
    for axes, panel in zip(grid[0], panels, strict=True):
        draw_panel(axes, panel)
    figure.tight_layout()
    figure.savefig(sys.argv[1], metadata={"Date": None})
    return 0


if __name__ == "__main__":
    sys.exit(main())
