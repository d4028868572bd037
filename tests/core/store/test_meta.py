"""Counters only go up, one at a time or several at once."""

from __future__ import annotations

import pytest

from inro.errors import NotAnIndex
from inro.store import meta
from inro.store.connect import Store


def test_several_counters_go_up_at_once_and_others_stay(store: Store) -> None:
    with store.writing() as con:
        meta.put(con, "first", "3")
        meta.put(con, "other", "5")
        meta.count_up_each(con, {"first": 2, "never used": 7})
        meta.count_up_each(con, {})
        assert [meta.counter(con, key) for key in ("first", "never used", "other")] == [5, 7, 5]
        rows = con.execute("SELECT count(*) FROM meta WHERE key IN ('first', 'never used')").fetchone()
        assert rows == (2,)


def test_a_counter_that_is_no_count_is_damage(store: Store) -> None:
    with pytest.raises(NotAnIndex, match="first"), store.writing() as con:
        meta.put(con, "first", "-1")
        meta.count_up_each(con, {"first": 1})
