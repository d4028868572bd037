"""The search of one library: a query in, a `SearchResult` out. The only part of this room that reads texts."""

from __future__ import annotations

import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from inro.errors import EmbedderChanged, LibraryMissing, ModelError
from inro.index import title_text
from inro.index.segment_file import idf
from inro.records import Copy, Fusion, Hit, Lane, SearchResult, TracePart
from inro.search import expand, rerank, scope, snippet
from inro.search.cache import Lease, SearchCache, Snapshot
from inro.search.collapse import Distinct, collapse
from inro.search.query import Query, conditions, parse
from inro.search.rank import Ranked, Ranking, listed, rank
from inro.search.terms import FIELD_WEIGHTS, NO_TERMS, QueryTerms, query_terms
from inro.search.vectors import Embed, Embedder
from inro.store import chunks, titles
from inro.store.connect import Store
from inro.text.analyse import Analyser
from inro.text.identifiers import pins
from inro.text.keys import with_field

PER_DOCUMENT = 2
"""Chunks of one document in a list of results."""
SPARE = 10
"""Chunks ranked beyond those asked for, to fill the places of copies."""
MOST_RANKED = 2000
"""Chunks looked through for copies at most, however many there are."""

if TYPE_CHECKING:
    from inro.index.lexical import LexicalIndex


@dataclass(frozen=True, slots=True, eq=False)
class Asked:
    """A query and the terms it comes down to in this library."""

    query: Query
    terms: QueryTerms


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
        return idf(self.lexical.chunks, self.lexical.document_frequency(keys))


def _worth(snapshot: Snapshot, asked: Asked) -> dict[int, float]:
    """What a match of each term is worth in a snippet, in the dense lane too."""
    return (asked.terms if len(asked.terms) else query_terms(snapshot.analyser.query(asked.query.text))).worth()


