"""Immutable units of an index: lexical segments and vector blocks, each a few named parts of opaque bytes.

A unit is written once, read whole, and replaced by a merge; what was deleted from it meanwhile is a list of
tombstones beside it. What the bytes mean is the index's business: here they only have a size.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import duckdb
import numpy as np
from numpy.typing import NDArray

from inro.errors import NotAnIndex
from inro.store import chunks, meta, rows


@dataclass(frozen=True, slots=True)
class Lane:
    """Where the units of one lane are kept."""

    name: Literal["lexical", "dense"]
    table: str
    column: Literal["segment", "block"]
    counter: str


LEXICAL = Lane("lexical", "segments", "segment", meta.NEXT_SEGMENT)
DENSE = Lane("dense", "vectors", "block", meta.NEXT_BLOCK)

LARGEST_EXPANSION = 64
"""How many times the file's size its units may unpack to; a sound file's hardly pack at all."""


@dataclass(frozen=True, slots=True)
class UnitSize:
    """What a merge plan needs to know of a unit."""

    unit: int
    chunks: int
    """Live chunks it holds."""
    deleted: int


def load(
    con: duckdb.DuckDBPyConnection, lane: Lane, only: Sequence[int] | None = None
) -> list[tuple[int, dict[str, bytes]]]:
    """The units of a lane with their parts, oldest first; with `only`, those of these ids.

    Raises:
        NotAnIndex: the parts would unpack to far more than the file holds.
    """
    where = "" if only is None else f"WHERE {lane.column} IN ({', '.join(str(int(u)) for u in only) or 'NULL'})"
    _refuse_a_bomb(con, lane.table, where)
    found = con.execute(
        f"SELECT {lane.column}, part, data FROM {lane.table} {where} ORDER BY {lane.column}, part"
    ).fetchall()
    units: dict[int, dict[str, bytes]] = {}
    for unit, part, data in found:
        units.setdefault(unit, {})[part] = data
    return list(units.items())


def deleted(con: duckdb.DuckDBPyConnection, lane: Lane, only: Sequence[int] | None = None) -> NDArray[np.int64]:
    """int64[m], rising: deleted chunks that the lane's units still hold, or those in `only`."""
    where = "" if only is None else f"AND unit IN ({', '.join(str(int(u)) for u in only) or 'NULL'})"
    found = con.execute(f"SELECT chunk FROM tombstones WHERE lane = ? {where} ORDER BY chunk", [lane.name]).fetchnumpy()
    return np.asarray(found["chunk"], dtype=np.int64)


def sizes(con: duckdb.DuckDBPyConnection, lane: Lane) -> list[UnitSize]:
    """Every unit of a lane with what it holds, oldest first; no blob is read for it."""
    unit = lane.column
    found = con.execute(
        "SELECT u.unit, coalesce(c.n, 0), coalesce(t.n, 0) FROM "
        f"(SELECT DISTINCT {unit} AS unit FROM {lane.table}) u "
        f"LEFT JOIN (SELECT {unit} AS unit, count(*) AS n FROM chunks GROUP BY ALL) c ON c.unit = u.unit "
        "LEFT JOIN (SELECT unit, count(*) AS n FROM tombstones WHERE lane = ? GROUP BY ALL) t "
        "ON t.unit = u.unit ORDER BY u.unit",
        [lane.name],
    ).fetchall()
    return [UnitSize(int(unit), int(live), int(dead)) for unit, live, dead in found]


def total_bytes(con: duckdb.DuckDBPyConnection, lane: Lane) -> int:
    """Bytes of all units of a lane; reads them."""
    row = con.execute(f"SELECT coalesce(sum(octet_length(data)), 0) FROM {lane.table}").fetchone()
    assert row is not None
    return int(row[0])


def held(con: duckdb.DuckDBPyConnection, lane: Lane, unit: int) -> NDArray[np.int64]:
    """int64[n], rising: the chunks a unit should hold, those deleted since included."""
    found = con.execute(
        f"SELECT id FROM chunks WHERE {lane.column} = $unit "
        "UNION ALL SELECT chunk FROM tombstones WHERE lane = $lane AND unit = $unit ORDER BY 1",
        {"unit": unit, "lane": lane.name},
    ).fetchnumpy()
    return np.asarray(found["id"], dtype=np.int64)


