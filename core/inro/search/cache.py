"""What searching keeps in memory: the indexes of one generation of the library, loaded when first needed.

Everything here can be thrown away and read again from the file. While the file's stamp is the same nothing is opened.
A changed stamp makes the next search ask for the generation; a changed generation makes it load anew, all but the
lexical segments that are still there; another file in its place is read whole. A lane is loaded only when asked for.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from types import TracebackType
from typing import TYPE_CHECKING, Self, TypeAlias

import duckdb
import numpy as np
from numpy.typing import NDArray

from inro.errors import InroError
from inro.records import Ledger
from inro.search.likeness import Groups
from inro.search.shelf import Shelf
from inro.store import bulk, catalogue, chunks, filters, meta, opening, units
from inro.store.bulk import ChunkColumns, DocumentName
from inro.store.chunks import StoredChunk
from inro.store.connect import Stamp, Store
from inro.store.filters import Filter

if TYPE_CHECKING:
    from inro.index.dense import DenseIndex
    from inro.index.lexical import Allow, LexicalIndex
    from inro.index.segment_file import Segment
    from inro.text.analyse import Analyser

REMEMBERED_TEXTS = 4000
"""Chunks kept as read where there is no shelf: what typing on and back shows again."""
DOCUMENTS_AT_ONCE = 500
"""Documents read for the shelf in one opening, so that a writer waits a moment only."""

Segments: TypeAlias = list[tuple[int, dict[str, bytes]]]
"""The parts of lexical segments by number, rising."""
Conditions: TypeAlias = tuple[tuple[Filter, ...], tuple[str, ...], tuple[str, ...], bool]


class Lease:
    """The open library for the length of a `with` block, opened when first called for, if at all."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._held = ExitStack()
        self._con: duckdb.DuckDBPyConnection | None = None

    def __call__(self) -> duckdb.DuckDBPyConnection:
        """The connection; raises as `Store.reading` does."""
        if self._con is None:
            self._con = self._held.enter_context(self._store.reading())
        return self._con

    def release(self) -> None:
        """Let others write meanwhile; a later call opens the file again."""
        self._con = None
        self._held.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._con = None
        self._held.__exit__(kind, error, trace)


@dataclass(frozen=True, slots=True, eq=False)
class Scope:
    """What may be found."""

    chunk_ids: NDArray[np.int64] | None
    """int64[n], rising; None for everything."""
    hints: tuple[str, ...] = ()
    whole: bool = True
    """Nothing was left unread, so that it holds for any other words too."""


@dataclass
class Snapshot:
    """The library as of one generation."""

    generation: int
    chunk_ids: NDArray[np.int64]
    """int64[n], ascending."""
    documents: NDArray[np.int64]
    """int64[n], the document of each chunk."""
    writings: NDArray[np.uint8]
    """uint8[n], the writing system of each chunk."""
    groups: Groups
    ledger: Ledger
    analyser: Analyser
    """Analyses as what made the segments did, whatever is set now: keys of two analysers do not meet."""
    lexical: LexicalIndex | None = None
    dense: DenseIndex | None = None
    embedder: str = ""
    """Fingerprint of the model that made the vectors; empty where there are none."""
    embedder_name: str = ""
    strangers: float = -1.0
    """The cosine that half the pairs of unrelated chunks reach, as measured at the last upkeep; -1 if it was not."""
    faults: list[str] = field(default_factory=list)
    """What was damaged and left out, a sentence each."""
    shelf: Shelf = field(default_factory=Shelf)
    columns: ChunkColumns | None = None
    """Of every chunk, once the shelf is in use."""
    names: Mapping[int, DocumentName] = field(default_factory=dict)
    scopes: dict[Conditions, Scope] = field(default_factory=dict)
    """What some sets of conditions leave."""
    _texts: dict[int, StoredChunk] = field(default_factory=dict)
    _listing: NDArray[np.int64] | None = None
    _sampled: Allow | None = None

    def fetch(self, lease: Lease, ids: Sequence[int]) -> dict[int, StoredChunk]:
        """Chunks with their texts by id, from memory where they are there; a chunk that is gone is absent."""
        known = {id_: chunk for id_ in ids if (chunk := self._remembered(id_)) is not None}
        missing = [id_ for id_ in ids if id_ not in known]
        if missing:
            fresh = {chunk.id: chunk for chunk in chunks.fetch(lease(), missing)}
            if len(self._texts) + len(fresh) > REMEMBERED_TEXTS:
                self._texts = {}
            self._texts.update(fresh)
            known.update(fresh)
        return known

    def _remembered(self, id_: int) -> StoredChunk | None:
        columns = self.columns
        if columns is None or id_ in self._texts:
            return self._texts.get(id_)
        at = int(np.searchsorted(columns.ids, id_))
        if at == columns.ids.size or columns.ids[at] != id_:
            return None
        text = self.shelf.get(columns.hashes[at])
        document = int(columns.documents[at])
        name = self.names.get(document)
        if text is None or name is None:
            return None
        page = int(columns.pages[at])
        return StoredChunk(
            id_,
            document,
            name.source,
            name.path,
            name.title,
            int(columns.ordinals[at]),
            int(columns.starts[at]),
            int(columns.stops[at]),
            chunks.split_heading(columns.headings[at]),
            None if page == bulk.NO_PAGE else page,
            int(columns.tokens[at]),
            text,
            name.reader,
        )

    def listing(self, lease: Lease) -> NDArray[np.int64]:
        """int64[n]: all chunks in the order of a list without a query."""
        if self._listing is None:
            self._listing = filters.listing(lease())
        return self._listing

    def sampled(self, lexical: LexicalIndex) -> Allow:
        """A filter of this snapshot's lexical index that lets the groups' sample through."""
        if self._sampled is None:
            self._sampled = lexical.allow(self.groups.sample)
        return self._sampled

    def document_of(self, chunk_ids: NDArray[np.int64]) -> NDArray[np.int64]:
        """int64[len(chunk_ids)]: the document of each chunk; -1 for a chunk that is gone."""
        if not self.chunk_ids.size:
            return np.full(chunk_ids.shape, -1, np.int64)
        at = self._places(chunk_ids)
        return np.where(self.chunk_ids[at] == chunk_ids, self.documents[at], -1)

    def writing_of(self, chunk_ids: NDArray[np.int64]) -> NDArray[np.uint8]:
        """uint8[len(chunk_ids)]: the writing system of each chunk; of some chunk, for one that is gone."""
        return self.writings[self._places(chunk_ids)] if self.chunk_ids.size else np.zeros(chunk_ids.shape, np.uint8)

    def _places(self, chunk_ids: NDArray[np.int64]) -> NDArray[np.int64]:
        return np.minimum(np.searchsorted(self.chunk_ids, chunk_ids), self.chunk_ids.size - 1)


