"""The build: complete, reproducible, hashed; the server's types and the wheel's contents."""

import hashlib
import json
import socket
import subprocess
import sys
import urllib.request
import zipfile
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from leakladder_dev import dist, engines
from leakladder_dev.__main__ import main, parse
from leakladder_dev.dist import build_dist, ensure_dist, page_bounds
from leakladder_dev.steps import DIST, ROOT, StepError, run_step


def hashes(folder: Path) -> dict[str, str]:
    return {
        path.relative_to(folder).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def test_two_builds_are_byte_identical() -> None:
    ensure_dist()
    first = hashes(DIST)
    build_dist(page_bounds(2.0, 200_000))
    assert hashes(DIST) == first


def test_manifest_has_every_file() -> None:
    ensure_dist()
    manifest = json.loads((DIST / "manifest.json").read_text("utf-8"))
    found = hashes(DIST)
    del found["manifest.json"]
    assert {name: entry["sha256"] for name, entry in manifest["files"].items()} == found
    assert manifest["bounds"] == {"bytes": 2_000_000, "rows": 200_000}


def test_wheel_holds_only_the_package_and_needs_nothing_in_pyodide() -> None:
    ensure_dist()
    (path,) = (DIST / "wheels").glob("leakladder-*.whl")
    with zipfile.ZipFile(path) as wheel:
        names = wheel.namelist()
        (metadata,) = [name for name in names if name.endswith("METADATA")]
        text = wheel.read(metadata).decode()
    assert all(name.split("/")[0].startswith("leakladder") for name in names)
    assert not any(name.startswith("leakladder_dev") for name in names)
    needs = [line for line in text.splitlines() if line.startswith("Requires-Dist:")]
    assert needs
    assert all("emscripten" in line for line in needs)


def test_worker_is_one_script_without_import_of_code() -> None:
    ensure_dist()
    for path in DIST.glob("*worker*.js"):
        text = path.read_text("utf-8")
        assert not text.lstrip().startswith("import")
        assert "unsafe-eval" not in text


def test_page_has_its_policy_first_and_no_inline_code() -> None:
    page = (DIST / "index.html").read_text("utf-8")
    head = page.split("<head>")[1]
    policy = head.index("Content-Security-Policy")
    assert policy < head.index("<script")
    assert policy < head.index("<link")
    assert "'wasm-unsafe-eval'" in page
    assert "'unsafe-inline'" not in page
    assert " onclick=" not in page
    assert "<style" not in page


def test_no_preload_link_takes_the_compiled_code_away() -> None:
    """Chromium keeps compiled WebAssembly for a fetch by a script, not for a preloaded one."""
    page = (DIST / "index.html").read_text("utf-8")
    preloaded = [line for line in page.splitlines() if 'rel="preload"' in line]
    assert preloaded
    assert not [line for line in preloaded if ".wasm" in line]


def test_server_gives_the_types_that_browsers_ask_for(site: str) -> None:
    for name, kind in (
        ("", "text/html; charset=utf-8"),
        ("app.js", "text/javascript; charset=utf-8"),
        ("pyodide/pyodide.asm.wasm", "application/wasm"),
        ("manifest.json", "application/json"),
    ):
        with urllib.request.urlopen(site + name) as answer:
            assert answer.headers["Content-Type"] == kind


def test_serve_is_ready_at_once_when_nothing_changed() -> None:
    ensure_dist()
    command = [sys.executable, "build.py", "serve", "--port", "0", "--no-open"]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        lines = []
        for line in process.stdout:
            lines.append(line)
            if line.startswith("Serving http://127.0.0.1:"):
                break
        process.terminate()
    assert lines[-1].startswith("Serving http://127.0.0.1:")
    address = urlsplit(lines[-1].split()[1])
    with pytest.raises(ConnectionRefusedError):  # whoever ends the command ends the server
        socket.create_connection((address.hostname, address.port))
    assert not any("Bundling" in line for line in lines)


def test_bounds_given_to_the_build_are_those_of_the_page(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(dist, "DIST", tmp_path / "dist")
    monkeypatch.setattr(dist, "CACHE", tmp_path / "cache")
    assert main(["build", "--max-mb", "3.5", "--max-rows", "300000"]) == 0
    manifest = json.loads((tmp_path / "dist" / "manifest.json").read_text("utf-8"))
    assert manifest["bounds"] == {"bytes": 3_500_000, "rows": 300_000}
    usual = json.loads((DIST / "manifest.json").read_text("utf-8"))
    assert usual["build"] != manifest["build"], "browsers must not take one for the other"


def test_a_failing_step_says_which_why_and_what_to_do(
    capfd: pytest.CaptureFixture[str],
) -> None:
    with pytest.raises(StepError) as caught:
        run_step("try nothing", ["no-such-program-anywhere"], todo="install it")
    caught.value.show()
    told = capfd.readouterr().err
    assert "'try nothing' failed" in told
    assert "no-such-program-anywhere" in told
    assert "install it" in told


def test_bench_files_are_seeded(tmp_path: Path) -> None:
    script = ROOT / "tests" / "bench" / "make_files.py"
    for name in ("one", "two"):
        subprocess.run(
            [sys.executable, script, "--seed", "1", "--out", tmp_path / name],
            check=True,
            stdout=subprocess.DEVNULL,
        )
    assert hashes(tmp_path / "one") == hashes(tmp_path / "two")
    assert {path.stat().st_size for path in tmp_path.rglob("*.jsonl")} == {1_990_000}


def test_a_missing_engine_is_named_where_it_cannot_be_installed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(engines, "find_program", {"Firefox": "/usr/bin/firefox"}.get)
    monkeypatch.setattr(engines, "can_install", lambda: False)
    with pytest.raises(StepError, match="WebKitWebDriver, MiniBrowser, Xvfb") as refused:
        engines.ensure_engines()
    assert "apt-get install webkit2gtk-driver xvfb`" in refused.value.todo
    with pytest.raises(StepError, match="not found: Xvfb"):
        engines.need_program("Xvfb")


def test_missing_engines_are_installed_from_debian(monkeypatch: pytest.MonkeyPatch) -> None:
    here: dict[str, str] = {}
    asked: list[list[str]] = []

    def install(packages: list[str], *, todo: str) -> None:
        assert todo
        asked.append(packages)
        here.update(dict.fromkeys(engines.PROGRAMS, "/usr/bin/program"))

    monkeypatch.setattr(engines, "find_program", here.get)
    monkeypatch.setattr(engines, "can_install", lambda: True)
    monkeypatch.setattr(engines, "install_packages", install)
    engines.ensure_engines()
    engines.ensure_engines()
    assert asked == [["firefox-esr", "webkit2gtk-driver", "xvfb"]]


@pytest.mark.parametrize(
    ("words", "chosen", "rest"),
    [
        ("", "chromium", ""),
        ("--engines all", "all", ""),
        ("--engines all tests/test_engines.py -k pair", "all", "tests/test_engines.py -k pair"),
        ("tests/test_runs.py -k oracle", "chromium", "tests/test_runs.py -k oracle"),
        ("-k oracle -x", "chromium", "-k oracle -x"),
    ],
)
def test_pytest_gets_what_chooses_no_engine(words: str, chosen: str, rest: str) -> None:
    options = parse(["test", *words.split()])
    assert options.engines == chosen
    assert options.pytest == rest.split()


def test_the_model_builder_takes_its_own_arguments_and_no_others(tmp_path: Path) -> None:
    options = parse(["model", "--recalibrate", "--out", str(tmp_path)])
    assert (options.recalibrate, options.out) == (True, tmp_path)
    with pytest.raises(SystemExit):
        parse(["model", "--no-such"])
