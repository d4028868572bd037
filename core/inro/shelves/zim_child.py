"""The child that reads a ZIM file; started by `inro.shelves.zim`, never imported by it.

Rule: the file is a stranger's and its library is native code, so it is opened here and nowhere else. It finds articles
by the file's own full-text index and hands out their bytes; what they say is read by the parent.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np

from inro.workers.protocol import Frame
from inro.workers.serve import Reply, serve, text, texts, whole

LARGEST = 4 * 1024 * 1024
"""Bytes of an article at most; a longer one is passed over."""


class ZimService:
    """The operations of the child: `open`, `find`, `sample`."""

    def __init__(self) -> None:
        self._archive: Any = None

    def open(self, request: Frame, cancelled: Callable[[], bool]) -> Iterable[Reply]:
        """One reply: how many entries there are, and whether the file can be searched."""
        from libzim.reader import Archive

        self._archive = Archive(text(request.header, "path"))
        yield {"entries": self._archive.entry_count, "searchable": bool(self._archive.has_fulltext_index)}, ()

    def find(self, request: Frame, cancelled: Callable[[], bool]) -> Iterable[Reply]:
        """A reply for each article, best first: path and title, and its bytes as uint8[n].

        `texts` are queries, all of whose words an article must hold; an article counts for each that finds it.
        """
        if self._archive is None:
            raise ValueError("no file is open")
        limit = whole(request.header, "limit")
        votes: dict[str, float] = {}
        for query in texts(request.header):
            if cancelled():
                return
            for place, path in enumerate(self._matching(query, limit)):
                votes[path] = votes.get(path, 0.0) + 1 / (1 + place)
        for path in sorted(votes, key=lambda one: -votes[one])[:limit]:
            yield from self._handed(self._archive.get_entry_by_path(path))

    def sample(self, request: Frame, cancelled: Callable[[], bool]) -> Iterable[Reply]:
        """Replies as of `find`, for so many entries at even distances: the same ones each time."""
        if self._archive is None:
            raise ValueError("no file is open")
        count, limit = self._archive.all_entry_count, whole(request.header, "limit")
        for number in sorted({place * count // limit for place in range(limit)}) if count else ():
            if cancelled():
                return
            yield from self._handed(self._archive._get_entry_by_id(number))

    def _handed(self, entry: Any) -> Iterator[Reply]:
        item = entry.get_item()
        if item.size <= LARGEST and item.mimetype.startswith(("text/html", "application/xhtml")):
            yield {"path": item.path, "title": item.title}, (np.frombuffer(bytes(item.content), np.uint8),)

    def _matching(self, query: str, limit: int) -> Iterator[str]:
        from libzim.search import Query, Searcher

        search = Searcher(self._archive).search(Query().set_query(query))
        yield from search.getResults(0, min(limit, search.getEstimatedMatches()))


if __name__ == "__main__":
    service = ZimService()
    serve({"open": service.open, "find": service.find, "sample": service.sample})
