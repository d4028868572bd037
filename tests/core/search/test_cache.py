"""The cache: always of the file as it is now, and opening it no more often than needed."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest

from inro.errors import LibraryMissing
from inro.library import Library
from inro.records import Block, Reading
from inro.search import cache
from inro.search.cache import Lease, SearchCache, Snapshot
from inro.search.shelf import Shelf
from inro.store.cipher import Key
from inro.store.connect import Store

if TYPE_CHECKING:
    from collections.abc import Iterator

    import duckdb

Make = Callable[[Mapping[str, str | Reading]], Library]


class CountingStore(Store):
    """A store that counts how often it was opened for reading."""

    opened = 0

    @contextmanager
    def reading(self, *, fts: bool = False, alone: bool = False) -> Iterator[duckdb.DuckDBPyConnection]:
        self.opened += 1
        with super().reading(fts=fts, alone=alone) as con:
            yield con


def note(text: str) -> Reading:
    return Reading(text, "", (Block("paragraph", 0, len(text)),), "test/1")


def current(searches: SearchCache, store: Store) -> Snapshot:
    with Lease(store) as lease:
        return searches.current(lease, lexical=True, dense=True)


def found(library: Library, query: str) -> list[str]:
    return [hit.path for hit in library.search(query, lane="lexical").hits]


def test_nothing_is_opened_while_the_file_stays_as_it_is(make: Make) -> None:
    store = CountingStore(make({"a.md": "kiln"}).path)
    searches = SearchCache(store)
    first = current(searches, store)
    assert store.opened == 1
    assert current(searches, store) is first
    assert store.opened == 1


@pytest.mark.parametrize("key", [None, Key("hush")], ids=["plain", "with a key"])
def test_what_was_read_ahead_is_not_read_again(make: Make, key: Key | None) -> None:
    """With a key readers take turns, so that one that waited for another inside its own turn would wait for ever."""
    store = CountingStore(make({"a.md": "kiln"}).path, key=key, read_deadline=2.0)
    searches = SearchCache(store).reading_ahead(dense=True)
    assert searches._ahead is not None
    searches._ahead.join(60)
    before = store.opened
    snapshot = current(searches, store)
    assert snapshot.lexical is not None
    assert snapshot.dense is not None
    assert store.opened == before
    assert searches.reading_ahead(dense=True)._ahead is searches._ahead


def test_what_cannot_be_read_ahead_is_told_to_who_asks(tmp_path: Path) -> None:
    store = Store(tmp_path / "none.inro")
    searches = SearchCache(store).reading_ahead(dense=False)
    assert searches._ahead is not None
    searches._ahead.join(60)
    with pytest.raises(LibraryMissing):
        current(searches, store)


def test_a_commit_is_seen_by_the_next_search(make: Make) -> None:
    library = make({"a.md": "kiln"})
    assert found(library, "kiln") == ["a.md"]
    make({"b.md": "kiln kiln"})
    assert sorted(found(library, "kiln")) == ["a.md", "b.md"]
    make({"a.md": "oven"})
    assert found(library, "kiln") == ["b.md"]


def test_a_quiet_commit_keeps_what_is_loaded(make: Make) -> None:
    store = CountingStore(make({"a.md": "kiln"}).path)
    searches = SearchCache(store)
    first = current(searches, store)
    with store.writing(quiet=True) as con:
        con.execute("UPDATE sources SET outcome = 'seen'")
    assert current(searches, store) is first
    assert store.opened == 2


def test_segments_that_are_still_there_are_not_read_again(make: Make) -> None:
    store = Store(make({"a.md": "kiln"}).path)
    searches = SearchCache(store)
    searches.keep_texts()
    before = current(searches, store).lexical
    make({"b.md": "kiln"})
    after = current(searches, store).lexical
    assert before is not None
    assert after is not None
    kept = set(before.segments) & set(after.segments)
    assert kept
    assert all(after.segments[number] is before.segments[number] for number in kept)
    assert after.chunks == 2


def test_another_file_in_its_place_is_read_whole(make: Make, tmp_path: Path) -> None:
    library = make({"a.md": "kiln"})
    assert found(library, "kiln oven") == ["a.md"]
    other = Library(tmp_path / "other.inro")
    reading = Reading("oven", "", (), "test/1")
    for _ in other.add_readings("notes", iter([("b.md", reading)]), embed=False):
        pass
    shutil.copyfile(other.path, tmp_path / "copy.inro")
    (tmp_path / "copy.inro").replace(library.path)
    assert found(library, "kiln") == []
    library.path.unlink()
    with pytest.raises(LibraryMissing):
        found(library, "kiln")


def test_another_library_written_over_the_file_is_read_whole_too(make: Make, tmp_path: Path) -> None:
    library = make({"a.md": "kiln"})
    library.engine.warm()
    other = Library(tmp_path / "other.inro")
    for _ in range(3):
        for _ in other.add_readings("notes", iter([("b.md", Reading("oven", "", (), "test/1"))]), embed=False):
            pass
    for _ in other.add_readings("notes", iter([("c.md", note("oven"))]), embed=False):
        pass
    library.path.write_bytes(other.path.read_bytes())
    assert found(library, "kiln") == []
    assert [hit.snippet for hit in library.search("oven", lane="lexical").hits] == ["oven"]


def test_texts_on_the_shelf_are_shown_without_opening_the_file(make: Make) -> None:
    library = make({"a.md": "The kiln is hot.", "b.md": "試料は乾燥庫に入れる。"})
    store = CountingStore(library.path)
    searches = SearchCache(store)
    with Lease(store) as lease:
        fresh = searches.current(lease, lexical=True, dense=False)
        read = fresh.fetch(lease, fresh.chunk_ids.tolist())
    searches.keep_texts()
    opened = store.opened
    with Lease(store) as lease:
        snapshot = searches.current(lease, lexical=True, dense=False)
        snapshot._texts.clear()
        assert snapshot.fetch(lease, snapshot.chunk_ids.tolist()) == read
    assert store.opened == opened


def test_a_changed_text_is_never_shown_from_the_shelf(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    library = make({"a.md": "The kiln is hot."})
    library.engine.warm()
    make({"a.md": "The kiln is cold now.", "b.md": "Another kiln."})
    hits = library.search("kiln", lane="lexical").hits
    assert {hit.snippet for hit in hits} == {"The kiln is cold now.", "Another kiln."}
    library.engine.warm()
    assert {hit.snippet for hit in library.search("kiln", lane="lexical").hits} == {hit.snippet for hit in hits}


def test_a_text_that_moves_in_its_document_keeps_its_place_right(make: Make) -> None:
    library = make({"a.md": "The kiln is hot."})
    library.engine.warm()
    make({"a.md": "The kiln is hot."})
    hit = library.search("kiln", lane="lexical").hits[0]
    assert library.show(hit.document).text[hit.start : hit.end] == "The kiln is hot."


COMMIT = """
import sys, time
from pathlib import Path
from inro.store.connect import Store
with Store(Path(sys.argv[1])).writing() as con:
    con.execute("UPDATE documents SET title = 'changed'")
    print("inside", flush=True)
    time.sleep(0.7)
