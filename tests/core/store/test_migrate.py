"""Migration: a named command, one numbered step after the other, all or nothing."""

from __future__ import annotations

import duckdb
import pytest

from inro.errors import FormatTooNew, FormatTooOld, NotAnIndex
from inro.store import meta, schema
from inro.store.connect import Connection, Store
from inro.store.migrate import STEPS, migrate


def two(con: Connection) -> None:
    con.execute("INSERT INTO meta VALUES ('step', 'two')")


def three(con: Connection) -> None:
    con.execute("UPDATE meta SET value = 'three' WHERE key = 'step'")


def fails(con: Connection) -> None:
    con.execute("INSERT INTO nowhere VALUES (1)")


def value(store: Store, key: str) -> str:
    with duckdb.connect(str(store.path), read_only=True) as con:
        return meta.get(con, key)


def test_there_is_a_step_from_every_older_format() -> None:
    assert sorted(STEPS) == list(range(1, schema.FORMAT))


def test_a_library_of_this_format_is_left_alone(store: Store) -> None:
    before = store.path.read_bytes()
    assert migrate(store) == (schema.FORMAT, schema.FORMAT)
    assert store.path.read_bytes() == before


def test_steps_run_in_order_and_raise_the_format(store: Store) -> None:
    assert migrate(store, {2: three, 1: two}, target=3) == (1, 3)
    assert (value(store, "step"), value(store, "format"), value(store, "generation")) == ("three", "3", "1")


def test_a_step_that_fails_leaves_the_file_as_it_was(store: Store) -> None:
    with pytest.raises(Exception, match="as it was"):
        migrate(store, {1: two, 2: fails}, target=3)
    assert (value(store, "step"), value(store, "format")) == ("", "1")


def test_a_gap_in_the_steps_is_an_unknown_format(store: Store) -> None:
    with pytest.raises(NotAnIndex, match="format 2"):
        migrate(store, {1: two}, target=3)
    assert value(store, "format") == "1"


def test_a_newer_file_is_not_migrated_back(store: Store) -> None:
    with pytest.raises(FormatTooNew):
        migrate(store, {}, target=0)


def test_opening_an_older_file_names_the_command(store: Store) -> None:
    with duckdb.connect(str(store.path)) as con:
        con.execute("UPDATE meta SET value = '0' WHERE key = 'format'")
    with pytest.raises(FormatTooOld, match="inro migrate"), store.reading():
        pass


def test_what_is_no_library_is_not_migrated(tmp_path_factory: pytest.TempPathFactory) -> None:
    path = tmp_path_factory.mktemp("other") / "other.db"
    with duckdb.connect(str(path)) as con:
        con.execute("CREATE TABLE t (i INTEGER)")
    with pytest.raises(NotAnIndex):
        migrate(Store(path))
