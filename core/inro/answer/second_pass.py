"""The second search: decided by code, at most once, for what the question names or wants and the passages lack.

Rule: what is missing is looked for alone, so that it is not outweighed by what was found already, and what it brings
stands behind the first passages in place of the last ones. What the library never saw is not looked for: no search
finds it. Knows nothing of the store; it is handed a search.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from inro.answer.aspects import Aspect
from inro.answer.evidence import Evidence, Passage, Search
from inro.answer.question import Question
from inro.answer.relevance import QueryTerms
from inro.text.analyse import Analyser

NAMED = 1.5
"""A term that weighs this many times the question's mean names what it is about."""
ADDED = 2
"""Passages the second search adds at most."""


@dataclass(frozen=True, slots=True)
class Missing:
    """What the passages lack."""

    names: tuple[str, ...]
    """As the question writes them."""
    aspects: tuple[Aspect, ...]

    def __bool__(self) -> bool:
        return bool(self.names or self.aspects)

    def __str__(self) -> str:
        return ", ".join((*self.names, *(aspect.name for aspect in self.aspects)))


def missing(question: Question, terms: QueryTerms, passages: Sequence[Passage], analyser: Analyser) -> Missing:
    """What the question names or wants and none of the passages has."""
    held = np.zeros(len(terms.weight), np.bool_)
    texts = [f"{p.hit.title}\n{p.hit.heading}\n{p.text}" for p in passages]
    for text in texts:
        held |= terms.held(analyser.terms(text).keys)
    heavy = terms.weight >= NAMED * terms.weight.mean() if len(terms.weight) else held
    names = _surfaces(question.text, terms, heavy & ~held & terms.known)
    aspects = (aspect for aspect in question.aspects if not any(aspect.held(text) for text in texts))
    return Missing(names, tuple(aspects))


def second_pass(
    question: Question, terms: QueryTerms, lacking: Missing, evidence: Evidence, shown: int, search: Search
) -> tuple[Evidence, int]:
    """The evidence with what a second search found, and how many passages it added.

    Args:
        shown: how many passages the answer will use; the added ones stand last among them.
    """
    subject = (
        " ".join(_surfaces(question.text, terms, terms.weight >= terms.weight.mean())) if len(terms.weight) else ""
    )
    wants = [*lacking.names, *(f"{subject} {aspect.topic}" for aspect in lacking.aspects)]
    known = {p.hit.chunk for p in evidence.passages[:shown]}
    added: list[Passage] = []
    found = search(" ".join(wants))
    for passage in found.passages:
        text = f"{passage.hit.title}\n{passage.hit.heading}\n{passage.text}"
        folded = text.casefold()
        brings = any(name.casefold() in folded for name in lacking.names) or any(
            aspect.held(text) for aspect in lacking.aspects
        )
        if passage.hit.chunk not in known and brings and len(added) < ADDED:
            added.append(passage)
    return _merged(evidence, added, shown), len(added)


def _merged(evidence: Evidence, added: Sequence[Passage], shown: int) -> Evidence:
    """The added passages as the last of those shown; the nearest by meaning keeps its standing."""
    if not added:
        return evidence
    chunks = {p.hit.chunk for p in added}
    others = [p for p in evidence.passages if p.hit.chunk not in chunks]
    nearest = evidence.passages[evidence.nearest].hit.chunk if evidence.nearest is not None else None
    first = max(shown - len(added), 1)
    passages = (*others[:first], *added, *others[first:])
    place = next((i for i, p in enumerate(passages) if p.hit.chunk == nearest), None)
    return replace(evidence, passages=passages, nearest=place)


def _surfaces(text: str, terms: QueryTerms, chosen: NDArray[np.bool_]) -> tuple[str, ...]:
    """The stretches of the question that the chosen groups stand for, overlapping ones as one."""
    spans = sorted(terms.span[i] for i in np.flatnonzero(chosen).tolist())
    joined: list[tuple[int, int]] = []
    for start, end in spans:
        if joined and start <= joined[-1][1]:
            joined[-1] = (joined[-1][0], max(end, joined[-1][1]))
        else:
            joined.append((start, end))
    return tuple(text[start:end] for start, end in joined)
