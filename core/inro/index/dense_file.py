"""How vectors and their graph lie in the index file, and the checks before any kernel sees them.

A block is immutable: `header`, `chunk_ids` (int64, ascending), `codes` (int8, one row a chunk), `scales`
(float32) and `mean` (float32, what the codes were centred on), and where there are any, `cut`: the ids (int64,
ascending) of the chunks whose text was longer than the model reads. The graph is `header`, `chunk_ids` (int64,
node by node), `degrees` (uint8) and `links` (uint32, node numbers). Everything is little-endian and nothing
is executable: a part is refused by size and range, whoever wrote it. Knows bytes and arrays; does not know
the database nor how a search is made.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from inro_native.graph import Graph

BLOCK_FORMAT = 1
GRAPH_FORMAT = 1

CUT = "cut"
_BLOCK_HEADER = struct.Struct("<8sIIQQ")
_BLOCK_MAGIC = b"inro-vec"
_GRAPH_HEADER = struct.Struct("<8sIQQ")
_GRAPH_MAGIC = b"inro-hnw"
NO_CHUNKS: npt.NDArray[np.int64] = np.empty(0, np.int64)
_LONGEST = 1.001
"""Unit vectors and the mean of unit vectors are no longer than 1, but for rounding."""


@dataclass(frozen=True, slots=True)
class Block:
    """Checked vectors of one block."""

    chunk_ids: npt.NDArray[np.int64]
    """int64[n], ascending, each at least 0."""
    codes: npt.NDArray[np.int8]
    """int8[n, d]."""
    scales: npt.NDArray[np.float32]
    """float32[n]; a vector is `mean + scale * codes`."""
    mean: npt.NDArray[np.float32]
    """float32[d]."""
    mean_count: int
    """How many vectors the mean was taken over."""
    cut: npt.NDArray[np.int64] = field(default_factory=lambda: NO_CHUNKS)
    """int64[m], ascending: those of the chunks whose end is not in their vector."""

    @property
    def dimension(self) -> int:
        return int(self.codes.shape[1])


CENTRE_PARTS = ("header", "mean")
"""All that `read_centre` needs of a block."""
NODE_PARTS = ("header", "chunk_ids")
"""All that `read_nodes` needs of a graph."""


@dataclass(frozen=True, slots=True)
class StoredGraph:
    """A checked graph and the chunk behind each node."""

    chunk_ids: npt.NDArray[np.int64]
    """int64[nodes], distinct."""
    graph: Graph


def write_block(block: Block) -> dict[str, bytes]:
    """The parts of a block."""
    count, dimension = block.codes.shape
    return {
        "header": _BLOCK_HEADER.pack(_BLOCK_MAGIC, BLOCK_FORMAT, dimension, count, block.mean_count),
        "chunk_ids": block.chunk_ids.astype("<i8").tobytes(),
        "codes": block.codes.tobytes(),
        "scales": block.scales.astype("<f4").tobytes(),
        "mean": block.mean.astype("<f4").tobytes(),
        **({CUT: block.cut.astype("<i8").tobytes()} if block.cut.size else {}),
    }


def read_block(parts: Mapping[str, bytes]) -> Block:
    """A block from its parts; the arrays look into the given bytes.

    Raises:
        ValueError: a part is missing, has another size than the header says, or holds a value out of range.
    """
    dimension, count, mean_count = _block_header(parts)
    chunk_ids = np.frombuffer(_part(parts, "chunk_ids", 8 * count), "<i8").astype(np.int64, copy=False)
    codes = np.frombuffer(_part(parts, "codes", count * dimension), np.int8).reshape(count, dimension)
    scales = np.frombuffer(_part(parts, "scales", 4 * count), "<f4").astype(np.float32, copy=False)
    mean, _ = read_centre(parts)
    if count and (int(chunk_ids[0]) < 0 or not (chunk_ids[1:] > chunk_ids[:-1]).all()):
        raise ValueError("the chunk ids of a vector block do not ascend from 0")
    # Written so that a nan fails too.
    if not ((scales >= 0) & (scales <= _LONGEST)).all():
        raise ValueError("a scale of a vector block is out of range")
    cut = read_cut(parts.get(CUT, b""))
    if not np.isin(cut, chunk_ids).all():
        raise ValueError("a vector block names cut chunks that it does not hold")
    return Block(chunk_ids, codes, scales, mean, mean_count, cut)


def read_cut(part: bytes) -> npt.NDArray[np.int64]:
    """int64[m]: the ids in a part `cut`.

    Raises:
        ValueError: they do not ascend, or the part is no list of ids.
    """
    if len(part) % 8:
        raise ValueError(f"the part {CUT} has {len(part)} bytes, which are no ids")
    cut = np.frombuffer(part, "<i8").astype(np.int64, copy=False)
    if not (cut[1:] > cut[:-1]).all():
        raise ValueError("the cut chunks of a vector block do not ascend")
    return cut


def read_centre(parts: Mapping[str, bytes]) -> tuple[npt.NDArray[np.float32], int]:
    """What the codes of a block are centred on, float32[d], and how many vectors that is the mean of.

    Raises:
        ValueError: as for `read_block`.
    """
    dimension, _, mean_count = _block_header(parts)
    mean = np.frombuffer(_part(parts, "mean", 4 * dimension), "<f4").astype(np.float32, copy=False)
    # Written so that a nan fails too.
    if not (float(np.square(mean, dtype=np.float64).sum()) <= _LONGEST**2):
        raise ValueError("the mean of a vector block is longer than a unit vector")
    return mean, mean_count


def write_graph(
    chunk_ids: npt.NDArray[np.int64], degrees: npt.NDArray[np.uint8], links: npt.NDArray[np.uint32]
) -> dict[str, bytes]:
    """The parts of a graph."""
    return {
        "header": _GRAPH_HEADER.pack(_GRAPH_MAGIC, GRAPH_FORMAT, degrees.shape[0], links.shape[0]),
        "chunk_ids": chunk_ids.astype("<i8").tobytes(),
        "degrees": degrees.tobytes(),
        "links": links.astype("<u4").tobytes(),
    }


def read_graph(parts: Mapping[str, bytes]) -> StoredGraph:
    """A graph from its parts.

    Raises:
        ValueError: a part is missing, has another size than the header says, or holds a value out of range.
    """
    from inro_native.graph import from_degrees

    chunk_ids = read_nodes(parts)
    nodes, links = _graph_header(parts)
    degrees = np.frombuffer(_part(parts, "degrees", nodes), np.uint8)
    targets = np.frombuffer(_part(parts, "links", 4 * links), "<u4").astype(np.uint32, copy=False)
    return StoredGraph(chunk_ids, from_degrees(degrees, targets))


def read_nodes(parts: Mapping[str, bytes]) -> npt.NDArray[np.int64]:
    """The chunk behind each node of a graph, int64[nodes], distinct.

    Raises:
        ValueError: as for `read_graph`.
    """
    nodes, _ = _graph_header(parts)
    chunk_ids = np.frombuffer(_part(parts, "chunk_ids", 8 * nodes), "<i8").astype(np.int64, copy=False)
    if np.unique(chunk_ids).shape[0] != nodes:
        raise ValueError("a chunk stands at two nodes of a vector graph")
    return chunk_ids


def _block_header(parts: Mapping[str, bytes]) -> tuple[int, int, int]:
    """Dimension, vectors, and vectors behind the mean."""
    from inro_native.quantise import MAX_DIMENSION

    magic, version, dimension, count, mean_count = _BLOCK_HEADER.unpack(_part(parts, "header", _BLOCK_HEADER.size))
    if magic != _BLOCK_MAGIC or version != BLOCK_FORMAT:
        raise ValueError(f"not a vector block of format {BLOCK_FORMAT}")
    if not 0 < dimension <= MAX_DIMENSION:
        raise ValueError(f"a vector block of dimension {dimension}")
    return dimension, count, mean_count


def _graph_header(parts: Mapping[str, bytes]) -> tuple[int, int]:
    """Nodes and links."""
    magic, version, nodes, links = _GRAPH_HEADER.unpack(_part(parts, "header", _GRAPH_HEADER.size))
    if magic != _GRAPH_MAGIC or version != GRAPH_FORMAT:
        raise ValueError(f"not a vector graph of format {GRAPH_FORMAT}")
    return nodes, links


def _part(parts: Mapping[str, bytes], name: str, size: int) -> bytes:
    data = parts.get(name)
    if data is None:
        raise ValueError(f"the part {name} is missing")
    if len(data) != size:
        raise ValueError(f"the part {name} has {len(data)} bytes instead of {size}")
    return data
