"""The dense lane returns the nearest live, allowed chunks, with or without a graph, whatever the blocks
look like."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest

from inro.errors import ModelError, NotAnIndex
from inro.index import dense_graph
from inro.index.dense import NODE_PARTS, DenseIndex, build_graph, encode_block, graph_is_due, merge_blocks

Ids = npt.NDArray[np.int64]
Vectors = npt.NDArray[np.float32]
NONE = np.empty(0, np.int64)
DIMENSION = 40


def clustered(count: int, seed: int = 0) -> Vectors:
    """Unit vectors in clusters around a common direction, as sentence embeddings are."""
    random = np.random.default_rng(seed)
    heads = np.random.default_rng(99).normal(size=(80, DIMENSION))
    vectors = heads[random.integers(0, 80, count)] + 0.5 * random.normal(size=(count, DIMENSION)) + 1.0
    return np.asarray(vectors / np.linalg.norm(vectors, axis=1, keepdims=True), np.float32)


def blocks_of(ids: Ids, vectors: Vectors, size: int) -> list[tuple[int, dict[str, bytes]]]:
    """Several blocks, each centred on its own mean."""
    return [
        (number, encode_block(ids[at : at + size], vectors[at : at + size]))
        for number, at in enumerate(range(0, len(ids), size))
    ]


def parts_of(blocks: list[tuple[int, dict[str, bytes]]]) -> list[dict[str, bytes]]:
    return [parts for _, parts in blocks]


def nearest(index: DenseIndex, query: Vectors, ids: Ids, k: int) -> list[int]:
    """What plain float64 arithmetic on the stored vectors says."""
    similarities = index.vectors(ids).astype(np.float64) @ query
    return [int(chunk) for chunk in ids[np.argsort(-similarities, kind="stable")][:k]]


@pytest.fixture(autouse=True)
def small_libraries_use_their_graph(monkeypatch: pytest.MonkeyPatch) -> None:
    """Real thresholds are for libraries of tens of thousands of chunks."""
    monkeypatch.setattr(dense_graph, "SCAN_BYTES", 200 * DIMENSION)


@pytest.fixture(scope="module")
def ids() -> Ids:
    return np.sort(np.random.default_rng(1).permutation(20_000)[:4000]).astype(np.int64)


@pytest.fixture(scope="module")
def vectors() -> Vectors:
    return clustered(4000)


@pytest.fixture(scope="module")
def blocks(ids: Ids, vectors: Vectors) -> list[tuple[int, dict[str, bytes]]]:
    return blocks_of(ids, vectors, 700)


@pytest.fixture(scope="module")
def graph(blocks: list[tuple[int, dict[str, bytes]]]) -> dict[str, bytes]:
    return build_graph(parts_of(blocks))


@pytest.fixture(params=["scan", "graph"])
def index(
    request: pytest.FixtureRequest, blocks: list[tuple[int, dict[str, bytes]]], graph: dict[str, bytes]
) -> DenseIndex:
    return DenseIndex.load(blocks, graph if request.param == "graph" else None, NONE)


def overlap(found: Ids, expected: list[int]) -> float:
    return len({*found.tolist()} & {*expected}) / max(1, len(expected))


def test_stored_vectors_are_close_to_the_ones_given(index: DenseIndex, ids: Ids, vectors: Vectors) -> None:
    assert np.abs(index.vectors(ids) - vectors).max() < 0.003
    assert (index.live_ids() == ids).all()
    assert len(index) == 4000


def test_the_nearest_chunks_come_first_with_their_cosines(index: DenseIndex, ids: Ids) -> None:
    shared = []
    for query in clustered(40, seed=2):
        result = index.search(query, 10)
        shared.append(overlap(result.chunk_ids, nearest(index, query, ids, 10)))
        assert (np.diff(result.similarities) <= 0).all()
        cosines = index.vectors(result.chunk_ids) @ query
        assert result.similarities == pytest.approx(cosines, abs=1e-4)
    assert np.mean(shared) > (0.98 if index.has_graph else 0.995)


def test_an_exact_copy_of_a_chunk_is_found_at_similarity_one(index: DenseIndex, ids: Ids, vectors: Vectors) -> None:
    for at in range(0, 4000, 251):
        result = index.search(vectors[at], 1)
        assert result.chunk_ids.tolist() == [ids[at]]
        assert result.similarities[0] == pytest.approx(1, abs=0.002)


@pytest.mark.parametrize("share", [0.9, 0.3, 0.02])
def test_a_filter_acts_before_the_top_is_taken(index: DenseIndex, ids: Ids, share: float) -> None:
    allow = ids[np.random.default_rng(3).random(4000) < share]
    shared = []
    for query in clustered(15, seed=4):
        found = index.search(query, 20, allow).chunk_ids
        assert np.isin(found, allow).all()
        assert found.shape[0] == min(20, allow.shape[0])
        shared.append(overlap(found, nearest(index, query, allow, 20)))
    assert np.mean(shared) > 0.98


def test_a_filter_may_name_chunks_twice_or_chunks_without_vectors(index: DenseIndex, ids: Ids) -> None:
    query = clustered(1, seed=5)[0]
    messy = np.array([ids[5], ids[3], ids[5], 10**12, -4], np.int64)
    assert sorted(index.search(query, 9, messy).chunk_ids.tolist()) == sorted([ids[3], ids[5]])
    assert index.search(query, 9, NONE).chunk_ids.shape == (0,)


def test_as_many_chunks_come_back_as_there_are_however_many_are_asked_for(index: DenseIndex, ids: Ids) -> None:
    result = index.search(clustered(1, seed=6)[0], 10_000)
    assert sorted(result.chunk_ids.tolist()) == ids.tolist()
    assert index.search(clustered(1, seed=6)[0], 0).chunk_ids.shape == (0,)


def test_deleted_chunks_are_gone_and_the_rest_is_found(
    blocks: list[tuple[int, dict[str, bytes]]], graph: dict[str, bytes], ids: Ids
) -> None:
    deleted = ids[np.random.default_rng(7).random(4000) < 0.4]
    left = np.setdiff1d(ids, deleted)
    for stored in (None, graph):
        index = DenseIndex.load(blocks, stored, np.append(deleted, 10**15))
        assert len(index) == left.shape[0]
        assert np.isnan(index.similarities(clustered(1)[0], deleted)).all()
        assert np.isnan(index.vectors(deleted)).all()
        shared = []
        for query in clustered(30, seed=8):
            found = index.search(query, 10).chunk_ids
            assert not np.isin(found, deleted).any()
            shared.append(overlap(found, nearest(index, query, left, 10)))
        assert np.mean(shared) > 0.98


def test_vectors_added_after_the_graph_was_built_are_found_beside_it(
    blocks: list[tuple[int, dict[str, bytes]]], ids: Ids
) -> None:
    early = build_graph(parts_of(blocks[:5]))
    index = DenseIndex.load(blocks, early, NONE)
    late = ids[3500:]
    shared = []
    for query in clustered(40, seed=9):
        found = index.search(query, 10).chunk_ids
        shared.append(overlap(found, nearest(index, query, ids, 10)))
    assert np.mean(shared) > 0.98
    for chunk in late[::40]:
        assert index.search(index.vectors(np.array([chunk]))[0], 1).chunk_ids.tolist() == [chunk]


def test_a_graph_outlives_a_merge_that_drops_its_vectors(
    blocks: list[tuple[int, dict[str, bytes]]], graph: dict[str, bytes], ids: Ids
) -> None:
    deleted = ids[np.random.default_rng(10).random(4000) < 0.15]
    left = np.setdiff1d(ids, deleted)
    index = DenseIndex.load([(9, merge_blocks(parts_of(blocks), deleted))], graph, NONE)
    assert index.has_graph
    assert index.live_ids().tolist() == left.tolist()
    shared = [
        overlap(index.search(query, 10).chunk_ids, nearest(index, query, left, 10)) for query in clustered(40, seed=11)
    ]
    assert np.mean(shared) > 0.98


def test_a_graph_that_covers_embeddings_made_out_of_order_is_used(ids: Ids, vectors: Vectors) -> None:
    """Chunks may be embedded long after chunks with higher ids were."""
    late_first = [(1, encode_block(ids[2000:], vectors[2000:]))]
    graph = build_graph(parts_of(late_first))
    index = DenseIndex.load([(0, encode_block(ids[:2000], vectors[:2000])), *late_first], graph, NONE)
    for at in range(0, 4000, 333):
        assert index.search(vectors[at], 1).chunk_ids.tolist() == [ids[at]]
    assert np.abs(index.vectors(ids) - vectors).max() < 0.003


def test_similarities_are_given_in_the_order_asked_and_nan_where_there_is_no_vector(
    index: DenseIndex, ids: Ids, vectors: Vectors
) -> None:
    query = clustered(1, seed=12)[0]
    asked = np.array([ids[7], 10**9, ids[0], ids[7]], np.int64)
    found = index.similarities(query, asked)
    assert found.dtype == np.float32
    assert np.isnan(found).tolist() == [False, True, False, False]
    assert found[[0, 2]] == pytest.approx(vectors[[7, 0]] @ query, abs=0.01)
    assert found[0] == found[3]


def test_the_population_is_that_of_the_whole_library_even_under_a_filter(index: DenseIndex, ids: Ids) -> None:
    for query in clustered(5, seed=13):
        everything = index.vectors(ids).astype(np.float64) @ query
        error = everything.std() / np.sqrt(min(512, len(ids)))
        for allow in (None, ids[:30]):
            result = index.search(query, 5, allow)
            assert result.population_mean == pytest.approx(everything.mean(), abs=5 * error)
            assert result.population_std == pytest.approx(everything.std(), rel=0.2)


def test_neighbours_of_a_chunk_leave_the_chunk_out(index: DenseIndex, ids: Ids) -> None:
    own = index.vectors(ids[100:101])[0]
    expected = [chunk for chunk in nearest(index, own, ids, 6) if chunk != ids[100]]
    found = index.neighbours(int(ids[100]), 5).chunk_ids
    assert ids[100] not in found
    assert overlap(found, expected) >= 0.8
    assert index.neighbours(10**9, 5).chunk_ids.shape == (0,)


def test_equal_vectors_come_back_lowest_chunk_first() -> None:
    vector = clustered(1)[0]
    index = DenseIndex.load([(0, encode_block(np.arange(9), np.tile(vector, (9, 1))))], None, NONE)
    assert index.search(vector, 4).chunk_ids.tolist() == [0, 1, 2, 3]


def test_an_empty_library_answers_with_nothing() -> None:
    index = DenseIndex.load([], None, NONE)
    result = index.search(clustered(1)[0], 5)
    assert result.chunk_ids.shape == (0,)
    assert np.isnan(result.population_mean)
    assert np.isnan(index.similarities(clustered(1)[0], np.array([1]))).all()
    assert index.neighbours(1, 3).chunk_ids.shape == (0,)
    assert (len(index), index.dimension, index.centre) == (0, 0, None)


def test_a_library_of_deleted_chunks_answers_with_nothing(ids: Ids, vectors: Vectors) -> None:
    index = DenseIndex.load(blocks_of(ids[:50], vectors[:50], 50), None, ids)
    result = index.search(vectors[0], 5)
    assert result.chunk_ids.shape == (0,)
    assert np.isnan(result.population_mean)


@pytest.mark.parametrize("query", [np.zeros(DIMENSION + 1), np.zeros((1, DIMENSION)), np.full(DIMENSION, np.nan)])
def test_a_query_of_another_embedder_is_refused(index: DenseIndex, query: Vectors) -> None:
    with pytest.raises(ModelError):
        index.search(query, 3)
    with pytest.raises(ModelError):
        index.similarities(query, np.array([1]))


def test_blocks_of_several_dimensions_are_refused() -> None:
    mixed = [
        (0, encode_block(np.array([1]), np.eye(1, 4, dtype=np.float32))),
        (1, encode_block(np.array([2]), np.eye(1, 5, dtype=np.float32))),
    ]
    with pytest.raises(NotAnIndex, match="dimensions"):
        DenseIndex.load(mixed, None, NONE)


def test_a_chunk_in_two_blocks_is_refused(ids: Ids, vectors: Vectors) -> None:
    twice = [(0, encode_block(ids[:5], vectors[:5])), (1, encode_block(ids[4:9], vectors[4:9]))]
    with pytest.raises(NotAnIndex, match="two blocks"):
        DenseIndex.load(twice, None, NONE)


def test_a_graph_is_due_only_in_a_library_too_large_to_scan(
    graph: dict[str, bytes], ids: Ids, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(dense_graph, "SCAN_BYTES", 4000 * DIMENSION)
    assert not graph_is_due(ids, DIMENSION, None)
    monkeypatch.setattr(dense_graph, "SCAN_BYTES", 4000 * DIMENSION - 1)
    assert graph_is_due(ids, DIMENSION, None)
    assert not graph_is_due(ids, DIMENSION, graph)


def test_a_graph_is_due_again_when_much_has_gone_or_come_or_it_is_damaged(
    blocks: list[tuple[int, dict[str, bytes]]], graph: dict[str, bytes], ids: Ids, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(dense_graph, "SCAN_BYTES", 1000)
    assert not graph_is_due(ids[700:], DIMENSION, graph)
    assert graph_is_due(ids[900:], DIMENSION, graph)
    assert graph_is_due(ids, DIMENSION, build_graph(parts_of(blocks[:4])))
    assert graph_is_due(ids, DIMENSION, {**graph, "chunk_ids": graph["chunk_ids"][:-1]})
    assert not graph_is_due(ids, DIMENSION, {part: graph[part] for part in NODE_PARTS})


def test_the_memory_an_index_holds_is_little_more_than_its_codes(index: DenseIndex) -> None:
    codes = 4000 * DIMENSION
    assert codes < index.nbytes < codes + 4000 * 200
