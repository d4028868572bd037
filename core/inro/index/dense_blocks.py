"""Blocks of vectors: made at a commit, merged when small ones pile up.

Codes are centred on a mean, which every block carries with it. A block written with the centre of an
earlier one merges with it byte for byte; blocks of other centres are coded anew, once. A centre is kept
until the vectors have outgrown the few it was measured on by `OUTGROWN` times, so that a vector is coded
anew a handful of times at most in the life of a library. Knows vectors and chunk ids; does not know the
database.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from inro.index.dense_file import NO_CHUNKS, Block, read_block, read_centre, write_block

OUTGROWN = 32
"""A merge of this many times the vectors a mean was taken over takes a new mean."""
FEWEST_TO_MERGE = 8
"""Blocks of about one size are merged when there are this many."""
SMALLEST_TIER = 64
"""Blocks below this many vectors count as one size."""
DEAD = 0.5
"""Share of deleted vectors at which a block is rewritten by itself."""
LARGEST_TO_MERGE = 32_768
"""Larger blocks are left alone unless half their vectors are deleted: rewriting them costs more than they
do."""


@dataclass(frozen=True, slots=True)
class Centre:
    """The mean that codes are taken around."""

    mean: npt.NDArray[np.float32]
    """float32[d]."""
    count: int
    """How many vectors it was taken over."""


@dataclass(frozen=True, slots=True)
class BlockSize:
    """What a merge plan needs to know of a block."""

    block: int
    vectors: int
    deleted: int = 0


def encode_block(
    chunk_ids: npt.NDArray[np.int64],
    vectors: npt.NDArray[np.float32],
    centre: Centre | None = None,
    cut: npt.NDArray[np.int64] = NO_CHUNKS,
) -> dict[str, bytes]:
    """The parts of a new block.

    Args:
        chunk_ids: int64[n], distinct and not negative, in any order.
        vectors: float32[n, d]; brought to unit length, a vector of zeros stays.
        centre: the library's centre (`DenseIndex.centre`, `largest_centre`); without it, the mean of these
            vectors.
        cut: int64[m] ascending, those of the ids whose text the model did not read to its end.

    Raises:
        ValueError: shapes that do not fit, ids repeated or negative, or a number that is not finite.
    """
    from inro_native.quantise import encode

    ids = np.asarray(chunk_ids, np.int64)
    rows = np.array(vectors, np.float32)
    if ids.ndim != 1 or rows.ndim != 2 or rows.shape[0] != ids.shape[0]:
        raise ValueError(f"{ids.shape} chunk ids for vectors of shape {rows.shape}")
    order = np.argsort(ids, kind="stable")
    ids, rows = ids[order], rows[order]
    if ids.shape[0] and (int(ids[0]) < 0 or not (ids[1:] > ids[:-1]).all()):
        raise ValueError("chunk ids are repeated or negative")
    _to_unit_length(rows)
    if centre is None:
        centre = _centre_of(rows)
    codes, scales = encode(rows, centre.mean)
    return write_block(Block(ids, codes, scales, centre.mean, centre.count, cut))


def largest_centre(blocks: Sequence[Mapping[str, bytes]]) -> Centre | None:
    """The centre to write the next block with: the one taken over the most vectors, if there is any block.

    Args:
        blocks: the parts of each block, or `CENTRE_PARTS` of them.

    Raises:
        ValueError: a block is damaged.
    """
    return _largest([Centre(*read_centre(parts)) for parts in blocks])


def merge_blocks(
    blocks: Sequence[Mapping[str, bytes]], deleted: npt.NDArray[np.int64] | None = None
) -> dict[str, bytes]:
    """One block with the vectors of several, without those of deleted chunks.

    Args:
        blocks: the parts of at least one block, all of one dimension, no chunk twice.
        deleted: int64[m], chunk ids to leave out.

    Raises:
        ValueError: a block is damaged, or the blocks do not fit together.
    """
    from inro_native.quantise import decode, encode

    read = [read_block(parts) for parts in blocks]
    centre = _largest([Centre(block.mean, block.mean_count) for block in read])
    if centre is None or len({block.dimension for block in read}) != 1:
        raise ValueError("a merge takes one or more blocks of one dimension")
    gone = np.empty(0, np.int64) if deleted is None else deleted
    kept = [np.isin(block.chunk_ids, gone, invert=True) for block in read]
    total = sum(int(keep.sum()) for keep in kept)
    ids = np.concatenate([block.chunk_ids[keep] for block, keep in zip(read, kept, strict=True)])
    if np.unique(ids).shape[0] != total:
        raise ValueError("a chunk has vectors in two blocks")
    if total >= OUTGROWN * max(1, centre.count):
        sums = np.zeros(centre.mean.shape[0], np.float64)
        for block, keep in zip(read, kept, strict=True):
            sums += decode(block.codes[keep], block.scales[keep], block.mean).sum(axis=0, dtype=np.float64)
        centre = Centre((sums / total).astype(np.float32), total)
    codes = np.empty((total, centre.mean.shape[0]), np.int8)
    scales = np.empty(total, np.float32)
    at = 0
    for block, keep in zip(read, kept, strict=True):
        end = at + int(keep.sum())
        if block.mean.tobytes() == centre.mean.tobytes():
            codes[at:end], scales[at:end] = block.codes[keep], block.scales[keep]
        else:
            codes[at:end], scales[at:end] = encode(
                decode(block.codes[keep], block.scales[keep], block.mean), centre.mean
            )
        at = end
    order = np.argsort(ids, kind="stable")
    cut = np.intersect1d(np.concatenate([block.cut for block in read]), ids)
    return write_block(Block(ids[order], codes[order], scales[order], centre.mean, centre.count, cut))


def plan_merge(sizes: Sequence[BlockSize]) -> tuple[int, ...]:
    """The blocks to merge now, in the order given; empty when there is nothing to gain.

    Blocks are taken in tiers of eightfold size, the lowest full tier first, so a library of n vectors
    settles at a few dozen blocks and a vector is rewritten about log8(n) times. A block half deleted is
    rewritten by itself.
    """
    tiers: dict[int, list[int]] = {}
    for size in sizes:
        if size.vectors and size.deleted >= DEAD * size.vectors:
            return (size.block,)
        if size.vectors > LARGEST_TO_MERGE:
            continue
        tier, limit = 0, SMALLEST_TIER
        while size.vectors > limit:
            tier, limit = tier + 1, limit * FEWEST_TO_MERGE
        tiers.setdefault(tier, []).append(size.block)
    for tier in sorted(tiers):
        if len(tiers[tier]) >= FEWEST_TO_MERGE:
            return tuple(tiers[tier])
    return ()


def _largest(centres: Sequence[Centre]) -> Centre | None:
    return max(centres, key=lambda each: each.count, default=None)


def _centre_of(rows: npt.NDArray[np.float32]) -> Centre:
    if rows.shape[0] == 0:
        return Centre(np.zeros(rows.shape[1], np.float32), 0)
    return Centre(rows.mean(axis=0, dtype=np.float64).astype(np.float32), rows.shape[0])


def _to_unit_length(rows: npt.NDArray[np.float32]) -> None:
    lengths = np.sqrt(np.square(rows, dtype=np.float64).sum(axis=1))
    lengths[lengths == 0] = 1
    rows /= lengths[:, None].astype(np.float32)
