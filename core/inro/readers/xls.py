"""Excel 97-2003 workbooks (and 5.0 and 95): as the newer ones are read, each sheet under its name, a row a line.

`xlrd` parses the records; its faults on damaged files are of every kind and become `Unreadable`. Values are those
that were last computed, and what a number shows is told by its format. Hidden sheets are read and named; sheets
number the pages. Comments follow their sheet.
"""

from __future__ import annotations

import io
import struct
from collections.abc import Iterator, Sequence
from typing import Any

from inro.errors import Unreadable
from inro.readers import tables
from inro.readers.draft import Draft
from inro.readers.ole import Compound
from inro.readers.reader import Reader, stem_of
from inro.readers.renamed import read_renamed
from inro.readers.xlsx_cells import BUILT_IN, Kind, kind_of, number_text
from inro.records import Reading

_ROWS_A_BLOCK = 500
_ERRORS = {0: "#NULL!", 7: "#DIV/0!", 15: "#VALUE!", 23: "#REF!", 29: "#NAME?", 36: "#NUM!", 42: "#N/A"}
_TEXT, _NUMBER, _DATE, _BOOLEAN, _ERROR = 1, 2, 3, 4, 5
_FAULTS = (ArithmeticError, AssertionError, AttributeError, LookupError, MemoryError, NotImplementedError, OSError,
    RecursionError, TypeError, ValueError, struct.error)  # fmt: skip
_MEND = "open it and save it as XLSX"


def read(data: bytes, name: str, encoding: str | None = None) -> Reading:
    """Read a workbook. Raises `Unreadable` if it is protected by a password, of another kind, or damaged."""
    renamed = read_renamed(data, name, encoding)
    if renamed is not None:
        return renamed
    file = Compound(data, name)
    stream = file.read("Workbook") or file.read("Book")
    if stream is None:
        locked = file.read("EncryptedPackage") is not None
        raise Unreadable(
            f"protected by a password: {name}" if locked else f"no workbook in it: {name}",
            "save a copy without password" if locked else "give it the suffix of its format",
        )
    draft = Draft()
    title = file.declare(draft)
    book = _opened(stream, name)
    for number in range(int(book.nsheets)):
        label = str(book.sheet_names()[number])
        try:
            sheet = book.sheet_by_index(number)
        except _faults():
            draft.problems.append(f"sheet {label} is damaged")
            continue
        if sheet.visibility:
            draft.declare("hidden sheets", label)
        _sheet(draft, book, sheet, label, number + 1)
        book.unload_sheet(number)
    if draft.empty:
        raise Unreadable(f"nothing to read in it: {name}", _MEND)
    return draft.reading(READER.id, title or stem_of(name))


def _faults() -> tuple[type[Exception], ...]:
    import xlrd

    return (*_FAULTS, xlrd.XLRDError, xlrd.compdoc.CompDocError)


def _opened(stream: bytes, name: str) -> Any:
    import xlrd

    try:
        # Number formats are kept only when formatting is asked for.
        return xlrd.open_workbook(
            file_contents=stream, logfile=io.StringIO(), formatting_info=True, on_demand=True, ragged_rows=True
        )
    except _faults() as e:
        if "encrypted" in str(e):
            raise Unreadable(f"protected by a password: {name}", "save a copy without password") from e
        raise Unreadable(f"damaged, or not what its suffix says: {name}", _MEND) from e


def _sheet(draft: Draft, book: Any, sheet: Any, label: str, page: int) -> None:
    draft.heading(1, label, page)
    kinds = _kinds(book)
    rows = [list(_row(book, sheet, row, kinds)) for row in range(sheet.nrows)]
    draft.declare("columns", *tables.columns([r for r in rows[:200] if any(r)]))
    held: list[str] = []
    for line in tables.lines(rows):
        held.append(line)
        if len(held) >= _ROWS_A_BLOCK:
            draft.add("table", "\n".join(held), page)
            held = []
    span = draft.add("table", "\n".join(held), page)
    for link in sheet.hyperlink_list:
        if link.type == "url" and isinstance(link.url_or_path, str):
            draft.link("url", link.url_or_path, span)
    for (row, column), note in sorted(sheet.cell_note_map.items()):
        if str(note.text).strip():
            draft.add("quote", f"{_letters(column)}{row + 1}: {note.text}", page)


def _kinds(book: Any) -> list[Kind]:
    """The kind of value that each cell format shows, in order."""
    found: list[Kind] = []
    for style in book.xf_list:
        stored = book.format_map.get(style.format_key)
        usual = BUILT_IN.get(style.format_key)
        found.append(usual or (kind_of(stored.format_str) if stored is not None else "number"))
    return found


def _row(book: Any, sheet: Any, row: int, kinds: Sequence[Kind]) -> Iterator[str]:
    for column, kind in enumerate(sheet.row_types(row)):
        value = sheet.cell_value(row, column)
        if kind == _TEXT:
            yield str(value)
        elif kind in (_NUMBER, _DATE):
            style = sheet.cell_xf_index(row, column)
            shown: Kind = kinds[style] if 0 <= style < len(kinds) else "number"
            whole = abs(value) < 1e17 and value == int(value)
            yield number_text(str(int(value)) if whole else repr(value), shown, book.datemode == 1)
        elif kind == _BOOLEAN:
            yield "TRUE" if value else "FALSE"
        else:
            yield _ERRORS.get(value, "") if kind == _ERROR else ""


def _letters(column: int) -> str:
    """`A` of 0, `AB` of 27."""
    name = ""
    column += 1
    while column:
        column, rest = divmod(column - 1, 26)
        name = chr(65 + rest) + name
    return name


READER = Reader("xls", 1, frozenset({".xls", ".xlt", ".xla"}), read, isolated=True)
