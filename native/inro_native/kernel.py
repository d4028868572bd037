"""Kernels: Python over arrays, compiled once by numba, and from then on run without it.

The rule: a process in which every kernel that it calls was compiled before imports no compiler. Importing numba and
fitting its cached functions in takes a second, longer than a search in a hundred thousand chunks; reading the machine
code that it made takes some milliseconds. So the code of each kernel is kept with an entry that takes numpy's own
objects, and `ctypes` calls it. There is one code and one way of calling it, whoever compiled it and when.

A kernel is compiled for the types that it is called with: arrays by dtype and dimensions, all of them C contiguous and
aligned; whole numbers as int64, others as float64, numpy's scalars as they are; tuples of these. It returns nothing, a
number, or a tuple of numbers; arrays it is given to fill. It holds no lock of Python's while it runs. A call of one
kernel by another is compiled in and never comes by here.

Where the code is kept is said by NUMBA_CACHE_DIR, as for numba itself; else it is beside the source.
"""

from __future__ import annotations

import ctypes
import functools
import hashlib
import threading
from collections.abc import Callable, Iterator
from typing import Any, Final

import numpy as np

from inro_native import machine_code

_lock = threading.RLock()
_WHOLE: Final = (int, bool, np.integer, np.bool_)
_FROM_SLOT: Final[dict[str, Callable[[int], Any]]] = {
    "b": bool,
    "i": int,
    "u": lambda slot: slot & 0xFFFFFFFFFFFFFFFF,
    "f": lambda slot: ctypes.c_double.from_buffer(ctypes.c_int64(slot)).value,
}


def kernel(*, signature: str | None = None, allocates: bool = True) -> Callable[[Callable[..., Any]], Any]:
    """Make a kernel of a function.

    Args:
        signature: its types as numba writes them, for one that other kernels call with constants: numba would compile
            it anew for each.
        allocates: whether it makes arrays or slices. One that does neither is compiled without counting references,
            which would take longer than many a kernel's work.
    """
    return lambda function: _Kernel(function, signature, allocates)


class _Kernel:
    """A function that is machine code when it is called."""

    def __init__(self, function: Callable[..., Any], signature: str | None, allocates: bool) -> None:
        functools.update_wrapper(self, function)
        self._function = function
        self._signature = signature
        self._allocates = allocates
        self._entries: dict[object, _Entry] = {}

    def __call__(self, *given: Any) -> Any:
        key = tuple([(each.dtype, each.ndim) if type(each) is np.ndarray else _key(each) for each in given])
        entry = self._entries.get(key)
        return (entry or self._entry(key, given))(given)

    @functools.cached_property
    def dispatcher(self) -> Any:
        """The function as numba calls it."""
        from numba import njit

        options = {"cache": True, "nogil": True, "_nrt": self._allocates}
        return njit(self._signature, **options)(self._function) if self._signature else njit(**options)(self._function)

    @property
    def _numba_type_(self) -> Any:
        """What numba asks a global for that a kernel calls."""
        return self.dispatcher._numba_type_

    def _entry(self, key: tuple[object, ...], given: tuple[Any, ...]) -> _Entry:
        with _lock:
            entry = self._entries.get(key)
            if entry is None:
                types = ",".join(map(_spelt, given))
                module = self._function.__module__.rpartition(".")[2]
                name = f"{module}.{self._function.__name__}-{hashlib.sha256(types.encode()).hexdigest()[:12]}"
                code = machine_code.read(name)
                if code is None:
                    from inro_native.compiling import compile_entry

                    code = compile_entry(self.dispatcher, given, name)
                    machine_code.write(name, code)
                entry = self._entries[key] = _Entry(name, code, given)
            return entry


class _Entry:
    """Machine code for one choice of types."""

    def __init__(self, name: str, code: machine_code.Code, given: tuple[Any, ...]) -> None:
        self._name = name
        self._is_flat = not any(isinstance(each, tuple) for each in given)
        leaves = list(_flat(given))
        self._converted = [(at, int if isinstance(each, _WHOLE) else float) for at, each in enumerate(leaves)
                           if not isinstance(each, np.ndarray)]  # fmt: skip
        passed = [_passed(each) for each in leaves]
        self._as_tuple = code.results.startswith("t")
        self._results = [_FROM_SLOT[letter] for letter in code.results.removeprefix("t")]
        self._slots = ctypes.c_int64 * max(1, len(self._results))
        kind = ctypes.CFUNCTYPE(ctypes.c_int, *passed, ctypes.POINTER(ctypes.c_int64))
        self._call = kind(machine_code.load(name, code))

    def __call__(self, given: tuple[Any, ...]) -> Any:
        flat = list(given if self._is_flat else _flat(given))
        for at, convert in self._converted:
            flat[at] = convert(flat[at])
        slots = self._slots()
        status = self._call(*flat, slots)
        if status == machine_code.MISFIT:
            raise TypeError(f"the kernel {self._name} takes arrays that are contiguous and aligned")
        if status:
            raise RuntimeError(f"the kernel {self._name} failed")
        if self._as_tuple:
            return tuple([made(slot) for made, slot in zip(self._results, slots, strict=False)])
        return self._results[0](slots[0]) if self._results else None


def _key(given: Any) -> object:
    if isinstance(given, tuple):
        return (type(given), *(_key(each) for each in given))
    return (given.dtype, given.ndim) if isinstance(given, np.ndarray) else type(given)


def _flat(given: tuple[Any, ...]) -> Iterator[Any]:
    for each in given:
        if isinstance(each, tuple):
            yield from _flat(each)
        else:
            yield each


def _spelt(given: Any) -> str:
    """The type of a value, for a name that is the same in every process."""
    if isinstance(given, np.ndarray):
        return f"{given.dtype.str}{given.ndim}"
    if isinstance(given, tuple):
        return f"{type(given).__qualname__}({','.join(map(_spelt, given))})"
    return type(given).__name__


def _passed(given: Any) -> Any:
    if isinstance(given, np.ndarray):
        return ctypes.py_object
    if isinstance(given, np.unsignedinteger):
        return ctypes.c_uint64
    return ctypes.c_int64 if isinstance(given, _WHOLE) else ctypes.c_double