class SearchEngine:
    """Searches one library; shared by threads."""

    def __init__(self, store: Store, cache: SearchCache | None = None) -> None:
        self._store = store
        self._cache = cache or SearchCache(store)

    def analyser(self) -> Analyser:
        """What the library as it is now is analysed with; raises as `search` does."""
        with Lease(self._store) as lease:
            return self._cache.current(lease, lexical=False, dense=False).analyser

    def search(
        self,
        text: str,
        embed: Embed | None,
        *,
        limit: int,
        lane: Lane,
        fusion: Fusion,
        stage: rerank.Stage | None = None,
        filters: str = "",
    ) -> SearchResult:
        """The best hits with snippets; for a query of conditions alone, the first chunk of each document they leave.

        Args:
            stage: orders the first results anew.
            filters: of the query language and nothing else; they hold beside those of the query.

        Raises:
            ModelError: the dense lane alone was asked for and cannot run. Under `hybrid` that is a hint.
            LibraryError: the file cannot be read.
            UsageError: something in `filters` is no filter.
        """
        started = time.perf_counter()
        query = parse(text)
        query = replace(query, filters=query.filters + conditions(filters))
        hints = list(query.hints)
        if self._cache.is_empty:
            # dictionaries and stems are loaded while the file is still being read
            Analyser().query(query.text)
        vector = self._vector(query, embed, lane, hints)
        with Lease(self._store) as lease:
            snapshot, vector = self._snapshot(lease, vector, embed, lane, hints)
            asked = self._asked(snapshot, query, lane, hints)
            _, found = self._distinct(snapshot, lease, asked, vector, lane, fusion, limit, hints, stage)
            hits, _ = self._hits(snapshot, lease, found, _worth(snapshot, asked))
        return SearchResult(text, lane, hits, snapshot.ledger, tuple(hints), 1000 * (time.perf_counter() - started))

    def find(self, text: str, embed: Embed | None, *, limit: int, stage: rerank.Stage | None = None) -> Found:
        """The best hits with their whole texts, as evidence; the text is a question, not a query.

        Raises:
            LibraryError: the file cannot be read.
        """
        query = Query(text)
        vector = self._vector(query, embed, "hybrid", [])
        with Lease(self._store) as lease:
            snapshot, usable = self._snapshot(lease, vector, embed, "hybrid", [])
            asked = Asked(query, query_terms(snapshot.analyser.query(text), lexical=snapshot.lexical))
            ranking, found = self._distinct(snapshot, lease, asked, usable, "hybrid", "calibrated", limit, [], stage)
            hits, texts = self._hits(snapshot, lease, found, asked.terms.worth())
        assert snapshot.lexical is not None
        nearest = next((one.item.chunk for one in found if one.holds(ranking.nearest)), ranking.nearest)
        return Found(hits, tuple(one.item for one in found), texts, nearest, vector, snapshot.lexical)

    def ranking(
        self,
        text: str,
        embed: Embed | None,
        *,
        limit: int,
        lane: Lane,
        fusion: Fusion,
        per_document: int,
        stage: rerank.Stage | None = None,
    ) -> tuple[Ranking, tuple[str, ...]]:
        """The ranked chunks without their texts, and hints; raises as `search` does."""
        query = parse(text)
        hints = list(query.hints)
        vector = self._vector(query, embed, lane, hints)
        with Lease(self._store) as lease:
            snapshot, vector = self._snapshot(lease, vector, embed, lane, hints)
            asked = self._asked(snapshot, query, lane, hints)
            found = self._rank(snapshot, lease, asked, vector, lane, fusion, limit, per_document, hints, stage)
        return found, tuple(hints)

    def titles(self, text: str, *, limit: int) -> SearchResult:
        """Documents whose title, headings, tags, author or path match, by DuckDB's full-text index."""
        started = time.perf_counter()
        with Lease(self._store) as lease:
            snapshot = self._cache.current(lease, lexical=True, dense=False)
            found = titles.search_titles(lease(), title_text.segmented(snapshot.analyser, [text]), limit)
            worth = query_terms(snapshot.analyser.query(text)).worth()
            hits = self._title_hits(snapshot, lease, found, worth)
        return SearchResult(text, "lexical", hits, snapshot.ledger, (), 1000 * (time.perf_counter() - started))

    def warm(self) -> None:
        """Compile the kernels and load the indexes, so that the first keystroke waits for neither.

        A library that is not there, or that is empty, still has its kernels compiled.
        """
        query = Query("warm 温める S-1", prefixes=("warm",))
        Analyser().query(query.text)
        with suppress(LibraryMissing):
            with Lease(self._store) as lease:
                snapshot = self._cache.current(lease, lexical=True, dense=True)
            assert snapshot.lexical is not None
            dimension = snapshot.dense.dimension if snapshot.dense is not None else 0
            vector = np.full(dimension, dimension**-0.5, np.float32) if dimension else None
            # the table of all spellings is made when a slip is first looked up
            snapshot.lexical.similar("warmm", 1)
            groups = expand.prefixed(snapshot.lexical, query.prefixes, [], snapshot.analyser.han)
            terms = snapshot.analyser.query(query.text)
            asked = Asked(query, query_terms(terms, groups, lexical=snapshot.lexical))
            with Lease(self._store) as lease:
                _, found = self._distinct(snapshot, lease, asked, vector, "hybrid", "calibrated", 10, [])
                self._hits(snapshot, lease, found, asked.terms.worth())
            self._cache.keep_texts()

    def _vector(self, query: Query, embed: Embed | None, lane: Lane, hints: list[str]) -> NDArray[np.float32] | None:
        if lane == "lexical" or embed is None or not query.text.strip():
            return None
        try:
            return embed(query.text)
        except ModelError as error:
            if lane == "dense":
                raise
            hints.append(f"searched by words only: {error.brief}")
            return None

    def _snapshot(
        self, lease: Lease, vector: NDArray[np.float32] | None, embed: Embed | None, lane: Lane, hints: list[str]
    ) -> tuple[Snapshot, NDArray[np.float32] | None]:
        """The library as it is, and the query's vector if it may be compared with the library's."""
        snapshot = self._cache.current(lease, lexical=True, dense=vector is not None)
        if vector is None:
            return snapshot, None
        hints.extend(snapshot.faults)
        own = embed.fingerprint() if isinstance(embed, Embedder) else snapshot.embedder
        if snapshot.embedder and own != snapshot.embedder:
            error = EmbedderChanged(
                f"the library's vectors are those of {snapshot.embedder_name}, not of the embedder that is set",
                "inro sync, to make them anew",
            )
            if lane == "dense":
                raise error
            hints.append(f"searched by words only: {error}")
            return snapshot, None
        waiting = snapshot.chunk_ids.size - (0 if snapshot.dense is None else len(snapshot.dense))
        if waiting > 0:
            hints.append(
                f"{waiting:,} of {snapshot.chunk_ids.size:,} chunks have no vector yet and are found by their words "
                "only. Do: inro sync"
            )
        return snapshot, vector

    def _asked(self, snapshot: Snapshot, query: Query, lane: Lane, hints: list[str]) -> Asked:
        """The query's terms, with other spellings where it asks for them or the library has none of its own."""
        lexical = snapshot.lexical
        if lane == "dense" or lexical is None:
            return Asked(query, NO_TERMS)
        # what begins with a CJK word is found by the word itself: its characters are terms
        uncut = [prefix for prefix in query.prefixes if not prefix.isascii()]
        terms = snapshot.analyser.query(" ".join([query.text, *uncut]))
        groups = expand.prefixed(lexical, query.prefixes, hints, snapshot.analyser.han)
        respelt, replaced = expand.respelt(lexical, terms, hints)
        return Asked(query, query_terms(terms, [*groups, *respelt], replaced, lexical))

    def _rank(
        self,
        snapshot: Snapshot,
        lease: Lease,
        asked: Asked,
        vector: NDArray[np.float32] | None,
        lane: Lane,
        fusion: Fusion,
        limit: int,
        per_document: int,
        hints: list[str],
        stage: rerank.Stage | None = None,
    ) -> Ranking:
        query = asked.query
        allow = None
        if query.filters or query.phrases or query.excluded:
            settled = scope.settle(snapshot, lease, query, asked.terms)
            hints.extend(settled.hints)
            allow = settled.chunk_ids
        if not query.text.strip() and not query.prefixes and (query.filters or query.excluded):
            return listed(snapshot, snapshot.listing(lease), limit=limit, allow=allow)
        identifiers = [
            np.concatenate([with_field(np.array([one.key], np.uint64), field) for field in FIELD_WEIGHTS])
            for one in pins(query.text, snapshot.analyser.han)
        ]
        found = rank(
            snapshot,
            asked.terms,
            identifiers,
            vector,
            lane=lane,
            fusion=fusion,
            limit=limit if stage is None else max(limit, rerank.DEPTH),
            per_document=per_document,
            allow=allow,
        )
        if stage is None:
            return found
        stored = snapshot.fetch(lease, [item.chunk for item in found.items])
        # a model may take its time, and nobody could write meanwhile
        lease.release()
        texts = {id_: chunks.embedding_input(one.title, one.heading, one.text) for id_, one in stored.items()}
        return stage.order(query.text, found, texts, limit, hints)

    def _distinct(
        self,
        snapshot: Snapshot,
        lease: Lease,
        asked: Asked,
        vector: NDArray[np.float32] | None,
        lane: Lane,
        fusion: Fusion,
        limit: int,
        hints: list[str],
        stage: rerank.Stage | None = None,
    ) -> tuple[Ranking, list[Distinct]]:
        """The best chunks that say different things; a chunk that is gone meanwhile is left out."""
        wanted, said = limit + SPARE, hints
        while True:
            ranking = self._rank(snapshot, lease, asked, vector, lane, fusion, wanted, PER_DOCUMENT, said, stage)
            stored = snapshot.fetch(lease, [item.chunk for item in ranking.items])
            if not ranking.candidates.chunk_ids.size:
                # a list of documents is a list of all of them
                found = [Distinct(item) for item in ranking.items if item.chunk in stored]
            else:
                found = collapse(ranking.items, {id_: chunk.text for id_, chunk in stored.items()})
            if len(found) >= limit or len(ranking.items) < wanted or wanted >= MOST_RANKED:
                return ranking, found[:limit]
            # what was to be said was said the first time
            wanted, said = 2 * wanted, []

    def _hits(
        self, snapshot: Snapshot, lease: Lease, found: Sequence[Distinct], worth: dict[int, float]
    ) -> tuple[tuple[Hit, ...], tuple[str, ...]]:
        """Hits, and the whole text of each."""
        stored = snapshot.fetch(lease, [item.chunk for one in found for item in (one.item, *one.copies)])
        hits: list[Hit] = []
        for one in found:
            item, chunk = one.item, stored[one.item.chunk]
            start, text, marks = snippet.of(snapshot.analyser, chunk.text, worth)
            shown, shown_marks = snippet.shown(chunk.reader, chunk.text, (start, start + len(text)), marks)
            hits.append(
                Hit(
                    rank=len(hits) + 1,
                    score=item.score,
                    document=chunk.document,
                    path=chunk.path,
                    title=chunk.title,
                    heading=" › ".join(_below_title(chunk.heading, chunk.title)),
                    page=chunk.page,
                    chunk=chunk.id,
                    start=chunk.start,
                    end=chunk.end,
                    snippet=text,
                    snippet_start=chunk.start + start,
                    highlights=marks,
                    shown=shown,
                    shown_highlights=shown_marks,
                    trace=item.trace,
                    pinned=item.pinned,
                    below_floor=item.below_floor,
                    also_in=tuple(Copy(copy.document, stored[copy.chunk].path, copy.chunk) for copy in one.copies),
                    text=chunk.text,
                )
            )
        return tuple(hits), tuple(stored[one.item.chunk].text for one in found)

    def _title_hits(
        self, snapshot: Snapshot, lease: Lease, found: Sequence[tuple[int, float]], worth: dict[int, float]
    ) -> tuple[Hit, ...]:
        """A hit a document, at its beginning."""
        first = chunks.first_of(lease(), [document for document, _ in found])
        scores = {first[document]: score for document, score in found if document in first}
        stored = snapshot.fetch(lease, [*scores])
        note = "bm25 over title, headings, tags and path"
        firsts = [
            Distinct(Ranked(chunk, 0, score, (TracePart("title", score, note),), False, False, 0.0, float("nan")))
            for chunk, score in scores.items()
            if chunk in stored
        ]
        return self._hits(snapshot, lease, firsts, worth)[0]


def _below_title(heading: Sequence[str], title: str) -> Sequence[str]:
    """A heading path without the document's own title, which most notes repeat as their first heading."""
    return heading[1:] if heading and heading[0].strip() == title.strip() else heading
