"""Spans of a text: trimming them, finding its lines, and making sure that blocks leave nothing out.

Every reader ends in `cover`, so that text no rule of the format claimed is still found: it becomes a
paragraph instead of vanishing. Knows no format.
"""

from __future__ import annotations

from collections.abc import Iterable

from inro.records import Block, BlockKind, Span


def trimmed(text: str, start: int, end: int) -> Span:
    """The span without the white space at both ends; empty (`start == end`) if there is nothing else."""
    part = text[start:end]
    right = start + len(part.rstrip())
    left = start + len(part) - len(part.lstrip())
    return (min(left, right), right)


def line_trimmed(text: str, start: int, end: int) -> Span:
    """The span without blank lines at both ends and without trailing white space; indentation is kept."""
    left, right = trimmed(text, start, end)
    if left == right:
        return left, right
    line = text.rfind("\n", start, left) + 1
    return (max(line, start), right)


def line_starts(text: str) -> list[int]:
    """Offsets at which lines begin, and the length of the text as the last entry."""
    starts = [0]
    at = text.find("\n")
    while at != -1:
        starts.append(at + 1)
        at = text.find("\n", at + 1)
    if starts[-1] != len(text):
        starts.append(len(text))
    return starts


def paragraphs(text: str, start: int, end: int) -> list[Span]:
    """Spans of `text[start:end]` between blank lines, trimmed, in order; none is empty."""
    spans: list[Span] = []
    begin = -1
    at = start
    while at < end:
        stop = text.find("\n", at, end)
        stop = end if stop == -1 else stop
        if text[at:stop].strip():
            if begin < 0:
                begin = at
        elif begin >= 0:
            spans.append(line_trimmed(text, begin, at))
            begin = -1
        at = stop + 1
    if begin >= 0:
        spans.append(line_trimmed(text, begin, end))
    return spans


def cover(text: str, blocks: Iterable[Block], start: int = 0, kind: BlockKind = "paragraph") -> tuple[Block, ...]:
    """The blocks in order with every gap that holds text filled by blocks of `kind`, from `start` on.

    Blocks that are empty or overlap an earlier one are dropped or shortened: the result is ordered and
    disjoint whatever came in.
    """
    result: list[Block] = []
    at = start
    page: int | None = None
    for block in sorted(blocks, key=lambda b: (b.start, b.end)):
        begin, end = max(block.start, at), min(block.end, len(text))
        if begin >= end or not text[begin:end].strip():
            continue
        result.extend(Block(kind, a, b, page=page) for a, b in paragraphs(text, at, begin))
        if (begin, end) == (block.start, block.end):
            result.append(block)
        else:
            result.append(Block(block.kind, begin, end, block.level, block.page, block.label))
        at = end
        page = block.page
    result.extend(Block(kind, a, b, page=page) for a, b in paragraphs(text, at, len(text)))
    return tuple(result)
