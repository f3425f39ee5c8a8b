"""The command line under load and in bad places: large files, Ctrl-C, closed pipes, locks."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from functools import partial
from pathlib import Path

import pytest

from cli_process import ENVIRONMENT, command, measure, write_corpus
from leakladder.cli import EXIT_CODES
from leakladder.terminal import write_output

ROOT = Path(__file__).resolve().parents[1]
POSIX = pytest.mark.skipif(os.name != "posix", reason="signals and rusage are those of POSIX")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A test file of 200 rows and a training file of 50 MB in which all of them stand."""
    made = tmp_path_factory.mktemp("load").resolve()
    train = write_corpus(made / "train.jsonl", 50)
    with train.open("rb") as rows:
        (made / "test.jsonl").write_bytes(b"".join(next(rows) for _ in range(200)))
    write_corpus(made / "small.jsonl", 1)
    return made


@POSIX
def test_memory_follows_the_test_file(folder: Path) -> None:
    """Fifty times the training rows, all of new words, may not even double the memory."""
    words = "ngrams", folder / "test.jsonl"
    small = measure(*words, folder / "small.jsonl", "--field", "text")
    large = measure(*words, folder / "train.jsonl", "--field", "text")
    assert (small.code, large.code) == (0, 0)
    assert large.megabytes < small.megabytes + 150
    assert large.megabytes < 300


@pytest.fixture
def running(folder: Path) -> Iterator[subprocess.Popen[bytes]]:
    """A run over the large file that would write a CSV over an old one."""
    (folder / "out.csv").write_text("the old file", "utf-8")
    words = (
        "ngrams",
        folder / "test.jsonl",
        folder / "train.jsonl",
        "--csv",
        folder / "out.csv",
    )
    process = subprocess.Popen(
        command(*words),
        env=ENVIRONMENT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        # Background jobs of a shell without job control ignore Ctrl-C, and their children too.
        preexec_fn=partial(signal.signal, signal.SIGINT, signal.SIG_DFL),
    )
    yield process
    process.kill()
    process.communicate()


def wait_until_open(process: subprocess.Popen[bytes], path: Path) -> None:
    """Wait until a process reads a file, so that a signal does not meet it while it starts."""
    links = Path(f"/proc/{process.pid}/fd")
    if not links.is_dir():  # no Linux
        time.sleep(5)
        return
    for _ in range(600):
        assert process.poll() is None
        time.sleep(0.1)
        with suppress(FileNotFoundError):
            if any(link.readlink() == path for link in links.iterdir()):
                return
    raise AssertionError(f"{path} was never opened")


@POSIX
@pytest.mark.parametrize("after", [0, 0.7])
def test_ctrl_c_ends_with_130_and_leaves_the_old_file(
    running: subprocess.Popen[bytes], folder: Path, after: float
) -> None:
    wait_until_open(running, folder / "train.jsonl")
    time.sleep(after)
    assert running.poll() is None
    running.send_signal(signal.SIGINT)
    out, told = running.communicate(timeout=20)
    assert running.returncode == 130
    assert b"Traceback" not in told
    assert out == b""
    assert (folder / "out.csv").read_text("utf-8") == "the old file"
    assert list(folder.glob(".*")) == []


def test_ctrl_c_while_writing_leaves_no_part(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupt(self: Path, target: Path) -> Path:
        raise KeyboardInterrupt

    (tmp_path / "out.csv").write_text("the old file", "utf-8")
    monkeypatch.setattr(Path, "replace", interrupt)
    with pytest.raises(KeyboardInterrupt):
        write_output(str(tmp_path / "out.csv"), b"new")
    assert [path.name for path in tmp_path.iterdir()] == ["out.csv"]
    assert (tmp_path / "out.csv").read_text("utf-8") == "the old file"


@POSIX
@pytest.mark.parametrize(
    "words",
    [
        ["ngrams", "test.jsonl", "small.jsonl", "--csv", "-", "--field", "text"],
        ["ngrams", "test.jsonl", "small.jsonl"],
        ["read", "small.jsonl"],
        ["--help"],
    ],
)
def test_a_closed_pipe_ends_quietly(folder: Path, words: list[str]) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    done = subprocess.run(
        command(*words), cwd=folder, env=ENVIRONMENT, stdout=writer, stderr=subprocess.PIPE,
        check=False,
    )  # fmt: skip
    os.close(writer)
    assert done.returncode == -signal.SIGPIPE
    assert done.stderr == b""


@POSIX
def test_a_read_only_folder_is_named_and_nothing_is_left(tmp_path: Path) -> None:
    locked = tmp_path / "locked"
    locked.mkdir()
    locked.chmod(0o555)
    user = os.geteuid()
    if user == 0:  # nothing is read-only for the superuser
        os.seteuid(65534)
    try:
        with pytest.raises(PermissionError) as caught:
            write_output(str(locked / "out.csv"), b"data")
    finally:
        os.seteuid(user)
    assert caught.value.filename == str(locked / "out.csv")
    assert list(locked.iterdir()) == []


def test_a_terminal_of_few_characters_gets_escapes(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text('{"Frage é 漢": "text"}\n', "utf-8")
    words = [sys.executable, "-m", "leakladder", "read", "a.jsonl"]
    done = subprocess.run(
        words,
        cwd=tmp_path,
        env={**ENVIRONMENT, "PYTHONIOENCODING": "ascii"},
        capture_output=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, b"")
    assert rb"Frage \xe9 \u6f22" in done.stdout


def test_exit_codes_are_told_in_help_and_readme(tmp_path: Path) -> None:
    done = subprocess.run(command("--help"), env=ENVIRONMENT, capture_output=True, check=True)
    told = re.sub(r"[^\w]+", " ", done.stdout.decode())
    assert re.sub(r"[^\w]+", " ", EXIT_CODES).strip() in told
    listed = re.findall(r"^\| (\d+) \|", (ROOT / "README.md").read_text("utf-8"), re.MULTILINE)
    assert (
        listed == re.findall(r"\b\d+(?= \w)", EXIT_CODES) == ["0", "1", "2", "3", "130", "141"]
    )


@pytest.mark.parametrize("command_name", ["ngrams", "rows", "rules"])
def test_records_left_out_of_the_training_side_are_stamped(
    tmp_path: Path, command_name: str
) -> None:
    (tmp_path / "test.jsonl").write_text('{"q": "one two"}\n', "utf-8")
    (tmp_path / "train.jsonl").write_text('{"q": "one"}\n{broken\n[1]\n', "utf-8")
    words = [command_name, "test.jsonl", "train.jsonl", "--skip-bad", "--json", "-"]
    done = subprocess.run(
        command(*words), cwd=tmp_path, env=ENVIRONMENT, capture_output=True, check=True
    )
    assert json.loads(done.stdout)["stamp"]["left_out"] == {"test": 0, "train": 2}
