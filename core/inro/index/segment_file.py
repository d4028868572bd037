"""One immutable lexical segment as named parts of bytes: built from analysed text, read back with every table checked.

The rule: what `read_segment` accepts can be handed to the kernels whatever made it, and what `write_segment` makes is a
pure function of its input. The store keeps the parts and does not look inside; how terms come about, how segments are
searched or when they are merged is not known here.

Parts, all required:

    header      magic, format version, counts, and per field its number, length total and the scoring its peaks used
    chunks      gaps between chunk ids less one, packed
    lengths     per field in header order, a chunk's length in it, packed one after the other
    keys        gaps between term keys, packed
    frequencies chunks per term, packed
    last        last local chunk of each block, packed
    peaks       uint8 per block, logarithmic code of its peak (see `PeakScale`)
    widths      uint8[blocks, 2]  \\
    words       uint32             }  as `inro_native.postings` writes them
    extra       uint8             /
    vocabulary  strings of words and identifiers (see `inro.index.vocabulary`)
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import NDArray

from inro.errors import FormatTooNew, LibraryError
from inro.text.keys import FIELD_SHIFT

if TYPE_CHECKING:
    from inro_native.postings import Lists

HEAVIEST = ("words", "extra")
"""The parts that hold nearly all of a segment's bytes."""
PARTS = ("header", "chunks", "lengths", "keys", "frequencies", "last", "peaks", "widths", *HEAVIEST, "vocabulary")
FORMAT = 1
MAGIC = b"inrolex\n"
FIELDS = 8
"""What three bits of a key can tell apart."""
LONGEST = 0xFFFF
"""Lengths are counted up to this."""

_HEADER = struct.Struct("<8sHHIQQQdd")
"""Magic, version, field count, spare, chunks, terms, blocks, peak scale low and step."""
_FIELD = struct.Struct("<Qddd")
"""Field number, k1, b, average length the peaks were made with."""

MEND = "inro sync --full"


class Batch(Protocol):
    """What an analyser makes of a row of texts, as far as it is needed here."""

    @property
    def keys(self) -> NDArray[np.uint64]: ...
    @property
    def offsets(self) -> NDArray[np.int64]: ...
    @property
    def vocabulary(self) -> Mapping[int, str]: ...


@dataclass(frozen=True, slots=True)
class Bm25:
    """The two numbers of BM25 for one field."""

    k1: float = 0.5
    """How slowly repeats stop counting; 0 counts presence only."""
    b: float = 0.6
    """How much long texts are held back, 0 to 1."""

    def inverse(self, average: float, longest: int) -> NDArray[np.float32]:
        """float32[longest + 1]: 1 / (k1 * (1 - b + b * length / average)) by length."""
        length = np.arange(longest + 1, dtype=np.float64)
        norm = self.k1 * (1.0 - self.b + self.b * length / max(average, 1e-9))
        return (1.0 / np.maximum(norm, 1e-6)).astype(np.float32)


DEFAULT = Bm25()


def idf(chunks: int, frequency: NDArray[np.int64] | NDArray[np.float64] | np.float64) -> NDArray[np.float64]:
    """float64[n]: inverse document frequency, above 0 even of a term that every one of the chunks holds.

    `ln(1 + (N - df + .5) / (df + .5))`, as Lucene has it; `inro_native.weigh` counts the same way.
    """
    return np.asarray(np.log1p((chunks - frequency + 0.5) / (frequency + 0.5)), np.float64)


@dataclass(frozen=True, slots=True)
class PeakScale:
    """Codes 1 to 255 for positive numbers, even in their logarithm; a code never stands for less than it coded."""

    low: float
    step: float

    @classmethod
    def over(cls, peaks: NDArray[np.float32]) -> PeakScale:
        if not len(peaks):
            return cls(0.0, 0.0)
        low, high = float(np.log2(peaks.min())), float(np.log2(peaks.max()))
        return cls(low, (high - low) / 254)

    def encode(self, peaks: NDArray[np.float32]) -> NDArray[np.uint8]:
        if self.step == 0.0:
            return np.ones(len(peaks), dtype=np.uint8)
        above = (np.log2(peaks.astype(np.float64)) - self.low) / self.step
        return (1 + np.clip(np.ceil(above - 1e-9), 0, 254)).astype(np.uint8)

    def upper(self) -> NDArray[np.float64]:
        """float64[256]: by code, a number no smaller than any that has the code."""
        code = np.arange(256, dtype=np.float64)
        return np.exp2(self.low + np.maximum(code - 1, 0) * self.step) * (1 + 1e-5)


