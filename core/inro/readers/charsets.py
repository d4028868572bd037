"""Names of encodings: the charset a file declares, and what it means in practice.

Declared names are read as browsers read them (WHATWG's label table): the superset that is really in use.
`shift_jis` means CP932, `gb2312` GB18030, `euc-kr` CP949, `iso-8859-1` Windows-1252.
"""

from __future__ import annotations

import codecs
import re

_HEAD = 16384
"""How far a declaration is looked for; pages with long scripts before their head exist."""

_META = re.compile(rb"""<meta[^>]{0,300}?charset\s*=\s*["']?\s*([A-Za-z0-9_:.+-]{2,40})""", re.IGNORECASE)
_XML = re.compile(rb"""\A\s*<\?xml[^>]{0,200}?encoding\s*=\s*["']([A-Za-z0-9_:.+-]{2,40})["']""", re.IGNORECASE)
_COMMENT = re.compile(rb"<!--.*?-->", re.DOTALL)

_IN_PRACTICE = {
    "shift_jis": "cp932",
    "shiftjis": "cp932",
    "sjis": "cp932",
    "xsjis": "cp932",
    "mskanji": "cp932",
    "windows31j": "cp932",
    "cswindows31j": "cp932",
    "xeucjp": "euc_jp",
    "gb2312": "gb18030",
    "gbk": "gb18030",
    "xgbk": "gb18030",
    "chinese": "gb18030",
    "csgb2312": "gb18030",
    "big5": "big5hkscs",
    "xxbig5": "big5hkscs",
    "cnbig5": "big5hkscs",
    "euckr": "cp949",
    "ksc56011987": "cp949",
    "ksc5601": "cp949",
    "korean": "cp949",
    "windows949": "cp949",
    "iso88591": "cp1252",
    "latin1": "cp1252",
    "usascii": "cp1252",
    "ascii": "cp1252",
    "iso88599": "cp1254",
    "iso885911": "cp874",
    "tis620": "cp874",
    "windows874": "cp874",
    "unicode": "utf-16-le",
    "utf16": "utf-16-le",
    "xmaccyrillic": "mac_cyrillic",
    "macintosh": "mac_roman",
}


def python_codec(name: str) -> str | None:
    """Python's name of the text encoding that `name` means in practice; None if there is none such."""
    key = re.sub(r"[^a-z0-9]", "", name.lower())
    try:
        info = codecs.lookup(_IN_PRACTICE.get(key) or _IN_PRACTICE.get(name.lower(), name))
    except (LookupError, UnicodeEncodeError, ValueError):
        return None
    # The registry also holds codecs that are not text encodings (zlib, rot13).
    text_codec = getattr(info, "_is_text_encoding", True)
    if not text_codec or info.name in (
        "idna",
        "punycode",
        "unicode_escape",
        "raw_unicode_escape",
        "undefined",
    ):
        return None
    return "utf-8" if info.name == "utf-8-sig" else info.name


def declared_charset(data: bytes) -> str | None:
    """The encoding that an HTML or XML file says it is in, as Python's name; None if it says nothing usable.

    A declaration that can be read as ASCII cannot be UTF-16 or UTF-32: such a one means UTF-8.
    """
    head = data[:_HEAD]
    for match in (_XML.search(head), *_META.finditer(_COMMENT.sub(b"", head))):
        if match is None:
            continue
        codec = python_codec(match[1].decode("ascii"))
        if codec is not None:
            return "utf-8" if codec.startswith(("utf-16", "utf-32")) else codec
    return None
