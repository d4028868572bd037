"""The graph over the vectors: built when it pays, kept while it fits, built anew past a ratio, never in the way."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from inro.index import dense, dense_graph, fingerprint
from inro.index.verify import verify
from inro.search.engine import SearchEngine
from inro.store import chunks, meta, units
from inro.store.connect import Store

Sync = Callable[..., Any]
NOTES = 40


@pytest.fixture(autouse=True)
def every_library_wants_a_graph(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dense_graph, "SCAN_BYTES", 0)


@pytest.fixture
def grown(library: Store, sync: Sync, notes: Path, embedder: Any) -> Store:
    write(notes, 0, NOTES)
    sync(embedder)
    return library


def write(notes: Path, begin: int, end: int) -> None:
    for i in range(begin, end):
        (notes / f"more {i}.md").write_text(f"# More {i}\n\nNote {i} of many.\n")


def graph(library: Store) -> dict[str, bytes]:
    with library.reading() as con:
        return units.graph(con) or {}


def index(library: Store) -> dense.DenseIndex:
    with library.reading() as con:
        return dense.DenseIndex.load(units.load(con, units.DENSE), units.graph(con), units.deleted(con, units.DENSE))


def every_chunk_is_nearest_to_its_own_vector(library: Store, embedder: Any) -> bool:
    now = index(library)
    assert now.has_graph
    with library.reading() as con:
        here = chunks.embedded(con)
        assert not dense.graph_is_due(here, embedder.model.dimension, units.graph(con, dense.NODE_PARTS))
        stored = chunks.fetch(con, chunks.owners(con)[0])
    vectors = [embedder.vector(chunks.embedding_input(one.title, one.heading, one.text)) for one in stored]
    found = [now.search(vector, 1).chunk_ids.tolist() for vector in vectors]
    return found == [[one.id] for one in stored]


def test_a_sync_leaves_a_graph_that_covers_every_vector(grown: Store, embedder: Any) -> None:
    assert np.frombuffer(graph(grown)["chunk_ids"], "<i8").size == len(index(grown))
    assert every_chunk_is_nearest_to_its_own_vector(grown, embedder)
    assert list(verify(grown)) == []


def test_it_is_kept_through_a_few_additions_and_deletions(grown: Store, sync: Sync, notes: Path, embedder: Any) -> None:
    before = graph(grown)
    write(notes, NOTES, NOTES + 3)
    for i in range(5):
        (notes / f"more {i}.md").unlink()
    sync(embedder)
    assert graph(grown) == before
    assert every_chunk_is_nearest_to_its_own_vector(grown, embedder)


@pytest.mark.parametrize("change", ["additions", "deletions"])
def test_past_a_ratio_it_is_built_anew(grown: Store, sync: Sync, notes: Path, embedder: Any, change: str) -> None:
    before = graph(grown)
    if change == "additions":
        write(notes, NOTES, NOTES + 9)
    else:
        for i in range(12):
            (notes / f"more {i}.md").unlink()
    sync(embedder)
    assert graph(grown) != before
    assert np.frombuffer(graph(grown)["chunk_ids"], "<i8").size == len(index(grown))
    assert every_chunk_is_nearest_to_its_own_vector(grown, embedder)


def test_the_library_is_searched_and_written_while_it_is_built(
    library: Store, sync: Sync, notes: Path, embedder: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    build = dense.build_graph
    seen: list[int] = []

    def slow(*arguments: Any) -> dict[str, bytes]:
        embed = embedder.vector
        found = SearchEngine(library).search("oven", embed, limit=5, lane="hybrid", fusion="calibrated")
        with library.writing() as con:
            meta.put(con, "note of another program", "x")
        seen.append(len(found.hits))
        return build(*arguments)

    monkeypatch.setattr(dense, "build_graph", slow)
    write(notes, 0, NOTES)
    sync(embedder)
    assert seen == [5]
    assert every_chunk_is_nearest_to_its_own_vector(library, embedder)


def test_links_between_vectors_that_are_gone_are_not_stored(
    library: Store, sync: Sync, notes: Path, embedder: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    build = dense.build_graph

    def overtaken(*arguments: Any) -> dict[str, bytes]:
        parts = build(*arguments)
        with library.writing() as con:
            units.clear(con, units.DENSE)
            meta.put(con, fingerprint.EMBEDDER, "another")
        return parts

    monkeypatch.setattr(dense, "build_graph", overtaken)
    write(notes, 0, NOTES)
    sync(embedder)
    assert graph(library) == {}
