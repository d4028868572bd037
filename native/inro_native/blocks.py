"""Reading posting lists as `postings` writes them: where blocks lie, and what is in them.

`locate` must have passed an index before any other kernel here, or one that calls them, reads it: it proves that no
block reaches outside its streams. After that, forged bytes can give wrong numbers but no wrong memory access: a chunk
is never beyond its block's last one, which is known to be in the segment.

Kernels called for every block use arrays that whoever searches holds, and count no references to them
(`allocates=False`): that would take longer than what they do.

Knows streams of bits. What a frequency is worth, or which blocks are worth reading, it does not know.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from .kernel import kernel
from .postings import BLOCK, EXCEPTIONS

Array: TypeAlias = NDArray[Any]


@kernel()
def locate(
    frequencies: Array, widths: Array, last: Array, chunks: int, n_words: int, extra: Array, blocks: Array
) -> int:
    """Find where each block lies and prove that it lies inside its streams.

    Args:
        frequencies: int64[t], how many chunks each list holds; their blocks must add up to the rows of `widths`.
        chunks: how many chunks the segment has.
        blocks: uint32[b, 3], filled: place in `words`, place in `extra`, width of gaps and of frequencies << 8.

    Returns:
        -1, or the number of the first block that is not possible; the number of blocks if bytes are left over.
    """
    word = np.int64(0)
    byte = np.int64(0)
    at = 0
    for term in range(len(frequencies)):
        left = frequencies[term]
        before = np.int64(-1)
        while left > 0:
            size = min(left, np.int64(BLOCK))
            left -= size
            blocks[at, 0] = word
            blocks[at, 1] = byte
            blocks[at, 2] = np.uint32(widths[at, 0]) | (np.uint32(widths[at, 1]) << np.uint32(8))
            if np.int64(last[at]) < before + size or np.int64(last[at]) >= chunks:
                return at
            before = np.int64(last[at])
            for run in range(2):
                width = np.int64(widths[at, run] & 0x7F)
                count = size - 1 if run == 0 and size < BLOCK else size
                if width > 32:
                    return at
                if size == BLOCK:
                    word += 4 * width
                else:
                    byte += (count * width + 7) >> 3
                if widths[at, run] & EXCEPTIONS:
                    if byte + 2 > len(extra):
                        return at
                    over = np.int64(extra[byte])
                    high = np.int64(extra[byte + 1])
                    if over > count or width + high > 32:
                        return at
                    byte += 2 + over + ((over * high + 7) >> 3)
            if word > n_words or byte > len(extra):
                return at
            at += 1
    return -1 if word == n_words and byte == len(extra) else at


@kernel(allocates=False)
def _unpack(words: Array, at: int, width: int, out: Array) -> None:
    """A whole block's run: 32 rows of four lanes, which the compiler turns into four-wide shifts. It can do so
    because every index is unsigned: a signed one might count from the end, and would be tested for that."""
    w = np.uint64(width)
    mask = np.uint32((np.uint64(1) << w) - np.uint64(1))
    bit = np.uint64(0)
    to = np.uint64(0)
    for _ in range(32):
        place = np.uint64(at) + (bit >> np.uint64(5)) * np.uint64(4)
        shift = np.uint32(bit & np.uint64(31))
        if np.uint64(shift) + w <= np.uint64(32):
            for lane in range(np.uint64(4)):
                out[to + lane] = np.uint32(words[place + lane] >> shift) & mask
        else:
            rest = np.uint32(32) - shift
            above = place + np.uint64(4)
            for lane in range(np.uint64(4)):
                low = np.uint32(words[place + lane] >> shift)
                out[to + lane] = (low | np.uint32(words[above + lane] << rest)) & mask
        bit += w
        to += np.uint64(4)


@kernel(allocates=False)
def _get(extra: Array, bit: int, width: int) -> np.int64:
    value = np.int64(0)
    taken = 0
    while taken < width:
        shift = bit & 7
        value |= (np.int64(extra[bit >> 3]) >> shift) << taken
        taken += 8 - shift
        bit += 8 - shift
    return value & ((np.int64(1) << width) - 1)


@kernel(allocates=False)
def _run(words: Array, word: int, extra: Array, byte: np.int64, width: int, count: int, whole: bool, out: Array) -> Any:
    """Read one run into `out`; returns the place in `extra` after it."""
    bits = width & 0x7F
    if whole:
        _unpack(words, word, bits, out)
    else:
        w = np.uint64(bits)
        mask = np.uint32((np.uint64(1) << w) - np.uint64(1))
        held = np.uint64(0)
        filled = np.uint64(0)
        at = np.uint64(byte)
        for i in range(count):
            while filled < w:
                held |= np.uint64(extra[at]) << filled
                at += np.uint64(1)
                filled += np.uint64(8)
            out[i] = np.uint32(held) & mask
            held >>= w
            filled -= w
        byte += (count * bits + 7) >> 3
    if width & EXCEPTIONS:
        over = np.int64(extra[byte])
        high = np.uint64(extra[byte + 1])
        mask = np.uint32((np.uint64(1) << high) - np.uint64(1))
        held = np.uint64(0)
        filled = np.uint64(0)
        at = np.uint64(byte + 2 + over)
        for i in range(over):
            while filled < high:
                held |= np.uint64(extra[at]) << filled
                at += np.uint64(1)
                filled += np.uint64(8)
            place = np.uint64(extra[byte + 2 + i]) & np.uint64(BLOCK - 1)
            out[place] |= (np.uint32(held) & mask) << np.uint32(bits)
            held >>= high
            filled -= high
        byte = np.int64(at)
    return byte


@kernel(allocates=False)
def read_chunks(
    words: Array,
    extra: Array,
    blocks: Array,
    at: int,
    size: int,
    before: int,
    final: int,
    gaps: Array,
    out: Array,
    q: int,
) -> Any:
    """A block's chunks into row q of `out`, none beyond `final`; returns the place in `extra` of its frequencies."""
    width = np.int64(blocks[at, 2] & np.uint32(0xFF))
    whole = size == BLOCK
    count = size if whole else size - 1
    byte = _run(words, np.int64(blocks[at, 0]), extra, np.int64(blocks[at, 1]), width, count, whole, gaps)
    chunk = np.int64(before)
    for i in range(count):
        chunk += np.int64(gaps[i]) + 1
        out[q, i] = np.uint32(chunk)
    if chunk > final:
        # Forged: chunks ascend, so that otherwise none is beyond the one before `final`.
        chunk = np.int64(before)
        for i in range(count):
            chunk += np.int64(gaps[i]) + 1
            out[q, i] = np.uint32(min(chunk, np.int64(final)))
    out[q, size - 1] = np.uint32(final)
    return byte


