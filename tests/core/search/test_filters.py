"""Filters: what each key leaves, and that a filter never hides what it should leave."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from datetime import datetime
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from inro.errors import UsageError
from inro.index import pipeline
from inro.library import Library
from inro.records import Block, Reading, SearchResult
from inro.search.query import parse
from inro.store import filters
from inro.store.connect import Store

Make = Callable[[Mapping[str, str | Reading]], Library]


def note(text: str = "kiln", tags: tuple[str, ...] = (), **fields: str) -> Reading:
    return Reading(
        text,
        "",
        (Block("paragraph", 0, len(text)),),
        "test/1",
        {key: (value,) for key, value in fields.items()},
        tags,
    )


NOTES: dict[str, str | Reading] = {
    "experiments/2026/a.md": note(tags=("焼結", "Lab/Kiln"), date="2026-04-07", version="9"),
    "experiments/b.txt": note(tags=("ＬＡＢ",), 日付="2026年4月30日", version="10"),
    "old experiments/c.md": note(tags=("labour",), created="2025/12/31", version="draft"),
    "Über/パス [1].pdf": note(date="20260501", author="Ada"),
}


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Library:
    library = Library(tmp_path_factory.mktemp("filters") / "l.inro")
    readings = ((path, one) for path, one in NOTES.items() if isinstance(one, Reading))
    for _ in library.add_readings("notes", readings, embed=False):
        pass
    return library


def paths(result: SearchResult) -> list[str]:
    """Of every note found, those included that another stands for because they say the same."""
    return sorted(path for hit in result.hits for path in (hit.path, *(copy.path for copy in hit.also_in)))


def left(library: Library, conditions: str) -> list[str]:
    """The notes that pass, both as a list of their own and as a search of a word they all hold."""
    listed = paths(library.search(conditions, limit=50, lane="lexical"))
    searched = paths(library.search(f"kiln {conditions}", limit=50, lane="lexical"))
    assert listed == searched
    return listed


A, B, C, D = sorted(NOTES, key=list(NOTES).index)


def test_path_is_a_part_a_beginning_or_a_glob_whatever_its_case(library: Library) -> None:
    assert left(library, "path:Experiments/") == [A, B, C]
    assert left(library, "path:/experiments") == [A, B]
    assert left(library, "path:*.MD") == [A, C]
    assert left(library, "path:experiments/*.md") == [A]
    assert left(library, "path:?.txt") == [B]
    assert left(library, "path:über/") == [D]
    assert left(library, 'path:"パス [1]"') == [D]
    assert left(library, "path:U\u0308BER") == [D]


def test_tag_is_folded_and_matches_what_is_nested_in_it(library: Library) -> None:
    assert left(library, "tag:lab") == [A, B]
    assert left(library, "tag:#LAB") == [A, B]
    assert left(library, "tag:lab/kiln") == [A]
    assert left(library, "tag:焼結") == [A]
    assert left(library, "tag:lab tag:焼結") == [A]


def test_type_is_the_suffix_and_several_are_alternatives(library: Library) -> None:
    assert left(library, "type:md") == [A, C]
    assert left(library, "type:.PDF type:txt") == sorted([B, D])


def test_date_is_a_declared_one_in_a_half_open_span(library: Library) -> None:
    assert left(library, "date:2026-04") == [A, B]
    assert left(library, "date:2026-04-07") == [A]
    assert left(library, "date:2026-04-08..2026-04-30") == [B]
    assert left(library, "date:..2025") == [C]
    assert left(library, "date:2026-05..") == [D]


def test_date_is_the_files_own_time_where_none_is_declared(tmp_path: Path) -> None:
    root = tmp_path / "root"
    root.mkdir()
    for name, moment in (("before.md", "2024-02-29T23:59:59"), ("after.md", "2024-03-01T00:00:00")):
        (root / name).write_text("kiln\n")
        os.utime(root / name, (datetime.fromisoformat(moment).timestamp(),) * 2)
    store = Store.create(tmp_path / "l.inro")
    for _ in pipeline.sync(store, None, only=pipeline.add_sources(store, [root])):
        pass
    library = Library(tmp_path / "l.inro")
    assert left(library, "date:2024-02") == ["before.md"]
    assert left(library, "date:2024-03-01") == ["after.md"]
    assert left(library, "source:root") == ["after.md", "before.md"]
    assert left(library, f"source:{root}") == ["after.md", "before.md"]
    assert left(library, "date:0001..9998") == ["after.md", "before.md"]


def test_dates_are_read_as_people_write_them(make: Make) -> None:
    written = {
        "2026-04-07": "2026-04-07",
        "2026/5/7 10:30": "2026-05-07",
        "2026.06.07": "2026-06-07",
        "２０２６年７月７日（火）": "2026-07-07",
        "2026-08-07T09:00:00+09:00": "2026-08-07",
        "20260907": "2026-09-07",
        "2026-10": "2026-10-01",
        "2027": "2027-01-01",
    }
    library = make({f"{day}.md": note(date=value) for value, day in written.items()})
    for day in written.values():
        assert left(library, f"date:{day}") == [f"{day}.md"]


def test_what_is_no_date_leaves_the_files_own_time(make: Make) -> None:
    library = make({"a.md": note(date="2026-13-45"), "b.md": note(date="soon")})
    assert left(library, "date:1990-02") == []
    with Store(library.path).reading() as con:
        assert filters.listing(con).size == 2


def test_field_compares_numbers_as_numbers_and_text_as_text(library: Library) -> None:
    assert left(library, "field:version>=9") == [A, B, C]
    assert left(library, "field:version<10") == [A]
    assert left(library, "field:version=9.0") == [A]
    assert left(library, "field:version=Draft") == [C]
    assert left(library, "field:AUTHOR=ada") == [D]


def test_a_filter_may_be_turned_round(library: Library) -> None:
    assert left(library, "-type:md") == sorted([B, D])
    assert left(library, "-tag:lab") == sorted([C, D])
    assert left(library, "-field:author=ada -path:old") == [A, B]
    assert left(library, "-date:2026") == [C]


def test_the_filter_that_leaves_nothing_is_named(library: Library) -> None:
    def hints(query: str) -> str:
        return " ".join(library.search(query, lane="lexical").hints)

    assert "source:nowhere" in hints("kiln source:nowhere path:experiments")
    assert "1 (notes)" in hints("source:nowhere")
    assert "version" in hints("field:size>1")
    assert "all filters at once" in hints("type:pdf tag:lab")
    assert not hints("type:pdf")


def test_a_list_without_words_is_newest_first_with_one_hit_a_document(library: Library) -> None:
    hits = library.search("-path:nothing", lane="lexical").hits
    assert [hit.path for hit in hits] == [D, B, A, C]
    assert [hit.rank for hit in hits] == [1, 2, 3, 4]


def test_few_allowed_among_many_better_ones_are_all_found(make: Make) -> None:
    notes: dict[str, str | Reading] = {f"many/{i}.md": note("kiln kiln kiln") for i in range(400)}
    notes |= {f"few/{i}.md": note("a kiln among very many other words of no interest at all") for i in range(7)}
    library = make(notes)
    found = library.search("kiln path:few/", limit=10, lane="lexical")
    assert paths(found) == [f"few/{i}.md" for i in range(7)]


def test_values_of_a_filter_are_never_part_of_the_statement(library: Library) -> None:
    for hostile in ("'; DROP TABLE chunks; --", "%' OR 1=1", "$v0", "\\", "a'b", "[", "(?i)"):
        for key in ("path", "tag", "type", "source"):
            library.search(f'kiln {key}:"{hostile}*"', lane="lexical")
        library.search(f'field:"version={hostile}"', lane="lexical")
    assert left(library, "path:experiments") == [A, B, C]


@given(data=st.data())
def test_a_filter_and_its_negation_part_the_library(data: st.DataObject, parted: Library) -> None:
    condition = data.draw(
        st.sampled_from(["path:a", "path:*b*", "tag:x", "tag:x/y", "type:md", "source:1", "date:2026", "field:n>=3"])
    )
    with Store(parted.path).reading() as con:
        yes, no = (filters.allowed(con, parse(sign + condition).filters).chunk_ids for sign in ("", "-"))
        every = np.sort(filters.listing(con))
    assert np.array_equal(np.union1d(yes, no), every)
    assert not np.intersect1d(yes, no).size


@pytest.fixture(scope="module")
def parted(tmp_path_factory: pytest.TempPathFactory) -> Library:
    library = Library(tmp_path_factory.mktemp("parted") / "l.inro")
    readings = (
        (f"{'ab'[i % 2]}/{i}.{'md' if i % 3 else 'txt'}", note(f"n {i}", ("x",) if i % 2 else ("x/y",), n=str(i)))
        for i in range(12)
    )
    for _ in library.add_readings("s", readings, embed=False):
        pass
    return library


@pytest.mark.parametrize(
    "conditions", ["path:experiments/", "-tag:lab", "type:pdf", "date:2026-04", "field:version>=9", "path:nowhere"]
)
def test_filters_of_their_own_hold_like_those_of_the_query(library: Library, conditions: str) -> None:
    expected = left(library, conditions)
    apart = library.search("kiln", filters=conditions, limit=50, lane="lexical")
    assert paths(apart) == expected
    assert sorted(row.path for row in library.files(filters=conditions)) == expected


def test_an_unclosed_quotation_mark_does_not_reach_filters_of_their_own(library: Library) -> None:
    found = library.search('kiln "', filters='path:"old experiments"', lane="lexical")
    assert paths(found) == ["old experiments/c.md"]


@pytest.mark.parametrize(
    "stray", ["kiln", "path:a kiln", '"two words"', "-kiln", "kil*", "date:soon", "field:version", 'tag:"open', "tag:"]
)
def test_what_is_no_filter_is_refused_where_filters_stand_alone(library: Library, stray: str) -> None:
    with pytest.raises(UsageError, match="not a filter"):
        library.files(filters=stray)
    with pytest.raises(UsageError, match="not a filter"):
        library.search("kiln", filters=stray, lane="lexical")


def test_a_document_without_text_passes_a_filter_too(tmp_path: Path) -> None:
    (tmp_path / "film.mp4").write_bytes(b"\0" * 64)
    (tmp_path / "note.md").write_text("kiln")
    library = Library(tmp_path / "l.inro")
    for _ in library.add([tmp_path / "film.mp4", tmp_path / "note.md"]):
        pass
    assert [row.path for row in library.files(filters="type:mp4")] == ["film.mp4"]
