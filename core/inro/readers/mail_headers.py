"""Mail headers as text: encoded words of any charset, and the raw 8-bit headers that old programs sent."""

from __future__ import annotations

import re
from email.header import decode_header
from email.message import Message
from email.utils import parsedate_to_datetime

from inro.errors import Unreadable
from inro.readers.charsets import python_codec
from inro.readers.decode import decode
from inro.readers.draft import clean

_GAP = re.compile(r"(\?=)\s+(=\?)")
_LONGEST = 4000


def header(message: Message, name: str) -> str:
    """A header's value on one line; empty if it is not there."""
    try:
        raw = message.get(name)
    except (IndexError, ValueError, LookupError):
        return ""
    return text_of(str(raw)) if raw is not None else ""


def text_of(raw: str) -> str:
    """A header value as text."""
    raw = raw[:_LONGEST]
    octets = raw.encode("ascii", "surrogateescape") if any("\udc80" <= c <= "\udcff" for c in raw) else None
    if octets is not None:
        raw = bytes_text(octets)
    try:
        parts = decode_header(_GAP.sub(r"\1\2", raw))
    except (ValueError, LookupError, IndexError):
        parts = [(raw, None)]
    texts: list[str] = []
    for part, charset in parts:
        if isinstance(part, str):
            texts.append(part)
        elif charset is None:
            texts.append(bytes_text(part))
        else:
            texts.append(bytes_text(part, charset))
    return " ".join(clean("".join(texts)).split())


def bytes_text(data: bytes, charset: str | None = None) -> str:
    """Bytes in the charset they declare if that fits, else in what they look like."""
    codec = python_codec(charset) if charset else None
    if codec is not None and codec not in ("cp1252", "us-ascii"):
        try:
            return data.decode(codec)
        except UnicodeDecodeError:
            pass
    try:
        return decode(data, "header").text
    except Unreadable:
        return data.decode(codec or "utf-8", "replace")


def date_of(message: Message) -> str:
    """The date in ISO form; as written if it is none."""
    raw = header(message, "date")
    try:
        return parsedate_to_datetime(raw).isoformat(" ", "seconds") if raw else ""
    except (ValueError, TypeError, IndexError, OverflowError):
        return raw
