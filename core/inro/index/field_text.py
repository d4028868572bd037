"""What each lexical field of a chunk is made of; the same for a fresh chunk and for one analysed again.

A passage about a thing seldom repeats the thing's name in every paragraph, so the title and the headings that a
chunk does not say itself are analysed with its text. Counted as one field a name saturates together with the text's
own mentions; as separate evidence it found .901 of the answers to Japanese questions first, so .922.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from inro.text import keys

if TYPE_CHECKING:
    from inro.text.analyse import Analyser
    from inro.text.keys import TermBatch

RULES = "fields-1"
"""Changes whenever the same chunk would give other fields."""
_APART = "\n\n"
"""A blank line: no CJK run reaches over it."""
LONGEST_VALUE = 200
"""Characters of a declared field's value up to which it names something rather than tells."""


@dataclass(frozen=True, slots=True)
class ChunkText:
    """A chunk with what it inherits from its document."""

    text: str
    title: str
    heading: Sequence[str]
    labels: Sequence[str]
    """Tags and the values of declared fields, see `labels`."""
    path: str


def identity(analyser: Analyser) -> str:
    """Names everything the lexical segments depend on; those made under another one must be made again."""
    return f"{analyser.id} {RULES}"


def labels(tags: Iterable[str], fields: Mapping[str, Iterable[str]]) -> tuple[str, ...]:
    """What a document declares about itself, each once: its tags and its fields' short values."""
    values = (value for key in sorted(fields) for value in fields[key] if len(value) <= LONGEST_VALUE)
    return tuple(dict.fromkeys([*tags, *values]))


def batches(analyser: Analyser, chunks: Sequence[ChunkText]) -> dict[int, TermBatch]:
    """The terms of some chunks by field number, ready for `build_segment`."""
    return {
        keys.BODY: analyser.batch([_body(one) for one in chunks]),
        keys.TITLE: analyser.batch([one.title for one in chunks]),
        keys.HEADING: analyser.batch([_APART.join(one.heading) for one in chunks]),
        keys.TAGS: analyser.batch([_APART.join(one.labels) for one in chunks]),
        keys.PATH: analyser.batch([one.path.replace("/", _APART) for one in chunks]),
    }


def _body(chunk: ChunkText) -> str:
    lead = [part for part in (chunk.title, *chunk.heading) if part and part not in chunk.text]
    return _APART.join([*lead, chunk.text])
