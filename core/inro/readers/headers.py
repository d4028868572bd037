"""`key: value` lines with which people head a note: `Date: 2026-04-01`, `作成者：田中`.

Only the first paragraph counts, and only if each of its lines is such a line: one line of prose with a
colon in it must not become a field. A key holds no digits: `S-1041: cracked` is an entry of a list. Keys are
folded to lower case, values kept as written.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

_LONGEST_KEY = 30
_MOST_LINES = 40
_HEADER = re.compile(
    r"[ \t]*(?:[-*+][ \t]+)?(?:\*\*|__)?(?P<key>[^\W\d](?:(?!\d)[\w .()（）/-]){0,29}?)(?:\*\*|__)?[ \t]*"
    r"(?:[:：](?:\*\*|__)?[ \t　]+|：(?:\*\*|__)?)(?P<value>\S.*?)[ \t　]*"
)
_EMPTY = re.compile(
    r"[ \t]*(?:[-*+][ \t]+)?(?:\*\*|__)?[^\W\d](?:(?!\d)[\w .()（）/-]){0,29}?(?:\*\*|__)?"
    r"[ \t]*[:：](?:\*\*|__)?[ \t　]*"
)


def header_fields(text: str, starts: Iterable[int]) -> dict[str, tuple[str, ...]]:
    """Fields declared by the paragraphs of `text` that begin at the given offsets."""
    fields: dict[str, tuple[str, ...]] = {}
    for start in starts:
        for key, value in _headers_at(text, start):
            add_field(fields, key, (value,))
    return fields


def add_field(fields: dict[str, tuple[str, ...]], key: str, values: Iterable[str]) -> None:
    """Add values to a field under its folded key, keeping order, without repeating a value."""
    folded = " ".join(key.lower().split())
    if not folded:
        return
    have = fields.get(folded, ())
    fields[folded] = have + tuple(dict.fromkeys(v for v in values if v not in have))


def _headers_at(text: str, start: int) -> list[tuple[str, str]]:
    found: list[tuple[str, str]] = []
    at, lines = start, 0
    while at < len(text):
        stop = text.find("\n", at)
        stop = len(text) if stop == -1 else stop
        line = text[at:stop]
        if not line.strip():
            break
        match = _HEADER.fullmatch(line)
        if match is not None and len(match["key"]) <= _LONGEST_KEY:
            found.append((match["key"].strip(), match["value"]))
        elif _EMPTY.fullmatch(line) is None:
            return []
        lines += 1
        if lines > _MOST_LINES:
            return []
        at = stop + 1
    return found
