"""Earlier chats are gone on with or forgotten; answers from shelves are taken into the notes or turned down."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from in_memory import FakeLibrary, build, drawn, settle, until

from inro.records import AnswerDone, Status
from inro.shelves.asking import from_shelf
from inro.state.chats import Chats
from inro.state.reviews import Reviews
from inro_tui.app import InroApp
from inro_tui.screens.box import BoxScreen
from inro_tui.screens.chats import ChatsScreen
from inro_tui.screens.review import ReviewScreen
from inro_tui.screens.viewer import ViewerScreen

SIZE = (100, 40)


def listed(app: InroApp, kind: type[BoxScreen[Any]]) -> bool:
    """Whether that box is open and lists something."""
    screen = app.screen
    return isinstance(screen, kind) and bool(screen.query("#box-rows")) and screen.rows.current is not None


async def test_a_chat_is_remembered_and_gone_on_with(library: FakeLibrary) -> None:
    app = build(library)
    async with app.run_test(size=SIZE) as pilot:
        await pilot.press("f3", *"gel", "enter")
        await until(pilot, lambda: app.chat_screen.exchanges[0].state == "done")
    (record,) = Chats(library.path).list()
    assert (record.title, record.turns) == ("gel", 1)
    app = build(library)
    async with app.run_test(size=SIZE) as pilot:
        await pilot.press("f3", "ctrl+o")
        await until(pilot, lambda: listed(app, ChatsScreen))
        assert "gel" in drawn(app)
        assert "1 question" in drawn(app)
        await pilot.press("enter")
        await until(pilot, lambda: bool(app.chat_screen.exchanges))
        await settle(pilot)
        assert "Answer, checked against its sources" in drawn(app)
        await pilot.press(*"more", "enter")
        await until(pilot, lambda: len(app.chat_screen.exchanges) == 2 and not app.chat_screen.busy)
    assert [turn.question for turn in library.histories[-1]] == ["gel"]
    assert [each.turns for each in Chats(library.path).list()] == [2], "the same chat, not another"


async def test_a_new_chat_is_another_one(library: FakeLibrary) -> None:
    app = build(library)
    async with app.run_test(size=SIZE) as pilot:
        await pilot.press("f3", *"gel", "enter")
        await until(pilot, lambda: app.chat_screen.exchanges[0].state == "done")
        app.chat_screen.action_new_chat()
        app.chat_screen.ask("log")
        await until(pilot, lambda: bool(app.chat_screen.exchanges) and app.chat_screen.exchanges[0].state == "done")
    assert library.histories[-1] == ()
    assert [each.title for each in Chats(library.path).list()] == ["log", "gel"]


async def test_a_chat_is_forgotten_by_its_key(library: FakeLibrary) -> None:
    app = build(library)
    async with app.run_test(size=SIZE) as pilot:
        await pilot.press("f3", *"gel", "enter")
        await until(pilot, lambda: app.chat_screen.exchanges[0].state == "done")
        app.chat_screen.action_earlier()
        await until(pilot, lambda: listed(app, ChatsScreen))
        await pilot.press("D")
        await until(pilot, lambda: not Chats(library.path).list())
        await until(pilot, lambda: "None yet" in drawn(app))
        await pilot.press("escape")
        await settle(pilot)
        assert not isinstance(app.screen, ChatsScreen)


async def test_a_chat_that_cannot_be_remembered_is_told_and_goes_on(library: FakeLibrary, own_world: Path) -> None:
    file = Chats(library.path)._file.path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(b"not a database, and far too short to look like one" * 40)
    app = build(library)
    async with app.run_test(size=SIZE) as pilot:
        await pilot.press("f3", *"gel", "enter")
        await until(pilot, lambda: app.chat_screen.exchanges[0].state == "done")
        await until(pilot, lambda: any("cannot be used" in notice.message for notice in app._notifications))


def offered(library: FakeLibrary) -> int:
    """An answer from a shelf in the queue; its number."""
    events = list(library.ask("gel"))
    done = events[-1]
    assert isinstance(done, AnswerDone)
    number = Reviews(library.path).offer(from_shelf(done.answer, "handbook"))
    assert number is not None
    return number


async def test_an_answer_is_taken_into_the_notes(library: FakeLibrary, tmp_path: Path) -> None:
    number = offered(library)
    standing = library.status(look=False)
    here = replace(standing.sources[0], path=str(tmp_path), present=True)

    class OnDisk(FakeLibrary):
        def status(self, *, look: bool = True) -> Status:
            return replace(standing, sources=(here,))

    app = build(OnDisk())
    async with app.run_test(size=SIZE) as pilot:
        app.action_review()
        await until(pilot, lambda: listed(app, ReviewScreen))
        assert "From the shelf handbook" in drawn(app)
        assert "シリカゲルは毎週月曜に交換する" not in drawn(app)
        await pilot.press("enter")
        await settle(pilot)
        assert "シリカゲルは毎週月曜に交換する" in drawn(app), "the passages unfold"
        await pilot.press("a")
        await until(pilot, lambda: Reviews(library.path).get(number).state == "accepted")
        await until(pilot, lambda: "Nothing waits" in drawn(app))
    (note,) = tmp_path.glob("*.md")
    assert "シリカゲル" in note.read_text(encoding="utf-8")


async def test_an_answer_is_turned_down_and_one_without_a_folder_waits(library: FakeLibrary) -> None:
    number = offered(library)
    app = build(library)
    async with app.run_test(size=SIZE) as pilot:
        app.action_review()
        await until(pilot, lambda: listed(app, ReviewScreen))
        await pilot.press("a")
        await until(pilot, lambda: any("no folder" in notice.message for notice in app._notifications))
        assert Reviews(library.path).get(number).state == "waiting"
        await pilot.press("x")
        await until(pilot, lambda: Reviews(library.path).get(number).state == "rejected")


async def test_a_passage_on_a_shelf_opens_as_it_was_quoted(app: InroApp, library: FakeLibrary) -> None:
    events = list(library.ask("gel"))
    assert isinstance(events[-1], AnswerDone)
    source = from_shelf(events[-1].answer, "handbook").sources[0]
    async with app.run_test(size=SIZE) as pilot:
        await pilot.press("f3")
        app.chat_screen._open(source)
        await settle(pilot)
        assert isinstance(app.screen, ViewerScreen)
        assert "on the shelf handbook, not in your library" in drawn(app)
        assert app.screen.text.page.text == source.quote
