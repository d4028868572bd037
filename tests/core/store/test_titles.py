"""The title lane: DuckDB's full-text index, asked without the extension."""

from __future__ import annotations

import pytest

from inro.store import titles
from inro.store.connect import Store
from inro.store.extension import load_fts


@pytest.fixture
def filled(store: Store) -> Store:
    with store.writing() as con:
        titles.put(
            con,
            {
                1: "乾燥 庫 乾燥庫 drying oven",
                2: "oven oven manual",
                3: "SOP-017 手順 書 iso9408",
                4: "drying drying drying of samples in the oven for a long time at low heat",
            },
        )
        titles.rebuild(con)
    return store


def test_scores_are_those_of_the_extension(filled: Store) -> None:
    with filled.reading(fts=True) as con:
        name = filled.path.stem
        for query in ("oven", "drying oven", "乾燥", "oven oven manual 手順"):
            theirs = con.execute(
                f'SELECT document, score FROM (SELECT document, "{name}".fts_main_titles.match_bm25(document, ?)'
                " AS score FROM titles) WHERE score IS NOT NULL ORDER BY score DESC, document",
                [query],
            ).fetchall()
            ours = titles.search_titles(con, query, 10)
            assert [document for document, _ in ours] == [document for document, _ in theirs], query
            scale = ours[0][1] / theirs[0][1]
            for (_, mine), (_, other) in zip(ours, theirs, strict=True):
                assert mine == pytest.approx(other * scale), query


def test_the_best_come_first_and_no_more_than_asked(filled: Store) -> None:
    with filled.reading() as con:
        assert [d for d, _ in titles.search_titles(con, "oven", 10)] == [2, 1, 4]
        assert [d for d, _ in titles.search_titles(con, "oven", 1)] == [2]
        assert titles.search_titles(con, "nowhere", 10) == []
        assert titles.search_titles(con, "  ", 10) == []


def test_case_and_signs_are_the_analysers_business(filled: Store) -> None:
    with filled.reading() as con:
        assert titles.search_titles(con, "SOP-017", 10)[0][0] == 3
        assert titles.search_titles(con, "sop-017", 10) == []


def test_a_library_without_an_index_finds_nothing_by_title(store: Store) -> None:
    with store.reading() as con:
        assert titles.search_titles(con, "oven", 10) == []
        assert not titles.is_indexed(con)


def test_a_removed_document_is_not_found_even_before_the_index_is_made_anew(filled: Store) -> None:
    with filled.writing() as con:
        titles.remove(con, [2])
        assert not titles.is_indexed(con)
    with filled.reading() as con:
        assert [d for d, _ in titles.search_titles(con, "oven", 10)] == [1, 4]


def test_a_changed_title_is_found_once_the_index_is_made_anew(filled: Store) -> None:
    with filled.writing() as con:
        titles.put(con, {2: "furnace"})
        titles.rebuild(con)
        assert titles.is_indexed(con)
    with filled.reading() as con:
        assert [d for d, _ in titles.search_titles(con, "furnace", 10)] == [2]


def test_a_failed_commit_keeps_the_former_index(filled: Store) -> None:
    with pytest.raises(RuntimeError), filled.writing() as con:
        titles.put(con, {2: "furnace"})
        titles.rebuild(con)
        raise RuntimeError
    with filled.reading() as con:
        assert titles.search_titles(con, "furnace", 10) == []
        assert [d for d, _ in titles.search_titles(con, "oven", 10)] == [2, 1, 4]


def test_the_extension_can_be_loaded_more_than_once(store: Store) -> None:
    with store.writing() as con:
        load_fts(con)
        load_fts(con)
