"""Going about the app: places, help, commands, moved keys, first paint, and leaving."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import threading

import pytest
from in_memory import FakeLibrary, build, drawn, screen_of, settle, until

from inro_tui import theme
from inro_tui.app import InroApp
from inro_tui.palette import Palette
from inro_tui.screens.help import HelpScreen, cheat_sheet
from inro_tui.strings import ENGLISH, choose


@pytest.mark.parametrize("keys", [("f2", "f3", "f4"), ("ctrl+f", "ctrl+t", "ctrl+l")])
async def test_the_three_places_are_reached_from_anywhere(app: InroApp, keys: tuple[str, str, str]) -> None:
    async with app.run_test() as pilot:
        search, chat, library = keys
        for key, screen in (
            (chat, app.chat_screen),
            (library, app.library_screen),
            (search, app.search_screen),
        ):
            await pilot.press(key)
            assert screen_of(app) is screen


async def test_a_place_keeps_what_was_typed_in_it(app: InroApp) -> None:
    async with app.run_test() as pilot:
        await pilot.press(*"gel", "f3", *"why")
        await pilot.press("f2")
        assert app.search_screen.query_text == "gel"
        await pilot.press("f3")
        assert app.chat_screen.line.value == "why"


async def test_the_key_of_a_place_leaves_a_document_that_is_open_there(app: InroApp) -> None:
    async with app.run_test() as pilot:
        await pilot.press(*"gel")
        await settle(pilot)
        await pilot.press("enter")
        await settle(pilot)
        assert screen_of(app) is not app.search_screen
        await pilot.press("f2")
        assert screen_of(app) is app.search_screen


async def test_help_lists_every_key_of_the_table(app: InroApp) -> None:
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("f1")
        assert isinstance(app.screen, HelpScreen)
        rows = cheat_sheet(ENGLISH, {}, "search")
        text = "\n".join("".join(p for p, _ in line) for row in rows for line in row.draw(60))
        for words in ENGLISH.keys.values():
            assert words in text
        await pilot.press("f1")
        assert screen_of(app) is app.search_screen


async def test_a_moved_key_works_and_the_help_knows_it(library: FakeLibrary) -> None:
    app = InroApp(library, strings=ENGLISH, keymap={"app.chat": "f9", "results.why": "w"})
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("f3")
        assert screen_of(app) is app.search_screen
        await pilot.press("f9")
        assert screen_of(app) is app.chat_screen
        await pilot.press("f1")
        text = "\n".join(
            "".join(p for p, _ in line) for row in cheat_sheet(ENGLISH, app.moved, "") for line in row.draw(60)
        )
        assert "F9" in text


async def test_the_palette_has_our_commands_and_no_emoji(app: InroApp) -> None:
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("ctrl+p")
        assert isinstance(app.screen, Palette)
        await until(pilot, lambda: "Index another folder or file" in drawn(app))
        shown = drawn(app)
        assert not any(ord(c) > 0x1F000 for c in shown)
        await pilot.press(*"light or", "enter")
        await settle(pilot)
        await until(pilot, lambda: app.theme == theme.LIGHT)


async def test_the_palette_starts_a_sync(app: InroApp, library: FakeLibrary) -> None:
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("ctrl+p", *"sync")
        await settle(pilot)
        await pilot.press("enter")
        await until(pilot, lambda: ("sync", "False") in library.calls)
        await settle(pilot)
        assert screen_of(app) is app.library_screen


async def test_keys_are_answered_while_every_call_hangs(library: FakeLibrary) -> None:
    gates = {name: threading.Event() for name in ("warm", "status", "lexical", "titles", "hybrid", "show")}
    library.gates.update(gates)
    app = build(library)
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press(*"gel", "f3", *"why", "f4", "f2")
        assert app.search_screen.query_text == "gel"
        assert screen_of(app) is app.search_screen
        for gate in gates.values():
            gate.set()
        await settle(pilot)
        assert app.search_screen.found


async def test_the_first_screen_is_drawn_before_the_library_is_touched(library: FakeLibrary) -> None:
    library.gates["status"] = threading.Event()
    app = build(library)
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        assert "Type what you remember" in drawn(app)
        library.gates["status"].set()
        await settle(pilot)
        assert [name for name, _ in library.calls if name in ("status", "warm")]


async def test_leaving_stops_a_sync_and_an_answer(library: FakeLibrary) -> None:
    library.gates["progress"] = library.answer_gate = threading.Event()
    app = build(library)
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("f3", *"gel", "enter", "f4", "s")
        await until(pilot, lambda: ("sync", "False") in library.calls and ("ask", "gel") in library.calls)
        await pilot.press("ctrl+q")
    assert not app.is_running
    stopped = {("cancelled", "sync"), ("cancelled", "ask")}
    for _ in range(300):
        if stopped <= set(library.calls):
            break
        await asyncio.sleep(0.01)
    assert stopped <= set(library.calls)


async def test_japanese_is_spoken_throughout(japanese: InroApp) -> None:
    async with japanese.run_test(size=(80, 24)) as pilot:
        await pilot.press(*"gel")
        await settle(pilot)
        shown = drawn(japanese)
        assert "42 件中 40 件を検索" in shown and "検索" in shown
        assert "searched" not in shown


@pytest.mark.parametrize(
    ("environ", "name"),
    [
        ({}, theme.DARK),
        ({"COLORFGBG": "0;15"}, theme.LIGHT),
        ({"COLORFGBG": "15;0"}, theme.DARK),
        ({"COLORFGBG": "0;15", "INRO_THEME": "dark"}, theme.DARK),
        ({"INRO_THEME": "light"}, theme.LIGHT),
    ],
)
def test_the_theme_follows_the_terminal(environ: dict[str, str], name: str) -> None:
    assert theme.preferred(environ) == name


def test_the_japanese_words_are_loaded_only_when_spoken() -> None:
    program = (
        "import sys; import inro_tui.app; from inro_tui.strings import choose; choose({})\n"
        "heavy = ['numpy', 'numba', 'duckdb', 'onnxruntime', 'llama_cpp', 'hnswlib', 'inro_tui.strings_ja']\n"
        "print([name for name in heavy if name in sys.modules])"
    )
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"
    assert choose({}, "ja").language == "ja"
