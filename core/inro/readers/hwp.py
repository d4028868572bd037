"""Hangul word processor files of version 5: paragraphs of their body sections.

A section is a zlib stream of records; a record of tag 67 holds the text of a paragraph in UTF-16, with
controls of eight units among it (published by Hancom as HWP 5.0 file formats). Files of version 3 are
reported: their encoding is of their own time.
"""

from __future__ import annotations

import struct
import zlib

from inro.errors import Unreadable
from inro.readers.draft import Draft
from inro.readers.ole import Compound
from inro.readers.reader import Reader, stem_of
from inro.readers.unfolding import unfolding
from inro.records import Reading

_PARAGRAPH_TEXT = 67
_SINGLE_UNIT = frozenset((0, 10, 13, 24, 25, 26, 27, 28, 29, 30, 31))
"""Controls that take one unit; all others below 32 take eight."""
_STEP = 1024 * 1024


def read(data: bytes, name: str, encoding: str | None = None) -> Reading:
    """Read a document. Raises `Unreadable` if it is locked, of another version, or damaged."""
    if data.startswith(b"HWP Document File V"):
        raise Unreadable(f"HWP of version 3 is not read: {name}", "save it as HWP 5, DOCX or PDF")
    file = Compound(data, name)
    header = file.read("FileHeader") or b""
    if not header.startswith(b"HWP Document File") or len(header) < 40:
        raise Unreadable(f"no HWP document: {name}", "give it the suffix of its format")
    flags = struct.unpack_from("<I", header, 36)[0]
    if flags & 0x2:
        raise Unreadable(f"protected by a password: {name}", "save a copy without password")
    draft = Draft()
    sections = sorted((p for p in file.paths() if p[0] in ("BodyText", "ViewText")), key=lambda p: (len(p[-1]), p[-1]))
    for path in sections:
        raw = file.read(*path) or b""
        try:
            for text in _paragraphs(_inflated(raw, name) if flags & 0x1 else raw):
                draft.add("paragraph", text)
        except (zlib.error, struct.error) as e:
            draft.problems.append(f"section {path[-1]} is damaged ({e})")
    if draft.empty:
        raise Unreadable(f"no text in it: {name}", "save it as DOCX or PDF")
    return draft.reading(READER.id, stem_of(name))


def _inflated(data: bytes, name: str) -> bytes:
    unpacker = zlib.decompressobj(wbits=-15)
    parts: list[bytes] = []
    size = 0
    fed = data
    with unfolding() as left:
        while not unpacker.eof:
            piece = unpacker.decompress(fed, _STEP)
            fed = unpacker.unconsumed_tail
            size += len(piece)
            left.unfolded(len(piece), size, len(data), name)
            parts.append(piece)
            if not piece and not fed:
                break
    return b"".join(parts)


def _paragraphs(data: bytes) -> list[str]:
    found: list[str] = []
    at = 0
    while at + 4 <= len(data):
        head = struct.unpack_from("<I", data, at)[0]
        at += 4
        size = head >> 20
        if size == 0xFFF:
            if at + 4 > len(data):
                break
            size = struct.unpack_from("<I", data, at)[0]
            at += 4
        if head & 0x3FF == _PARAGRAPH_TEXT:
            found.append(_text(data[at : at + size]))
        at += size
    return found


def _text(data: bytes) -> str:
    units = struct.unpack(f"<{len(data) // 2}H", data[: len(data) // 2 * 2])
    kept: list[int] = []
    at = 0
    while at < len(units):
        unit = units[at]
        if unit >= 32 or unit == 9 or unit == 10:
            kept.append(unit)
        elif unit in (30, 31):
            kept.append(32)
        at += 1 if unit >= 32 or unit in _SINGLE_UNIT else 8
    return struct.pack(f"<{len(kept)}H", *kept).decode("utf-16-le", "replace")


READER = Reader("hwp", 1, frozenset({".hwp"}), read, isolated=True)
