"""From lines to paragraphs and headings, over column and page ends.

A page's number is the page of the sentence's beginning: a sentence that runs over the page's end stays whole on
the page it began on, so that a word cut in two by the page is found and a citation opens where one starts to
read. Knows lines with places, not formats.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import median

from inro.readers.joining import ends_sentence, first_sentence, is_cjk, join
from inro.readers.layout import Line
from inro.records import Block, BlockKind

_NEW_SIZE = 0.12
"""Share by which letters must differ in height for a new paragraph."""
_HEADING_SIZE = 1.14
_LONGEST_HEADING = 120
_RAGGED = 0.85
"""Share of a column's lines that end before what counts as its right edge."""
_FOOTNOTES = 4
_DEEPEST = 4
_BULLET = re.compile(
    r"(?:[•・‣◦▪■□●○◆◇※]|[-–—*](?= )|\(?(?:\d{1,3}|[a-z])[.)](?= )|[（(]?[0-9０-９一二三四五六七八九十]{1,3}[)）])\s*\S"
)
_OPENS_SMALL = re.compile(r"[a-z\d(（,;、。）)」』ぁ-ん]")


@dataclass(slots=True)
class Paragraph:
    """A paragraph, a row of a table or a heading."""

    text: str
    kind: BlockKind
    page: int
    size: float
    """Height of its letters."""
    new: bool = False
    """It begins like a paragraph (indented), whatever came before."""
    level: int = 0


def paragraphs(lines: Sequence[Line], page: int) -> list[Paragraph]:
    """The paragraphs of one page, from its lines in reading order."""
    made: list[Paragraph] = []
    for column in _by_column(lines):
        made.extend(_column(column, page))
    return made


def connected(pages: Iterable[Sequence[Paragraph]]) -> list[Paragraph]:
    """All pages' paragraphs with those continued over a column's or a page's end put together again."""
    made: list[Paragraph] = []
    for page in pages:
        for paragraph in page:
            before = _before(made, paragraph)
            if before is None or not _continues(before, paragraph):
                made.append(paragraph)
                continue
            if before.page == paragraph.page:
                before.text = join(before.text, paragraph.text)
                continue
            # the sentence that crosses the page's end belongs to the page it began on
            cut = first_sentence(paragraph.text)
            head, rest = paragraph.text[:cut], paragraph.text[cut:].lstrip()
            if not cut:
                head, rest = paragraph.text, ""
            before.text = join(before.text, head)
            if rest:
                paragraph.text = rest
                made.append(paragraph)
    return made


def set_headings(made: Sequence[Paragraph]) -> None:
    """Mark as headings what is set in larger letters than the body."""
    sizes: Counter[float] = Counter()
    for paragraph in made:
        sizes[round(paragraph.size, 1)] += len(paragraph.text)
    if not sizes:
        return
    body = sizes.most_common(1)[0][0]
    large = {round(p.size) for p in made if _is_heading(p, body)}
    levels = {size: min(n, _DEEPEST) for n, size in enumerate(sorted(large, reverse=True), start=1)}
    for paragraph in made:
        if _is_heading(paragraph, body):
            paragraph.kind = "heading"
            paragraph.level = levels[round(paragraph.size)]


def assemble(made: Sequence[Paragraph]) -> tuple[str, tuple[Block, ...]]:
    """One text of all paragraphs, and its blocks."""
    parts: list[str] = []
    blocks: list[Block] = []
    at = 0
    before: Paragraph | None = None
    for paragraph in made:
        text = "".join(c for c in paragraph.text if c.isprintable() or c in "\n\u3000").strip()
        if not text:
            continue
        if before is not None:
            near = before.kind == paragraph.kind == "list" and before.page == paragraph.page
            parts.append("\n" if near else "\n\n")
            at += len(parts[-1])
        label = " ".join(text.split()) if paragraph.kind == "heading" else ""
        level = paragraph.level if paragraph.kind == "heading" else 0
        blocks.append(Block(paragraph.kind, at, at + len(text), level, paragraph.page, label))
        parts.append(text)
        at += len(text)
        before = paragraph
    return "".join(parts), tuple(blocks)


def _is_heading(paragraph: Paragraph, body: float) -> bool:
    text = paragraph.text
    return (
        paragraph.kind == "paragraph"
        and paragraph.size >= _HEADING_SIZE * body
        and len(text) <= _LONGEST_HEADING
        and text[-1] not in "。.、,"
        and (text[0].isalnum() or is_cjk(text[0]))
        and not text[0].islower()
        and any(map(str.isalpha, text))
    )


