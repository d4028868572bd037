"""UTF-16 and UTF-32 without a byte order mark: told from 8-bit text and from binary by what they decode to.

Counting NUL bytes is not enough: Japanese UTF-16 has few, and has them on both sides (a line feed is 0A 00,
an ideographic space 00 30). So both byte orders are decoded and the one that gives running text wins.
Text without any NUL must look the more familiar, since text in other encodings can pass for rare characters.
"""

from __future__ import annotations

import re

WIDE_MARKS: tuple[bytes, ...] = (b"\xff\xfe", b"\xfe\xff", b"\x00\x00\xfe\xff")
"""Byte order marks of UTF-16 and UTF-32, both orders."""

_SAMPLE = 8192
_WIDE_PLAIN = 0.97
"""Least share of ordinary characters; a wrong byte order of real text gives under .7."""
_WIDE_FAMILIAR = 0.04
"""Least share of characters that any running text has: spaces, line ends, ASCII, kana, full stops."""


_PLAIN = re.compile(
    "[\t\n\r\f -~"
    "\u00a0-\u06ff"  # Latin, Greek, Cyrillic, Armenian, Hebrew, Arabic
    "\u0900-\u10ff"  # Indic scripts, Thai, Lao, Tibetan, Myanmar, Georgian
    "\u1e00-\u2bff"  # Latin and Greek extensions, punctuation, symbols
    "\u3000-\u3020"  # CJK punctuation; two ASCII digits look like what follows it
    "\u3041-\u31ff"  # kana and the phonetic letters
    "\u4e00-\u9fff\uac00-\ud7a3\uff00-\uffee\ufeff"
    "\U0001f300-\U0001faff\U00020000-\U0002fa1f]+"
)
_FAMILIAR = re.compile(
    "[\t\n\r -~\u3000-\u3020\u3041-\u30ff\uff0c"
    "的一是不了在人有我他这這中大来來上个個国國到说為为子和你地出也时時年得就要下以生会會自之日本]+"
)


def guess_wide(data: bytes) -> str | None:
    """`utf-16-le`, `utf-16-be`, `utf-32-le` or `utf-32-be` if the bytes are such text without a mark."""
    if len(data) < 4:
        return None
    has_nul = 0 in data[:_SAMPLE]
    if not has_nul and data[:_SAMPLE].isascii():
        return None
    least = _WIDE_FAMILIAR if has_nul else 2 * _WIDE_FAMILIAR
    best: tuple[float, str] | None = None
    for encoding, unit in (("utf-32-le", 4), ("utf-32-be", 4), ("utf-16-le", 2), ("utf-16-be", 2)):
        sample = data[: min(len(data), _SAMPLE) // unit * unit]
        if len(data) % unit and len(data) <= _SAMPLE:
            # A whole file is a whole number of units; a sample of one need not be.
            continue
        if not sample:
            continue
        try:
            text = sample.decode(encoding)
        except UnicodeDecodeError as e:
            # The sample may end inside a surrogate pair, and only there.
            if e.start < len(sample) - unit:
                continue
            text = sample[: e.start].decode(encoding)
        if not text:
            continue
        plain = _share(_PLAIN, text)
        familiar = _share(_FAMILIAR, text)
        if plain >= _WIDE_PLAIN and familiar >= least:
            score = plain + familiar
            if best is None or score > best[0]:
                best = (score, encoding)
    return best[1] if best else None


def _share(pattern: re.Pattern[str], text: str) -> float:
    """The share of the text's characters that are of the pattern's class."""
    return sum(map(len, pattern.findall(text))) / len(text)
