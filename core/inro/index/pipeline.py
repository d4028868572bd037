"""Bringing a library up to date: from roots to committed batches that can be searched at once.

The order is: every changed file's words first, batch by batch, then vectors for whatever has none, so search
works within seconds and meaning fills in behind it. Each batch is whole, so a stop or a kill loses only the
one in flight and the next run goes on from what the library holds. When another program commits between two
batches, this one looks at the sources again and goes on with what is left.

Yields progress and raises only what concerns the whole library; what is wrong with one file is its outcome.
"""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import duckdb

from inro import chunk as chunker
from inro import log
from inro.errors import LibraryBusy, ModelError
from inro.index import embedding, field_text, fingerprint, intake, rebuild, repair, roots, summary, title_text, upkeep
from inro.index.embedding import Embedder
from inro.index.intake import Incoming, Overtaken
from inro.index.read_worker import ReadWorker
from inro.index.reading import left_out, read_file, stem
from inro.index.throttle import Throttle
from inro.records import HanFolding, Progress, Reading, SyncReport
from inro.sources import UNSEEN, Rules, content_hash, write_rules
from inro.store import chunks, documents, meta, sources, titles
from inro.store.connect import Store
from inro.store.documents import KnownFile
from inro.text.analyse import Analyser

BATCH_CHARACTERS = 1_000_000
BATCH_DOCUMENTS = 1000
BATCH_SECONDS = 5.0
"""A batch is committed when it reaches any of the three."""

_ATTEMPTS = 50
"""How often a sync looks again after another program was quicker."""


def add_sources(store: Store, paths: Sequence[Path], rules: Rules | None = None) -> list[int]:
    """Remember roots and return their ids; nothing is read yet. Without rules a known root keeps its own.

    Raises:
        LibraryMissing, LibraryBusy, NotAnIndex, WriteFailed: the library cannot be written.
    """
    written = None if rules is None else write_rules(rules)
    with store.writing() as con:
        return [sources.add(con, path, store.path, written) for path in paths]


def sync(
    store: Store,
    embedder: Embedder | None,
    *,
    only: Sequence[int] | None = None,
    full: bool = False,
    cancel: threading.Event | None = None,
    no_embedder: str = "",
    han: HanFolding = "none",
    worker: ReadWorker | None = None,
) -> Iterator[Progress]:
    """Bring the library up to date with its sources; the last event has `phase="done"` and the report.

    Args:
        embedder: makes the vectors; without one, chunks wait for a later sync.
        only: ids of the sources to look at; all of them if None.
        full: read every file again, make words and titles anew and throw out what is damaged, and believe a
            root that holds nothing any more.
        cancel: once set, the sync ends after the batch at hand.
        no_embedder: why there is no embedder, for the report.
        han: which forms of a Han character are one; a library indexed otherwise is analysed again.
        worker: reads the formats that are read apart, closed at the end; one with ordinary limits if None.

    Raises:
        LibraryMissing, LibraryBusy, NotAnIndex, WriteFailed: the library cannot be used.
    """
    run = _Sync(store, Analyser(han), full, cancel)
    yield from run.prepare()
    with worker or ReadWorker() as run.worker:
        for _ in range(_ATTEMPTS):
            try:
                yield from run.files(only)
                break
            except Overtaken:
                continue
        else:
            raise LibraryBusy(f"other programs keep writing to {store.path}", "let one sync finish first")
    yield from run.vectors(embedder, no_embedder)
    yield from run.finish()


def index_documents(
    store: Store,
    source: str,
    readings: Iterable[tuple[str, Reading]],
    embedder: Embedder | None = None,
    *,
    cancel: threading.Event | None = None,
    han: HanFolding = "none",
) -> Iterator[Progress]:
    """Add documents that are no files, under a source of that name; one that is there is replaced if it differs.

    Arguments, events and errors are those of `sync`.
    """
    run = _Sync(store, Analyser(han), False, cancel)
    yield from run.prepare()
    with store.writing() as con:
        id_ = sources.add_virtual(con, source)
        run.contents = meta.counter(con, meta.CONTENTS)
        known = {item.raw: item for item in documents.known(con, id_)}
    yield from run.readings(id_, readings, known)
    yield from run.vectors(embedder, "")
    yield from run.finish()


