"""reStructuredText: the file as written, with titles by their rules, literal blocks as code, fields declared.

Titles and paragraphs are those of plain text, whose reader knows rules under a line; this one adds what only
reStructuredText means: `::` and directives open indented blocks, `:field: value` lists declare.
"""

from __future__ import annotations

import re

from inro.readers import plain
from inro.readers.blocks import cover
from inro.readers.decode import decode
from inro.readers.headers import add_field
from inro.readers.reader import Reader, stem_of
from inro.records import Block, BlockKind, Link, Reading

_CODE_DIRECTIVE = re.compile(r"[ \t]*\.\.[ \t]+(?:code-block|code|sourcecode|math|raw|parsed-literal)::")
_TABLE = re.compile(r"[ \t]*(?:\+[-=+]{2,}\+|={2,}(?:[ \t]+={2,})+)[ \t]*$")
_ITEM = re.compile(r"[ \t]*(?:[-*+•]|\(?(?:\d{1,3}|[a-zA-Z#])[.)])[ \t]+")
_FIELD = re.compile(r"^:([A-Za-z][\w -]{0,30}):[ \t]+(\S.*?)[ \t]*$", re.MULTILINE)
_LINK = re.compile(r"`[^`<>]{1,300}<([^`<>\s]{1,1000})>`_")
_BARE = re.compile(r"(?<![<`\w])https?://[^\s<>`\"']{1,1000}")


def read(data: bytes, name: str, encoding: str | None = None) -> Reading:
    """Read a reStructuredText file. Raises `Unreadable` if it is not text."""
    decoded = decode(data, name, override=encoding)
    text = decoded.text
    blocks = _kinds(text, list(plain.text_blocks(text)))
    fields: dict[str, tuple[str, ...]] = {}
    first = next((b for b in blocks if b.kind != "heading"), None)
    if first is not None:
        for match in _FIELD.finditer(text[first.start : first.end]):
            add_field(fields, match[1], (match[2],))
    links = [Link("url" if ":" in m[1] else "file", m[1], *m.span()) for m in _LINK.finditer(text)]
    links.extend(Link("url", m[0].rstrip(".,;:)"), *m.span()) for m in _BARE.finditer(text))
    heading = next((b.label for b in blocks if b.kind == "heading"), "")
    return Reading(
        text=text,
        title=fields.get("title", ("",))[0] or heading or stem_of(name),
        blocks=cover(text, blocks),
        reader=READER.id,
        fields=fields,
        links=tuple(sorted(links, key=lambda link: link.start)),
        encoding=decoded.encoding,
        confidence=decoded.confidence,
        outcome=decoded.outcome,
        reason=decoded.reason,
    )


def _kinds(text: str, blocks: list[Block]) -> list[Block]:
    """Paragraphs told apart: what stands indented after `::` is code, what begins like an item a list."""
    result: list[Block] = []
    code = False
    for block in blocks:
        body = text[block.start : block.end]
        indented = body[:1] in " \t"
        code = code and indented and block.kind != "heading"
        kind: BlockKind = block.kind
        if block.kind == "paragraph":
            kind = "code" if code else "table" if _TABLE.match(body.split("\n")[0]) else "paragraph"
            kind = "list" if kind == "paragraph" and _ITEM.match(body) else kind
        opens = bool(_CODE_DIRECTIVE.match(body)) or (body.endswith("::") and not body.lstrip().startswith(".."))
        result.append(Block(kind, block.start, block.end, block.level, block.page, block.label))
        code = code or opens
    return result


READER = Reader("rst", 1, frozenset({".rst", ".rest"}), read)
