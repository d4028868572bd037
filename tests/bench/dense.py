"""Dense search side by side: recall@10 against exact float32, time, build and memory, for inro and its peers.

    python tests/bench/dense.py --sizes 10000 100000
    python tests/bench/dense.py --shared ../shared/eval --embed 4000
    python tests/bench/dense.py --vectors passages.npy --queries queries.npy

Vectors are those of an embedder: embedded here from the sets of a folder with the default model, or float32 arrays of
passages and queries as `EmbedWorker` gives them. Where a size needs more than there are, each is repeated with a part
of the difference of two others added, which moves it the way texts differ. Without either, vectors are drawn in
clusters about a common direction. Each contestant is run at several beams; a peer's row to compare with is its fastest
that recalls what is asked. All run on one thread, in turns, in one process. Memory is what an index holds by its own
account; hnswlib's leaves its locks and label table out.
"""

from __future__ import annotations

import argparse
import importlib
import importlib.util
import json
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from inro.index import dense, dense_graph
from inro.index.dense import DenseIndex, build_graph, encode_block
from inro.index.dense_graph import EFFORT, NEIGHBOURS

Vectors = npt.NDArray[np.float32]
Search = Callable[[Vectors], npt.NDArray[np.int64]]
K = 10
BLOCK = 32_000
ROUNDS = 3
BEAMS = (16, 32, 64, 128, 256, 512, 1024)


@dataclass
class Contestant:
    """One index, ready to be searched at a beam; a beam of 0 has no other."""

    name: str
    build_seconds: float
    bytes: int
    search: Callable[[int], Search]
    beams: Sequence[int] = BEAMS


@dataclass(frozen=True)
class Row:
    """What one contestant did at one beam."""

    name: str
    beam: int
    recall: float
    p50: float
    p95: float


def unit(vectors: Vectors) -> Vectors:
    return np.asarray(vectors / np.linalg.norm(vectors, axis=1, keepdims=True), np.float32)


def drawn(count: int, dimension: int, queries: int) -> tuple[Vectors, Vectors]:
    """Clustered vectors about a common direction, and queries near some of them."""
    random = np.random.default_rng(0)
    heads = random.standard_normal((2000, dimension), np.float32)
    common = 2 * random.standard_normal(dimension, np.float32)
    passages = unit(
        0.8 * heads[random.integers(0, 2000, count)] + random.standard_normal((count, dimension), np.float32) + common
    )
    near = passages[random.integers(0, count, queries)]
    return passages, unit(near + 0.03 * random.standard_normal(near.shape, np.float32))


def embedded(folder: Path, count: int, queries: int) -> tuple[Vectors, Vectors]:
    """Vectors of the openings of passages and of the questions of all sets in a folder, in a fixed random order."""
    from inro.models.opening import open_embedder

    def texts(name: str, most: int) -> list[str]:
        lines = [line for path in sorted(folder.glob(f"*/{name}.jsonl")) for line in path.open(encoding="utf-8")]
        found = list(dict.fromkeys(str(json.loads(line)["text"])[:300] for line in lines))
        return [found[at] for at in np.random.default_rng(0).permutation(len(found))[:most]]

    with open_embedder("multilingual-e5-small") as worker:
        passages = worker.passages(texts("corpus", count))
        return unit(passages), unit(np.stack([worker.query(text) for text in texts("queries", queries)]))


def grown(vectors: Vectors, count: int) -> Vectors:
    """Exactly `count` vectors: a prefix, or all with varied copies."""
    if count <= vectors.shape[0]:
        return vectors[:count]
    random = np.random.default_rng(1)
    parts = [vectors]
    while sum(map(len, parts)) < count:
        one, other = (random.permutation(vectors.shape[0]) for _ in range(2))
        parts.append(unit(vectors + np.float32(0.7) * (vectors[one] - vectors[other])))
    return np.vstack(parts)[:count]


def exact(passages: Vectors, queries: Vectors) -> npt.NDArray[np.int64]:
    """The K nearest by float32 products, int64[queries, K]."""
    return np.vstack(
        [
            np.argsort(-(queries[at : at + 64] @ passages.T), axis=1, kind="stable")[:, :K]
            for at in range(0, queries.shape[0], 64)
        ]
    )


