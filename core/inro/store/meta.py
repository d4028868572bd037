"""The `meta` table: named values and the counters ids are drawn from.

A counter only ever goes up, so an id that was given is never given again, whatever was deleted since.
"""

from __future__ import annotations

from collections.abc import Mapping

import duckdb

from inro.errors import NotAnIndex

GENERATION = "generation"
"""Goes up in every commit; caches are stamped with it."""

COMPACTED = "compacted"
"""The generation at which rows that commits had written apart were last merged."""

CONTENTS = "contents"
"""Goes up in every commit that touches documents, chunks, segments or vectors: two syncs at once notice."""

NEXT_SOURCE = "next_source"
NEXT_DOCUMENT = "next_document"
NEXT_CHUNK = "next_chunk"
NEXT_SEGMENT = "next_segment"
NEXT_BLOCK = "next_block"

_LARGEST = 2**62


def get(con: duckdb.DuckDBPyConnection, key: str, default: str = "") -> str:
    """The value of `key`, or `default`."""
    row = con.execute("SELECT value FROM meta WHERE key = ?", [key]).fetchone()
    return default if row is None or row[0] is None else str(row[0])


def put(con: duckdb.DuckDBPyConnection, key: str, value: str) -> None:
    """Set `key`."""
    row = con.execute("UPDATE meta SET value = ? WHERE key = ?", [value, key]).fetchone()
    if row is None or not row[0]:
        con.execute("INSERT INTO meta VALUES (?, ?)", [key, value])


def drop(con: duckdb.DuckDBPyConnection, key: str) -> None:
    """Forget `key`, if it is there."""
    con.execute("DELETE FROM meta WHERE key = ?", [key])


def counter(con: duckdb.DuckDBPyConnection, key: str) -> int:
    """The value of a counter; 0 if it was never used.

    Raises:
        NotAnIndex: what is stored is not a count.
    """
    return as_count(key, get(con, key, "0"))


def as_count(key: str, text: str) -> int:
    """The number a counter's stored text is.

    Raises:
        NotAnIndex: it is not one.
    """
    if not (text.isascii() and text.isdigit() and len(text) < 20 and int(text) < _LARGEST):
        raise NotAnIndex(f"meta value {key} is not a count", "restore a copy or sync anew")
    return int(text)


def count_up(con: duckdb.DuckDBPyConnection, key: str, by: int = 1) -> int:
    """Raise a counter by `by` and return its former value: the first of `by` fresh ids."""
    return count_up_each(con, {key: by})[key]


def count_up_each(con: duckdb.DuckDBPyConnection, by: Mapping[str, int]) -> dict[str, int]:
    """Raise several counters at once and return their former values: a statement costs the same for one or many.

    Raises:
        NotAnIndex: what is stored of one is not a count; none was raised.
    """
    if not by:
        return {}
    keys = list(by)
    found = dict(con.execute("SELECT key, value FROM meta WHERE list_contains(?, key)", [keys]).fetchall())
    former = {key: as_count(key, str(found.get(key) or "0")) for key in keys}
    there = [key for key in keys if key in found]
    if there:
        con.execute(
            "UPDATE meta SET value = $values[list_position($keys, key)] WHERE list_contains($keys, key)",
            {"keys": there, "values": [str(former[key] + by[key]) for key in there]},
        )
    new = [key for key in keys if key not in found]
    if new:
        con.execute(
            f"INSERT INTO meta VALUES {', '.join(['(?, ?)'] * len(new))}",
            [value for key in new for value in (key, str(former[key] + by[key]))],
        )
    return former
