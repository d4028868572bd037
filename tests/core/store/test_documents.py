"""Documents, their texts and their chunks come back as they were put in, and go whole."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from inro.errors import NotFound
from inro.records import Chunk, Reading
from inro.store import catalogue, chunks, documents, meta, rows, schema, sources, texts
from inro.store.connect import Connection, Store

Fill = Callable[[Connection, int], None]


def plain(text: str, **more: object) -> Reading:
    return Reading(text=text, title="t", blocks=(), reader="test/1", **more)  # type: ignore[arg-type]


def document(id_: int, path: str, reading: Reading, raw: bytes | None = None) -> documents.NewDocument:
    encoded = path.encode("utf-8", "surrogateescape") if raw is None else raw
    return documents.NewDocument(id_, 1, path, encoded, "ab", 1, 2, reading)


def test_a_document_is_shown_as_it_was_read(store: Store, fill: Fill) -> None:
    with store.writing() as con:
        fill(con, 3)
    with store.reading() as con:
        shown = catalogue.view(con, 2, store.path)
    assert shown.title == "Note 2"
    assert shown.text == "# Note 2\n第2章 本文である。" * 3
    assert shown.fields == {"author": ("A. Nonym", "无名"), "date": ("2026-04-01",)}
    assert shown.tags == ("乾燥", "drying")
    assert shown.headings == ((0, 1, "Note"),)
    assert [link.target for link in shown.links] == ["Other#Part", "https://example.org"]


@pytest.mark.parametrize("span", [(0, 0), (0, 9), (7, 20), (30, 4000), (1000, 1030), (5000, 6000)])
def test_a_slice_of_a_document_is_that_of_its_text(store: Store, span: tuple[int, int]) -> None:
    whole = "# 乾燥庫\n" + "温度は 40 °C 以下。𠮷 " * 80
    with store.writing() as con:
        documents.insert(con, [document(1, "a.md", plain(whole))])
    with store.reading() as con:
        shown = catalogue.view(con, 1, store.path, span)
    assert shown.text == whole[slice(*span)]
    assert shown.chars == len(whole)


def test_a_document_that_is_not_there_is_said_so(store: Store) -> None:
    with pytest.raises(NotFound, match="no document 7"), store.reading() as con:
        catalogue.view(con, 7, store.path)


def test_links_are_seen_from_their_target(store: Store, fill: Fill) -> None:
    with store.writing() as con:
        fill(con, 1)
        documents.insert(con, [document(9, "folder/Other.md", plain("x"))])
    with store.reading() as con:
        assert catalogue.view(con, 9, store.path).backlinks == ((1, "Note 1"),)


@pytest.mark.parametrize(
    "path", ["Robert'); DROP TABLE documents;--.md", 'a "quoted" name.md', "{x} $1 ? %s.md", "\\N.md", "a\x1fb.md"]
)
def test_no_name_is_ever_taken_for_sql(store: Store, path: str) -> None:
    with store.writing() as con:
        documents.insert(con, [document(1, path, plain(path, tags=(path,), fields={path: (path,)}))])
    with store.reading() as con:
        assert catalogue.find(con, path) == [1]
        shown = catalogue.view(con, 1, store.path)
    assert (shown.path, shown.text, shown.tags, shown.fields) == (path, path, (path,), {path: (path,)})


def test_a_path_in_nfd_is_shown_in_nfc_and_keeps_its_bytes(store: Store) -> None:
    nfd = "ノート/か\u3099.md"
    with store.writing() as con:
        documents.insert(con, [document(1, nfd, plain("x"))])
    with store.reading() as con:
        assert catalogue.view(con, 1, store.path).path == "ノート/が.md"
        assert catalogue.find(con, nfd) == [1]
        assert catalogue.find(con, "が.md") == [1]
        assert documents.known(con, 1)[0].raw == nfd.encode()


def test_a_name_that_is_no_unicode_keeps_its_bytes(store: Store) -> None:
    raw = b"caf\xe9.md"
    with store.writing() as con:
        documents.insert(con, [document(1, "caf\udce9.md", plain("x"), raw)])
    with store.reading() as con:
        assert documents.known(con, 1)[0].raw == raw


def test_a_lone_surrogate_becomes_one_code_point_so_offsets_stay_right(store: Store) -> None:
    with store.writing() as con:
        documents.insert(con, [document(1, "a.md", plain("ab\ud800cd"))])
    with store.reading() as con:
        assert texts.whole(con, 1) == "ab?cd"


def test_a_stranger_s_path_leads_to_no_file_outside_its_root(store: Store, tmp_path: Path) -> None:
    with store.writing() as con:
        sources.add(con, tmp_path, store.path, "")
        documents.insert(
            con,
            [document(1, "../../etc/passwd", plain("x")), document(2, "/etc/passwd", plain("x"))],
        )
    with store.reading() as con:
        assert catalogue.view(con, 1, store.path).absolute == ""
        assert catalogue.view(con, 2, store.path).absolute == ""


def test_removing_a_document_leaves_no_row_of_it(store: Store, fill: Fill) -> None:
    with store.writing() as con:
        fill(con, 2)
        chunks.remove_of(con, [1])
        documents.remove(con, [1])
    with store.reading() as con:
        for table, columns in schema.TABLES.items():
            if "document" in columns:
                left = con.execute(f"SELECT DISTINCT document FROM {table}").fetchall()
                assert left in ([], [(2,)]), table
        assert [d for (d,) in con.execute("SELECT id FROM documents").fetchall()] == [2]


def test_a_name_may_be_an_id_a_path_its_end_a_title_or_a_stem(store: Store, fill: Fill) -> None:
    with store.writing() as con:
        fill(con, 12)
    with store.reading() as con:
        for name in ("7", "folder/note 7.md", "./folder/note 7.md", "note 7.md", "Note 7", "NOTE 7"):
            assert catalogue.find(con, name)[0] == 7, name
        assert catalogue.find(con, "note 77") == []


def test_outcomes_are_listed_and_counted(store: Store) -> None:
    lost = plain("", outcome="unreadable", reason="encrypted")
    with store.writing() as con:
        documents.insert(con, [document(1, "a.md", plain("x")), document(2, "b.pdf", lost)])
    with store.reading() as con:
        assert [(o.path, o.outcome, o.reason) for o in catalogue.outcomes(con, "unreadable")] == [
            ("b.pdf", "unreadable", "encrypted")
        ]
        assert [o.path for o in catalogue.outcomes(con)] == ["a.md", "b.pdf"]
        assert [o.path for o in catalogue.outcomes(con, among={1})] == ["a.md"]
        assert catalogue.outcomes(con, "ok", {2}) == []
        ledger = catalogue.ledger(con, store.path)
    assert (ledger.searched, ledger.total, ledger.unreadable) == (1, 2, 1)


@settings(max_examples=20, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    text=st.text(alphabet="aé漢😀\n ", min_size=0, max_size=60).map(lambda t: t * 70),
    spans=st.lists(st.tuples(st.integers(0, 4300), st.integers(0, 4300)), max_size=6),
)
def test_any_slice_of_a_stored_text_is_the_slice_of_the_text(
    shared_store: Store, text: str, spans: list[tuple[int, int]]
) -> None:
    with shared_store.writing() as con:
        con.execute("DELETE FROM texts")
        texts.insert(con, [(1, text), (2, "other")])
        assert texts.whole(con, 1) == text
        got = texts.slices(con, [(1, a, b) for a, b in spans])
    assert got == [text[a:b] for a, b in spans]


def test_a_slice_that_a_damaged_row_asks_for_ends_with_the_text(store: Store) -> None:
    text = "漢字 " * 1000
    with store.writing() as con:
        texts.insert(con, [(1, text), (2, "")])
        spans = [(1, 2990, 2**31 - 1), (1, 2**31 - 2, 2**31 - 1), (2, 0, 2**31 - 1), (7, 5, 2**31 - 1), (1, -5, 3)]
        assert texts.slices(con, spans) == [text[2990:], "", "", "", text[:3]]


@pytest.fixture(scope="module")
def shared_store(tmp_path_factory: pytest.TempPathFactory) -> Store:
    return Store.create(tmp_path_factory.mktemp("shared") / "l.inro")


@settings(max_examples=20, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(values=st.lists(st.text(alphabet=st.characters(codec="utf-8")), max_size=8))
def test_any_string_survives_the_way_into_a_table(shared_store: Store, values: list[str]) -> None:
    with shared_store.writing() as con:
        con.execute("DELETE FROM headings")
        rows.insert(
            con,
            "headings",
            {
                "document": list(range(len(values))),
                "start": [0] * len(values),
                "level": [1] * len(values),
                "text": values,
            },
        )
        found = con.execute("SELECT text FROM headings ORDER BY document").fetchall()
    assert [text for (text,) in found] == values


def test_chunks_come_back_in_the_order_asked_with_their_text(store: Store, fill: Fill) -> None:
    with store.writing() as con:
        fill(con, 3)
    with store.reading() as con:
        got = chunks.fetch(con, [6, 1, 99, 3])
    assert [one.id for one in got] == [6, 1, 3]
    text = "# Note 3\n第3章 本文である。" * 3
    assert (got[0].text, got[0].heading, got[0].page) == (text[5:15], ("Top", "下"), None)
    assert (got[1].page, got[1].path, got[1].title) == (3, "folder/note 1.md", "Note 1")


def test_a_removed_chunk_leaves_a_tombstone_where_it_is_still_held(store: Store, fill: Fill) -> None:
    with store.writing() as con:
        fill(con, 2)
        chunks.remove(con, [1, 2])
        rows_left = con.execute("SELECT lane, unit, chunk FROM tombstones ORDER BY lane, chunk").fetchall()
    assert rows_left == [("dense", 1, 2), ("lexical", 1, 1), ("lexical", 1, 2)]


def test_the_identity_of_a_chunk_is_what_is_embedded() -> None:
    one = chunks.identity("T", ("H",), "text")
    assert one == chunks.identity("T", ("H",), "text")
    others = [("t", ("H",), "text"), ("T", ("h",), "text"), ("T", ("H",), "text "), ("T", (), "H\ntext.")]
    assert one not in {chunks.identity(*other) for other in others}


def test_a_chunk_with_a_vector_is_found_by_its_identity(store: Store, fill: Fill) -> None:
    with store.writing() as con:
        fill(con, 3)
        found = chunks.with_vector(con, [(2**64 - 2, 1), (2**64 - 2, 0), (5, 5)])
    assert found == {(2**64 - 2, 1): (4, 1)}


def test_ids_are_never_given_twice(store: Store) -> None:
    given_out: set[int] = set()
    for count in (1, 5, 2):
        with store.writing() as con:
            first = meta.count_up(con, meta.NEXT_CHUNK, count)
            fresh = set(range(first, first + count))
            con.execute("DELETE FROM chunks")
        assert not given_out & fresh
        given_out |= fresh


def test_heading_paths_survive_whatever_they_hold(store: Store) -> None:
    heading = ("A › B", "c/d", "乾燥\x1f庫")
    with store.writing() as con:
        documents.insert(con, [document(1, "a.md", plain("some text"))])
        chunks.insert(con, [chunks.NewChunk(1, 1, Chunk(0, 0, 4, heading, None, 1), (1, 2), 1, None)])
        got = chunks.fetch(con, [1])[0].heading
    assert got == ("A › B", "c/d", "乾燥 庫")
