"""Candidates: the chunks any lane has brought, with what each lane says of every one of them.

Each lane scores the whole union, not only what it found itself, so that fusion compares evidence and
never the accident of a cut-off.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

BY_CHANCE = 0.1
"""What a match that chance explains is still worth, so that words order the chunks nothing else tells apart."""


@dataclass(frozen=True, slots=True, eq=False)
class Candidates:
    """Parallel arrays over n chunks, ascending by chunk id."""

    chunk_ids: NDArray[np.int64]
    lexical: NDArray[np.float64]
    """BM25 score, 0 where no query term is in the chunk."""
    lexical_best: float
    """The most a body could score for this query; 0 when the lane did not run."""
    dense: NDArray[np.float64]
    """Cosine with the query, nan where the chunk has no vector or the lane did not run."""
    z: NDArray[np.float64]
    """The cosine in standard deviations above what is ordinary for this query; nan where `dense` is."""
    dense_ran: bool
    chance: NDArray[np.float64] | None = None
    """The lexical share that each chunk could have by chance, see `likeness`; None when that was not measured."""
    tells: bool = True
    """Enough chunks were measured to tell what is ordinary for this query."""
    strangers: float = -1.0
    """The cosine that half the pairs of unrelated chunks reach; -1 where the library has no such figure."""

    @property
    def lexical_share(self) -> NDArray[np.float64]:
        """Lexical score as a share of the best possible, in [0, 1]."""
        if self.lexical_best <= 0:
            return np.zeros(len(self.chunk_ids))
        return np.clip(self.lexical / self.lexical_best, 0.0, 1.0)

    @property
    def lexical_evidence(self) -> NDArray[np.float64]:
        """The lexical share above chance, in [0, 1]; of what chance explains, `BY_CHANCE` of it."""
        share = self.lexical_share
        if self.chance is None:
            return share
        return np.maximum(share - self.chance, 0.0) + BY_CHANCE * np.minimum(share, self.chance)

    @property
    def dense_z(self) -> NDArray[np.float64]:
        """`z`, with 0 for a chunk without a vector: nothing speaks for it, nothing against it."""
        return np.nan_to_num(self.z, nan=0.0)


def ranks(scores: NDArray[np.float64]) -> NDArray[np.int64]:
    """Ranks from 1 of descending scores, ties by position; 0 for a score of 0 or nan: the lane did not find it."""
    order = np.argsort(-np.nan_to_num(scores, nan=-np.inf), kind="stable")
    result = np.empty(len(scores), np.int64)
    result[order] = np.arange(1, len(scores) + 1)
    result[np.isnan(scores) | (scores == 0)] = 0
    return result
