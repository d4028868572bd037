"""The home screen: results while typing, the latest query only, and a cursor nothing moves."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from in_memory import FakeLibrary, build, drawn, settle, until

from inro.errors import InroError, LibraryMissing
from inro.records import Hit, Lane
from inro_tui.app import InroApp
from inro_tui.screens.chat import ChatScreen
from inro_tui.screens.search import SearchScreen
from inro_tui.screens.viewer import ViewerScreen
from inro_tui.widgets.composer import Line
from inro_tui.widgets.document import DocumentText
from inro_tui.widgets.note import Note

WIDE, NARROW = (120, 40), (80, 24)


def keys_of(screen: SearchScreen) -> list[tuple[str, int]]:
    return [found.key for found in screen.found]


async def test_words_come_first_and_meaning_completes_the_list(app: InroApp, library: FakeLibrary) -> None:
    library.gates["hybrid"] = threading.Event()
    async with app.run_test(size=WIDE) as pilot:
        screen = app.search_screen
        await pilot.press(*"silica")
        await until(pilot, lambda: len(screen.found) == 1)
        assert keys_of(screen) == [("chunk", 20)]
        assert "looking by meaning" in screen.query_one("#ledger", Note).text
        library.gates["hybrid"].set()
        await settle(pilot)
        assert len(screen.found) == 4
        assert screen.found[0].key == ("chunk", 20)
        assert "looking by meaning" not in screen.query_one("#ledger", Note).text
        assert "searched 40 of 42 files" in screen.query_one("#ledger", Note).text
        assert "1 unreadable" in screen.query_one("#ledger", Note).text


async def test_only_the_latest_query_is_shown(app: InroApp, library: FakeLibrary) -> None:
    gate = library.gates["lexical"] = threading.Event()
    async with app.run_test(size=WIDE) as pilot:
        await pilot.press(*"silica")
        gate.set()
        await settle(pilot)
        asked = [query for lane, query in library.calls if lane == "lexical"]
        assert asked[-1] == "silica"
        # Held back behind the first, the ones in between were never begun.
        assert len(asked) <= 3
        assert [query for lane, query in library.calls if lane == "hybrid"] == ["silica"]
        assert app.search_screen.found[0].hit.highlights


def crafted(order: dict[str, list[int]]) -> Callable[[str, Lane], tuple[Hit, ...]]:
    def hits(query: str, lane: Lane) -> tuple[Hit, ...]:
        chunks = order[lane]
        return tuple(
            Hit(
                rank,
                9.0 - rank,
                1 + chunk % 4,
                f"{chunk}.md",
                f"title {chunk}",
                "",
                None,
                chunk,
                0,
                5,
                query,
                0,
                (),
                query,
                (),
                (),
            )
            for rank, chunk in enumerate(chunks, 1)
        )

    return hits


async def test_what_is_under_the_cursor_stays_when_meaning_arrives(app: InroApp, library: FakeLibrary) -> None:
    library.hits = crafted({"lexical": [1, 2, 3, 4], "hybrid": [8, 4, 3, 2, 1]})
    library.gates["hybrid"] = threading.Event()
    async with app.run_test(size=WIDE) as pilot:
        screen = app.search_screen
        await pilot.press("x")
        await until(pilot, lambda: len(screen.found) == 4)
        await pilot.press("down")
        row = screen.main_rows().current
        assert row is not None and row.key == ("chunk", 2)
        library.gates["hybrid"].set()
        await settle(pilot)
        assert [chunk for _, chunk in keys_of(screen)] == [1, 2, 8, 4, 3]
        row = screen.main_rows().current
        assert row is not None and row.key == ("chunk", 2)
        assert screen.main_rows().index == 1


async def test_an_untouched_list_takes_the_better_order_and_its_first_row(app: InroApp, library: FakeLibrary) -> None:
    library.hits = crafted({"lexical": [1, 2], "hybrid": [8, 2, 1]})
    async with app.run_test(size=WIDE) as pilot:
        await pilot.press("x")
        await settle(pilot)
        assert [chunk for _, chunk in keys_of(app.search_screen)] == [8, 2, 1]
        assert app.search_screen.main_rows().index == 0


async def test_a_typed_title_is_a_row_of_its_own_and_opens_the_whole_document(app: InroApp) -> None:
    async with app.run_test(size=WIDE) as pilot:
        await pilot.press(*"humidity")
        await settle(pilot)
        assert app.search_screen.found[0].key == ("document", 2)
        await pilot.press("enter")
        await settle(pilot)
        assert isinstance(app.screen, ViewerScreen)
        assert app.screen.place.start is None
        page = app.screen.text.page
        assert [page.text[start:end] for start, end in page.marks] == ["Humidity", "humidity"]


async def test_the_preview_shows_the_document_at_the_passage_with_its_marks(app: InroApp) -> None:
    async with app.run_test(size=WIDE) as pilot:
        await pilot.press(*"シリカゲル")
        await settle(pilot)
        text = app.search_screen.query_one("#preview-text", DocumentText)
        page = text.page
        assert page.passage is not None
        assert page.text[slice(*page.passage)].startswith("シリカゲルは毎週月曜")
        assert [page.text[start:end] for start, end in page.marks] == ["シリカゲル", "シリカゲル"]
        await pilot.press("down")
        await settle(pilot)
        assert text.page.text.startswith("# Humidity log")


async def test_narrow_screens_hide_the_preview_until_it_is_asked_for(app: InroApp) -> None:
    async with app.run_test(size=NARROW) as pilot:
        await pilot.press(*"gel")
        await settle(pilot)
        assert not app.search_screen.query_one("#preview").display
        await pilot.press("f5")
        assert app.search_screen.query_one("#preview").display
        await pilot.press("ctrl+o")
        assert not app.search_screen.query_one("#preview").display


async def test_enter_before_the_results_opens_the_first_of_them(app: InroApp, library: FakeLibrary) -> None:
    gate = library.gates["lexical"] = threading.Event()
    async with app.run_test(size=WIDE) as pilot:
        await pilot.press(*"furnace", "enter")
        gate.set()
        await until(pilot, lambda: isinstance(app.screen, ViewerScreen))
        assert isinstance(app.screen, ViewerScreen)
        assert app.screen.place.document == 4


async def test_an_empty_line_shows_no_results_and_a_question_mark_in_it_is_help(app: InroApp) -> None:
    async with app.run_test(size=WIDE) as pilot:
        await pilot.press(*"gel")
        await settle(pilot)
        await pilot.press("ctrl+u")
        await settle(pilot)
        assert app.search_screen.found == []
        await pilot.press("question_mark")
        assert app.screen.query("#help-rows")
        await pilot.press("question_mark")
        await pilot.press(*"why", "question_mark")
        assert app.search_screen.query_one(Line).value == "why?"


async def test_an_error_is_a_sentence_below_and_what_was_found_stays(app: InroApp, library: FakeLibrary) -> None:
    library.broken["hybrid"] = InroError("the index is held by process 12", "wait for it to end")
    async with app.run_test(size=WIDE) as pilot:
        await pilot.press(*"gel")
        await settle(pilot)
        said = app.search_screen.query_one("#ledger", Note).text
        assert "held by process 12" in said and "wait for it to end" in said
        assert len(app.search_screen.found) == 1


async def test_a_defect_in_a_worker_is_told_and_does_not_end_the_app(app: InroApp, library: FakeLibrary) -> None:
    library.broken["lexical"] = ZeroDivisionError("in a kernel")
    async with app.run_test(size=WIDE) as pilot:
        await pilot.press("x")
        await settle(pilot)
        assert app.is_running
        assert app.search_screen.found


async def test_late_meaning_is_told_and_joins_when_it_comes(app: InroApp, library: FakeLibrary) -> None:
    library.late = 1
    library.gates["hybrid"] = threading.Event()
    async with app.run_test(size=WIDE) as pilot:
        await pilot.press(*"gel")
        ledger = app.search_screen.query_one("#ledger", Note)
        await until(pilot, lambda: "meaning is late" in ledger.text)
        assert len(app.search_screen.found) == 1
        library.gates["hybrid"].set()
        await settle(pilot)
        assert "meaning is late" not in ledger.text
        assert len(app.search_screen.found) > 1


async def test_the_trace_is_shown_on_demand(app: InroApp) -> None:
    async with app.run_test(size=WIDE) as pilot:
        await pilot.press(*"gel")
        await settle(pilot)
        await pilot.press("escape", "e")
        row = app.search_screen.main_rows().rows[0]
        text = "\n".join("".join(piece for piece, _ in line) for line in row.draw(60))
        assert "score 3.000" in text and "+2.000" in text and "bm25" in text


async def test_a_query_can_be_asked_as_a_question(app: InroApp, library: FakeLibrary) -> None:
    async with app.run_test(size=WIDE) as pilot:
        await pilot.press(*"gel")
        await settle(pilot)
        await pilot.press("escape", "a")
        await until(pilot, lambda: ("ask", "gel") in library.calls)
        assert isinstance(app.screen, ChatScreen)


async def test_copying_goes_to_the_file_and_says_where(app: InroApp, own_world: Path) -> None:
    async with app.run_test(size=WIDE) as pilot:
        await pilot.press(*"gel")
        await settle(pilot)
        await pilot.press("escape", "y")
        kept = own_world / "state" / "clipboard.txt"
        assert kept.read_text(encoding="utf-8") == "Replace the silica gel before the next run."
        await pilot.press("Y")
        assert kept.read_text(encoding="utf-8") == "/nowhere/notes/2024-03 humidity.md"


async def test_hostile_text_is_drawn_without_its_controls(library: FakeLibrary) -> None:
    library.texts = (
        (
            "a\x1b]52;c;eA==\x07.md",
            "evil\x1b[2Jtitle \u202egpj",
            "one \x1b]0;x\x07gel\u200b two [bold]not markup[/bold]",
        ),
    )
    app = build(library)
    async with app.run_test(size=WIDE) as pilot:
        await pilot.press(*"gel")
        await settle(pilot)
        shown = drawn(app)
        assert "eviltitle gpj" in shown
        assert "[bold]not markup[/bold]" in shown
        assert not any(ord(c) < 32 or 127 <= ord(c) < 160 or c in "\u202e\u200b" for c in shown.replace("\n", ""))
        page = app.search_screen.query_one("#preview-text", DocumentText).page
        assert [page.text[start:end] for start, end in page.marks] == ["gel"]


async def test_an_empty_library_says_what_to_press(library: FakeLibrary) -> None:
    library.empty = True
    app = build(library)
    async with app.run_test(size=NARROW) as pilot:
        await settle(pilot)
        assert "Press F4" in app.search_screen.query_one("#ledger", Note).text


async def test_a_library_not_made_yet_is_an_empty_one(library: FakeLibrary) -> None:
    library.broken["status"] = LibraryMissing("there is no library at lab.inro", "inro add FOLDER")
    app = build(library)
    async with app.run_test(size=NARROW) as pilot:
        await settle(pilot)
        assert "Press F4" in app.search_screen.query_one("#ledger", Note).text
        assert not app._notifications
        await pilot.press("f4")
        await settle(pilot)
        assert "Press a to add one" in drawn(app)


async def test_a_library_that_cannot_be_read_is_told_with_its_mend(library: FakeLibrary) -> None:
    library.broken["status"] = InroError("lab.inro is not an index", "inro add FOLDER")
    app = build(library)
    async with app.run_test(size=NARROW) as pilot:
        await settle(pilot)
        assert any("inro add FOLDER" in note.message for note in app._notifications)


@pytest.mark.parametrize("size", [(40, 12), (20, 6), (200, 60)])
async def test_any_size_can_be_drawn(app: InroApp, size: tuple[int, int]) -> None:
    async with app.run_test(size=size) as pilot:
        await pilot.press(*"gel")
        await settle(pilot)
        for key in ("f5", "f3", "f4", "f1", "escape", "f2", "enter"):
            await pilot.press(key)
            await settle(pilot)
        assert app.is_running
