"""One file of every format reaches the page by drag and by picker, and is read the same."""

import base64
import csv
import gzip
import io
import json
import zipfile
from collections.abc import Callable, Iterator

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import zstandard
from playwright.sync_api import Browser, Locator, Page, expect

from hosts import READY_MS
from tabs import settle
from test_page import figures, give

pytestmark = pytest.mark.browser

RUN = "nine grey herons stood along the wall while the tide ran out across the flats"
CLEAN = "It holds fourteen words, enough for it to be judged all by itself here"
ROWS = [
    {"id": "h1", "question": f"Why, asked Ida, {RUN}?"},
    {"id": "h2", "question": CLEAN},
    {"id": "h3", "question": "Too short"},
]  # fmt: skip
TRAIN = json.dumps({"id": "t1", "question": f"It is said that {RUN}."}).encode() + b"\n"


def jsonl() -> bytes:
    return "".join(json.dumps(row) + "\n" for row in ROWS).encode()


def delimited(delimiter: str) -> bytes:
    out = io.StringIO(newline="")
    writer = csv.writer(out, delimiter=delimiter)
    writer.writerows([ROWS[0].keys(), *(row.values() for row in ROWS)])
    return out.getvalue().encode()


def parquet() -> bytes:
    out = io.BytesIO()
    pq.write_table(pa.Table.from_pylist(ROWS), out, compression="zstd")
    return out.getvalue()


def zipped() -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("rows.jsonl", jsonl())
    return out.getvalue()


FILES: dict[str, Callable[[], bytes]] = {
    "rows.jsonl": jsonl,
    "rows.json": lambda: json.dumps(ROWS).encode(),
    "columns.json": lambda: json.dumps({k: [row[k] for row in ROWS] for k in ROWS[0]}).encode(),
    "server.json": lambda: json.dumps({"rows": [{"row": row} for row in ROWS]}).encode(),
    "rows.csv": lambda: delimited(","),
    "semicolons.csv": lambda: delimited(";"),
    "bars.csv": lambda: delimited("|"),
    "rows.tsv": lambda: delimited("\t"),
    "rows.txt": lambda: "\n".join(row["question"] for row in ROWS).encode(),
    "rows.parquet": parquet,
    "rows.jsonl.gz": lambda: gzip.compress(jsonl()),
    "rows.jsonl.zip": zipped,
    "rows.jsonl.zst": lambda: zstandard.compress(jsonl()),
    "utf16.jsonl": lambda: jsonl().decode().encode("utf-16"),
    "bom.csv": lambda: b"\xef\xbb\xbf" + delimited(","),
}  # fmt: skip
DROP = """({ name, data, side }) => {
  const bytes = Uint8Array.from(atob(data), (letter) => letter.charCodeAt(0))
  const transfer = new DataTransfer()
  transfer.items.add(new File([bytes], name))
  const how = { bubbles: true, cancelable: true, dataTransfer: transfer }
  document.querySelector(`.slot[data-side=${side}]`).dispatchEvent(new DragEvent('drop', how))
}"""


@pytest.fixture(scope="module")
def tab(chromium: Browser, site: str) -> Iterator[Page]:
    """One tab with Python ready and the training file in."""
    context = chromium.new_context()
    page = context.new_page()
    page.goto(site)
    settle(page)
    give(page, "train", "train.jsonl", TRAIN)
    yield page
    context.close()


def card_of(page: Page, side: str) -> Locator:
    return page.locator(f".slot[data-side={side}]")


@pytest.mark.parametrize("way", ["drag", "picker"])
@pytest.mark.parametrize("name", FILES)
def test_every_format_is_read_the_same(tab: Page, name: str, way: str) -> None:
    data = FILES[name]()
    if way == "drag":
        encoded = base64.b64encode(data).decode()
        tab.evaluate(DROP, {"name": name, "data": encoded, "side": "test"})
    else:
        give(tab, "test", name, data)
    card = card_of(tab, "test")
    expect(card.locator(".slot-name")).to_have_text(name)
    expect(card).to_have_attribute("data-status", "ready", timeout=READY_MS)
    expect(card.locator(".facts").first).to_contain_text("3 rows")
    field = "text" if name.endswith(".txt") else "question"
    expect(card.get_by_role("checkbox", name=field, exact=True)).to_be_checked()
    settle(tab)
    tab.get_by_role("tab", name="N-grams").click()
    expect(tab.locator(".answer")).to_contain_text(f"{name} against train.jsonl")
    found = figures(tab)
    assert found["Rows flagged"] == "50.0%, 1 of 2 checkable"
    assert found["Rows under 13 tokens"] == "1, not judged"


def test_two_hundred_thousand_rows_a_side(tab: Page) -> None:
    letters = "abcdefghijklmnopqrstuvwxyz0123456789"
    # distinct 4-character ids, 3-character texts: 10 bytes a record, 2,000,000 a file at most
    codes = [a + b + c for a in letters for b in letters for c in letters]
    ids = [f"{letters[n % 36]}{code}" for n in range(5) for code in codes][:199_999]
    texts = [codes[(7 * at) % len(codes)] for at in range(199_999)]
    sides = {
        "test": zip(ids, texts, strict=True),
        "train": zip(reversed(ids), (f"{text[:2]}-" for text in texts), strict=True),
    }
    for side, rows in sides.items():
        data = "id,t\n" + "".join(f"{name},{text}\n" for name, text in rows)
        assert len(data) <= 2_000_000
        give(tab, side, f"{side}.csv", data.encode())
    for side in sides:
        expect(card_of(tab, side)).to_have_attribute("data-status", "ready", timeout=READY_MS)
        expect(card_of(tab, side).locator(".facts").first).to_contain_text("199,999 rows")
    settle(tab)
    tab.locator("#tab-rows").click()
    panel = tab.locator(".panel").first
    told = panel.locator("tr", has_text="Identifier, beside")
    expect(told).to_contain_text("199,999 · 100.0%", timeout=READY_MS)
    expect(panel.locator("tr", has_text="Exact").first).to_contain_text("0 · 0.0%")
    # the last id stands first in the training file: line 2, below the header
    expect(panel.locator("tbody tr", has_text="line 200,000")).to_contain_text("line 2")