class SearchCache:
    """Hands out the snapshot that fits the file as it is now. Shared by threads."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._stamp: Stamp | None = None
        self._snapshot: Snapshot | None = None
        self._former: Snapshot | None = None
        """The generation before, until its segments were taken over."""
        self._lock = threading.Lock()
        self._shelf = Shelf()
        self._keeping = threading.Lock()
        self._keeps_texts = False
        self._ahead: threading.Thread | None = None

    @property
    def is_empty(self) -> bool:
        """Whether nothing was loaded yet."""
        return self._snapshot is None

    def reading_ahead(self, *, dense: bool) -> Self:
        """Begin to load in a thread what a first search will need: whoever starts from nothing has more to do.

        What goes wrong is told to the search itself.
        """
        with self._lock:
            if self._snapshot is None and self._ahead is None:
                self._ahead = threading.Thread(target=self._read_ahead, args=(dense,), name="read ahead")
                self._ahead.start()
        return self

    def _read_ahead(self, dense: bool) -> None:
        from inro.index.segment_file import HEAVIEST, PARTS

        shares = (HEAVIEST[:1], [part for part in PARTS if part not in HEAVIEST[:1]])
        with suppress(InroError), Lease(self._store) as lease, ThreadPoolExecutor(len(shares)) as pool:
            if self._store.key is not None:
                # with a key readers take turns
                self.current(lease, lexical=True, dense=dense)
                return
            # while this is open nobody writes, so what is read beside it is of the same generation
            lease()
            under_way = [pool.submit(self._segments, share) for share in shares]
            self.current(
                lease, lexical=True, dense=dense, segments=lambda: _joined(each.result() for each in under_way)
            )

    def _segments(self, parts: Sequence[str]) -> Segments:
        with Lease(self._store) as lease:
            return units.load(lease(), units.LEXICAL, parts=parts)

    def current(
        self, lease: Lease, *, lexical: bool, dense: bool, segments: Callable[[], Segments] | None = None
    ) -> Snapshot:
        """The snapshot of the library as it is now, with these lanes loaded. Call it before the lease is used.

        Args:
            segments: all lexical segments, if somebody reads them already; else they are read here.

        Raises:
            LibraryMissing, LibraryBusy, NotAnIndex, FormatTooNew, FormatTooOld: the file cannot be read, or a stored
                segment or block is damaged.
        """
        with self._lock:
            snapshot, former = self._snapshot, self._stamp
            if snapshot is None or self._store.stamp() != former:
                con = lease()
                # nobody writes while it is open: this stamp is of what is read
                stamp = self._store.stamp()
                generation = meta.counter(con, meta.GENERATION)
                replaced = former is None or former.inode != stamp.inode
                if snapshot is None or replaced or snapshot.generation != generation:
                    self._former = None if replaced else snapshot
                    snapshot = self._read(con, generation)
                self._stamp, self._snapshot = stamp, snapshot
            if self._keeps_texts and snapshot.columns is None:
                snapshot.names = bulk.document_names(lease())
                snapshot.columns = bulk.chunk_columns(lease())
            if lexical and snapshot.lexical is None:
                snapshot.lexical = _load_lexical(lease(), _kept_segments(self._former, snapshot), segments)
                opening.give_back(lease())
                self._former = None
            if dense and snapshot.dense is None:
                snapshot.dense = _load_dense(lease())
                opening.give_back(lease())
                if snapshot.dense.fault:
                    snapshot.faults.append(snapshot.dense.fault)
            return snapshot

    def _read(self, con: duckdb.DuckDBPyConnection, generation: int) -> Snapshot:
        from inro.index import baseline, fingerprint
        from inro.text.analyse import Analyser

        made = fingerprint.stored(con)
        measured = baseline.stored(con)
        ids, documents, writings = chunks.owners(con)
        return Snapshot(
            generation,
            ids,
            documents,
            writings,
            Groups.of(ids, writings),
            catalogue.ledger(con, self._store.path),
            Analyser.named(made.analyser),
            embedder=made.embedder,
            embedder_name=made.embedder_name,
            strangers=-1.0 if measured is None else measured.median,
            shelf=self._shelf,
        )

    def keep_texts(self) -> None:
        """Take the library's texts into memory as far as there is room, opening the file for a moment at a time.

        Raises as `current` does. What was taken before stays; what has changed since is added.
        """
        with self._keeping:
            self._keeps_texts = True
            with Lease(self._store) as lease:
                snapshot = self.current(lease, lexical=False, dense=False)
            columns = snapshot.columns
            assert columns is not None
            wanted = np.flatnonzero(~self._shelf.holds(columns.hashes))
            wanted = wanted[np.argsort(columns.documents[wanted], kind="stable")]
            documents = np.unique(columns.documents[wanted])
            for begin in range(0, documents.size, DOCUMENTS_AT_ONCE):
                if self._shelf.is_full:
                    return
                some = documents[begin : begin + DOCUMENTS_AT_ONCE]
                with Lease(self._store) as lease:
                    if meta.counter(lease(), meta.GENERATION) != snapshot.generation:
                        # a text may have changed: the columns no longer say where its chunks are
                        return
                    texts = bulk.texts_between(lease(), int(some[0]), int(some[-1]))
                low, high = np.searchsorted(columns.documents[wanted], [some[0], some[-1] + 1])
                self._shelf.put(_cut(columns, texts, wanted[low:high]))


def _cut(columns: ChunkColumns, texts: Mapping[int, str], places: NDArray[np.int64]) -> Iterator[tuple[int, str]]:
    """The hash and text of the chunks at these places, each text once."""
    seen: set[int] = set()
    for at in places.tolist():
        hash_, text = int(columns.hashes[at]), texts.get(int(columns.documents[at]))
        if text is not None and hash_ not in seen:
            seen.add(hash_)
            yield hash_, text[columns.starts[at] : columns.stops[at]]


def _kept_segments(former: Snapshot | None, now: Snapshot) -> Mapping[int, Segment]:
    """Segments in memory that those of the same number in the file must equal.

    A number is never given twice in the life of a library, but another library may have been written over this one:
    every chunk that both generations know must be the same.
    """
    if former is None or former.lexical is None or former.columns is None or now.columns is None:
        return {}
    _, then, here = np.intersect1d(former.columns.ids, now.columns.ids, assume_unique=True, return_indices=True)
    same = bool(np.array_equal(former.columns.hashes[then], now.columns.hashes[here]))
    return former.lexical.segments if same and then.size else {}


def _joined(shares: Iterable[Segments]) -> Segments:
    """Segments of which each share holds some parts."""
    whole: dict[int, dict[str, bytes]] = {}
    for share in shares:
        for number, parts in share:
            whole.setdefault(number, {}).update(parts)
    return sorted(whole.items())


def _load_lexical(
    con: duckdb.DuckDBPyConnection, kept: Mapping[int, Segment], read: Callable[[], Segments] | None
) -> LexicalIndex:
    from inro.index.lexical import LexicalIndex

    if read is not None and not kept:
        return LexicalIndex.load(read(), units.deleted(con, units.LEXICAL))
    numbers = bulk.segment_numbers(con)
    held = [(number, kept[number]) for number in numbers if number in kept]
    fresh = units.load(con, units.LEXICAL, [number for number in numbers if number not in kept])
    return LexicalIndex.load([*held, *fresh], units.deleted(con, units.LEXICAL))


def _load_dense(con: duckdb.DuckDBPyConnection) -> DenseIndex:
    from inro.index.dense import DenseIndex

    return DenseIndex.load(units.load(con, units.DENSE), units.graph(con), units.deleted(con, units.DENSE))
