"""What is ordinary: how like the library is to a query at large, by writing system, in meaning and in words.

An embedder places texts of one language nearer to each other than their meaning does, so a Japanese question is a
little like every Japanese note and a note in English that answers it stays behind. Each cosine is therefore
measured against the chunks of its own writing system: in standard deviations above their mean. Words are as partial:
a question's common words are in half the notes of its language, and in none of another. What a chunk holds by such
chance alone is told from the same sample of chunks.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from inro.index.dense import DenseIndex

SAMPLE = 400
"""Chunks looked at a writing system: the mean is then known to a twentieth of the standard deviation."""
PRIOR_MEAN = 3
"""A writing system with few chunks is taken to have the mean of the library, with the weight of this many chunks."""
PRIOR_SPREAD = 10
"""And to spread about its mean as writing systems here do, with the weight of this many."""
LEAST_STD = 1e-4
FEWEST = 30
"""Chunks below which nothing can stand out: of ten, none is ever three standard deviations above their mean. Of 30,
the one that answers is for .91 of the queries of ja-jsquad and xquad-en, of 200 for .95."""
CHANCE_DEVIATIONS = 3.0
"""A share of the words this many standard deviations above the mean is still chance."""
MOST_CHANCE = 0.2
"""Chance explains no more than this: a word that most notes hold still tells those that do from those that do not."""


@dataclass(frozen=True, slots=True, eq=False)
class Groups:
    """The chunks of a library by writing system; g of them."""

    codes: NDArray[np.uint8]
    """uint8[g], ascending."""
    members: tuple[NDArray[np.int64], ...]
    """Per group, its chunk ids."""
    samples: tuple[NDArray[np.int64], ...]
    """Per group, at most `SAMPLE` of them."""
    sample: NDArray[np.int64]
    """int64[m], ascending: those of all groups."""

    @classmethod
    def of(cls, chunk_ids: NDArray[np.int64], writings: NDArray[np.uint8]) -> Groups:
        """Group chunks; the samples are the same every time."""
        codes = np.unique(writings)
        members = tuple(chunk_ids[writings == code] for code in codes)
        random = np.random.default_rng(0)
        samples = tuple(np.sort(random.permutation(ids)[:SAMPLE]) for ids in members)
        return cls(codes, members, samples, np.sort(np.concatenate(samples or (chunk_ids,))))


@dataclass(frozen=True, slots=True, eq=False)
class Likeness:
    """Mean and standard deviation of one query's cosines, by writing system."""

    codes: NDArray[np.uint8]
    means: NDArray[np.float64]
    stds: NDArray[np.float64]
    measured: int
    """Chunks it was told from."""

    @property
    def tells(self) -> bool:
        """Whether there were enough for a chunk to stand out."""
        return self.measured >= FEWEST

    @classmethod
    def measure(cls, dense: DenseIndex, vector: NDArray[np.float32], groups: Groups) -> Likeness | None:
        """Measure a query; None when no sampled chunk has a vector."""
        cosines = [dense.similarities(vector, sample).astype(np.float64) for sample in groups.samples]
        cosines = [one[~np.isnan(one)] for one in cosines]
        if not any(one.size for one in cosines):
            return None
        return cls(groups.codes, *_moments(cosines, groups), sum(one.size for one in cosines))

    def z(self, cosines: NDArray[np.float64], writings: NDArray[np.uint8]) -> NDArray[np.float64]:
        """float64[n]: standard deviations above the ordinary of each chunk's writing system; nan stays nan."""
        at = np.searchsorted(self.codes, writings)
        return np.asarray((cosines - self.means[at]) / self.stds[at])


@dataclass(frozen=True, slots=True, eq=False)
class Chance:
    """The share of one query's words that a chunk holds by chance, by writing system."""

    codes: NDArray[np.uint8]
    shares: NDArray[np.float64]

    @classmethod
    def measure(cls, share: Callable[[NDArray[np.int64]], NDArray[np.float64]], groups: Groups) -> Chance | None:
        """Measure a query; None when the library has no chunk.

        Args:
            share: for the groups' sample, the lexical score of each chunk over the most the query could reach.
        """
        ids = groups.sample
        if not ids.size:
            return None
        every = share(ids)
        means, stds = _moments([every[np.searchsorted(ids, sample)] for sample in groups.samples], groups)
        return cls(groups.codes, np.minimum(means + CHANCE_DEVIATIONS * stds, MOST_CHANCE))

    def of(self, writings: NDArray[np.uint8]) -> NDArray[np.float64]:
        """float64[n]: what chunks of these writing systems hold by chance."""
        return self.shares[np.searchsorted(self.codes, writings)]


def _moments(values: Sequence[NDArray[np.float64]], groups: Groups) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Mean and standard deviation by group, float64[g] each, from sampled values of which some group has one."""
    # each group stands for all its chunks, not for as many as were sampled
    sizes = np.array([members.size if one.size else 0 for members, one in zip(groups.members, values, strict=True)])
    part = sizes / sizes.sum()
    own = np.array([one.mean() if one.size else 0.0 for one in values])
    variance = np.array([one.var() if one.size else 0.0 for one in values])
    known = np.array([one.size for one in values], np.float64)
    means = (known * own + PRIOR_MEAN * (part @ own)) / (known + PRIOR_MEAN)
    spread = (known * variance + PRIOR_SPREAD * (part @ variance)) / (known + PRIOR_SPREAD)
    return means, np.maximum(np.sqrt(spread), LEAST_STD)
