"""From a reading to chunks: slices of its text, each a size that one embedding can say something about.

A document is first cut into pieces that are not cut further: a block that fits, else its sentences or
lines, else (one line longer than any chunk) stretches between grapheme clusters. Then the pieces are laid
into chunks the way a paragraph is laid into lines: of all ways, the one of least cost, where a chunk costs
by the square of the room it leaves and boundaries cost by what they cut or cross. So paragraphs stay whole,
short sections join neighbours under the same parent, a heading stays with what it heads, and no tiny rest
is left over. Sizes are estimated tokens; the embedder counts real ones before it embeds.

Knows blocks, not formats. Text that no block claims (frontmatter) is in no chunk.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import accumulate, pairwise

from inro.graphemes import safe_cut
from inro.records import Block, BlockKind, Chunk, Reading, Span
from inro.text.sentences import sentences
from inro.text.tokens import estimate_tokens

VERSION = 1
"""Raised whenever the same reading would give other chunks."""
TARGET_TOKENS = 320
"""Leaves room for title, heading path and overlap within the 512 tokens of a small embedder."""
OVERLAP_TOKENS = 40

_PROSE: frozenset[BlockKind] = frozenset({"paragraph", "quote", "heading"})
_FINEST = 12
"""Lines of a block that must be cut are gathered until this many such gatherings make a chunk."""
_CARRIED_GAP = 400
"""Characters without content (rules, dashes) that a chunk may bridge."""

_SMALL_PART = 0.15
"""Share of a chunk's largest section below which another does not speak for the chunk."""

_CUT_SENTENCE = 0.25
_CUT_LINE = 0.20
_CUT_LEAD_IN = 0.20
_CROSS_TO_CHILD = 0.80
_CROSS_TO_SIBLING = 0.90
_CROSS_AT_ROOT = 0.98
_STRANDED_HEADING = 5.0
_NEVER = 1e6


@dataclass(slots=True)
class _Piece:
    """A stretch of text that one chunk holds whole."""

    start: int
    end: int
    tokens: int
    section: int
    kind: BlockKind
    page: int | None
    cut: float
    """Cost of beginning a chunk here."""
    cross: float = 0.0
    """Cost of holding this piece and the one before in one chunk."""


def chunker_id(target_tokens: int = TARGET_TOKENS, overlap_tokens: int = OVERLAP_TOKENS) -> str:
    """What an index remembers of how its chunks were made."""
    return f"inro-chunk/{VERSION} {target_tokens}+{overlap_tokens}"


def chunk(reading: Reading, target_tokens: int = TARGET_TOKENS, overlap_tokens: int = OVERLAP_TOKENS) -> list[Chunk]:
    """The chunks of a reading, in order of their start; none holds text of two pages.

    Together they hold every character of the blocks that is content (a letter, digit or symbol). Spans may
    overlap by whole sentences of about `overlap_tokens` at most. Raises ValueError for a target below 8.
    """
    if target_tokens < 8:
        raise ValueError(f"target_tokens is {target_tokens}, at least 8 is needed")
    text = reading.text
    paths: list[tuple[str, ...]] = []
    pieces = _pieces(text, reading.blocks, target_tokens, paths)
    if not pieces:
        return []
    _set_crossings(text, pieces, paths)
    chunks: list[Chunk] = []
    for first, last in _layout(pieces, target_tokens):
        members = pieces[first:last]
        after = chunks[-1].start if chunks else 0
        carried, extra = _overlap(text, pieces, first, after, overlap_tokens)
        chunks.append(
            Chunk(
                ordinal=len(chunks),
                start=carried,
                end=members[-1].end,
                heading=_common_path(members, paths),
                page=members[0].page,
                tokens=sum(p.tokens for p in members) + extra,
            )
        )
    return chunks


def has_content(text: str) -> bool:
    """Whether there is anything to find: a letter, a digit or a symbol that is not mere markup."""
    if any(map(str.isalnum, text)):
        return True
    return any(unicodedata.category(c)[0] == "S" and c not in "|+<>=~^`$" for c in text)


# Blocks to pieces


