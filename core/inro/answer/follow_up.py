"""A follow-up made whole for the search: what earlier turns named is looked for beside what this one says.

Rule: for retrieval only; the question that is answered, shown and stored stays as asked. Recognition is over-eager: a
question that needed no help loses little by a few more words, one that needed it finds nothing without them. A model
may rewrite the question into a full sentence; code decides whether to believe it, and falls back on the question
followed by the names of the earlier turns.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from inro.answer.context import plain
from inro.answer.evidence import Chat, Weigh
from inro.answer.question import Language, Question, alike, language, read
from inro.answer.relevance import QueryTerms, query_terms
from inro.answer.values import values
from inro.errors import ModelError
from inro.records import Turn
from inro.text.analyse import Analyser
from inro.text.identifiers import find

SHORT: dict[Language, int] = {"en": 40, "ja": 14, "zh": 9, "ko": 14}
"""Characters up to which a question is taken to lean on what was said."""
CARRIED = 6
"""Names carried over at most."""
RECENT = 3
"""Turns back that names are carried from."""
FADE = 0.6
"""What a turn further back counts of the one after it."""
NAMED = 0.5
"""A term that weighs this part of the heaviest one of the earlier questions is a name."""
TOKENS = 96
"""Of a rewritten question at most."""

_LEANS = re.compile(
    r"\b(?:it|its|itself|they|them|their|theirs|this|that|these|those|he|she|him|her|his|hers|there|here|one|ones|"
    r"same|such|former|latter|another|others?|else|more|also|too|instead|then|again|both|either|above|previous)\b"
    r"|^\W*(?:and|but|or|so|then|ok(?:ay)?|yes|no|well|(?:what|how) about|why(?: not)?)\b"
    r"|そ(?:れ|の|こ|ちら|う|んな)|こ(?:れ|の|こ|ちら|う|んな)|あ(?:れ|の|そこ|んな)|彼女?|同じ|同様|前[者述]|後者|先ほど|さっき|上記|"
    r"^(?:では|じゃあ?|なら|で[、,]|また|ほか|他)|[ほ他]かに|もっと|もう少し|もう一|詳しく|(?:は|も)[？?]?$"
    r"|它|他们?|她|这|那|其(?!他)|该|此|上述|前者|后者|刚才|同样|还有|另外|呢[？?]?$|^(?:那么|然后|再)|更多|详细",
    re.IGNORECASE,
)
_NOT = re.compile(
    r"\b(?:not|no|never|without|cannot|nor)\b|n't\b|ない|ません|ぬ|ず(?:に)?|以外|不|没|沒|無|无|未|非", re.I
)
_GRAMMAR = 'root ::= [^\\n]{3,300} "\\n"?'


def leans(question: str, history: Sequence[Turn]) -> bool:
    """Whether a question may not be understood without what was said before."""
    if not history:
        return False
    text = question.strip()
    return len(text) <= SHORT[language(text)] or _LEANS.search(text) is not None


def names(asked: Question, history: Sequence[Turn], analyser: Analyser, weigh: Weigh) -> tuple[str, ...]:
    """What the earlier questions were about and this one does not say, most telling first, as written there."""
    said = asked.text.casefold()
    weighed: dict[str, tuple[float, str]] = {}
    for back, turn in enumerate(reversed(history[-RECENT:])):
        terms = query_terms(read(plain(turn.question)), analyser, weigh)
        for surface, weight in _surfaces(turn.question, terms):
            folded = surface.casefold()
            if folded not in said:
                value = weight * FADE**back
                weighed[folded] = max(weighed.get(folded, (0.0, surface)), (value, surface))
    ranked = sorted(weighed.values(), reverse=True)
    least = NAMED * ranked[0][0] if ranked else 0.0
    kept: list[str] = []
    for weight, surface in ranked:
        if weight >= least and len(kept) < CARRIED and not any(surface in other for other in kept):
            kept.append(surface)
    return tuple(kept)


def whole(
    asked: Question,
    history: Sequence[Turn],
    analyser: Analyser,
    weigh: Weigh,
    chat: Chat | None = None,
) -> str:
    """What to search for: the question itself unless it leans on earlier turns.

    Args:
        chat: a model that is fit to rewrite; None looks for the names alone.
    """
    if not leans(asked.text, history):
        return asked.text
    carried = names(asked, history, analyser, weigh)
    if chat is not None:
        rewritten = _rewritten(asked, history, chat)
        if rewritten and trusted(rewritten, asked, history, carried):
            return rewritten
    return " ".join((asked.text, *carried))


def trusted(rewritten: str, asked: Question, history: Sequence[Turn], carried: Sequence[str]) -> bool:
    """Whether a rewritten question says what was asked: no name lost, no negation lost or won, no new number."""
    source = "\n".join((asked.text, *(f"{t.question}\n{t.answer}" for t in history)))
    if not alike(language(rewritten), asked.language) or len(rewritten) > 4 * len(asked.text) + 120:
        return False
    if bool(_NOT.search(rewritten)) != bool(_NOT.search(asked.text)):
        return False
    known = {(n.value, n.unit) for n in values(source, liberal=True).numbers}
    own = {(n.value, n.unit) for n in asked.own.numbers}
    stated = {(n.value, n.unit) for n in values(rewritten, liberal=True).numbers}
    if not own <= stated or not stated <= known:
        return False
    keys = {i.key for i in find(rewritten, strict=True)}
    if not {i.key for i in find(asked.text, strict=True)} <= keys or not keys <= {i.key for i in find(source)}:
        return False
    folded = rewritten.casefold()
    capitals = re.findall(r"(?<!^)\b[A-Z][\w-]+", asked.text)
    if any(name.casefold() not in folded for name in capitals):
        return False
    invented = re.findall(r"(?<!^)\b[A-Z][\w-]+", rewritten)
    if any(name.casefold() not in source.casefold() for name in invented):
        return False
    # one that names nothing new has only been said again
    return not carried or any(name.casefold() in folded for name in carried)


def _rewritten(asked: Question, history: Sequence[Turn], chat: Chat) -> str:
    """The question as a model puts it; empty when it fails."""
    try:
        return "".join(chat.stream(_prompt(asked, history), TOKENS, grammar=_GRAMMAR)).strip().splitlines()[0].strip()
    except (ModelError, IndexError):
        return ""


def _prompt(asked: Question, history: Sequence[Turn]) -> list[Mapping[str, str]]:
    earlier = "\n".join(plain(turn.question) for turn in history[-RECENT:])
    return [
        {
            "role": "system",
            "content": "Rewrite the last question as one full question that can be understood alone, in its own "
            "language. Put in the names that it refers to. Keep every number, name and negation. Write the question "
            "only.",
        },
        {"role": "user", "content": f"Earlier questions:\n{earlier}\n\nLast question: {plain(asked.text)}"},
    ]


def _surfaces(text: str, terms: QueryTerms) -> list[tuple[str, float]]:
    """The terms as written with their weights, neighbours that overlap as one with the greater weight."""
    order = sorted(range(len(terms.weight)), key=lambda i: terms.span[i])
    found: list[tuple[int, int, float]] = []
    for i in order:
        (start, end), weight = terms.span[i], float(terms.weight[i])
        if not terms.known[i]:
            continue
        if found and start < found[-1][1]:
            found[-1] = (found[-1][0], max(found[-1][1], end), max(found[-1][2], weight))
        else:
            found.append((start, end, weight))
    return [(text[start:end], weight) for start, end, weight in found]
