"""The extractive answer: the sentences of the passages that answer the question best, quoted as they stand.

Rule: nothing is rephrased, so nothing can be wrong but the choice. A sentence is chosen by what it says
of the question's terms, its neighbours' and its heading's words counting in part; by whether it has what
this kind of question wants (a *when* a date, a *how many* a number); by the standing of its passage; and,
where an embedder is handed in, by meaning, which is all there is across languages. Knows no model and no
screen.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from inro.answer.evidence import Embed, Passage
from inro.answer.question import Question, fits
from inro.answer.relevance import QueryTerms
from inro.records import Hit
from inro.text.analyse import Analyser
from inro.text.identifiers import find, pins
from inro.text.sentences import sentences

NEIGHBOUR = 0.4
"""What the question's terms in the sentence before or after count, beside those in the sentence itself."""
HEADING = 0.5
"""The same for the passage's title and heading."""
KIND = 0.35
"""What having the asked kind of value is worth, in shares of the question."""
RANK = 0.06
"""What each place further down the ranking costs."""
MEANING = 0.12
"""What one standard deviation of sentence similarity is worth."""
IDENTITY = 0.5
"""What holding an identifier of the question whole is worth, for the passage and for the sentence. What names no other
thing under a heading that names one is about that."""
HEADING_LINE = 1.0
"""What it costs to be a heading or the title itself, which names what is asked for and says nothing of it."""
KEEP = 0.62
"""A further sentence must reach this part of the best one's score, in what it says itself: that both are about the
thing that is named makes neither an answer."""
LONG = 600
"""Characters of a sentence from which on it is no sentence but a run of text; it is cut where it is

quoted.
"""
EMBED_LIMIT = 32
"""Sentences embedded at most: what a reader would wait for."""


@dataclass(frozen=True, slots=True)
class Excerpt:
    """One quoted sentence."""

    passage: int
    """Index into the passages."""
    start: int
    end: int
    """In the passage's text."""
    text: str
    share: float
    """Of the question's terms in the sentence itself."""
    score: float


@dataclass(frozen=True, slots=True)
class Extract:
    """An extractive answer and what making it showed about the evidence."""

    excerpts: tuple[Excerpt, ...]
    """In the order of passages, then of text."""
    window: float
    """Best share of the question's terms held by two neighbouring sentences with their title, in [0, 1]."""
    passage: float
    """The same by one whole passage with its title and heading."""
    subject: float
    """Share of what the question names first (`QueryTerms.subject`) held around the sentence of that window."""


@dataclass(slots=True)
class _Sentence:
    passage: int
    start: int
    end: int
    text: str
    held: NDArray[np.bool_]
    share: float
    kind: float
    identifiers: frozenset[int]
    """Keys of the identifiers that name one thing."""
    score: float = 0.0
    said: float = 0.0
    """The score without what being about the named thing is worth."""


def extract(
    question: Question,
    terms: QueryTerms,
    passages: Sequence[Passage],
    analyser: Analyser,
    *,
    limit: int = 4,
    embed: Embed | None = None,
    vector: NDArray[np.float32] | None = None,
) -> Extract:
    """The best sentences of the passages.

    Args:
        question: what is asked.
        terms: its weighted terms.
        passages: best first.
        analyser: the one the terms were made with.
        limit: sentences at most.
        embed: gives sentence vectors; used together with `vector`, the question's own, float32[d].
    """
    found: list[_Sentence] = []
    heads: list[NDArray[np.bool_]] = []
    headed: list[frozenset[int]] = []
    for i, passage in enumerate(passages):
        leads = f"{passage.hit.title}\n{passage.hit.heading}"
        heads.append(terms.held(analyser.terms(leads).keys))
        headed.append(frozenset(one.key for one in find(leads, strict=True, han=analyser.han)))
        found += _sentences(question, terms, i, passage, analyser)
    if not found:
        return Extract((), 0.0, 0.0, 0.0)
    meaning = _meaning(found, passages, embed, vector)
    named = frozenset(i.key for i in pins(question.text, analyser.han))
    window = subject = 0.0
    for i, sentence in enumerate(found):
        around = [found[j] for j in (i - 1, i + 1) if 0 <= j < len(found) and found[j].passage == sentence.passage]
        near = np.logical_or.reduce([s.held for s in around]) if around else np.zeros_like(sentence.held)
        head = heads[sentence.passage]
        both = max((terms.share(sentence.held | s.held | head) for s in around), default=0.0)
        both = max(both, terms.share(sentence.held | head))
        if both > window:
            window, subject = both, terms.share(sentence.held | near | head, terms.subject)
        sentence.said = (
            sentence.share
            + NEIGHBOUR * terms.share(near & ~sentence.held)
            + HEADING * terms.share(head & ~sentence.held & ~near)
            + KIND * sentence.kind
            - RANK * sentence.passage
            - (HEADING_LINE if _is_heading(sentence.text, passages[sentence.passage].hit) else 0.0)
            + MEANING * float(meaning[i])
        )
        sentence.score = (
            sentence.said
            + (IDENTITY if passages[sentence.passage].hit.pinned else 0.0)
            + (IDENTITY if (sentence.identifiers or headed[sentence.passage]) & named else 0.0)
        )
    chosen = _choose(_of_the_named(found, named), limit)
    excerpts = tuple(Excerpt(s.passage, s.start, s.end, s.text, s.share, s.score) for s in chosen)
    return Extract(excerpts, window, _best_passage(terms, found, heads), subject)


