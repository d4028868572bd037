"""Where a text may be cut without splitting what a reader sees as one character.

A cautious half of UAX #29: it never allows a cut inside a grapheme cluster, and forbids a few that the
standard would allow. That is enough for a last resort and needs no tables beyond Python's own.
"""

from __future__ import annotations

import unicodedata

_SEARCH = 200
"""Characters looked back for a better place, and for an allowed one."""
_GOOD_AFTER = frozenset(" \t\n　。．！？、，；：.!?,;:)]}）」』】")


def safe_cut(text: str, start: int, wanted: int, end: int) -> int:
    """The best place to cut `text[start:end]` near `wanted` (start < wanted <= end): after a space or a stop
    close before it, else the nearest allowed place at or before it, else the next one after it."""
    if wanted >= end:
        return end
    lowest = max(start + 1, wanted - min(_SEARCH, (wanted - start) // 4))
    for at in range(wanted, lowest, -1):
        if text[at - 1] in _GOOD_AFTER and is_boundary(text, at):
            return at
    for at in range(wanted, max(start, wanted - _SEARCH), -1):
        if is_boundary(text, at):
            return at
    at = wanted + 1
    while at < end and not is_boundary(text, at):
        at += 1
    return at


def is_boundary(text: str, at: int) -> bool:
    """Whether cutting between `text[at - 1]` and `text[at]` surely splits no grapheme cluster."""
    if at <= 0 or at >= len(text):
        return True
    before, after = text[at - 1], text[at]
    if after < "\x7f" and before < "\x7f":
        return not (before == "\r" and after == "\n")
    if unicodedata.category(after) in ("Mn", "Mc", "Me", "Cf", "Cn") or after in "\uff9e\uff9f":
        return False
    if unicodedata.category(before) in ("Cf", "Cn") or before == "\u0e33" or after in "\u0e33\u0eb3":
        return False
    if "\U0001f3fb" <= after <= "\U0001f3ff":
        return False
    if "\U0001f1e6" <= before <= "\U0001f1ff" and "\U0001f1e6" <= after <= "\U0001f1ff":
        return False
    if _is_jamo(after) and (_is_jamo(before) or "\uac00" <= before <= "\ud7a3"):
        return False
    if _is_jamo(before) and "\uac00" <= after <= "\ud7a3":
        return False
    # Consonants joined by a virama, and signs that begin a cluster in Indic scripts.
    return unicodedata.combining(before) != 9 and not _is_prepended(before)


def _is_jamo(char: str) -> bool:
    return "\u1100" <= char <= "\u11ff" or "\ua960" <= char <= "\ua97f" or "\ud7b0" <= char <= "\ud7ff"


def _is_prepended(char: str) -> bool:
    return char in "\u0d4e\U000111c2\U000111c3\U0001193f\U00011941\U00011a3a\U00011d46\U00011f02" or (
        "\U00011a84" <= char <= "\U00011a89"
    )
