"""The analyser: one reading of a text for indexing and for queries, whatever its language.

Rule: exact forms first. Each word is indexed as written (folded); CJK runs are indexed as words, characters
and bigrams; identifiers whole and in parts; English stems beside their words. Nothing is left out as a stop
word.

What each term is worth in a query is told in `inro.text.weigh`. A query is read by the same rules and, besides, asks
for each word's stem *as a word*, and for each word *as a stem*: a text that says only `run` holds the word and no stem,
and is what someone who types `running` wants; one that says only `running` holds the stem `run`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final, Self, get_args

import numpy as np
from numpy.typing import NDArray

from inro.records import HanFolding
from inro.text.keys import (
    FIELDS,
    IDENTIFIER,
    KINDS,
    LONGEST_SPELLING,
    STEM,
    WORD,
    TermBatch,
    Terms,
    kind,
    with_field,
)
from inro.text.scan import key, scan, scan_many, spellings
from inro.text.stems import stem, stemmable
from inro.text.weigh import STEM_SHARE, weigh

__all__ = ["FIELDS", "KINDS", "Analyser", "TermBatch", "Terms", "kind", "with_field"]

RULES: Final = "inro-1"
"""Changes whenever the same text would give other keys."""
_HAN: Final = "han-"
_AT_ONCE: Final = 1 << 18
"""Code points read in one go in bulk: enough to hide the price of a call, small enough to stay in cache."""


@dataclass(frozen=True, slots=True)
class Analyser:
    """Turns texts into terms. Holds no state but caches; may be shared by threads."""

    han: HanFolding = "none"
    """Which forms of a Han character are one, see `inro_native.han`."""

    @classmethod
    def named(cls, made_by: str) -> Self:
        """The analyser whose keys meet those made under an id, as far as this release can make one."""
        words = made_by.split()
        han: HanFolding = next((option for option in get_args(HanFolding) if f"{_HAN}{option}" in words), "none")
        return cls(han)

    @property
    def id(self) -> str:
        """Names everything keys depend on; an index made under another id must be analysed again."""
        from inro_native.segment import VERSIONS

        return f"{RULES} {VERSIONS}" + (f" {_HAN}{self.han}" if self.han != "none" else "")

    def terms(self, text: str) -> Terms:
        """The terms of one text, with their places in it."""
        return _terms(text, self.han, asks=False)

    def query(self, text: str) -> Terms:
        """The terms to look for, with their places in the query."""
        return _terms(text, self.han, asks=True)

    def batch(self, texts: Sequence[str]) -> TermBatch:
        """The terms of many texts, as `terms` would give them, without places and much faster."""
        keys: list[NDArray[np.uint64]] = [np.empty(0, np.uint64)]
        counts: list[NDArray[np.int64]] = [np.zeros(1, np.int64)]
        vocabulary: dict[int, str] = {}
        for group in _groups(texts):
            found, offsets = _bulk(group, self.han, vocabulary)
            keys.append(found)
            counts.append(np.diff(offsets))
        return TermBatch(np.concatenate(keys), np.cumsum(np.concatenate(counts)), vocabulary)


def _groups(texts: Sequence[str]) -> Iterator[list[str]]:
    group: list[str] = []
    size = 0
    for text in texts:
        group.append(text)
        size += len(text)
        if size >= _AT_ONCE:
            yield group
            group, size = [], 0
    if group:
        yield group


def _stem_keys(spelt: list[str], words: NDArray[np.bool_]) -> NDArray[np.uint64]:
    """uint64[u + 1]: the stem key of each spelling that has a stem of its own, else 0; 0 at the end, for -1."""
    keys = np.zeros(len(spelt) + 1, np.uint64)
    for i in np.flatnonzero(words).tolist():
        found = stem(spelt[i])
        if found:
            keys[i] = key(STEM, found)
    return keys


def _asked_stems(spelt: list[str]) -> tuple[NDArray[np.uint64], NDArray[np.uint64]]:
    """For each spelling, uint64[u + 1] the key of its stem, its own form if that is its stem; and the stem as a word.

    0 where there is none, and at the end, for -1.
    """
    stems = np.zeros(len(spelt) + 1, np.uint64)
    as_words = np.zeros(len(spelt) + 1, np.uint64)
    for i, word in enumerate(spelt):
        found = stem(word)
        if found:
            as_words[i] = key(WORD, found)
        if found or stemmable(word):
            stems[i] = key(STEM, found or word)
    return stems, as_words


def _bulk(
    texts: list[str], han: HanFolding, vocabulary: dict[int, str]
) -> tuple[NDArray[np.uint64], NDArray[np.int64]]:
    from inro_native import terms as kernels

    read = scan_many(texts, han)
    tokens = read.tokens
    first, group = kernels.distinct(tokens.keys, 1 << WORD | 1 << IDENTIFIER)
    spelt = spellings(read.points, tokens, first)
    distinct = tokens.keys[first]
    vocabulary.update((k, s) for k, s in zip(distinct.tolist(), spelt, strict=True) if len(s) <= LONGEST_SPELLING)
    extra = _stem_keys(spelt, kind(distinct) == WORD)
    source, is_extra, offsets = kernels.interleave(tokens.offsets, group, extra)
    return np.where(is_extra, extra[group[source]], tokens.keys[source]), offsets


def _terms(text: str, han: HanFolding, asks: bool) -> Terms:
    from inro_native import chars
    from inro_native import terms as kernels

    read = scan(text, han)
    tokens = read.tokens
    weight = weigh(read) if asks else np.ones(tokens.keys.size, np.float32)
    first, group = kernels.distinct(tokens.keys, 1 << WORD)
    spelt = spellings(read.points, tokens, first)
    keys = [tokens.keys]
    source = [np.arange(tokens.keys.size)]
    share = [weight]
    stems = _asked_stems(spelt) if asks else (_stem_keys(spelt, np.ones(first.size, np.bool_)),)
    for extra in (each[group] for each in stems):
        having = np.flatnonzero(extra)
        keys.append(extra[having])
        source.append(having)
        share.append(weight[having] * np.float32(STEM_SHARE))
    made_from = np.concatenate(source)
    # Text order; terms that begin together stay in the order the rules give them, stems after their words.
    order = np.lexsort((made_from, tokens.start[made_from]))
    made_from = made_from[order]
    fold_start, fold_end = tokens.start[made_from], tokens.end[made_from]
    return Terms(
        np.concatenate(keys)[order],
        read.folded.start[fold_start],
        read.folded.end[fold_end - 1],
        chars.string(read.points),
        fold_start.astype(np.uint32),
        fold_end.astype(np.uint32),
        np.concatenate(share)[order],
    )
