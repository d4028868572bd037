"""The lexical lane: the best chunks for weighted terms over all segments of a library, exactly.

The rule: a result does not depend on how chunks are spread over segments, nor on what was skipped to find it. Ties go
to the lower chunk id. A chunk's score is the sum over the query's terms of weight x idf x BM25's term part, with idf
`ln(1 + (N - df + .5) / (df + .5))`, and N, df and average lengths summed over all segments, tombstones included until a
merge drops them. A field's own df is used, but never below the body's: a word is not rare because few titles hold it.
Knows term keys and chunk ids; not texts, documents, or what a field is for.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from inro.errors import LibraryError
from inro.index import vocabulary
from inro.index.segment_file import (
    DEFAULT,
    LONGEST,
    MEND,
    Batch,
    Bm25,
    Segment,
    read_segment,
    write_segment,
)
from inro.text.keys import FIELD_MASK, FIELD_SHIFT

__all__ = ["Allow", "Batch", "Bm25", "LexicalIndex", "LexicalQuery", "LexicalResult", "Spelling", "build_segment"]

_T = TypeVar("_T")
_FIELD = np.uint64(FIELD_MASK)
_SHIFT = np.uint64(FIELD_SHIFT)


@dataclass(frozen=True, slots=True, eq=False)
class LexicalQuery:
    """Terms to look for, each in one field, and what a match of each is worth before idf."""

    keys: NDArray[np.uint64]
    """uint64[q]; a key given twice counts twice."""
    weights: NDArray[np.float32]
    """float32[q], finite, 0 or more."""


@dataclass(frozen=True, slots=True, eq=False)
class LexicalResult:
    """The best chunks, best first."""

    chunk_ids: NDArray[np.int64]
    scores: NDArray[np.float32]
    best_possible: float
    """What an endless repetition of every term would score: each term in all the fields of the query where the library
    holds it; a term it holds nowhere counts as one in no chunk, once, in its heaviest field. No score exceeds it."""


@dataclass(frozen=True, slots=True)
class Spelling:
    """A word or identifier of the library."""

    text: str
    key: int
    frequency: int
    """In how many chunks it is."""
    edits: int = 0


@dataclass(frozen=True, slots=True, eq=False)
class Allow:
    """Which chunks may be found, made by `LexicalIndex.allow` for that index only."""

    bits: tuple[NDArray[np.uint64], ...]
    """Per segment a bit per chunk; tombstones are left out already."""


@dataclass(frozen=True, slots=True, eq=False)
class _Loaded:
    """A segment with what depends on the whole library."""

    number: int
    segment: Segment
    spellings: vocabulary.Vocabulary
    inverse: NDArray[np.float32]
    gains: NDArray[np.float32]
    row: NDArray[np.int64]
    """Row of `inverse` by field, 0 for fields it has not: no term of theirs is ever found."""
    alive: NDArray[np.uint64]
    """Bit per chunk, empty when all are alive."""


@dataclass(frozen=True, slots=True, eq=False)
class _Wanted:
    """A query made ready: its distinct keys and, for each, what the kernels want to know."""

    keys: NDArray[np.uint64]
    worth: NDArray[np.float32]
    """weight x idf in units of score."""
    places: list[NDArray[np.int64]]
    """Per segment, the key's place or -1, perhaps followed by others'; empty if it has no key at all."""
    fields: NDArray[np.int64]
    unit: float
    """What one unit of score is worth."""
    best: float


def build_segment(
    chunk_ids: NDArray[np.int64], batches: Mapping[int, Batch], scoring: Mapping[int, Bm25] | None = None
) -> dict[str, bytes]:
    """The parts of a segment for chunks whose texts were analysed field by field.

    Args:
        chunk_ids: int64[n], ascending.
        batches: by field number, the terms of the n texts; their keys' field bits are set here.

    Raises:
        ValueError: ids that do not ascend, or a batch of another number of texts.
    """
    from inro_native import postings

    fields = sorted(batches)
    lengths = np.zeros((len(fields), len(chunk_ids)), dtype=np.uint16)
    gathered = []
    for row, field in enumerate(fields):
        batch = batches[field]
        if len(batch.offsets) != len(chunk_ids) + 1:
            raise ValueError(f"{len(batch.offsets) - 1} texts in field {field} for {len(chunk_ids)} chunks")
        lengths[row] = field_lengths(batch)
        keys = (batch.keys & ~_FIELD) | np.uint64(field << FIELD_SHIFT)
        gathered.append(postings.gather(keys, batch.offsets))
    lists = postings.join(gathered)
    spellings: dict[int, str] = {}
    for field in fields:
        tag = field << FIELD_SHIFT
        spellings.update(((key & ~FIELD_MASK) | tag, text) for key, text in batches[field].vocabulary.items())
    return write_segment(chunk_ids, fields, lengths, [lists], lambda keys: vocabulary.write(keys, spellings), scoring)


def field_lengths(batch: Batch) -> NDArray[np.uint16]:
    """uint16[n]: the length of each text, in terms of every kind."""
    return np.minimum(np.diff(batch.offsets), LONGEST).astype(np.uint16)


class LexicalIndex:
    """All segments of a library, ready to be searched. Immutable; may be shared by threads."""

    def __init__(
        self,
        segments: Mapping[int, Segment],
        deleted: NDArray[np.int64],
        scoring: Mapping[int, Bm25] | None = None,
    ) -> None:
        """`deleted` int64[m] are ids of chunks never to be returned; ids of no chunk do no harm."""
        self.segments = dict(sorted(segments.items(), key=lambda item: int(item[1].ids[0]) if len(item[1].ids) else -1))
        self.chunks = sum(len(s.ids) for s in self.segments.values())
        """Chunks held, tombstones included."""
        averages = _averages(list(self.segments.values()))
        gone = np.unique(deleted)
        self._loaded = tuple(
            _load(number, segment, averages, gone, scoring or {}) for number, segment in self.segments.items()
        )

    @classmethod
    def load(
        cls,
        segments: Sequence[tuple[int, Mapping[str, bytes] | Segment]],
        deleted: NDArray[np.int64],
        scoring: Mapping[int, Bm25] | None = None,
    ) -> LexicalIndex:
        """Check and open segments, given as (number, parts). A segment taken from the `segments` of an index opened
        earlier may stand for its parts and is not read again.

        Raises:
            LibraryError: a segment is damaged.
        """
        opened = {n: s if isinstance(s, Segment) else read_segment(s) for n, s in segments}
        return cls(opened, deleted, scoring)

    @property
    def bytes(self) -> int:
        """Memory held for searching, the vocabulary's lazily made tables not counted."""
        return sum(one.segment.bytes + one.inverse.nbytes + one.gains.nbytes + one.alive.nbytes for one in self._loaded)

    def document_frequency(self, keys: NDArray[np.uint64]) -> NDArray[np.int64]:
        """int64[q]: in how many chunks each key is, tombstones included."""
        return self._find(np.ascontiguousarray(keys, np.uint64))[1]

    def allow(self, chunk_ids: NDArray[np.int64]) -> Allow:
        """A filter that lets these chunks through, those deleted excepted."""
        wanted = np.unique(chunk_ids)
        bits = []
        for one in self._loaded:
            chosen = _bitset(one.segment.ids, wanted)
            bits.append(chosen & one.alive if len(one.alive) else chosen)
        return Allow(tuple(bits))

    def search(self, query: LexicalQuery, k: int, allow: Allow | None = None) -> LexicalResult:
        """The k chunks of highest score above 0, ties to the lower id.

        Raises:
            ValueError: weights that are negative or not finite, or not one a key; an `allow` of another index.
        """
        from inro_native import bm25, heap

        if allow is not None and len(allow.bits) != len(self._loaded):
            raise ValueError("the filter was made for another index")
        wanted = self._weigh(query)
        k = max(0, min(k, self.chunks))
        scores = np.empty(k, dtype=np.int64)
        found = np.empty(k, dtype=np.int64)
        size = 0
        for i, one in enumerate(self._loaded):
            if not len(wanted.places[i]):
                continue
            s = one.segment
            size = bm25.top(
                s.first,
                s.frequencies,
                s.last,
                s.peaks,
                s.blocks,
                s.words,
                s.extra,
                s.lengths,
                s.ids,
                one.alive if allow is None else allow.bits[i],
                wanted.places[i],
                wanted.worth,
                one.row[wanted.fields],
                one.inverse,
                one.gains,
                scores,
                found,
                size,
            )
        heap.drain(scores, found, size)
        return LexicalResult(found[:size], (scores[:size] * wanted.unit).astype(np.float32), wanted.best)

    def contributions(self, query: LexicalQuery, chunk_id: int) -> list[tuple[int, float]]:
        """What each key of the query adds to a chunk's score, in key order; keys that add nothing are left out."""
        from inro_native import shares

        wanted = self._weigh(query)
        for i, one in enumerate(self._loaded):
            s = one.segment
            chunk = int(np.searchsorted(s.ids, chunk_id))
            if chunk == len(s.ids) or s.ids[chunk] != chunk_id or not len(wanted.places[i]):
                continue
            added = np.zeros(len(wanted.worth), dtype=np.int64)
            shares.shares(
                s.first,
                s.frequencies,
                s.last,
                s.blocks,
                s.words,
                s.extra,
                s.lengths,
                wanted.places[i],
                wanted.worth,
                one.row[wanted.fields],
                one.inverse,
                chunk,
                added,
            )
            parts = zip(wanted.keys.tolist(), added.tolist(), strict=True)
            return [(key, share * wanted.unit) for key, share in parts if share > 0]
        return []

    def prefix(self, prefix: str, limit: int) -> list[Spelling]:
        """The most frequent spellings that begin with the folded `prefix`; a shorter one first where they tie."""
        found = [
            (text, one, place, 0)
            for one in self._loaded
            for text, place in _readable(one.spellings.beginning_with(prefix))
        ]
        return _ranked(found, limit)

    def similar(self, word: str, limit: int) -> list[Spelling]:
        """Latin spellings a slip or two away from the folded `word`: one edit up to seven letters, two beyond; fewest
        edits first, then the most frequent. `word` itself is among them if the library holds it."""
        most = 0 if len(word) < 3 else 1 if len(word) < 8 else 2
        found = [
            (text, one, place, edits)
            for one in self._loaded
            for text, place, edits in _readable(iter(one.spellings.near(word, most)))
        ]
        return _ranked(found, limit)

    def _find(self, keys: NDArray[np.uint64]) -> tuple[list[NDArray[np.int64]], NDArray[np.int64]]:
        """Per segment the place of each key or -1, empty if it has none; and each key's frequency over all segments."""
        from inro_native import weigh

        frequency = np.zeros(len(keys), dtype=np.int64)
        places = []
        for one in self._loaded:
            here = np.empty(len(keys), dtype=np.int64)
            if not weigh.find(one.segment.keys, one.segment.frequencies, keys, here, frequency):
                here = here[:0]
            places.append(here)
        return places, frequency

    def _weigh(self, query: LexicalQuery) -> _Wanted:
        from inro_native import weigh
        from inro_native.bm25 import SCORE_RANGE

        keys, weights = query.keys, query.weights
        if keys.shape != weights.shape or keys.ndim != 1:
            raise ValueError("a lexical query needs one weight a key")
        both, sums = weigh.distinct(keys, weights, _FIELD)
        places, frequency = self._find(both)
        worth, fields, unit, best = weigh.value(both, sums, frequency, self.chunks, _SHIFT, _FIELD, SCORE_RANGE)
        return _Wanted(both[: len(sums)], worth, places, fields, unit, best)


