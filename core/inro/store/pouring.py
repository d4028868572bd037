"""The rows of one library put into another: sources matched, documents chosen, every id moved on.

Works on a connection that sees the library to take from as `source` (see `Store.lending`). Ids of the taken rows are
raised by the counters of the library that takes them, so order is kept and an empty library takes them as they are.
A root is one source wherever it was indexed; of two states of one file the later read one stays. What units hold is
not looked at here.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import duckdb

from inro.store import chunks, documents, meta, sources
from inro.store.opening import SOURCE
from inro.store.schema import TABLES

COUNTERS = (meta.NEXT_DOCUMENT, meta.NEXT_CHUNK, meta.NEXT_SEGMENT, meta.NEXT_BLOCK)

REFERENCES: Mapping[tuple[str, str], str] = {
    ("documents", "id"): meta.NEXT_DOCUMENT,
    ("chunks", "id"): meta.NEXT_CHUNK,
    ("chunks", "segment"): meta.NEXT_SEGMENT,
    ("chunks", "block"): meta.NEXT_BLOCK,
    **{(table, "document"): meta.NEXT_DOCUMENT for table, columns in TABLES.items() if "document" in columns},
}
"""Columns that hold an id, and the counter it was drawn from; `documents.source` goes by the map of sources."""

_TAKEN = "taken"
"""The temporary table of the documents that are taken, by their ids in the library they come from."""


@dataclass(frozen=True, slots=True)
class Poured:
    """What was taken, and what has become of it."""

    documents: int
    duplicates: int
    """Left out: a document of the same content was there."""
    outdated: int
    """Left out: a later state of the same file was there."""
    replaced: int
    """Documents of the taking library that gave way to a later state of their file."""
    chunks: int
    offsets: Mapping[str, int]
    """By counter, what was added to an id."""


def pour_rows(con: duckdb.DuckDBPyConnection, library: Path, *, only: Sequence[int] | None = None) -> Poured:
    """Take the documents of `source` (of these of its sources) that are not there yet, with all rows of theirs.

    `library` is where the taking library lies, since roots beside it are kept relative to it. Chunks keep their
    segments and blocks by number; the caller brings the units themselves.
    """
    offsets = {name: meta.counter(con, name) for name in COUNTERS}
    _map_sources(con, library, only)
    duplicates, outdated, replaced = _choose(con)
    _take(con, "documents", "id", offsets)
    for table, columns in TABLES.items():
        if "document" in columns:
            _take(con, table, "document", offsets)
    for name in COUNTERS:
        meta.count_up(con, name, _source_counter(con, name))
    taken, with_chunks = (
        _count(con, f"FROM {_TAKEN}"),
        _count(con, f"FROM {SOURCE}.main.chunks WHERE document IN (SELECT id FROM {_TAKEN})"),
    )
    return Poured(taken, duplicates, outdated, replaced, with_chunks, offsets)


def left_out_chunks(con: duckdb.DuckDBPyConnection) -> list[int]:
    """Ids, in the library they come from, of the chunks that were not taken, rising."""
    found = con.execute(
        f"SELECT id FROM {SOURCE}.main.chunks WHERE document NOT IN (SELECT id FROM {_TAKEN}) ORDER BY id"
    ).fetchall()
    return [int(id_) for (id_,) in found]


def source_meta(con: duckdb.DuckDBPyConnection, key: str) -> str:
    """A value of the other library's `meta`, empty if it has none."""
    row = con.execute(f"SELECT value FROM {SOURCE}.main.meta WHERE key = ?", [key]).fetchone()
    return "" if row is None or row[0] is None else str(row[0])


