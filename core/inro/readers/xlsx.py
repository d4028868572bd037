"""Excel workbooks: each sheet under its name, each row a line with the names of its columns.

Values are those that were last computed; formulas are not text. Sheets are read whether they are hidden or
not, in the order of their tabs, and number the pages. Comments, drawings and page headers follow their sheet.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from xml.etree.ElementTree import Element

from inro.errors import Unreadable
from inro.readers import tables
from inro.readers.draft import Draft
from inro.readers.package import Package
from inro.readers.pptx import attribute_id
from inro.readers.reader import Reader, stem_of
from inro.readers.xlsx_cells import Kind, kinds, number_text, rich_text
from inro.readers.xml_tree import all_text, attribute, below, child, children
from inro.records import Reading

_REFERENCE = re.compile(r"([A-Z]{1,3})\d+")
_MOST_COLUMNS = 16_384
_CODES = re.compile(r'&(?:"[^"]*"|\d+|[A-Za-z&])')
_ROWS_A_BLOCK = 500
"""Rows that stand in one block; blocks bound the work of cutting a sheet into chunks."""


def read(data: bytes, name: str, encoding: str | None = None) -> Reading:
    """Read a workbook. Raises `Unreadable` if it is damaged or protected."""
    package = Package(data, name)
    main = package.main("xl/workbook.xml")
    root = package.tree(main)
    draft = Draft()
    title = package.declare(draft)
    book = _Book(package, main, root, draft)
    sheets = list(children(child(root, "sheets"), "sheet"))
    if not sheets:
        raise Unreadable(f"a workbook without sheets: {name}", "exclude it")
    for number, sheet in enumerate(sheets, 1):
        relation = book.relations.get(attribute_id(sheet))
        label = sheet.get("name", "")
        if sheet.get("state") in ("hidden", "veryHidden"):
            draft.declare("hidden sheets", label)
        part = package.optional(relation.target, draft) if relation and not relation.external else None
        if part is None or relation is None:
            draft.problems.append(f"sheet {label} cannot be read")
            continue
        book.sheet(part, relation.target, label, number)
    return draft.reading(READER.id, title or stem_of(name))


class _Book:
    def __init__(self, package: Package, main: str, root: Element | None, draft: Draft) -> None:
        self._package, self._draft = package, draft
        self.relations = package.relations(main)
        strings = package.related(main, "sharedStrings")
        shared = package.optional(strings[0], draft) if strings else None
        self._strings = [rich_text(item) for item in children(shared, "si")]
        styles = package.related(main, "styles")
        self._kinds: list[Kind] = kinds(package.optional(styles[0], draft) if styles else None)
        properties = child(root, "workbookPr")
        self._from_1904 = properties is not None and properties.get("date1904") in ("1", "true")

    def sheet(self, root: Element, path: str, label: str, number: int) -> None:
        """Write one sheet."""
        draft = self._draft
        draft.heading(1, label, number)
        rows = list(self._rows(root))
        draft.declare("columns", *tables.columns([r for r in rows[:200] if any(r)]))
        held: list[str] = []
        for line in tables.lines(rows):
            held.append(line)
            if len(held) >= _ROWS_A_BLOCK:
                draft.add("table", "\n".join(held), number)
                held = []
        span = draft.add("table", "\n".join(held), number)
        relations = self._package.relations(path)
        for link in below(root, "hyperlink"):
            relation = relations.get(attribute_id(link))
            if relation is not None and relation.external:
                draft.link("url", relation.target, span)
        margins = child(root, "headerFooter")
        for element in margins if margins is not None else ():
            draft.add("paragraph", _CODES.sub(" ", element.text or ""), number)
        for target in self._package.related(path, "comments"):
            for comment in below(self._package.optional(target, draft), "comment"):
                text = rich_text(child(comment, "text"))
                draft.add("quote", f"{attribute(comment, 'ref')}: {text}" if text.strip() else "", number)
        for target in self._package.related(path, "drawing"):
            words = [all_text(p) for p in below(self._package.optional(target, draft), "p")]
            draft.add("paragraph", "\n".join(w for w in words if w), number)
            for chart in self._package.drawings(target, draft):
                draft.add("paragraph", chart, number)

    def _rows(self, root: Element) -> Iterator[list[str]]:
        for row in children(child(root, "sheetData"), "row"):
            cells: list[str] = []
            for cell in children(row, "c"):
                at = _column(cell.get("r", ""), len(cells))
                text = self._value(cell)
                if not text or at >= _MOST_COLUMNS:
                    continue
                cells.extend([""] * (at - len(cells)))
                if at < len(cells):
                    cells[at] = text
                else:
                    cells.append(text)
            yield cells

    def _value(self, cell: Element) -> str:
        kind = cell.get("t", "n")
        if kind == "inlineStr":
            return rich_text(child(cell, "is"))
        stored = child(cell, "v")
        raw = (stored.text or "") if stored is not None else ""
        if not raw:
            return ""
        if kind == "s":
            return self._strings[int(raw)] if raw.isdecimal() and int(raw) < len(self._strings) else ""
        if kind == "b":
            return "TRUE" if raw == "1" else "FALSE"
        if kind == "d":
            return raw.removesuffix("T00:00:00")
        if kind != "n":
            return raw
        style = cell.get("s", "0")
        shown = self._kinds[int(style)] if style.isdecimal() and int(style) < len(self._kinds) else "number"
        return number_text(raw, shown, self._from_1904)


def _column(reference: str, usual: int) -> int:
    """Column number from 0 of a reference such as `AB12`."""
    match = _REFERENCE.fullmatch(reference)
    if match is None:
        return usual
    column = 0
    for letter in match[1]:
        column = column * 26 + ord(letter) - 64
    return column - 1


READER = Reader("xlsx", 1, frozenset({".xlsx", ".xlsm", ".xltx", ".xltm"}), read, isolated=True)
