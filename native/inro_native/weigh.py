"""From a query's keys to what each is worth: repeats joined, frequencies looked up, idf applied, weights scaled.

Knows term keys as numbers with a field in three of their bits. Nothing here is specific to one segment but `find`.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
from numba import njit
from numpy.typing import NDArray

Array: TypeAlias = NDArray[Any]


@njit(cache=True, nogil=True)
def distinct(keys: Array, weights: Array, field_mask: np.uint64) -> tuple[Array, Array]:
    """The keys to look for and the weights of the first of them.

    Returns:
        uint64[d or 2d]: the distinct keys, ascending; if any of them has a field other than 0, followed by the same
        keys in field 0. And float64[d], the weights, those of repeats added up.
    """
    order = np.argsort(keys)
    out = np.empty(2 * len(keys), dtype=np.uint64)
    sums = np.zeros(len(keys), dtype=np.float64)
    d = 0
    bare = True
    for i in order:
        if d == 0 or out[d - 1] != keys[i]:
            out[d] = keys[i]
            bare = bare and keys[i] & field_mask == np.uint64(0)
            d += 1
        sums[d - 1] += np.float64(weights[i])
    if bare:
        return out[:d].copy(), sums[:d].copy()
    for i in range(d):
        out[d + i] = out[i] & ~field_mask
    return out[: 2 * d].copy(), sums[:d].copy()


@njit(cache=True, nogil=True)
def find(keys: Array, frequencies: Array, wanted: Array, places: Array, found: Array) -> int:
    """For each wanted key its place in the ascending `keys`, or -1; its frequency is added to `found`.
    Returns how many are there."""
    there = 0
    for i in range(len(wanted)):
        key = wanted[i]
        low = 0
        high = len(keys)
        while low < high:
            middle = (low + high) >> 1
            if keys[middle] < key:
                low = middle + 1
            else:
                high = middle
        places[i] = -1
        if low < len(keys) and keys[low] == key:
            places[i] = low
            found[i] += frequencies[low]
            there += 1
    return there


@njit(cache=True, nogil=True)
def value(
    wanted: Array, weights: Array, found: Array, chunks: int, field_mask: np.uint64, score_range: int
) -> tuple[Array, float, float]:
    """What each term is worth.

    Args:
        wanted, weights: as `distinct` returns them.
        found: int64[len(wanted)], over all segments.
        chunks: of all segments.

    Returns:
        float32[d], weight x idf in units of score, no more than `score_range` in sum over the terms that are held;
        what a unit is worth; and the most a chunk could score, where a term that is nowhere counts once, in its
        heaviest field.
    """
    d = len(weights)
    worth = np.empty(d, dtype=np.float64)
    held = 0.0
    for i in range(d):
        frequency = max(found[i], found[d + i]) if len(wanted) > d else found[i]
        worth[i] = weights[i] * np.log1p((chunks - frequency + 0.5) / (frequency + 0.5))
        if found[i] > 0:
            held += worth[i]
    best = held
    bare = wanted[:d] & ~field_mask
    order = np.argsort(bare)
    i = 0
    while i < d:
        j = i
        somewhere = False
        heaviest = 0.0
        while j < d and bare[order[j]] == bare[order[i]]:
            somewhere = somewhere or found[order[j]] > 0
            heaviest = max(heaviest, worth[order[j]])
            j += 1
        if not somewhere:
            best += heaviest
        i = j
    # The margin keeps sums of rounded weights inside the range.
    unit = held / score_range * (1 + 1e-6) if held > 0 else 1.0
    return (worth / unit).astype(np.float32), unit, best
