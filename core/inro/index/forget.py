"""Taking a source out of a library: its documents, chunks, and then the root itself; the files are not touched."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from inro.errors import LibraryBusy, NotFound
from inro.index import intake, upkeep
from inro.index.intake import Overtaken
from inro.store import documents, meta, sources
from inro.store.connect import Store
from inro.text.analyse import Analyser

_ATTEMPTS = 50


def forget(store: Store, named: str) -> int:
    """Take out the source of this number or path; how many documents it had.

    Raises:
        NotFound: there is none.
        LibraryBusy, WriteFailed: the file cannot be written; it is as it was.
    """
    for _ in range(_ATTEMPTS):
        with store.reading() as con:
            source = _find(sources.every(con), named, store.path)
            contents = meta.counter(con, meta.CONTENTS)
            ids = [item.document for item in documents.known(con, source.id)]
        try:
            batch = intake.prepare(store, [], Analyser(), removed=ids)
            intake.commit(store, batch, contents, also=partial(sources.remove, source=source.id))
        except Overtaken:
            continue
        upkeep.keep(store)
        return len(ids)
    raise LibraryBusy(f"other programs keep writing to {store.path}", "let one sync finish first")


def _find(listed: list[sources.Source], named: str, library: Path) -> sources.Source:
    wanted = Path(named)
    for source in listed:
        if named == str(source.id) or named == source.name:
            return source
        if source.raw and wanted.exists() and wanted.resolve() == source.root(library).resolve():
            return source
    raise NotFound(f"the library has no source {named}", "inro status lists them with their numbers")
