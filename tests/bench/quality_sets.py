"""The sets the quality studies run on: each corpus as the program indexes it, its queries and what answers them.

Every figure is given for the queries of even number and for the others: what holds in one half only is chance. Both
halves were looked at when the program's numbers were chosen, so neither is held out; new queries may fare worse.
Indexes and query vectors stay in the cache folder: a second run embeds nothing.
"""

from __future__ import annotations

import hashlib
import json
import os
import statistics
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from inro import metrics, paths
from inro.evaluate import EvaluationSet
from inro.index.dense import DenseIndex
from inro.index.lexical import Bm25, LexicalIndex
from inro.library import Library
from inro.models import open_embedder
from inro.sample import folder
from inro.search.likeness import Groups
from inro.store import chunks, units
from inro.store.connect import Store

MONOLINGUAL = ("ja-jsquad", "ja-unanswerable", "zh-cmrc2018", "xquad-en", "en-mtragun")
ACROSS = ("xling-xquad-zh2en", "xling-tatoeba-ja2en", "xling-xquad-mixed")
SAMPLE = "sample library"
QUESTIONS = Path(__file__).resolve().parents[1] / "eval" / "sample_questions.jsonl"
DEPTH = 10


def shared() -> Path:
    """The folder of measuring data: INRO_SHARED, else beside the checkout."""
    return Path(os.environ.get("INRO_SHARED") or Path(__file__).resolve().parents[3] / "shared")


@dataclass(frozen=True)
class Corpus:
    """One set, indexed; n chunks."""

    name: str
    queries: Sequence[str]
    grades: Sequence[Mapping[str, int]]
    """Per query, the grade of each relevant document."""
    documents: Sequence[str]
    """The document of each chunk."""
    chunk_ids: NDArray[np.int64]
    writings: NDArray[np.uint8]
    segments: Sequence[tuple[int, Mapping[str, bytes]]]
    blocks: Sequence[tuple[int, Mapping[str, bytes]]]

    def first(self, count: int) -> Corpus:
        """The same with fewer queries."""
        return replace(self, queries=self.queries[:count], grades=self.grades[:count])

    def lexical(self, bm25: Bm25 | None = None) -> LexicalIndex:
        """The lexical index, scored with these numbers in every field."""
        scoring = dict.fromkeys(range(8), bm25) if bm25 else None
        return LexicalIndex.load(self.segments, np.empty(0, np.int64), scoring)

    def dense(self) -> DenseIndex:
        return DenseIndex.load(self.blocks, None, np.empty(0, np.int64))

    def groups(self) -> Groups:
        return Groups.of(self.chunk_ids, self.writings)

    def ranked(self, places: Iterable[int]) -> list[str]:
        """The first documents, from places of chunks in order of their score."""
        found: dict[str, None] = {}
        for place in places:
            found.setdefault(self.documents[place])
            if len(found) == DEPTH:
                break
        return list(found)

    def vectors(self) -> NDArray[np.float32]:
        """float32[queries, d]: the vectors of the queries by the default model, kept for the next run."""
        with open_embedder(Library(paths.default_library()).settings.embedder) as embedder:
            digest = hashlib.sha256("\0".join((embedder.fingerprint, *self.queries)).encode()).hexdigest()
            file = paths.cache_dir() / "eval" / f"queries-{digest[:16]}.npy"
            if not file.is_file():
                np.save(file, np.array([embedder.query(text) for text in self.queries]))
        return np.asarray(np.load(file, allow_pickle=False), np.float32)


@dataclass(frozen=True)
class Quality:
    """Averages over some queries."""

    ndcg: float
    first: float
    recall: float

    @classmethod
    def of(cls, lists: Sequence[Sequence[str]], grades: Sequence[Mapping[str, int]]) -> Quality:
        pairs = list(zip(lists, grades, strict=True))
        return cls(
            statistics.fmean(metrics.ndcg(ranked, grade, DEPTH) for ranked, grade in pairs),
            statistics.fmean(metrics.found_first(ranked, grade) for ranked, grade in pairs),
            statistics.fmean(metrics.recall(ranked, grade, DEPTH) for ranked, grade in pairs),
        )


def halves(lists: Sequence[Sequence[str]], corpus: Corpus) -> tuple[Quality, Quality]:
    """Of the queries of even number, and of the others."""
    return Quality.of(lists[::2], corpus.grades[::2]), Quality.of(lists[1::2], corpus.grades[1::2])


def open_set(name: str, folder_of_sets: Path, *, dense: bool) -> Corpus:
    """A set of the measuring data, or the sample library."""
    if name == SAMPLE:
        return _open_sample()
    directory = folder_of_sets / "eval" / name
    opened = EvaluationSet.open(directory, dense=dense)
    for _ in opened.build():
        pass
    grades: dict[str, dict[str, int]] = defaultdict(dict)
    for line in (directory / "qrels.tsv").read_text(encoding="utf-8").splitlines():
        query, document, grade = line.split("\t")
        grades[query][document] = int(grade)
    asked = [row for row in _rows(directory / "queries.jsonl") if str(row["id"]) in grades]
    return _corpus(name, opened.library, [str(row["text"]) for row in asked], [grades[str(row["id"])] for row in asked])


def _open_sample() -> Corpus:
    library = Library(paths.cache_dir() / "eval" / "sample-library.inro")
    for _ in library.add([folder()]):
        pass
    rows = list(_rows(QUESTIONS))
    grades = [dict.fromkeys(row["answers"], 1) for row in rows]
    return _corpus(SAMPLE, library, [row["question"] for row in rows], grades)


def _corpus(name: str, library: Library, queries: Sequence[str], grades: Sequence[Mapping[str, int]]) -> Corpus:
    names = {row.document: row.path for row in library.files()}
    with Store(library.path).reading() as con:
        ids, documents, writings = chunks.owners(con)
        segments, blocks = units.load(con, units.LEXICAL), units.load(con, units.DENSE)
    library.close()
    owners = [names[document] for document in documents.tolist()]
    return Corpus(name, queries, grades, owners, ids, writings, list(segments), list(blocks))


def _rows(file: Path) -> Iterable[dict[str, Any]]:
    with file.open(encoding="utf-8") as lines:
        yield from map(json.loads, lines)
