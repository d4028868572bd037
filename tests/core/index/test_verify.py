"""`inro verify` finds what is wrong, names it, and is silent about a sound library."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from inro.index.verify import verify
from inro.store import units
from inro.store.connect import Store

DAMAGE = {
    "a chunk beyond its text": ("UPDATE chunks SET stop = 1000000 WHERE id = 1", "chunk 1 is not inside"),
    "a chunk without a document": ("UPDATE chunks SET document = 99 WHERE id = 1", "chunk 1 is not inside"),
    "a lost text": ("DELETE FROM texts WHERE document = 1", "text of document 1 is not as long"),
    "a text in wrong parts": ("UPDATE texts SET part = part + 1 WHERE document = 1", "document 1 is cut"),
    "a document twice": ("INSERT INTO documents SELECT * FROM documents WHERE id = 1", "document 1 is there twice"),
    "a path that leads out": ("UPDATE documents SET path = '../x' WHERE id = 1", "leads out of its source"),
    "a document of no source": ("UPDATE documents SET source = 9 WHERE id = 1", "belongs to no source"),
    "a lost segment": ("DELETE FROM segments", "is in no lexical segment"),
    "a lost block": ("DELETE FROM vectors", "names a vector block that is not there"),
    "a cut segment": ("UPDATE segments SET data = data[1:10]::BLOB", ""),
    "a cut block": ("UPDATE vectors SET data = 'x'::BLOB", ""),
    "a forgotten tombstone": ("DELETE FROM chunks WHERE id = 1", "does not hold the chunks"),
    "a tombstone of a live chunk": ("INSERT INTO tombstones SELECT 'lexical', segment, id FROM chunks", "deleted and"),
    "an orphaned field": ("INSERT INTO fields VALUES (99, 'k', 0, 'v')", "fields has rows of document 99"),
    "a counter that fell behind": ("UPDATE meta SET value = '0' WHERE key = 'next_chunk'", "next_chunk is behind"),
    "a title that is missing": ("DELETE FROM titles WHERE document = 1", "cannot be found by title"),
    "a broken graph": ("INSERT INTO graph VALUES ('header', 'x'::BLOB)", ""),
}


def test_a_sound_library_has_no_faults(library: Store, sync: Callable[..., Any], embedder: Any) -> None:
    sync(embedder)
    assert list(verify(library)) == []


def test_an_empty_library_has_no_faults(library: Store) -> None:
    assert list(verify(library)) == []


@pytest.fixture(scope="module")
def bytes_of_a_library() -> dict[str, bytes]:
    return {}


@pytest.mark.parametrize("name", DAMAGE)
def test_damage_is_found_and_named(
    library: Store, sync: Callable[..., Any], embedder: Any, bytes_of_a_library: dict[str, bytes], name: str
) -> None:
    if "synced" not in bytes_of_a_library:
        sync(embedder)
        bytes_of_a_library["synced"] = library.path.read_bytes()
    library.path.write_bytes(bytes_of_a_library["synced"])
    statement, expected = DAMAGE[name]
    with library.writing() as con:
        if "data[1:10]" in statement:
            unit, parts = units.load(con, units.LEXICAL)[0]
            units.drop(con, units.LEXICAL, [unit])
            units.insert(con, units.LEXICAL, unit, {part: data[:10] for part, data in parts.items()})
        else:
            con.execute(statement)
    found = list(verify(library))
    assert found, name
    assert any(expected in fault.what for fault in found), found
    assert all(fault.mend for fault in found)
