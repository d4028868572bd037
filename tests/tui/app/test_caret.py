"""The terminal's own cursor is at the caret in every input line, so an input method opens where the text is."""

from __future__ import annotations

import pytest
from in_memory import FakeLibrary, build, settle
from rich.cells import cell_len
from textual.geometry import Offset

from inro_tui.app import InroApp
from inro_tui.screens.add import AddScreen
from inro_tui.screens.viewer import ViewerScreen
from inro_tui.widgets.composer import Line

SIZES = [(80, 24), (160, 48)]


def expected(line: Line, before: str) -> Offset:
    """Where the caret must be after some text: cells are counted here by another hand."""
    return Offset(line.content_region.x + cell_len(before), line.content_region.y)


async def check(app: InroApp, line: Line) -> None:
    assert app.cursor_position == expected(line, line.value[: line.cursor_position])


@pytest.mark.parametrize("size", SIZES)
async def test_it_is_right_before_anything_is_typed(app: InroApp, size: tuple[int, int]) -> None:
    async with app.run_test(size=size) as pilot:
        await settle(pilot)
        await check(app, app.search_screen.query_one(Line))
        await pilot.press("f3")
        await settle(pilot)
        await check(app, app.chat_screen.line)


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("text", ["乾燥庫の湿度", "S-1041の質量", "ｶﾞ", "cafe\u0301 𠮷野"])
async def test_it_follows_wide_and_narrow_letters(app: InroApp, size: tuple[int, int], text: str) -> None:
    async with app.run_test(size=size) as pilot:
        line = app.search_screen.query_one(Line)
        for n, character in enumerate(text, 1):
            # As an input method hands it over: composed, not as a key.
            line.insert_text_at_cursor(character)
            await pilot.pause()
            assert line.value == text[:n]
            await check(app, line)
        await pilot.press("left", "left")
        await pilot.pause()
        await check(app, line)
        await pilot.press("backspace")
        await pilot.pause()
        await check(app, line)


async def test_it_is_right_in_the_chat_the_find_line_and_the_add_box(library: FakeLibrary) -> None:
    app = build(library)
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("f3", *"質問です")
        await settle(pilot)
        await check(app, app.chat_screen.line)
        await pilot.press("f2", *"シリカゲル")
        await settle(pilot)
        await pilot.press("enter")
        await settle(pilot)
        await pilot.press("slash", *"交換")
        await settle(pilot)
        assert isinstance(app.screen, ViewerScreen)
        await check(app, app.screen.query_one(Line))
        await pilot.press("escape", "escape", "f4", "a", *"~/ノート")
        await settle(pilot)
        assert isinstance(app.screen, AddScreen)
        await check(app, app.screen.query_one(Line))


async def test_it_comes_back_after_another_screen(app: InroApp) -> None:
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press(*"乾燥")
        await settle(pilot)
        before = app.cursor_position
        await pilot.press("f3", *"長い質問をここに", "f2")
        await settle(pilot)
        assert app.cursor_position == before


async def test_it_stays_right_when_the_text_is_longer_than_the_line(app: InroApp) -> None:
    async with app.run_test(size=(40, 12)) as pilot:
        await pilot.press(*("長" * 40))
        await settle(pilot)
        line = app.search_screen.query_one(Line)
        region = line.content_region
        assert region.x <= app.cursor_position.x < region.right
        assert app.cursor_position.y == region.y
