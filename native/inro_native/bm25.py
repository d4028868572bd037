"""Scoring posting lists: the best k chunks for a weighted set of terms, exactly, without scoring them all.

A term found f times in a chunk of length l adds `w - w / (1 + f * inverse[l])` to the chunk's score, which is BM25's
`w * f / (f + k1 * (1 - b + b * l / average))` written so that float32 rounding cannot break its order in f or l
(the same device as Lucene's BM25Similarity). Each term's share is cut to a whole number, and a score is a sum of whole
numbers: it does not depend on the order of adding, so skipping work can never change a result, ties included.
The caller scales the weights (see `SCORE_RANGE`), adds idf and field weights to them, and scales the scores back.

How work is skipped. Chunks are taken in windows. For each list and window the largest `peak` of its blocks bounds what
the list can add there. Lists whose bounds together stay under the score to beat cannot make a result by themselves:
the others are scored for the whole window ("essential", as in MaxScore), and only chunks that could still get in
are looked up in the rest, strongest list first. A window whose bounds stay under it is not read at all.

The filter and the tombstones are one bitset, read before a chunk becomes a candidate. The lists
must have passed `blocks.locate`. Knows arrays; what a term, a field or a chunk means it does not know.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
from numba import njit
from numpy.typing import NDArray

from .blocks import block_size, frequency_at, hold, read_frequencies
from .heap import floor_of, offer
from .postings import BLOCK
from .shares import share

SCORE_RANGE = 1 << 30
"""Scaled weights sum to at most this, so that a score fits an int32."""

WINDOW = 2048
"""Chunks in a window."""

SEEDS = 4
"""How many of the most promising windows are searched ahead of the others, for a high score to beat."""

PROBE = 48
"""With at most this many allowed chunks in a window, each is looked up in the lists instead of reading the lists."""

Array: TypeAlias = NDArray[Any]


@njit(cache=True, nogil=True)
def _is_allowed(allowed: Array, chunk: int) -> Any:
    """Whether the filter lets a chunk through; an empty bitset lets every chunk through."""
    if len(allowed) == 0:
        return True
    return (allowed[chunk >> 6] >> np.uint64(chunk & 63)) & np.uint64(1) != np.uint64(0)


@njit(cache=True, nogil=True)
def _bound_windows(
    first: Array,
    last: Array,
    peaks: Array,
    terms: Array,
    weights: Array,
    rows: Array,
    gains: Array,
    bounds: Array,
    begins: Array,
) -> Array:
    """For each window and list the most it can add (0 where it has nothing) and the first block to read; returns the
    lists in ascending order of the most they can add anywhere."""
    ceilings = np.zeros(len(terms), dtype=np.int64)
    order = np.zeros(len(terms), dtype=np.int64)
    for j in range(len(terms)):
        begin = np.int64(first[terms[j]])
        start = np.int64(0)
        for block in range(begin, np.int64(first[terms[j] + 1])):
            end = np.int64(last[block]) // WINDOW
            peak = np.int32(peaks[block])
            for window in range(start // WINDOW, end + 1):
                if bounds[window, j] == 0:
                    begins[window, j] = block
                bounds[window, j] = max(bounds[window, j], peak)
            start = np.int64(last[block]) + 1
        highest = np.int32(0)
        for window in range(len(bounds)):
            peak = bounds[window, j]
            if peak > 0:
                highest = max(highest, peak)
                # A share can be cut to 0; a bound of 0 says that nothing is there.
                bounds[window, j] = max(1, share(weights[j], gains[rows[j], peak]))
        ceiling = share(weights[j], gains[rows[j], highest])
        # Sorted as they come: lists are few, and numba's own sort takes a second to compile.
        place = j
        while place > 0 and ceilings[place - 1] > ceiling:
            ceilings[place] = ceilings[place - 1]
            order[place] = order[place - 1]
            place -= 1
        ceilings[place] = ceiling
        order[place] = j
    return order


@njit(cache=True, nogil=True)
def _hold_shares(
    blocks: Array,
    words: Array,
    extra: Array,
    lengths: Array,
    inverse: Array,
    row: int,
    weight: np.float32,
    block: int,
    size: int,
    byte: int,
    counts: Array,
    norms: Array,
    chunks: Array,
    shares: Array,
    q: int,
) -> None:
    """What the postings of a block add, given its chunks, into row q."""
    for i in range(size):
        norms[i] = inverse[row, lengths[row, chunks[q, i]]]
    if blocks[block, 2] >> np.uint32(8) != 0:
        read_frequencies(words, extra, blocks, block, size, byte, counts)
        for i in range(size):
            norms[i] *= np.float32(np.int32(counts[i]) + np.int32(1))
    for i in range(size):
        shares[q, i] = np.int32(weight - weight / (np.float32(1) + norms[i]))


@njit(cache=True, nogil=True)
def _add(
    chunks: Array, shares: Array, q: int, place: int, size: int, low: int, high: int, sums: Array, touched: Array
) -> int:
    """Add the shares of the chunks low..high from `place` on, and mark the strips of 32 they fall in; returns the
    place after them."""
    while place < size and np.int64(chunks[q, place]) < low:
        place += 1
    while place < size and np.int64(chunks[q, place]) < high:
        at = np.int64(chunks[q, place]) - low
        sums[at] += shares[q, place]
        touched[at >> 5] = 1
        place += 1
    return place


@njit(cache=True, nogil=True)
def top(
    first: Array,
    frequencies: Array,
    last: Array,
    peaks: Array,
    blocks: Array,
    words: Array,
    extra: Array,
    lengths: Array,
    ids: Array,
    allowed: Array,
    places: Array,
    worth: Array,
    fields: Array,
    inverse: Array,
    gains: Array,
    scores: Array,
    found: Array,
    size: int,
) -> int:
    """Search one segment and carry the best so far.

    Args:
        first: int64[t + 1], the first block of each list.
        frequencies: int64[t], how many chunks each list holds.
        last, words, extra: as `postings` writes them; blocks as `blocks.locate` fills it.
        peaks: uint8[b], code of each block's peak, 1 or more, ascending with it.
        lengths: uint16[rows, n], of the n chunks by field row.
        ids: int64[n], ascending.
        allowed: uint64[(n + 63) // 64], bit per chunk; or empty, which allows all.
        places: int64[q], the list of each of the query's terms, -1 for none here.
        worth: float32[q], their weights, 0 or more, sum at most SCORE_RANGE.
        fields: int64[q], the field row of each.
        inverse: float32[rows, longest + 1], 1 / (k1 * (1 - b + b * length / average)).
        gains: float32[rows, 256], by peak code, no less than any `frequency * inverse[length]` under that code.
        scores, found: int64[k], heap of scores and chunk ids so far, of which `size` are filled.

    Returns:
        The heap's new size.
    """
    n = len(ids)
    terms = np.empty(len(places), dtype=np.int64)
    weights = np.empty(len(places), dtype=np.float32)
    rows = np.empty(len(places), dtype=np.int64)
    m = 0
    for j in range(len(places)):
        if places[j] >= 0 and worth[j] > np.float32(0):
            terms[m] = places[j]
            weights[m] = worth[j]
            rows[m] = fields[j]
            m += 1
    if m == 0 or n == 0 or len(scores) == 0:
        return size
    terms = terms[:m]
    windows = (n + WINDOW - 1) // WINDOW
    bounds = np.zeros((windows, m), dtype=np.int32)
    begins = np.empty((windows, m), dtype=np.uint32)
    order = _bound_windows(first, last, peaks, terms, weights, rows, gains, bounds, begins)
    totals = np.zeros(windows, dtype=np.int64)
    for w in range(windows):
        for j in range(m):
            totals[w] += bounds[w, j]

    # Numba compiles allocation anew for each type and shape: few are used.
    held = np.zeros(m, dtype=np.int64)
    shared = np.zeros(m, dtype=np.int64)
    for j in range(m):
        held[j] = -1
        shared[j] = -1
    bytes_at = np.zeros(m, dtype=np.int64)
    sizes = np.zeros(m, dtype=np.int64)
    cursor = np.zeros(m, dtype=np.int64)
    held_chunks = np.empty((m + 1, BLOCK), dtype=np.uint32)
    held_shares = np.zeros((m, BLOCK), dtype=np.int32)
    gaps = held_chunks[m]
    norms = np.empty(BLOCK, dtype=np.float32)
    room = np.zeros(WINDOW, dtype=np.int32)
    touched = np.zeros(WINDOW // 32, dtype=np.int32)
    chunks = np.empty(WINDOW, dtype=np.int64)
    sums = np.empty(WINDOW, dtype=np.int64)
    below = np.zeros(m + 1, dtype=np.int64)
    # Once k are found, their lowest score is the one to beat.
    seeds = min(SEEDS, windows) if size < len(scores) else 0
    for step in range(seeds + windows):
        window = np.int64(step - seeds)
        if step < seeds:
            window = np.int64(0)
            for other in range(1, windows):
                if totals[other] > totals[window]:
                    window = np.int64(other)
        total = totals[window]
        if total < 0:
            continue
        low = window * WINDOW
        high = low + WINDOW if low + WINDOW < n else np.int64(n)
        floor = floor_of(scores, found, size, ids[low])
        if total < floor:
            continue
        if step < seeds:
            totals[window] = -1
        for j in range(m):
            below[j + 1] = below[j] + bounds[window, order[j]]
        optional = 0
        while below[optional + 1] < floor:
            optional += 1
        open_to = 0
        if len(allowed) > 0:
            for word in range(low >> 6, (high + 63) >> 6):
                bits = allowed[word]
                while bits != np.uint64(0) and open_to <= PROBE:
                    open_to += 1
                    bits &= bits - np.uint64(1)
            if open_to == 0:
                continue
        candidates = 0
        if len(allowed) > 0 and open_to <= PROBE:
            optional = m
            for i in range(low, high):
                if _is_allowed(allowed, i):
                    chunks[candidates] = i
                    sums[candidates] = 0
                    candidates += 1
        else:
            least = max(1, floor - below[optional])
            alone = True
            for j in range(optional, m - 1):
                alone = alone and bounds[window, order[j]] == 0
            for j in range(optional, m):
                q = order[j]
                if bounds[window, q] == 0:
                    continue
                term = terms[q]
                block = np.int64(begins[window, q])
                end = np.int64(first[term + 1])
                while block < end:
                    if block > begins[window, q] and np.int64(last[block - 1]) >= high - 1:
                        break
                    if alone and share(weights[q], gains[rows[q], peaks[block]]) < least:
                        block += 1
                        continue
                    if held[q] != block:
                        bytes_at[q] = hold(
                            first, frequencies, last, blocks, words, extra, term, block, gaps, held_chunks, q
                        )
                        held[q] = block
                        sizes[q] = block_size(first, frequencies, term, block)
                        cursor[q] = 0
                    if shared[q] != block:
                        _hold_shares(
                            blocks,
                            words,
                            extra,
                            lengths,
                            inverse,
                            rows[q],
                            weights[q],
                            block,
                            sizes[q],
                            bytes_at[q],
                            gaps,
                            norms,
                            held_chunks,
                            held_shares,
                            q,
                        )
                        shared[q] = block
                    if cursor[q] > 0 and np.int64(held_chunks[q, cursor[q] - 1]) >= low:
                        cursor[q] = 0
                    cursor[q] = _add(held_chunks, held_shares, q, cursor[q], sizes[q], low, high, room, touched)
                    block += 1
            for strip in range(len(touched)):
                if touched[strip] == 0:
                    continue
                touched[strip] = 0
                for i in range(strip * 32, strip * 32 + 32):
                    if room[i] >= least and _is_allowed(allowed, low + i):
                        chunks[candidates] = low + i
                        sums[candidates] = room[i]
                        candidates += 1
                    room[i] = 0
        for j in range(optional - 1, -1, -1):
            q = order[j]
            if bounds[window, q] == 0:
                continue
            kept = 0
            for c in range(candidates):
                if sums[c] + below[j + 1] >= floor:
                    chunks[kept] = chunks[c]
                    sums[kept] = sums[c]
                    kept += 1
            candidates = kept
            if candidates == 0:
                break
            term = terms[q]
            block = np.int64(begins[window, q])
            end = np.int64(first[term + 1])
            place = 0
            bound = np.int64(-1)
            for c in range(candidates):
                chunk = np.int64(chunks[c])
                while block < end and np.int64(last[block]) < chunk:
                    block += 1
                    place = 0
                    bound = np.int64(-1)
                if block == end:
                    break
                if bound < 0:
                    bound = share(weights[q], gains[rows[q], peaks[block]])
                if sums[c] + below[j] + bound < floor:
                    continue
                if held[q] != block:
                    bytes_at[q] = hold(
                        first, frequencies, last, blocks, words, extra, term, block, gaps, held_chunks, q
                    )
                    held[q] = block
                    sizes[q] = block_size(first, frequencies, term, block)
                    cursor[q] = 0
                    place = 0
                while place + 16 <= sizes[q] and np.int64(held_chunks[q, place + 15]) < chunk:
                    place += 16
                while np.int64(held_chunks[q, place]) < chunk:
                    place += 1
                if np.int64(held_chunks[q, place]) == chunk:
                    count = frequency_at(words, extra, blocks, block, sizes[q], bytes_at[q], place)
                    gain = np.float32(count + 1) * inverse[rows[q], lengths[rows[q], chunk]]
                    sums[c] += share(weights[q], gain)
        for c in range(candidates):
            if sums[c] >= floor:
                size = offer(scores, found, size, sums[c], ids[chunks[c]])
                floor = max(floor, floor_of(scores, found, size, ids[low]))
    return size
