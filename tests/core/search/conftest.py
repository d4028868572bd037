"""Libraries for searching: real files, real indexes, no models."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from inro.index import pipeline
from inro.library import Library
from inro.records import Block, Reading
from inro.store.connect import Store
from inro.workers.embed import EmbedBatch, EmbedModel

Direct = Callable[[str], NDArray[np.float32]]


def note(text: str) -> Reading:
    """A reading of plain paragraphs, cut at blank lines."""
    blocks: list[Block] = []
    at = 0
    for part in text.split("\n\n"):
        if part.strip():
            blocks.append(Block("paragraph", at, at + len(part)))
        at += len(part) + 2
    return Reading(text, "", tuple(blocks), "test/1")


@pytest.fixture
def make(tmp_path: Path) -> Iterator[Callable[[Mapping[str, str | Reading]], Library]]:
    """Makes or fills the test's library with notes, given as path and text or reading, without vectors."""
    library = Library(tmp_path / "library.inro")

    def fill(notes: Mapping[str, str | Reading]) -> Library:
        readings = ((path, note(one) if isinstance(one, str) else one) for path, one in notes.items())
        for _ in library.add_readings("notes", readings, embed=False):
            pass
        return library

    yield fill
    library.close()


@pytest.fixture
def give_vectors() -> Callable[[Library, Direct], None]:
    """Gives every chunk of a library the vector that a function makes of its embedding input."""

    class Embedder:
        def __init__(self, direct: Direct) -> None:
            self._direct = direct
            dimension = len(direct("x"))
            self.model = EmbedModel("test", "", "", dimension, "mean", 512, fingerprint="test")

        def batches(self, texts: Sequence[str]) -> Iterator[EmbedBatch]:
            for i, text in enumerate(texts):
                uncut = np.zeros(1, np.bool_)
                yield EmbedBatch(np.array([i]), self._direct(text)[None, :], np.ones(1, np.int32), uncut)

    def give(library: Library, direct: Direct) -> None:
        for _ in pipeline.sync(Store(library.path), Embedder(direct)):
            pass

    return give


@pytest.fixture(scope="session")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Library:
    """The sample library as it is installed, indexed by words."""
    from inro.sample import folder

    library = Library(tmp_path_factory.mktemp("sample") / "sample.inro")
    store = Store.create(library.path)
    added = pipeline.add_sources(store, [Path(folder())])
    for _ in pipeline.sync(store, None, only=added):
        pass
    return library
