"""Asking: quoted words first, the model's as they come, the checked answer last; stopping and failing lose nothing."""

from __future__ import annotations

import threading
from pathlib import Path

from in_memory import FakeLibrary, build, drawn, screen_of, settle, until

from inro.errors import InroError
from inro.records import NOT_HERE, AnswerDone, AnswerEvent, AnswerText, SourcePassage, Turn
from inro.shelves.asking import from_shelf
from inro_tui.app import InroApp
from inro_tui.screens.chat import Transcript, gathered
from inro_tui.screens.viewer import ViewerScreen
from inro_tui.strings import ENGLISH
from inro_tui.widgets.rows import Row
from inro_tui.widgets.transcript import Exchange, plain_text, rows_of

SIZE = (100, 40)


def text_of(row: Row, width: int = 90) -> str:
    return "\n".join("".join(piece for piece, _ in line) for line in row.draw(width))


async def test_the_quoted_answer_comes_first_then_the_model_then_the_checked_answer(library: FakeLibrary) -> None:
    library.answer_gate = threading.Event()
    app = build(library)
    async with app.run_test(size=SIZE) as pilot:
        await pilot.press("f3", *"gel", "enter")
        chat = app.chat_screen
        await until(pilot, lambda: bool(chat.exchanges and chat.exchanges[0].draft))
        await until(pilot, lambda: "The silica" in chat.exchanges[0].streamed)
        await pilot.pause()
        shown = drawn(app)
        assert "シリカゲルは毎週月曜に交換する。 [1]" in shown
        assert "the model is still writing" in shown
        assert chat.busy
        library.answer_gate.set()
        await settle(pilot)
        assert chat.exchanges[0].state == "done"
        shown = drawn(app)
        assert "the model is still writing" not in shown
        assert "Answer, checked against its sources" in shown
        assert "1 of 2 sentences are not supported by their sources" in shown
        assert "0.5 % is not in source 2" in shown


async def test_a_number_opens_the_source_at_its_span(app: InroApp) -> None:
    async with app.run_test(size=SIZE) as pilot:
        await pilot.press("f3", *"gel", "enter")
        await until(pilot, lambda: app.chat_screen.exchanges[0].state == "done")
        await settle(pilot)
        assert isinstance(app.focused, Transcript)
        await pilot.press("2")
        await settle(pilot)
        assert isinstance(app.screen, ViewerScreen)
        page = app.screen.text.page
        assert page.passage is not None
        assert page.text[slice(*page.passage)].startswith("S-1041 gained 0.3 %")
        assert page.marks == (page.passage,)
        await pilot.press("escape")
        assert screen_of(app) is app.chat_screen
        await pilot.press("9")
        assert any("no source 9" in note.message for note in app._notifications)


async def test_an_answer_from_a_shelf_says_so_and_opens_as_quoted(app: InroApp) -> None:
    async with app.run_test(size=SIZE) as pilot:
        await pilot.press("f3", *"gel", "enter")
        chat = app.chat_screen
        await until(pilot, lambda: chat.exchanges[0].state == "done")
        await settle(pilot)
        own = chat.exchanges[0].final
        assert own is not None
        chat.exchanges[0].final = from_shelf(own, "Lab")
        rows = "\n".join(map(text_of, rows_of(chat.exchanges, ENGLISH)))
        assert "From the shelf Lab, not from your library" in rows
        assert "[S1]" in rows
        assert "[S2]" in rows
        await pilot.press("2")
        await settle(pilot)
        assert isinstance(app.screen, ViewerScreen)
        assert app.screen.text.page.text == own.sources[1].quote
        assert "on the shelf Lab, not in your library" in drawn(app)
        assert "[S1] " in plain_text(chat.exchanges[0].final)


async def test_enter_on_a_source_opens_it(app: InroApp) -> None:
    async with app.run_test(size=SIZE) as pilot:
        await pilot.press("f3", *"gel", "enter")
        await until(pilot, lambda: app.chat_screen.exchanges[0].state == "done")
        await settle(pilot)
        row = app.chat_screen.main_rows().current
        assert row is not None and isinstance(row.item, SourcePassage) and row.item.n == 1
        await pilot.press("j", "enter")
        await settle(pilot)
        assert isinstance(app.screen, ViewerScreen)
        assert app.screen.place.document == 2


async def test_escape_stops_the_answer_and_gives_the_question_back(library: FakeLibrary) -> None:
    library.answer_gate = threading.Event()
    app = build(library)
    async with app.run_test(size=SIZE) as pilot:
        await pilot.press("f3", *"gel", "enter")
        chat = app.chat_screen
        await until(pilot, lambda: bool(chat.exchanges and chat.exchanges[0].draft))
        await pilot.press("escape")
        await settle(pilot)
        assert chat.exchanges[0].state == "stopped"
        assert chat.line.value == "gel"
        assert app.focused is chat.line
        # What was already quoted stays.
        assert "シリカゲルは毎週月曜に交換する。" in drawn(app)
        library.answer_gate.set()
        await pilot.press("enter")
        await until(pilot, lambda: chat.exchanges[-1].state == "done")
        assert len(chat.exchanges) == 2


