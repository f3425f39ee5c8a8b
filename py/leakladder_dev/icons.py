"""Draw the page's PNG icons from the same shapes as `web/static/icons/icon.svg`.

Run `python -m leakladder_dev.icons` after a change of the shapes; the files are committed.
"""

import struct
import sys
import zlib
from pathlib import Path

from leakladder_dev.steps import WEB

GRID = 64  # the shapes' own units, as in the SVG
GROUND, WHITE, AMBER = (10, 87, 133), (255, 255, 255), (255, 181, 71)
RAILS = ((20, 8, 25, 56), (39, 8, 44, 56))
RUNGS = ((25, 15, 39, 19), (25, 25, 39, 29), (25, 45, 39, 49))
FOUND = (25, 35, 39, 39)
CORNER = 14.0
FINE = 4  # samples a pixel and direction, at the round corners
SAFE = 0.8  # of a maskable icon, the part that no mask cuts off

Color = tuple[int, int, int]


def color_at(x: float, y: float) -> Color:
    """Return the color of a point of the drawing, without regard to its corners."""
    for shapes, color in (((FOUND,), AMBER), (RAILS + RUNGS, WHITE)):
        if any(left <= x < right and top <= y < low for left, top, right, low in shapes):
            return color
    return GROUND


def is_inside(x: float, y: float) -> bool:
    """Return whether a point lies in the rounded square."""
    across = max(CORNER - x, x - (GRID - CORNER), 0.0)
    down = max(CORNER - y, y - (GRID - CORNER), 0.0)
    return across * across + down * down <= CORNER * CORNER


def coverage(x: int, y: int, size: int) -> int:
    """Return how much of a pixel the rounded square covers, 0 to 255."""
    unit = GRID / size
    inside = sum(
        is_inside((x + (i + 0.5) / FINE) * unit, (y + (j + 0.5) / FINE) * unit)
        for i in range(FINE)
        for j in range(FINE)
    )
    return round(255 * inside / FINE**2)


def draw(size: int, *, maskable: bool = False) -> bytes:
    """Return an icon of `size` pixels a side as PNG."""
    scale = SAFE if maskable else 1.0
    rows = []
    for y in range(size):
        row = bytearray(b"\0")  # the filter of the line: none
        for x in range(size):
            spot = [((at + 0.5) / size - 0.5) / scale * GRID + GRID / 2 for at in (x, y)]
            alpha = 255 if maskable else coverage(x, y, size)
            row += bytes((*color_at(*spot), alpha))
        rows.append(bytes(row))
    return png(size, b"".join(rows))


def png(size: int, lines: bytes) -> bytes:
    """Return a square RGBA image as PNG."""
    head = struct.pack(">IIBBBBB", size, size, 8, 6, 0, 0, 0)
    chunks = ((b"IHDR", head), (b"IDAT", zlib.compress(lines, 9)), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
        for kind, data in chunks
    )


def main(folder: Path) -> int:
    """Write the icons that the web manifest names."""
    for size in (192, 512):
        (folder / f"icon-{size}.png").write_bytes(draw(size))
    (folder / "icon-maskable-512.png").write_bytes(draw(512, maskable=True))
    return 0


if __name__ == "__main__":
    sys.exit(main(WEB / "static" / "icons"))
