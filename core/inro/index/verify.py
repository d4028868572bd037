"""`inro verify`: the whole library read and checked, table against table and array against array.

Adds to the store's own checks what only the index knows: that each segment, block and graph loads, and that
it holds exactly the chunks the library says it holds. Nothing is changed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

import duckdb
import numpy as np
from numpy.typing import NDArray

from inro.errors import LibraryError
from inro.records import Fault
from inro.store import meta, titles, units
from inro.store.connect import Store
from inro.store.verify import SYNC, faults


def verify(store: Store) -> Iterator[Fault]:
    """Everything that is wrong with the library; nothing if it is sound.

    Raises:
        LibraryMissing, LibraryBusy, NotAnIndex, FormatTooNew, FormatTooOld: it cannot be opened at all.
    """
    with store.reading() as con:
        try:
            found = [*faults(con), *_segments(con), *_blocks(con), *_graph(con), *_titles(con)]
        except duckdb.Error as e:
            found = [Fault("file", f"a part cannot be read: {str(e).splitlines()[0]}", "restore a copy")]
        except LibraryError as e:
            found = [Fault("file", e.message, e.mend)]
    yield from found


def _segments(con: duckdb.DuckDBPyConnection) -> Iterator[Fault]:
    from inro.index.segment_file import read_segment

    def chunk_ids(parts: Mapping[str, bytes]) -> NDArray[np.int64]:
        return read_segment(parts).ids

    yield from _units(con, units.LEXICAL, chunk_ids, SYNC)


def _blocks(con: duckdb.DuckDBPyConnection) -> Iterator[Fault]:
    from inro.index.dense_file import read_block

    dimensions: set[int] = set()

    def chunk_ids(parts: Mapping[str, bytes]) -> NDArray[np.int64]:
        block = read_block(parts)
        dimensions.add(block.dimension)
        return block.chunk_ids

    yield from _units(con, units.DENSE, chunk_ids, SYNC)
    if len(dimensions) > 1:
        yield Fault("vectors", f"vectors of several dimensions: {sorted(dimensions)}", SYNC)
    if dimensions and not meta.get(con, "embedder"):
        yield Fault("meta", "there are vectors and no word of which model made them", SYNC)


def _units(
    con: duckdb.DuckDBPyConnection,
    lane: units.Lane,
    chunk_ids: Callable[[Mapping[str, bytes]], NDArray[np.int64]],
    mend: str,
) -> Iterator[Fault]:
    for unit, parts in units.load(con, lane):
        where = f"{lane.table} {unit}"
        try:
            held = np.sort(chunk_ids(parts))
        except (LibraryError, ValueError) as e:
            yield Fault(where, str(e), mend)
            continue
        if not np.array_equal(held, units.held(con, lane, unit)):
            yield Fault(where, "does not hold the chunks the library says it holds", mend)


def _graph(con: duckdb.DuckDBPyConnection) -> Iterator[Fault]:
    from inro.index.dense_file import read_graph

    parts = units.graph(con)
    if parts is None:
        return
    try:
        read_graph(parts)
    except ValueError as e:
        yield Fault("graph", str(e), SYNC)


def _titles(con: duckdb.DuckDBPyConnection) -> Iterator[Fault]:
    row = con.execute("SELECT count(*) FROM documents WHERE id NOT IN (SELECT document FROM titles)").fetchone()
    if row is not None and row[0]:
        yield Fault("titles", f"{row[0]} documents cannot be found by title", SYNC)
    if not titles.is_indexed(con) and con.execute("SELECT 1 FROM titles LIMIT 1").fetchone() is not None:
        yield Fault("titles", "the title index is behind the documents", "inro sync")
