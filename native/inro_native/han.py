"""Which Han characters count as one: traditional and simplified, old Japanese forms and new.

Rule: one character for one, whatever stands around it, so `發` and `髮`, which are both simplified to `发`, meet as
`發` and `发` do. The Chinese side is ICU's `Traditional-Simplified` transliteration of single characters, the Japanese
side `inro_native.kanji`. Forms that meet are a class; every member is replaced by the one that stands for it: the form
that none of the rules changes, of several the first in code point order. Knows nothing of words or languages.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final, Literal

import icu
import numpy as np
from numpy.typing import NDArray

from inro_native import chars, kanji

Meeting = Literal["none", "simplified", "shinjitai", "all"]
"""Which forms meet: none, those of Chinese, those of Japanese, or both through each other (`檢`, `検`, `检`)."""

_TRADITIONAL_TO_SIMPLIFIED: Final = "Traditional-Simplified"


@lru_cache(maxsize=4)
def forms(meeting: Meeting) -> NDArray[np.uint32]:
    """uint32[0x110000], read-only: what each code point is replaced by; itself, for all but some thousand Han.

    Raises `ValueError` for a meeting there is not.
    """
    pairs = _pairs(meeting)
    changed = {old for old, _ in pairs}
    table = np.arange(chars.CODE_POINTS, dtype=np.uint32)
    for together in _classes(pairs):
        table[list(together)] = min(together - changed or together)
    table.flags.writeable = False
    return table


def _pairs(meeting: Meeting) -> list[tuple[int, int]]:
    """Each character that a rule changes, and into which."""
    match meeting:
        case "none":
            return []
        case "simplified":
            return _chinese()
        case "shinjitai":
            return _japanese()
        case "all":
            return _chinese() + _japanese()
    raise ValueError(f"not a way for Han characters to meet: {meeting}")


def _chinese() -> list[tuple[int, int]]:
    characters = [chr(c) for first, last in chars.members("[:Han:]") for c in range(first, last + 1)]
    simplify = icu.Transliterator.createInstance(_TRADITIONAL_TO_SIMPLIFIED)
    # a line each: what the rules say of pairs of characters does not apply
    simplified = str(simplify.transliterate("\n".join(characters))).split("\n")
    return [(ord(a), ord(b)) for a, b in zip(characters, simplified, strict=True) if a != b and len(b) == 1]


def _japanese() -> list[tuple[int, int]]:
    groups = f"{kanji.JOYO} {kanji.OTHERS}".split()
    return [(ord(old), ord(group[-1])) for group in groups for old in group[:-1]]


def _classes(pairs: list[tuple[int, int]]) -> list[set[int]]:
    """The characters that meet, directly or through others; each class once."""
    of: dict[int, set[int]] = {}
    for pair in pairs:
        together = set[int]().union(*(of.get(c, {c}) for c in pair))
        of.update(dict.fromkeys(together, together))
    return list({id(together): together for together in of.values()}.values())
