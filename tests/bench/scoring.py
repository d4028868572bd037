"""The study behind the lexical lane's numbers: each is moved by itself, all others as they are in the program.

    python tests/bench/scoring.py
    python tests/bench/scoring.py --shared ../shared --sets ja-jsquad en-mtragun --queries 400

A row gives nDCG@10 on the queries of even number and on the others; a number is meant to stand where both are flat.
The first row adds how often the first document answers, and recall@10, over all queries.
"""

from __future__ import annotations

import argparse
import importlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from quality_sets import DEPTH, MONOLINGUAL, Corpus, Quality, halves, open_set, shared

from inro.index.lexical import Bm25, LexicalIndex, LexicalQuery
from inro.search.terms import FIELD_WEIGHTS, query_terms
from inro.text.analyse import Analyser
from inro.text.keys import HEADING, TITLE

WEIGH = "inro.text.weigh"
NUMBERS: tuple[tuple[str, str, Sequence[float]], ...] = (
    ("inro.search.terms", "SHARPNESS", (1.0, 1.1, 1.3, 1.5)),
    (WEIGH, "LETTERS", (1.0, 1.5, 3.0)),
    (WEIGH, "STEM_SHARE", (0.25, 0.35, 0.7, 1.0)),
    (WEIGH, "WHOLE", (0.75, 3.0)),
    (WEIGH, "CJK_WORD", (0.3, 0.7, 1.0)),
    (WEIGH, "PAIR_WITH_HIRAGANA", (0.3, 0.4, 0.6, 1.0)),
    (WEIGH, "LONE_IDEOGRAPH", (0.7, 1.0, 1.6)),
    (WEIGH, "IDEOGRAPH", (0.15, 0.45)),
    (WEIGH, "SYLLABLE", (0.0, 0.2)),
    (WEIGH, "ASKING", (0.0, 0.4, 1.0)),
)
BM25 = (
    *((0.4, 0.6), (0.5, 0.4), (0.5, 0.5), (0.5, 0.75), (0.6, 0.6), (0.6, 0.75)),
    *((0.7, 0.6), (0.9, 0.4), (0.9, 0.75), (1.2, 0.75)),
)
TITLES = (0.0, 0.2, 0.4, 0.6)
"""Weights of title and headings."""


def lists(corpus: Corpus, lexical: LexicalIndex) -> list[list[str]]:
    """The first documents of every query."""
    analyser = Analyser()
    place = {chunk: i for i, chunk in enumerate(corpus.chunk_ids.tolist())}
    found = []
    for text in corpus.queries:
        terms = query_terms(analyser.query(text), lexical=lexical)
        chunks = lexical.search(LexicalQuery(terms.keys, terms.weights), 8 * DEPTH).chunk_ids
        found.append(corpus.ranked(place[chunk] for chunk in chunks.tolist()))
    return found


@contextmanager
def moved(module: str, name: str, value: float) -> Iterator[None]:
    """A number of the program moved for a while, wherever it was imported."""
    homes = [importlib.import_module(one) for one in (module, "inro.text.analyse")]
    homes = [home for home in homes if hasattr(home, name)]
    former = getattr(homes[0], name)
    try:
        for home in homes:
            setattr(home, name, value)
        yield
    finally:
        for home in homes:
            setattr(home, name, former)


def row(label: str, corpora: Sequence[Corpus], indexes: Sequence[LexicalIndex]) -> list[list[list[str]]]:
    every = [lists(corpus, index) for corpus, index in zip(corpora, indexes, strict=True)]
    cells = [halves(found, corpus) for found, corpus in zip(every, corpora, strict=True)]
    print(f"{label:26}" + "".join(f"{a.ndcg:9.4f} {b.ndcg:6.4f}" for a, b in cells), flush=True)
    return every


def study(corpora: Sequence[Corpus]) -> None:
    print(f"{'nDCG@10, even and odd':26}" + "".join(f"{corpus.name:>16}" for corpus in corpora))
    plain = [corpus.lexical() for corpus in corpora]
    every = row("as it is", corpora, plain)
    whole = [Quality.of(found, corpus.grades) for found, corpus in zip(every, corpora, strict=True)]
    figures: tuple[tuple[str, Callable[[Quality], float]], ...] = (
        ("  nDCG@10 of all", lambda q: q.ndcg),
        ("  first answers", lambda q: q.first),
        ("  recall@10", lambda q: q.recall),
    )
    for label, figure in figures:
        print(f"{label:26}" + "".join(f"{figure(one):16.4f}" for one in whole))
    for k1, b in BM25:
        row(f"k1 {k1}, b {b}", corpora, [corpus.lexical(Bm25(k1, b)) for corpus in corpora])
    for weight in TITLES:
        former = dict(FIELD_WEIGHTS)
        FIELD_WEIGHTS.update({TITLE: weight, HEADING: weight})
        row(f"title and headings {weight}", corpora, plain)
        FIELD_WEIGHTS.update(former)
    for module, name, values in NUMBERS:
        for value in values:
            with moved(module, name, value):
                row(f"{name.lower()} {value}", corpora, plain)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--shared", type=Path, default=shared(), help="the folder of measuring data")
    parser.add_argument("--sets", nargs="+", default=MONOLINGUAL)
    parser.add_argument("--queries", type=int, help="only the first so many of each set")
    wanted = parser.parse_args()
    corpora = [open_set(name, wanted.shared, dense=False) for name in wanted.sets]
    study([one.first(wanted.queries) for one in corpora] if wanted.queries else corpora)


if __name__ == "__main__":
    main()
