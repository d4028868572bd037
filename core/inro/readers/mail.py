"""Mail: one message or a mailbox of them, bodies in their own charset, attachments by their own readers.

Headers are declared fields and also stand at the head of the text, since a message is looked for by who wrote
it. Of a body that is there as text and as HTML the HTML is read only if the text is empty. Each message of a
mailbox has its subject as heading and its number as page.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from email import policy
from email.errors import MessageError
from email.message import Message
from email.parser import BytesParser

from inro.errors import Unreadable
from inro.readers import html
from inro.readers.blocks import paragraphs
from inro.readers.charsets import python_codec
from inro.readers.decode import decode
from inro.readers.draft import Draft
from inro.readers.mail_headers import date_of, header, text_of
from inro.readers.nested import embed_file, shown_name
from inro.readers.reader import Reader, stem_of
from inro.readers.unfolding import one_deeper, unfolding
from inro.records import Block, Reading

_SHOWN = (("from", "From"), ("to", "To"), ("cc", "Cc"), ("date", "Date"), ("subject", "Subject"))
_DECLARED = ("from", "to", "cc", "bcc", "reply-to", "subject", "message-id", "in-reply-to", "list-id")
_FROM_LINE = re.compile(rb"^From (?=\S+[ \t].*\d{4}|\S+@\S+|- )", re.MULTILINE)
_HEADERS = re.compile(rb"\A(?:[!-9;-~]+:.*\r?\n(?:[ \t].*\r?\n)*){1,}", re.MULTILINE)
_DEEPEST_PARTS = 40


def read(data: bytes, name: str, encoding: str | None = None) -> Reading:
    """Read one message. Raises `Unreadable` if it has no headers."""
    draft = Draft()
    with unfolding():
        message = _parsed(data, name)
        _declare(draft, message)
        write_message(draft, message, 1, None)
    return draft.reading(EML.id, header(message, "subject") or stem_of(name))


def read_mailbox(data: bytes, name: str, encoding: str | None = None) -> Reading:
    """Read a mailbox. Raises `Unreadable` if it holds no message."""
    draft = Draft()
    with unfolding() as left:
        for number, raw in enumerate(_messages(data, name), 1):
            left.member(name)
            try:
                message = _parsed(raw, name)
            except Unreadable as e:
                draft.problems.append(e.message)
                continue
            for key in ("from", "subject"):
                draft.declare(key, header(message, key))
            draft.heading(1, header(message, "subject") or f"{number}", number)
            write_message(draft, message, 2, number)
    return draft.reading(MBOX.id, stem_of(name))


def write_message(draft: Draft, message: Message, level: int, page: int | None) -> None:
    """Write headers, bodies and attachments of a message, attachments under headings of this level."""
    lines = [f"{label}: {value}" for key, label in _SHOWN if (value := _shown(message, key))]
    draft.add("paragraph", "\n".join(lines), page)
    bodies, attachments = _parts(message)
    for body in bodies:
        _body(draft, body, level, page)
    for part in attachments:
        _attachment(draft, part, level, page)


def _parsed(data: bytes, name: str) -> Message:
    head = _HEADERS.match(data.lstrip(b"\r\n \xef\xbb\xbf"))
    if head is None:
        raise Unreadable(f"no mail, it has no headers: {name}", "give it the suffix of its format")
    try:
        return BytesParser(policy=policy.compat32).parsebytes(data.lstrip(b"\r\n \xef\xbb\xbf"))
    except (MessageError, ValueError, LookupError, TypeError, AttributeError, IndexError) as e:
        raise Unreadable(f"damaged mail ({e}): {name}", "save it again from the mail program") from e


def _declare(draft: Draft, message: Message) -> None:
    for key in _DECLARED:
        draft.declare(key, header(message, key))
    draft.declare("date", date_of(message))


def _shown(message: Message, key: str) -> str:
    return date_of(message) if key == "date" else header(message, key)


def _messages(data: bytes, name: str) -> Iterator[bytes]:
    """The messages of a mailbox: between `From ` lines that stand after a blank line."""
    starts = [m.start() for m in _FROM_LINE.finditer(data) if _after_blank(data, m.start())]
    if not starts:
        raise Unreadable(f"no mailbox, it has no `From ` line: {name}", "give it the suffix of its format")
    for start, end in zip(starts, [*starts[1:], len(data)], strict=True):
        line = data.find(b"\n", start, end)
        if line != -1:
            yield re.sub(rb"(?m)^>(>*From )", rb"\1", data[line + 1 : end])


def _after_blank(data: bytes, at: int) -> bool:
    return at == 0 or data[max(at - 4, 0) : at].endswith((b"\n\n", b"\n\r\n"))


def _parts(message: Message, depth: int = 0) -> tuple[list[Message], list[Message]]:
    """(bodies, attachments) in order; of alternatives the one that is text."""
    kind = message.get_content_type()
    disposition = str(message.get("content-disposition", "")).lower()
    payload = message.get_payload()
    if kind == "message/rfc822" or depth > _DEEPEST_PARTS:
        return [], [message]
    if isinstance(payload, list):
        bodies: list[Message] = []
        attachments: list[Message] = []
        for part in payload:
            if isinstance(part, Message):
                more, others = _parts(part, depth + 1)
                bodies.extend(more)
                attachments.extend(others)
        if kind == "multipart/alternative":
            plain_bodies = [b for b in bodies if b.get_content_type() == "text/plain" and _bytes(b).strip()]
            rich = [b for b in bodies if b.get_content_type() == "text/html"]
            bodies = plain_bodies or rich or bodies[:1]
        return bodies, attachments
    if kind in ("text/plain", "text/html") and not disposition.startswith("attachment") and not _filename(message):
        return [message], []
    return [], [message]


def _body(draft: Draft, part: Message, level: int, page: int | None) -> None:
    data = _bytes(part)
    if not data.strip():
        return
    charset = part.get_content_charset()
    codec = python_codec(charset) if charset else None
    try:
        if part.get_content_type() == "text/html":
            draft.embed(html.read_whole(data, "message.html", codec), under=level, page=page)
            return
        text = _text(data, codec)
    except Unreadable as e:
        draft.problems.append(e.message)
        return
    draft.embed(Reading(text, "", body_blocks(text), EML.id), page=page)


def body_blocks(text: str) -> tuple[Block, ...]:
    """Paragraphs of a plain message; what is quoted from an earlier one is a quote."""
    spans = paragraphs(text, 0, len(text))
    return tuple(Block("quote" if text[a] in ">＞" else "paragraph", a, b) for a, b in spans)


def _text(data: bytes, codec: str | None) -> str:
    """The text of a body; a declared charset is believed only as far as the bytes fit it."""
    if codec is not None and codec not in ("ascii", "cp1252", "utf-8"):
        try:
            return decode(data, "message", override=codec).text
        except Unreadable:
            pass
    return decode(data, "message").text


def _attachment(draft: Draft, part: Message, level: int, page: int | None) -> None:
    name = shown_name(_filename(part) or part.get_content_type().replace("/", "."))
    draft.declare("attachments", name)
    payload = part.get_payload()
    if part.get_content_type() == "message/rfc822" and isinstance(payload, list) and payload:
        inner = payload[0]
        if isinstance(inner, Message):
            draft.heading(level, header(inner, "subject") or name, page)
            try:
                with one_deeper(name):
                    write_message(draft, inner, level + 1, page)
            except Unreadable as e:
                draft.problems.append(e.message)
        return
    data = _bytes(part)
    if not data or part.get_content_maintype() in ("image", "audio", "video"):
        return
    with unfolding() as left:
        left.member(name)
        left.unfolded(len(data), len(data), len(data), name)
    embed_file(draft, data, _suffixed(name, part.get_content_type()), level, page)


_SUFFIXES = {
    "text/html": ".html",
    "text/plain": ".txt",
    "text/csv": ".csv",
    "application/pdf": ".pdf",
    "application/json": ".json",
    "text/calendar": ".ics",
}


def _suffixed(name: str, kind: str) -> str:
    return name if "." in name[-6:] else name + _SUFFIXES.get(kind, "")


def _bytes(part: Message) -> bytes:
    try:
        payload = part.get_payload(decode=True)
    except (ValueError, LookupError, AssertionError, TypeError):
        return b""
    return payload if isinstance(payload, bytes) else b""


def _filename(part: Message) -> str:
    try:
        name = part.get_filename()
    except (ValueError, LookupError, TypeError, IndexError):
        return ""
    return text_of(name) if name else ""


EML = Reader("eml", 1, frozenset({".eml"}), read, isolated=True)
MBOX = Reader("mbox", 1, frozenset({".mbox", ".mbx"}), read_mailbox, isolated=True)
