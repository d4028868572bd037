"""The one form of a text in which things that look or mean alike are spelt alike, and the way back.

Rule, in this order:

1. a lone surrogate becomes U+FFFD, a zero width space becomes a line end (both one code point for one);
2. NFKC with case folding and without default-ignorable characters (Unicode's `NFKC_Casefold`, from ICU);
3. a line end between two ideographs or kana, with the blanks around it, is taken out: the line wrapped inside
   a word. A blank line is a boundary and stays;
4. one for one, for keys only: katakana to hiragana, every hyphen and minus sign to `-`, every apostrophe to
   `'`, every decimal digit to ASCII. Words are broken before this step, since a dictionary wants kana as
   written;
5. one for one, for keys only and only if asked for: Han characters to the form they meet in
   (`inro_native.han`).

`fold` keeps, for each folded code point, the span of original code points it came from; `normalise` and
`unwrap` are the same steps in bulk, without the map. Knows nothing of words or languages.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

import icu
import numpy as np
from numpy.typing import NDArray

from inro_native import chars, han
from inro_native.kernel import kernel

_NFKC_CF: Final = icu.Normalizer2.getInstance(None, "nfkc_cf", icu.UNormalizationMode2.COMPOSE)
_SURROGATE: Final = re.compile("[\ud800-\udfff]")
_ZERO_WIDTH_SPACE: Final = "\u200b"
_LINE_SEPARATOR: Final = "\u2028"

_HYPHENS: Final = r"[[:Dash:]-[\u2014\u2015\u2E3A\u2E3B\u301C\u3030\u30A0\uFE31\uFE32\uFE58\u2E5D]]"
_APOSTROPHES: Final = "\u2018\u2019\u201b\u02bc\u02b9\u2032\u0060\u00b4"
BMP: Final = 0x10000


@dataclass(frozen=True, slots=True, eq=False)
class Folded:
    """A folded text with its way back: `chars[i]` came from `original[start[i]:end[i]]`."""

    text: str
    """Steps 1 to 3."""
    chars: NDArray[np.uint32]
    """uint32[n], the code points of `text`."""
    start: NDArray[np.uint32]
    """uint32[n], never falling."""
    end: NDArray[np.uint32]
    """uint32[n], never falling."""

    def original(self, start: int, end: int) -> tuple[int, int]:
        """The span of the original that `text[start:end]`, not empty, came from."""
        if not 0 <= start < end <= self.chars.size:
            raise ValueError(f"not a span of {self.chars.size} folded characters: {start}, {end}")
        return int(self.start[start]), int(self.end[end - 1])


@lru_cache(maxsize=1)
def key_forms() -> NDArray[np.uint16]:
    """uint16[0x10000], read-only: step 4 for the Basic Multilingual Plane; beyond it nothing changes."""
    table = np.arange(BMP, dtype=np.uint16)
    hiragana = np.arange(0x3041, 0x3097, dtype=np.uint16)
    table[hiragana + 0x60] = hiragana
    table[ord("ヽ")], table[ord("ヾ")] = ord("ゝ"), ord("ゞ")
    # ヶ and ケ are the same counter and the same place-name particle; so are ヵ and カ.
    table[[ord("ヶ"), ord("ゖ")]] = ord("け")
    table[[ord("ヵ"), ord("ゕ")]] = ord("か")
    for first, last in chars.members(_HYPHENS):
        if first < BMP:
            table[first : min(last, BMP - 1) + 1] = ord("-")
    table[[ord(c) for c in _APOSTROPHES]] = ord("'")
    for first, last in chars.members("[:Nd:]"):
        if first < BMP:
            digits = np.arange(first, last + 1)
            table[digits] = [ord("0") + int(chr(d)) if chr(d).isdecimal() else d for d in digits]
    table.flags.writeable = False
    return table


def normalise(text: str) -> str:
    """Steps 1 and 2."""
    if text.isascii():
        return text.lower()
    return str(_NFKC_CF.normalize(_presentable(text)))


def unwrap(points: NDArray[np.uint32]) -> NDArray[np.int64]:
    """Step 3: the indices that stay, int64[m]; all of them when no line wraps inside a word."""
    kept = np.empty(points.size, np.int64)
    return kept[: _unwrap(points, chars.classes(), kept)]


def fold(text: str) -> Folded:
    """Steps 1 to 3 with the way back."""
    normal = normalise(text)
    points = chars.code_points(normal)
    if text.isascii():
        start, end = _identity(points.size)
    else:
        start, end = _spans(_presentable(text), normal)
    kept = unwrap(points)
    if kept.size != points.size:
        points, start, end = points[kept], start[kept], end[kept]
        normal = chars.string(points)
    return Folded(normal, points, start, end)


def key_form(points: NDArray[np.uint32], meeting: han.Meeting = "none") -> NDArray[np.uint32]:
    """Steps 4 and 5: uint32[n] of the same length."""
    keyed = np.where(points < BMP, key_forms()[points & (BMP - 1)], points).astype(np.uint32, copy=False)
    return keyed if meeting == "none" else han.forms(meeting)[keyed]


def _presentable(text: str) -> str:
    try:
        text.encode()
    except UnicodeEncodeError:
        text = _SURROGATE.sub("\ufffd", text)
    return text.replace(_ZERO_WIDTH_SPACE, _LINE_SEPARATOR)


def _identity(n: int) -> tuple[NDArray[np.uint32], NDArray[np.uint32]]:
    start = np.arange(n, dtype=np.uint32)
    return start, start + np.uint32(1)


# What is known of each character's own normalisation, filled as characters are met: 255 is "not met yet",
# 254 is "joins what stands before it", any other value is the length of its normal form.
_LENGTHS: Final = np.full(chars.CODE_POINTS, 255, np.uint8)
_LENGTHS[:128] = 1


def _spans(text: str, normal: str) -> tuple[NDArray[np.uint32], NDArray[np.uint32]]:
    """For each code point of `normal`, the span of `text` it came from.

    A text falls into pieces at the characters that never combine with what stands before them, and its normal
    form is the pieces' normal forms in a row. A piece of one character is looked up; a longer one is
    normalised alone.
    """
    if text == normal:
        return _identity(len(text))
    points = chars.code_points(text)
    lengths = _LENGTHS[points]
    if (lengths == 255).any():
        for point in np.unique(points[lengths == 255]):
            character = chr(point)
            _LENGTHS[point] = len(_NFKC_CF.normalize(character)) if _NFKC_CF.hasBoundaryBefore(character) else 254
        lengths = _LENGTHS[points]
    heads = lengths != 254
    heads[:1] = True
    first = np.flatnonzero(heads)
    last = np.append(first[1:], points.size)
    produced = lengths[first].astype(np.int64)
    for i in np.flatnonzero((last - first > 1) | (produced == 254)):
        produced[i] = len(_NFKC_CF.normalize(text[first[i] : last[i]]))
    if int(produced.sum()) != len(normal):
        raise AssertionError("pieces of a text normalise otherwise than the whole")
    return np.repeat(first, produced).astype(np.uint32), np.repeat(last, produced).astype(np.uint32)


@kernel()
def _unwrap(points, classes, kept):  # type: ignore[no-untyped-def]
    n = points.size
    m = 0
    i = 0
    while i < n:
        kind = classes[points[i]]
        if kind != chars.SPACE and kind != chars.BREAK:
            kept[m] = i
            m += 1
            i += 1
            continue
        j = i
        breaks = 0
        while j < n:
            kind = classes[points[j]]
            if kind == chars.BREAK:
                # A form feed is a page end, not a wrap; a carriage return and a line feed are one line end.
                breaks += 2 if points[j] == 12 else 1
                if points[j] == 13 and j + 1 < n and points[j + 1] == 10:
                    j += 1
            elif kind != chars.SPACE:
                break
            j += 1
        wrapped = breaks == 1 and m > 0 and j < n
        if wrapped:
            before = classes[points[kept[m - 1]]]
            after = classes[points[j]]
            wrapped = (before == chars.HAN or before == chars.KANA) and (after == chars.HAN or after == chars.KANA)
        if not wrapped:
            for k in range(i, j):
                kept[m] = k
                m += 1
        i = j
    return m
