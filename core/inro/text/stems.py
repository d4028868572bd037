"""The forms of a Latin word that meet: its accents off, then the English Snowball stem.

Rule: a stem is extra evidence beside the exact form, never instead of it, and only where it differs. Other
Latin languages pass through the same rules; what that costs them is bounded by the exact form's own weight.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from typing import Final

_STEMMABLE: Final = re.compile("[a-z']{3,32}")
_CACHED: Final = 1 << 17


def stemmable(word: str) -> bool:
    """Whether a folded word may be a stem, its own or another's."""
    return _STEMMABLE.fullmatch(word) is not None


@lru_cache(maxsize=_CACHED)
def stem(word: str) -> str:
    """The stem of a folded word, or "" where it is the word itself or the word is not Latin."""
    plain = word
    if not word.isascii():
        plain = "".join(c for c in unicodedata.normalize("NFD", word) if not unicodedata.combining(c))
    if not stemmable(plain):
        return ""
    found = str(_stemmer().stemWord(plain)) or plain
    return found if found != word else ""


@lru_cache(maxsize=1)
def _stemmer():  # type: ignore[no-untyped-def]
    import snowballstemmer

    return snowballstemmer.stemmer("english")
