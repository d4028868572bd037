"""Three libraries merged are searched as one that was built at once, by the evaluation that measures retrieval.

The embedder here gives a text the same vector whatever it is embedded together with. A real one that reckons in whole
numbers does not quite, so that two libraries built apart differ a little before anything is merged.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from hashlib import blake2b
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from inro import safekeeping
from inro.config import Settings
from inro.evaluate import EvaluationSet
from inro.library import Library
from inro.records import Lane
from inro.store import units
from inro.workers.embed import EmbedBatch, EmbedModel

MEASURES = ("queries", "ndcg_10", "recall_1", "recall_10", "recall_100", "mrr_10")
THINGS, DEEDS = ("furnace", "glovebox", "乾燥庫", "trap", "真空炉"), ("dried", "cleaned", "測定した", "sealed")


class Words:
    """The vector of a text is the sum of its words' own, so that texts with words in common are near."""

    model = EmbedModel("words", "", "", 32, "mean", 512, fingerprint="words")
    name = "words"
    fingerprint = "words"

    def batches(self, texts: Sequence[str]) -> Iterator[EmbedBatch]:
        vectors = np.stack([self.query(text) for text in texts])
        nothing = np.zeros(len(texts), np.int32)
        yield EmbedBatch(np.arange(len(texts)), vectors, nothing, nothing > 0)

    def query(self, text: str) -> NDArray[np.float32]:
        seeds = [int.from_bytes(blake2b(word.encode(), digest_size=8).digest(), "big") for word in text.split()]
        total = np.sum([np.random.default_rng(seed).normal(size=32) for seed in seeds], axis=0)
        unit: NDArray[np.float32] = (total / np.linalg.norm(total)).astype(np.float32)
        return unit

    def warm(self) -> None:
        """There is nothing to load."""

    def close(self) -> None:
        """There is nothing to end."""


class Shelf:
    """Sets over parts of one corpus, and the library each is indexed in."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.folder, self._patch = folder, monkeypatch
        things, deeds = THINGS, DEEDS
        self.corpus = [
            {"id": f"d{i}", "title": f"Note {i}", "text": f"The {things[i % 5]} S-{i} was {deeds[i % 4]}. 試料{i}。"}
            for i in range(60)
        ]
        self.queries = [{"id": f"q{i}", "text": f"{things[i % 5]} {deeds[i % 4]} {i}"} for i in range(0, 60, 4)]

    def library(self, name: str) -> Library:
        library = Library(self.folder / f"{name}.inro", Settings(chat=""))
        words = Words()
        self._patch.setattr(library._processes, "embedder", lambda: words)
        return library

    def built(self, name: str, begin: int, end: int) -> EvaluationSet:
        folder = self.folder / name
        folder.mkdir()
        (folder / "corpus.jsonl").write_text("".join(json.dumps(row) + "\n" for row in self.corpus[begin:end]))
        (folder / "queries.jsonl").write_text("".join(json.dumps(row) + "\n" for row in self.queries))
        (folder / "qrels.tsv").write_text("".join(f"q{i}\td{i}\t1\n" for i in range(0, 60, 4)))
        one = EvaluationSet("set", folder, self.library(name), dense=True)
        list(one.build())
        return one


@pytest.fixture
def shelf(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Shelf:
    return Shelf(tmp_path, monkeypatch)


def blocks(library: Library) -> list[dict[str, bytes]]:
    with library.store.reading() as con:
        return [parts for _, parts in units.load(con, units.DENSE)]


def test_three_shards_score_as_one_library_built_at_once(shelf: Shelf) -> None:
    whole = shelf.built("whole", 0, 60)
    shards = [shelf.built(f"shard {n}", n, n + 20) for n in (0, 20, 40)]
    merged = shelf.library("merged")
    safekeeping.merge(whole.library, [shard.library for shard in shards], into=merged.path)
    again = EvaluationSet("set", whole.directory, merged, dense=True)
    lanes: tuple[Lane, ...] = ("lexical", "hybrid")
    for lane in lanes:
        expected, found = whole.measure(lane=lane), again.measure(lane=lane)
        assert expected.ndcg_10 > 0.5
        for measure in MEASURES:
            assert round(getattr(found, measure), 4) == round(getattr(expected, measure), 4), (lane, measure)


def test_a_shards_codes_are_the_same_in_the_merged_library(shelf: Shelf) -> None:
    shards = [shelf.built(f"shard {n}", n, n + 20) for n in (0, 20, 40)]
    merged = shelf.library("merged")
    safekeeping.merge(shards[0].library, [shard.library for shard in shards], into=merged.path)
    made = [parts["codes"] for parts in blocks(merged)]
    for shard in shards:
        for parts in blocks(shard.library):
            assert any(parts["codes"] in codes for codes in made)