def _by_column(lines: Sequence[Line]) -> list[list[Line]]:
    columns: list[list[Line]] = []
    for line in lines:
        if columns and columns[-1][-1].column == line.column:
            columns[-1].append(line)
        else:
            columns.append([line])
    return columns


def _column(lines: list[Line], page: int) -> list[Paragraph]:
    left = _usual([line.x0 for line in lines])
    right = sorted(line.x1 for line in lines)[int(_RAGGED * (len(lines) - 1) + 0.999)]
    rows = [line.cells > 1 for line in lines]
    steps = [b.middle - a.middle for a, b in pairwise(lines) if b.middle > a.middle]
    step = median(steps) if steps else 0.0
    made: list[Paragraph] = []
    before: Line | None = None
    for at, line in enumerate(lines):
        # a lone line with wide gaps is set to full width; rows of a table have others beside them
        in_table = rows[at] and (any(rows[max(at - 1, 0) : at]) or any(rows[at + 1 : at + 2]))
        kind: BlockKind = "table" if in_table else "paragraph"
        indented = line.x0 - left > 0.7 * line.height
        if before is None or _begins(before, line, made[-1], kind, step, left, right):
            listed = kind == "paragraph" and _BULLET.match(line.text) is not None
            new = indented or listed or line.text.startswith("　")
            text = line.text if kind == "table" else line.text.replace("  ", " ")
            made.append(Paragraph(text.strip(), "list" if listed else kind, page, line.height, new))
        elif kind == "table":
            made[-1].text += "\n" + line.text
        else:
            made[-1].text = join(made[-1].text, line.text.replace("  ", " "))
        before = line
    return made


def _begins(before: Line, line: Line, now: Paragraph, kind: BlockKind, step: float, left: float, right: float) -> bool:
    """Whether a line begins a paragraph of its own."""
    height = line.height
    if (now.kind == "table") != (kind == "table"):
        return True
    far = line.middle - before.middle
    if far > max(1.35 * step, 1.25 * height) and far > 1.15 * step:
        return True
    if kind == "table":
        return False
    if abs(height - before.height) > _NEW_SIZE * max(height, before.height) and not _same_words(before, line):
        return True
    if _BULLET.match(line.text):
        return True
    if line.x0 - left > 0.7 * height and before.x0 - left < 0.4 * height and now.kind != "list":
        return True
    if ends_sentence(before.text) and before.x1 < right - max(0.12 * (right - left), 1.5 * height):
        return True
    return _had_room(before, line, right) and not _centred(before, line, left)


def _had_room(before: Line, line: Line, right: float) -> bool:
    """Whether the line's first word would have stood on the line before, had it not been ended on purpose."""
    first = line.text.split(" ", 1)[0]
    if is_cjk(line.text[0]) or is_cjk(before.text[-1]):
        need = 3.0 * line.height
    else:
        need = (line.x1 - line.x0) * (len(first) + 1) / max(len(line.text), 1) + line.height
    return before.x1 + need < right


def _centred(before: Line, line: Line, left: float) -> bool:
    """Whether both lines are set about one middle, as titles are."""
    off = abs((before.x0 + before.x1) - (line.x0 + line.x1)) / 2
    return off < line.height and max(before.x0, line.x0) > left + line.height


def _same_words(before: Line, line: Line) -> bool:
    """Whether two lines differ in height only since one has capitals or marks the other lacks."""
    return abs(line.height - before.height) < 0.2 * before.height and line.text[:1].islower()


def _usual(values: list[float]) -> float:
    """The left edge that most lines share."""
    counted = Counter(round(value / 2) for value in values)
    most = max(counted.values())
    edge = min(place for place, count in counted.items() if count >= most / 2)
    return min(value for value in values if round(value / 2) == edge)


def _before(made: Sequence[Paragraph], after: Paragraph) -> Paragraph | None:
    """What a paragraph may be the rest of: the last one, footnotes in smaller letters passed over."""
    for paragraph in reversed(made[-_FOOTNOTES:]):
        if after.page - paragraph.page > 1 or paragraph.size > after.size / (1 + _NEW_SIZE):
            return paragraph
    return made[-1] if made else None


def _continues(before: Paragraph, after: Paragraph) -> bool:
    """Whether a paragraph goes on in the next column or on the next page."""
    if before.kind not in ("paragraph", "list") or after.kind != "paragraph" or after.new:
        return False
    if abs(before.size - after.size) > _NEW_SIZE * max(before.size, after.size):
        return False
    if after.page - before.page > 1 or ends_sentence(before.text):
        return False
    last, first = before.text[-1], after.text[0]
    if is_cjk(last) or is_cjk(first):
        return len(before.text) > 12
    return last in "-\u2010\u00ad\u0002," or _OPENS_SMALL.match(first) is not None
