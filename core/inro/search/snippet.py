"""Snippets: the slice of a chunk that shows why it was found, with the matched spans marked.

A snippet is always a verbatim slice, so that its place in the document is exact. Beside it stands what a person reads
of it, which is without the marks where the document is Markdown.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Mapping, Sequence
from functools import lru_cache
from itertools import accumulate
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from inro.records import Span
from inro.text import unmark
from inro.text.keys import CHARACTER, kind
from inro.text.sentences import sentences

if TYPE_CHECKING:
    from inro.text.analyse import Analyser
    from inro.text.keys import Terms

WIDTH = 200
"""Cells a snippet may take: wide characters count two."""


def of(analyser: Analyser, text: str, keys: Mapping[int, float]) -> tuple[int, str, tuple[Span, ...]]:
    """Where in `text` the snippet begins, the snippet, and the matched spans inside it.

    Args:
        text: the chunk's text.
        keys: the query's term keys and what a match of each is worth.
    """
    (start, end), marks = cut(text, matches(analyser, text, keys), _read(analyser, text)[1])
    return start, text[start:end], marks


def shown(reader: str, text: str, window: Span, highlights: Sequence[Span]) -> tuple[str, tuple[Span, ...]]:
    """What a person reads of a snippet, and the matched spans in that.

    Args:
        reader: what read the document, which says whether it is Markdown.
        text: the chunk's text, for a mark may begin before the snippet.
        window: the snippet's span in it.
        highlights: matched spans inside the snippet.
    """
    start, end = window
    if reader.partition("/")[0] != "markdown":
        return text[start:end], tuple(highlights)
    read, spans = unmark.shown(text, unmark.marks(text), start, end, highlights)
    return read, tuple(spans)


@lru_cache(maxsize=256)
def _read(analyser: Analyser, text: str) -> tuple[Terms, list[Span]]:
    """A text's terms and sentences: the next keystroke mostly shows the same texts."""
    return analyser.terms(text), sentences(text)


def matches(analyser: Analyser, text: str, keys: Mapping[int, float]) -> list[tuple[Span, float]]:
    """The spans of `text` whose term is one of `keys`, with each term's worth, in order.

    A single character counts only where nothing longer of the query is in the text at all: in a Japanese
    question every particle is such a character, and marking them all would mark nothing.
    """
    terms, _ = _read(analyser, text)
    found = np.flatnonzero(np.isin(terms.keys, np.fromiter(keys, np.uint64, len(keys))))
    if not found.size:
        return []
    long = found[kind(terms.keys[found]) != CHARACTER]
    return [
        ((int(terms.start[i]), int(terms.end[i])), keys[int(terms.keys[i])]) for i in (long if long.size else found)
    ]


def merge(spans: list[Span]) -> tuple[Span, ...]:
    """Overlapping and touching spans made one."""
    merged: list[Span] = []
    for start, end in sorted(spans):
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return tuple(merged)


def cut(text: str, found: list[tuple[Span, float]], boundaries: list[Span]) -> tuple[Span, tuple[Span, ...]]:
    """The window of `text` to show, and the matched spans relative to it.

    The window is the run of whole sentences (`boundaries`, in order) that gathers most distinct evidence
    within `WIDTH` cells; a sentence wider than that is cut around its matches.
    """
    if not text.strip():
        return (0, 0), ()
    sentences = boundaries or [(0, len(text))]
    upto = _cells_upto(text)
    weight = [0.0] * len(sentences)
    starts = [start for start, _ in sentences]
    seen: set[str] = set()
    for (start, end), value in found:
        at = max(0, bisect_right(starts, start) - 1)
        # The second sight of the same words says little more than the first.
        word = text[start:end]
        weight[at] += value if word not in seen else 0.1 * value
        seen.add(word)
    best = max(range(len(sentences)), key=lambda i: weight[i])
    first = last = best
    start, end = sentences[best]
    if upto[end] - upto[start] > WIDTH:
        start, end = _around(upto, start, end, [span for span, _ in found if start <= span[0] < end])
    else:
        while True:
            grown = [
                (weight[i], i)
                for i in (first - 1, last + 1)
                if 0 <= i < len(sentences)
                and upto[sentences[max(i, last)][1]] - upto[sentences[min(i, first)][0]] <= WIDTH
            ]
            if not grown:
                break
            _, i = max(grown, key=lambda pair: (pair[0], pair[1]))
            first, last = min(first, i), max(last, i)
        start, end = sentences[first][0], sentences[last][1]
    inside = [(max(s, start) - start, min(e, end) - start) for (s, e), _ in found if s < end and e > start]
    return (start, end), merge(inside)


def _around(upto: Sequence[int], start: int, end: int, spans: list[Span]) -> Span:
    """At most `WIDTH` cells of a text from `start` to `end`, beginning a little before the densest matches."""
    if not spans:
        return start, _fill(upto, start, end, WIDTH)
    starts = [s for s, _ in spans]
    lead = WIDTH // 5
    candidates = ((bisect_left(starts, _fill(upto, s, end, WIDTH - lead)) - i, -i, s) for i, s in enumerate(starts))
    _, _, at = max(candidates)
    left = max(start, bisect_right(upto, upto[at] - lead) - 1)
    return left, _fill(upto, left, end, WIDTH)


def _fill(upto: Sequence[int], start: int, end: int, width: int) -> int:
    """Where the text from `start` has taken at most `width` cells."""
    return min(end, bisect_right(upto, upto[start] + width) - 1)


def cells(text: str) -> int:
    """About how many terminal cells `text` takes; East Asian wide characters take two."""
    return _cells_upto(text)[-1]


def _cells_upto(text: str) -> Sequence[int]:
    """The cells of `text[:i]` for every i up to its length."""
    if text.isascii():
        return range(len(text) + 1)
    return list(accumulate(_widths()[_points(text)].tolist(), initial=0))


def _points(text: str) -> NDArray[np.uint32]:
    from inro_native import chars

    return chars.code_points(text)


@lru_cache(maxsize=1)
def _widths() -> NDArray[np.uint8]:
    """uint8[0x110000]: the cells of every code point."""
    from inro_native import chars

    return np.where(chars.having("[[:ea=W:][:ea=F:]]"), 2, 1).astype(np.uint8)
