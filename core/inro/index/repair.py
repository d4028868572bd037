"""What a full sync does before it reads files: throw out arrays that are damaged, so that they are made anew.

Lexical segments and titles are made again from stored text whatever their state; vectors are dear, so only
blocks that do not load, or do not hold what the library says they hold, are dropped, and their chunks wait to
be embedded again.
"""

from __future__ import annotations

from collections.abc import Mapping

import duckdb
import numpy as np

from inro.index.dense_file import read_block, read_graph
from inro.store import chunks, meta, units
from inro.store.connect import Store


def drop_damaged_vectors(store: Store) -> int:
    """Remove blocks and a graph that cannot be used; returns how many blocks went.

    Raises:
        LibraryBusy, WriteFailed, NotAnIndex: the file cannot be used.
    """
    with store.reading() as con:
        damaged = [unit for unit, parts in units.load(con, units.DENSE) if not _is_sound(con, unit, parts)]
        graph = units.graph(con)
    broken_graph = graph is not None and not _loads(graph)
    if damaged or broken_graph:
        with store.writing() as con:
            meta.count_up(con, meta.CONTENTS)
            units.drop(con, units.DENSE, damaged)
            chunks.wait_again(con, damaged)
            units.clear_graph(con)
    return len(damaged)


def _is_sound(con: duckdb.DuckDBPyConnection, unit: int, parts: Mapping[str, bytes]) -> bool:
    try:
        held = np.sort(read_block(parts).chunk_ids)
    except ValueError:
        return False
    return np.array_equal(held, units.held(con, units.DENSE, unit))


def _loads(graph: Mapping[str, bytes]) -> bool:
    try:
        read_graph(graph)
    except ValueError:
        return False
    return True
