"""Rows laid out beforehand, in the memory of the connection that is going to write them.

Unpacking what Python hands over takes most of the time of putting it in. So a writer does it before the library is
locked, into tables of the same names and shapes, by the same functions; then one short statement a table pours them in.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import duckdb

from inro.store import schema

_MEMORY = "memory.main"
"""Where a writer's connection keeps what is in no file; until a library is open names mean the tables there."""


def lay_out(con: duckdb.DuckDBPyConnection, tables: Iterable[str]) -> None:
    """Make empty tables in memory, to be filled while no library is open yet."""
    for table in tables:
        schema.create_table(con, _MEMORY, table)


def filled(con: duckdb.DuckDBPyConnection, tables: Sequence[str]) -> list[str]:
    """Those of the tables in memory that hold any row."""
    counts = ", ".join(f"(SELECT count(*) FROM {_MEMORY}.{table})" for table in tables)
    row = con.execute(f"SELECT {counts}").fetchone()
    assert row is not None
    return [table for table, count in zip(tables, row, strict=True) if count]


def pour(con: duckdb.DuckDBPyConnection, tables: Iterable[str]) -> None:
    """Append what lies in memory to the library's own tables."""
    for table in tables:
        con.execute(f"INSERT INTO {table} BY NAME SELECT * FROM {_MEMORY}.{table}")
