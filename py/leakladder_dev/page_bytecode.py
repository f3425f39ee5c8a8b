"""Run inside Pyodide by the build: the package's bytecode, made by the Python that will run it.

Every module that the page imports is compiled as an import compiles it, and bound to its source
by a hash that every later import checks: bytecode that does not fit is left unused.
"""

import gzip
import importlib.util
import io
import py_compile
import sys
import sysconfig
import zipfile
from pathlib import Path

PACKAGE = "leakladder"
MODULE = "leakladder.bridge"  # what the page imports; all that it reaches comes with it
EARLIEST = (1980, 1, 1, 0, 0, 0)  # of a zip file: one fixed time, for equal bytes


def pack_bytecode() -> bytes:
    """Return a gzipped zip file, stored, of `.pyc` files as they lie beside the package.

    Imports the package.

    Raises:
        PyCompileError: If a module does not compile.
    """
    importlib.import_module(MODULE)
    names = sorted(name for name in sys.modules if name.split(".")[0] == PACKAGE)
    purelib = Path(sysconfig.get_path("purelib")).resolve()
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:  # stored: one gzip over all is a seventh less
        for name in names:
            source = str(sys.modules[name].__file__)
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
