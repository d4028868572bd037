"""The rows of a result list while results still arrive: passages, and documents whose title was typed.

Which row stays where is told by `inro.search.place`. Knows records only.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

from inro.records import Hit
from inro.search.place import keep_place


@dataclass(frozen=True, slots=True)
class Found:
    """One row of the list: a passage, or a document whose title was typed."""

    hit: Hit
    by_title: bool = False

    @property
    def key(self) -> tuple[str, int]:
        """What makes two rows the same row, whatever their rank and score."""
        return ("document", self.hit.document) if self.by_title else ("chunk", self.hit.chunk)

    @property
    def keys(self) -> tuple[tuple[str, int], ...]:
        """Its key, then those of the passages it stands for."""
        return (self.key, *(("chunk", copy.chunk) for copy in self.hit.also_in))


def merge(shown: Sequence[Found], arriving: Sequence[Found], held: tuple[str, int] | None) -> list[Found]:
    """The list to show next.

    `held` is the key of the row under the cursor, or None while the reader has not moved there.
    """
    return keep_place(shown, arriving, held, lambda found: found.keys)


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
