"""The study behind the fusion of the lanes: each of its numbers is moved by itself, all others as in the program.

    python tests/bench/fusion.py
    python tests/bench/fusion.py --shared ../shared --sets zh-cmrc2018 "sample library"

A row gives nDCG@10 on the queries of even number and on the others. Every chunk is a candidate
here, so that nothing depends on how many the lanes bring. The last lines compare the program's fusion with the better
lane of each set, over all queries, and with plain reciprocal ranks.
"""

from __future__ import annotations

import argparse
import statistics
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import cast

import numpy as np
from numpy.typing import NDArray
from quality_sets import ACROSS, MONOLINGUAL, SAMPLE, Corpus, Quality, halves, open_set, shared

from inro.index.dense import DenseIndex
from inro.index.lexical import LexicalQuery
from inro.records import Fusion, Lane
from inro.search import candidates as candidates_room
from inro.search import fuse as fuse_room
from inro.search import likeness as likeness_room
from inro.search.candidates import Candidates
from inro.search.fuse import fuse
from inro.search.likeness import Chance, Groups, Likeness
from inro.search.terms import query_terms
from inro.text.analyse import Analyser

AS_IT_IS = "as it is"
TOGETHER = ("ja-jsquad", "zh-cmrc2018", "xquad-en", "en-mtragun", "xling-xquad-zh2en")
"""The sets whose mean is to gain by fusion."""
LANES: dict[str, tuple[Lane, Fusion]] = {
    "lexical": ("lexical", "calibrated"),
    "dense": ("dense", "calibrated"),
    "rrf": ("hybrid", "rrf"),
}
NUMBERS = (
    (fuse_room, "LEXICAL_WEIGHT", (8.0, 11.0, 18.0, 24.0)),
    (fuse_room, "LEXICAL_POWER", (0.5, 1.0, 1.5)),
    (likeness_room, "CHANCE_DEVIATIONS", (1.0, 2.0, 4.0)),
    (likeness_room, "MOST_CHANCE", (0.1, 0.4)),
    (candidates_room, "BY_CHANCE", (0.0, 0.25)),
    (likeness_room, "PRIOR_MEAN", (0, 10)),
    (likeness_room, "PRIOR_SPREAD", (3, 30)),
)


@dataclass(frozen=True)
class Seen:
    """What the lanes say of every chunk for one query; stands for the dense index when likeness is measured."""

    chunk_ids: NDArray[np.int64]
    scores: NDArray[np.float64]
    best: float
    cosines: NDArray[np.float64]

    def similarities(self, _vector: NDArray[np.float32], ids: NDArray[np.int64]) -> NDArray[np.float64]:
        return self.cosines[np.searchsorted(self.chunk_ids, ids)]

    def shares(self, ids: NDArray[np.int64]) -> NDArray[np.float64]:
        return self.scores[np.searchsorted(self.chunk_ids, ids)] / max(self.best, 1e-9)


def seen(corpus: Corpus) -> Iterator[Seen]:
    lexical, dense, analyser = corpus.lexical(), corpus.dense(), Analyser()
    ids = corpus.chunk_ids
    for text, vector in zip(corpus.queries, corpus.vectors(), strict=True):
        terms = query_terms(analyser.query(text), lexical=lexical)
        found = lexical.search(LexicalQuery(terms.keys, terms.weights), ids.size)
        best = lexical.search(LexicalQuery(terms.body, terms.body_weights), 0).best_possible
        scores = np.zeros(ids.size)
        scores[np.searchsorted(ids, found.chunk_ids)] = found.scores
        yield Seen(ids, scores, best, dense.similarities(vector, ids).astype(np.float64))


def weighed(one: Seen, groups: Groups, writings: NDArray[np.uint8]) -> Candidates:
    """Every chunk as a candidate, measured as a search measures it."""
    likeness = Likeness.measure(cast(DenseIndex, one), np.empty(0, np.float32), groups)
    chance = Chance.measure(one.shares, groups)
    assert likeness is not None
    assert chance is not None
    z = likeness.z(one.cosines, writings)
    return Candidates(one.chunk_ids, one.scores, one.best, one.cosines, z, True, chance.of(writings))


