"""The model's part of an answer: it is given passages, may ask once for the next ones, and writes.

Rule: what it is given is one ranked list in order; a request for more brings the next of that list and no second
search, once a turn. What it says is shown as it comes, its placeholders filled in, but never the request itself.
Knows nothing of whether the text is true; see `verify`.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import dataclass

from inro.answer.context import Context, following
from inro.answer.evidence import AnswerSettings, Chat, Passage
from inro.answer.generate import generate, go_on, prepare
from inro.answer.grammar import MORE, asks_more, grammar, says_nothing
from inro.answer.placeholders import Fields, Flow
from inro.answer.question import Question
from inro.errors import ModelError
from inro.records import AnswerStep, AnswerText, SourcePassage, Speed

Step = Callable[[str], AnswerStep]


@dataclass(frozen=True, slots=True)
class Written:
    """What a model wrote."""

    text: str
    """As it wrote it, placeholders and all."""
    sources: tuple[SourcePassage, ...]
    """The numbered passages, with those it asked for."""
    given: tuple[int, ...]
    """Numbers of those it was given."""
    fields: Fields
    speed: Speed | None
    """None if it said nothing."""

    @property
    def nothing(self) -> bool:
        """Whether it says that the passages do not hold the answer; a second request for more says that too."""
        return says_nothing(self.text) or asks_more(self.text)


def write(
    question: Question,
    sources: tuple[SourcePassage, ...],
    pool: Sequence[Passage],
    chat: Chat,
    settings: AnswerSettings,
    step: Step,
) -> Generator[AnswerStep | AnswerText, None, Written]:
    """Let the model write; its text as it comes, and in the end all of it.

    Args:
        sources: the first passages, numbered.
        pool: the ranked passages they are from.
        step: makes the event of something done.

    Raises:
        ModelError: no passage fits, it took too long; or what the chat worker raises.
    """
    rest = following(pool, sources, settings.passages) if settings.more else ()
    prompt, context = prepare(question, sources, chat, settings, more=bool(rest))
    yield from _squeezed(context, step)
    text, speed = yield from _said(prompt, context, question, chat, settings, more=bool(rest))
    if rest and asks_more(text):
        prompt, context = go_on(prompt, context, question, rest, chat, settings)
        yield step(f"the model asked for more: given the next of the same search, {_marks(rest)}")
        yield from _squeezed(context, step)
        sources = (*sources, *rest)
        text, speed = yield from _said(prompt, context, question, chat, settings, more=False)
    return Written(text, sources, context.given, context.fields, speed)


def _said(
    prompt: list[dict[str, str]],
    context: Context,
    question: Question,
    chat: Chat,
    settings: AnswerSettings,
    *,
    more: bool,
) -> Generator[AnswerText, None, tuple[str, Speed | None]]:
    if not context.given:
        raise ModelError("no passage fits the model's context")
    form = grammar(context.given, question.language, more=more) if settings.grammar else ""
    flow, clock = Flow(context.fields), _Clock()
    text = held = ""
    for piece in clock.timed(generate(prompt, chat, settings, form)):
        text += piece
        held += piece
        if _may_be_request(text):
            continue
        if ready := flow.feed(held):
            yield AnswerText(ready)
        held = ""
    if rest := flow.end():
        yield AnswerText(rest)
    return text, clock.speed(chat, text)


class _Clock:
    """When a model's first and last word came."""

    def __init__(self) -> None:
        self._asked = time.perf_counter()
        self._first = self._last = 0.0

    def timed(self, pieces: Iterator[str]) -> Iterator[str]:
        for piece in pieces:
            self._last = time.perf_counter()
            self._first = self._first or self._last
            yield piece

    def speed(self, chat: Chat, text: str) -> Speed | None:
        if not self._first:
            return None
        tokens = chat.count_many([text])[0]
        seconds = self._last - self._first
        rate = (tokens - 1) / seconds if tokens > 1 and seconds > 0 else None
        return Speed(1000 * (self._first - self._asked), tokens, rate)


def _may_be_request(text: str) -> bool:
    """Whether the text so far is the request for more, or the beginning of it: that is not for showing."""
    return MORE.startswith(text.strip().rstrip("."))


def _squeezed(context: Context, step: Step) -> Iterator[AnswerStep]:
    """Says what did not fit."""
    said = (("shortened", context.shortened), ("left out", context.left_out))
    parts = [f"{what} {''.join(f'[{n}]' for n in numbers)}" for what, numbers in said if numbers]
    if parts:
        yield step(f"the model's context is short: {', '.join(parts)}")


def _marks(sources: Sequence[SourcePassage]) -> str:
    return sources[0].mark if len(sources) == 1 else f"{sources[0].mark} to {sources[-1].mark}"
