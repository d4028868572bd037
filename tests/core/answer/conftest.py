"""A tiny library of passages, the real analyser, and a chat model that says what it is told to say."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence

import numpy as np
import pytest
from numpy.typing import NDArray

from inro.answer.evidence import Evidence, Passage
from inro.errors import ModelError
from inro.records import Hit
from inro.text.analyse import Analyser

MakePassage = Callable[..., Passage]
MakeEvidence = Callable[..., Evidence]


@pytest.fixture(scope="session")
def analyser() -> Analyser:
    return Analyser()


@pytest.fixture
def passage() -> MakePassage:
    """Make a passage from its text; each is a document of its own."""
    numbers = itertools.count(1)

    def make(
        text: str,
        title: str = "Note",
        *,
        heading: str = "",
        pinned: bool = False,
        share: float = 0.6,
        z: float = 0.0,
    ) -> Passage:
        n = next(numbers)
        hit = Hit(
            rank=n,
            score=10.0 / n,
            document=n,
            path=f"notes/{n}.md",
            title=title,
            heading=heading,
            page=None,
            chunk=n,
            start=0,
            end=len(text),
            snippet=text[:40],
            snippet_start=0,
            highlights=(),
            shown=text[:40],
            shown_highlights=(),
            trace=(),
            pinned=pinned,
        )
        return Passage(hit, text, lexical_share=share, dense_z=z)

    return make


@pytest.fixture
def evidence(analyser: Analyser) -> MakeEvidence:
    """Evidence whose term weights come from the passages themselves and a background of ordinary text."""
    background = [
        "The meeting was held in the main room and all members were there.",
        "Please return the tools to the shelf after use.",
        "この装置は毎朝点検すること。記録は台帳に残す。",
        "会議は予定どおり終わった。",
        "今天的会议已经结束。",
    ] * 4

    def make(*passages: Passage, vector: NDArray[np.float32] | None = None, nearest: int | None = None) -> Evidence:
        texts = [f"{p.hit.title}\n{p.text}" for p in passages] + background
        batch = analyser.batch(texts)
        rows = [set(batch.keys[a:b].tolist()) for a, b in itertools.pairwise(batch.offsets.tolist())]

        def weigh(keys: NDArray[np.uint64]) -> NDArray[np.float64]:
            df = np.array([sum(k in row for row in rows) for k in keys.tolist()], np.float64)
            idf: NDArray[np.float64] = np.log(1 + (len(rows) - df + 0.5) / (df + 0.5))
            return idf

        return Evidence(
            tuple(passages),
            weigh,
            nearest=nearest,
            misses=tuple(p.hit for p in passages),
            question_vector=vector,
        )

    return make


class ScriptedChat:
    """Says `text` in small pieces; raises `fails` after it if that is set. A token is a word."""

    def __init__(self, text: str, *, context: int = 2000, fails: ModelError | None = None) -> None:
        self.text = text
        self.context = context
        self.fails = fails
        self.asked: list[list[dict[str, str]]] = []
        self.given = 0

    def stream(
        self,
        messages: Sequence[Mapping[str, str]],
        max_tokens: int,
        *,
        temperature: float = 0.0,
        stop: Sequence[str] = (),
        grammar: str = "",
    ) -> Iterator[str]:
        self.asked.append([dict(m) for m in messages])
        for at in range(0, len(self.text), 7):
            self.given += 1
            yield self.text[at : at + 7]
        if self.fails is not None:
            raise self.fails

    def count_many(self, texts: Sequence[str]) -> list[int]:
        return [len(t.split()) for t in texts]

    def count_prompt(self, messages: Sequence[Mapping[str, str]]) -> int:
        return sum(len(m["content"].split()) + 4 for m in messages)

    def cancel(self) -> None:
        """Nothing runs beside the reader."""


@pytest.fixture
def scripted() -> type[ScriptedChat]:
    return ScriptedChat
