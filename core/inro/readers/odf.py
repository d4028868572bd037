"""OpenDocument texts, spreadsheets and presentations: one walk, since they share their elements.

Headings by their outline level, lists indented, tables a row a line (sheets with the names of their columns),
notes and comments after the paragraph they belong to. Ruby readings and deleted text are left out. Sheets and
slides number the pages.
"""

from __future__ import annotations

from collections.abc import Iterator
from xml.etree.ElementTree import Element

from inro.errors import Unreadable
from inro.readers import tables
from inro.readers.container import Container
from inro.readers.draft import Draft, one_line
from inro.readers.reader import Reader, stem_of
from inro.readers.xml_tree import all_text, attribute, below, child, children, local, parse
from inro.records import Reading

_META = {
    "title": "title",
    "creator": "author",
    "initial-creator": "author",
    "subject": "subject",
    "keyword": "keywords",
    "description": "description",
    "creation-date": "created",
    "date": "modified",
    "language": "lang",
}
_DROPPED = frozenset(("tracked-changes", "ruby-text", "bookmark", "sequence-decls", "forms", "title", "desc"))
_MOST_REPEATED = 200
"""A sheet's row or column that repeats more often than this is formatting, not content."""
_MOST_COLUMNS = 2000
_ROWS_A_BLOCK = 500


def read(data: bytes, name: str, encoding: str | None = None) -> Reading:
    """Read an OpenDocument file. Raises `Unreadable` if it is damaged or protected."""
    draft = Draft()
    if data.lstrip()[:5] == b"<?xml":
        content = meta = parse(data, name)
        styles: Element | None = content
    else:
        container = Container(data, name)
        manifest = container.maybe("META-INF/manifest.xml")
        if manifest is not None and b"encryption-data" in manifest:
            raise Unreadable(f"protected by a password: {name}", "save a copy without password")
        raw = container.maybe("content.xml")
        if raw is None:
            raise Unreadable(f"a zip file, but no OpenDocument: {name}", "check what program wrote it")
        content = parse(raw, f"content.xml in {name}")
        found = _optional(container, "meta.xml", draft)
        meta = found if found is not None else content
        styles = _optional(container, "styles.xml", draft)
    declared = child(meta, "meta")
    for element in declared if declared is not None else ():
        key = _META.get(local(element))
        if key:
            draft.declare(key, all_text(element))
    body = child(content, "body")
    if body is None:
        raise Unreadable(f"an OpenDocument file without a body: {name}", "open it and save it again")
    walk = _Walk(draft)
    for kind in body:
        walk.blocks(kind)
    # Those of sheets and slides hold only what programs put there by themselves.
    for part in ("header", "footer") if child(body, "text") is not None else ():
        for element in below(styles, part):
            walk.blocks(element)
    return draft.reading(READER.id, draft.declared("title") or draft.first_heading() or stem_of(name))


def _optional(container: Container, path: str, draft: Draft) -> Element | None:
    try:
        raw = container.maybe(path)
        return None if raw is None else parse(raw, path)
    except Unreadable as e:
        draft.problems.append(e.message)
        return None


