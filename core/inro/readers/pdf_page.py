"""One page of a PDF: its lines in reading order, what is noted on it, and what its pictures say.

Text comes from the page's characters where they are sound. Where they are not, or where there is ink and no
text, the page is looked at like a scan, if that is allowed; otherwise it says what is wrong with it. Pictures on
a page with text are looked at where no text covers them, each content once a document.
"""

from __future__ import annotations

import ctypes
import hashlib
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from inro.readers.allowance import allowance
from inro.readers.layout import Line, lines
from inro.readers.ocr import LONGEST_SIDE, recognise
from inro.readers.pdf_extras import PageLink, page_links
from inro.readers.pdf_glyphs import DOWN, Glyph, glyphs, runs
from inro.readers.quality import fault

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_MOST_CHARACTERS = 200_000
"""On one page; a page with more is a trick or a map."""
_MOST_NOTES = 500
_MOST_OBJECTS = 5000
_MOST_FIGURES = 6
_LEAST_FIGURE = (72.0, 24.0)
"""Points of the longer and of the shorter side of a picture that may hold text worth reading."""
_FEW = 3
"""Characters over a picture, or on a page, that are as good as none."""
_LARGEST_SCALE = 4.0
_NO_BREADTH = 0.01
"""Points; PDFium passes such text over."""
_UNSEEN = 0.2
_INK = 0.0004
"""Share of a page's points that differ from its ground where there is something on it."""


NO_FONT = "text in a font that neither the file nor this machine has"
"""Vertical text that PDFium can neither tell nor draw: looking at the page would not help."""


@dataclass(slots=True)
class PageText:
    """What one page holds."""

    lines: list[Line] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    """Annotations and filled-in fields, each a text."""
    links: list[PageLink] = field(default_factory=list)
    figures: list[list[Line]] = field(default_factory=list)
    """The text of each picture that was looked at."""
    fault: str = ""
    """Why the page, or a picture on it, has no text although there is something."""


def read_page(page: Any, seen: set[bytes]) -> PageText:
    """Read a page; `seen` holds the contents of the pictures read before in this document."""
    textpage = page.get_textpage()
    try:
        if textpage.count_chars() > _MOST_CHARACTERS:
            return PageText(fault=f"more than {_MOST_CHARACTERS:,} characters on one page")
        found = glyphs(textpage)
    finally:
        textpage.close()
    result = PageText(notes=_notes(page), links=page_links(page))
    places = [((g.x0 + g.x1) / 2, (g.y0 + g.y1) / 2) for g in found if not g.text.isspace()]
    result.fault = fault("".join(g.text for g in found))
    if not result.fault:
        result.lines = _lines(found)
    if not result.fault and (not places or any(g.direction == DOWN for g in found)) and _has_unseen_text(page):
        result.fault = NO_FONT
        return result
    pictures = _pictures(page)
    bare = len(places) <= _FEW and not result.fault
    if result.fault or (bare and (pictures or _has_ink(page))):
        _look_at_all(page, result, pictures, bare)
    elif pictures:
        _look_at(page, result, pictures, places, seen)
    return result


def _has_unseen_text(page: Any) -> bool:
    """Whether a good part of the text has no breadth: it is set down in a font that is not there.

    A blank set down has none either, but is short.
    """
    import pypdfium2
    import pypdfium2.raw as pdfium

    unseen = whole = 0.0
    for at, item in enumerate(page.get_objects(filter=(pdfium.FPDF_PAGEOBJ_TEXT,), max_depth=3)):
        if at >= _MOST_OBJECTS:
            break
        try:
            x0, y0, x1, y1 = item.get_bounds()
        except pypdfium2.PdfiumError:
            continue
        whole += y1 - y0
        if x1 - x0 < _NO_BREADTH:
            unseen += y1 - y0
    return unseen > _UNSEEN * whole > 0


def _lines(found: list[Glyph]) -> list[Line]:
    made: list[Line] = []
    for part in runs(found).values():
        first = made[-1].column + 1 if made else 0
        for line in lines(part):
            line.column += first
            made.append(line)
    return made


def _look_at_all(page: Any, result: PageText, pictures: list[_Picture], bare: bool) -> None:
    """Read the page as a scan; what cannot be is told in its fault."""
    reason = result.fault or "a page of ink without text"
    if not allowance().recognise:
        result.fault = reason
        return
    scale = _scale(page)
    seen = recognise(_render(page, scale), allowance().threads, scale)
    if seen:
        result.lines = seen
    # a drawing or a photograph without words is read in full; broken text that cannot be seen either is not
    result.fault = "" if seen or bare else reason


@dataclass(frozen=True, slots=True)
class _Picture:
    x0: float
    y0: float
    x1: float
    y1: float
    content: bytes


def _pictures(page: Any) -> list[_Picture]:
    """The pictures of a page that are large enough to hold text. y grows upward."""
    import pypdfium2
    import pypdfium2.raw as pdfium

    made: list[_Picture] = []
    for at, item in enumerate(page.get_objects(filter=(pdfium.FPDF_PAGEOBJ_IMAGE,), max_depth=3)):
        if at >= _MOST_OBJECTS:
            break
        try:
            x0, y0, x1, y1 = item.get_bounds()
        except pypdfium2.PdfiumError:
            continue
        sides = sorted((x1 - x0, y1 - y0))
        if sides[1] >= _LEAST_FIGURE[0] and sides[0] >= _LEAST_FIGURE[1]:
            made.append(_Picture(x0, y0, x1, y1, _content(item)))
    return made


