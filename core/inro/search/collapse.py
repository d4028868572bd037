"""Copies: of passages that say the same in several documents, the best-ranked stands for all.

Rule: a passage gives way only to one of another document ranked above it, and one that is pinned never does. What
counts as saying the same is told by `inro.text.sameness`; numbers and names must be equal, so rows of a table stay
apart. Knows ranked chunks and their texts; how many more to rank when some fell together is the engine's affair.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from inro.search.rank import Ranked
from inro.text.sameness import digits, same

LEAST_LENGTH = 0.7
"""Of two copies the shorter is at least so long as a share of the longer, markup counted."""


@dataclass(slots=True)
class Distinct:
    """A ranked chunk, and those below it that say the same."""

    item: Ranked
    copies: list[Ranked] = field(default_factory=list)

    def holds(self, chunk: int) -> bool:
        """Whether this stands for that chunk."""
        return any(item.chunk == chunk for item in (self.item, *self.copies))


def collapse(items: Iterable[Ranked], texts: Mapping[int, str]) -> list[Distinct]:
    """The items in their order, without copies of those before; an item whose text is not given is left out."""
    kept: list[Distinct] = []
    alike: dict[str, list[Distinct]] = {}
    for item in items:
        text = texts.get(item.chunk)
        if text is None:
            continue
        rivals = alike.setdefault(digits(text), [])
        first = next((one for one in rivals if _stands_for(one, item, text, texts)), None)
        if first is None:
            kept.append(Distinct(item))
            rivals.append(kept[-1])
        else:
            first.copies.append(item)
    return kept


def _stands_for(one: Distinct, item: Ranked, text: str, texts: Mapping[int, str]) -> bool:
    if item.pinned or one.item.document == item.document:
        return False
    rival = texts[one.item.chunk]
    shorter, longer = sorted((len(rival), len(text)))
    return shorter >= LEAST_LENGTH * longer and same(rival, text)
