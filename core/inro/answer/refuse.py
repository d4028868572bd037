"""Whether the library can answer at all.

Rule: a question is refused when nothing relevant was found and nothing is pinned. Relevance is judged from
quantities that mean the same in every library and for every model: shares of what this question could
reach at most, and standard deviations above this library's ordinary likeness. They are combined in a
logistic regression; `score` above 0 answers. What it cannot see is whether a passage full of the right
words says the thing asked.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from inro.answer.evidence import Evidence
from inro.answer.extract import Extract
from inro.answer.question import Language, Question, alike, language


@dataclass(frozen=True, slots=True)
class Features:
    """What is known about the evidence before anything is generated."""

    window: float
    """Best share of the question's terms held by two neighbouring sentences with their title, in [0, 1]."""
    passage: float
    """The same by one whole passage."""
    subject: float
    """Share of the question's first terms held around the sentence of that window, in [0, 1]."""
    lead: float
    """How far the best passage stands out by its words, see `lead`."""
    agree: bool | None
    """The best passage by its words is the nearest by meaning; None without vectors."""
    dense_lead: float | None
    """How far the nearest stands out by its meaning, in standard deviations, see `dense_lead`; None without vectors."""
    dense_z: float | None
    """Cosine of the nearest passage in standard deviations above the library's ordinary; None without vectors."""
    language: Language
    """Of the question."""
    foreign: bool
    """That passage is in another language than the question, so that words cannot tell."""
    pinned: bool
    """An identifier of the question is in a passage as a whole."""

    def vector(self) -> tuple[float, ...]:
        """What the regression weighs, in the order of `WEIGHTS`."""
        agree = 0.0 if self.agree is None else self.agree - USUAL_AGREEMENT
        further = 0.0 if self.dense_lead is None else self.dense_lead - USUAL_LEAD
        return (self.window, self.passage, self.subject, self.lead, agree, further)


@dataclass(frozen=True, slots=True)
class Verdict:
    """Answer or refuse, and why in words."""

    refuse: bool
    score: float
    """Log odds that the library answers, the threshold taken off."""
    reason: str


# Fitted by tests/bench/refusal.py on questions half of which had their passage taken out of the library; it also prints
# how questions fare that were left out of the fit. The weights come out alike in Japanese, Chinese and English; the
# threshold does not, since an English question paraphrases more than a Japanese one. Each threshold lets one
# answerable question in twenty be refused.
WEIGHTS = (4.0, 2.3, 0.6, 7.6, 0.64, 0.62)
"""Of window, passage, subject, lead, agreement and lead by meaning."""
USUAL_AGREEMENT = 0.7
USUAL_LEAD = 1.5
"""What a library without vectors is taken to have: there its questions are judged by their words alone."""
THRESHOLD: dict[Language, float] = {"ja": 5.0, "zh": 4.7, "ko": 4.7, "en": 3.7}
NEAR = 9.0
"""Standard deviations of cosine that answer by themselves: a paraphrase may share no word."""
NEAR_FOREIGN = 2.7
"""The same across languages, where nothing but meaning can speak: one answerable Chinese question to English notes in
twenty is nearer to nothing, and .41 of those whose passage was taken out."""


def features(asked: Question, evidence: Evidence, drafted: Extract) -> Features | None:
    """What speaks for answering; None when the search brought nothing."""
    if not evidence.passages:
        return None
    nearest = max(evidence.passages, key=lambda p: p.dense_z)
    shares = evidence.shares or tuple(p.lexical_share for p in evidence.passages)
    z = () if evidence.question_vector is None else evidence.z or tuple(p.dense_z for p in evidence.passages)
    return Features(
        window=drafted.window,
        passage=drafted.passage,
        subject=drafted.subject,
        lead=lead(shares),
        agree=max(range(len(z)), key=z.__getitem__) == max(range(len(z)), key=shares.__getitem__) if z else None,
        dense_lead=dense_lead(z) if z else None,
        dense_z=nearest.dense_z if z else None,
        language=asked.language,
        foreign=not alike(language(nearest.text), asked.language),
        pinned=any(p.hit.pinned for p in evidence.passages),
    )


def judge(features: Features | None) -> Verdict:
    """The decision. None stands for a search that brought nothing."""
    if features is None:
        return Verdict(True, float("-inf"), "no passage is above the floor")
    weighed = sum(weight * value for weight, value in zip(WEIGHTS, features.vector(), strict=True))
    score = weighed - THRESHOLD[features.language]
    said = f"the closest passages say {features.window:.0%} of what is asked"
    if features.dense_z is not None:
        said += f"; by meaning they are {features.dense_z:+.1f} σ from this library's ordinary"
    if features.pinned:
        return Verdict(False, max(score, 0.0), "an identifier of the question is in the library")
    if features.dense_z is not None and features.dense_z >= (NEAR_FOREIGN if features.foreign else NEAR):
        return Verdict(False, max(score, 0.0), said)
    return Verdict(score < 0, score, said)


def lead(shares: Sequence[float]) -> float:
    """The best lexical share less the third best: whether one passage stands out.

    The second is left out, so that another copy of a document changes nothing. `shares` are BM25 scores over the most
    the question could reach, in any order; missing ranks count 0.
    """
    ranked = [*sorted(shares, reverse=True), 0.0, 0.0, 0.0]
    return ranked[0] - ranked[2]


def dense_lead(z: Sequence[float]) -> float:
    """The best standing by meaning less the mean of those on ranks 3 to 6, of a short list the mean of what there is.

    The second is left out for the same reason.
    """
    ranked = sorted(z, reverse=True)
    rest = ranked[2:6] or [0.0]
    return ranked[0] - sum(rest) / len(rest)
