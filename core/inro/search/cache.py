"""What searching keeps in memory: the indexes of one generation of the library, loaded when first needed.

Everything here can be thrown away and read again from the file. A changed stamp of the file makes the next
search ask for the generation; a changed generation makes it load anew. A lane is loaded only when asked for.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import duckdb
import numpy as np
from numpy.typing import NDArray

from inro.records import Ledger
from inro.search.likeness import Groups
from inro.store import catalogue, chunks, meta, units
from inro.store.connect import Stamp, Store

if TYPE_CHECKING:
    from inro.index.dense import DenseIndex
    from inro.index.lexical import LexicalIndex


@dataclass
class Snapshot:
    """The library as of one generation."""

    generation: int
    chunk_ids: NDArray[np.int64]
    """int64[n], ascending."""
    documents: NDArray[np.int64]
    """int64[n], the document of each chunk."""
    writings: NDArray[np.uint8]
    """uint8[n], the writing system of each chunk."""
    groups: Groups
    ledger: Ledger
    embedder: str
    """Fingerprint of the model that made the vectors; empty when there are none."""
    lexical: LexicalIndex | None = None
    dense: DenseIndex | None = None
    faults: list[str] = field(default_factory=list)
    """What was damaged and left out, a sentence each."""

    def document_of(self, chunk_ids: NDArray[np.int64]) -> NDArray[np.int64]:
        """int64[len(chunk_ids)]: the document of each chunk; -1 for a chunk that is gone."""
        if not self.chunk_ids.size:
            return np.full(chunk_ids.shape, -1, np.int64)
        at = self._places(chunk_ids)
        return np.where(self.chunk_ids[at] == chunk_ids, self.documents[at], -1)

    def writing_of(self, chunk_ids: NDArray[np.int64]) -> NDArray[np.uint8]:
        """uint8[len(chunk_ids)]: the writing system of each chunk; of some chunk, for one that is gone."""
        return self.writings[self._places(chunk_ids)] if self.chunk_ids.size else np.zeros(chunk_ids.shape, np.uint8)

    def _places(self, chunk_ids: NDArray[np.int64]) -> NDArray[np.int64]:
        return np.minimum(np.searchsorted(self.chunk_ids, chunk_ids), self.chunk_ids.size - 1)


class SearchCache:
    """Hands out the snapshot that fits the file as it is now. Shared by threads."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._stamp: Stamp | None = None
        self._snapshot: Snapshot | None = None
        self._lock = threading.Lock()

    def current(self, con: duckdb.DuckDBPyConnection, *, lexical: bool, dense: bool) -> Snapshot:
        """The snapshot of the open library, with these lanes loaded.

        Raises:
            NotAnIndex: a stored segment or block is damaged.
        """
        with self._lock:
            stamp = self._store.stamp()
            snapshot = self._snapshot
            if snapshot is None or stamp != self._stamp:
                generation = meta.counter(con, meta.GENERATION)
                if snapshot is None or snapshot.generation != generation:
                    snapshot = self._read(con, generation)
                self._stamp, self._snapshot = stamp, snapshot
            if lexical and snapshot.lexical is None:
                snapshot.lexical = _load_lexical(con)
            if dense and snapshot.dense is None:
                snapshot.dense = _load_dense(con)
                if snapshot.dense.fault:
                    snapshot.faults.append(snapshot.dense.fault)
            return snapshot

    def _read(self, con: duckdb.DuckDBPyConnection, generation: int) -> Snapshot:
        from inro.index.fingerprint import stored_embedder

        ids, documents, writings = chunks.owners(con)
        return Snapshot(
            generation,
            ids,
            documents,
            writings,
            Groups.of(ids, writings),
            catalogue.ledger(con, self._store.path),
            stored_embedder(con),
        )


def _load_lexical(con: duckdb.DuckDBPyConnection) -> LexicalIndex:
    from inro.index.lexical import LexicalIndex

    return LexicalIndex.load(units.load(con, units.LEXICAL), units.deleted(con, units.LEXICAL))


def _load_dense(con: duckdb.DuckDBPyConnection) -> DenseIndex:
    from inro.index.dense import DenseIndex

    return DenseIndex.load(units.load(con, units.DENSE), units.graph(con), units.deleted(con, units.DENSE))
