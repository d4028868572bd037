"""Stored vectors and graphs come back as written, and nothing damaged or hostile gets past the checks."""

from __future__ import annotations

import struct
from collections.abc import Callable

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from inro.errors import NotAnIndex
from inro.index import dense_graph
from inro.index.dense import DenseIndex, build_graph, encode_block
from inro.index.dense_file import read_block, read_graph, write_block, write_graph

Parts = dict[str, bytes]
NONE = np.empty(0, np.int64)
COUNT, DIMENSION = 300, 16


def unit(count: int) -> npt.NDArray[np.float32]:
    vectors = np.random.default_rng(0).normal(size=(count, DIMENSION))
    return np.asarray(vectors / np.linalg.norm(vectors, axis=1, keepdims=True), np.float32)


@pytest.fixture(autouse=True)
def small_libraries_use_their_graph(monkeypatch: pytest.MonkeyPatch) -> None:
    """So that a graph which passes the checks is searched as well."""
    monkeypatch.setattr(dense_graph, "SCAN_BYTES", 0)


@pytest.fixture(scope="module")
def block() -> Parts:
    return encode_block(np.arange(10, 10 + COUNT), unit(COUNT))


@pytest.fixture(scope="module")
def graph(block: Parts) -> Parts:
    return build_graph([block])


def test_a_block_comes_back_as_written(block: Parts) -> None:
    assert write_block(read_block(block)) == block


def test_a_graph_comes_back_as_written(graph: Parts) -> None:
    read = read_graph(graph)
    degrees = np.diff(read.graph.offsets.astype(np.int64)).astype(np.uint8)
    assert write_graph(read.chunk_ids, degrees, read.graph.links) == graph
    assert read.chunk_ids.tolist() == list(range(10, 10 + COUNT))


def test_a_block_takes_little_more_than_a_byte_a_number(block: Parts) -> None:
    assert sum(map(len, block.values())) < COUNT * (DIMENSION + 12) + 200


def altered(part: str, dtype: str, at: int, value: object) -> Callable[[Parts], Parts]:
    def change(parts: Parts) -> Parts:
        array = np.frombuffer(parts[part], dtype).copy()
        array[at] = value
        return {**parts, part: array.tobytes()}

    return change


@pytest.mark.parametrize(
    "change",
    [
        altered("chunk_ids", "<i8", 0, -1),
        altered("chunk_ids", "<i8", 5, 3),
        altered("chunk_ids", "<i8", 5, 14),
        altered("scales", "<f4", 3, np.nan),
        altered("scales", "<f4", 3, np.inf),
        altered("scales", "<f4", 3, -0.1),
        altered("mean", "<f4", 0, np.nan),
        altered("mean", "<f4", 0, 2.0),
        lambda parts: {name: data for name, data in parts.items() if name != "codes"},
        lambda parts: {**parts, "codes": parts["codes"][:-1]},
        lambda parts: {**parts, "header": b""},
        lambda parts: {**parts, "header": b"x" * len(parts["header"])},
        lambda parts: {**parts, "header": struct.pack("<8sIIQQ", b"inro-vec", 1, 0, 0, 0)},
        lambda parts: {**parts, "header": struct.pack("<8sIIQQ", b"inro-vec", 1, 2**31, 2**60, 0)},
        lambda parts: {**parts, "header": struct.pack("<8sIIQQ", b"inro-vec", 2, DIMENSION, COUNT, COUNT)},
    ],
)
def test_a_damaged_block_is_refused_by_name(block: Parts, change: Callable[[Parts], Parts]) -> None:
    with pytest.raises(NotAnIndex, match="vector block 41"):
        DenseIndex.load([(41, change(block))], None, NONE)


@pytest.mark.parametrize(
    "change",
    [
        altered("links", "<u4", 7, COUNT),
        altered("links", "<u4", 7, 2**32 - 1),
        altered("links", "<u4", 0, 0),
        altered("degrees", "u1", 0, 255),
        altered("chunk_ids", "<i8", 1, 10),
        lambda parts: {**parts, "links": parts["links"][:-4]},
        lambda parts: {**parts, "degrees": parts["degrees"] + b"\0"},
        lambda parts: {**parts, "header": struct.pack("<8sIQQ", b"inro-hnw", 1, 2**62, 2**62)},
        lambda parts: {"header": parts["header"]},
    ],
)
def test_a_damaged_graph_is_reported_and_the_library_searched_without_it(
    block: Parts, graph: Parts, change: Callable[[Parts], Parts]
) -> None:
    index = DenseIndex.load([(0, block)], change(graph), NONE)
    assert not index.has_graph
    assert index.fault.startswith("the vector graph is damaged")
    assert index.search(unit(1)[0], 1).chunk_ids.tolist() == [10]


def test_a_sound_graph_is_not_reported(block: Parts, graph: Parts) -> None:
    index = DenseIndex.load([(0, block)], graph, NONE)
    assert (index.has_graph, index.fault) == (True, "")


@pytest.mark.parametrize("seed", range(8))
def test_eight_hundred_fuzzed_graphs_are_refused_or_searched_but_never_crash(
    block: Parts, graph: Parts, seed: int
) -> None:
    """Bytes flipped, runs overwritten, parts cut, grown, swapped or random; what passes must still be in
    range."""
    random = np.random.default_rng(seed)
    query = unit(1)[0]
    refused = 0
    for _ in range(100):
        parts = dict(graph)
        for _ in range(int(random.integers(1, 4))):
            name = str(random.choice(sorted(parts)))
            data = bytearray(parts[name])
            at = int(random.integers(0, max(1, len(data))))
            length = int(random.integers(1, 64))
            match int(random.integers(0, 6)):
                case 0:
                    data[at : at + 1] = random.bytes(1)
                case 1:
                    data[at : at + length] = random.bytes(len(data[at : at + length]))
                case 2:
                    del data[at : at + length]
                case 3:
                    data[at:at] = random.bytes(length)
                case 4:
                    data = bytearray(random.bytes(len(data)))
                case _:
                    data[at : at + length] = b"\xff" * len(data[at : at + length])
            parts[name] = bytes(data)
        index = DenseIndex.load([(0, block)], parts, NONE)
        refused += bool(index.fault)
        found = index.search(query, 20)
        assert found.chunk_ids.shape == (20,)
        assert np.isin(found.chunk_ids, np.arange(10, 10 + COUNT)).all()
    assert refused > 30


@given(st.dictionaries(st.sampled_from(["header", "chunk_ids", "degrees", "links"]), st.binary(max_size=200)))
def test_random_parts_are_no_graph(parts: Parts) -> None:
    with pytest.raises(ValueError):
        read_graph(parts)


@given(st.dictionaries(st.sampled_from(["header", "chunk_ids", "codes", "scales", "mean"]), st.binary(max_size=200)))
def test_random_parts_are_no_block(parts: Parts) -> None:
    with pytest.raises(ValueError):
        read_block(parts)


def test_a_graph_of_chunks_that_are_not_here_is_not_used(block: Parts, graph: Parts) -> None:
    ids = np.frombuffer(graph["chunk_ids"], "<i8") + 10**6
    index = DenseIndex.load([(0, block)], {**graph, "chunk_ids": ids.tobytes()}, NONE)
    assert not index.has_graph
    assert index.search(unit(1)[0], 1).chunk_ids.tolist() == [10]
