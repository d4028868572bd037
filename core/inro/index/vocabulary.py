"""The spellings of a segment's words and identifiers, for completion and for slips of the finger.

The rule: nothing is read until someone asks; completion reads only the blocks that can hold the prefix. A spelling is
kept with its term's place in the segment's key table, from which key and frequency follow.

Layout: how many spellings, how many blocks, the bytes of the index (uint32 each); the bytes of every block
(uint32[blocks]); the index, which is each block's first spelling; the blocks; the places, packed. Spellings ascend by
code point, end in a line feed each, and are deflated by the block. What they mean is not known here.
"""

from __future__ import annotations

import heapq
import struct
import zlib
from array import array
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import islice

import numpy as np
from numpy.typing import NDArray

BLOCK = 1024
LONGEST = 256
"""Bytes of the longest spelling kept."""
LATIN_END = 0x250
"""Words of code points below this, which is Latin with its extensions A and B, can be looked for by likeness."""

_HEAD = struct.Struct("<III")


def write(keys: NDArray[np.uint64], spellings: Mapping[int, str]) -> bytes:
    """The part for a segment whose ascending term keys are `keys`; spellings of other keys are left out."""
    told = np.fromiter(spellings, dtype=np.uint64, count=len(spellings))
    places = np.searchsorted(keys, told)
    known = places < len(keys)
    known[known] = keys[places[known]] == told[known]
    return _write(
        sorted(
            (text, place)
            for text, place, ok in zip(spellings.values(), places.tolist(), known.tolist(), strict=True)
            if ok and _is_kept(text)
        )
    )


def merge(keys: NDArray[np.uint64], parts: Sequence[tuple[NDArray[np.uint64], bytes]]) -> bytes:
    """The part for a segment made of others, each given by its term keys and its part; of two spellings of a key the
    later one's stays. Byte for byte what `write` makes of all spellings, without having them all at once.

    Raises:
        ValueError: a part is damaged.
    """
    read = [(Vocabulary(data, len(own)), own) for own, data in parts]
    owner = np.full(len(keys), -1, np.int64)
    ways = []
    for number, (part, own) in enumerate(read):
        told = own[part.places]
        places = np.searchsorted(keys, told)
        known = places < len(keys)
        known[known] = keys[places[known]] == told[known]
        ways.append(np.where(known, places, -1))
        owner[places[known]] = number

    def spelled(number: int) -> Iterator[tuple[str, int]]:
        part, way = read[number][0], ways[number]
        mine = np.where(owner[way] == number, way, -1) if len(keys) else way
        for (text, _), place, is_known in zip(part.items(), mine.tolist(), (way >= 0).tolist(), strict=True):
            if place >= 0 and is_known and _is_kept(text):
                yield text, place

    return _write(heapq.merge(*map(spelled, range(len(read)))))


def _is_kept(text: str) -> bool:
    return bool(text) and "\n" not in text and len(text.encode(errors="replace")) < LONGEST


def _write(pairs: Iterable[tuple[str, int]]) -> bytes:
    """The part of spellings and their terms' places, in order."""
    from inro_native import packing

    blocks: list[bytes] = []
    firsts: list[str] = []
    places = array("Q")
    ordered = iter(pairs)
    while block := list(islice(ordered, BLOCK)):
        firsts.append(block[0][0])
        blocks.append(zlib.compress(_lines(text for text, _ in block), 6))
        places.extend(place for _, place in block)
    index = zlib.compress(_lines(iter(firsts)), 6)
    sizes = np.array([len(b) for b in blocks], dtype="<u4").tobytes()
    head = _HEAD.pack(len(places), len(blocks), len(index))
    return b"".join((head, sizes, index, *blocks, packing.pack(np.array(places, np.uint64))))


def _lines(texts: Iterator[str]) -> bytes:
    return "".join(f"{text}\n" for text in texts).encode(errors="replace")


