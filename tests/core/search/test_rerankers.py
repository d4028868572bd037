"""Which reranker runs is said by the settings and by what a search asks for; the real parts, from file to order."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pytest
from encoders import TinyPairs, make_encoder, make_pairs

from inro.config import Settings
from inro.errors import ModelMissing, NotFound, UsageError
from inro.library import Library
from inro.models import opening
from inro.records import Reading
from inro.search.rerankers import Rerankers
from inro.workers.embed import EmbedModel, EmbedWorker
from inro.workers.rerank import RerankModel, RerankWorker

Make = Callable[[Mapping[str, str | Reading]], Library]

NOTES = {f"{name}.md": f"kiln w{b} w{c}" for name, b, c in (("a", 2, 3), ("b", 5, 6), ("c", 8, 9))}
UNKNOWN = -1
"""The number that the small models' tokenizer gives to any other word."""


@pytest.fixture
def tiny(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> TinyPairs:
    """A cross-encoder that the settings may name `pairs`."""
    pairs = make_pairs(tmp_path / "pairs")

    def opened(name: str, threads: int) -> RerankWorker:
        if name != "pairs":
            raise NotFound(f"no model is called {name}")
        return RerankWorker(RerankModel(name, str(pairs.model), str(pairs.tokenizer), 64), threads=threads)

    monkeypatch.setattr("inro.models.open_reranker", opened)
    return pairs


@pytest.fixture
def embedder(tmp_path: Path) -> Iterator[EmbedWorker]:
    files = make_encoder(tmp_path / "encoder")
    model = EmbedModel("tiny", str(files.model), str(files.tokenizer), 16, "mean", 64)
    with EmbedWorker(model) as worker:
        yield worker


def none() -> EmbedWorker:
    raise ModelMissing("no embedder here", "inro models fetch")


def paths(library: Library, rerankers: Rerankers, hints: list[str], wanted: bool | None = None) -> list[str]:
    stage = rerankers.stage("hybrid", "calibrated", wanted)
    found = library.engine.search("kiln", None, limit=3, lane="hybrid", fusion="calibrated", stage=stage)
    hints.extend(found.hints)
    for hit in found.hits:
        assert sum(part.value for part in hit.trace) == pytest.approx(hit.score)
        assert (stage is not None and not hints) == any(part.lane == "rerank" for part in hit.trace)
    return [hit.path for hit in found.hits]


def test_a_cross_encoder_orders_what_words_cannot_tell_apart(make: Make, tiny: TinyPairs) -> None:
    library = make(NOTES)
    rerankers = Rerankers(Settings(rerank="pairs", rerank_ms=60_000), none)
    hints: list[str] = []
    found = paths(library, rerankers, hints)
    # each note is read with its title before it
    scores = {
        path: tiny.score([UNKNOWN], [UNKNOWN, UNKNOWN, *(int(word[1:]) for word in text.split()[1:])])
        for path, text in NOTES.items()
    }
    assert hints == []
    assert found == sorted(scores, key=lambda path: -scores[path])
    rerankers.close()
    assert paths(library, rerankers, hints) == found
    rerankers.close()


def test_late_interaction_runs_on_the_embedder_itself(make: Make, embedder: EmbedWorker) -> None:
    library = make(NOTES)
    rerankers = Rerankers(Settings(rerank="late", rerank_ms=60_000), lambda: embedder)
    hints: list[str] = []
    assert sorted(paths(library, rerankers, hints)) == sorted(NOTES)
    assert hints == []


def test_without_a_model_the_order_is_as_it_was_and_a_hint_says_why(make: Make) -> None:
    library = make(NOTES)
    hints: list[str] = []
    assert paths(library, Rerankers(Settings(rerank="late"), none), hints) == paths(
        library, Rerankers(Settings(), none), []
    )
    assert hints == ["not reranked: no embedder here. Do: inro models fetch"]


def test_settings_and_wish_decide_and_a_lane_by_itself_is_left_alone() -> None:
    off, on = Rerankers(Settings(), none), Rerankers(Settings(rerank="late"), none)
    assert off.stage("hybrid", "calibrated", None) is None
    assert off.stage("hybrid", "calibrated", True) is not None
    assert on.stage("hybrid", "calibrated", None) is on.stage("hybrid", "calibrated", True)
    assert on.stage("hybrid", "calibrated", False) is None
    assert on.stage("lexical", "calibrated", True) is None
    assert on.stage("dense", "calibrated", True) is None
    assert on.stage("hybrid", "rrf", True) is None


def test_a_name_that_is_no_reranker_s_is_an_error() -> None:
    with pytest.raises(NotFound, match="no model is called nobody"):
        opening.open_reranker("nobody")
    with pytest.raises(UsageError, match="is for embed, not for rerank"):
        opening.open_reranker("multilingual-e5-small")


def test_a_writer_gets_its_turn_while_a_model_reads(make: Make, embedder: EmbedWorker) -> None:
    library = make(NOTES)
    written: list[str] = []

    class Slow:
        """Reads so slowly that somebody else writes meanwhile."""

        name, weight = "slow", 1.0

        def is_known(self, question: str, text: str) -> bool:
            return False

        def score(self, question: str, text: str) -> float:
            if not written:
                make({"new.md": "kiln w7"})
                written.append(text)
            return 0.0

    from inro.search.rerank import Stage

    stage = Stage(Slow, 60.0)
    found = library.engine.search("kiln", None, limit=3, lane="hybrid", fusion="calibrated", stage=stage)
    assert written and len(found.hits) == 3
