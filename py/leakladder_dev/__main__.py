"""The commands of `python build.py`."""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from leakladder_dev.dist import MAX_MB, MAX_ROWS, ensure_dist
from leakladder_dev.engines import CHOICES
from leakladder_dev.page_wheel import build_page_wheel
from leakladder_dev.server import serve
from leakladder_dev.steps import StepError


def make_parser() -> argparse.ArgumentParser:
    """Return the parser of all commands."""
    parser = argparse.ArgumentParser(prog="python build.py", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    one = commands.add_parser("serve", help="build the page and serve it on this machine")
    one.add_argument("--port", type=int, default=8000, help="0 takes a free one (default 8000)")
    one.add_argument("--no-open", action="store_true", help="do not open a browser")
    one = commands.add_parser("build", help="build dist/")
    one.add_argument("--max-mb", type=float, default=MAX_MB, help="the page's bound on a file")
    one.add_argument("--max-rows", type=int, default=MAX_ROWS, help="the page's bound on rows")
    one.add_argument("--force", action="store_true", help="build even if nothing changed")
    one.add_argument("--page-wheel", type=Path, help="write the wheel leakladder-page here")
    one = commands.add_parser("test", help="run the whole suite, browser included")
    what = "chromium (the default), or all: Firefox and WebKitGTK too"
    one.add_argument("--engines", choices=CHOICES, default=CHOICES[0], help=what)
    one.epilog = "All other arguments are pytest's: only its tests run then."
    commands.add_parser("check", help="lint, types, layers, documents, own words")
    one = commands.add_parser("bench", help="measure speed, memory and bytes in one run")
    one.add_argument("--only", nargs="+", default=[], metavar="ROW", help="measure these alone")
    one.add_argument("--runs", type=int, default=5, help="of each thing (default 5)")
    one.add_argument("--json", type=Path, help="write every run to this file too")
    one = commands.add_parser("fuzz", help="look for faults with damaged files, random pairs")
    one.add_argument("--minutes", type=float, default=10, help="how long (default 10)")
    one.add_argument("--seed", type=int, default=0, help="which cases (default 0)")
    one = commands.add_parser(
        "faults", help="plant faults in a copy; the suite must catch each"
    )
    one.add_argument("--first", type=int, default=1, help="number of the first (default 1)")
    one = commands.add_parser("longuse", help="many runs in one tab; nothing may grow")
    one.add_argument("--runs", type=int, default=200, help="how many (default 200)")
    one = commands.add_parser("model", help="rebuild the embedding model's files")
    what = "measure the channel maxima of calibration.json again first"
    one.add_argument("--recalibrate", action="store_true", help=what)
    one.add_argument("--out", type=Path, help="folder to write to, not the asset's own")
    return parser


def parse(argv: Sequence[str]) -> argparse.Namespace:
    """Parse the command line; what `test` does not know is kept for pytest."""
    parser = make_parser()
    options, rest = parser.parse_known_args(argv)
    if rest and options.command != "test":
        parser.error(f"unrecognized arguments: {' '.join(rest)}")
    options.pytest = rest
    return options


def dispatch(options: argparse.Namespace) -> int:
    """Run the chosen command.

    Raises:
        StepError: If a step of the command fails.
    """
    match options.command:
        case "serve":
            return serve(options.port, open_browser=not options.no_open)
        case "build":
            ensure_dist(max_mb=options.max_mb, max_rows=options.max_rows, force=options.force)
            if options.page_wheel:
                build_page_wheel(options.page_wheel)
            return 0
        case _:
            return dispatch_tools(options)


def dispatch_tools(options: argparse.Namespace) -> int:
    """Run a command that needs more tools; its modules are loaded only for it.

    Raises:
        StepError: If a step of the command fails.
    """
    match options.command:
        case "test":
            from leakladder_dev.suite import run_suite

            return run_suite(options.pytest, options.engines)
        case "check":
            from leakladder_dev.check import run_checks

            return run_checks()
        case "bench":
            from leakladder_dev.bench import Wanted, run_bench

            return run_bench(Wanted(options.only, options.runs, options.json))
        case "fuzz" | "longuse" | "faults":
            return dispatch_campaigns(options)
        case _:
            from leakladder_dev.model import write_asset

            return write_asset(options.out, remeasure=options.recalibrate)


def dispatch_campaigns(options: argparse.Namespace) -> int:
    """Run a campaign; its modules are loaded only for it."""
    match options.command:
        case "fuzz":
            from leakladder_dev.fuzz import run_fuzz

            return run_fuzz(options.minutes, options.seed)
        case "longuse":
            from leakladder_dev.longuse import run_long_use

            return run_long_use(options.runs)
        case _:
            from leakladder_dev.faults import run_faults

            return run_faults(options.first)


def main(argv: Sequence[str]) -> int:
    """Parse the command line, run the command, and report a failed step."""
    try:
        return dispatch(parse(argv))
    except StepError as error:
        error.show()
        return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
