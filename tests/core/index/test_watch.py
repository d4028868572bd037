"""A library that keeps itself up to date: what wakes it, what it says, and how it ends."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest

from inro.errors import LibraryBusy
from inro.index import pipeline, watch
from inro.records import Progress, SyncReport, WatchNotice
from inro.store import documents
from inro.store.connect import Store

Event = Progress | WatchNotice
PATIENCE = 120.0


class Watched:
    """A watch that runs in a thread, and what it has said so far."""

    def __init__(self, store: Store, sync: watch.Sync | None = None, **options: object) -> None:
        self.stop = threading.Event()
        self.events: list[Event] = []
        self.asked: list[Sequence[int] | None] = []

        def plain(only: Sequence[int] | None) -> Iterator[Progress]:
            self.asked.append(only)
            yield from (sync or (lambda wanted: pipeline.sync(store, None, only=wanted)))(only)

        def run() -> None:
            for event in watch.watch(store, plain, self.stop, **options):  # type: ignore[arg-type]
                self.events.append(event)

        self.thread = threading.Thread(target=run, daemon=True)
        self.thread.start()

    def reports(self) -> list[SyncReport]:
        return [event.report for event in self.events if isinstance(event, Progress) and event.report]

    def notices(self) -> list[WatchNotice]:
        return [event for event in self.events if isinstance(event, WatchNotice)]

    def until(self, true: Callable[[], bool]) -> None:
        end = time.monotonic() + PATIENCE
        while not true():
            assert self.thread.is_alive() or true(), "the watch ended"
            assert time.monotonic() < end, self.events
            time.sleep(0.02)

    def end(self) -> None:
        self.stop.set()
        self.thread.join(PATIENCE)
        assert not self.thread.is_alive()


@pytest.fixture(params=[False, True], ids=["noticed", "polled"])
def watched(request: pytest.FixtureRequest, library: Store, notes: Path) -> Iterator[Watched]:
    pipeline.add_sources(library, [notes])
    running = Watched(library, poll=request.param)
    running.until(lambda: len(running.reports()) == 1)
    yield running
    running.end()


def test_it_syncs_at_once_and_then_what_changes(watched: Watched, library: Store, notes: Path) -> None:
    assert watched.reports()[0].added == 6
    (notes / "later.md").write_text("# Later\n\nWritten while it watched.\n")
    (notes / "oven.md").unlink()
    watched.until(
        lambda: sum(r.added for r in watched.reports()) == 7 and sum(r.removed for r in watched.reports()) == 1
    )
    with library.reading() as con:
        paths = {item.raw for item in documents.known(con, 1)}
    assert b"later.md" in paths
    assert b"oven.md" not in paths


def test_only_the_source_that_changed_is_walked(library: Store, notes: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    (other / "one.md").write_text("# One\n")
    pipeline.add_sources(library, [notes, other])
    running = Watched(library)
    running.until(lambda: len(running.reports()) == 1)
    (other / "two.md").write_text("# Two\n")
    running.until(lambda: sum(r.added for r in running.reports()) == 8)
    running.end()
    assert running.asked[0] is None
    assert running.asked[1] == [2]


def test_its_own_commits_wake_nothing(library: Store, notes: Path) -> None:
    inside = Store.create(notes / "own.inro")
    pipeline.add_sources(inside, [notes])
    running = Watched(inside)
    running.until(lambda: len(running.reports()) == 1)
    with inside.writing():
        pass
    (notes / "after.md").write_text("# After\n")
    running.until(lambda: sum(r.added for r in running.reports()) == 7)
    running.end()
    assert len(running.asked) == 2


def test_a_root_that_comes_back_is_looked_at(library: Store, notes: Path, tmp_path: Path) -> None:
    pipeline.add_sources(library, [notes])
    away = tmp_path / "away"
    notes.rename(away)
    running = Watched(library)
    running.until(lambda: len(running.reports()) == 1)
    assert running.notices()[0] == WatchNotice("watching", 0, 1)
    away.rename(notes)
    running.until(lambda: sum(r.added for r in running.reports()) == 6)
    running.end()
    assert running.notices()[-1] == WatchNotice("watching", 1, 0)


def test_a_source_that_another_program_adds_is_watched_too(library: Store, notes: Path, tmp_path: Path) -> None:
    pipeline.add_sources(library, [notes])
    running = Watched(library)
    running.until(lambda: len(running.reports()) == 1)
    other = tmp_path / "other"
    other.mkdir()
    (other / "one.md").write_text("# One\n")
    pipeline.add_sources(Store(library.path), [other])
    running.until(lambda: sum(r.added for r in running.reports()) == 7)
    running.end()


def test_a_library_that_is_held_is_tried_again(library: Store, notes: Path) -> None:
    pipeline.add_sources(library, [notes])
    tries: list[int] = []

    def held_once(only: Sequence[int] | None) -> Iterator[Progress]:
        tries.append(1)
        if len(tries) == 1:
            raise LibraryBusy("the file is held by another program", "wait")
        return pipeline.sync(library, None, only=only)

    running = Watched(library, held_once)
    running.until(lambda: len(running.reports()) == 1)
    running.end()
    assert [notice.kind for notice in running.notices()] == ["watching", "busy"]
    assert running.reports()[0].added == 6


def test_every_source_is_looked_at_from_time_to_time_though_nothing_was_noticed(library: Store, notes: Path) -> None:
    pipeline.add_sources(library, [notes])
    running = Watched(library, every=0.0)
    running.until(lambda: len(running.reports()) == 3)
    running.end()
    assert set(running.asked) == {None}
