"""Numbers are found where they stand, whatever the order they are asked for in."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from inro_native.lookup import find

NUMBERS = st.integers(-(2**63), 2**63 - 1) | st.integers(-5, 60)


@given(st.sets(NUMBERS, max_size=80), st.lists(NUMBERS, max_size=80), st.booleans())
def test_each_number_is_found_where_a_list_says_it_is(held: set[int], asked: list[int], ordered: bool) -> None:
    ascending = sorted(held)
    wanted = sorted(asked + ascending[::3]) if ordered else asked + ascending[::-2]
    expected = [ascending.index(value) if value in held else -1 for value in wanted]
    assert find(np.array(ascending, np.int64), np.array(wanted, np.int64)).tolist() == expected


def test_long_gaps_and_long_runs_are_crossed() -> None:
    ascending = np.cumsum(np.random.default_rng(0).integers(1, 9, 5000))
    wanted = np.random.default_rng(1).integers(-10, 25_000, 20_000)
    expected = np.where(np.isin(wanted, ascending), np.searchsorted(ascending, wanted), -1)
    assert (find(ascending, wanted) == expected).all()
    order = np.argsort(wanted)
    assert (find(ascending, wanted[order]) == expected[order]).all()


def test_nothing_is_found_in_nothing() -> None:
    nothing = np.empty(0, np.int64)
    assert find(nothing, np.array([1, 2])).tolist() == [-1, -1]
    assert find(np.array([1, 2]), nothing).tolist() == []
