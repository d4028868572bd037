"""Keeping segments few: which to merge, and the merge, which also drops tombstones for good.

The rule: sizes fall into tiers, each FACTOR times the last; a tier that holds FACTOR segments becomes one segment. So
a library of a million chunks has some ten segments and never more than `FACTOR - 1` a tier, and most commits merge
nothing or a few small ones. A segment a third of which is tombstones is rewritten too.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from inro.errors import LibraryError
from inro.index import vocabulary
from inro.index.segment_file import MEND, Bm25, Segment, read_segment, write_segment

if TYPE_CHECKING:
    from inro_native.postings import Lists

FACTOR = 4
SMALLEST = 1024
"""Chunks; all segments up to this share the lowest tier."""
DEAD = 1 / 3
"""Share of tombstones above which a segment is rewritten."""
AT_ONCE = 1 << 22
"""Postings held unpacked at a time during a merge."""


def plan_merges(sizes: Mapping[int, int], deleted: Mapping[int, int]) -> list[list[int]]:
    """Which segments to merge now, each group into one.

    Args:
        sizes: chunks by segment number, tombstones included.
        deleted: tombstones by segment number; segments without any may be left out.

    Returns:
        Groups of segment numbers, ascending; a group of one is rewritten without its tombstones. Merging them may
        fill a higher tier: ask again afterwards until nothing is returned.
    """
    tiers: dict[int, list[int]] = {}
    for number, size in sizes.items():
        tiers.setdefault(_tier(size - deleted.get(number, 0)), []).append(number)
    groups = [sorted(numbers) for _, numbers in sorted(tiers.items()) if len(numbers) >= FACTOR]
    merged = {number for group in groups for number in group}
    groups += [
        [number]
        for number, size in sorted(sizes.items())
        if number not in merged and deleted.get(number, 0) > size * DEAD
    ]
    return groups


def _tier(size: int) -> int:
    tier, limit = 0, SMALLEST
    while size > limit:
        tier, limit = tier + 1, limit * FACTOR
    return tier


def merge(
    segments: Sequence[Mapping[str, bytes] | Segment],
    deleted: NDArray[np.int64],
    scoring: Mapping[int, Bm25] | None = None,
) -> dict[str, bytes] | None:
    """The parts of one segment that holds what the given ones hold, the deleted chunks excepted; None if that is
    nothing. The result is byte for byte what building from the texts would give.

    Raises:
        LibraryError: a segment is damaged, or two hold the same chunk.
    """
    opened = [s if isinstance(s, Segment) else read_segment(s) for s in segments]
    opened.sort(key=lambda s: int(s.ids[0]) if len(s.ids) else -1)
    alive = [~np.isin(s.ids, deleted) for s in opened]
    ids = np.concatenate([s.ids[a] for s, a in zip(opened, alive, strict=True)] or [np.empty(0, np.int64)])
    ids.sort()
    if len(ids) == 0:
        return None
    if bool((ids[1:] == ids[:-1]).any()):
        raise LibraryError("two lexical segments hold the same chunk", MEND)
    fields = sorted({field for s in opened for field in s.fields})
    lengths = np.zeros((len(fields), len(ids)), dtype=np.uint16)
    renumber = []
    for s, a in zip(opened, alive, strict=True):
        new = np.searchsorted(ids, s.ids)
        for row, field in enumerate(s.fields):
            lengths[fields.index(field), new[a]] = s.lengths[row][a]
        renumber.append(np.where(a, new, -1).astype(np.int64))
    return write_segment(ids, fields, lengths, _lists(opened, renumber), _spellings(opened), scoring)


def _lists(segments: Sequence[Segment], renumber: Sequence[NDArray[np.int64]]) -> Iterator[Lists]:
    """The merged lists, keys ascending, AT_ONCE postings or a single key at a time."""
    from inro_native.splice import Piece, splice

    begins = [0] * len(segments)
    while any(begin < len(s.keys) for begin, s in zip(begins, segments, strict=True)):
        limit = _limit(segments, begins)
        ends = [len(s.keys) if limit is None else int(np.searchsorted(s.keys, limit, side="right")) for s in segments]
        pieces = [
            Piece(_read(s, begin, end), new)
            for s, begin, end, new in zip(segments, begins, ends, renumber, strict=True)
            if end > begin
        ]
        begins = ends
        try:
            yield splice(pieces)
        except ValueError as e:
            raise LibraryError(f"a lexical segment is damaged: {e}", MEND) from e


def _limit(segments: Sequence[Segment], begins: Sequence[int]) -> np.uint64 | None:
    """The last key of the next stretch: no segment gives more than its part of AT_ONCE, but each stretch moves on."""
    part = AT_ONCE // len(segments)
    limits = []
    for s, begin in zip(segments, begins, strict=True):
        if begin < len(s.keys):
            ahead = np.cumsum(s.frequencies[begin : begin + part])
            end = begin + max(1, int(np.searchsorted(ahead, part, side="right")))
            if end < len(s.keys):
                limits.append(s.keys[end - 1])
    return min(limits) if limits else None


def _read(s: Segment, begin: int, end: int) -> Lists:
    from inro_native.blocks import read_lists
    from inro_native.postings import Lists

    starts = np.zeros(end - begin + 1, dtype=np.int64)
    np.cumsum(s.frequencies[begin:end], out=starts[1:])
    chunks = np.empty(int(starts[-1]), dtype=np.uint32)
    frequencies = np.empty(int(starts[-1]), dtype=np.uint32)
    read_lists(s.first, s.frequencies, s.last, s.blocks, s.words, s.extra, begin, end, chunks, frequencies)
    return Lists(s.keys[begin:end], starts, chunks, frequencies)


def _spellings(segments: Sequence[Segment]) -> dict[int, str]:
    found: dict[int, str] = {}
    for s in segments:
        try:
            for text, place in vocabulary.Vocabulary(s.vocabulary, len(s.keys)).items():
                found[int(s.keys[place])] = text
        except ValueError as e:
            raise LibraryError(f"a lexical segment is damaged: {e}", MEND) from e
    return found
