"""What a large library costs to open and to use: first searches, searches and answers when warm, memory, file size.

    python tests/bench/opening.py [--chunks 100000] [--dimension 384] [--questions 40]
    python tests/bench/opening.py --chunks 2900 --dimension 1024 --questions 0

A folder of notes of five chunks each is synced. With the dimension of the default embedder each chunk gets the mean of
two real passage vectors, so that questions meet a library as it is without hours of embedding; with another dimension
random ones, for the size of the file alone. Opening is measured in a process in which the model has answered before:
a library object made for the file, and its first search. The command is run as a user runs it, model and all.
"""

from __future__ import annotations

import argparse
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path

import numpy as np
from growing import FOLDER, SECTIONS, notes
from lexical_texts import questions, texts
from numpy.typing import NDArray

from inro.index import pipeline
from inro.library import Library
from inro.models import open_embedder
from inro.records import AnswerDone, AnswerDraft
from inro.store.connect import Store
from inro.workers.embed import EmbedBatch, EmbedModel

NAME = "multilingual-e5-small"
REAL = 1500
"""Passages embedded in earnest."""
OPENINGS = 5


class Mixed:
    """Vectors at once: unit means of two of `real`, or random directions where there are none."""

    def __init__(self, model: EmbedModel, real: NDArray[np.float32]) -> None:
        self.model = model
        self._real = real
        self._dice = np.random.default_rng(1)

    def batches(self, given: Sequence[str]) -> Iterator[EmbedBatch]:
        """One batch of all."""
        count = len(given)
        if len(self._real):
            one, other = self._dice.integers(0, len(self._real), (2, count))
            vectors = 0.7 * self._real[one] + 0.3 * self._real[other]
        else:
            vectors = self._dice.normal(size=(count, self.model.dimension)).astype(np.float32)
        vectors = (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)
        yield EmbedBatch(np.arange(count), vectors, np.zeros(count, np.int32), np.zeros(count, np.bool_))


def mixed(dimension: int) -> Mixed:
    """Vectors of that many numbers; those of the default embedder if it has as many."""
    with open_embedder(NAME) as worker:
        if worker.model.dimension == dimension:
            return Mixed(worker.model, worker.passages(list(islice(texts(REAL), REAL))))
    return Mixed(
        EmbedModel("random", "", "", dimension, "mean", 512, fingerprint="random"), np.empty((0, 0), np.float32)
    )


def make(folder: Path, chunks: int, dimension: int) -> Path:
    """Write the notes, sync them, and say what the file came to."""
    root = folder / "notes"
    for i, text in enumerate(notes(chunks // SECTIONS)):
        file = root / f"{i // FOLDER}" / f"{i}.md"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    store = Store.create(folder / "large.inro")
    pipeline.add_sources(store, [root])
    report = list(pipeline.sync(store, mixed(dimension)))[-1].report
    assert report is not None
    size = store.path.stat().st_size / 1e6
    print(f"{report.chunks:,} chunks of {dimension} numbers, text and all: {size:.1f} MB, "
          f"{1e6 * size / report.chunks:,.0f} bytes a chunk", flush=True)  # fmt: skip
    return store.path


def told(what: str, seconds: Sequence[float]) -> None:
    """Median, 95th percentile and most."""
    p50, p95 = (1000 * float(np.percentile(seconds, share)) for share in (50, 95))
    print(f"{what:44} p50 {p50:7.0f} ms   p95 {p95:7.0f} ms   most {1000 * max(seconds):7.0f} ms", flush=True)


def resident_mb() -> float:
    """Of this process, now; the models are in others."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * resource.getpagesize() / 2**20


def small(folder: Path) -> Path:
    """A library of one note, for warming up."""
    (folder / "one").mkdir()
    (folder / "one" / "a.md").write_text("# A kiln\n\nThe kiln is fired at 900 °C.\n", encoding="utf-8")
    path = folder / "small.inro"
    with Library(path) as library:
        for _ in library.add([folder / "one"]):
            pass
    return path


def measure(path: Path, folder: Path, count: int) -> None:
    """Open, search and ask."""
    asked = [*questions("ja-jsquad", count // 2), *questions("xquad-en", count - count // 2)]
    with Library(small(folder)) as warm:
        warm.warm()
        list(warm.ask("How hot is the kiln?"))
        before = resident_mb()
        first = []
        for i in range(OPENINGS):
            started = time.perf_counter()
            warm.beside(path).search(asked[i])
            first.append(time.perf_counter() - started)
        told("opened, first hybrid search", first)
        large = warm.beside(path)
        large.warm()
        for lane in ("lexical", "hybrid"):
            taken = []
            for text in asked:
                started = time.perf_counter()
                large.search(text, lane=lane)
                taken.append(time.perf_counter() - started)
            told(f"{lane} search, warm", taken)
        taken, refused = [], 0
        for text in asked:
            started = time.perf_counter()
            for event in large.ask(text):
                if isinstance(event, AnswerDraft | AnswerDone):
                    taken.append(time.perf_counter() - started)
                    refused += event.answer.refused
                    break
        told(f"first answer or refusal ({refused} refused), warm", taken)
        print(f"memory: {resident_mb():.0f} MB, {before:.0f} before the large library was opened (models are apart)")


def command(path: Path) -> None:
    """The whole process."""
    for lane in ("lexical", "hybrid"):
        taken = []
        for text in questions("xquad-en", OPENINGS):
            line = [str(Path(sys.executable).with_name("inro")), "search", text, "--lane", lane, "--library", str(path)]
            started = time.perf_counter()
            subprocess.run(line, check=True, capture_output=True)
            taken.append(time.perf_counter() - started)
        told(f"inro search --lane {lane}, from nothing", taken)


def main() -> None:
    """Measure one size."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--chunks", type=int, default=100_000)
    parser.add_argument("--dimension", type=int, default=384)
    parser.add_argument("--questions", type=int, default=40, help="0 for the size of the file alone")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="bench-opening-") as folder:
        path = make(Path(folder), options.chunks, options.dimension)
        if options.questions:
            measure(path, Path(folder), options.questions)
            command(path)


if __name__ == "__main__":
    main()
