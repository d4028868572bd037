"""Scoring posting lists: the best k chunks for a weighted set of terms, exactly, without scoring them all.

A term found f times in a chunk of length l adds `w - w / (1 + f * inverse[l])` to the chunk's score, which is BM25's
`w * f / (f + k1 * (1 - b + b * l / average))` written so that float32 rounding cannot break its order in f or l
(the same device as Lucene's BM25Similarity). Each term's share is cut to a whole number, and a score is a sum of whole
numbers: it does not depend on the order of adding, so skipping work can never change a result, ties included.
The caller scales the weights (see `SCORE_RANGE`), adds idf and field weights to them, and scales the scores back.

How work is skipped. Lists are put in the order of the most they can add. Those that together stay under the score to
beat cannot make a result by themselves: only the others, few and short ones as a rule, are read ("essential", as in
MaxScore), stretch by stretch of chunks; see `sweep`. So everything hangs on a high score to beat, and early. It is had
by a first sweep over the heaviest lists alone: the k chunks it finds are scored whole, and k chunks are known that
score no less than the lowest of them.

The lists must have passed `blocks.locate`. Knows arrays; what a term, a field or a chunk means it does not know.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from .kernel import kernel
from .postings import BLOCK
from .shares import share
from .sweep import STRETCH, Held, Segment, Terms, look_up, sweep

SCORE_RANGE = 1 << 30
"""Scaled weights sum to at most this, so that a score fits an int32."""

PRIME = 4096
"""How many postings, at least, the heaviest lists hold that are searched ahead of the others."""

Array: TypeAlias = NDArray[Any]


@kernel(allocates=False)
def _sort_terms(s: Segment, places: Array, worth: Array, fields: Array, t: Terms) -> int:
    """Fill `t` with the terms that can add something, the least first; returns how many."""
    m = 0
    for i in range(len(worth)):
        if places[i] < 0 or worth[i] <= np.float32(0):
            continue
        highest = np.uint8(0)
        for block in range(s.first[places[i]], s.first[places[i] + 1]):
            highest = max(highest, s.peaks[block])
        # A share can be cut to 0; a ceiling of 0 would say that nothing is there.
        ceiling = max(1, share(worth[i], s.gains[fields[i], highest]))
        # Sorted as they come: terms are few, and numba's own sort takes a second to compile.
        j = m
        while j > 0 and t.under[j] > ceiling:
            t.under[j + 1] = t.under[j]
            t.lists[j] = t.lists[j - 1]
            t.weights[j] = t.weights[j - 1]
            t.rows[j] = t.rows[j - 1]
            j -= 1
        t.under[j + 1] = ceiling
        t.lists[j] = places[i]
        t.weights[j] = worth[i]
        t.rows[j] = fields[i]
        m += 1
    for j in range(m):
        t.under[j + 1] += t.under[j]
    return m


@kernel(allocates=False)
def _score_whole(s: Segment, t: Terms, h: Held, chunk_id: int, heaviest: int, score: int) -> np.int64:
    """A chunk's score, given what the lists from `heaviest` on add to it."""
    low = 0
    high = len(s.ids)
    while low < high:
        middle = (low + high) >> 1
        if s.ids[middle] < chunk_id:
            low = middle + 1
        else:
            high = middle
    h.candidates[0] = low
    h.sums[0] = score
    for j in range(heaviest):
        h.at[j] = s.first[t.lists[j]]
        look_up(s, t, h, j, 1, np.int64(0), np.int64(0))
    return np.int64(h.sums[0])


@kernel()
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
        places: int64[q or more], the list of each of the query's terms, -1 for none here; what is beyond q is not read.
        worth: float32[q], their weights, 0 or more, sum at most SCORE_RANGE.
        fields: int64[q], the field row of each.
        inverse: float32[rows, longest + 1], 1 / (k1 * (1 - b + b * length / average)).
        gains: float32[rows, 256], by peak code, no less than any `frequency * inverse[length]` under that code.
        scores, found: int64[k], heap of scores and chunk ids so far, of which `size` are filled.

    Returns:
        The heap's new size.
    """
    q = len(worth)
    k = len(scores)
    if q == 0 or k == 0 or len(ids) == 0:
        return size
    s = Segment(first, frequencies, last, peaks, blocks, words, extra, lengths, ids, allowed, inverse, gains)
    # Numba compiles allocation anew for each type and shape: few are used.
    t = Terms(
        np.empty(q, dtype=np.int64),
        np.empty(q, dtype=np.float32),
        np.empty(q, dtype=np.int64),
        np.zeros(q + 1, np.int64),
    )
    m = _sort_terms(s, places, worth, fields, t)
    if m == 0:
        return size
    h = Held(
        np.zeros(m, dtype=np.int64),
        np.zeros(m, dtype=np.int64),
        np.zeros(m, dtype=np.int64),
        np.zeros(m, dtype=np.int64),
        np.zeros(m, dtype=np.int64),
        np.zeros(m, dtype=np.int64),
        np.empty((m + 1, BLOCK), dtype=np.uint32),
        np.zeros((m, BLOCK), dtype=np.int32),
        np.empty(BLOCK, dtype=np.float32),
        np.zeros(STRETCH, dtype=np.int32),
        np.zeros(STRETCH // 64, dtype=np.uint64),
        np.empty(STRETCH, dtype=np.uint32),
        np.zeros(m + 1, dtype=np.int64),
        np.zeros(STRETCH, dtype=np.int32),
    )
    for j in range(m):
        h.block[j] = -1
        h.shared[j] = -1
    beat = np.int64(1)
    # Once k are found, their lowest score is the one to beat.
    if size < k:
        heaviest = m
        volume = np.int64(0)
        while heaviest > 0 and volume < max(PRIME, k):
            heaviest -= 1
            volume += frequencies[t.lists[heaviest]]
        if heaviest > 0:
            first_scores = np.empty(k, dtype=np.int64)
            first_found = np.empty(k, dtype=np.int64)
            if sweep(s, t, h, m, heaviest, beat, first_scores, first_found, 0) == k:
                beat = np.int64(SCORE_RANGE)
                for i in range(k):
                    beat = min(beat, _score_whole(s, t, h, first_found[i], heaviest, first_scores[i]))
    size = sweep(s, t, h, m, 0, beat, scores, found, size)
    return size
