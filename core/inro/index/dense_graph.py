"""When a library gets a graph over its vectors, how it is built, and when it is built again.

The graph is a cache: it covers the vectors present when it was built, and vectors added later are scanned
beside it. Knows blocks and chunk ids; `dense` searches with it, the pipeline decides when there is time to
build.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt

from inro.index.dense_file import read_block, read_nodes, write_graph

NEIGHBOURS = 16
EFFORT = 200
SCAN_BYTES = 64 * 2**20
"""Up to this many bytes of codes every vector is compared and no graph is wanted.

Measured with 384 dimensions on one core: comparing 100,000 vectors (37 MB) takes 1.9 ms and finds .994 of the exact
ten; the graph takes 1.8 ms for .990, after minutes of building. Above this size a comparison takes longer than half
of what embedding the query does. A filter that leaves a share s makes the graph search 1/s longer and a comparison s
times as long, so the same number of bytes divides the two whether it is a library's or what a filter leaves of it.
"""
TAIL_SHARE = 0.125
"""Vectors beside the graph, as a share of its nodes, past which it is built again."""
GONE_SHARE = 0.2
"""Nodes deleted or without a vector, as a share, past which it is built again."""


def graph_is_wanted(vectors: int, dimension: int) -> bool:
    """Whether this many vectors are searched faster through a graph than by comparing every one."""
    return vectors * dimension > SCAN_BYTES


def graph_is_due(vectors: npt.NDArray[np.int64], dimension: int, graph: Mapping[str, bytes] | None) -> bool:
    """Whether a graph should be built, for the first time or again; searches are right without.

    Args:
        vectors: int64[n], the chunks with a vector.
        dimension: numbers in a vector.
        graph: `NODE_PARTS` of the graph there is; one that is damaged counts as none.
    """
    if not graph_is_wanted(vectors.shape[0], dimension):
        return False
    try:
        nodes = read_nodes(graph or {})
    except ValueError:
        return True
    kept = int(np.isin(nodes, vectors).sum())
    beside, gone = len(vectors) - kept, len(nodes) - kept
    return beside > TAIL_SHARE * len(nodes) or gone > GONE_SHARE * len(nodes)


def build_graph(
    blocks: Sequence[Mapping[str, bytes]],
    deleted: npt.NDArray[np.int64] | None = None,
    *,
    threads: int = 1,
) -> dict[str, bytes]:
    """The parts of a graph over all vectors of live chunks.

    Takes about three times the float32 size of the vectors in memory while it runs. With one thread the
    result is the same for the same blocks.

    Args:
        blocks: the parts of blocks of one dimension, no chunk twice.
        deleted: int64[m], chunk ids to leave out.
        threads: how many threads may build.

    Raises:
        ValueError: a block is damaged, or the blocks do not fit together.
    """
    from inro_native.hnsw import build_links
    from inro_native.quantise import decode

    read = [read_block(parts) for parts in blocks]
    if len({block.dimension for block in read}) != 1:
        raise ValueError("a graph is built over one or more blocks of one dimension")
    gone = np.empty(0, np.int64) if deleted is None else deleted
    kept = [np.isin(block.chunk_ids, gone, invert=True) for block in read]
    ids = np.concatenate([block.chunk_ids[keep] for block, keep in zip(read, kept, strict=True)])
    if np.unique(ids).shape[0] != ids.shape[0]:
        raise ValueError("a chunk has vectors in two blocks")
    vectors = np.empty((ids.shape[0], read[0].dimension), np.float32)
    at = 0
    for block, keep in zip(read, kept, strict=True):
        part = decode(block.codes[keep], block.scales[keep], block.mean)
        vectors[at : at + part.shape[0]] = part
        at += part.shape[0]
    degrees, links = build_links(vectors, neighbours=NEIGHBOURS, effort=EFFORT, threads=threads)
    return write_graph(ids, degrees, links)
