"""Run inside Pyodide by the build: Python's library for the page, its start already compiled.

Pyodide's own library is all source: each start compiles the 150 modules it imports, which takes
longer than all else it does. Here these are bytecode; the rest is source as before, save what a
page has no use for, which makes room for it.
"""

import io
import os
import py_compile
import tempfile
import zipfile
from collections.abc import Iterable
from itertools import accumulate
from pathlib import Path

EARLIEST = (1980, 1, 1, 0, 0, 0)  # of a zip file: one fixed time, for equal bytes
STDLIB = str(Path(os.__file__).parent)  # a zip file
LEFT_OUT = {
    # a terminal, a debugger, other processes
    "_pyrepl", "bdb", "cmd", "code", "getpass", "multiprocessing", "optparse", "pdb", "pty",
    "rlcompleter", "sched", "tty",
    # the network but by the page's own fetch, and what is read from it
    "ftplib", "http/server", "imaplib", "mailbox", "netrc", "poplib", "smtplib", "socketserver",
    "webbrowser", "wsgiref", "xml", "xmlrpc",
    # testing, measuring and looking at programs
    "cProfile", "compileall", "doctest", "modulefinder", "pickletools", "profile", "pstats",
    "pyclbr", "pydoc", "tabnanny", "timeit", "trace", "unittest", "zipapp",
    # files that no rung reads, and jokes
    "shelve", "sqlite3", "wave", "__hello__", "__phello__", "antigravity", "this",
}  # fmt: skip


def pack_stdlib(loaded: Iterable[str]) -> bytes:
    """Return Python's library as a zip file, deflated.

    Args:
        loaded: Files of the library, as modules of a page that has started name them: these
            become bytecode, without asserts and docstrings, as `python -OO` has it.

    Raises:
        PyCompileError: If a module does not compile.
    """
    packed = io.BytesIO()
    compiled = {os.path.relpath(path, STDLIB) for path in loaded if path.startswith(STDLIB)}
    with zipfile.ZipFile(STDLIB) as given, zipfile.ZipFile(packed, "w") as archive:
        for name in given.namelist():
            if name.endswith("/") or is_left_out(name):
                continue
            data = given.read(name)
            inside = name
            if name in compiled:
                data, inside = compile_module(data, f"{STDLIB}/{name}"), f"{name}c"
            info = zipfile.ZipInfo(inside, EARLIEST)
            info.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(info, data, compresslevel=9)
    return packed.getvalue()


def is_left_out(name: str) -> bool:
    """Tell whether a file of the library is, or is in, what a page has no use for."""
    parts = name.removesuffix(".py").split("/")
    return not LEFT_OUT.isdisjoint(accumulate(parts, "{}/{}".format))


def compile_module(source: bytes, path: str) -> bytes:
    """Return a module's bytecode, which no start holds against a source.

    Args:
        source: Of the module.
        path: What tracebacks name.

    Raises:
        PyCompileError: If it does not compile.
    """
    with tempfile.TemporaryDirectory() as folder:
        file, compiled = Path(folder, "module.py"), Path(folder, "module.pyc")
        file.write_bytes(source)
        py_compile.compile(
            str(file),
            str(compiled),
            dfile=path,
            doraise=True,
            optimize=2,
            invalidation_mode=py_compile.PycInvalidationMode.UNCHECKED_HASH,
        )
        return compiled.read_bytes()
