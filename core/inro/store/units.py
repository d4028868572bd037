"""Immutable units of an index: lexical segments and vector blocks, each a few named parts of opaque bytes.

A unit is written once, read whole, and replaced by a merge; what was deleted from it meanwhile is a list of
tombstones beside it. What the bytes mean is the index's business: here they only have a size.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

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
MOST_PARTS = 1_000_000
MOST_NAMES = 100
"""Names of parts; a unit has a dozen."""


@dataclass(frozen=True, slots=True)
class UnitSize:
    """What a merge plan needs to know of a unit."""

    unit: int
    chunks: int
    """Live chunks it holds."""
    deleted: int


def load(
    con: duckdb.DuckDBPyConnection,
    lane: Lane,
    only: Sequence[int] | None = None,
    parts: Sequence[str] | None = None,
) -> list[tuple[int, dict[str, bytes]]]:
    """The units of a lane with their parts, oldest first; with `only` those of these ids, with `parts` these alone.

    Raises:
        NotAnIndex: the parts would unpack to far more than the file holds.
    """
    where = "TRUE" if only is None else f"{lane.column} IN ({', '.join(str(int(u)) for u in only) or 'NULL'})"
    units: dict[int, dict[str, bytes]] = {}
    for unit, part, data in _blobs(con, lane.table, f"{lane.column}, part, data", where, parts):
        units.setdefault(unit, {})[part] = data
    return sorted(units.items())


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


def named(con: duckdb.DuckDBPyConnection, lane: Lane, part: str) -> list[bytes]:
    """The parts of that name of all units that have one, oldest unit first."""
    found = con.execute(f"SELECT data FROM {lane.table} WHERE part = ? ORDER BY {lane.column}", [part]).fetchall()
    return [data for (data,) in found]


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
    # one at a time: DuckDB has a statement's values several times over until it is done
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


def graph(con: duckdb.DuckDBPyConnection, parts: Sequence[str] | None = None) -> dict[str, bytes] | None:
    """The parts of the neighbour graph, all or these, or None if there is none; raises as `load` does."""
    return dict(_blobs(con, "graph", "part, data", "TRUE", parts)) or None


def put_graph(con: duckdb.DuckDBPyConnection, parts: Mapping[str, bytes]) -> None:
    """Store the neighbour graph in the place of any other."""
    clear_graph(con)
    for part, data in parts.items():
        con.execute("INSERT INTO graph VALUES (?, ?)", [part, data])


def clear_graph(con: duckdb.DuckDBPyConnection) -> None:
    """Remove the graph; it can be built again from the vectors."""
    con.execute("DELETE FROM graph")


def _blobs(
    con: duckdb.DuckDBPyConnection, table: str, columns: str, where: str, parts: Sequence[str] | None
) -> Iterator[tuple[Any, ...]]:
    """Rows whose last column is a blob, in any order, until they hold more than a sound file could."""
    size = con.execute("SELECT max(block_size * total_blocks) FROM pragma_database_size()").fetchone()
    assert size is not None
    limit = LARGEST_EXPANSION * max(int(size[0]), 1 << 20)
    if parts is None:
        named = con.execute(f"SELECT DISTINCT part FROM {table} LIMIT {MOST_NAMES + 1}").fetchall()
        parts = [name for (name,) in named]
    count = total = 0
    # a name at a time, since DuckDB holds a whole result twice, and reads the blobs of all rows before it looks at a
    # list; a row at a time, since asking for the sum beforehand would read every blob once more
    for part in parts:
        con.execute(f"SELECT {columns} FROM {table} WHERE {where} AND part = ?", [part])
        while (row := con.fetchone()) is not None:
            count += 1
            total += len(row[-1])
            if total > limit or count > MOST_PARTS or len(parts) > MOST_NAMES:
                raise NotAnIndex(
                    f"table {table} unpacks to more than {limit:,} bytes; it is damaged or hostile",
                    "restore a copy or sync anew",
                )
            yield row
