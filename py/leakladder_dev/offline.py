"""The saved copies: the whole page in one HTML file that needs no server and no network.

Every file that the page would fetch stands in it as base64, gzipped where that helps, in script
elements that no browser runs; the page takes its bytes from there. Its policy allows no
connection at all, and of inline code only the one script and the one style whose hashes the
build computes.
"""

import base64
import gzip
import hashlib
import html
import re
from collections.abc import Iterable, Mapping
from pathlib import Path

from leakladder_dev.manifest import COPY_FILES, Entry, make_manifest
from leakladder_dev.steps import CACHE, StepError

MOST_BYTES = dict(zip(COPY_FILES, (45_000_000, 16_000_000), strict=True))
LEFT_OUT = dict(zip(COPY_FILES, ((), ("model",)), strict=True))
# Already compressed: a second gzip would only cost time.
PACKED = (".zip", ".whl", ".png", ".bin")
# Characters of base64 in one element; a multiple of 4, so that each is decoded by itself.
# WebKit needs time quadratic in the length of a script element: 18 s of processor time for 20
# million characters in one, under 1 s for the same in pieces.
PIECE = 1_000_000

STYLE_MARK = "<style></style>"  # where the style goes
# What the page never asks for by path: inlined otherwise, or without meaning off a host.
NOT_AN_ASSET = (
    "index.html", "start.js", "app.js", "app.css", "manifest.webmanifest", "icons/",
)  # fmt: skip
# Pages of their own on a host, hidden sections of the one file here.
PAGES = ("method.html", "licenses.html")
MAIN = re.compile(r"<main\b[^>]*>(.*)</main>", re.DOTALL)
POLICY = re.compile(r'(<meta http-equiv="Content-Security-Policy" content=")([^"]*)(">)')


def write_copies(
    out: Path,
    build: str,
    bounds: Mapping[str, int],
    files: Mapping[str, Entry],
    script: str,
) -> None:
    """Write both saved copies into the build's folder and say how large they are.

    Args:
        out: Folder of the build.
        build: Its name.
        bounds: Of what the page takes.
        files: Of the build, by path.
        script: The page's script in one piece.

    Raises:
        StepError: If the page is not of the form that can be inlined, or a copy is too large.
    """
    for name, without in LEFT_OUT.items():
        inside = {
            path: entry for path, entry in files.items() if _goes_in(path, entry, without)
        }
        missing = (
            [] if any(entry["group"] == "model" for entry in inside.values()) else ["model"]
        )
        manifest = make_manifest(build, bounds, inside, copy=name, missing=missing)
        text = inline_page(out, manifest, inside, script)
        (out / name).write_text(text, "utf-8", newline="\n")
        size = (out / name).stat().st_size
        print(
            f"  {name}: {size / 1e6:.1f} MB (at most {MOST_BYTES[name] / 1e6:.0f})", flush=True
        )
        if size > MOST_BYTES[name]:
            why = f"{name} has {size:,} bytes, more than the {MOST_BYTES[name]:,} it may have"
            raise StepError(
                "write the saved copies", why, "find what grew: manifest.json has sizes"
            )
    _forget_unused(files)


def _goes_in(path: str, entry: Entry, without: Iterable[str]) -> bool:
    return entry["group"] not in without and not path.startswith((*NOT_AN_ASSET, *PAGES))


def inline_page(out: Path, manifest: str, files: Mapping[str, Entry], script: str) -> str:
    """Return the page as one file.

    Args:
        out: Folder of the build.
        manifest: Text of the copy's own manifest.
        files: What it carries, by path.
        script: The page's script in one piece.

    Raises:
        StepError: If `index.html` lacks a part that has to be replaced.
    """
    page = (out / "index.html").read_text("utf-8")
    script = _inline_text("app.js", script)
    style = _inline_text("app.css", (out / "app.css").read_text("utf-8"))
    icon = base64.b64encode((out / "icons" / "icon.svg").read_bytes()).decode()
    policy = offline_policy(_policy_of(page), script, style)
    page = _swap(page, POLICY, rf"\g<1>{html.escape(policy, quote=False)}\g<3>")
    page = _swap(page, r'(?:<link rel="preload"[^>]*>\s*)+', "")
    page = _swap(page, r'<link rel="manifest"[^>]*>\s*', "")
    page = _swap(
        page,
        r'<link rel="icon"[^>]*>',
        f'<link rel="icon" href="data:image/svg+xml;base64,{icon}">',
    )
    page = _swap(page, r'<link rel="apple-touch-icon"[^>]*>\s*', "")
    page = _swap(page, r'<script type="module" async src="start.js"[^>]*></script>\s*', "")
    page = _swap(page, r'<script type="module" src="app.js"[^>]*></script>\s*', "")
    nodes = [
        _asset("manifest.json", base64.b64encode(manifest.encode()).decode(), gzipped=False)
    ]
    nodes += [_asset(path, *_packed(out / path, entry)) for path, entry in files.items()]
    page = _swap(page, r'<link rel="stylesheet" href="app.css"[^>]*>', STYLE_MARK)
    head, rest = _halves(page, STYLE_MARK)
    body, foot = _halves(rest, "</body>")
    code = f'<script type="module">{script}</script>\n'
    body, footer = _halves(body, '<footer class="foot">')
    sections = "".join(_section(out / name) for name in PAGES)
    body = f'{body}{sections}<footer class="foot">{footer}'
    return f"{head}<style>{style}</style>{body}{''.join(nodes)}{code}</body>{foot}"


