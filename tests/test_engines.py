"""The same end-to-end pass in every engine, on the hosted page and on the saved copy.

`python build.py test` has it in Chromium, `python build.py test --engines all` in Firefox and
WebKitGTK too. What an engine writes is held against the command line, byte by byte.
"""

import csv
import io
import json
import os
import shutil
import unicodedata
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from conftest import ROOT, PyodideHost
from core_runs import without_unicode
from engine_chromium import ChromiumTab
from engine_firefox import FirefoxTab
from engine_tab import SilenceError, Tab
from engine_webkit import WebKitTab
from leakladder_dev.dist import ensure_dist
from leakladder_dev.engines import ENGINES
from leakladder_dev.manifest import COPY_FILES
from leakladder_dev.steps import DIST
from test_cli import run

pytestmark = pytest.mark.browser

CHOSEN = ENGINES if os.environ.get("LEAKLADDER_ENGINES") == "all" else ENGINES[:1]
PLACES = ("hosted", "saved copy")
GOLDEN = ROOT / "tests" / "golden" / "engines"
TEST, TRAIN = "pass.test.jsonl", "pass.train.csv"
RUNGS = ("rows", "ngrams", "rules")
# Characters of the two files that Unicode 3.2, which every Python knows, did not have yet, with
# the version that brought them: none after 14, so CPython from 3.11 on reads them alike.
LATER = {
    "☕": 4, "🇳": 6, "🇴": 6, "🏴": 7, "🏽": 8, "👩": 6, "🔥": 6, "🚀": 6, "🦤": 13, "🫠": 14,
    "𒀀": 5, "𒀁": 5, "𓀀": 5.2, "𓀁": 5.2, "𓀂": 5.2,
}  # fmt: skip
# Letters and marks of Unicode 15 to 16, in capitals on one side: Cyrillic, Garay, Kannada, Han.
NEWER = "\u1c89\u0430 \U00010d50\U00010d51 \u0c95\u0cf3 \U0002ebf0 \U0001fae8 \ua7cb \U0001e4d0"

SUBJECTS = (
    "the old ferry", "an old ferry boat", "a lighthouse keeper", "the keeper of the lighthouse",
    "my bicycle", "my bike", "the biology teacher", "the teacher of biology", "a stray dog",
    "the village baker", "an electric bus", "the goalkeeper",
)  # fmt: skip
DEEDS = (
    ("left before sunrise", "departed before the sun came up"),
    ("broke down in the rain", "stopped working while it rained"),
    ("was loved by everybody", "had no enemies at all"),
    ("costs twice as much now", "has doubled in price"),
    ("came back on Friday", "returned at the end of the week"),
    ("made a terrible noise", "was unbearably loud"),
)
ACROSS, WITHIN = "test to training", "within the test file"
START = """() => {
  const button = document.querySelector('.meaning-go button')
  button?.click()
  return button !== null
}"""
OPEN_ROW = """(label) => {
  const named = (button) => button.textContent.includes(label)
  const found = [...document.querySelectorAll('.tabpanel tbody .opener')].filter(named)
  found[0]?.click()
  return found.length === 1
}"""
NEAR = 0.001
THRESHOLD = 0.9
COUNT_WORKERS = """(cores) => {
  Object.defineProperty(navigator, 'hardwareConcurrency', { value: cores, configurable: true })
  globalThis.OwnWorker ??= Worker
  globalThis.started = []
  globalThis.Worker = function (address, options) {
    started.push(options.name)
    return new OwnWorker(address, options)
  }
}"""
MARK = "(name) => performance.getEntriesByName(name).at(-1)?.detail"
READ_NEIGHBOUR = """async () => {
  try {
    return await (await fetch('neighbour.txt')).text()
  } catch (error) {
    return error.name
  }
}"""
COMPLAIN = """() => {
  console.error('planted')
  setTimeout(() => { throw new Error('uncaught') })
  void Promise.reject(new Error('unhandled'))
  new Image().src = 'https://example.org/x'
}"""