async def test_a_failed_answer_gives_the_question_back_with_the_reason(
    library: FakeLibrary, missing_model: InroError
) -> None:
    library.answer_error = missing_model
    app = build(library)
    async with app.run_test(size=SIZE) as pilot:
        await pilot.press("f3", *"gel", "enter")
        chat = app.chat_screen
        await until(pilot, lambda: bool(chat.exchanges) and chat.exchanges[0].state == "failed")
        await settle(pilot)
        assert chat.line.value == "gel"
        shown = drawn(app)
        assert "the model smollm2-135m-instruct is not here" in shown
        assert "Do: inro models fetch" in shown


async def test_what_is_being_typed_is_not_overwritten_by_a_failure(library: FakeLibrary) -> None:
    library.answer_gate = threading.Event()
    library.answer_error = InroError("it broke")
    library.gates["ask"] = threading.Event()
    app = build(library)
    async with app.run_test(size=SIZE) as pilot:
        await pilot.press("f3", *"gel", "enter", *"next")
        library.gates["ask"].set()
        await until(pilot, lambda: app.chat_screen.exchanges[0].state == "failed")
        assert app.chat_screen.line.value == "next"


async def test_a_refusal_lists_the_nearest_and_they_open(library: FakeLibrary) -> None:
    library.answer = library.refusal("gel")
    app = build(library)
    async with app.run_test(size=SIZE) as pilot:
        await pilot.press("f3", *"gel", "enter")
        await until(pilot, lambda: app.chat_screen.exchanges[0].state == "done")
        await settle(pilot)
        shown = drawn(app)
        assert "Not in your library." in shown and "Cleaning the furnace tube" in shown
        assert NOT_HERE not in shown, "said once, in the language of the screen"
        await pilot.press("enter")
        await settle(pilot)
        assert isinstance(app.screen, ViewerScreen) and app.screen.place.document == 4


async def test_a_second_question_brings_the_first_exchange_along_but_no_refusals(library: FakeLibrary) -> None:
    app = build(library)
    async with app.run_test(size=SIZE) as pilot:
        await pilot.press("f3", *"gel", "enter")
        await until(pilot, lambda: app.chat_screen.exchanges[0].state == "done")
        library.answer = library.refusal("x")
        app.chat_screen.ask("one")
        await until(pilot, lambda: app.chat_screen.exchanges[1].state == "done")
        app.chat_screen.ask("two")
        await until(pilot, lambda: app.chat_screen.exchanges[2].state == "done")
        first = Turn("gel", "The silica gel is replaced every Monday [1]. S-1041 gained 0.5 % in mass [2].")
        assert library.histories == [(), (first,), (first,)]
        await pilot.press("ctrl+n")
        assert app.chat_screen.exchanges == []


async def test_one_question_at_a_time(library: FakeLibrary) -> None:
    library.answer_gate = threading.Event()
    app = build(library)
    async with app.run_test(size=SIZE) as pilot:
        await pilot.press("f3", *"gel", "enter", *"too", "enter")
        assert len(app.chat_screen.exchanges) == 1
        assert app.chat_screen.line.value == "too"
        library.answer_gate.set()
        await settle(pilot)


async def test_asking_again_replaces_the_answer(app: InroApp, library: FakeLibrary) -> None:
    async with app.run_test(size=SIZE) as pilot:
        await pilot.press("f3", *"gel", "enter")
        await until(pilot, lambda: app.chat_screen.exchanges[0].state == "done")
        await pilot.press("ctrl+r")
        await until(pilot, lambda: library.calls.count(("ask", "gel")) == 2)
        await until(pilot, lambda: app.chat_screen.exchanges[0].state == "done")
        assert len(app.chat_screen.exchanges) == 1


async def test_steps_unfold(app: InroApp) -> None:
    async with app.run_test(size=SIZE) as pilot:
        await pilot.press("f3", *"gel", "enter")
        await until(pilot, lambda: app.chat_screen.exchanges[0].state == "done")
        await settle(pilot)
        assert "asked the model with 2 passages" not in drawn(app)
        await pilot.press("g", "enter")
        await settle(pilot)
        assert "asked the model with 2 passages" in drawn(app)


async def test_a_copied_answer_carries_its_sources(app: InroApp, own_world: Path) -> None:
    async with app.run_test(size=SIZE) as pilot:
        await pilot.press("f3", *"gel", "enter")
        await until(pilot, lambda: app.chat_screen.exchanges[0].state == "done")
        await settle(pilot)
        await pilot.press("y")
        kept = (own_world / "state" / "clipboard.txt").read_text(encoding="utf-8")
        assert kept.startswith("The silica gel is replaced every Monday [1].")
        assert "[1] 乾燥庫の使い方 (sop/desiccator.md)" in kept


def test_tokens_are_sent_on_together_and_none_is_lost(library: FakeLibrary) -> None:
    done = AnswerDone(library.refusal("x"))
    events: list[AnswerEvent] = [*(AnswerText(c) for c in "many small tokens"), done]
    passed = list(gathered(iter(events)))
    assert passed[-1] is done
    assert "".join(event.text for event in passed if isinstance(event, AnswerText)) == "many small tokens"
    assert len(passed) < len(events)


def test_model_text_is_drawn_without_its_controls() -> None:
    exchange = Exchange("q\x1b[2J", streamed="a\x1b]52;c;eA==\x07b\u202e")
    text = "\n".join(text_of(row) for row in rows_of([exchange], ENGLISH))
    assert "\x1b" not in text and "\x07" not in text and "\u202e" not in text
