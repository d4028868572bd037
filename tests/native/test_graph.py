"""The graph search finds what an exact scan finds, returns only what may be returned, and trusts no
stored link."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from inro_native.graph import Graph, from_degrees, search, without
from inro_native.hnsw import build_links
from inro_native.quantise import Coded, Query, decode, encode, prepare_query, scan, top

DIMENSION = 48
Floats = npt.NDArray[np.float32]


@dataclass(frozen=True)
class World:
    """Clustered unit vectors, their codes around one mean, and a graph over them."""

    mean: Floats
    vectors: Coded
    graph: Graph

    @property
    def count(self) -> int:
        return self.graph.nodes

    def decoded(self, rows: slice | npt.NDArray[np.int64]) -> Floats:
        taken = self.vectors.take(rows)
        return decode(taken.codes, taken.scales, self.mean)

    def ready(self, vector: Floats) -> Query:
        return prepare_query(vector / np.linalg.norm(vector), self.mean[None])

    def exact(self, query: Query, keep: npt.NDArray[np.uint8], k: int) -> list[int]:
        return [int(row) for row in top(scan(query, self.vectors), keep, k)]

    def found(self, query: Query, keep: npt.NDArray[np.uint8], beam: int) -> tuple[npt.NDArray[np.int64], Floats]:
        entries = np.arange(0, self.count, 97, dtype=np.int64)
        near = scan(query, self.vectors.take(entries))
        return search(self.graph, query, self.vectors, keep, entries, near, beam)


@pytest.fixture(scope="module")
def world() -> World:
    random = np.random.default_rng(5)
    heads = random.normal(size=(60, DIMENSION))
    vectors = heads[random.integers(0, 60, 3000)] + 0.5 * random.normal(size=(3000, DIMENSION))
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    mean = vectors.mean(axis=0).astype(np.float32)
    codes, scales = encode(vectors.astype(np.float32), mean)
    links = build_links(decode(codes, scales, mean), neighbours=12, effort=80, threads=1)
    return World(mean, Coded(codes, scales, np.zeros(3000, np.uint16)), from_degrees(*links))


def queries(world: World, count: int) -> list[Query]:
    random = np.random.default_rng(6)
    rows = random.integers(0, world.count, count)
    vectors = world.decoded(rows)
    vectors += 0.05 * random.normal(size=vectors.shape).astype(np.float32)
    return [world.ready(vector) for vector in vectors]


def test_it_finds_nearly_all_that_an_exact_scan_finds(world: World) -> None:
    keep = np.ones(world.count, np.uint8)
    shared = [
        len({*world.found(query, keep, 64)[0][:10].tolist()} & {*world.exact(query, keep, 10)}) / 10
        for query in queries(world, 100)
    ]
    assert np.mean(shared) > 0.98


def test_a_beam_as_wide_as_the_graph_finds_exactly_what_the_scan_finds(world: World) -> None:
    keep = np.ones(world.count, np.uint8)
    for query in queries(world, 5):
        rows, similarities = world.found(query, keep, world.count)
        assert rows[:200].tolist() == world.exact(query, keep, 200)
        assert (np.diff(similarities) <= 0).all()


@pytest.mark.parametrize("share", [0.5, 0.1, 0.01])
def test_rows_that_may_not_be_returned_are_gone_through_but_not_returned(world: World, share: float) -> None:
    keep = (np.random.default_rng(7).random(world.count) < share).astype(np.uint8)
    shared = []
    for query in queries(world, 30):
        rows = world.found(query, keep, 40)[0]
        assert keep[rows].all()
        expected = world.exact(query, keep, 10)
        shared.append(len({*rows[:10].tolist()} & {*expected}) / len(expected))
    assert np.mean(shared) > 0.97


def test_nothing_comes_back_when_nothing_may(world: World) -> None:
    (query,) = queries(world, 1)
    assert world.found(query, np.zeros(world.count, np.uint8), 10)[0].shape == (0,)


def test_no_row_comes_back_twice(world: World) -> None:
    keep = np.ones(world.count, np.uint8)
    for query in queries(world, 20):
        rows = world.found(query, keep, 100)[0]
        assert np.unique(rows).shape == rows.shape


def test_ways_through_lost_nodes_stay_open(world: World) -> None:
    present = np.random.default_rng(8).random(world.count) > 0.2
    left = World(world.mean, world.vectors.take(np.flatnonzero(present)), without(world.graph, present))
    assert left.count == present.sum()
    keep = np.ones(left.count, np.uint8)
    shared = [
        len({*left.found(query, keep, 64)[0][:10].tolist()} & {*left.exact(query, keep, 10)}) / 10
        for query in queries(left, 60)
    ]
    assert np.mean(shared) > 0.97


@given(st.integers(1, 30), st.integers(0, 2**32 - 1))
@settings(max_examples=100)
def test_a_graph_without_some_nodes_is_a_sound_graph_that_keeps_every_link_it_can(nodes: int, seed: int) -> None:
    random = np.random.default_rng(seed)
    neighbours = [
        [int(other) for other in random.permutation(nodes)[: random.integers(0, 6)] if other != node]
        for node in range(nodes)
    ]
    degrees = np.array([len(each) for each in neighbours], np.uint8)
    links = np.array([other for each in neighbours for other in each], np.uint32)
    present = random.random(nodes) < 0.7
    number = np.cumsum(present) - 1
    left = without(from_degrees(degrees, links), present)
    assert left.nodes == present.sum()
    from_degrees(np.diff(left.offsets.astype(np.int64)).astype(np.uint8), left.links)
    for node in np.flatnonzero(present):
        new = number[node]
        after = left.links[left.offsets[new] : left.offsets[new + 1]].tolist()
        assert {int(number[other]) for other in neighbours[node] if present[other]} <= {*after}
        assert len({*after}) == len(after) <= len(neighbours[node])


@pytest.mark.parametrize(
    ("degrees", "links", "reason"),
    [
        ([1, 1], [1], "add up"),
        ([1, 1], [1, 0, 0], "add up"),
        ([1, 1], [1, 2], "leads to node 2"),
        ([1, 1], [1, 2**32 - 1], "leads to node"),
        ([1, 1], [1, 1], "linked to itself"),
    ],
)
def test_links_that_do_not_make_a_graph_are_refused(degrees: list[int], links: list[int], reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        from_degrees(np.array(degrees, np.uint8), np.array(links, np.uint32))


def test_one_thread_builds_the_same_links_twice(world: World) -> None:
    vectors = world.decoded(slice(500))
    first = build_links(vectors, neighbours=8, effort=40, threads=1)
    second = build_links(vectors, neighbours=8, effort=40, threads=1)
    assert [each.tobytes() for each in first] == [each.tobytes() for each in second]


def test_several_threads_build_links_that_are_just_as_sound(world: World) -> None:
    vectors = world.decoded(slice(1000))
    graph = from_degrees(*build_links(vectors, neighbours=12, effort=80, threads=2))
    # hnswlib numbers nodes in the order threads got to them; a link must still lead to a near vector.
    ends = np.repeat(np.arange(1000), np.diff(graph.offsets).astype(np.int64))
    linked = (vectors[ends] * vectors[graph.links]).sum(axis=1).mean()
    assert (
        linked > (vectors[ends] * vectors[np.random.default_rng(0).permutation(graph.links)]).sum(axis=1).mean() + 0.2
    )


def test_no_vectors_make_an_empty_graph() -> None:
    degrees, links = build_links(np.empty((0, 4), np.float32), neighbours=8, effort=10, threads=1)
    assert from_degrees(degrees, links).nodes == 0


@pytest.mark.parametrize(("neighbours", "effort", "threads"), [(1, 10, 1), (128, 10, 1), (8, 0, 1), (8, 10, 0)])
def test_a_graph_is_not_built_with_numbers_that_make_no_sense(neighbours: int, effort: int, threads: int) -> None:
    with pytest.raises(ValueError):
        build_links(np.eye(4, dtype=np.float32), neighbours=neighbours, effort=effort, threads=threads)
