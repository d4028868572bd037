"""Merging gives what building anew would give, and keeps segments few."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from inro.errors import LibraryError
from inro.index.lexical import build_segment
from inro.index.merge import FACTOR, SMALLEST, merge, open_source, plan_merges
from inro.index.segment_file import Batch

NONE = np.zeros(0, dtype=np.int64)


def texts(rows: Sequence[Sequence[int]]) -> Batch:
    """A batch of texts whose word 7 is spelt `word7`."""
    keys = np.array([key for row in rows for key in row], dtype=np.uint64)
    offsets = np.concatenate(([0], np.cumsum([len(row) for row in rows]))).astype(np.int64)
    return SimpleNamespace(keys=keys, offsets=offsets, vocabulary={key: f"word{key}" for key in set(keys.tolist())})


def build(ids: Sequence[int], rows: Mapping[int, Sequence[int]], fields: Sequence[int] = (0, 1)) -> dict[str, bytes]:
    """A segment of the texts `rows` tells by id: whole in the body, their first words in the title."""
    batches = {f: texts([rows[i] if f == 0 else rows[i][:2] for i in ids]) for f in fields}
    return build_segment(np.array(ids, dtype=np.int64), batches)


@given(
    st.dictionaries(st.integers(0, 500), st.lists(st.integers(0, 30), max_size=15), min_size=1, max_size=40), st.data()
)
def test_a_merge_is_byte_for_byte_a_fresh_build(rows: dict[int, list[int]], data: st.DataObject) -> None:
    ids = sorted(rows)
    piece_of = {i: data.draw(st.integers(0, 3)) for i in ids}
    deleted = data.draw(st.sets(st.sampled_from(ids)))
    pieces = [[i for i in ids if piece_of[i] == p] for p in range(4)]
    merged = merge([build(piece, rows) for piece in pieces], np.array(sorted(deleted), dtype=np.int64))
    left = [i for i in ids if i not in deleted]
    assert merged == (build(left, rows) if left else None)


def test_a_large_merge_goes_in_stretches_and_gives_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("inro.index.merge.AT_ONCE", 50)
    rng = np.random.default_rng(2)
    rows = {i: rng.integers(0, 90, 12).tolist() for i in range(600)}
    ids = list(rows)
    assert merge([build(ids[:100], rows), build(ids[100:], rows)], NONE) == build(ids, rows)


@pytest.mark.parametrize("at_once", [60, 1000, 1 << 20])
def test_long_lists_are_read_on_where_a_stretch_ended(monkeypatch: pytest.MonkeyPatch, at_once: int) -> None:
    monkeypatch.setattr("inro.index.merge.AT_ONCE", at_once)
    rng = np.random.default_rng(3)
    # lists of one block and of many, whole and broken, with repeats and far gaps that make exceptions
    rows = {i: [0] * int(rng.integers(1, 400)) + (rng.geometric(0.05, 30) + 1).tolist() for i in range(1500)}
    ids = list(rows)
    pieces = [build(part, rows) for part in (ids[::3], ids[1::3], ids[2::3])]
    assert merge(pieces, NONE) == build(ids, rows)
    gone = ids[5:900:2]
    left = [i for i in ids if i not in set(gone)]
    assert merge([open_source(piece) for piece in pieces], np.array(gone)) == build(left, rows)


def test_segments_of_different_fields_merge() -> None:
    rows = {i: [i % 5, i % 3] for i in range(20)}
    with_titles, without = build(range(10), rows), build(range(10, 20), rows, fields=(0,))
    merged = merge([with_titles, without], NONE)
    bodies = texts([rows[i] for i in range(20)])
    titles = texts([rows[i][:2] if i < 10 else [] for i in range(20)])
    assert merged == build_segment(np.arange(20), {0: bodies, 1: titles})


def test_two_segments_with_the_same_chunk_do_not_merge() -> None:
    rows = {1: [1], 2: [2]}
    with pytest.raises(LibraryError, match="same chunk"):
        merge([build([1, 2], rows), build([2], rows)], NONE)


def settle(sizes: dict[int, int], number: int) -> tuple[int, int]:
    """Merge until nothing is left to merge; returns the next free number and the chunks rewritten."""
    rewritten = 0
    while groups := plan_merges(sizes, {}):
        for group in groups:
            sizes[number] = sum(sizes.pop(n) for n in group)
            rewritten += sizes[number]
            number += 1
    return number, rewritten


def test_a_thousand_single_additions_leave_few_segments_and_rewrite_little() -> None:
    sizes, number, rewritten, most = {0: 100_000}, 1, 0, 0
    for _ in range(1_000):
        sizes[number] = 3
        number, again = settle(sizes, number + 1)
        rewritten += again
        most = max(most, len(sizes))
    assert sum(sizes.values()) == 103_000
    assert most <= 16
    assert rewritten < 3_000 * 400


def test_growing_to_a_million_keeps_the_count_bounded() -> None:
    sizes: dict[int, int] = {}
    number, rewritten, most = 0, 0, 0
    for _ in range(1_000):
        sizes[number] = 1_000
        number, again = settle(sizes, number + 1)
        rewritten += again
        most = max(most, len(sizes))
    assert most <= 16
    assert rewritten < 8 * 1_000_000


@given(st.dictionaries(st.integers(0, 50), st.integers(0, 10**6), max_size=30))
def test_a_plan_names_each_segment_at_most_once(sizes: dict[int, int]) -> None:
    named = [number for group in plan_merges(sizes, {n: s // 2 for n, s in sizes.items()}) for number in group]
    assert len(named) == len(set(named))
    assert set(named) <= set(sizes)


def test_many_tombstones_ask_for_a_rewrite() -> None:
    big = SMALLEST * FACTOR * 2
    assert plan_merges({7: big, 8: SMALLEST}, {7: big // 2}) == [[7]]
    assert plan_merges({7: big, 8: SMALLEST}, {7: big // 4}) == []
