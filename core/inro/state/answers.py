"""Answers as JSON text in the state file, and back.

Rule: what is kept is what was said and where it comes from; the hits beside it are not. A text that is not of this
shape is `None` and never an error: one damaged row must not hide the others.
"""

from __future__ import annotations

import dataclasses
import json
from typing import Any, TypeVar

from inro.records import Answer, AnswerSentence, SourcePassage, Speed

Kind = TypeVar("Kind", str, int, bool, float)


def to_text(answer: Answer) -> str:
    """An answer without its misses."""
    return json.dumps(dataclasses.asdict(dataclasses.replace(answer, misses=())), ensure_ascii=False)


def from_text(text: str) -> Answer | None:
    """What `to_text` made; None if it is something else."""
    try:
        told = json.loads(text)
        sentences = tuple(_sentence(item) for item in told["sentences"])
        sources = tuple(_source(item) for item in told["sources"])
        return Answer(
            question=_of(str, told["question"]),
            answer=_of(str, told["answer"]),
            refused=_of(bool, told["refused"]),
            mode="model" if told["mode"] == "model" else "extractive",
            sentences=sentences,
            sources=sources,
            steps=tuple(_of(str, step) for step in told["steps"]),
            shelf=_of(str, told["shelf"]),
            speed=_speed(told.get("speed")),
        )
    except (ValueError, KeyError, TypeError, RecursionError):
        return None


def _sentence(told: Any) -> AnswerSentence:
    span = told["span"]
    return AnswerSentence(
        text=_of(str, told["text"]),
        citations=tuple(_of(int, n) for n in told["citations"]),
        supported=_of(bool, told["supported"]),
        problems=tuple(_of(str, problem) for problem in told["problems"]),
        span=None if span is None else (_of(int, span[0]), _of(int, span[1])),
    )


def _source(told: Any) -> SourcePassage:
    page = told["page"]
    return SourcePassage(
        n=_of(int, told["n"]),
        document=_of(int, told["document"]),
        path=_of(str, told["path"]),
        title=_of(str, told["title"]),
        heading=_of(str, told["heading"]),
        page=None if page is None else _of(int, page),
        start=_of(int, told["start"]),
        end=_of(int, told["end"]),
        quote=_of(str, told["quote"]),
        shelf=_of(str, told["shelf"]),
    )


def _speed(told: Any) -> Speed | None:
    """None also for an answer that was kept before this was measured."""
    if told is None:
        return None
    rate = told["tokens_per_second"]
    return Speed(
        first_token_ms=_of(float, told["first_token_ms"]),
        tokens=_of(int, told["tokens"]),
        tokens_per_second=None if rate is None else _of(float, rate),
    )


def _of(kind: type[Kind], value: object) -> Kind:
    if type(value) is not kind:
        raise TypeError(f"{value!r} is no {kind.__name__}")
    return value
