"""Ranking: lanes give candidates, fusion scores them, pins go first, no document takes the whole list.

Knows arrays of chunk ids; texts and titles come later, for the few that are shown.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from inro.records import Fusion, Lane, TracePart
from inro.search import floor, pin
from inro.search.cache import Snapshot
from inro.search.candidates import Candidates
from inro.search.fuse import Fused, fuse
from inro.search.likeness import Chance, Likeness
from inro.search.terms import Alternatives, QueryTerms

if TYPE_CHECKING:
    from inro.index.dense import DenseIndex
    from inro.index.lexical import Allow, LexicalIndex, LexicalQuery

DEPTH = 200
"""Candidates taken from each lane; more when a longer list is asked for."""
PIN_LIFT = 1000.0
"""Above any score a lane can give: what is pinned stays first whatever is added later."""
MOST_HOLDERS = 5000
"""Chunks looked at that hold an identifier; beyond that it singles nothing out."""


@dataclass(frozen=True, slots=True)
class Ranked:
    """One chunk in its place."""

    chunk: int
    document: int
    score: float
    trace: tuple[TracePart, ...]
    pinned: bool
    below_floor: bool
    lexical_share: float
    """Lexical score over the most the query could reach."""
    dense_z: float
    """Cosine in standard deviations above the query's ordinary; nan when the lane did not run."""


@dataclass(frozen=True, slots=True)
class Ranking:
    """A ranked list and what it came from."""

    items: tuple[Ranked, ...]
    candidates: Candidates
    nearest: int
    """The dense lane's first chunk; -1 when the lane did not run or found nothing."""


def rank(
    snapshot: Snapshot,
    terms: QueryTerms,
    identifiers: Iterable[NDArray[np.uint64]],
    vector: NDArray[np.float32] | None,
    *,
    lane: Lane,
    fusion: Fusion,
    limit: int,
    per_document: int,
    allow: NDArray[np.int64] | None = None,
) -> Ranking:
    """The best chunks.

    Args:
        snapshot: with the lanes loaded that are asked for.
        terms: the query's terms.
        identifiers: for each identifier of the query, its key in every field.
        vector: float32[d], the query's unit vector; None leaves the dense lane out.
        limit: chunks wanted.
        per_document: chunks of one document at most; pins are not counted out.
        allow: int64[m], the only chunks that may be returned.
    """
    depth = max(DEPTH, 2 * limit)
    holders = _holders(snapshot, identifiers, allow) if lane != "dense" else np.empty(0, np.int64)
    candidates, nearest = _gather(snapshot, terms, vector, holders, depth, allow)
    fused = fuse(candidates, lane, fusion)
    place = np.searchsorted(candidates.chunk_ids, holders)
    pins = pin.choose(holders, candidates.dense[place], fused.scores[place]) if holders.size else holders
    order = _order(fused, pins)
    documents = snapshot.document_of(candidates.chunk_ids)
    below = floor.below(candidates, lane)
    items: list[Ranked] = []
    taken: dict[int, int] = {}
    lifted = {int(chunk): i for i, chunk in enumerate(pins)}
    for i in order:
        chunk, document = int(candidates.chunk_ids[i]), int(documents[i])
        if document < 0 or (fused.scores[i] <= 0 and lane == "lexical"):
            continue
        if taken.get(document, 0) >= per_document:
            continue
        taken[document] = taken.get(document, 0) + 1
        item = _ranked(fused, int(i), chunk, document, bool(below[i]))
        if chunk in lifted:
            lift = PIN_LIFT + len(pins) - lifted[chunk] - item.score
            note = "holds the query's identifiers whole"
            item = replace(
                item,
                score=item.score + lift,
                trace=(*item.trace, TracePart("pin", lift, note)),
                pinned=True,
                below_floor=False,
            )
        items.append(item)
        if len(items) >= limit:
            break
    return Ranking(tuple(items), candidates, nearest)


def listed(
    snapshot: Snapshot,
    listing: NDArray[np.int64],
    *,
    limit: int,
    allow: NDArray[np.int64] | None,
) -> Ranking:
    """The first chunk of each document in the order of `listing`, for a query that asks for nothing but conditions."""
    chosen = listing if allow is None else listing[np.isin(listing, allow)]
    documents = snapshot.document_of(chosen)
    chosen, documents = chosen[documents >= 0], documents[documents >= 0]
    first = np.sort(np.unique(documents, return_index=True)[1])[:limit]
    items = tuple(Ranked(int(chosen[i]), int(documents[i]), 0.0, (), False, False, 0.0, float("nan")) for i in first)
    nothing = np.empty(0)
    return Ranking(items, Candidates(np.empty(0, np.int64), nothing, 0.0, nothing, nothing, False), -1)


