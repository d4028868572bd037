"""Arrays of whole numbers as few bytes: rows of 128 values, each row at the bit width its largest value needs.

The rule: `unpack(pack(values)) == values` for every uint64 array, and `unpack` of any other bytes raises ValueError
rather than reading past an end. This is the form in which a segment keeps its tables (keys, frequencies, lengths)
in the file; they are expanded once on opening. The posting lists themselves have their own codec in `postings`.

Layout, little endian throughout: the number of values (uint64); one width byte (0-64) per row, and zeros to a multiple
of eight; then the values' bits, least significant first, in words of 64, each row starting on a word.
"""

from __future__ import annotations

import struct
from typing import Any

import numpy as np
from numpy.typing import NDArray

from inro_native.kernel import kernel

ROW = 128
"""Values in a row."""

_COUNT = struct.Struct("<Q")


def pack(values: NDArray[np.unsignedinteger[Any]]) -> bytes:
    """The bytes of `values` (any unsigned dtype, [n])."""
    wide = np.ascontiguousarray(values, dtype=np.uint64)
    widths = np.zeros(-(-len(wide) // ROW), dtype=np.uint8)
    _choose_widths(wide, widths)
    body = np.zeros(int(_row_words(widths, len(wide)).sum()), dtype=np.uint64)
    _pack_rows(wide, widths, body)
    head: bytes = _COUNT.pack(len(wide)) + widths.tobytes()
    return head + bytes(-len(widths) % 8) + body.astype("<u8").tobytes()


def unpack(data: bytes | memoryview, most: int) -> NDArray[np.uint64]:
    """The uint64[n] array that `pack` was given.

    `most` is the largest n that makes sense to the caller: a forged count must not reserve memory.
    Raises ValueError when `data` is not what `pack` writes for some array of at most that length.
    """
    if len(data) < _COUNT.size:
        raise ValueError("packed array: no room for its count")
    (count,) = _COUNT.unpack_from(data)
    if count > most:
        raise ValueError(f"packed array: {count} values where at most {most} are possible")
    rows = -(-count // ROW)
    start = _COUNT.size + rows + -rows % 8
    if len(data) < start or (len(data) - start) % 8:
        raise ValueError("packed array: cut short")
    widths = np.frombuffer(data, dtype=np.uint8, count=rows, offset=_COUNT.size)
    if rows and int(widths.max()) > 64:
        raise ValueError("packed array: a width above 64 bits")
    # Copied, so that kernels meet one kind of array: aligned and in the machine's byte order.
    body = np.frombuffer(data, dtype="<u8", offset=start).astype(np.uint64)
    if len(body) != int(_row_words(widths, count).sum()):
        raise ValueError("packed array: its size does not fit its widths")
    out = np.empty(count, dtype=np.uint64)
    _unpack_rows(body, widths, out)
    return out


def _row_words(widths: NDArray[np.uint8], count: int) -> NDArray[np.int64]:
    """Words of each row, int64[rows]; only the last may hold fewer than 128 values."""
    sizes = widths.astype(np.int64) * (ROW // 64)
    if len(sizes):
        last = count - ROW * (len(widths) - 1)
        sizes[-1] = (int(widths[-1]) * last + 63) // 64
    return sizes


@kernel()
def _choose_widths(values: NDArray[np.uint64], widths: NDArray[np.uint8]) -> None:
    for row in range(len(widths)):
        union = np.uint64(0)
        for i in range(row * ROW, min(len(values), (row + 1) * ROW)):
            union |= values[i]
        width = 0
        while union != np.uint64(0):
            union >>= np.uint64(1)
            width += 1
        widths[row] = width


@kernel()
def _pack_rows(values: NDArray[np.uint64], widths: NDArray[np.uint8], body: NDArray[np.uint64]) -> None:
    word = np.int64(0)
    for row in range(len(widths)):
        width = np.int64(widths[row])
        first = row * ROW
        end = min(len(values), first + ROW)
        bit = np.int64(0)
        for i in range(first, end if width > 0 else first):
            at = word + (bit >> 6)
            shift = bit & 63
            body[at] |= values[i] << np.uint64(shift)
            if shift + width > 64:
                body[at + 1] |= values[i] >> np.uint64(64 - shift)
            bit += width
        word += (bit + 63) >> 6


@kernel()
def _unpack_rows(body: NDArray[np.uint64], widths: NDArray[np.uint8], out: NDArray[np.uint64]) -> None:
    word = np.int64(0)
    for row in range(len(widths)):
        width = np.int64(widths[row])
        first = row * ROW
        end = min(len(out), first + ROW)
        if width == 0:
            out[first:end] = 0
            continue
        mask = np.uint64(0xFFFFFFFFFFFFFFFF) >> np.uint64(64 - width)
        bit = np.int64(0)
        for i in range(first, end):
            at = word + (bit >> 6)
            shift = bit & 63
            value = body[at] >> np.uint64(shift)
            if shift + width > 64:
                value |= body[at + 1] << np.uint64(64 - shift)
            out[i] = value & mask
            bit += width
        word += (bit + 63) >> 6
