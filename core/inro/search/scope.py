"""Scope: the only chunks a query may find, settled before any lane ranks anything.

Filters come first, from the tables; then phrases, whose candidates are the chunks that hold all their terms and whose
stored texts are read to be sure; then exclusions. A chunk says what its text, its title or one of its headings says.
A set so large that reading it would take seconds is read in part, in the order of the words' own rank, and a hint says
so: what was not read counts as holding an excluded phrase and as not holding a wanted one.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from inro.search.cache import Lease, Scope, Snapshot
from inro.search.phrase import Phrase
from inro.search.query import Query
from inro.search.terms import QueryTerms
from inro.store import filters

if TYPE_CHECKING:
    from inro.index.lexical import LexicalIndex

ENOUGH = 300
"""Chunks with a phrase after which no more are read: more than any list shows."""
MOST_READ = 2000
"""Chunks read to learn which of them hold an excluded phrase."""
_AT_ONCE = 150
REMEMBERED = 16
"""Sets of conditions whose chunks are kept: they stay while the words beside them are typed."""
_RAREST = 8
"""Terms of a phrase that narrow its candidates; the texts settle the rest."""


def settle(snapshot: Snapshot, lease: Lease, query: Query, terms: QueryTerms) -> Scope:
    """The chunks a query may find, remembered while its conditions stay the same; `terms` are what will rank them.

    Raises:
        LibraryError: the file cannot be read.
    """
    conditions = (query.filters, query.phrases, query.excluded, _is_strict(query))
    known = snapshot.scopes.get(conditions)
    if known is not None:
        return known
    settled = _settle(snapshot, lease, query, terms)
    if settled.whole:
        if len(snapshot.scopes) >= REMEMBERED:
            snapshot.scopes.clear()
        snapshot.scopes[conditions] = settled
    return settled


def _settle(snapshot: Snapshot, lease: Lease, query: Query, terms: QueryTerms) -> Scope:
    lexical = snapshot.lexical
    allow: NDArray[np.int64] | None = None
    hints: list[str] = []
    whole = True
    if query.filters:
        passed = filters.allowed(lease(), query.filters)
        allow = passed.chunk_ids
        hints.extend(passed.hints)
    if lexical is None:
        return Scope(allow, tuple(hints))
    search = _Search(snapshot, lexical, lease, terms)
    for text in query.phrases:
        if allow is not None and not allow.size:
            break
        phrase = Phrase.of(snapshot.analyser, text)
        if not phrase.any_keys.size:
            hints.append(f"“{text}” has no letters or digits to look for: not required")
            continue
        said, unread = search.saying(phrase, allow)
        if not said.size and not _is_strict(query):
            # a question that quotes is still a question: words the quotation misremembers must not empty it
            hints.append(f"no chunk says “{text}”: searched by its words")
            continue
        allow = said
        if not said.size:
            hints.append(f"no chunk says “{text}”")
        if unread:
            hints.append(f"“{text}” is in very many chunks: the best {allow.size} of them are searched")
            whole = False
    for text in query.excluded:
        if allow is not None and not allow.size:
            break
        out, unread = search.excluded(Phrase.of(snapshot.analyser, text), allow)
        if unread:
            hints.append(f"“{text}” may be in very many chunks: {unread} that hold its words are left out unread")
            whole = False
        if out.size:
            allow = np.setdiff1d(snapshot.chunk_ids if allow is None else allow, out, assume_unique=True)
            if not allow.size:
                hints.append(f"every chunk left holds “{text}”")
    return Scope(allow, tuple(hints), whole)


def _is_strict(query: Query) -> bool:
    """Whether a phrase that nothing says leaves nothing: it stands alone and is no whole question put in quotes."""
    alone = query.text == " ".join(query.phrases)
    return alone and not any(phrase.rstrip().endswith(("?", "？")) for phrase in query.phrases)


def holders(
    lexical: LexicalIndex, keys: NDArray[np.uint64], allow: NDArray[np.int64] | None = None
) -> NDArray[np.int64]:
    """The chunks whose body holds every key, int64[n] rising; none for no keys."""
    from inro.index.lexical import LexicalQuery

    frequency = lexical.document_frequency(keys)
    if not keys.size or not frequency.all():
        return np.empty(0, np.int64)
    for place in np.argsort(frequency, kind="stable")[:_RAREST]:
        one = LexicalQuery(keys[place : place + 1], np.ones(1, np.float32))
        gate = None if allow is None else lexical.allow(allow)
        most = int(frequency[place]) if allow is None else min(int(frequency[place]), allow.size)
        allow = np.sort(lexical.search(one, most, gate).chunk_ids)
        if not allow.size:
            break
    assert allow is not None
    return allow


@dataclass(frozen=True, slots=True, eq=False)
class _Search:
    """Looks for phrases in one library for one query."""

    snapshot: Snapshot
    lexical: LexicalIndex
    lease: Lease
    terms: QueryTerms

    def saying(self, phrase: Phrase, allow: NDArray[np.int64] | None) -> tuple[NDArray[np.int64], int]:
        """The chunks that say a phrase, int64[n] rising, and how many that may were not read."""
        if phrase.is_a_term:
            return holders(self.lexical, phrase.keys, allow), 0
        candidates = self._candidates(phrase, allow)
        found: list[NDArray[np.int64]] = [np.empty(0, np.int64)]
        kept = unread = 0
        for said, rest in self._read(phrase, candidates):
            found.append(said)
            kept += said.size
            if kept >= ENOUGH and rest:
                unread = rest
                break
        return np.sort(np.concatenate(found)), unread

    def excluded(self, phrase: Phrase, allow: NDArray[np.int64] | None) -> tuple[NDArray[np.int64], int]:
        """The chunks that hold an excluded word or phrase, int64[n] rising, and how many of them were not read."""
        if phrase.whole.size:
            # a single word or identifier is what the index knows for certain
            every = [holders(self.lexical, phrase.whole[i : i + 1], allow) for i in range(phrase.whole.size)]
            return np.unique(np.concatenate(every)), 0
        if phrase.is_a_term:
            return holders(self.lexical, phrase.keys, allow), 0
        if not phrase.any_keys.size:
            return np.empty(0, np.int64), 0
        candidates = self._candidates(phrase, allow)
        unread = candidates[MOST_READ:]
        said = [one for one, _ in self._read(phrase, candidates[:MOST_READ])]
        return np.unique(np.concatenate([unread, *said])), unread.size

    def _candidates(self, phrase: Phrase, allow: NDArray[np.int64] | None) -> NDArray[np.int64]:
        """The chunks that may say a phrase, int64[n], in the order in which the query's words rank them."""
        from inro.index.lexical import LexicalQuery

        if phrase.keys.size:
            allow = holders(self.lexical, phrase.keys, allow)
            if not allow.size:
                return allow
        # the phrase's own terms are asked besides: a query in another lane or an exclusion has none
        own = LexicalQuery(
            np.concatenate([self.terms.keys, phrase.any_keys]),
            np.concatenate([self.terms.weights, np.full(phrase.any_keys.size, 0.1, np.float32)]),
        )
        gate = None if allow is None else self.lexical.allow(allow)
        most = self.lexical.chunks if allow is None else allow.size
        found = self.lexical.search(own, most, gate).chunk_ids
        return found if allow is not None else found[np.isin(found, self._any(phrase))]

    def _any(self, phrase: Phrase) -> NDArray[np.int64]:
        """The chunks with any term of a phrase, int64[n]."""
        from inro.index.lexical import LexicalQuery

        asked = LexicalQuery(phrase.any_keys, np.ones(phrase.any_keys.size, np.float32))
        return self.lexical.search(asked, self.lexical.chunks).chunk_ids

    def _read(self, phrase: Phrase, candidates: NDArray[np.int64]) -> Iterator[tuple[NDArray[np.int64], int]]:
        """By batches, the candidates that say the phrase, and how many are still unread."""
        for begin in range(0, candidates.size, _AT_ONCE):
            # neighbours lie together
            some = np.sort(candidates[begin : begin + _AT_ONCE]).tolist()
            said = [
                chunk.id
                for chunk in self.snapshot.fetch(self.lease, some).values()
                if any(phrase.within(part) for part in (chunk.text, chunk.title, *chunk.heading))
            ]
            yield np.array(said, np.int64), max(0, candidates.size - begin - _AT_ONCE)
