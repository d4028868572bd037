"""What kind of character a code point is, as a table that kernels index.

Rule: classes come from Unicode properties (script extensions, general category) as ICU knows them, never from
hand-written ranges. The table describes *folded* text (`inro_native.folding`), in which compatibility forms
such as half-width kana, `㈱` or `²` no longer occur. Knows nothing of words or languages.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final

import icu
import numpy as np
from numpy.typing import NDArray

OTHER: Final = 0
"""Punctuation, controls, and symbols that only draw or mark up."""
SPACE: Final = 1
BREAK: Final = 2
"""White space that ends a line."""
SYMBOL: Final = 3
"""A sign that means something alone: `★`, `→`, `☎`, emoji, private-use and unassigned characters."""
MARK: Final = 4
"""Combining; belongs to the character before it."""
LETTER: Final = 5
"""Alphabetic or syllabic, neither Latin nor one of the scripts below."""
LATIN: Final = 6
DIGIT: Final = 7
HAN: Final = 8
"""Ideographs and their kin: `々`, `〆`, `〇`, and unassigned code points of the ideographic planes."""
KANA: Final = 9
"""Kana with `ー`, `ゝ`, `ヽ`; Bopomofo too, which is written between ideographs the same way."""
HANGUL: Final = 10

CODE_POINTS: Final = 0x110000

# Later lines win over earlier ones.
_PATTERNS: Final[tuple[tuple[int, str], ...]] = (
    (
        SYMBOL,
        r"[[[:S:][:Co:][:Cn:]]-[:Noncharacter_Code_Point:]-[:Sk:]-[\u0000-\u007F\uFFFD]-[:Block=Box_Drawing:]-[:Block=Block_Elements:]]",
    ),
    (LETTER, r"[[:L:][:Nl:][:No:]]"),
    (LATIN, r"[[:L:]&[:Script=Latin:]]"),
    (DIGIT, r"[:Nd:]"),
    (MARK, r"[[:M:]\u200C\u200D]"),
    (KANA, r"[[[:scx=Hiragana:][:scx=Katakana:][:scx=Bopomofo:]]&[[:L:][:N:][:M:]]]"),
    (HANGUL, r"[[:scx=Hangul:]&[[:L:][:N:][:M:]]]"),
    (HAN, r"[[[:scx=Han:][:Ideographic:]]&[[:L:][:N:]]]"),
    (HAN, r"[[:Cn:]&[\U00020000-\U0003FFFD]]"),
    (SPACE, r"[:White_Space:]"),
    (BREAK, r"[\n\u000B\u000C\r\u0085\u2028\u2029]"),
)


def members(pattern: str) -> list[tuple[int, int]]:
    """The code point ranges, last included, of an ICU set pattern; `ValueError` when it does not parse."""
    try:
        found = icu.UnicodeSet(pattern)
    except icu.ICUError as e:
        raise ValueError(f"not a set of characters: {pattern}") from e
    return [(ord(found.getRangeStart(i)), ord(found.getRangeEnd(i))) for i in range(found.getRangeCount())]


@lru_cache(maxsize=1)
def classes() -> NDArray[np.uint8]:
    """uint8[0x110000], read-only: the class of every code point."""
    table = np.full(CODE_POINTS, OTHER, np.uint8)
    for number, pattern in _PATTERNS:
        for first, last in members(pattern):
            table[first : last + 1] = number
    table.flags.writeable = False
    return table


@lru_cache(maxsize=8)
def having(pattern: str) -> NDArray[np.bool_]:
    """bool[0x110000], read-only: whether each code point is in an ICU set pattern."""
    table = np.zeros(CODE_POINTS, np.bool_)
    for first, last in members(pattern):
        table[first : last + 1] = True
    table.flags.writeable = False
    return table


def code_points(text: str) -> NDArray[np.uint32]:
    """uint32[n], read-only: the code points of a string, lone surrogates included."""
    return np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32)


def string(points: NDArray[np.uint32]) -> str:
    """The string of these code points, lone surrogates included; `ValueError` beyond U+10FFFF."""
    try:
        return points.astype("<u4", copy=False).tobytes().decode("utf-32-le", "surrogatepass")
    except UnicodeDecodeError as e:
        raise ValueError("not code points") from e
