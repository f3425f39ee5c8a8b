"""The bench's own arithmetic: targets, exponents, its host, its table. Nothing is timed."""

import gzip
import urllib.error
import urllib.request
from pathlib import Path

import pytest

from leakladder_dev import bench
from leakladder_dev.bench_cost import Panel, exponents, table_of, worst_step
from leakladder_dev.bench_figure import Failure, Figure, Sample, Target, number, sample
from leakladder_dev.bench_host import BenchHost, Sent
from leakladder_dev.bench_report import table_of as results_table
from leakladder_dev.bench_run import Bench
from leakladder_dev.bench_stress import flagged_by_others
from leakladder_dev.bench_visits import check_warm
from leakladder_dev.steps import StepError


@pytest.mark.parametrize(
    ("value", "expected"), [(0.0349, "0.03"), (2.4, "2.40"), (35.14, "35.1"), (1234.5, "1,234")]
)
def test_figures_have_three_digits_that_count(value: float, expected: str) -> None:
    assert number(value) == expected


@pytest.mark.parametrize(
    ("target", "expected"),
    [
        pytest.param(Target(), None, id="nothing is aimed at"),
        pytest.param(Target(at_most=2), True, id="the median is at the bound"),
        pytest.param(Target(at_most=1.9), False, id="the median is over the bound"),
        pytest.param(Target(slowest_at_most=2.9), False, id="one run is over the bound"),
        pytest.param(Target(times_at_most=0.5), True, id="half of the reference"),
        pytest.param(Target(times_at_least=2), False, id="not twice the reference"),
        pytest.param(Target(at_most=2, times_at_most=0.4), False, id="one of two bounds"),
    ],
)
def test_a_target_is_met_when_every_bound_holds(target: Target, expected: bool | None) -> None:
    assert target.is_met(sample([1, 2, 3], "s"), sample([4, 4, 4], "s")) is expected


def test_a_ratio_needs_a_reference() -> None:
    with pytest.raises(ValueError, match="needs a reference"):
        Target(times_at_most=1).is_met(sample([1], "s"), None)
    with pytest.raises(ValueError, match="nothing was measured"):
        sample([], "s")


def test_the_table_has_a_line_for_what_failed() -> None:
    met = Figure("a", Sample((1.0, 3.0, 2.0), "s"), Target(at_most=2), "b", Sample((4.0,), "s"))
    table = results_table([met, Failure("c", "no | here")]).splitlines()
    assert table[2] == (
        "| a | at most 2 s | 2.00 s | 1.00 to 3.00 | b | 4.00 s | one run | 0.50 x | yes |  |"
    )
    assert table[3].startswith("| c |  | failed: no / here |")
    assert len({line.count("|") for line in table}) == 1


def test_exponents_of_known_powers() -> None:
    linear = [(1.0, 0.5), (2.0, 1.0), (10.0, 5.0)]
    square = [(size, size**2) for size, _ in linear]
    assert exponents(linear) == pytest.approx([1, 1])
    assert exponents(square) == pytest.approx([2, 2])
    panel = Panel("host", "MB a side", {"straight": linear, "steep": square})
    assert "| steep | 1.00 | 4.00 (2.00) | 100 (2.00) |" in table_of(panel)
    assert worst_step(panel).ours.values == pytest.approx([2])
    assert worst_step(panel).note.startswith("steep;")


def test_the_host_packs_lets_keep_and_counts(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes(b"x" * 1000)
    (tmp_path / "more").mkdir()
    (tmp_path / "more" / "b.bin").write_bytes(b"\x00\x01")
    with BenchHost({"/": tmp_path, "/other/": tmp_path / "more"}) as host:
        request = urllib.request.Request(
            f"{host.url}a.txt", headers={"Accept-Encoding": "gzip"}
        )
        with urllib.request.urlopen(request) as answer:
            body = answer.read()
            assert answer.headers["Cache-Control"] == "max-age=3600"
        with urllib.request.urlopen(f"{host.url}other/b.bin") as answer:
            assert answer.read() == b"\x00\x01"
        with pytest.raises(urllib.error.HTTPError, match="404"):
            urllib.request.urlopen(f"{host.url}nothing")
        sent = list(host.sent)
    assert gzip.decompress(body) == b"x" * 1000
    assert sent == [
        Sent("/a.txt", 200, len(body)),
        Sent("/other/b.bin", 200, 2),
        Sent("/nothing", 404, 0),
    ]


def test_a_visit_that_should_be_warm_and_is_not_fails() -> None:
    sent = [Sent("/large", 200, 200_000), Sent("/small", 200, 10)]
    check_warm(sent[1:], first_turn=False)
    check_warm(sent, first_turn=True)
    with pytest.raises(StepError, match="/large"):
        check_warm(sent, first_turn=False)
    with pytest.raises(StepError, match="nothing"):
        check_warm(sent[1:], first_turn=True)


def test_rows_that_share_a_run_with_another_row_are_counted(tmp_path: Path) -> None:
    words = " ".join(f"w{at}" for at in range(13))
    texts = [words, f"x {words} y", " ".join(f"v{at}" for at in range(13)), "short"]
    path = tmp_path / "train.jsonl"
    path.write_text("".join(f'{{"text": "{text}"}}\n' for text in texts), "utf-8")
    assert flagged_by_others((path, path)) == {"rows": 4, "flagged": 2}


def test_a_row_that_fails_does_not_end_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    figure = Figure("fine", sample([1.0], "s"))

    def broken(_: Bench) -> list[Figure]:
        raise StepError("look", "nothing there", "look again")

    monkeypatch.setattr(bench, "ROWS", {"broken": broken, "fine": lambda _: [figure]})
    found = list(bench.measure(Bench(1), ["broken", "fine"]))
    assert found == [Failure("broken", "look: nothing there"), figure]


def test_an_unknown_row_is_refused() -> None:
    with pytest.raises(StepError, match="no row nonsense"):
        bench.run_bench(bench.Wanted(only=["nonsense"]))
