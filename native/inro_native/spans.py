"""The kernel that finds the terms of folded text: spans, each with its kind and how it is to be spelt.

The rule of each kind:

- *CJK*: each ICU word of two characters or more, each character, each pair of neighbours in an unbroken run
  of ideographs and kana, or of Hangul. Digits and Latin letters never belong to the run beside them.
- *Atoms*: a run of letters, apostrophes inside included, or of digits is a word; a run of both is an
  identifier, and where they meet just once (`300k`, `gpt4`) the two halves are words too. A decimal number is
  one word.
- *Chains*: atoms joined by single joiners (`-`, `.`, `/`, ...) are one identifier and each atom besides.
- *Symbols* stand alone.

Names made of several words are found from these spans, in `inro_native.names`. Knows no language and no keys.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from inro_native.chars import DIGIT, HAN, HANGUL, KANA, LATIN, LETTER, MARK, SYMBOL
from inro_native.kernel import kernel

WORD: Final = 0
STEM: Final = 1
BIGRAM: Final = 2
CHARACTER: Final = 3
IDENTIFIER: Final = 4

# How a term is spelt from its characters, and for an identifier what it is made of.
VERBATIM: Final = 0
GROUPED: Final = 1
"""A number without its thousands separators: `1,000` is `1000`."""
CLOSED: Final = 2
"""Two words without the hyphen between them: `e-mail` is `email`."""
CODE: Final = 3
"""Letters and digits: `s-1041`, `v1.2.3`, `bi2te3`, `gpt-4`."""
COMPOUND: Final = 4
"""Letters only: `real-time`, `example.com`."""
NUMERIC: Final = 5
"""Digits only: `2026.4.10`, `7732-18-5`, `1990-1995`."""
DESIGNATION: Final = 6
"""A word and its number: `iso 9408`, `part 9`."""
ORDINAL: Final = 7
"""`第18条`, `第十八条`."""
DOI: Final = 8
SIGNED: Final = 9
"""A word that ends in signs: `c++`, `c#`."""

MAX_ATOMS: Final = 32

_HYPHEN, _DOT, _SLASH, _COLON, _COMMA, _APOSTROPHE = (ord(c) for c in "-./:,'")
_UNDERSCORE, _AT, _AMPERSAND, _PLUS, _NUMBER_SIGN, _BACKSLASH = (ord(c) for c in "_@&+#\\")
_V: Final = ord("v")

# Letter-only, digit-only or mixed, for an atom.
_LETTERS, _DIGITS, _MIXED = 0, 1, 2


class Spans(NamedTuple):
    """Terms in text order; positions are in the folded text."""

    kind: NDArray[np.uint8]
    form: NDArray[np.uint8]
    start: NDArray[np.int32]
    end: NDArray[np.int32]
    offsets: NDArray[np.int64]
    """int64[d + 1]: the terms of document `i` are `offsets[i]:offsets[i + 1]`."""


def scan(
    points: NDArray[np.uint32],
    classes: NDArray[np.uint8],
    bounds: NDArray[np.int64],
    ends: NDArray[np.int64],
) -> Spans:
    """The terms of documents that stand one after another, separated by blank lines.

    points   uint32[n], after all folding
    classes  uint8[0x110000], `chars.classes()`
    bounds   int64[b], word boundaries, rising, within 0..n
    ends     int64[d], rising: where each document ends, the last at n
    """
    # No character gives more than four terms; an untouched page of an empty array costs nothing.
    size = 4 * points.size + 16
    out = (
        np.empty(size, np.uint8),
        np.empty(size, np.uint8),
        np.empty(size, np.int32),
        np.empty(size, np.int32),
    )
    offsets = np.zeros(ends.size + 1, np.int64)
    bound = np.zeros(points.size + 1, np.bool_)
    bound[bounds] = True
    atoms = np.empty((MAX_ATOMS, 5), np.int64)
    total = _scan(points, classes, bound, ends, atoms, out, offsets)
    kind, form, start, end = out
    return Spans(kind[:total], form[:total], start[:total], end[:total], offsets)


# Numba would compile a helper anew for each constant it is called with: the one called with most has its types given,
# and counters that are handed on begin as `np.int64`.
_PUT: Final = "int64(Tuple((uint8[::1], uint8[::1], int32[::1], int32[::1])), int64, int64, int64, int64, int64)"


@kernel(signature=_PUT)
def _put(out, m, kind, start, end, form):  # type: ignore[no-untyped-def]
    kinds, forms, starts, ends = out
    kinds[m] = kind
    forms[m] = form
    starts[m] = start
    ends[m] = end
    return m + 1


@kernel()
def _alphanumeric(kind):  # type: ignore[no-untyped-def]
    return kind in (LATIN, LETTER, DIGIT)


@kernel()
def _joins(points, classes, at, sort):  # type: ignore[no-untyped-def]
    """Whether the character at `at` joins the atom before it, of this sort, to one that begins after it."""
    if at + 1 >= points.size:
        return False
    after = classes[points[at + 1]]
    if not _alphanumeric(after):
        return False
    c = points[at]
    if c == _COLON:
        return sort != _LETTERS and after == DIGIT
    return (
        c in (_HYPHEN, _DOT, _SLASH, _UNDERSCORE, _AT, _AMPERSAND, _PLUS, _NUMBER_SIGN, _BACKSLASH)
    )  # fmt: skip


@kernel()
def _parts(points, classes, at):  # type: ignore[no-untyped-def]
    """Whether the joiner at `at` stands between names of their own: `s-1041/s-1042`, `s-1041.pdf`."""
    c = points[at]
    if c == _DOT:
        return classes[points[at + 1]] != DIGIT
    return c != _HYPHEN and c != _COLON


@kernel()
def _run(points, classes, bound, out, m, i):  # type: ignore[no-untyped-def]
    """Words, characters and bigrams of the CJK run that begins at `i`; returns (m, where it ends)."""
    n = points.size
    hangul = classes[points[i]] == HANGUL
    end = i + 1
    while end < n:
        kind = classes[points[end]]
        if kind != MARK and ((kind == HANGUL) != hangul or (kind != HAN and kind != KANA and kind != HANGUL)):
            break
        end += 1
    at = i
    while at < end:
        points[at]
        after = at + 1
        while after < end and classes[points[after]] == MARK:
            after += 1
        if at == i or bound[at]:
            close = after
            while close < end and not bound[close]:
                close += 1
            if close > after:
                m = _put(out, m, WORD, at, close, VERBATIM)
        m = _put(out, m, CHARACTER, at, after, VERBATIM)
        if after < end:
            close = after + 1
            while close < end and classes[points[close]] == MARK:
                close += 1
            m = _put(out, m, BIGRAM, at, close, VERBATIM)
        at = after
    return m, end


@kernel()
def _atom(points, classes, bound, i):  # type: ignore[no-untyped-def]
    """The atom that begins at `i`: (end, sort, cut, grouped).

    `cut` is where its characters change between letter and digit, if they do just once, else 0; `grouped`
    tells whether it holds thousands separators.
    """
    n = points.size
    at = i
    letters = digits = changes = cut = 0
    previous = -1
    while at < n:
        c = points[at]
        kind = classes[c]
        if kind == MARK:
            at += 1
            continue
        if not _alphanumeric(kind):
            inside = c == _APOSTROPHE and at + 1 < n and previous == 0
            if not (inside and (classes[points[at + 1]] == LATIN or classes[points[at + 1]] == LETTER)):
                break
            at += 1
            continue
        # Scripts written without spaces have words inside a run of letters.
        if at > i and bound[at] and (kind == LETTER or classes[points[at - 1]] == LETTER):
            break
        now = 1 if kind == DIGIT else 0
        if now:
            digits += 1
        else:
            letters += 1
        if previous >= 0 and now != previous:
            changes += 1
            cut = at
        previous = now
        at += 1
    grouped = False
    if letters == 0 and digits <= 3:
        while at + 3 < n and points[at] == _COMMA:
            three = (
                classes[points[at + 1]] == DIGIT
                and classes[points[at + 2]] == DIGIT
                and classes[points[at + 3]] == DIGIT
            )
            if not three or (at + 4 < n and _alphanumeric(classes[points[at + 4]])):
                break
            at += 4
            grouped = True
    sort = _LETTERS if digits == 0 else (_DIGITS if letters == 0 else _MIXED)
    return at, sort, cut if changes == 1 else 0, grouped


@kernel()
def _read_chain(points, classes, bound, atoms, i):  # type: ignore[no-untyped-def]
    """Fill `atoms` with the chain that begins at `i`, a row each of start, end, sort, cut, grouped.

    Returns how many there are.
    """
    count = 0
    at = i
    while True:
        end, sort, cut, grouped = _atom(points, classes, bound, at)
        atoms[count, 0], atoms[count, 1], atoms[count, 2] = at, end, sort
        atoms[count, 3], atoms[count, 4] = cut, grouped
        count += 1
        if count == MAX_ATOMS or not _joins(points, classes, end, sort):
            return count
        at = end + 1


@kernel()
def _chain(points, classes, bound, atoms, out, m, i):  # type: ignore[no-untyped-def]
    """Terms of the chain of atoms that begins at `i`; returns (m, where it ends)."""
    count = _read_chain(points, classes, bound, atoms, i)
    end = atoms[count - 1, 1]
    if count > 1:
        if count == 2 and atoms[0, 2] == _DIGITS and points[atoms[0, 1]] == _DOT:
            tail = atoms[1, 2]
            if tail == _DIGITS:
                form = GROUPED if atoms[0, 4] else VERBATIM
                return _put(out, m, WORD, i, end, form), end
            if tail == _MIXED and atoms[1, 3]:
                cut = atoms[1, 3]
                m = _put(out, m, IDENTIFIER, i, end, CODE)
                m = _put(out, m, WORD, i, cut, VERBATIM)
                return _put(out, m, WORD, cut, end, VERBATIM), end
        m = _put_links(points, out, m, atoms, np.int64(0), count)
        first = np.int64(0)
        for a in range(count):
            last = a == count - 1
            if last or _parts(points, classes, atoms[a, 1]):
                decimal = a == first + 1 and atoms[first, 2] == atoms[a, 2] == _DIGITS
                decimal = decimal and points[atoms[first, 1]] == _DOT
                if a > first and not decimal and not (last and first == 0):
                    m = _put_links(points, out, m, atoms, first, a + 1)
                first = np.int64(a + 1)
    for a in range(count):
        m = _put_atom(points, out, m, atoms, a)
    return m, end


@kernel()
def _put_links(points, out, m, atoms, first, stop):  # type: ignore[no-untyped-def]
    """The identifier that the atoms `first:stop` make, and what else it is known by."""
    i, end = atoms[first, 0], atoms[stop - 1, 1]
    letters = digits = False
    dotted = True
    colon = edition = 0
    for a in range(first, stop):
        letters |= atoms[a, 2] != _DIGITS
        digits |= atoms[a, 2] != _LETTERS
        if a + 1 < stop:
            joiner = points[atoms[a, 1]]
            dotted &= joiner == _DOT
            if joiner == _COLON and (letters or a > first) and colon == 0:
                colon = atoms[a, 1]
                edition = CODE if letters and digits else NUMERIC
    form = CODE if letters and digits else (COMPOUND if letters else NUMERIC)
    m = _put(out, m, IDENTIFIER, i, end, form)
    if colon:
        # The edition of a standard: who asks for the standard means every edition.
        m = _put(out, m, IDENTIFIER, i, colon, edition)
    if form == COMPOUND and stop - first == 2 and points[atoms[first, 1]] == _HYPHEN:
        m = _put(out, m, WORD, i, end, CLOSED)
    if form == NUMERIC and dotted and stop - first > 2:
        m = _put(out, m, WORD, i, atoms[first + 1, 1], VERBATIM)
    if form == CODE and dotted and points[i] == _V and atoms[first, 3] == i + 1:
        if stop - first == 2:
            m = _put(out, m, WORD, i + 1, end, VERBATIM)
        else:
            m = _put(out, m, IDENTIFIER, i + 1, end, NUMERIC)
    return m


@kernel()
def _put_atom(points, out, m, atoms, a):  # type: ignore[no-untyped-def]
    start, end, cut = atoms[a, 0], atoms[a, 1], atoms[a, 3]
    if atoms[a, 2] == _MIXED:
        m = _put(out, m, IDENTIFIER, start, end, CODE)
        if cut:
            m = _put(out, m, WORD, start, cut, VERBATIM)
            m = _put(out, m, WORD, cut, end, VERBATIM)
        return m
    m = _put(out, m, WORD, start, end, GROUPED if atoms[a, 4] else VERBATIM)
    # An article or preposition run together with its word: l'homme, d'accord, o'neill.
    for at in range(start + 1, min(start + 3, end)):
        if points[at] == _APOSTROPHE and end - at > 3:
            return _put(out, m, WORD, at + 1, end, VERBATIM)
    return m


@kernel()
def _scan(points, classes, bound, ends, atoms, out, offsets):  # type: ignore[no-untyped-def]
    n = points.size
    m = np.int64(0)
    i = np.int64(0)
    document = 0
    while i < n:
        while document < ends.size and ends[document] <= i:
            document += 1
            offsets[document] = m
        kind = classes[points[i]]
        if kind in (HAN, KANA, HANGUL):
            m, i = _run(points, classes, bound, out, m, i)
        elif _alphanumeric(kind):
            m, i = _chain(points, classes, bound, atoms, out, m, i)
        else:
            if kind == SYMBOL:
                m = _put(out, m, CHARACTER, i, i + 1, VERBATIM)
            i += 1
    while document < ends.size:
        document += 1
        offsets[document] = m
    return m