def jsonl(texts: list[str]) -> bytes:
    """One record a text, with an id."""
    rows = ({"id": f"r{at}", "text": text} for at, text in enumerate(texts))
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows).encode()


ALIKE = [
    jsonl([f"{who} {deed[side]}" for who in SUBJECTS for deed in DEEDS]) for side in (0, 1)
]


@pytest.fixture(scope="module", params=CHOSEN)
def tab(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Tab]:
    """A tab of each engine; one that cannot be started fails."""
    home, downloads = (tmp_path_factory.mktemp(name) for name in ("home", "downloads"))
    match request.param:
        case "chromium":
            made: Tab = ChromiumTab(request.getfixturevalue("chromium"), downloads)
        case "firefox":
            made = FirefoxTab(home, downloads)
        case _:
            made = WebKitTab(home, downloads)
    yield made
    made.close()


@pytest.fixture(scope="module", params=PLACES)
def opened(
    request: pytest.FixtureRequest, tab: Tab, tmp_path_factory: pytest.TempPathFactory
) -> Tab:
    """The tab on the page with Python ready and the example computed.

    The hosted page is visited twice, so Python starts there from the picture of its memory that
    the first visit kept; in the saved copy it starts plainly.
    """
    if request.param == PLACES[0]:
        url = request.getfixturevalue("site")
        tab.open(url)
        tab.settle()
        tab.until("a picture", lambda: tab.evaluate(MARK, "leakladder-snapshot") == "kept")
        tab.open(url)
        way = "snapshot"
    else:
        tab.open(saved_alone(tab, tmp_path_factory.mktemp("alone")))
        way = "plain"
    tab.settle()
    assert tab.evaluate(MARK, "leakladder-ready") == way
    return tab


def saved_alone(tab: Tab, folder: Path) -> str:
    """Address of a saved copy in a folder whose files no page may read."""
    ensure_dist()
    (folder / "neighbour.txt").write_text("read", "utf-8")
    (folder / "other.html").write_text("<p data-region=standby></p>", "utf-8")
    tab.open((folder / "other.html").as_uri())
    assert tab.evaluate(READ_NEIGHBOUR) == "TypeError"  # as Fetch says of a network error
    return Path(shutil.copy(DIST / COPY_FILES[0], folder / "my copy é.html")).as_uri()


@pytest.fixture
def page(opened: Tab) -> Iterator[Tab]:
    """The page; whatever the console has to say against it fails the test."""
    yield opened
    assert opened.complaints() == []


