"""Mail: messages, mailboxes, Outlook files and saved pages."""

from __future__ import annotations

import base64

import pytest

from inro.errors import Unreadable
from inro.readers import mail, mhtml, msg
from inro.readers.mail_headers import text_of
from inro.readers.registry import read

SUBJECT = "=?iso-2022-jp?B?" + base64.b64encode("日程の件".encode("iso2022_jp")).decode() + "?="


def message(body: bytes, *headers: str) -> bytes:
    head = ["From: =?utf-8?B?55Sw5Lit?= <t@example.org>", "To: lab@example.org", f"Subject: {SUBJECT}", *headers]
    return "\n".join(head).encode() + b"\n\n" + body


def test_headers_are_fields_and_stand_at_the_head_of_the_text() -> None:
    data = message("本文です。\n\n> 前の文".encode("cp932"), "Date: Wed, 1 Apr 2026 09:30:00 +0900",
                   "Content-Type: text/plain; charset=Shift_JIS")  # fmt: skip
    reading = mail.read(data, "a.eml")
    assert reading.text == (
        "From: 田中 <t@example.org>\nTo: lab@example.org\nDate: 2026-04-01 09:30:00+09:00\nSubject: 日程の件\n\n"
        "本文です。\n\n> 前の文"
    )
    assert reading.title == "日程の件"
    assert reading.fields["from"] == ("田中 <t@example.org>",)
    assert [b.kind for b in reading.blocks] == ["paragraph", "paragraph", "quote"]


@pytest.mark.parametrize(
    ("raw", "text"),
    [
        ("=?utf-8?Q?a=E2=80=93b?=", "a–b"),
        ("=?utf-8?B?5pel?= =?utf-8?B?5pys?=", "日本"),
        ("=?x-unknown?Q?a?=", "a"),
        ("plain", "plain"),
        ("実験ノートの件です".encode("cp932").decode("ascii", "surrogateescape"), "実験ノートの件です"),
    ],
)
def test_header_words_are_decoded_whatever_wrote_them(raw: str, text: str) -> None:
    assert text_of(raw) == text


def multipart(*parts: bytes, kind: str = "mixed") -> bytes:
    body = b"".join(b"--B\n" + part + b"\n" for part in parts) + b"--B--\n"
    return message(body, f'Content-Type: multipart/{kind}; boundary="B"')


def test_attachments_are_read_by_the_readers_of_their_formats() -> None:
    named = b'Content-Disposition: attachment; filename="=?utf-8?B?6KGoLmNzdg==?="'
    csv = b"Content-Type: text/csv\n" + named + b"\n\nname,note\nx,y"
    inner = b"Content-Type: message/rfc822\n\n" + message(b"inner body")
    picture = b"Content-Type: image/png\nContent-Disposition: inline; filename=logo.png\n\n\x89PNG"
    reading = mail.read(multipart(b"Content-Type: text/plain\n\nouter body", csv, inner, picture), "a.eml")
    assert "name: x | note: y" in reading.text and "inner body" in reading.text
    assert [b.label for b in reading.blocks if b.kind == "heading"] == ["表.csv", "日程の件"]
    assert reading.fields["attachments"] == ("表.csv", "message.rfc822", "logo.png")
    assert reading.outcome == "ok"


def test_of_alternatives_the_text_is_read_and_html_only_where_there_is_none() -> None:
    plain = b"Content-Type: text/plain\n\nplain words"
    page = b"Content-Type: text/html\n\n<p>rich <b>words</b></p>"
    both = mail.read(multipart(plain, page, kind="alternative"), "a.eml")
    assert both.text.count("words") == 1 and "plain words" in both.text
    assert "rich words" in mail.read(multipart(b"Content-Type: text/plain\n\n", page, kind="alternative"), "a.eml").text


def test_a_wrong_charset_is_not_believed_against_the_bytes() -> None:
    data = message("これは日本語の本文です。".encode(), "Content-Type: text/plain; charset=us-ascii")
    assert "これは日本語の本文です。" in mail.read(data, "a.eml").text


def test_a_mailbox_is_its_messages_in_order() -> None:
    one = b"From a@example.org Wed Apr  1 00:00:00 2026\n" + message(b"first\n>From the start\n")
    two = b"\nFrom b@example.org Wed Apr  1 00:00:00 2026\n" + message(b"second\n")
    reading = mail.read_mailbox(one + two, "a.mbox")
    assert [(b.page, b.label) for b in reading.blocks if b.kind == "heading"] == [(1, "日程の件"), (2, "日程の件")]
    assert "From the start" in reading.text and reading.text.endswith("second")


def test_what_is_no_mail_is_refused() -> None:
    with pytest.raises(Unreadable, match="headers"):
        mail.read(b"just words\nand more", "a.eml")
    with pytest.raises(Unreadable, match="mailbox"):
        mail.read_mailbox(b"just words", "a.mbox")
    with pytest.raises(Unreadable):
        msg.read(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(2000), "a.msg")


def test_messages_in_messages_end_at_a_depth() -> None:
    data = message(b"bottom")
    for _ in range(8):
        data = multipart(b"Content-Type: message/rfc822\n\n" + data)
    reading = mail.read(data.replace(b"--B", b"--B"), "a.eml")
    assert reading.outcome in ("ok", "partial")


def test_compressed_rtf_is_unpacked() -> None:
    # The example of [MS-OXRTFCP] 3.1.1, and the same text uncompressed.
    packed = bytes.fromhex(
        "2d0000002b0000004c5a4675f1c5c7a703000a007263706731323542320af32068656c090020627705b06c647d0a800fa0"
    )
    assert msg.unpack_rtf(packed, "a") == b"{\\rtf1\\ansi\\ansicpg1252\\pard hello world}\r\n"
    raw = b"{\\rtf1 a}"
    plain = (len(raw) + 12).to_bytes(4, "little") + len(raw).to_bytes(4, "little") + b"MELA" + bytes(4) + raw
    assert msg.unpack_rtf(plain, "a") == raw
    with pytest.raises(Unreadable):
        msg.unpack_rtf(b"short", "a")


def test_a_saved_page_is_the_page() -> None:
    page = "<html><head><title>題</title></head><body><main><p>本文の文章です。</p></main></body></html>".encode()
    data = (
        b"From: <Saved>\nSnapshot-Content-Location: https://x.example/a\nSubject: t\nMIME-Version: 1.0\n"
        b'Content-Type: multipart/related; type="text/html"; boundary="B"\n\n'
        b"--B\nContent-Type: text/html; charset=utf-8\n"
        b"Content-Transfer-Encoding: base64\n\n"
        + base64.encodebytes(page)
        + b"\n--B\nContent-Type: text/css\n\np{}\n--B--\n"
    )
    reading = read(data, "a.mhtml")
    assert (reading.text, reading.title, reading.reader) == ("本文の文章です。", "題", mhtml.READER.id)
    assert reading.fields["url"] == ("https://x.example/a",)
    with pytest.raises(Unreadable):
        mhtml.read(b"words", "a.mht")
