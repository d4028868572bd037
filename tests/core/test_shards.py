"""Three libraries merged are searched as one that was built at once, by the evaluation that measures retrieval."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from inro import safekeeping
from inro.config import Settings
from inro.evaluate import EvaluationSet
from inro.library import Library
from inro.models import open_embedder
from inro.records import Lane
from inro.store import units
from inro.workers.embed import EmbedWorker

MEASURES = ("queries", "ndcg_10", "recall_1", "recall_10", "recall_100", "mrr_10")
THINGS, DEEDS = ("furnace", "glovebox", "乾燥庫", "trap", "真空炉"), ("dried", "cleaned", "測定した", "sealed")


@pytest.fixture(scope="module")
def embedder(models_folder: Path) -> Iterator[EmbedWorker]:
    worker = open_embedder("multilingual-e5-small")
    yield worker
    worker.close()


class Shelf:
    """Sets over parts of one corpus, and the library each is indexed in."""

    def __init__(self, folder: Path, embedder: EmbedWorker, monkeypatch: pytest.MonkeyPatch) -> None:
        self.folder, self._embedder, self._patch = folder, embedder, monkeypatch
        things, deeds = THINGS, DEEDS
        self.corpus = [
            {"id": f"d{i}", "title": f"Note {i}", "text": f"The {things[i % 5]} S-{i} was {deeds[i % 4]}. 試料{i}。"}
            for i in range(60)
        ]
        self.queries = [{"id": f"q{i}", "text": f"{things[i % 5]} {deeds[i % 4]} {i}"} for i in range(0, 60, 4)]

    def library(self, name: str) -> Library:
        library = Library(self.folder / f"{name}.inro", Settings(chat=""))
        # one process for all of the libraries
        self._patch.setattr(library._processes, "embedder", lambda: self._embedder)
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
def shelf(tmp_path: Path, embedder: EmbedWorker, monkeypatch: pytest.MonkeyPatch) -> Shelf:
    return Shelf(tmp_path, embedder, monkeypatch)


def blocks(library: Library) -> list[dict[str, bytes]]:
    with library.store.reading() as con:
        return [parts for _, parts in units.load(con, units.DENSE)]


def test_three_shards_score_as_one_library_built_at_once(shelf: Shelf) -> None:
    whole = shelf.built("whole", 0, 60)
    shards = [shelf.built(f"shard {n}", n, n + 20) for n in (0, 20, 40)]
    merged = shelf.library("merged")
    safekeeping.merge(whole.library, [shard.library for shard in shards], into=merged.path)
    again = EvaluationSet("set", whole.directory, merged, dense=True)
    lanes: tuple[Lane, ...] = ("lexical", "dense", "hybrid")
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
