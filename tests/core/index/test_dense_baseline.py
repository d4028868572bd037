"""The baseline is the likeness of unrelated chunks: other documents only, the same figures each time."""

from __future__ import annotations

import numpy as np
import pytest

from inro.index.dense import DenseIndex, encode_block
from inro.index.dense_baseline import SHARES, measure_baseline

NONE = np.empty(0, np.int64)


def library(documents: int, chunks: int) -> tuple[DenseIndex, np.ndarray, np.ndarray]:
    """Documents whose chunks are nearly the same vector, while the documents are unlike."""
    random = np.random.default_rng(0)
    heads = random.normal(size=(documents, 32)) + 1.0
    vectors = np.repeat(heads, chunks, axis=0) + 0.01 * random.normal(size=(documents * chunks, 32))
    ids = np.arange(100, 100 + documents * chunks)
    return (
        DenseIndex.load([(0, encode_block(ids, vectors.astype(np.float32)))], None, NONE),
        ids,
        np.repeat(np.arange(documents), chunks),
    )


def test_it_is_the_mean_over_all_pairs_of_different_documents() -> None:
    index, ids, documents = library(40, 3)
    vectors = index.vectors(ids).astype(np.float64)
    apart = documents[:, None] != documents[None, :]
    cosines = (vectors @ vectors.T)[apart]
    baseline = measure_baseline(index, ids, documents)
    assert baseline.pairs == 20_000
    assert baseline.mean == pytest.approx(cosines.mean(), abs=0.005)
    assert baseline.std == pytest.approx(cosines.std(), rel=0.05)
    for share, value in baseline.quantiles[1:-1]:
        assert value == pytest.approx(np.quantile(cosines, share), abs=0.02)


def test_pairs_within_a_document_never_count() -> None:
    index, ids, documents = library(2, 50)
    between = float(index.vectors(ids[:1])[0] @ index.vectors(ids[-1:])[0])
    baseline = measure_baseline(index, ids, documents)
    assert dict(baseline.quantiles)[0.999] == pytest.approx(between, abs=0.1)
    assert baseline.mean == pytest.approx(between, abs=0.05)


def test_documents_of_unequal_length_count_by_their_pairs() -> None:
    index, ids, documents = library(30, 4)
    uneven = np.where(documents < 20, 0, documents)
    vectors = index.vectors(ids).astype(np.float64)
    expected = (vectors @ vectors.T)[uneven[:, None] != uneven[None, :]].mean()
    assert measure_baseline(index, ids, uneven).mean == pytest.approx(expected, abs=0.005)


def test_it_is_the_same_each_time_in_whatever_order_chunks_are_named() -> None:
    index, ids, documents = library(20, 3)
    again = np.random.default_rng(1).permutation(ids.shape[0])
    assert measure_baseline(index, ids, documents) == measure_baseline(index, ids[again], documents[again])


@pytest.mark.parametrize("documents", [0, 1])
def test_without_two_documents_there_is_no_baseline(documents: int) -> None:
    index, ids, owners = library(1, 5)
    baseline = measure_baseline(index, ids[: 5 * documents], owners[: 5 * documents])
    assert baseline.pairs == 0
    assert np.isnan([baseline.mean, baseline.std, *(value for _, value in baseline.quantiles)]).all()
    assert [share for share, _ in baseline.quantiles] == [*SHARES]


def test_chunks_without_a_vector_are_passed_over() -> None:
    index, ids, documents = library(10, 2)
    more = np.append(ids, [5, 6])
    assert measure_baseline(index, more, np.append(documents, [70, 71])) == measure_baseline(index, ids, documents)


def test_arrays_that_do_not_fit_are_refused() -> None:
    index, ids, documents = library(3, 2)
    with pytest.raises(ValueError):
        measure_baseline(index, ids, documents[:-1])
