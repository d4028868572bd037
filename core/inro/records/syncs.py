"""Sources and what brings a library up to date with them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from inro.records.documents import Outcome


@dataclass(frozen=True, slots=True)
class Progress:
    """Event of a sync. The last one of a sync has `phase="done"`."""

    phase: Literal["scan", "read", "embed", "commit", "done"]
    done: int
    """Units finished in this phase: files for `scan` and `read`, chunks for `embed`."""
    total: int
    """Units known in this phase; 0 when not known yet."""
    path: str = ""
    """The file at hand, where there is one."""
    rate: float = 0.0
    """Units a second over this phase."""
    eta: float | None = None
    """Seconds left in this phase, when it can be told."""
    report: SyncReport | None = None
    """Only on the last event."""


@dataclass(frozen=True, slots=True)
class SyncReport:
    """What a sync did, counted in documents unless said otherwise."""

    added: int = 0
    changed: int = 0
    removed: int = 0
    renamed: int = 0
    unchanged: int = 0
    unreadable: int = 0
    skipped: int = 0
    chunks: int = 0
    """Chunks written."""
    embedded: int = 0
    """Chunks embedded."""
    to_embed: int = 0
    """Chunks still without a vector."""
    seconds: float = 0.0
    notes: tuple[str, ...] = ()
    """What the user should know: a missing root, a missing model with the command that brings it."""


@dataclass(frozen=True, slots=True)
class Rules:
    """What a source takes in, and how. Hashable, so that it can be compared and stored."""

    include: tuple[str, ...] = ()
    """Patterns a file must match, if there are any; folders are looked into either way."""
    exclude: tuple[str, ...] = ()
    """Patterns of files and folders to leave out, over and above `ALWAYS_EXCLUDED`."""
    hidden: bool = False
    """Whether names that begin with a dot are taken in."""
    ignore_files: bool = True
    """Whether `.gitignore` and `.inroignore` inside the root are followed."""
    max_bytes: int = 64 * 1024 * 1024
    """Files larger than this are left out, and that is told."""
    encodings: tuple[tuple[str, str], ...] = ()
    """(pattern, charset): text files matching the pattern are in this charset, whatever they look like; the last
    that matches counts."""


@dataclass(frozen=True, slots=True)
class WatchNotice:
    """Event of a watch, between its syncs."""

    kind: Literal["watching", "busy", "blind"]
    """`busy`: another program holds the library, it is tried again; `blind`: the system tells of no changes here."""
    present: int = 0
    """Sources that are watched."""
    absent: int = 0
    """Sources that are not there now."""
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Drift:
    """How the files of the sources differ from what the library holds, by name, size and time alone."""

    added: int = 0
    changed: int = 0
    removed: int = 0

    @property
    def total(self) -> int:
        """Files that a sync would look into."""
        return self.added + self.changed + self.removed


@dataclass(frozen=True, slots=True)
class SourceState:
    """One indexed root."""

    id: int
    path: str
    present: bool
    documents: int
    last_sync: str
    """ISO 8601 in UTC, empty if never."""


@dataclass(frozen=True, slots=True)
class FileOutcome:
    """What became of one file."""

    document: int
    path: str
    source: int
    outcome: Outcome
    reason: str
    mend: str
    reader: str
    encoding: str
    chars: int
    coverage: float = 1.0
    """Share of the characters that are no white space which some chunk holds; 1 for a text without any."""


@dataclass(frozen=True, slots=True)
class Status:
    """The state of a library at a glance."""

    library: str
    format: int
    generation: int
    bytes: int
    sources: tuple[SourceState, ...]
    documents: int
    outcomes: dict[str, int]
    chunks: int
    vectors: int
    segments: int
    analyser: str
    embedder: str
    """Name of the model whose vectors the file holds; empty if none."""
    to_embed: int
    drift: Drift | None = None
    """What changed in the sources since the last sync; None where that was not looked for."""
    cut: int = 0
    """Chunks longer than the embedder reads: what comes after is found by its words only."""
    notes: tuple[str, ...] = ()
