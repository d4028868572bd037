"""Keeping segments few: which to merge, and the merge, which also drops tombstones for good.

The rule: sizes fall into tiers, each FACTOR times the last; a tier that holds FACTOR segments becomes one segment. So
a library of a million chunks has some ten segments and never more than `FACTOR - 1` a tier, and most commits merge
nothing or a few small ones. A segment a third of which is tombstones is rewritten too.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from inro.errors import LibraryError
from inro.index import vocabulary
from inro.index.segment_file import MEND, Bm25, read_segment, write_segment

if TYPE_CHECKING:
    from inro_native.postings import Lists

FACTOR = 4
SMALLEST = 1024
"""Chunks; all segments up to this share the lowest tier."""
DEAD = 1 / 3
"""Share of tombstones above which a segment is rewritten."""
AT_ONCE = 1 << 20
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


@dataclass(slots=True, eq=False)
class Source:
    """Of a segment, what a merge needs and no more, and how far the merge has read."""

    ids: NDArray[np.int64]
    fields: tuple[int, ...]
    lengths: NDArray[np.uint16]
    """uint16[rows, n]"""
    keys: NDArray[np.uint64]
    vocabulary: bytes
    frequencies: NDArray[np.uint32]
    widths: NDArray[np.uint8]
    last: NDArray[np.uint32]
    words: NDArray[np.uint32]
    extra: NDArray[np.uint8]
    begin: int = 0
    """Keys read so far; of the other streams, what is read is gone."""


def open_source(parts: Mapping[str, bytes]) -> Source:
    """Check a segment and keep what a merge needs of it; the parts themselves may go then.

    Raises:
        LibraryError: the segment is damaged.
    """
    s = read_segment(parts)
    frequencies = s.frequencies.astype(np.uint32)
    return Source(s.ids, s.fields, s.lengths, s.keys, s.vocabulary, frequencies, s.widths, s.last, s.words, s.extra)


def merge(
    segments: Iterable[Mapping[str, bytes] | Source],
    deleted: NDArray[np.int64],
    scoring: Mapping[int, Bm25] | None = None,
) -> dict[str, bytes] | None:
    """The parts of one segment that holds what the given ones hold, the deleted chunks excepted; None if that is
    nothing. The result is byte for byte what building from the texts would give. Sources are used up.

    Raises:
        LibraryError: a segment is damaged, or two hold the same chunk.
    """
    opened = [s if isinstance(s, Source) else open_source(s) for s in segments]
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
    return write_segment(
        ids, fields, lengths, _lists(opened, renumber), lambda keys: _vocabulary(keys, opened), scoring
    )


def _lists(sources: Sequence[Source], renumber: Sequence[NDArray[np.int64]]) -> Iterator[Lists]:
    """The merged lists, keys ascending, AT_ONCE postings or a single key at a time."""
    from inro_native.splice import Piece, splice

    while any(s.begin < len(s.keys) for s in sources):
        limit = _limit(sources)
        ends = [len(s.keys) if limit is None else int(np.searchsorted(s.keys, limit, side="right")) for s in sources]
        pieces = [
            Piece(_read(s, end), new) for s, end, new in zip(sources, ends, renumber, strict=True) if end > s.begin
        ]
        try:
            lists = splice(pieces)
        except ValueError as e:
            raise LibraryError(f"a lexical segment is damaged: {e}", MEND) from e
        pieces.clear()
        yield lists


def _limit(sources: Sequence[Source]) -> np.uint64 | None:
    """The last key of the next stretch: no segment gives more than its part of AT_ONCE, but each stretch moves on."""
    part = AT_ONCE // len(sources)
    limits = []
    for s in sources:
        if s.begin < len(s.keys):
            ahead = np.cumsum(s.frequencies[:part], dtype=np.int64)
            end = s.begin + max(1, int(np.searchsorted(ahead, part, side="right")))
            if end < len(s.keys):
                limits.append(s.keys[end - 1])
    return min(limits) if limits else None


def _read(s: Source, end: int) -> Lists:
    """The lists of the next keys, up to number `end`; what they were read from is let go of."""
    from inro_native.blocks import locate, read_lists
    from inro_native.postings import BLOCK, Lists

    count = end - s.begin
    # one list more, to learn where the next stretch begins
    frequencies = s.frequencies[: count + 1].astype(np.int64)
    first = np.zeros(len(frequencies) + 1, np.int64)
    np.cumsum((frequencies + BLOCK - 1) // BLOCK, out=first[1:])
    blocks = np.zeros((int(first[-1]), 3), np.uint32)
    locate(frequencies, s.widths[: len(blocks)], s.last, len(s.ids), len(s.words), s.extra, blocks)
    starts = np.zeros(count + 1, np.int64)
    np.cumsum(frequencies[:count], out=starts[1:])
    chunks = np.empty(int(starts[-1]), dtype=np.uint32)
    counts = np.empty(int(starts[-1]), dtype=np.uint32)
    read_lists(first, frequencies, s.last, blocks, s.words, s.extra, 0, count, chunks, counts)
    keys = s.keys[s.begin : end]
    read = int(first[count])
    word, byte = blocks[read, :2].tolist() if read < len(blocks) else (len(s.words), len(s.extra))
    s.begin, s.frequencies = end, s.frequencies[count:]
    s.widths, s.last, s.words, s.extra = s.widths[read:], s.last[read:], s.words[word:], s.extra[byte:]
    if end == len(s.keys):
        # a view of nothing would still hold all of it
        s.frequencies, s.widths, s.last = s.frequencies.copy(), s.widths.copy(), s.last.copy()
        s.words, s.extra = s.words.copy(), s.extra.copy()
    return Lists(keys, starts, chunks, counts)


def _vocabulary(keys: NDArray[np.uint64], sources: Sequence[Source]) -> bytes:
    try:
        return vocabulary.merge(keys, [(s.keys, s.vocabulary) for s in sources])
    except ValueError as e:
        raise LibraryError(f"a lexical segment is damaged: {e}", MEND) from e
