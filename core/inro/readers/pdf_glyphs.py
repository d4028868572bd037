"""The characters of a PDF page as runs in reading direction, taken from PDFium.

A page may hold text that runs right, down (vertical Japanese, or turned), left or up. Each direction is turned
so that it reads to the right and its lines follow downward; what comes after knows no other. Vertical writing
is told by how characters follow one another, since its glyphs stand upright. Knows PDFium, not paragraphs.
"""

from __future__ import annotations

import ctypes
import math
from dataclasses import dataclass
from typing import Any

from inro.readers.joining import is_cjk
from inro.readers.layout import APART, SPACE, Run, is_rtl

RIGHT, DOWN, LEFT, UP = range(4)
_STEP = 0.35
"""Gap in character heights up to which one character stands right under another: lines are further apart."""
_BESIDE = 4
"""Characters at most that stand side by side within a vertical line."""


@dataclass(slots=True)
class Glyph:
    """One character, or the few that share one place in a vertical line. y grows upward."""

    text: str
    x0: float
    y0: float
    x1: float
    y1: float
    direction: int

    @property
    def across(self) -> float:
        return self.x1 - self.x0

    @property
    def tall(self) -> float:
        return self.y1 - self.y0


def glyphs(textpage: Any) -> list[Glyph]:
    """The characters of a page in the order of its content; spaces that PDFium made up are left out."""
    import pypdfium2.raw as pdfium

    page = textpage.raw
    box = pdfium.FS_RECTF()
    place = ctypes.byref(box)
    unicode_of, box_of = pdfium.FPDFText_GetUnicode, pdfium.FPDFText_GetLooseCharBox
    angle_of, made_up, hyphen = pdfium.FPDFText_GetCharAngle, pdfium.FPDFText_IsGenerated, pdfium.FPDFText_IsHyphen
    found: list[Glyph] = []
    high = ""
    for at in range(textpage.count_chars()):
        code = unicode_of(page, at)
        if code <= 32 and (code in (10, 13) or made_up(page, at) == 1):
            continue
        if 0xD800 <= code < 0xE000:
            # older builds of PDFium give characters beyond the basic plane in two halves
            high, char = _half(high, code)
            if not char:
                continue
        elif code in (2, 0xFFFE) and hyphen(page, at) == 1:
            char = "\u0002"
        else:
            char = chr(code) if code <= 0x10FFFF else "\ufffd"
        if not box_of(page, at, place):
            continue
        angle = angle_of(page, at)
        turn = round(angle / (math.pi / 2)) % 4 if angle else RIGHT
        x0, y0, x1, y1 = box.left, box.bottom, box.right, box.top
        found.append(Glyph(char, min(x0, x1), min(y0, y1), max(x0, x1), max(y0, y1), turn))
    return found


def _half(high: str, code: int) -> tuple[str, str]:
    if code < 0xDC00:
        return chr(code), ""
    if not high:
        return "", "\ufffd"
    return "", chr(0x10000 + ((ord(high) - 0xD800) << 10) + (code - 0xDC00))


def runs(found: list[Glyph]) -> dict[int, list[Run]]:
    """The runs of each direction that the page has, the one with most text first."""
    sheet = _stand_vertical(found)
    parts: dict[int, list[Glyph]] = {}
    for glyph in sheet:
        parts.setdefault(glyph.direction, []).append(glyph)
    order = sorted(parts, key=lambda d: -len(parts[d]))
    return {direction: _joined(parts[direction]) for direction in order}


def _stand_vertical(found: list[Glyph]) -> list[Glyph]:
    """The glyphs with those of vertical lines marked as running down."""
    if not any(glyph.text > "\u2e7f" for glyph in found):
        return found
    chains: list[list[int]] = []
    last: int | None = None
    for at, glyph in enumerate(found):
        if glyph.direction != RIGHT:
            last = None
            continue
        if last is not None and _under(found[last], glyph):
            chains[-1].append(at)
        else:
            chains.append([at])
        last = at
    upright = [c for c in chains if len(c) >= 3 and 2 * sum(is_cjk(found[i].text) for i in c) >= len(c)]
    if not upright:
        return found
    standing = {i for chain in upright for i in chain}
    cjk = [i for i, g in enumerate(found) if is_cjk(g.text) and g.direction == RIGHT]
    if 2 * len(standing) >= len(cjk):
        _take_rest(found, chains, standing)
    made: list[Glyph] = []
    for at, glyph in enumerate(found):
        if at not in standing:
            made.append(glyph)
        elif (
            made
            and at - 1 in standing
            and made[-1].direction == DOWN
            and not _under(made[-1], glyph)
            and abs(made[-1].y0 - glyph.y0) < 0.5 * glyph.tall
            and len(made[-1].text) < _BESIDE
            and 0 <= glyph.x0 - made[-1].x1 + 0.1 * glyph.tall < 0.5 * glyph.tall
        ):
            before = made[-1]
            before.text += glyph.text
            before.x1 = max(before.x1, glyph.x1)
            before.y0, before.y1 = min(before.y0, glyph.y0), max(before.y1, glyph.y1)
        else:
            glyph.direction = DOWN
            made.append(glyph)
    return made


