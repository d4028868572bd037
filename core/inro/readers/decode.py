"""Bytes to text: which encoding, how sure, and when not to believe it.

In order: an override by the user, a byte order mark, ISO-2022 escapes, UTF-16/32 without a mark, valid UTF-8,
the charset the file declares (believed only if the bytes agree), then the legacy encodings weighed against
each other by the text they would give. Valid UTF-8 with anything beyond ASCII goes before a declaration:
other encodings do not look like it by accident, and pages that declare wrongly are common.

The text is as written, with three exceptions: line ends become `\\n`, a byte order mark and U+0000 go. What
would only be mojibake is refused, never indexed.
"""

from __future__ import annotations

import codecs
from dataclasses import dataclass

from inro.errors import Unreadable
from inro.readers.charsets import declared_charset, python_codec
from inro.readers.iso2022 import decode_iso2022
from inro.readers.legacy import guess_legacy
from inro.readers.mojibake import wrongly_decoded
from inro.readers.signatures import binary_kind
from inro.readers.wide import guess_wide
from inro.records import Outcome

_MARKS: tuple[tuple[bytes, str], ...] = (
    (b"\xef\xbb\xbf", "utf-8"),
    (b"\xff\xfe\x00\x00", "utf-32-le"),
    (b"\x00\x00\xfe\xff", "utf-32-be"),
    (b"\xff\xfe", "utf-16-le"),
    (b"\xfe\xff", "utf-16-be"),
    (b"\x84\x31\x95\x33", "gb18030"),
)

_MOST_DAMAGE = 0.02
"""Share of characters that may be undecodable in a text that is still called UTF-8."""
_SAVE_AGAIN = "save the file as UTF-8, or exclude it"


@dataclass(frozen=True, slots=True)
class Decoded:
    """Text and how it was come by."""

    text: str
    encoding: str
    """Python's name of the encoding."""
    confidence: float
    """0 to 1; 1 when a mark, an override or valid UTF-8 settles it."""
    outcome: Outcome = "ok"
    reason: str = ""
    """Why the outcome is `partial`: some bytes stand for no character and became U+FFFD."""


def decode(data: bytes, name: str, override: str | None = None, markup: bool = False) -> Decoded:
    """Decode a whole file. `markup` looks for a charset declared in HTML or XML.

    Raises:
        Unreadable: the bytes are not text, do not fit the override, fit no encoding well, or are text that
            was already spoilt before it was saved.
    """
    if not data:
        return Decoded("", "utf-8", 1.0)
    decoded = _decode(data, name, override, markup)
    text = _tidied(decoded.text)
    misread = wrongly_decoded(text)
    if misread:
        raise Unreadable(f"mojibake, {misread}: {name}", "save the file again from its original in UTF-8")
    encoding = codecs.lookup(decoded.encoding).name
    return Decoded(text, encoding, decoded.confidence, decoded.outcome, decoded.reason)


def _decode(data: bytes, name: str, override: str | None, markup: bool) -> Decoded:
    if override:
        return _by_override(data, name, override)
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            return _lenient(data[len(mark) :], name, encoding)
    escaped = decode_iso2022(data)
    if escaped is not None:
        return Decoded(escaped[0], escaped[1], 0.98)
    kind = binary_kind(data[:4096])
    if kind is not None:
        raise Unreadable(f"binary file ({kind}): {name}", "exclude it, or give it the suffix of its format")
    wide = guess_wide(data) if 0 in data else None
    if wide is not None:
        return Decoded(_lenient(data, name, wide).text, wide, 0.95)
    try:
        return Decoded(data.decode("utf-8"), "utf-8", 1.0)
    except UnicodeDecodeError:
        pass
    wide = guess_wide(data)
    if wide is not None:
        return Decoded(_lenient(data, name, wide).text, wide, 0.8)
    declared = declared_charset(data) if markup else None
    if declared is not None and declared != "utf-8":
        try:
            return Decoded(data.decode(declared), declared, 0.9)
        except UnicodeDecodeError:
            pass
    damaged = _damaged_utf8(data)
    if damaged is not None:
        return damaged
    guess = guess_legacy(data, prefer=declared)
    if guess is None:
        raise Unreadable(f"encoding cannot be told: {name}", _SAVE_AGAIN)
    return Decoded(*guess)


def _by_override(data: bytes, name: str, override: str) -> Decoded:
    encoding = python_codec(override)
    if encoding is None:
        raise Unreadable(f"no such encoding: {override} for {name}", "name one such as cp932, euc_jp, gb18030")
    for mark, marked in _MARKS:
        if data.startswith(mark) and marked.startswith(encoding):
            return _lenient(data[len(mark) :], name, marked)
    if encoding.startswith("iso2022"):
        escaped = decode_iso2022(data)
        if escaped is not None:
            return Decoded(escaped[0], encoding, 1.0)
    return _lenient(data, name, encoding)


def _lenient(data: bytes, name: str, encoding: str) -> Decoded:
    """Decode with an encoding that is known; a few bad bytes are replaced and told, many are refused."""
    try:
        return Decoded(data.decode(encoding), encoding, 1.0)
    except UnicodeDecodeError:
        text = data.decode(encoding, "replace")
    bad = text.count("\ufffd")
    if bad > max(1.0, len(text) * _MOST_DAMAGE):
        raise Unreadable(f"not {encoding} after all, {bad} bytes fit no character: {name}", _SAVE_AGAIN)
    return Decoded(text, encoding, 0.9, "partial", f"{bad} undecodable byte sequences replaced")


def _damaged_utf8(data: bytes) -> Decoded | None:
    """UTF-8 with a few broken bytes: cut off at the end, or spoilt by a program that split characters."""
    text = data.decode("utf-8", "replace")
    bad = text.count("\ufffd")
    # Every legacy CJK text holds some pairs that pass for two-byte UTF-8; three-byte ones are no accident.
    long = sum(1 for c in text if c > "\u07ff" and c != "\ufffd")
    cut = text.endswith("\ufffd") and bad == 1
    wide = len(text) - len(text.encode("ascii", "ignore")) - bad
    if bad and ((cut and wide >= 1) or (long >= 10 * bad and bad <= len(text) * _MOST_DAMAGE)):
        return Decoded(text, "utf-8", 0.9, "partial", f"{bad} undecodable byte sequences replaced")
    return None


def _tidied(text: str) -> str:
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    if "\x00" in text:
        text = text.replace("\x00", "")
    return text.removeprefix(codecs.BOM_UTF8.decode("utf-8"))
