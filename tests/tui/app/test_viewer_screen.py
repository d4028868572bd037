"""Reading a document: at the place, from mark to mark, and out to the editor."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest
from in_memory import FakeLibrary, build, drawn, screen_of, settle, until

from inro.errors import NotFound
from inro.records import DocumentView
from inro_tui.app import InroApp
from inro_tui.pages import Place, occurrences
from inro_tui.screens.viewer import ViewerScreen
from inro_tui.widgets.note import Note

SIZE = (80, 24)


def foot(screen: ViewerScreen) -> str:
    return screen.query_one("#document-foot", Note).text


async def test_n_goes_round_the_marks(app: InroApp) -> None:
    async with app.run_test(size=SIZE) as pilot:
        await pilot.press(*"s-1041")
        await settle(pilot)
        await pilot.press("enter")
        await settle(pilot)
        screen = app.screen
        assert isinstance(screen, ViewerScreen)
        assert len(screen.text.page.marks) == 2
        assert "mark 2 of 2" in foot(screen)
        await pilot.press("n")
        assert "mark 1 of 2" in foot(screen)
        await pilot.press("N")
        assert "mark 2 of 2" in foot(screen)
        await pilot.press("q")
        assert screen_of(app) is app.search_screen


async def test_a_long_document_opens_at_the_passage(library: FakeLibrary) -> None:
    text = "# Long\n\n" + "filler line of words\n" * 5000 + "the needle 針 is here\n" + "more words\n" * 5000
    library.texts = (("long.md", "Long", text),)
    app = build(library)
    async with app.run_test(size=SIZE) as pilot:
        start = text.index("the needle")
        screen = ViewerScreen(app.shared, Place(1, "Long", start, start + 20, ("needle",)))
        app.push_screen(screen)
        await until(pilot, lambda: "the needle 針 is here" in drawn(app))
        await pilot.press("g")
        await settle(pilot)
        assert "# Long" in drawn(app) and "line 1 of" in foot(screen)
        await pilot.press("G")
        await settle(pilot)
        assert screen.text.scroll_offset.y == screen.text.max_scroll_y
        await pilot.press("k", "pageup", "j", "pagedown", "n")
        await until(pilot, lambda: "the needle 針 is here" in drawn(app))


async def test_finding_marks_what_is_typed(app: InroApp) -> None:
    async with app.run_test(size=SIZE) as pilot:
        screen = ViewerScreen(app.shared, Place(2, "Humidity"))
        app.push_screen(screen)
        await settle(pilot)
        await pilot.press("slash", *"DESICCATOR", "enter")
        await settle(pilot)
        assert len(screen.text.page.marks) == 2
        assert "mark 1 of 2" in foot(screen)
        await pilot.press("slash", "ctrl+u", *"zebra", "enter")
        assert any("Not in this document: zebra" in note.message for note in app._notifications)


async def test_headings_can_be_stepped_through(library: FakeLibrary) -> None:
    sections = "".join(f"## part {n}\n\n" + "words\n" * 30 for n in range(5))
    library.texts = (("s.md", "S", sections),)
    app = build(library)
    async with app.run_test(size=SIZE) as pilot:
        screen = ViewerScreen(app.shared, Place(1, "S"))
        app.push_screen(screen)
        await settle(pilot)
        await pilot.press("right_square_bracket", "right_square_bracket")
        await settle(pilot)
        assert drawn(app).splitlines()[2].strip() == "## part 2"
        await pilot.press("left_square_bracket")
        await settle(pilot)
        assert drawn(app).splitlines()[2].strip() == "## part 1"


async def test_a_document_that_is_gone_says_so(app: InroApp, library: FakeLibrary) -> None:
    library.broken["show"] = NotFound("there is no document 9", "inro sync")
    async with app.run_test(size=SIZE) as pilot:
        screen = ViewerScreen(app.shared, Place(9, "gone"))
        app.push_screen(screen)
        await settle(pilot)
        assert "there is no document 9" in foot(screen)
        await pilot.press("n", "o", "y", "Y", "escape")
        assert screen_of(app) is app.search_screen


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    """What would have been started in the terminal that the app hands over."""
    argvs: list[list[str]] = []

    def run(argv: list[str], *, check: bool) -> None:
        argvs.append(argv)

    @contextmanager
    def suspend(_app: object) -> Iterator[None]:
        yield

    monkeypatch.setattr(subprocess, "run", run)
    monkeypatch.setattr(InroApp, "suspend", suspend)
    monkeypatch.setenv("EDITOR", "vi")
    monkeypatch.delenv("VISUAL", raising=False)
    monkeypatch.setattr("inro_tui.editor.which", lambda name: f"/bin/{name}")
    return argvs


async def test_o_opens_the_original_at_the_line(
    library: FakeLibrary, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, started: list[list[str]]
) -> None:
    original = tmp_path / "humidity.md"
    original.write_text("---\nx: 1\n---\n" + library.texts[1][2], encoding="utf-8")
    show = library.show

    def show_there(document: int | str) -> DocumentView:
        return replace(show(document), absolute=str(original))

    monkeypatch.setattr(library, "show", show_there)
    app = build(library)
    async with app.run_test(size=SIZE) as pilot:
        await pilot.press(*"gel")
        await settle(pilot)
        await pilot.press("enter")
        await settle(pilot)
        await pilot.press("o")
        line = original.read_text(encoding="utf-8").splitlines().index("Replace the silica gel before the next run.")
        assert started == [["vi", f"+{line + 1}", str(original)]]


async def test_an_absent_original_is_told_and_nothing_is_started(app: InroApp, started: list[list[str]]) -> None:
    async with app.run_test(size=SIZE) as pilot:
        await pilot.press(*"gel")
        await settle(pilot)
        await pilot.press("escape", "o")
        assert started == []
        assert any("not on this machine" in note.message for note in app._notifications)


def test_occurrences_are_found_in_any_case_and_do_not_overlap() -> None:
    assert occurrences("aXa AXA axaxa", ("axa",)) == ((0, 3), (4, 7), (8, 11))
    assert occurrences("1.5 and 145", ("1.5",)) == ((0, 3),)
    assert occurrences("乾燥庫と乾燥", ("乾燥庫", "乾燥")) == ((0, 3), (4, 6))
    assert occurrences("anything", ("", " ")) == ()
