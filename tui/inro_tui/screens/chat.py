"""Questions and answers: the words of the documents first, the model's as they come, the checked answer last.

One question at a time. A stopped or failed question changes nothing that was answered before; after a
failure the question is back in the input line.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator

from textual import on, work
from textual.app import ComposeResult
from textual.events import ScreenResume

from inro.conversation import Conversation
from inro.records import Answer, AnswerDone, AnswerDraft, AnswerEvent, AnswerStep, AnswerText, Hit, SourcePassage
from inro.state.chats import Chats
from inro_tui import keys
from inro_tui.messages import AnswerArrived, AnswerEnded, ChatArrived, WorkFailed
from inro_tui.pages import place_of_hit, place_of_source, shelf_page
from inro_tui.screens.base import InroScreen, Shared
from inro_tui.screens.chats import ChatsScreen
from inro_tui.screens.viewer import ViewerScreen
from inro_tui.widgets.chrome import KeyLine, Tabs
from inro_tui.widgets.composer import Composer
from inro_tui.widgets.composer import Line as InputLine
from inro_tui.widgets.note import Note
from inro_tui.widgets.rows import Row, RowList
from inro_tui.widgets.transcript import Exchange, StepsRow, plain_text, rows_of
from inro_tui.work import attempt

_EVERY = 0.05
"""Seconds of model text sent to the screen at once."""


class Transcript(RowList):
    """The conversation, with the keys that act on an answer."""

    BINDINGS = keys.bindings("transcript")


class ChatScreen(InroScreen):
    """A conversation with the library."""

    BINDINGS = keys.bindings("chat")

    def __init__(self, shared: Shared) -> None:
        super().__init__(shared)
        self.exchanges: list[Exchange] = []
        self.conversation = self._another()
        self._ticket = 0
        self._cancel: threading.Event | None = None

    def _another(self) -> Conversation:
        return Conversation(self.library.ask, Chats(self.library.path))

    def compose(self) -> ComposeResult:
        yield Tabs(self.strings, "chat", self.library.path.name)
        yield Note(id="chat-idle")
        yield Transcript(id="transcript", sign_always=False)
        yield Composer(self.strings.chat_placeholder, id="chat")
        yield KeyLine(self.strings)

    def on_mount(self) -> None:
        self.query_one("#chat-idle", Note).say(((self.strings.chat_idle, "dim"),))
        self.line.focus()
        self._show()

    @on(ScreenResume)
    def _caret_again(self) -> None:
        self.call_after_refresh(self.line.place_caret)

    @property
    def line(self) -> InputLine:
        return self.query_one(InputLine)

    @property
    def busy(self) -> bool:
        """Whether an answer is on its way."""
        return bool(self.exchanges) and self.exchanges[-1].state == "working"

    def main_rows(self) -> RowList:
        return self.query_one("#transcript", RowList)

    def _show(self, follow: bool = True) -> None:
        self.query_one("#chat-idle", Note).display = not self.exchanges
        self.main_rows().set_rows(rows_of(self.exchanges, self.strings), follow=follow)
        self.refresh_bindings()

    # Asking

    @on(InputLine.Entered, "#chat-line")
    def _entered(self, event: InputLine.Entered) -> None:
        question = event.value.strip()
        if not question:
            return
        if self.ask(question):
            self.line.clear()

    def ask(self, question: str) -> bool:
        """Put a question; False while another is being answered."""
        if self.busy:
            self.warn(self.strings.chat_busy)
            return False
        self._ticket += 1
        self._cancel = threading.Event()
        self.exchanges.append(Exchange(question))
        self._show()
        self.call_after_refresh(self.main_rows().scroll_end, animate=False)
        self.answer(self.conversation, question, self._ticket, self._cancel)
        return True

    @work(thread=True, group="answer")
    def answer(self, conversation: Conversation, question: str, ticket: int, cancel: threading.Event) -> None:
        """Run the question and pass its events on."""

        def events() -> None:
            for event in gathered(conversation.ask(question, cancel)):
                self.post_message(AnswerArrived(ticket, event))

        attempt(self, "answer", events, ticket)
        if conversation.unkept:
            self.post_message(WorkFailed("keep", ticket, conversation.unkept, ""))
        self.post_message(AnswerEnded(ticket))

    def on_answer_arrived(self, message: AnswerArrived) -> None:
        if message.ticket != self._ticket or not self.busy:
            return
        exchange = self.exchanges[-1]
        match message.event:
            case AnswerStep(text):
                exchange.steps.append(text)
            case AnswerDraft(answer):
                exchange.draft = answer
            case AnswerText(text):
                exchange.streamed += text
            case AnswerDone(answer):
                self._finish(exchange, answer)
                return
        self._show()

    def _finish(self, exchange: Exchange, answer: Answer) -> None:
        exchange.final = answer
        exchange.state = "done"
        number = len(self.exchanges) - 1
        rows = rows_of(self.exchanges, self.strings)
        first = next((row.key for row in rows if _of(row) == number and _opens(row.item)), None)
        transcript = self.main_rows()
        transcript.set_rows(rows, cursor=first, follow=True)
        self.call_after_refresh(transcript.show_from, (number, "question"))
        self.refresh_bindings()
        if not self.line.value and self.line.has_focus:
            transcript.focus(scroll_visible=False)

    def on_work_failed(self, message: WorkFailed) -> None:
        if message.job != "answer":
            super().on_work_failed(message)
            return
        if message.ticket != self._ticket or not self.busy:
            return
        exchange = self.exchanges[-1]
        exchange.state, exchange.failure, exchange.mend = "failed", message.what, message.mend
        exchange.streamed = ""
        self._give_back(exchange)

    def on_answer_ended(self, message: AnswerEnded) -> None:
        # An answer that ends without its last event was cut off.
        if message.ticket == self._ticket and self.busy:
            self.exchanges[-1].state = "stopped"
            self._give_back(self.exchanges[-1])

    def _give_back(self, exchange: Exchange) -> None:
        self._show()
        if not self.line.value:
            self.line.value = exchange.question
            self.line.cursor_position = len(exchange.question)
        self.line.focus()

    # Keys

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        if action == "stop":
            return self.busy
        if action == "again":
            return bool(self.exchanges) and not self.busy
        return super().check_action(action, parameters)

    def action_stop(self) -> None:
        if self.busy and self._cancel is not None:
            self._cancel.set()
            self.exchanges[-1].state = "stopped"
            self._give_back(self.exchanges[-1])

    def let_go(self) -> None:
        """Stop whatever runs: the app is being left."""
        if self._cancel is not None:
            self._cancel.set()

    def action_leave_composer(self) -> None:
        if self.busy:
            self.action_stop()
        else:
            super().action_leave_composer()

    def action_edit(self) -> None:
        self.action_stop()
        self.line.focus()

    def action_again(self) -> None:
        if self.exchanges and not self.busy:
            last = self.exchanges.pop()
            if last.final is not None:
                self.conversation.take_back()
            question = last.question
            if self.line.value == question:
                self.line.clear()
            self.ask(question)

    def action_new_chat(self) -> None:
        self.let_go()
        self._go_on(self._another())

    def _go_on(self, conversation: Conversation) -> None:
        self._ticket += 1
        self.conversation = conversation
        self.exchanges = [Exchange(answer.question, "done", final=answer) for answer in conversation.answers]
        self._show()
        self.call_after_refresh(self.main_rows().scroll_end, animate=False)
        self.line.focus()

    def action_earlier(self) -> None:
        """The chats that are remembered, to go on with one."""
        self.app.push_screen(ChatsScreen(self.shared), self._resume)

    def _resume(self, chat: int | None) -> None:
        if chat is not None:
            self.let_go()
            self.read_chat(chat)

    @work(thread=True, exclusive=True, group="chats")
    def read_chat(self, chat: int) -> None:
        """Fetch an earlier chat."""
        conversation = self._another()
        attempt(self, "chats", lambda: conversation.resume(chat))
        if conversation.id == chat:
            self.post_message(ChatArrived(conversation))

    def on_chat_arrived(self, message: ChatArrived) -> None:
        self._go_on(message.conversation)

    def action_copy_answer(self) -> None:
        exchange = self._exchange_here()
        if exchange is None or exchange.answer is None:
            self.warn(self.strings.nothing_to_copy)
        else:
            self.app.copy_to_clipboard(plain_text(exchange.answer))

    def action_open_source(self, number: int) -> None:
        exchange = self._exchange_here()
        answer = exchange.answer if exchange else None
        for source in answer.sources if answer else ():
            if source.n == number:
                self._open(source)
                return
        self.warn(self.strings.chat_no_source.format(n=number))

    def _exchange_here(self) -> Exchange | None:
        row = self.main_rows().current
        if row is not None:
            return self.exchanges[_of(row)]
        return self.exchanges[-1] if self.exchanges else None

    @on(RowList.Chosen, "#transcript")
    def _chosen(self, event: RowList.Chosen) -> None:
        self._open(event.row.item)

    def _open(self, item: object) -> None:
        match item:
            case SourcePassage() if item.shelf:
                # its number is that of another library's document
                self.app.push_screen(ViewerScreen(self.shared, *shelf_page(item, self.strings.chat_on_shelf)))
            case SourcePassage():
                self.app.push_screen(ViewerScreen(self.shared, place_of_source(item)))
            case Hit():
                self.app.push_screen(ViewerScreen(self.shared, place_of_hit(item)))
            case StepsRow(number):
                exchange = self.exchanges[number]
                exchange.steps_open = not exchange.steps_open
                self._show(follow=False)


def _of(row: Row) -> int:
    """The exchange a row belongs to."""
    assert isinstance(row.key, tuple)
    return int(row.key[0])


def _opens(item: object) -> bool:
    return isinstance(item, SourcePassage | Hit)


def gathered(events: Iterator[AnswerEvent]) -> Iterator[AnswerEvent]:
    """The same events, with model text sent on a few times a second and not once a token."""
    waiting: list[str] = []
    sent = float("-inf")
    for event in events:
        if isinstance(event, AnswerText):
            waiting.append(event.text)
            if time.monotonic() - sent < _EVERY:
                continue
        if waiting:
            yield AnswerText("".join(waiting))
            waiting.clear()
            sent = time.monotonic()
        if not isinstance(event, AnswerText):
            yield event
    if waiting:
        yield AnswerText("".join(waiting))
