"""Posting lists of several segments brought together in one numbering, without the chunks that are gone.

Each piece is the lists of one segment, read out; `renumber` maps its chunk numbers to the new ones, -1 for chunks to
drop. Pieces are best given in the order of their chunks: then lists are only laid behind one another, and a list is
sorted only where pieces interleave. Knows arrays; which segments belong together it does not know.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from .kernel import kernel
from .postings import Lists

Array: TypeAlias = NDArray[Any]


class Piece(NamedTuple):
    """Lists of one segment and what becomes of its chunks."""

    lists: Lists
    """Keys ascending."""
    renumber: NDArray[np.int64]
    """int64[n], one to one where it is not -1."""


def splice(pieces: Sequence[Piece]) -> Lists:
    """The lists of all pieces as one, keys ascending; lists left empty are dropped.

    Raises:
        ValueError: a list names a chunk twice or with a frequency of 0, as only damaged ones do.
    """
    keys = np.unique(np.concatenate([piece.lists.keys for piece in pieces]))
    places = [np.searchsorted(keys, piece.lists.keys) for piece in pieces]
    sizes = np.zeros(len(keys), dtype=np.int64)
    for piece, place in zip(pieces, places, strict=True):
        _count(piece.lists.starts, piece.lists.chunks, piece.renumber, place, sizes)
    kept = sizes > 0
    starts = np.zeros(len(keys) + 1, dtype=np.int64)
    np.cumsum(sizes, out=starts[1:])
    chunks = np.empty(int(starts[-1]), dtype=np.uint32)
    frequencies = np.empty(int(starts[-1]), dtype=np.uint32)
    filled = starts[:-1].copy()
    for piece, place in zip(pieces, places, strict=True):
        lists = piece.lists
        _lay(lists.starts, lists.chunks, lists.frequencies, piece.renumber, place, filled, chunks, frequencies)
    if not _sort(starts, chunks, frequencies):
        raise ValueError("a posting list names a chunk twice, or with a frequency of 0")
    return Lists(keys[kept], np.concatenate((starts[:-1][kept], starts[-1:])), chunks, frequencies)


@kernel()
def _count(starts: Array, chunks: Array, renumber: Array, place: Array, sizes: Array) -> None:
    for term in range(len(place)):
        for i in range(starts[term], starts[term + 1]):
            if renumber[chunks[i]] >= 0:
                sizes[place[term]] += 1


@kernel()
def _lay(
    starts: Array,
    chunks: Array,
    frequencies: Array,
    renumber: Array,
    place: Array,
    filled: Array,
    out_chunks: Array,
    out_frequencies: Array,
) -> None:
    for term in range(len(place)):
        at = filled[place[term]]
        for i in range(starts[term], starts[term + 1]):
            chunk = renumber[chunks[i]]
            if chunk >= 0:
                out_chunks[at] = chunk
                out_frequencies[at] = frequencies[i]
                at += 1
        filled[place[term]] = at


@kernel()
def _sort(starts: Array, chunks: Array, frequencies: Array) -> bool:
    """Put each list in order; whether they all are proper lists then."""
    for term in range(len(starts) - 1):
        begin, end = starts[term], starts[term + 1]
        for i in range(begin + 1, end):
            if chunks[i] < chunks[i - 1]:
                order = np.argsort(chunks[begin:end])
                chunks[begin:end] = chunks[begin:end][order]
                frequencies[begin:end] = frequencies[begin:end][order]
                break
        for i in range(begin, end):
            if frequencies[i] == 0 or (i > begin and chunks[i] == chunks[i - 1]):
                return False
    return True
