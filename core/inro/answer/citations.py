"""Citation marks in a model's text: `[1]`, `[1][2]`, `[1, 2]`, `[1-3]`, `【1】`, `［１］`, `[passage 1]`.

Knows nothing of what is cited.
"""

from __future__ import annotations

import re

from inro.records.answers import citation_mark
from inro.text.sentences import sentences

MARK = re.compile(
    r"[ \u3000]*[\[【［]\s*(?:passages?|sources?|出典|来源)?\s*"
    r"(\d{1,3}(?:\s*(?:[,、，;；&]|and|[-–~〜～])\s*\d{1,3})*)\s*[\]】］]",
    re.IGNORECASE,
)
_AFTER_STOP = re.compile(rf"([.!?。！？．]+[\"'”’」』）)]*)((?:{MARK.pattern})+)", re.IGNORECASE)
_ITEM_NUMBER = re.compile(r"\(?\d{1,2}[.)．]")
"""What a sentence break makes of the number before an item of a list."""
_RANGE = re.compile(r"(\d+)\s*[-–~〜～]\s*(\d+)")
RANGE_LIMIT = 20
"""Numbers a range may stand for; a longer one is no citation of anything in particular."""


def cited_sentences(text: str) -> list[tuple[str, tuple[int, ...]]]:
    """The sentences of a text, marks taken out, each with the numbers it cites in order of mention.

    Marks after a full stop belong to the sentence before it. What is said again is said once, with the numbers of both.
    """
    moved = _AFTER_STOP.sub(lambda m: f"{m[2]}{m[1]}", text)
    found: dict[str, tuple[int, ...]] = {}
    latest = ""
    for start, end in sentences(moved):
        piece = moved[start:end]
        numbers = tuple(dict.fromkeys(n for m in MARK.finditer(piece) for n in _numbers(m[1])))
        bare = MARK.sub("", piece).strip()
        if _ITEM_NUMBER.fullmatch(bare):
            continue
        if any(c.isalnum() for c in bare):
            latest = bare
        if latest and (numbers or latest == bare):
            found[latest] = tuple(dict.fromkeys((*found.get(latest, ()), *numbers)))
    return list(found.items())


def marked(text: str, citations: tuple[int, ...], shelf: str = "") -> str:
    """A sentence with its marks at the end, for showing; `shelf` is where its passages are if not in the library."""
    marks = "".join(citation_mark(n, shelf) for n in citations)
    return f"{text} {marks}" if marks else text


def _numbers(inside: str) -> list[int]:
    plain = "".join(chr(ord(c) - 0xFEE0) if "０" <= c <= "９" else c for c in inside)
    numbers: list[int] = []
    for m in _RANGE.finditer(plain):
        low, high = int(m[1]), int(m[2])
        if low <= high < low + RANGE_LIMIT:
            numbers += range(low, high + 1)
        plain = plain.replace(m.group(), " ")
    return [*numbers, *(int(d) for d in re.findall(r"\d+", plain))]