def _map_sources(con: duckdb.DuckDBPyConnection, library: Path, only: Sequence[int] | None) -> None:
    """Make the temporary table `roots` of (former id, id), adding the sources that are not there."""
    con.execute("CREATE OR REPLACE TEMP TABLE roots (former BIGINT, id BIGINT)")
    found = con.execute(f"SELECT id, path, raw FROM {SOURCE}.main.sources ORDER BY id").fetchall()
    for former, path, raw in found:
        if only is not None and former not in only:
            continue
        row = con.execute(
            "SELECT id FROM sources WHERE raw = $raw AND (octet_length($raw) > 0 OR path = $path)",
            {"raw": raw, "path": path},
        ).fetchone()
        if row is None:
            new = _own_number(con, int(former))
            beside = sources.relative_to(Path(os.fsdecode(raw)), library) if raw else ""
            con.execute(
                f"INSERT INTO sources SELECT * REPLACE ({new} AS id, $beside AS relative) "
                f"FROM {SOURCE}.main.sources WHERE id = $former",
                {"beside": beside, "former": former},
            )
        else:
            new = int(row[0])
        con.execute("INSERT INTO roots VALUES (?, ?)", [former, new])


def _choose(con: duckdb.DuckDBPyConnection) -> tuple[int, int, int]:
    """Make the table of what is taken; (duplicates, outdated) left out and how many documents gave way."""
    con.execute(
        f"""
        CREATE OR REPLACE TEMP TABLE candidates AS
        SELECT d.id, d.hash, d.indexed_ns, mine.id AS same_file, mine.hash AS same_file_hash,
            mine.indexed_ns AS same_file_ns,
            d.hash <> '' AND d.hash IN (SELECT hash FROM documents) AS same_content
        FROM {SOURCE}.main.documents d JOIN roots r ON r.former = d.source
        LEFT JOIN documents mine ON mine.source = r.id AND mine.raw = d.raw
        """
    )
    later = "same_file IS NOT NULL AND indexed_ns > same_file_ns AND hash <> same_file_hash"
    con.execute(
        f"CREATE OR REPLACE TEMP TABLE {_TAKEN} AS "
        f"SELECT id FROM candidates WHERE NOT same_content AND (same_file IS NULL OR ({later}))"
    )
    replaced = [
        int(id_)
        for (id_,) in con.execute(
            f"SELECT same_file FROM candidates WHERE id IN (SELECT id FROM {_TAKEN}) AND same_file IS NOT NULL"
        ).fetchall()
    ]
    duplicates = _count(con, "FROM candidates WHERE same_content OR hash IS NOT DISTINCT FROM same_file_hash")
    left_out = _count(con, "FROM candidates") - _count(con, f"FROM {_TAKEN}")
    chunks.remove_of(con, replaced)
    documents.remove(con, replaced)
    return duplicates, left_out - duplicates, len(replaced)


def _own_number(con: duckdb.DuckDBPyConnection, former: int) -> int:
    """A number for a source: its own if that was never given here, else the next."""
    given = meta.counter(con, meta.NEXT_SOURCE)
    new = max(given + 1, former)
    meta.count_up(con, meta.NEXT_SOURCE, new - given)
    return new


def _take(con: duckdb.DuckDBPyConnection, table: str, owner: str, offsets: Mapping[str, int]) -> None:
    # what is held by nothing is -1 or null, whatever the counter
    moved = [
        f'CASE WHEN "{column}" < 0 THEN "{column}" ELSE "{column}" + {offsets[counter]} END AS "{column}"'
        for (of, column), counter in REFERENCES.items()
        if of == table
    ]
    if table == "documents":
        moved.append('(SELECT r.id FROM roots r WHERE r.former = t."source") AS "source"')
    con.execute(
        f"INSERT INTO {table} SELECT * REPLACE ({', '.join(moved)}) FROM {SOURCE}.main.{table} t "
        f"WHERE {owner} IN (SELECT id FROM {_TAKEN})"
    )


def _source_counter(con: duckdb.DuckDBPyConnection, name: str) -> int:
    return meta.as_count(name, source_meta(con, name) or "0")


def _count(con: duckdb.DuckDBPyConnection, what: str) -> int:
    row = con.execute(f"SELECT count(*) {what}").fetchone()
    assert row is not None
    return int(row[0])
