"""The check of a model's text, sentence by sentence, against the passages it cites.

Rule: what fails is marked with the reason and counted; nothing is hidden and nothing is mended but one
thing: a sentence without a citation gets the one passage that plainly holds all it says. A sentence
passes when its citations exist and every number (with its unit), date, identifier, quotation and Latin
name in it stands in a cited passage, every exact field (see `placeholders`) byte for byte, and when most of
its words do, as far as both are in one script. It cannot tell a true paraphrase from a false one that uses
the passage's own words.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from inro.answer.citations import cited_sentences
from inro.answer.evidence import Weigh
from inro.answer.placeholders import Fields, Restored
from inro.answer.question import alike, language
from inro.answer.values import Values, supports, values
from inro.records import AnswerSentence, SourcePassage
from inro.text.analyse import Analyser, kind
from inro.text.identifiers import Identifier, find, whole
from inro.text.keys import BIGRAM, WORD

WORDS = 0.5
"""Part of a sentence's weighted words that must stand in its cited passages."""
ATTRIBUTE = 0.7
"""The same for a sentence that cites nothing to be given a passage."""

_QUOTED = re.compile(r"「([^「」]{2,})」|『([^『』]{2,})』|“([^“”]{2,})”|\"([^\"]{2,})\"|«([^«»]{2,})»")
_NAME = re.compile(r"(?<![.!?:\n\"'“‘(] )(?<!^)(?<![\w-])[A-Z][\w]*[a-z]\w*(?:[ -][A-Z][\w]*[a-z]\w*)*", re.UNICODE)
_ITEM = re.compile(r"^\s*(?:[-*•]|\(?\d{1,2}[.)](?=\s))\s*")


@dataclass(frozen=True, slots=True)
class _Source:
    """A passage made ready for looking things up in it."""

    n: int
    folded: str
    values: Values
    identifiers: frozenset[int]
    keys: frozenset[int]
    text: str
    verbatim: str
    """All of it that the model was given, as it stands in the store."""


class Checker:
    """Checks sentences against one set of numbered passages."""

    def __init__(
        self,
        sources: Sequence[SourcePassage],
        analyser: Analyser,
        weigh: Weigh,
        question: str = "",
        fields: Fields | None = None,
    ) -> None:
        """
        Args:
            question: names in it may be said again without standing in a passage.
            fields: what the placeholders in the model's text stand for.
        """
        self._fields = Fields() if fields is None else fields
        self._analyser = analyser
        self._weigh = weigh
        self._sources = {s.n: self._ready(s) for s in sources}
        self._question = _fold(question)

    def check(self, text: str) -> tuple[AnswerSentence, ...]:
        """The sentences of a model's text, in order, its placeholders filled in, with what was found."""
        # parted and rid of its marks before an address with a full stop or a bracket in it is put there
        return tuple(self.sentence(s, c) for s, c in cited_sentences(text))

    def sentence(self, said: str, citations: tuple[int, ...]) -> AnswerSentence:
        """One sentence, its marks taken out, with the numbers it cites."""
        filled = self._fields.restore(_ITEM.sub("", said))
        text = filled.text
        missing = [n for n in citations if n not in self._sources]
        problems = [f"cites [{n}], which is not among the passages" for n in missing]
        problems += [f"{name} stands for no address of the passages" for name in filled.invented]
        cited = [self._sources[n] for n in citations if n in self._sources]
        if not citations:
            holder = None if problems else self._holder(filled)
            if holder is None:
                return AnswerSentence(text, (), False, ("no citation", *problems, *self._untraceable(filled)))
            return AnswerSentence(text, (holder.n,), True)
        if cited:
            problems += self._problems(filled, cited)
        return AnswerSentence(text, citations, not problems, tuple(problems))

    def _holder(self, filled: Restored) -> _Source | None:
        """The one passage that plainly holds all the sentence says."""
        text = _without_fields(filled)
        shares = [(self._held(text, [s]), s) for s in self._sources.values() if not self._problems(filled, [s])]
        best = max(shares, key=lambda pair: pair[0], default=None)
        return best[1] if best is not None and best[0] >= ATTRIBUTE else None

    def _untraceable(self, filled: Restored) -> list[str]:
        """What the sentence claims that stands in no passage at all."""
        everything = list(self._sources.values())
        text = _without_fields(filled)
        return [*_exact(filled, everything), *_values(text, everything), *_identifiers(text, everything)]

    def _problems(self, filled: Restored, cited: list[_Source]) -> list[str]:
        text = _without_fields(filled)
        problems = [
            *_exact(filled, cited),
            *_values(text, cited),
            *_identifiers(text, cited),
            *self._quotes(text, cited),
        ]
        same = [s for s in cited if alike(language(text), language(s.text))]
        if not same:
            return problems
        problems += self._names(text, same)
        if len(same) == len(cited) and not problems and self._held(text, cited) < WORDS:
            problems.append("says more than the cited passage" + ("s" if len(cited) > 1 else ""))
        return problems

    def _names(self, text: str, cited: list[_Source]) -> list[str]:
        found = []
        for m in _NAME.finditer(text):
            name = _fold(m.group())
            if not any(_begins(m.group(), s.verbatim) for s in cited) and name not in self._question:
                found.append(f"the name {m.group()} is not in {_marks(cited)}")
        return found

    def _quotes(self, text: str, cited: list[_Source]) -> list[str]:
        found = []
        for m in _QUOTED.finditer(text):
            quote = next(g for g in m.groups() if g)
            folded = _fold(quote)
            if any(folded in s.folded for s in cited):
                continue
            elsewhere = [s for s in self._sources.values() if folded in s.folded]
            keys = set(self._analyser.terms(quote).keys.tolist())
            if elsewhere:
                found.append(f"the quotation is from {_marks(elsewhere)}, not from {_marks(cited)}: {m.group()}")
            elif any(keys <= s.keys for s in cited):
                found.append(f"the quotation is put together from pieces of {_marks(cited)}: {m.group()}")
            else:
                found.append(f"the quotation is not in {_marks(cited)}: {m.group()}")
        return found

    def _held(self, text: str, cited: list[_Source]) -> float:
        """The weighted share of the sentence's words that stand in the cited passages; 1 if it has none."""
        keys, worth = self._analyser.terms(text).asked()
        wanted = (kind(keys) == WORD) | (kind(keys) == BIGRAM)
        keys, worth = keys[wanted], worth[wanted]
        if not len(keys):
            return 1.0
        weight = worth.astype(np.float64) * np.maximum(self._weigh(keys), 0.0)
        stems = self._stems(text)
        all_keys = frozenset().union(*(s.keys for s in cited))
        held = np.fromiter(
            (k in all_keys or bool(stems.get(k, set()) & all_keys) for k in keys.tolist()), np.bool_, len(keys)
        )
        total = float(weight.sum())
        return float(weight[held].sum()) / total if total > 0 else 1.0

    def _stems(self, text: str) -> dict[int, set[int]]:
        """For each word of the text its other forms, by the place they share."""
        terms = self._analyser.query(text)
        places: dict[tuple[int, int], set[int]] = {}
        for k, start, end in zip(terms.keys.tolist(), terms.start.tolist(), terms.end.tolist(), strict=True):
            places.setdefault((start, end), set()).add(k)
        return {k: forms for forms in places.values() for k in forms}

    def _ready(self, source: SourcePassage) -> _Source:
        text = "\n".join((source.title, source.heading, source.path, source.quote))
        return _Source(
            source.n,
            _fold(text),
            values(text, liberal=True),
            frozenset(i.key for i in find(text)),
            frozenset(self._analyser.terms(text).keys.tolist()),
            source.quote,
            text,
        )


