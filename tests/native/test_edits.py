"""The distance between words agrees with the textbook's, and a bound only cuts it off."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from inro_native.edits import distances

WORD = st.text("abc", max_size=7)


def slow_distance(a: str, b: str) -> int:
    table = {(i, 0): i for i in range(len(a) + 1)} | {(0, j): j for j in range(len(b) + 1)}
    for i in range(1, len(a) + 1):
        for j in range(1, len(b) + 1):
            cost = a[i - 1] != b[j - 1]
            table[i, j] = min(table[i - 1, j] + 1, table[i, j - 1] + 1, table[i - 1, j - 1] + cost)
            if i > 1 and j > 1 and a[i - 1] == b[j - 2] and a[i - 2] == b[j - 1]:
                table[i, j] = min(table[i, j], table[i - 2, j - 2] + 1)
    return table[len(a), len(b)]


def fast_distances(word: str, others: list[str], most: int) -> list[int]:
    offsets = np.concatenate(([0], np.cumsum([len(o) for o in others]))).astype(np.int64)
    points = np.array([ord(c) for o in others for c in o], dtype=np.uint16)
    found: list[int] = distances(np.array([ord(c) for c in word], dtype=np.uint16), points, offsets, most).tolist()
    return found


@given(WORD, st.lists(WORD, max_size=6), st.integers(0, 4))
def test_distances_agree_with_the_whole_table_up_to_the_bound(word: str, others: list[str], most: int) -> None:
    assert fast_distances(word, others, most) == [min(slow_distance(word, other), most + 1) for other in others]


def test_a_swap_of_neighbours_is_one_slip() -> None:
    assert fast_distances("recieve", ["receive", "relieve", "archive"], 2) == [1, 1, 3]


def test_a_bound_out_of_range_is_refused() -> None:
    with pytest.raises(ValueError, match="bound"):
        fast_distances("a", ["b"], 9)
