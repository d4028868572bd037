"""Org mode: the file as written, with its headings, blocks, tables, drawers, tags and links understood.

Headings lose their to-do word, priority and tags in the label only. Keywords (`#+TITLE:`) and properties are
declared fields; a drawer or a block of code is not prose.
"""

from __future__ import annotations

import re

from inro.readers.blocks import cover, line_trimmed
from inro.readers.decode import decode
from inro.readers.headers import add_field
from inro.readers.reader import Reader, stem_of
from inro.records import Block, BlockKind, Link, Reading

_HEADING = re.compile(
    r"(?P<stars>\*+)[ \t]+(?:(?:TODO|DONE|NEXT|WAITING|HOLD|CANCELLED|CANCELED)[ \t]+)?(?:\[#[A-Z0-9]\][ \t]*)?"
    r"(?P<label>.*?)(?P<tags>[ \t]+:[\w@#%:]+:)?[ \t]*$"
)
_KEYWORD = re.compile(r"[ \t]*#\+(\w+):[ \t]*(.*?)[ \t]*$")
_PROPERTY = re.compile(r"[ \t]*:([\w-]+):[ \t]+(\S.*?)[ \t]*$")
_BEGIN = re.compile(r"[ \t]*#\+begin_(\w+)", re.IGNORECASE)
_LIST = re.compile(r"[ \t]*(?:[-+]|\d+[.)])[ \t]+|[ \t]+\*[ \t]+")
_LINK = re.compile(r"\[\[([^\[\]]+)\](?:\[[^\[\]]*\])?\]")
_FIELDS = {"title", "author", "date", "email", "description", "keywords", "subtitle", "language", "category"}
_CODE = frozenset(("src", "example", "export"))


def read(data: bytes, name: str, encoding: str | None = None) -> Reading:
    """Read an Org file. Raises `Unreadable` if it is not text."""
    decoded = decode(data, name, override=encoding)
    text = decoded.text
    fields: dict[str, tuple[str, ...]] = {}
    tags: list[str] = []
    blocks = _blocks(text, fields, tags)
    links = tuple(
        Link("url" if "://" in m[1] or m[1].startswith("mailto:") else "file", m[1].removeprefix("file:"), *m.span())
        for m in _LINK.finditer(text)
    )
    heading = next((b.label for b in blocks if b.kind == "heading"), "")
    return Reading(
        text=text,
        title=fields.get("title", ("",))[0] or heading or stem_of(name),
        blocks=cover(text, blocks),
        reader=READER.id,
        fields=fields,
        tags=tuple(dict.fromkeys(tags)),
        links=links,
        encoding=decoded.encoding,
        confidence=decoded.confidence,
        outcome=decoded.outcome,
        reason=decoded.reason,
    )


def _blocks(text: str, fields: dict[str, tuple[str, ...]], tags: list[str]) -> list[Block]:
    blocks: list[Block] = []
    run: tuple[BlockKind, int, int] | None = None
    closing: re.Pattern[str] | None = None
    at = 0

    def close() -> None:
        nonlocal run
        if run is not None:
            blocks.append(Block(run[0], *line_trimmed(text, run[1], run[2])))
            run = None

    while at < len(text):
        stop = text.find("\n", at)
        stop = len(text) if stop == -1 else stop
        line = text[at:stop]
        if closing is not None:
            if run is not None:
                run = (run[0], run[1], stop)
            if (found := _PROPERTY.match(line)) and run is not None and run[0] == "list":
                add_field(fields, found[1], (found[2],))
            if closing.match(line):
                closing = None
                close()
        elif heading := _HEADING.match(line):
            close()
            tags.extend(t for t in (heading["tags"] or "").strip().split(":") if t)
            label = heading["label"].strip()
            if label:
                blocks.append(Block("heading", at, at + len(line.rstrip()), min(len(heading["stars"]), 6), label=label))
        elif begin := _BEGIN.match(line):
            close()
            word = begin[1].lower()
            kind: BlockKind = "code" if word in _CODE else "quote" if word == "quote" else "paragraph"
            run = (kind, at, stop)
            closing = re.compile(rf"[ \t]*#\+end_{re.escape(begin[1])}\b", re.IGNORECASE)
        elif line.strip().upper() in (":PROPERTIES:", ":LOGBOOK:"):
            close()
            run, closing = ("list", at, stop), re.compile(r"[ \t]*:END:[ \t]*$", re.IGNORECASE)
        else:
            if found := _KEYWORD.match(line):
                key, value = found[1].lower(), found[2]
                if key == "filetags":
                    tags.extend(t for t in value.split(":") if t.strip())
                elif key in _FIELDS and value:
                    add_field(fields, key, (value,))
            now = _kind(line)
            if now is None or (run is not None and run[0] != now and not (run[0] == "list" and line[:1] in " \t")):
                close()
            if now is not None:
                run = (run[0], run[1], stop) if run is not None else (now, at, stop)
        at = stop + 1
    close()
    return blocks


def _kind(line: str) -> BlockKind | None:
    if not line.strip():
        return None
    if line.lstrip().startswith("|"):
        return "table"
    return "list" if _LIST.match(line) else "paragraph"


READER = Reader("org", 1, frozenset({".org"}), read)
