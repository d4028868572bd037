"""The kernels behind a score: order of terms, heaps and random access give what reading everything gives."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from inro_native import heap, postings, weigh
from inro_native.blocks import frequency_at, locate, read_chunks
from inro_native.shares import share

FIELD = np.uint64(7 << 58)


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 30)), max_size=60), st.integers(1, 8))
def test_the_heap_keeps_the_highest_scores_and_on_ties_the_lowest_ids(offers: list[tuple[int, int]], k: int) -> None:
    offers = list({chunk: (score, chunk) for score, chunk in offers}.values())
    scores, found = np.empty(k, dtype=np.int64), np.empty(k, dtype=np.int64)
    size = 0
    for score, chunk in offers:
        size = heap.offer(scores, found, size, score, chunk)
    heap.drain(scores, found, size)
    kept = list(zip(scores[:size].tolist(), found[:size].tolist(), strict=True))
    assert kept == sorted(offers, key=lambda o: (-o[0], o[1]))[:k]


@given(st.data())
def test_one_frequency_can_be_read_without_its_block(data: st.DataObject) -> None:
    size = data.draw(st.sampled_from([1, 2, 90, 127, 128]))
    rng = np.random.default_rng(data.draw(st.integers(0, 2**32 - 1)))
    frequencies = (1 + rng.integers(0, 1 << data.draw(st.integers(0, 31)), size)).astype(np.uint32)
    frequencies[rng.integers(size)] = data.draw(st.integers(1, 2**32 - 1))
    chunks = np.cumsum(1 + rng.integers(0, 50, size)).astype(np.uint32)
    lists = postings.Lists(np.zeros(1, np.uint64), np.array([0, size]), chunks, frequencies)
    n = int(chunks[-1]) + 1
    written = postings.write(
        lists, np.zeros(1, np.int64), np.ones((1, 2), np.float32), np.ones((1, n), np.uint16), np.zeros(1, np.uint8)
    )
    blocks = np.zeros((1, 3), dtype=np.uint32)
    sizes = np.array([size], dtype=np.int64)
    assert locate(sizes, written.widths, written.last, n, len(written.words), written.extra, blocks) == -1
    gaps, out = np.zeros(128, dtype=np.uint32), np.zeros((1, 128), dtype=np.uint32)
    byte = read_chunks(written.words, written.extra, blocks, 0, size, -1, int(chunks[-1]), gaps, out, 0)
    read = [frequency_at(written.words, written.extra, blocks, 0, size, byte, i) + 1 for i in range(size)]
    assert read == frequencies.tolist()


@given(st.floats(0.001, 2**30), st.floats(0, 1e6), st.floats(0, 1e6))
def test_a_share_never_falls_when_the_gain_rises(weight: float, gain: float, other: float) -> None:
    low, high = sorted((np.float32(gain), np.float32(other)))
    assert share(np.float32(weight), low) <= share(np.float32(weight), high) <= weight


@given(st.lists(st.tuples(st.integers(0, 6), st.integers(0, 4), st.floats(0, 10)), max_size=20))
def test_repeated_keys_add_their_weights(asked: list[tuple[int, int, float]]) -> None:
    keys = np.array([payload | field << 58 for payload, field, _ in asked], dtype=np.uint64)
    weights = np.array([weight for *_, weight in asked], dtype=np.float32)
    wanted, sums = weigh.distinct(keys, weights, FIELD)
    expected: dict[int, float] = {}
    for key, weight in zip(keys.tolist(), weights.tolist(), strict=True):
        expected[key] = expected.get(key, 0.0) + weight
    distinct = sorted(expected)
    assert wanted[: len(sums)].tolist() == distinct
    assert np.allclose(sums, [expected[key] for key in distinct])
    if any(key >> 58 for key in distinct):
        assert wanted[len(sums) :].tolist() == [key & ~(7 << 58) for key in distinct]
    else:
        assert len(wanted) == len(sums)
