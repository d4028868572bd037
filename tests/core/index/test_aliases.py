"""Notes that give themselves other names: found by them, linked by them, and shown by them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from inro.index import fingerprint, title_text
from inro.library import Library
from inro.store import meta, titles
from inro.text.analyse import Analyser

NOTES = {
    "装置/SOP-013 放電プラズマ焼結装置.md": "---\naliases: [SPS装置, sparky]\n---\n# 放電プラズマ焼結装置\n\n手順。\n",
    "日誌/今日.md": "# 日誌\n\n[[SPS装置]]で焼成した。詳しくは[[sparky#手順|装置]]を見る。\n",
    "other.md": "# Other\n\nNothing of the kind.\n",
}


@pytest.fixture
def library(tmp_path: Path) -> Iterator[Library]:
    root = tmp_path / "vault"
    for name, text in NOTES.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text, encoding="utf-8")
    library = Library(tmp_path / "l.inro")
    for _ in library.add([root]):
        pass
    yield library
    library.close()


@pytest.mark.parametrize("asked", ["SPS装置", "sparky", "Sparky"])
def test_a_note_is_jumped_to_by_its_other_name(library: Library, asked: str) -> None:
    hits = library.titles(asked).hits
    assert hits[0].path == "装置/SOP-013 放電プラズマ焼結装置.md"
    assert "other.md" not in [hit.path for hit in hits]


def test_a_link_to_an_other_name_leads_to_the_note_and_is_seen_from_there(library: Library) -> None:
    for name in ("SPS装置", "sparky"):
        shown = library.show(name)
        assert shown.path.startswith("装置/")
        assert [title for _, title in shown.backlinks] == ["日誌"]


def test_a_title_goes_before_an_other_name(library: Library, tmp_path: Path) -> None:
    (tmp_path / "vault" / "sparky.md").write_text("# Sparks\n\nA note of that name.\n", encoding="utf-8")
    for _ in library.sync():
        pass
    assert library.show("sparky").path == "sparky.md"


def test_a_library_of_an_earlier_release_learns_the_other_names_at_its_next_sync(library: Library) -> None:
    # As it was made before: the titles without other names, and no rule noted.
    document = library.show("sparky").document
    with library.store.writing() as con:
        titles.put(con, {document: title_text.segmented(Analyser(), ["放電プラズマ焼結装置"])})
        meta.put(con, fingerprint.TITLES, "")
    assert not library.titles("sparky").hits
    for _ in library.sync():
        pass
    assert library.titles("sparky").hits[0].path.startswith("装置/")