def untraceable(sentences: Sequence[AnswerSentence]) -> int:
    """How many sentences failed the check."""
    return sum(not s.supported for s in sentences)


def _exact(filled: Restored, cited: list[_Source]) -> list[str]:
    return [f"{f} is not in {_marks(cited)}" for f in filled.fields if not any(f in s.verbatim for s in cited)]


def _without_fields(filled: Restored) -> str:
    """The sentence with a sign for each exact field, whose own letters and digits were compared as a whole."""
    text = filled.text
    for field in sorted(filled.fields, key=len, reverse=True):
        text = text.replace(field, "\ufffc")
    return text


def _values(text: str, cited: list[_Source]) -> list[str]:
    masked = _mask(text, [(i.start, i.end) for i in _named(text)])
    found = values(masked)
    return [
        f"{claim.text.strip()} is not in {_marks(cited)}"
        for claim in found.all
        if not any(supports(claim, s.values) for s in cited)
    ]


def _identifiers(text: str, cited: list[_Source]) -> list[str]:
    return [f"{i.text} is not in {_marks(cited)}" for i in _named(text) if not any(_holds(s, i, text) for s in cited)]


def _holds(source: _Source, identifier: Identifier, text: str) -> bool:
    """Whether a source has the identifier in any spelling.

    `Batch S-1041` is there when `S-1041` is, `A21/A22` when both are, and `S-104` is not there for `S-1041`.
    """
    if identifier.key in source.identifiers or _stands(identifier.text, source.verbatim):
        return True
    listed = identifier.text.split("/")
    if len(listed) > 1 and all(_stands(part, source.verbatim) for part in listed):
        return True
    code = [
        i
        for i in find(text, strict=True)
        if i.end == identifier.end
        and i.start > identifier.start
        # words may stand before a code, another code of a list may not
        and not any(c.isdigit() for c in text[identifier.start : i.start])
    ]
    return any(i.form == "code" and i.key in source.identifiers for i in code)


def _stands(name: str, text: str) -> bool:
    """Whether a text has a name as a whole, width, case and the kind of white space aside."""
    return re.search(rf"(?<![a-z0-9]){re.escape(_spaced(name))}(?![a-z0-9])", _spaced(text)) is not None


def _begins(name: str, text: str) -> bool:
    """The same, but that letters may follow: `Roman` is there when `Romans` is, and `Stan` is not for `Constance`."""
    return re.search(rf"(?<![a-z0-9]){re.escape(_spaced(name))}", _spaced(text)) is not None


def _named(text: str) -> list[Identifier]:
    """The identifiers that must stand as they are; what is a quantity or a date is compared as a value

    instead.
    """
    return [i for i in whole(find(text, strict=True)) if _is_name(i)]


def _is_name(identifier: Identifier) -> bool:
    if identifier.form == "designation":
        # `Figure 3` and `ISO 9408` name a thing, `used 25` does not
        return identifier.text[:1].isupper()
    if identifier.form == "numeric":
        return len(re.findall(r"[0-9]+", identifier.text)) >= 3 and not values(identifier.text).dates
    return not any(n.end - n.start == len(identifier.text) for n in values(identifier.text).numbers)


def _mask(text: str, spans: Sequence[tuple[int, int]]) -> str:
    for start, end in spans:
        text = text[:start] + "\ufffc" * (end - start) + text[end:]
    return text


def _marks(sources: Sequence[_Source]) -> str:
    return "".join(f"[{s.n}]" for s in sources)


@lru_cache(maxsize=64)
def _spaced(text: str) -> str:
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())


def _fold(text: str) -> str:
    return "".join(unicodedata.normalize("NFKC", text).casefold().split())
