"""Answers as a Markdown note: what was asked, what was answered, and the passages it rests on, word for word.

Rule: nothing of a document can act in the note: its control characters are gone, it stands in a quotation, and what
would be markup in a title is escaped. Only cited passages are given.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from inro.answer.citations import marked
from inro.answer.context import plain
from inro.records import Answer, SourcePassage

_MARKUP = re.compile(r"([\\`*_{}\[\]<>#|~])")
_ACTING = re.compile(r"<(?=[A-Za-z/!?])|(?<=!)\[")


def as_markdown(title: str, answers: Sequence[Answer]) -> str:
    """A note of one heading and a section for each question, ending in a new line."""
    parts = [f"# {escaped(title)}"]
    for answer in answers:
        parts += [f"## {escaped(answer.question)}", *_answered(answer)]
    return "\n\n".join(parts) + "\n"


def quoted(source: SourcePassage) -> str:
    """A passage with where it is from. It keeps its own markup, but for HTML and for pictures, which fetch."""
    harmless = _ACTING.sub(r"\\\g<0>", plain(source.quote).strip())
    return "\n".join(f"> {line}".rstrip() for line in harmless.splitlines()) + f"\n\n— {place(source)}"


def place(source: SourcePassage) -> str:
    """Where a passage is from, for a reader: title, heading, page, and path with characters."""
    heading = f" › {escaped(source.heading)}" if source.heading else ""
    page = f", page {source.page}" if source.page is not None else ""
    path = plain(source.path).replace("`", "'").replace("\n", " ")
    shelf = f", from the shelf {escaped(source.shelf)}" if source.shelf else ""
    return f"{escaped(source.title)}{heading}{page} (`{path}`, {source.start}-{source.end}){shelf}"


def escaped(text: str) -> str:
    """One line that means itself in Markdown."""
    return _MARKUP.sub(r"\\\1", " ".join(plain(text).split()))


def cited(answer: Answer) -> tuple[SourcePassage, ...]:
    """The passages that an answer's sentences name."""
    named = {n for sentence in answer.sentences for n in sentence.citations}
    return tuple(source for source in answer.sources if source.n in named)


def _answered(answer: Answer) -> Iterator[str]:
    if answer.refused:
        yield escaped(answer.answer)
        return
    if answer.shelf:
        yield f"*From the shelf {escaped(answer.shelf)}, not from your library.*"
    for sentence in answer.sentences:
        doubt = "" if sentence.supported else f" *(unsupported: {escaped('; '.join(sentence.problems))})*"
        yield marked(escaped(sentence.text), sentence.citations, answer.shelf) + doubt
    sources = cited(answer)
    if sources:
        yield "### Sources"
    for source in sources:
        yield source.mark
        yield quoted(source)
