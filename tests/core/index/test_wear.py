"""What is dead weight in an index: counted for each lane, and gone after the upkeep that it says is due."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from inro.index import dense_graph, pipeline, upkeep, wear
from inro.store import units
from inro.store.connect import Store

NOTES = 40
GONE = 12


@pytest.fixture
def worn(
    library: Store,
    sync: Callable[..., Any],
    notes: Path,
    embedder: Any,
    monkeypatch: pytest.MonkeyPatch,
) -> Store:
    """A library with a graph, twelve of its notes deleted by a sync that came to no upkeep, three more without it."""
    monkeypatch.setattr(dense_graph, "SCAN_BYTES", 0)
    for i in range(NOTES):
        (notes / f"more {i}.md").write_text(f"# More {i}\n\nNote {i} of many.\n")
    sync(embedder)
    for i in range(GONE):
        (notes / f"more {i}.md").unlink()
    for i in range(3):
        (notes / f"late {i}.md").write_text(f"# Late {i}\n\nAnother note, {i}.\n")
    with monkeypatch.context() as hurried:
        hurried.setattr(upkeep, "keep", lambda _store: None)
        list(pipeline.sync(library, embedder))
    return library


def lanes(store: Store) -> dict[str, wear.Wear]:
    with store.reading() as con:
        return {one.lane: one for one in wear.measure(con)}


def test_each_lane_counts_what_is_deleted_and_the_graph_what_it_lacks(worn: Store) -> None:
    found = lanes(worn)
    assert found["lexical"].deleted == found["vectors"].deleted == found["graph"].deleted == GONE
    assert found["vectors"].rows == found["graph"].rows + 3
    assert [found[lane].beside for lane in ("lexical", "vectors", "graph")] == [0, 0, 3]
    assert found["graph"].share == pytest.approx(GONE / found["graph"].rows)
    assert found["graph"].is_due


def test_what_is_due_is_done_by_upkeep(worn: Store) -> None:
    before = lanes(worn)
    upkeep.keep(worn)
    after = lanes(worn)
    assert not any(one.is_due for one in after.values())
    assert (after["graph"].deleted, after["graph"].beside) == (0, 0)
    assert after["graph"].rows == before["vectors"].rows - GONE


def test_a_graph_that_cannot_be_read_lacks_everything(worn: Store) -> None:
    with worn.writing() as con:
        units.put_graph(con, {**(units.graph(con) or {}), "chunk_ids": b"short"})
    graph = lanes(worn)["graph"]
    assert (graph.rows, graph.is_due) == (0, True)
    assert graph.beside == lanes(worn)["vectors"].rows - GONE
