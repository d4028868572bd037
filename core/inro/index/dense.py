"""The dense lane: the chunks whose vectors are nearest to a query's.

A small library, or what a filter leaves of a large one, is compared whole, exactly. More goes through a graph that
covers the vectors present when it was built; those added since are compared beside it. Deleted chunks and filters
act inside the search, so k allowed chunks come back whenever there are k. Similarities are cosines of the vectors
as stored. Each result says how similar the library is to the query as a whole, so that a likeness can be told from
the ordinary.

Knows chunk ids and vectors. Does not know text, documents, the model or the database.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from inro.errors import ModelError, NotAnIndex
from inro.index.dense_blocks import (
    BlockSize,
    Centre,
    encode_block,
    largest_centre,
    merge_blocks,
    plan_merge,
)
from inro.index.dense_file import CENTRE_PARTS, NODE_PARTS, Block, StoredGraph, read_block, read_graph
from inro.index.dense_graph import build_graph, graph_is_due, graph_is_wanted
from inro.index.dense_rows import lay_out

if TYPE_CHECKING:
    from inro_native.graph import Graph
    from inro_native.quantise import Coded, Query

__all__ = [
    "CENTRE_PARTS",
    "NODE_PARTS",
    "BlockSize",
    "Centre",
    "DenseIndex",
    "DenseResult",
    "build_graph",
    "encode_block",
    "graph_is_due",
    "graph_is_wanted",
    "largest_centre",
    "merge_blocks",
    "plan_merge",
]

BEAM = 512
"""Rows the graph search holds; it recalls .990 of the exact ten over 100,000 vectors (tests/bench/dense.py), where
256 recalls .984, and takes a small part of the time that embedding the query has taken."""
SAMPLE = 512
"""Rows measured on every graph search: where it starts from, and what the library's likeness is estimated
on."""
GATHER_SHARE = 0.125
"""Past this share of the rows, reading all in order is faster than picking out the ones wanted."""


@dataclass(frozen=True, slots=True)
class DenseResult:
    """The nearest chunks and how near the library is as a whole."""

    chunk_ids: npt.NDArray[np.int64]
    """int64[<=k], nearest first."""
    similarities: npt.NDArray[np.float32]
    """float32[<=k], cosines."""
    population_mean: float
    """Mean similarity of the library's live chunks to the query, filters apart; nan when there are none."""
    population_std: float


