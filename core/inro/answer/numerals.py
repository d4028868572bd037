"""Numerals as people write them: full-width digits, kanji, English words.

Knows nothing of units.
"""

from __future__ import annotations

from fractions import Fraction

_UP_TO_NINETEEN = """
zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen
eighteen nineteen
"""
_TENS_UP = "twenty thirty forty fifty sixty seventy eighty ninety"

WORDS: dict[str, int] = (
    {word: value for value, word in enumerate(_UP_TO_NINETEEN.split())}
    | {word: 10 * tens for tens, word in enumerate(_TENS_UP.split(), 2)}
    | {"hundred": 100, "thousand": 10**3, "million": 10**6, "billion": 10**9}
)
"""English number words; those from `hundred` on multiply what stands before them."""

MULTIPLIERS = r"[Tt]housand\b|[Mm]illion\b|[Bb]illion\b|[Tt]rillion\b|百万|千万|千|万|萬|億|亿|兆"
"""What may follow digits and multiplies them, as a pattern."""

_ONES = {c: i for i, c in enumerate("〇一二三四五六七八九")} | {"零": 0, "两": 2}
_TENS = {"十": 10, "百": 100, "千": 1000}
_MYRIADS = {"万": 10**4, "億": 10**8, "亿": 10**8, "兆": 10**12}

_FOLD = {0xFF01 + i: 0x21 + i for i in range(94)} | {0x3000: 0x20, 0x2212: 0x2D, 0x2010: 0x2D, 0x2011: 0x2D}
_FOLD |= {0x00B5: 0x03BC, 0x2103: 0x2103, 0x00A5: 0xFFE5}
del _FOLD[0xFF5E]  # the full-width tilde marks ranges as it is


def plain_digits(text: str) -> str:
    """The text with full-width ASCII, hyphens and the micro sign in one form each; one character for one."""
    return text.translate(_FOLD)


def kanji_value(text: str) -> Fraction | None:
    """The value of a numeral in kanji, by place (`二〇二六`) or by word (`三千五十`, `一万二千`); None if neither."""
    whole, _, decimals = text.partition("・")
    value = _by_place(whole) if len(whole) > 1 and all(c in _ONES for c in whole) else _by_word(whole)
    if value is None:
        return None
    if decimals:
        return value + Fraction(_by_place(decimals) or 0, 10 ** len(decimals))
    return Fraction(value)


def _by_place(text: str) -> int:
    value = 0
    for c in text:
        value = value * 10 + _ONES[c]
    return value


def _by_word(text: str) -> int | None:
    total = section = digit = 0
    seen = False
    for c in text:
        if c in _ONES:
            digit, seen = _ONES[c], True
        elif c in _TENS:
            section += (digit if seen else 1) * _TENS[c]
            digit, seen = 0, False
        elif c in _MYRIADS:
            section += digit
            total += (section or 1) * _MYRIADS[c]
            section, digit, seen = 0, 0, False
        else:
            return None
    return total + section + digit
