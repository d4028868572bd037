"""Running heads, feet and page numbers: lines that come back on page after page at one place.

The first of each is kept where it stands, for a heading may run only in the head; the others would come between
sentences that go on over the page. Knows lines with places.
"""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from collections.abc import Sequence

from inro.readers.layout import Line

_AT_EDGE = 3
"""How many lines from the top and from the bottom may be furniture."""
_LEAST_PAGES = 3
_MANY_PAGES = 5
_LEAST_SHARE = 0.3
"""A line is furniture on many pages, or on a few that are this share of all."""
_PLACE = 12.0
"""Points by which a running line may move."""
_NUMBER = re.compile(
    r"[\W_]*(?:(?:page|p|seite|頁|ページ|第)\s*)?(?:#+|[ivxlc]{1,7})(?:\s*(?:/|of|von|頁|ページ|页|共)*\s*#+)*\s*(?:頁|ページ|页)?[\W_]*"
)


def without_furniture(pages: Sequence[Sequence[Line]]) -> list[list[Line]]:
    """The pages with each running line kept on its first page only, and page numbers on none."""
    seen: dict[tuple[bool, str], list[tuple[int, int, float]]] = defaultdict(list)
    for number, page in enumerate(pages):
        for at, is_top in _edges(page):
            seen[is_top, _shape(page[at].text)].append((number, at, page[at].middle))
    drop: set[tuple[int, int]] = set()
    for (_, shape), places in seen.items():
        is_number = _NUMBER.fullmatch(shape) is not None
        for group in _by_place(places):
            times = len({number for number, _, _ in group})
            few = times < _LEAST_PAGES or (times < _MANY_PAGES and times < _LEAST_SHARE * len(pages))
            if times < 2 or (few and not is_number):
                continue
            drop.update((number, at) for number, at, _ in (group if is_number else group[1:]))
    kept: list[list[Line]] = []
    for number, page in enumerate(pages):
        rest = [line for at, line in enumerate(page) if (number, at) not in drop]
        # a page is never all furniture: then its lines are what it says
        kept.append(rest or list(page))
    return kept


def _edges(page: Sequence[Line]) -> list[tuple[int, bool]]:
    """The lines nearest to the top and to the bottom: (place in the page, whether at the top)."""
    order = sorted(range(len(page)), key=lambda at: page[at].middle)
    top = order[:_AT_EDGE]
    bottom = [at for at in order[-_AT_EDGE:] if at not in top]
    return [(at, True) for at in top] + [(at, False) for at in bottom]


def _shape(text: str) -> str:
    """The line with the page's number in it alike: all numbers, if nothing else is there, or one at an end."""
    folded = " ".join(unicodedata.normalize("NFKC", text).casefold().split())
    numbers = re.sub(r"\d+", "#", folded)
    return numbers if _NUMBER.fullmatch(numbers) else re.sub(r"^\d+(?=\W)|(?<=\W)\d+$", "#", folded)


def _by_place(places: list[tuple[int, int, float]]) -> list[list[tuple[int, int, float]]]:
    groups: list[list[tuple[int, int, float]]] = []
    for place in sorted(places, key=lambda p: (p[2], p[0])):
        if groups and place[2] - groups[-1][-1][2] <= _PLACE:
            groups[-1].append(place)
        else:
            groups.append([place])
    return [sorted(group) for group in groups]
