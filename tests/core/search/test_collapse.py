"""Copies: the best-ranked stands for all, says where else it is, and nothing that differs or is pinned goes missing."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from inro.library import Library
from inro.records import Reading, SearchResult
from inro.search.collapse import collapse
from inro.search.rank import Ranked

Make = Callable[[Mapping[str, str | Reading]], Library]

TEXT = "The kiln is swept with a soft brush before each firing, and the ash goes into the steel bin by the door."


def item(chunk: int, document: int, *, pinned: bool = False) -> Ranked:
    return Ranked(chunk, document, 1.0 / chunk, (), pinned, False, 0.0, float("nan"))


def found(library: Library, query: str, limit: int = 10) -> SearchResult:
    return library.search(query, limit=limit, lane="lexical")


def test_the_first_stands_for_those_below_it_that_say_the_same() -> None:
    texts = {1: TEXT, 2: "another " + TEXT[:40], 3: TEXT + " ", 4: "**" + TEXT + "**"}
    kept = collapse([item(i, i) for i in (1, 2, 3, 4)], texts)
    assert [one.item.chunk for one in kept] == [1, 2]
    assert [copy.chunk for copy in kept[0].copies] == [3, 4]
    assert kept[0].holds(1) and kept[0].holds(4) and not kept[0].holds(2)


def test_a_pin_never_gives_way_and_a_document_is_no_copy_of_itself() -> None:
    texts = dict.fromkeys((1, 2, 3), TEXT)
    assert len(collapse([item(1, 1), item(2, 2, pinned=True)], texts)) == 2
    assert len(collapse([item(1, 1, pinned=True), item(2, 2)], texts)) == 1
    assert len(collapse([item(1, 1), item(2, 1)], texts)) == 2


def test_a_chunk_whose_text_is_gone_is_left_out() -> None:
    assert [one.item.chunk for one in collapse([item(1, 1), item(2, 2)], {2: TEXT})] == [2]


def test_copies_take_one_place_and_the_list_is_filled_from_below(make: Make) -> None:
    copies = {f"copy {i}.md": TEXT for i in range(40)}
    others = {
        f"other {i}.md": f"A kiln in the yard, number {i}, with a roof over it and two benches beside it."
        for i in range(8)
    }
    result = found(make({**copies, **others}), "kiln firing brush", 6)
    assert len(result.hits) == 6
    assert len({hit.snippet for hit in result.hits}) == 6
    (first,) = [hit for hit in result.hits if hit.path.startswith("copy")]
    assert {first.path, *(copy.path for copy in first.also_in)} == set(copies)
    assert [hit.rank for hit in result.hits] == [1, 2, 3, 4, 5, 6]


def test_rows_that_differ_in_one_digit_all_stay(make: Make) -> None:
    rows = {f"row {i}.md": f"Grade B{i:03d}, nominal width {i} mm, {TEXT}" for i in range(30)}
    result = found(make(rows), "kiln grade width", 30)
    assert len(result.hits) == 30
    assert all(hit.also_in == () for hit in result.hits)


def test_a_list_of_documents_lists_them_all(make: Make) -> None:
    result = found(make({"a.md": TEXT, "b.md": TEXT}), "type:md")
    assert [hit.path for hit in result.hits] == ["a.md", "b.md"]


def test_evidence_holds_a_text_once(make: Make) -> None:
    library = make({"a.md": TEXT, "b.md": TEXT, "c.md": "The kiln has a door."})
    evidence = library.engine.find("Where does the ash of the kiln go?", None, limit=5)
    assert len(evidence.texts) == len(evidence.hits) == len(evidence.items) == 2
