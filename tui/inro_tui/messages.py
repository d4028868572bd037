"""What workers tell screens. A burst of progress collapses to its latest message."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from textual.message import Message

from inro.conversation import Conversation
from inro.records import AnswerEvent, DocumentView, FileOutcome, Progress, SearchResult, Status
from inro_tui.facade import Model

Stage = Literal["words", "titles", "meaning"]


@dataclass
class ResultsArrived(Message):
    """One lane has answered a query."""

    ticket: int
    stage: Stage
    result: SearchResult


@dataclass
class Preparing(Message):
    """The first search waits for something that is being made ready; nothing once it is."""

    what: str


@dataclass
class DocumentArrived(Message):
    """A document has been read from the library."""

    view: DocumentView


@dataclass
class AnswerArrived(Message):
    """An answer has come on by one event; neighbouring pieces of model text come as one."""

    ticket: int
    event: AnswerEvent


@dataclass
class AnswerEnded(Message):
    """No more events will come for this question."""

    ticket: int


@dataclass
class ChatArrived(Message):
    """An earlier chat has been read."""

    conversation: Conversation


@dataclass
class ProgressArrived(Message):
    """A sync has come on."""

    progress: Progress

    def can_replace(self, message: Message) -> bool:
        return isinstance(message, ProgressArrived) and self.progress.report is None


@dataclass
class StateArrived(Message):
    """The library's state, its files and the models, read together."""

    status: Status
    files: tuple[FileOutcome, ...]
    models: tuple[Model, ...]


@dataclass
class WorkFailed(Message):
    """A job ended in an error a person may read."""

    job: str
    ticket: int
    what: str
    mend: str