def inro_contestants(passages: Vectors, threads: int) -> Iterator[Contestant]:
    none = np.empty(0, np.int64)
    start = time.perf_counter()
    blocks: list[tuple[int, dict[str, bytes]]] = []
    for at in range(0, passages.shape[0], BLOCK):
        ids = np.arange(at, min(at + BLOCK, passages.shape[0]))
        centre = dense.largest_centre([blocks[0][1]]) if blocks else None
        blocks.append((at, encode_block(ids, passages[ids], centre)))
    encoded = time.perf_counter() - start
    whole = DenseIndex.load(blocks, None, none)
    yield Contestant(
        "inro scan", encoded, whole.nbytes, lambda _beam: lambda query: whole.search(query, K).chunk_ids, (0,)
    )
    graph = build_graph([parts for _, parts in blocks], threads=threads)
    built = time.perf_counter() - start
    start = time.perf_counter()
    index = DenseIndex.load(blocks, graph, none)
    print(f"inro: graph {sum(map(len, graph.values())) / 2**20:.1f} MB, "
          f"blocks {sum(len(data) for _, parts in blocks for data in parts.values()) / 2**20:.1f} MB, "
          f"loaded in {time.perf_counter() - start:.3f} s")  # fmt: skip

    def at_beam(beam: int) -> Search:
        def search(query: Vectors) -> npt.NDArray[np.int64]:
            dense.BEAM, dense_graph.SCAN_BYTES = beam, 0
            return index.search(query, K).chunk_ids

        return search

    yield Contestant("inro graph", built, index.nbytes, at_beam)


def hnswlib_contestant(passages: Vectors, threads: int) -> Contestant:
    import hnswlib

    start = time.perf_counter()
    index = hnswlib.Index(space="ip", dim=passages.shape[1])
    index.init_index(passages.shape[0], M=NEIGHBOURS, ef_construction=EFFORT, random_seed=1)
    index.add_items(passages, num_threads=threads)
    built = time.perf_counter() - start
    index.set_num_threads(1)

    def at_beam(beam: int) -> Search:
        index.set_ef(beam)
        return lambda query: np.asarray(index.knn_query(query, K)[0][0], np.int64)

    return Contestant("hnswlib float32", built, int(index.index_file_size()), at_beam)


def usearch_contestant(passages: Vectors, threads: int) -> Contestant:
    usearch: Any = importlib.import_module("usearch.index")
    start = time.perf_counter()
    index = usearch.Index(
        ndim=passages.shape[1], metric="ip", dtype="i8",
        connectivity=NEIGHBOURS, expansion_add=EFFORT,
    )  # fmt: skip
    index.add(np.arange(passages.shape[0]), passages, threads=threads)
    built = time.perf_counter() - start

    def at_beam(beam: int) -> Search:
        index.expansion_search = beam
        return lambda query: np.asarray(index.search(query, K, threads=1).keys, np.int64)

    return Contestant("usearch int8", built, int(index.memory_usage), at_beam)


def faiss_contestants(passages: Vectors, threads: int) -> Iterator[Contestant]:
    faiss: Any = importlib.import_module("faiss")
    faiss.omp_set_num_threads(threads)
    start = time.perf_counter()
    index = faiss.IndexHNSWSQ(passages.shape[1], faiss.ScalarQuantizer.QT_8bit, NEIGHBOURS, faiss.METRIC_INNER_PRODUCT)
    index.hnsw.efConstruction = EFFORT
    index.train(passages)
    index.add(passages)
    built = time.perf_counter() - start
    faiss.omp_set_num_threads(1)

    def at_beam(beam: int) -> Search:
        index.hnsw.efSearch = beam
        return lambda query: np.asarray(index.search(query[None], K)[1][0], np.int64)

    yield Contestant("faiss HNSW SQ8", built, len(faiss.serialize_index(index)), at_beam)
    flat = faiss.IndexFlatIP(passages.shape[1])
    flat.add(passages)
    yield Contestant(
        "faiss exact", 0.0, passages.nbytes,
        lambda _beam: lambda query: np.asarray(flat.search(query[None], K)[1][0], np.int64), (0,),
    )  # fmt: skip


