"""PowerPoint slides in their order: title as heading, text, tables, charts, then the speaker's notes.

The page of a block is the slide's number. A slide without a title is headed by its first line, so that its
text does not stand under the heading of the slide before.
"""

from __future__ import annotations

from xml.etree.ElementTree import Element

from inro.errors import Unreadable
from inro.readers.draft import Draft, one_line
from inro.readers.package import Package
from inro.readers.reader import Reader, stem_of
from inro.readers.xml_tree import all_text, attribute, below, child, children, local
from inro.records import Reading

_TITLES = frozenset(("title", "ctrTitle"))
_FURNITURE = frozenset(("sldNum", "dt", "ftr", "hdr", "sldImg"))
_LONGEST_TITLE = 120


def read(data: bytes, name: str, encoding: str | None = None) -> Reading:
    """Read a presentation. Raises `Unreadable` if it is damaged or protected."""
    package = Package(data, name)
    main = package.main("ppt/presentation.xml")
    draft = Draft()
    title = package.declare(draft)
    relations = package.relations(main)
    listed = [relations.get(attribute_id(e)) for e in children(child(package.tree(main), "sldIdLst"), "sldId")]
    slides = [r.target for r in listed if r is not None and not r.external]
    if not listed:
        raise Unreadable(f"a presentation without slides: {name}", "exclude it")
    for number, path in enumerate(slides, 1):
        root = package.optional(path, draft)
        if root is not None:
            _slide(package, path, root, number, draft)
    return draft.reading(READER.id, title or draft.first_heading() or stem_of(name))


def attribute_id(element: Element) -> str:
    """The relationship that an element names; its own `id` is something else."""
    return next((v for k, v in element.items() if k.endswith("}id")), "")


def _slide(package: Package, path: str, root: Element, number: int, draft: Draft) -> None:
    relations = package.relations(path)
    tree = child(root, "cSld", "spTree")
    shapes = list(_shapes(tree))
    titles = [s for s in shapes if _place(s) in _TITLES and _paragraphs(s)]
    rest = [s for s in shapes if s not in titles[:1] and _place(s) not in _FURNITURE]
    if titles:
        draft.heading(1, " ".join(text for text, _ in _paragraphs(titles[0])), number)
    first = "" if titles else next((t for s in rest if local(s) != "graphicFrame" for t, _ in _paragraphs(s)), "")
    if not titles:
        draft.heading(1, first if 0 < len(first) <= _LONGEST_TITLE else f"{number}", number)
    for shape in rest:
        if local(shape) == "graphicFrame":
            rows = [one_line(_plain(cell) for cell in children(row, "tc")) for row in below(shape, "tr")]
            draft.add("table", "\n".join(r for r in rows if r), number)
            continue
        paragraphs = _paragraphs(shape)
        if first and len(first) <= _LONGEST_TITLE and paragraphs and paragraphs[0][0] == first:
            paragraphs, first = paragraphs[1:], ""
        listed = len(paragraphs) > 1
        text = "\n".join("  " * depth + line for line, depth in paragraphs)
        span = draft.add("list" if listed else "paragraph", text, number)
        for click in below(shape, "hlinkClick"):
            relation = relations.get(attribute_id(click))
            if relation is not None and relation.external:
                draft.link("url", relation.target, span)
    for words in package.drawings(path, draft):
        draft.add("paragraph", words, number)
    for notes in package.related(path, "notesSlide"):
        tree = child(package.optional(notes, draft), "cSld", "spTree")
        lines = [t for s in _shapes(tree) if _place(s) not in _FURNITURE for t, _ in _paragraphs(s)]
        draft.add("quote", "\n".join(lines), number)
    for comments in package.related(path, "comments"):
        for comment in below(package.optional(comments, draft), "cm"):
            draft.add("quote", all_text(comment), number)


def _shapes(tree: Element | None) -> list[Element]:
    """Shapes and frames of a slide in reading order, groups opened, alternatives by their first."""
    found: list[Element] = []
    for element in tree if tree is not None else ():
        name = local(element)
        if name in ("sp", "graphicFrame", "cxnSp"):
            found.append(element)
        elif name == "grpSp":
            found.extend(_shapes(element))
        elif name == "AlternateContent":
            found.extend(_shapes(child(element, "Choice")))
    return found


def _place(shape: Element) -> str:
    """What placeholder of the layout a shape fills; empty if none."""
    holder = next(below(shape, "ph"), None)
    return attribute(holder, "type", "body") if holder is not None else ""


def _paragraphs(shape: Element) -> list[tuple[str, int]]:
    """(text, depth) of the paragraphs that hold text."""
    found: list[tuple[str, int]] = []
    for paragraph in below(shape, "p"):
        text = _runs(paragraph)
        if text.strip():
            level = child(paragraph, "pPr")
            depth = attribute(level, "lvl", "0") if level is not None else "0"
            found.append((text.strip(), int(depth) if depth in "012345678" else 0))
    return found


def _runs(paragraph: Element) -> str:
    parts: list[str] = []
    for element in paragraph:
        name = local(element)
        if name in ("r", "fld"):
            text = child(element, "t")
            parts.append((text.text or "") if text is not None else "")
        elif name == "br":
            parts.append("\n")
        elif name in ("AlternateContent", "m"):
            parts.append(all_text(element))
    return "".join(parts)


def _plain(cell: Element) -> str:
    return " ".join(text for text, _ in _paragraphs(cell))


READER = Reader("pptx", 1, frozenset({".pptx", ".pptm", ".potx", ".ppsx", ".ppsm"}), read, isolated=True)