@contextmanager
def moved(room: object, name: str, value: float) -> Iterator[None]:
    former = getattr(room, name)
    setattr(room, name, value)
    try:
        yield
    finally:
        setattr(room, name, former)


def forms(corpus: Corpus) -> dict[str, Callable[[Seen], NDArray[np.float64]]]:
    """Every way to score that is compared."""
    groups, writings = corpus.groups(), corpus.writings
    alike = np.zeros_like(writings)
    together = Groups.of(corpus.chunk_ids, alike)

    def plain(lane: Lane, fusion: Fusion) -> Callable[[Seen], NDArray[np.float64]]:
        return lambda one: fuse(weighed(one, groups, writings), lane, fusion).scores

    def with_moved(room: object, name: str, value: float) -> Callable[[Seen], NDArray[np.float64]]:
        def score(one: Seen) -> NDArray[np.float64]:
            with moved(room, name, value):
                return fuse(weighed(one, groups, writings), "hybrid", "calibrated").scores

        return score

    return {
        **{label: plain(lane, fusion) for label, (lane, fusion) in LANES.items()},
        AS_IT_IS: plain("hybrid", "calibrated"),
        "chance not measured": lambda one: (
            fuse(replace(weighed(one, groups, writings), chance=None), "hybrid", "calibrated").scores
        ),
        "all writing as one": lambda one: fuse(weighed(one, together, alike), "hybrid", "calibrated").scores,
        **{
            f"{name.lower()} {value}": with_moved(room, name, value)
            for room, name, values in NUMBERS
            for value in values
        },
    }


def measured(corpus: Corpus) -> dict[str, list[list[str]]]:
    """The first documents of every query, by way to score."""
    ways = forms(corpus)
    lists: dict[str, list[list[str]]] = {label: [] for label in ways}
    for one in seen(corpus):
        for label, score in ways.items():
            lists[label].append(corpus.ranked(np.argsort(-score(one), kind="stable").tolist()))
    return lists


def summary(corpora: Sequence[Corpus], every: Sequence[dict[str, list[list[str]]]]) -> None:
    print(f"\n{'nDCG@10 of all':22}{'lexical':>9}{'dense':>9}{'rrf':>9}{'fused':>9}{'gain':>9}  first 3 hold it")
    gains: dict[str, float] = {}
    for corpus, lists in zip(corpora, every, strict=True):
        whole = {label: Quality.of(lists[label], corpus.grades).ndcg for label in (*LANES, AS_IT_IS)}
        gains[corpus.name] = whole[AS_IT_IS] - max(whole["lexical"], whole["dense"])
        within = statistics.fmean(
            any(grade.get(document, 0) > 0 for document in found[:3])
            for found, grade in zip(lists[AS_IT_IS], corpus.grades, strict=True)
        )
        print(
            f"{corpus.name:22}" + "".join(f"{figure:9.4f}" for figure in whole.values()),
            f"{gains[corpus.name]:+8.4f}{within:9.3f}",
        )
    if set(TOGETHER) <= set(gains):
        print(f"mean gain over the better lane of {', '.join(TOGETHER)}: ", end="")
        print(f"{statistics.fmean(gains[name] for name in TOGETHER):+.4f}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--shared", type=Path, default=shared(), help="the folder of measuring data")
    parser.add_argument("--sets", nargs="+", default=(*MONOLINGUAL, *ACROSS, SAMPLE))
    parser.add_argument("--queries", type=int, help="only the first so many of each set")
    wanted = parser.parse_args()
    corpora = [open_set(name, wanted.shared, dense=True) for name in wanted.sets]
    corpora = [one.first(wanted.queries) for one in corpora] if wanted.queries else corpora
    every = [measured(corpus) for corpus in corpora]
    print(f"{'even and odd':24}" + "".join(f"{corpus.name.removeprefix('xling-'):>16}" for corpus in corpora))
    for label in every[0]:
        cells = [halves(lists[label], corpus) for corpus, lists in zip(corpora, every, strict=True)]
        print(f"{label:24}" + "".join(f"{a.ndcg:9.4f} {b.ndcg:6.4f}" for a, b in cells))
    summary(corpora, every)


if __name__ == "__main__":
    main()
