"""The shape of a term key and of the records that hold them.

A key is a uint64: bits 61-63 kind, 58-60 field, 0-57 payload. Analysis yields field `BODY`; whoever knows
which part of a document a text is sets the field. What a payload holds is told in `inro_native.terms`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

WORD: Final = 0
"""A word in its exact folded form."""
STEM: Final = 1
"""The English stem of a Latin word without its accents, only where that differs from the word."""
BIGRAM: Final = 2
"""Two neighbours in a CJK run."""
CHARACTER: Final = 3
"""One CJK character, or a symbol that stands alone."""
IDENTIFIER: Final = 4
"""An identifier as a whole."""
KINDS: Final = ("word", "stem", "bigram", "character", "identifier")

BODY: Final = 0
TITLE: Final = 1
HEADING: Final = 2
TAGS: Final = 3
PATH: Final = 4
FIELDS: Final = ("body", "title", "heading", "tags", "path")

KIND_SHIFT: Final = 61
FIELD_SHIFT: Final = 58
FIELD_MASK: Final = 7 << FIELD_SHIFT


@dataclass(frozen=True, slots=True, eq=False)
class Terms:
    """The terms of one text in text order, with their places; `n` of them."""

    keys: NDArray[np.uint64]
    """uint64[n]"""
    start: NDArray[np.uint32]
    """uint32[n], in the text as written"""
    end: NDArray[np.uint32]
    """uint32[n], in the text as written"""
    folded: str
    """The text as it was matched."""
    fold_start: NDArray[np.uint32]
    """uint32[n], in `folded`"""
    fold_end: NDArray[np.uint32]
    """uint32[n], in `folded`"""
    weight: NDArray[np.float32]
    """float32[n]: what a match of each is worth in a query, see `inro.text.weigh`; 1 in a text."""

    def __len__(self) -> int:
        return int(self.keys.size)

    def surface(self, i: int) -> str:
        """The folded characters that term `i` was made from: for a stem its word, for an identifier its
        spelling in this text."""
        return self.folded[int(self.fold_start[i]) : int(self.fold_end[i])]

    def asked(self) -> tuple[NDArray[np.uint64], NDArray[np.float32]]:
        """Each key once, rising, with the greatest of its weights: what a BM25 sum runs over."""
        keys, place = np.unique(self.keys, return_inverse=True)
        weights = np.zeros(keys.size, np.float32)
        np.maximum.at(weights, place, self.weight)
        return keys, weights


@dataclass(frozen=True, slots=True, eq=False)
class TermBatch:
    """The terms of many texts, without places."""

    keys: NDArray[np.uint64]
    """uint64[total], those of text `i` at `offsets[i]:offsets[i + 1]`, in text order"""
    offsets: NDArray[np.int64]
    """int64[texts + 1]"""
    vocabulary: dict[int, str]
    """The spelling of every word and identifier key in `keys`, but for those longer than
    `LONGEST_SPELLING`."""


LONGEST_SPELLING: Final = 64
"""Code points; longer words are indexed but offered neither for completion nor for correction."""


def kind(keys: NDArray[np.uint64]) -> NDArray[np.uint8]:
    """uint8[n]: `WORD` ... `IDENTIFIER`."""
    return (keys >> np.uint64(KIND_SHIFT)).astype(np.uint8)


def field(keys: NDArray[np.uint64]) -> NDArray[np.uint8]:
    """uint8[n]: `BODY` ... `PATH`."""
    return ((keys >> np.uint64(FIELD_SHIFT)) & np.uint64(7)).astype(np.uint8)


def with_field(keys: NDArray[np.uint64], field: int) -> NDArray[np.uint64]:
    """The same terms in another field; `ValueError` beyond the three bits there are."""
    if not 0 <= field <= 7:
        raise ValueError(f"not a field: {field}")
    return (keys & ~np.uint64(FIELD_MASK)) | np.uint64(field << FIELD_SHIFT)
