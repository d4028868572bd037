"""Frames between a parent and the child process that runs a model.

A frame is the length of its header (4 bytes, big-endian), the header (a JSON object in ASCII), and the
raw bytes of the arrays the header announces under `arrays`, in C order, little-endian, one after the
other. JSON escapes carry every Python string, lone surrogates included. Nothing is ever unpickled, and
both sides check every size and dtype before they allocate. Knows nothing of processes, requests or
models.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

HEADER_LIMIT = 64 << 20
"""Bytes of a header; batches of text travel in it."""
BODY_LIMIT = 1 << 30
"""Bytes of all arrays of a frame together."""
ARRAYS_LIMIT = 64
DIMENSIONS_LIMIT = 4
DTYPES = frozenset({"float32", "float16", "int8", "uint8", "int32", "uint32", "int64", "uint64", "bool"})

_LENGTH = struct.Struct(">I")

Header: TypeAlias = Mapping[str, Any]
Array: TypeAlias = NDArray[Any]


class ProtocolError(ValueError):
    """What arrived, or was to be sent, is not a frame."""


class Readable(Protocol):
    """`read(n)` gives between 1 and n bytes, or none at the end of the stream."""

    def read(self, n: int, /) -> bytes | None: ...


class Writable(Protocol):
    """`write` takes some or all of the bytes and says how many; `flush` pushes them out."""

    def write(self, data: memoryview[int] | bytes, /) -> int | None: ...

    def flush(self) -> None: ...


@dataclass(frozen=True, slots=True)
class Frame:
    """One message."""

    header: dict[str, Any]
    """Without the `arrays` entry, which `arrays` replaces."""
    arrays: tuple[Array, ...] = field(default=())
    """Writable, C-contiguous, native byte order."""


def write_frame(stream: Writable, header: Header, arrays: Sequence[Array] = ()) -> None:
    """Send one frame and flush.

    Raises:
        ProtocolError: a dtype that is not carried, a size past the limits, or a header that is not JSON.
        OSError: the other side is gone.
    """
    if "arrays" in header:
        raise ProtocolError("the header entry 'arrays' is made from the arrays themselves")
    bodies = [np.ascontiguousarray(a, dtype=_wire_dtype(a.dtype)).reshape(a.shape) for a in arrays]
    full = dict(header)
    if bodies:
        full["arrays"] = [{"dtype": a.dtype.name, "shape": list(a.shape)} for a in bodies]
        _shapes(full["arrays"])
    try:
        encoded = json.dumps(full, allow_nan=False, separators=(",", ":")).encode("ascii")
    except (TypeError, ValueError) as e:
        raise ProtocolError(f"a header that is not JSON: {e}") from e
    if len(encoded) > HEADER_LIMIT:
        raise ProtocolError(f"a header of {len(encoded)} bytes; the limit is {HEADER_LIMIT}")
    _write_all(stream, _LENGTH.pack(len(encoded)) + encoded)
    for body in bodies:
        if body.size:
            _write_all(stream, body.reshape(-1).view(np.uint8).data)
    stream.flush()


def read_frame(stream: Readable) -> Frame | None:
    """Receive one frame; None when the stream ended cleanly between frames.

    Raises:
        ProtocolError: bytes that are not a frame, a size past the limits, or a stream that ended inside one.
    """
    prefix = _exactly(stream, _LENGTH.size, at_start=True)
    if prefix is None:
        return None
    (length,) = _LENGTH.unpack(prefix)
    if length > HEADER_LIMIT:
        raise ProtocolError(f"a header of {length} bytes; the limit is {HEADER_LIMIT}")
    encoded = _exactly(stream, length) or b""
    try:
        header = json.loads(encoded)
    except (ValueError, RecursionError) as e:
        raise ProtocolError(f"a header that is not JSON: {e}") from e
    if not isinstance(header, dict):
        raise ProtocolError(f"a header that is not an object: {type(header).__name__}")
    arrays = []
    for dtype, shape in _shapes(header.pop("arrays", [])):
        size = int(np.prod(shape, dtype=np.int64)) * dtype.itemsize
        body = _exactly(stream, size) or bytearray()
        arrays.append(_native(np.frombuffer(body, dtype=dtype).reshape(shape)))
    return Frame(header, tuple(arrays))


def _wire_dtype(dtype: np.dtype[Any]) -> np.dtype[Any]:
    if dtype.name not in DTYPES:
        raise ProtocolError(f"an array of {dtype.name}; carried are {', '.join(sorted(DTYPES))}")
    return dtype.newbyteorder("<")


def _native(array: Array) -> Array:
    return array if array.dtype.isnative else array.astype(array.dtype.newbyteorder("="))


def _shapes(announced: Any) -> list[tuple[np.dtype[Any], tuple[int, ...]]]:
    """Check the announced arrays and give their dtypes and shapes."""
    if not isinstance(announced, list) or len(announced) > ARRAYS_LIMIT:
        raise ProtocolError(f"an 'arrays' entry that is not a list of at most {ARRAYS_LIMIT}")
    found: list[tuple[np.dtype[Any], tuple[int, ...]]] = []
    total = 0
    for entry in announced:
        name = entry.get("dtype") if isinstance(entry, dict) else None
        shape = entry.get("shape") if isinstance(entry, dict) else None
        if not isinstance(name, str) or name not in DTYPES:
            raise ProtocolError(f"an array of {name!r}; carried are {', '.join(sorted(DTYPES))}")
        if not isinstance(shape, list) or len(shape) > DIMENSIONS_LIMIT:
            raise ProtocolError(f"a shape that is not a list of at most {DIMENSIONS_LIMIT} lengths: {shape!r}")
        if any(type(n) is not int or n < 0 for n in shape):
            raise ProtocolError(f"a shape with something else than lengths: {shape!r}")
        dtype = np.dtype(name).newbyteorder("<")
        size = dtype.itemsize
        for n in shape:  # Python integers: a product past 64 bits is still told apart
            size *= n
        if max(shape, default=0) > BODY_LIMIT:
            raise ProtocolError(f"a shape past the limit of {BODY_LIMIT} bytes: {shape!r}")
        total += size
        if total > BODY_LIMIT:
            raise ProtocolError(f"arrays of more than {BODY_LIMIT} bytes")
        found.append((dtype, tuple(shape)))
    return found


def _write_all(stream: Writable, data: memoryview[int] | bytes) -> None:
    view = memoryview(data)
    while view:
        written = stream.write(view)
        if written is None:
            raise ProtocolError("the stream does not block; frames need one that does")
        view = view[written:]


def _exactly(stream: Readable, n: int, *, at_start: bool = False) -> bytearray | None:
    """Exactly n bytes, or None when `at_start` and the stream has ended."""
    got = bytearray()
    while len(got) < n:
        piece = stream.read(min(n - len(got), 1 << 20))
        if not piece:
            if at_start and not got:
                return None
            raise ProtocolError(f"the stream ended after {len(got)} of {n} bytes")
        got += piece
    return got
