"""The packed file is read as its C loader reads it, and refused where it contradicts itself."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from inro.errors import ModelDamaged
from inro.models.packed_e5 import read_packed

Packed = tuple[bytes, dict[str, NDArray[np.float32]]]


def test_configuration_vocabulary_and_characters_come_out(packed: Packed) -> None:
    found = read_packed(packed[0])
    assert (found.hidden, found.layers, found.heads, found.inner, found.rows) == (64, 2, 4, 96, 16)
    assert found.pieces[9] == "▁ab" and found.scores[9] == -4.0
    assert (found.bos, found.pad, found.eos, found.unknown) == (0, 1, 2, 3)
    assert found.characters["㍻"] == "平成" and found.characters["\x01"] == ""


def test_blocks_give_the_weights_of_the_definition(packed: Packed) -> None:
    data, weights = packed
    found = read_packed(data)
    np.testing.assert_array_equal(found.blocks("emb.word", 16, 64).floats(), weights["emb.word"])
    np.testing.assert_array_equal(found.blocks("l1.fo.w", 64, 96).floats(), weights["l1.fo.w"])
    np.testing.assert_array_equal(found.vector("l0.q.b", 64), weights["l0.q.b"])


def test_a_tensor_of_another_kind_size_or_name_is_refused(packed: Packed) -> None:
    found = read_packed(packed[0])
    for refused in (
        lambda: found.vector("l0.q.w", 64),
        lambda: found.vector("l0.q.b", 63),
        lambda: found.blocks("l0.q.w", 64, 32),
        lambda: found.vector("l9.q.b", 64),
    ):
        with pytest.raises(ModelDamaged):
            refused()


@given(st.data())
def test_a_file_that_ends_early_is_refused(packed: Packed, data: st.DataObject) -> None:
    whole = packed[0]
    with pytest.raises(ModelDamaged):
        read_packed(whole[: data.draw(st.integers(0, len(whole) - 1))])


@given(st.integers(0, 1200), st.integers(1, 255))
def test_a_changed_byte_is_refused_or_leaves_a_file_that_reads(packed: Packed, at: int, change: int) -> None:
    data = bytearray(packed[0])
    data[at] ^= change
    try:
        found = read_packed(bytes(data))
    except ModelDamaged:
        return
    assert found.hidden % found.heads == 0 and len(found.pieces) == len(found.scores) <= found.rows
