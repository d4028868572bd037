"""How much of what a question says a text says too.

The share of a text is the summed weight of the question's terms it holds over the summed weight of all of
them. A term weighs its inverse document frequency times what it is worth as evidence (`inro.text.weigh`);
the forms of one word (the word, its stem) count once. Words that only ask (`when`, `ですか`) and the
commonest function words weigh nothing or little. Terms the library never saw count against every text:
that is what makes a share comparable between questions.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from inro.answer.evidence import Weigh
from inro.answer.question import Question
from inro.records import Span
from inro.text.analyse import Analyser, kind

UNSEEN = np.uint64(2**64 - 1)
"""A key that no text has: it weighs what a term does that the library never saw."""
SUBJECT = 2
"""Terms that are taken for a question's subject."""
FUNCTION_WORD = 0.1
"""What is left of a function word's weight."""
_COMMON = """
a an the of to in on at by for from with and or as is are was were be been do does did has have had it its this that
these those there their his her he she they we you i me my our your can could will would should may might must not
no than then so such about into after before during between if but also any some all more most
"""
_STOP = frozenset(_COMMON.split())


@dataclass(frozen=True, slots=True, eq=False)
class QueryTerms:
    """The weighted terms of a question, grouped by the place in it that they come from."""

    keys: NDArray[np.uint64]
    """uint64[n]"""
    group: NDArray[np.int64]
    """int64[n], which group a key belongs to"""
    weight: NDArray[np.float64]
    """float64[groups], > 0"""
    span: tuple[Span, ...]
    """Per group, its place in the question."""
    known: NDArray[np.bool_]
    """bool[groups]: the library holds it somewhere."""

    def held(self, keys: NDArray[np.uint64]) -> NDArray[np.bool_]:
        """bool[groups]: which groups a text with these term keys holds."""
        found = np.zeros(len(self.weight), np.bool_)
        found[self.group[np.isin(self.keys, keys)]] = True
        return found

    @property
    def subject(self) -> NDArray[np.bool_]:
        """bool[groups]: the first terms of the question, which name what it is about more often than not."""
        first = np.zeros(len(self.weight), np.bool_)
        first[sorted(range(len(self.span)), key=lambda i: self.span[i][0])[:SUBJECT]] = True
        return first

    def share(self, held: NDArray[np.bool_], among: NDArray[np.bool_] | None = None) -> float:
        """The weight held over the whole weight, in [0, 1], of the groups `among` if given; 0 where there is none."""
        weight = self.weight if among is None else np.where(among, self.weight, 0.0)
        total = float(weight.sum())
        return float(weight[held].sum()) / total if total > 0 else 0.0


def query_terms(question: Question, analyser: Analyser, weigh: Weigh) -> QueryTerms:
    """The terms of a question that say what it is about."""
    terms = analyser.query(question.text)
    idf = np.maximum(weigh(terms.keys), 0.0)
    worth = terms.weight.astype(np.float64)
    asks = np.zeros(len(question.text) + 1, np.bool_)
    for start, end in question.asking:
        asks[start:end] = True
    places: dict[tuple[int, int, bool], list[int]] = {}
    for i in range(len(terms)):
        start, end = int(terms.start[i]), int(terms.end[i])
        if not asks[start:end].any():
            # a bigram beside a word of the same span is that word's evidence over again
            places.setdefault((start, end, bool(kind(terms.keys[i : i + 1])[0] == 3)), []).append(i)
    keys: list[int] = []
    group: list[int] = []
    weight: list[float] = []
    span: list[Span] = []
    known: list[bool] = []
    unseen = float(weigh(np.array([UNSEEN]))[0])
    seen: dict[frozenset[int], int] = {}
    for (start, end, _), members in places.items():
        own = frozenset(int(terms.keys[i]) for i in members)
        value = float(worth[members].max() * idf[members].min()) * _content(question.text[start:end])
        if own in seen or value <= 0:
            continue
        seen[own] = len(weight)
        keys += own
        group += [len(weight)] * len(own)
        weight.append(value)
        span.append((start, end))
        known.append(bool(idf[members].min() < unseen))
    return QueryTerms(
        np.array(keys, np.uint64),
        np.array(group, np.int64),
        np.array(weight, np.float64),
        tuple(span),
        np.array(known, np.bool_),
    )


def _content(surface: str) -> float:
    """1 for what may be the subject, `FUNCTION_WORD` for what hardly is."""
    if surface.lower() in _STOP:
        return FUNCTION_WORD
    if len(surface) <= 3 and all("\u3041" <= c <= "\u309f" for c in surface):
        return FUNCTION_WORD
    return 1.0
