"""How the lines of a paragraph become one text: what stands between the end of a line and the next beginning.

In Chinese and Japanese a line ends anywhere, so nothing stands there; in scripts that write spaces a space does,
unless the line ends in a hyphen that only the line's end put there. Knows lines, not pages.
"""

from __future__ import annotations

import unicodedata

HYPHENS = "-\u2010\u00ad\u0002"
"""What a word broken at a line's end carries; the last is what PDFium gives for one it recognised itself."""
_SOFT = "\u00ad\u0002"
_ENDS = "。．！？!?…」』）】"


def join(before: str, after: str) -> str:
    """`before`, a line's end undone, and `after`."""
    before, after = before.rstrip(), after.lstrip()
    if not before or not after:
        return before + after
    last = before[-1]
    if last in HYPHENS and len(before) > 1 and not before[-2].isspace():
        inside = before[-2].isalpha() and after[0].isalpha()
        if inside and (last in _SOFT or (after[0].islower() and before[-2].islower())):
            return before[:-1] + after
        return before[:-1] + ("-" if last in _SOFT else last) + after
    return before + ("" if _unspaced(last) or _unspaced(after[0]) else " ") + after


def ends_sentence(text: str) -> bool:
    """Whether a paragraph may end here."""
    end = text.rstrip()[-1:]
    return not end or end in _ENDS or end in ".:：;；"


def first_sentence(text: str) -> int:
    """The length of what belongs to a sentence begun before `text`; 0 where no end is near."""
    for at, char in enumerate(text[:600]):
        if char in "。！？!?．":
            end = at + 1
            while end < len(text) and text[end] in _ENDS:
                end += 1
            return end
        if char == "." and text[at + 1 : at + 2] in ("", " "):
            return at + 1
    return 0


def _unspaced(char: str) -> bool:
    """Whether the character belongs to a script, or punctuation of one, that writes no spaces."""
    return is_cjk(char) and not "\uac00" <= char <= "\ud7a3"


def is_cjk(char: str) -> bool:
    """Whether the character is of East Asian writing: Han, kana, Hangul, their punctuation and width forms."""
    return ord(char) > 0x1100 and (unicodedata.east_asian_width(char) in "WF" or "\uff61" <= char <= "\uff9f")
