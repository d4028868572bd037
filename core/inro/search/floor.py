"""The floor: the least that must speak for a hit before it counts as relevant.

Similarities of unrelated texts differ from model to model, so nothing here is a cosine: meaning is measured in
standard deviations above what this query has with this library at large, and no nearer than unrelated chunks are to
one another is nothing; words as a share of the most the query could reach. Either alone is enough. Where too few
chunks were measured to tell, meaning speaks against none.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from inro.records import Lane
from inro.search.candidates import Candidates

LEAST_SHARE = 0.25
"""A chunk with at least this share of the reachable lexical score is relevant by its words."""
LEAST_Z = 3.0
"""A chunk at least this many standard deviations above the ordinary is relevant by its meaning."""


def below(candidates: Candidates, lane: Lane) -> NDArray[np.bool_]:
    """bool[n]: which candidates have nothing but the library's ordinary likeness to the query."""
    by_words = candidates.lexical_share >= LEAST_SHARE
    by_meaning = (candidates.dense_z >= LEAST_Z) & ~(candidates.dense < candidates.strangers)
    by_meaning |= not candidates.tells
    if lane == "lexical":
        return ~by_words
    if lane == "dense":
        return ~by_meaning
    return ~(by_words | by_meaning)
