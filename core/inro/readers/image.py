"""Pictures and scans: PNG, JPEG, TIFF, WebP, BMP and GIF, read by the text on them.

Frames of a TIFF are pages. A picture's size is looked at before its pixels are unpacked. Turned photographs are
set upright first.
"""

from __future__ import annotations

import io
import warnings
from typing import TYPE_CHECKING, Any

from inro.errors import Unreadable
from inro.readers.allowance import allowance
from inro.readers.ocr import LONGEST_SIDE, recognise
from inro.readers.paragraphs import Paragraph, assemble, connected, paragraphs
from inro.readers.reader import Reader, stem_of
from inro.records import Reading

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_MOST_PIXELS = 120_000_000
_FORMATS = ("PNG", "JPEG", "TIFF", "WEBP", "BMP", "GIF")
_TAKEN = 36867
"""EXIF: when the original was made."""


def read(data: bytes, name: str, encoding: str | None = None) -> Reading:
    """Read a picture. Raises `Unreadable` if it is damaged or too large, or text in it cannot be recognised."""
    from PIL import Image, UnidentifiedImageError

    granted = allowance()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            image = Image.open(io.BytesIO(data), formats=_FORMATS)
    except (UnidentifiedImageError, Image.DecompressionBombError, OSError, ValueError, SyntaxError) as e:
        raise _damaged(name) from e
    with image:
        if not granted.recognise:
            return _without_text(
                name, "text in pictures is not recognised", 'set ocr = "auto" in the settings, then inro sync --full'
            )
        pages, read_frames, total = _frames(image, name)
        fields = _fields(image)
    made = connected(pages)
    text, blocks = assemble(made)
    cut = f"read {read_frames:,} of {total:,} pages in the time for its size" if read_frames < total else ""
    if not text and not cut:
        return _without_text(name, "a picture without text", "")
    return Reading(
        text=text,
        title=stem_of(name),
        blocks=blocks,
        reader=READER.id,
        fields=fields,
        encoding="",
        outcome="partial" if cut else "ok",
        reason=cut,
        mend="split it into smaller files" if cut else "",
    )


def _without_text(name: str, reason: str, mend: str) -> Reading:
    return Reading("", stem_of(name), (), READER.id, encoding="", outcome="skipped", reason=reason, mend=mend)


def _damaged(name: str) -> Unreadable:
    return Unreadable(f"damaged, or no picture: {name}", "open it with another program and save it anew")


def _frames(image: Any, name: str) -> tuple[list[list[Paragraph]], int, int]:
    """The paragraphs of each frame there was time for, how many these are, and how many there are."""
    from PIL import Image

    # the frames of an animation are one picture; those of a TIFF are pages
    total = getattr(image, "n_frames", 1) if image.format == "TIFF" else 1
    pages: list[list[Paragraph]] = []
    for number in range(total):
        if allowance().spent:
            break
        try:
            image.seek(number)
            pixels = _pixels(image)
        except (OSError, ValueError, SyntaxError, EOFError, Image.DecompressionBombError) as e:
            if number:
                break
            raise _damaged(name) from e
        pages.append(paragraphs(recognise(pixels, allowance().threads), number + 1))
    return pages, len(pages), total


def _pixels(image: Any) -> NDArray[np.uint8]:
    """The frame as it is shown, on white, at most twice as large as the models can see: uint8[h, w, 3]."""
    import numpy as np
    from PIL import Image, ImageOps

    if image.width * image.height > _MOST_PIXELS:
        raise Unreadable(
            f"{image.width:,} by {image.height:,} pixels are too many",
            "save it smaller, or exclude it with .inroignore",
        )
    most = 2 * LONGEST_SIDE
    if image.format == "JPEG":
        image.draft("RGB", (most, most))
    frame = ImageOps.exif_transpose(image)
    if frame.mode in ("RGBA", "LA", "PA", "P"):
        frame = frame.convert("RGBA")
        frame = Image.alpha_composite(Image.new("RGBA", frame.size, "white"), frame)
    elif frame.mode.startswith("I") or frame.mode == "F":
        deep = np.asarray(frame, np.float32)
        span = float(deep.max() - deep.min()) or 1.0
        frame = Image.fromarray(((deep - deep.min()) * (255.0 / span)).astype(np.uint8))
    frame = frame.convert("RGB")
    frame.thumbnail((most, most))
    return np.asarray(frame, np.uint8)


def _fields(image: Any) -> dict[str, tuple[str, ...]]:
    try:
        taken = image.getexif().get_ifd(0x8769).get(_TAKEN)
    except (OSError, ValueError, SyntaxError, KeyError, TypeError, AttributeError):
        return {}
    if isinstance(taken, str) and len(taken) >= 10 and taken[:4].isdigit():
        return {"date": (taken[:10].replace(":", "-"),)}
    return {}


READER = Reader(
    "image", 1, frozenset({".png", ".jpg", ".jpeg", ".tif", ".tiff", ".webp", ".bmp", ".gif"}), read, isolated=True
)
