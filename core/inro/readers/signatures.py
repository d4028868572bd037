"""What kind of file these first bytes begin: the handful of signatures that a person's folders hold.

Not a file type database: it only has to tell text from what must not be read as text, and HTML from other
text. A container (zip, OLE) is named as a container; what is inside is the matter of its reader.
"""

from __future__ import annotations

import re

from inro.readers.wide import WIDE_MARKS, guess_wide

_MAGIC: tuple[tuple[bytes, str], ...] = (
    (b"%PDF-", "PDF"),
    (b"PK\x03\x04", "zip container"),
    (b"PK\x05\x06", "empty zip container"),
    (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "OLE container"),
    (b"{\\rtf", "RTF"),
    (b"\x89PNG\r\n\x1a\n", "PNG image"),
    (b"\xff\xd8\xff", "JPEG image"),
    (b"GIF87a", "GIF image"),
    (b"GIF89a", "GIF image"),
    (b"II*\x00", "TIFF image"),
    (b"MM\x00*", "TIFF image"),
    (b"\x1f\x8b", "gzip"),
    (b"BZh", "bzip2"),
    (b"\xfd7zXZ\x00", "xz"),
    (b"7z\xbc\xaf\x27\x1c", "7-Zip"),
    (b"Rar!\x1a\x07", "RAR"),
    (b"(\xb5/\xfd", "Zstandard"),
    (b"\x7fELF", "ELF program"),
    (b"MZ\x90\x00", "Windows program"),
    (b"\xca\xfe\xba\xbe", "Java class or Mach-O program"),
    (b"\xcf\xfa\xed\xfe", "Mach-O program"),
    (b"SQLite format 3\x00", "SQLite database"),
    (b"OggS", "Ogg media"),
    (b"ID3", "MP3 audio"),
    (b"fLaC", "FLAC audio"),
    (b"\x1aE\xdf\xa3", "Matroska media"),
    (b"\x00asm", "WebAssembly"),
    (b"wOFF", "font"),
    (b"wOF2", "font"),
    (b"HWP Document File V", "HWP document"),
    (b"GGUF", "GGUF model"),
)

_HTML = re.compile(
    rb"\A(?:\xef\xbb\xbf)?\s*(?:<\?xml[^>]{0,200}\?>\s*)?(?:<!--.{0,2000}?-->\s*)*<(?:!doctype\s+html|html|head|body)\b",
    re.IGNORECASE | re.DOTALL,
)

_CONTROLS = bytes(b for b in range(1, 32) if b not in b"\t\n\x0b\x0c\r\x1a\x1b\x08")
"""Control bytes that text does not hold; NUL is judged apart, since UTF-16 and UTF-32 are full of it."""


def binary_kind(head: bytes) -> str | None:
    """What binary format the bytes begin, in words; None if they may be text in some encoding."""
    for magic, kind in _MAGIC:
        if head.startswith(magic):
            return kind
    if head[4:8] == b"ftyp":
        return "MP4 or HEIF media"
    if head[:4] == b"RIFF" and head[8:12] in (b"WAVE", b"AVI ", b"WEBP"):
        return "RIFF media"
    if head[8:12] == b"DUCK":
        return "DuckDB database"
    return "binary" if looks_binary(head) else None


def looks_binary(head: bytes) -> bool:
    """Whether the bytes cannot be text in any encoding that text files are kept in."""
    if not head or head.startswith(WIDE_MARKS):
        return False
    nul = head.count(0)
    controls = len(head) - len(head.translate(None, _CONTROLS))
    # A stray NUL or control happens in text that a program wrote; many do not.
    if controls * 50 <= len(head) and nul * 200 <= len(head) and b"\x00\x00\x00" not in head:
        return False
    return guess_wide(head) is None


def looks_like_html(head: bytes) -> bool:
    """Whether the bytes begin an HTML document (not merely hold a tag)."""
    return _HTML.match(head) is not None