def count(con: duckdb.DuckDBPyConnection, lane: Lane) -> int:
    """How many units a lane has."""
    row = con.execute(f"SELECT count(DISTINCT {lane.column}) FROM {lane.table}").fetchone()
    assert row is not None
    return int(row[0])


def are_there(con: duckdb.DuckDBPyConnection, lane: Lane, wanted: Sequence[int]) -> bool:
    """Whether every one of these units is still in the lane."""
    found = rows.where_ids(
        con,
        wanted,
        f"SELECT count(DISTINCT {lane.column}) FROM {lane.table} WHERE {lane.column} IN ($ids)",
    )
    return not wanted or int(found[0][0]) == len(set(wanted))


def insert(con: duckdb.DuckDBPyConnection, lane: Lane, unit: int, parts: Mapping[str, bytes]) -> None:
    """Append a unit under an id that was drawn for it."""
    for part, data in parts.items():
        con.execute(f"INSERT INTO {lane.table} VALUES (?, ?, ?)", [unit, part, data])


def replace(
    con: duckdb.DuckDBPyConnection,
    lane: Lane,
    former: Sequence[int],
    unit: int,
    parts: Mapping[str, bytes],
    left_out: NDArray[np.int64],
) -> None:
    """Put the merge of some units in their place; their chunks move to it.

    `left_out` are the deleted chunks the merge was made without. A chunk that was deleted since is still in
    it, so its tombstone moves along.
    """
    since = np.setdiff1d(deleted(con, lane, former), left_out)
    drop(con, lane, former)
    rows.insert(
        con,
        "tombstones",
        {"lane": [lane.name] * since.size, "unit": [unit] * since.size, "chunk": since.tolist()},
    )
    insert(con, lane, unit, parts)
    chunks.move_unit(con, lane.column, former, unit)


def drop(con: duckdb.DuckDBPyConnection, lane: Lane, former: Sequence[int]) -> None:
    """Remove units and their tombstones; chunks that named them are left to the caller."""
    rows.where_ids(con, former, f"DELETE FROM {lane.table} WHERE {lane.column} IN ($ids)")
    rows.where_ids(
        con,
        former,
        f"DELETE FROM tombstones WHERE lane = '{lane.name}' AND unit IN ($ids)",
    )


def clear(con: duckdb.DuckDBPyConnection, lane: Lane) -> None:
    """Remove every unit of a lane; no chunk is held by it afterwards."""
    con.execute(f"DELETE FROM {lane.table}")
    con.execute("DELETE FROM tombstones WHERE lane = ?", [lane.name])
    nothing = "-1" if lane is LEXICAL else "NULL"
    con.execute(f"UPDATE chunks SET {lane.column} = {nothing}")
    if lane is DENSE:
        clear_graph(con)


def graph(con: duckdb.DuckDBPyConnection) -> dict[str, bytes] | None:
    """The parts of the neighbour graph, or None if there is none."""
    _refuse_a_bomb(con, "graph", "")
    parts = dict(con.execute("SELECT part, data FROM graph").fetchall())
    return parts or None


def put_graph(con: duckdb.DuckDBPyConnection, parts: Mapping[str, bytes]) -> None:
    """Store the neighbour graph in the place of any other."""
    clear_graph(con)
    for part, data in parts.items():
        con.execute("INSERT INTO graph VALUES (?, ?)", [part, data])


def clear_graph(con: duckdb.DuckDBPyConnection) -> None:
    """Remove the graph; it can be built again from the vectors."""
    con.execute("DELETE FROM graph")


def _refuse_a_bomb(con: duckdb.DuckDBPyConnection, table: str, where: str) -> None:
    row = con.execute(f"SELECT coalesce(sum(octet_length(data)), 0), count(*) FROM {table} {where}").fetchone()
    size = con.execute("SELECT block_size * total_blocks FROM pragma_database_size() LIMIT 1").fetchone()
    assert row is not None
    assert size is not None
    limit = LARGEST_EXPANSION * max(int(size[0]), 1 << 20)
    if int(row[0]) > limit or int(row[1]) > 1_000_000:
        raise NotAnIndex(
            f"table {table} would unpack to {int(row[0]):,} bytes; it is damaged or hostile",
            "restore a copy or sync anew",
        )
