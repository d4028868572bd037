"""What a question gives: passages, checked sentences, and the events on the way."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from inro.records.documents import Span
from inro.records.results import Hit


@dataclass(frozen=True, slots=True)
class SourcePassage:
    """A numbered passage that an answer may cite."""

    n: int
    document: int
    path: str
    title: str
    heading: str
    page: int | None
    start: int
    end: int
    quote: str
    """`text[start:end]` of the document."""


@dataclass(frozen=True, slots=True)
class AnswerSentence:
    """One sentence of an answer and what the check found."""

    text: str
    citations: tuple[int, ...]
    supported: bool
    problems: tuple[str, ...] = ()
    span: Span | None = None
    """Of a quoted sentence, its place in the document's text; the quotation is shown without markup."""


@dataclass(frozen=True, slots=True)
class Answer:
    """A cited answer, or a refusal with the nearest misses."""

    question: str
    answer: str
    refused: bool
    mode: Literal["model", "extractive"]
    sentences: tuple[AnswerSentence, ...]
    sources: tuple[SourcePassage, ...]
    steps: tuple[str, ...]
    """What was done to reach it, a line each."""
    misses: tuple[Hit, ...] = ()
    """On refusal: the nearest there is."""


@dataclass(frozen=True, slots=True)
class Turn:
    """One earlier exchange of a chat."""

    question: str
    answer: str


@dataclass(frozen=True, slots=True)
class ChatRecord:
    """A chat that is remembered."""

    id: int
    title: str
    """The first question, cut short."""
    began: str
    """ISO 8601, UTC."""
    last: str
    """When its last question was answered, likewise."""
    turns: int


@dataclass(frozen=True, slots=True)
class AnswerStep:
    """Event: something was done on the way."""

    text: str


@dataclass(frozen=True, slots=True)
class AnswerDraft:
    """Event: the extractive answer, complete and checked, while the model still works."""

    answer: Answer


@dataclass(frozen=True, slots=True)
class AnswerText:
    """Event: a piece of the model's text as it streams, stripped of control characters, not yet checked."""

    text: str


@dataclass(frozen=True, slots=True)
class AnswerDone:
    """Event, always the last: the final answer."""

    answer: Answer


AnswerEvent: TypeAlias = AnswerStep | AnswerDraft | AnswerText | AnswerDone