def _averages(segments: Sequence[Segment]) -> dict[int, float]:
    """Average length by field over the chunks that have the field."""
    totals: dict[int, list[int]] = {}
    for segment in segments:
        for field, lengths in zip(segment.fields, segment.lengths, strict=True):
            total = totals.setdefault(field, [0, 0])
            total[0] += int(lengths.sum(dtype=np.int64))
            total[1] += int(np.count_nonzero(lengths))
    return {field: total / having if having else 1.0 for field, (total, having) in totals.items()}


def _load(
    number: int,
    segment: Segment,
    averages: Mapping[int, float],
    gone: NDArray[np.int64],
    scoring: Mapping[int, Bm25],
) -> _Loaded:
    longest = int(segment.lengths.max()) if segment.lengths.size else 0
    rows = max(1, len(segment.fields))
    inverse = np.ones((rows, longest + 1), dtype=np.float32)
    gains = np.ones((rows, 256), dtype=np.float32)
    row = np.zeros(8, dtype=np.int64)
    upper = segment.peak_scale.upper()
    for i, field in enumerate(segment.fields):
        row[field] = i
        made_with, average = segment.scoring[i]
        inverse[i] = scoring.get(field, DEFAULT).inverse(averages[field], longest)
        # Both norms are straight lines over the length, so their quotient is greatest at one of the ends.
        growth = inverse[i][[0, -1]].astype(np.float64) / made_with.inverse(average, longest)[[0, -1]]
        gains[i] = np.minimum(upper * float(growth.max()) * (1 + 1e-5), 3e38)
    alive = np.zeros(0, dtype=np.uint64)
    dead = np.isin(segment.ids, gone, assume_unique=True) if len(gone) else np.zeros(0, dtype=np.bool_)
    if dead.any():
        alive = _bits(~dead)
    spellings = vocabulary.Vocabulary(segment.vocabulary, len(segment.keys))
    return _Loaded(number, segment, spellings, inverse, gains, row, alive)


