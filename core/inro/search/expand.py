"""Other spellings of what was typed: words that begin so, and known words where a word is nowhere.

Rule: what the library holds is never changed into something else. Only a Latin word that is in no chunk, in no field,
is completed if it is the last of the query, which is still being typed, or else corrected, and a hint says so.
Numbers and identifiers are names and are left alone. Spellings of one word are alternatives: they are worth one word
together, and a rare one is worth no more than a frequent one.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from inro.index.segment_file import idf
from inro.records import HanFolding
from inro.search.terms import FIELD_WEIGHTS, Alternatives
from inro.text.keys import IDENTIFIER, WORD, kind, with_field
from inro.text.weigh import LETTERS

if TYPE_CHECKING:
    from inro.index.lexical import LexicalIndex, Spelling
    from inro.text.keys import Terms

MOST = 16
"""Spellings a prefix stands for: the most frequent."""
CORRECTIONS = 3
"""Spellings a mistyped word stands for, all equally near."""
LEAST_LETTERS = 4
_LATIN_END = 0x250


def prefixed(
    lexical: LexicalIndex, prefixes: Sequence[str], hints: list[str], han: HanFolding = "none"
) -> list[Alternatives]:
    """For each prefix, the words and identifiers that begin so."""
    groups = []
    for prefix in prefixes:
        found = _beginning(lexical, prefix, han)
        if found:
            groups.append(_alternatives(lexical, found))
        elif prefix.isascii():
            hints.append(f"nothing here begins with “{prefix}”")
    return groups


def respelt(lexical: LexicalIndex, terms: Terms, hints: list[str]) -> tuple[list[Alternatives], NDArray[np.uint64]]:
    """For each word that is nowhere, known words instead; and the keys these stand for, uint64[n]."""
    groups: list[Alternatives] = []
    replaced: list[NDArray[np.uint64]] = []
    for i in _unknown(lexical, terms):
        word = terms.surface(i)
        last = int(terms.fold_end[i]) == len(terms.folded)
        found = _beginning(lexical, word) if last else []
        shown = f"what begins with “{word}”"
        if not found:
            near = [one for one in lexical.similar(word, CORRECTIONS) if one.text != word]
            found = [one for one in near if one.edits == near[0].edits]
            shown = " or ".join(f"“{one.text}”" for one in found)
        if not found:
            continue
        hints.append(f"“{word}” is nowhere in this library: showing results for {shown}")
        groups.append(_alternatives(lexical, found))
        same = (terms.fold_start == terms.fold_start[i]) & (terms.fold_end == terms.fold_end[i])
        replaced.append(terms.keys[same])
    return groups, np.unique(np.concatenate([*replaced, np.empty(0, np.uint64)]))


def _beginning(lexical: LexicalIndex, prefix: str, han: HanFolding = "none") -> list[Spelling]:
    """The most frequent spellings; an identifier's is kept without its signs, so `s-10` is looked up as `s10` too."""
    from inro.search.phrase import fold

    folded = fold(prefix, han)
    bare = "".join(filter(str.isalnum, folded))
    found = {one.key: one for text in dict.fromkeys((folded, bare)) if text for one in lexical.prefix(text, MOST)}
    return sorted(found.values(), key=lambda one: (-one.frequency, len(one.text), one.text))[:MOST]


def _unknown(lexical: LexicalIndex, terms: Terms) -> Iterator[int]:
    """The words of a query that could be slips: Latin letters only, long enough, in no identifier, in no chunk."""
    kinds = kind(terms.keys)
    named = np.flatnonzero(kinds == IDENTIFIER)
    seen: set[str] = set()
    for i in np.flatnonzero(kinds == WORD).tolist():
        word = terms.surface(i)
        start, end = terms.fold_start[i], terms.fold_end[i]
        if word in seen or len(word) < LEAST_LETTERS or not word.isalpha() or ord(max(word)) >= _LATIN_END:
            continue
        seen.add(word)
        if ((terms.fold_start[named] <= start) & (terms.fold_end[named] >= end)).any():
            continue
        keys = terms.keys[(terms.fold_start == start) & (terms.fold_end == end)]
        everywhere = np.concatenate([with_field(keys, field) for field in FIELD_WEIGHTS])
        if not lexical.document_frequency(everywhere).any():
            yield i


def _alternatives(lexical: LexicalIndex, found: Sequence[Spelling]) -> Alternatives:
    frequency = np.array([one.frequency for one in found], np.float64)
    together = min(float(frequency.sum()), float(lexical.chunks))
    evened = LETTERS * idf(lexical.chunks, np.float64(together)) / idf(lexical.chunks, frequency)
    return Alternatives(np.array([one.key for one in found], np.uint64), np.asarray(evened, np.float32))
