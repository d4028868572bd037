"""Personal data in what is written down of other people's texts: mail addresses, telephone numbers, chosen names.

Rule: each is replaced by what it is, in brackets. Full-width forms count as their narrow ones. A number is taken for a
telephone's by its form alone (a country code, a leading zero and groups, or groups of 3-3-4), so that dates, standards
and measures stay.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

_NARROW = {code: code - 0xFEE0 for code in range(0xFF01, 0xFF5F)} | {
    0x3000: 0x20,
    **dict.fromkeys((0x2010, 0x2011, 0x2012, 0x2013, 0x2212, 0x30FC), 0x2D),
}
_MAIL = re.compile(r"[A-Za-z0-9._%+'-]+@[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)*\.[A-Za-z]{2,}")
_PHONE = re.compile(
    r"(?<![A-Za-z0-9.,/+-])(?:"
    r"\+\d{1,3}[ -]?(?:\(\d{1,4}\)[ -]?)?\d{1,4}(?:[ -]?\d{2,4}){2,4}"
    r"|\(?0\d{1,4}\)?[ -]\d{1,4}[ -]\d{3,4}|0\d{1,4}\(\d{1,4}\)\d{4}|0[789]0\d{8}"
    r"|(?:\(\d{3}\) ?|\d{3}-)\d{3}-\d{4}|1[3-9]\d{9}"
    r")(?![A-Za-z0-9-]|[.,]\d)"
)


def names_of(setting: str) -> tuple[str, ...]:
    """The names of a setting, parted by commas of any kind."""
    return tuple(name for part in re.split(r"[,、，;；]", setting) if (name := part.strip()))


def masked(text: str, names: Sequence[str] = ()) -> str:
    """The text with what is personal replaced; everything else as it was."""
    narrow = text.translate(_NARROW)
    spans = [(found.span(), "[mail]") for found in _MAIL.finditer(narrow)]
    spans += [(found.span(), "[phone]") for found in _PHONE.finditer(narrow)]
    for name in names:
        spans += [(found.span(), "[name]") for found in _pattern(name).finditer(narrow)]
    parts: list[str] = []
    at = 0
    for (start, end), word in sorted(spans, key=lambda span: (span[0][0], -span[0][1])):
        if start >= at:
            parts += (text[at:start], word)
            at = end
    return "".join([*parts, text[at:]])


def _pattern(name: str) -> re.Pattern[str]:
    parts = [re.escape(part) for part in name.translate(_NARROW).split()]
    latin = all(part.isascii() for part in parts)
    # a Japanese name is written with and without a space between its parts
    body = (r"\s+" if latin else r"\s*").join(parts)
    # a Latin name between Japanese words has no space around it
    return re.compile(rf"(?<![A-Za-zÀ-ɏ]){body}(?![A-Za-zÀ-ɏ])" if latin else body, re.IGNORECASE)
