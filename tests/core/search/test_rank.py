"""Ranking: pins first and never moved, no document takes the list, nothing outside the filter, scores explained."""

from __future__ import annotations

from collections.abc import Sequence
from typing import get_args

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from inro.index.dense import DenseIndex, encode_block
from inro.index.lexical import LexicalIndex, build_segment
from inro.records import Fusion, Lane, Ledger
from inro.search.cache import Snapshot
from inro.search.expand import prefixed
from inro.search.likeness import Groups
from inro.search.rank import Ranking, listed, rank
from inro.search.terms import FIELD_WEIGHTS, query_terms
from inro.text.analyse import Analyser
from inro.text.identifiers import pins
from inro.text.keys import with_field

ANALYSER = Analyser()
NONE = np.empty(0, np.int64)
DIMENSION = 8


def world(texts: Sequence[str], documents: Sequence[int], vectors: NDArray[np.float32] | None = None) -> Snapshot:
    """Chunks 10, 11, … of these texts in these documents."""
    ids = np.arange(10, 10 + len(texts), dtype=np.int64)
    writings = np.ones(len(texts), np.uint8)
    lexical = LexicalIndex.load([(0, build_segment(ids, {0: ANALYSER.batch(texts)}))], NONE)
    dense = None if vectors is None else DenseIndex.load([(0, encode_block(ids, vectors))], None, NONE)
    groups = Groups.of(ids, writings)
    ledger = Ledger(searched=len(set(documents)), total=len(set(documents)))
    return Snapshot(
        1, ids, np.array(documents, np.int64), writings, groups, ledger, Analyser(), lexical=lexical, dense=dense
    )


def ranked(
    snapshot: Snapshot,
    query: str,
    vector: NDArray[np.float32] | None = None,
    *,
    lane: Lane = "lexical",
    fusion: Fusion = "calibrated",
    limit: int = 10,
    per_document: int = 2,
    allow: NDArray[np.int64] | None = None,
    prefixes: Sequence[str] = (),
) -> Ranking:
    assert snapshot.lexical is not None
    identifiers = [
        np.concatenate([with_field(np.array([one.key], np.uint64), field) for field in FIELD_WEIGHTS])
        for one in pins(query)
    ]
    terms = query_terms(ANALYSER.query(query), prefixed(snapshot.lexical, prefixes, []))
    return rank(
        snapshot,
        terms,
        identifiers,
        vector,
        lane=lane,
        fusion=fusion,
        limit=limit,
        per_document=per_document,
        allow=allow,
    )


def chunks(ranking: Ranking) -> list[int]:
    return [item.chunk for item in ranking.items]


def test_no_document_has_more_than_its_share_of_the_list() -> None:
    snapshot = world(["kiln kiln kiln"] * 5 + ["kiln among other words"], [1, 1, 1, 1, 1, 2])
    assert [item.document for item in ranked(snapshot, "kiln").items] == [1, 1, 2]
    assert [item.document for item in ranked(snapshot, "kiln", per_document=1).items] == [1, 2]


def test_what_holds_the_identifier_whole_is_first_whatever_the_lanes_say() -> None:
    texts = [
        "sample sample density density S-1042 S-1043",
        "the sample S is heavy: 1041 grams of density",
        "a long note " + "about other things " * 30 + "and S-1041 at last",
    ]
    vectors = np.eye(DIMENSION, dtype=np.float32)[:3]
    snapshot = world(texts, [1, 2, 3], vectors)
    for lane in ("hybrid", "lexical"):
        items = ranked(snapshot, "density of sample S-1041", vectors[0], lane=lane).items
        assert items[0].chunk == 12
        assert items[0].pinned
        assert not items[0].below_floor
        assert items[0].trace[-1].lane == "pin"


def test_pins_keep_their_place_under_every_fusion_and_filter() -> None:
    snapshot = world(
        ["S-1041 a", "S-1041 b b b", "density b b", "b b b b"], [1, 2, 3, 4], np.eye(DIMENSION, dtype=np.float32)[:4]
    )
    for fusion in get_args(Fusion):
        found = ranked(
            snapshot, "S-1041 b density", np.eye(DIMENSION, dtype=np.float32)[3], lane="hybrid", fusion=fusion
        )
        assert {*chunks(found)[:2]} == {10, 11}
        assert [item.pinned for item in found.items] == [True, True, False, False]
    allow = np.array([10, 12, 13], np.int64)
    assert chunks(ranked(snapshot, "S-1041 b density", allow=allow))[0] == 10
    assert 11 not in chunks(ranked(snapshot, "S-1041 b density", allow=allow))


