"""The tables of format 1 and the check that a file has them and nothing else that could act.

A library may come from a stranger, so a file with views, macros of its own or a table of another shape is
refused before anything is read from it. There are no primary keys and no indexes: ids are given in order,
which DuckDB's min/max statistics turn into quick look-ups, and index maintenance is what breaks recovery.

`start` and `stop` are code point offsets into the document's text, `stop` exclusive.
"""

from __future__ import annotations

import duckdb

from inro.errors import FormatTooNew, FormatTooOld, NotAnIndex

FORMAT = 1
"""The version of the layout this release writes."""

STORAGE_VERSION = "v1.5.0"
"""DuckDB's on-disk version for new files; the pinned DuckDB reads and writes it."""

BLOCK_SIZE = 16384
"""Bytes of one block: the smallest DuckDB has, so that a library of a few notes is not half a megabyte."""

TABLES: dict[str, dict[str, str]] = {
    "meta": {"key": "VARCHAR", "value": "VARCHAR"},
    "sources": {
        "id": "BIGINT",
        "path": "VARCHAR",
        "raw": "BLOB",
        "relative": "VARCHAR",
        "rules": "VARCHAR",
        "last_sync": "VARCHAR",
        "outcome": "VARCHAR",
    },
    "documents": {
        "id": "BIGINT",
        "source": "BIGINT",
        "path": "VARCHAR",
        "raw": "BLOB",
        "title": "VARCHAR",
        "hash": "VARCHAR",
        "size": "BIGINT",
        "mtime_ns": "BIGINT",
        "indexed_ns": "BIGINT",
        "reader": "VARCHAR",
        "encoding": "VARCHAR",
        "outcome": "VARCHAR",
        "reason": "VARCHAR",
        "mend": "VARCHAR",
        "chars": "INTEGER",
        "tags": "VARCHAR[]",
    },
    "texts": {"document": "BIGINT", "part": "INTEGER", "text": "VARCHAR"},
    "headings": {"document": "BIGINT", "start": "INTEGER", "level": "INTEGER", "text": "VARCHAR"},
    "chunks": {
        "id": "BIGINT",
        "document": "BIGINT",
        "ordinal": "INTEGER",
        "start": "INTEGER",
        "stop": "INTEGER",
        "heading": "VARCHAR",
        "page": "INTEGER",
        "tokens": "INTEGER",
        "writing": "UTINYINT",
        "hash_high": "UBIGINT",
        "hash_low": "UBIGINT",
        "segment": "BIGINT",
        "block": "BIGINT",
    },
    "segments": {"segment": "BIGINT", "part": "VARCHAR", "data": "BLOB"},
    "vectors": {"block": "BIGINT", "part": "VARCHAR", "data": "BLOB"},
    "graph": {"part": "VARCHAR", "data": "BLOB"},
    "tombstones": {"lane": "VARCHAR", "unit": "BIGINT", "chunk": "BIGINT"},
    "fields": {"document": "BIGINT", "key": "VARCHAR", "ordinal": "INTEGER", "value": "VARCHAR"},
    "links": {
        "document": "BIGINT",
        "kind": "VARCHAR",
        "target": "VARCHAR",
        "start": "INTEGER",
        "stop": "INTEGER",
    },
    "labels": {
        "document": "BIGINT",
        "kind": "VARCHAR",
        "written": "VARCHAR",
        "start": "INTEGER",
        "stop": "INTEGER",
    },
    "steps": {
        "document": "BIGINT",
        "ordinal": "INTEGER",
        "text": "VARCHAR",
        "start": "INTEGER",
        "stop": "INTEGER",
    },
    "titles": {"document": "BIGINT", "text": "VARCHAR"},
}
"""Every table with its columns and their types, in order.

`texts` holds each document's text in parts of `texts.PART` code points, so that a slice of a long document
costs the same as a slice of a short one. `chunks.segment` and `chunks.block` say which lexical segment and
which vector block hold the chunk; a null block means that the chunk is still to be embedded. `tombstones`
lists deleted chunks that an immutable segment (`lane` lexical) or block (`lane` dense) still holds.
"""

_UNCOMPRESSED = {("texts", "text"), ("segments", "data"), ("vectors", "data"), ("graph", "data")}
"""A compressed text column unpacks two thousand neighbours to show one hit (measured: 60 ms against 2). The arrays are
packed already: DuckDB saves a tenth of them, and unpacking makes reading slower (109 MB: 0.39 s against 0.30, on a busy
machine 1.7 against 0.4)."""

FTS_SCHEMA = "fts_main_titles"
"""Where DuckDB's extension keeps the title index; its two macros are the only ones a library may hold."""


