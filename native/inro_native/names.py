"""The kernel that finds identifiers no run of letters and digits shows: names of several words or with signs.

- *Designation*: a word and the number after it, perhaps with a full stop or a letter between them: `iso
  9408`, `fig. 3`, `jis b 0205`. Whether the word is one that names a number is for the caller to say: `word`
  tells which.
- *Ordinal*: `第`, a number in digits or ideographs, and what it counts: `第18条`, `第十八条`.
- *DOI*: `10.`, digits, `/` and anything (ISO 26324), brackets included.
- *Signed*: a word that ends in `++` or `#`.

It reads the spans that `inro_native.spans` found in the same text. Knows no language and no keys.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from inro_native.chars import BREAK, DIGIT, HAN, HANGUL, KANA, LATIN, LETTER, SPACE
from inro_native.kernel import kernel
from inro_native.spans import (
    CODE,
    COMPOUND,
    DESIGNATION,
    DOI,
    GROUPED,
    IDENTIFIER,
    ORDINAL,
    SIGNED,
    VERBATIM,
    WORD,
    Spans,
)

MAX_DESIGNATOR: Final = 12
MAX_ORDINAL: Final = 12
NUMERALS: Final = np.array([ord(c) for c in "〇一二三四五六七八九零十百千万"], np.uint32)

_ORDINAL_SIGN: Final = ord("第")
_DOT, _COLON, _SLASH, _PLUS, _NUMBER_SIGN, _PERCENT, _QUOTE, _HYPHEN = (ord(c) for c in '.:/+#%"-')
_ARTICLE, _ZERO = ord("a"), ord("0")
_OPENING: Final = np.array([ord(c) for c in "(<["], np.uint32)
_CLOSING: Final = np.array([ord(c) for c in ")>]"], np.uint32)


class Names(NamedTuple):
    """Identifiers in text order; positions are in the folded text."""

    form: NDArray[np.uint8]
    """`spans.DESIGNATION`, `ORDINAL`, `DOI` or `SIGNED`."""
    start: NDArray[np.int32]
    end: NDArray[np.int32]
    word: NDArray[np.int64]
    """For a designation, the index of the span of its word; otherwise -1."""
    offsets: NDArray[np.int64]
    """int64[d + 1]: those of document `i` are `offsets[i]:offsets[i + 1]`."""


def scan(points: NDArray[np.uint32], classes: NDArray[np.uint8], found: Spans) -> Names:
    """The names in a text; `found` must be what `spans.scan` found in these very points."""
    # Each span begins at most one name, but for the two that a standard with its edition gives.
    size = 2 * found.start.size + 16
    out = (np.empty(size, np.uint8), np.empty(size, np.int32), np.empty(size, np.int32), np.empty(size, np.int64))
    offsets = np.zeros_like(found.offsets)
    total = _scan(points, classes, found, out, offsets)
    form, start, end, word = out
    return Names(form[:total], start[:total], end[:total], word[:total], offsets)


@kernel()
def _among(c, those):  # type: ignore[no-untyped-def]
    found = False
    for each in those:
        found |= each == c
    return found


_PUT: Final = "int64(Tuple((uint8[::1], int32[::1], int32[::1], int64[::1])), int64, int64, int64, int64, int64)"


@kernel(signature=_PUT)
def _put(out, m, form, start, end, word):  # type: ignore[no-untyped-def]
    forms, starts, ends, words = out
    forms[m] = form
    starts[m] = start
    ends[m] = end
    words[m] = word
    return m + 1


@kernel()
def _ordinal_end(points, classes, i):  # type: ignore[no-untyped-def]
    """Where the ordinal whose `第` stands at `i` ends; 0 if none does."""
    n = min(points.size, i + MAX_ORDINAL)
    at = i + 1
    if at < n and classes[points[at]] == SPACE:
        at += 1
    begin = at
    if at < n and classes[points[at]] == DIGIT:
        while at < n and classes[points[at]] == DIGIT:
            at += 1
    else:
        while at < n and _among(points[at], NUMERALS):
            at += 1
    if at == begin:
        return 0
    if at < n and classes[points[at]] == SPACE:
        at += 1
    if at < n and classes[points[at]] == HAN and not _among(points[at], NUMERALS):
        return at + 1
    return 0


@kernel()
def _doi_end(points, classes, i):  # type: ignore[no-untyped-def]
    """Where the DOI whose `10` stands at `i` ends; 0 if none does."""
    n = points.size
    if i + 3 >= n or points[i + 2] != _DOT:
        return 0
    at = i + 3
    while at < n and classes[points[at]] == DIGIT:
        at += 1
    if at - i < 7 or at >= n or points[at] != _SLASH:
        return 0
    opened = 0
    close = 0
    at += 1
    while at < n:
        c = points[at]
        kind = classes[c]
        if kind in (SPACE, BREAK, HAN, KANA, HANGUL) or c == _QUOTE:
            break
        if kind in (LATIN, LETTER, DIGIT):
            close = at + 1
        elif _among(c, _OPENING):
            opened += 1
        elif _among(c, _CLOSING):
            if opened == 0:
                break
            opened -= 1
            close = at + 1
        at += 1
    return close


@kernel()
def _signed_end(points, classes, end):  # type: ignore[no-untyped-def]
    """Where the signs after a word that ends at `end` end; 0 if there are none, or more than signs."""
    n = points.size
    if end < n and points[end] == _NUMBER_SIGN:
        close = end + 1
    elif end + 1 < n and points[end] == _PLUS and points[end + 1] == _PLUS:
        close = end + 2
    else:
        return 0
    return 0 if close < n and classes[points[close]] in (LATIN, LETTER, DIGIT) else close


@kernel()
def _designator(points, classes, start, end, form):  # type: ignore[no-untyped-def]
    """Whether a span may name a number: a short word by itself, or words joined by `/` or `-`."""
    if start > 0 and classes[points[start - 1]] in (LATIN, LETTER, DIGIT):
        return False
    if form == VERBATIM:
        return end - start <= MAX_DESIGNATOR
    for at in range(start, end):
        c = points[at]
        if classes[c] not in (LATIN, LETTER) and c != _SLASH and c != _HYPHEN:
            return False
    return end - start <= 2 * MAX_DESIGNATOR


@kernel()
def _number(points, classes, start, end, form):  # type: ignore[no-untyped-def]
    """Whether a span may be a name's number: not an amount, a share, nor a quantity with its unit."""
    if form == GROUPED or (end < points.size and points[end] == _PERCENT):
        return False
    if form == CODE and classes[points[start]] == DIGIT:
        joined = False
        for at in range(start, end):
            joined |= points[at] == _HYPHEN or points[at] == _SLASH
        return joined
    return True