@st.composite
def worlds(draw: st.DrawFn) -> tuple[Snapshot, NDArray[np.float32]]:
    words = ["kiln", "oven", "S-1041", "焼結", "乾燥庫", "density"]
    texts = draw(
        st.lists(st.lists(st.sampled_from(words), min_size=1, max_size=6).map(" ".join), min_size=2, max_size=12)
    )
    documents = [draw(st.integers(1, 4)) for _ in texts]
    random = np.random.default_rng(draw(st.integers(0, 99)))
    rows = random.normal(size=(len(texts) + 1, DIMENSION))
    vectors = np.asarray(rows / np.linalg.norm(rows, axis=1, keepdims=True), np.float32)
    return world(texts, documents, vectors[1:]), vectors[0]


@given(worlds(), st.sampled_from(get_args(Lane)), st.sampled_from(get_args(Fusion)), st.data())
@settings(max_examples=60)
def test_every_rank_is_explained_allowed_capped_and_in_order(
    made: tuple[Snapshot, NDArray[np.float32]], lane: Lane, fusion: Fusion, data: st.DataObject
) -> None:
    snapshot, vector = made
    allow = None
    if data.draw(st.booleans()):
        allow = np.array(sorted(data.draw(st.sets(st.sampled_from(snapshot.chunk_ids.tolist())))), np.int64)
    ranking = ranked(snapshot, "kiln S-1041 焼結", vector, lane=lane, fusion=fusion, limit=5, allow=allow)
    items = ranking.items
    assert len(items) <= 5
    assert len(set(chunks(ranking))) == len(items)
    assert allow is None or set(chunks(ranking)) <= set(allow.tolist())
    assert [item.score for item in items] == sorted((item.score for item in items), reverse=True)
    pinned = [item.pinned for item in items]
    assert pinned == sorted(pinned, reverse=True)
    for item in items:
        assert [i.document for i in items].count(item.document) <= 2
        if lane == "hybrid":
            assert sum(part.value for part in item.trace) == pytest.approx(item.score)


def test_a_small_filter_is_never_answered_with_nothing() -> None:
    """Far more chunks match better than a lane's depth; the few allowed are found nevertheless."""
    texts = ["kiln kiln kiln"] * 900 + ["a kiln among very many other words"] * 3
    snapshot = world(texts, list(range(len(texts))))
    allow = snapshot.chunk_ids[-3:]
    assert chunks(ranked(snapshot, "kiln", allow=allow)) == allow.tolist()
    assert chunks(ranked(snapshot, "kiln", allow=NONE)) == []


def test_the_best_spelling_of_a_group_is_what_counts() -> None:
    snapshot = world(["fired", "fire fired fires", "other", "firing other"], [1, 2, 3, 4])
    items = {item.chunk: item for item in ranked(snapshot, "", prefixes=["fir"]).items}
    assert set(items) == {10, 11, 13}
    assert items[11].score <= items[10].score
    assert all(0 < item.lexical_share <= 1 for item in items.values())


def test_a_rare_spelling_is_worth_no_more_than_a_frequent_one() -> None:
    snapshot = world(["fired clay"] * 20 + ["firing clay"], list(range(21)))
    scores = {item.chunk: item.score for item in ranked(snapshot, "", prefixes=["fir"], limit=30).items}
    assert scores[30] == pytest.approx(scores[10], rel=0.05)


def test_a_list_keeps_its_order_and_shows_each_document_once() -> None:
    snapshot = world(["a", "b", "c", "d"], [1, 1, 2, 3])
    listing = np.array([13, 11, 10, 12], np.int64)
    assert chunks(listed(snapshot, listing, limit=9, allow=None)) == [13, 11, 12]
    assert chunks(listed(snapshot, listing, limit=2, allow=None)) == [13, 11]
    assert chunks(listed(snapshot, listing, limit=9, allow=np.array([10, 12], np.int64))) == [10, 12]
    gone = np.array([99, 13], np.int64)
    assert chunks(listed(snapshot, gone, limit=9, allow=None)) == [13]


def test_an_empty_library_ranks_nothing() -> None:
    empty = world([], [])
    assert chunks(ranked(empty, "kiln")) == []
    assert chunks(ranked(empty, "kiln", np.ones(DIMENSION, np.float32), lane="hybrid")) == []
