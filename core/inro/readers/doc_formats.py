"""What a Word 97-2003 document says of its paragraphs and characters, as far as a text needs it.

Formatting is kept in pages of 512 bytes by file offset, as differences from a style ([MS-DOC] 2.9.175 and 2.9.33).
Of it are read: the style and its outline level, lists, tables, symbols, and what a tracked change
deleted.
"""

from __future__ import annotations

import struct
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass

from inro.readers.doc_pieces import Pieces

_STYLES, _CHARACTER_PAGES, _PARAGRAPH_PAGES = 1, 12, 13
_PAGE = 512
_IN_TABLE, _ROW_END, _OUTLINE, _LIST_LEVEL, _LIST = 0x2416, 0x2417, 0x2640, 0x260A, 0x460B
_DELETED, _SYMBOL = 0x0800, 0x6A09
_TABLE_DEFINITION, _TABS = 0xD608, 0xC615
_SIZES = (1, 1, 2, 4, 2, 2, -1, 3)
"""Bytes of an operand by the topmost bits of its code; -1: its first byte tells."""
_TITLE, _USER = 62, 0xFFE
_BODY_LEVEL = 9
_DEEPEST_STYLE = 12


@dataclass(frozen=True, slots=True)
class Format:
    """What is known of one paragraph."""

    level: int = 0
    """Of a heading from 1; 0 for body text."""
    title: bool = False
    listed: bool = False
    depth: int = 0
    in_table: bool = False
    row_end: bool = False


class Formats:
    """The formatting of one document; what is damaged is as if it were not there."""

    def __init__(self, pieces: Pieces) -> None:
        self._pieces = pieces
        self._styles = _Styles(pieces.structure(_STYLES))
        self._starts: list[int] = []
        self._formats: list[bytes] = []
        runs = sorted((a, b, grpprl) for a, b, grpprl in self._runs(_PARAGRAPH_PAGES, 13))
        for start, _, properties in runs:
            self._starts.append(start)
            self._formats.append(properties)
        self._ends = [end for _, end, _ in runs]
        altered = sorted(self._altered())
        self._altered_starts = [start for start, _, _ in altered]
        self._altered_ends = [end for _, end, _ in altered]
        self._instead = [text for _, _, text in altered]

    def paragraph(self, cp: int) -> Format:
        """The format of the paragraph whose mark this is."""
        place = self._pieces.offset(cp)
        at = bisect_right(self._starts, place) - 1
        if place < 0 or at < 0 or place >= self._ends[at] or len(self._formats[at]) < 2:
            return Format()
        properties = self._formats[at]
        style = struct.unpack_from("<H", properties)[0]
        level, title = self._styles.level(style), self._styles.is_title(style)
        told = dict(modifiers(properties[2:]))
        if _OUTLINE in told:
            outline = told[_OUTLINE][0]
            level = outline + 1 if outline < _BODY_LEVEL else 0
        return Format(
            level,
            title,
            any(told.get(_LIST, b"\0")),
            min(told.get(_LIST_LEVEL, b"\0")[0], 8),
            any(told.get(_IN_TABLE, b"\0")),
            any(told.get(_ROW_END, b"\0")),
        )

    def instead(self, cp: int) -> str | None:
        """What is shown instead of a character: nothing if it was deleted, a symbol; None if it is itself."""
        if not self._instead:
            return None
        place = self._pieces.offset(cp)
        at = bisect_right(self._altered_starts, place) - 1
        return self._instead[at] if at >= 0 and place < self._altered_ends[at] else None

    def _altered(self) -> Iterator[tuple[int, int, str]]:
        for start, end, properties in self._runs(_CHARACTER_PAGES, 1):
            told = dict(modifiers(properties))
            if any(told.get(_DELETED, b"\0")):
                yield start, end, ""
            elif _SYMBOL in told:
                # A symbol's own character; in fonts of symbols it is of the private area and says nothing.
                shown = struct.unpack_from("<H", told[_SYMBOL], 2)[0]
                yield start, end, "" if 0xD800 <= shown < 0xF900 or shown < 0x20 else chr(shown)

    def _runs(self, index: int, entry: int) -> Iterator[tuple[int, int, bytes]]:
        """(first byte, byte after the last, properties) of all runs in the pages of one kind."""
        stream = self._pieces.stream
        _, pages = self._pieces.places(index, 4)
        for raw in dict.fromkeys(pages):
            start = (struct.unpack("<I", raw)[0] & 0x3FFFFF) * _PAGE
            page = stream[start : start + _PAGE]
            if len(page) < _PAGE:
                continue
            count = page[_PAGE - 1]
            if 4 * (count + 1) + entry * count > _PAGE - 1:
                continue
            bounds = struct.unpack_from(f"<{count + 1}I", page)
            for i in range(count):
                at = 2 * page[4 * (count + 1) + entry * i]
                if bounds[i] < bounds[i + 1]:
                    yield bounds[i], bounds[i + 1], _properties(page, at, entry > 1) if at else b""


