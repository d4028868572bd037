"""A library and the `han` setting: what was indexed decides what is found, and a sync brings it up to what is set."""

from __future__ import annotations

from pathlib import Path

import pytest

from inro.config import Settings
from inro.library import Library
from inro.records import Block, Fusion, HanFolding, Reading, SearchResult

NOTES = {
    "new.md": "品質の検査を国が定める。歯車は別に測る。",
    "old.md": "品質ノ檢査ヲ國ガ定ム。",
    "simple.md": "质量检查由国家规定。",
    "plain.md": "関係のない話。",
}


def note(text: str, title: str) -> Reading:
    return Reading(text, title, (Block("paragraph", 0, len(text)),), "test/1")


class Shelf:
    """One library file, opened under one setting or another."""

    def __init__(self, file: Path) -> None:
        self.file = file

    def open(self, han: HanFolding) -> Library:
        return Library(self.file, Settings(han=han, chat=""))

    def sync(self, han: HanFolding) -> tuple[str, ...]:
        """Index the notes under a setting; returns what the report notes."""
        readings = ((path, note(text, "")) for path, text in NOTES.items())
        events = list(self.open(han).add_readings("notes", readings, embed=False))
        report = events[-1].report
        assert report is not None
        return report.notes


@pytest.fixture
def shelf(tmp_path: Path) -> Shelf:
    return Shelf(tmp_path / "library.inro")


def search(library: Library, query: str) -> SearchResult:
    fusion: Fusion = "calibrated"
    return library.search(query, lane="lexical", fusion=fusion)


def paths(library: Library, query: str) -> set[str]:
    return {hit.path for hit in search(library, query).hits}


@pytest.mark.parametrize(
    ("han", "found"),
    [
        ("none", {"old.md"}),
        ("simplified", {"old.md", "simple.md"}),
        ("shinjitai", {"old.md", "new.md"}),
        ("all", {"old.md", "new.md", "simple.md"}),
    ],
)
def test_a_phrase_an_exclusion_and_a_prefix_find_the_forms_that_are_one(
    shelf: Shelf, han: HanFolding, found: set[str]
) -> None:
    shelf.sync(han)
    library = shelf.open(han)
    assert paths(library, "檢") == found
    assert paths(library, '"檢"') == found
    assert paths(library, "檢*") >= found
    assert paths(library, "type:md -檢") == NOTES.keys() - found


def test_a_long_phrase_is_verified_in_another_form(shelf: Shelf) -> None:
    shelf.sync("all")
    assert paths(shelf.open("all"), '"検査を國が定める"') == {"new.md"}
    assert paths(shelf.open("all"), '"质量檢査由國家"') == {"simple.md"}


def test_highlights_fall_on_what_is_written(shelf: Shelf) -> None:
    shelf.sync("all")
    marked = {hit.path: {hit.snippet[a:b] for a, b in hit.highlights} for hit in search(shelf.open("all"), "检査").hits}
    assert "檢査" in marked["old.md"]
    assert "検査" in marked["new.md"]


def test_until_the_next_sync_a_library_is_searched_as_it_was_indexed(shelf: Shelf) -> None:
    shelf.sync("none")
    wanting = shelf.open("all")
    assert paths(wanting, "檢") == {"old.md"}
    assert wanting.engine.analyser().han == "none"
    shelf.sync("all")
    assert paths(wanting, "檢") == {"old.md", "new.md", "simple.md"}
    assert paths(shelf.open("none"), "檢") == {"old.md", "new.md", "simple.md"}


def test_a_sync_under_another_setting_analyses_anew_in_both_directions(shelf: Shelf) -> None:
    assert not any("indexed anew" in note for note in shelf.sync("shinjitai"))
    assert not any("indexed anew" in note for note in shelf.sync("shinjitai"))
    kept_open = shelf.open("shinjitai")
    assert paths(kept_open, "國") == {"old.md", "new.md", "simple.md"}
    assert any("indexed anew" in note for note in shelf.sync("none"))
    assert paths(kept_open, "國") == {"old.md"}
    assert paths(kept_open, "国") == {"new.md", "simple.md"}
    assert any("indexed anew" in note for note in shelf.sync("shinjitai"))
    assert paths(kept_open, "國") == {"old.md", "new.md", "simple.md"}
    assert list(kept_open.verify()) == []


def test_titles_meet_in_the_same_forms(shelf: Shelf) -> None:
    library = shelf.open("all")
    readings = [("a.md", note("本文", "品質檢査"))]
    for _ in library.add_readings("notes", iter(readings), embed=False):
        pass
    assert [hit.path for hit in library.titles("検査").hits] == ["a.md"]
    assert list(library.titles("歯車").hits) == []
