"""Where words and sentences may end, from ICU.

Rule: Unicode's text segmentation (UAX #29) in ICU's root locale, with its dictionaries for Chinese, Japanese,
Thai, Lao, Khmer and Burmese; offsets are code points. Knows nothing of what is done with the pieces.
"""

from __future__ import annotations

import threading
from typing import Final, Literal

import icu
import numpy as np
from numpy.typing import NDArray

Unit = Literal["word", "sentence", "character"]

VERSIONS: Final = f"icu-{icu.ICU_VERSION} unicode-{icu.UNICODE_VERSION}"
"""What boundaries depend on besides the text."""

_MAKERS: Final = {
    "word": icu.BreakIterator.createWordInstance,
    "sentence": icu.BreakIterator.createSentenceInstance,
    "character": icu.BreakIterator.createCharacterInstance,
}
# An ICU iterator holds its text and its place, so each thread has its own.
_OWN = threading.local()


def bounds(text: str, unit: Unit = "word") -> NDArray[np.int64]:
    """int64[b], rising: 0, every boundary, and the length of the text; [0] for an empty text.

    Raises `ValueError` for a text with lone surrogates.
    """
    made = getattr(_OWN, unit, None)
    if made is None:
        made = _MAKERS[unit](icu.Locale.getRoot())
        setattr(_OWN, unit, made)
    try:
        made.setText(text)
        found = np.fromiter(made, np.int64)
        made.setText("")
    except icu.ICUError as e:
        raise ValueError("a lone surrogate in a text to be segmented") from e
    # ICU counts UTF-16 units.
    units = len(text) if text.isascii() else len(text.encode("utf-16-le")) // 2
    if units != len(text):
        found = _code_point_offsets(text)[found]
    return np.concatenate((np.zeros(1, np.int64), found))


def _code_point_offsets(text: str) -> NDArray[np.int64]:
    """For each UTF-16 offset, the number of code points that begin before it."""
    units = np.frombuffer(text.encode("utf-16-le"), np.uint16)
    begins = (units & 0xFC00) != 0xDC00
    return np.concatenate((np.zeros(1, np.int64), np.cumsum(begins)))
