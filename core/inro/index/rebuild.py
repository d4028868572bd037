"""The lexical lane and the title lane made anew from stored text, for another analyser or another ICU.

No file outside the library is read, so it works on a machine that has none of the sources. All of it is
prepared outside and swapped in by one commit: until then the former index answers.
"""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence

import duckdb
import numpy as np
from numpy.typing import NDArray

from inro.index import field_text, fingerprint, title_text
from inro.index.intake import claim
from inro.index.throttle import Throttle
from inro.records import Progress
from inro.store import catalogue, chunks, documents, meta, titles, units
from inro.store.connect import Store
from inro.text.analyse import Analyser

AT_ONCE = 4096
"""Chunks in one new segment; upkeep merges them."""


def rebuild_lexical(store: Store, analyser: Analyser) -> Generator[Progress, None, int]:
    """Analyse every stored text again and replace segments and titles; returns the number of chunks.

    Raises:
        Overtaken: another writer committed meanwhile; nothing was written.
        LibraryBusy, WriteFailed, NotAnIndex: the file cannot be used.
    """
    with store.reading() as con:
        contents = meta.counter(con, meta.CONTENTS)
        total = chunks.count(con)
    throttle = Throttle("read", total)
    built: list[tuple[NDArray[np.int64], Mapping[str, bytes]]] = []
    after, done = -1, 0
    while True:
        with store.reading() as con:
            ids = chunks.next_ids(con, AT_ONCE, after)
            stored = chunks.fetch(con, ids)
            declared = documents.declared(con, sorted({one.document for one in stored}))
        if not ids:
            break
        after = ids[-1]
        if stored:
            labels = {id_: field_text.labels(*own) for id_, own in declared.items()}
            built.append((np.array([one.id for one in stored], dtype=np.int64), _segment(stored, labels, analyser)))
        done += len(ids)
        yield from throttle.at(done)
    with store.reading() as con:
        found = segmented_titles(con, analyser)
    with store.writing() as con:
        claim(con, contents)
        units.clear(con, units.LEXICAL)
        for of_chunks, parts in built:
            unit = meta.count_up(con, meta.NEXT_SEGMENT) + 1
            units.insert(con, units.LEXICAL, unit, parts)
            chunks.set_unit(con, "segment", of_chunks, unit)
        titles.put_all(con, found)
        meta.put(con, fingerprint.ANALYSER, field_text.identity(analyser))
        meta.put(con, fingerprint.TITLES, title_text.RULES)
    return done


def rebuild_titles(store: Store, analyser: Analyser) -> None:
    """Write out anew what all documents are jumped to by.

    Raises:
        Overtaken: another writer committed meanwhile; nothing was written.
        LibraryBusy, WriteFailed, NotAnIndex: the file cannot be used.
    """
    with store.reading() as con:
        contents = meta.counter(con, meta.CONTENTS)
        found = segmented_titles(con, analyser)
    with store.writing() as con:
        claim(con, contents)
        if found:
            titles.put_all(con, found)
        meta.put(con, fingerprint.TITLES, title_text.RULES)


def segmented_titles(
    con: duckdb.DuckDBPyConnection, analyser: Analyser, only: Sequence[int] | None = None
) -> dict[int, str]:
    """What documents are jumped to by, from what is stored of them."""
    return {
        one.document: title_text.segmented(
            analyser,
            title_text.lines(one.title, one.headings, one.tags, one.fields, one.path),
        )
        for one in catalogue.names(con, only)
    }


def _segment(
    stored: Sequence[chunks.StoredChunk], labels: Mapping[int, tuple[str, ...]], analyser: Analyser
) -> Mapping[str, bytes]:
    from inro.index.lexical import build_segment

    return build_segment(
        np.array([one.id for one in stored], dtype=np.int64),
        field_text.batches(
            analyser,
            [
                field_text.ChunkText(one.text, one.title, one.heading, labels.get(one.document, ()), one.path)
                for one in stored
            ],
        ),
    )
