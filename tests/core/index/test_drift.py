"""What is said of files that changed since the last sync, and that nothing is read to say it."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from inro.index import pipeline
from inro.index.drift import drift
from inro.library import Library
from inro.records import Drift, SyncReport
from inro.sources import Rules, Skipped
from inro.store.connect import Store

Sync = Callable[..., SyncReport]


def test_after_a_sync_nothing_has_changed(library: Store, sync: Sync) -> None:
    sync()
    assert drift(library) == Drift()


def test_new_changed_and_removed_files_are_counted(library: Store, sync: Sync, notes: Path) -> None:
    sync()
    (notes / "new.md").write_text("# New\n")
    (notes / "oven.md").write_text("# Drying oven\n\nAnother text.\n")
    (notes / "tagged.md").unlink()
    assert drift(library) == Drift(added=1, changed=1, removed=1)
    sync()
    assert drift(library) == Drift()


def test_no_file_is_opened_for_it(library: Store, sync: Sync, notes: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    sync()
    os.utime(notes / "oven.md", ns=(0, 0))

    opened = os.open

    def watched(path: str, *rest: int, **named: int) -> int:
        assert notes not in Path(path).parents, "a file was opened"
        return opened(path, *rest, **named)

    monkeypatch.setattr("os.open", watched)
    assert drift(library) == Drift(changed=1)


def test_a_root_that_is_away_has_not_changed(library: Store, sync: Sync, notes: Path, tmp_path: Path) -> None:
    sync()
    notes.rename(tmp_path / "away")
    assert drift(library) == Drift()


def test_what_a_sync_leaves_out_is_no_change(library: Store, notes: Path) -> None:
    (notes / "large.md").write_text("x" * 5000)
    pipeline.add_sources(library, [notes], Rules(max_bytes=2000))
    list(pipeline.sync(library, None))
    assert drift(library) == Drift()


def test_a_look_that_is_stopped_says_nothing(library: Store, sync: Sync) -> None:
    sync()
    stop = threading.Event()
    stop.set()
    assert drift(library, stop=stop) is None


def test_no_look_outlives_the_search_beside_which_it_ran(
    library: Store, sync: Sync, monkeypatch: pytest.MonkeyPatch
) -> None:
    sync()
    reached = threading.Event()

    def endless(*_: object) -> Iterator[Skipped]:
        while True:
            reached.set()
            yield Skipped("x", b"x", "a folder without end")

    monkeypatch.setattr("inro.index.drift.walk", endless)
    with Library(library.path) as face, face.looking_beside():
        assert reached.wait(60)
    assert all(thread.name != "drift" for thread in threading.enumerate())
