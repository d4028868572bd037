"""Searching finds what scoring every chunk by hand finds, in the same order."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from inro.index.lexical import Bm25, LexicalIndex, LexicalQuery, build_segment

NONE = np.zeros(0, dtype=np.int64)
BODY, TITLE = 0, 1


@dataclass
class Texts:
    """A batch as an analyser would make it, from keys written out."""

    rows: Sequence[Sequence[int]]
    vocabulary: dict[int, str] = field(default_factory=dict)

    @property
    def keys(self) -> NDArray[np.uint64]:
        return np.array([key for row in self.rows for key in row], dtype=np.uint64)

    @property
    def offsets(self) -> NDArray[np.int64]:
        return np.concatenate(([0], np.cumsum([len(row) for row in self.rows]))).astype(np.int64)


Fields = Mapping[int, Sequence[Sequence[int]]]


def index(fields: Fields, ids: Sequence[int], cuts: Sequence[int] = (), deleted: Sequence[int] = ()) -> LexicalIndex:
    """An index of the texts, cut into segments before the given places."""
    edges = [0, *sorted(cuts), len(ids)]
    segments = []
    for number, (begin, end) in enumerate(itertools.pairwise(edges)):
        batches = {f: Texts(rows[begin:end]) for f, rows in fields.items()}
        segments.append((number, build_segment(np.array(ids[begin:end], dtype=np.int64), batches)))
    return LexicalIndex.load(segments, np.array(deleted, dtype=np.int64))


def query(asked: Mapping[tuple[int, int], float]) -> LexicalQuery:
    """From (field, key) to weight."""
    keys = np.array([key | f << 58 for f, key in asked], dtype=np.uint64)
    return LexicalQuery(keys, np.array(list(asked.values()), dtype=np.float32))


def slow_scores(fields: Fields, asked: Mapping[tuple[int, int], float], bm25: Bm25 | None = None) -> list[float]:
    """BM25 by the book, in double precision, for every chunk."""
    bm25 = bm25 or Bm25()
    n = len(next(iter(fields.values())))
    counts = {f: [Counter(row) for row in rows] for f, rows in fields.items()}
    scores = [0.0] * n
    for (f, key), weight in asked.items():
        if f not in fields:
            continue
        lengths = [len(row) for row in fields[f]]
        average = sum(lengths) / max(1, sum(1 for length in lengths if length))
        df = max(sum(key in c for c in counts[g]) for g in {f, BODY} & set(fields))
        idf = math.log(1 + (n - df + 0.5) / (df + 0.5))
        for chunk in range(n):
            tf = counts[f][chunk][key]
            if tf:
                norm = bm25.k1 * (1 - bm25.b + bm25.b * lengths[chunk] / average)
                scores[chunk] += float(np.float32(weight)) * idf * tf / (tf + norm)
    return scores


def check(found: LexicalIndex, asked: Mapping[tuple[int, int], float], k: int, scores: Mapping[int, float]) -> None:
    """`scores` by chunk id, of those that may be found. Scores nearer than rounding may change places."""
    result = found.search(query(asked), k)
    best = sorted(((score, chunk) for chunk, score in scores.items() if score > 0), key=lambda s: (-s[0], s[1]))[:k]
    assert len(result.chunk_ids) == len(best)
    assert np.allclose(result.scores, [score for score, _ in best], rtol=1e-4, atol=1e-6)
    for chunk, score in zip(result.chunk_ids.tolist(), result.scores.tolist(), strict=True):
        assert math.isclose(score, scores[chunk], rel_tol=1e-4, abs_tol=1e-6)
    order = list(zip((-result.scores).tolist(), result.chunk_ids.tolist(), strict=True))
    assert order == sorted(order)
    assert all(score <= result.best_possible * (1 + 1e-6) for score in result.scores.tolist())


ROWS = st.lists(st.lists(st.integers(0, 12), max_size=12), min_size=1, max_size=40)
ASKED = st.dictionaries(st.tuples(st.sampled_from([BODY, TITLE]), st.integers(0, 14)), st.floats(0.0625, 4), max_size=8)


@settings(max_examples=150)
@given(ROWS, ASKED, st.integers(1, 50), st.data())
def test_small_libraries_score_as_by_hand_however_they_are_cut(
    rows: list[list[int]], asked: dict[tuple[int, int], float], k: int, data: st.DataObject
) -> None:
    titles = [row[:2] for row in rows]
    fields = {BODY: rows, TITLE: titles}
    cuts = data.draw(st.lists(st.integers(0, len(rows)), max_size=3))
    deleted = data.draw(st.sets(st.integers(0, len(rows) - 1)))
    ids = [3 * i + 5 for i in range(len(rows))]
    scores = slow_scores(fields, asked)
    alive = {ids[i]: score for i, score in enumerate(scores) if i not in deleted}
    found = index(fields, ids, cuts, [ids[i] for i in deleted])
    check(found, asked, k, alive)
    allowed = data.draw(st.sets(st.integers(0, len(rows) - 1)))
    result = found.search(query(asked), k, found.allow(np.array([ids[i] for i in allowed], dtype=np.int64)))
    expected = {ids[i]: scores[i] for i in allowed - deleted if scores[i] > 0}
    assert len(result.chunk_ids) == min(k, len(expected))
    assert set(result.chunk_ids.tolist()) <= set(expected)


@pytest.fixture(scope="module")
def large() -> list[list[int]]:
    """9,000 texts of Zipfian words: lists of many blocks over several windows, with many ties."""
    rng = np.random.default_rng(5)
    chances = 1 / np.arange(1, 401)
    return [rng.choice(400, size=int(rng.integers(3, 25)), p=chances / chances.sum()).tolist() for _ in range(9_000)]


@pytest.fixture(scope="module")
def whole(large: list[list[int]]) -> LexicalIndex:
    return index({BODY: large}, range(len(large)))


@pytest.mark.parametrize("words", [1, 2, 3, 8, 30, 120])
@pytest.mark.parametrize("k", [1, 10, 100])
def test_large_libraries_score_as_by_hand(large: list[list[int]], whole: LexicalIndex, words: int, k: int) -> None:
    rng = np.random.default_rng(words * 1000 + k)
    asked = {(BODY, int(key)): float(rng.integers(1, 9)) / 4 for key in rng.choice(400, words, replace=False)}
    check(whole, asked, k, dict(enumerate(slow_scores({BODY: large}, asked))))


@pytest.mark.parametrize("words", [1, 2, 5, 40])
def test_skipping_never_changes_a_result(whole: LexicalIndex, words: int) -> None:
    """The best k are the first k of everything, bit for bit: asking for all leaves nothing to skip."""
    rng = np.random.default_rng(words)
    for _ in range(10):
        asked = {(BODY, int(key)): float(rng.random() + 0.1) for key in rng.choice(400, words, replace=False)}
        everything = whole.search(query(asked), 9_000)
        for k in (1, 7, 60):
            some = whole.search(query(asked), k)
            assert some.chunk_ids.tolist() == everything.chunk_ids[:k].tolist()
            assert some.scores.tolist() == everything.scores[:k].tolist()


@pytest.mark.parametrize("share", [0.001, 0.05, 0.7])
@pytest.mark.parametrize("words", [1, 4, 40])
def test_a_filter_gives_what_filtering_everything_gives(whole: LexicalIndex, share: float, words: int) -> None:
    rng = np.random.default_rng(int(share * 1000) + words)
    allowed = np.flatnonzero(rng.random(9_000) < share)
    asked = {(BODY, int(key)): 1.0 for key in rng.choice(400, words, replace=False)}
    everything = whole.search(query(asked), 9_000)
    kept = np.isin(everything.chunk_ids, allowed)
    some = whole.search(query(asked), 20, whole.allow(allowed))
    assert some.chunk_ids.tolist() == everything.chunk_ids[kept][:20].tolist()
    assert some.scores.tolist() == everything.scores[kept][:20].tolist()


@pytest.fixture(scope="module")
def long() -> LexicalIndex:
    """40,000 short texts: rare words lie further apart than a stretch of chunks is long, common ones fill it."""
    rng = np.random.default_rng(8)
    chances = 1 / np.arange(1, 3001)
    words = rng.choice(3000, size=(40_000, 6), p=chances / chances.sum())
    return index({BODY: [row[: 1 + i % 6].tolist() for i, row in enumerate(words)]}, range(40_000))


@pytest.mark.parametrize("words", [1, 3, 12, 60])
@pytest.mark.parametrize("share", [1.0, 0.3, 0.002])
def test_words_of_every_frequency_over_many_stretches(long: LexicalIndex, words: int, share: float) -> None:
    """Whatever is searched ahead, read, set aside or looked up, what comes first of everything comes first."""
    rng = np.random.default_rng(words)
    allowed = np.flatnonzero(rng.random(40_000) < share)
    gate = None if share == 1.0 else long.allow(allowed)
    for _ in range(6):
        ranks = np.unique((3000 ** rng.random(words)).astype(int))
        asked = query({(BODY, int(key)): float(rng.random() + 0.1) for key in ranks})
        everything = long.search(asked, 40_000)
        kept = np.isin(everything.chunk_ids, allowed)
        for k in (1, 10, 200):
            some = long.search(asked, k, gate)
            assert some.chunk_ids.tolist() == everything.chunk_ids[kept][:k].tolist()
            assert some.scores.tolist() == everything.scores[kept][:k].tolist()


def test_segments_out_of_order_give_the_same_result(large: list[list[int]], whole: LexicalIndex) -> None:
    """A chunk's id decides between equals, not the segment it lies in."""
    rows = {0: range(0, 9_000, 2), 1: range(1, 9_000, 2)}
    parts = [
        (n, build_segment(np.array(ids, dtype=np.int64), {BODY: Texts([large[i] for i in ids])}))
        for n, ids in rows.items()
    ]
    dealt = LexicalIndex.load(parts, NONE)
    for key in range(0, 60, 3):
        one, other = (i.search(query({(BODY, key): 1.0, (BODY, key + 1): 0.5}), 30) for i in (whole, dealt))
        assert one.chunk_ids.tolist() == other.chunk_ids.tolist()
        assert one.scores.tolist() == other.scores.tolist()