class _Walk:
    def __init__(self, draft: Draft) -> None:
        self._draft = draft
        self._after: list[Element] = []
        self._notes: list[str] = []
        self._targets: list[str] = []
        self.page: int | None = None

    # Blocks

    def blocks(self, parent: Element) -> None:
        """Everything in a body, section, frame or page, in order."""
        for element in parent:
            name = local(element)
            if name == "h":
                level = attribute(element, "outline-level", "1")
                self._write("heading", self._text(element), int(level) if level in "123456789" else 1)
            elif name == "p":
                self._write("paragraph", self._text(element))
            elif name == "list":
                self._write("list", "\n".join(self._items(element, 0)))
            elif name == "table":
                self._table(element, sheet=local(parent) == "spreadsheet")
            elif name == "page":
                self._slide(element)
            elif name == "annotation":
                self._note(element)
            elif name not in _DROPPED:
                self.blocks(element)

    def _write(self, kind: str, text: str, level: int = 0) -> None:
        draft = self._draft
        if kind == "heading":
            span = draft.heading(level, text, self.page)
        else:
            span = draft.add("list" if kind == "list" else "paragraph", text, self.page)
        for target in self._targets:
            draft.link("file" if target.startswith("..") else "url", target, span)
        self._targets = []
        notes, self._notes = self._notes, []
        for note in notes:
            draft.add("quote", note, self.page)
        after, self._after = self._after, []
        for box in after:
            self.blocks(box)

    def _items(self, element: Element, depth: int) -> Iterator[str]:
        for item in element:
            if local(item) not in ("list-item", "list-header"):
                continue
            marked = False
            for part in item:
                name = local(part)
                if name in ("p", "h"):
                    text = " ".join(self._text(part).split())
                    if text:
                        yield "  " * depth + ("  " if marked else "- ") + text
                        marked = True
                elif name == "list":
                    yield from self._items(part, depth + 1)

    def _slide(self, page: Element) -> None:
        self.page = (self.page or 0) + 1
        frames = [e for e in page if local(e) != "notes"]
        title = next((f for f in frames if attribute(f, "class") == "title" and all_text(f)), None)
        first = title if title is not None else next((f for f in frames if all_text(f)), None)
        if first is not None:
            label = self._label(first)
            self._draft.heading(1, label if title is not None or len(label) <= 120 else str(self.page), self.page)
            if title is not None or len(label) <= 120:
                frames.remove(first)
        for frame in frames:
            self.blocks(_wrap(frame))
        for notes in children(page, "notes"):
            words = [self._text(p) for p in below(notes, "p")]
            self._draft.add("quote", "\n".join(w for w in words if w.strip()), self.page)

    def _label(self, frame: Element) -> str:
        return " ".join(" ".join(self._text(p).split()) for p in below(frame, "p"))

    def _table(self, table: Element, sheet: bool) -> None:
        if sheet:
            self.page = (self.page or 0) + 1
            self._draft.heading(1, attribute(table, "name"), self.page)
            rows = list(self._rows(table))
            self._draft.declare("columns", *tables.columns([r for r in rows[:200] if any(r)]))
            lines = list(tables.lines(rows))
        else:
            lines = [line for row in self._rows(table) if (line := one_line(row))]
        for at in range(0, len(lines), _ROWS_A_BLOCK):
            self._draft.add("table", "\n".join(lines[at : at + _ROWS_A_BLOCK]), self.page)
        self._write("paragraph", "")

    def _rows(self, table: Element) -> Iterator[list[str]]:
        for element in table:
            name = local(element)
            if name in ("table-header-rows", "table-row-group", "table-rows"):
                yield from self._rows(element)
            elif name == "table-row":
                cells: list[str] = []
                for cell in element:
                    if local(cell) in ("table-cell", "covered-table-cell") and len(cells) < _MOST_COLUMNS:
                        cells.extend([self._cell(cell)] * _times(cell, "number-columns-repeated"))
                if any(cells):
                    for _ in range(_times(element, "number-rows-repeated")):
                        yield cells

    def _cell(self, cell: Element) -> str:
        """What a cell shows; a date as it is stored, since what is shown depends on a locale."""
        stored = attribute(cell, "date-value")
        if stored:
            return stored.removesuffix("T00:00:00").replace("T", " ")
        texts = [self._text(p) for p in below(cell, "p") if not _inside_note(cell, p)]
        for note in children(cell, "annotation"):
            self._note(note)
        return " ".join(t for t in texts if t) or attribute(cell, "value")

    # Text

    def _text(self, paragraph: Element) -> str:
        parts: list[str] = []
        self._inline(paragraph, parts)
        return "".join(parts)

    def _inline(self, parent: Element, parts: list[str]) -> None:
        parts.append(_collapsed(parent.text))
        for element in parent:
            name = local(element)
            if name == "s":
                count = attribute(element, "c", "1")
                parts.append(" " * (min(int(count), 100) if count.isdecimal() else 1))
            elif name == "tab":
                parts.append("\t")
            elif name == "line-break":
                parts.append("\n")
            elif name in ("annotation", "note"):
                self._note(element)
                citation = child(element, "note-citation")
                if citation is not None:
                    parts.append(f"[{all_text(citation)}]")
            elif name in ("frame", "custom-shape", "rect", "text-box", "g"):
                self._after.append(element)
            elif name not in _DROPPED:
                if name == "a":
                    self._targets.append(attribute(element, "href"))
                self._inline(element, parts)
            parts.append(_collapsed(element.tail))

    def _note(self, element: Element) -> None:
        words = " ".join(" ".join(self._text(p).split()) for p in below(element, "p"))
        citation = child(element, "note-citation")
        who = child(element, "creator")
        mark = f"[{all_text(citation)}] " if citation is not None else f"{all_text(who)}: " if who is not None else ""
        if words:
            self._notes.append(mark + words)


def _wrap(element: Element) -> Element:
    wrapped = Element("frame")
    wrapped.append(element)
    return wrapped


def _inside_note(cell: Element, paragraph: Element) -> bool:
    return any(p is paragraph for note in below(cell, "annotation") for p in below(note, "p"))


def _times(element: Element, name: str) -> int:
    count = attribute(element, name, "1")
    times = int(count) if count.isdecimal() and len(count) < 8 else 1
    return times if times <= _MOST_REPEATED else 1


def _collapsed(text: str | None) -> str:
    """White space as OpenDocument counts it: any run is one space."""
    if not text:
        return ""
    words = text.split()
    if not words:
        return " "
    return (" " if text[0].isspace() else "") + " ".join(words) + (" " if text[-1].isspace() else "")


_SUFFIXES = frozenset({".odt", ".ods", ".odp", ".ott", ".ots", ".otp", ".odg", ".fodt", ".fods", ".fodp"})
READER = Reader("odf", 1, _SUFFIXES, read, isolated=True)