def _pieces(text: str, blocks: tuple[Block, ...], target: int, paths: list[tuple[str, ...]]) -> list[_Piece]:
    """The pieces in order; fills `paths` with the heading path of each section, section 0 having none."""
    paths.append(())
    levels: list[tuple[int, str]] = []
    pieces: list[_Piece] = []
    barrier = False
    for block in blocks:
        if block.kind == "heading":
            while levels and levels[-1][0] >= max(block.level, 1):
                levels.pop()
            levels.append((max(block.level, 1), block.label or text[block.start : block.end].strip()[:200]))
            paths.append(tuple(label for _, label in levels if label))
        if block.kind != "heading" and not has_content(text[block.start : block.end]):
            barrier = barrier or block.end - block.start > _CARRIED_GAP
            continue
        for n, (start, end, tokens) in enumerate(_parts(text, block, target)):
            inside = _CUT_SENTENCE if block.kind in _PROSE else _CUT_LINE
            piece = _Piece(start, end, tokens, len(paths) - 1, block.kind, block.page, inside if n else 0.0)
            if barrier:
                piece.cross = _NEVER
                barrier = False
            pieces.append(piece)
    return pieces


def _parts(text: str, block: Block, target: int) -> Iterator[tuple[int, int, int]]:
    """(start, end, tokens) of the parts of a block; the whole block if it fits."""
    tokens = estimate_tokens(text[block.start : block.end])
    if tokens <= target:
        yield block.start, block.end, tokens
        return
    units = _sentence_spans(text, block.start, block.end) if block.kind in _PROSE else _line_spans(text, block)
    finest = max(target // _FINEST, 1)
    held: tuple[int, int, int] | None = None
    for start, end in units:
        for a, b, size in _within(text, start, end, target, prose=block.kind not in ("code", "table")):
            if held is not None and held[2] < finest and held[2] + size <= target:
                held = (held[0], b, held[2] + size)
                continue
            if held is not None and has_content(text[held[0] : held[1]]):
                yield held
            held = (a, b, size)
    if held is not None and has_content(text[held[0] : held[1]]):
        yield held


def _within(text: str, start: int, end: int, target: int, prose: bool) -> Iterator[tuple[int, int, int]]:
    """One sentence or line, cut further only if it is larger than a chunk by itself."""
    size = estimate_tokens(text[start:end])
    if size <= target:
        yield start, end, size
        return
    spans = _sentence_spans(text, start, end) if prose else [(start, end)]
    for a, b in spans:
        tokens = estimate_tokens(text[a:b])
        if tokens <= target:
            yield a, b, tokens
            continue
        # Even stretches, rather than full ones and a rest.
        count = -(-tokens // target)
        width = max((b - a) // count + 1, 1)
        while a < b:
            cut = safe_cut(text, a, min(a + width, b), b)
            part = text[a:cut]
            left = a + len(part) - len(part.lstrip())
            right = a + len(part.rstrip())
            if left < right:
                yield left, right, estimate_tokens(text[left:right])
            a = cut


def _sentence_spans(text: str, start: int, end: int) -> list[Span]:
    return [(start + a, start + b) for a, b in sentences(text[start:end])]


def _line_spans(text: str, block: Block) -> list[Span]:
    """The lines of a block that are not blank, with their indentation."""
    spans: list[Span] = []
    at = block.start
    while at < block.end:
        stop = text.find("\n", at, block.end)
        stop = block.end if stop == -1 else stop
        if not text[at:stop].isspace() and at < stop:
            spans.append((at, at + len(text[at:stop].rstrip())))
        at = stop + 1
    return spans


# Pieces to chunks


def _set_crossings(text: str, pieces: list[_Piece], paths: list[tuple[str, ...]]) -> None:
    """What it costs to go on from each piece to the next within one chunk, or to break between them."""
    with_body = {p.section for p in pieces if p.kind != "heading"}
    for before, piece in pairwise(pieces):
        if before.page != piece.page:
            # a citation names one page, and it must be the one the words are on
            piece.cross = _NEVER
        if before.section != piece.section:
            piece.cross += _crossing(paths[before.section], paths[piece.section], before.section in with_body)
        elif (
            piece.cut == 0.0
            and before.kind == "paragraph"
            and piece.kind in ("list", "table", "code")
            and text[before.end - 1] in ":：、,"
        ):
            piece.cut = _CUT_LEAD_IN
        if before.kind == "heading":
            piece.cut += _STRANDED_HEADING


def _crossing(before: tuple[str, ...], after: tuple[str, ...], has_body: bool) -> float:
    if not has_body and after[: len(before)] == before:
        return 0.0
    shared = 0
    for a, b in zip(before, after, strict=False):
        if a != b:
            break
        shared += 1
    if shared == len(before):
        return _CROSS_TO_CHILD if before else _CROSS_TO_SIBLING
    return _CROSS_TO_SIBLING if shared else _CROSS_AT_ROOT


def _layout(pieces: list[_Piece], target: int) -> list[tuple[int, int]]:
    """The cheapest way to lay the pieces, in order, into chunks: (first, end) of each.

    Dynamic programming over the place of the last boundary, as in Knuth and Plass, "Breaking paragraphs
    into lines" (1981); a chunk longer than the target is only made of one piece.
    """
    count = len(pieces)
    body = [0, *accumulate(int(p.kind != "heading") for p in pieces)]
    best = [0.0] + [float("inf")] * count
    came_from = [0] * (count + 1)
    for end in range(1, count + 1):
        size = 0
        crossed = 0.0
        stranded = _STRANDED_HEADING if pieces[end - 1].kind == "heading" else 0.0
        for first in range(end - 1, -1, -1):
            piece = pieces[first]
            size += piece.tokens
            # A heading may stand above a piece that fills the chunk by itself.
            most = target + target // 4 if piece.kind == "heading" else target
            if size > most and first < end - 1:
                break
            room = max(1.0 - size / target, 0.0)
            cost = best[first] + room * room + crossed + stranded
            if first:
                cost += piece.cut
            if body[end] == body[first]:
                cost += _STRANDED_HEADING
            if cost < best[end]:
                best[end] = cost
                came_from[end] = first
            crossed += piece.cross
            if crossed >= _NEVER:
                break
    spans: list[tuple[int, int]] = []
    end = count
    while end:
        spans.append((came_from[end], end))
        end = came_from[end]
    spans.reverse()
    return spans


def _overlap(text: str, pieces: list[_Piece], first: int, after: int, overlap: int) -> tuple[int, int]:
    """Where a chunk that begins with piece `first` begins with its overlap, and the tokens that adds.

    It begins past `after`, the beginning of the chunk before, so that chunks stay in order.
    """
    start = pieces[first].start
    if first == 0 or overlap <= 0:
        return start, 0
    before = pieces[first - 1]
    if before.section != pieces[first].section or before.kind not in ("paragraph", "quote"):
        return start, 0
    if before.page != pieces[first].page:
        return start, 0
    if pieces[first].kind not in ("paragraph", "quote", "list") or start - before.end > _CARRIED_GAP:
        return start, 0
    carried, extra = start, 0
    for a, b in reversed(_sentence_spans(text, before.start, before.end)):
        size = estimate_tokens(text[a:b])
        if extra + size > overlap or a <= after:
            break
        carried, extra = a, extra + size
    return carried, extra


def _common_path(members: list[_Piece], paths: list[tuple[str, ...]]) -> tuple[str, ...]:
    """The headings above the chunk's text, leaving aside sections that are small beside its largest.

    A heading whose own text is in other chunks does not count either.
    """
    weights: dict[int, int] = {}
    for piece in members:
        if piece.kind != "heading":
            weights[piece.section] = weights.get(piece.section, 0) + piece.tokens
    if not weights:
        return paths[members[-1].section]
    least = _SMALL_PART * max(weights.values())
    sections = [section for section, tokens in weights.items() if tokens >= least]
    path = paths[sections[0]]
    for section in sections[1:]:
        other = paths[section]
        shared = 0
        while shared < min(len(path), len(other)) and path[shared] == other[shared]:
            shared += 1
        path = path[:shared]
    return path
