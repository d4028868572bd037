"""Jupyter notebooks: prose cells as Markdown, code cells and the text they printed, in order.

Pictures and widgets are no text. Long outputs are cut: the thousandth line of a training log is noise.
"""

from __future__ import annotations

import json
import re

from inro.errors import Unreadable
from inro.readers import html, markdown
from inro.readers.decode import decode
from inro.readers.draft import Draft
from inro.readers.reader import Reader, stem_of
from inro.records import Reading

_LONGEST_OUTPUT = 4000
_ANSI = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")


def read(data: bytes, name: str, encoding: str | None = None) -> Reading:
    """Read a notebook. Raises `Unreadable` if it is none."""
    try:
        book = json.loads(decode(data, name, override=encoding).text)
    except (ValueError, RecursionError) as e:
        raise Unreadable(f"damaged notebook: {name}", "open it in Jupyter and save it again") from e
    cells = _cells(book)
    if cells is None:
        raise Unreadable(f"JSON, but no notebook: {name}", "give it the suffix .json")
    draft = Draft()
    for cell in cells:
        source = _joined(cell.get("source", cell.get("input")))
        kind = cell.get("cell_type")
        if kind in ("markdown", "heading"):
            level = cell.get("level")
            source = f"{'#' * level} {source}" if kind == "heading" and isinstance(level, int) else source
            draft.embed(markdown.read_text(source, name))
        elif kind == "raw":
            draft.add("paragraph", source)
        else:
            draft.add("code", source)
            for output in _dicts(cell.get("outputs")):
                _output(draft, output)
    metadata = book.get("metadata")
    if isinstance(metadata, dict):
        title = metadata.get("title")
        draft.declare("title", title if isinstance(title, str) else "")
        for author in _dicts(metadata.get("authors")):
            draft.declare("author", str(author.get("name", "")))
    declared = draft.declared("title")
    return draft.reading(READER.id, declared or draft.first_heading() or stem_of(name))


def _cells(book: object) -> list[dict[str, object]] | None:
    """The cells of a notebook of any version; None if it has none to speak of."""
    if not isinstance(book, dict):
        return None
    if isinstance(book.get("cells"), list):
        return _dicts(book["cells"])
    sheets = _dicts(book.get("worksheets"))
    return [cell for sheet in sheets for cell in _dicts(sheet.get("cells"))] if sheets else None


def _output(draft: Draft, output: dict[str, object]) -> None:
    found = output.get("data", output)
    data = found if isinstance(found, dict) else {}
    text = _joined(output.get("text")) or _joined(data.get("text/plain")) or _joined(data.get("text"))
    if output.get("output_type") in ("error", "pyerr"):
        text = f"{output.get('ename', '')}: {output.get('evalue', '')}"
    markup = _joined(data.get("text/markdown"))
    page = _joined(data.get("text/html"))
    if markup:
        draft.embed(markdown.read_text(markup[:_LONGEST_OUTPUT], "output.md"))
    elif page and "<table" in page:
        # What is printed of a data frame is cut to the screen; its HTML is not.
        try:
            draft.embed(html.read_whole(page[: 50 * _LONGEST_OUTPUT].encode(), "output.html", "utf-8"))
        except Unreadable as e:
            draft.problems.append(e.message)
    else:
        text = _ANSI.sub("", text)
        draft.add("code", text if len(text) <= _LONGEST_OUTPUT else text[:_LONGEST_OUTPUT] + "\n…")


def _joined(value: object) -> str:
    if isinstance(value, str):
        return value
    return "".join(part for part in value if isinstance(part, str)) if isinstance(value, list) else ""


def _dicts(value: object) -> list[dict[str, object]]:
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


READER = Reader("notebook", 1, frozenset({".ipynb"}), read)
