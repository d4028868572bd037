"""Styled text as plain data: a piece is a text and the name of its style, a line is pieces in a row.

Pieces are never markup: whatever a document says is drawn as it stands. The names are those of the
component classes in `app.tcss` (`ink--mark` for the style `mark`). Knows no widget.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TypeAlias

from inro_tui.wrap import breaks, cells, cut

Piece: TypeAlias = tuple[str, str]
Line: TypeAlias = tuple[Piece, ...]

STYLES = (
    "plain",
    "bold",
    "dim",
    "faint",
    "mark",
    "lead",
    "second",
    "good",
    "warn",
    "bad",
    "cursor",
    "sign",
    "bar",
    "passage",
    "current",
)
"""Every style a piece may name."""

COMPONENT_CLASSES = frozenset(f"ink--{name}" for name in STYLES)


def width_of(line: Line) -> int:
    """Cells a line takes."""
    return sum(cells(text) for text, _ in line)


def marked(text: str, spans: Iterable[tuple[int, int]], style: str, mark: str) -> Line:
    """A text in one style with spans of it in another; spans may touch or overlap."""
    pieces: list[Piece] = []
    at = 0
    for start, end in sorted(spans):
        start, end = max(start, at), min(end, len(text))
        if start >= end:
            continue
        if start > at:
            pieces.append((text[at:start], style))
        pieces.append((text[start:end], mark))
        at = end
    if at < len(text):
        pieces.append((text[at:], style))
    return tuple(pieces)


def portion(line: Line, start: int, end: int) -> Line:
    """The pieces of a line between two offsets into its text."""
    pieces: list[Piece] = []
    at = 0
    for text, style in line:
        part = text[max(start - at, 0) : max(end - at, 0)]
        if part:
            pieces.append((part, style))
        at += len(text)
    return tuple(pieces)


def fold(line: Line, width: int, indent: str = "", limit: int | None = None) -> list[Line]:
    """A line wrapped to `width` cells, every row after `indent`; at most `limit` rows, the last one cut."""
    text = "".join(piece for piece, _ in line)
    room = max(width - cells(indent), 2)
    spans = breaks(text, room)
    rows = [portion(line, start, end) for start, end in spans]
    if limit is not None and len(rows) > limit:
        rest = portion(line, spans[limit - 1][0], len(text))
        rows = [*rows[: limit - 1], clip(_one_line(rest), room)]
    if indent:
        rows = [((indent, "plain"), *row) for row in rows]
    return rows


def clip(line: Line, width: int) -> Line:
    """A line cut to `width` cells, with a mark where something is left out."""
    if width_of(line) <= width:
        return line
    pieces: list[Piece] = []
    room = width
    for text, style in line:
        size = cells(text)
        if size >= room:
            # Something follows, or the piece itself is too long: either way the mark must fit.
            shown = cut(text + "  ", room)
            if shown:
                pieces.append((shown, style))
            break
        pieces.append((text, style))
        room -= size
    return tuple(pieces)


def spread(left: Line, right: Line, width: int) -> Line:
    """Two lines on one row, the left one cut for the right one's sake."""
    if not right:
        return clip(left, width)
    room = width - width_of(right) - 1
    if room < 8:
        return clip(left, width)
    left = clip(left, room)
    gap = width - width_of(left) - width_of(right)
    return (*left, (" " * gap, "plain"), *right)


def joined(parts: Sequence[Line], between: Piece = ("  ", "dim")) -> Line:
    """Lines on one row with a piece between each two; empty ones are passed over."""
    pieces: list[Piece] = []
    for part in parts:
        if not part:
            continue
        if pieces:
            pieces.append(between)
        pieces.extend(part)
    return tuple(pieces)


def _one_line(line: Line) -> Line:
    return tuple((text.replace("\n", " ").replace("\t", " "), style) for text, style in line)
