"""A sync: what is found afterwards, what is kept, and what is never done twice."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from inro.errors import WorkerCrashed
from inro.index import field_text, pipeline, summary, upkeep
from inro.index.dense import DenseIndex
from inro.index.verify import verify
from inro.records import SyncReport
from inro.store import chunks, meta, titles, units
from inro.store.connect import Store
from inro.text.analyse import Analyser

Sync = Callable[..., SyncReport]


def test_a_first_sync_makes_everything_findable(library: Store, look: Any, sync: Sync, embedder: Any) -> None:
    report = sync(embedder)
    assert (report.added, report.skipped, report.unreadable) == (6, 1, 0)
    assert report.chunks == report.embedded == len(set(embedder.asked)) >= 5
    assert report.to_embed == 0
    assert look.words("S-1041")[0] == "oven.md"
    assert look.words("乾燥庫")[0] == "乾燥.md"
    assert look.words("样品")[0] == "sub/标准.md"
    assert look.titles("A. Nonym") == ["tagged.md"]
    assert look.titles("lab") == ["tagged.md"]
    assert look.titles("photo") == ["photo.bin"]
    look.sound()


def test_every_chunk_is_nearest_to_its_own_embedding(library: Store, sync: Sync, embedder: Any) -> None:
    sync(embedder)
    with library.reading() as con:
        index = DenseIndex.load(units.load(con, units.DENSE), None, units.deleted(con, units.DENSE))
        stored = chunks.fetch(con, chunks.owners(con)[0])
    for chunk in stored:
        vector = embedder.vector(chunks.embedding_input(chunk.title, chunk.heading, chunk.text))
        assert index.search(vector, 1).chunk_ids.tolist() == [chunk.id]


def test_a_second_sync_does_nothing_and_leaves_caches_valid(library: Store, sync: Sync, embedder: Any) -> None:
    sync(embedder)
    generation, asked = library.generation(), len(embedder.asked)
    report = sync(embedder)
    assert (report.added, report.changed, report.removed, report.chunks, report.embedded) == (0, 0, 0, 0, 0)
    assert report.unchanged == 6
    assert library.generation() == generation
    assert len(embedder.asked) == asked


def test_without_an_embedder_words_are_found_and_the_report_says_what_waits(
    library: Store, look: Any, sync: Sync
) -> None:
    report = sync(None, no_embedder="no model: inro models fetch")
    assert report.to_embed == report.chunks > 0
    assert report.notes == ("no model: inro models fetch",)
    assert look.words("weekly") == ["oven.md"]
    assert summary.status(library).vectors == 0
    look.sound()


def test_vectors_fill_in_later(library: Store, look: Any, sync: Sync, embedder: Any) -> None:
    first = sync(None)
    second = sync(embedder)
    assert second.embedded == first.to_embed
    assert second.to_embed == 0
    look.sound()


def test_only_the_changed_text_is_embedded_again(
    library: Store, look: Any, sync: Sync, notes: Path, embedder: Any
) -> None:
    paragraphs = [f"## Part {i}\n\n" + f"Sentence {i} about sample {i}. " * 60 for i in range(6)]
    (notes / "long.md").write_text("# Long\n\n" + "\n\n".join(paragraphs))
    sync(embedder)
    before = look.ids()["long.md"]
    embedder.asked.clear()
    paragraphs[3] = paragraphs[3].replace("sample 3", "specimen 3")
    (notes / "long.md").write_text("# Long\n\n" + "\n\n".join(paragraphs))
    report = sync(embedder)
    after = look.ids()["long.md"]
    assert report.changed == 1
    assert after[0] == before[0]
    kept = set(before[1]) & set(after[1])
    assert len(kept) >= len(before[1]) // 2
    assert report.embedded == len(after[1]) - len(kept)
    assert all("specimen" in text or "Sentence" in text for text in embedder.asked)
    assert look.words("specimen") == ["long.md"] * len(look.words("specimen"))
    look.sound()


def test_other_tags_change_what_is_found_without_embedding_again(
    library: Store, look: Any, sync: Sync, notes: Path, embedder: Any
) -> None:
    sync(embedder)
    embedder.asked.clear()
    text = (notes / "tagged.md").read_text()
    (notes / "tagged.md").write_text(text.replace("[lab]", "[kitchen]"))
    report = sync(embedder)
    assert report.changed == 1
    assert embedder.asked == [], "the text is the same, so its vector is copied"
    assert report.to_embed == 0
    assert look.titles("kitchen") == ["tagged.md"]
    assert look.titles("lab") == []
    look.sound()


def test_equal_texts_share_one_embedding(library: Store, look: Any, sync: Sync, notes: Path, embedder: Any) -> None:
    for name in ("a.md", "b.md", "c.md"):
        (notes / name).write_text("# Same\n\nWord for word the same.\n")
    sync(embedder)
    assert sum("Word for word" in text for text in embedder.asked) == 1
    (notes / "d.md").write_text("# Same\n\nWord for word the same.\n")
    sync(embedder)
    assert sum("Word for word" in text for text in embedder.asked) == 1
    look.sound()


def test_a_stopped_sync_goes_on_where_it_was(library: Store, look: Any, sync: Sync, notes: Path, embedder: Any) -> None:
    stop = threading.Event()
    events = pipeline.sync(library, embedder, cancel=stop)
    for event in events:
        if event.phase == "read":
            stop.set()
    look.sound()
    sync(embedder)
    assert len(look.ids()) == 6
    assert summary.status(library).to_embed == 0
    look.sound()


def test_an_embedder_that_dies_leaves_what_it_gave_and_a_note(
    library: Store, look: Any, sync: Sync, make_embedder: Any
) -> None:
    dying = make_embedder(fail_after=4)
    dying.error = WorkerCrashed("the embedding process died twice", "inro doctor")
    report = sync(dying)
    assert any("died twice" in note for note in report.notes)
    assert report.to_embed > 0
    assert look.words("weekly") == ["oven.md"]
    look.sound()
    assert sync(make_embedder()).to_embed == 0
    look.sound()


def test_vectors_of_two_embedders_are_never_mixed(
    library: Store, look: Any, sync: Sync, notes: Path, make_embedder: Any
) -> None:
    sync(make_embedder("first"))
    (notes / "new.md").write_text("# New\n\nA new note.\n")
    second = make_embedder("second")
    report = sync(second)
    assert any("made anew with second" in note for note in report.notes)
    with library.reading() as con:
        assert len(second.asked) == chunks.count(con) - (chunks.count(con) - len(set(second.asked)))
        assert meta.get(con, "embedder") == "fingerprint of second"
    assert summary.status(library).embedder == "second"
    assert report.to_embed == 0
    look.sound()


def test_another_embedder_that_fails_at_once_costs_nothing(
    library: Store, look: Any, sync: Sync, make_embedder: Any
) -> None:
    sync(make_embedder("first"))
    broken = make_embedder("second", fail_after=0)
    broken.error = WorkerCrashed("it died", "")
    report = sync(broken)
    assert report.to_embed == 0, "the former vectors are still there"
    assert summary.status(library).embedder == "first"
    look.sound()


def test_words_of_another_analyser_are_indexed_anew_from_stored_text(
    library: Store, look: Any, sync: Sync, notes: Path, embedder: Any
) -> None:
    sync(embedder)
    before = look.ids()
    with library.writing() as con:
        meta.put(con, "analyser", "inro-0 icu-1 unicode-1")
        units.clear(con, units.LEXICAL)
        titles.put_all(con, {})
    notes.rename(notes.with_name("away"))
    report = sync(embedder)
    assert any("indexed anew" in note for note in report.notes)
    assert look.words("S-1041")[0] == "oven.md"
    assert look.titles("lab") == ["tagged.md"]
    assert look.ids() == before
    with library.reading() as con:
        assert meta.get(con, "analyser") == field_text.identity(Analyser())
    look.sound()


def test_another_chunker_has_documents_read_again(library: Store, look: Any, sync: Sync, embedder: Any) -> None:
    sync(embedder)
    with library.writing() as con:
        meta.put(con, "chunker", "older")
    embedder.asked.clear()
    report = sync(embedder)
    assert report.changed == 6
    assert embedder.asked == [], "the chunks came out the same"
    assert report.chunks == 0
    look.sound()


def test_a_full_sync_reads_everything_and_embeds_nothing_that_is_known(
    library: Store, look: Any, sync: Sync, embedder: Any
) -> None:
    sync(embedder)
    before = look.ids()
    embedder.asked.clear()
    report = sync(embedder, full=True)
    assert (report.changed, report.chunks, embedder.asked) == (6, 0, [])
    assert look.ids() == before
    look.sound()


def test_a_full_sync_mends_damaged_segments_and_blocks(library: Store, look: Any, sync: Sync, embedder: Any) -> None:
    sync(embedder)
    with library.writing() as con:
        for lane in (units.LEXICAL, units.DENSE):
            unit, parts = units.load(con, lane)[0]
            units.drop(con, lane, [unit])
            units.insert(con, lane, unit, {part: data[:7] for part, data in parts.items()})
        units.put_graph(con, {"header": b"x"})
    assert list(verify(library))
    report = sync(embedder, full=True)
    assert report.to_embed == 0
    assert any("damaged" in note for note in report.notes)
    assert look.words("S-1041")[0] == "oven.md"
    look.sound()


def test_many_small_syncs_leave_few_segments_and_blocks(
    library: Store, look: Any, sync: Sync, notes: Path, embedder: Any
) -> None:
    animals = ["zebra", "lynx", "otter", "heron", "viper", "newt", "stork", "moose", "gecko"]
    for animal in animals:
        (notes / f"{animal}.md").write_text(f"# Note\n\nThis one is about a {animal}.\n")
        sync(embedder)
    status = summary.status(library)
    assert status.segments <= 6
    with library.reading() as con:
        assert units.count(con, units.DENSE) <= 8
    for animal in animals:
        assert look.words(animal) == [f"{animal}.md"]
    look.sound()


def test_progress_names_phases_in_order_and_files_by_path(
    library: Store, sync: Sync, notes: Path, embedder: Any
) -> None:
    events = list(pipeline.sync(library, embedder))
    phases: list[str] = [event.phase for event in events]
    order = ["scan", "read", "commit", "embed", "done"]
    first = [phases.index(phase) for phase in order]
    assert first == sorted(first)
    last_read = [event for event in events if event.phase == "read"][-1]
    assert (last_read.done, last_read.total) == (6, 6)
    assert all(event.report is None for event in events[:-1])


def test_rows_that_commits_wrote_apart_are_merged_now_and_then(
    library: Store, sync: Sync, notes: Path, look: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    sync()
    monkeypatch.setattr(upkeep, "COMMITS_APART", 3)
    for i in range(4):
        (notes / f"more {i}.md").write_text(f"# More {i}\n\nText number {i}.\n")
        sync()
    with library.reading() as con:
        assert 0 < meta.counter(con, meta.GENERATION) - meta.counter(con, meta.COMPACTED) < 3
    assert look.words("number 2")[0] == "more 2.md"
    look.sound()
