"""EPUB books: the documents of the spine in reading order, headed by the table of contents where they are not.

Every chapter goes through the HTML reader whole, so ruby readings are no part of the words. Navigation,
numbers of printed pages, and what the spine does not list are not read. A book locked by its seller is
reported, not guessed at.
"""

from __future__ import annotations

import re
from xml.etree.ElementTree import Element

from inro.errors import Unreadable
from inro.readers import html
from inro.readers.container import Container
from inro.readers.draft import Draft
from inro.readers.reader import Reader, stem_of
from inro.readers.xml_tree import all_text, attribute, below, child, children, local, parse
from inro.records import Block, Reading

_DC = {
    "title": "title",
    "creator": "author",
    "contributor": "contributor",
    "publisher": "publisher",
    "language": "lang",
    "date": "date",
    "subject": "keywords",
    "identifier": "identifier",
    "description": "description",
}
_FONT_OBFUSCATION = ("http://www.idpf.org/2008/embedding", "http://ns.adobe.com/pdf/enc#RC")
_ESCAPED = re.compile(rb"%([0-9A-Fa-f]{2})")
_PAGE_MARK = re.compile(
    rb"""<(span|div|a|p)\b[^<>]*(?:epub:type|role)=["'](?:doc-)?pagebreak["'][^<>]*(?:/>|>[^<>]*</\1>)"""
)
"""The number of a printed page, which stands in the middle of its sentences."""
_DOCUMENTS = ("application/xhtml+xml", "text/html", "application/x-dtbook+xml", "application/xml", "text/xml")


def read(data: bytes, name: str, encoding: str | None = None) -> Reading:
    """Read a book. Raises `Unreadable` if it is damaged or locked."""
    container = Container(data, name)
    _refuse_locked(container, name)
    root = container.maybe("META-INF/container.xml")
    path = ""
    if root is not None:
        path = next((attribute(r, "full-path") for r in below(parse(root, name), "rootfile")), "")
    opf = container.find(path) or next((n for n in container.names() if n.lower().endswith(".opf")), None)
    if opf is None:
        raise Unreadable(f"a zip file, but no book: {name}", "check what program wrote it")
    package = parse(container.read(opf), f"{opf} in {name}")
    draft = Draft()
    metadata = child(package, "metadata")
    for element in metadata if metadata is not None else ():
        for inner in (element, *element):
            key = _DC.get(local(inner))
            if key:
                draft.declare(key, all_text(inner))
    folder = opf.rpartition("/")[0]
    items = {i.get("id", ""): i for i in children(child(package, "manifest"), "item")}
    labels = _contents(container, items, child(package, "spine"), folder)
    read_any = False
    for reference in children(child(package, "spine"), "itemref"):
        item = items.get(reference.get("idref", ""))
        if item is None or item.get("media-type", "").split(";")[0] not in _DOCUMENTS or _is_nav(item):
            continue
        part = container.find(_path(folder, item.get("href", "")))
        if part is None:
            draft.problems.append(f"a chapter is missing: {item.get('href', '')[:100]}")
            continue
        try:
            chapter = html.read_whole(_PAGE_MARK.sub(b"", container.read(part)), part)
        except Unreadable as e:
            draft.problems.append(e.message)
            continue
        read_any = True
        label = labels.get(part, "")
        if label and not any(b.kind == "heading" for b in chapter.blocks[:3]):
            chapter = _headed(chapter, label, draft)
        draft.embed(chapter)
    if not read_any:
        raise Unreadable(f"a book without readable chapters: {name}", "exclude it")
    return draft.reading(READER.id, draft.declared("title") or draft.first_heading() or stem_of(name))


def _is_nav(item: Element) -> bool:
    return "nav" in item.get("properties", "").split()


def _headed(chapter: Reading, label: str, draft: Draft) -> Reading:
    """The chapter under its name in the table of contents: its first line, if that is the name, else a new one."""
    first = chapter.blocks[0] if chapter.blocks else None
    squeezed = "".join(label.split())
    if first is not None and "".join(chapter.text[first.start : first.end].split()) == squeezed:
        heading = Block("heading", first.start, first.end, 1, label=label)
        return Reading(chapter.text, chapter.title, (heading, *chapter.blocks[1:]), chapter.reader, links=chapter.links)
    if chapter.blocks:
        draft.heading(1, label)
    return chapter


def _refuse_locked(container: Container, name: str) -> None:
    locks = container.maybe("META-INF/encryption.xml")
    if locks is None:
        return
    methods = [attribute(m, "Algorithm") for m in below(parse(locks, name), "EncryptionMethod")]
    if any(not m.startswith(_FONT_OBFUSCATION) for m in methods):
        raise Unreadable(f"locked by its seller (DRM): {name}", "get the book without the lock, or exclude it")


def _contents(container: Container, items: dict[str, Element], spine: Element | None, folder: str) -> dict[str, str]:
    """The name of each document in the table of contents: EPUB 3's navigation, else EPUB 2's NCX."""
    labels: dict[str, str] = {}
    nav = next((i for i in items.values() if _is_nav(i)), None)
    ncx = items.get(spine.get("toc", "")) if spine is not None else None
    for item, entry, target in ((nav, "a", "href"), (ncx, "navPoint", "src")):
        path = container.find(_path(folder, item.get("href", ""))) if item is not None else None
        if path is None or labels:
            continue
        try:
            root = parse(container.read(path), path)
        except Unreadable:
            continue
        for element in below(root, entry):
            source = element if entry == "a" else child(element, "content")
            text = all_text(element if entry == "a" else child(element, "navLabel"))
            href = attribute(source, target) if source is not None else ""
            part = container.find(_path(path.rpartition("/")[0], href.split("#")[0]))
            if part is not None and text:
                labels.setdefault(part, text)
    return labels


def _path(folder: str, href: str) -> str:
    """A path in the container for a reference written as a URL."""
    raw = _ESCAPED.sub(lambda m: bytes([int(m[1], 16)]), href.split("#")[0].encode("utf-8", "replace"))
    return f"{folder}/{raw.decode('utf-8', 'replace')}"


READER = Reader("epub", 1, frozenset({".epub"}), read, isolated=True)
