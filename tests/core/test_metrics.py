"""Metrics on cases small enough to do by hand."""

from __future__ import annotations

import math

import pytest

from inro import metrics

GRADES = {"a": 2, "b": 1, "z": 0}


def test_ndcg_of_the_ideal_order_is_one() -> None:
    assert metrics.ndcg(["a", "b"], GRADES, 10) == pytest.approx(1.0)


def test_ndcg_discounts_by_the_logarithm_of_the_rank() -> None:
    ideal = 2 + 1 / math.log2(3)
    assert metrics.ndcg(["x", "a"], GRADES, 10) == pytest.approx((2 / math.log2(3)) / ideal)


def test_ndcg_looks_no_further_than_k() -> None:
    assert metrics.ndcg(["x", "a"], GRADES, 1) == 0.0


def test_recall_counts_only_relevant_documents() -> None:
    assert metrics.recall(["z", "a"], GRADES, 10) == 0.5
    assert metrics.recall([], {}, 10) == 0.0


def test_found_first_asks_for_any_relevant_document() -> None:
    assert metrics.found_first(["b", "a"], GRADES) == 1.0
    assert metrics.found_first(["z", "a"], GRADES) == 0.0
    assert metrics.found_first([], GRADES) == 0.0


def test_reciprocal_rank_is_of_the_first_relevant() -> None:
    assert metrics.reciprocal_rank(["z", "x", "b", "a"], GRADES, 10) == pytest.approx(1 / 3)
    assert metrics.reciprocal_rank(["z", "x", "b"], GRADES, 2) == 0.0
