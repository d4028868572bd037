"""Terms in text order become posting lists, and lists survive their blocks."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from inro_native import postings, splice
from inro_native.blocks import locate, read_lists

TEXTS = st.lists(st.lists(st.integers(0, 20), max_size=30), max_size=40)


def batch(texts: list[list[int]]) -> tuple[NDArray[np.uint64], NDArray[np.int64]]:
    keys = np.array([key for text in texts for key in text], dtype=np.uint64)
    return keys, np.concatenate(([0], np.cumsum([len(text) for text in texts]))).astype(np.int64)


def as_dict(lists: postings.Lists) -> dict[int, dict[int, int]]:
    out = {}
    for t, key in enumerate(lists.keys.tolist()):
        part = slice(int(lists.starts[t]), int(lists.starts[t + 1]))
        chunks = lists.chunks[part].tolist()
        assert chunks == sorted(set(chunks)), "a list must ascend"
        out[key] = dict(zip(chunks, lists.frequencies[part].tolist(), strict=True))
    return out


def slow_lists(texts: list[list[int]]) -> dict[int, dict[int, int]]:
    out: dict[int, dict[int, int]] = {}
    for chunk, text in enumerate(texts):
        for key, count in Counter(text).items():
            out.setdefault(key, {})[chunk] = count
    return out


def read_back(lists: postings.Lists, chunks: int) -> postings.Lists:
    """Through blocks and out again."""
    order = np.arange(len(lists.keys), dtype=np.int64)
    inverse = np.ones((1, 2), dtype=np.float32)
    lengths = np.ones((1, chunks), dtype=np.uint16)
    written = postings.write(lists, order, inverse, lengths, np.zeros(len(order), dtype=np.uint8))
    sizes = np.diff(lists.starts)
    first = np.concatenate(([0], np.cumsum((sizes + 127) // 128))).astype(np.int64)
    blocks = np.zeros((len(written.last), 3), dtype=np.uint32)
    assert locate(sizes, written.widths, written.last, chunks, len(written.words), written.extra, blocks) == -1
    out = np.empty_like(lists.chunks), np.empty_like(lists.frequencies)
    read_lists(first, sizes, written.last, blocks, written.words, written.extra, 0, len(sizes), *out)
    return lists._replace(chunks=out[0], frequencies=out[1])


@given(TEXTS)
def test_gathering_agrees_with_counting_by_hand(texts: list[list[int]]) -> None:
    assert as_dict(postings.gather(*batch(texts))) == slow_lists(texts)


def test_gathering_many_distinct_terms_outgrows_its_table() -> None:
    keys = np.arange(50_000, dtype=np.uint64) * np.uint64(1 << 40)
    lists = postings.gather(np.concatenate((keys, keys)), np.array([0, 50_000, 100_000]))
    assert np.array_equal(lists.keys, np.sort(keys))
    assert lists.chunks.tolist() == [0, 1] * 50_000


def test_offsets_that_do_not_cover_the_keys_are_refused() -> None:
    with pytest.raises(ValueError, match="offsets"):
        postings.gather(np.zeros(3, dtype=np.uint64), np.array([0, 2]))


@st.composite
def list_pairs(draw: st.DrawFn) -> list[tuple[int, int]]:
    """(gap less one, frequency) with a few outliers among small numbers, over several block sizes."""
    size = draw(st.sampled_from([1, 2, 3, 127, 128, 129, 255, 256, 257, 300]))
    seed = draw(st.integers(0, 2**32 - 1))
    rng = np.random.default_rng(seed)
    gap_bits, frequency_bits = draw(st.integers(0, 20)), draw(st.integers(0, 16))
    gaps = rng.integers(0, 1 << gap_bits, size)
    frequencies = 1 + rng.integers(0, 1 << frequency_bits, size)
    for _ in range(draw(st.integers(0, 4))):
        gaps[rng.integers(size)] = draw(st.integers(0, 1 << 22))
        frequencies[rng.integers(size)] = draw(st.integers(1, 0xFFFFFFFF))
    return list(zip(gaps.tolist(), frequencies.tolist(), strict=True))


@settings(max_examples=200)
@given(st.lists(list_pairs(), min_size=1, max_size=4))
def test_lists_survive_their_blocks(rows: list[list[tuple[int, int]]]) -> None:
    starts = np.concatenate(([0], np.cumsum([len(row) for row in rows]))).astype(np.int64)
    chunks = np.concatenate([np.cumsum([gap + 1 for gap, _ in row]) - 1 for row in rows]).astype(np.uint32)
    frequencies = np.array([count for row in rows for _, count in row], dtype=np.uint32)
    lists = postings.Lists(np.arange(len(rows), dtype=np.uint64), starts, chunks, frequencies)
    back = read_back(lists, int(chunks.max()) + 1)
    assert np.array_equal(back.chunks, chunks)
    assert np.array_equal(back.frequencies, frequencies)


def test_one_outlier_does_not_widen_its_block() -> None:
    chunks = np.concatenate((np.arange(127), [1_000_000])).astype(np.uint32)
    lists = postings.Lists(np.zeros(1, np.uint64), np.array([0, 128]), chunks, np.ones(128, dtype=np.uint32))
    lengths = np.ones((1, 1_000_001), dtype=np.uint16)
    written = postings.write(lists, np.zeros(1, np.int64), np.ones((1, 2), np.float32), lengths, np.zeros(1, np.uint8))
    assert written.words.nbytes + written.extra.nbytes < 10


@given(TEXTS, st.integers(1, 4))
def test_splicing_pieces_agrees_with_gathering_what_is_left(texts: list[list[int]], cuts: int) -> None:
    """Texts dealt out to pieces at random, some dropped, come together as if gathered in one."""
    rng = np.random.default_rng(len(texts) * 7 + cuts)
    piece_of = rng.integers(0, cuts, len(texts))
    gone = rng.random(len(texts)) < 0.3
    new = np.where(gone, -1, np.cumsum(~gone) - 1)
    pieces = []
    for number in range(cuts):
        mine = np.flatnonzero(piece_of == number)
        pieces.append(splice.Piece(postings.gather(*batch([texts[i] for i in mine])), new[mine].astype(np.int64)))
    left = [text for text, dropped in zip(texts, gone, strict=True) if not dropped]
    assert as_dict(splice.splice(pieces)) == slow_lists(left)


@settings(max_examples=150)
@given(st.data())
def test_forged_widths_and_streams_are_refused_or_stay_inside(data: st.DataObject) -> None:
    """Whatever `locate` accepts can be read; what it cannot prove safe it refuses."""
    rng = np.random.default_rng(data.draw(st.integers(0, 2**32 - 1)))
    sizes = np.array([data.draw(st.sampled_from([1, 5, 128, 130, 300])) for _ in range(3)], dtype=np.int64)
    first = np.concatenate(([0], np.cumsum((sizes + 127) // 128))).astype(np.int64)
    blocks = np.zeros((int(first[-1]), 3), dtype=np.uint32)
    widths = rng.integers(0, data.draw(st.sampled_from([2, 34, 256])), (len(blocks), 2)).astype(np.uint8)
    last = np.concatenate(
        [np.minimum(128 * (1 + np.arange(b)), s) - 1 for s, b in zip(sizes, np.diff(first), strict=True)]
    )
    words = rng.integers(0, 2**32, int(4 * (widths & 0x7F).sum())).astype(np.uint32)
    extra = rng.integers(0, data.draw(st.sampled_from([2, 256])), 400).astype(np.uint8)
    for n_words in range(len(words) + 1) if len(words) < 40 else (len(words),):
        for n_extra in (len(extra), 60, 20, 6, 0):
            wrong = locate(sizes, widths, last.astype(np.uint32), 300, n_words, extra[:n_extra], blocks)
            if wrong >= 0:
                continue
            chunks = np.empty(int(sizes.sum()), dtype=np.uint32)
            counts = np.empty_like(chunks)
            read_lists(
                first, sizes, last.astype(np.uint32), blocks, words[:n_words], extra[:n_extra], 0, 3, chunks, counts
            )
            assert int(chunks.max()) < 300
