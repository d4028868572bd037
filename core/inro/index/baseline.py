"""The likeness of unrelated chunks, as remembered in the file: when it is due, measured and read again.

Rule: measured when vectors were made and nothing was measured yet, with another embedder, or before a part of the
library came or went that could move it. Whatever is stored is checked, and what cannot be right is not there.
How it is measured is told by `dense_baseline`.
"""

from __future__ import annotations

import json
import math
from dataclasses import dataclass

import duckdb

from inro.index import dense, fingerprint
from inro.index.dense_baseline import Baseline, measure_baseline
from inro.store import chunks, meta, units
from inro.store.connect import Store

KEY = "baseline"
CHANGED = 0.2
"""Share of the chunks that must have come or gone before it is measured again."""
FEWEST = 100
"""Chunks below which unrelated ones are too few to be told from related ones."""


@dataclass(frozen=True, slots=True)
class Remembered:
    """A baseline and what it was measured on."""

    baseline: Baseline
    chunks: int
    """Chunks the library had."""
    next_chunk: int
    """The chunk counter then: how many came since is told by it."""
    embedder: str
    """Fingerprint of the model whose vectors were measured."""

    @property
    def ceiling(self) -> float:
        """The cosine that one unrelated pair in a hundred reaches."""
        return dict(self.baseline.quantiles)[0.99]

    @property
    def median(self) -> float:
        """The cosine that half the unrelated pairs reach."""
        return dict(self.baseline.quantiles)[0.5]


def stored(con: duckdb.DuckDBPyConnection) -> Remembered | None:
    """What was measured last; None if nothing was, or if it is of another embedder than the vectors, or damaged."""
    try:
        read = json.loads(meta.get(con, KEY, "null"))
        pairs, mean, std = int(read["pairs"]), float(read["mean"]), float(read["std"])
        quantiles = tuple((float(share), float(cosine)) for share, cosine in read["quantiles"])
        found = Remembered(
            Baseline(pairs, mean, std, quantiles), int(read["chunks"]), int(read["next_chunk"]), str(read["embedder"])
        )
    except (ValueError, TypeError, KeyError, RecursionError, OverflowError):
        return None
    figures = [mean, *(cosine for _, cosine in quantiles)]
    sound = (
        pairs > 0
        and found.chunks > 0
        and 0 <= std <= 2
        and all(-1.01 <= one <= 1.01 for one in figures)
        and math.isfinite(std)
    )
    if (
        not sound
        or not {0.5, 0.99} <= {share for share, _ in quantiles}
        or found.embedder != fingerprint.stored_embedder(con)
    ):
        return None
    return found


def is_due(con: duckdb.DuckDBPyConnection) -> bool:
    """Whether it is to be measured now; no vector is read for it."""
    now = chunks.count(con) - chunks.count_to_embed(con)
    if now < FEWEST:
        return False
    former = stored(con)
    if former is None:
        return True
    came = meta.counter(con, meta.NEXT_CHUNK) - former.next_chunk
    went = max(0, former.chunks + came - chunks.count(con))
    return came + went >= CHANGED * former.chunks


def keep(store: Store) -> None:
    """Measure it if that is due.

    Raises:
        LibraryBusy, WriteFailed, NotAnIndex: the file cannot be used.
    """
    with store.reading() as con:
        if not is_due(con):
            return
        vectors = units.load(con, units.DENSE)
        index = dense.DenseIndex.load(vectors, None, units.deleted(con, units.DENSE))
        ids, documents, _ = chunks.owners(con)
        now = (chunks.count(con), meta.counter(con, meta.NEXT_CHUNK), fingerprint.stored_embedder(con))
    measured = measure_baseline(index, ids, documents)
    if not measured.pairs:
        return
    written = {
        "pairs": measured.pairs,
        "mean": measured.mean,
        "std": measured.std,
        "quantiles": measured.quantiles,
        "chunks": now[0],
        "next_chunk": now[1],
        "embedder": now[2],
    }
    # nothing that a search has in memory is changed by it
    with store.writing(quiet=True) as con:
        meta.put(con, KEY, json.dumps(written))
