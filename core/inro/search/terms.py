"""What a query asks of the lexical lane: term keys in every field, and what each is worth.

A field is separate evidence: a word in a title counts beside the same word in the body. The body alone says
how much a query could reach, so a chunk whose title helps can be sure of itself without holding everything.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from inro.index.segment_file import idf

if TYPE_CHECKING:
    from inro.index.lexical import LexicalIndex
    from inro.text.keys import Terms

FIELD_WEIGHTS: dict[int, float] = {0: 1.0, 1: 0.3, 2: 0.3, 3: 0.3, 4: 0.15}
"""By field number: body, title, heading path, tags, path."""
SHARPNESS = 1.2
"""The power idf is raised to. A question in whole sentences brings many common words, and their sum outweighs the one
that names its subject: on such English questions 1.2 gains .004 nDCG@10, and from 1 to 1.3 no set loses .001."""


@dataclass(frozen=True, slots=True, eq=False)
class Alternatives:
    """Spellings of which one is as good as another: m of them, in the body."""

    keys: NDArray[np.uint64]
    """uint64[m]"""
    weights: NDArray[np.float32]
    """float32[m]"""

    def everywhere(self, i: int) -> tuple[NDArray[np.uint64], NDArray[np.float32]]:
        """One spelling's key in every field with its weights there."""
        return _everywhere(self.keys[i : i + 1], self.weights[i : i + 1])


@dataclass(frozen=True, slots=True, eq=False)
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

    groups: tuple[Alternatives, ...] = ()
    """What counts once, by its best spelling."""

    def __len__(self) -> int:
        """Distinct terms and groups."""
        return int(self.body.size) + len(self.groups)

    def worth(self) -> dict[int, float]:
        """What a match of each key in the body is worth, groups included: what a snippet is chosen by."""
        worth = dict(zip(self.body.tolist(), self.body_weights.tolist(), strict=True))
        for group in self.groups:
            for key, weight in zip(group.keys.tolist(), group.weights.tolist(), strict=True):
                worth[key] = max(weight, worth.get(key, 0.0))
        return worth


def query_terms(
    terms: Terms,
    groups: Sequence[Alternatives] = (),
    left_out: NDArray[np.uint64] | None = None,
    lexical: LexicalIndex | None = None,
) -> QueryTerms:
    """The distinct terms of an analysed query in every field, weighted as evidence and by field, without `left_out`.

    With the index they are for, rare terms gain on common ones, see `SHARPNESS`; without it, weights are as analysed.
    """
    body, worth = terms.asked()
    if left_out is not None and left_out.size:
        kept = ~np.isin(body, left_out)
        body, worth = body[kept], worth[kept]
    if lexical is not None:
        worth = worth * _sharpening(lexical.chunks, lexical.document_frequency(body))
        groups = [_sharpened(group, lexical) for group in groups]
    return QueryTerms(body, worth, *_everywhere(body, worth), tuple(groups))


def _sharpening(chunks: int, frequency: NDArray[np.int64]) -> NDArray[np.float32]:
    """float32[n]: what turns a weight that idf is yet to be applied to into one for idf to the power `SHARPNESS`."""
    return np.asarray(idf(chunks, frequency) ** (SHARPNESS - 1.0), np.float32)


def _sharpened(group: Alternatives, lexical: LexicalIndex) -> Alternatives:
    """Spellings of one word are as rare as all of them together."""
    together = min(int(lexical.document_frequency(group.keys).sum()), lexical.chunks)
    return Alternatives(group.keys, group.weights * _sharpening(lexical.chunks, np.array([together])))


def _everywhere(
    body: NDArray[np.uint64], weights: NDArray[np.float32]
) -> tuple[NDArray[np.uint64], NDArray[np.float32]]:
    from inro.text.keys import with_field

    return (
        np.concatenate([with_field(body, field) for field in FIELD_WEIGHTS]),
        np.concatenate([weights * np.float32(share) for share in FIELD_WEIGHTS.values()]),
    )


NO_TERMS = QueryTerms(np.empty(0, np.uint64), np.empty(0, np.float32), np.empty(0, np.uint64), np.empty(0, np.float32))
"""A query whose words are not looked for."""
