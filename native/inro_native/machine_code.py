"""Machine code of kernels, kept in a folder of the machine it was made on and loaded without its compiler.

A folder belongs to one state of the kernels' source, one release of numba and one processor: what was made for
another is never looked at. A file is written whole or not at all, so processes may share the folder. Knows names and
bytes; what a kernel takes and returns is for `kernel`.
"""

from __future__ import annotations

import functools
import hashlib
import importlib.machinery
import importlib.util
import os
import sys
import tempfile
from pathlib import Path
from typing import Any, Final, NamedTuple

MISFIT: Final = 99
"""What an entry returns for an array that is not contiguous or not aligned."""
INTERNAL: Final = ("NRT_",)
"""How the functions are named by which kernels allocate; they are numba's, and come without it."""

_MAGIC: Final = b"inrocode"


class Code(NamedTuple):
    """A kernel's entry."""

    results: str
    """A letter each: b truth, i and u whole numbers with and without a sign, f a float; t before those of a tuple."""
    machine: bytes
    """An object file."""


def read(name: str) -> Code | None:
    """The code kept under a name, if it is whole."""
    try:
        kept = (_folder() / name).read_bytes()
    except OSError:
        return None
    magic, results, digest, machine = kept[:8], kept[8:24], kept[24:56], kept[56:]
    if magic != _MAGIC or hashlib.sha256(machine).digest() != digest:
        return None
    return Code(results.rstrip().decode("ascii", "replace"), machine)


def write(name: str, code: Code) -> None:
    """Keep code for other processes, where the folder can be written."""
    head = _MAGIC + code.results.encode().ljust(16) + hashlib.sha256(code.machine).digest()
    try:
        _folder().mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=_folder(), prefix=".", delete=False) as file:
            file.write(head + code.machine)
        Path(file.name).replace(_folder() / name)
    except OSError:
        # a folder that cannot be written costs time, at the next start too
        return


def load(name: str, code: Code) -> int:
    """The address of the entry of that name."""
    binding, engine = _engine()
    engine.add_object_file(binding.ObjectFileRef.from_data(code.machine))
    engine.finalize_object()
    return int(engine.get_function_address(name))


def source_folder() -> Path:
    """Where the kernels' source is."""
    return Path(__file__).parent


@functools.cache
def source_digest() -> str:
    """Of the source of all kernels: a kernel's code holds what it calls, wherever that is written."""
    digest = hashlib.sha256()
    for file in sorted(source_folder().glob("*.py")):
        digest.update(file.read_bytes())
    return digest.hexdigest()[:16]


def folder_of(home: Path, machine: str) -> Path:
    """Where a cache keeps what is made of the source as it is now; `machine` says for which compiler and processor."""
    return home / f"code-{source_digest()}-{machine}"


@functools.cache
def _folder() -> Path:
    from llvmlite import binding

    digest = hashlib.sha256()
    for package in ("numba", "llvmlite"):
        digest.update((_package(package) / "_version.py").read_bytes())
    settings = [f"{name}={value}" for name, value in sorted(os.environ.items()) if name.startswith("NUMBA_")]
    for part in (
        sys.implementation.cache_tag,
        binding.get_host_cpu_name(),
        binding.get_host_cpu_features().flatten(),
        *(setting for setting in settings if not setting.startswith("NUMBA_CACHE_DIR")),
    ):
        digest.update(f"\n{part}".encode())
    home = os.environ.get("NUMBA_CACHE_DIR")
    return folder_of(Path(home) if home else source_folder() / "__pycache__", digest.hexdigest()[:16])


@functools.cache
def _engine() -> tuple[Any, Any]:
    from llvmlite import binding

    binding.initialize_native_target()
    binding.initialize_native_asmprinter()
    machine = binding.Target.from_default_triple().create_target_machine(jit=True)
    engine = binding.create_mcjit_compiler(binding.parse_assembly(""), machine)
    for symbol, address in _allocation():
        binding.add_symbol(symbol, address)
    return binding, engine


def _allocation() -> list[tuple[str, int]]:
    """The functions of numba by which kernels allocate, loaded from its extension module without itself."""
    if "numba" in sys.modules:
        from numba.core.runtime import _nrt_python as runtime
    else:
        folder = _package("numba") / "core" / "runtime"
        finder = importlib.machinery.FileFinder(
            str(folder), (importlib.machinery.ExtensionFileLoader, importlib.machinery.EXTENSION_SUFFIXES)
        )
        spec = finder.find_spec("_nrt_python")
        assert spec is not None and spec.loader is not None
        runtime = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(runtime)
    return [(name if name.startswith("_") else f"NRT_{name}", at) for name, at in runtime.c_helpers.items()]


def _package(name: str) -> Path:
    """Where a package is, without importing it."""
    found = importlib.util.find_spec(name)
    assert found is not None and found.origin is not None
    return Path(found.origin).parent
