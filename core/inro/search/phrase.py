"""Phrases: whether a text says exactly these words, whatever their case, width, kana or line breaks.

Rule: both sides are folded as for the index. A run of blanks counts as one blank, and as none beside an ideograph or
kana, where a blank is typography; a blank line is an end that no phrase reaches over. A phrase that begins or ends
with a letter or digit does not begin or end inside a longer word. Knows texts only; which to look at is for the caller.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from inro.records import HanFolding
from inro.text.keys import BIGRAM, CHARACTER, IDENTIFIER, STEM, WORD, kind

if TYPE_CHECKING:
    from inro.text.analyse import Analyser
    from inro.text.keys import Terms

_BLANKS = re.compile(r"\s+")


@dataclass(frozen=True, slots=True, eq=False)
class Phrase:
    """A phrase made ready to be looked for."""

    text: str
    """As typed."""
    folded: str
    keys: NDArray[np.uint64]
    """uint64[n], body field: terms that every text with the phrase has. Empty when no term is sure to be there."""
    any_keys: NDArray[np.uint64]
    """uint64[m]: all its terms, of which a text with the phrase has at least one; empty when it has no terms at all."""
    whole: NDArray[np.uint64]
    """uint64[k]: the terms that are all of the phrase: a single word's key, an identifier's."""

    is_a_term: bool
    """To hold `keys` is to say the phrase: a word, or one or two characters of a CJK run."""
    han: HanFolding
    """Which forms of a Han character are one."""

    @classmethod
    def of(cls, analyser: Analyser, text: str) -> Phrase:
        """Fold and analyse a phrase."""
        folded = fold(text, analyser.han)
        terms = analyser.terms(text)
        chosen = kind(terms.keys) != STEM
        sure, whole = _sure(terms), _whole(terms)
        short = len(folded) <= 2 and all(map(_cjk, folded)) and sure.size == 2 * len(folded) - 1
        word = sure.size == 1 and np.array_equal(sure, whole)
        return cls(text, folded, sure, np.unique(terms.keys[chosen]), whole, short or word, analyser.han)

    def within(self, text: str) -> bool:
        """Whether a text as written says the phrase."""
        folded = fold(text, self.han) if self.folded else ""
        at = folded.find(self.folded) if self.folded else -1
        while at >= 0:
            end = at + len(self.folded)
            if not (_joined(folded, at) or _joined(folded, end)):
                return True
            at = folded.find(self.folded, at + 1)
        return False


def fold(text: str, han: HanFolding = "none") -> str:
    """The form in which a phrase and a text are compared."""
    from inro_native import chars, folding

    points = chars.code_points(folding.normalise(text))
    points = folding.key_form(points[folding.unwrap(points)], han)
    spaced = _BLANKS.sub(_one_blank, chars.string(points)).strip()
    if spaced.isascii():
        return spaced
    points = chars.code_points(spaced)
    classes = chars.classes()[points]
    tight = (classes == chars.HAN) | (classes == chars.KANA)
    beside = np.zeros(points.size, np.bool_)
    beside[1:] |= tight[:-1]
    beside[:-1] |= tight[1:]
    return str(chars.string(points[~(beside & (points == ord(" ")))]))


def _one_blank(run: re.Match[str]) -> str:
    blanks = run.group()
    return "\n" if blanks.count("\n") > 1 or "\f" in blanks else " "


def _joined(folded: str, at: int) -> bool:
    """Whether a word goes on across this place."""
    return 0 < at < len(folded) and _spelling(folded[at - 1]) and _spelling(folded[at])


@lru_cache(maxsize=4096)
def _spelling(character: str) -> bool:
    from inro_native import chars

    return chars.classes()[ord(character)] in (chars.LATIN, chars.LETTER, chars.DIGIT)


@lru_cache(maxsize=4096)
def _cjk(character: str) -> bool:
    from inro_native import chars

    return chars.classes()[ord(character)] in (chars.HAN, chars.KANA, chars.HANGUL)


def _sure(terms: Terms) -> NDArray[np.uint64]:
    """The terms that do not depend on what stands around the phrase: where words of CJK begin and end does, and so
    do identifiers of several words and numbers with a point."""
    kinds = kind(terms.keys).tolist()
    kept = []
    for i, one in enumerate(kinds):
        surface = terms.surface(i)
        if one == BIGRAM or (one == CHARACTER and _cjk(surface)) or (one == WORD and all(map(_spelling, surface))):
            kept.append(i)
    return np.unique(terms.keys[kept])


def _whole(terms: Terms) -> NDArray[np.uint64]:
    length = len(terms.folded.strip())
    lead = len(terms.folded) - len(terms.folded.lstrip())
    kinds = kind(terms.keys)
    spans = (terms.fold_start == lead) & (terms.fold_end == lead + length)
    latin = np.array([not any(map(_cjk, terms.surface(i))) for i in range(len(terms))], np.bool_)
    return np.unique(terms.keys[spans & ((kinds == IDENTIFIER) | ((kinds == WORD) & latin))])
