"""The border to the page: JSON in and out, errors as data, steps, UTF-16 offsets."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from leakladder import bridge
from leakladder_dev.examples import ask, work


def reply(method: str, **params: Any) -> dict[str, Any]:
    answer: dict[str, Any] = json.loads(bridge.call(method, json.dumps(params)))
    return answer


WORDS = "alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu"  # 13 tokens


@pytest.fixture
def loaded() -> None:
    """Two files of one row each; the test row has emoji before the shared run."""
    for side, text in (("test", f"😀😀 one {WORDS}"), ("train", f"x 😀 {WORDS} y")):
        work("load", f"{text}\n".encode(), side=side, name=f"{side}.txt")


def test_the_worker_steps_just_the_jobs() -> None:
    """A job that the worker called like a short method would not be found."""
    script = (Path(__file__).parents[1] / "web" / "worker" / "main.js").read_text("utf-8")
    listed = re.search(r"const STEPPED = new Set\(\[(.*?)\]\)", script, re.DOTALL)
    assert listed is not None
    assert set(re.findall(r"'(\w+)'", listed[1])) == set(bridge.JOBS)


@pytest.mark.parametrize(
    ("text", "offsets", "expected"),
    [
        ("abc", [0, 1, 3], [0, 1, 3]),
        ("😀b", [0, 1, 2], [0, 2, 3]),
        ("a😀😀b", [1, 2, 3, 4], [1, 3, 5, 6]),
        ("\ud83d😀", [0, 1, 2], [0, 1, 3]),
        ("", [0], [0]),
    ],
)
def test_utf16_offsets(text: str, offsets: list[int], expected: list[int]) -> None:
    found = bridge.utf16_offsets(text, offsets)
    assert [found[offset] for offset in offsets] == expected
    for offset in offsets:
        units = len(text[:offset].encode("utf-16-le", "surrogatepass")) // 2
        assert found[offset] == units


def test_marks_leave_in_utf16_units(loaded: None) -> None:
    work("run", rung="ngrams", settings={})
    pair = ask("pair", rung="ngrams", index=0)
    for side in ("test", "train"):
        (part,) = pair[side]["parts"]
        (mark,) = part["marks"]
        units = part["text"].encode("utf-16-le")
        assert units[2 * mark["start"] : 2 * mark["stop"]].decode("utf-16-le") == WORDS


def test_selftest_and_versions() -> None:
    assert ask("selftest") == {"ok": True}
    assert ask("versions").keys() == {"leakladder", "algorithm", "python", "unicode"}


def test_expected_errors_are_data_with_a_place() -> None:
    bridge.start("load", json.dumps({"side": "test", "name": "a.jsonl"}), b'{"a": 1}\n{"a"\n')
    while "progress" in (answer := json.loads(bridge.step(1000))):
        pass
    assert answer["error"]["code"] == "bad-records"
    assert answer["error"]["line"] == 2


def test_a_failed_load_keeps_the_file(loaded: None) -> None:
    bridge.start("load", json.dumps({"side": "test", "name": "a.jsonl"}), b'{"a"\n')
    while "progress" in json.loads(bridge.step(1000)):
        pass
    assert work("run", rung="ngrams", settings={})["test"]["name"] == "test.txt"


def test_unexpected_errors_say_internal() -> None:
    answer = reply("table", rung="ngrams", nonsense=1)
    assert answer["error"]["code"] in {"internal", "not-run"}
    assert reply("split_values")["error"]["code"] == "internal"


def test_a_bad_setting_names_itself(loaded: None) -> None:
    bridge.start("run", json.dumps({"rung": "ngrams", "settings": {"n": 26}}))
    error = json.loads(bridge.step(1000))["error"]
    assert (error["code"], error["setting"]) == ("bad-setting", "n")
    error = reply("view", rung="ngrams", settings={"m": 1})["error"]
    assert (error["code"], error["setting"]) == ("bad-setting", "m")


def test_view_moves_n_without_a_scan_and_refuses_another_tokenization(loaded: None) -> None:
    work("run", rung="ngrams", settings={"n": 13})
    assert ask("view", rung="ngrams", settings={"n": 13})["flagged"] == 1
    summary = ask("view", rung="ngrams", settings={"n": 14})
    assert (summary["flagged"], summary["checkable"]) == (0, 1)
    assert summary["stamp"]["n"] == 14


def test_abandon_drops_the_job_and_keeps_results(loaded: None) -> None:
    first = work("run", rung="ngrams", settings={"n": 13})
    bridge.start("run", json.dumps({"rung": "ngrams", "settings": {"tokens": "strict"}}))
    bridge.abandon()
    assert ask("view", rung="ngrams", settings={"n": 13}) == first


def test_a_new_file_with_the_same_name_is_another_scan(loaded: None) -> None:
    work("run", rung="ngrams", settings={})
    work("load", b"nothing shared\n", side="train", name="train.txt")
    assert work("run", rung="ngrams", settings={})["flagged"] == 0


def test_swap_and_unload(loaded: None) -> None:
    facts = ask("swap")
    assert facts["test"]["name"] == "train.txt"
    ask("unload", side="train")
    bridge.start("run", json.dumps({"rung": "ngrams", "settings": {}}))
    assert json.loads(bridge.step(1000))["error"]["code"] == "not-run"


def test_export_gives_bytes(loaded: None) -> None:
    work("run", rung="ngrams", settings={})
    data = bridge.export(json.dumps({"what": "ngrams.csv", "text": False}))
    assert data.startswith(b"index,record,line,state,")
    report = json.loads(bridge.export(json.dumps({"what": "ngrams.json"})))
    assert report["rows"][0]["text"].endswith(WORDS)


def test_clean_hands_over_bytes_once_and_a_summary(loaded: None) -> None:
    work("run", rung="ngrams", settings={})
    summary = work("clean", side="train", by=["ngrams"])
    assert (summary["rows"], summary["kept"], summary["left_out"]) == (1, 0, 1)
    data = bridge.export(json.dumps({"what": "cleaned"}))
    assert WORDS.encode() not in data


def test_cite_writes_a_sentence(loaded: None) -> None:
    work("run", rung="ngrams", settings={})
    assert "13" in ask("cite", rungs=["ngrams"])["sentence"]


def test_write_adds_marks_and_hands_over_bytes(loaded: None) -> None:
    work("run", rung="ngrams", settings={})
    marks = {"1": {"mark": "leak", "note": "=copied"}}
    work("write", what="ngrams.csv", text=False, marks=marks)
    head, first = bridge.export(json.dumps({"what": "written"})).decode().split("\r\n")[:2]
    assert head.endswith(",mark,note,stamp")
    assert ",leak,'=copied," in first
    work("write", what="ngrams.json", marks=marks)
    assert json.loads(bridge.export(json.dumps({"what": "written"})))["marks"] == marks
