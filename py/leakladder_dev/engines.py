"""Find the engines that the end-to-end pass runs in, or install those that are missing.

Chromium is `browser.py`'s. Firefox and WebKitGTK are taken as they are installed; on Debian as
root they are installed from the distribution's packages.
"""

import shutil
from collections.abc import Iterable
from pathlib import Path

from leakladder_dev.browser import can_install, install_packages
from leakladder_dev.steps import StepError

ENGINES = ("chromium", "firefox", "webkit")
CHOICES = ("chromium", "all")
STEP = "find Firefox and WebKitGTK"

# Program: the names it goes by, where else it may stand, and Debian's package.
PROGRAMS = {
    "Firefox": (
        ("firefox-esr", "firefox"),
        ("/Applications/Firefox.app/Contents/MacOS/firefox",),
        "firefox-esr",
    ),
    "WebKitWebDriver": (("WebKitWebDriver",), (), "webkit2gtk-driver"),
    "MiniBrowser": (
        ("MiniBrowser",),
        ("/usr/lib/*/webkit2gtk-4.*/MiniBrowser", "/usr/libexec/webkit2gtk-4.*/MiniBrowser"),
        "webkit2gtk-driver",
    ),
    "Xvfb": (("Xvfb",), (), "xvfb"),
}


def find_program(name: str) -> str | None:
    """Return the path of one of PROGRAMS, or None."""
    names, places, _ = PROGRAMS[name]
    found = (shutil.which(each) for each in names)
    placed = (str(path) for place in places for path in sorted(Path("/").glob(place[1:])))
    return next((path for path in found if path), None) or next(placed, None)


def need_program(name: str) -> str:
    """Return the path of one of PROGRAMS.

    Raises:
        StepError: If it is not installed.
    """
    path = find_program(name)
    if path is None:
        raise StepError(STEP, *_explain([name]))
    return path


def ensure_engines() -> None:
    """Install what Firefox and WebKitGTK need, unless it is there.

    Raises:
        StepError: If something is missing and cannot be installed here.
    """
    missing = _missing()
    if missing and can_install():
        install_packages(_packages(missing), todo="install them yourself")
        missing = _missing()
    if missing:
        raise StepError(STEP, *_explain(missing))


def _missing() -> list[str]:
    return [name for name in PROGRAMS if find_program(name) is None]


def _packages(names: Iterable[str]) -> list[str]:
    return sorted({PROGRAMS[name][2] for name in names})


def _explain(names: list[str]) -> tuple[str, str]:
    """Return why there are no such programs, and what to do."""
    packages = " ".join(_packages(names))
    return f"not found: {', '.join(names)}", (
        f"on Debian as root, run `apt-get install {packages}` or this command again; elsewhere "
        "install Firefox and WebKitGTK with its driver, or run the tests without --engines all"
    )