@pytest.fixture(scope="module")
def printed(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """What the command line writes of the two files, in this CPython."""
    out = tmp_path_factory.mktemp("printed")
    for rung in RUNGS:
        files = ("--csv", str(out / f"{rung}.csv"), "--json", str(out / f"{rung}.json"))
        assert run(rung, TEST, TRAIN, *files, cwd=GOLDEN).returncode == 0
    assert (
        run("check", TEST, TRAIN, "--json", str(out / "check.json"), cwd=GOLDEN).returncode == 0
    )
    return {path.name: path.read_bytes() for path in out.iterdir()}


def downloads(tab: Tab) -> dict[str, bytes]:
    """Every file of rungs 1 to 5, taken as a person takes it."""
    found = {}
    for rung in RUNGS:
        tab.click(f"#tab-{rung}")
        for kind in ("csv", "json"):
            name = f"{rung}.{kind}"
            found[name] = tab.download(f"Download {kind.upper()}", f"leakladder-{name}")
    tab.click("#tab-overview")
    found["check.json"] = tab.download("Download the JSON report", "leakladder-check.json")
    return found


def test_the_files_hold_nothing_newer_than_unicode_14() -> None:
    text = "".join((GOLDEN / name).read_text("utf-8") for name in (TEST, TRAIN))
    known = unicodedata.ucd_3_2_0
    assert {each for each in text if known.category(each) == "Cn"} == set(LATER)
    assert max(LATER.values()) <= 14


def test_example_stands_with_its_result(page: Tab) -> None:
    page.see(".answer h1", "2 of 3")
    assert page.texts(".slot .tag[data-tone=example]") == ["example", "example"]
    page.see(".strip-text", "in this tab")  # once its run, if one began, is over


def test_every_export_is_the_command_lines(
    page: Tab, printed: dict[str, bytes], pyodide: PyodideHost
) -> None:
    pair = {name: (GOLDEN / name).read_bytes() for name in (TRAIN, TEST)}
    page.drop(pair)
    page.see(".slot[data-side=test] .slot-name", TEST)
    page.see(".slot[data-side=train] .slot-name", TRAIN)
    found = downloads(page)
    assert found.keys() == printed.keys()
    for name, data in found.items():
        assert without_unicode(data) == without_unicode(printed[name]), name
    assert_as_in_pyodide(found, pair[TEST], pair[TRAIN], (TEST, TRAIN), pyodide)


def test_pair_is_read_with_its_marks(page: Tab) -> None:
    page.click("#tab-ngrams")
    numbers = "one two three four five six seven eight nine ten eleven twelve thirteen"
    plain = "words beyond the first plane stand beside plain ones so that offsets must be "
    for label, run_of_words in (("t09", numbers), ("t21", f"{plain}counted with care")):
        open_row(page, label)
        for pane in ("Test", "Training"):
            assert page.texts(f".pane[aria-label='{pane} text'] mark") == [run_of_words]


def open_row(tab: Tab, label: str) -> None:
    """Open the row of the open table with this label."""
    tab.until(f"row {label}", lambda: tab.evaluate(OPEN_ROW, label))
    tab.see(".pair h3", label)


def test_newer_characters_are_read_as_in_pyodide(page: Tab, pyodide: PyodideHost) -> None:
    """All bytes, the Unicode version in them, under a CPython that has the same Unicode."""
    names = ("newer.test.jsonl", "newer.train.jsonl")
    words = "a b c d e f g h i j k l m"
    test, train = (jsonl([f"{text} {words}", text]) for text in (NEWER, NEWER.swapcase()))
    page.drop(dict(zip(names, (test, train), strict=True)))
    page.see(".slot[data-side=test] .slot-name", names[0])
    page.see(".slot[data-side=train] .slot-name", names[1])
    assert_as_in_pyodide(downloads(page), test, train, names, pyodide)


def assert_as_in_pyodide(
    found: Mapping[str, bytes],
    test: bytes,
    train: bytes,
    names: tuple[str, str],
    pyodide: PyodideHost,
) -> None:
    """Hold every byte against the same core in Pyodide under Node.js."""
    for rung in RUNGS:
        files = test.decode(), train.decode()
        there = pyodide.call("core_runs", "compare_texts", *files, rung, {}, names)
        for kind, text in there.items():
            assert found[f"{rung}.{kind}"] == text.encode(), f"{rung}.{kind}"


# ------------------------------------------------------------------ rung 6


@pytest.fixture(scope="module")
def alike(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[dict[str, str]]]:
    """Pairs and nearest rows of the sentences by the command line's runtime."""
    folder = tmp_path_factory.mktemp("alike")
    for name, data in zip(("test.jsonl", "train.jsonl"), ALIKE, strict=True):
        (folder / name).write_bytes(data)
    words = ("meaning", "test.jsonl", "--against", "train.jsonl", "--csv-dir", str(folder))
    done = run(*words, cwd=folder)
    assert (done.returncode, done.stderr) == (0, b"")
    return {name: table((folder / f"{name}.csv").read_bytes()) for name in ("pairs", "nearest")}


def table(data: bytes) -> list[dict[str, str]]:
    """The records of a CSV file, without the stamp that the first one carries."""
    rows = list(csv.DictReader(io.StringIO(data.decode(), newline="")))
    return [{name: row[name] for name in row if name != "stamp"} for row in rows]


def compare_meanings(tab: Tab, mode: str, cores: int) -> list[str]:
    """Run rung 6 afresh as on a machine with so many cores; the workers it started."""
    tab.evaluate(COUNT_WORKERS, cores)
    tab.click("#tab-meaning")
    tab.press(mode)
    tab.until("the button that starts", lambda: tab.evaluate(START))
    tab.until("a result", lambda: tab.texts(".meaning-lead"))
    started: list[str] = tab.evaluate("() => started")
    return started


def test_meaning_does_not_depend_on_workers_or_batches(
    page: Tab, alike: dict[str, list[dict[str, str]]], tmp_path: Path
) -> None:
    test, train = ALIKE
    assert len(test.splitlines()) + len(train.splitlines()) >= 128  # where workers share
    page.drop({"test.jsonl": test, "train.jsonl": train})
    made = []
    for cores in (1, 2):
        started = compare_meanings(page, ACROSS, cores)
        assert started == ["leakladder-meaning"] * cores
        data = page.download("Download Nearest CSV", "leakladder-meaning-nearest.csv")
        report = page.download("Download JSON", "leakladder-meaning.json")
        made.append((data, report))
        page.press("Clear vectors and result")
    assert made[0] == made[1]
    nearest = table(made[0][0])
    assert_near(nearest, alike["nearest"])

    third = tmp_path / "third.jsonl"  # its rows have others beside them in a batch
    third.write_bytes(b"".join(test.splitlines(keepends=True)[::3]))
    page.choose("input[data-input=test]", third)
    page.see(".slot[data-side=test] .slot-name", "third.jsonl")
    compare_meanings(page, ACROSS, 1)
    data = page.download("Download Nearest CSV", "leakladder-meaning-nearest.csv")
    cosines = [row["cosine"] for row in table(data)]
    assert cosines == [row["cosine"] for row in nearest[::3]]


def test_pairs_that_read_alike_are_the_command_lines(
    page: Tab, alike: dict[str, list[dict[str, str]]]
) -> None:
    page.drop({"test.jsonl": ALIKE[0]}, ".slot[data-side=test]")
    page.see(".slot[data-side=test] .slot-name", "test.jsonl")
    compare_meanings(page, WITHIN, 2)
    here = cosines_of(
        table(page.download("Download Pairs CSV", "leakladder-meaning-pairs.csv"))
    )
    there = cosines_of(alike["pairs"])
    assert len(there) > 20
    for pair in here.keys() | there.keys():
        one, other = here.get(pair, THRESHOLD), there.get(pair, THRESHOLD)
        assert abs(one - other) <= NEAR, pair


def cosines_of(rows: list[dict[str, str]]) -> dict[tuple[str, str], float]:
    """Pairs by their two records."""
    return {(row["a_record"], row["b_record"]): float(row["cosine"]) for row in rows}


def assert_near(here: list[dict[str, str]], there: list[dict[str, str]]) -> None:
    """Hold nearest rows against another engine's: cosines within NEAR, all else equal."""
    assert len(here) == len(there) > 0
    for one, other in zip(here, there, strict=True):
        assert abs(float(one["cosine"]) - float(other["cosine"])) <= NEAR
        assert one | {"cosine": ""} == other | {"cosine": ""}


# ------------------------------------------------------------------ the witness


def test_silence_is_sat_out_once(tmp_path: Path) -> None:
    """Nothing that an engine never answers holds the tests after it up as well."""
    mute = MuteTab(tmp_path)
    for _ in range(3):
        with pytest.raises(SilenceError, match="no answer in 120 s to a call"):
            mute.settle()
    assert mute.asked == 1


class MuteTab(ChromiumTab):
    """A tab of an engine that never answers."""

    def __init__(self, downloads: Path) -> None:
        Tab.__init__(self, downloads)
        self.asked = 0

    def call(self, function: str, given: str) -> str:
        with self.answering("a call"):
            self.asked += 1
            raise TimeoutError


def test_complaints_are_heard(opened: Tab) -> None:
    """The last test of a page: were anything wrong in those before it, it would have shown."""
    assert opened.complaints() == []
    opened.evaluate(COMPLAIN)
    for part in ("planted", "uncaught", "unhandled", "example.org"):
        hear(opened, part)


def hear(tab: Tab, part: str) -> None:
    """Wait until the console complains of something."""
    tab.until(f"complaint of {part}", lambda: part in "".join(tab.complaints()))
