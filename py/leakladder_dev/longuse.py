"""`python build.py longuse`: one tab, many runs, and whether anything has grown by a tenth.

What a run does and how memory is read lies in `tests/campaign_long.py`; the suite does fewer.
"""

import os
import sys
import threading
import time

from leakladder_dev.browser import find_browser, launch_flags
from leakladder_dev.dist import ensure_dist
from leakladder_dev.server import make_server
from leakladder_dev.steps import ROOT


def run_long_use(runs: int) -> int:
    """Use one tab for `runs` runs; print what it held after 20, every 60 more, and at the end.

    Returns:
        1 if anything was more than a tenth larger at the end.
    """
    sys.path.insert(0, str(ROOT / "tests"))
    from playwright.sync_api import sync_playwright

    from campaign_long import FIRST, PHASE, Tab, grown

    ensure_dist()
    path = os.environ.get("LEAKLADDER_BROWSER") or find_browser()
    began = time.perf_counter()
    with make_server(0) as server, sync_playwright() as play:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        browser = play.chromium.launch(executable_path=path, args=launch_flags())
        page = browser.new_context(accept_downloads=True).new_page()
        tab = Tab(page, f"http://127.0.0.1:{server.server_address[1]}/")
        uses = []
        for number in range(runs):
            tab.run(number)
            if number + 1 == runs or number + 1 in range(FIRST, runs, 5 * PHASE):
                uses.append(tab.use())
                print(f"after {number + 1} runs: {uses[-1]._asdict()}", flush=True)
        browser.close()
        server.shutdown()
    larger = grown(uses[0], uses[-1])
    print(f"{runs} runs in {time.perf_counter() - began:.0f} s; grown: {larger or 'nothing'}")
    return 1 if larger else 0
