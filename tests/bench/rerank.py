"""The study behind reranking by late interaction: what the order gains, by weight and by depth, and what it costs.

    python tests/bench/rerank.py
    python tests/bench/rerank.py --shared ../shared --sets xquad-en --queries 200

Rows give nDCG@10 on the queries of even number and on the others, with the first results ordered anew: by a weight on
late interaction (`alone`: by nothing else), and at the program's weight by how many results are scored. The last lines
say what a passage costs that is read for the first time, and so how many fit into the program's budget.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from quality_sets import Corpus, halves, open_set, shared

from inro.config import Settings
from inro.evaluate import EvaluationSet
from inro.models import open_embedder
from inro.search.late import WEIGHT, LateInteraction
from inro.search.rerank import DEPTH, Stage
from inro.workers.embed import EmbedWorker

SETS = ("ja-jsquad", "xquad-en", "zh-cmrc2018", "en-mtragun", "xling-xquad-zh2en")
WEIGHTS = (5.0, 10.0, 20.0, 40.0, 80.0, 160.0)
DEPTHS = (3, 5, 10, 20)
ALONE = 1e6


@dataclass
class Timed(LateInteraction):
    """The program's own, with a clock for passages read for the first time."""

    embedder: EmbedWorker
    seconds: list[float] = field(default_factory=list)

    def __post_init__(self) -> None:
        super().__init__(self.embedder)

    def score(self, question: str, text: str) -> float:
        known = self.is_known(question, text)
        started = time.perf_counter()
        score = super().score(question, text)
        if not known:
            self.seconds.append(time.perf_counter() - started)
        return score


@dataclass(frozen=True)
class Judged:
    """The first results of one query as fusion has them, best first; of those not scored the likeness is nan."""

    chunks: NDArray[np.int64]
    fused: NDArray[np.float64]
    likeness: NDArray[np.float64]
    """Above the least."""

    def order(self, weight: float, depth: int) -> list[int]:
        """Chunks in their new order."""
        scored = ~np.isnan(self.likeness)
        scored &= np.cumsum(scored) <= depth
        gains = np.where(scored, self.likeness - np.min(self.likeness[scored], initial=np.inf), 0.0)
        gains = np.where(np.isfinite(gains), gains, 0.0)
        order = np.argsort(-(self.fused + weight * gains), kind="stable")
        return [int(self.chunks[i]) for i in order]


def judged(corpus: Corpus, directory: Path, late: Timed) -> list[Judged]:
    """Every query of a set through the program's own search and stage, without a budget."""
    library = EvaluationSet.open(directory, dense=True).library
    stage = Stage(lambda: late, float("inf"))
    found: list[Judged] = []
    for text, vector in zip(corpus.queries, corpus.vectors(), strict=True):

        def embed(_text: str, known: NDArray[np.float32] = vector) -> NDArray[np.float32]:
            return known

        ranking, hints = library.engine.ranking(
            text, embed, limit=DEPTH, lane="hybrid", fusion="calibrated", per_document=1, stage=stage
        )
        assert not any("rerank" in hint for hint in hints), hints
        gains = [
            next((part.value for part in item.trace if part.lane == "rerank"), float("nan")) for item in ranking.items
        ]
        likeness = np.array(gains) / WEIGHT
        fused = np.array([item.score for item in ranking.items]) - np.nan_to_num(gains)
        order = np.argsort(-fused, kind="stable")
        chunks = np.array([item.chunk for item in ranking.items], np.int64)
        found.append(Judged(chunks[order], fused[order], likeness[order]))
    library.close()
    return found


def row(label: str, corpora: Sequence[Corpus], every: Sequence[Sequence[Judged]], weight: float, depth: int) -> None:
    cells = []
    for corpus, queries in zip(corpora, every, strict=True):
        owner: Mapping[int, str] = dict(zip(corpus.chunk_ids.tolist(), corpus.documents, strict=True))
        lists = [list(dict.fromkeys(owner[chunk] for chunk in one.order(weight, depth)))[:10] for one in queries]
        a, b = halves(lists, corpus)
        cells.append(f"{a.ndcg:9.4f} {b.ndcg:6.4f}")
    print(f"{label:24}" + "".join(cells), flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--shared", type=Path, default=shared(), help="the folder of measuring data")
    parser.add_argument("--sets", nargs="+", default=SETS)
    parser.add_argument("--queries", type=int, default=200, help="the first so many of each set")
    wanted = parser.parse_args()
    settings = Settings()
    corpora: list[Corpus] = []
    every: list[list[Judged]] = []
    costs: list[float] = []
    with open_embedder(settings.embedder, settings.threads) as embedder:
        for name in wanted.sets:
            corpora.append(open_set(name, wanted.shared, dense=True).first(wanted.queries))
            late = Timed(embedder)
            every.append(judged(corpora[-1], wanted.shared / "eval" / name, late))
            costs.append(float(np.median(late.seconds)))
    print(f"{'even and odd':24}" + "".join(f"{corpus.name.removeprefix('xling-'):>16}" for corpus in corpora))
    row("not reranked", corpora, every, 0.0, DEPTH)
    for weight in WEIGHTS:
        row(f"weight {weight:g}", corpora, every, weight, DEPTH)
    row("alone", corpora, every, ALONE, DEPTH)
    for depth in DEPTHS:
        row(f"depth {depth}, weight {WEIGHT:g}", corpora, every, WEIGHT, depth)
    print(f"{'ms a passage':24}" + "".join(f"{1000 * cost:16.1f}" for cost in costs))
    print(
        f"{f'fit into {settings.rerank_ms} ms':24}" + "".join(f"{settings.rerank_ms / 1000 / c:16.1f}" for c in costs)
    )


if __name__ == "__main__":
    main()
