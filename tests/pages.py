"""PDFs and pictures of pages, made on the spot: Japanese set across and down, columns, scans, damage."""

from __future__ import annotations

import io
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

WIDTH, HEIGHT = 595.0, 842.0
MINCHO = "HeiseiMin-W3"
MINCHO_DOWN = "HeiseiMin-W3-Down"

Draw = Callable[[Any], None]


@cache
def _fonts() -> None:
    """The two CID fonts; they need no file, since a viewer brings its own."""
    from reportlab.pdfbase import pdfmetrics
    from reportlab.pdfbase.cidfonts import UnicodeCIDFont

    down = UnicodeCIDFont(MINCHO, isVertical=True)
    down.name = down.fontName = MINCHO_DOWN
    pdfmetrics.registerFont(UnicodeCIDFont(MINCHO))
    pdfmetrics.registerFont(down)


def pdf(*pages: Draw, password: str | None = None, **properties: str) -> bytes:
    """A PDF of pages that the functions draw; properties are `title`, `author` and the like."""
    from reportlab.pdfgen import canvas

    _fonts()
    out = io.BytesIO()
    sheet = canvas.Canvas(out, pagesize=(WIDTH, HEIGHT), encrypt=password, invariant=True)
    for key, value in properties.items():
        getattr(sheet, f"set{key.capitalize()}")(value)
    for draw in pages:
        draw(sheet)
        sheet.showPage()
    sheet.save()
    return out.getvalue()


def wrapped(text: str, width: int) -> list[str]:
    """Text cut every so many characters, wherever that is."""
    return [text[at : at + width] for at in range(0, len(text), width)]


def across(
    lines: Sequence[str],
    x: float = 72.0,
    y: float = 760.0,
    *,
    size: float = 11.0,
    font: str = MINCHO,
    step: float = 1.5,
) -> Draw:
    """Lines from left to right, one under the other."""

    def draw(sheet: Any) -> None:
        sheet.setFont(font, size)
        for n, line in enumerate(lines):
            sheet.drawString(x, y - n * step * size, line)

    return draw


def down(lines: Sequence[str], x: float = 520.0, y: float = 760.0, *, size: float = 12.0) -> Draw:
    """Lines from top to bottom, the first on the right."""

    def draw(sheet: Any) -> None:
        sheet.setFont(MINCHO_DOWN, size)
        for n, line in enumerate(lines):
            sheet.drawString(x - n * 1.7 * size, y, line)

    return draw


def picture(pixels: NDArray[np.uint8], x: float, y: float, width: float, height: float) -> Draw:
    """A picture with its lower left corner at x, y."""
    from PIL import Image
    from reportlab.lib.utils import ImageReader

    def draw(sheet: Any) -> None:
        sheet.drawImage(ImageReader(Image.fromarray(pixels)), x, y, width, height)

    return draw


def both(*draws: Draw) -> Draw:
    """All of these on one page."""

    def draw(sheet: Any) -> None:
        for one in draws:
            one(sheet)

    return draw


def scan(
    lines: Sequence[str], *, width: int = 900, height: int = 740, size: int = 38, down: bool = False
) -> NDArray[np.uint8]:
    """A page of printed text as a scanner gives it, a little grey and noisy: uint8[height, width, 3].

    `down`: set in lines from top to bottom, the first on the right.
    """
    from noto_cjk_sans_jp_regular import FONT_PATH
    from PIL import Image, ImageDraw, ImageFont

    page = Image.new("RGB", (width, height), (250, 249, 245))
    pen = ImageDraw.Draw(page)
    font = ImageFont.truetype(str(FONT_PATH), size)
    for n, line in enumerate(lines):
        for at, part in enumerate(line if down else [line]):
            place = (width - 100 - 2 * n * size, 60 + at * 1.1 * size) if down else (60, 60 + 2 * n * size)
            pen.text(place, part, font=font, fill=(30, 30, 34))
    noise = np.random.default_rng(7).integers(-5, 6, (height, width, 3))
    grainy: NDArray[np.uint8] = np.clip(np.asarray(page, np.int16) + noise, 0, 255).astype(np.uint8)
    return grainy


def encoded(pixels: NDArray[np.uint8], kind: str, **options: Any) -> bytes:
    """A picture file of that kind: `PNG`, `TIFF` …"""
    from PIL import Image

    out = io.BytesIO()
    Image.fromarray(pixels).save(out, kind, **options)
    return out.getvalue()
