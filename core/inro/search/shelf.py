"""The shelf: texts of chunks kept in memory, packed, so that a keystroke opens no database.

Reading ten scattered texts from a library of 100,000 chunks just opened has taken a fifth of a second, nearly all of it
for their neighbours in the same pages; from here it takes a millisecond. A text is filed under the hash of its chunk,
so what is on the shelf stays right whatever is committed; where a chunk stands in its document is not kept here. The
shelf has a limit, and what is not on it is read from the file.
"""

from __future__ import annotations

import zlib
from collections import OrderedDict
from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

MOST_BYTES = 64 << 20
"""Packed bytes kept: the texts of about 110,000 chunks."""
PACK = 24
"""Chunks packed together: three fifths of their size remain; packs of 64 save little and unpack thrice as slowly."""
_UNPACKED = 64
"""Packs kept unpacked: what is typed next mostly shows what is shown now."""


class Shelf:
    """Texts by chunk hash. Filled by one thread at a time; may be read by others meanwhile."""

    def __init__(self) -> None:
        self.bytes = 0
        self._packs: list[bytes] = []
        self._index = (np.empty(0, np.uint64), np.empty((0, 3), np.int32))
        """uint64[n] rising hashes; int32[n, 3] the pack of each, and where its text begins and ends in it."""
        self._unpacked: OrderedDict[int, str] = OrderedDict()

    @property
    def is_full(self) -> bool:
        return self.bytes >= MOST_BYTES

    def holds(self, hashes: NDArray[np.uint64]) -> NDArray[np.bool_]:
        """bool[n]: which of the texts are here."""
        return np.isin(hashes, self._index[0])

    def put(self, texts: Iterable[tuple[int, str]]) -> None:
        """Add texts that are not here yet, each with its hash, as long as there is room."""
        hashes: list[int] = []
        places: list[tuple[int, int, int]] = []
        packs: list[bytes] = []
        part: list[str] = []
        length = 0
        known = len(self._packs)

        def close() -> None:
            packed = zlib.compress("".join(part).encode("utf-8", "replace"), 1)
            packs.append(packed)
            self.bytes += len(packed)
            part.clear()

        for hash_, text in texts:
            if self.is_full:
                break
            hashes.append(hash_)
            places.append((known + len(packs), length, length + len(text)))
            part.append(text)
            length += len(text)
            if len(part) == PACK:
                close()
                length = 0
        if part:
            close()
        if not hashes:
            return
        former, placed = self._index
        every = np.concatenate([former, np.array(hashes, np.uint64)])
        order = np.argsort(every, kind="stable")
        # packs first: a reader that sees a place finds its pack
        self._packs.extend(packs)
        self._index = every[order], np.concatenate([placed, np.array(places, np.int32)])[order]

    def get(self, hash_: np.uint64) -> str | None:
        """The text of a chunk, None if it is not here."""
        hashes, places = self._index
        at = int(np.searchsorted(hashes, hash_))
        if at == hashes.size or hashes[at] != hash_:
            return None
        pack, begin, end = places[at].tolist()
        return self._unpack(pack)[begin:end]

    def _unpack(self, pack: int) -> str:
        known = self._unpacked.get(pack)
        if known is None:
            known = zlib.decompress(self._packs[pack]).decode()
            self._unpacked[pack] = known
            if len(self._unpacked) > _UNPACKED:
                self._unpacked.popitem(last=False)
        return known
