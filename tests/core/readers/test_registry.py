"""Which reader reads what."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inro.errors import Unreadable
from inro.readers.registry import READERS, read, reader_for


@pytest.mark.parametrize(
    ("suffix", "head", "name"),
    [
        (".md", b"", "markdown"),
        (".MD", b"", "markdown"),
        (".htm", b"", "html"),
        (".txt", b"<html>", "plain"),
        (".py", b"", "source"),
        (".csv", b"", "csv"),
        (".json", b"", "json"),
        (".docx", b"", "docx"),
        (".gz", b"", "tar"),
        ("", b"PK\x03\x04", "zip"),
        (".doc", b"{\\rtf1", "doc"),
        (".wri", b"{\\rtf1", "rtf"),
        ("", b"plain words", "plain"),
        ("", b"<!DOCTYPE html><html>", "html"),
        (".xyz", "日本語".encode("cp932"), "plain"),
        (".PDF", b"", "pdf"),
        ("", b"%PDF-1.7\n", "pdf"),
        (".jpeg", b"", "image"),
        (".xyz", b"\x89PNG\r\n\x1a\n", "image"),
    ],
)
def test_the_suffix_decides_and_then_the_first_bytes(suffix: str, head: bytes, name: str) -> None:
    reader = reader_for(suffix, head)
    assert reader is not None and reader.name == name


@pytest.mark.parametrize(
    "head",
    [b"7z\xbc\xaf\x27\x1c", b"PK\x03\x04", b"OggS", bytes(range(32)) * 8, b"\x00\x01\x02\x00" * 50],
)
def test_binary_formats_without_a_reader_have_none(head: bytes) -> None:
    assert reader_for(".xyz", head) is None


def test_a_file_without_a_reader_is_skipped_with_its_reason() -> None:
    reading = read(b"OggS" + bytes(8), "talks/a.ogg")
    assert (reading.outcome, reading.text, reading.title) == ("skipped", "", "a")
    assert reading.reason == "no reader for .ogg (Ogg media)"


def test_a_text_suffix_on_binary_bytes_is_unreadable() -> None:
    with pytest.raises(Unreadable, match="binary"):
        read(b"\x7fELF" + bytes(100), "a.txt")


def test_every_reader_is_named_once_and_tells_its_version() -> None:
    names = [r.name for r in READERS]
    assert len(set(names)) == len(names)
    for reader in READERS:
        assert reader.version >= 1
        assert all(s.startswith(".") and s == s.lower() for s in reader.suffixes)
        try:
            reading = reader.read(b"word", "x", None)
        except Unreadable as e:
            assert e.message and e.mend
            continue
        assert reading.reader in {r.id for r in READERS}
        assert reading.text.endswith("word")


def test_an_empty_file_is_read() -> None:
    for name in ("a.md", "a.txt", "a.html", "a.csv", "a.py", "a"):
        reading = read(b"", name)
        assert (reading.text, reading.blocks, reading.outcome) == ("", (), "ok")


@given(st.binary(max_size=200), st.sampled_from(["a.md", "a.txt", "a.html", "a.csv", "a.json", "a"]))
def test_no_bytes_end_in_anything_but_a_reading_or_a_reason(data: bytes, name: str) -> None:
    try:
        reading = read(data, name)
    except Unreadable as e:
        assert e.message
    else:
        assert reading.outcome in ("ok", "partial", "skipped")
