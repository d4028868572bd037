"""The state of the library, and syncing it."""

from __future__ import annotations

import threading
from pathlib import Path

from in_memory import FakeLibrary, build, drawn, settle, until

from inro.errors import InroError
from inro.records import Progress, SyncReport
from inro_tui.app import InroApp
from inro_tui.messages import ProgressArrived
from inro_tui.screens.add import AddScreen
from inro_tui.screens.viewer import ViewerScreen
from inro_tui.widgets.note import Note
from inro_tui.widgets.rows import RowList
from inro_tui.widgets.state_rows import size_text, time_text

SIZE = (120, 40)


def said(app: InroApp) -> str:
    return app.library_screen.query_one("#progress", Note).text


async def test_it_shows_figures_folders_models_and_the_files_that_went_wrong(app: InroApp) -> None:
    async with app.run_test(size=SIZE) as pilot:
        await pilot.press("f4")
        await settle(pilot)
        shown = drawn(app)
        for text in (
            "Documents 42",
            "2.3 MB",
            "10 to embed",
            "/mnt/share/papers",
            "offline",
            "bge-m3",
            "not here",
            "scans/certificate 2019.pdf",
            "the text layer is not text",
            "Do: inro models fetch ocr, then inro sync",
            "old/メモ.txt",
        ):
            assert text in shown
        assert "video.mp4" not in shown
        assert "sop/desiccator.md" not in shown


async def test_the_filter_goes_round(app: InroApp) -> None:
    async with app.run_test(size=SIZE) as pilot:
        await pilot.press("f4")
        await settle(pilot)
        files = app.library_screen.query_one("#files", RowList)
        seen = []
        for _ in range(4):
            seen.append([row.item.document for row in files.rows if row.item])
            await pilot.press("f")
        assert seen == [[5, 6], [5], [6], [7]]


async def test_a_sync_shows_how_far_it_is_and_what_it_did(app: InroApp, library: FakeLibrary) -> None:
    library.gates["progress"] = threading.Event()
    async with app.run_test(size=SIZE) as pilot:
        await pilot.press("f4", "s")
        await until(pilot, lambda: "Reading files" in said(app))
        for text in ("50%", "21/42", "34.2/s", "0:12 left", "notes/2024-03 humidity.md"):
            assert text in said(app)
        library.gates["progress"].set()
        await settle(pilot)
        assert "2 added, 1 changed, 0 removed, 39 unchanged" in said(app)
        assert "1 unreadable" in said(app)
        assert ("sync", "False") in library.calls
        await pilot.press("S")
        await settle(pilot)
        assert ("sync", "True") in library.calls


async def test_escape_stops_a_sync_and_says_that_nothing_is_lost(app: InroApp, library: FakeLibrary) -> None:
    library.gates["progress"] = threading.Event()
    async with app.run_test(size=SIZE) as pilot:
        await pilot.press("f4", "s")
        await until(pilot, lambda: "Reading files" in said(app))
        await pilot.press("s")
        assert library.calls.count(("sync", "False")) == 1
        await pilot.press("escape")
        await settle(pilot)
        assert not app.library_screen.syncing
        assert "What was saved stays" in said(app)


async def test_a_failed_sync_says_why(app: InroApp, library: FakeLibrary) -> None:
    library.broken["sync"] = InroError("the disk is full", "free some space")
    async with app.run_test(size=SIZE) as pilot:
        await pilot.press("f4", "s")
        await settle(pilot)
        assert "Sync failed: the disk is full" in said(app) and "free some space" in said(app)
        assert not app.library_screen.syncing


async def test_a_folder_is_added_by_name(app: InroApp, library: FakeLibrary, tmp_path: Path) -> None:
    async with app.run_test(size=SIZE) as pilot:
        await pilot.press("f4", "a")
        assert isinstance(app.screen, AddScreen)
        await pilot.press(*"/no/such", "enter")
        assert "There is nothing at /no/such" in app.screen.query_one("#add-note", Note).text
        await pilot.press("ctrl+u", *str(tmp_path), "enter")
        await settle(pilot)
        assert ("add", str(tmp_path)) in library.calls
        assert "2 added" in said(app)


async def test_a_file_opens(app: InroApp, library: FakeLibrary) -> None:
    library.texts = (*library.texts, ("scans/certificate 2019.pdf", "certificate", "text"))
    async with app.run_test(size=SIZE) as pilot:
        await pilot.press("f4")
        await settle(pilot)
        await pilot.press("tab", "tab")
        assert app.focused is not None and app.focused.id == "files"
        await pilot.press("enter")
        await settle(pilot)
        assert isinstance(app.screen, ViewerScreen) and app.screen.place.document == 5


async def test_what_was_read_before_a_sync_is_read_again_after_it(app: InroApp, library: FakeLibrary) -> None:
    async with app.run_test(size=SIZE) as pilot:
        await pilot.press(*"gel")
        await settle(pilot)
        assert app.shared.documents.known(2) is not None
        await pilot.press("f4", "s")
        await settle(pilot)
        assert app.shared.documents.known(2) is None


async def test_an_empty_library_is_not_a_fault(library: FakeLibrary) -> None:
    library.empty = True
    app = build(library)
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("f4")
        await settle(pilot)
        assert "No folder yet. Press a to add one." in drawn(app)


def test_a_burst_of_progress_collapses_but_never_the_report() -> None:
    early, late = ProgressArrived(Progress("read", 1, 9)), ProgressArrived(Progress("read", 2, 9))
    last = ProgressArrived(Progress("done", 9, 9, report=SyncReport()))
    assert early.can_replace(late)
    assert not last.can_replace(late)


def test_sizes_and_times_are_written_for_people() -> None:
    assert [size_text(n) for n in (0, 999, 1000, 234_567, 5_400_000_000)] == [
        "0 B",
        "999 B",
        "1.0 kB",
        "235 kB",
        "5.4 GB",
    ]
    assert [time_text(n) for n in (0.4, 59.6, 61, 3661)] == ["0:00", "1:00", "1:01", "1:01:01"]
