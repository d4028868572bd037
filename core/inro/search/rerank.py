"""Reranking: the first results in a new order, by a model that reads each beside the question, within a time budget.

Rule: results are scored from the first down, until the next would exceed the budget or the model fails; what was scored
so far counts. Those results are ordered anew among themselves and stay above all others, whose order is as it was.
What a result gains is its score above the least of them, times the reranker's weight, so that a trace goes on summing
to its score. Pins are neither scored nor moved, and the dense lane's nearest chunk stays in the list that it was in.

Knows ranked chunks and their texts; does not know which models there are.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from inro.errors import ModelError
from inro.records import TracePart
from inro.search.rank import Ranked, Ranking

DEPTH = 20
"""Results that are scored at most."""


class Reranker(Protocol):
    """A model that says how well a text answers a question."""

    @property
    def name(self) -> str:
        """For a person."""

    @property
    def weight(self) -> float:
        """What a score greater by 1 adds to a result's own score."""

    def is_known(self, question: str, text: str) -> bool:
        """Whether scoring this costs next to nothing."""

    def score(self, question: str, text: str) -> float:
        """The higher the better, in the model's own units. Raises ModelError."""


@dataclass(slots=True)
class Pace:
    """How long texts take on this machine, in seconds a byte: bytes tell tokens in any script."""

    seconds: float = 0.0
    bytes: int = 0

    def expected(self, text: str) -> float:
        """Seconds for a text; 0 while nothing was measured."""
        return self.seconds / self.bytes * _size(text) if self.bytes else 0.0

    def took(self, text: str, seconds: float) -> None:
        """Take a measurement in; older ones fade."""
        self.seconds = self.seconds / 2 + seconds
        self.bytes = self.bytes // 2 + _size(text)


class Stage:
    """Reranks the results of one library, with one model. Shared by threads."""

    def __init__(
        self, opened: Callable[[], Reranker], seconds: float, clock: Callable[[], float] = time.perf_counter
    ) -> None:
        """
        Args:
            opened: gives the model when it is first needed; raises ModelError.
            seconds: the budget of one query. Loading the model is outside of it.
        """
        self._opened = opened
        self._seconds = seconds
        self._clock = clock
        self._pace = Pace()
        self._reranker: Reranker | None = None
        self._fault = ""
        self._lock = threading.Lock()

    def order(self, question: str, ranking: Ranking, texts: Mapping[int, str], limit: int, hints: list[str]) -> Ranking:
        """The ranking in its new order, `limit` results long; as it was, with a hint, when the model cannot be used.

        Args:
            ranking: `limit` results and as many more as there are to choose from.
            texts: of the ranked chunks; a chunk without a text is gone and left out.
        """
        items = [item for item in ranking.items if item.chunk in texts]
        pins = [item for item in items if item.pinned]
        others = items[len(pins) :]
        scores = self._scores(question, [texts[item.chunk] for item in others[:DEPTH]], hints)
        raised = _raised(others, scores, self._reranker) if self._reranker is not None and scores else []
        ordered = [*pins, *raised, *others[len(raised) :]]
        return replace(ranking, items=_first(ordered, limit, _within(items, limit, ranking.nearest)))

    def _scores(self, question: str, texts: Sequence[str], hints: list[str]) -> list[float]:
        """The scores of as many texts, from the first, as the budget allows."""
        scores: list[float] = []
        if len(texts) < 2:
            return scores
        try:
            reranker = self._model()
            started = self._clock()
            for text in texts:
                known = reranker.is_known(question, text)
                before = self._clock()
                if not known and before - started + self._pace.expected(text) > self._seconds:
                    break
                scores.append(reranker.score(question, text))
                if not known:
                    self._pace.took(text, self._clock() - before)
        except ModelError as error:
            # a model that failed twice would make every search wait for two crashes: it is not asked again
            self._fault = str(error)
            hints.append(f"reranking stopped: {error}" if scores else f"not reranked: {error}")
            return scores
        if len(scores) < 2:
            needed = 1000 * sum(map(self._pace.expected, texts[:2]))
            hints.append(
                f"not reranked: two passages take about {needed:.0f} ms here, rerank_ms is {1000 * self._seconds:.0f}"
            )
        return scores

    def _model(self) -> Reranker:
        if self._fault:
            raise ModelError(self._fault)
        with self._lock:
            if self._reranker is None:
                self._reranker = self._opened()
            return self._reranker


def _raised(items: Sequence[Ranked], scores: Sequence[float], reranker: Reranker) -> list[Ranked]:
    """The scored results, each with what it gains, in their new order."""
    least = min(scores)
    raised: list[Ranked] = []
    for place, (item, score) in enumerate(zip(items, scores, strict=False), 1):
        gain = reranker.weight * (score - least)
        note = f"{reranker.name} {score:.3f}, {score - least:.3f} above the least; was {place} of {len(scores)}"
        raised.append(replace(item, score=item.score + gain, trace=(*item.trace, TracePart("rerank", gain, note))))
    return sorted(raised, key=lambda item: -item.score)


def _within(items: Sequence[Ranked], limit: int, chunk: int) -> Ranked | None:
    """The chunk's result, if it is in the first `limit`."""
    return next((item for item in items[:limit] if item.chunk == chunk), None)


def _first(items: Sequence[Ranked], limit: int, nearest: Ranked | None) -> tuple[Ranked, ...]:
    """The first results; the nearest takes the last place where it would have fallen out."""
    kept = list(items[:limit])
    if nearest is not None and all(item.chunk != nearest.chunk for item in kept):
        kept[-1] = next(item for item in items if item.chunk == nearest.chunk)
    return tuple(kept)


def _size(text: str) -> int:
    return len(text.encode("utf-8", "replace")) + 1
