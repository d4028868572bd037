"""Spellings are found by how they begin and by what they resemble."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from inro.index import vocabulary
from inro.index.lexical import LexicalIndex, build_segment

NONE = np.zeros(0, dtype=np.int64)
SPELLINGS = st.sets(st.text("abé日𠮷 ", min_size=1, max_size=6), max_size=50)


def read(spellings: dict[int, str]) -> vocabulary.Vocabulary:
    keys = np.array(sorted(spellings), dtype=np.uint64)
    return vocabulary.Vocabulary(vocabulary.write(keys, spellings), len(keys))


@given(SPELLINGS, st.text("abé日𠮷 ", max_size=2))
def test_a_prefix_finds_all_that_begin_so_in_order(words: set[str], prefix: str) -> None:
    spellings = {i * 3: word for i, word in enumerate(sorted(words, key=hash))}
    found = list(read(spellings).beginning_with(prefix))
    assert [text for text, _ in found] == sorted(word for word in words if word.startswith(prefix))
    assert all(spellings[place * 3] == text for text, place in found)


def test_a_prefix_reaches_across_blocks() -> None:
    spellings = {i: f"{i:05}" for i in range(3 * vocabulary.BLOCK + 5)}
    assert [text for text, _ in read(spellings).beginning_with("0")] == sorted(spellings.values())
    assert [text for text, _ in read(spellings).beginning_with("01023")] == ["01023"]
    assert list(read(spellings).beginning_with("x")) == []


def test_spellings_of_keys_the_segment_does_not_hold_are_left_out() -> None:
    data = vocabulary.write(np.array([5], dtype=np.uint64), {5: "kept", 6: "dropped"})
    assert list(vocabulary.Vocabulary(data, 1).items()) == [("kept", 0)]


def library(*rows: list[str], titles: list[list[str]] | None = None) -> LexicalIndex:
    """One segment a row; a text is its words, a word's key its bytes as a number."""
    segments = []
    for number, words in enumerate(rows):
        batches = {0: batch([[word] for word in words])}
        if titles:
            batches[1] = batch([titles[number]] * len(words))
        segments.append((number, build_segment(np.arange(len(words)) + 100 * number, batches)))
    return LexicalIndex.load(segments, NONE)


def batch(texts: list[list[str]]) -> SimpleNamespace:
    spelt = {int.from_bytes(word.encode()[:7], "big"): word for text in texts for word in text}
    keys = np.array([int.from_bytes(w.encode()[:7], "big") for text in texts for w in text], dtype=np.uint64)
    offsets = np.concatenate(([0], np.cumsum([len(text) for text in texts]))).astype(np.int64)
    return SimpleNamespace(keys=keys, offsets=offsets, vocabulary=spelt)


def test_completion_offers_the_most_frequent_first_over_all_segments() -> None:
    index = library(["tea", "tea", "team", "sea"], ["team", "team", "ten"])
    assert [(s.text, s.frequency) for s in index.prefix("te", 2)] == [("team", 3), ("tea", 2)]


def test_a_word_in_two_fields_is_offered_once() -> None:
    index = library(["tea", "ten"], titles=[["tea"]])
    assert [(s.text, s.frequency) for s in index.prefix("te", 9)] == [("tea", 2), ("ten", 1)]


def test_likeness_offers_fewest_edits_first_and_only_latin_words() -> None:
    index = library(["receive", "receive", "recieve", "relieve", "deceive", "受信する", "res"])
    assert [(s.text, s.edits) for s in index.similar("recieve", 3)] == [("recieve", 0), ("receive", 1), ("relieve", 1)]
    assert index.similar("受信すろ", 3) == []
    assert [s.text for s in index.similar("ret", 3)] == ["res"]


@given(
    st.lists(st.dictionaries(st.integers(0, 60), st.text("abé日𠮷\n", max_size=4), max_size=40), max_size=4), st.data()
)
def test_a_merge_is_what_all_spellings_written_at_once_are(told: list[dict[int, str]], data: st.DataObject) -> None:
    """A key's last spelling stays, and one of a key that is gone goes, whichever segment told it."""
    every: dict[int, str] = {}
    parts = []
    for spellings in told:
        # some keys of a segment have no spelling
        own = np.array(sorted({*spellings, *range(0, 60, 7)}), dtype=np.uint64)
        parts.append((own, vocabulary.write(own, spellings)))
        # what a part does not keep (an empty spelling, one of two lines) takes nothing from an earlier one
        every.update((int(own[place]), text) for text, place in vocabulary.Vocabulary(parts[-1][1], len(own)).items())
    left = data.draw(st.sets(st.integers(0, 60)))
    keys = np.array(sorted(left), dtype=np.uint64)
    assert vocabulary.merge(keys, parts) == vocabulary.write(keys, every)


def test_a_merge_of_many_blocks_is_in_order() -> None:
    odd, even = {i: f"{i:05}" for i in range(1, 5000, 2)}, {i: f"{i:05}" for i in range(0, 5000, 2)}
    own = {id(s): np.array(sorted(s), dtype=np.uint64) for s in (odd, even)}
    parts = [(own[id(s)], vocabulary.write(own[id(s)], s)) for s in (odd, even)]
    keys = np.arange(5000, dtype=np.uint64)
    assert vocabulary.merge(keys, parts) == vocabulary.write(keys, odd | even)
