"""Finds the links of a neighbourhood graph with hnswlib.

hnswlib is used as a builder only: its index lives for the length of one call, and of its state nothing but
the lowest level's link lists is taken. It is never handed stored bytes. Knows arrays; `graph` searches what
this returns.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

BYTES_PER_COUNT = 4
"""hnswlib's link lists begin with a 32-bit word: the count in its lower half, flags above."""


def build_links(
    vectors: npt.NDArray[np.float32], *, neighbours: int, effort: int, threads: int
) -> tuple[npt.NDArray[np.uint8], npt.NDArray[np.uint32]]:
    """Links between vectors by inner product.

    Args:
        vectors: float32[n, d], finite.
        neighbours: links made for each new node (hnswlib's M), 2 to 127; a node holds at most twice as many.
        effort: how many near nodes are looked at for each new one (ef_construction).
        threads: with one thread the same vectors give the same links.

    Returns:
        degrees uint8[n] and links uint32[sum of degrees], as `graph.from_degrees` takes them.

    Raises:
        ValueError: shapes or numbers out of range.
    """
    import hnswlib

    if vectors.ndim != 2 or not 2 <= neighbours <= 127 or effort < 1 or threads < 1:
        raise ValueError("a graph is built from a matrix of vectors, 2 to 127 neighbours, effort and threads of 1 up")
    count, dimension = vectors.shape
    if count == 0:
        return np.empty(0, np.uint8), np.empty(0, np.uint32)
    index = hnswlib.Index(space="ip", dim=dimension)
    index.init_index(max_elements=count, M=neighbours, ef_construction=effort, random_seed=1)
    index.add_items(vectors, np.arange(count, dtype=np.uint64), num_threads=threads)
    (state,) = index.__getstate__()
    del index
    stride = int(state["size_data_per_element"])
    widest = int(state["max_M0"])
    table = np.frombuffer(state["data_level0"], np.uint8).reshape(count, stride)
    # Internal order differs from the order given when several threads insert.
    labels = table[:, int(state["label_offset"]) :][:, :8].copy().view("<u8").reshape(count).astype(np.int64)
    start = int(state["offset_level0"])
    degrees = table[:, start : start + 2].copy().view("<u2").reshape(count).astype(np.int64)
    lists = table[:, start + BYTES_PER_COUNT :][:, : 4 * widest].copy().view("<u4").reshape(count, widest)
    del table, state

    internal = np.argsort(labels)
    degrees, lists = degrees[internal], lists[internal]
    used = np.arange(widest) < degrees[:, None]
    return degrees.astype(np.uint8), labels[lists[used]].astype(np.uint32)
