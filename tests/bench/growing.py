"""What a library costs that grows a document at a time: what one more takes, and what a search takes afterwards.

    python tests/bench/growing.py [--chunks 100000] [--adds 1000] [--syncs 20] [--queries 40] [--dimension 128]

A folder of notes of five chunks each is synced, with random unit vectors in the place of an embedder's. Then single
notes are added: some as files, each with a sync of the whole folder (how long the file is held, in all and at the
longest, and the whole sync), the rest as readings through the façade. Then the same queries are put, in turns, to that
library and to a copy whose lexical segments are merged into one; the ratio is between their medians.
"""

from __future__ import annotations

import argparse
import shutil
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from itertools import islice
from pathlib import Path

import numpy as np
from lexical_texts import queries, texts

from inro.index import merge, pipeline
from inro.library import Library
from inro.records import Block, Reading
from inro.store import meta, units
from inro.store.connect import Connection, Store
from inro.workers.embed import EmbedBatch, EmbedModel

SECTIONS = 5
"""Of a note; each becomes a chunk."""
TEXTS = 3
"""Of a section."""
FOLDER = 100
"""Notes in one folder."""


class RandomEmbedder:
    """Answers at once, so that what is measured is the library."""

    def __init__(self, dimension: int) -> None:
        self.model = EmbedModel("random", "", "", dimension, "mean", 512, fingerprint="random")
        self._dice = np.random.default_rng(1)

    def batches(self, given: Sequence[str]) -> Iterator[EmbedBatch]:
        """A random direction a text."""
        vectors = self._dice.normal(size=(len(given), self.model.dimension)).astype(np.float32)
        vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
        which = np.arange(len(given))
        yield EmbedBatch(which, vectors, np.zeros(len(given), np.int32), np.zeros(len(given), np.bool_))


class Watched(Store):
    """A store that notes how long each commit held the file, once it was open."""

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        self.held: list[float] = []

    @contextmanager
    def writing(
        self, *, ahead: Callable[[Connection], None] | None = None, quiet: bool = False, compact: bool = False
    ) -> Iterator[Connection]:
        """As `Store.writing`."""
        with super().writing(ahead=ahead, quiet=quiet, compact=compact) as con:
            started = time.perf_counter()
            yield con
        self.held.append(time.perf_counter() - started)


def notes(count: int, seed: int = 7) -> Iterator[str]:
    """`count` notes in Markdown."""
    source = texts(count * SECTIONS * TEXTS, seed)
    for i in range(count):
        sections = [" ".join(islice(source, TEXTS)) for _ in range(SECTIONS)]
        yield f"# Note {i} of {seed}\n\n" + "\n\n".join(
            f"## Part {j}: {text[:20]}\n\n{text}" for j, text in enumerate(sections)
        )


def reading(text: str) -> Reading:
    """A note as a program would hand it over."""
    blocks = []
    at = 0
    for line in text.split("\n\n"):
        kind, level = ("heading", line.index(" ")) if line.startswith("#") else ("paragraph", 0)
        blocks.append(Block(kind, at, at + len(line), level))  # type: ignore[arg-type]
        at += len(line) + 2
    return Reading(text, text.split("\n", 1)[0].lstrip("# "), tuple(blocks), "bench/1")


def one_segment(store: Store) -> None:
    """Merge all lexical segments."""
    with store.reading() as con:
        loaded = units.load(con, units.LEXICAL)
        gone = units.deleted(con, units.LEXICAL)
    parts = merge.merge([parts for _, parts in loaded], gone)
    with store.writing() as con:
        unit = meta.count_up(con, units.LEXICAL.counter) + 1
        units.replace(con, units.LEXICAL, [number for number, _ in loaded], unit, parts or {}, gone)


def segments(store: Store) -> int:
    """How many lexical segments there are."""
    with store.reading() as con:
        return units.count(con, units.LEXICAL)


def milliseconds(seconds: Sequence[float]) -> str:
    """Median and 95th percentile."""
    return f"p50 {1000 * statistics.median(seconds):6.0f} ms   p95 {1000 * float(np.percentile(seconds, 95)):6.0f} ms"


def grow(library: Path, root: Path, chunks: int, adds: int, syncs: int, dimension: int) -> None:
    """Make the library and let it grow."""
    for i, text in enumerate(notes(chunks // SECTIONS)):
        file = root / f"{i // FOLDER}" / f"{i}.md"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    store = Watched(Store.create(library).path)
    embedder = RandomEmbedder(dimension)
    pipeline.add_sources(store, [root])
    started = time.perf_counter()
    report = list(pipeline.sync(store, embedder))[-1].report
    assert report is not None
    print(f"{report.added:,} notes, {report.chunks:,} chunks in {time.perf_counter() - started:.0f} s", flush=True)
    whole, longest, held = [], [], []
    for i, text in enumerate(notes(syncs, seed=8)):
        (root / "0" / f"new {i}.md").write_text(text, encoding="utf-8")
        store.held.clear()
        started = time.perf_counter()
        for _ in pipeline.sync(store, embedder):
            pass
        whole.append(time.perf_counter() - started)
        longest.append(max(store.held))
        held.append(sum(store.held))
    print(f"a sync of one new file     {milliseconds(whole)}")
    print(f"  it holds the file in all {milliseconds(held)}")
    print(f"  and at most              {milliseconds(longest)}", flush=True)
    face = Library(library)
    taken = []
    for i, text in enumerate(notes(adds, seed=9)):
        started = time.perf_counter()
        for _ in face.add_readings("added", iter([(f"{i}.md", reading(text))]), embed=False):
            pass
        taken.append(time.perf_counter() - started)
    print(f"a note of a program added  {milliseconds(taken)}", flush=True)


def compare(library: Path, count: int) -> None:
    """Put queries to the library and to a merged copy of it."""
    merged = library.with_name("merged.inro")
    shutil.copyfile(library, merged)
    one_segment(Store(merged))
    faces = {path: Library(path) for path in (library, merged)}
    for face in faces.values():
        face.engine.warm()
    print(f"{'':20}{segments(Store(library)):>12} segments{'one':>12}{'ratio':>10}")
    for kind, asked in queries(count, list(islice(texts(5_000), 5_000))).items():
        best = {path: [float("inf")] * len(asked) for path in faces}
        for _ in range(3):
            for path, face in faces.items():
                for i, text in enumerate(asked):
                    started = time.perf_counter()
                    face.search(text, lane="lexical")
                    best[path][i] = min(best[path][i], time.perf_counter() - started)
        grown, alone = (1000 * statistics.median(best[path]) for path in faces)
        print(f"{kind:20}{grown:18.2f} ms{alone:12.2f} ms{grown / alone:7.2f}", flush=True)


def main() -> None:
    """Measure one size."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--chunks", type=int, default=100_000)
    parser.add_argument("--adds", type=int, default=1000)
    parser.add_argument("--syncs", type=int, default=20)
    parser.add_argument("--queries", type=int, default=40)
    parser.add_argument("--dimension", type=int, default=128)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="bench-growing-") as folder:
        library = Path(folder) / "l.inro"
        grow(library, Path(folder) / "notes", options.chunks, options.adds, options.syncs, options.dimension)
        compare(library, options.queries)


if __name__ == "__main__":
    main()
