"""Outlook messages: properties by their MAPI tags, the body as text, HTML or compressed RTF, attachments.

Tags are those of [MS-OXPROPS], the stream names of [MS-OXMSG], compressed RTF of [MS-OXRTFCP]. Strings that
are not Unicode are in the code page that the message declares, and when it declares none, in what they look
like.
"""

from __future__ import annotations

import struct
from datetime import UTC, datetime, timedelta

from inro.errors import Unreadable
from inro.readers import html, rtf
from inro.readers.charsets import python_codec
from inro.readers.draft import Draft
from inro.readers.legacy import guess_legacy
from inro.readers.mail import body_blocks
from inro.readers.mail_headers import bytes_text
from inro.readers.nested import embed_file, shown_name
from inro.readers.ole import Compound
from inro.readers.reader import Reader, stem_of
from inro.readers.unfolding import one_deeper, unfolding
from inro.records import Reading

_SUBJECT, _SENDER, _SENDER_MAIL, _SENDER_SMTP, _TO, _CC = "0037", "0C1A", "0C1F", "5D01", "0E04", "0E03"
_BODY, _HTML, _RTF, _MESSAGE_ID, _IN_REPLY_TO = "1000", "1013", "1009", "1035", "1042"
_SUBMITTED, _DELIVERED, _CODE_PAGE, _BODY_CODE_PAGE = 0x0039, 0x0E06, 0x3FFD, 0x3FDE
_ATTACH_DATA, _ATTACH_LONG_NAME, _ATTACH_NAME, _DISPLAY_NAME = "3701", "3707", "3704", "3001"

_RTF_DICTIONARY = (
    b"{\\rtf1\\ansi\\mac\\deff0\\deftab720{\\fonttbl;}{\\f0\\fnil \\froman \\fswiss \\fmodern \\fscript "
    b"\\fdecor MS Sans SerifSymbolArialTimes New RomanCourier{\\colortbl\\red0\\green0\\blue0\r\n\\par "
    b"\\pard\\plain\\f0\\fs20\\b\\i\\u\\tab\\tx"
)
_PAGES = {65001: "utf-8", 932: "cp932", 936: "gb18030", 949: "cp949", 950: "big5", 1200: "", 20127: "",
    50220: "iso2022_jp", 50221: "iso2022_jp", 50222: "iso2022_jp", 51932: "euc_jp", 54936: "gb18030"}  # fmt: skip
_LARGEST_RTF = 64 * 1024 * 1024


def read(data: bytes, name: str, encoding: str | None = None) -> Reading:
    """Read an Outlook message. Raises `Unreadable` if it is none or is damaged."""
    with unfolding():
        box = _Message(Compound(data, name), (), name)
        draft = Draft()
        for key, value in (
            *box.shown(),
            ("message-id", box.text(_MESSAGE_ID)),
            ("in-reply-to", box.text(_IN_REPLY_TO)),
        ):
            draft.declare(key, value)
        box.write(draft, 1)
    if draft.empty:
        raise Unreadable(f"no message in it: {name}", "save it again from Outlook")
    return draft.reading(READER.id, box.text(_SUBJECT) or stem_of(name))


