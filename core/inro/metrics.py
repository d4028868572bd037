"""Retrieval metrics, defined as trec_eval defines them: linear gain, discount log2(rank + 1)."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence


def ndcg(ranked: Sequence[str], grades: Mapping[str, int], k: int) -> float:
    """Normalised discounted cumulative gain of the first k documents; 0 when nothing is relevant."""
    gain = sum(grades.get(document, 0) / math.log2(i + 2) for i, document in enumerate(ranked[:k]))
    ideal = sum(
        grade / math.log2(i + 2)
        for i, grade in enumerate(sorted((g for g in grades.values() if g > 0), reverse=True)[:k])
    )
    return gain / ideal if ideal else 0.0


def recall(ranked: Sequence[str], grades: Mapping[str, int], k: int) -> float:
    """Share of the relevant documents that are among the first k."""
    relevant = {document for document, grade in grades.items() if grade > 0}
    return len(relevant.intersection(ranked[:k])) / len(relevant) if relevant else 0.0


def found_first(ranked: Sequence[str], grades: Mapping[str, int]) -> float:
    """1 when the first document is relevant, else 0."""
    return float(bool(ranked) and grades.get(ranked[0], 0) > 0)


def reciprocal_rank(ranked: Sequence[str], grades: Mapping[str, int], k: int) -> float:
    """1 over the rank of the first relevant document among the first k, else 0."""
    for i, document in enumerate(ranked[:k]):
        if grades.get(document, 0) > 0:
            return 1.0 / (i + 1)
    return 0.0
