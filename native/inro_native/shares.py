"""What terms add to a chunk's score: of one term, and of a whole query told apart, to explain a result.

The formula and its units are those of `bm25`, which finds the chunks. Knows arrays.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from .blocks import block_size, frequency_at, hold
from .kernel import kernel
from .postings import BLOCK

Array: TypeAlias = NDArray[Any]


@kernel(allocates=False)
def share(weight: np.float32, gain: np.float32) -> np.int64:
    """What a term of this weight adds where `frequency * inverse[length]` is `gain`."""
    return np.int64(np.int32(weight - weight / (np.float32(1) + gain)))


@kernel()
def shares(
    first: Array,
    frequencies: Array,
    last: Array,
    blocks: Array,
    words: Array,
    extra: Array,
    lengths: Array,
    places: Array,
    worth: Array,
    fields: Array,
    inverse: Array,
    chunk: int,
    out: Array,
) -> None:
    """Fills `out` int64[q], all 0, with what each term adds to one chunk's score; arguments as in `bm25.top`."""
    chunks = np.empty((2, BLOCK), dtype=np.uint32)
    gaps = chunks[1]
    for q in range(len(worth)):
        term = places[q]
        if term < 0:
            continue
        block = np.int64(first[term])
        end = np.int64(first[term + 1])
        while block < end:
            middle = (block + end) >> 1
            if np.int64(last[middle]) < chunk:
                block = middle + 1
            else:
                end = middle
        if block == np.int64(first[term + 1]):
            continue
        byte = hold(first, frequencies, last, blocks, words, extra, term, block, gaps, chunks, np.int64(0))
        size = block_size(first, frequencies, term, block)
        place = np.int64(0)
        while np.int64(chunks[0, place]) < chunk:
            place += 1
        if np.int64(chunks[0, place]) == chunk:
            count = frequency_at(words, extra, blocks, block, size, byte, place)
            gain = np.float32(count + 1) * inverse[fields[q], lengths[fields[q], chunk]]
            out[q] = share(worth[q], gain)
