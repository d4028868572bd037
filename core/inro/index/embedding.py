"""Vectors for the chunks that have none: embedded outside the file, committed every few seconds.

Which chunks those are is asked of the library, so a stopped or killed run goes on where it was. Chunks with
the same text share one embedding. Two embedders are never mixed: the first vectors of another model take the
place of all former ones, in the commit that brings them, and a run that finds the library in the hands of yet
another model ends there. Of a chunk longer than the model reads it is remembered that its end is not in the vector.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Protocol

import duckdb
import numpy as np
from numpy.typing import NDArray

from inro.errors import EmbedderChanged, NotAnIndex
from inro.index import dense, fingerprint
from inro.index.throttle import Throttle
from inro.records import Progress
from inro.store import chunks, meta, units
from inro.store.connect import Store
from inro.workers.embed import EmbedBatch, EmbedModel

AT_ONCE = 1024
"""Chunks handed to the embedder in one call: enough for it to sort by length."""

COMMIT_EVERY = 5.0
"""Seconds of embedding a kill may cost."""


class Embedder(Protocol):
    """What the pipeline needs of an embedding worker."""

    @property
    def model(self) -> EmbedModel:
        """Which model it runs; equal fingerprints mean vectors that may be compared."""

    def batches(self, texts: Sequence[str]) -> Iterator[EmbedBatch]:
        """Unit vectors batch by batch, in any order."""


@dataclass(slots=True)
class _Pending:
    """Vectors not yet committed."""

    ids: list[int] = field(default_factory=list)
    vectors: list[NDArray[np.float32]] = field(default_factory=list)
    cut: list[int] = field(default_factory=list)
    """Those of `ids` whose text was longer than the model reads."""
    since: float = field(default_factory=time.monotonic)


@dataclass(frozen=True, slots=True)
class Embedded:
    """What a run of the stage did."""

    chunks: int
    """How many got a vector."""
    replaced: str | None
    """The model whose vectors these took the place of, empty if it is not known; None if no other had made any."""


def embed_missing(
    store: Store, embedder: Embedder, cancel: threading.Event | None = None
) -> Generator[Progress, None, Embedded]:
    """Embed every chunk that waits for it.

    Raises:
        ModelError: the worker failed for good; what was embedded before is kept.
        EmbedderChanged: another program began to make the vectors with another model.
        LibraryBusy, WriteFailed, NotAnIndex: the file cannot be used.
    """
    run = _Run(store, embedder.model)
    throttle = Throttle("embed", run.waiting)
    while groups := run.next_groups():
        texts = [text for _, text in groups]
        for batch in embedder.batches(texts):
            run.take([groups[int(i)][0] for i in batch.indexes], batch)
            yield from throttle.at(run.done)
            stopped = cancel is not None and cancel.is_set()
            if stopped or run.is_due():
                run.flush()
            if stopped:
                return run.report()
    run.flush()
    return run.report()


def stored_centre(con: duckdb.DuckDBPyConnection) -> dense.Centre | None:
    """What the library's next vectors are coded around; None when it has none yet.

    Raises:
        NotAnIndex: a block is damaged.
    """
    blocks = units.load(con, units.DENSE, parts=dense.CENTRE_PARTS)
    try:
        return dense.largest_centre([parts for _, parts in blocks])
    except ValueError as e:
        raise NotAnIndex(f"a vector block is damaged: {e}", "inro verify, then inro sync --full") from e


class _Run:
    """One run of the embedding stage."""

    def __init__(self, store: Store, model: EmbedModel) -> None:
        self._store = store
        self._model = model
        self._pending = _Pending()
        self._centre: dense.Centre | None = None
        self._after = -1
        self.done = 0
        with store.reading() as con:
            self._former = fingerprint.stored_embedder(con)
            """Whose vectors the library held when this run last looked; empty for none."""
            self._replaced = fingerprint.stored(con).embedder_name if self._replaces else None
            if not self._replaces and meta.counter(con, meta.NEXT_BLOCK):
                self._centre = stored_centre(con)
            self.waiting = chunks.count(con) if self._replaces else chunks.count_to_embed(con)
            self._first: list[tuple[list[int], str]] | None = self._look(con) if self.waiting else []

    @property
    def _replaces(self) -> bool:
        """The library holds vectors of another model, which go with the first commit of this run."""
        return self._former not in ("", self._model.fingerprint)

    def next_groups(self) -> list[tuple[list[int], str]]:
        """The next chunks as (ids of equal chunks, embedding input); none after the last of those that waited."""
        if self._first is not None:
            groups, self._first = self._first, None
            return groups
        if self.done >= self.waiting:
            return []
        with self._store.reading() as con:
            return self._look(con)

    def _look(self, con: duckdb.DuckDBPyConnection) -> list[tuple[list[int], str]]:
        ids = chunks.next_ids(con, AT_ONCE, self._after, only_waiting=not self._replaces)
        stored = chunks.fetch(con, ids)
        self._after = max(ids, default=self._after)
        groups: dict[str, list[int]] = {}
        for chunk in stored:
            text = chunks.embedding_input(chunk.title, chunk.heading, chunk.text)
            groups.setdefault(text, []).append(chunk.id)
        return [(ids, text) for text, ids in groups.items()]

    def report(self) -> Embedded:
        return Embedded(self.done, self._replaced)

    def take(self, groups: Sequence[list[int]], batch: EmbedBatch) -> None:
        for ids, vector, cut in zip(groups, batch.vectors, batch.cut, strict=True):
            self._pending.ids += ids
            self._pending.vectors += [vector] * len(ids)
            self._pending.cut += ids if cut else []
        self.done += sum(len(ids) for ids in groups)

    def is_due(self) -> bool:
        return time.monotonic() - self._pending.since >= COMMIT_EVERY

    def flush(self) -> None:
        """Commit what is pending as one block."""
        pending, self._pending = self._pending, _Pending()
        if not pending.ids:
            return
        ids = np.array(pending.ids, dtype=np.int64)
        vectors = np.stack(pending.vectors)

        def encode(keep: NDArray[np.bool_]) -> dict[str, bytes]:
            cut = np.array(sorted(set(pending.cut) & set(ids[keep].tolist())), np.int64)
            return dense.encode_block(ids[keep], vectors[keep], self._centre, cut)

        # before the library is locked; that a chunk has gone meanwhile is rare
        parts = encode(np.ones(len(ids), np.bool_))
        with self._store.writing() as con:
            now = fingerprint.stored_embedder(con)
            if now not in (self._former, self._model.fingerprint):
                raise EmbedderChanged(
                    f"another program makes this library's vectors with another embedder than {self._model.name}",
                    "settle on one embedder in the settings of all who write to it",
                )
            if now == self._former and self._replaces:
                units.clear(con, units.DENSE)
            self._former = self._model.fingerprint
            # a chunk may have gone, or got its vector from another program, while it was embedded
            keep = np.isin(ids, chunks.still_to_embed(con, pending.ids))
            if not keep.any():
                return
            meta.count_up(con, meta.CONTENTS)
            meta.put(con, fingerprint.EMBEDDER, self._model.fingerprint)
            meta.put(con, fingerprint.EMBEDDER_NAME, self._model.name)
            if not keep.all():
                parts = encode(keep)
            if self._centre is None:
                self._centre = dense.largest_centre([parts])
            block = meta.count_up(con, meta.NEXT_BLOCK) + 1
            units.insert(con, units.DENSE, block, parts)
            chunks.set_unit(con, "block", ids[keep], block)
