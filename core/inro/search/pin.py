"""Pins: an identifier in the query is identity, not likeness.

Chunks that hold every pinworthy identifier of the query as a whole token go first, and nothing later moves
them. When an identifier is everywhere, it does not single anything out: the chunks are ordered by vector
distance and cut where the distance makes a step; a smooth slope with no step pins none.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

MAX_PINS = 8
"""As many chunks as a person would still take for 'the ones about this identifier'."""
STEP = 3.0
"""A gap between neighbours counts as a step when it is this many times the median gap."""


def choose(
    holders: NDArray[np.int64], similarities: NDArray[np.float64], scores: NDArray[np.float64]
) -> NDArray[np.int64]:
    """The chunk ids to pin, in order.

    Args:
        holders: int64[n], the chunks that hold the identifiers whole.
        similarities: float64[n], cosine of each with the query; nan where there is none.
        scores: float64[n], what orders a few pins among themselves.
    """
    if len(holders) <= MAX_PINS:
        return holders[np.argsort(-scores, kind="stable")]
    known = ~np.isnan(similarities)
    if known.sum() <= MAX_PINS:
        return holders[:0]
    order = np.argsort(-np.where(known, similarities, -np.inf), kind="stable")[: int(known.sum())]
    gaps = -np.diff(similarities[order])
    step = int(np.argmax(gaps[:MAX_PINS]))
    if gaps[step] <= 0 or gaps[step] < STEP * float(np.median(gaps)):
        return holders[:0]
    return holders[order[: step + 1]]
