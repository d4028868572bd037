"""What is done to a library as a file: copied, merged, encrypted, decrypted, or told where a source lives now.

Every new file is made beside its place, checked whole, and then put there in one step, so that a crash, a full disk
or a damaged original leaves what was there before. A library that changed in the meantime is copied again.
"""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from inro import in_place
from inro.errors import LibraryBusy, NotAnIndex, NotFound, PathMissing, UsageError
from inro.index import pour, rebuild, summary, upkeep
from inro.index.pour import Report
from inro.index.verify import verify
from inro.library import Library
from inro.records import FileReport, MergeReport, Migration, Relocation
from inro.store import chunks, documents, fresh, ring, snapshot, sources
from inro.store import migrate as migration
from inro.store.cipher import Key
from inro.store.connect import Store
from inro.text.analyse import Analyser

_ATTEMPTS = 5
"""How often a library that keeps changing is merged or encrypted anew before giving up."""


def copy(
    library: Library,
    destination: Path,
    *,
    only: Sequence[str] = (),
    vectors: bool = True,
    replace: bool = False,
) -> FileReport:
    """A consistent copy of the library, of all of it or of chosen sources, made while others read and write it.

    Args:
        destination: the new file, or a folder to put it in under the library's name.
        only: numbers or paths of the sources to take; all if none is named. Nothing of the others is in the copy.
        vectors: whether vectors go along.
        replace: whether a file of that name gives way.

    Raises:
        UsageError: there is a file of that name.
        NotFound: no source is called so.
        LibraryError: the library cannot be opened, is damaged, or the copy cannot be written.
    """
    started, store = time.monotonic(), library.store
    place = destination / store.path.name if destination.is_dir() else destination
    if not replace:
        in_place.refuse_taken(place)
    elif place.exists() and place.samefile(store.path):
        raise UsageError(f"{place} is the library itself", "name another file")
    chosen = _chosen(store, only) if only else None
    with fresh.beside(place) as file:
        if chosen is None and vectors:
            made = snapshot.copy_file(store, file)
        else:
            made = Store.create(file, key=_key_of(store))
            pour.pour(store, made, only=chosen, vectors=vectors)
            shutil.copymode(store.path, file)
            upkeep.keep(made)
        _check(made, store.path, "copy")
        if not in_place.put_in_place(file, place, replace=replace):
            raise UsageError(f"there is already a file at {place}", "name another file")
    return _report(Store(place, key=store.key), started)


def merge(library: Library, shards: Sequence[Library], *, into: Path | None = None) -> MergeReport:
    """One library out of several: `library`, if it exists, takes in what the others hold, in their order.

    A document whose content is there already is left out; of two states of one file the later read one stays.

    Args:
        into: write a new file there, from the shards alone, instead of changing `library`.

    Raises:
        UsageError: a shard is the library itself, or there is a file at `into`.
        LibraryError: a library cannot be opened, is damaged, or the result cannot be written.
    """
    started = time.monotonic()
    target = library.store if into is None else Store(into, key=library.store.key)
    if into is not None:
        in_place.refuse_taken(into)
    lent = [shard.store for shard in shards]
    for shard in lent:
        shard.stamp()
        if target.path.exists() and shard.path.samefile(target.path):
            raise UsageError(f"{shard.path} would be merged into itself", "name only the other libraries")
        _check(shard, shard.path, "merge")
    reports: list[Report] = []

    def make(file: Path) -> Store:
        made = snapshot.copy_file(target, file) if target.path.exists() else Store.create(file, key=target.key)
        reports[:] = [pour.pour(shard, made) for shard in lent]
        if any(report.other_words for report in reports):
            for _ in rebuild.rebuild_lexical(made, Analyser(library.settings.han)):
                pass
        upkeep.keep(made)
        return made

    _make_and_swap(target, make, "merge")
    notes = []
    left = sorted({name for report in reports for name in report.other_vectors})
    if left:
        notes.append(f"vectors of {', '.join(left)} cannot be compared with this library's: inro sync embeds anew")
    if any(report.other_chunks for report in reports):
        notes.append("some documents were divided by another release: inro sync reads them again")
    return MergeReport(
        made=_report(target, started, notes),
        taken=sum(report.documents for report in reports),
        duplicates=sum(report.duplicates for report in reports),
        outdated=sum(report.outdated for report in reports),
        replaced=sum(report.replaced for report in reports),
    )


def encrypt(library: Library, key: Key, *, into: Path | None = None, in_ring: bool = False) -> FileReport:
    """Write the library encrypted, to a new file, or in its own place in one step.

    `in_ring` puts the key into the system's keyring first, and takes it out again if nothing is encrypted.

    Raises:
        UsageError: it is encrypted already, there is a file at `into`, or no keyring takes the key.
        LibraryError: it cannot be opened, is damaged, or cannot be written.
    """
    store = library.store
    store.stamp()
    if store.encrypted():
        raise UsageError(f"{store.path} is encrypted already", "inro decrypt first, for another key")
    notes = [] if into else ["blocks of the former file may stay readable on the disk until they are used again"]
    if not in_ring:
        return _rewrite(store, key, into, notes)
    place = into or store.path
    ring.keep(place, key)
    if library.settings.key_source != "keyring":
        notes.append('the key is in the system\'s keyring: set key_source = "keyring" to have it asked')
    try:
        return _rewrite(store, key, into, notes)
    except BaseException:
        ring.forget(place)
        raise


