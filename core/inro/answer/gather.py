"""Evidence for a question out of one library's search: ranked passages with their whole texts.

What is below the floor is left out, except for pins and the nearest by meaning, which is always evidence; where
nothing is looked for by meaning, the best by words: whether that is enough is for the refusal to say.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from inro.answer.evidence import Evidence, Passage
from inro.search.engine import Found, SearchEngine
from inro.search.rerank import Stage
from inro.search.vectors import Embed

DEPTH = 24
"""Passages looked at; the answer shows fewer."""
MISSES = 3
"""Nearest misses listed with a refusal."""


def gather(engine: SearchEngine, question: str, embed: Embed | None, stage: Stage | None = None) -> Evidence:
    """What the library holds for a question; raises as `SearchEngine.search` does."""
    found: Found = engine.find(question, embed, limit=DEPTH, stage=stage)
    passages: list[Passage] = []
    nearest: int | None = None
    for hit, item, text in zip(found.hits, found.items, found.texts, strict=True):
        is_nearest = hit.chunk == found.nearest
        is_best = found.nearest < 0 and hit is found.hits[0]
        if hit.below_floor and not (hit.pinned or is_nearest or is_best):
            continue
        if is_nearest:
            nearest = len(passages)
        z = 0.0 if np.isnan(item.dense_z) else item.dense_z
        passages.append(Passage(hit, text, item.lexical_share, z))

    def weigh(keys: NDArray[np.uint64]) -> NDArray[np.float64]:
        return found.idf(keys)

    return Evidence(
        passages=tuple(passages),
        weigh=weigh,
        nearest=nearest,
        misses=found.hits[:MISSES],
        question_vector=None if all(np.isnan(item.dense_z) for item in found.items) else found.vector,
        shares=tuple(item.lexical_share for item in found.items),
        z=tuple(0.0 if np.isnan(item.dense_z) else item.dense_z for item in found.items),
    )
