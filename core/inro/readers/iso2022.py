"""ISO-2022-JP as mailers wrote it, and its Korean and Chinese relatives: 7-bit text switched by escapes.

Python's codecs refuse NEC's row 13 (①, ㈱) and half-width kana in plain ISO-2022-JP, though both are common
in Japanese mail. Such text is decoded here by moving each pair of bytes to CP932, which has them.
"""

from __future__ import annotations

import re

_JAPANESE = re.compile(rb"\x1b\$[@B]|\x1b\(J|\x1b\(I|\x1b\$\([DOPQ]")
_KOREAN = re.compile(rb"\x1b\$\)C")
_CHINESE = re.compile(rb"~\{[\x21-\x77][\x21-\x7e](?:[\x21-\x77][\x21-\x7e])*~\}")
_SHIFT = re.compile(rb"\x1b(?:\$[@B]|\$\([@BDOPQ]|\([BJIH])")


def decode_iso2022(data: bytes) -> tuple[str, str] | None:
    """(text, Python's encoding name) if the bytes are 7-bit text with such escapes, else None."""
    if b"\x1b" not in data and b"~{" not in data:
        return None
    if not data.isascii():
        return None
    if _JAPANESE.search(data):
        for encoding in ("iso2022_jp", "iso2022_jp_ext", "iso2022_jp_2004"):
            try:
                return data.decode(encoding), encoding
            except UnicodeDecodeError:
                continue
        text = _through_cp932(data)
        return None if text is None else (text, "iso2022_jp")
    for pattern, encoding in ((_KOREAN, "iso2022_kr"), (_CHINESE, "hz")):
        if pattern.search(data):
            try:
                return data.decode(encoding), encoding
            except UnicodeDecodeError:
                continue
    return None


def _through_cp932(data: bytes) -> str | None:
    """Decode by way of CP932; None if some pair of bytes is no character there either."""
    parts: list[bytes] = []
    at, mode = 0, b"\x1b(B"
    for match in (*_SHIFT.finditer(data), None):
        end = match.start() if match else len(data)
        part = data[at:end]
        if mode in (b"\x1b$@", b"\x1b$B", b"\x1b$(@", b"\x1b$(B"):
            parts.append(_shifted(part))
        elif mode == b"\x1b(I":
            parts.append(bytes(b | 0x80 if 0x21 <= b <= 0x5F else b for b in part))
        elif mode.startswith(b"\x1b$"):
            return None
        else:
            parts.append(part)
        if match:
            at, mode = match.end(), match[0]
    try:
        return b"".join(parts).decode("cp932")
    except UnicodeDecodeError:
        return None


def _shifted(pairs: bytes) -> bytes:
    """JIS X 0208 pairs as Shift_JIS (the standard's own arithmetic); line ends pass."""
    out = bytearray()
    at = 0
    while at < len(pairs):
        high = pairs[at]
        if high < 0x21 or at + 1 >= len(pairs):
            out.append(high)
            at += 1
            continue
        low = pairs[at + 1]
        at += 2
        out.append((high + 1 >> 1) + (0x70 if high < 0x5F else 0xB0))
        out.append(low + (0x1F if low < 0x60 else 0x20) if high & 1 else low + 0x7E)
    return bytes(out)
