"""XML parts of office files as trees, parsed so that no document can reach out of itself.

A document type that declares entities is refused: that is how a kilobyte becomes a gigabyte, and how a file
of the reader's own machine gets into a text. Expat loads no external part by itself. Names are compared
without their namespace, since the strict and the transitional dialects of the same format differ in nothing
else.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

from inro.errors import Unreadable
from inro.readers.decode import decode

_ENTITY = re.compile(r"<!ENTITY", re.IGNORECASE)
_DOCTYPE = re.compile(r"<!DOCTYPE[^>\[]*(?:\[[^\]]*\])?[^>]*>", re.IGNORECASE)


def parse(data: bytes, name: str) -> Element:
    """The root element of an XML document.

    Raises:
        Unreadable: not well-formed, or it declares entities.
    """
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = decode(data, name, markup=True).text
    if _ENTITY.search(text):
        raise Unreadable(f"XML that declares entities is not read: {name}", "exclude it")
    parser = ElementTree.XMLParser()
    try:
        parser.feed(_DOCTYPE.sub("", text, count=1))
        root = parser.close()
    except (ElementTree.ParseError, ValueError) as e:
        raise Unreadable(f"damaged XML, {e}: {name}", "open the document and save it again") from e
    return root


def local(element: Element) -> str:
    """The name of an element without its namespace."""
    tag = element.tag
    return tag[tag.rfind("}") + 1 :] if isinstance(tag, str) else ""


def attribute(element: Element, name: str, default: str = "") -> str:
    """The attribute of this name in any namespace."""
    value = element.get(name)
    if value is not None:
        return value
    suffix = "}" + name
    return next((v for k, v in element.items() if k.endswith(suffix)), default)


def child(element: Element | None, *path: str) -> Element | None:
    """The first descendant by a path of local names, None if any step is missing."""
    for step in path:
        if element is None:
            return None
        element = next((e for e in element if local(e) == step), None)
    return element


def children(element: Element | None, name: str) -> Iterator[Element]:
    """The children of this local name."""
    return (e for e in (element if element is not None else ()) if local(e) == name)


def below(element: Element | None, name: str) -> Iterator[Element]:
    """All descendants of this local name, in document order."""
    return (e for e in (element.iter() if element is not None else ()) if local(e) == name)


def all_text(element: Element | None) -> str:
    """All text of an element, white space collapsed."""
    return " ".join("".join(element.itertext()).split()) if element is not None else ""
