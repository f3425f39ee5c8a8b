"""Find a browser for the tests, or install one.

Order: Playwright's own if it is there; a Chromium or Chrome that is installed; Playwright's
download; on Debian as root, the distribution's package.
"""

import os
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path

from leakladder_dev.steps import StepError, run_step

NAMES = (
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
    "chrome",
    "msedge",
)
PLACES = (
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
    "C:/Program Files/Google/Chrome/Application/chrome.exe",
    "C:/Program Files (x86)/Google/Chrome/Application/chrome.exe",
    "C:/Program Files (x86)/Microsoft/Edge/Application/msedge.exe",
)
# Quiet start: no look-ups of the vendor's hosts, which a closed network refuses by the dozen.
FLAGS = (
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)


def launch_flags() -> list[str]:
    """Return the command line flags a test browser is started with."""
    as_root = hasattr(os, "geteuid") and os.geteuid() == 0
    # Chromium's sandbox refuses to run as root; the pages under test are our own.
    return [*FLAGS, *(["--no-sandbox"] if as_root else [])]


def playwright_browser() -> str | None:
    """Return Playwright's own Chromium if it has been downloaded."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as play:
        path = play.chromium.executable_path
    return path if Path(path).exists() else None


def installed_browser() -> str | None:
    """Return a Chromium or Chrome of this machine, or None."""
    found = (shutil.which(name) for name in NAMES)
    places = (place for place in PLACES if Path(place).exists())
    return next((path for path in found if path), None) or next(places, None)


def install_browser() -> str | None:
    """Try the ways of installing a browser; return it or None."""
    try:
        run_step(
            "download Playwright's Chromium",
            [sys.executable, "-m", "playwright", "install", "chromium"],
            todo="install Chromium or Chrome yourself",
        )
        return playwright_browser()
    except StepError as error:
        error.show()
    if not can_install():
        return None
    install_packages(["chromium"], todo="install Chromium yourself")
    return installed_browser()


def can_install() -> bool:
    """Tell whether Debian's packages can be installed here."""
    as_root = hasattr(os, "geteuid") and os.geteuid() == 0
    return as_root and shutil.which("apt-get") is not None


def install_packages(packages: Sequence[str], *, todo: str) -> None:
    """Install Debian packages, after `can_install`.

    Raises:
        StepError: If that fails.
    """
    quiet = dict(os.environ, DEBIAN_FRONTEND="noninteractive")
    run_step("refresh Debian's list", ["apt-get", "update", "-qq"], todo=todo, env=quiet)
    install = ["apt-get", "install", "-y", "-qq", *packages]
    run_step(f"install Debian's {', '.join(packages)}", install, todo=todo, env=quiet)


def find_browser() -> str:
    """Return the path of a Chromium or Chrome, installing one if need be.

    Raises:
        StepError: If there is none and none can be installed.
    """
    chosen = os.environ.get("LEAKLADDER_BROWSER")
    path = chosen or playwright_browser() or installed_browser() or install_browser()
    if path is None or not Path(path).exists():
        why = "no Chromium or Chrome was found, and none could be installed"
        todo = "install one, or set LEAKLADDER_BROWSER to its path"
        raise StepError("find a browser", why, todo)
    return path