def create(con: duckdb.DuckDBPyConnection, database: str) -> None:
    """Make every table in the attached database of that name and write the format version."""
    for table in TABLES:
        create_table(con, f"{database}.main", table)
    con.executemany(
        f"INSERT INTO {database}.main.meta VALUES (?, ?)",
        [("format", str(FORMAT)), ("generation", "0"), ("contents", "0")],
    )


def create_table(con: duckdb.DuckDBPyConnection, place: str, table: str) -> None:
    """Make one of the tables, empty; `place` is a database and a schema of it."""
    columns = ", ".join(
        f"{name} {kind}" + (" USING COMPRESSION uncompressed" if (table, name) in _UNCOMPRESSED else "")
        for name, kind in TABLES[table].items()
    )
    con.execute(f"CREATE TABLE {place}.{table} ({columns})")


def check(con: duckdb.DuckDBPyConnection, name: str, *, macros: bool) -> None:
    """Refuse a file that is not a library of this format. `name` is the file, for the message.

    With `macros`, planted macros are looked for as well (40 ms, since DuckDB lists its own two thousand
    functions for it). A connection whose search path begins with `system.main` need not care: there a
    macro that is named like a built-in function is never found.

    Raises:
        NotAnIndex: tables are missing or of another shape, or the file holds views or macros.
        FormatTooNew: a newer release wrote it.
        FormatTooOld: it must be migrated first.
    """
    shapes = _shapes(con)
    if shapes.get("meta") != TABLES["meta"]:
        raise NotAnIndex(f"not an Inro library: {name}", "name another file with --library")
    _check_format(con, name)
    _refuse(_planted_view(con) or (_planted_macro(con) if macros else ""), name)
    for table, columns in TABLES.items():
        if shapes.get(table) != columns:
            raise NotAnIndex(f"table {table} of {name} is missing or damaged", "restore a copy or sync anew")


def refuse_macros(con: duckdb.DuckDBPyConnection, name: str = "this library") -> None:
    """Refuse a library with macros of its own (40 ms).

    Raises:
        NotAnIndex: it has some.
    """
    _refuse(_planted_macro(con), name)


def _refuse(planted: str, name: str) -> None:
    if planted:
        raise NotAnIndex(
            f"{name} holds a {planted} that no Inro library has; it is not opened",
            "do not trust where this file came from; ask for it again",
        )


def _shapes(con: duckdb.DuckDBPyConnection) -> dict[str, dict[str, str]]:
    # base tables only: a view of the same name and columns is not the table
    there = con.execute(
        "SELECT table_name FROM duckdb_tables() WHERE NOT internal AND NOT temporary AND schema_name = 'main'"
    ).fetchall()
    found = sorted({name for (name,) in there} & set(TABLES))
    # asking all for no rows at once takes a third of the time of asking each,
    if len(found) == len(TABLES) and _columns(con, ", ".join(TABLES)) == _ALL_COLUMNS:
        return TABLES
    return {table: dict(_columns(con, table)) for table in found}


_ALL_COLUMNS = [column for columns in TABLES.values() for column in columns.items()]


def _columns(con: duckdb.DuckDBPyConnection, tables: str) -> list[tuple[str, str]]:
    description = con.execute(f"SELECT * FROM {tables} LIMIT 0").description or []
    return [(str(column[0]), str(column[1])) for column in description]


def _planted_view(con: duckdb.DuckDBPyConnection) -> str:
    row = con.execute("SELECT view_name FROM duckdb_views() WHERE NOT internal LIMIT 1").fetchone()
    return f"view {printable(str(row[0]))}" if row else ""


def _planted_macro(con: duckdb.DuckDBPyConnection) -> str:
    row = con.execute(
        "SELECT function_name FROM duckdb_functions() WHERE NOT internal "
        f"AND function_type IN ('macro', 'table_macro') AND schema_name <> '{FTS_SCHEMA}' LIMIT 1"
    ).fetchone()
    return f"macro {printable(str(row[0]))}" if row else ""


def printable(text: str, limit: int = 80) -> str:
    """A string of a stranger's file, fit for a message: no control characters, no endless line."""
    return "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in text[:limit])


def _check_format(con: duckdb.DuckDBPyConnection, name: str) -> None:
    row = con.execute("SELECT value FROM meta WHERE key = 'format'").fetchone()
    written = str(row[0]) if row else ""
    if not (written.isascii() and written.isdigit() and len(written) < 10):
        raise NotAnIndex(f"not an Inro library: {name}", "name another file with --library")
    if int(written) > FORMAT:
        raise FormatTooNew(f"{name} has format {written}, this release reads up to {FORMAT}", "install a newer release")
    if int(written) < FORMAT:
        raise FormatTooOld(f"{name} has format {written}, this release needs {FORMAT}", "inro migrate")
