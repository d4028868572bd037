"""Fusion: traces sum to scores, dead lanes weigh nothing, the reference is the reference."""

from __future__ import annotations

from typing import get_args

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from inro.records import Fusion, Lane
from inro.search.candidates import Candidates, ranks
from inro.search.fuse import fuse


def candidates(
    lexical: list[float],
    dense: list[float],
    *,
    best: float = 10.0,
    mean: float = 0.78,
    std: float = 0.02,
    chance: list[float] | None = None,
) -> Candidates:
    cosines = np.array(dense, dtype=np.float64)
    return Candidates(
        np.arange(len(lexical), dtype=np.int64),
        np.array(lexical, dtype=np.float64),
        best,
        cosines,
        (cosines - mean) / std if std else np.full(len(dense), np.nan),
        std > 0,
        None if chance is None else np.array(chance, dtype=np.float64),
    )


@st.composite
def any_candidates(draw: st.DrawFn) -> Candidates:
    n = draw(st.integers(1, 12))
    lexical = draw(st.lists(st.floats(0, 10), min_size=n, max_size=n))
    dense = draw(st.lists(st.floats(-1, 1) | st.just(float("nan")), min_size=n, max_size=n))
    runs = draw(st.sampled_from([(10.0, 0.02), (0.0, 0.02), (10.0, 0.0), (0.0, 0.0)]))
    chance = draw(st.none() | st.lists(st.floats(0, 1), min_size=n, max_size=n))
    return candidates(lexical, dense, best=runs[0], std=runs[1], chance=chance)


@given(any_candidates(), st.sampled_from(get_args(Lane)), st.sampled_from(get_args(Fusion)))
def test_the_parts_of_a_trace_sum_to_the_score(some: Candidates, lane: Lane, fusion: Fusion) -> None:
    fused = fuse(some, lane, fusion)
    for i in range(len(some.chunk_ids)):
        parts = sum(part.value for part in fused.trace(i))
        absent = (some.lexical_best <= 0) * fused.lexical[i] + (not some.dense_ran) * fused.dense[i]
        assert parts + absent == pytest.approx(fused.scores[i])


def test_rrf_is_the_sum_of_reciprocal_ranks() -> None:
    fused = fuse(candidates([9, 5, 0], [0.80, 0.90, 0.85]), "hybrid", "rrf")
    assert fused.scores == pytest.approx([1 / 61 + 1 / 63, 1 / 62 + 1 / 61, 1 / 62])


def test_words_that_the_library_does_not_hold_leave_the_lead_to_meaning() -> None:
    some = candidates([0.4, 0.0], [0.78, 0.90], best=20.0)
    assert np.argmax(fuse(some, "hybrid", "calibrated").scores) == 1


def test_words_that_a_note_of_that_language_holds_by_chance_leave_the_lead_to_meaning() -> None:
    noise, answer = 0, 1
    some = candidates([1.8, 0.0], [0.79, 0.83], chance=[0.16, 0.0])
    assert np.argmax(fuse(some, "hybrid", "calibrated").scores) == answer
    unmeasured = candidates([1.8, 0.0], [0.79, 0.83])
    assert np.argmax(fuse(unmeasured, "hybrid", "calibrated").scores) == noise


def test_words_beyond_chance_count_though_they_are_few() -> None:
    some = candidates([1.8, 0.0], [0.79, 0.83], chance=[0.01, 0.01])
    assert np.argmax(fuse(some, "hybrid", "calibrated").scores) == 0


def test_within_chance_more_words_still_come_first() -> None:
    some = candidates([1.5, 1.2], [0.79, 0.79], chance=[0.2, 0.2])
    assert np.argmax(fuse(some, "hybrid", "calibrated").scores) == 0


@given(st.floats(0, 1), st.floats(0, 1), st.floats(0, 1))
def test_evidence_rises_with_the_share_and_falls_with_chance(share: float, chance: float, more: float) -> None:
    best = 10.0
    low, high = sorted((share, more))
    evidence = candidates([best * low, best * high], [0.8, 0.8], chance=[chance, chance]).lexical_evidence
    assert 0 <= evidence[0] <= evidence[1] + 1e-12 <= 1 + 1e-9
    fairer = candidates([best * share, best * share], [0.8, 0.8], chance=[low, high]).lexical_evidence
    assert fairer[0] >= fairer[1] - 1e-12


def test_a_query_like_nothing_in_the_library_leaves_the_lead_to_words() -> None:
    some = candidates([8.0, 0.0], [0.78, 0.80])
    assert np.argmax(fuse(some, "hybrid", "calibrated").scores) == 0


def test_a_chunk_without_a_vector_is_ranked_by_its_words() -> None:
    fused = fuse(candidates([8.0, 1.0], [float("nan"), 0.79]), "hybrid", "calibrated")
    assert np.isfinite(fused.scores).all()
    assert np.argmax(fused.scores) == 0
    assert "no vector" in fused.trace(0)[1].note


def test_ranks_leave_out_what_a_lane_did_not_find() -> None:
    assert ranks(np.array([0.0, 3.0, np.nan, 5.0])).tolist() == [0, 2, 0, 1]
