"""How far the sources have moved on since they were synced: a look at names, sizes and times, nothing read or hashed.

So a result can say that files changed since, at the price of listing folders. A renamed file counts twice, once
under each name: telling that it is one takes reading it, which a sync does.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator

from inro.errors import PathMissing
from inro.records import Drift
from inro.sources import UNSEEN, FoundFile, Skipped, compare, read_rules, walk
from inro.store import documents, sources
from inro.store.connect import Store


def drift(store: Store, *, stop: threading.Event | None = None) -> Drift | None:
    """What a sync would look into, over all roots that are there; None if `stop` is set before that is known.

    Raises:
        LibraryError: the file cannot be read.
    """
    with store.reading() as con:
        listed = [(source, documents.known(con, source.id)) for source in sources.folders(con)]
    added = changed = removed = 0
    for source, known in listed:
        found: list[FoundFile | Skipped] = []
        try:
            for item in walk(source.root(store.path), read_rules(source.rules)):
                found.append(item)
                if stop is not None and stop.is_set():
                    return None
        except PathMissing:
            continue
        changes = compare(found, [item for item in known if item.size != UNSEEN])
        if changes.emptied:
            continue
        left_out = set(_left_out(found))
        added += len(changes.added)
        # a file indexed within a moment of its change is read again by a sync, but nothing says that it changed
        changed += sum((a.size, a.mtime_ns) != (b.size, b.mtime_ns) for a, b in changes.candidates)
        removed += sum(item.raw not in left_out for item in changes.missing)
    return Drift(added, changed, removed)


def _left_out(found: list[FoundFile | Skipped]) -> Iterator[bytes]:
    return (item.raw for item in found if isinstance(item, Skipped))
