"""What a match of each term is worth as evidence.

Rule: the characters of a query should count about once, however many terms they are part of. A CJK word of two
characters is also a bigram, so the word adds half. A name that the dictionary does not know falls into single
characters, which then carry the name and count in full; a character inside a known word says little besides. Hiragana
is mostly grammar. A Latin word or a number amid CJK is rarely there by accident. A word that asks is not expected in
the text that answers.

The figures stand where Japanese, Chinese and English question sets are flat in each of them; they were chosen on those
sets, so what `tests/bench/scoring.py` prints of them is a fit, not a forecast.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from inro.text.keys import BIGRAM, CHARACTER, IDENTIFIER, WORD, kind
from inro.text.questions import asking
from inro.text.scan import Scan

LETTERS: Final = 2.0
"""A word of letters, or a number."""
STEM_SHARE: Final = 0.5
"""A stem, as a share of the weight of its word; the same where the stem is looked for as a word."""
WHOLE: Final = 1.5
"""An identifier as a whole, whose parts count too."""
CJK_WORD: Final = 0.5
PAIR: Final = 1.0
PAIR_WITH_HIRAGANA: Final = 0.5
LONE_IDEOGRAPH: Final = 1.3
"""An ideograph that is a word of its own."""
IDEOGRAPH: Final = 0.3
SYLLABLE: Final = 0.1
"""One kana or Hangul syllable."""
SIGN: Final = 1.0
"""A symbol that stands alone."""
ASKING: Final = 0.2
"""A term within a word that asks, as a share of what it would be worth."""


def weigh(read: Scan) -> NDArray[np.float32]:
    """float32[t]: the worth of each term of a query."""
    from inro_native import chars, folding

    tokens = read.tokens
    weight = np.zeros(tokens.keys.size, np.float32)
    if not weight.size:
        return weight
    kinds = kind(tokens.keys)
    start, end = tokens.start, tokens.end
    script = chars.classes()[read.points][start]
    cjk = (script == chars.HAN) | (script == chars.KANA) | (script == chars.HANGUL)
    hiragana = chars.having("[:Script=Hiragana:]")[read.folded.chars]
    bound = np.zeros(read.points.size + 1, np.bool_)
    bound[read.bounds] = True

    weight[kinds == IDENTIFIER] = WHOLE
    weight[kinds == WORD] = np.where(cjk, CJK_WORD, LETTERS)[kinds == WORD]
    with_hiragana = hiragana[start] | hiragana[end - 1]
    weight[kinds == BIGRAM] = np.where(with_hiragana, PAIR_WITH_HIRAGANA, PAIR)[kinds == BIGRAM]
    lone = np.where(bound[start] & bound[end], LONE_IDEOGRAPH, IDEOGRAPH)
    single = np.where(script == chars.HAN, lone, np.where(cjk, SYLLABLE, SIGN))
    weight[kinds == CHARACTER] = single[kinds == CHARACTER]
    # words that ask are listed as they are written, whichever forms of a character are one
    written = chars.string(folding.key_form(read.folded.chars))
    weight[asking(written, start, end)] *= np.float32(ASKING)
    return weight