@dataclass(frozen=True, slots=True, eq=False)
class Segment:
    """A segment in memory: large streams are views of the bytes read, tables are expanded."""

    ids: NDArray[np.int64]
    """int64[n], ascending."""
    fields: tuple[int, ...]
    """Field number of each row of `lengths`."""
    scoring: tuple[tuple[Bm25, float], ...]
    """Per row, what the peaks were made with: BM25 numbers and average length."""
    lengths: NDArray[np.uint16]
    """uint16[rows, n]"""
    keys: NDArray[np.uint64]
    """uint64[t], ascending."""
    frequencies: NDArray[np.int64]
    first: NDArray[np.int64]
    """int64[t + 1], the first block of each term."""
    last: NDArray[np.uint32]
    peaks: NDArray[np.uint8]
    peak_scale: PeakScale
    blocks: NDArray[np.uint32]
    """uint32[b, 3], as `inro_native.blocks.locate` fills it."""
    widths: NDArray[np.uint8]
    words: NDArray[np.uint32]
    extra: NDArray[np.uint8]
    vocabulary: bytes

    @property
    def bytes(self) -> int:
        """Memory held."""
        arrays = (
            self.ids,
            self.lengths,
            self.keys,
            self.frequencies,
            self.first,
            self.last,
            self.peaks,
            self.blocks,
            self.widths,
            self.words,
            self.extra,
        )
        return sum(a.nbytes for a in arrays) + len(self.vocabulary)


def write_segment(
    ids: NDArray[np.int64],
    fields: Sequence[int],
    lengths: NDArray[np.uint16],
    stretches: Iterable[Lists],
    spellings: Callable[[NDArray[np.uint64]], bytes],
    scoring: Mapping[int, Bm25] | None = None,
) -> dict[str, bytes]:
    """The parts of a segment.

    Args:
        ids: int64[n] chunk ids, ascending.
        fields: the field number of each row of `lengths` uint16[rows, n].
        stretches: the posting lists, in any order within a stretch, keys ascending from stretch to stretch.
        spellings: makes the vocabulary of the term keys uint64[t], ascending, when the rest is made.
        scoring: BM25 numbers by field for the peaks; other numbers may be used in search, only less is skipped then.
    """
    from inro_native import packing, postings

    _check_ids(ids)
    numbers = [(scoring or {}).get(field, DEFAULT) for field in fields]
    averages = [average_length(row) for row in lengths]
    longest = int(lengths.max()) if lengths.size else 0
    inverse = np.ones((max(1, len(fields)), longest + 1), dtype=np.float32)
    for i, (bm25, average) in enumerate(zip(numbers, averages, strict=True)):
        inverse[i] = bm25.inverse(average, longest)
    row_of = np.full(FIELDS, 255, dtype=np.uint8)
    row_of[list(fields)] = np.arange(len(fields), dtype=np.uint8)
    keys = [np.empty(0, np.uint64)]
    frequencies = [np.empty(0, np.int64)]
    peak, last, widths = [np.empty(0, np.float32)], [np.empty(0, np.uint32)], [np.empty((0, 2), np.uint8)]
    words, extra = [np.empty(0, np.uint32)], [np.empty(0, np.uint8)]
    for lists in stretches:
        row = row_of[(lists.keys >> np.uint64(FIELD_SHIFT)) & np.uint64(FIELDS - 1)]
        if (row == 255).any():
            raise ValueError("a term belongs to a field without lengths")
        order = np.argsort(lists.keys)
        keys.append(lists.keys[order])
        frequencies.append(np.diff(lists.starts)[order])
        written = postings.write(lists, order, inverse, lengths, row)
        words.append(written.words)
        extra.append(written.extra)
        widths.append(written.widths)
        last.append(written.last)
        peak.append(written.peak)
    all_keys = np.concatenate(keys)
    peaks = np.concatenate(peak)
    lasts = np.concatenate(last)
    scale = PeakScale.over(peaks)
    header = _HEADER.pack(MAGIC, FORMAT, len(fields), 0, len(ids), len(all_keys), len(lasts), scale.low, scale.step)
    for field, bm25, average in zip(fields, numbers, averages, strict=True):
        header += _FIELD.pack(field, bm25.k1, bm25.b, average)
    return {
        "header": header,
        "chunks": packing.pack((np.diff(ids, prepend=np.int64(-1)) - 1).astype(np.uint64)),
        "lengths": packing.pack(lengths.ravel()),
        "keys": packing.pack(np.diff(all_keys, prepend=np.uint64(0))),
        "frequencies": packing.pack(np.concatenate(frequencies).astype(np.uint64)),
        "last": packing.pack(lasts),
        "peaks": scale.encode(peaks).tobytes(),
        "widths": _laid(widths),
        "words": _laid(words),
        "extra": _laid(extra),
        "vocabulary": spellings(all_keys),
    }


