"""Term keys: what is found in a text becomes a number that is the same on every machine.

A key is a uint64: bits 61-63 the kind, 58-60 a field (0 here), 0-57 the payload. A character's payload is its
code point, a bigram's is `first << 21 | second`; every other payload is a 58-bit hash, without a seed, of the
term's spelling. `_spell` says which spellings of an identifier are the same.

Knows no language: which words never name a number (`in 2004`) is handed in as `loners`.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from inro_native.chars import BREAK, DIGIT, MARK, SPACE
from inro_native.kernel import kernel
from inro_native.names import MAX_ORDINAL, NUMERALS, Names
from inro_native.spans import (
    BIGRAM,
    CHARACTER,
    CLOSED,
    CODE,
    DESIGNATION,
    DOI,
    GROUPED,
    IDENTIFIER,
    ORDINAL,
    VERBATIM,
    Spans,
)

KIND_SHIFT: Final = 61
FIELD_SHIFT: Final = 58
SECOND_BITS: Final = 21

_HYPHEN, _DOT, _COMMA, _UNDERSCORE, _ZERO = (ord(c) for c in "-.,_0")


class Tokens(NamedTuple):
    """Terms by document, each document's in text order and then its names; positions are in the folded
    text."""

    keys: NDArray[np.uint64]
    """uint64[t]"""
    start: NDArray[np.int32]
    end: NDArray[np.int32]
    form: NDArray[np.uint8]
    """How each is spelt: `spans.VERBATIM` ... `spans.SIGNED`."""
    offsets: NDArray[np.int64]
    """int64[d + 1]: the terms of document `i` are `offsets[i]:offsets[i + 1]`."""


def tokens(
    points: NDArray[np.uint32],
    classes: NDArray[np.uint8],
    found: Spans,
    names: Names,
    loners: NDArray[np.uint64],
) -> Tokens:
    """The keys of what `spans.scan` and `names.scan` found in the same text.

    loners  uint64[l], rising: keys of words that name no number; what they seem to name is left out
    """
    size = found.start.size + names.start.size
    out = (np.empty(size, np.uint64), np.empty(size, np.int32), np.empty(size, np.int32), np.empty(size, np.uint8))
    offsets = np.zeros_like(found.offsets)
    buffer = np.empty(points.size + 2 * MAX_ORDINAL, np.uint32)
    total = _tokens(points, classes, found, names, loners, buffer, out, offsets)
    keys, start, end, form = out
    return Tokens(keys[:total], start[:total], end[:total], form[:total], offsets)


def spell(
    points: NDArray[np.uint32],
    classes: NDArray[np.uint8],
    start: NDArray[np.int32],
    end: NDArray[np.int32],
    form: NDArray[np.uint8],
) -> tuple[NDArray[np.uint32], NDArray[np.int64]]:
    """The spellings that were hashed, end to end: uint32[m] and int64[t + 1] offsets."""
    room = int((end.astype(np.int64) - start).sum()) + MAX_ORDINAL * (start.size + 1)
    spelt = np.empty(room, np.uint32)
    offsets = np.zeros(start.size + 1, np.int64)
    total = _spell_all(points, classes, start, end, form, spelt, offsets)
    return spelt[:total], offsets


def hashed_key(kind: int, points: NDArray[np.uint32]) -> int:
    """The key of a word, stem or identifier spelt like this."""
    # a copy can be written to, as the text that kernels hash can: one compilation serves both
    return (kind << KIND_SHIFT) | int(_hash(points.copy(), points.size))


def distinct(keys: NDArray[np.uint64], kinds: int) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """Which of `keys` are of a kind whose bit is set in `kinds`, each once.

    Returns (first, group): int64[u], where each distinct key stands first, in order; int32[t], for each key
    the index of its own among those, -1 for the other kinds.
    """
    # twice the room that is needed, a power of two
    bits = max(4, (2 * keys.size - 1).bit_length())
    table = np.full(1 << bits, -1, np.int32)
    first = np.empty(keys.size, np.int64)
    group = np.empty(keys.size, np.int32)
    return first[: _distinct(keys, kinds, bits, table, first, group)].copy(), group


def interleave(
    offsets: NDArray[np.int64], group: NDArray[np.int32], extra: NDArray[np.uint64]
) -> tuple[NDArray[np.int64], NDArray[np.bool_], NDArray[np.int64]]:
    """Where terms go when each is followed by the extra key of its group.

    offsets int64[d + 1]; group int32[t], -1 for none; extra uint64[u], 0 for none.
    Returns (source, is_extra, offsets): int64[t + x] the term each place is made from, bool[t + x], int64[d +
    1].
    """
    source = np.empty(2 * group.size, np.int64)
    is_extra = np.zeros(2 * group.size, np.bool_)
    moved = np.zeros_like(offsets)
    m = _interleave(offsets, group, extra, source, is_extra, moved)
    return source[:m], is_extra[:m], moved


@kernel()
def _distinct(keys, kinds, bits, table, first, group):  # type: ignore[no-untyped-def]
    mask = (1 << bits) - 1
    u = 0
    for i in range(keys.size):
        key = keys[i]
        if not (kinds >> np.int64(key >> np.uint64(KIND_SHIFT))) & 1:
            group[i] = -1
            continue
        slot = np.int64((key * np.uint64(0x9E3779B97F4A7C15)) >> np.uint64(64 - bits)) & mask
        while table[slot] >= 0 and keys[first[table[slot]]] != key:
            slot = (slot + 1) & mask
        if table[slot] < 0:
            table[slot] = u
            first[u] = i
            u += 1
        group[i] = table[slot]
    return u


@kernel()
def _interleave(offsets, group, extra, source, is_extra, moved):  # type: ignore[no-untyped-def]
    m = 0
    for d in range(offsets.size - 1):
        for i in range(offsets[d], offsets[d + 1]):
            source[m] = i
            m += 1
            if group[i] >= 0 and extra[group[i]] != 0:
                source[m] = i
                is_extra[m] = True
                m += 1
        moved[d + 1] = m
    return m


@kernel()
def _hash(points, n):  # type: ignore[no-untyped-def]
    # One multiply and one shift a code point, then the finaliser of SplitMix64 (Steele, Lea, Flood 2014).
    h = np.uint64(0x243F6A8885A308D3)
    for i in range(n):
        h = (h ^ np.uint64(points[i])) * np.uint64(0x9E3779B97F4A7C15)
        h ^= h >> np.uint64(32)
    h = (h ^ (h >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    h = (h ^ (h >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    h ^= h >> np.uint64(31)
    return h >> np.uint64(64 - FIELD_SHIFT)


@kernel()
def _numeral(c):  # type: ignore[no-untyped-def]
    for value in range(NUMERALS.size):
        if NUMERALS[value] == c:
            return value
    return -1


@kernel()
def _spell(points, classes, start, end, form, out):  # type: ignore[no-untyped-def]
    """Write the one spelling that all spellings of a term share; returns its length.

    In an identifier a hyphen, underscore, space or nothing between a letter and a digit are the same
    (`ISO-9408`), and so is a full stop after a letter (`No. 5`); elsewhere a hyphen and an underscore are the
    same.
    """
    if form == ORDINAL:
        return _spell_ordinal(points, start, end, out)
    m = 0
    for i in range(start, end):
        c = points[i]
        if form == GROUPED and c == _COMMA:
            continue
        if form == CLOSED and c == _HYPHEN:
            continue
        if form >= CODE and form != DOI:
            kind = classes[c]
            if kind in (SPACE, BREAK):
                continue
            if (c in (_HYPHEN, _UNDERSCORE, _DOT)) and m > 0 and i + 1 < end:
                after = classes[points[i + 1]]
                if c == _DOT and (after in (SPACE, BREAK)):
                    continue
                digit_before = classes[points[i - 1]] == DIGIT
                digit_after = after == DIGIT
                if digit_before != digit_after and (c != _DOT or digit_after):
                    continue
                if c == _UNDERSCORE:
                    c = np.uint32(_HYPHEN)
        out[m] = c
        m += 1
    return m


@kernel()
def _spell_ordinal(points, start, end, out):  # type: ignore[no-untyped-def]
    """`第`, the number in ASCII digits, the counter."""
    out[0] = points[start]
    m = 1
    written = False
    total, section, digit = 0, 0, -1
    for i in range(start + 1, end - 1):
        c = points[i]
        value = _numeral(c)
        if value < 0:
            if np.uint32(_ZERO) <= c <= np.uint32(_ZERO + 9):
                out[m] = c
                m += 1
                written = True
        elif value <= 10:
            # `〇` and `零` are both nothing; ideographs in a row are written like digits.
            digit = max(digit, 0) * 10 + value % 10
        elif value < 14:
            section += abs(digit) * 10 ** (value - 10)
            digit = -1
        else:
            total += max(section + max(digit, 0), 1) * 10000
            section, digit = 0, -1
    if not written:
        number = total + section + max(digit, 0)
        power = 1
        while power * 10 <= number:
            power *= 10
        while power > 0:
            out[m] = _ZERO + (number // power) % 10
            m += 1
            power //= 10
    out[m] = points[end - 1]
    return m + 1


@kernel()
def _spell_all(points, classes, start, end, form, out, offsets):  # type: ignore[no-untyped-def]
    m = 0
    for i in range(start.size):
        m += _spell(points, classes, start[i], end[i], form[i], out[m:])
        offsets[i + 1] = m
    return m


@kernel()
def _key(points, classes, kind, form, start, end, buffer):  # type: ignore[no-untyped-def]
    if kind == CHARACTER:
        payload = np.uint64(points[start])
    elif kind == BIGRAM:
        second = start + 1
        while classes[points[second]] == MARK:
            second += 1
        payload = np.uint64(points[start]) << np.uint64(SECOND_BITS) | np.uint64(points[second])
    elif form == VERBATIM:
        payload = _hash(points[start:], end - start)
    else:
        payload = _hash(buffer, _spell(points, classes, start, end, form, buffer))
    return np.uint64(kind) << np.uint64(KIND_SHIFT) | payload


@kernel()
def _holds(ascending, key):  # type: ignore[no-untyped-def]
    low = 0
    high = ascending.size
    while low < high:
        middle = (low + high) >> 1
        if ascending[middle] < key:
            low = middle + 1
        else:
            high = middle
    return low < ascending.size and ascending[low] == key


@kernel()
def _tokens(points, classes, found, names, loners, buffer, out, offsets):  # type: ignore[no-untyped-def]
    keys, starts, ends, forms = out
    m = 0
    for d in range(offsets.size - 1):
        at = m - found.offsets[d]
        spans = found.offsets[d + 1] - found.offsets[d]
        for n in range(spans + names.offsets[d + 1] - names.offsets[d]):
            if n < spans:
                i = found.offsets[d] + n
                kind, form, start, end = found.kind[i], found.form[i], found.start[i], found.end[i]
            else:
                i = names.offsets[d] + n - spans
                kind, form, start, end = np.uint8(IDENTIFIER), names.form[i], names.start[i], names.end[i]
                if form == DESIGNATION and _holds(loners, keys[names.word[i] + at]):
                    continue
            # the one place that calls for a key: what is called is compiled into each
            keys[m] = _key(points, classes, kind, form, start, end, buffer)
            starts[m], ends[m], forms[m] = start, end, form
            m += 1
        offsets[d + 1] = m
    return m
