"""What a host has to do with: `dist/_headers`, and the hashes of what the page's HTML names.

`_headers` is what a host that can set headers should send (Netlify, Cloudflare Pages).

The page needs none of them: its policy stands in the page itself. Headers add what a meta
element cannot say, frame-ancestors, and isolation, which lets the meaning check use threads.
"""

import base64
import hashlib
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


def write_integrity(out: Path) -> None:
    """Name the hash of the script and the style in every page that asks for them.

    The browser then runs no other: not one changed on its way, and not one of another build.
    """

    def with_hash(found: re.Match[str]) -> str:
        digest = hashlib.sha256((out / found[1]).read_bytes()).digest()
        return f'{found[0]} integrity="sha256-{base64.b64encode(digest).decode()}"'

    for path in sorted(out.glob("*.html")):
        text = path.read_text("utf-8")
        hashed = re.sub(r'(?:src|href)="(start\.js|app\.(?:js|css))"', with_hash, text)
        path.write_text(hashed, "utf-8", newline="\n")


def write_headers(out: Path) -> None:
    """Write `_headers` with the policy that `index.html` has."""
    page = (out / "index.html").read_text("utf-8")
    found = re.search(r'http-equiv="Content-Security-Policy" content="([^"]*)"', page)
    policy = f"{html.unescape(found[1])}; frame-ancestors 'none'" if found else ""
    lines = ["/*", *(f"  {header}" for header in EVERYWHERE)]
    for path in DOCUMENTS:
        lines += ["", path, f"  Content-Security-Policy: {policy}"]
    (out / "_headers").write_text("\n".join(lines) + "\n", "utf-8", newline="\n")
