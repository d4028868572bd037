"""What a question gives: passages, checked sentences, and the events on the way."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from inro.records.documents import Span
from inro.records.results import Hit

NOT_HERE = "This is not in your library."
"""The text of a refusal; a screen says it in its own language."""


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
    shelf: str = ""
    """The reference shelf that it stands on, if it is not of the library; `document` is the shelf's number then."""

    @property
    def mark(self) -> str:
        """What cites it: `[1]`, or `[S1]` of a passage that is not the library's."""
        return citation_mark(self.n, self.shelf)


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
class Speed:
    """How fast a model wrote."""

    first_token_ms: float
    """From being asked, the prompt unread, to its first word."""
    tokens: int
    """Of its text."""
    tokens_per_second: float | None
    """After the first word; None where there was but one."""


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
    """On refusal: the nearest there is. From a shelf: what was found there beside and not read."""
    shelf: str = ""
    """The reference shelf that answered, since the library was silent; all sources are of it."""
    speed: Speed | None = None
    """Of the model, if one wrote, also where its text did not stand."""

    def mark(self, n: int) -> str:
        """What cites source `n`; see `SourcePassage.mark`."""
        return citation_mark(n, self.shelf)


def citation_mark(n: int, shelf: str = "") -> str:
    """A citation as it is shown. The program writes the letter, never a model."""
    return f"[S{n}]" if shelf else f"[{n}]"


@dataclass(frozen=True, slots=True)
class Shelf:
    """An index file or ZIM file of someone else, attached to be looked into when the library is silent."""

    name: str
    path: str
    kind: Literal["library", "zim"]
    added: str
    """ISO 8601, UTC."""


ReviewState: TypeAlias = Literal["waiting", "accepted", "rejected"]


@dataclass(frozen=True, slots=True)
class ReviewItem:
    """An answer from a shelf that waits for its user's word, or has it."""

    id: int
    state: ReviewState
    made: str
    """ISO 8601, UTC."""
    note: str
    """Where the accepted note was written; else empty."""
    answer: Answer


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
