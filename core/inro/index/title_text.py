"""What a document is jumped to by: its title, other names, headings, tags, authors and path, in segmented form.

DuckDB's full-text index splits at blanks only, so the analyser's terms are written out between blanks: words,
CJK bigrams and single characters, identifiers whole. A query is written out by the same function.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from inro.records import Reading
from inro.store.catalogue import ALIAS_FIELDS
from inro.text.analyse import Analyser
from inro.text.keys import STEM, kind
from inro.text.stems import stem

AUTHOR_FIELDS: Final = ("author", "authors", "creator", "from", "著者", "作者")
"""Declared fields that name who wrote a document."""

RULES: Final = "titles-2"
"""Changes whenever the same document would be found by other words."""

_MOST_HEADINGS: Final = 400


def lines(
    title: str, headings: Iterable[str], tags: Iterable[str], fields: Mapping[str, Sequence[str]], path: str
) -> list[str]:
    """The pieces of text a document is found by, one a line, as written."""
    # a path's folders and file name are words of their own
    parts = path.replace("_", " ").replace("/", "\n")
    return [title, *aliases(fields), *headings, *tags, *authors(fields), parts]


def of_reading(reading: Reading, path: str) -> list[str]:
    """The same for a document just read."""
    headings = [reading.text[b.start : b.end] for b in reading.blocks if b.kind == "heading"]
    return lines(reading.title, headings[:_MOST_HEADINGS], reading.tags, reading.fields, path)


def authors(fields: Mapping[str, Sequence[str]]) -> list[str]:
    """Who wrote a document, as far as it says."""
    return [name for key in AUTHOR_FIELDS for name in fields.get(key, ())]


def aliases(fields: Mapping[str, Sequence[str]]) -> list[str]:
    """The other names a document gives itself."""
    return [name for key in ALIAS_FIELDS for name in fields.get(key, ())]


def segmented(analyser: Analyser, pieces: Iterable[str]) -> str:
    """The terms of some pieces of text, joined by blanks."""
    # a blank line between the pieces keeps a CJK run from reaching over two of them
    terms = analyser.terms("\n\n".join(pieces))
    kinds = kind(terms.keys).tolist()
    # the surface of a stem is its word, which is there already
    words = [stem(terms.surface(i)) if one == STEM else terms.surface(i) for i, one in enumerate(kinds)]
    # an identifier such as `ISO 9408` is one term: its blank must not split it
    return " ".join("".join(word.split()) for word in words)