def test_contributions_sum_to_the_score(whole: LexicalIndex) -> None:
    asked = query({(BODY, key): 1.0 + key / 7 for key in range(0, 200, 9)})
    result = whole.search(asked, 5)
    for chunk, score in zip(result.chunk_ids.tolist(), result.scores.tolist(), strict=True):
        parts = whole.contributions(asked, chunk)
        assert math.isclose(sum(part for _, part in parts), score, rel_tol=1e-6)
        assert [key for key, _ in parts] == sorted(set(asked.keys.tolist()) & {key for key, _ in parts})
    assert whole.contributions(asked, 10**9) == []


def test_scores_agree_with_bm25s(large: list[list[int]]) -> None:
    bm25s = pytest.importorskip("bm25s")
    other = bm25s.BM25(method="lucene", k1=1.2, b=0.75)
    names = {str(key): key for key in range(400)}
    other.index((large, names), show_progress=False)
    segment = build_segment(np.arange(len(large)), {BODY: Texts(large)})
    ours = LexicalIndex.load([(1, segment)], NONE, {BODY: Bm25(1.2, 0.75)})
    rng = np.random.default_rng(3)
    for words in (1, 2, 6, 25):
        keys = rng.choice(400, words, replace=False).tolist()
        result = ours.search(query({(BODY, key): 1.0 for key in keys}), 20)
        _, scores = other.retrieve([keys], k=20, show_progress=False, n_threads=0)
        assert np.allclose(result.scores, scores[0][: len(result.scores)], rtol=1e-4)


