"""Vectors of chunks whose text another chunk has already: copied as coded, never embedded again.

Knows blocks and chunk ids. The copy keeps the codes and the mean they were taken around, so it is equal to
its original to the last bit.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from inro.errors import NotAnIndex
from inro.index.dense_file import Block, read_block, write_block


def copy_rows(parts: Mapping[str, bytes], pairs: Sequence[tuple[int, int]]) -> dict[str, bytes]:
    """The parts of a block that holds, for each (chunk with a vector, chunk without), the first's vector.

    Raises:
        NotAnIndex: the block is damaged, or does not hold what the library says it holds.
    """
    try:
        block = read_block(parts)
    except ValueError as e:
        raise NotAnIndex(f"a vector block is damaged: {e}", "inro verify, then restore a copy") from e
    ordered = sorted(pairs, key=lambda pair: pair[1])
    origin = np.array([twin for twin, _ in ordered], dtype=np.int64)
    new = np.array([chunk for _, chunk in ordered], dtype=np.int64)
    at = np.searchsorted(block.chunk_ids, origin)
    if origin.size and (at.max() >= block.chunk_ids.size or (block.chunk_ids[at] != origin).any()):
        raise NotAnIndex("a vector block lacks a chunk it should hold", "inro verify, then restore a copy")
    cut = new[np.isin(origin, block.cut)]
    return write_block(Block(new, block.codes[at], block.scales[at], block.mean, block.mean_count, cut))