def _properties(page: bytes, at: int, paragraph: bool) -> bytes:
    """The properties at a place in a page: of a paragraph their length counts words, of characters bytes."""
    size = page[at]
    if not paragraph:
        return page[at + 1 : at + 1 + size]
    if size == 0 and at + 1 < len(page):
        return page[at + 2 : at + 2 + 2 * page[at + 1]]
    return page[at + 1 : at + 2 * size]


def modifiers(data: bytes) -> Iterator[tuple[int, bytes]]:
    """(code, operand) of property modifiers; ends where they make no sense."""
    at = 0
    while at + 2 < len(data):
        code = struct.unpack_from("<H", data, at)[0]
        at += 2
        size = _SIZES[code >> 13]
        if size < 0:
            if code == _TABLE_DEFINITION:
                if at + 2 > len(data):
                    return
                size = struct.unpack_from("<H", data, at)[0] + 1
            elif code == _TABS and data[at] == 255:
                return
            else:
                size = data[at] + 1
        if at + size > len(data):
            return
        yield code, data[at : at + size]
        at += size


class _Styles:
    """Built-in numbers and bases of the styles, which say what is a heading in any language."""

    def __init__(self, data: bytes) -> None:
        self._known: list[tuple[int, int, int | None]] = []
        """(built-in number, base, outline level or None), by style number."""
        if len(data) < 6:
            return
        header, count, fixed = struct.unpack_from("<HHH", data)
        at = 2 + header
        for _ in range(count):
            if at + 2 > len(data):
                break
            size = struct.unpack_from("<H", data, at)[0]
            at += 2
            style = data[at : at + size]
            at += size + size % 2
            if len(style) < 6:
                self._known.append((_USER, 0xFFF, None))
                continue
            first, second = struct.unpack_from("<HH", style)
            self._known.append((first & 0xFFF, second >> 4, _outline(style, fixed)))

    def level(self, style: int) -> int:
        """The heading level of a style or of what it is based on; 0 if it is none."""
        for _ in range(_DEEPEST_STYLE):
            if style >= len(self._known):
                return 0
            number, base, outline = self._known[style]
            if outline is not None:
                return outline + 1 if outline < _BODY_LEVEL else 0
            if 1 <= number <= 9:
                return number
            style = base
        return 0

    def is_title(self, style: int) -> bool:
        """Whether this is the built-in style of a document's title."""
        return style < len(self._known) and self._known[style][0] == _TITLE


def _outline(style: bytes, fixed: int) -> int | None:
    """The outline level that a paragraph style sets itself."""
    if struct.unpack_from("<H", style, 2)[0] & 0xF != 1 or len(style) < fixed + 2:
        return None
    name = struct.unpack_from("<H", style, fixed)[0]
    at = fixed + 2 + 2 * (name + 1)
    at += at % 2
    if at + 2 > len(style):
        return None
    size = struct.unpack_from("<H", style, at)[0]
    # The first two bytes of the properties repeat the style's number.
    for code, value in modifiers(style[at + 4 : at + 2 + size]):
        if code == _OUTLINE:
            return value[0]
    return None
