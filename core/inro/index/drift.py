"""How far the sources have moved on since they were synced: a look at names, sizes and times, nothing read or hashed.

So a result can say that files changed since, at the price of listing folders. A renamed file counts twice, once
under each name: telling that it is one takes reading it, which a sync does.
"""

from __future__ import annotations

import threading

from inro.errors import PathMissing
from inro.records import Drift
from inro.sources import UNSEEN, Skipped, read_rules, walk
from inro.store import documents, sources
from inro.store.connect import Store


def drift(store: Store, *, stop: threading.Event | None = None) -> Drift | None:
    """What a sync would look into, over all roots that are there; None if `stop` is set before that is known.

    Raises:
        LibraryError: the file cannot be read.
    """
    with store.reading() as con:
        listed = [(source, documents.listed(con, source.id, UNSEEN)) for source in sources.folders(con)]
    added = changed = removed = 0
    for source, left in listed:
        had_any, there = bool(left), 0
        new = moved_on = 0
        skipped: list[Skipped] = []
        try:
            for item in walk(source.root(store.path), read_rules(source.rules)):
                if stop is not None and stop.is_set():
                    return None
                if isinstance(item, Skipped):
                    skipped.append(item)
                    continue
                there += 1
                before = left.pop(item.raw, None)
                new += before is None
                moved_on += before is not None and before != (item.size, item.mtime_ns)
        except PathMissing:
            continue
        if had_any and not there:
            # a drive that is not mounted looks like this
            continue
        gone = left.keys() - {item.raw for item in skipped}
        closed = tuple(item.raw + b"/" for item in skipped if item.folder)
        added += new
        changed += moved_on
        removed += sum(not raw.startswith(closed) for raw in gone) if closed else len(gone)
    return Drift(added, changed, removed)
