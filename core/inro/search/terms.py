"""What a query asks of the lexical lane: term keys in every field, and what each is worth.

A field is separate evidence: a word in a title counts beside the same word in the body. The body alone says
how much a query could reach, so a chunk whose title helps can be sure of itself without holding everything.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from inro.text.keys import Terms

FIELD_WEIGHTS: dict[int, float] = {0: 1.0, 1: 0.2, 2: 0.2, 3: 0.3, 4: 0.15}
"""By field number: body, title, heading path, tags, path."""


@dataclass(frozen=True, slots=True)
class QueryTerms:
    """Keys of a query; n of them in the body, more with the other fields."""

    body: NDArray[np.uint64]
    """uint64[n], distinct."""
    body_weights: NDArray[np.float32]
    """float32[n]"""
    keys: NDArray[np.uint64]
    """uint64[n * fields]"""
    weights: NDArray[np.float32]
    """float32[n * fields]"""

    def __len__(self) -> int:
        return int(self.body.size)


def query_terms(terms: Terms) -> QueryTerms:
    """The distinct terms of an analysed query in every field, weighted as evidence and by field."""
    from inro.text.keys import with_field

    body, worth = terms.asked()
    return QueryTerms(
        body,
        worth,
        np.concatenate([with_field(body, field) for field in FIELD_WEIGHTS]),
        np.concatenate([worth * np.float32(weight) for weight in FIELD_WEIGHTS.values()]),
    )


NO_TERMS = QueryTerms(np.empty(0, np.uint64), np.empty(0, np.float32), np.empty(0, np.uint64), np.empty(0, np.float32))
"""A query whose words are not looked for."""