"""


@pytest.mark.parametrize("warm", [False, True])
def test_a_search_during_another_programs_commit_gives_the_former_state_or_the_new(make: Make, warm: bool) -> None:
    library = make({"a.md": "The kiln is hot."})
    if warm:
        library.engine.warm()
    before = library.search("kiln", lane="lexical").hits[0].title
    with subprocess.Popen(
        [sys.executable, "-c", COMMIT, str(library.path)], stdout=subprocess.PIPE, text=True
    ) as writer:
        assert writer.stdout is not None
        assert writer.stdout.readline() == "inside\n"
        during = library.search("hot kiln", lane="lexical").hits[0].title
        assert during in (before, "changed")
        assert writer.wait() == 0
    assert library.search("kiln", lane="lexical").hits[0].title == "changed"


def test_filters_are_asked_once_a_generation(make: Make) -> None:
    library = make({"x/a.md": "kiln", "y/b.md": "kiln"})
    assert found(library, "kiln path:x/") == ["x/a.md"]
    make({"x/c.md": "kiln kiln"})
    assert sorted(found(library, "kiln path:x/")) == ["x/a.md", "x/c.md"]


def test_the_shelf_gives_back_what_was_put_and_stops_when_full(monkeypatch: pytest.MonkeyPatch) -> None:
    shelf = Shelf()
    texts = {hash_: f"text 第{hash_}条 𠮷 " * 9 for hash_ in range(1, 100)}
    shelf.put(texts.items())
    assert {hash_: shelf.get(np.uint64(hash_)) for hash_ in texts} == texts
    assert shelf.get(np.uint64(2**63)) is None
    shelf.put([(2**64 - 1, "last")])
    assert shelf.get(np.uint64(2**64 - 1)) == "last"
    assert shelf.holds(np.array([1, 99, 100, 2**64 - 1], np.uint64)).tolist() == [True, True, False, True]
    monkeypatch.setattr("inro.search.shelf.MOST_BYTES", shelf.bytes)
    assert shelf.is_full
    shelf.put([(500, "more")])
    assert shelf.get(np.uint64(500)) is None


def test_a_full_shelf_leaves_the_rest_to_the_file(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("inro.search.shelf.MOST_BYTES", 1)
    monkeypatch.setattr(cache, "DOCUMENTS_AT_ONCE", 2)
    library = make({f"{i}.md": f"kiln number {i}" for i in range(60)})
    library.engine.warm()
    hits = library.search("kiln", limit=60, lane="lexical").hits
    assert {hit.snippet for hit in hits} == {f"kiln number {i}" for i in range(60)}
