"""What a Word document's styles say of its paragraphs: heading depth, list and title.

A style inherits from the one it is based on. Headings are told by outline level, or by the style's name in
English or Japanese, since documents converted by other programs often lack the level.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from xml.etree.ElementTree import Element

from inro.readers.xml_tree import attribute, child, children

_HEADING = re.compile(r"(?:heading|見出し|标题|標題|제목)\s*([1-9])", re.IGNORECASE)
_TITLE = frozenset(("title", "表題", "标题", "標題", "제목"))
_DEEPEST_CHAIN = 20


@dataclass(frozen=True, slots=True)
class Style:
    """What one paragraph style says, `None` where it says nothing."""

    heading: int | None = None
    """1 for the outermost; 0 for a style that is expressly body text."""
    title: bool = False
    number: str | None = None
    depth: int | None = None
    quote: bool = False
    code: bool = False


class Styles:
    """The paragraph styles of one document by id."""

    def __init__(self, root: Element | None) -> None:
        self._elements = {attribute(s, "styleId"): s for s in children(root, "style")}
        self._made: dict[str, Style] = {}

    def of(self, style_id: str) -> Style:
        """What the style of this id says, its ancestors included."""
        made = self._made.get(style_id)
        if made is None:
            made = self._made[style_id] = self._make(style_id)
        return made

    def _make(self, style_id: str) -> Style:
        heading = number = depth = None
        title = quote = code = False
        at: str = style_id
        for _ in range(_DEEPEST_CHAIN):
            element = self._elements.get(at)
            named = child(element, "name")
            name = (attribute(named, "val") if named is not None else at).strip().lower()
            properties = child(element, "pPr")
            level, num, ilvl = numbers(properties)
            if heading is None:
                match = _HEADING.fullmatch(name)
                heading = level if level is not None else int(match[1]) if match else None
            number = num if number is None else number
            depth = ilvl if depth is None else depth
            title = title or name in _TITLE
            quote = quote or name in ("quote", "intense quote", "引用文")
            code = code or name in ("html preformatted", "source code", "code", "macro text")
            based = child(element, "basedOn")
            if based is None:
                break
            at = attribute(based, "val")
        return Style(heading, title, number, depth, quote, code)


def numbers(properties: Element | None) -> tuple[int | None, str | None, int | None]:
    """(heading depth, list id, list depth) that paragraph properties state."""
    outline = child(properties, "outlineLvl")
    level = None
    if outline is not None and (value := attribute(outline, "val")).isdecimal():
        level = int(value) + 1 if int(value) < 9 else 0
    num, depth = child(properties, "numPr", "numId"), child(properties, "numPr", "ilvl")
    ilvl = attribute(depth, "val") if depth is not None else ""
    return (
        level,
        attribute(num, "val") if num is not None else None,
        int(ilvl) if ilvl.isdecimal() and len(ilvl) < 3 else None,
    )