def _take_rest(found: list[Glyph], chains: list[list[int]], standing: set[int]) -> None:
    """On a vertical page, short pieces between vertical lines' characters belong to these lines.

    Numbers set side by side within a line, and the last character or two of a paragraph.
    """
    tracks = [
        (
            min(found[i].x0 for i in c),
            max(found[i].x1 for i in c),
            min(found[i].y0 for i in c),
            max(found[i].y1 for i in c),
        )
        for c in chains
        if c[0] in standing
    ]
    top = max(track[3] for track in tracks)
    rest: list[list[int]] = []
    for chain in chains:
        if chain[0] in standing:
            continue
        before = found[rest[-1][-1]] if rest else None
        first = found[chain[0]]
        if (
            before is not None
            and rest[-1][-1] == chain[0] - 1
            and abs(before.y0 - first.y0) < 0.4 * first.tall
            and -0.2 * first.tall <= first.x0 - before.x1 < first.tall
        ):
            rest[-1].extend(chain)
        else:
            rest.append(list(chain))
    for group in rest:
        if len(group) > _BESIDE:
            continue
        x0, x1 = min(found[i].x0 for i in group), max(found[i].x1 for i in group)
        y0, y1 = min(found[i].y0 for i in group), max(found[i].y1 for i in group)
        em = y1 - y0
        inside = any(
            a - 0.4 * em <= x0 and x1 <= b + 0.4 * em and c - 2 * em <= y1 and y0 <= d + 2 * em for a, b, c, d in tracks
        )
        alone = len(group) <= 2 and all(is_cjk(found[i].text) for i in group) and abs(y1 - top) < em
        if inside or alone:
            standing.update(group)


def _under(before: Glyph, glyph: Glyph) -> bool:
    """Whether the second character stands right under the first."""
    height = max(glyph.tall, 0.1)
    gap = before.y0 - glyph.y1
    shared = min(before.x1, glyph.x1) - max(before.x0, glyph.x0)
    return -0.4 * height <= gap <= _STEP * height and shared > 0.5 * min(before.across, glyph.across)


def _turned(glyph: Glyph) -> tuple[float, float, float, float]:
    """x0, y0, x1, y1 of the glyph turned so that it reads to the right and y grows downward."""
    direction = glyph.direction
    if direction == RIGHT:
        return glyph.x0, -glyph.y1, glyph.x1, -glyph.y0
    if direction == DOWN:
        return -glyph.y1, -glyph.x1, -glyph.y0, -glyph.x0
    if direction == LEFT:
        return -glyph.x1, glyph.y0, -glyph.x0, glyph.y1
    return glyph.y0, glyph.x0, glyph.y1, glyph.x1


def _joined(letters: list[Glyph]) -> list[Run]:
    """Letters that follow one another without a wide gap as one run, with spaces where a gap is one.

    Written out in plain numbers: it runs for every character of every page.
    """
    made: list[Run] = []
    text: list[str] = []
    heights: list[float] = []
    x0 = y0 = x1 = y1 = 0.0

    def end() -> None:
        if heights:
            made.append(Run("".join(text), x0, y0, x1, y1, sorted(heights)[len(heights) // 2]))

    for letter in letters:
        char = letter.text
        a0, b0, a1, b1 = _turned(letter)
        high = b1 - b0
        tall = max(y1 - y0, high, 0.1)
        backward = char > "\u0590" and is_rtl(char)
        gap = x0 - a1 if backward else a0 - x1
        follows = bool(heights) and -0.5 * tall < gap < APART * tall and abs(y0 + y1 - b0 - b1) <= tall
        if char.isspace():
            if follows and text[-1] != " ":
                text.append(" ")
                x1 = max(x1, a1)
            continue
        if not follows:
            end()
            text, heights = [char], [high]
            x0, y0, x1, y1 = a0, b0, a1, b1
            continue
        wide = (char > "\u1100" and is_cjk(char)) or (text[-1] > "\u1100" and is_cjk(text[-1][-1]))
        if gap > SPACE * (y1 - y0) * (2 if wide else 1) and text[-1] != " ":
            text.append(" ")
        text.append(char)
        heights.append(high)
        x0, y0, x1, y1 = min(x0, a0), min(y0, b0), max(x1, a1), max(y1, b1)
    end()
    return made