def _best_passage(terms: QueryTerms, found: list[_Sentence], heads: list[NDArray[np.bool_]]) -> float:
    """The best share of the question's terms that one passage holds, in [0, 1]."""
    held = [head.copy() for head in heads]
    for sentence in found:
        held[sentence.passage] |= sentence.held
    return max(map(terms.share, held), default=0.0)


def _sentences(
    question: Question, terms: QueryTerms, index: int, passage: Passage, analyser: Analyser
) -> list[_Sentence]:
    read = analyser.terms(passage.text)
    # text order of terms is by start, so a sentence's terms are a slice
    order = np.argsort(read.start, kind="stable")
    starts, keys = read.start[order], read.keys[order]
    found: list[_Sentence] = []
    for start, end in sentences(passage.text):
        text = passage.text[start:end]
        if not any(map(str.isalnum, text)):
            # the line under a table's head
            continue
        low, high = np.searchsorted(starts, [start, end])
        held = terms.held(keys[low:high])
        said = fits(question, text, verbatim=passage.hit.heading)
        identifiers = frozenset(i.key for i in find(text, strict=True, han=analyser.han))
        found.append(_Sentence(index, start, end, text, held, terms.share(held), said, identifiers))
    return found


def _meaning(
    found: list[_Sentence], passages: Sequence[Passage], embed: Embed | None, vector: NDArray[np.float32] | None
) -> NDArray[np.float64]:
    """float64[n]: similarity of each sentence with the question in standard deviations, 0 where not

    computed.
    """
    result = np.zeros(len(found))
    if embed is None or vector is None:
        return result
    # a sentence alone has lost its subject; the title gives it back
    chosen = list(range(min(len(found), EMBED_LIMIT)))
    texts = [f"{passages[found[i].passage].hit.title}\n{found[i].text[:LONG]}" for i in chosen]
    similar = embed(texts).astype(np.float64) @ vector.astype(np.float64)
    spread = float(similar.std())
    if spread > 0:
        result[: len(chosen)] = (similar - similar.mean()) / spread
    return result


def _of_the_named(found: list[_Sentence], named: frozenset[int]) -> list[_Sentence]:
    """Without those that name something else, once one names what was asked for: the next row is another thing."""
    if not any(s.identifiers & named for s in found):
        return found
    return [s for s in found if s.identifiers & named or not s.identifiers]


def _choose(found: list[_Sentence], limit: int) -> list[_Sentence]:
    """The best sentence and, of the others, those not much worse that say something new."""
    ranked = sorted(range(len(found)), key=lambda i: (-found[i].score, i))
    best = found[ranked[0]]
    chosen = [best]
    for i in ranked[1:]:
        sentence = found[i]
        if len(chosen) >= limit:
            break
        if sentence.score < KEEP * best.score or sentence.said < KEEP * best.said:
            continue
        if all(_fold(sentence.text) != _fold(c.text) for c in chosen):
            chosen.append(sentence)
    return sorted(chosen, key=lambda s: (s.passage, s.start))


def _is_heading(text: str, hit: Hit) -> bool:
    bare = text.strip().lstrip("#")
    if bare.startswith(" ") and "\n" not in bare:
        return True
    line = _fold(bare)
    return line in (_fold(hit.title), *map(_fold, hit.heading.split(" › ")))


def _fold(text: str) -> str:
    return "".join(text.split()).casefold()
