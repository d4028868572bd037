"""A search told in stages: by words at once, by meaning when it is there, and nothing under the cursor moves.

Rule: all results but the last are partial. When meaning is late the words are told again, with the hint that says so,
and the whole once it is there. Knows results, not how they are made.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from dataclasses import replace
from typing import Literal, TypeAlias

from inro.records import Hit, Lane, SearchResult
from inro.search.place import keep_place

LONGEST_WAIT_MS = 300_000
"""A model that has not answered by then has hung, and its worker ends it."""

Search: TypeAlias = Callable[[Lane, int | None], SearchResult]
"""A search by a lane, waiting so many milliseconds for the meaning of the query; as set if None."""


class Stream(Iterator[SearchResult]):
    """The results of a search as they come, at least two; each is made when it is asked for.

    A stage that fails raises its error, and the next one may still be asked for.
    """

    def __init__(self, search: Search, deadline_ms: int | None, held: Callable[[], int | None]) -> None:
        """
        Args:
            deadline_ms: how long meaning is waited for before the words are told again.
            held: the chunk of the hit that the reader is at, asked before each later result.
        """
        self._search = search
        self._wait = deadline_ms
        self._held = held
        self._shown: tuple[Hit, ...] = ()
        self._stage: Literal["words", "meaning", "over"] = "words"

    def __next__(self) -> SearchResult:
        if self._stage == "over":
            raise StopIteration
        if self._stage == "words":
            self._stage = "meaning"
            words = replace(self._search("lexical", None), lane="hybrid", partial=True)
            self._shown = words.hits
            return words
        self._stage = "over"
        found = self._search("hybrid", self._wait)
        hits = keep_place(self._shown, found.hits, self._held(), hit_keys)
        self._shown = tuple(replace(hit, rank=rank) for rank, hit in enumerate(hits, start=1))
        if found.partial:
            self._stage, self._wait = "meaning", LONGEST_WAIT_MS
        return replace(found, hits=self._shown)


def hit_keys(hit: Hit) -> tuple[Hashable, ...]:
    """What a hit is known by: its chunk, then those it stands for."""
    return (hit.chunk, *(copy.chunk for copy in hit.also_in))
