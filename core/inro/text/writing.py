"""Which writing system a text is in: a hint for comparing likenesses, never a gate.

An embedder places two texts of one language nearer than two that say the same in different ones, so likeness is
judged among texts of one writing system. Scripts are counted by Unicode property; a text in two is of the denser
one: a Japanese note full of English terms is Japanese.
"""

from __future__ import annotations

from enum import IntEnum
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray


class Writing(IntEnum):
    """Writing systems that are told apart. The numbers are stored in index files."""

    OTHER = 0
    """No letters, or a script not listed here."""
    LATIN = 1
    JAPANESE = 2
    CHINESE = 3
    KOREAN = 4
    CYRILLIC = 5
    ARABIC = 6
    GREEK = 7
    HEBREW = 8
    THAI = 9
    DEVANAGARI = 10


_SCRIPTS = (
    "Latin",
    "Han",
    "Hiragana",
    "Katakana",
    "Hangul",
    "Cyrillic",
    "Arabic",
    "Greek",
    "Hebrew",
    "Thai",
    "Devanagari",
)
_SINGLE = {
    "Latin": Writing.LATIN,
    "Cyrillic": Writing.CYRILLIC,
    "Arabic": Writing.ARABIC,
    "Greek": Writing.GREEK,
    "Hebrew": Writing.HEBREW,
    "Thai": Writing.THAI,
    "Devanagari": Writing.DEVANAGARI,
}
DENSITY = 3
"""A CJK character carries about as much as this many letters."""
LEAST_KANA = 0.05
"""Of Han and kana together, so much kana makes Japanese; a Chinese text quotes less."""


def writing_of(text: str) -> Writing:
    """The writing system that carries most of a text."""
    if text.isascii():
        return Writing.LATIN if any(map(str.isalpha, text)) else Writing.OTHER
    from inro_native.chars import code_points

    counts = np.bincount(_table()[code_points(text)], minlength=len(_SCRIPTS) + 1)
    count = dict(zip(_SCRIPTS, counts[1:].tolist(), strict=True))
    kana = count["Hiragana"] + count["Katakana"]
    weighed = {
        "cjk": DENSITY * (count["Han"] + kana),
        "Hangul": DENSITY * count["Hangul"],
        **{name: count[name] for name in _SINGLE},
    }
    most = max(weighed, key=lambda name: weighed[name])
    if not weighed[most]:
        return Writing.OTHER
    if most == "Hangul":
        return Writing.KOREAN
    if most == "cjk":
        return Writing.JAPANESE if kana >= LEAST_KANA * (kana + count["Han"]) else Writing.CHINESE
    return _SINGLE[most]


@lru_cache(maxsize=1)
def _table() -> NDArray[np.uint8]:
    """uint8[0x110000]: 1 + the place in `_SCRIPTS` of each code point's script, 0 for none of them."""
    from inro_native import chars

    table = np.zeros(chars.CODE_POINTS, np.uint8)
    for number, name in enumerate(_SCRIPTS, 1):
        for first, last in chars.members(f"[:Script={name}:]"):
            table[first : last + 1] = number
    return table
