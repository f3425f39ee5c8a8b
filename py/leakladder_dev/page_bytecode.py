"""Run inside Pyodide by the build: bytecode of what the page installs, by the Python it is for.

Every module of the wheels that the page imports is compiled as an import compiles it, and bound
to its source by a hash that every later import checks: what does not fit is left unused.
"""

import gzip
import importlib.util
import io
import py_compile
import sysconfig
import zipfile
from collections.abc import Iterable
from pathlib import Path

EARLIEST = (1980, 1, 1, 0, 0, 0)  # of a zip file: one fixed time, for equal bytes


def pack_bytecode(loaded: Iterable[str]) -> bytes:
    """Return a gzipped zip file, stored, of `.pyc` files as they lie beside the packages.

    Args:
        loaded: Files of the modules of a page that has started; those installed are taken.

    Raises:
        PyCompileError: If a module does not compile.
    """
    purelib = Path(sysconfig.get_path("purelib")).resolve()
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:  # stored: one gzip over all is a seventh less
        for source in sorted(loaded):
            if purelib not in Path(source).resolve().parents:
                continue
            compiled = importlib.util.cache_from_source(source)
            py_compile.compile(
                source,
                compiled,
                doraise=True,
                invalidation_mode=py_compile.PycInvalidationMode.CHECKED_HASH,
            )
            inside = Path(compiled).resolve().relative_to(purelib).as_posix()
            archive.writestr(zipfile.ZipInfo(inside, EARLIEST), Path(compiled).read_bytes())
    return gzip.compress(packed.getvalue(), compresslevel=9, mtime=0)