class Vocabulary:
    """One segment's spellings, read as needed. Every method raises ValueError when the part is damaged."""

    def __init__(self, data: bytes, terms: int) -> None:
        """`terms` is the length of the segment's key table."""
        self._data = data
        self._terms = terms

    @cached_property
    def _layout(self) -> tuple[int, NDArray[np.int64], list[str]]:
        """How many spellings, where each block begins and the last ends, and each block's first spelling."""
        if len(self._data) < _HEAD.size:
            raise ValueError("vocabulary: cut short")
        count, blocks, index = _HEAD.unpack_from(self._data)
        start = _HEAD.size + 4 * blocks
        if blocks != -(-count // BLOCK) or count > self._terms or start + index > len(self._data):
            raise ValueError("vocabulary: its counts do not fit together")
        sizes = np.frombuffer(self._data, dtype="<u4", count=blocks, offset=_HEAD.size)
        begins = start + index + np.concatenate(([0], np.cumsum(sizes, dtype=np.int64)))
        if int(begins[-1]) > len(self._data):
            raise ValueError("vocabulary: its blocks are longer than it is")
        return count, begins, self._read(start, start + index, blocks).split("\n")[:-1]

    def _read(self, begin: int, end: int, count: int) -> str:
        """So many spellings, each with its line feed."""
        unpacker = zlib.decompressobj()
        try:
            lines = unpacker.decompress(self._data[begin:end], count * LONGEST + 1).decode()
        except (zlib.error, UnicodeDecodeError) as e:
            raise ValueError("vocabulary: a block cannot be read") from e
        if lines.count("\n") != count or lines[-1:] not in ("", "\n"):
            raise ValueError("vocabulary: a block holds another number of spellings than it should")
        return lines

    @cached_property
    def places(self) -> NDArray[np.int64]:
        """int64[n]: the term's place of each spelling, in the order of `items`."""
        from inro_native import packing

        count, begins, _ = self._layout
        places = packing.unpack(memoryview(self._data)[int(begins[-1]) :], count)
        if len(places) != count or (count and int(places.max()) >= self._terms):
            raise ValueError("vocabulary: a spelling belongs to no term")
        return places.astype(np.int64)

    def _block(self, number: int) -> str:
        count, begins, _ = self._layout
        size = min(BLOCK, count - number * BLOCK)
        return self._read(int(begins[number]), int(begins[number + 1]), size)

    def __len__(self) -> int:
        return self._layout[0]

    def items(self) -> Iterator[tuple[str, int]]:
        """Every spelling with its term's place."""
        yield from self.beginning_with("")

    def beginning_with(self, prefix: str) -> Iterator[tuple[str, int]]:
        """The spellings that begin so, ascending, each with its term's place."""
        _, begins, firsts = self._layout
        for number in range(max(0, bisect_right(firsts, prefix) - 1), len(begins) - 1):
            if firsts[number] > prefix and not firsts[number].startswith(prefix):
                return
            for i, text in enumerate(self._block(number).split("\n")[:-1]):
                if text.startswith(prefix):
                    yield text, int(self.places[number * BLOCK + i])

    @cached_property
    def _latin(self) -> tuple[NDArray[np.uint16], NDArray[np.int64], NDArray[np.int64]]:
        """Code points of all Latin spellings end to end, where each begins, and their terms' places."""
        _, begins, _ = self._layout
        lines = "".join(self._block(number) for number in range(len(begins) - 1))
        points = np.frombuffer(lines.encode("utf-32-le"), dtype="<u4")
        feeds = points == ord("\n")
        sizes = np.diff(np.flatnonzero(feeds), prepend=-1)
        starts = np.cumsum(sizes) - sizes
        latin = np.maximum.reduceat(points, starts) < LATIN_END if len(starts) else np.zeros(0, np.bool_)
        offsets = np.zeros(np.count_nonzero(latin) + 1, dtype=np.int64)
        np.cumsum(sizes[latin] - 1, out=offsets[1:])
        return points[np.repeat(latin, sizes) & ~feeds].astype(np.uint16), offsets, self.places[latin]

    def near(self, word: str, most: int) -> list[tuple[str, int, int]]:
        """Latin spellings within `most` edits of `word`: spelling, its term's place, edits."""
        from inro_native.edits import distances

        if not word or max(word) >= chr(LATIN_END):
            return []
        points, offsets, places = self._latin
        edits = distances(np.frombuffer(word.encode("utf-16-le"), dtype="<u2"), points, offsets, most)
        found = []
        for i in np.flatnonzero(edits <= most).tolist():
            text = points[offsets[i] : offsets[i + 1]].tobytes().decode("utf-16-le")
            found.append((text, int(places[i]), int(edits[i])))
        return found
