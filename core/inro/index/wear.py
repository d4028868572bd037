"""How much of an index is dead weight: deleted chunks that its units still hold, and what its graph lacks.

Only counts are read, no posting and no vector. What is done about it, and when, is `upkeep`'s to know.
"""

from __future__ import annotations

from dataclasses import dataclass

import duckdb
import numpy as np

from inro.index import dense_blocks, merge, upkeep
from inro.index.dense_file import NODE_PARTS, read_nodes
from inro.index.dense_graph import GONE_SHARE
from inro.store import chunks, units


@dataclass(frozen=True, slots=True)
class Wear:
    """One lane of an index."""

    lane: str
    """`lexical`, `vectors` or `graph`."""
    units: int
    """Segments or blocks; 1 for a graph."""
    rows: int
    """Chunks that are held, deleted ones among them; nodes of a graph."""
    deleted: int
    beside: int
    """Vectors that a graph lacks, which are compared one by one; 0 for the others."""
    allowed: float
    """The share of deleted ones above which a sync rewrites it."""
    is_due: bool
    """Whether the next sync merges or rewrites something of it."""

    @property
    def share(self) -> float:
        """Deleted ones among all."""
        return self.deleted / self.rows if self.rows else 0.0


def measure(con: duckdb.DuckDBPyConnection) -> list[Wear]:
    """Each lane that the library has.

    Raises:
        NotAnIndex: a block is damaged.
    """
    due = {lane for lane, _ in upkeep.due(con)}
    found = []
    for lane, name, allowed in ((units.LEXICAL, "lexical", merge.DEAD), (units.DENSE, "vectors", dense_blocks.DEAD)):
        sizes = units.sizes(con, lane)
        if sizes:
            deleted = sum(size.deleted for size in sizes)
            rows = sum(size.chunks for size in sizes) + deleted
            found.append(Wear(name, len(sizes), rows, deleted, 0, allowed, lane in due))
    graph = units.graph(con, NODE_PARTS)
    if graph:
        embedded = chunks.embedded(con)
        try:
            nodes = read_nodes(graph)
        except ValueError:
            # one that cannot be read is built again, like one that is not there
            nodes = np.empty(0, np.int64)
        kept = int(np.isin(nodes, embedded).sum())
        is_due = upkeep.graph_is_due(con)
        found.append(Wear("graph", 1, len(nodes), len(nodes) - kept, len(embedded) - kept, GONE_SHARE, is_due))
    return found
