"""HTML: the main content as text, with headings, lists, tables, links and what the page declares of itself.

The stored text is the extracted text; markup is gone. Nothing is fetched: images, frames and styles are not
looked at. Ruby readings are left out, so that a word with furigana is one word.
"""

from __future__ import annotations

import re

from selectolax.lexbor import LexborHTMLParser, LexborNode

from inro.errors import Unreadable
from inro.readers.blocks import cover
from inro.readers.decode import decode
from inro.readers.headers import add_field
from inro.readers.html_content import Content
from inro.readers.html_text import Extract, extract
from inro.readers.reader import Reader, stem_of
from inro.records import Reading

_LARGEST = 64 * 1024 * 1024
_DEEPEST = 3000
"""Unclosed elements at one point; the parser's time grows with the square of it."""
_NESTING = re.compile(
    r"<(/?)(?:div|span|table|td|ul|ol|dl|dd|blockquote|section|article|font|center|b|i|u|em|strong|small|big|tt|a)\b",
    re.IGNORECASE,
)
_XML_DECLARATION = re.compile(r"\A\s*<\?xml[^>]*\?>")
_XML_HEAD = re.compile(r"\A\s*(?:<\?xml\b|(?:<!--.*?-->\s*)*(?:<!DOCTYPE[^>]*>\s*)?<html[^>]*xmlns=)", re.DOTALL)
_EMPTY_ELEMENT = re.compile(
    r"<(?!(?:br|hr|img|input|meta|link|col|area|base|embed|source|track|wbr|param)\b)([a-zA-Z][\w:-]*)"
    r"((?:\s[^<>]*?)?)\s*/>"
)
"""What XHTML writes as `<a id="x"/>`; a parser of HTML takes it for an element that is never closed."""
_SITE = re.compile(r"\s+[|–—-]\s+|\s*[｜|]\s*")

_META: dict[str, str] = {
    "author": "author",
    "article:author": "author",
    "dc.creator": "author",
    "dcterms.creator": "author",
    "citation_author": "author",
    "date": "date",
    "dc.date": "date",
    "dcterms.date": "date",
    "article:published_time": "date",
    "citation_publication_date": "date",
    "datepublished": "date",
    "keywords": "keywords",
    "news_keywords": "keywords",
    "article:tag": "keywords",
    "description": "description",
    "og:description": "description",
    "og:site_name": "site",
    "citation_doi": "doi",
    "dc.identifier": "identifier",
}
_LONGEST_VALUE = 2000


def read(data: bytes, name: str, encoding: str | None = None) -> Reading:
    """Read an HTML page. Raises `Unreadable` if it is not text, too large or nested beyond sense."""
    if len(data) > _LARGEST:
        raise Unreadable(f"HTML larger than {_LARGEST // 1048576} MB: {name}", "split it or exclude it")
    decoded = decode(data, name, override=encoding, markup=True)
    page, tree = read_page(decoded.text, name)
    fields = _fields(tree)
    return Reading(
        text=page.text,
        title=_title(tree, page) or stem_of(name),
        blocks=cover(page.text, page.blocks),
        reader=READER.id,
        fields=fields,
        links=tuple(page.links),
        encoding=decoded.encoding,
        confidence=decoded.confidence,
        outcome=decoded.outcome,
        reason=decoded.reason,
    )


def read_whole(data: bytes, name: str, encoding: str | None = None) -> Reading:
    """Read HTML of which everything is content: a chapter of a book, the body of a mail.

    Raises `Unreadable` as `read` does.
    """
    decoded = decode(data, name, override=encoding, markup=True)
    source = _EMPTY_ELEMENT.sub(r"<\1\2></\1>", decoded.text) if _XML_HEAD.match(decoded.text) else decoded.text
    tree = _tree(source, name)
    body = tree.body or tree.root
    page = Extract()
    if body is not None:
        content = Content(body, keep_all=True)
        page = extract(body, content.dropped, content.words)
    return Reading(
        text=page.text,
        title=_title(tree, page) or stem_of(name),
        blocks=cover(page.text, page.blocks),
        reader=READER.id,
        links=tuple(page.links),
        encoding=decoded.encoding,
        confidence=decoded.confidence,
        outcome=decoded.outcome,
        reason=decoded.reason,
    )


