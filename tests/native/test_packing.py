"""Arrays of whole numbers come back as they went in, and damaged bytes are refused."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from inro_native.packing import pack, unpack

NUMBERS = st.integers(0, 64).flatmap(lambda width: st.lists(st.integers(0, (1 << width) - 1), max_size=300))


@given(NUMBERS)
def test_what_is_packed_comes_back(numbers: list[int]) -> None:
    values = np.array(numbers, dtype=np.uint64)
    assert unpack(pack(values), len(values)).tolist() == numbers


@pytest.mark.parametrize("width", range(65))
def test_every_width_crosses_words_and_rows(width: int) -> None:
    highest = (1 << width) - 1
    values = np.array([highest - (i * 7919 & highest) for i in range(259)], dtype=np.uint64)
    assert np.array_equal(unpack(pack(values), 259), values)


def test_a_row_of_small_numbers_costs_few_bits() -> None:
    assert len(pack(np.ones(128 * 100, dtype=np.uint32))) < 128 * 100 / 8 + 128


def test_more_values_than_the_caller_expects_are_refused() -> None:
    with pytest.raises(ValueError, match="at most 9"):
        unpack(pack(np.arange(10, dtype=np.uint64)), 9)


@given(NUMBERS.filter(bool), st.data())
def test_damaged_bytes_are_refused_or_give_as_many_values(numbers: list[int], data: st.DataObject) -> None:
    packed = bytearray(pack(np.array(numbers, dtype=np.uint64)))
    packed[data.draw(st.integers(0, len(packed) - 1))] ^= data.draw(st.integers(1, 255))
    del packed[data.draw(st.integers(0, len(packed))) :]
    try:
        values = unpack(bytes(packed), 1000)
    except ValueError:
        return
    assert len(values) <= 1000