def _gather(
    snapshot: Snapshot,
    terms: QueryTerms,
    vector: NDArray[np.float32] | None,
    holders: NDArray[np.int64],
    depth: int,
    allow: NDArray[np.int64] | None,
) -> tuple[Candidates, int]:
    """The union of what the lanes found, each scored by both."""
    from inro.index.lexical import LexicalQuery

    lexical, dense = snapshot.lexical, snapshot.dense
    found: list[NDArray[np.int64]] = [holders]
    best = 0.0
    if lexical is not None and len(terms):
        gate = None if allow is None else lexical.allow(allow)
        found.append(lexical.search(_together(terms), depth, gate).chunk_ids)
        best = lexical.search(LexicalQuery(terms.body, terms.body_weights), 0).best_possible
        best += sum(_best(lexical, group) for group in terms.groups)
    likeness, nearest = None, np.empty(0, np.int64)
    if dense is not None and vector is not None:
        likeness = Likeness.measure(dense, vector, snapshot.groups)
        nearest = _nearest(snapshot, dense, vector, depth, allow)
        found.append(nearest)
    union = np.unique(np.concatenate(found))
    scores, chance = np.zeros(union.size), None
    if lexical is not None and best > 0 and union.size:
        scores = _scores(lexical, terms, union, lexical.allow(union))
    cosines = np.full(union.size, np.nan)
    z = cosines.copy()
    if dense is not None and vector is not None and likeness is not None:
        writings = snapshot.writing_of(union)
        cosines[:] = dense.similarities(vector, union)
        z = likeness.z(cosines, writings)
        if lexical is not None and best > 0:
            # what the words are worth beside the meaning; a lexical lane alone does without
            gate = snapshot.sampled(lexical)
            measured = Chance.measure(lambda ids: _scores(lexical, terms, ids, gate) / best, snapshot.groups)
            chance = None if measured is None else measured.of(writings)
    candidates = Candidates(
        union,
        scores,
        best,
        cosines,
        z,
        likeness is not None,
        chance,
        tells=likeness is None or likeness.tells,
        strangers=snapshot.strangers,
    )
    return candidates, int(nearest[0]) if nearest.size else -1


def _together(terms: QueryTerms) -> LexicalQuery:
    """Everything that is looked for, as one sum: it brings the candidates, their scores are taken apart afterwards."""
    from inro.index.lexical import LexicalQuery

    if not terms.groups:
        return LexicalQuery(terms.keys, terms.weights)
    parts = [(terms.keys, terms.weights)]
    parts += [group.everywhere(i) for group in terms.groups for i in range(group.keys.size)]
    return LexicalQuery(np.concatenate([keys for keys, _ in parts]), np.concatenate([worth for _, worth in parts]))


def _best(lexical: LexicalIndex, group: Alternatives) -> float:
    """The most a body could score by one spelling of a group."""
    from inro.index.lexical import LexicalQuery

    each = (LexicalQuery(group.keys[i : i + 1], group.weights[i : i + 1]) for i in range(group.keys.size))
    return max(lexical.search(one, 0).best_possible for one in each)


def _scores(
    lexical: LexicalIndex, terms: QueryTerms, chunk_ids: NDArray[np.int64], allow: Allow
) -> NDArray[np.float64]:
    """float64[n]: the score of each of some chunks, rising ids, which `allow` lets through; of a group its best
    spelling counts."""
    from inro.index.lexical import LexicalQuery

    def of(query: LexicalQuery) -> NDArray[np.float64]:
        scores = np.zeros(chunk_ids.size)
        if query.keys.size:
            exact = lexical.search(query, chunk_ids.size, allow)
            scores[np.searchsorted(chunk_ids, exact.chunk_ids)] = exact.scores
        return scores

    scores = of(LexicalQuery(terms.keys, terms.weights))
    for group in terms.groups:
        scores += np.max([of(LexicalQuery(*group.everywhere(i))) for i in range(group.keys.size)], axis=0)
    return scores


def _nearest(
    snapshot: Snapshot,
    dense: DenseIndex,
    vector: NDArray[np.float32],
    depth: int,
    allow: NDArray[np.int64] | None,
) -> NDArray[np.int64]:
    """The nearest chunks, int64, the nearest of all first, and the nearest of each writing system.

    Without the latter a question asked in the library's main language would never meet the notes in another.
    """
    found = [dense.search(vector, depth, allow).chunk_ids]
    if len(snapshot.groups.codes) > 1:
        for members in snapshot.groups.members:
            chosen = members if allow is None else np.intersect1d(members, allow, assume_unique=True)
            if chosen.size:
                found.append(dense.search(vector, depth // 4, chosen).chunk_ids)
    return np.concatenate(found)


def _holders(
    snapshot: Snapshot, identifiers: Iterable[NDArray[np.uint64]], allow: NDArray[np.int64] | None
) -> NDArray[np.int64]:
    """The chunks that hold every identifier whole, int64 ascending; those that hold any, when none hold all."""
    from inro.index.lexical import LexicalQuery

    lexical = snapshot.lexical
    if lexical is None:
        return np.empty(0, np.int64)
    gate = None if allow is None else lexical.allow(allow)
    sets = [
        np.sort(lexical.search(LexicalQuery(keys, np.ones(keys.size, np.float32)), MOST_HOLDERS, gate).chunk_ids)
        for keys in identifiers
    ]
    sets = [one for one in sets if one.size]
    if not sets:
        return np.empty(0, np.int64)
    every = sets[0]
    for one in sets[1:]:
        every = np.intersect1d(every, one, assume_unique=True)
    return every if every.size else np.unique(np.concatenate(sets))


def _order(fused: Fused, pins: NDArray[np.int64]) -> NDArray[np.int64]:
    ids = fused.candidates.chunk_ids
    order = np.argsort(-fused.scores, kind="stable")
    if not pins.size:
        return order
    first = np.searchsorted(ids, pins)
    return np.concatenate([first, order[~np.isin(order, first)]])


def _ranked(fused: Fused, i: int, chunk: int, document: int, below_floor: bool) -> Ranked:
    candidates = fused.candidates
    return Ranked(
        chunk,
        document,
        float(fused.scores[i]),
        fused.trace(i),
        False,
        below_floor,
        float(candidates.lexical_share[i]),
        float(candidates.dense_z[i]) if candidates.dense_ran else float("nan"),
    )