def _content(item: Any) -> bytes:
    """What tells one picture from another: its stored bytes."""
    import pypdfium2.raw as pdfium

    size = pdfium.FPDFImageObj_GetImageDataRaw(item, None, 0)
    stored = ctypes.create_string_buffer(max(size, 1))
    pdfium.FPDFImageObj_GetImageDataRaw(item, stored, size)
    return hashlib.blake2b(stored.raw[:size], digest_size=16).digest()


def _look_at(
    page: Any, result: PageText, pictures: list[_Picture], places: list[tuple[float, float]], seen: set[bytes]
) -> None:
    """Read the pictures that no text covers and that were not read before."""
    fresh = []
    for picture in pictures:
        covered = sum(1 for x, y in places if picture.x0 <= x <= picture.x1 and picture.y0 <= y <= picture.y1)
        if covered <= _FEW and picture.content not in seen:
            seen.add(picture.content)
            fresh.append(picture)
    if not fresh or not allowance().recognise:
        return
    scale = _scale(page)
    sheet = _render(page, scale)
    for picture in fresh[:_MOST_FIGURES]:
        if allowance().spent:
            break
        x0, y0, x1, y1 = _on_sheet(page, picture, scale, sheet.shape)
        if x1 > x0 and y1 > y0:
            told = recognise(sheet[y0:y1, x0:x1], allowance().threads, scale)
            if told:
                result.figures.append(told)


def _on_sheet(page: Any, picture: _Picture, scale: float, shape: tuple[int, ...]) -> tuple[int, int, int, int]:
    """Where a picture is on the rendered page, in pixels: x0, y0, x1, y1."""
    import pypdfium2.raw as pdfium

    width, height = page.get_size()
    corners = []
    x, y = ctypes.c_int(), ctypes.c_int()
    for px, py in ((picture.x0, picture.y0), (picture.x1, picture.y1)):
        pdfium.FPDF_PageToDevice(page, 0, 0, round(width * scale), round(height * scale), 0, px, py, x, y)
        corners.append((x.value, y.value))
    xs, ys = sorted(c[0] for c in corners), sorted(c[1] for c in corners)
    return max(xs[0], 0), max(ys[0], 0), min(xs[1], shape[1]), min(ys[1], shape[0])


def _scale(page: Any) -> float:
    """Pixels a point at which the page's longer side is as long as the models can see."""
    return float(min(LONGEST_SIDE / max(*page.get_size(), 1.0), _LARGEST_SCALE))


def _render(page: Any, scale: float, *, grey: bool = False) -> NDArray[np.uint8]:
    """The page as it is shown: uint8[h, w, 3] in RGB, or uint8[h, w]."""
    import numpy as np

    bitmap = page.render(scale=scale, rev_byteorder=True, prefer_bgrx=False, grayscale=grey, may_draw_forms=False)
    try:
        pixels: NDArray[np.uint8] = np.array(bitmap.to_numpy(), np.uint8)
    finally:
        bitmap.close()
    if grey:
        return pixels.reshape(pixels.shape[0], pixels.shape[1], -1)[:, :, 0]
    if pixels.ndim == 2 or pixels.shape[2] == 1:
        return np.repeat(pixels.reshape(*pixels.shape[:2], 1), 3, axis=2)
    return np.ascontiguousarray(pixels[:, :, :3])


def _has_ink(page: Any) -> bool:
    import numpy as np

    pixels = _render(page, min(_scale(page), 0.5), grey=True).astype(np.int16)
    if not pixels.size:
        return False
    return bool((np.abs(pixels - np.median(pixels)) > 60).mean() > _INK)


def _notes(page: Any) -> list[str]:
    """What people wrote on the page: notes, comments, filled-in fields. Links and marks alone say nothing."""
    import pypdfium2.raw as pdfium

    made: list[str] = []
    for at in range(min(pdfium.FPDFPage_GetAnnotCount(page), _MOST_NOTES)):
        note = pdfium.FPDFPage_GetAnnot(page, at)
        if not note:
            continue
        try:
            kind = pdfium.FPDFAnnot_GetSubtype(note)
            if kind in (pdfium.FPDF_ANNOT_POPUP, pdfium.FPDF_ANNOT_LINK):
                continue
            if kind == pdfium.FPDF_ANNOT_WIDGET:
                key, text = _string(note, b"T"), _string(note, b"V")
            else:
                key, text = _string(note, b"T"), _string(note, b"Contents")
            if text and text not in ("Off", "Yes"):
                made.append(f"{key}: {text}" if key else text)
        finally:
            pdfium.FPDFPage_CloseAnnot(note)
    return list(dict.fromkeys(made))


def _string(note: Any, key: bytes) -> str:
    """A text entry of an annotation, without control characters."""
    import pypdfium2.raw as pdfium

    size = pdfium.FPDFAnnot_GetStringValue(note, key, None, 0)
    if size <= 2:
        return ""
    stored = (ctypes.c_ushort * (size // 2 + 1))()
    pdfium.FPDFAnnot_GetStringValue(note, key, stored, size)
    text = bytes(stored)[: size - 2].decode("utf-16-le", "replace").replace("\r", "\n")
    return "".join(c for c in text if c.isprintable() or c == "\n").strip()
