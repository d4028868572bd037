"""What changed under a root since it was last read: pure functions over what was found and what is known.

A file is the same if its raw name, size and modification time are; otherwise its content's hash decides. A
name that is gone and a name that is new with the same content are one document that was renamed. Nothing is
called deleted under a folder that could not be listed, and a root that suddenly holds nothing at all is
told apart (`emptied`): an unmounted mount point looks exactly like that.
"""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Protocol

from inro.sources.walk import FoundFile, Skipped

_CLOCK_GRAIN_NS = 2_000_000_000
"""A file changed this shortly before it was indexed may have changed again within the same time stamp."""


class Known(Protocol):
    """A file as the library remembers it, whatever else is remembered of it."""

    @property
    def document(self) -> int: ...
    @property
    def raw(self) -> bytes: ...
    @property
    def size(self) -> int: ...
    @property
    def mtime_ns(self) -> int: ...
    @property
    def hash(self) -> str:
        """Of its content; empty where that could not be read: then only a changed size or time counts as a change."""
        ...

    @property
    def indexed_ns(self) -> int:
        """When it was read, in nanoseconds since the epoch; 0 if not known."""
        ...


@dataclass(frozen=True, slots=True)
class Changes:
    """The first look: by name, size and time, without reading a byte."""

    added: tuple[FoundFile, ...]
    candidates: tuple[tuple[FoundFile, Known], ...]
    """Known names whose size or time differs: their content has to be hashed."""
    unchanged: tuple[Known, ...]
    missing: tuple[Known, ...]
    """Known names that are gone for certain."""
    unlisted: tuple[Known, ...]
    """Known names under folders that could not be listed: they stay as they are."""
    emptied: bool
    """Documents were known and not one file was found."""


@dataclass(frozen=True, slots=True)
class Settled:
    """The second look: what is to be done."""

    added: tuple[FoundFile, ...]
    changed: tuple[tuple[FoundFile, Known], ...]
    """To be read again."""
    touched: tuple[tuple[FoundFile, Known], ...]
    """Same content under a new time stamp: only size and time are to be stored."""
    renamed: tuple[tuple[FoundFile, Known], ...]
    """Same content under a new name: document, chunks and vectors stay."""
    removed: tuple[Known, ...]
    unchanged: tuple[Known, ...]


def content_hash(data: bytes) -> str:
    """The identity of a content: BLAKE2b of 16 bytes, in hexadecimal."""
    return hashlib.blake2b(data, digest_size=16).hexdigest()


def compare(found: Iterable[FoundFile | Skipped], known: Iterable[Known]) -> Changes:
    """Compare a walk with what is known. `found` is consumed once; skipped files count as gone."""
    remembered = {item.raw: item for item in known}
    had_any = bool(remembered)
    added: list[FoundFile] = []
    candidates: list[tuple[FoundFile, Known]] = []
    unchanged: list[Known] = []
    closed: list[bytes] = []
    count = 0
    for item in found:
        if isinstance(item, Skipped):
            if item.folder:
                closed.append(item.raw + b"/")
            continue
        count += 1
        before = remembered.pop(item.raw, None)
        if before is None:
            added.append(item)
        elif (before.size, before.mtime_ns) != (item.size, item.mtime_ns) or _too_fresh(before):
            candidates.append((item, before))
        else:
            unchanged.append(before)
    under = tuple(closed)
    missing = [k for k in remembered.values() if not k.raw.startswith(under)] if under else list(remembered.values())
    unlisted = [k for k in remembered.values() if k.raw.startswith(under)] if under else []
    return Changes(
        tuple(added),
        tuple(candidates),
        tuple(unchanged),
        tuple(missing),
        tuple(unlisted),
        had_any and count == 0,
    )


def settle(changes: Changes, hash_of: Callable[[FoundFile], str | None]) -> Settled:
    """Decide by content. `hash_of` gives a file's content hash, or None where it cannot be read.

    Only candidates are hashed, and those new files whose size is that of a missing one.
    """
    changed: list[tuple[FoundFile, Known]] = []
    touched: list[tuple[FoundFile, Known]] = []
    for file, before in changes.candidates:
        same = before.hash != "" and file.size == before.size and hash_of(file) == before.hash
        (touched if same else changed).append((file, before))
    gone: dict[int, list[Known]] = defaultdict(list)
    for item in changes.missing:
        if item.hash and item.size:
            gone[item.size].append(item)
    fresh: list[FoundFile] = []
    renamed: list[tuple[FoundFile, Known]] = []
    taken: set[int] = set()
    for file in changes.added:
        options = [k for k in gone.get(file.size, ()) if k.document not in taken]
        digest = hash_of(file) if options else None
        options = [k for k in options if k.hash == digest]
        if not options:
            fresh.append(file)
            continue
        # Of several equal contents, the one that kept its file name is the likelier move.
        name = file.raw.rsplit(b"/", 1)[-1]
        match = next((k for k in options if k.raw.rsplit(b"/", 1)[-1] == name), options[0])
        taken.add(match.document)
        renamed.append((file, match))
    removed = tuple(k for k in changes.missing if k.document not in taken)
    return Settled(tuple(fresh), tuple(changed), tuple(touched), tuple(renamed), removed, changes.unchanged)


def _too_fresh(known: Known) -> bool:
    return known.indexed_ns > 0 and known.mtime_ns > known.indexed_ns - _CLOCK_GRAIN_NS
