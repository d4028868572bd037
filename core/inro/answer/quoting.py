"""A verbatim sentence of a Markdown document as a reader wants to see it: the words without the marks around them.

Rule: only marks are taken away, never a word; what is cited stays the span of the document as it is. Text that is
no Markdown is handed back as it is, since a star or a bar may mean itself there.
"""

from __future__ import annotations

import re
from pathlib import PurePosixPath

from inro.text import unmark

MARKDOWN = frozenset({".md", ".markdown", ".mdown", ".mkd", ".mdx", ".qmd", ".rmd"})

_ITEM = re.compile(r"^\s*[-*+]\s+(?:\[[ xX/-]\]\s+)?")
_BLANK_CELLS = re.compile(rf"(?:{unmark.CELL}\s+)+(?={unmark.CELL})")


def shown(sentence: str, path: str) -> str:
    """The sentence for showing; itself if the document at `path` is no Markdown or nothing but marks is in it."""
    if PurePosixPath(path).suffix.lower() not in MARKDOWN:
        return sentence
    read, _ = unmark.shown(sentence, unmark.marks(sentence), 0, len(sentence), ())
    return _ITEM.sub("", _BLANK_CELLS.sub("", read)).strip() or sentence
