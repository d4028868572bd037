"""A conversation with the library: each question is asked with what was said before, each answer is remembered.

Rule: an exchange counts once it is answered; one that was stopped or failed leaves no trace. A state file that cannot
be written ends no conversation: it is said, and the chat goes on unremembered. Knows no screen.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from typing import Protocol

from inro.errors import NotFound, StateUnusable
from inro.records import Answer, AnswerDone, AnswerEvent, Turn
from inro.state.chats import Chats


class Ask(Protocol):
    """How a question is answered; `inro.library.Library.ask` is one way."""

    def __call__(
        self, question: str, *, history: Sequence[Turn] = (), cancel: threading.Event | None = None
    ) -> Iterator[AnswerEvent]: ...


class Conversation:
    """One chat, new or gone on with."""

    def __init__(self, ask: Ask, chats: Chats) -> None:
        self._ask = ask
        self._chats = chats
        self._id: int | None = None
        self.answers: list[Answer] = []
        """What was answered, oldest first."""
        self.unkept = ""
        """Why the last exchange is not remembered; empty if it is."""

    @property
    def id(self) -> int | None:
        """What `resume` takes; None of a chat in which nothing was answered yet."""
        return self._id

    def resume(self, chat: int | None = None) -> None:
        """Go on with an earlier chat; with the last one if None.

        Raises:
            NotFound: there is none, or none of that number.
            StateUnusable: the state file cannot be read.
        """
        if chat is None:
            known = self._chats.list()
            if not known:
                raise NotFound("there is no chat with this library yet", "inro chat")
            chat = known[0].id
        self.answers = list(self._chats.answers(chat))
        self._id = chat

    def new(self) -> None:
        """Leave this chat, which stays remembered, and begin another."""
        self.answers, self._id = [], None

    def take_back(self) -> None:
        """Leave the last answer out of what is said before the next question; it stays remembered."""
        del self.answers[-1:]

    def ask(self, question: str, cancel: threading.Event | None = None) -> Iterator[AnswerEvent]:
        """Put a question; events as of `Library.ask`. Once `cancel` is set, they end without a last one.

        Raises: what asking raises.
        """
        history = tuple(Turn(a.question, a.answer) for a in self.answers if not a.refused)
        for event in self._ask(question, history=history, cancel=cancel):
            if cancel is not None and cancel.is_set():
                return
            if isinstance(event, AnswerDone):
                self._remember(event.answer)
            yield event

    def _remember(self, answer: Answer) -> None:
        self.answers.append(answer)
        self.unkept = ""
        try:
            self._id = self._chats.keep(self._id, answer)
        except (StateUnusable, NotFound) as e:
            self.unkept = str(e)
