"""What the pipeline's tests share: a library, a folder of notes, and an embedder that counts."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from inro.index import pipeline
from inro.index.lexical import LexicalIndex, LexicalQuery
from inro.index.title_text import segmented
from inro.index.verify import verify
from inro.records import SyncReport
from inro.store import chunks, titles, units
from inro.store.connect import Store
from inro.text.analyse import Analyser
from inro.workers.embed import EmbedBatch, EmbedModel

DIMENSION = 16


class CountingEmbedder:
    """Gives every text a vector of its own, the same each time, and remembers what it was asked."""

    def __init__(self, name: str = "counting", fail_after: int | None = None) -> None:
        self.model = EmbedModel(name, "", "", DIMENSION, "mean", 512, fingerprint=f"fingerprint of {name}")
        self.asked: list[str] = []
        self.error: Exception | None = None
        self.fail_after = fail_after

    def batches(self, texts: Sequence[str]) -> Iterator[EmbedBatch]:
        # out of order and in small batches, as the real worker does
        order = sorted(range(len(texts)), key=lambda i: len(texts[i]))
        for begin in range(0, len(order), 4):
            if self.fail_after is not None and len(self.asked) >= self.fail_after and self.error is not None:
                raise self.error
            which = order[begin : begin + 4]
            self.asked += [texts[i] for i in which]
            vectors = np.stack([self.vector(texts[i]) for i in which])
            words = np.array([len(texts[i].split()) for i in which], np.int32)
            yield EmbedBatch(np.array(which, np.int64), vectors, words, words > self.model.max_tokens)

    def vector(self, text: str) -> NDArray[np.float32]:
        seed = int.from_bytes(blake2b((self.model.name + text).encode(), digest_size=8).digest(), "big")
        vector = np.random.default_rng(seed).normal(size=DIMENSION).astype(np.float32)
        return np.asarray(vector / np.linalg.norm(vector), np.float32)


@pytest.fixture
def embedder() -> CountingEmbedder:
    return CountingEmbedder()


@pytest.fixture
def make_embedder() -> type[CountingEmbedder]:
    return CountingEmbedder


@pytest.fixture
def library(tmp_path: Path) -> Store:
    return Store.create(tmp_path / "library" / "l.inro")


@dataclass(frozen=True)
class Look:
    """What a user would find in a library."""

    store: Store

    def words(self, query: str) -> list[str]:
        """Paths of the documents whose chunks the lexical lane finds, best first."""
        with self.store.reading() as con:
            index = LexicalIndex.load(units.load(con, units.LEXICAL), units.deleted(con, units.LEXICAL))
            keys = np.unique(Analyser().query(query).keys)
            result = index.search(LexicalQuery(keys, np.ones(keys.size, np.float32)), 10)
            return [chunk.path for chunk in chunks.fetch(con, result.chunk_ids)]

    def titles(self, query: str) -> list[str]:
        """Paths of the documents the title lane finds, best first."""
        with self.store.reading() as con:
            found = titles.search_titles(con, segmented(Analyser(), [query]), 10)
            paths = dict(con.execute("SELECT id, path FROM documents").fetchall())
        return [paths[document] for document, _ in found]

    def ids(self) -> dict[str, tuple[int, list[int]]]:
        """Path to (document id, chunk ids)."""
        with self.store.reading() as con:
            rows = con.execute("SELECT id, path FROM documents ORDER BY id").fetchall()
            return {path: (id_, [c.id for c in chunks.of_document(con, id_)]) for id_, path in rows}

    def sound(self) -> None:
        """Nothing is wrong with the file."""
        assert list(verify(self.store)) == []


@pytest.fixture
def look(library: Store) -> Look:
    return Look(library)


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    """A folder of six notes in three languages."""
    root = tmp_path / "notes"
    (root / "sub").mkdir(parents=True)
    (root / "oven.md").write_text(
        "# Drying oven\n\nThe oven S-1041 dries samples at 80 °C.\n\n## Care\n\nClean it weekly.\n"
    )
    (root / "乾燥.md").write_text("# 乾燥庫\n\n試料を乾燥庫で保管する。湿度は五パーセント以下である。\n")
    (root / "sub" / "plain.txt").write_text("A plain text about nothing in particular.\n")
    (root / "sub" / "标准.md").write_text("# 标准\n\n样品必须干燥保存。\n")
    (root / "tagged.md").write_text("---\ntags: [lab]\nauthor: A. Nonym\n---\nA note with a tag and an author.\n")
    (root / "photo.bin").write_bytes(bytes(range(256)) * 4)
    return root


Sync = Callable[..., SyncReport]


@pytest.fixture
def sync(library: Store, notes: Path) -> Sync:
    """Adds the notes once and runs a sync to its end."""
    pipeline.add_sources(library, [notes])

    def run(embedder: CountingEmbedder | None = None, **options: object) -> SyncReport:
        events = list(pipeline.sync(library, embedder, **options))  # type: ignore[arg-type]
        assert [event.phase for event in events].count("done") == 1
        assert events[-1].phase == "done"
        report = events[-1].report
        assert report is not None
        return report

    return run