class _Message:
    def __init__(self, file: Compound, at: tuple[str, ...], name: str) -> None:
        self._file, self._at, self._name = file, at, name
        self._numbers = _properties(file.read(*at, "__properties_version1.0") or b"", 24 if at else 32)
        self._charset = self._declared() or self._looks_like()

    def text(self, tag: str, *folder: str) -> str:
        """A string property; empty if it is not there."""
        wide = self._file.read(*self._at, *folder, f"__substg1.0_{tag}001F")
        if wide is not None:
            return wide[: len(wide) // 2 * 2].decode("utf-16-le", "replace").rstrip("\0")
        narrow = self._file.read(*self._at, *folder, f"__substg1.0_{tag}001E")
        return bytes_text(narrow.rstrip(b"\0"), self._charset) if narrow else ""

    def _declared(self) -> str | None:
        """The charset that a code page of the message names."""
        for tag in (_CODE_PAGE, _BODY_CODE_PAGE):
            page = self._numbers.get(tag, b"")
            number = struct.unpack("<i", page[:4])[0] if len(page) >= 4 else 0
            name = _PAGES.get(number, f"cp{number}" if number > 0 else "")
            codec = python_codec(name) if name else None
            if codec not in (None, "ascii", "utf-16-le"):
                return codec
        return None

    def _looks_like(self) -> str | None:
        """The encoding that all narrow strings together look like; one alone is too short to tell."""
        depth = len(self._at)
        narrow = b"\n".join(
            part
            for path in self._file.paths()
            if path[:depth] == self._at and path[-1].endswith("001E") and (part := self._file.read(*path))
        )
        guess = guess_legacy(narrow) if not narrow.isascii() else None
        return guess[1] if guess is not None else None

    def binary(self, tag: str, *folder: str) -> bytes | None:
        """A binary property; None if it is not there."""
        return self._file.read(*self._at, *folder, f"__substg1.0_{tag}0102")

    def shown(self) -> list[tuple[str, str]]:
        """The headers a person looks for."""
        sender, address = self.text(_SENDER), self.text(_SENDER_SMTP) or self.text(_SENDER_MAIL)
        if "@" in address and address not in sender:
            sender = f"{sender} <{address}>" if sender else address
        headers = [("from", sender), ("to", self.text(_TO)), ("cc", self.text(_CC)), ("date", self._date())]
        return [(k, v) for k, v in (*headers, ("subject", self.text(_SUBJECT))) if v.strip("\0 ")]

    def _date(self) -> str:
        for tag in (_SUBMITTED, _DELIVERED):
            raw = self._numbers.get(tag, b"")
            ticks = struct.unpack("<Q", raw)[0] if len(raw) == 8 else 0
            if 0 < ticks < 3_000_000_000_000_000_000:
                moment = datetime(1601, 1, 1, tzinfo=UTC) + timedelta(microseconds=ticks // 10)
                return moment.isoformat(" ", "seconds")
        return ""

    def write(self, draft: Draft, level: int) -> None:
        """Write headers, body and attachments, attachments under headings of this level."""
        draft.add("paragraph", "\n".join(f"{key.capitalize()}: {value}" for key, value in self.shown()))
        body = self._body(draft)
        if body is not None:
            draft.embed(body, under=level)
        folders = dict.fromkeys(p[len(self._at)] for p in self._file.paths() if self._below(p))
        for folder in folders:
            self._attachment(draft, folder, level)

    def _below(self, path: tuple[str, ...]) -> bool:
        depth = len(self._at)
        return path[:depth] == self._at and len(path) > depth + 1 and path[depth].startswith("__attach_version1.0_")

    def _body(self, draft: Draft) -> Reading | None:
        text = self.text(_BODY)
        if text.strip():
            text = text.replace("\r\n", "\n").replace("\r", "\n")
            return Reading(text, "", body_blocks(text), READER.id)
        try:
            page = self.binary(_HTML)
            if page:
                return html.read_whole(page, "message.html")
            packed = self.binary(_RTF)
            if packed:
                return rtf.read(unpack_rtf(packed, self._name), "message.rtf")
        except Unreadable as e:
            draft.problems.append(e.message)
        return None

    def _attachment(self, draft: Draft, folder: str, level: int) -> None:
        name = shown_name(
            self.text(_ATTACH_LONG_NAME, folder) or self.text(_ATTACH_NAME, folder) or self.text(_DISPLAY_NAME, folder)
        )
        draft.declare("attachments", name)
        with unfolding() as left:
            left.member(self._name)
        data = self.binary(_ATTACH_DATA, folder)
        if data is not None:
            embed_file(draft, data, name, level)
            return
        inner = (*self._at, folder, f"__substg1.0_{_ATTACH_DATA}000D")
        if any(p[: len(inner)] == inner for p in self._file.paths()):
            try:
                with one_deeper(name):
                    message = _Message(self._file, inner, name)
                    draft.heading(level, message.text(_SUBJECT) or name)
                    message.write(draft, level + 1)
            except Unreadable as e:
                draft.problems.append(e.message)


def _properties(data: bytes, skip: int) -> dict[int, bytes]:
    """Fixed-size properties by tag: entries of 16 bytes after a header of `skip`."""
    found: dict[int, bytes] = {}
    for at in range(skip, len(data) - 15, 16):
        kind, tag = struct.unpack_from("<HH", data, at)
        found[tag] = data[at + 8 : at + 16] if kind in (0x0040, 0x0014) else data[at + 8 : at + 12]
    return found


def unpack_rtf(data: bytes, name: str) -> bytes:
    """The RTF in a compressed-RTF property. Raises `Unreadable` if it is damaged."""
    if len(data) < 16:
        raise Unreadable(f"damaged message body: {name}", "save it again from Outlook")
    _, size, magic = struct.unpack_from("<III", data)
    if magic == 0x414C454D:
        return data[16 : 16 + size]
    if magic != 0x75465A4C or size > _LARGEST_RTF:
        raise Unreadable(f"damaged message body: {name}", "save it again from Outlook")
    window = bytearray(_RTF_DICTIONARY.ljust(4096, b"\0"))
    write = len(_RTF_DICTIONARY)
    out = bytearray()
    at = 16
    while at < len(data) and len(out) < size:
        control = data[at]
        at += 1
        for bit in range(8):
            if at >= len(data) or len(out) >= size:
                break
            if not control >> bit & 1:
                byte = data[at]
                at += 1
                out.append(byte)
                window[write] = byte
                write = (write + 1) % 4096
                continue
            if at + 1 >= len(data):
                return bytes(out)
            pair = data[at] << 8 | data[at + 1]
            at += 2
            offset, length = pair >> 4, (pair & 15) + 2
            if offset == write:
                return bytes(out)
            for step in range(length):
                byte = window[(offset + step) % 4096]
                out.append(byte)
                window[write] = byte
                write = (write + 1) % 4096
    return bytes(out)


READER = Reader("msg", 1, frozenset({".msg"}), read, isolated=True)
