"""Pages saved whole (MHTML, `.mht`): the page that the file is about, by the HTML reader.

Pictures, styles and frames beside it are not read. Where the page was and when it was saved are fields.
"""

from __future__ import annotations

from dataclasses import replace
from email import policy
from email.message import Message
from email.parser import BytesParser

from inro.errors import Unreadable
from inro.readers import html
from inro.readers.charsets import python_codec
from inro.readers.headers import add_field
from inro.readers.mail_headers import date_of, header
from inro.readers.reader import Reader
from inro.records import Reading


def read(data: bytes, name: str, encoding: str | None = None) -> Reading:
    """Read a saved page. Raises `Unreadable` if there is no page in it."""
    message = BytesParser(policy=policy.compat32).parsebytes(data.lstrip(b"\r\n \xef\xbb\xbf"))
    parts = [p for p in message.walk() if p.get_content_type() in ("text/html", "application/xhtml+xml")]
    start = (message.get_param("start") or "") if message.is_multipart() else ""
    page = next((p for p in parts if start and p.get("content-id", "").strip() == start), None) or next(
        iter(parts), None
    )
    content = _content(page) if page is not None else b""
    if page is None or not content:
        raise Unreadable(f"no page in it: {name}", "save the page again from the browser")
    charset = page.get_content_charset()
    codec = python_codec(charset) if charset else None
    reading = html.read(content, name, encoding or (codec if codec not in (None, "cp1252") else None))
    fields = dict(reading.fields)
    for key, value in (
        ("url", header(message, "snapshot-content-location") or header(page, "content-location")),
        ("saved", date_of(message)),
    ):
        if value and key not in fields:
            add_field(fields, key, (value,))
    title = reading.title if reading.title else header(message, "subject")
    return replace(reading, reader=READER.id, fields=fields, title=title)


def _content(part: Message) -> bytes:
    try:
        payload = part.get_payload(decode=True)
    except (ValueError, LookupError, AssertionError):
        return b""
    return payload if isinstance(payload, bytes) else b""


READER = Reader("mhtml", 1, frozenset({".mhtml", ".mht"}), read, isolated=True)
