"""The characters of a Word 97-2003 document: found by its piece table, which says where in the file each stretch is.

The layout is that of [MS-DOC]: the file information block at the beginning of the stream `WordDocument` says which
table stream is valid and how many characters the body, the footnotes, the headers and so on have; all of them follow
each other in one numbering (`cp`). A file saved fast is such a table of many pieces and is read like any other.
"""

from __future__ import annotations

import struct
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass

from inro.errors import Unreadable
from inro.readers.ole import Compound

_WORD_97, _WORD_6 = 0xA5EC, (0xA5DC, 0xA59B, 0xA59C, 0xA5DB)
_ENCRYPTED, _SECOND_TABLE = 0x0100, 0x0200
_LENGTHS = 64 + 12
"""Where the character counts of the parts begin."""
_PLACES = 154
"""Where the pairs (offset, length) of what is in the table stream begin."""
_CLX = 33
_COMPRESSED = 0x40000000
_MOST_CHARACTERS = 32 * 1024 * 1024
_MEND = "open it and save it as DOCX"

PARTS = ("body", "footnotes", "headers", "macros", "comments", "endnotes", "boxes", "header boxes")
"""The parts of the text in their order."""


@dataclass(frozen=True, slots=True)
class Piece:
    """A stretch of text that lies in one place of the file."""

    start: int
    end: int
    at: int
    """Byte offset in `WordDocument`."""
    wide: bool
    """Two bytes a character, UTF-16; otherwise one, in code page 1252."""


class Pieces:
    """Text and structures of one document.

    Raises:
        Unreadable: it is protected by a password, of an earlier Word, or damaged.
    """

    def __init__(self, file: Compound, name: str) -> None:
        stream = file.read("WordDocument")
        if stream is None:
            locked = file.read("EncryptedPackage") is not None
            raise Unreadable(
                f"protected by a password: {name}" if locked else f"no Word document in it: {name}",
                "save a copy without password" if locked else "give it the suffix of its format",
            )
        if len(stream) < _PLACES + 8 * (_CLX + 1):
            raise Unreadable(f"damaged Word document: {name}", _MEND)
        magic, _, flags = struct.unpack_from("<HH6xH", stream)
        if magic in _WORD_6:
            raise Unreadable(f"of Word 6 or 95, which is not read: {name}", _MEND)
        if magic != _WORD_97:
            raise Unreadable(f"damaged Word document: {name}", _MEND)
        if flags & _ENCRYPTED:
            raise Unreadable(f"protected by a password: {name}", "save a copy without password")
        self.stream = stream
        self._table = file.read("1Table" if flags & _SECOND_TABLE else "0Table") or b""
        counts = struct.unpack_from("<8i", stream, _LENGTHS)
        if min(counts) < 0 or sum(counts) > _MOST_CHARACTERS:
            raise Unreadable(f"damaged Word document: {name}", _MEND)
        self.counts = dict(zip(PARTS, counts, strict=True))
        self.pieces = list(self._piece_table())
        self._starts = [piece.start for piece in self.pieces]
        self.lost = 0
        """Characters whose place is not in the file."""
        if not self.pieces:
            raise Unreadable(f"damaged Word document, its piece table is missing: {name}", _MEND)

    def structure(self, index: int) -> bytes:
        """What the table stream holds of this number; empty if nothing, or if its place is outside."""
        at = _PLACES + 8 * index
        if at + 8 > len(self.stream):
            return b""
        offset, size = struct.unpack_from("<II", self.stream, at)
        return self._table[offset : offset + size] if offset + size <= len(self._table) else b""

    def places(self, index: int, size: int) -> tuple[list[int], list[bytes]]:
        """A PLC: its n + 1 positions and its n entries of `size` bytes."""
        data = self.structure(index)
        count = (len(data) - 4) // (4 + size)
        if count <= 0:
            return [], []
        positions = list(struct.unpack_from(f"<{count + 1}I", data))
        begin = 4 * (count + 1)
        return positions, [data[begin + size * i : begin + size * (i + 1)] for i in range(count)]

    def span(self, part: str) -> tuple[int, int]:
        """First `cp` of a part and the one after its last."""
        start = 0
        for one in PARTS:
            if one == part:
                break
            start += self.counts[one]
        return start, start + self.counts[part]

    def text(self, start: int, end: int) -> list[str]:
        """The UTF-16 units from one `cp` to another, each a string, so that positions stay; lost ones are empty."""
        units: list[str] = []
        for at in range(max(bisect_right(self._starts, start) - 1, 0), len(self.pieces)):
            piece = self.pieces[at]
            if piece.start >= end:
                break
            begin, stop = max(start, piece.start), min(end, piece.end)
            if begin >= stop:
                continue
            width = 2 if piece.wide else 1
            offset = piece.at + (begin - piece.start) * width
            raw = self.stream[offset : offset + (stop - begin) * width]
            missing = (stop - begin) - len(raw) // width
            if piece.wide:
                units.extend(map(chr, struct.unpack(f"<{len(raw) // 2}H", raw[: len(raw) // 2 * 2])))
            else:
                units.extend(map(_NARROW.__getitem__, raw))
            units.extend([""] * missing)
            self.lost += missing
        return units

    def offset(self, cp: int) -> int:
        """Where in the file a character is; -1 if nowhere."""
        at = bisect_right(self._starts, cp) - 1
        if at < 0 or cp >= self.pieces[at].end:
            return -1
        piece = self.pieces[at]
        return piece.at + (cp - piece.start) * (2 if piece.wide else 1)

    def _piece_table(self) -> Iterator[Piece]:
        data = self.structure(_CLX)
        at = 0
        # Property modifiers stand before the table; only their length matters here.
        while at + 3 <= len(data) and data[at] == 1:
            at += 3 + struct.unpack_from("<H", data, at + 1)[0]
        if at + 5 > len(data) or data[at] != 2:
            return
        size = min(struct.unpack_from("<I", data, at + 1)[0], len(data) - at - 5)
        count = (size - 4) // 12
        if count <= 0:
            return
        positions = struct.unpack_from(f"<{count + 1}I", data, at + 5)
        end, most = 0, sum(self.counts.values()) + 1
        for i in range(count):
            _, place = struct.unpack_from("<HI", data, at + 5 + 4 * (count + 1) + 8 * i)
            start, stop = positions[i], min(positions[i + 1], most)
            if start < end or stop <= start:
                continue
            end = stop
            wide = not place & _COMPRESSED
            place &= _COMPRESSED - 1
            yield Piece(start, stop, place if wide else place // 2, wide)


_NARROW = tuple(bytes((byte,)).decode("cp1252", "ignore") for byte in range(256))
"""Code page 1252; five bytes of it are nothing."""
