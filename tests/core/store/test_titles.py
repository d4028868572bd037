"""The title lane: DuckDB's full-text index, kept and asked without the extension."""

from __future__ import annotations

from collections import Counter

import duckdb
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from inro.store import opening, schema, titles
from inro.store.connect import Connection, Store
from inro.store.extension import load_fts


@pytest.fixture
def filled(store: Store) -> Store:
    with store.writing() as con:
        titles.put(con, {1: "乾燥 庫 乾燥庫 drying oven", 2: "something else", 9: "an oven that goes"})
    with store.writing() as con:
        titles.put(
            con,
            {
                2: "oven oven manual",
                3: "SOP-017 手順 書 iso9408",
                4: "drying drying drying of samples in the oven for a long time at low heat",
            },
        )
        titles.put(con, {}, remove=[9])
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


def test_a_removed_document_is_not_found_any_more(filled: Store) -> None:
    with filled.writing() as con:
        titles.put(con, {}, remove=[2])
    with filled.reading() as con:
        assert titles.is_indexed(con)
        assert [d for d, _ in titles.search_titles(con, "oven", 10)] == [1, 4]


def test_a_changed_title_is_found_at_once(filled: Store) -> None:
    with filled.writing() as con:
        titles.put(con, {2: "furnace"})
    with filled.reading() as con:
        assert [d for d, _ in titles.search_titles(con, "furnace", 10)] == [2]
        assert [d for d, _ in titles.search_titles(con, "oven", 10)] == [1, 4]


def test_a_failed_commit_keeps_the_former_index(filled: Store) -> None:
    with pytest.raises(RuntimeError), filled.writing() as con:
        titles.put(con, {2: "furnace"})
        raise RuntimeError
    with filled.reading() as con:
        assert titles.search_titles(con, "furnace", 10) == []
        assert [d for d, _ in titles.search_titles(con, "oven", 10)] == [2, 1, 4]


Index = tuple[dict[int, int], Counter[tuple[int, str]], dict[str, int], list[tuple[object, ...]]]


def index_of(con: Connection) -> Index:
    """All that the index says: lengths, occurrences, document frequencies and the sums over all documents."""
    docs = con.execute("SELECT name, len FROM fts_main_titles.docs").fetchall()
    occurrences = con.execute(
        "SELECT name, term FROM fts_main_titles.terms JOIN fts_main_titles.docs USING (docid) "
        "JOIN fts_main_titles.dict USING (termid)"
    ).fetchall()
    frequencies = con.execute("SELECT term, df FROM fts_main_titles.dict").fetchall()
    assert len(docs) == len(dict(docs)), "a document is in the index once"
    assert len(frequencies) == len(dict(frequencies)), "a term is in the index once"
    return (
        dict(docs),
        Counter(occurrences),
        dict(frequencies),
        con.execute("SELECT num_docs, avgdl FROM fts_main_titles.stats").fetchall(),
    )


words = st.lists(st.sampled_from(["oven", "Oven", "乾燥", "庫", "SOP-017", "it's", "ガラス", "a", "%"]), max_size=5)
texts = st.builds(lambda parts, gap: gap.join(parts), words, st.sampled_from([" ", "  ", "\t"]))
steps = st.one_of(
    st.dictionaries(st.integers(1, 6), texts, max_size=4),
    st.lists(st.integers(1, 6), max_size=3, unique=True),
)


@settings(max_examples=15, deadline=None)
@given(st.lists(steps, min_size=1, max_size=6))
def test_whatever_came_and_went_the_index_is_the_one_made_anew(done: list[dict[int, str] | list[int]]) -> None:
    with duckdb.connect(":memory:") as con:
        schema.create(con, "memory")
        titles.put(con, {1: "oven 乾燥", 2: ""})
        for step in done:
            if isinstance(step, dict):
                titles.put(con, step)
            else:
                titles.put(con, {}, remove=step)
        assert titles.is_indexed(con)
        kept, found = index_of(con), titles.search_titles(con, "oven 庫 a", 10)
        titles.rebuild(con)
        assert kept == index_of(con)
        assert found == titles.search_titles(con, "oven 庫 a", 10)


def test_what_a_commit_changes_is_written_without_the_extension(filled: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(con: Connection) -> None:
        raise AssertionError("a whole index is made")

    monkeypatch.setattr(titles, "load_fts", refuse)
    with filled.writing() as con:
        titles.put(con, {2: "furnace", 7: "oven"})
        titles.put(con, {}, remove=[1])
    with filled.reading() as con:
        assert [d for d, _ in titles.search_titles(con, "oven furnace", 10)] == [2, 7, 4]


@pytest.mark.parametrize(
    "left_behind",
    ["UPDATE meta SET value = 'no' WHERE key = 'titles_indexed'", "DELETE FROM titles WHERE document = 4"],
)
def test_an_index_that_an_earlier_release_left_behind_is_made_anew(filled: Store, left_behind: str) -> None:
    with filled.writing() as con:
        opening.own_search_path(con)
        con.execute(left_behind)
        con.execute("UPDATE fts_main_titles.dict SET df = 9")
        assert not titles.is_indexed(con)
        titles.put(con, {7: "furnace"})
        assert titles.is_indexed(con)
        kept = index_of(con)
    with filled.writing() as con:
        opening.own_search_path(con)
        titles.rebuild(con)
        assert kept == index_of(con)


def test_a_title_that_stays_as_it_is_writes_nothing(filled: Store) -> None:
    numbers = "SELECT docid, name FROM fts_main_titles.docs ORDER BY docid"
    with filled.writing() as con:
        opening.own_search_path(con)
        before = con.execute(numbers).fetchall()
        titles.put(con, {**dict(con.execute("SELECT document, text FROM titles").fetchall()), 7: "another"})
        after = con.execute(numbers).fetchall()
    # what is entered anew gets a number of its own
    assert [row for row in after if row[1] != 7] == [row for row in before if row[1] != 7]
    assert dict(after).keys() != dict(before).keys()


def test_the_extension_can_be_loaded_more_than_once(store: Store) -> None:
    with store.writing() as con:
        load_fts(con)
        load_fts(con)
