"""One pass over a segment's chunks in ascending order, scoring those that could be among the best k.

Chunks are taken in stretches. A stretch ends where the first of the blocks ends that its essential lists are in, but
it is never so short that the bookkeeping would outweigh the work. The largest `peak` of a list's blocks there bounds
what the list can add. A stretch whose bounds stay under the score to beat is not read. Of the others the lists that
cannot make a result by themselves there are set aside too, what remains is scored, and only chunks that could still
get in are looked up in the rest, strongest list first.

The filter and the tombstones are one bitset, read before a chunk becomes a candidate. As in `blocks`, nothing is
allocated here and no references are counted. Knows lists, weights and
bounds as `bm25` sorts them.
"""

from __future__ import annotations

from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from .blocks import block_size, frequency_at, hold, read_frequencies
from .heap import floor_of, offer
from .kernel import kernel
from .postings import BLOCK
from .shares import share

SHORTEST = 2048
"""Chunks in a stretch, at least; a multiple of 64."""

STRETCH = 16384
"""Chunks in a stretch, at most: their sums stay in the processor's cache. A multiple of 64."""

PROBE = 48
"""With at most this many allowed in the shortest stretch, each is looked up in the lists instead of reading them."""

Array: TypeAlias = NDArray[Any]


class Segment(NamedTuple):
    """The arguments of `bm25.top` that are the segment's."""

    first: Array
    frequencies: Array
    last: Array
    peaks: Array
    blocks: Array
    words: Array
    extra: Array
    lengths: Array
    ids: Array
    allowed: Array
    inverse: Array
    gains: Array


class Terms(NamedTuple):
    """The query's lists, those first that can add least."""

    lists: Array
    """int64[m]"""
    weights: Array
    """float32[m]"""
    rows: Array
    """int64[m], field rows."""
    under: Array
    """int64[m + 1], the most that the lists before can add together."""


class Held(NamedTuple):
    """Where a sweep is in each list, and the one block of it that is unpacked."""

    at: Array
    """int64[m], a block of the list, none before it holds a chunk that is still to come."""
    block: Array
    """int64[m], the block whose chunks are held, -1 for none."""
    shared: Array
    """int64[m], the block whose shares are held, -1 for none."""
    size: Array
    """int64[m], postings of the block that is held."""
    byte: Array
    """int64[m], where its frequencies lie in `extra`."""
    place: Array
    """int64[m], the next of its postings to add."""
    chunks: Array
    """uint32[m + 1, BLOCK], filled up with the last; the last row is working space."""
    shares: Array
    """int32[m, BLOCK]"""
    norms: Array
    """float32[BLOCK], working space."""
    room: Array
    """int32[STRETCH], sums of the stretch; all 0 between stretches."""
    touched: Array
    """uint64[STRETCH // 64], a bit for each sum that was added to; all 0 between stretches."""
    candidates: Array
    """uint32[STRETCH], ascending chunks that could be among the best."""
    reach: Array
    """int64[m + 1], the most that the lists before can add together in the stretch."""
    sums: Array
    """int32[STRETCH], what is known of their scores."""


@kernel(allocates=False)
def _hold(s: Segment, t: Terms, h: Held, j: int, block: int) -> None:
    """Unpack the chunks of a block."""
    term = t.lists[j]
    h.byte[j] = hold(
        s.first,
        s.frequencies,
        s.last,
        s.blocks,
        s.words,
        s.extra,
        term,
        block,
        h.chunks[len(h.chunks) - 1],
        h.chunks,
        j,
    )
    h.block[j] = block
    h.size[j] = block_size(s.first, s.frequencies, term, block)
    h.place[j] = 0
    for i in range(h.size[j], BLOCK):
        h.chunks[j, i] = s.last[block]


@kernel(allocates=False)
def _hold_shares(s: Segment, t: Terms, h: Held, j: int) -> None:
    """Work out what the postings of the held block add."""
    block = h.block[j]
    row = t.rows[j]
    weight = t.weights[j]
    size = h.size[j]
    norms = h.norms
    for i in range(size):
        norms[i] = s.inverse[row, s.lengths[row, h.chunks[j, i]]]
    if s.blocks[block, 2] >> np.uint32(8) != 0:
        counts = h.chunks[len(h.chunks) - 1]
        read_frequencies(s.words, s.extra, s.blocks, block, size, h.byte[j], counts)
        for i in range(size):
            norms[i] *= np.float32(np.int32(counts[i]) + np.int32(1))
    for i in range(size):
        h.shares[j, i] = np.int32(weight - weight / (np.float32(1) + norms[i]))
    h.shared[j] = block


