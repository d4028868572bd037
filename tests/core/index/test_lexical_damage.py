"""A segment is data: damaged or forged, it is refused or searched without harm, never trusted."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from inro.errors import FormatTooNew, LibraryError
from inro.index.lexical import LexicalIndex, LexicalQuery, build_segment
from inro.index.merge import merge
from inro.index.segment_file import Batch

NONE = np.zeros(0, dtype=np.int64)


def batch() -> Batch:
    """700 texts: dense, middling and rare terms, with frequencies above one."""
    rng = np.random.default_rng(1)
    chances = 1 / np.arange(1, 301)
    rows = [rng.choice(300, 20, p=chances / chances.sum()) for _ in range(700)]
    keys = np.concatenate(rows).astype(np.uint64)
    vocabulary = {key: f"word{key}" for key in range(300)}
    return SimpleNamespace(keys=keys, offsets=np.arange(0, 14_001, 20), vocabulary=vocabulary)


@pytest.fixture(scope="module")
def parts() -> dict[str, bytes]:
    return build_segment(np.arange(700) * 2, {0: batch()})


def use(parts: dict[str, bytes]) -> None:
    """Everything a segment can be asked. What comes out may be wrong, but must lie within the library."""
    index = LexicalIndex.load([(1, parts)], np.array([4, 10]))
    segment = index.segments[1]
    ids = set(segment.ids.tolist())
    for keys in (segment.keys[:1], segment.keys[::37], segment.keys[:60]):
        query = LexicalQuery(np.ascontiguousarray(keys), np.ones(len(keys), np.float32))
        for allow in (None, index.allow(segment.ids[::9])):
            found = index.search(query, 20, allow).chunk_ids.tolist()
            assert set(found) <= ids
        if ids:
            index.contributions(query, int(segment.ids[0]))
    merge([parts], np.array([0, 2]))
    index.prefix("word1", 5)
    index.similar("wrod12", 5)


def test_the_untouched_segment_can_be_used(parts: dict[str, bytes]) -> None:
    use(parts)


@pytest.mark.parametrize(
    "part",
    ["header", "chunks", "lengths", "keys", "frequencies", "last", "peaks", "widths", "words", "extra", "vocabulary"],
)
class TestEachPart:
    """Whichever part is hurt."""

    def test_missing_is_refused(self, parts: dict[str, bytes], part: str) -> None:
        with pytest.raises(LibraryError, match=part):
            LexicalIndex.load([(1, {name: data for name, data in parts.items() if name != part})], NONE)

    def test_cut_short_is_refused(self, parts: dict[str, bytes], part: str) -> None:
        with pytest.raises(LibraryError):
            use(parts | {part: parts[part][:-5]})

    def test_random_damage_does_no_harm(self, parts: dict[str, bytes], part: str) -> None:
        rng = np.random.default_rng(len(parts[part]))
        for _ in range(25):
            data = bytearray(parts[part])
            for _ in range(int(rng.integers(1, 6))):
                data[int(rng.integers(len(data)))] = int(rng.integers(256))
            try:
                use(parts | {part: bytes(data)})
            except LibraryError:
                continue

    def test_noise_of_the_same_size_does_no_harm(self, parts: dict[str, bytes], part: str) -> None:
        rng = np.random.default_rng(3)
        for _ in range(5):
            try:
                use(parts | {part: rng.bytes(len(parts[part]))})
            except LibraryError:
                continue


def test_a_later_format_is_named_as_such(parts: dict[str, bytes]) -> None:
    header = bytearray(parts["header"])
    header[8:10] = (99).to_bytes(2, "little")
    with pytest.raises(FormatTooNew, match="99"):
        LexicalIndex.load([(1, parts | {"header": bytes(header)})], NONE)


def test_a_forged_count_reserves_no_memory(parts: dict[str, bytes]) -> None:
    forged = (2**60).to_bytes(8, "little") + parts["keys"][8:]
    with pytest.raises(LibraryError):
        LexicalIndex.load([(1, parts | {"keys": forged})], NONE)
