"""Segments and blocks: written once, read whole, merged without losing what was deleted meanwhile."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from inro.errors import NotAnIndex
from inro.store import chunks, units
from inro.store.connect import Connection, Store
from inro.store.host import LIBRARY

Fill = Callable[[Connection, int], None]


def test_parts_come_back_byte_for_byte_oldest_unit_first(store: Store) -> None:
    parts = {"header": b"\0\xff" * 9, "empty": b"", "long": bytes(range(256)) * 4000}
    with store.writing() as con:
        units.insert(con, units.LEXICAL, 2, {"a": b"2"})
        units.insert(con, units.LEXICAL, 1, parts)
        units.insert(con, units.DENSE, 1, {"other": b"lane"})
    with store.reading() as con:
        assert units.load(con, units.LEXICAL) == [(1, parts), (2, {"a": b"2"})]
        assert units.load(con, units.LEXICAL, [2]) == [(2, {"a": b"2"})]
        assert units.load(con, units.LEXICAL, []) == []
        assert units.count(con, units.LEXICAL) == 2


def test_sizes_tell_live_and_deleted_chunks(store: Store, fill: Fill) -> None:
    with store.writing() as con:
        fill(con, 3)
        units.insert(con, units.LEXICAL, 1, {"a": b"12345"})
        chunks.remove(con, [1])
        assert units.sizes(con, units.LEXICAL) == [units.UnitSize(1, 5, 1)]


def test_a_merge_takes_the_place_of_its_units_and_moves_their_chunks(store: Store, fill: Fill) -> None:
    with store.writing() as con:
        fill(con, 3)
        units.insert(con, units.LEXICAL, 1, {"a": b"1"})
        chunks.remove(con, [1, 2])
        merged_without = units.deleted(con, units.LEXICAL, [1])
        units.replace(con, units.LEXICAL, [1], 2, {"a": b"2"}, merged_without)
        assert units.load(con, units.LEXICAL) == [(2, {"a": b"2"})]
        assert units.deleted(con, units.LEXICAL).tolist() == []
        assert units.sizes(con, units.LEXICAL) == [units.UnitSize(2, 4, 0)]


def test_what_was_deleted_while_a_merge_was_made_stays_deleted(store: Store, fill: Fill) -> None:
    with store.writing() as con:
        fill(con, 3)
        units.insert(con, units.LEXICAL, 1, {"a": b"1"})
        chunks.remove(con, [1])
        merged_without = units.deleted(con, units.LEXICAL, [1])
        chunks.remove(con, [4])
        units.replace(con, units.LEXICAL, [1], 2, {"a": b"2"}, merged_without)
        assert units.deleted(con, units.LEXICAL, [2]).tolist() == [4]


def test_clearing_the_dense_lane_makes_every_chunk_wait_again(store: Store, fill: Fill) -> None:
    with store.writing() as con:
        fill(con, 3)
        units.insert(con, units.DENSE, 1, {"a": b"1"})
        units.put_graph(con, {"links": b"x"})
        chunks.remove(con, [2])
        assert chunks.count_to_embed(con) == 3
        units.clear(con, units.DENSE)
        assert chunks.count_to_embed(con) == chunks.count(con) == 5
        assert units.load(con, units.DENSE) == []
        assert units.deleted(con, units.DENSE).tolist() == []
        assert units.graph(con) is None


def test_whether_units_are_there_is_told_for_all_of_them(store: Store) -> None:
    with store.writing() as con:
        units.insert(con, units.DENSE, 4, {"a": b"1", "b": b"2"})
        assert units.are_there(con, units.DENSE, [4])
        assert not units.are_there(con, units.DENSE, [4, 5])


def test_a_graph_replaces_the_one_before(store: Store) -> None:
    with store.writing() as con:
        units.put_graph(con, {"a": b"1", "b": b"2"})
        units.put_graph(con, {"c": b"3"})
        assert units.graph(con) == {"c": b"3"}


def test_parts_that_would_unpack_to_far_more_than_the_file_are_refused(store: Store) -> None:
    with store.writing() as con:
        # packed, as another program may have made it
        con.execute("DROP TABLE segments")
        con.execute(f"CREATE TABLE {LIBRARY}.segments (segment BIGINT, part VARCHAR, data BLOB)")
        con.execute("INSERT INTO segments SELECT 1, 'part', repeat('A', 1000000)::BLOB FROM range(80)")
    with pytest.raises(NotAnIndex, match="unpack"), store.reading() as con:
        units.load(con, units.LEXICAL)


def test_moving_and_setting_name_only_the_two_columns_there_are(store: Store) -> None:
    with store.writing() as con, pytest.raises(ValueError, match="column"):
        chunks.set_unit(con, "id", np.array([1]), 2)