@kernel(allocates=False)
def _seek(last: Array, block: int, end: int, chunk: int) -> np.int64:
    """The first block from `block` on that does not lie before a chunk, or `end`; near ones are found soonest."""
    low = np.int64(block)
    step = np.int64(1)
    while low + step <= end and np.int64(last[low + step - 1]) < chunk:
        low += step
        step <<= 1
    high = min(low + step - 1, np.int64(end))
    while low < high:
        middle = (low + high) >> 1
        if np.int64(last[middle]) < chunk:
            low = middle + 1
        else:
            high = middle
    return low


@kernel(allocates=False)
def look_up(s: Segment, t: Terms, h: Held, j: int, count: int, below: np.int64, floor: np.int64) -> None:
    """Add what list j adds to the candidates, unless with it and `below` a candidate stays under the floor."""
    end = s.first[t.lists[j] + 1]
    block = h.at[j]
    bound = np.int64(-1)
    for c in range(count):
        chunk = np.int64(h.candidates[c])
        if bound < 0 or np.int64(s.last[block]) < chunk:
            block = _seek(s.last, block, end, chunk)
            h.at[j] = block
            if block == end:
                return
            bound = share(t.weights[j], s.gains[t.rows[j], s.peaks[block]])
        if h.sums[c] + below + bound < floor:
            continue
        if h.block[j] != block:
            _hold(s, t, h, j, block)
        # A search without branches: what the processor cannot guess costs more than what it reads.
        place = np.uint64(0)
        step = np.uint64(BLOCK // 2)
        while step > 0:
            place += step * np.uint64(h.chunks[j, place + step - np.uint64(1)] < np.uint32(chunk))
            step >>= np.uint64(1)
        if h.chunks[j, place] == np.uint32(chunk):
            there = np.int64(place)
            count_there = frequency_at(s.words, s.extra, s.blocks, block, h.size[j], h.byte[j], there) + 1
            gain = np.float32(count_there) * s.inverse[t.rows[j], s.lengths[t.rows[j], chunk]]
            h.sums[c] += np.int32(share(t.weights[j], gain))


@kernel(allocates=False)
def _add(s: Segment, t: Terms, h: Held, j: int, low: int, high: int, least: np.int64) -> None:
    """Add up what list j adds to the chunks low..high, blocks excepted that can add less than `least`."""
    end = s.first[t.lists[j] + 1]
    block = h.at[j]
    while block < end:
        if share(t.weights[j], s.gains[t.rows[j], s.peaks[block]]) >= least:
            if h.block[j] != block:
                _hold(s, t, h, j, block)
            if h.shared[j] != block:
                _hold_shares(s, t, h, j)
            place = h.place[j]
            size = h.size[j]
            if place > 0 and np.int64(h.chunks[j, place - 1]) >= low:
                place = 0
            while place < size and np.int64(h.chunks[j, place]) < low:
                place += 1
            while place < size and np.int64(h.chunks[j, place]) < high:
                i = np.int64(h.chunks[j, place]) - low
                h.room[i] += h.shares[j, place]
                h.touched[i >> 6] |= np.uint64(1) << np.uint64(i & 63)
                place += 1
            h.place[j] = place
        if np.int64(s.last[block]) >= high - 1:
            break
        block += 1
    h.at[j] = block


@kernel(allocates=False)
def _bit(bits: np.uint64) -> Any:
    """The place of the lowest bit set."""
    place = 0
    step = 32
    while step > 0:
        if bits & ((np.uint64(1) << np.uint64(step)) - np.uint64(1)) == np.uint64(0):
            bits >>= np.uint64(step)
            place += step
        step >>= 1
    return place


@kernel(allocates=False)
def _gather(s: Segment, h: Held, low: int, high: int, least: np.int64) -> int:
    """Make candidates of the sums that are at least `least`, and clear them all; returns how many."""
    count = 0
    for word in range((high - low + 63) >> 6):
        bits = h.touched[word]
        if bits == np.uint64(0):
            continue
        h.touched[word] = 0
        keep = s.allowed[(low >> 6) + word] if len(s.allowed) > 0 else ~np.uint64(0)
        while bits != np.uint64(0):
            lowest = bits & (~bits + np.uint64(1))
            bits ^= lowest
            i = (word << 6) + _bit(lowest)
            if h.room[i] >= least and keep & lowest != np.uint64(0):
                h.candidates[count] = low + i
                h.sums[count] = h.room[i]
                count += 1
            h.room[i] = 0
    return count


@kernel(allocates=False)
def _probe(s: Segment, h: Held, low: int, high: int) -> int:
    """Make candidates of all allowed chunks if they are few; returns how many, or -1."""
    count = 0
    for word in range(low >> 6, (high + 63) >> 6):
        bits = s.allowed[word]
        while bits != np.uint64(0):
            if count == PROBE:
                return -1
            lowest = bits & (~bits + np.uint64(1))
            bits ^= lowest
            h.candidates[count] = (word << 6) + _bit(lowest)
            h.sums[count] = 0
            count += 1
    return count


@kernel(allocates=False)
def sweep(
    s: Segment, t: Terms, h: Held, m: int, begin: int, beat: np.int64, scores: Array, found: Array, size: int
) -> int:
    """Search the lists begin..m for chunks that score `beat` or more, by those lists alone; returns the heap's size.

    Args:
        beat: 1 or more.
        scores, found, size: the heap, as in `bm25.top`.
    """
    n = np.int64(len(s.ids))
    reach = h.reach
    reach[begin] = 0
    for j in range(begin, m):
        reach[j + 1] = t.under[j + 1] - t.under[begin]
        h.at[j] = s.first[t.lists[j]]
    optional = begin
    high = np.int64(0)
    while high < n:
        low = high
        if len(s.allowed) > 0:
            while low < n and s.allowed[low >> 6] == np.uint64(0):
                low += 64
            if low >= n:
                break
        floor = max(beat, floor_of(scores, found, size, s.ids[low]))
        while optional < m and t.under[optional + 1] - t.under[begin] < floor:
            optional += 1
            reach[optional] = t.under[optional] - t.under[begin]
        if optional == m:
            break
        high = min(low + SHORTEST, n)
        count = _probe(s, h, low, high) if len(s.allowed) > 0 else -1
        split = m
        if count >= 0:
            for j in range(optional, m):
                reach[j + 1] = t.under[j + 1] - t.under[begin]
        else:
            nearest = n
            for j in range(optional, m):
                block = h.at[j]
                end = s.first[t.lists[j] + 1]
                while block < end and np.int64(s.last[block]) < low:
                    block += 1
                h.at[j] = block
                if block < end:
                    nearest = min(nearest, np.int64(s.last[block]) + 1)
            high = min(max(high, min((nearest + 63) & ~63, low + STRETCH)), n)
            split = optional
            for j in range(optional, m):
                block = h.at[j]
                end = s.first[t.lists[j] + 1]
                peak = np.uint8(0)
                while block < end:
                    peak = max(peak, s.peaks[block])
                    if np.int64(s.last[block]) >= high - 1:
                        break
                    block += 1
                bound = max(1, share(t.weights[j], s.gains[t.rows[j], peak])) if peak > 0 else 0
                reach[j + 1] = reach[j] + bound
                if reach[j + 1] < floor:
                    split = j + 1
            if split == m:
                continue
            for j in range(split, m):
                bound = reach[j + 1] - reach[j]
                if bound > 0:
                    _add(s, t, h, j, low, high, floor - (reach[m] - bound))
            count = _gather(s, h, low, high, max(1, floor - reach[split]))
        for j in range(split - 1, begin - 1, -1):
            if reach[j + 1] == reach[j]:
                continue
            kept = 0
            for c in range(count):
                if h.sums[c] + reach[j + 1] >= floor:
                    h.candidates[kept] = h.candidates[c]
                    h.sums[kept] = h.sums[c]
                    kept += 1
            count = kept
            if count == 0:
                break
            look_up(s, t, h, j, count, reach[j], floor)
        for c in range(count):
            if h.sums[c] >= floor:
                size = offer(scores, found, size, h.sums[c], s.ids[h.candidates[c]])
                floor = max(floor, floor_of(scores, found, size, s.ids[low]))
    return size
