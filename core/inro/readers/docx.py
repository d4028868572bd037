"""Word documents: the body in order, then what stands beside it.

Headings by style or outline level, lists and clauses with the numbers that Word shows, tables a row a line,
text boxes after the paragraph that holds them. Readings over characters (ruby) are left out, and so is what a
tracked change deleted. Footnotes, endnotes, comments, and headers and footers follow the body, each once.
Pages are known where Word noted its last page breaks.
"""

from __future__ import annotations

from collections.abc import Iterator
from xml.etree.ElementTree import Element

from inro.errors import Unreadable
from inro.readers import html, rtf
from inro.readers.docx_numbering import Numbering
from inro.readers.docx_styles import Style, Styles, numbers
from inro.readers.draft import Draft, one_line
from inro.readers.package import Package
from inro.readers.reader import Reader, stem_of
from inro.readers.xml_tree import attribute, below, child, children, local
from inro.records import Reading

_BREAKS = frozenset(("br", "cr"))
_DROPPED = frozenset(("del", "moveFrom", "rt", "instrText", "delText", "pPr", "rPr", "delInstrText", "annotationRef"))


def read(data: bytes, name: str, encoding: str | None = None) -> Reading:
    """Read a Word document. Raises `Unreadable` if it is damaged or protected."""
    package = Package(data, name)
    main = package.main("word/document.xml")
    draft = Draft()
    title = package.declare(draft)
    root = package.tree(main)
    body = child(root, "body")
    if body is None:
        raise Unreadable(f"a Word document without a body: {name}", "open it and save it again")
    walk = _Walk(package, main, draft)
    walk.paged = next(below(body, "lastRenderedPageBreak"), None) is not None
    walk.blocks(body)
    walk.flush()
    walk.paged = False
    walk.beside()
    return draft.reading(READER.id, title or walk.title or stem_of(name))


