"""From a query's keys to what each is worth: repeats joined, frequencies looked up, idf applied, weights scaled.

Knows term keys as numbers with a field in three of their bits. Nothing here is specific to one segment but `find`.
Sorting is left to numpy: inside a kernel numba's own sort would have to be compiled.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from inro_native.kernel import kernel

Array: TypeAlias = NDArray[Any]


def distinct(keys: Array, weights: Array, field_mask: np.uint64) -> tuple[Array, Array]:
    """The keys to look for and the weights of the first of them.

    Returns:
        uint64[d or 2d]: the distinct keys, ascending; if any of them has a field other than 0, followed by the same
        keys in field 0. And float64[d], the weights, those of repeats added up.

    Raises:
        ValueError: a weight that is negative or not finite.
    """
    wanted = np.empty(2 * len(keys), dtype=np.uint64)
    sums = np.zeros(len(keys), dtype=np.float64)
    d, asked = _distinct(keys, weights, keys.argsort(), field_mask, wanted, sums)
    if d < 0:
        raise ValueError("a lexical query's weights must be finite and not negative")
    return wanted[:asked], sums[:d]


@kernel()
def _distinct(
    keys: Array, weights: Array, order: Array, field_mask: np.uint64, out: Array, sums: Array
) -> tuple[int, int]:
    """Fills in keys and weights; returns how many are distinct, -1 if a weight makes no sense, and how many to ask."""
    d = 0
    bare = True
    for i in order:
        if not (weights[i] >= np.float32(0) and np.isfinite(weights[i])):
            return -1, 0
        if d == 0 or out[d - 1] != keys[i]:
            out[d] = keys[i]
            bare = bare and keys[i] & field_mask == np.uint64(0)
            d += 1
        sums[d - 1] += np.float64(weights[i])
    if bare:
        return d, d
    for i in range(d):
        out[d + i] = out[i] & ~field_mask
    return d, 2 * d


@kernel()
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
    wanted: Array,
    weights: Array,
    found: Array,
    chunks: int,
    field_shift: np.uint64,
    field_mask: np.uint64,
    score_range: int,
) -> tuple[Array, Array, float, float]:
    """What each term is worth.

    Args:
        wanted, weights: as `distinct` returns them.
        found: int64[len(wanted)], over all segments.
        chunks: of all segments.

    Returns:
        float32[d], weight x idf in units of score, no more than `score_range` in sum over the terms that are held;
        int64[d], the fields; what a unit is worth; and the most a chunk could score, where a term that is nowhere
        counts once, in its heaviest field.
    """
    d = len(weights)
    worth = np.empty(d, dtype=np.float32)
    fields = np.empty(d, dtype=np.int64)
    # Sorted by the term whatever its field; keys of field 0 alone are sorted so already.
    order = wanted[d:].argsort()
    unit, best = _value(
        wanted, weights, found, chunks, field_shift, field_mask, score_range, order, np.empty(d), worth, fields
    )
    return worth, fields, unit, best


@kernel()
def _value(
    wanted: Array,
    weights: Array,
    found: Array,
    chunks: int,
    field_shift: np.uint64,
    field_mask: np.uint64,
    score_range: int,
    order: Array,
    exact: Array,
    worth: Array,
    fields: Array,
) -> tuple[float, float]:
    """Fills in `exact`, which is working space, worths and fields; returns the unit and the most a chunk could have.
    An empty `order` stands for the order as it is."""
    d = len(weights)
    held = 0.0
    for i in range(d):
        frequency = max(found[i], found[d + i]) if len(wanted) > d else found[i]
        exact[i] = weights[i] * np.log1p((chunks - frequency + 0.5) / (frequency + 0.5))
        fields[i] = np.int64((wanted[i] & field_mask) >> field_shift)
        if found[i] > 0:
            held += exact[i]
    # The margin keeps sums of rounded weights inside the range.
    unit = held / score_range * (1 + 1e-6) if held > 0 else 1.0
    for i in range(d):
        worth[i] = np.float32(exact[i] / unit)
    best = held
    i = 0
    while i < d:
        first = order[i] if len(order) > 0 else i
        j = i
        somewhere = False
        heaviest = 0.0
        while j < d:
            at = order[j] if len(order) > 0 else j
            if (wanted[at] ^ wanted[first]) & ~field_mask != np.uint64(0):
                break
            somewhere = somewhere or found[at] > 0
            heaviest = max(heaviest, exact[at])
            j += 1
        if not somewhere:
            best += heaviest
        i = j
    return unit, best
