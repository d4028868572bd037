"""The search of one library: a query in, a `SearchResult` out. The only part of this room that reads texts."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

import duckdb
import numpy as np
from numpy.typing import NDArray

from inro.errors import LibraryMissing, ModelError
from inro.index import title_text
from inro.records import Fusion, Hit, Lane, SearchResult, TracePart
from inro.search import snippet
from inro.search.cache import SearchCache, Snapshot
from inro.search.query import Query, parse
from inro.search.rank import Ranked, Ranking, rank
from inro.search.terms import FIELD_WEIGHTS, NO_TERMS, query_terms
from inro.store import chunks, titles
from inro.store.connect import Store
from inro.text.analyse import Analyser
from inro.text.identifiers import pins
from inro.text.keys import with_field

PER_DOCUMENT = 2
"""Chunks of one document in a list of results."""

if TYPE_CHECKING:
    from inro.index.lexical import LexicalIndex

Embed = Callable[[str], NDArray[np.float32]]
"""A query's unit vector; raises `ModelError` when no model can make one."""


@dataclass(frozen=True, slots=True, eq=False)
class Found:
    """What a search found, with what an answer needs besides."""

    hits: tuple[Hit, ...]
    items: tuple[Ranked, ...]
    """The ranked chunks behind the hits."""
    texts: tuple[str, ...]
    """Their whole texts."""
    nearest: int
    """The dense lane's first chunk; -1 when it did not run."""
    vector: NDArray[np.float32] | None
    """float32[d], the query's."""
    lexical: LexicalIndex

    def idf(self, keys: NDArray[np.uint64]) -> NDArray[np.float64]:
        """float64[n]: inverse document frequency of term keys in the body, as BM25 has it."""
        df = self.lexical.document_frequency(keys).astype(np.float64)
        return np.asarray(np.log1p((self.lexical.chunks - df + 0.5) / (df + 0.5)))


