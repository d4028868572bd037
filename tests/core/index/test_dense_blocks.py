"""Blocks merge without loss where they share a centre, and a library never piles up small ones."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from inro.index.dense import BlockSize, encode_block, largest_centre, merge_blocks, plan_merge
from inro.index.dense_blocks import FEWEST_TO_MERGE, LARGEST_TO_MERGE, OUTGROWN, Centre
from inro.index.dense_file import Block, read_block

DIMENSION = 24


def unit(count: int, seed: int = 0) -> npt.NDArray[np.float32]:
    vectors = np.random.default_rng(seed).normal(size=(count, DIMENSION)) + 0.8
    return np.asarray(vectors / np.linalg.norm(vectors, axis=1, keepdims=True), np.float32)


def decoded(block: Block) -> npt.NDArray[np.float64]:
    return block.codes.astype(np.float64) * block.scales[:, None] + block.mean


def test_a_block_is_centred_on_its_own_mean_unless_told_otherwise() -> None:
    vectors = unit(50)
    own = read_block(encode_block(np.arange(50), vectors))
    assert own.mean == pytest.approx(vectors.mean(axis=0), abs=1e-6)
    assert own.mean_count == 50
    centre = Centre(np.zeros(DIMENSION, np.float32), 7)
    given_centre = read_block(encode_block(np.arange(50), vectors, centre))
    assert (given_centre.mean == 0).all()
    assert given_centre.mean_count == 7


def test_a_block_of_one_vector_keeps_it_exactly() -> None:
    vector = unit(1)
    assert decoded(read_block(encode_block(np.array([3]), vector))) == pytest.approx(vector, abs=1e-7)


def test_chunks_may_come_in_any_order() -> None:
    vectors = unit(5)
    block = read_block(encode_block(np.array([9, 2, 7, 0, 4]), vectors))
    assert block.chunk_ids.tolist() == [0, 2, 4, 7, 9]
    assert decoded(block) == pytest.approx(vectors[[3, 1, 4, 2, 0]], abs=0.01)


def test_vectors_are_brought_to_unit_length_and_zeros_stay() -> None:
    vectors = unit(3) * np.array([[2.0], [0.5], [0.0]], np.float32)
    block = read_block(encode_block(np.arange(3), vectors))
    assert np.linalg.norm(decoded(block), axis=1) == pytest.approx([1, 1, 0], abs=0.01)


@pytest.mark.parametrize(
    ("ids", "vectors", "reason"),
    [
        ([1, 1], unit(2), "repeated"),
        ([-1, 1], unit(2), "negative"),
        ([1], unit(2), "chunk ids for"),
        ([1, 2], np.full((2, 3), np.nan), "finite"),
    ],
)
def test_what_makes_no_block_is_refused(ids: list[int], vectors: npt.NDArray[np.float32], reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        encode_block(np.array(ids), vectors)


def test_blocks_of_one_centre_merge_byte_for_byte() -> None:
    first = encode_block(np.arange(100), unit(100))
    second = encode_block(np.arange(100, 150), unit(50, 1), largest_centre([first]))
    merged = read_block(merge_blocks([second, first]))
    assert merged.codes.tobytes() == first["codes"] + second["codes"]
    assert merged.scales.tobytes() == first["scales"] + second["scales"]
    assert merged.chunk_ids.tolist() == list(range(150))


def test_blocks_of_other_centres_are_coded_anew_around_the_largest() -> None:
    small, large = encode_block(np.arange(10), unit(10)), encode_block(np.arange(10, 200), unit(190, 1))
    merged = read_block(merge_blocks([small, large]))
    assert (merged.mean == read_block(large).mean).all()
    assert decoded(merged) == pytest.approx(np.vstack([unit(10), unit(190, 1)]), abs=0.01)


def test_a_centre_is_taken_anew_when_the_vectors_have_outgrown_it() -> None:
    count = 4 * OUTGROWN
    blocks = [encode_block(np.arange(at, at + 4), unit(4, at)) for at in range(0, count, 4)]
    merged = read_block(merge_blocks(blocks))
    vectors = np.vstack([unit(4, at) for at in range(0, count, 4)])
    assert merged.mean_count == count
    assert merged.mean == pytest.approx(vectors.mean(axis=0), abs=0.002)
    assert decoded(merged) == pytest.approx(vectors, abs=0.01)


def test_a_merge_leaves_deleted_chunks_out() -> None:
    blocks = [encode_block(np.arange(10), unit(10)), encode_block(np.arange(10, 20), unit(10, 1))]
    merged = read_block(merge_blocks(blocks, np.array([0, 15, 999])))
    assert merged.chunk_ids.tolist() == [*range(1, 15), *range(16, 20)]
    assert read_block(merge_blocks(blocks, np.arange(20))).chunk_ids.shape == (0,)


def test_blocks_that_do_not_fit_are_not_merged() -> None:
    block = encode_block(np.arange(4), unit(4))
    with pytest.raises(ValueError, match="two blocks"):
        merge_blocks([block, block])
    with pytest.raises(ValueError, match="one dimension"):
        merge_blocks([block, encode_block(np.array([9]), np.eye(1, 3, dtype=np.float32))])
    with pytest.raises(ValueError, match="one or more"):
        merge_blocks([])


@given(st.lists(st.integers(1, 3000), min_size=1, max_size=400))
def test_however_commits_come_blocks_stay_few_and_every_merge_takes_alike_sizes(commits: list[int]) -> None:
    sizes: dict[int, int] = {}
    rewritten = 0
    for number, vectors in enumerate(commits):
        sizes[number] = vectors
        while chosen := plan_merge([BlockSize(block, count) for block, count in sizes.items()]):
            total = sum(sizes.pop(block) for block in chosen)
            rewritten += total
            sizes[min(chosen)] = total
    assert len(sizes) <= 7 * (FEWEST_TO_MERGE - 1) + sum(commits) // LARGEST_TO_MERGE
    assert rewritten <= 6 * sum(commits)


def test_a_block_half_deleted_is_rewritten_by_itself() -> None:
    assert plan_merge([BlockSize(3, 100_000, 50_000), BlockSize(4, 10)]) == (3,)
    assert plan_merge([BlockSize(3, 100_000, 49_999), BlockSize(4, 10)]) == ()


def test_blocks_too_large_to_be_worth_it_are_left_alone() -> None:
    assert plan_merge([BlockSize(number, LARGEST_TO_MERGE + 1) for number in range(20)]) == ()
