"""How fast the lexical lane is beside other engines, over the same terms, in one run on one machine.

    python tests/bench/lexical.py [--chunks 10000 100000 1000000] [--peers tantivy bm25s ...] [--queries 100]

For each size: build rate (inro's analysis is timed apart; every peer but SQLite is given the terms ready made), bytes
on disk, time to open, resident memory that opening adds, and latency by class of query, best of three rounds in which
the engines take turns, each with all queries. Ratios are inro's p50 over the peer's. DuckDB and SQLite are left out
above 100,000 chunks unless they are asked for by name.
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from itertools import islice
from pathlib import Path

import numpy as np
from lexical_peers import Bm25s, DuckDbFts, Peer, SqliteTrigram, Tantivy
from lexical_texts import queries, texts
from numpy.typing import NDArray

from inro.index.lexical import LexicalIndex, LexicalQuery, build_segment
from inro.index.merge import merge
from inro.text.analyse import Analyser

STEP = 50_000
"""Chunks analysed and built at a time."""
K = 10
SLOW = 100
"""Milliseconds beyond which one run of a query has to do."""
ALL_SIZES: dict[str, Callable[[], Peer]] = {"tantivy": Tantivy, "bm25s": Bm25s}
SMALL_SIZES: dict[str, Callable[[], Peer]] = {"duckdb": DuckDbFts, "sqlite": SqliteTrigram}
NONE = np.zeros(0, dtype=np.int64)


def resident() -> float:
    """Megabytes this process holds in memory; 0 where the system does not tell."""
    status = Path("/proc/self/status")
    if not status.exists():
        return 0.0
    line = next(line for line in status.read_text().splitlines() if line.startswith("VmRSS"))
    return int(line.split()[1]) / 1024


def named(keys: NDArray[np.uint64], offsets: NDArray[np.int64]) -> Iterator[list[str]]:
    """Each text's terms as names: the key in hexadecimal."""
    distinct, places = np.unique(keys, return_inverse=True)
    names = [f"{key:x}" for key in distinct.tolist()]
    for begin, end in zip(offsets[:-1].tolist(), offsets[1:].tolist(), strict=True):
        yield [names[i] for i in places[begin:end].tolist()]


def build(chunks: int, peers: Sequence[Peer]) -> tuple[dict[str, bytes], dict[str, float]]:
    """Build inro's index and every peer's; returns inro's parts and seconds by engine."""
    analyser = Analyser()
    analyser.batch(["warm up 準備"])
    build_segment(np.zeros(1, dtype=np.int64), {0: analyser.batch(["warm up 準備"])})
    seconds = dict.fromkeys(["analysis", "inro", *(peer.name for peer in peers)], 0.0)
    source = texts(chunks)
    segments = []
    for first in range(0, chunks, STEP):
        group = list(islice(source, STEP))
        started = time.perf_counter()
        batch = analyser.batch(group)
        seconds["analysis"] += time.perf_counter() - started
        started = time.perf_counter()
        segments.append(build_segment(np.arange(first, first + len(group)), {0: batch}))
        seconds["inro"] += time.perf_counter() - started
        rows = list(named(batch.keys, batch.offsets)) if peers else []
        for peer in peers:
            started = time.perf_counter()
            peer.build(rows, group)
            seconds[peer.name] += time.perf_counter() - started
    started = time.perf_counter()
    parts = segments[0] if len(segments) == 1 else merge(segments, NONE)
    seconds["inro"] += time.perf_counter() - started
    for peer in peers:
        started = time.perf_counter()
        peer.finish()
        seconds[peer.name] += time.perf_counter() - started
    assert parts is not None
    return parts, seconds


