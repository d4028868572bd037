"""Writing posting lists: terms gathered from text order into lists, lists packed into blocks.

A posting list is, for one term, the chunks that hold it (local numbers, ascending) with the term's frequency in each.
It is cut into blocks of 128; the last block of a list holds what is left, 1 to 128.

A block codes two runs of numbers: the gaps between chunks less one, and the frequencies less one. Each run has a bit
width under which most of its numbers fit; the few that do not ("exceptions") keep their high bits apart, so that one
large gap does not widen 127 small ones. Where things lie:

    words   uint32  whole blocks only: a run of width w takes 4*w words, number i in lane i & 3 at bit (i >> 2) * w
    extra   uint8   a last block's runs, bit-packed; and the exceptions of every block: how many, the width of their
                    high bits, their places, their high bits bit-packed; each piece starts on a byte
    widths  uint8[blocks, 2]  width of the gaps and of the frequencies, bit 7 set where the run has exceptions
    last    uint32[blocks]    the last chunk of the block; a last block does not code its final gap, which this tells
    peak    float32[blocks]   the largest `frequency * inverse[length]` in the block: what bounds its scores

Order within `extra`: gaps, their exceptions, frequencies, their exceptions. Knows arrays; what a term or a chunk is,
and how the streams are kept in a file, it does not know. Reading them is in `blocks`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from inro_native.kernel import kernel

BLOCK = 128
"""Postings in a whole block. Part of the format, as is everything in this module's first paragraph."""

EXCEPTIONS = 0x80
"""The bit of a width byte that says the run has exceptions."""

Array: TypeAlias = NDArray[Any]


class Lists(NamedTuple):
    """Posting lists laid end to end: list t is `chunks[starts[t]:starts[t + 1]]`, and the same of `frequencies`."""

    keys: NDArray[np.uint64]
    """uint64[t], any order."""
    starts: NDArray[np.int64]
    """int64[t + 1]"""
    chunks: NDArray[np.uint32]
    """uint32[p], ascending within a list."""
    frequencies: NDArray[np.uint32]
    """uint32[p], 1 or more."""


class Blocks(NamedTuple):
    """Posting lists packed; see the module for each stream."""

    words: NDArray[np.uint32]
    extra: NDArray[np.uint8]
    widths: NDArray[np.uint8]
    last: NDArray[np.uint32]
    peak: NDArray[np.float32]


def gather(keys: NDArray[np.uint64], offsets: NDArray[np.int64]) -> Lists:
    """Turn text order into posting lists, keys ascending.

    Args:
        keys: uint64[n], the terms of all texts one after the other, repeats included.
        offsets: int64[m + 1], text i is `keys[offsets[i]:offsets[i + 1]]`; text numbers become chunk numbers.

    Raises:
        ValueError: offsets that do not run from 0 to n.
    """
    if len(offsets) == 0 or offsets[0] != 0 or offsets[-1] != len(keys) or bool((np.diff(offsets) < 0).any()):
        raise ValueError("offsets do not run from 0 to the number of keys")
    if len(offsets) - 1 > 0x7FFFFFFF:
        raise ValueError("more texts than a segment may hold")
    offsets = np.ascontiguousarray(offsets, np.int64)
    ordinals = np.empty(len(keys), dtype=np.uint32)
    # room for all keys to be distinct; what stays untouched costs nothing
    distinct, counts = np.empty(len(keys), dtype=np.uint64), np.empty(len(keys), dtype=np.int64)
    terms = _number_terms(np.ascontiguousarray(keys, np.uint64), offsets, ordinals, distinct, counts)
    distinct, counts = distinct[:terms].copy(), counts[:terms]
    order = np.argsort(distinct)
    starts = np.zeros(len(distinct) + 1, dtype=np.int64)
    np.cumsum(counts[order], out=starts[1:])
    rank = np.empty(len(distinct), dtype=np.uint32)
    rank[order] = np.arange(len(distinct), dtype=np.uint32)
    chunks = np.empty(starts[-1], dtype=np.uint32)
    frequencies = np.empty(starts[-1], dtype=np.uint32)
    _scatter(ordinals, rank, offsets, starts, starts[:-1].copy(), chunks, frequencies)
    return Lists(distinct[order], starts, chunks, frequencies)


def join(parts: Sequence[Lists]) -> Lists:
    """Lists of several makings as one; keys are not to repeat."""
    if not parts:
        return Lists(np.empty(0, np.uint64), np.zeros(1, np.int64), np.empty(0, np.uint32), np.empty(0, np.uint32))
    if len(parts) == 1:
        return parts[0]
    sizes = np.concatenate([np.diff(part.starts) for part in parts])
    starts = np.zeros(len(sizes) + 1, dtype=np.int64)
    np.cumsum(sizes, out=starts[1:])
    return Lists(
        np.concatenate([part.keys for part in parts]),
        starts,
        np.concatenate([part.chunks for part in parts]),
        np.concatenate([part.frequencies for part in parts]),
    )


