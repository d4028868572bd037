"""From a stored document to a page on the screen: cleaned text, passage, marks, headings."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from inro.records import DocumentView, Hit, SourcePassage
from inro_tui.sanitise import Cleaned, clean_mapped
from inro_tui.widgets.document import Page
from inro_tui.wrap import Span

_MOST_MARKS = 2000


@dataclass(frozen=True)
class Place:
    """Where in the library a reader is sent."""

    document: int
    title: str
    start: int | None = None
    end: int | None = None
    """The passage, as a span of the stored text; None for the document as a whole."""
    words: tuple[str, ...] = field(default=())
    """What was matched, as it stands in the text: every occurrence is marked."""
    mark_passage: bool = False
    """The passage itself is the mark: a citation."""


def place_of_title(hit: Hit, query: str) -> Place:
    """The place of a document found by its title: all of it, with what was typed marked."""
    words = sorted(query.split(), key=lambda word: (-len(word), word))
    return Place(hit.document, hit.title, words=tuple(words))


def place_of_hit(hit: Hit) -> Place:
    """The place of a search result."""
    surfaces = {hit.snippet[start:end] for start, end in hit.highlights}
    # Longest first, so that a word wins over the pieces it was also matched by.
    words = tuple(sorted((word for word in surfaces if word.strip()), key=lambda word: (-len(word), word)))
    return Place(hit.document, hit.title, hit.start, hit.end, words)


def place_of_source(source: SourcePassage) -> Place:
    """The place of a numbered source."""
    return Place(source.document, source.title, source.start, source.end, mark_passage=True)


def shelf_page(source: SourcePassage, where: str) -> tuple[Place, DocumentView]:
    """A passage on a shelf as a page of its own, since the library has no document of it.

    Args:
        where: what says that it is on a shelf, with `{shelf}` in it.
    """
    title = f"{source.mark} {source.title}"
    view = DocumentView(
        document=source.document,
        path=source.path,
        absolute="",
        title=f"{title}  {where.format(shelf=source.shelf)}",
        text=source.quote,
        chars=len(source.quote),
        outcome="ok",
        reason="",
        fields={},
        tags=(),
        headings=(),
    )
    return Place(source.document, title, 0, len(source.quote), mark_passage=True), view


def page_of(view: DocumentView, place: Place) -> tuple[Page, Cleaned]:
    """A document as a page opened at a place, and the way between its offsets and the stored text's."""
    cleaned = clean_mapped(view.text)
    passage = None
    if place.start is not None and place.end is not None:
        passage = cleaned.span(place.start, place.end)
    if place.mark_passage and passage is not None and passage[0] < passage[1]:
        marks: tuple[Span, ...] = (passage,)
    else:
        marks = occurrences(cleaned.text, place.words)
    headings = cleaned.spans(_heading_spans(view))
    return Page(cleaned.text, passage, marks, tuple(headings)), cleaned


def occurrences(text: str, words: Sequence[str]) -> tuple[Span, ...]:
    """Every place any of the words stands, whatever its case; not overlapping, in order."""
    parts = [re.escape(clean_mapped(word).text) for word in words if word.strip()]
    if not parts:
        return ()
    found: list[Span] = []
    for match in re.finditer("|".join(parts), text, re.IGNORECASE):
        if match.end() > match.start():
            found.append(match.span())
        if len(found) >= _MOST_MARKS:
            break
    return tuple(found)


def _heading_spans(view: DocumentView) -> Iterable[Span]:
    for offset, _, _ in view.headings:
        if 0 <= offset < len(view.text):
            end = view.text.find("\n", offset)
            yield offset, end if end >= 0 else len(view.text)
