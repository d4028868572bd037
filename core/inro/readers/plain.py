"""Plain text: paragraphs by blank lines, and the few line shapes that people use as headings.

A line is a heading only if it stands where a heading stands (first in its paragraph or alone in it) and is
shaped like one: a mark (■, ●, ◆, 【…】), a numbered chapter (第1章, 1.2 …, Chapter 3) or a rule under it. It
is short and does not end like a sentence. Whatever is doubtful stays a paragraph: a missed heading costs
little, an invented one cuts a text apart. A short first line that stands alone is the heading of the whole.
Hard-wrapped prose is kept as written.
"""

from __future__ import annotations

import re

from inro.readers.blocks import cover, paragraphs
from inro.readers.decode import decode
from inro.readers.headers import header_fields
from inro.readers.reader import Reader, stem_of
from inro.records import Block, Reading, Span

_LONGEST_HEADING = 60
_LONGEST_OPENING = 40

_MARKED = re.compile(r"(?P<mark>[■□◆◇●○◎▼▽★☆§]+)[ \t　]*(?P<label>\S.*)")
_BRACKETED = re.compile(r"[【〔](?P<label>[^】〕]+)[】〕]")
_CHAPTER = re.compile(
    r"(?:第[ 　]?[0-9０-９一二三四五六七八九十百]+[ 　]?(?P<ja>[編部章節項])"
    r"|(?P<en>(?i:chapter|part|section|appendix))[ ]+(?:\d+|[IVXLC]+|[A-Z])\b)"
    r"(?P<rest>.*)"
)
_NUMBERED = re.compile(r"(?P<number>[0-9０-９]{1,2}(?:[.．][0-9０-９]{1,2}){0,3})[.．]?[ \t　]+(?P<label>\S.*)")
_RULE = re.compile(r"[ \t]*([=\-~^\"'*+#`:._])\1{2,}[ \t]*")
_SENTENCE_END = re.compile(r"[。．！？!?,、，;；:：…]$|(?<![A-Za-z]\.[A-Za-z])\.$")

_CHAPTER_LEVEL = {"編": 1, "部": 1, "章": 1, "節": 2, "項": 3}


def read(data: bytes, name: str, encoding: str | None = None) -> Reading:
    """Read a plain text file. Raises `Unreadable` if it is not text."""
    decoded = decode(data, name, override=encoding)
    text = decoded.text
    blocks = text_blocks(text)
    fields = header_fields(text, [b.start for b in blocks if b.kind == "paragraph"][:1])
    return Reading(
        text=text,
        title=fields.get("title", (stem_of(name),))[0],
        blocks=blocks,
        reader=READER.id,
        fields=fields,
        encoding=decoded.encoding,
        confidence=decoded.confidence,
        outcome=decoded.outcome,
        reason=decoded.reason,
    )


def text_blocks(text: str, start: int = 0, end: int | None = None) -> tuple[Block, ...]:
    """Headings and paragraphs of `text[start:end]`, in order, covering all that is not white space."""
    blocks: list[Block] = []
    stop = len(text) if end is None else end
    adornments: list[str] = []
    for begin, finish in paragraphs(text, start, stop):
        head = _underlined(text, begin, finish, adornments) or _heading(text, begin, finish)
        if head is None and not blocks and finish < stop:
            head = _opening(text, begin, finish)
        if head is None:
            blocks.append(Block("paragraph", begin, finish))
            continue
        blocks.append(head)
        blocks.extend(Block("paragraph", a, b) for a, b in paragraphs(text, head.end, finish))
    return cover(text[:stop], blocks, start)


def _opening(text: str, start: int, end: int) -> Block | None:
    """The document's first line as its heading, if it stands alone and does not read like a sentence."""
    line = text[start:end].strip()
    if "\n" in line or len(line) > _LONGEST_OPENING or not any(map(str.isalnum, line)):
        return None
    if _SENTENCE_END.search(line) or any(sign in line for sign in ":：。") or not _reads_like_a_title(line):
        return None
    return Block("heading", start, end, 1, label=line)


def _underlined(text: str, start: int, end: int, adornments: list[str]) -> Block | None:
    """A line with a rule under it, and perhaps over it, as in reStructuredText and Setext.

    Depth goes by the order in which the kinds of rule first appear; `adornments` remembers it.
    """
    lines: list[Span] = []
    at = start
    while at < end and len(lines) < 3:
        line = _line(text, at, end)
        lines.append(line)
        at = line[1] + 1
    over = bool(lines) and _RULE.fullmatch(text[slice(*lines[0])]) is not None
    title, under = (lines[1:3] if over else lines[:2]) if len(lines) >= 2 + over else ((0, 0), (0, 0))
    label = text[slice(*title)].strip()
    rule = text[slice(*under)].strip()
    if not label or _RULE.fullmatch(rule) is None or len(label) > _LONGEST_HEADING:
        return None
    if len(rule) < min(len(label), 3) or _RULE.fullmatch(label) or (over and rule[0] != text[lines[0][0]]):
        return None
    kind = rule[0] * (1 + over)
    if kind not in adornments:
        adornments.append(kind)
    return Block("heading", start, under[1], min(adornments.index(kind) + 1, 6), label=label)


def _line(text: str, start: int, end: int) -> Span:
    stop = text.find("\n", start, end)
    return (start, end if stop == -1 else stop)


def _heading(text: str, start: int, end: int) -> Block | None:
    """The heading that the paragraph `text[start:end]` begins with by the shape of its first line."""
    first = text.find("\n", start, end)
    line_end = end if first == -1 else first
    line = text[start:line_end].strip()
    if not line or len(line) > _LONGEST_HEADING:
        return None
    if _SENTENCE_END.search(line):
        return None
    alone = first == -1
    if match := _CHAPTER.fullmatch(line):
        level = _CHAPTER_LEVEL.get(match["ja"] or "", 1 if (match["en"] or "").lower() != "section" else 2)
        if match["rest"] and match["rest"][0] not in " \t　:：-–—" and match["ja"] is None:
            return None
        return Block("heading", start, line_end, level, label=line)
    if match := _MARKED.fullmatch(line):
        # A run of marked lines is a list, not a run of headings.
        if not alone and _MARKED.match(text[first + 1 : end].lstrip()):
            return None
        return Block("heading", start, line_end, 2, label=match["label"].strip())
    if (match := _BRACKETED.fullmatch(line)) and len(match["label"]) <= 30:
        return Block("heading", start, line_end, 2, label=match["label"].strip())
    if alone and (match := _NUMBERED.fullmatch(line)) and _reads_like_a_title(match["label"]):
        level = 1 + match["number"].count(".") + match["number"].count("．")
        return Block("heading", start, line_end, min(level, 6), label=line)
    return None


def _reads_like_a_title(label: str) -> bool:
    """Not a quantity (`3 ml of water`), not a list item in a sentence's shape."""
    return len(label) <= 40 and not label[0].islower() and not re.match(r"[\d(（]", label)


READER = Reader("plain", 2, frozenset({".txt", ".text", ".log", ".adoc", ".tex", ".srt", ".vtt"}), read)
