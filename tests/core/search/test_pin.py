"""Pins: a few holders are pinned as they are; many only where distance makes a step."""

from __future__ import annotations

import numpy as np

from inro.search.pin import MAX_PINS, choose


def test_a_few_holders_are_pinned_in_the_order_of_their_scores() -> None:
    holders = np.array([3, 7, 9], np.int64)
    pins = choose(holders, np.full(3, np.nan), np.array([1.0, 5.0, 2.0]))
    assert pins.tolist() == [7, 9, 3]


def test_many_holders_are_cut_at_the_step() -> None:
    near = [0.95, 0.94, 0.93]
    far = [0.80 - 0.001 * i for i in range(3 * MAX_PINS)]
    similarities = np.array(far + near)
    holders = np.arange(len(similarities), dtype=np.int64)
    pins = choose(holders, similarities, np.zeros(len(holders)))
    assert pins.tolist() == [len(far), len(far) + 1, len(far) + 2]


def test_a_smooth_slope_pins_none() -> None:
    similarities = np.linspace(0.9, 0.8, 4 * MAX_PINS)
    holders = np.arange(len(similarities), dtype=np.int64)
    assert choose(holders, similarities, np.zeros(len(holders))).size == 0


def test_many_holders_without_vectors_pin_none() -> None:
    holders = np.arange(MAX_PINS + 1, dtype=np.int64)
    assert choose(holders, np.full(len(holders), np.nan), np.zeros(len(holders))).size == 0
