"""Kernels as machine code: what they take and return, and that nothing is compiled or imported twice."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest
from numpy.typing import NDArray

from inro_native import machine_code
from inro_native.kernel import kernel
from inro_native.machine_code import Code

PROGRAM = """
import sys
import numpy as np
from inro_native import packing
values = np.arange(1000, dtype=np.uint64) * 977
assert (packing.unpack(packing.pack(values), 1000) == values).all()
print('numba' in sys.modules)
"""


class Pair(NamedTuple):
    one: NDArray[np.int64]
    other: NDArray[np.float32]


@kernel()
def summed(pair: Pair, times: int, share: float, flag: bool) -> tuple[int, float, bool, np.uint64]:
    """Allocates, slices, and returns every kind of number."""
    room = np.empty(len(pair.one), np.int64)
    for i in range(len(room)):
        room[i] = pair.one[i] * times
    total = 0.0
    for value in pair.other[1:]:
        total += value
    return room.sum(), total * share, not flag, np.uint64(0xFFFFFFFFFFFFFFFF)


@kernel(allocates=False)
def doubled(given: NDArray[np.int64], out: NDArray[np.int64]) -> None:
    """Fills an array."""
    for i in range(len(given)):
        out[i] = 2 * given[i]


@kernel(allocates=False)
def narrow(a: np.float32, b: np.uint64) -> float:
    """Takes numpy's scalars."""
    return float(a + np.float32(b & np.uint64(1)))


@kernel()
def divided(a: int, b: int) -> int:
    """Fails where Python would."""
    return a // b


def test_numbers_come_back_as_they_were() -> None:
    pair = Pair(np.array([1, -2, 5]), np.array([9, 0.5, 0.25], np.float32))
    assert summed(pair, 3, 2.0, False) == (12, 1.5, True, 0xFFFFFFFFFFFFFFFF)
    assert summed(pair, -3, -2.0, True) == (-12, -1.5, False, 0xFFFFFFFFFFFFFFFF)
    assert narrow(np.float32(0.1), np.uint64((1 << 63) + 1)) == np.float32(np.float32(0.1) + np.float32(1))


def test_arrays_are_filled_in_place_and_may_be_read_only() -> None:
    given, out = np.arange(5), np.zeros(5, np.int64)
    given.flags.writeable = False
    assert doubled(given, out) is None
    assert out.tolist() == [0, 2, 4, 6, 8]


def test_empty_arrays_are_taken() -> None:
    doubled(np.empty(0, np.int64), np.empty(0, np.int64))


def test_an_array_with_gaps_is_refused() -> None:
    with pytest.raises(TypeError, match="contiguous"):
        doubled(np.arange(10)[::2], np.zeros(5, np.int64))


def test_what_goes_wrong_in_a_kernel_is_told() -> None:
    assert divided(7, 2) == 3
    with pytest.raises(RuntimeError, match="divided"):
        divided(7, 0)


def test_each_choice_of_types_has_code_of_its_own() -> None:
    out = np.zeros(2, np.int64)
    doubled(np.array([1, 2], np.int8), out)
    assert out.tolist() == [2, 4]
    doubled(np.array([3, 4], np.uint16), out)
    assert out.tolist() == [6, 8]


def run(cache: Path) -> str:
    """What a process says that packs and unpacks, its cache being there."""
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(cache)}
    return subprocess.run(
        [sys.executable, "-c", PROGRAM], env=environment, check=True, capture_output=True, text=True, timeout=300
    ).stdout.strip()


def test_the_compiler_is_imported_once_on_a_machine(tmp_path: Path) -> None:
    assert run(tmp_path) == "True"
    assert run(tmp_path) == "False"


@pytest.mark.parametrize("spoil", [lambda code: code[:-7], lambda code: code[:90] + b"?" + code[91:], lambda _: b""])
def test_spoilt_code_is_made_anew(
    spoil: Callable[[bytes], bytes], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(machine_code, "_folder", lambda: tmp_path / "code")
    code = Code("ti", b"\x7fELF" + bytes(range(200)))
    machine_code.write("some.kernel", code)
    assert machine_code.read("some.kernel") == code
    file = tmp_path / "code" / "some.kernel"
    file.write_bytes(spoil(file.read_bytes()))
    assert machine_code.read("some.kernel") is None


def test_a_cache_that_cannot_be_written_costs_time_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "code").write_text("in the way")
    monkeypatch.setattr(machine_code, "_folder", lambda: tmp_path / "code")
    machine_code.write("some.kernel", Code("", b"?"))
    assert machine_code.read("some.kernel") is None
