"""The baseline is measured when there is something new, remembered in the file, and never believed blindly."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from inro.doctor import examine
from inro.index import baseline, dense
from inro.index.dense_baseline import measure_baseline
from inro.records import Check
from inro.store import chunks, meta, units
from inro.store.connect import Store

Sync = Callable[..., Any]


@pytest.fixture
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    """A handful of chunks is enough to measure."""
    monkeypatch.setattr(baseline, "FEWEST", 6)


def remembered(library: Store) -> baseline.Remembered | None:
    with library.reading() as con:
        return baseline.stored(con)


def write(notes: Path, count: int, begin: int = 0) -> None:
    for i in range(begin, begin + count):
        (notes / f"more {i}.md").write_text(f"# More {i}\n\nNote {i} of many.\n")


def likeness(library: Store) -> list[Check]:
    return [check for check in examine(library.path) if check.name == "likeness"]


@pytest.mark.usefixtures("few")
def test_a_sync_measures_what_the_library_is_like(library: Store, sync: Sync, embedder: Any, notes: Path) -> None:
    write(notes, 20)
    sync(embedder)
    found = remembered(library)
    assert found is not None
    with library.reading() as con:
        index = dense.DenseIndex.load(units.load(con, units.DENSE), None, np.empty(0, np.int64))
        ids, documents, _ = chunks.owners(con)
    assert found.baseline == measure_baseline(index, ids, documents)
    assert found.embedder == embedder.model.fingerprint
    assert found.chunks == ids.size
    (check,) = likeness(library)
    assert check.ok
    assert f"{found.baseline.mean:.3f}" in check.found and f"{found.ceiling:.3f}" in check.found


@pytest.mark.usefixtures("few")
def test_it_is_measured_again_only_when_much_came_or_went(
    library: Store, sync: Sync, embedder: Any, notes: Path
) -> None:
    write(notes, 20)
    sync(embedder)
    first = remembered(library)
    write(notes, 2, 20)
    sync(embedder)
    assert remembered(library) == first
    write(notes, 8, 22)
    sync(embedder)
    second = remembered(library)
    assert second is not None and first is not None and second.chunks == first.chunks + 10
    for i in range(12):
        (notes / f"more {i}.md").unlink()
    sync(embedder)
    third = remembered(library)
    assert third is not None and third.chunks == second.chunks - 12


@pytest.mark.usefixtures("few")
def test_another_embedder_has_a_baseline_of_its_own(
    library: Store, sync: Sync, make_embedder: Any, notes: Path
) -> None:
    write(notes, 10)
    sync(make_embedder("first"))
    first = remembered(library)
    sync(make_embedder("second"))
    second = remembered(library)
    assert first is not None and second is not None
    assert (first.embedder, second.embedder) == ("fingerprint of first", "fingerprint of second")


def test_a_library_of_few_chunks_has_none_and_the_doctor_does_not_ask_for_one(
    library: Store, sync: Sync, embedder: Any
) -> None:
    sync(embedder)
    assert remembered(library) is None
    assert likeness(library) == []


@pytest.mark.usefixtures("few")
@pytest.mark.parametrize(
    "damage",
    [
        "",
        "{",
        "[]",
        "null",
        "[" * 100_000,
        {"mean": float("nan")},
        {"mean": 7},
        {"std": -1},
        {"std": "x"},
        {"pairs": 0},
        {"quantiles": [[0.5, 0.1]]},
        {"quantiles": [[0.99, 3]]},
        {"quantiles": 4},
        {"chunks": -1},
        {"embedder": "another"},
    ],
    ids=repr,
)
def test_what_cannot_be_right_is_measured_anew(
    library: Store, sync: Sync, embedder: Any, notes: Path, damage: str | dict[str, object]
) -> None:
    write(notes, 10)
    sync(embedder)
    sound = remembered(library)
    with library.writing() as con:
        kept = json.loads(meta.get(con, baseline.KEY))
        meta.put(con, baseline.KEY, damage if isinstance(damage, str) else json.dumps(kept | damage))
    with library.reading() as con:
        found, due = baseline.stored(con), baseline.is_due(con)
    assert found is None and due
    assert not likeness(library)[0].ok
    baseline.keep(library)
    assert remembered(library) == sound
