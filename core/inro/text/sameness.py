"""Whether two texts say the same thing, though not letter by letter.

Rule: copies differ in how they are set: markup, spaces, line ends, width, case, a word here or there. Rows of a table,
clauses of a contract and entries of a log differ in a number, a name or a negation, and are never the same, however
long the rest that they share. So two texts are the same when their `particulars` are equal and the letters nearly so.
Knows texts only.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from typing import TypeAlias

SHINGLE = 4
"""Letters looked at together."""
NEARLY = 0.9
"""Least share of the shingles of either text that both have; a changed word takes about ten from both."""

REMEMBERED = 1024
"""Texts of which the comparable forms are kept: those shown while one types."""

Particulars: TypeAlias = tuple[tuple[str, ...], ...]
"""Numbers, names, what small words turn a sentence round, each in their order; then all letters but hiragana and small
Latin ones."""

_NUMBER = re.compile(r"\d[A-Za-z0-9]*(?:[.,:/\-\u2013][A-Za-z]*\d[A-Za-z0-9]*)*\s?[%‰°]?")
_SIGN = re.compile(r"(?:[<>≤≥≦≧≠≈=±]\s*)?(?:(?<![A-Za-z0-9])[-+\u2212]\s?)?[A-Za-z]?$")
"""What belongs to a number though it stands before it."""
_NAME = re.compile(r"[A-Z][A-Za-z0-9]*")
_DIGITS = re.compile(r"\d+")
_WORD = re.compile(r"[a-z]+(?:['\u2019]t)?(?![A-Za-z0-9])")
_NEGATIONS = frozenset(
    [
        "not",
        "no",
        "none",
        "never",
        "neither",
        "nor",
        "without",
        "cannot",
        "non",
        "nicht",
        "kein",
        "keine",
        "keinen",
        "keiner",
        "keines",
        "ohne",
        "ne",
        "pas",
        "sans",
        "sin",
    ]
)
_NOT = ("'t", "\u2019t")
_JAPANESE_NEGATION = re.compile(r"な(?:い|かっ|く|けれ|し)|ませ?ん|ず(?=[、。にと]|\s|$)|ぬ")


def same(one: str, other: str) -> bool:
    """Whether one of the two is enough to read."""
    if particulars(one) != particulars(other):
        return False
    left, right = _letters(one), _letters(other)
    if left == right:
        return True
    if min(len(left), len(right)) < NEARLY * max(len(left), len(right)):
        return False
    mine, theirs = _shingles(left), _shingles(right)
    return len(mine & theirs) >= NEARLY * len(mine | theirs)


def digits(text: str) -> str:
    """The digits of a text, which texts that are the same have in common: a first look that costs next to nothing."""
    return unicodedata.normalize("NFKC", "".join(_DIGITS.findall(text)))


@lru_cache(maxsize=REMEMBERED)
def particulars(text: str) -> Particulars:
    """What texts that are the same have in common to the letter."""
    plain = _plain(text)
    numbers = tuple(_signed(plain, found) for found in _NUMBER.finditer(plain))
    names = tuple(name.lower() for name in _NAME.findall(plain))
    telling = [
        word
        for word in _WORD.findall(plain)
        if word in _NEGATIONS or len(word) == 1 or word.endswith(_NOT) or (word.startswith("un") and len(word) > 5)
    ]
    return numbers, names, (*telling, *_JAPANESE_NEGATION.findall(plain)), (plain.translate(_UNCOMMON),)


def _signed(plain: str, number: re.Match[str]) -> str:
    """A number with its sign and the letter it begins with."""
    before = _SIGN.search(plain, max(0, number.start() - 4), number.start())
    return "".join(((before[0] if before else "") + number[0]).split()).lower()


@lru_cache(maxsize=REMEMBERED)
def _plain(text: str) -> str:
    return unicodedata.normalize("NFKC", text)


@lru_cache(maxsize=REMEMBERED)
def _letters(text: str) -> str:
    """Letters and digits, without what sets them apart."""
    return _plain(text).casefold().translate(_LETTERS)


def _shingles(letters: str) -> set[str]:
    return {letters[i : i + SHINGLE] for i in range(max(1, len(letters) - SHINGLE + 1))}


class _Letters(dict[int, int | None]):
    """A table for `str.translate` that keeps letters, digits and the marks upon them; filled as it is used."""

    def __missing__(self, point: int) -> int | None:
        self[point] = point if self.keeps(chr(point)) else None
        return self[point]

    def keeps(self, character: str) -> bool:
        return unicodedata.category(character)[0] in "LNM"


class _Uncommon(_Letters):
    """Keeps what carries a text by itself: ideographs, katakana, letters of any script but small Latin ones."""

    def keeps(self, character: str) -> bool:
        if not super().keeps(character) or "0" <= character <= "9":
            return False
        name = unicodedata.name(character, "")
        return not name.startswith(("LATIN", "HIRAGANA", "COMBINING"))


_LETTERS = _Letters()
_UNCOMMON = _Uncommon()
