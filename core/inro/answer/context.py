"""The numbered passages an answer stands on, and the text of them that a model is given.

Rule: a document is data. In the model's text its control characters are gone, what looks like a citation
or like the fence around it is defused, its exact fields are placeholders, and it stands inside a fence that
the instructions name. The stored quote is verbatim. What does not fit the model's context is cut at a
sentence's end or left out, and said.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from inro.answer.evidence import Passage
from inro.answer.orders import without_orders
from inro.answer.placeholders import Fields, spans
from inro.records import SourcePassage
from inro.text.sentences import sentences

LEAST = 48
"""Tokens of a passage below which giving a part of it is not worth it."""
JOIN = 2
"""Tokens that joining two passages may cost beyond their own."""
_CITATION = re.compile(r"[\[【［]\s*(\d{1,3}(?:\s*[,、，]\s*\d{1,3})*)\s*[\]】］]")
_FENCE = re.compile(r"<(?=\s*/?\s*passage)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Context:
    """What a model is given."""

    text: str
    """The fenced passages."""
    given: tuple[int, ...]
    """Numbers of the passages in it."""
    left_out: tuple[int, ...]
    """Numbers of those that did not fit."""
    shortened: tuple[int, ...]
    fields: Fields
    """What the placeholders in it stand for."""


def numbered(
    passages: Sequence[Passage], limit: int, nearest: int | None = None, first: int = 1
) -> tuple[SourcePassage, ...]:
    """The first `limit` passages with their numbers from `first`; the nearest by meaning is always one of them."""
    chosen = list(range(min(limit, len(passages))))
    if nearest is not None and nearest < len(passages) and nearest not in chosen and chosen:
        chosen[-1] = nearest
    return tuple(
        SourcePassage(
            n=n,
            document=passages[i].hit.document,
            path=passages[i].hit.path,
            title=passages[i].hit.title,
            heading=passages[i].hit.heading,
            page=passages[i].hit.page,
            start=passages[i].hit.start,
            end=passages[i].hit.end,
            quote=passages[i].text,
        )
        for n, i in enumerate(chosen, first)
    )


def following(passages: Sequence[Passage], shown: Sequence[SourcePassage], limit: int) -> tuple[SourcePassage, ...]:
    """The next `limit` of the same ranked passages after those shown, numbered after them."""
    places = {(s.document, s.start, s.end) for s in shown}
    rest = [p for p in passages if (p.hit.document, p.hit.start, p.hit.end) not in places]
    return numbered(rest, limit, first=len(shown) + 1)


def fit(
    sources: Sequence[SourcePassage],
    budget: int,
    count: Callable[[Sequence[str]], list[int]],
    fields: Fields | None = None,
) -> Context:
    """The passages as text for a model, in order, within a budget of its own tokens.

    Args:
        sources: what may be given, best first.
        budget: tokens.
        count: tokens of each text by the model's own tokenizer.
        fields: the placeholders of this turn so far; those of the passages are added.
    """
    fields = Fields() if fields is None else fields
    bodies = [fenced(s, fields) for s in sources]
    sizes = count(bodies) if bodies else []
    parts: list[str] = []
    given: list[int] = []
    left_out: list[int] = []
    shortened: list[int] = []
    for source, body, size in zip(sources, bodies, sizes, strict=True):
        if size + JOIN <= budget:
            parts.append(body)
            given.append(source.n)
            budget -= size + JOIN
            continue
        part = _shorten(source, budget - JOIN, count, fields) if budget >= LEAST else ""
        if part:
            parts.append(part)
            given.append(source.n)
            shortened.append(source.n)
            budget = 0
        else:
            left_out.append(source.n)
    return Context("\n".join(parts), tuple(given), tuple(left_out), tuple(shortened), fields)


def fenced(source: SourcePassage, fields: Fields, text: str | None = None) -> str:
    """One passage as the model reads it; its exact fields are added to `fields`."""
    where = " - ".join(harmless(p, fields) for p in (source.title, source.heading) if p.strip())
    body = harmless(source.quote if text is None else text, fields)
    return (
        f"<passage {source.n}>\n{where}\n{body}\n</passage>" if where else f"<passage {source.n}>\n{body}\n</passage>"
    )


def harmless(text: str, fields: Fields) -> str:
    """Document text that can neither close its fence, cite, name a placeholder, give orders nor move a cursor."""
    # after what is invisible is gone: only then is it seen what looks like a placeholder
    text = fields.hide(plain(without_orders(text)))
    # replaced, not removed: what is left after a removal may close up to a new fence
    text = _FENCE.sub("‹", text)
    return _CITATION.sub(lambda m: f"({m[1]})", text).strip()


def plain(text: str) -> str:
    """The text without control and invisible formatting characters, but for new lines and tabs."""
    return "".join(
        c for c in text.replace("\r\n", "\n") if c in "\n\t" or unicodedata.category(c) not in ("Cc", "Cf", "Cs", "Co")
    )


def _shorten(source: SourcePassage, budget: int, count: Callable[[Sequence[str]], list[int]], fields: Fields) -> str:
    """The passage's first sentences that fit, or nothing; no address is cut in two."""
    exact = spans(source.quote)
    ends = [end for _, end in sentences(source.quote) if not any(a < end < b for a, b in exact)]
    candidates = [fenced(source, fields, source.quote[:end]) for end in ends]
    fitting = [c for c, size in zip(candidates, count(candidates), strict=True) if size <= budget]
    return fitting[-1] if fitting else ""
