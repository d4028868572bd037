"""The best k so far, in two arrays that are a heap: of equal scores, the lower chunk id is the better.

The root is the worst that is kept, so that one comparison tells whether a chunk gets in. Knows whole-number scores and
ids.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from inro_native.kernel import kernel

Array: TypeAlias = NDArray[Any]


@kernel(allocates=False)
def _sink(scores: Array, ids: Array, size: int) -> None:
    """Restore the heap after its root changed. The root is the worst: lowest score, then highest id."""
    i = 0
    while True:
        worst = i
        for child in range(2 * i + 1, min(2 * i + 3, size)):
            if scores[child] < scores[worst] or (scores[child] == scores[worst] and ids[child] > ids[worst]):
                worst = child
        if worst == i:
            return
        scores[i], scores[worst] = scores[worst], scores[i]
        ids[i], ids[worst] = ids[worst], ids[i]
        i = worst


@kernel(allocates=False)
def offer(scores: Array, ids: Array, size: int, score: int, chunk: int) -> int:
    """Put a chunk into the heap if it belongs there; returns the heap's new size."""
    k = len(scores)
    if size == k:
        if score > scores[0] or (score == scores[0] and chunk < ids[0]):
            scores[0] = score
            ids[0] = chunk
            _sink(scores, ids, size)
        return size
    i = size
    while i > 0:
        parent = (i - 1) >> 1
        if scores[parent] < score or (scores[parent] == score and ids[parent] > chunk):
            break
        scores[i] = scores[parent]
        ids[i] = ids[parent]
        i = parent
    scores[i] = score
    ids[i] = chunk
    return size + 1


@kernel(allocates=False)
def floor_of(scores: Array, ids: Array, size: int, lowest_id: int) -> np.int64:
    """The least score with which a chunk whose id is at least `lowest_id` can enter the heap."""
    if size < len(scores):
        return np.int64(1)
    return np.int64(scores[0]) + (1 if lowest_id > ids[0] else 0)


@kernel(allocates=False)
def drain(scores: Array, found: Array, size: int) -> None:
    """Sort a heap of `top` in place, best first."""
    for end in range(size - 1, 0, -1):
        scores[0], scores[end] = scores[end], scores[0]
        found[0], found[end] = found[end], found[0]
        _sink(scores, found, end)