def reopen(parts: Mapping[str, bytes]) -> tuple[LexicalIndex, float, float]:
    """The index as read from files: with seconds to open, first use of the kernels excepted, and megabytes added."""
    LexicalIndex.load([(0, parts)], NONE)
    with tempfile.TemporaryDirectory(prefix="bench-inro-") as folder:
        for name, data in parts.items():
            (Path(folder) / name).write_bytes(data)
        before = resident()
        started = time.perf_counter()
        read = {file.name: file.read_bytes() for file in Path(folder).iterdir()}
        index = LexicalIndex.load([(0, read)], NONE)
        return index, time.perf_counter() - started, resident() - before


def latencies(
    index: LexicalIndex, peers: Sequence[Peer], asked: Sequence[tuple[LexicalQuery, list[str], str]]
) -> dict[str, list[float]]:
    """Milliseconds by engine and query, the best of three rounds."""
    runs: dict[str, list[Callable[[], object]]] = {"inro": [partial(index.search, query, K) for query, _, _ in asked]}
    for peer in peers:
        runs[peer.name] = [partial(peer.search, peer.prepare(names, text), K) for _, names, text in asked]
    out = {name: [float("inf")] * len(asked) for name in runs}
    for calls in runs.values():
        calls[0]()
    for turn in range(3):
        for name, calls in runs.items():
            for i, call in enumerate(calls):
                if turn and out[name][i] > SLOW:
                    continue
                started = time.perf_counter()
                call()
                out[name][i] = min(out[name][i], (time.perf_counter() - started) * 1000)
    return out


def report(chunks: int, names: Sequence[str], count: int) -> None:
    """Build, measure and print one size."""
    peers: list[Peer] = [(ALL_SIZES | SMALL_SIZES)[name]() for name in names]
    parts, seconds = build(chunks, peers)
    index, opening, memory = reopen(parts)
    size = sum(map(len, parts.values()))
    postings = int(index.segments[0].frequencies.sum())
    print(f"\n{chunks:,} chunks, {postings:,} postings; opened in {opening * 1000:.0f} ms, {memory:.0f} MB resident")
    print(f"analysis {chunks / seconds['analysis']:,.0f} chunks/s")
    print(f"{'':16}{'chunks/s':>12}{'MB':>10}{'inro size /':>14}")
    print(f"{'inro':16}{chunks / seconds['inro']:12,.0f}{size / 1e6:10.1f}")
    for peer in peers:
        theirs = peer.size()
        print(f"{peer.name:16}{chunks / seconds[peer.name]:12,.0f}{theirs / 1e6:10.1f}{size / theirs:14.2f}")
    analyser = Analyser()
    sample = list(islice(texts(chunks), 5_000))
    print(f"{'':20}{'':16}{'p50 ms':>10}{'p95 ms':>10}{'inro p50 /':>12}")
    for kind, written in queries(count, sample).items():
        asked = []
        for text in written:
            keys = np.unique(analyser.query(text).keys)
            asked.append(
                (LexicalQuery(keys, np.ones(len(keys), np.float32)), [f"{key:x}" for key in keys.tolist()], text)
            )
        found = latencies(index, peers, asked)
        ours = statistics.median(found["inro"])
        for name, times in found.items():
            median, high = statistics.median(times), float(np.percentile(times, 95))
            ratio = "" if name == "inro" else f"{ours / median:12.2f}"
            print(f"{kind if name == 'inro' else '':20}{name:16}{median:10.3f}{high:10.3f}{ratio}", flush=True)
    for peer in peers:
        peer.close()


def main() -> None:
    """Measure the sizes asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--chunks", type=int, nargs="+", default=[10_000, 100_000])
    parser.add_argument("--peers", nargs="*", choices=[*ALL_SIZES, *SMALL_SIZES])
    parser.add_argument("--queries", type=int, default=100)
    options = parser.parse_args()
    for chunks in options.chunks:
        usual = [*ALL_SIZES, *(SMALL_SIZES if chunks <= 100_000 else ())]
        report(chunks, usual if options.peers is None else options.peers, options.queries)


if __name__ == "__main__":
    main()
