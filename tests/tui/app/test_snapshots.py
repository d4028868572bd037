"""One picture a state, at fixed sizes; each is paired with an assertion on what it must show."""

from __future__ import annotations

import threading
from collections.abc import Awaitable, Callable
from typing import TypeAlias

import pytest
from in_memory import FakeLibrary, build, drawn, settle, until
from textual.pilot import Pilot
from textual.widgets import Input

from inro_tui.app import InroApp
from inro_tui.strings import choose

Compare: TypeAlias = Callable[..., bool]
Before: TypeAlias = Callable[[Pilot[None]], Awaitable[None]]

SMALL, LARGE = (80, 24), (160, 48)


@pytest.fixture(autouse=True)
def steady_caret(monkeypatch: pytest.MonkeyPatch) -> None:
    """A caret that does not blink."""
    monkeypatch.setattr(Input, "_toggle_cursor", lambda self: None)
    monkeypatch.setattr(Input, "_restart_blink", lambda self: None)
    monkeypatch.delenv("COLORFGBG", raising=False)


def typed(*keys: str, shows: str = "") -> Before:
    """Press keys, let everything settle, and see that a text is on the screen."""

    async def before(pilot: Pilot[None]) -> None:
        await settle(pilot)
        for key in keys:
            await pilot.press(key)
            if len(key) > 1:
                await settle(pilot)
        await settle(pilot)
        app = pilot.app
        assert isinstance(app, InroApp)
        assert shows in drawn(app)

    return before


@pytest.mark.parametrize("size", [SMALL, LARGE], ids=["80x24", "160x48"])
@pytest.mark.parametrize("language", ["en", "ja"])
def test_results(snap_compare: Compare, library: FakeLibrary, size: tuple[int, int], language: str) -> None:
    app = build(library, choose({}, language))
    before = typed(*"シリカゲル", "down", shows="Humidity log, March")
    assert snap_compare(app, terminal_size=size, run_before=before)


def test_results_in_light_colours(snap_compare: Compare, library: FakeLibrary) -> None:
    app = build(library, theme="inro-light")
    assert snap_compare(app, terminal_size=LARGE, run_before=typed(*"s-1041", shows="exact ID"))


def test_results_with_their_scores(snap_compare: Compare, library: FakeLibrary) -> None:
    before = typed(*"humidity", "escape", "e", shows="score 5.000")
    assert snap_compare(build(library), terminal_size=SMALL, run_before=before)


def test_nothing_typed(snap_compare: Compare, library: FakeLibrary) -> None:
    before = typed(shows="Results come while you type")
    assert snap_compare(build(library), terminal_size=SMALL, run_before=before)


def test_preview_below_on_a_narrow_screen(snap_compare: Compare, library: FakeLibrary) -> None:
    before = typed(*"gel", "f5", shows="## Next")
    assert snap_compare(build(library), terminal_size=SMALL, run_before=before)


@pytest.mark.parametrize("size", [SMALL, LARGE], ids=["80x24", "160x48"])
def test_document(snap_compare: Compare, library: FakeLibrary, size: tuple[int, int]) -> None:
    before = typed(*"シリカゲル", "enter", shows="シリカゲルは毎週月曜に交換する。")
    assert snap_compare(build(library), terminal_size=size, run_before=before)


@pytest.mark.parametrize("size", [SMALL, LARGE], ids=["80x24", "160x48"])
@pytest.mark.parametrize("language", ["en", "ja"])
def test_answer(snap_compare: Compare, library: FakeLibrary, size: tuple[int, int], language: str) -> None:
    app = build(library, choose({}, language))
    before = typed("f3", *"gel?", "enter", shows="0.5 % is not in source 2")
    assert snap_compare(app, terminal_size=size, run_before=before)


def test_answer_on_its_way(snap_compare: Compare, library: FakeLibrary) -> None:
    library.answer_gate = threading.Event()

    async def before(pilot: Pilot[None]) -> None:
        await pilot.press("f3", *"gel?", "enter")
        app = pilot.app
        assert isinstance(app, InroApp)
        await until(pilot, lambda: bool(app.chat_screen.exchanges[0].streamed))
        app.chat_screen.exchanges[0].streamed = "The silica gel is"
        app.chat_screen._show()
        await pilot.pause()
        assert "not checked yet" in drawn(app)

    assert snap_compare(build(library), terminal_size=SMALL, run_before=before)
    library.answer_gate.set()


def test_refusal(snap_compare: Compare, library: FakeLibrary) -> None:
    library.answer = library.refusal("x")
    before = typed("f3", *"price?", "enter", shows="Not in your library.")
    assert snap_compare(build(library), terminal_size=SMALL, run_before=before)


@pytest.mark.parametrize("size", [SMALL, LARGE], ids=["80x24", "160x48"])
@pytest.mark.parametrize("language", ["en", "ja"])
def test_library(snap_compare: Compare, library: FakeLibrary, size: tuple[int, int], language: str) -> None:
    app = build(library, choose({}, language))
    assert snap_compare(app, terminal_size=size, run_before=typed("f4", "s", shows="certificate 2019.pdf"))


def test_sync_on_its_way(snap_compare: Compare, library: FakeLibrary) -> None:
    library.gates["progress"] = threading.Event()

    async def before(pilot: Pilot[None]) -> None:
        app = pilot.app
        assert isinstance(app, InroApp)
        await settle(pilot)
        await pilot.press("f4")
        await until(pilot, lambda: "42" in drawn(app))
        await pilot.press("s")
        await until(pilot, lambda: "Reading files" in drawn(app))

    assert snap_compare(build(library), terminal_size=SMALL, run_before=before)
    library.gates["progress"].set()


@pytest.mark.parametrize("language", ["en", "ja"])
def test_help(snap_compare: Compare, library: FakeLibrary, language: str) -> None:
    app = build(library, choose({}, language))
    assert snap_compare(app, terminal_size=SMALL, run_before=typed("f1", shows="^F"))


def test_palette(snap_compare: Compare, library: FakeLibrary) -> None:
    async def before(pilot: Pilot[None]) -> None:
        app = pilot.app
        assert isinstance(app, InroApp)
        await settle(pilot)
        await pilot.press("ctrl+p")
        await until(pilot, lambda: "Index another folder" in drawn(app))
        await settle(pilot)

    assert snap_compare(build(library), terminal_size=SMALL, run_before=before)


def test_add_box(snap_compare: Compare, library: FakeLibrary) -> None:
    before = typed("f4", "a", *"~/x", shows="Add a folder or a file")
    assert snap_compare(build(library), terminal_size=SMALL, run_before=before)
