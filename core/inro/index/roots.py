"""What is to be done for one source: its folder walked, compared with what the library knows, and settled.

A root that is not there, or that suddenly holds nothing, keeps every row. A file the walk must leave out is
noted as a document of outcome `skipped`, unless its text is stored already: then the text stays, and the
document says that it is as of an earlier sync. Reads metadata and hashes; reading documents is the
pipeline's.
"""

from __future__ import annotations

from collections.abc import Iterator, Set
from dataclasses import dataclass, field
from pathlib import Path

from inro.errors import PathMissing, Unreadable
from inro.readers.charsets import python_codec
from inro.readers.registry import READERS, reader_for, suffix_of
from inro.records import Progress
from inro.sources import (
    UNSEEN,
    FoundFile,
    Rules,
    Skipped,
    compare,
    content_hash,
    display_path,
    read_bytes,
    read_rules,
    settle,
    stated_encoding,
    walk,
)
from inro.store.documents import KnownFile
from inro.store.sources import Source

EARLIER = "; the text is as of an earlier sync"
"""Ends the reason of a document whose file could not be taken in again."""

NO_READER = "none/0"
"""What a document has for a reader when no format claimed it."""


@dataclass(slots=True)
class Work:
    """What a sync has to do for one source."""

    source: Source
    root: Path
    rules: Rules
    read: list[tuple[FoundFile, int | None]] = field(default_factory=list)
    """Files to read, with the id of the document they become, if it has one."""
    touched: list[tuple[FoundFile, int]] = field(default_factory=list)
    renamed: list[tuple[FoundFile, KnownFile]] = field(default_factory=list)
    removed: list[int] = field(default_factory=list)
    left_out: list[Skipped] = field(default_factory=list)
    """To be noted as new documents of outcome `skipped`."""
    kept_back: list[tuple[int, str]] = field(default_factory=list)
    """Documents whose text stays though their file is left out now, with the reason."""
    unchanged: int = 0
    present: bool = True
    notes: list[str] = field(default_factory=list)


def survey(source: Source, library: Path, known: list[KnownFile], *, full: bool) -> Iterator[Progress | Work]:
    """Walk a source and compare: progress while it walks, then the work, as the last item.

    `full` has every file read again, and believes a root that holds nothing any more.
    """
    work = Work(source, source.root(library), read_rules(source.rules))
    unseen = {item.raw: item for item in known if item.size == UNSEEN}
    seen = {item.raw: item for item in known if item.size != UNSEEN}
    found: list[FoundFile | Skipped] = []
    try:
        for item in walk(work.root, work.rules):
            found.append(item)
            yield Progress("scan", len(found), 0, item.path)
    except PathMissing:
        work.present = False
        work.unchanged = len(known)
        work.notes.append(f"{work.root} is not there now; its {len(known)} documents stay searchable")
        yield work
        return
    _decide(work, found, seen, unseen, full=full)
    yield work


def _decide(
    work: Work,
    found: list[FoundFile | Skipped],
    seen: dict[bytes, KnownFile],
    unseen: dict[bytes, KnownFile],
    *,
    full: bool,
) -> None:
    changes = compare(found, seen.values())
    if changes.emptied and not full:
        work.present = False
        work.unchanged = len(seen) + len(unseen)
        work.notes.append(
            f"{work.root} holds no file any more; its {len(seen)} documents stay. "
            "If they were deleted on purpose: inro sync --full"
        )
        return
    current = {reader.id for reader in READERS}
    settled = settle(changes, lambda file: _hash(work, file))
    work.read += [(file, None) for file in settled.added]
    work.read += [(file, before.document) for file, before in settled.changed]
    for file, before in settled.touched:
        again = full or _is_outdated(seen[before.raw], work.rules, current)
        (work.read if again else work.touched).append((file, before.document))
    work.renamed += [(file, seen[before.raw]) for file, before in settled.renamed]
    files = {item.raw: item for item in found if isinstance(item, FoundFile)}
    for before in settled.unchanged:
        if full or _is_outdated(seen[before.raw], work.rules, current):
            work.read.append((files[before.raw], before.document))
        else:
            work.unchanged += 1
    work.unchanged += len(changes.unlisted)
    left_out = {item.raw: item for item in found if isinstance(item, Skipped)}
    for before in settled.removed:
        skipped = left_out.get(before.raw)
        if skipped is None:
            work.removed.append(before.document)
            continue
        reason = skipped.reason + EARLIER
        if seen[before.raw].reason != reason:
            work.kept_back.append((before.document, reason))
    work.left_out += [s for raw, s in left_out.items() if raw not in seen and raw not in unseen]
    work.removed += [item.document for raw, item in unseen.items() if raw not in left_out]


def _is_outdated(item: KnownFile, rules: Rules, current: Set[str]) -> bool:
    """Whether an unchanged file is to be read again all the same; `current` are the ids of this release's readers."""
    stated = stated_encoding(rules, display_path(item.raw)) if rules.encodings else None
    if stated and (item.encoding or item.outcome == "unreadable") and python_codec(stated) != item.encoding:
        return True
    if item.reason.endswith(EARLIER):
        return True
    if item.outcome == "unreadable" and not item.hash:
        # it could not even be opened; whether it can be now, only trying tells
        return True
    if item.reader == NO_READER:
        return reader_for(suffix_of(_name(item.raw)), b"\0") is not None
    return item.reader not in current


def _name(raw: bytes) -> str:
    return raw.decode("utf-8", "replace")


def _hash(work: Work, file: FoundFile) -> str | None:
    try:
        return content_hash(read_bytes(work.root, file, work.rules.max_bytes))
    except Unreadable:
        return None
