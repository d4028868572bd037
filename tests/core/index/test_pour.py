"""Libraries poured into one another: what several machines indexed becomes what one would have indexed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from inro.index import dense, pipeline
from inro.index.dense import DenseIndex
from inro.index.lexical import LexicalIndex, LexicalQuery
from inro.index.pour import MIXED, pour
from inro.index.segment_file import read_segment, rekeyed
from inro.index.verify import verify
from inro.records import Block, Reading
from inro.store import chunks, meta, pouring, sources, titles, units
from inro.store.connect import Store
from inro.store.schema import TABLES
from inro.text.analyse import Analyser

TEXTS = [
    f"Note {i}. The {'furnace' if i % 3 else 'glovebox'} S-{1000 + i} was {'dried' if i % 2 else 'cleaned'}. "
    f"試料{i}を{'乾燥庫' if i % 4 else '真空炉'}に入れた。"
    for i in range(30)
]
QUESTIONS = ("furnace dried", "乾燥庫", "S-1007", "glovebox cleaned 真空炉", "note")


def readings(texts: Sequence[str], first: int = 0) -> Iterator[tuple[str, Reading]]:
    for i, text in enumerate(texts, first):
        yield f"note {i}.md", Reading(text, f"Note {i}", (Block("paragraph", 0, len(text)),), "test/1")


def library(path: Path, texts: Sequence[str], embedder: Any = None, first: int = 0, source: str = "notes") -> Store:
    store = Store.create(path)
    list(pipeline.index_documents(store, source, readings(texts, first), embedder))
    return store


def found(store: Store, question: str) -> list[tuple[str, float]]:
    """(path, score) of the chunks the lexical lane finds, best first."""
    with store.reading() as con:
        index = LexicalIndex.load(units.load(con, units.LEXICAL), units.deleted(con, units.LEXICAL))
        keys = np.unique(Analyser().query(question).keys)
        result = index.search(LexicalQuery(keys, np.ones(keys.size, np.float32)), 30)
        paths = [chunk.path for chunk in chunks.fetch(con, result.chunk_ids)]
        return list(zip(paths, map(float, result.scores), strict=True))


def vector_of(store: Store) -> dict[str, Any]:
    """The vector of each chunk, by its text."""
    with store.reading() as con:
        index = DenseIndex.load(units.load(con, units.DENSE), None, units.deleted(con, units.DENSE))
        held = chunks.fetch(con, index.live_ids())
        return dict(zip((chunk.text for chunk in held), index.vectors(index.live_ids()), strict=True))


@pytest.fixture
def whole(tmp_path: Path, embedder: Any) -> Store:
    return library(tmp_path / "whole.inro", TEXTS, embedder)


@pytest.fixture
def shards(tmp_path: Path, embedder: Any) -> list[Store]:
    return [library(tmp_path / f"shard {i}.inro", TEXTS[i : i + 10], embedder, i) for i in (0, 10, 20)]


def test_three_shards_are_the_library_built_at_once(
    tmp_path: Path, whole: Store, shards: list[Store], embedder: Any
) -> None:
    merged = Store.create(tmp_path / "merged.inro")
    asked = len(embedder.asked)
    for shard in shards:
        report = pour(shard, merged)
        assert (report.documents, report.duplicates, report.vectors) == (10, 0, report.chunks)
    assert len(embedder.asked) == asked, "nothing was embedded again"
    assert list(verify(merged)) == []
    for question in QUESTIONS:
        assert found(merged, question) == found(whole, question)
    with merged.reading() as con, whole.reading() as other:
        assert len(sources.every(con)) == 1, "a source of that name is one source"
        assert titles.search_titles(con, "7", 3) == titles.search_titles(other, "7", 3)
    ours, theirs = vector_of(merged), vector_of(whole)
    assert ours.keys() == theirs.keys()
    assert min(float(ours[text] @ theirs[text]) for text in ours) > 0.995


def test_pouring_again_brings_nothing(tmp_path: Path, shards: list[Store]) -> None:
    merged = Store.create(tmp_path / "merged.inro")
    pour(shards[0], merged)
    again = pour(shards[0], merged)
    assert (again.documents, again.duplicates, again.chunks) == (0, 10, 0)
    assert list(verify(merged)) == []


def test_the_same_content_comes_in_once(tmp_path: Path, embedder: Any) -> None:
    mine = library(tmp_path / "mine.inro", TEXTS[:6], embedder)
    theirs = library(tmp_path / "theirs.inro", TEXTS[3:9], embedder, 3, source="elsewhere")
    report = pour(theirs, mine)
    assert (report.documents, report.duplicates) == (3, 3)
    assert list(verify(mine)) == []
    with mine.reading() as con:
        assert con.execute("SELECT count(*), count(DISTINCT hash) FROM documents").fetchone() == (9, 9)
    # the segment came without the words of what was left out
    assert [path for path, _ in found(mine, "S-1004")][:1] == ["note 4.md"]
    assert len({path for path, _ in found(mine, "note")}) == 9


@pytest.mark.parametrize("theirs_is_later", [True, False])
def test_of_two_states_of_a_file_the_later_read_stays(tmp_path: Path, embedder: Any, theirs_is_later: bool) -> None:
    old, new = ["An old state of it"], ["A new state of it"]
    first = library(tmp_path / "first.inro", old, embedder)
    second = library(tmp_path / "second.inro", new, embedder)
    mine, theirs = (first, second) if theirs_is_later else (second, first)
    report = pour(theirs, mine)
    assert (report.documents, report.replaced, report.outdated) == ((1, 1, 0) if theirs_is_later else (0, 0, 1))
    assert list(verify(mine)) == []
    with mine.reading() as con:
        assert con.execute("SELECT text FROM texts").fetchall() == [("A new state of it",)]


def test_vectors_of_another_model_are_left_behind(tmp_path: Path, make_embedder: Any) -> None:
    mine = library(tmp_path / "mine.inro", TEXTS[:5], make_embedder("one"))
    theirs = library(tmp_path / "theirs.inro", TEXTS[5:10], make_embedder("two"), 5)
    report = pour(theirs, mine)
    assert report.vectors == 0
    assert report.other_vectors == ["two"]
    with mine.reading() as con:
        assert chunks.count_to_embed(con) == report.chunks
        assert meta.get(con, "embedder_name") == "one"
    assert list(verify(mine)) == []


def test_a_library_without_vectors_takes_those_that_come(tmp_path: Path, embedder: Any) -> None:
    mine = library(tmp_path / "mine.inro", TEXTS[:5])
    theirs = library(tmp_path / "theirs.inro", TEXTS[5:10], embedder, 5)
    report = pour(theirs, mine)
    assert report.vectors == report.chunks
    with mine.reading() as con:
        assert meta.get(con, "embedder") == embedder.model.fingerprint
        assert chunks.count_to_embed(con) == 5
    assert list(verify(mine)) == []


def test_words_and_chunks_of_other_rules_are_told(tmp_path: Path) -> None:
    mine = library(tmp_path / "mine.inro", TEXTS[:3])
    theirs = library(tmp_path / "theirs.inro", TEXTS[3:6], first=3)
    with theirs.writing() as con:
        meta.put(con, "analyser", "another")
        meta.put(con, "chunker", "another")
    report = pour(theirs, mine)
    assert report.other_words and report.other_chunks
    with mine.reading() as con:
        assert meta.get(con, "chunker") == MIXED


def test_chosen_sources_come_alone_and_leave_no_trace_of_the_others(tmp_path: Path, embedder: Any) -> None:
    store = library(tmp_path / "both.inro", TEXTS[:5], embedder, source="open")
    list(pipeline.index_documents(store, "closed", readings(["The zanthoxylum secret of 2019."], 90), embedder))
    with store.reading() as con:
        number = next(source.id for source in sources.every(con) if source.name == "open")
    part = Store.create(tmp_path / "part.inro")
    report = pour(store, part, only=[number])
    assert report.documents == 5
    assert list(verify(part)) == []
    assert b"zanthoxylum" in store.path.read_bytes()
    assert b"zanthoxylum" not in part.path.read_bytes()
    assert b"closed" not in part.path.read_bytes()
    with part.reading() as con, store.reading() as other:
        asked = "SELECT id, path FROM documents ORDER BY id"
        assert con.execute(asked).fetchall() == other.execute(asked).fetchall()[:5], "numbers stay what they were"


def test_without_vectors_everything_else_comes(tmp_path: Path, embedder: Any) -> None:
    store = library(tmp_path / "l.inro", TEXTS[:5], embedder)
    part = Store.create(tmp_path / "part.inro")
    report = pour(store, part, vectors=False)
    assert (report.vectors, report.other_vectors) == (0, [])
    with part.reading() as con:
        assert units.count(con, units.DENSE) == 0
        assert meta.get(con, "embedder") == ""
        assert chunks.count_to_embed(con) == report.chunks
    assert list(verify(part)) == []


def test_deleted_chunks_are_poured_away(tmp_path: Path, embedder: Any) -> None:
    store = library(tmp_path / "l.inro", TEXTS[:6], embedder)
    list(pipeline.index_documents(store, "notes", readings(["Another text."], 2), embedder))
    with store.reading() as con:
        assert units.deleted(con, units.LEXICAL).size
    part = Store.create(tmp_path / "part.inro")
    pour(store, part)
    with part.reading() as con:
        assert not units.deleted(con, units.LEXICAL).size
        assert not units.deleted(con, units.DENSE).size
    assert list(verify(part)) == []


def test_a_damaged_block_is_named_and_nothing_is_written(tmp_path: Path, embedder: Any) -> None:
    from inro.errors import NotAnIndex

    store = library(tmp_path / "l.inro", TEXTS[:3], embedder)
    with store.writing() as con:
        con.execute("UPDATE vectors SET data = 'x'::BLOB WHERE part = 'header'")
    part = Store.create(tmp_path / "part.inro")
    with pytest.raises(NotAnIndex, match="vector block is damaged"):
        pour(store, part)
    with part.reading() as con:
        assert con.execute("SELECT count(*) FROM documents").fetchone() == (0,)


def test_a_rekeyed_segment_differs_in_its_ids_alone(tmp_path: Path) -> None:
    store = library(tmp_path / "l.inro", TEXTS[:5])
    with store.reading() as con:
        ((_, parts),) = units.load(con, units.LEXICAL)
    moved = rekeyed(parts, 1_000_000)
    assert {name for name in parts if parts[name] != moved[name]} == {"chunks"}
    assert (read_segment(moved).ids == read_segment(parts).ids + 1_000_000).all()
    assert rekeyed(parts, 0) == parts


def test_every_number_of_every_table_is_known_to_be_an_id_or_not() -> None:
    """A column with ids of another table that pouring did not move would point at a stranger."""
    no_ids = {"size", "mtime_ns", "indexed_ns"}
    by_units = {("segments", "segment"), ("vectors", "block"), ("tombstones", "unit"), ("tombstones", "chunk")}
    by_sources = {("sources", "id"), ("documents", "source")}
    numbers = {
        (table, column)
        for table, columns in TABLES.items()
        for column, kind in columns.items()
        if kind == "BIGINT" and column not in no_ids
    }
    assert numbers == pouring.REFERENCES.keys() | by_units | by_sources
    poured = {"documents", *(table for table, columns in TABLES.items() if "document" in columns)}
    assert TABLES.keys() - poured == {"meta", "sources", "segments", "vectors", "graph", "tombstones"}


def test_a_library_of_several_blocks_merges_them_in_time(tmp_path: Path, shards: list[Store]) -> None:
    from inro.index import upkeep

    merged = Store.create(tmp_path / "merged.inro")
    for shard in shards:
        pour(shard, merged)
    upkeep.keep(merged)
    assert list(verify(merged)) == []
    with merged.reading() as con:
        blocks = [parts for _, parts in units.load(con, units.DENSE)]
        assert dense.largest_centre(blocks) is not None
