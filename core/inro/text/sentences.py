"""Sentences: the spans of a text that each say one thing, in Japanese, Chinese and English alike.

Rule: lines are read first, then sentences within them. A line end is hard, and ends a sentence, where a blank line,
a list item, a heading, a table row or a `key: value` line begins or a heading or row ends, and where a line stops well
short of its neighbours' width; any other line end is a wrap and ends nothing. Within hard lines ICU's sentence break
(UAX #29) decides, but for two tailorings: a full stop after an abbreviation ends nothing, and neither does a closed
quotation that the sentence goes on after (`「はい。」と言った。`).

Knows nothing of documents: the blocks a reader found are a better guide where there are any.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from inro.records import Span

_LINE: Final = re.compile(r"[^\n]*\n?")
_UNDIVIDED: Final = str.maketrans({"\r": " ", "\u2028": "\n", "\x85": "\n", "\x0b": "\n", "\x0c": "\u2029"})
_SURROGATE: Final = re.compile("[\ud800-\udfff]")
_HARD: Final = "\u2029"

_OPENS: Final = re.compile(
    r"[ \t\u3000]*(?:"
    r"(?:[-*+]|\#{1,6}|\d{1,3}[.)．]|[A-Za-z][.)])[ \t]"  # markdown items and headings
    r"|[•‣▪◦●○◎■□◆◇▲△▼▽▶※・①-⑳❶-❿|>]|```|~~~"  # signs that open an item, a row, a quotation
    r"|[(（]\d{1,3}[)）]"
    r"|第[0-9０-９一二三四五六七八九十百]{1,5}[章節条条編部項款]"
    r"|[^\s:：。、,.]{1,24}[:：](?:[ \t]|[^\s/\d]))"
)
"""A line that begins like this begins something."""

_STANDS_ALONE: Final = re.compile(r"[ \t\u3000]*(?:\#{1,6}[ \t]|[|■□◆◇]|```|~~~|[-=*_]{3,}[ \t]*$)")
"""A line that begins like this is complete when it ends."""

_WIDE_ENOUGH: Final = 30
"""Cells; where no line of a paragraph is longer, none was wrapped at a margin, so a short one tells nothing."""
_SHORT: Final = 0.5
"""A line shorter than this share of its paragraph's longest was not wrapped."""

_ABBREVIATION: Final = re.compile(
    r"(?:^|[\s(\[（「,;/-])(?:"
    r"e\.g|i\.e|cf|viz|vs|approx|resp|incl|ca|al|"
    r"Dr|Prof|Mr|Mrs|Ms|Messrs|St|Mt|Gen|Col|Capt|Lt|Sgt|Rev|Hon|Gov|Sen|Rep|"
    r"[A-HJ-Z](?:\.[A-Z])*)\.\s*$"
)
"""What a full stop follows without ending a sentence."""

_COUNTED: Final = re.compile(
    r"(?:^|[\s(\[（「,;/-])(?:[Ff]igs?|[Tt]abs?|[Ee]qs?|[Rr]efs?|[Ss]ecs?|[Cc]h|[Cc]hap|[Vv]ol|[Aa]rt|[Nn]os?|[Pp]p?|[Pp]ara)\.\s*$"
)
_NUMBER: Final = re.compile(r"[(\[]?[A-Z]{0,3}[-.]?\d")
"""What follows the full stop of a word that counts: `Fig. 3`, `No. S-1041`."""

_REACH: Final = 24
"""Code points before a boundary in which an abbreviation is looked for."""
_OPENING: Final = re.compile("[「『（(\\[【〈《〔“‘]+$")
_CLOSED_QUOTATION: Final = re.compile(r"[。．.！？!?][」』）)】〉》”’\"']+$")
_GOES_ON: Final = re.compile("[\u3041-\u309f、，,]")


def sentences(text: str) -> list[Span]:
    """The sentences of a text: in order, disjoint, none blank; together they cover all that is not white space."""
    from inro_native.segment import bounds

    level = _level(text)
    spans: list[Span] = []
    start = 0
    for boundary in bounds(level, "sentence")[1:].tolist():
        # ICU takes a bracket that opens for one that closes; it belongs to what follows.
        opening = _OPENING.search(level, max(start, boundary - _REACH), boundary)
        shifted = opening is not None and start < opening.start() and boundary < len(level)
        end = opening.start() if opening and shifted else boundary
        if end < len(level) and _runs_on(level, start, end):
            continue
        span = _trimmed(text, start, end)
        if span:
            spans.append(span)
        start = end
    return spans


def _level(text: str) -> str:
    """The text, code point for code point, with each hard line end as U+2029 and each soft one as a blank."""
    plain = _SURROGATE.sub("\ufffd", text).translate(_UNDIVIDED)
    return "".join(_levelled(paragraph) for paragraph in _paragraphs(plain))


def _paragraphs(plain: str) -> Iterator[list[str]]:
    """Runs of lines, each line with its end, cut before and after blank lines."""
    run: list[str] = []
    for line in _LINE.findall(plain):
        if line.isspace():
            yield run
            yield [line]
            run = []
        else:
            run.append(line)
    yield run


def _levelled(lines: list[str]) -> str:
    widths = [_cells(line.rstrip()) for line in lines]
    longest = max(widths, default=0)
    level = []
    for i, line in enumerate(lines):
        following = lines[i + 1] if i + 1 < len(lines) else ""
        hard = (
            not following
            or bool(_OPENS.match(following))
            or bool(_STANDS_ALONE.match(following))
            or bool(_STANDS_ALONE.match(line))
            or (longest > _WIDE_ENOUGH and widths[i] < _SHORT * longest)
        )
        level.append(line.replace("\n", _HARD if hard else " "))
    return "".join(level)


def _cells(line: str) -> int:
    """About how many columns a line takes: two for a character of the CJK blocks or beyond, else one."""
    return len(line) if line.isascii() else sum(2 if c > "\u2e7f" else 1 for c in line)


def _runs_on(level: str, start: int, end: int) -> bool:
    """Whether the sentence goes on after a boundary that ICU sees at `end`."""
    before = level[max(start, end - _REACH) : end]
    if before.endswith(_HARD):
        return False
    if _ABBREVIATION.search(before) or (_COUNTED.search(before) and _NUMBER.match(level, end)):
        return True
    return bool(_CLOSED_QUOTATION.search(before) and _GOES_ON.match(level, end))


def _trimmed(text: str, start: int, end: int) -> Span | None:
    piece = text[start:end]
    kept = piece.strip()
    if not kept:
        return None
    start += len(piece) - len(piece.lstrip())
    return start, start + len(kept)
