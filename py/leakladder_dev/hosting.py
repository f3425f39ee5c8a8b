"""`dist/_headers`: what a host that can set headers should send (Netlify, Cloudflare Pages).

The page needs none of them: its policy stands in the page itself. Headers add what a meta
element cannot say, frame-ancestors, and isolation, which lets the meaning check use threads.
"""

import html
import re
from pathlib import Path

# The saved copies carry a policy of their own, with hashes; a second one would block them.
DOCUMENTS = ("/", "/index.html", "/sw.js")
EVERYWHERE = (
    "Cross-Origin-Opener-Policy: same-origin",
    "Cross-Origin-Embedder-Policy: require-corp",
    "Cross-Origin-Resource-Policy: same-origin",
    "Referrer-Policy: no-referrer",
    "X-Content-Type-Options: nosniff",
    # Names stay the same from build to build: ask each time, and an ETag answers in no bytes.
    "Cache-Control: no-cache",
)


def write_headers(out: Path) -> None:
    """Write `_headers` with the policy that `index.html` has."""
    page = (out / "index.html").read_text("utf-8")
    found = re.search(r'http-equiv="Content-Security-Policy" content="([^"]*)"', page)
    policy = f"{html.unescape(found[1])}; frame-ancestors 'none'" if found else ""
    lines = ["/*", *(f"  {header}" for header in EVERYWHERE)]
    for path in DOCUMENTS:
        lines += ["", path, f"  Content-Security-Policy: {policy}"]
    (out / "_headers").write_text("\n".join(lines) + "\n", "utf-8", newline="\n")
