"""What is ordinary for a query: measured by writing system, from a sample, in meaning and in words."""

from __future__ import annotations

from typing import cast

import numpy as np
import pytest
from numpy.typing import NDArray

from inro.index.dense import DenseIndex
from inro.search.likeness import CHANCE_DEVIATIONS, MOST_CHANCE, SAMPLE, Chance, Groups, Likeness
from inro.text.writing import Writing

VECTOR = np.empty(0, np.float32)


class Cosines:
    """Stands for a dense index: the cosine of chunk i is the i-th."""

    def __init__(self, cosines: NDArray[np.float64]) -> None:
        self.cosines = cosines

    def similarities(self, _query: NDArray[np.float32], ids: NDArray[np.int64]) -> NDArray[np.float32]:
        return self.cosines[ids].astype(np.float32)


def groups(*sizes: tuple[Writing, int]) -> tuple[Groups, NDArray[np.uint8]]:
    writings = np.concatenate([np.full(size, writing, np.uint8) for writing, size in sizes])
    return Groups.of(np.arange(writings.size, dtype=np.int64), writings), writings


def measure(cosines: NDArray[np.float64], of: Groups) -> Likeness | None:
    return Likeness.measure(cast(DenseIndex, Cosines(cosines)), VECTOR, of)


def normal(mean: float, std: float, size: int) -> NDArray[np.float64]:
    """Evenly spread values of exactly this mean and standard deviation."""
    line = np.linspace(-1, 1, size)
    return np.asarray(mean + std * line / line.std())


def test_a_chunk_is_measured_against_its_own_writing_system() -> None:
    of, writings = groups((Writing.LATIN, 300), (Writing.JAPANESE, 300))
    cosines = np.concatenate([normal(0.75, 0.01, 300), normal(0.82, 0.02, 300)])
    likeness = measure(cosines, of)
    assert likeness is not None
    z = likeness.z(cosines, writings)
    assert z[:300].mean() == pytest.approx(0, abs=0.1)
    assert z[300:].mean() == pytest.approx(0, abs=0.1)
    assert z[:300].std() == pytest.approx(1, abs=0.05)
    assert z[300:].std() == pytest.approx(1, abs=0.05)


def test_a_writing_system_of_one_note_does_not_make_the_note_ordinary() -> None:
    of, writings = groups((Writing.LATIN, 300), (Writing.JAPANESE, 1))
    cosines = np.append(normal(0.75, 0.01, 300), 0.85)
    likeness = measure(cosines, of)
    assert likeness is not None
    assert likeness.z(cosines, writings)[-1] > 3


def test_chunks_without_a_vector_are_left_out_and_stay_unmeasured() -> None:
    of, writings = groups((Writing.LATIN, 100), (Writing.JAPANESE, 20))
    cosines = np.append(normal(0.75, 0.01, 100), np.full(20, np.nan))
    likeness = measure(cosines, of)
    assert likeness is not None
    z = likeness.z(cosines, writings)
    assert np.isfinite(z[:100]).all()
    assert np.isnan(z[100:]).all()
    assert measure(np.full(120, np.nan), of) is None


def test_a_large_writing_system_is_sampled_and_the_sample_is_the_same_every_time() -> None:
    first, _ = groups((Writing.LATIN, 5000))
    again, _ = groups((Writing.LATIN, 5000))
    assert first.samples[0].size == SAMPLE
    assert (first.samples[0] == again.samples[0]).all()


def test_chance_is_told_by_writing_system() -> None:
    of, writings = groups((Writing.LATIN, 300), (Writing.JAPANESE, 300))
    shares = np.concatenate([normal(0.06, 0.02, 300), np.zeros(300)])
    chance = Chance.measure(lambda ids: shares[ids], of)
    assert chance is not None
    by_chance = chance.of(writings)
    assert by_chance[0] == pytest.approx(0.06 + CHANCE_DEVIATIONS * 0.02, abs=0.003)
    assert by_chance[-1] < 0.01


def test_a_word_of_most_notes_is_not_explained_away() -> None:
    of, writings = groups((Writing.LATIN, 300))
    shares = np.where(np.arange(300) % 3, 0.9, 0.0)
    chance = Chance.measure(lambda ids: shares[ids], of)
    assert chance is not None
    assert (chance.of(writings) == MOST_CHANCE).all()


def test_an_empty_library_has_no_chance() -> None:
    of, _ = groups((Writing.LATIN, 0))
    assert Chance.measure(lambda ids: np.zeros(ids.size), of) is None
