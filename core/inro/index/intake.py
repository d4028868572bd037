"""From readings to one commit: chunk, analyse, build a segment, and put it all into the library at once.

Everything slow happens outside the file; the commit then checks that no other writer came between and
otherwise raises `Overtaken`, upon which the caller looks again at what is left to do. Text that is still
there keeps its chunk's id and vector; text whose vector another chunk has gets a copy of it, byte for byte.

A renamed file keeps its chunks untouched, so its old path stays among their lexical terms until its text
changes; the title lane has the new one at once.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import duckdb
import numpy as np

from inro import chunk as chunker
from inro.index import field_text, title_text
from inro.records import Chunk, Reading
from inro.store import chunks, documents, meta, staging, titles, units
from inro.store.connect import Store
from inro.text.analyse import Analyser
from inro.text.writing import writing_of

_LAID_OUT = ("documents", "texts", "headings", "fields", "links", "chunks", "segments", "vectors")
"""Tables whose new rows are laid out before the library is locked."""


class Overtaken(Exception):
    """Another writer committed since the library was looked at; nothing was written. Stays in this room."""


@dataclass(frozen=True, slots=True)
class Incoming:
    """A document to be put in, new or in the place of an older state of itself."""

    source: int
    path: str
    raw: bytes
    hash: str
    size: int
    mtime_ns: int
    reading: Reading
    document: int | None = None
    """The id it has already, if it has one."""


@dataclass(slots=True)
class Prepared:
    """A batch ready to be committed."""

    documents: list[documents.NewDocument] = field(default_factory=list)
    replaced: list[int] = field(default_factory=list)
    """Ids of documents that were there before."""
    removed: list[int] = field(default_factory=list)
    """Ids of documents that are gone; what units still hold of their chunks becomes tombstones."""
    dropped: list[int] = field(default_factory=list)
    """Ids of chunks that are gone."""
    chunks: list[chunks.NewChunk] = field(default_factory=list)
    """All chunks of the documents, kept ones under their old ids."""
    segment: tuple[int, Mapping[str, bytes]] | None = None
    blocks: list[tuple[int, Mapping[str, bytes]]] = field(default_factory=list)
    """Blocks of copied vectors."""
    titles: titles.Change = field(default_factory=lambda: titles.Change({}, {}, ""))
    drawn: dict[str, int] = field(default_factory=dict)
    """How many ids were taken from each counter."""
    new_chunks: int = 0


@dataclass(slots=True)
class _Now:
    """The state of the library a batch is prepared on."""

    next: dict[str, int]
    held: dict[int, list[chunks.HeldChunk]]
    labels: dict[int, tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class _Piece:
    """A chunk of a reading and what it is known by."""

    chunk: Chunk
    identity: tuple[int, int]
    writing: int


def prepare(store: Store, incoming: Sequence[Incoming], analyser: Analyser, *, removed: Sequence[int] = ()) -> Prepared:
    """Do all the work of a batch that needs no open file. `removed` are documents to be taken out with it.

    Raises:
        LibraryMissing, LibraryBusy, NotAnIndex: the library cannot be read.
    """
    known = [item.document for item in incoming if item.document is not None]
    cut = [[_identified(item.reading, one) for one in chunker.chunk(item.reading)] for item in incoming]
    batch = Prepared(replaced=known, removed=list(removed))
    fresh: list[tuple[chunks.NewChunk, Incoming]] = []
    found_by = [title_text.segmented(analyser, title_text.of_reading(item.reading, item.path)) for item in incoming]
    with store.reading() as con:
        now = _now(con, known)
        for item, pieces in zip(incoming, cut, strict=True):
            id_ = item.document if item.document is not None else _draw(batch, now, meta.NEXT_DOCUMENT)
            batch.documents.append(_document(id_, item))
            fresh += [(one, item) for one in _place_chunks(batch, now, id_, item, pieces)]
        copied = _copy_vectors(con, batch, now, [one for one, _ in fresh])
        ids = [document.id for document in batch.documents]
        batch.titles = titles.change(con, dict(zip(ids, found_by, strict=True)), remove=removed)
    if fresh:
        segment = _draw(batch, now, meta.NEXT_SEGMENT)
        batch.segment = (segment, _build_segment(fresh, analyser))
        placed = [replace(one, segment=segment, block=copied.get(one.id)) for one, _ in fresh]
        batch.chunks += placed
    batch.new_chunks = len(fresh)
    return batch


def commit(
    store: Store,
    batch: Prepared,
    contents: int,
    *,
    also: Callable[[duckdb.DuckDBPyConnection], None] = lambda _: None,
) -> None:
    """Write a batch in one short transaction; `contents` is the counter when the sync looked at the library.

    `also` is done in the same transaction.

    Raises:
        Overtaken: another writer was quicker; nothing was written.
        LibraryBusy, WriteFailed: the file cannot be written; it is as it was.
    """
    tables: list[str] = []

    def lay_out(con: duckdb.DuckDBPyConnection) -> None:
        staging.lay_out(con, _LAID_OUT)
        documents.insert(con, batch.documents)
        chunks.insert(con, batch.chunks)
        if batch.segment is not None:
            units.insert(con, units.LEXICAL, *batch.segment)
        for block, parts in batch.blocks:
            units.insert(con, units.DENSE, block, parts)
        tables.extend(staging.filled(con, _LAID_OUT))
        if batch.titles:
            titles.lay_out(con, batch.titles)

    with store.writing(ahead=lay_out) as con:
        claim(con, contents, batch.drawn)
        chunks.remove(con, batch.dropped)
        chunks.remove_of(con, batch.removed)
        chunks.forget(con, batch.replaced)
        documents.remove(con, [*batch.replaced, *batch.removed], title_too=False)
        staging.pour(con, tables)
        if batch.titles:
            titles.apply(con, batch.titles)
        also(con)


def claim(con: duckdb.DuckDBPyConnection, contents: int, drawn: Mapping[str, int] | None = None) -> None:
    """Count this commit as one that changes the contents, and ids as drawn, if none did since `contents` was read.

    Raises:
        Overtaken: one did.
    """
    if meta.count_up_each(con, {meta.CONTENTS: 1, **(drawn or {})})[meta.CONTENTS] != contents:
        raise Overtaken


def _now(con: duckdb.DuckDBPyConnection, known: Sequence[int]) -> _Now:
    counters = (meta.NEXT_DOCUMENT, meta.NEXT_CHUNK, meta.NEXT_SEGMENT, meta.NEXT_BLOCK)
    return _Now(
        # ids begin at 1, so that nothing that was forgotten to be set looks like one
        next={name: meta.counter(con, name) + 1 for name in counters},
        held=chunks.held_by(con, known),
        labels={id_: field_text.labels(*own) for id_, own in documents.declared(con, known).items()},
    )


def _draw(batch: Prepared, now: _Now, counter: str) -> int:
    taken = batch.drawn.get(counter, 0)
    batch.drawn[counter] = taken + 1
    return now.next[counter] + taken


def _document(id_: int, item: Incoming) -> documents.NewDocument:
    return documents.NewDocument(
        id=id_,
        source=item.source,
        path=item.path,
        raw=item.raw,
        hash=item.hash,
        size=item.size,
        mtime_ns=item.mtime_ns,
        reading=item.reading,
        mend=item.reading.mend,
    )


def _identified(reading: Reading, one: Chunk) -> _Piece:
    body = reading.text[one.start : one.end]
    return _Piece(one, chunks.identity(reading.title, one.heading, body), writing_of(body))


def _place_chunks(
    batch: Prepared, now: _Now, id_: int, item: Incoming, pieces: Sequence[_Piece]
) -> list[chunks.NewChunk]:
    """Give one document's chunks their ids: kept ones go into the batch, the new ones are returned."""
    held = now.held.get(id_, [])
    # labels are among a chunk's lexical terms but not in its identity: with other ones no posting fits
    same_labels = now.labels.get(id_, ()) == field_text.labels(item.reading.tags, item.reading.fields)
    by_hash: dict[tuple[int, int], list[chunks.HeldChunk]] = {}
    for old in reversed(held if same_labels else []):
        by_hash.setdefault(old.hash, []).append(old)
    fresh: list[chunks.NewChunk] = []
    kept: set[int] = set()
    for piece in pieces:
        same = by_hash.get(piece.identity)
        if same:
            old = same.pop()
            kept.add(old.id)
            batch.chunks.append(
                chunks.NewChunk(old.id, id_, piece.chunk, piece.identity, old.segment, old.block, piece.writing)
            )
        else:
            new = _draw(batch, now, meta.NEXT_CHUNK)
            fresh.append(chunks.NewChunk(new, id_, piece.chunk, piece.identity, -1, None, piece.writing))
    batch.dropped += [old.id for old in held if old.id not in kept]
    return fresh


