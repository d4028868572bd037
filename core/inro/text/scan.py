"""A text folded, broken and keyed: the one reading of a text that indexing, queries and pins share.

Knows which words never name a number; knows nothing of stems or weights.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Final

import numpy as np
from numpy.typing import NDArray

from inro.records import HanFolding

if TYPE_CHECKING:
    from inro_native.folding import Folded
    from inro_native.terms import Tokens

SEPARATOR: Final = "\n\n"
"""Between two texts that are read in one go: no word, run or identifier reaches across a blank line."""

_LONERS: Final = (
    "a about above across after all also an and any are around as at average be been before behind below "
    "between both but by can circa de der die du during each el en et every exactly for from had has have "
    "he her his how if in into is it its la las least less like los most my near nearly not of off on "
    "only or other our over past per plus roughly she since some than that the their them then there "
    "these they this those through till to total toward towards und under until up upon was we were what "
    "when where which while who will with within without you your january february march april may june "
    "july august september october november december jan feb mar apr jun jul aug sep sept oct nov dec "
    "monday tuesday wednesday thursday friday saturday sunday year years month months day days age aged "
    "early late mid"
)
"""Words before a number that do not make a name with it."""


@dataclass(frozen=True, slots=True, eq=False)
class Scan:
    """One text, read."""

    folded: Folded
    points: NDArray[np.uint32]
    """uint32[n]: the folded text as keys are made from it."""
    bounds: NDArray[np.int64]
    """int64[b]: where words may begin and end."""
    tokens: Tokens


@dataclass(frozen=True, slots=True, eq=False)
class BulkScan:
    """Many texts, read in one go."""

    points: NDArray[np.uint32]
    tokens: Tokens


def scan(text: str, han: HanFolding = "none") -> Scan:
    """Read one text, keeping the way back to it."""
    from inro_native import folding, segment

    folded = folding.fold(text)
    points = folding.key_form(folded.chars, han)
    bounds = segment.bounds(folded.text)
    return Scan(folded, points, bounds, _tokens(points, bounds, np.array([points.size], np.int64)))


def scan_many(texts: Sequence[str], han: HanFolding = "none") -> BulkScan:
    """Read many texts at the price of one long one."""
    from inro_native import chars, folding, segment

    normal = [folding.normalise(text) for text in texts]
    joined = SEPARATOR.join(normal)
    points = chars.code_points(joined)
    lengths = np.fromiter(map(len, normal), np.int64, len(normal))
    ends = np.cumsum(lengths + len(SEPARATOR))
    ends[-1:] -= len(SEPARATOR)
    kept = folding.unwrap(points)
    if kept.size != points.size:
        ends = np.searchsorted(kept, ends)
        points = points[kept]
        joined = chars.string(points)
    points = folding.key_form(points, han)
    return BulkScan(points, _tokens(points, segment.bounds(joined), ends))


def spellings(points: NDArray[np.uint32], tokens: Tokens, chosen: NDArray[np.int64]) -> list[str]:
    """How each chosen term was spelt when it was hashed."""
    from inro_native import chars, terms

    spelt, offsets = terms.spell(points, chars.classes(), tokens.start[chosen], tokens.end[chosen], tokens.form[chosen])
    text = chars.string(spelt)
    places = offsets.tolist()
    return [text[a:b] for a, b in itertools.pairwise(places)]


def key(kind: int, spelling: str) -> int:
    """The key of a word, stem or identifier spelt like this, already folded."""
    from inro_native import chars, terms

    return terms.hashed_key(kind, chars.code_points(spelling))


@lru_cache(maxsize=1)
def _loners() -> NDArray[np.uint64]:
    return np.sort(np.array([key(0, word) for word in _LONERS.split()], np.uint64))


def _tokens(points: NDArray[np.uint32], bounds: NDArray[np.int64], ends: NDArray[np.int64]) -> Tokens:
    from inro_native import chars, names, spans, terms

    classes = chars.classes()
    found = spans.scan(points, classes, bounds, ends)
    return terms.tokens(points, classes, found, names.scan(points, classes, found), _loners())
