"""What a file becomes: text, blocks, chunks, links, and how it is shown."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, TypeAlias

Outcome: TypeAlias = Literal["ok", "partial", "unreadable", "skipped"]
Span: TypeAlias = tuple[int, int]
BlockKind: TypeAlias = Literal["heading", "paragraph", "list", "table", "code", "quote"]
LinkKind: TypeAlias = Literal["wiki", "embed", "url", "file"]
HanFolding: TypeAlias = Literal["none", "simplified", "shinjitai", "all"]


@dataclass(frozen=True, slots=True)
class Block:
    """A piece of a document's text that is not cut without need."""

    kind: BlockKind
    start: int
    end: int
    level: int = 0
    """Heading depth from 1; 0 for every other kind."""
    page: int | None = None
    """Page, slide or sheet number from 1, where the format has one."""
    label: str = ""
    """Of a heading: its text without markup, as shown in a heading path; empty for every other kind."""


@dataclass(frozen=True, slots=True)
class Link:
    """A reference a document makes to another place."""

    kind: LinkKind
    target: str
    """As written, without the brackets: `Note#Heading`, a URL, a relative path."""
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Reading:
    """What a reader made of one file. `text` is what is stored, shown, cited and sliced ever after."""

    text: str
    title: str
    blocks: tuple[Block, ...]
    """In order, not overlapping; together they cover all text that is not white space."""
    reader: str
    """`name/version` of the reader that made this."""
    fields: dict[str, tuple[str, ...]] = field(default_factory=dict)
    """Declared fields (frontmatter, `key: value` headers), keys folded to lower case, values as written."""
    tags: tuple[str, ...] = ()
    links: tuple[Link, ...] = ()
    encoding: str = "utf-8"
    confidence: float = 1.0
    """How sure the encoding is, 0 to 1; 1 for a byte order mark or valid UTF-8."""
    outcome: Outcome = "ok"
    reason: str = ""
    """Why the outcome is not `ok`, in words for the user."""
    mend: str = ""
    """What the user can do about it; empty when nothing helps."""


@dataclass(frozen=True, slots=True)
class Chunk:
    """The unit of search: a slice of a document's text."""

    ordinal: int
    start: int
    end: int
    heading: tuple[str, ...]
    """The headings above, outermost first."""
    page: int | None
    tokens: int
    """Estimated with the document's own tokens-per-character ratio."""


@dataclass(frozen=True, slots=True)
class DocumentView:
    """One document as stored."""

    document: int
    path: str
    absolute: str
    """Where the original is on this machine; it may be absent."""
    title: str
    text: str
    """Whole, or the slice that was asked for."""
    chars: int
    """Code points of the whole text."""
    outcome: Outcome
    reason: str
    fields: dict[str, tuple[str, ...]]
    tags: tuple[str, ...]
    headings: tuple[tuple[int, int, str], ...]
    """(offset, level, text), in order."""
    links: tuple[Link, ...] = ()
    backlinks: tuple[tuple[int, str], ...] = ()
    """(document, title) of the documents that link here."""
