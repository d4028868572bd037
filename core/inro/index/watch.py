"""Keeping a library up to date by itself: watch the sources, sync what changed, wait, again.

A change wakes the sync of the source it lies in, once things have been quiet for a moment. What no notice comes for
(a network drive, a root that is mounted later, a kernel that has run out of watches) is found by looking at every
source again from time to time. A library that another program holds is tried again at the next glance. Does not
know how a sync is run: it is handed one.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from inro.errors import LibraryBusy
from inro.records import Progress, WatchNotice
from inro.store import sources
from inro.store.connect import Store

if TYPE_CHECKING:
    from watchfiles import Change

Sync = Callable[[Sequence[int] | None], Iterator[Progress]]
"""Runs a sync of the sources with these ids, of all for None."""

QUIET_MS = 500
"""A burst of changes has ended when nothing changes for this long."""
BURST_MS = 10_000
"""Changes that never pause are synced this often."""
GLANCE_MS = 1000
"""How often the watch looks up from waiting: for a root that came or went, and for the end."""


@dataclass(frozen=True, slots=True)
class _Root:
    id: int
    path: Path
    present: bool


def watch(
    store: Store, sync: Sync, stop: threading.Event, *, every: float = 900.0, poll: bool = False
) -> Iterator[Progress | WatchNotice]:
    """Sync all sources, then each again as it changes, until `stop` is set.

    Args:
        sync: what brings sources up to date.
        every: seconds after which all sources are looked at though nothing was noticed.
        poll: look for changes by listing the folders, for drives that give no notice.

    Raises:
        LibraryMissing, NotAnIndex, WriteFailed: the library cannot be used.
    """
    while not stop.is_set():
        with store.reading() as con:
            roots = _roots(store, sources.folders(con))
        yield WatchNotice("watching", sum(root.present for root in roots), sum(not root.present for root in roots))
        yield from _with(store, roots, sync, stop, every, poll)


def _with(
    store: Store, roots: Sequence[_Root], sync: Sync, stop: threading.Event, every: float, poll: bool
) -> Iterator[Progress | WatchNotice]:
    """Watch these roots until they are others, or it is time to look at everything again."""
    glances = _glances(store, [root for root in roots if root.present], stop, poll)
    try:
        # from here on nothing goes unnoticed: what changes while a sync runs is in the glance after it
        next(glances, None)
    except OSError as e:
        yield WatchNotice("blind", detail=str(e))
        glances = _blind(stop)
    owed: set[int] | None = None
    begun = time.monotonic()
    while not stop.is_set():
        if owed is None or owed:
            try:
                yield from sync(None if owed is None else sorted(owed))
                owed = set()
            except LibraryBusy as e:
                yield WatchNotice("busy", detail=str(e))
            seen = store.stamp()
        touched = next(glances, set())
        owed = None if owed is None else owed | touched
        if time.monotonic() - begun >= every or _differ(store, roots, changed=store.stamp() != seen):
            return


def _roots(store: Store, listed: Iterable[sources.Source]) -> list[_Root]:
    return [_Root(one.id, one.root(store.path), one.present(store.path)) for one in listed]


def _differ(store: Store, roots: Sequence[_Root], *, changed: bool) -> bool:
    """Whether a root came or went, or another program has given the library other roots."""
    if any(root.path.exists() != root.present for root in roots):
        return True
    if not changed:
        return False
    with store.reading() as con:
        return _roots(store, sources.folders(con)) != list(roots)


def _glances(store: Store, present: Sequence[_Root], stop: threading.Event, poll: bool) -> Iterator[set[int]]:
    """The ids of roots in which something changed, at least once a glance.

    Raises:
        OSError: the system gives no notice of changes, or of no more folders.
    """
    import watchfiles

    if not present:
        yield from _blind(stop)
        return
    own = str(store.path.resolve())
    rounds = watchfiles.watch(
        *[root.path for root in present],
        watch_filter=lambda _change, path: not path.startswith(own),
        debounce=BURST_MS,
        step=QUIET_MS,
        stop_event=stop,
        rust_timeout=GLANCE_MS,
        yield_on_timeout=True,
        force_polling=poll or None,
        ignore_permission_denied=True,
    )
    for changes in rounds:
        yield _touched(changes, present)


def _blind(stop: threading.Event) -> Iterator[set[int]]:
    while not stop.wait(GLANCE_MS / 1000):
        yield set()


def _touched(changes: Iterable[tuple[Change, str]], roots: Sequence[_Root]) -> set[int]:
    paths = [Path(path) for _, path in changes]
    return {root.id for root in roots for path in paths if path.is_relative_to(root.path)}