def write(lists: Lists, order: NDArray[np.int64], inverse: NDArray[np.float32], lengths: Array, row: Array) -> Blocks:
    """Pack the lists in the given order.

    Args:
        order: int64[t], which list to write next.
        inverse: float32[rows, longest + 1], 1 / (k1 * (1 - b + b * length / average)) by length.
        lengths: uint16[rows, chunks], lengths as `inverse` is indexed by.
        row: uint8[t], the row of `inverse` and `lengths` that list t is scored with.
    """
    blocks = int(((np.diff(lists.starts) + BLOCK - 1) // BLOCK).sum())
    widths = np.zeros((blocks, 2), dtype=np.uint8)
    last = np.zeros(blocks, dtype=np.uint32)
    peak = np.zeros(blocks, dtype=np.float32)
    n_words, n_extra = _plan(
        lists.starts, lists.chunks, lists.frequencies, order, inverse, lengths, row, widths, last, peak
    )
    words = np.zeros(n_words, dtype=np.uint32)
    extra = np.zeros(n_extra, dtype=np.uint8)
    _write(lists.starts, lists.chunks, lists.frequencies, order, widths, words, extra)
    return Blocks(words, extra, widths, last, peak)


# Kernels


@kernel()
def _slot(table: Array, distinct: Array, key: np.uint64) -> np.int64:
    """Where `key` is in the open-addressed table, or the free slot where it belongs."""
    mask = np.uint64(len(table) - 1)
    # Keys are not all hashes: the multiplier spreads code points over the table.
    slot = (key * np.uint64(0x9E3779B97F4A7C15) >> np.uint64(20)) & mask
    while table[slot] >= 0 and distinct[table[slot]] != key:
        slot = (slot + np.uint64(1)) & mask
    return np.int64(slot)


@kernel()
def _free(size: int) -> Array:
    table = np.empty(size, dtype=np.int32)
    for i in range(size):
        table[i] = -1
    return table


@kernel()
def _number_terms(keys: Array, offsets: Array, ordinals: Array, distinct: Array, counts: Array) -> np.int64:
    """Fills in the ordinal of each key, the distinct keys in order of appearance, and in how many texts each occurs.
    Returns how many there are."""
    table = _free(np.int64(1 << 14))
    seen = np.empty(len(keys), dtype=np.int64)
    terms = np.int64(0)
    for text in range(len(offsets) - 1):
        for i in range(offsets[text], offsets[text + 1]):
            key = keys[i]
            slot = _slot(table, distinct, key)
            term = np.int64(table[slot])
            if term < 0:
                if 2 * terms == len(table):
                    table = _free(4 * terms)
                    for old in range(terms):
                        table[_slot(table, distinct, distinct[old])] = old
                    slot = _slot(table, distinct, key)
                term = terms
                table[slot] = term
                distinct[term] = key
                counts[term] = 0
                seen[term] = -1
                terms += 1
            if seen[term] != text:
                seen[term] = text
                counts[term] += 1
            ordinals[i] = term
    return terms


@kernel()
def _scatter(
    ordinals: Array, rank: Array, offsets: Array, starts: Array, filled: Array, chunks: Array, frequencies: Array
) -> None:
    for text in range(len(offsets) - 1):
        for i in range(offsets[text], offsets[text + 1]):
            term = rank[ordinals[i]]
            at = filled[term]
            if at > starts[term] and chunks[at - 1] == text:
                frequencies[at - 1] += np.uint32(1)
            else:
                chunks[at] = text
                frequencies[at] = 1
                filled[term] = at + 1


@kernel()
def _bits(value: int) -> int:
    width = 0
    while value != 0:
        value >>= 1
        width += 1
    return width


@kernel()
def _choose(numbers: Array, count: int) -> tuple[int, int]:
    """The width that makes the run smallest, and the width of its largest number."""
    held = np.zeros(34, dtype=np.int64)
    for i in range(count):
        held[_bits(np.int64(numbers[i]))] += 1
    widest = 33
    while widest > 0 and held[widest] == 0:
        widest -= 1
    best = widest
    least = count * widest
    over = np.int64(0)
    for width in range(widest - 1, -1, -1):
        over += held[width + 1]
        cost = count * width + 16 + over * (8 + widest - width)
        if cost < least:
            least = cost
            best = width
    return best, widest


@kernel()
def _runs(
    starts: Array, chunks: Array, frequencies: Array, term: int, block: int, gaps: Array, counts: Array
) -> tuple[int, int]:
    """Fill the two runs of a block; returns how many gaps and how many frequencies it codes."""
    first = starts[term] + block * BLOCK
    size = min(np.int64(BLOCK), starts[term + 1] - first)
    before = np.int64(chunks[first - 1]) if block > 0 else np.int64(-1)
    for i in range(size):
        chunk = np.int64(chunks[first + i])
        gaps[i] = chunk - before - 1
        before = chunk
        counts[i] = np.int64(frequencies[first + i]) - 1
    return (size, size) if size == BLOCK else (size - 1, size)


@kernel()
def _exception_bytes(numbers: Array, count: int, width: int, widest: int) -> int:
    over = 0
    for i in range(count):
        if np.int64(numbers[i]) >> width != 0:
            over += 1
    return 2 + over + ((over * (widest - width) + 7) >> 3)


@kernel()
def _plan(
    starts: Array,
    chunks: Array,
    frequencies: Array,
    order: Array,
    inverse: Array,
    lengths: Array,
    row: Array,
    widths: Array,
    last: Array,
    peak: Array,
) -> tuple[int, int]:
    """Choose every block's widths and note its last chunk and peak; returns the sizes of `words` and `extra`."""
    gaps = np.empty(BLOCK, dtype=np.int64)
    counts = np.empty(BLOCK, dtype=np.int64)
    n_words = 0
    n_extra = 0
    at = 0
    for place in range(len(order)):
        term = order[place]
        field = row[term]
        blocks = (starts[term + 1] - starts[term] + BLOCK - 1) // BLOCK
        for block in range(blocks):
            n_gaps, size = _runs(starts, chunks, frequencies, term, block, gaps, counts)
            first = starts[term] + block * BLOCK
            last[at] = chunks[first + size - 1]
            most = np.float32(0)
            for i in range(first, first + size):
                value = np.float32(frequencies[i]) * inverse[field, lengths[field, chunks[i]]]
                most = max(most, value)
            peak[at] = most
            for run in range(2):
                numbers, count = (gaps, n_gaps) if run == 0 else (counts, size)
                width, widest = _choose(numbers, count)
                widths[at, run] = width
                if size == BLOCK:
                    n_words += 4 * width
                else:
                    n_extra += (count * width + 7) >> 3
                if width < widest:
                    widths[at, run] |= EXCEPTIONS
                    n_extra += _exception_bytes(numbers, count, width, widest)
            at += 1
    return n_words, n_extra


@kernel()
def _put(extra: Array, bit: np.int64, value: np.int64, width: np.int64) -> np.int64:
    """Write `width` bits at `bit` of a zeroed stream; returns the bit after them."""
    while width > 0:
        shift = bit & 7
        extra[bit >> 3] |= np.uint8((value << shift) & 255)
        taken = np.int64(8 - shift) if 8 - shift < width else np.int64(width)
        value >>= taken
        width -= taken
        bit += taken
    return bit


@kernel()
def _write(
    starts: Array, chunks: Array, frequencies: Array, order: Array, widths: Array, words: Array, extra: Array
) -> None:
    gaps = np.empty(BLOCK, dtype=np.int64)
    counts = np.empty(BLOCK, dtype=np.int64)
    word = np.int64(0)
    byte = np.int64(0)
    at = 0
    for place in range(len(order)):
        term = order[place]
        blocks = (starts[term + 1] - starts[term] + BLOCK - 1) // BLOCK
        for block in range(blocks):
            n_gaps, size = _runs(starts, chunks, frequencies, term, block, gaps, counts)
            for run in range(2):
                numbers, count = (gaps, n_gaps) if run == 0 else (counts, size)
                width = np.int64(widths[at, run] & 0x7F)
                mask = (np.int64(1) << width) - 1
                if size == BLOCK:
                    for i in range(BLOCK):
                        bit = (i >> 2) * width
                        place_in = word + (bit >> 5) * 4 + (i & 3)
                        value = (numbers[i] & mask) << (bit & 31)
                        words[place_in] |= np.uint32(value & 0xFFFFFFFF)
                        if (bit & 31) + width > 32:
                            words[place_in + 4] |= np.uint32(value >> 32)
                    word += 4 * width
                else:
                    bit = byte * 8
                    for i in range(count):
                        bit = _put(extra, bit, numbers[i] & mask, width)
                    byte = (bit + 7) >> 3
                if widths[at, run] & EXCEPTIONS:
                    over = 0
                    widest = 0
                    for i in range(count):
                        if numbers[i] >> width != 0:
                            extra[byte + 2 + over] = i
                            over += 1
                            widest = max(widest, _bits(numbers[i]))
                    extra[byte] = over
                    extra[byte + 1] = widest - width
                    bit = (byte + 2 + over) * 8
                    for i in range(count):
                        if numbers[i] >> width != 0:
                            bit = _put(extra, bit, numbers[i] >> width, widest - width)
                    byte = (bit + 7) >> 3
            at += 1
