"""Run outside programs and say clearly which step failed.

Every step of the build goes through `run_step`, so that a failure always names the step, the
reason and what to do about it.
"""

import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
CACHE = ROOT / ".cache"
DIST = ROOT / "dist"
WEB = ROOT / "web"


class StepError(Exception):
    """A build step could not be done.

    Attributes:
        step: What was being done.
        todo: What the person can do about it.
    """

    def __init__(self, step: str, why: str, todo: str) -> None:
        super().__init__(why)
        self.step = step
        self.todo = todo

    def show(self) -> None:
        """Print the failure in the one form that all steps share."""
        print(
            f"\nbuild.py: the step '{self.step}' failed.\n  Why: {self}\n"
            f"  What to do: {self.todo}",
            file=sys.stderr,
            flush=True,
        )


def run_step(
    step: str,
    command: Sequence[str | Path],
    *,
    todo: str,
    cwd: Path = ROOT,
    env: Mapping[str, str] | None = None,
) -> None:
    """Run a program to its end, its output shown as it comes.

    Raises:
        StepError: If the program is missing or ends with another code than 0.
    """
    words = [str(word) for word in command]
    try:
        code = subprocess.call(words, cwd=cwd, env=env)
    except OSError as error:
        raise StepError(step, f"{words[0]} could not be started: {error}", todo) from error
    if code:
        raise StepError(step, f"{Path(words[0]).name} ended with exit code {code}", todo)