def _section(path: Path) -> str:
    """Return what a page holds as a hidden section, which a link to the page shows.

    Raises:
        StepError: If the page has no main element.
    """
    found = MAIN.search(path.read_text("utf-8"))
    if not found:
        why = f"{path.name} has no main element"
        raise StepError("inline the page", why, "put it back: the saved copy shows it in place")
    return f'<section class="prose" data-page="{path.name}" hidden>{found[1]}</section>\n'


def offline_policy(hosted: str, script: str, style: str) -> str:
    """Return the hosted page's policy with its own files replaced by hashes and no connection.

    Args:
        hosted: The policy in `index.html`.
        script: Text of the one inline script.
        style: Text of the one inline style.
    """
    rules = dict(rule.strip().partition(" ")[::2] for rule in hosted.split(";") if rule.strip())
    rules["script-src"] = rules["script-src"].replace("'self'", content_hash(script))
    rules["style-src"] = rules["style-src"].replace("'self'", content_hash(style))
    rules["worker-src"] = "blob:"
    rules["img-src"] = "data: blob:"
    rules["connect-src"] = "'none'"
    rules.pop("manifest-src", None)
    return "; ".join(f"{name} {value}".strip() for name, value in rules.items())


def content_hash(text: str) -> str:
    """Return the source expression that allows an inline element with this very text."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def _policy_of(page: str) -> str:
    found = POLICY.search(page)
    if not found:
        raise StepError(
            "inline the page", "index.html has no policy", "put its meta element back"
        )
    return html.unescape(found[2])


def _inline_text(name: str, text: str) -> str:
    """Return a script or style as it may stand inside HTML, byte for byte.

    Raises:
        StepError: If it holds what would end its element or be read otherwise there.
    """
    text = text.strip("\n")
    for wrong in ("</script", "</style", "<!--", "\r", "\0"):
        if wrong in text.lower():
            why = f"{name} holds {wrong!r}, which would end or change the element around it"
            raise StepError("inline the page", why, "write that text in another way")
    return text


def _packed(path: Path, entry: Entry) -> tuple[str, bool]:
    """Return a file in base64, and whether it is gzipped; kept between builds by its hash."""
    if path.suffix in PACKED:
        return base64.b64encode(path.read_bytes()).decode(), False
    kept = CACHE / "inlined" / entry["sha256"]
    if not kept.exists():
        kept.parent.mkdir(parents=True, exist_ok=True)
        data = gzip.compress(path.read_bytes(), 9, mtime=0)
        fresh = kept.with_suffix(".new")
        fresh.write_bytes(base64.b64encode(data))
        fresh.replace(kept)
    return kept.read_text("ascii"), True


def _forget_unused(files: Mapping[str, Entry]) -> None:
    used = {entry["sha256"] for entry in files.values()}
    for path in (CACHE / "inlined").glob("*"):
        if path.name not in used:
            path.unlink(missing_ok=True)


def _asset(path: str, text: str, gzipped: bool) -> str:  # noqa: FBT001 - spread from a pair
    packing = ' data-packed="gzip"' if gzipped else ""
    head = f'<script type="application/octet-stream" data-path="{html.escape(path)}"{packing}>'
    pieces = (text[at : at + PIECE] for at in range(0, max(1, len(text)), PIECE))
    return "".join(f"{head}{piece}</script>\n" for piece in pieces)


def _swap(page: str, pattern: str | re.Pattern[str], new: str) -> str:
    page, count = re.subn(pattern, new, page)
    if count != 1:
        why = f"index.html has {count} times what matches {pattern}"
        raise StepError(
            "inline the page", why, "the form of index.html and offline.py must agree"
        )
    return page


def _halves(page: str, mark: str) -> tuple[str, str]:
    parts = page.split(mark)
    if len(parts) != 2:
        why = f"index.html has {len(parts) - 1} times {mark}"
        raise StepError(
            "inline the page", why, "the form of index.html and offline.py must agree"
        )
    return parts[0], parts[1]