def test_a_key_asked_twice_counts_twice(whole: LexicalIndex) -> None:
    once = whole.search(LexicalQuery(np.array([7, 7], np.uint64), np.array([1, 1.5], np.float32)), 5)
    joined = whole.search(query({(BODY, 7): 2.5}), 5)
    assert once.chunk_ids.tolist() == joined.chunk_ids.tolist()
    assert once.scores.tolist() == joined.scores.tolist()


def test_an_unknown_term_raises_what_was_possible_but_finds_nothing(whole: LexicalIndex) -> None:
    known = whole.search(query({(BODY, 3): 1.0}), 5)
    more = whole.search(query({(BODY, 3): 1.0, (BODY, 9999): 1.0, (TITLE, 9999): 2.0}), 5)
    assert more.chunk_ids.tolist() == known.chunk_ids.tolist()
    missing = 2 * math.log(1 + (9_000 + 0.5) / 0.5)
    assert math.isclose(more.best_possible, known.best_possible + missing, rel_tol=1e-6)
    assert len(whole.search(query({(BODY, 9999): 1.0}), 5).chunk_ids) == 0


def test_document_frequency_counts_chunks(large: list[list[int]], whole: LexicalIndex) -> None:
    keys = [0, 17, 399, 9999]
    expected = [sum(key in row for row in large) for key in keys]
    assert whole.document_frequency(np.array(keys, dtype=np.uint64)).tolist() == expected


@pytest.mark.parametrize("weights", [[-1.0], [float("nan")], [float("inf")], [1.0, 2.0]])
def test_weights_that_make_no_sense_are_refused(whole: LexicalIndex, weights: list[float]) -> None:
    with pytest.raises(ValueError, match="weight"):
        whole.search(LexicalQuery(np.array([1], np.uint64), np.array(weights, np.float32)), 5)


def test_a_filter_of_another_index_is_refused(whole: LexicalIndex) -> None:
    with pytest.raises(ValueError, match="another index"):
        whole.search(query({(BODY, 1): 1.0}), 5, LexicalIndex.load([], NONE).allow(NONE))


@pytest.mark.parametrize("ids", [[3, 2], [1, 1], [-1, 4]])
def test_ids_that_do_not_ascend_are_refused(ids: list[int]) -> None:
    with pytest.raises(ValueError, match="ascend"):
        build_segment(np.array(ids, dtype=np.int64), {BODY: Texts([[1], [2]])})


def test_an_empty_library_answers_with_nothing() -> None:
    empty = LexicalIndex.load([], NONE)
    result = empty.search(query({(BODY, 1): 1.0}), 5)
    assert len(result.chunk_ids) == 0
    assert result.best_possible > 0
    assert empty.prefix("a", 5) == empty.similar("abcd", 5) == []


def test_an_opened_segment_can_be_used_again(large: list[list[int]], whole: LexicalIndex) -> None:
    """Opening a library anew after a small change does not read the segments it had."""
    more = build_segment(np.array([9_000]), {BODY: Texts([[777]])})
    grown = LexicalIndex.load([*whole.segments.items(), (1, more)], NONE)
    assert grown.segments[0] is whole.segments[0]
    assert grown.search(query({(BODY, 777): 1.0}), 1).chunk_ids.tolist() == [9_000]
