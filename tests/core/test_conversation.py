"""A conversation hands on what was said, and keeps what was answered."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from inro.conversation import Conversation
from inro.errors import ModelError, NotFound
from inro.records import Answer, AnswerDone, AnswerEvent, AnswerStep, Turn
from inro.state.chats import Chats
from inro.state.file import StateFile


class Library:
    """Answers anything but what begins with "No" (refused) or "Fail"."""

    def __init__(self) -> None:
        self.histories: list[tuple[Turn, ...]] = []

    def ask(
        self, question: str, *, history: Sequence[Turn] = (), cancel: threading.Event | None = None
    ) -> Iterator[AnswerEvent]:
        self.histories.append(tuple(history))
        yield AnswerStep("looked")
        if question.startswith("Fail"):
            raise ModelError("it failed")
        yield AnswerDone(Answer(question, f"<{question}>", question.startswith("No"), "extractive", (), (), ()))


@pytest.fixture
def library() -> Library:
    return Library()


@pytest.fixture
def chats(tmp_path: Path) -> Chats:
    return Chats(tmp_path / "library.inro")


def test_earlier_answers_are_handed_on_but_for_refusals(library: Library, chats: Chats) -> None:
    talk = Conversation(library.ask, chats)
    for question in ("One?", "No two?", "Three?"):
        list(talk.ask(question))
    assert library.histories == [(), (Turn("One?", "<One?>"),), (Turn("One?", "<One?>"),)]
    assert [answer.question for answer in talk.answers] == ["One?", "No two?", "Three?"]


def test_a_resumed_chat_knows_what_was_said(library: Library, chats: Chats) -> None:
    first = Conversation(library.ask, chats)
    list(first.ask("One?"))
    again = Conversation(library.ask, chats)
    again.resume()
    list(again.ask("Two?"))
    assert library.histories[-1] == (Turn("One?", "<One?>"),)
    assert again.id == first.id
    assert [chat.turns for chat in chats.list()] == [2]


def test_a_new_chat_forgets_for_itself_alone(library: Library, chats: Chats) -> None:
    talk = Conversation(library.ask, chats)
    list(talk.ask("One?"))
    talk.new()
    list(talk.ask("Two?"))
    assert library.histories[-1] == ()
    assert [chat.title for chat in chats.list()] == ["Two?", "One?"]


def test_what_was_stopped_or_failed_is_not_remembered(library: Library, chats: Chats) -> None:
    talk = Conversation(library.ask, chats)
    stop = threading.Event()
    events = talk.ask("One?", stop)
    assert next(events) == AnswerStep("looked")
    stop.set()
    assert list(events) == []
    with pytest.raises(ModelError):
        list(talk.ask("Fail?"))
    assert talk.answers == []
    assert chats.list() == ()


def test_an_unwritable_file_ends_no_chat(library: Library, tmp_path: Path) -> None:
    (tmp_path / "blocked").write_text("a file where the folder should be")
    talk = Conversation(library.ask, Chats(tmp_path / "a.inro", StateFile(tmp_path / "blocked" / "state.sqlite")))
    events = list(talk.ask("One?"))
    assert isinstance(events[-1], AnswerDone)
    assert "blocked" in talk.unkept


def test_there_is_nothing_to_resume(library: Library, chats: Chats) -> None:
    for chat in (None, 7):
        with pytest.raises(NotFound):
            Conversation(library.ask, chats).resume(chat)
