"""How alike unrelated chunks of a library are: the ground that a relevance floor stands on.

Embedders place unrelated texts at very different cosines, so likeness is told against the library's own.
The baseline is measured on random pairs of chunks from different documents; the same library gives the same
figures. Knows vectors and which chunk is of which document; what is done with the figures is the search's
affair.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from inro.index.dense import DenseIndex

PAIRS = 20_000
"""Enough that the mean is known to 1/140 and the 99th percentile to about 1/30 of the standard deviation."""
_AT_ONCE = 2_000
"""Pairs decoded at a time, which bounds memory to a few megabytes."""


@dataclass(frozen=True, slots=True)
class Baseline:
    """Cosines between chunks of different documents."""

    pairs: int
    """How many pairs were measured; 0 when the library has no two documents with vectors, all else being
    nan then."""
    mean: float
    std: float
    quantiles: tuple[tuple[float, float], ...]
    """(share, cosine) for the shares of `SHARES`."""


SHARES = (0.01, 0.05, 0.25, 0.5, 0.75, 0.95, 0.99, 0.999)


def measure_baseline(
    index: DenseIndex,
    chunk_ids: npt.NDArray[np.int64],
    documents: npt.NDArray[np.int64],
    pairs: int = PAIRS,
) -> Baseline:
    """Measure a library.

    Args:
        index: the library's vectors.
        chunk_ids: int64[n], distinct; those without a live vector are passed over.
        documents: int64[n], the document of each chunk.
        pairs: how many pairs to draw, at least 1.

    Raises:
        ValueError: arrays that do not fit, or no pairs asked for.
    """
    if chunk_ids.shape != documents.shape or chunk_ids.ndim != 1 or pairs < 1:
        raise ValueError("a baseline takes as many documents as chunk ids, and one pair or more")
    live = np.isin(chunk_ids, index.live_ids())
    order = np.argsort(chunk_ids[live], kind="stable")
    ids, owners = chunk_ids[live][order], documents[live][order]
    if np.unique(owners).shape[0] < 2:
        nothing = float("nan")
        return Baseline(0, nothing, nothing, tuple((share, nothing) for share in SHARES))
    one, other = _pairs(owners, pairs)
    cosines = np.empty(one.shape[0], np.float64)
    for at in range(0, one.shape[0], _AT_ONCE):
        piece = slice(at, at + _AT_ONCE)
        left, right = index.vectors(ids[one[piece]]), index.vectors(ids[other[piece]])
        cosines[piece] = np.einsum("ij,ij->i", left, right)
    quantiles = np.quantile(cosines, SHARES)
    return Baseline(
        cosines.shape[0],
        float(cosines.mean()),
        float(cosines.std()),
        tuple((share, float(value)) for share, value in zip(SHARES, quantiles, strict=True)),
    )


def _pairs(owners: npt.NDArray[np.int64], pairs: int) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Positions of chunks of different owners, drawn evenly from all such pairs.

    With the chunks sorted by owner, each one's strangers are everything outside one run of positions, so
    the second of a pair is drawn directly from them, never drawn and thrown away.
    """
    random = np.random.default_rng(0)
    by_owner = np.argsort(owners, kind="stable")
    ordered = owners[by_owner]
    start = np.searchsorted(ordered, ordered, side="left")
    end = np.searchsorted(ordered, ordered, side="right")
    strangers = owners.shape[0] - (end - start)
    # A chunk of a small document has more strangers and must be drawn first in that proportion.
    first = np.searchsorted(np.cumsum(strangers), random.integers(0, strangers.sum(), pairs), side="right")
    second = random.integers(0, strangers[first])
    second += np.where(second >= start[first], (end - start)[first], 0)
    return by_owner[first], by_owner[second]
