"""int8 codes stand for their vectors to within half a step, and the kernels agree with plain arithmetic
on them."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from inro_native.quantise import (
    MAX_DIMENSION,
    Coded,
    decode,
    encode,
    moments,
    prepare_query,
    scan,
    scan_rows,
    top,
)

Floats = npt.NDArray[np.float32]

VECTORS = arrays.arrays(
    np.float32,
    st.tuples(st.integers(1, 12), st.integers(1, 70)),
    elements=st.floats(-1, 1, width=32, allow_subnormal=False),
)


def unit(shape: tuple[int, ...], seed: int) -> Floats:
    vectors = np.random.default_rng(seed).normal(size=shape).astype(np.float32)
    return np.asarray(vectors / np.linalg.norm(vectors, axis=-1, keepdims=True), np.float32)


@given(VECTORS)
@settings(max_examples=150)
def test_every_number_comes_back_within_a_step(vectors: Floats) -> None:
    mean = vectors.mean(axis=0)
    codes, scales = encode(vectors, mean)
    error = np.abs(decode(codes, scales, mean).astype(np.float64) - vectors)
    assert (error <= scales[:, None] + 1e-6).all()
    assert codes.min() >= -127


def test_a_vector_equal_to_the_mean_has_scale_zero_and_comes_back_exactly() -> None:
    vector = unit((1, 33), 0)
    codes, scales = encode(vector, vector[0])
    assert scales[0] == 0
    assert (decode(codes, scales, vector[0]) == vector).all()


def test_little_is_lost_along_the_vector_and_along_the_mean() -> None:
    vectors = unit((200, 384), 4) + 0.05
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    mean = vectors.mean(axis=0)
    codes, scales = encode(vectors, mean)
    lost = decode(codes, scales, mean) - vectors
    plain = np.clip(np.rint((vectors - mean) / scales[:, None]), -127, 127) * scales[:, None] + mean - vectors
    for direction in (vectors, mean / np.linalg.norm(mean)):
        diffused = np.abs((lost * direction).sum(axis=1)).mean()
        assert diffused < 0.3 * np.abs((plain * direction).sum(axis=1)).mean()
    assert np.square(lost).sum() < 1.5 * np.square(plain).sum()


def test_the_smallest_and_the_largest_numbers_do_not_break_the_codes() -> None:
    vectors = np.array([[1e-45, 0], [1e-38, -1e-38], [0.9, 1e-30], [0, 0]], np.float32)
    codes, scales = encode(vectors, np.zeros(2, np.float32))
    assert np.isfinite(decode(codes, scales, np.zeros(2, np.float32))).all()
    assert codes[2].tolist() == [127, 0]


@given(VECTORS, st.integers(0, 2**32 - 1))
@settings(max_examples=150)
def test_a_scan_gives_the_products_with_the_decoded_vectors(vectors: Floats, seed: int) -> None:
    query = unit((vectors.shape[1],), seed)
    means = np.stack([vectors.mean(axis=0), np.zeros(vectors.shape[1], np.float32)])
    centre = (np.arange(vectors.shape[0]) % 2).astype(np.uint16)
    codes = np.empty(vectors.shape, np.int8)
    scales = np.empty(vectors.shape[0], np.float32)
    for number in (0, 1):
        codes[centre == number], scales[centre == number] = encode(vectors[centre == number], means[number])
    decoded = codes.astype(np.float64) * scales[:, None] + means[centre]
    expected = decoded @ query.astype(np.float64)
    ready, coded = prepare_query(query, means), Coded(codes, scales, centre)
    found = scan(ready, coded)
    # The query's own step is peak/32767, so its rounding moves a product by at most half that times the
    # code mass.
    slack = 0.5 * ready.step * scales * np.abs(codes.astype(np.int32)).sum(axis=1) + 2e-6
    assert (np.abs(found - expected) <= slack).all()
    rows = np.random.default_rng(seed).permutation(vectors.shape[0])[:5].astype(np.int64)
    assert (scan_rows(ready, coded, rows) == found[rows]).all()


@pytest.mark.parametrize("dimension", [1, 7, 384, 1024, MAX_DIMENSION])
def test_the_longest_possible_sums_do_not_overflow(dimension: int) -> None:
    """Even codes of -128, which nothing here writes but a damaged file may hold, stay inside int32."""
    query = np.full(dimension, -1, np.float32)
    codes = np.full((1, dimension), -128, np.int8)
    coded = Coded(codes, np.ones(1, np.float32), np.zeros(1, np.uint16))
    found = scan(prepare_query(query, np.zeros((1, dimension), np.float32)), coded)
    assert found[0] == pytest.approx(128.0 * dimension, rel=1e-3)


@given(
    arrays.arrays(np.float32, st.integers(0, 60), elements=st.sampled_from([-1, -0.5, 0, 0.25, 0.5])),
    st.integers(0, 70),
    st.integers(0, 2**32 - 1),
)
@settings(max_examples=300)
def test_the_top_is_what_a_stable_sort_of_the_kept_gives(values: Floats, k: int, seed: int) -> None:
    keep = np.random.default_rng(seed).integers(0, 2, values.shape, np.uint8)
    kept = np.flatnonzero(keep)
    expected = kept[np.argsort(-values[kept], kind="stable")][:k]
    assert top(values, keep, k).tolist() == expected.tolist()


def test_moments_are_those_of_the_kept_even_when_values_crowd_far_from_zero() -> None:
    values = (0.8 + 1e-4 * np.random.default_rng(3).normal(size=5000)).astype(np.float32)
    keep = (np.arange(5000) % 3 != 0).astype(np.uint8)
    mean, deviation = moments(values, keep)
    kept = values[keep == 1].astype(np.float64)
    assert mean == pytest.approx(kept.mean(), rel=1e-9)
    assert deviation == pytest.approx(kept.std(), rel=1e-6)


def test_moments_of_nothing_are_not_numbers() -> None:
    assert all(np.isnan(each) for each in moments(np.ones(3, np.float32), np.zeros(3, np.uint8)))


@pytest.mark.parametrize(
    "vector",
    [np.zeros((2, 3)), np.zeros(0), np.array([0, np.nan]), np.array([np.inf]), np.zeros(MAX_DIMENSION + 1)],
)
def test_a_query_that_is_not_one_finite_vector_is_refused(vector: Floats) -> None:
    with pytest.raises(ValueError):
        prepare_query(vector, np.zeros((1, *vector.shape[-1:]), np.float32))


def test_a_query_that_does_not_fit_the_means_is_refused() -> None:
    with pytest.raises(ValueError, match="fit"):
        prepare_query(np.ones(4, np.float32), np.zeros((2, 5), np.float32))


@pytest.mark.parametrize("value", [0.0, 1e-45, -1e-42])
def test_a_query_of_next_to_nothing_is_as_near_to_all_rows(value: float) -> None:
    codes, scales = encode(unit((4, 8), 1), np.zeros(8, np.float32))
    ready = prepare_query(np.full(8, value, np.float32), np.zeros((1, 8), np.float32))
    found = scan(ready, Coded(codes, scales, np.zeros(4, np.uint16)))
    assert found == pytest.approx(np.zeros(4), abs=1e-30)


def test_taking_rows_keeps_code_scale_and_centre_together() -> None:
    coded = Coded(
        np.arange(12, dtype=np.int8).reshape(4, 3),
        np.arange(4, dtype=np.float32),
        np.arange(4, dtype=np.uint16),
    )
    taken = coded.take(np.array([2, 0]))
    assert taken.codes.tolist() == [[6, 7, 8], [0, 1, 2]]
    assert (taken.scales.tolist(), taken.centre.tolist()) == ([2, 0], [2, 0])
    assert coded.take(slice(3, None)).codes.tolist() == [[9, 10, 11]]


def test_vectors_that_are_not_finite_or_do_not_fit_the_mean_are_refused() -> None:
    with pytest.raises(ValueError, match="finite"):
        encode(np.array([[np.nan, 0]], np.float32), np.zeros(2, np.float32))
    with pytest.raises(ValueError, match="fit"):
        encode(np.zeros((2, 3), np.float32), np.zeros(2, np.float32))
