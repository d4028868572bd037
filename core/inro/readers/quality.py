"""Whether the text a page gave is what stands on it: what broken fonts yield instead, told by its characters.

A font in a PDF may have no table from its glyphs to characters, or a wrong one; the page looks well and its text
is garbage. Such text must not be indexed: it finds nothing and costs a search its trust. Every rule needs
evidence; a short text passes. Knows one page's text, not the page.
"""

from __future__ import annotations

import math
import re
import unicodedata
from collections import Counter

from inro.readers.mojibake import wrongly_decoded

_SAMPLE = 6000
_LEAST = 12
"""Characters below which only plain signs of loss count."""
_CID = re.compile(r"\(cid:\d+\)")
_LEAST_LETTERS = 150
_UNLIKE, _LIKE = 0.7, 0.85
_USE = (
    8.2,
    1.5,
    2.8,
    4.3,
    12.7,
    2.2,
    2.0,
    6.1,
    7.0,
    0.2,
    0.8,
    4.0,
    2.4,
    6.7,
    7.5,
    1.9,
    0.1,
    6.0,
    6.3,
    9.1,
    2.8,
    1.0,
    2.4,
    0.2,
    2.0,
    0.1,
)
"""How often each letter from a to z is used in English, in per cent."""
_BLANK = " \n\t\r\u3000\u0002"
_TOGETHER = frozenset({"LATIN", "CJK", "HIRAGANA", "KATAKANA", "HANGUL", "GREEK", "KATAKANA-HIRAGANA", "BOPOMOFO"})
"""Scripts that one page may well hold at once; Greek for formulas."""


def fault(text: str) -> str:
    """In words, why the text is not what the page says; empty if nothing speaks against it."""
    sample = "".join(c for c in text[:_SAMPLE] if c not in _BLANK)
    text = text[:_SAMPLE]
    if not sample:
        return ""
    if len(sample) >= _LEAST and (misread := wrongly_decoded(text)):
        return f"mojibake, {misread}"
    cids = sum(len(m) for m in _CID.findall(text))
    if cids * 5 > len(sample):
        return "characters without a meaning, (cid:…)"
    lost = sum(1 for c in sample if c in "\ufffd\ufffe\uffff\x00" or unicodedata.category(c) in ("Cc", "Cn"))
    if lost * 10 > len(sample):
        return "lost characters"
    private = sum(1 for c in sample if unicodedata.category(c) == "Co")
    if private * 5 > len(sample):
        return "private characters that only its font knows"
    if len(sample) < _LEAST:
        return ""
    return _mixed(sample) or _shifted(text)


def _mixed(sample: str) -> str:
    """Letters of many scripts that no one writes together."""
    scripts: Counter[str] = Counter()
    for char in sample:
        if char.isalpha() and not char.isascii():
            scripts[unicodedata.name(char, "?").partition(" ")[0]] += 1
    letters = sum(scripts.values())
    if letters < _LEAST_LETTERS // 5:
        return ""
    strange = {name: n for name, n in scripts.items() if name not in _TOGETHER and n * 33 > letters}
    if len(strange) >= 3:
        return "letters of unrelated scripts mixed"
    return ""


def _shifted(text: str) -> str:
    """Latin letters that are others moved along the alphabet, as they are where a font's codes pass for characters.

    The letters of European languages are used about equally often in all of them: text that only becomes such
    when its letters are moved was moved.
    """
    counts = Counter(c for c in text.lower() if "a" <= c <= "z")
    letters = sum(counts.values())
    if letters < _LEAST_LETTERS or 2 * letters < sum(map(str.isalpha, text)):
        return ""
    used = [counts[chr(97 + n)] / letters for n in range(26)]
    likeness = [_cosine(used[n:] + used[:n]) for n in range(26)]
    if likeness[0] < _UNLIKE and max(likeness) > max(_LIKE, likeness[0] + 0.2):
        return "letters that stand for others"
    return ""


def _cosine(used: list[float]) -> float:
    product = sum(a * b for a, b in zip(used, _USE, strict=True))
    return product / math.sqrt(sum(a * a for a in used) * sum(b * b for b in _USE))
