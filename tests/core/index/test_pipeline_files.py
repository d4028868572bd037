"""What becomes of files: renamed, gone, unreadable, too large, oddly named; and of roots that are not there."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from inro.index import pipeline, summary
from inro.records import Block, Reading, SyncReport
from inro.sources import Rules
from inro.store import catalogue, documents, sources
from inro.store.connect import Store

Sync = Callable[..., SyncReport]


def test_a_renamed_file_keeps_its_ids_and_its_vectors(
    library: Store, look: Any, sync: Sync, notes: Path, embedder: Any
) -> None:
    sync(embedder)
    before = look.ids()["sub/plain.txt"]
    embedder.asked.clear()
    (notes / "sub" / "plain.txt").rename(notes / "moved elsewhere.txt")
    report = sync(embedder)
    assert (report.renamed, report.added, report.removed) == (1, 0, 0)
    assert look.ids()["moved elsewhere.txt"] == before
    assert embedder.asked == []
    assert look.titles("elsewhere") == ["moved elsewhere.txt"]
    assert look.titles("plain") == []
    with library.reading() as con:
        assert catalogue.view(con, before[0], library.path).title == "moved elsewhere"
    look.sound()


def test_a_file_renamed_and_edited_embeds_only_the_edit(
    library: Store, look: Any, sync: Sync, notes: Path, embedder: Any
) -> None:
    body = "# Kept title\n\n" + "\n\n".join(f"## P{i}\n\n" + f"Words of part {i}. " * 80 for i in range(4))
    (notes / "old.md").write_text(body)
    sync(embedder)
    embedder.asked.clear()
    (notes / "old.md").unlink()
    (notes / "new.md").write_text(body + "\n\n## Added\n\nOne more paragraph at the end. " * 30)
    report = sync(embedder)
    assert (report.added, report.removed) == (1, 1)
    assert len(embedder.asked) < report.chunks
    assert report.to_embed == 0
    look.sound()


def test_a_deleted_file_goes_with_all_that_was_its(
    library: Store, look: Any, sync: Sync, notes: Path, embedder: Any
) -> None:
    sync(embedder)
    (notes / "oven.md").unlink()
    report = sync(embedder)
    assert report.removed == 1
    assert "oven.md" not in look.ids()
    assert look.words("S-1041") == []
    assert look.titles("oven") == []
    look.sound()


def test_a_root_that_is_not_there_keeps_its_documents(
    library: Store, look: Any, sync: Sync, notes: Path, embedder: Any
) -> None:
    sync(embedder)
    before = look.ids()
    notes.rename(notes.with_name("unmounted"))
    report = sync(embedder)
    assert report.removed == 0
    assert any("not there now" in note for note in report.notes)
    assert look.ids() == before
    assert look.words("S-1041")[0] == "oven.md"
    assert not summary.status(library).sources[0].present
    notes.with_name("unmounted").rename(notes)
    assert sync(embedder).unchanged == 6


def test_a_root_that_is_suddenly_empty_is_believed_only_when_told_so(
    library: Store, look: Any, sync: Sync, notes: Path, embedder: Any
) -> None:
    sync(embedder)
    away = notes.with_name("away")
    notes.rename(away)
    notes.mkdir()
    report = sync(embedder)
    assert report.removed == 0
    assert any("sync --full" in note for note in report.notes)
    assert len(look.ids()) == 6
    assert sync(embedder, full=True).removed == 6
    assert look.ids() == {}
    look.sound()


def test_a_file_that_cannot_be_read_is_an_outcome_and_the_rest_goes_on(
    library: Store, look: Any, sync: Sync, notes: Path, embedder: Any
) -> None:
    (notes / "broken.txt").write_bytes(b"\x00\x01\x02\x03" * 500)
    report = sync(embedder)
    assert report.added == 7
    assert report.unreadable + report.skipped == 2
    with library.reading() as con:
        failed = {o.path: o for o in catalogue.outcomes(con) if o.outcome != "ok"}
    assert set(failed) == {"broken.txt", "photo.bin"}
    assert all(o.reason for o in failed.values())
    (notes / "broken.txt").write_text("mended now")
    assert sync(embedder).changed == 1
    assert look.words("mended") == ["broken.txt"]
    look.sound()


def test_a_file_left_out_by_the_walk_is_told_and_taken_in_later(
    library: Store, look: Any, notes: Path, embedder: Any
) -> None:
    (notes / "big.txt").write_text("needle " * 400)
    source = pipeline.add_sources(library, [notes], Rules(max_bytes=2000))
    list(pipeline.sync(library, None))
    with library.reading() as con:
        failed = {o.path: o.reason for o in catalogue.outcomes(con, "skipped")}
    assert "larger than" in failed["big.txt"]
    list(pipeline.sync(library, None))
    assert len(look.ids()) == 7, "noted once"
    (notes / "big.txt").write_text("needle")
    list(pipeline.sync(library, None, only=source))
    assert look.words("needle") == ["big.txt"]
    look.sound()


def test_a_file_that_outgrew_the_limit_keeps_its_text_and_says_so(library: Store, look: Any, notes: Path) -> None:
    (notes / "grows.txt").write_text("needle")
    pipeline.add_sources(library, [notes], Rules(max_bytes=2000))
    list(pipeline.sync(library, None))
    (notes / "grows.txt").write_text("other words " * 400)
    list(pipeline.sync(library, None))
    assert look.words("needle") == ["grows.txt"]
    with library.reading() as con:
        outcome = next(o for o in catalogue.outcomes(con) if o.path == "grows.txt")
    assert (outcome.outcome, "earlier sync" in outcome.reason) == ("partial", True)
    (notes / "grows.txt").write_text("needle again")
    list(pipeline.sync(library, None))
    with library.reading() as con:
        assert next(o for o in catalogue.outcomes(con) if o.path == "grows.txt").outcome == "ok"


@pytest.mark.parametrize("name", ["Robert'); DROP TABLE documents;--.md", "か\u3099.md", "a\nb.md", "$(x) `y`.md"])
def test_any_file_name_is_indexed_and_found(library: Store, look: Any, sync: Sync, notes: Path, name: str) -> None:
    (notes / name).write_text("singular needle")
    sync(None)
    assert len(look.words("needle")) == 1
    assert len(look.ids()) == 7
    look.sound()


def test_a_name_that_is_no_unicode_is_indexed(library: Store, look: Any, sync: Sync, notes: Path) -> None:
    (Path(os.fsdecode(os.fsencode(notes) + b"/caf\xe9.md"))).write_text("singular needle")
    sync(None)
    assert len(look.words("needle")) == 1
    assert sync(None).unchanged == 7


def test_documents_of_a_program_are_indexed_like_files(library: Store, look: Any, embedder: Any) -> None:
    def reading(text: str) -> Reading:
        return Reading(text, "", (Block("paragraph", 0, len(text)),), "set/1")

    pairs = [(f"d{i}", reading(f"passage number {i} of the set")) for i in range(30)]
    events = list(pipeline.index_documents(library, "a set", iter(pairs), embedder))
    report = events[-1].report
    assert report is not None
    assert (report.added, report.embedded) == (30, 30)
    assert look.words("number 17")[0] == "d17"
    again = [("d3", reading("replaced entirely")), ("d99", reading("one more"))]
    report = list(pipeline.index_documents(library, "a set", again, embedder))[-1].report
    assert report is not None
    assert (report.added, report.changed) == (1, 1)
    assert look.words("replaced") == ["d3"]
    with library.reading() as con:
        assert sources.folders(con) == []
        assert len(documents.ids_of_source(con, 1)) == 31
    look.sound()


def test_a_stated_charset_is_believed_against_the_bytes_and_a_change_of_it_reads_again(
    library: Store, notes: Path
) -> None:
    (notes / "old").mkdir()
    (notes / "old" / "memo.txt").write_bytes("乾燥庫の記録".encode("euc_jp"))
    pipeline.add_sources(library, [notes], Rules(encodings=(("old/*", "latin-1"),)))
    list(pipeline.sync(library, None))
    wrong = _text(library, "old/memo.txt")
    pipeline.add_sources(library, [notes], Rules(encodings=(("old/*", "euc_jp"),)))
    report = list(pipeline.sync(library, None))[-1].report
    assert wrong != "乾燥庫の記録"
    assert report is not None
    assert report.changed == 1
    assert _text(library, "old/memo.txt") == "乾燥庫の記録"
    again = list(pipeline.sync(library, None))[-1].report
    assert again is not None
    assert (again.changed, again.unchanged) == (0, 7)


def test_adding_a_source_again_without_rules_keeps_the_ones_it_has(library: Store, notes: Path) -> None:
    first = pipeline.add_sources(library, [notes], Rules(include=("*.md",)))
    assert pipeline.add_sources(library, [notes]) == first
    report = list(pipeline.sync(library, None))[-1].report
    assert report is not None
    assert report.added == 4


def test_how_much_of_a_text_is_in_the_index_is_told(library: Store, sync: Sync, notes: Path) -> None:
    sync()
    with library.reading() as con:
        assert {row.path: row.coverage for row in catalogue.outcomes(con)} == dict.fromkeys(
            ("oven.md", "乾燥.md", "sub/plain.txt", "sub/标准.md", "tagged.md", "photo.bin"), 1.0
        )
    with library.writing() as con:
        con.execute("DELETE FROM chunks WHERE document = (SELECT id FROM documents WHERE path = '乾燥.md')")
    with library.reading() as con:
        assert {row.path: row.coverage for row in catalogue.outcomes(con)}["乾燥.md"] == 0.0


def _text(library: Store, path: str) -> str:
    with library.reading() as con:
        (id_,) = catalogue.find(con, path)
        return catalogue.view(con, id_, library.path).text