class _Walk:
    def __init__(self, package: Package, main: str, draft: Draft) -> None:
        def part(kind: str) -> Element | None:
            path = next(iter(package.related(main, kind)), None)
            return package.optional(path, draft) if path else None

        self._package, self._main, self._draft = package, main, draft
        self._relations = package.relations(main)
        self._styles = Styles(part("styles"))
        self._numbering = Numbering(part("numbering"))
        self._part = part
        self._list: list[str] = []
        self._list_page: int | None = None
        self._page = 1
        self._boxes: list[Element] = []
        self._targets: list[str] = []
        self.paged = False
        self.title = ""

    # Blocks

    def blocks(self, parent: Element) -> None:
        """Everything in a body, cell or box, in order."""
        for element in parent:
            name = local(element)
            if name == "p":
                self._paragraph(element)
            elif name == "tbl":
                self._table(element)
            elif name == "altChunk":
                self._foreign(element)
            elif name in ("sdt", "sdtContent", "customXml", "ins", "moveTo"):
                self.blocks(element)
            elif name == "AlternateContent":
                choice = child(element, "Choice")
                if choice is not None:
                    self.blocks(choice)

    def _paragraph(self, element: Element) -> None:
        page = self._page
        text = self._text(element)
        properties = child(element, "pPr")
        named = child(properties, "pStyle")
        style = self._styles.of(attribute(named, "val")) if named is not None else Style()
        level, number, depth = numbers(properties)
        heading = level if level is not None else style.heading or 0
        number = number if number is not None else style.number
        depth = depth if depth is not None else style.depth or 0
        mark = self._numbering.next(number, depth) if number and number != "0" and text.strip() else ""
        shown = page if self.paged else None
        if text.strip():
            self._place(f"{mark} {text}" if mark else text, heading, mark, depth, style, shown)
        boxes, self._boxes = self._boxes, []
        for box in boxes:
            self.flush()
            self.blocks(box)
            self.flush()

    def _place(self, text: str, heading: int, mark: str, depth: int, style: Style, page: int | None) -> None:
        draft = self._draft
        if heading or (style.title and not self.title):
            self.flush()
            span = draft.heading(heading or 1, text, page)
            self.title = self.title or (" ".join(text.split()) if style.title else "")
        elif mark:
            self._list_page = self._list_page if self._list else page
            self._list.append("  " * depth + text.replace("\n", " "))
            if not self._targets:
                return
            span = self.flush()
        else:
            self.flush()
            span = draft.add("quote" if style.quote else "code" if style.code else "paragraph", text, page)
        for target in self._targets:
            draft.link("url", target, span)
        self._targets = []

    def flush(self) -> tuple[int, int]:
        """Write the list that is open; the span of it."""
        items, self._list = self._list, []
        return self._draft.add("list", "\n".join(items), self._list_page) if items else (0, 0)

    def _table(self, table: Element) -> None:
        self.flush()
        page = self._page
        rows = [one_line(self._cell(cell) for cell in _cells(row)) for row in _rows(table)]
        self._draft.add("table", "\n".join(r for r in rows if r), page if self.paged else None)
        self._targets = []

    def _cell(self, cell: Element) -> str:
        texts = [self._text(p) for p in below(cell, "p")]
        boxes, self._boxes = self._boxes, []
        return " ".join([*texts, *(self._text(p) for box in boxes for p in below(box, "p"))])

    def _foreign(self, element: Element) -> None:
        """A chunk of another format, which Word takes in when it opens the document."""
        self.flush()
        relation = self._relations.get(attribute(element, "id"))
        data = self._package.bytes(relation.target) if relation and not relation.external else None
        if data is None or relation is None:
            self._draft.problems.append("a part of another format is missing")
            return
        suffix = relation.target.rsplit(".", 1)[-1].lower()
        reader = rtf.READER if suffix == "rtf" else READER if suffix in ("docx", "docm") else html.READER
        self._draft.embed(reader.read(data, relation.target, None), page=self._page if self.paged else None)

    # Text

    def _text(self, paragraph: Element) -> str:
        parts: list[str] = []
        self._inline(paragraph, parts)
        return "".join(parts)

    def _inline(self, parent: Element, parts: list[str]) -> None:
        for element in parent:
            name = local(element)
            if name == "t":
                parts.append(element.text or "")
            elif name == "tab":
                parts.append("\t")
            elif name in _BREAKS:
                parts.append("\n" if attribute(element, "type") != "page" else "")
            elif name == "noBreakHyphen":
                parts.append("-")
            elif name == "lastRenderedPageBreak":
                self._page += 1
            elif name == "sym":
                parts.append(_symbol(element))
            elif name in ("footnoteReference", "endnoteReference"):
                parts.append(f"[{attribute(element, 'id')}]")
            elif name == "ruby":
                base = child(element, "rubyBase")
                if base is not None:
                    self._inline(base, parts)
            elif name == "txbxContent":
                self._boxes.append(element)
            elif name == "hyperlink":
                relation = self._relations.get(attribute(element, "id"))
                if relation is not None and relation.external:
                    self._targets.append(relation.target)
                self._inline(element, parts)
            elif name == "AlternateContent":
                # Both branches hold the same; the first is the one for programs of today.
                chosen = child(element, "Choice")
                chosen = chosen if chosen is not None else child(element, "Fallback")
                if chosen is not None:
                    self._inline(chosen, parts)
            elif name not in _DROPPED:
                self._inline(element, parts)

    # Beside the body

    def beside(self) -> None:
        """Charts, notes, comments, headers and footers."""
        draft = self._draft
        for words in self._package.drawings(self._main, draft):
            draft.add("paragraph", words)
        for kind, item in (("footnotes", "footnote"), ("endnotes", "endnote")):
            for note in children(self._part(kind), item):
                if attribute(note, "type") in ("separator", "continuationSeparator", "continuationNotice"):
                    continue
                text = "\n".join(filter(None, (self._text(p).strip() for p in below(note, "p"))))
                draft.add("paragraph", f"[{attribute(note, 'id')}] {text}" if text else "")
        for comment in children(self._part("comments"), "comment"):
            text = "\n".join(filter(None, (self._text(p).strip() for p in below(comment, "p"))))
            author = attribute(comment, "author")
            draft.add("quote", f"{author}: {text}" if author and text else text)
        seen: set[str] = set()
        for relation in self._relations.values():
            if relation.kind not in ("header", "footer") or relation.external:
                continue
            root = self._package.optional(relation.target, draft)
            text = "\n".join(filter(None, (self._text(p).strip() for p in below(root, "p"))))
            if text not in seen:
                seen.add(text)
                draft.add("paragraph", text)


def _rows(table: Element) -> Iterator[Element]:
    for element in table:
        if local(element) == "tr":
            yield element
        elif local(element) in ("sdt", "sdtContent", "customXml", "ins"):
            yield from _rows(element)


def _cells(row: Element) -> Iterator[Element]:
    for element in row:
        if local(element) == "tc":
            yield element
        elif local(element) in ("sdt", "sdtContent", "customXml", "ins"):
            yield from _cells(element)


def _symbol(element: Element) -> str:
    code = attribute(element, "char")
    try:
        value = int(code, 16)
    except ValueError:
        return ""
    # Symbol fonts live in a private area; what a character there means only the font knows.
    return "" if 0xE000 <= value <= 0xF8FF or value > 0x10FFFF or 0xD800 <= value < 0xE000 else chr(value)


READER = Reader("docx", 1, frozenset({".docx", ".docm", ".dotx", ".dotm"}), read, isolated=True)
