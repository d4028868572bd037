"""A file from a stranger is data: whatever could act in it is refused before anything is read."""

from __future__ import annotations

import duckdb
import pytest

from inro.errors import NotAnIndex
from inro.store import chunks, schema
from inro.store.connect import Store


def plant(store: Store, *statements: str) -> None:
    with duckdb.connect(str(store.path)) as con:
        for statement in statements:
            con.execute(statement)


def test_every_table_is_as_listed(store: Store) -> None:
    with store.reading() as con:
        found = con.execute("SELECT table_name FROM duckdb_tables() WHERE schema_name = 'main' ORDER BY 1").fetchall()
    assert [name for (name,) in found] == sorted(schema.TABLES)


def test_a_planted_view_is_refused(store: Store) -> None:
    plant(store, "CREATE VIEW secrets AS SELECT * FROM read_text('/etc/hostname')")
    with pytest.raises(NotAnIndex, match="view secrets"), store.reading():
        pass


def test_a_view_in_the_place_of_a_table_is_refused(store: Store) -> None:
    plant(
        store,
        "CREATE TABLE other AS SELECT * FROM links",
        "DROP TABLE links",
        "CREATE VIEW links AS SELECT * FROM other",
    )
    with pytest.raises(NotAnIndex), store.reading():
        pass


@pytest.mark.parametrize("damage", ["DROP TABLE chunks", "ALTER TABLE chunks DROP COLUMN page", "DROP TABLE meta"])
def test_a_missing_table_or_column_is_refused(store: Store, damage: str) -> None:
    plant(store, damage)
    with pytest.raises(NotAnIndex), store.reading():
        pass


def test_a_macro_named_like_a_function_is_not_called_when_reading(store: Store) -> None:
    plant(store, "CREATE MACRO count(x) AS 4711")
    with store.reading() as con:
        assert chunks.count(con) == 0


def test_a_planted_macro_is_refused_for_writing_and_for_a_users_sql(store: Store) -> None:
    plant(store, "CREATE MACRO count(x) AS 4711")
    with pytest.raises(NotAnIndex, match="macro count"), store.writing():
        pass
    with pytest.raises(NotAnIndex, match="macro count"), store.reading(fts=True):
        pass


def test_a_name_full_of_control_characters_is_told_without_them(store: Store) -> None:
    plant(store, 'CREATE VIEW "a\x1b[31mb\n" AS SELECT 1')
    with pytest.raises(NotAnIndex) as caught, store.reading():
        pass
    assert all(character.isprintable() for character in str(caught.value))


def test_what_was_planted_after_the_first_check_is_found(store: Store) -> None:
    assert store.generation() == 0
    plant(store, "CREATE VIEW late AS SELECT 1")
    with pytest.raises(NotAnIndex, match="late"), store.reading():
        pass