def _bits(flags: NDArray[np.bool_]) -> NDArray[np.uint64]:
    """The flags as bits of uint64[(n + 63) // 64], lowest first."""
    packed = np.packbits(flags, bitorder="little")
    return np.concatenate((packed, np.zeros(-len(packed) % 8, dtype=np.uint8))).view("<u8")


def _bitset(ids: NDArray[np.int64], wanted: NDArray[np.int64]) -> NDArray[np.uint64]:
    """A bit for each of the ascending `ids`, set where it is among the ascending `wanted`."""
    flags = np.zeros(len(ids), dtype=np.bool_)
    if len(ids):
        places = np.searchsorted(ids, wanted)
        inside = places < len(ids)
        places = places[inside]
        flags[places[ids[places] == wanted[inside]]] = True
    return _bits(flags)


def _readable(rows: Iterator[_T]) -> Iterator[_T]:
    try:
        yield from rows
    except ValueError as e:
        raise LibraryError(f"a lexical segment is damaged: {e}", MEND) from e


def _ranked(found: Sequence[tuple[str, _Loaded, int, int]], limit: int) -> list[Spelling]:
    """Spellings of several segments and fields as one list: frequencies add up over segments, and the field with most
    stands for the term."""
    by_field: dict[tuple[str, int], tuple[int, int]] = {}
    for text, one, place, edits in found:
        key = int(one.segment.keys[place])
        before = by_field.get((text, key), (0, edits))[0]
        by_field[text, key] = (before + int(one.segment.frequencies[place]), edits)
    terms: dict[tuple[str, int], Spelling] = {}
    for (text, key), (frequency, edits) in by_field.items():
        bare = key & ~FIELD_MASK
        known = terms.get((text, bare))
        if known is None or known.frequency < frequency:
            terms[text, bare] = Spelling(text, bare, frequency, edits)
    order = sorted(terms.values(), key=lambda s: (s.edits, -s.frequency, len(s.text), s.text, s.key))
    return order[: max(0, limit)]