class DenseIndex:
    """Vectors of a library in memory, read-only and safe to search from several threads."""

    __slots__ = ("_graph", "_rows", "_sample", "_sampled", "centre", "fault")

    centre: Centre | None
    """What the next block should be encoded with; None when there are no blocks."""
    fault: str
    """Why a stored graph was refused, for a person; empty if none was."""

    def __init__(
        self,
        blocks: Sequence[Block],
        stored: StoredGraph | None,
        deleted: npt.NDArray[np.int64],
        fault: str = "",
    ) -> None:
        """Lay checked blocks out in memory; see `load`."""
        self._graph: Graph | None = None
        first = np.empty(0, np.int64)
        if stored is not None:
            self._graph, first = _present(stored, blocks)
        self._rows = rows = lay_out(blocks, first, deleted)
        drawn = np.random.default_rng(0).permutation(rows.count)[:SAMPLE]
        self._sample: npt.NDArray[np.int64] = np.sort(drawn).astype(np.int64)
        self._sampled: Coded = rows.vectors.take(self._sample)
        largest = max(blocks, key=lambda block: block.mean_count, default=None)
        self.centre = None if largest is None else Centre(largest.mean.copy(), largest.mean_count)
        self.fault = fault

    @classmethod
    def load(
        cls,
        blocks: Sequence[tuple[int, Mapping[str, bytes]]],
        graph: Mapping[str, bytes] | None,
        deleted: npt.NDArray[np.int64],
    ) -> DenseIndex:
        """An index from stored parts.

        A graph that is damaged is left out, which costs time and not results; `fault` says why.

        Args:
            blocks: (number, parts) of each block.
            graph: the parts of the graph, if there is one.
            deleted: int64[m], ids of chunks that are no more; unknown ids are ignored.

        Raises:
            NotAnIndex: a block of vectors is damaged, or blocks do not fit together.
        """
        read: list[Block] = []
        for number, parts in blocks:
            try:
                read.append(read_block(parts))
            except ValueError as error:
                raise _damaged(f"vector block {number}: {error}") from error
        if len({block.dimension for block in read}) > 1:
            raise _damaged("its vector blocks are of several dimensions")
        if len(read) > np.iinfo(np.uint16).max:
            raise _damaged(f"it has {len(read)} vector blocks")
        ids = np.concatenate([block.chunk_ids for block in read] or [np.empty(0, np.int64)])
        if np.unique(ids).shape[0] != ids.shape[0]:
            raise _damaged("a chunk has vectors in two blocks")
        stored, fault = None, ""
        if graph:
            try:
                stored = read_graph(graph)
            except ValueError as error:
                fault = f"the vector graph is damaged and was not used: {error}"
        return cls(read, stored, deleted, fault)

    def __len__(self) -> int:
        """Live vectors."""
        return int(self._rows.live.sum())

    @property
    def dimension(self) -> int:
        """Numbers in a vector; 0 when there are no blocks."""
        return self._rows.dimension

    @property
    def has_graph(self) -> bool:
        return self._graph is not None

    @property
    def nbytes(self) -> int:
        """Bytes of memory the arrays hold."""
        links = self._graph.offsets.nbytes + self._graph.links.nbytes if self._graph else 0
        return self._rows.nbytes + self._sampled.codes.nbytes + links

    def search(self, query: npt.NDArray[np.float32], k: int, allow: npt.NDArray[np.int64] | None = None) -> DenseResult:
        """The k nearest chunks.

        Args:
            query: float32[d], a unit vector.
            k: how many; fewer come back only when fewer are live and allowed.
            allow: int64[m], ids of the chunks that may be returned; None for all. Unknown ids are ignored.

        Raises:
            ModelError: the query is not a vector of this library's dimension, or holds a number that is not
                finite.
        """
        rows = self._rows
        if not rows.count:
            return _NOTHING
        ready = self._prepare(query)
        if allow is None:
            keep = rows.live
            wanted = rows.count
        else:
            allowed, known = rows.locate_live(allow)
            keep = np.zeros(rows.count, np.uint8)
            keep[allowed[known]] = 1
            wanted = int(keep.sum())
        if self._graph is not None and wanted > k and graph_is_wanted(wanted, self.dimension):
            return self._search_graph(self._graph, ready, k, keep)
        return self._scan(ready, k, keep, wanted)

    def similarities(self, query: npt.NDArray[np.float32], chunk_ids: npt.NDArray[np.int64]) -> npt.NDArray[np.float32]:
        """Cosines of the named chunks, float32[len(chunk_ids)]; nan for a chunk without a live vector.

        Raises:
            ModelError: as for `search`.
        """
        from inro_native.quantise import scan_rows

        found = np.full(chunk_ids.shape[0], np.nan, np.float32)
        if self._rows.count:
            ready = self._prepare(query)
            at, known = self._rows.locate_live(chunk_ids)
            found[known] = scan_rows(ready, self._rows.vectors, at[known])
        return found

    def vectors(self, chunk_ids: npt.NDArray[np.int64]) -> npt.NDArray[np.float32]:
        """The vectors as stored, float32[len(chunk_ids), d]; nan for a chunk without a live vector."""
        found = np.full((chunk_ids.shape[0], self.dimension), np.nan, np.float32)
        at, known = self._rows.locate_live(chunk_ids)
        found[known] = self._rows.decode(at[known])
        return found

    def neighbours(self, chunk_id: int, k: int, allow: npt.NDArray[np.int64] | None = None) -> DenseResult:
        """The k chunks nearest to a chunk, itself left out; nothing for a chunk without a live vector."""
        at, known = self._rows.locate_live(np.array([chunk_id], np.int64))
        if not known[0]:
            return _NOTHING
        result = self.search(self._rows.decode(at)[0], k + 1, allow)
        others = result.chunk_ids != chunk_id
        return replace(result, chunk_ids=result.chunk_ids[others][:k], similarities=result.similarities[others][:k])

    def live_ids(self) -> npt.NDArray[np.int64]:
        """Ids of the chunks with a live vector, ascending."""
        ids: npt.NDArray[np.int64] = self._rows.sorted_ids[self._rows.live[self._rows.by_id] == 1]
        return ids

    def _prepare(self, query: npt.NDArray[np.float32]) -> Query:
        from inro_native.quantise import prepare_query

        if query.shape != (self.dimension,):
            raise ModelError(
                f"the query is a vector of shape {query.shape} in a library of {self.dimension} dimensions",
                "inro doctor, to see which embedder the library was made with",
            )
        try:
            return prepare_query(query, self._rows.means)
        except ValueError as error:
            raise ModelError(f"the embedder gave a query vector that cannot be used: {error}") from error

    def _scan(self, query: Query, k: int, keep: npt.NDArray[np.uint8], wanted: int) -> DenseResult:
        """Compare every kept row; `wanted` is how many these are, or more."""
        from inro_native.quantise import moments, scan, scan_rows, top

        rows = self._rows
        if wanted > GATHER_SHARE * rows.count:
            near = scan(query, rows.vectors)
            best = top(near, keep, k)
            return DenseResult(rows.chunk_ids[best], near[best], *moments(near, rows.live))
        some = np.flatnonzero(keep)
        near = scan_rows(query, rows.vectors, some)
        best = top(near, np.ones(some.shape[0], np.uint8), k)
        sampled = scan(query, self._sampled)
        return DenseResult(rows.chunk_ids[some[best]], near[best], *moments(sampled, rows.live[self._sample]))

    def _search_graph(self, graph: Graph, query: Query, k: int, keep: npt.NDArray[np.uint8]) -> DenseResult:
        from inro_native.graph import search
        from inro_native.quantise import moments, scan, top

        rows = self._rows
        sampled = scan(query, self._sampled)
        covered = int(np.searchsorted(self._sample, graph.nodes))
        found, near = search(
            graph, query, rows.vectors, keep, self._sample[:covered], sampled[:covered], max(BEAM, 2 * k)
        )
        if graph.nodes < rows.count:
            beside = slice(graph.nodes, None)
            tail = scan(query, rows.vectors.take(beside))
            best = top(tail, keep[beside], k)
            found = np.concatenate([found, best + graph.nodes])
            near = np.concatenate([near, tail[best]])
            order = np.lexsort((found, -near))
            found, near = found[order], near[order]
        if found.shape[0] < k:
            # Whatever the links are, k allowed chunks come back when there are k.
            return self._scan(query, k, keep, rows.count)
        return DenseResult(rows.chunk_ids[found[:k]], near[:k], *moments(sampled, rows.live[self._sample]))


_NOTHING = DenseResult(np.empty(0, np.int64), np.empty(0, np.float32), float("nan"), float("nan"))


def _present(stored: StoredGraph, blocks: Sequence[Block]) -> tuple[Graph | None, npt.NDArray[np.int64]]:
    """The part of a graph whose vectors are in the blocks, None when that is nothing, and its nodes' chunks."""
    from inro_native.graph import without

    ids = np.concatenate([block.chunk_ids for block in blocks] or [np.empty(0, np.int64)])
    present = np.isin(stored.chunk_ids, ids)
    if not present.any():
        return None, np.empty(0, np.int64)
    graph = stored.graph if present.all() else without(stored.graph, present)
    return graph, stored.chunk_ids[present]


def _damaged(what: str) -> NotAnIndex:
    return NotAnIndex(f"the library's vectors cannot be read: {what}", "inro verify, then inro sync")
