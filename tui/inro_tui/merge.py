"""The order of a result list while results still arrive.

Rule: what the reader's cursor is on, and all above it, stays where it is; better knowledge fills in below.
A list that nobody has touched takes the new order whole. Knows records only.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

from inro.records import Hit


@dataclass(frozen=True, slots=True)
class Found:
    """One row of the list: a passage, or a document whose title was typed."""

    hit: Hit
    by_title: bool = False

    @property
    def key(self) -> tuple[str, int]:
        """What makes two rows the same row, whatever their rank and score."""
        return ("document", self.hit.document) if self.by_title else ("chunk", self.hit.chunk)


def merge(shown: Sequence[Found], arriving: Sequence[Found], held: tuple[str, int] | None) -> list[Found]:
    """The list to show next.

    `held` is the key of the row under the cursor, or None while the reader has not moved there.
    """
    fresh = {found.key: found for found in arriving}
    place = next((i for i, found in enumerate(shown) if found.key == held), None) if held else None
    kept = [] if place is None else [fresh.get(found.key, found) for found in shown[: place + 1]]
    already = {found.key for found in kept}
    return kept + [found for key, found in fresh.items() if key not in already]


def titles_typed(query: str, hits: Sequence[Hit], limit: int = 3) -> list[Found]:
    """The title matches worth a row of their own: those whose title holds every word that was typed."""
    words = _fold(query).split()
    rows: list[Found] = []
    for hit in hits:
        title = _fold(hit.title)
        if words and all(word in title for word in words):
            rows.append(Found(hit, by_title=True))
    return rows[:limit]


def _fold(text: str) -> str:
    return unicodedata.normalize("NFKC", text).casefold()
