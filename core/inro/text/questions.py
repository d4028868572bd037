"""The words that ask: they tell what is wanted of a text, and are seldom in the text that has it.

Rule: in a text that answers, such a word is rare, so a rank by rarity would take it for the best of evidence. It is
told apart by a short list of interrogatives and requests in three languages, which only ever lowers a weight: a query
of nothing else still finds what holds it. Knows no grammar.
"""

from __future__ import annotations

import re
from typing import Final

import numpy as np
from numpy.typing import NDArray

_ENGLISH: Final = r"\b(?:what|which|who|whom|whose|when|where|why|how|do|does|did)\b"
_JAPANESE: Final = (
    r"何(?:でしょう|です|で|が|を|と|の|に|か)?|どこ|いつ|誰|だれ|なぜ|どの|どんな|どう|いくつ|いくら|どれ|どちら"
    r"|(?:です|ます|でしょう|だろう)か|ください|教えて|とは"
)
_CHINESE: Final = (
    r"(?:[为為])?[什甚][么麼]|哪[些个個里裡兒儿位种種年]?|[谁誰]|怎[么麼样樣]?|多少|几[个個年]?|[吗嗎呢]|[请請][问問]"
)
_ASKING: Final = re.compile("|".join((_ENGLISH, _JAPANESE, _CHINESE)))


def asking(folded: str, start: NDArray[np.int32], end: NDArray[np.int32]) -> NDArray[np.bool_]:
    """bool[t]: which spans of a folded text (kana as hiragana) lie within words that ask."""
    marked = np.zeros(len(folded) + 1, np.int32)
    for word in _ASKING.finditer(folded):
        marked[word.start() + 1 : word.end() + 1] = 1
    upto = np.cumsum(marked)
    within: NDArray[np.bool_] = (upto[end] - upto[start]) == (end - start)
    return within


def without_asking(text: str) -> str:
    """A question without the words that ask, for an index that knows no weights."""
    return _ASKING.sub(" ", text.casefold())
