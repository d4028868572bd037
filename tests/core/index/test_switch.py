"""Another embedder: two real models, whose vectors are never compared, not even when the switch is killed half way."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from encoders import TinyEncoder, make_encoder
from numpy.typing import NDArray

from inro.errors import EmbedderChanged
from inro.index import dense, embedding, pipeline, summary
from inro.index.verify import verify
from inro.records import Lane, SearchResult
from inro.search.engine import SearchEngine
from inro.search.vectors import Embedder
from inro.store import chunks, units
from inro.store.connect import Store
from inro.workers.embed import EmbedModel, EmbedWorker

NOTES = 40
SLOW_SWITCH = """
import sys, time
from pathlib import Path
from inro.index import embedding, pipeline
from inro.store.connect import Store
from inro.workers.embed import EmbedModel, EmbedWorker

embedding.COMMIT_EVERY = 0.0

class Slow(EmbedWorker):
    def batches(self, texts):
        for batch in super().batches(texts):
            time.sleep(0.05)
            yield batch

library, model, tokenizer = sys.argv[1:]
worker = Slow(EmbedModel("second", model, tokenizer, 16, "mean", 32, fingerprint="second"), token_budget=60)
for event in pipeline.sync(Store(Path(library)), worker):
    pass
"""


@pytest.fixture
def encoders(tmp_path: Path) -> dict[str, TinyEncoder]:
    """Two models of one shape and dimension: nothing but their fingerprints tells their vectors apart."""
    first = make_encoder(tmp_path / "first")
    rows = np.random.default_rng(8).normal(size=first.rows.shape).astype(np.float32)
    return {"first": first, "second": make_encoder(tmp_path / "second", rows=rows)}


@pytest.fixture
def workers(encoders: dict[str, TinyEncoder]) -> Iterator[dict[str, EmbedWorker]]:
    made = {
        name: EmbedWorker(
            EmbedModel(name, str(tiny.model), str(tiny.tokenizer), 16, "mean", 32, fingerprint=name), token_budget=60
        )
        for name, tiny in encoders.items()
    }
    yield made
    for worker in made.values():
        worker.close()


@pytest.fixture
def library(tmp_path: Path, workers: dict[str, EmbedWorker]) -> Store:
    """Forty notes with the vectors of the first."""
    store = Store.create(tmp_path / "library.inro")
    folder = tmp_path / "notes"
    folder.mkdir()
    for i in range(NOTES):
        (folder / f"{i}.md").write_text(f"w{i % 40} w{(7 * i + 3) % 40} w{(11 * i + 5) % 40} kiln\n")
    pipeline.add_sources(store, [folder])
    sync(store, workers["first"])
    return store


def sync(store: Store, worker: EmbedWorker) -> list[str]:
    *_, last = pipeline.sync(store, worker)
    assert last.report is not None
    return list(last.report.notes)


def search(store: Store, worker: EmbedWorker, lane: Lane = "hybrid") -> SearchResult:
    embed = Embedder(worker.query, lambda: worker.fingerprint)
    return SearchEngine(store).search("w3 w24 kiln", embed, limit=10, lane=lane, fusion="calibrated")


def chunks_of(result: SearchResult) -> list[int]:
    return [hit.chunk for hit in result.hits]


def held(store: Store) -> dict[str, NDArray[np.float32]]:
    """Embedding input to the vector that the file holds for it."""
    with store.reading() as con:
        index = dense.DenseIndex.load(units.load(con, units.DENSE), None, units.deleted(con, units.DENSE))
        found = chunks.fetch(con, index.live_ids())
    vectors = index.vectors(index.live_ids())
    return {
        chunks.embedding_input(one.title, one.heading, one.text): vector
        for one, vector in zip(found, vectors, strict=True)
    }


def all_made_by(store: Store, worker: EmbedWorker) -> bool:
    vectors = held(store)
    made = worker.passages(list(vectors))
    return bool((np.einsum("ij,ij->i", np.stack(list(vectors.values())), made) > 0.999).all())


def test_the_vectors_of_one_model_are_not_compared_with_a_query_of_another(
    library: Store, workers: dict[str, EmbedWorker]
) -> None:
    fine = search(library, workers["first"])
    assert fine.hints == () and any(part.lane == "dense" for hit in fine.hits for part in hit.trace)
    other = search(library, workers["second"])
    assert "first, not of the embedder that is set" in other.hints[0] and "inro sync" in other.hints[0]
    assert chunks_of(other) == chunks_of(search(library, workers["second"], "lexical"))
    assert not any(part.lane == "dense" for hit in other.hits for part in hit.trace)
    with pytest.raises(EmbedderChanged, match="inro sync"):
        search(library, workers["second"], "dense")


def test_the_state_says_what_a_switch_will_take(library: Store) -> None:
    (note,) = summary.status(library, "multilingual-e5-small").notes
    assert "those of first" in note and f"made {NOTES} anew" in note
    assert summary.status(library).notes == ()
    assert summary.status(library, "no such model").notes == ()


def test_a_switch_that_is_killed_goes_on_where_it_was(
    library: Store, encoders: dict[str, TinyEncoder], workers: dict[str, EmbedWorker]
) -> None:
    tiny = encoders["second"]
    arguments = [str(library.path), str(tiny.model), str(tiny.tokenizer)]
    child = subprocess.Popen([sys.executable, "-c", SLOW_SWITCH, *arguments])
    try:
        give_up = time.monotonic() + 60
        while (state := summary.status(library)).embedder != "second":
            assert child.poll() is None and time.monotonic() < give_up
            time.sleep(0.01)
    finally:
        child.send_signal(signal.SIGKILL)
        child.wait()
    state = summary.status(library)
    assert 0 < state.vectors < NOTES == state.chunks
    assert state.to_embed == NOTES - state.vectors
    assert list(verify(library)) == []
    assert all_made_by(library, workers["second"]), "none of the first is left"
    midway = search(library, workers["second"])
    assert f"{state.to_embed} of {NOTES} chunks have no vector yet" in midway.hints[0]
    assert {*chunks_of(search(library, workers["second"], "lexical"))} & {*chunks_of(midway)}
    assert sync(library, workers["second"]) == []
    assert summary.status(library).to_embed == 0
    assert len(held(library)) == NOTES and all_made_by(library, workers["second"])
    assert search(library, workers["second"]).hints == ()
    assert list(verify(library)) == []


def test_two_programs_with_two_models_do_not_mix_them(
    library: Store, workers: dict[str, EmbedWorker], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first program has vectors under way when another takes the library over to the second model."""
    monkeypatch.setattr(embedding, "COMMIT_EVERY", 0.0)
    with library.writing() as con:
        units.clear(con, units.DENSE)
    run = embedding.embed_missing(library, workers["first"])
    next(run)
    sync(library, workers["second"])
    with pytest.raises(EmbedderChanged, match="another program"):
        list(run)
    assert summary.status(library).embedder == "second"
    assert len(held(library)) == NOTES and all_made_by(library, workers["second"])
    assert list(verify(library)) == []