def measure(contestants: Sequence[Contestant], queries: Vectors, truth: npt.NDArray[np.int64]) -> list[Row]:
    """Every contestant at every beam, in turns."""
    times: dict[tuple[str, int], list[float]] = {}
    recalls: dict[tuple[str, int], float] = {}
    for turn in range(ROUNDS):
        for contestant in contestants:
            for beam in contestant.beams:
                search = contestant.search(beam)
                search(queries[0])
                taken = times.setdefault((contestant.name, beam), [])
                right = 0
                for query, nearest in zip(queries, truth, strict=True):
                    start = time.perf_counter()
                    found = search(query)
                    taken.append(1000 * (time.perf_counter() - start))
                    if turn == 0:
                        right += np.intersect1d(found, nearest).shape[0]
                if turn == 0:
                    recalls[contestant.name, beam] = right / truth.size
    return [
        Row(name, beam, recalls[name, beam], *(float(np.quantile(taken, share)) for share in (0.5, 0.95)))
        for (name, beam), taken in times.items()
    ]


def told(row: Row) -> str:
    return f"beam {row.beam:4}  recall@10 {row.recall:.4f}  p50 {row.p50:.3f} ms  p95 {row.p95:.3f} ms"


def report(size: int, contestants: Sequence[Contestant], rows: Sequence[Row], asked: float) -> None:
    peer = next(each for each in contestants if each.name.startswith("hnswlib"))
    best: dict[str, Row] = {}
    for contestant in contestants:
        print(f"\n{contestant.name}: built in {contestant.build_seconds:.1f} s,", end=" ")
        print(f"{contestant.bytes / 2**20:.1f} MB, {contestant.bytes / peer.bytes:.3f} x {peer.name}")
        for row in rows:
            if row.name == contestant.name:
                print(f"  {told(row)}")
                if row.recall >= asked and (row.name not in best or row.p50 < best[row.name].p50):
                    best[row.name] = row
    print(f"\nfastest at recall@10 >= {asked}, {size} vectors:")
    for name, row in best.items():
        ratio = f", {row.p50 / best[peer.name].p50:.2f} x {peer.name}" if peer.name in best else ""
        print(f"  {name:16} {told(row)}{ratio}")
    print(flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description="Dense search side by side with its peers.")
    parser.add_argument("--sizes", type=int, nargs="+", default=[10_000, 100_000])
    parser.add_argument("--dimension", type=int, default=384, help="of drawn vectors")
    parser.add_argument("--vectors", type=Path, help="float32[n, d], .npy")
    parser.add_argument("--queries", type=Path, help="float32[m, d], .npy")
    parser.add_argument("--query-count", type=int, default=500)
    parser.add_argument("--threads", type=int, default=2, help="for building")
    parser.add_argument("--recall", type=float, default=0.985)
    parser.add_argument("--shared", type=Path, help="a folder of sets, each with corpus.jsonl and queries.jsonl")
    parser.add_argument("--embed", type=int, default=4000, help="passages to embed of them")
    chosen = parser.parse_args()
    real: tuple[Vectors, Vectors] | None = None
    if chosen.shared:
        real = embedded(chosen.shared, chosen.embed, chosen.query_count)
    elif chosen.vectors and chosen.queries:
        real = unit(np.load(chosen.vectors)), unit(np.load(chosen.queries))[: chosen.query_count]
    for size in chosen.sizes:
        if real is not None:
            passages, queries = grown(real[0], size), real[1]
        else:
            passages, queries = drawn(size, chosen.dimension, chosen.query_count)
        print(f"{size} vectors of {passages.shape[1]}, {queries.shape[0]} queries")
        truth = exact(passages, queries)
        contestants = [
            *inro_contestants(passages, chosen.threads),
            hnswlib_contestant(passages, chosen.threads),
        ]
        if importlib.util.find_spec("usearch"):
            contestants.append(usearch_contestant(passages, chosen.threads))
        if importlib.util.find_spec("faiss"):
            contestants.extend(faiss_contestants(passages, chosen.threads))
        report(size, contestants, measure(contestants, queries, truth), chosen.recall)


if __name__ == "__main__":
    main()
