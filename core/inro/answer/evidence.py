"""What an answer is made from: passages with what search found out about each, handed in by the façade.

Knows nothing of the store, the indexes or the screen.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from inro.records import Hit

Weigh: TypeAlias = Callable[[NDArray[np.uint64]], NDArray[np.float64]]
"""Term keys uint64[n] to their inverse document frequency in the library, float64[n], ≥ 0."""

Embed: TypeAlias = Callable[[Sequence[str]], NDArray[np.float32]]
"""Texts to unit vectors float32[n, d], as passages."""


@dataclass(frozen=True, slots=True)
class Passage:
    """One candidate passage."""

    hit: Hit
    """Where it is; its span is that of `text`."""
    text: str
    """The chunk's whole text, verbatim."""
    lexical_share: float = 0.0
    """BM25 score over the most this question could reach, in [0, 1]."""
    dense_z: float = 0.0
    """Cosine with the question, in standard deviations above the library's ordinary; 0 without a vector."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """What one search brought for a question."""

    passages: tuple[Passage, ...]
    """Best first, pins before all others; none below the floor unless it is the nearest by meaning."""
    weigh: Weigh
    nearest: int | None = None
    """Which of `passages` is nearest by meaning; it is always given to the model."""
    misses: tuple[Hit, ...] = ()
    """The best hits whatever their standing, for a refusal to list."""
    question_vector: NDArray[np.float32] | None = None
    """float32[d], unit length, where the dense lane ran."""
    shares: tuple[float, ...] = ()
    """Lexical shares of everything that was looked at, also below the floor; those of `passages` if empty."""
    z: tuple[float, ...] = ()
    """Beside each of `shares`, its cosine in standard deviations above the ordinary."""


Search: TypeAlias = Callable[[str], Evidence]


class Chat(Protocol):
    """A chat model; `inro.workers.chat.ChatWorker` is one."""

    @property
    def context(self) -> int: ...

    def stream(
        self,
        messages: Sequence[Mapping[str, str]],
        max_tokens: int,
        *,
        temperature: float = 0.0,
        stop: Sequence[str] = (),
        grammar: str = "",
    ) -> Iterator[str]: ...

    def count_many(self, texts: Sequence[str]) -> list[int]: ...

    def count_prompt(self, messages: Sequence[Mapping[str, str]]) -> int: ...

    def cancel(self) -> None: ...


@dataclass(frozen=True, slots=True)
class AnswerSettings:
    """How answers are made."""

    passages: int = 6
    """Numbered passages at most."""
    sentences: int = 4
    """Sentences of an extractive answer at most."""
    max_tokens: int = 256
    """Tokens of a model's answer at most."""
    prompt_tokens: int = 2000
    """Tokens of passages given to the model at most, however much more its context holds: on a processor every
    thousand of them costs seconds before the first word."""
    seconds: float = 120.0
    """Time a model has for its answer; then the passages are quoted instead."""
    temperature: float = 0.0
    languages: tuple[str, ...] = ()
    """Languages the chat model reads (`en`, `ja`, `zh`, `ko`); empty: any."""
    small: bool = False
    """The chat model is too small to be trusted: the steps say so, and one failed check discards its answer."""
    grammar: bool = True
    """The model's text is held to the form of a cited answer; see `inro.answer.grammar`."""
    more: bool = True
    """The model may ask once for the next passages of the same search."""
    strict: bool = False
    """Sentences that fail the check are dropped from the model's answer instead of marked."""