def keep_key(library: Library) -> None:
    """Put the key of an encrypted library, once it has opened it, into the system's keyring.

    Raises:
        KeyNeeded, WrongKey: there is no key, or it is another's.
        UsageError: no keyring takes it.
    """
    library.store.generation()
    assert library.store.key is not None, "an encrypted library was opened"
    ring.keep(library.path, library.store.key)


def decrypt(library: Library, *, into: Path | None = None) -> FileReport:
    """Write an encrypted library in the clear, to a new file, or in its own place in one step.

    Raises:
        UsageError: it is not encrypted, or there is a file at `into`.
        LibraryError: it cannot be opened, is damaged, or cannot be written.
    """
    store = library.store
    store.stamp()
    if not store.encrypted():
        raise UsageError(f"{store.path} is not encrypted", "there is nothing to do")
    made = _rewrite(store, None, into, [])
    if into is None and library.settings.key_source == "keyring":
        ring.forget(store.path)
    return made


def relocate(library: Library, source: str, path: Path, *, anyway: bool = False) -> Relocation:
    """Say that a source lives elsewhere on this machine; its documents keep their numbers, words and vectors.

    Args:
        source: its number or its path.
        anyway: even if none of its files is there; the next sync removes what it does not find.

    Raises:
        NotFound: no source is called so.
        PathMissing: there is nothing at `path`.
        UsageError: the source is no folder, `path` is another source, or holds none of its files.
    """
    if not path.exists():
        raise PathMissing(f"there is nothing at {path}", "check the path")
    store = library.store
    (number,) = _chosen(store, [source])
    with store.reading() as con:
        every = {each.id: each for each in sources.every(con)}
        known = documents.known(con, number)
    former = every[number]
    if not former.raw:
        raise UsageError(f"source {number} is no folder", "inro status, for the sources")
    root = path.resolve()
    for other in every.values():
        if other.id != number and other.raw == os.fsencode(root):
            raise UsageError(f"{root} is source {other.id} already", "inro status, for the sources")
    found = sum(1 for each in known if _is_there(root, each.raw))
    if known and not found and not anyway:
        raise UsageError(f"none of the {len(known)} files of source {number} is at {root}", "check it, or add --anyway")
    with store.writing() as con:
        sources.relocate(con, number, root, store.path)
    return Relocation(number, former.name, str(root), len(known), found)


def migrate(library: Library) -> Migration:
    """Bring a library of an older format to this release's, all of it or nothing.

    Raises:
        FormatTooNew: a newer release wrote it.
        LibraryError: it cannot be opened or written.
    """
    before, after = migration.migrate(library.store)
    return Migration(str(library.path), before, after)


def _is_there(root: Path, raw: bytes) -> bool:
    # a root that is one file has that file's name as its document's path
    if root.is_file():
        return os.fsencode(root.name) == raw
    return (root / os.fsdecode(raw)).exists()


def _rewrite(store: Store, key: Key | None, into: Path | None, notes: Sequence[str]) -> FileReport:
    started = time.monotonic()
    target = store if into is None else Store(into, key=key)
    if into is not None:
        in_place.refuse_taken(into)

    def make(file: Path) -> Store:
        made = snapshot.rewrite(store, file, key)
        shutil.copymode(store.path, file)
        return made

    _make_and_swap(target, make, "copy")
    return _report(Store(target.path, key=key), started, notes)


def _make_and_swap(target: Store, make: Callable[[Path], Store], what: str) -> None:
    """Make a file and put it at `target`'s place, whether there is a library or not."""
    for _ in range(_ATTEMPTS):
        generation = target.generation() if target.path.exists() else None
        with fresh.beside(target.path) as file:
            _check(make(file), target.path, what)
            if generation is None:
                if not in_place.put_in_place(file, target.path):
                    raise UsageError(f"there is already a file at {target.path}", "name another file")
                return
            if target.give_way(file, generation):
                return
    raise LibraryBusy(f"other programs keep writing to {target.path}", "let them finish first")


def _chosen(store: Store, names: Sequence[str]) -> list[int]:
    """The sources these numbers or paths name."""
    with store.reading() as con:
        every = sources.every(con)
    chosen = []
    for name in names:
        raw = os.fsencode(Path(name).resolve())
        found = [
            each.id
            for each in every
            if name in (str(each.id), each.name) or (each.raw and (each.raw == raw or each.raw == os.fsencode(name)))
        ]
        if not found:
            raise NotFound(f"no source {name} in this library", "inro status, for the sources")
        chosen.append(found[0])
    return chosen


def _key_of(store: Store) -> Key | None:
    """The key of the library, if it is one that needs it."""
    return store.key if store.encrypted() else None


def _check(made: Store, path: Path, what: str) -> None:
    for fault in verify(made):
        raise NotAnIndex(f"{path} has faults, so there is no {what}: {fault.where}: {fault.what}", "inro verify")


def _report(store: Store, started: float, notes: Sequence[str] = ()) -> FileReport:
    status = summary.status(store)
    with store.reading() as con:
        waiting = chunks.count_to_embed(con)
    return FileReport(
        library=str(store.path),
        bytes=status.bytes,
        documents=status.documents,
        chunks=status.chunks,
        vectors=status.vectors,
        to_embed=waiting,
        encrypted=store.encrypted(),
        seconds=time.monotonic() - started,
        notes=tuple(notes),
    )
