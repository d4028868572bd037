"""What is ordinary: how like the library is to a query at large, by writing system.

An embedder places texts of one language nearer to each other than their meaning does, so a Japanese question is a
little like every Japanese note and a note in English that answers it stays behind. Each cosine is therefore
measured against the chunks of its own writing system: in standard deviations above their mean.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from inro.index.dense import DenseIndex

SAMPLE = 400
"""Chunks looked at a writing system: the mean is then known to a twentieth of the standard deviation."""
PRIOR = 10
"""A writing system with few chunks is taken to be like the library as a whole, with the weight of this many."""
LEAST_STD = 1e-4


@dataclass(frozen=True, slots=True, eq=False)
class Groups:
    """The chunks of a library by writing system; g of them."""

    codes: NDArray[np.uint8]
    """uint8[g], ascending."""
    members: tuple[NDArray[np.int64], ...]
    """Per group, its chunk ids."""
    samples: tuple[NDArray[np.int64], ...]
    """Per group, at most `SAMPLE` of them."""

    @classmethod
    def of(cls, chunk_ids: NDArray[np.int64], writings: NDArray[np.uint8]) -> Groups:
        """Group chunks; the samples are the same every time."""
        codes = np.unique(writings)
        members = tuple(chunk_ids[writings == code] for code in codes)
        random = np.random.default_rng(0)
        samples = tuple(np.sort(random.permutation(ids)[:SAMPLE]) for ids in members)
        return cls(codes, members, samples)


@dataclass(frozen=True, slots=True, eq=False)
class Likeness:
    """Mean and standard deviation of one query's cosines, by writing system."""

    codes: NDArray[np.uint8]
    means: NDArray[np.float64]
    stds: NDArray[np.float64]

    @classmethod
    def measure(cls, dense: DenseIndex, vector: NDArray[np.float32], groups: Groups) -> Likeness | None:
        """Measure a query; None when no sampled chunk has a vector."""
        cosines = [dense.similarities(vector, sample).astype(np.float64) for sample in groups.samples]
        cosines = [one[~np.isnan(one)] for one in cosines]
        known = sum(one.size for one in cosines)
        if not known:
            return None
        # each group stands for all its chunks, not for as many as were sampled
        sizes = np.array([ids.size for ids in groups.members], np.float64)
        filled = np.array([one.size > 0 for one in cosines])
        share = sizes * filled / (sizes * filled).sum()
        mean = float(sum(s * one.mean() for s, one in zip(share, cosines, strict=True) if one.size))
        spread = float(sum(s * ((one - mean) ** 2).mean() for s, one in zip(share, cosines, strict=True) if one.size))
        means = np.array([(one.sum() + PRIOR * mean) / (one.size + PRIOR) for one in cosines])
        spreads = np.array(
            [
                (((one - own) ** 2).sum() + PRIOR * spread) / (one.size + PRIOR)
                for one, own in zip(cosines, means, strict=True)
            ]
        )
        return cls(groups.codes, means, np.maximum(np.sqrt(spreads), LEAST_STD))

    def z(self, cosines: NDArray[np.float64], writings: NDArray[np.uint8]) -> NDArray[np.float64]:
        """float64[n]: standard deviations above the ordinary of each chunk's writing system; nan stays nan."""
        at = np.searchsorted(self.codes, writings)
        return np.asarray((cosines - self.means[at]) / self.stds[at])