@kernel()
def _number_start(points, classes, end):  # type: ignore[no-untyped-def]
    """Where the number, or the letter and number, after a word that ends at `end` begin; 0 if there are none."""
    n = points.size
    at = end
    if at < n and points[at] == _DOT:
        at += 1
    if at + 1 >= n or classes[points[at]] not in (SPACE, BREAK):
        return 0
    at += 1
    if classes[points[at]] == LATIN and at + 1 < n:
        if classes[points[at + 1]] == DIGIT:
            return at
        if classes[points[at + 1]] != SPACE or points[at] == _ARTICLE:
            return 0
        at += 2
    return at if at < n and classes[points[at]] == DIGIT else 0


@kernel()
def _scan(points, classes, found, out, offsets):  # type: ignore[no-untyped-def]
    m = np.int64(0)
    for d in range(offsets.size - 1):
        stop = found.offsets[d + 1]
        for i in range(found.offsets[d], stop):
            start, end, form = found.start[i], found.end[i], found.form[i]
            c = points[start]
            if found.kind[i] != WORD and found.kind[i] != IDENTIFIER:
                if c == _ORDINAL_SIGN and end == start + 1:
                    close = _ordinal_end(points, classes, start)
                    if close:
                        m = _put(out, m, ORDINAL, start, close, -1)
                continue
            if form == VERBATIM and end == start + 2 and c == _ZERO + 1 and points[start + 1] == _ZERO:
                close = _doi_end(points, classes, start)
                if close:
                    m = _put(out, m, DOI, start, close, -1)
                continue
            if (form != VERBATIM and form != COMPOUND) or classes[c] not in (LATIN, LETTER):
                continue
            close = _signed_end(points, classes, end)
            if close:
                m = _put(out, m, SIGNED, start, close, -1)
                continue
            if not _designator(points, classes, start, end, form):
                continue
            at = _number_start(points, classes, end)
            if not at:
                continue
            j = i + 1
            while j < stop and found.start[j] < at:
                j += 1
            # The first span that begins there is the longest.
            if j == stop or found.start[j] != at or not _number(points, classes, at, found.end[j], found.form[j]):
                continue
            m = _put(out, m, DESIGNATION, start, found.end[j], i)
            # A standard is asked for without its edition too.
            while j + 1 < stop and found.start[j + 1] == at:
                j += 1
                if points[min(found.end[j], points.size - 1)] == _COLON:
                    m = _put(out, m, DESIGNATION, start, found.end[j], i)
                    break
        offsets[d + 1] = m
    return m
