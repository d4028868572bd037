"""Fusion: one score out of what the lanes say, and a trace whose parts sum to it.

- `rrf`: reciprocal rank fusion, 1/(60 + rank) summed over lanes (Cormack, Clarke and Büttcher, SIGIR 2009).
  The reference: it knows ranks only, so a lane that knows nothing weighs as much as one that is sure.
- `calibrated`: the share of the lexical score this query could reach at most, above what a chunk has by chance, to the
  power `LEXICAL_POWER` and times `LEXICAL_WEIGHT`; plus the cosine's distance from what is ordinary for this query in
  standard deviations (see `likeness` for both). Both are in units of the lane's own certainty, so a query whose words
  the library does not hold is led by meaning, and the other way round.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from inro.records import Fusion, Lane, TracePart
from inro.search.candidates import Candidates, ranks

RRF_CONSTANT = 60
LEXICAL_WEIGHT = 14.0
"""Standard deviations of cosine that a perfect lexical match is worth; `tests/bench/fusion.py` is the study."""
LEXICAL_POWER = 0.75
"""Below 1: the first words beyond chance say more than the last ones that make a match complete."""


@dataclass(frozen=True, slots=True)
class Fused:
    """Scores of the candidates and the parts each is the sum of."""

    scores: NDArray[np.float64]
    lexical: NDArray[np.float64]
    dense: NDArray[np.float64]
    candidates: Candidates
    fusion: Fusion | None
    """None when a single lane was asked for."""

    def trace(self, index: int) -> tuple[TracePart, ...]:
        """The summands of one candidate's score, with words for a person."""
        c = self.candidates
        parts: list[TracePart] = []
        if c.lexical_best > 0:
            if self.fusion == "rrf":
                note = f"rank {ranks(c.lexical)[index] or 'none'} by words"
            else:
                note = f"bm25 {c.lexical[index]:.2f} of {c.lexical_best:.2f} possible"
                if c.chance is not None and self.fusion == "calibrated":
                    note += f", {c.chance[index] * c.lexical_best:.2f} by chance"
            parts.append(TracePart("lexical", float(self.lexical[index]), note))
        if c.dense_ran:
            if np.isnan(c.dense[index]):
                note = "no vector yet"
            elif self.fusion == "rrf":
                note = f"rank {ranks(c.dense)[index] or 'none'} by meaning"
            else:
                note = f"cosine {c.dense[index]:.3f}, {c.dense_z[index]:+.1f} σ from what is ordinary here"
            parts.append(TracePart("dense", float(self.dense[index]), note))
        return tuple(parts)


def fuse(candidates: Candidates, lane: Lane, fusion: Fusion) -> Fused:
    """Scores for every candidate; higher is better."""
    if lane == "lexical":
        return _fused(candidates, candidates.lexical, np.zeros_like(candidates.lexical), None)
    if lane == "dense":
        return _fused(candidates, np.zeros_like(candidates.lexical), np.nan_to_num(candidates.dense, nan=-1.0), None)
    if fusion == "rrf":
        return _fused(candidates, _reciprocal(candidates.lexical), _reciprocal(candidates.dense), "rrf")
    words = LEXICAL_WEIGHT * candidates.lexical_evidence**LEXICAL_POWER
    return _fused(candidates, words, candidates.dense_z, "calibrated")


def _fused(
    candidates: Candidates, lexical: NDArray[np.float64], dense: NDArray[np.float64], fusion: Fusion | None
) -> Fused:
    return Fused(lexical + dense, lexical, dense, candidates, fusion)


def _reciprocal(scores: NDArray[np.float64]) -> NDArray[np.float64]:
    place = ranks(scores)
    return np.where(place > 0, 1.0 / (RRF_CONSTANT + place), 0.0)
