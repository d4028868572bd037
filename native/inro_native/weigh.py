"""From a query's keys to what each is worth: repeats joined, frequencies looked up, idf applied, weights scaled.

Knows term keys as numbers with a field in three of their bits. Nothing here is specific to one segment but `find`.
Sorting is left to numpy: inside a kernel numba's own sort would have to be compiled.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
from numba import njit
from numpy.typing import NDArray

Array: TypeAlias = NDArray[Any]


def distinct(keys: Array, weights: Array, field_mask: np.uint64) -> tuple[Array, Array]:
    """The keys to look for and the weights of the first of them.

    Returns:
        uint64[d or 2d]: the distinct keys, ascending; if any of them has a field other than 0, followed by the same
        keys in field 0. And float64[d], the weights, those of repeats added up.
    """
    wanted = np.empty(2 * len(keys), dtype=np.uint64)
    sums = np.zeros(len(keys), dtype=np.float64)
    d, bare = _distinct(keys, weights, keys.argsort(), field_mask, wanted, sums)
    return wanted[: d if bare else 2 * d], sums[:d]


@njit(cache=True, nogil=True)
def _distinct(
    keys: Array, weights: Array, order: Array, field_mask: np.uint64, out: Array, sums: Array
) -> tuple[int, bool]:
    d = 0
    bare = True
    for i in order:
        if d == 0 or out[d - 1] != keys[i]:
            out[d] = keys[i]
            bare = bare and keys[i] & field_mask == np.uint64(0)
            d += 1
        sums[d - 1] += np.float64(weights[i])
    if not bare:
        for i in range(d):
            out[d + i] = out[i] & ~field_mask
    return d, bare


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
    bare = wanted[: len(weights)] & ~field_mask
    worth = np.empty(len(weights), dtype=np.float64)
    held, best = _value(wanted, weights, found, chunks, bare, bare.argsort(), worth)
    # The margin keeps sums of rounded weights inside the range.
    unit = held / score_range * (1 + 1e-6) if held > 0 else 1.0
    return (worth / unit).astype(np.float32), unit, best


@njit(cache=True, nogil=True)
def _value(
    wanted: Array, weights: Array, found: Array, chunks: int, bare: Array, order: Array, worth: Array
) -> tuple[float, float]:
    """Fills in weight x idf; returns their sum over the terms that are held, and the most a chunk could have."""
    d = len(weights)
    held = 0.0
    for i in range(d):
        frequency = max(found[i], found[d + i]) if len(wanted) > d else found[i]
        worth[i] = weights[i] * np.log1p((chunks - frequency + 0.5) / (frequency + 0.5))
        if found[i] > 0:
            held += worth[i]
    best = held
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
    return held, best
