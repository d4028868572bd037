"""Weighing the single-byte encodings of alphabets: Latin, Cyrillic, Greek, Hebrew, Arabic and Thai.

Every byte sequence decodes in nearly all of them, so only the text can tell. In the right one, letters make
words of one script with capitals at their beginning, the letters that a language uses most are the ones seen
most, and no sign stands inside a word. Knows no words, so a name of one or two accented letters is a guess
that goes to Windows-1252.
"""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass

_JOINING = frozenset("\xa0\xad’·–—…“”®™")
"""Signs that are often written between letters without a space."""
_SIGNS = frozenset("\xa0\xad¢¥‘’“”„‚–—…•€£§©®°±²³µ·¼½¾«»¿¡ºª×÷™№†‡‰‹›")


@dataclass(frozen=True, slots=True)
class _Alphabet:
    common: frozenset[str]
    """The non-ASCII letters that the languages of the encoding use most, in lower case."""
    bias: float = 0.0
    """Settles ties in favour of what is met more often."""
    other: float = 0.2
    """Weight of a letter that is not among the common ones."""
    latin: bool = False
    """Whether its letters stand among ASCII letters."""


_CYRILLIC = frozenset("оеаинтсрвлкмдпуяыьгзбчй")
_GREEK = frozenset("αοιετσνηυρπκμλςωάόέίήύώ")
_HEBREW = frozenset("יוהלארתבשמםנ")
_ARABIC = frozenset("اليمونترةبعدسفهكقحأجشصى")
_THAI = frozenset("านรกอเงมยลวดทตสบปแคหพขจไ่้ีัิ์ืุูะโ")
_CENTRAL = frozenset("ąćęłńóśźżěščřžýáíéůúťďňőűöüäßâîăţş")
_WESTERN = frozenset("äöüßéèêëàâáãåæçîïíìñóòôøúùûœ")
_TURKISH = frozenset("çöüığşâî")

ALPHABETS: dict[str, _Alphabet] = {
    "cp1252": _Alphabet(_WESTERN, 0.025, latin=True),
    "cp1250": _Alphabet(_CENTRAL, 0.01, latin=True),
    "iso8859_2": _Alphabet(_CENTRAL, latin=True),
    "cp1254": _Alphabet(_TURKISH, latin=True),
    "cp1251": _Alphabet(_CYRILLIC, 0.02),
    "koi8_r": _Alphabet(_CYRILLIC, 0.01),
    "cp866": _Alphabet(_CYRILLIC),
    "iso8859_5": _Alphabet(_CYRILLIC),
    "cp1253": _Alphabet(_GREEK, 0.02),
    "iso8859_7": _Alphabet(_GREEK, 0.01),
    "cp1255": _Alphabet(_HEBREW, 0.01, other=0.75),
    "cp1256": _Alphabet(_ARABIC, 0.01),
    "iso8859_6": _Alphabet(_ARABIC),
    "cp874": _Alphabet(_THAI),
}


def guess_alphabet(sample: bytes) -> tuple[float, str]:
    """(weight of a character, Python's encoding name) of the best reading; weight 0 if none is any good.

    The weight is comparable with that of the multi-byte encodings: 1 is text as it should be.
    """
    best = (0.0, "cp1252")
    for encoding, alphabet in ALPHABETS.items():
        try:
            text = sample.decode(encoding)
        except UnicodeDecodeError:
            continue
        score = _weigh(text, alphabet) + alphabet.bias
        if score > best[0]:
            best = (score, encoding)
    return best


def _weigh(text: str, alphabet: _Alphabet) -> float:
    """Mean weight of the characters beyond ASCII, each judged with its neighbours."""
    total = 0.0
    count = 0
    before = " "
    for i, char in enumerate(text):
        if char > "\x7f":
            count += 1
            after = text[i + 1] if i + 1 < len(text) else " "
            total += _char(char, before, after, alphabet)
        before = char
    return total / count if count else 0.0


def _char(char: str, before: str, after: str, alphabet: _Alphabet) -> float:
    if char in "¿¡" and not before.isalnum() and after.isalpha():
        return 1.2
    if char in _SIGNS:
        inside = before.isalpha() and after.isalpha() and char not in _JOINING
        return -1.0 if inside else 0.8
    category = unicodedata.category(char)
    if category in ("Mn", "Lm") or (category == "Lo" and char >= "\u0e30"):
        # Thai vowel signs and tones follow a letter.
        if before < "\x80" and category == "Mn":
            return -1.5
        return 1.0 if char in alphabet.common else 0.3
    if category[0] != "L":
        return -1.0
    if not alphabet.latin and ("a" <= before.lower() <= "z" or "a" <= after.lower() <= "z"):
        return -1.0
    if char.isupper() and before.islower():
        return -1.0
    weight = 1.0 if char.lower() in alphabet.common else alphabet.other
    if not (before.isalpha() or after.isalpha()):
        # Alone it is a sign misread more often than a word of one letter.
        return weight * (0.5 if alphabet.latin and char.islower() else 0.3)
    if char.isupper() and before.isalpha():
        return weight * 0.4
    if alphabet.latin and not (before.isascii() or after.isascii()):
        return weight * 0.5
    return weight