@dataclass(slots=True)
class _Sync:
    """One run and what it has done so far."""

    store: Store
    analyser: Analyser
    full: bool
    cancel: threading.Event | None
    worker: ReadWorker = field(default_factory=ReadWorker)
    started: float = field(default_factory=time.monotonic)
    counts: Counter[str] = field(default_factory=Counter)
    notes: list[str] = field(default_factory=list)
    pending: list[Incoming] = field(default_factory=list)
    pending_since: float = 0.0
    pending_characters: int = 0
    contents: int = 0
    """The contents counter as of the last look at the library, plus this run's own commits."""

    def stopped(self) -> bool:
        return self.cancel is not None and self.cancel.is_set()

    def note(self, text: str) -> None:
        if text and text not in self.notes:
            self.notes.append(text)

    def prepare(self) -> Iterator[Progress]:
        """Make sure that what the library holds was made by the rules of this program."""
        with self.store.reading() as con:
            stored = fingerprint.stored(con)
        self.notes += self.store.notices
        if self.full and repair.drop_damaged_vectors(self.store):
            self.note("damaged vectors were thrown out; they are made anew")
        if self.full or stored.analyser not in ("", field_text.identity(self.analyser)):
            for _ in range(_ATTEMPTS):
                try:
                    yield from rebuild.rebuild_lexical(self.store, self.analyser)
                    break
                except Overtaken:
                    continue
            if not self.full:
                self.note("words were indexed anew from the stored text: another analyser, ICU or setting made them")
        elif stored.analyser and stored.titles != title_text.RULES:
            for _ in range(_ATTEMPTS):
                try:
                    rebuild.rebuild_titles(self.store, self.analyser)
                    break
                except Overtaken:
                    continue
        if stored.chunker not in ("", chunker.chunker_id()):
            self.full = True
            self.note("documents are read again: this release divides them in another way")
        made = (field_text.identity(self.analyser), chunker.chunker_id())
        if (stored.analyser, stored.chunker) != made:
            with self.store.writing() as con:
                if not stored.analyser:
                    meta.put(con, fingerprint.TITLES, title_text.RULES)
                meta.put(con, fingerprint.ANALYSER, field_text.identity(self.analyser))
                meta.put(con, fingerprint.CHUNKER, chunker.chunker_id())

    def files(self, only: Sequence[int] | None) -> Iterator[Progress]:
        """Everything up to the vectors, for the sources asked for."""
        # an earlier attempt's work is in the library now and will be found unchanged there
        self.pending.clear()
        self.counts["unchanged"] = 0
        with self.store.reading() as con:
            self.contents = meta.counter(con, meta.CONTENTS)
            listed = [s for s in sources.folders(con) if only is None or s.id in only]
            known = [documents.known(con, source.id) for source in listed]
        for source, files in zip(listed, known, strict=True):
            if self.stopped():
                break
            yield from self._source(source, files)

    def readings(
        self, source: int, readings: Iterable[tuple[str, Reading]], known: dict[bytes, KnownFile]
    ) -> Iterator[Progress]:
        """Put documents in that came from a program."""
        throttle = Throttle("read")
        for done, (path, reading) in enumerate(readings, start=1):
            raw = path.encode("utf-8", "surrogateescape")
            digest = content_hash(repr(reading).encode("utf-8", "surrogatepass"))
            before = known.get(raw)
            if before is not None and before.hash == digest:
                self.counts["unchanged"] += 1
            else:
                document = before.document if before else None
                self._take(Incoming(source, path, raw, digest, len(reading.text), 0, reading, document))
            yield from throttle.at(done, path)
            yield from self._commit_if_due()
            if self.stopped():
                break
        yield from self._commit()

    def vectors(self, embedder: Embedder | None, reason: str) -> Iterator[Progress]:
        """Embed what waits for it."""
        if embedder is None:
            with self.store.reading() as con:
                waiting = chunks.count_to_embed(con)
            if waiting:
                self.note(reason)
            return
        if self.stopped():
            return
        try:
            made = yield from embedding.embed_missing(self.store, embedder, self.cancel)
        except ModelError as e:
            self.note(str(e))
            return
        self.counts["embedded"] += made.chunks
        if made.replaced is not None:
            former = made.replaced or "another model"
            if former == embedder.model.name:
                former = "its earlier form"
            self.note(
                f"vectors are made anew with {embedder.model.name}: those of {former} cannot be compared with them"
            )

    def finish(self) -> Iterator[Progress]:
        """Upkeep and the report."""
        if not self.stopped():
            upkeep.keep(self.store)
        with self.store.reading() as con:
            to_embed = chunks.count_to_embed(con)
            cut = summary.count_cut(con) if self.counts["embedded"] else 0
        if cut:
            self.note(f"{cut} chunks are longer than the embedder reads: their ends are found by words only")
        if self.stopped():
            self.note("stopped before the end; the next sync goes on from here")
        counts = self.counts
        report = SyncReport(
            added=counts["added"],
            changed=counts["changed"],
            removed=counts["removed"],
            renamed=counts["renamed"],
            unchanged=counts["unchanged"],
            unreadable=counts["unreadable"],
            skipped=counts["skipped"],
            chunks=counts["chunks"],
            embedded=counts["embedded"],
            to_embed=to_embed,
            seconds=time.monotonic() - self.started,
            notes=tuple(self.notes),
        )
        log.info("sync", **{name: count for name, count in counts.items() if count}, seconds=report.seconds)
        done = report.added + report.changed + report.removed + report.renamed
        yield Progress("done", done, done, report=report)

    def _source(self, source: sources.Source, known: list[KnownFile]) -> Iterator[Progress]:
        work: roots.Work | None = None
        throttle = Throttle("scan")
        for item in roots.survey(source, self.store.path, known, full=self.full):
            if isinstance(item, roots.Work):
                work = item
            else:
                yield from throttle.at(item.done, item.path)
        assert work is not None, "a survey ends with its work"
        self.counts["unchanged"] += work.unchanged
        for note in work.notes:
            self.note(note)
        if work.present:
            yield from self._carry_out(work)
        elif not self.stopped():
            with self.store.writing(quiet=True) as con:
                sources.mark_synced(con, source.id, "offline")

    def _carry_out(self, work: roots.Work) -> Iterator[Progress]:
        # renames before reads: a name that moved away may be taken by a new file
        self._move(work)
        for skipped in work.left_out:
            self._take(left_out(work.source.id, skipped))
        kept_back: list[tuple[int, str, str]] = [(id_, reason, "") for id_, reason in work.kept_back]
        throttle = Throttle("read", len(work.read))
        for done, (file, document) in enumerate(work.read, start=1):
            made = read_file(work.root, work.rules, work.source.id, file, document, self.worker, self.stopped)
            if isinstance(made, Incoming):
                self._take(made)
            elif made is not None:
                kept_back.append(made)
            yield from throttle.at(done, file.path)
            yield from self._commit_if_due()
            if self.stopped():
                break
        yield from self._conclude(work, kept_back)

    def _conclude(self, work: roots.Work, kept_back: Sequence[tuple[int, str, str]]) -> Iterator[Progress]:
        """Commit what is left of a source: its last batch, what is gone, and that it was looked at."""
        whole = not self.stopped()
        removed = work.removed if whole else []
        touched = [(document, file.size, file.mtime_ns) for file, document in work.touched] if whole else []

        def note(con: duckdb.DuckDBPyConnection) -> None:
            for id_, reason, mend in kept_back:
                documents.set_outcome(con, id_, "partial", reason, mend)
            documents.touch(con, touched)
            if whole:
                sources.mark_synced(con, work.source.id, "synced")

        if self.pending or removed:
            yield from self._commit(removed, note)
        elif kept_back or whole:
            with self.store.writing(quiet=not kept_back) as con:
                note(con)
        self.counts["unchanged"] += len(kept_back) + len(touched)
        self.counts["removed"] += len(removed)

    def _move(self, work: roots.Work) -> None:
        if not work.renamed:
            return
        with self.store.writing() as con:
            intake.claim(con, self.contents)
            for file, before in work.renamed:
                former = stem(before.raw.decode("utf-8", "replace"))
                title = stem(file.path) if before.title == former else before.title
                documents.rename(con, before.document, file.path, file.raw, title, file.mtime_ns)
            moved = [before.document for _, before in work.renamed]
            titles.put(con, rebuild.segmented_titles(con, self.analyser, moved))
        self.contents += 1
        self.counts["renamed"] += len(work.renamed)

    def _take(self, item: Incoming) -> None:
        if not self.pending:
            self.pending_since = time.monotonic()
            self.pending_characters = 0
        self.pending.append(item)
        self.pending_characters += len(item.reading.text)

    def _commit_if_due(self) -> Iterator[Progress]:
        if self.pending and (
            self.pending_characters >= BATCH_CHARACTERS
            or len(self.pending) >= BATCH_DOCUMENTS
            or time.monotonic() - self.pending_since >= BATCH_SECONDS
        ):
            yield from self._commit()

    def _commit(
        self, removed: Sequence[int] = (), also: Callable[[duckdb.DuckDBPyConnection], None] = lambda _: None
    ) -> Iterator[Progress]:
        """Commit what is pending; with it, documents are taken out and `also` is done."""
        if not (self.pending or removed):
            return
        batch = intake.prepare(self.store, self.pending, self.analyser, removed=removed)
        intake.commit(self.store, batch, self.contents, also=also)
        self.contents += 1
        for item in self.pending:
            self._count(item)
        self.counts["chunks"] += batch.new_chunks
        count = len(self.pending)
        self.pending = []
        if count:
            yield Progress("commit", count, count)

    def _count(self, item: Incoming) -> None:
        # a file the walk left out was never added: it is counted by its outcome alone
        if item.size != UNSEEN:
            self.counts["added" if item.document is None else "changed"] += 1
        if item.reading.outcome in ("unreadable", "skipped"):
            self.counts[item.reading.outcome] += 1
            log.info("refused", outcome=item.reading.outcome, reader=item.reading.reader, source=item.source)
            log.debug("refused", path=item.path, reason=item.reading.reason)
