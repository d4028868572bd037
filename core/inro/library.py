"""The façade: one library, everything a screen, a script or an agent may ask of it.

Holds no file open and starts no process until something needs it. Every method may block; none prints.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Self

from inro import config, log
from inro.errors import EmptyLibrary, ModelMissing, NotFound, PathMissing
from inro.processes import Processes, cancelling
from inro.records import (
    AnswerEvent,
    DocumentView,
    Drift,
    Fault,
    FileOutcome,
    Fusion,
    Lane,
    Outcome,
    Progress,
    Reading,
    Rules,
    SearchResult,
    Span,
    Status,
    Turn,
    WatchNotice,
)
from inro.store import keys as store_keys
from inro.store.cipher import Key
from inro.store.connect import Store

if TYPE_CHECKING:
    from inro.answer.evidence import Evidence
    from inro.models import ModelState
    from inro.search.engine import SearchEngine


class Library:
    """One index file."""

    def __init__(self, path: Path, settings: config.Settings | None = None, *, key: Key | None = None) -> None:
        """Name a library; the file need not exist until something is asked of it.

        `key` opens it if it is encrypted, and encrypts it if it is made; else the key file of the settings does, or
        what the system's keyring holds for it.

        Raises:
            PathMissing, UsageError: the key file of the settings, or the keyring, cannot be read.
        """
        self.path = Path(path)
        self.settings = settings or config.load()
        log.begin(self.settings.log_level)
        self.store = Store(self.path, key=key or store_keys.chosen(self.path, self.settings))
        """For the rooms of the core that work on the file as a whole."""
        self._lock = threading.RLock()
        self._engine: SearchEngine | None = None
        self._drift: Drift | None = None
        self._processes = Processes(self.settings)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End the child processes. The library may be used again afterwards."""
        self._processes.close()

    # What is in it

    def add(
        self, paths: Sequence[Path], *, rules: Rules | None = None, cancel: threading.Event | None = None
    ) -> Iterator[Progress]:
        """Remember roots and sync them; the library is made if there is none.

        Args:
            rules: what to take in of these roots; without them a root that is known keeps its own.

        Raises:
            PathMissing: a path is not there; nothing was changed.
        """
        for path in paths:
            if not path.exists():
                raise PathMissing(f"there is nothing at {path}", "check the path")
        from inro.index import pipeline

        Store.create(self.path, key=self.store.key, exist_ok=True)
        added = pipeline.add_sources(self.store, [path.absolute() for path in paths], rules)
        yield from self._sync(only=added, full=False, cancel=cancel)

    def sync(self, *, full: bool = False, cancel: threading.Event | None = None) -> Iterator[Progress]:
        """Bring the library up to date with its sources; `full` reads every file again."""
        yield from self._sync(only=None, full=full, cancel=cancel)

    def add_readings(
        self, name: str, readings: Iterator[tuple[str, Reading]], *, embed: bool = True
    ) -> Iterator[Progress]:
        """Put documents that are no files into the library, made if there is none, under a source of that name.

        Args:
            readings: (path, reading) of each document; one whose path is there already is replaced if it differs.
            embed: whether chunks get their vectors now.

        Raises:
            ModelMissing: vectors are wanted and the embedder is not here.
        """
        from inro.index import pipeline

        Store.create(self.path, key=self.store.key, exist_ok=True)
        embedder = self._processes.embedder() if embed else None
        yield from pipeline.index_documents(self.store, name, readings, embedder, han=self.settings.han)

    def forget(self, source: int | str) -> int:
        """Take a source out of the library, by number or path, with all its documents; how many they were.

        The files themselves are not touched.

        Raises:
            NotFound: the library has no such source.
        """
        from inro.index import forget

        return forget.forget(self.store, str(source))

    def watch(
        self, stop: threading.Event, *, every: float = 900.0, poll: bool = False
    ) -> Iterator[Progress | WatchNotice]:
        """Sync now and then whenever something changes in a source, until `stop` is set; see `inro.index.watch`."""
        from inro.index import watch

        yield from watch.watch(
            self.store, lambda only: self._sync(only=only, full=False, cancel=stop), stop, every=every, poll=poll
        )

    def drift(self, *, stop: threading.Event | None = None) -> Drift | None:
        """What changed in the sources since they were synced; None if `stop` is set before that is known.

        Later results of this object carry the number in their ledger.
        """
        from inro.index.drift import drift

        found = drift(self.store, stop=stop)
        self._drift = found or self._drift
        return found

    def looking_beside(self) -> AbstractContextManager[None]:
        """Look for drift while the block runs; what is found in time is in the ledger of its results."""
        from inro.index.beside import beside

        return beside(lambda stop: self.drift(stop=stop))

    def status(self, *, look: bool = True) -> Status:
        """The state of the library at a glance; with `look`, what changed in its sources since is looked for first."""
        from inro.index import summary

        return summary.status(self.store, self.settings.embedder, drifted=self.drift() if look else self._drift)

    def files(self, outcome: Outcome | None = None, *, filters: str = "") -> tuple[FileOutcome, ...]:
        """What became of each file, all or those of one outcome, of those that pass filters of the query language."""
        from inro.search.query import conditions
        from inro.store import catalogue
        from inro.store.filters import documents

        wanted = conditions(filters)
        with self.store.reading() as con:
            passing = documents(con, wanted) if wanted else None
            return tuple(catalogue.outcomes(con, outcome, passing))

    def show(self, document: int | str, *, span: Span | None = None) -> DocumentView:
        """A document as stored, by number or by what its path or title says; with `span`, only that of its text.

        Raises:
            NotFound: nothing in the library is called so.
        """
        from inro.store import catalogue

        with self.store.reading() as con:
            found = catalogue.find(con, str(document))
            if not found:
                raise NotFound(f"no document {document} in this library", "inro search WORDS to find one")
            return catalogue.view(con, found[0], self.path, span)

    def verify(self) -> Iterator[Fault]:
        """Everything that is wrong with the file."""
        from inro.index import verify

        return verify.verify(self.store)

    def sql(self, query: str, *, seconds: float | None = None) -> tuple[list[str], Iterator[tuple[object, ...]]]:
        """The columns and rows of a user's own SQL, read-only and shut in, with the title index's `match_bm25`.

        `seconds` is how long it may take; None for what is enough for anything but a mistake.

        The file is free again when this returns; rows come in the types that DuckDB gives them.

        Raises:
            UsageError: DuckDB refuses the query, or it takes or gives too much.
        """
        from inro.store import own_sql

        with self.store.reading(fts=True) as con:
            columns, rows = own_sql.ask(con, query, own_sql.SECONDS if seconds is None else seconds)
        return columns, iter(rows)

    # What it finds

    def search(
        self,
        query: str,
        *,
        filters: str = "",
        limit: int = 10,
        lane: Lane = "hybrid",
        fusion: Fusion = "calibrated",
        rerank: bool | None = None,
        deadline_ms: int | None = None,
    ) -> SearchResult:
        """The best passages for a query; see `inro.search`.

        Args:
            filters: of the query language, and nothing else; they hold beside those of the query.
            rerank: whether the first results are ordered anew; None as the settings say. A single lane never is.
            deadline_ms: how long to wait for the query's meaning, as set (`lane_ms`) if None; then the result is
                `partial`, and the same search a moment later is whole.

        Raises:
            ModelError: the dense lane alone was asked for and cannot run, or not in time. Else that is a hint.
            UsageError: something in `filters` is no filter.
        """
        engine = self.begin(dense=lane != "lexical")
        stage = self._processes.rerankers().stage(lane, fusion, rerank)
        embed = self._processes.queries(deadline_ms or self.settings.lane_ms)
        found = engine.search(query, embed, limit=limit, lane=lane, fusion=fusion, stage=stage, filters=filters)
        return self._with_drift(replace(found, partial=embed.late))

    def search_stream(
        self,
        query: str,
        *,
        limit: int = 10,
        fusion: Fusion = "calibrated",
        deadline_ms: int | None = None,
        held: Callable[[], int | None] = lambda: None,
    ) -> Iterator[SearchResult]:
        """A search that tells what it has as soon as it has it: by words, then by meaning too.

        All results but the last are `partial`. When meaning is late, the words are given again with a hint, and the
        whole once it is there. Nothing is done before it is asked for, so whoever stops asking stops the search.

        Args:
            held: asked before each later result: the chunk of the hit that the reader is at. That hit and those above
                it stay in their places.
        """
        from inro.search.stream import Stream

        def search(lane: Lane, wait_ms: int | None) -> SearchResult:
            return self.search(query, limit=limit, lane=lane, fusion=fusion, deadline_ms=wait_ms)

        return Stream(search, deadline_ms, held)

    def ranked(
        self,
        query: str,
        *,
        limit: int,
        lane: Lane = "hybrid",
        fusion: Fusion = "calibrated",
        rerank: bool | None = None,
    ) -> list[int]:
        """The best documents by their best chunk, without texts: what an evaluation counts. `rerank` as in `search`."""
        stage = self._processes.rerankers().stage(lane, fusion, rerank)
        embed = self._processes.queries()
        put = partial(self.engine.ranking, query, embed, limit=limit, lane=lane, fusion=fusion)
        return [item.document for item in put(per_document=1, stage=stage)[0].items]

    def evidence(self, question: str, *, dense: bool = True) -> Evidence:
        """What an answer to a question would stand on; `dense` looks by meaning too, where a model is here."""
        from inro.answer.gather import gather

        stage = self._processes.rerankers().stage("hybrid", "calibrated", None)
        return gather(self.begin(dense=dense), question, self._processes.queries() if dense else None, stage)

    def titles(self, query: str, *, limit: int = 10) -> SearchResult:
        """The documents whose title, headings, tags or path match."""
        return self._with_drift(self.engine.titles(query, limit=limit))

    def ask(
        self,
        question: str,
        *,
        history: Sequence[Turn] = (),
        cancel: threading.Event | None = None,
        shelves: bool | None = None,
    ) -> Iterator[AnswerEvent]:
        """Answer a question from the library; the last event is `AnswerDone`.

        Args:
            shelves: whether attached shelves are asked when the library is silent; None as the settings say.

        Raises:
            EmptyLibrary: there is nothing to answer from.
        """
        from inro.answer.chosen import chosen
        from inro.answer.compose import answer
        from inro.store import chunks

        with self.store.reading() as con:
            if not chunks.count(con):
                raise EmptyLibrary(f"the library {self.path} is empty", "inro add FOLDER")
        chat, no_chat = None, ""
        try:
            chat = self._processes.chat()
        except ModelMissing as error:
            no_chat = error.brief
        put = partial(answer, question, chat=chat, no_chat=no_chat, embed=self._processes.passages, history=history)
        put = partial(put, settings=chosen(self.settings))
        events = put(self.evidence, self.engine.analyser())
        if self.settings.shelves == "when-silent" if shelves is None else shelves:
            from inro.shelves.asking import with_shelves

            events = with_shelves(events, self.path, put, self.beside, self.settings.han)
        with cancelling(cancel, chat):
            yield from events

    def beside(self, path: Path) -> Library:
        """Another library, of whoever: opened without this user's key, at the processes of this one."""
        other = Library(path, replace(self.settings, key_file=""))
        other._processes = self._processes
        return other

    # What it runs on

    def models(self) -> tuple[ModelState, ...]:
        """Every model Inro knows and whether it is here."""
        from inro.models import list_models

        return list_models()

    def warm(self) -> None:
        """Do beforehand what the first search would wait for: compile, load, start the embedder."""
        self.engine.warm()
        try:
            self._processes.queries()("warm")
        except ModelMissing:
            return

    @property
    def engine(self) -> SearchEngine:
        """The search, made when first needed."""
        return self.begin(dense=False)

    def begin(self, *, dense: bool) -> SearchEngine:
        """The search, with what it needs of the file under way, and the embedder too if it is `dense`: do it early."""
        if dense:
            self._processes.start_embedder()
        with self._lock:
            if self._engine is None:
                from inro.search.cache import SearchCache

                cache = SearchCache(self.store).reading_ahead(dense=dense)
                from inro.search.engine import SearchEngine

                self._engine = SearchEngine(self.store, cache)
            return self._engine

    def _sync(self, *, only: Sequence[int] | None, full: bool, cancel: threading.Event | None) -> Iterator[Progress]:
        from inro.index import pipeline
        from inro.index.read_worker import ReadWorker

        embedder, missing = None, ""
        try:
            embedder = self._processes.embedder()
        except ModelMissing as error:
            missing = error.brief
        yield from pipeline.sync(
            self.store,
            embedder,
            only=only,
            full=full,
            cancel=cancel,
            no_embedder=missing,
            han=self.settings.han,
            worker=ReadWorker(recognise=self.settings.ocr == "auto", threads=self.settings.threads),
        )

    def _with_drift(self, result: SearchResult) -> SearchResult:
        if self._drift is None:
            return result
        return replace(result, ledger=replace(result.ledger, changed=self._drift.total))
