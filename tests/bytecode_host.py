"""Run inside Pyodide by test_bytecode.py: what an import makes of the page's bytecode."""

import base64
import gzip
import importlib
import importlib.util
import io
import marshal
import sys
import tempfile
import zipfile
from importlib.machinery import SourceFileLoader
from types import CodeType
from typing import Any
from unittest.mock import patch


def import_beside(wheel: str, bytecode: str) -> dict[str, list[str]]:
    """Import what the page imports, from a wheel with bytecode beside it; both in base64.

    Returns:
        Names of all modules of the package that are there then, and of those that Python had to
        compile.
    """
    compiled: list[str] = []
    plain = SourceFileLoader.source_to_code

    def told(self: Any, *given: Any, **named: Any) -> CodeType:
        compiled.append(self.name)
        code: CodeType = plain(self, *given, **named)
        return code

    with (
        tempfile.TemporaryDirectory() as folder,
        patch.object(SourceFileLoader, "source_to_code", told),
        patch.object(sys, "path", [folder, *sys.path]),
        patch.dict(sys.modules),
    ):
        for name in [*filter(is_own, sys.modules)]:
            del sys.modules[name]
        for data in (base64.b64decode(wheel), gzip.decompress(base64.b64decode(bytecode))):
            zipfile.ZipFile(io.BytesIO(data)).extractall(folder)
        importlib.import_module("leakladder.bridge")
        loaded = [*filter(is_own, sys.modules)]
        assert all(str(sys.modules[name].__file__).startswith(folder) for name in loaded)
    return {"loaded": sorted(loaded), "compiled": sorted(compiled)}


def is_own(name: str) -> bool:
    """Whether a module is the package or in it."""
    return name.split(".")[0] == "leakladder"


def forged(wheel: str, bytecode: str, change: tuple[str, str, str], fits: bool) -> str:
    """Return bytecode in which one module is compiled from a changed source.

    Args:
        wheel: In base64.
        bytecode: The same.
        change: File of the wheel, what to replace in it, and by what.
        fits: Whether it says that it is of the source that stands in the wheel.
    """
    name, old, new = change
    source = zipfile.ZipFile(io.BytesIO(base64.b64decode(wheel))).read(name)
    changed = source.replace(old.encode(), new.encode())
    assert changed != source
    digest = importlib.util.source_hash(source if fits else changed)
    code = compile(changed, name, "exec", dont_inherit=True)
    checked = (0b11).to_bytes(4, "little")  # as PEP 552 numbers the kinds of bytecode files
    own = importlib.util.MAGIC_NUMBER + checked + digest + marshal.dumps(code)
    before = zipfile.ZipFile(io.BytesIO(gzip.decompress(base64.b64decode(bytecode))))
    inside = importlib.util.cache_from_source(name)
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as after:
        for info in before.infolist():
            ours = info.filename == inside
            after.writestr(info, own if ours else before.read(info))
    assert inside in before.namelist()
    return base64.b64encode(gzip.compress(packed.getvalue(), mtime=0)).decode()