def _build_segment(fresh: Sequence[tuple[chunks.NewChunk, Incoming]], analyser: Analyser) -> Mapping[str, bytes]:
    from inro.index.lexical import build_segment

    return build_segment(
        np.array([one.id for one, _ in fresh], dtype=np.int64),
        field_text.batches(
            analyser,
            [
                field_text.ChunkText(
                    text=item.reading.text[one.chunk.start : one.chunk.end],
                    title=item.reading.title,
                    heading=one.chunk.heading,
                    labels=field_text.labels(item.reading.tags, item.reading.fields),
                    path=item.path,
                )
                for one, item in fresh
            ],
        ),
    )


def _copy_vectors(
    con: duckdb.DuckDBPyConnection, batch: Prepared, now: _Now, fresh: Sequence[chunks.NewChunk]
) -> dict[int, int]:
    """Give new chunks the vectors that equal chunks have; returns the block of each chunk that got one."""
    if not fresh:
        return {}
    twins = chunks.with_vector(con, list({one.hash for one in fresh}))
    if not twins:
        return {}
    stored = dict(units.load(con, units.DENSE, sorted({block for _, block in twins.values()})))
    from inro.index.dense_copy import copy_rows

    wanted: dict[int, list[tuple[int, int]]] = {}
    for one in fresh:
        if one.hash in twins:
            twin, block = twins[one.hash]
            wanted.setdefault(block, []).append((twin, one.id))
    copied: dict[int, int] = {}
    for block, pairs in sorted(wanted.items()):
        parts = copy_rows(stored[block], pairs)
        new = _draw(batch, now, meta.NEXT_BLOCK)
        batch.blocks.append((new, parts))
        copied.update((chunk_id, new) for _, chunk_id in pairs)
    return copied