def read_page(source: str, name: str) -> tuple[Extract, LexborHTMLParser]:
    """The main content of a page given as text."""
    tree = _tree(source, name)
    body = tree.body or tree.root
    if body is None:
        return Extract(), tree
    content = Content(body)
    page = extract(content.root, content.dropped, content.words)
    whole = content.words(body)
    size = _size(page)
    if size * 5 < whole or (size < 200 and size * 2 < whole and not content.declared):
        # The judgement left too little standing to be believed.
        content = Content(body, keep_all=True)
        page = extract(body, content.dropped, content.words)
    return page, tree


def _tree(source: str, name: str) -> LexborHTMLParser:
    if _nesting(source) > _DEEPEST:
        raise Unreadable(f"HTML nested too deeply: {name}", "exclude it, or save it as text")
    return LexborHTMLParser(_XML_DECLARATION.sub("", source, count=1))


def _size(page: Extract) -> int:
    return sum(len("".join(part.split())) for part in page.parts)


def _nesting(source: str) -> int:
    depth = deepest = 0
    for match in _NESTING.finditer(source):
        depth = max(depth - 1, 0) if match[1] else depth + 1
        deepest = max(deepest, depth)
    return deepest


def _title(tree: LexborHTMLParser, page: Extract) -> str:
    """The declared title, without the site's name if a heading tells them apart; else the first heading."""
    heading = next((b.label for b in page.blocks if b.kind == "heading" and b.level == 1 and b.label), "")
    declared = _content(tree.css_first("meta[property='og:title']")) or _words(tree.css_first("head title, title"))
    if not declared:
        return heading or next((b.label for b in page.blocks if b.kind == "heading"), "")
    if heading and heading != declared and heading in _SITE.split(declared):
        return heading
    return declared


def _fields(tree: LexborHTMLParser) -> dict[str, tuple[str, ...]]:
    fields: dict[str, tuple[str, ...]] = {}
    for meta in tree.css("meta"):
        attributes = meta.attributes
        key = _META.get(
            (attributes.get("name") or attributes.get("property") or attributes.get("itemprop") or "").lower()
        )
        value = _content(meta)
        if key and value:
            add_field(fields, key, _listed(value) if key == "keywords" else (value,))
    canonical = tree.css_first("link[rel=canonical]")
    href = (canonical.attributes.get("href") or "").strip() if canonical is not None else ""
    if href:
        add_field(fields, "url", (href[:_LONGEST_VALUE],))
    root = tree.css_first("html")
    language = (root.attributes.get("lang") or root.attributes.get("xml:lang") or "") if root is not None else ""
    if language.strip():
        add_field(fields, "lang", (language.strip()[:40],))
    if "date" not in fields:
        time = tree.css_first("article time[datetime], main time[datetime], time[datetime]")
        stamp = (time.attributes.get("datetime") or "").strip() if time is not None else ""
        if stamp:
            add_field(fields, "date", (stamp[:40],))
    return fields


def _listed(value: str) -> tuple[str, ...]:
    return tuple(part for raw in re.split(r"[,、，;；]", value) if (part := raw.strip()))


def _content(node: LexborNode | None) -> str:
    if node is None:
        return ""
    return " ".join((node.attributes.get("content") or "").split())[:_LONGEST_VALUE]


def _words(node: LexborNode | None) -> str:
    return " ".join(node.text().split())[:_LONGEST_VALUE] if node is not None else ""


READER = Reader("html", 2, frozenset({".html", ".htm", ".xhtml", ".xht", ".shtml"}), read)
