"""Keeping an index quick: few segments, few blocks, a fitting graph, a fitting title index and a baseline of likeness.

Everything is worked out beside the file and swapped in by a short commit, which checks that what it replaces
is still there. None of it changes what a search finds; skipping it costs time only.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence

import duckdb
import numpy as np
from numpy.typing import NDArray

from inro import log
from inro.errors import NotAnIndex
from inro.index import baseline, dense, fingerprint, merge
from inro.index.embedding import stored_centre
from inro.store import chunks, meta, titles, units
from inro.store.connect import Store

COMMITS_APART = 100
"""Commits after which their rows are merged: what a commit writes stands apart until then, so that a small one is
quick in a library of any size (measured at 9,000 notes: 0.8 MB for a note instead of 50)."""

_ROUNDS = 12
"""More merges in a row than any tier structure asks for."""


def keep(store: Store) -> None:
    """Do whatever is due.

    Raises:
        LibraryBusy, WriteFailed, NotAnIndex: the file cannot be used.
    """
    for _ in range(_ROUNDS):
        with store.reading() as con:
            groups = due(con)
            titles_fit = titles.is_indexed(con)
            graph_due = graph_is_due(con)
            apart = meta.counter(con, meta.GENERATION) - meta.counter(con, meta.COMPACTED)
        if not titles_fit:
            with store.writing() as con:
                titles.rebuild(con)
            log.info("upkeep: titles indexed anew")
        # a merge may fill the tier above it, and another program may have merged first: look again
        if not groups or not all([_merge(store, lane, group) for lane, group in groups]):
            break
    if graph_due:
        build_graph(store)
    baseline.keep(store)
    if apart >= COMMITS_APART:
        with store.writing(compact=True):
            pass


def due(con: duckdb.DuckDBPyConnection) -> list[tuple[units.Lane, list[int]]]:
    """Which units are to be merged now."""
    lexical = units.sizes(con, units.LEXICAL)
    groups = merge.plan_merges(
        {size.unit: size.chunks + size.deleted for size in lexical},
        {size.unit: size.deleted for size in lexical},
    )
    blocks = dense.plan_merge(
        [dense.BlockSize(size.unit, size.chunks + size.deleted, size.deleted) for size in units.sizes(con, units.DENSE)]
    )
    return [(units.LEXICAL, group) for group in groups] + ([(units.DENSE, list(blocks))] if blocks else [])


def build_graph(store: Store) -> None:
    """Build the neighbour graph over all vectors there are."""
    with store.reading() as con:
        blocks = units.load(con, units.DENSE)
        gone = units.deleted(con, units.DENSE)
        made_by = fingerprint.stored_embedder(con)
    started = time.monotonic()
    parts = dense.build_graph([parts for _, parts in blocks], gone)
    log.info("upkeep: graph built", blocks=len(blocks), ms=(time.monotonic() - started) * 1e3)
    with store.writing() as con:
        # links between another embedder's vectors lead nowhere
        if fingerprint.stored_embedder(con) == made_by:
            units.put_graph(con, parts)


def graph_is_due(con: duckdb.DuckDBPyConnection) -> bool:
    """Whether the library is large enough for a graph and the one it has, if any, does not fit."""
    centre = stored_centre(con)
    if centre is None:
        return False
    return dense.graph_is_due(chunks.embedded(con), centre.mean.shape[0], units.graph(con, dense.NODE_PARTS))


def _merge(store: Store, lane: units.Lane, group: Sequence[int]) -> bool:
    """Merge some units into one; False if another program merged them first."""
    started = time.monotonic()
    with store.reading() as con:
        gone = units.deleted(con, lane, group)
    parts = _merged(store, lane, group, gone)
    if parts is None:
        return False
    with store.writing() as con:
        if not units.are_there(con, lane, group):
            return False
        meta.count_up(con, meta.CONTENTS)
        unit = meta.count_up(con, lane.counter) + 1
        units.replace(con, lane, group, unit, parts, gone)
    log.info("upkeep: merged", lane=lane.name, units=len(group), ms=(time.monotonic() - started) * 1e3)
    return True


def _merged(store: Store, lane: units.Lane, group: Sequence[int], gone: NDArray[np.int64]) -> dict[str, bytes] | None:
    """The merge of some units; None if not all of them are there any more."""
    if lane is units.DENSE:
        blocks = list(_each(store, lane, group))
        return _merged_blocks(blocks, gone) if len(blocks) == len(group) else None
    sources = [merge.open_source(parts) for parts in _each(store, lane, group)]
    return merge.merge(sources, gone) or {} if len(sources) == len(group) else None


def _each(store: Store, lane: units.Lane, group: Sequence[int]) -> Iterator[dict[str, bytes]]:
    """The parts of some units; what another program replaced meanwhile is left out.

    Units never change, so each is read by itself: DuckDB keeps what a reading read until its end.
    """
    for unit in group:
        with store.reading() as con:
            loaded = units.load(con, lane, [unit])
        yield from (parts for _, parts in loaded)


def _merged_blocks(blocks: Sequence[dict[str, bytes]], gone: NDArray[np.int64]) -> dict[str, bytes]:
    try:
        return dense.merge_blocks(blocks, gone)
    except ValueError as e:
        raise NotAnIndex(f"a vector block is damaged: {e}", "inro verify, then restore a copy") from e
