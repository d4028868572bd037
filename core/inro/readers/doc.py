"""Word 97-2003 documents: the body in order, then what stands beside it, as newer ones are read.

Headings by style or outline level, list items by their depth (the numbers that Word counts are not in the text),
tables a row a line. Of fields the result is text and not the instruction. Readings over characters are left out, and
so is what a tracked change deleted. Footnotes, endnotes, comments, text boxes, headers and footers follow the body,
each once.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from inro.errors import Unreadable
from inro.readers.doc_formats import Format, Formats
from inro.readers.doc_pieces import Pieces
from inro.readers.docx_numbering import spell
from inro.readers.draft import Draft, one_line
from inro.readers.ole import Compound
from inro.readers.reader import Reader, stem_of
from inro.readers.renamed import read_renamed
from inro.records import Reading

_FOOTNOTES, _COMMENTS, _ENDNOTES = (2, 3), (4, 5), (46, 47)
"""Of each: the numbers of its references in the body, and of the places of its texts."""
_NOTE_ENTRY, _COMMENT_ENTRY = 2, 30
_CELL, _PARAGRAPH, _PAGE = "\x07", "\r", "\x0c"
_FIELD, _RESULT, _FIELD_END = "\x13", "\x14", "\x15"
_SHOWN = {"\x0b": "\n", "\x0e": "\n", "\x1e": "-", "\t": "\t"}
_HYPERLINK = re.compile(r'\s*HYPERLINK\s+(?:\\[a-z]\s+)*"([^"]{1,2000})"(?!\s*\\l)', re.IGNORECASE)
_LONGEST_INSTRUCTION = 4000
_RUBY = re.compile(r"\s*EQ\b.*\\o\\a\w+\s*\(\\s\\up\s*-?\d+\([^()]*\)\s*[,;](.*)\)\s*", re.IGNORECASE | re.DOTALL)
_ENCLOSED = re.compile(r"\s*EQ\b.*\\o\\a\w+\s*\([^(),;]*[,;]([^(),;]*)\)\s*", re.IGNORECASE | re.DOTALL)
"""Word writes readings over characters, and characters in a circle, as formulas without a result."""


@dataclass(slots=True)
class _Paragraph:
    """One paragraph of a part of the text, or one cell of a table."""

    text: str
    end: str
    """The mark that ends it."""
    format: Format
    targets: list[str] = field(default_factory=list)


def read(data: bytes, name: str, encoding: str | None = None) -> Reading:
    """Read a document. Raises `Unreadable` if it is protected, of Word 6 or 95, of another kind, or damaged."""
    renamed = read_renamed(data, name, encoding)
    if renamed is not None:
        return renamed
    file = Compound(data, name)
    pieces = Pieces(file, name)
    draft = Draft()
    title = file.declare(draft)
    document = _Document(pieces, draft)
    document.body()
    document.beside()
    if pieces.lost:
        draft.problems.append(f"{pieces.lost:,} characters are not in the file")
    if draft.empty and draft.problems:
        raise Unreadable(f"damaged Word document: {name}", "open it and save it as DOCX")
    return draft.reading(READER.id, title or document.title or stem_of(name))


class _Document:
    def __init__(self, pieces: Pieces, draft: Draft) -> None:
        self._pieces, self._draft = pieces, draft
        self._formats = Formats(pieces)
        self._marks: dict[int, str] = {}
        for (references, _), form in ((_FOOTNOTES, "decimal"), (_ENDNOTES, "lowerRoman")):
            for n, cp in enumerate(pieces.places(references, _NOTE_ENTRY)[0][:-1], 1):
                self._marks[cp] = f"[{spell(n, form)}]"
        self.title = ""

    def body(self) -> None:
        """Write the body."""
        items: list[str] = []
        rows: list[str] = []
        cells: list[str] = []
        held: list[str] = []
        for one in self._paragraphs(*self._pieces.span("body")):
            if one.format.in_table or one.end == _CELL:
                self._flush("list", items)
                if one.format.row_end:
                    rows.append(one_line(cells))
                    cells, held = [], []
                    continue
                held.append(one.text)
                if one.end == _CELL:
                    cells.append(" ".join(held))
                    held = []
                continue
            if cells or held:
                rows.append(one_line([*cells, " ".join(held)]))
                cells, held = [], []
            self._flush("table", rows)
            if one.format.listed and not one.format.level and one.text.strip():
                items.append("  " * one.format.depth + " ".join(one.text.split()))
                continue
            self._flush("list", items)
            self._paragraph(one)
        if cells or held:
            rows.append(one_line([*cells, " ".join(held)]))
        self._flush("table", rows)
        self._flush("list", items)

    def beside(self) -> None:
        """Write what stands beside the body."""
        self._notes("footnotes", *_FOOTNOTES, "decimal")
        self._notes("endnotes", *_ENDNOTES, "lowerRoman")
        self._comments()
        for part, kind in (("boxes", "paragraph"), ("headers", "margin"), ("header boxes", "margin")):
            seen: set[str] = set()
            for one in self._paragraphs(*self._pieces.span(part)):
                text = one.text.strip()
                # A header of nothing but a page number says nothing.
                if text and text not in seen and (kind != "margin" or any(c.isalpha() for c in text)):
                    seen.add(text)
                    self._draft.add("paragraph", text)

    def _flush(self, kind: str, lines: list[str]) -> None:
        if lines:
            self._draft.add("table" if kind == "table" else "list", "\n".join(line for line in lines if line))
            lines.clear()

    def _paragraph(self, one: _Paragraph) -> None:
        text = " ".join(one.text.split())
        heading = one.format.level or (1 if one.format.title and not self.title else 0)
        if heading and text:
            span = self._draft.heading(heading, text)
            if one.format.title and not self.title:
                self.title = text
        else:
            span = self._draft.add("paragraph", one.text)
        for target in one.targets:
            self._draft.link("url", target, span)

    def _notes(self, part: str, references: int, texts: int, form: str) -> None:
        start, end = self._pieces.span(part)
        places = [start + cp for cp in self._pieces.places(texts, 0)[0]]
        count = len(self._pieces.places(references, _NOTE_ENTRY)[1])
        if len(places) <= count or not count:
            places, count = [start, end], 1 if start < end else 0
        for n in range(count):
            text = self._joined(places[n], min(places[n + 1], end))
            self._draft.add("quote", f"[{spell(n + 1, form)}] {text}" if text else "")

    def _comments(self) -> None:
        start, end = self._pieces.span("comments")
        _, entries = self._pieces.places(_COMMENTS[0], _COMMENT_ENTRY)
        places = [start + cp for cp in self._pieces.places(_COMMENTS[1], 0)[0]]
        if len(places) <= len(entries) or not entries:
            self._draft.add("quote", self._joined(start, end))
            return
        for n, entry in enumerate(entries):
            size = min(int.from_bytes(entry[:2], "little"), 9)
            who = entry[2 : 2 + 2 * size].decode("utf-16-le", "replace")
            text = self._joined(places[n], min(places[n + 1], end))
            self._draft.add("quote", f"{who}: {text}" if text and who else text)

    def _joined(self, start: int, end: int) -> str:
        return "\n".join(one.text.strip() for one in self._paragraphs(start, end) if one.text.strip())

    def _paragraphs(self, start: int, end: int) -> Iterator[_Paragraph]:
        """The paragraphs and cells of a stretch of text, fields resolved."""
        text: list[str] = []
        targets: list[str] = []
        fields: list[list[str] | None] = []
        """Of each open field its instruction so far; None once its result has begun."""
        for cp, unit in enumerate(self._pieces.text(start, end), start):
            if unit in (_PARAGRAPH, _CELL, _PAGE):
                # An instruction over a paragraph's end is a field that is broken: what follows is text.
                if any(one is not None for one in fields):
                    fields = []
                yield _Paragraph(_whole(text), unit, self._formats.paragraph(cp), targets)
                text, targets = [], []
            elif unit == _FIELD:
                fields.append([])
            elif unit == _RESULT and fields:
                if fields[-1] is not None:
                    targets.extend(_targets(_whole(fields[-1])))
                fields[-1] = None
            elif unit == _FIELD_END and fields:
                instruction = fields.pop()
                if instruction is not None and not any(one is not None for one in fields):
                    text.append(_drawn(_whole(instruction)))
            else:
                instruction = next((one for one in fields if one is not None), None)
                if instruction is None:
                    text.append(self._shown(cp, unit))
                elif len(instruction) < _LONGEST_INSTRUCTION:
                    instruction.append(unit)
        if text:
            yield _Paragraph(_whole(text), _PARAGRAPH, self._formats.paragraph(max(end - 1, start)), targets)

    def _shown(self, cp: int, unit: str) -> str:
        instead = self._formats.instead(cp)
        if instead is not None:
            return instead
        if unit < " ":
            return self._marks.get(cp, "") if unit in "\x02" else _SHOWN.get(unit, "")
        return unit


def _targets(instruction: str) -> Iterator[str]:
    match = _HYPERLINK.match(instruction)
    if match is not None:
        yield match[1]


def _drawn(instruction: str) -> str:
    """The characters that a formula draws with a reading over them or a circle around them."""
    match = _RUBY.fullmatch(instruction) or _ENCLOSED.fullmatch(instruction)
    return match[1] if match is not None else ""


def _whole(units: list[str]) -> str:
    """UTF-16 units as text: pairs of surrogates are one character."""
    text = "".join(units)
    if any("\ud800" <= c <= "\udfff" for c in text) if not text.isascii() else False:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text


READER = Reader("doc", 1, frozenset({".doc", ".dot"}), read, isolated=True)
