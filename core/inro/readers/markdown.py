"""Markdown as Obsidian writes it: block structure from a CommonMark parser, the vault's own marks on top.

The stored text is the file as written. Blocks cover the body; frontmatter is carried by the declared fields.
The parser gives the lines of each top-level block, so spans are exact and nothing is rendered. Headings
inside quotes and lists do not open sections.
"""

from __future__ import annotations

import re
from functools import cache

from markdown_it import MarkdownIt
from markdown_it.token import Token

from inro.readers.blocks import cover, line_starts, line_trimmed
from inro.readers.decode import decode
from inro.readers.frontmatter import read_frontmatter
from inro.readers.headers import add_field, header_fields
from inro.readers.marks import inline_fields, inline_tags, links, plain_label
from inro.readers.reader import Reader, stem_of
from inro.records import Block, BlockKind, Outcome, Reading

_KINDS: dict[str, BlockKind] = {
    "paragraph_open": "paragraph",
    "heading_open": "heading",
    "bullet_list_open": "list",
    "ordered_list_open": "list",
    "table_open": "table",
    "fence": "code",
    "code_block": "code",
    "blockquote_open": "quote",
    "html_block": "paragraph",
}

_DEEPEST = 30


def read(data: bytes, name: str, encoding: str | None = None) -> Reading:
    """Read a Markdown note. Raises `Unreadable` if it is not text."""
    decoded = decode(data, name, override=encoding)
    return read_text(decoded.text, name, decoded.encoding, decoded.confidence, decoded.outcome, decoded.reason)


def read_text(
    text: str,
    name: str,
    encoding: str = "utf-8",
    confidence: float = 1.0,
    outcome: Outcome = "ok",
    reason: str = "",
) -> Reading:
    """Read Markdown that is text already; other readers hand their Markdown parts to this."""
    front = read_frontmatter(text)
    fields = dict(front.fields)
    first: list[Block] = []
    if front.problem:
        outcome = "partial"
        reason = "; ".join(filter(None, (reason, front.problem)))
        first.append(Block("code", *line_trimmed(text, 0, front.end)))
    blocks, code = _structure(text, front.end)
    visible = _masked(text, front.end, code)
    prose = [b for b in blocks if b.kind != "heading"]
    starts = [prose[0].start] if prose and prose[0].kind in ("paragraph", "list") else []
    for key, values in (*header_fields(text, starts).items(), *inline_fields(visible)):
        add_field(fields, key, values)
    return Reading(
        text=text,
        title=_title(fields, blocks, name),
        blocks=cover(text, [*first, *blocks], 0 if front.problem else front.end),
        reader=READER.id,
        fields=fields,
        tags=_tags(fields, visible),
        links=links(visible),
        encoding=encoding,
        confidence=confidence,
        outcome=outcome,
        reason=reason,
    )


def _structure(text: str, start: int) -> tuple[list[Block], list[tuple[int, int]]]:
    """Top-level blocks of the body, and the spans of code at any depth."""
    body = text[start:]
    starts = line_starts(body)
    blocks: list[Block] = []
    code: list[tuple[int, int]] = []
    tokens = _parser().parse(body)
    for i, token in enumerate(tokens):
        kind = _KINDS.get(token.type)
        if kind is None or token.map is None:
            continue
        first, last = token.map
        a, b = start + starts[min(first, len(starts) - 1)], start + starts[min(last, len(starts) - 1)]
        if kind == "code":
            code.append((a, b))
        if token.level:
            continue
        a, b = line_trimmed(text, a, b)
        if a == b:
            continue
        if kind == "heading":
            blocks.append(Block("heading", a, b, int(token.tag[1:]), label=_label(tokens, i)))
        else:
            blocks.append(Block(kind, a, b))
    return blocks, code


def _label(tokens: list[Token], at: int) -> str:
    return plain_label(tokens[at + 1].content) if at + 1 < len(tokens) else ""


@cache
def _parser() -> MarkdownIt:
    # Inline parsing is left out: it is most of the time, and marks are found in the text itself.
    parser = MarkdownIt("commonmark", {"maxNesting": _DEEPEST}).enable("table")
    parser.core.ruler.enableOnly(["block"])
    return parser


_CODE_SPAN = re.compile(r"(?<!`)(`+)(?!`)(.{1,2000}?)(?<!`)\1(?!`)", re.DOTALL)


def _masked(text: str, start: int, code: list[tuple[int, int]]) -> str:
    """The text with frontmatter and code blanked, at equal length, so that `#include` is no tag."""
    parts: list[str] = [" " * start]
    at = start
    for a, b in sorted(code):
        if b <= at:
            continue
        a = max(a, at)
        parts.append(text[at:a])
        parts.append(_blank(text[a:b]))
        at = b
    parts.append(text[at:])
    masked = "".join(parts)
    if "`" in masked:
        masked = _CODE_SPAN.sub(lambda m: _blank(m[0]), masked)
    return masked


def _blank(part: str) -> str:
    return re.sub(r"[^\n]", " ", part)


def _title(fields: dict[str, tuple[str, ...]], blocks: list[Block], name: str) -> str:
    declared = next((v for v in fields.get("title", ()) if v.strip()), "")
    if declared:
        return declared
    return next((b.label for b in blocks if b.kind == "heading" and b.level == 1 and b.label), "") or stem_of(name)


def _tags(fields: dict[str, tuple[str, ...]], visible: str) -> tuple[str, ...]:
    declared: list[str] = []
    for key in ("tags", "tag"):
        values = fields.get(key, ())
        if len(values) == 1:
            # One value is a list written as one line: `tags: a, b` or `tags: a b`.
            values = tuple(re.split(r"[,、，]", values[0]) if re.search(r"[,、，]", values[0]) else values[0].split())
        declared.extend(value.strip().lstrip("#") for value in values)
    return tuple(dict.fromkeys(t for t in (*declared, *inline_tags(visible)) if t))


READER = Reader("markdown", 1, frozenset({".md", ".markdown", ".mdown", ".mkd", ".mdx", ".qmd", ".rmd"}), read)
