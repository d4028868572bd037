"""What a search gives: hits, how each score came about, and how much was searched."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from inro.records.documents import Span

Lane: TypeAlias = Literal["hybrid", "lexical", "dense"]
Fusion: TypeAlias = Literal["calibrated", "rrf"]


@dataclass(frozen=True, slots=True)
class TracePart:
    """One summand of a score."""

    lane: str
    """`lexical`, `dense`, `title`, `pin` or `rerank`."""
    value: float
    note: str
    """How the value came about, for a person: `bm25 12.3 of 20.1 possible`."""


@dataclass(frozen=True, slots=True)
class Copy:
    """A passage of another document that says the same as a hit."""

    document: int
    path: str
    """Relative to the source's root."""
    chunk: int


@dataclass(frozen=True, slots=True)
class Hit:
    """One search result; its trace sums to its score."""

    rank: int
    score: float
    document: int
    path: str
    """Relative to the source's root."""
    title: str
    heading: str
    """The heading path joined by ` › `, without the title where it is the first heading."""
    page: int | None
    chunk: int
    start: int
    end: int
    """The chunk's span in the document's text."""
    snippet: str
    """A verbatim slice of the document's text."""
    snippet_start: int
    """Where the snippet begins in the document's text."""
    highlights: tuple[Span, ...]
    """Matched spans inside the snippet."""
    shown: str
    """The snippet as a person reads it: that of a Markdown document without its marks."""
    shown_highlights: tuple[Span, ...]
    """The same words inside that."""
    trace: tuple[TracePart, ...]
    pinned: bool = False
    """An identifier of the query is in this chunk as a whole."""
    below_floor: bool = False
    """Nothing but the library's ordinary likeness speaks for this hit."""
    also_in: tuple[Copy, ...] = ()
    """Where else the same is said, best first; the hit stands for all of them."""
    text: str = ""
    """The whole chunk."""


@dataclass(frozen=True, slots=True)
class Ledger:
    """How much of what the user owns was searched."""

    searched: int
    """Documents whose text is in the index."""
    total: int
    """Documents known, whatever became of them."""
    unreadable: int = 0
    skipped: int = 0
    offline: int = 0
    """Documents under a root that is not present now; they stay searchable."""
    changed: int | None = None
    """Files that changed since the last sync; None where nobody looked."""


@dataclass(frozen=True, slots=True)
class SearchResult:
    """The answer to one query."""

    query: str
    lane: Lane
    hits: tuple[Hit, ...]
    ledger: Ledger
    hints: tuple[str, ...] = ()
    """What the user should know: a malformed filter searched as text, a lane that could not run and why."""
    elapsed_ms: float = 0.0
    partial: bool = False
    """A lane is still at work: right as far as it goes, and better when asked again."""
