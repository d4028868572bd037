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

from inro.answer.question import Language


@dataclass(frozen=True, slots=True)
class Features:
    """What is known about the evidence before anything is generated."""

    window: float
    """Best share of the question's terms held by two neighbouring sentences with their title, in [0, 1]."""
    lead: float
    """How far the best passage stands out by its words, see `lead`."""
    dense_z: float | None
    """The nearest passage's cosine in standard deviations above the library's ordinary; None without vectors."""
    language: Language
    """Of the question."""
    foreign: bool
    """That passage is in another language than the question, so that words cannot tell."""
    pinned: bool
    """An identifier of the question is in a passage as a whole."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """Answer or refuse, and why in words."""

    refuse: bool
    score: float
    """Log odds that the library answers, the threshold taken off."""
    reason: str


# Fitted where half of the questions had their passage taken out of the library. The weights come out alike in Japanese,
# Chinese and English; the threshold does not, since an English question paraphrases more than a Japanese one. Each lets
# one answerable question in twenty be refused; of the others .78 in Japanese, .90 in Chinese, .72 in English are.
WINDOW = 5.7
LEAD = 9.5
DENSE = 0.11
ORDINARY_Z = 4.5
"""Standard deviations that the nearest passage reaches whether or not it answers."""
THRESHOLD: dict[Language, float] = {"ja": 4.5, "zh": 4.0, "ko": 4.0, "en": 3.0}
NEAR = 7.5
"""Standard deviations of cosine that answer by themselves: a paraphrase may share no word."""
NEAR_FOREIGN = 3.0
"""The same across languages, where nothing but meaning can speak."""


def judge(features: Features | None) -> Verdict:
    """The decision. None stands for a search that brought nothing."""
    if features is None:
        return Verdict(True, float("-inf"), "no passage is above the floor")
    z = ORDINARY_Z if features.dense_z is None else features.dense_z
    weighed = WINDOW * features.window + LEAD * features.lead + DENSE * (z - ORDINARY_Z)
    score = weighed - THRESHOLD[features.language]
    said = f"the closest passages say {features.window:.0%} of what is asked"
    if features.dense_z is not None:
        said += f"; by meaning they are {z:+.1f} σ from this library's ordinary"
    if features.pinned:
        return Verdict(False, max(score, 0.0), "an identifier of the question is in the library")
    if features.dense_z is not None and z >= (NEAR_FOREIGN if features.foreign else NEAR):
        return Verdict(False, max(score, 0.0), said)
    return Verdict(score < 0, score, said)


def lead(shares: Sequence[float]) -> float:
    """The best lexical share less the mean of those on ranks 3 to 6: whether one passage stands out.

    Rank 2 is left out, so that a second copy of a document changes nothing. `shares` are BM25 scores over the most
    the question could reach, in any order; missing ranks count 0.
    """
    ranked = [*sorted(shares, reverse=True), *[0.0] * 6][:6]
    return ranked[0] - sum(ranked[2:6]) / 4