@kernel(allocates=False)
def read_frequencies(words: Array, extra: Array, blocks: Array, at: int, size: int, byte: int, out: Array) -> None:
    """The frequencies of a block, less one."""
    word = np.int64(blocks[at, 0]) + 4 * np.int64(blocks[at, 2] & np.uint32(0x7F))
    width = np.int64(blocks[at, 2] >> np.uint32(8))
    _run(words, word, extra, byte, width, size, size == BLOCK, out)


@kernel(allocates=False)
def frequency_at(words: Array, extra: Array, blocks: Array, at: int, size: int, byte: np.int64, i: int) -> Any:
    """The frequency at place i of a block, less one, without reading the others."""
    width = np.int64(blocks[at, 2] >> np.uint32(8))
    bits = width & 0x7F
    if size == BLOCK:
        word = np.int64(blocks[at, 0]) + 4 * np.int64(blocks[at, 2] & np.uint32(0x7F))
        bit = (i >> 2) * bits
        place = word + (bit >> 5) * 4 + (i & 3)
        value = np.int64(0)
        if bits > 0:
            value = np.int64(words[place]) >> (bit & 31)
            if (bit & 31) + bits > 32:
                value |= np.int64(words[place + 4]) << (32 - (bit & 31))
            value &= (np.int64(1) << bits) - 1
    else:
        value = _get(extra, byte * 8 + i * bits, bits)
        byte += (size * bits + 7) >> 3
    if width & EXCEPTIONS:
        over = np.int64(extra[byte])
        high = np.int64(extra[byte + 1])
        for e in range(over):
            if np.int64(extra[byte + 2 + e]) == i:
                value |= _get(extra, (byte + 2 + over) * 8 + e * high, high) << bits
                break
    return value


@kernel(allocates=False)
def block_size(first: Array, frequencies: Array, term: int, block: int) -> Any:
    """How many postings a block holds."""
    return min(np.int64(BLOCK), np.int64(frequencies[term]) - (block - np.int64(first[term])) * BLOCK)


@kernel(allocates=False)
def hold(
    first: Array,
    frequencies: Array,
    last: Array,
    blocks: Array,
    words: Array,
    extra: Array,
    term: int,
    block: int,
    gaps: Array,
    chunks: Array,
    q: int,
) -> Any:
    """Read a block's chunks into row q; returns the place in `extra` of its frequencies."""
    before = np.int64(last[block - 1]) if block > np.int64(first[term]) else np.int64(-1)
    size = block_size(first, frequencies, term, block)
    return read_chunks(words, extra, blocks, block, size, before, np.int64(last[block]), gaps, chunks, q)


@kernel()
def read_lists(
    first: Array,
    frequencies: Array,
    last: Array,
    blocks: Array,
    words: Array,
    extra: Array,
    begin: int,
    end: int,
    chunks: Array,
    counts: Array,
) -> None:
    """Read the lists of terms begin..end, end to end, into chunks uint32[p] and frequencies uint32[p]."""
    gaps = np.zeros(BLOCK, dtype=np.uint32)
    out = np.zeros((1, BLOCK), dtype=np.uint32)
    at = np.int64(0)
    for term in range(begin, end):
        left = np.int64(frequencies[term])
        before = np.int64(-1)
        for block in range(np.int64(first[term]), np.int64(first[term + 1])):
            size = min(left, np.int64(BLOCK))
            left -= size
            byte = read_chunks(words, extra, blocks, block, size, before, np.int64(last[block]), gaps, out, np.int64(0))
            for i in range(size):
                chunks[at + i] = out[0, i]
            read_frequencies(words, extra, blocks, block, size, byte, gaps)
            for i in range(size):
                counts[at + i] = gaps[i] + np.uint32(1)
            at += size
            before = np.int64(last[block])
