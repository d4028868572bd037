"""Texts that no one expects: nothing crashes, and what the embedder does not read is counted."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import numpy as np
import pytest
from encoders import make_encoder
from numpy.typing import NDArray

from inro.doctor import examine
from inro.index import dense_file, pipeline, summary
from inro.index.dense import encode_block, merge_blocks
from inro.index.dense_copy import copy_rows
from inro.index.verify import verify
from inro.library import Library
from inro.records import Block, Reading
from inro.store import chunks
from inro.store.connect import Store
from inro.workers.embed import EmbedBatch, EmbedModel, EmbedWorker

LIMIT = 512
SECRET = "zyxwvuzyxwvu"
"""The last word of a line nobody could split."""


class Counting:
    """Cuts at a number of characters and gives every text the same vector."""

    def __init__(self, limit: int) -> None:
        self.model = EmbedModel("counting", "", "", 4, "mean", limit, fingerprint="counting")

    def batches(self, texts: Sequence[str]) -> Iterator[EmbedBatch]:
        tokens = np.array([len(text) for text in texts], np.int32)
        vectors = np.full((len(texts), 4), 0.5, np.float32)
        yield EmbedBatch(np.arange(len(texts)), vectors, tokens, tokens > self.model.max_tokens)


def put(store: Store, texts: dict[str, str], worker: Counting | EmbedWorker | None) -> list[str]:
    """Sync documents; returns the notes of the report."""
    readings = (
        (path, Reading(text, path, (Block("paragraph", 0, len(text)),), "test/1")) for path, text in texts.items()
    )
    *_, last = pipeline.index_documents(store, "texts", readings, worker)
    assert last.report is not None
    assert last.report.to_embed == 0 or worker is None
    return list(last.report.notes)


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store.create(tmp_path / "library.inro")


def test_what_was_cut_is_counted_and_told_until_the_chunk_is_gone(store: Store) -> None:
    texts = {"short.md": "w1", "long.md": "a long text " * 9, "longer.md": "another long text " * 9}
    (note,) = put(store, texts, Counting(60))
    assert note.startswith("2 chunks are longer than the embedder reads")
    assert summary.status(store).cut == 2
    (check,) = [one for one in examine(store.path) if one.name == "vectors"]
    assert check.ok and "2 are longer than it reads" in check.found
    assert put(store, {"other.md": "w2"}, Counting(60)) == [note]
    assert put(store, {"longer.md": "short now"}, Counting(60)) == ["1" + note[1:]]
    assert summary.status(store).cut == 1
    assert list(verify(store)) == []


def test_a_copy_of_a_cut_text_is_cut_too(store: Store) -> None:
    text = "a long text " * 9
    put(store, {"same": text}, Counting(60))
    readings = [("same", Reading(text, "same", (Block("paragraph", 0, len(text)),), "test/1"))]
    for _ in pipeline.index_documents(store, "more", readings, None):
        pass
    state = summary.status(store)
    assert (state.chunks, state.to_embed, state.cut) == (2, 0, 2)


def test_blocks_keep_what_was_cut_through_merges_and_copies() -> None:
    vectors = np.eye(4, dtype=np.float32)
    one = encode_block(np.array([9, 3, 5, 1]), vectors, None, np.array([3, 9]))
    two = encode_block(np.array([20, 21]), vectors[:2], None, np.array([21]))
    assert dense_file.read_block(one).cut.tolist() == [3, 9]
    assert dense_file.read_block(merge_blocks([one, two], np.array([9]))).cut.tolist() == [3, 21]
    assert dense_file.read_block(copy_rows(one, [(3, 40), (5, 41), (9, 39)])).cut.tolist() == [39, 40]
    assert "cut" not in encode_block(np.array([1]), vectors[:1])


@pytest.mark.parametrize("cut", [b"1234567", np.array([5, 3]).tobytes(), np.array([3, 3]).tobytes(), b"\0" * 8])
def test_a_list_of_cut_chunks_that_cannot_be_is_refused(cut: bytes) -> None:
    block = encode_block(np.array([3, 5]), np.eye(2, dtype=np.float32), None, np.array([3]))
    with pytest.raises(ValueError):
        dense_file.read_block(block | {"cut": cut})


@pytest.fixture(scope="module")
def real_tokenizer(models_folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Callable[[int], EmbedWorker]:
    """Opens a worker with the tokenizer of the default embedder and a graph of its vocabulary, small but for that."""
    tokenizer = models_folder / "multilingual-e5-small" / "tokenizer.json"
    size = len(json.loads(tokenizer.read_text(encoding="utf-8"))["model"]["vocab"]) + 1
    rows: NDArray[np.float32] = np.random.default_rng(0).normal(size=(size, 4)).astype(np.float32)
    tiny = make_encoder(tmp_path_factory.mktemp("wide"), dimension=4, rows=rows)

    def open_worker(limit: int) -> EmbedWorker:
        return EmbedWorker(EmbedModel("wide", str(tiny.model), str(tokenizer), 4, "mean", limit, fingerprint="wide"))

    return open_worker


@pytest.fixture(scope="module")
def nasty() -> dict[str, str]:
    letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+/"
    dice = random.Random(4)
    packed = "".join(dice.choices(letters, k=1_000_000))
    return {
        "line": f"{packed} {SECRET}",
        "emoji": "😀👩‍👩‍👧‍👦🏳️‍🌈" * 900 + " kiln",
        "surrogates": "\ud83d alone \udc00\udc01 kiln " * 40,
        "nul": "a\0b\0 kiln " * 40,
        "controls": "".join(map(chr, range(1, 32))) * 60 + " kiln",
        "marks": "e" + "\u0301" * 20_000 + " kiln",
        "right to left": "\u202ekiln\u202c " * 500,
        "private": "\ue000\uf8ff\U000f0000" * 900 + " kiln",
        "spaces": " \u3000\u00a0\u200b" * 5000 + "kiln",
    }


@pytest.mark.models
def test_nasty_texts_are_indexed_found_and_what_was_cut_is_recorded(
    store: Store, real_tokenizer: Callable[[int], EmbedWorker], nasty: dict[str, str]
) -> None:
    with real_tokenizer(LIMIT) as worker:
        notes = put(store, nasty, worker)
        state = summary.status(store)
        with store.reading() as con:
            stored = chunks.fetch(con, chunks.owners(con)[0])
        tokens = worker.count_tokens([chunks.embedding_input(one.title, one.heading, one.text) for one in stored])
    assert state.cut == int((tokens > LIMIT).sum()) > 0, "letters at random take more tokens than any estimate"
    assert any(f"{state.cut} chunks are longer" in note for note in notes)
    assert list(verify(store)) == []
    with Library(store.path) as library:
        hits = library.search("kiln", limit=50, lane="lexical").hits
        # what is left of some of them is the one word: copies of each other
        found = {path for hit in hits for path in (hit.path, *(copy.path for copy in hit.also_in))}
        assert found == {*nasty} - {"line"}
        assert [hit.path for hit in library.search(SECRET, lane="lexical").hits] == ["line"]


@pytest.mark.models
def test_a_model_of_8192_tokens_reads_as_many_and_says_what_it_leaves(
    real_tokenizer: Callable[[int], EmbedWorker],
) -> None:
    texts = ["kiln " * 100, "乾燥庫" * 8000, "\ud800" * 50, "😀" * 30_000, "x" * 1_000_000]
    with real_tokenizer(8192) as worker:
        (counts, cut) = (np.zeros(len(texts), np.int32), np.zeros(len(texts), np.bool_))
        for batch in worker.batches(texts):
            counts[batch.indexes], cut[batch.indexes] = batch.tokens, batch.cut
            np.testing.assert_allclose(np.linalg.norm(batch.vectors, axis=1), 1, atol=1e-5)
    assert (cut == (counts > 8192)).all()
    assert not cut[0] and cut[1] and not cut[2] and cut[4]
    assert worker.cut == int(cut.sum())