class SearchEngine:
    """Searches one library; shared by threads."""

    def __init__(self, store: Store, analyser: Analyser) -> None:
        self._store = store
        self.analyser = analyser
        self._cache = SearchCache(store)

    def search(self, text: str, embed: Embed | None, *, limit: int, lane: Lane, fusion: Fusion) -> SearchResult:
        """The best hits with snippets.

        Raises:
            ModelError: the dense lane alone was asked for and cannot run. Under `hybrid` that is a hint.
            LibraryError: the file cannot be read.
        """
        started = time.perf_counter()
        query = parse(text)
        hints = list(query.hints)
        vector = self._vector(query, embed, lane, hints)
        with self._store.reading() as con:
            snapshot = self._snapshot(con, lane, vector, hints)
            ranking = self._rank(snapshot, query, vector, lane, fusion, limit, PER_DOCUMENT)
            hits, _, _ = self._hits(con, ranking.items, self._keys(query.text))
        return SearchResult(text, lane, hits, snapshot.ledger, tuple(hints), 1000 * (time.perf_counter() - started))

    def find(self, text: str, embed: Embed | None, *, limit: int) -> Found:
        """The best hits with their whole texts, as evidence; the text is a question, not a query.

        Raises:
            LibraryError: the file cannot be read.
        """
        query = Query(text)
        vector = self._vector(query, embed, "hybrid", [])
        with self._store.reading() as con:
            snapshot = self._snapshot(con, "hybrid", vector, [])
            ranking = self._rank(snapshot, query, vector, "hybrid", "calibrated", limit, PER_DOCUMENT)
            hits, items, texts = self._hits(con, ranking.items, self._keys(text))
        assert snapshot.lexical is not None
        return Found(hits, items, texts, ranking.nearest, vector, snapshot.lexical)

    def ranking(
        self, text: str, embed: Embed | None, *, limit: int, lane: Lane, fusion: Fusion, per_document: int
    ) -> tuple[Ranking, tuple[str, ...]]:
        """The ranked chunks without their texts, and hints; raises as `search` does."""
        query = parse(text)
        hints = list(query.hints)
        vector = self._vector(query, embed, lane, hints)
        with self._store.reading() as con:
            snapshot = self._snapshot(con, lane, vector, hints)
        return self._rank(snapshot, query, vector, lane, fusion, limit, per_document), tuple(hints)

    def titles(self, text: str, *, limit: int) -> SearchResult:
        """Documents whose title, headings, tags, author or path match, by DuckDB's full-text index."""
        started = time.perf_counter()
        with self._store.reading() as con:
            snapshot = self._snapshot(con, "lexical", None, [])
            found = titles.search_titles(con, title_text.segmented(self.analyser, [text]), limit)
            hits = self._title_hits(con, found, self._keys(text))
        return SearchResult(text, "lexical", hits, snapshot.ledger, (), 1000 * (time.perf_counter() - started))

    def warm(self) -> None:
        """Compile the kernels and load the indexes, so that the first keystroke waits for neither.

        A library that is not there, or that is empty, still has its kernels compiled.
        """
        self.analyser.query("warm 温める S-1")
        with suppress(LibraryMissing), self._store.reading() as con:
            snapshot = self._cache.current(con, lexical=True, dense=True)
            dimension = snapshot.dense.dimension if snapshot.dense is not None else 0
            vector = np.full(dimension, dimension**-0.5, np.float32) if dimension else None
            self._rank(snapshot, Query("warm 温める S-1"), vector, "hybrid", "calibrated", 10, PER_DOCUMENT)

    def _vector(self, query: Query, embed: Embed | None, lane: Lane, hints: list[str]) -> NDArray[np.float32] | None:
        if lane == "lexical" or embed is None or not query.text.strip():
            return None
        try:
            return embed(query.text)
        except ModelError as error:
            if lane == "dense":
                raise
            hints.append(f"searched by words only: {error}")
            return None

    def _snapshot(
        self,
        con: duckdb.DuckDBPyConnection,
        lane: Lane,
        vector: NDArray[np.float32] | None,
        hints: list[str],
    ) -> Snapshot:
        snapshot = self._cache.current(con, lexical=True, dense=vector is not None)
        hints.extend(snapshot.faults if vector is not None else ())
        return snapshot

    def _rank(
        self,
        snapshot: Snapshot,
        query: Query,
        vector: NDArray[np.float32] | None,
        lane: Lane,
        fusion: Fusion,
        limit: int,
        per_document: int,
    ) -> Ranking:
        terms = NO_TERMS if lane == "dense" else query_terms(self.analyser.query(query.text))
        identifiers = [
            np.concatenate([with_field(np.array([one.key], np.uint64), field) for field in FIELD_WEIGHTS])
            for one in pins(query.text)
        ]
        return rank(
            snapshot,
            terms,
            identifiers,
            vector,
            lane=lane,
            fusion=fusion,
            limit=limit,
            per_document=per_document,
        )

    def _hits(
        self, con: duckdb.DuckDBPyConnection, items: Sequence[Ranked], keys: dict[int, float]
    ) -> tuple[tuple[Hit, ...], tuple[Ranked, ...], tuple[str, ...]]:
        """Hits, and the ranked chunks and texts behind each; a chunk that is gone meanwhile is left out."""
        stored = {chunk.id: chunk for chunk in chunks.fetch(con, [item.chunk for item in items])}
        hits: list[Hit] = []
        kept: list[Ranked] = []
        for item in items:
            chunk = stored.get(item.chunk)
            if chunk is None:
                continue
            kept.append(item)
            start, text, marks = snippet.of(self.analyser, chunk.text, keys)
            hits.append(
                Hit(
                    rank=len(hits) + 1,
                    score=item.score,
                    document=chunk.document,
                    path=chunk.path,
                    title=chunk.title,
                    heading=" › ".join(chunk.heading),
                    page=chunk.page,
                    chunk=chunk.id,
                    start=chunk.start,
                    end=chunk.end,
                    snippet=text,
                    snippet_start=chunk.start + start,
                    highlights=marks,
                    trace=item.trace,
                    pinned=item.pinned,
                    below_floor=item.below_floor,
                )
            )
        return tuple(hits), tuple(kept), tuple(stored[item.chunk].text for item in kept)

    def _title_hits(
        self, con: duckdb.DuckDBPyConnection, found: Sequence[tuple[int, float]], keys: dict[int, float]
    ) -> tuple[Hit, ...]:
        """A hit a document, at its beginning."""
        first = chunks.first_of(con, [document for document, _ in found])
        scores = {first[document]: score for document, score in found if document in first}
        items = [
            Ranked(
                chunk,
                0,
                score,
                (TracePart("title", score, "bm25 over title, headings, tags and path"),),
                False,
                False,
                0.0,
                float("nan"),
            )
            for chunk, score in scores.items()
        ]
        return self._hits(con, items, keys)[0]

    def _keys(self, text: str) -> dict[int, float]:
        """The query's term keys and what a match of each is worth in a snippet."""
        keys, worth = self.analyser.query(text).asked()
        return dict(zip(keys.tolist(), worth.tolist(), strict=True))