def _laid(stream: list[NDArray[Any]]) -> bytes:
    """The bytes of arrays one after the other; empties the list, so that little is there twice."""
    laid = b"".join([array.data for array in stream])
    stream.clear()
    return laid


def read_segment(parts: Mapping[str, bytes]) -> Segment:
    """Check the parts and expand their tables.

    Raises:
        LibraryError: a part is missing, cut short, or its numbers do not fit together.
        FormatTooNew: another format version.
    """
    try:
        return _read(parts)
    except KeyError as e:
        raise LibraryError(f"a lexical segment has no part {e.args[0]!r}", MEND) from e
    except (ValueError, struct.error, OverflowError) as e:
        raise LibraryError(f"a lexical segment is damaged: {e}", MEND) from e


def _read(parts: Mapping[str, bytes]) -> Segment:
    from inro_native import blocks as kernels
    from inro_native import packing
    from inro_native.postings import BLOCK

    header = parts["header"]
    magic, version, n_fields, _, n, terms, n_blocks, low, step = _HEADER.unpack_from(header)
    if magic != MAGIC:
        raise ValueError("its header is not one")
    if version != FORMAT:
        raise FormatTooNew(f"a lexical segment has format {version}, this release reads {FORMAT}", "upgrade inro")
    if len(header) != _HEADER.size + n_fields * _FIELD.size or n_fields > FIELDS:
        raise ValueError("its header has another size than its field count asks")
    if not (-64 <= low <= 64 and 0 <= step <= 1):
        raise ValueError("its peak scale is out of range")
    fields, scoring = _read_fields(header, n_fields)

    ids = _ids(packing.unpack(parts["chunks"], n))
    lengths = packing.unpack(parts["lengths"], n * n_fields)
    keys_gaps = packing.unpack(parts["keys"], terms)
    frequencies = packing.unpack(parts["frequencies"], terms)
    last = packing.unpack(parts["last"], n_blocks)
    peaks = np.frombuffer(parts["peaks"], dtype=np.uint8)
    widths = np.frombuffer(parts["widths"], dtype=np.uint8)
    words = np.frombuffer(parts["words"], dtype="<u4")
    extra = np.frombuffer(parts["extra"], dtype=np.uint8)
    counts = (len(ids), len(lengths), len(keys_gaps), len(frequencies), len(last), len(peaks), len(widths))
    if counts != (n, n * n_fields, terms, terms, n_blocks, n_blocks, 2 * n_blocks):
        raise ValueError("its parts have other sizes than its header tells")
    if n > 0x7FFFFFFF or len(words) > 0xFFFFFFFF or len(extra) > 0xFFFFFFFF:
        raise ValueError("it is larger than a segment may be")
    _check_ids(ids)
    if lengths.size and int(lengths.max()) > LONGEST:
        raise ValueError("a length above the longest")
    keys = np.cumsum(keys_gaps)
    if terms and not bool((keys[1:] > keys[:-1]).all()):
        raise ValueError("its term keys do not ascend")
    if terms and (int(frequencies.min()) < 1 or int(frequencies.max()) > n):
        raise ValueError("a term is in no chunk or in more than there are")
    if n_blocks and int(last.max()) >= n:
        raise ValueError("a block names a chunk that is not there")
    if n_blocks and int(peaks.min()) < 1:
        raise ValueError("a block has no peak")
    if not set(np.unique((keys >> np.uint64(FIELD_SHIFT)) & np.uint64(FIELDS - 1)).tolist()) <= set(fields):
        raise ValueError("a term belongs to a field without lengths")
    sizes = frequencies.astype(np.int64)
    first = np.zeros(terms + 1, dtype=np.int64)
    np.cumsum((sizes + BLOCK - 1) // BLOCK, out=first[1:])
    if int(first[-1]) != n_blocks:
        raise ValueError("its blocks do not add up to its terms")
    blocks = np.zeros((n_blocks, 3), dtype=np.uint32)
    last32 = last.astype(np.uint32)
    pairs = widths.reshape(n_blocks, 2)
    wrong = kernels.locate(sizes, pairs, last32, n, len(words), extra, blocks)
    if wrong >= 0:
        raise ValueError(f"block {wrong} of {n_blocks} does not lie inside its streams")
    return Segment(
        ids=ids,
        fields=fields,
        scoring=scoring,
        lengths=lengths.astype(np.uint16).reshape(n_fields, n),
        keys=keys,
        frequencies=sizes,
        first=first,
        last=last32,
        peaks=peaks,
        peak_scale=PeakScale(low, step),
        blocks=blocks,
        widths=pairs,
        words=words,
        extra=extra,
        vocabulary=parts["vocabulary"],
    )


def rekeyed(parts: Mapping[str, bytes], offset: int) -> dict[str, bytes]:
    """The parts of the same segment with every chunk id raised by `offset`: only the first gap says where they are.

    Raises:
        LibraryError: the parts are not a segment's.
    """
    from inro_native import packing

    if not offset:
        return dict(parts)
    segment = read_segment(parts)
    ids = segment.ids + offset
    _check_ids(ids)
    return {**parts, "chunks": packing.pack((np.diff(ids, prepend=np.int64(-1)) - 1).astype(np.uint64))}


def _read_fields(header: bytes, count: int) -> tuple[tuple[int, ...], tuple[tuple[Bm25, float], ...]]:
    rows = [_FIELD.unpack_from(header, _HEADER.size + i * _FIELD.size) for i in range(count)]
    for field, k1, b, average in rows:
        if not (0 <= field < FIELDS and 0 < k1 < 1e3 and 0 <= b <= 1 and 0 <= average <= LONGEST):
            raise ValueError("a field's scoring is out of range")
    fields = tuple(int(row[0]) for row in rows)
    if len(set(fields)) != count:
        raise ValueError("a field is listed twice")
    return fields, tuple((Bm25(k1, b), average) for _, k1, b, average in rows)


def average_length(lengths: NDArray[np.uint16]) -> float:
    """The mean over the chunks that have the field at all; 1 if none has."""
    having = int(np.count_nonzero(lengths))
    return int(lengths.sum(dtype=np.int64)) / having if having else 1.0


def _ids(gaps: NDArray[np.uint64]) -> NDArray[np.int64]:
    if len(gaps) and int(gaps.max()) >= 1 << 62:
        raise ValueError("a chunk id is out of range")
    return np.cumsum(gaps.astype(np.int64) + 1) - 1


def _check_ids(ids: NDArray[np.int64]) -> None:
    if len(ids) and (int(ids[0]) < 0 or not bool((ids[1:] > ids[:-1]).all())):
        raise ValueError("chunk ids do not ascend from 0")
