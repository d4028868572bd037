"""Containers: archives, and everything that is done to make them dangerous."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import tarfile
import zipfile

import offices as make
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from inro.errors import Unreadable
from inro.readers import unfolding as limits
from inro.readers.container import Container
from inro.readers.registry import read
from inro.readers.xml_tree import parse


def tarred(members: dict[str, bytes]) -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as tar:
        for name, content in members.items():
            info = tarfile.TarInfo(name)
            info.size = len(content)
            tar.addfile(info, io.BytesIO(content))
        link = tarfile.TarInfo("link.txt")
        link.type, link.linkname = tarfile.SYMTYPE, "/etc/passwd"
        tar.addfile(link)
    return out.getvalue()


MEMBERS = {"手順/a.md": "# 乾燥\n\n本文 [[B]]\n".encode(), "b.csv": b"name,note\nx,y\n", "__MACOSX/c.txt": b"no"}
TEXT = "手順/a.md\n\n# 乾燥\n\n本文 [[B]]\n\nb.csv\n\nname | note\nname: x | note: y"


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("a.zip", make.zipped(dict(MEMBERS))),
        ("a.tar", tarred(MEMBERS)),
        ("a.tar.gz", gzip.compress(tarred(MEMBERS))),
        ("a.tgz", gzip.compress(tarred(MEMBERS))),
        ("a.tar.bz2", bz2.compress(tarred(MEMBERS))),
        ("a.tar.xz", lzma.compress(tarred(MEMBERS))),
    ],
    ids=["zip", "tar", "tar.gz", "tgz", "tar.bz2", "tar.xz"],
)
def test_members_are_read_by_the_readers_of_their_formats(name: str, data: bytes) -> None:
    reading = read(data, name)
    assert reading.text == TEXT
    labels = [(b.level, b.label) for b in reading.blocks if b.kind == "heading"]
    assert labels == [(1, "手順/a.md"), (2, "乾燥"), (1, "b.csv")]
    assert [(link.target, reading.text[link.start : link.end]) for link in reading.links] == [("B", "[[B]]")]


def test_one_packed_file_is_read_under_its_name() -> None:
    assert read(gzip.compress(b"plain words"), "log.txt.gz").text == "log.txt\n\nplain words"


def test_names_in_japanese_zip_files_are_read_in_their_encoding() -> None:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as file:
        file.writestr(zipfile.ZipInfo("x" * 20), b"1")
    name = "実験結果の一覧.txt".encode("cp932")
    data = out.getvalue().replace(b"x" * 20, name.ljust(20, b"_"))
    assert Container(data, "a.zip").names() == ["実験結果の一覧.txt" + "_" * (20 - len(name))]


def test_a_member_that_cannot_be_read_does_not_end_the_archive() -> None:
    data = make.zipped({"a.docx": b"PK\x03\x04 broken", "b.png": b"\x89PNG\r\n\x1a\n0000", "c.txt": "残り"})
    reading = read(data, "a.zip")
    assert reading.outcome == "partial"
    assert "a.docx" in reading.reason and "b.png" in reading.reason
    assert reading.text.endswith("c.txt\n\n残り")


def test_a_bomb_is_told_by_what_comes_out_and_not_by_what_it_declares(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "_RATIO_FROM", 1024 * 1024)
    bomb = make.zipped({"a.txt": b"0" * (8 * 1024 * 1024), "b.txt": b"after"})
    assert len(bomb) < 20_000
    reading = read(bomb, "a.zip")
    assert (reading.outcome, reading.text) == ("partial", "b.txt\n\nafter")
    assert "unfolds" in reading.reason
    with pytest.raises(Unreadable, match="unfolds"):
        read(gzip.compress(b"0" * (8 * 1024 * 1024)), "a.gz")
    with pytest.raises(Unreadable, match="unfolds"):
        read(bz2.compress(b"0" * (8 * 1024 * 1024)), "a.bz2")


def test_the_limits_are_one_for_all_that_is_nested(monkeypatch: pytest.MonkeyPatch) -> None:
    inner = make.zipped({f"{n}.txt": "x" * 1000 for n in range(10)})
    outer = make.zipped({f"{n}.zip": inner for n in range(10)})
    monkeypatch.setattr(limits.Unfolding.__init__, "__defaults__", (20_000, 1000, limits.DEEPEST))
    reading = read(outer, "a.zip")
    assert reading.outcome == "partial" and "unfolds to more" in reading.reason
    assert 1000 < reading.text.count("x") < 20_000
    monkeypatch.setattr(limits.Unfolding.__init__, "__defaults__", (10**9, 30, limits.DEEPEST))
    reading = read(outer, "a.zip")
    assert reading.outcome == "partial" and "members" in reading.reason


def test_archives_within_archives_end_at_a_depth() -> None:
    data = make.zipped({"deep.txt": "底"})
    for n in range(8):
        data = make.zipped({f"{n}.zip": data})
    reading = read(data, "a.zip")
    assert reading.outcome == "partial" and "deep" in reading.reason
    assert "底" not in reading.text


@pytest.mark.parametrize("name", ["../../etc/passwd", "/etc/passwd", "C:\\x\\y.txt", "a\x1b[31m\nb.txt"])
def test_no_name_is_more_than_words(name: str) -> None:
    reading = read(make.zipped({name: "content"}), "a.zip")
    assert reading.text.endswith("content")
    assert "\x1b" not in reading.text


def test_a_member_without_a_name_is_no_file() -> None:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as file:
        file.writestr(zipfile.ZipInfo("q"), b"1")
        file.writestr(zipfile.ZipInfo("a.txt"), b"2")
    data = out.getvalue().replace(b"q", b"\0")
    assert Container(data, "a.zip").names() == ["a.txt"]


def test_an_encrypted_member_is_named() -> None:
    data = bytearray(make.zipped({"a.txt": "x"}))
    data[6] |= 1
    data[data.index(b"PK\x01\x02") + 8] |= 1
    assert "password" in read(bytes(data), "a.zip").reason


ENTITIES = """<?xml version="1.0"?><!DOCTYPE a [<!ENTITY b "xxxx"><!ENTITY c "&b;&b;"><!ENTITY d SYSTEM "file:///etc/passwd">]>
<w:document xmlns:w="w"><w:body><w:p><w:r><w:t>&c;&d;</w:t></w:r></w:p></w:body></w:document>"""


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
def test_entities_are_refused_in_any_encoding(encoding: str) -> None:
    with pytest.raises(Unreadable, match="entities"):
        parse(ENTITIES.encode(encoding), "a.xml")
    with pytest.raises(Unreadable, match="entities"):
        read(make.zipped({"word/document.xml": ENTITIES.encode(encoding)}), "a.docx")
    with pytest.raises(Unreadable, match="entities"):
        read(make.zipped({"content.xml": ENTITIES.encode(encoding)}), "a.odt")


def test_a_document_type_that_only_names_a_place_is_no_harm() -> None:
    page = '<!DOCTYPE ncx PUBLIC "-//x//" "http://x.example/ncx.dtd"><ncx><a>b</a></ncx>'
    assert [e.text for e in parse(page.encode(), "a.xml")] == ["b"]


def test_nesting_beyond_sense_has_an_outcome() -> None:
    deep = "<w:ins>" * 5000 + "</w:ins>" * 5000
    with pytest.raises(Unreadable, match="deep"):
        read(make.docx(deep), "a.docx")
    with pytest.raises(Unreadable, match="deep"):
        read(b"[" * 200_000 + b"]" * 200_000, "a.json")
    with pytest.raises(Unreadable, match="deep"):
        read(b"{\\rtf1" + b"{" * 5000, "a.rtf")


SUFFIXES = [".docx", ".xlsx", ".pptx", ".odt", ".ods", ".epub", ".zip", ".tar", ".gz", ".rtf", ".eml", ".mbox", ".msg",
            ".ipynb", ".canvas", ".json", ".mht", ".org", ".rst", ".hwp", ".graphium", ".doc",
            ".xls", ".ppt", ".yaml", ".toml"]  # fmt: skip


@settings(max_examples=150, deadline=None)
@given(st.data())
def test_no_damage_ends_in_anything_but_an_outcome(data: st.DataObject) -> None:
    suffix = data.draw(st.sampled_from(SUFFIXES))
    whole = bytearray(data.draw(st.sampled_from(WHOLE)))
    for _ in range(data.draw(st.integers(0, 4))):
        at = data.draw(st.integers(0, len(whole) - 1))
        whole[at : at + data.draw(st.integers(0, 3))] = data.draw(st.binary(max_size=3))
    try:
        reading = read(bytes(whole), "a" + suffix)
    except Unreadable as e:
        assert e.message and e.mend
    else:
        assert reading.outcome in ("ok", "partial", "skipped")
        assert all(0 <= b.start < b.end <= len(reading.text) for b in reading.blocks)


WHOLE = [
    make.docx(make.paragraph("本文")),
    make.xlsx({"a": '<row><c r="A1"><v>1</v></c></row>'}),
    make.pptx([make.slide(make.shape("a"))]),
    make.odf("text", "<text:p>a</text:p>"),
    make.epub({"a.xhtml": "<html><body><p>a</p></body></html>"}),
    tarred({"a.txt": b"a"}),
    gzip.compress(b"a"),
    b"{\\rtf1\\ansi\\ansicpg932{\\fonttbl{\\f0\\fcharset128 M;}}\\f0 \\'93\\'fa\\par\\u26085?}",
    b"From: a@example.org\nSubject: =?iso-2022-jp?B?GyRCRnxLXBsoQg==?=\nContent-Type: multipart/mixed; boundary=x\n\n"
    b"--x\nContent-Type: text/plain; charset=utf-8\n\na\n--x--\n",
    b'{"nodes":[{"id":"a","type":"text","x":0,"y":0,"text":"b"}],"edges":[]}',
    b'{"title":"t","pages":[{"id":"p","blocks":[],"labels":{}}]}',
    b'{"cells":[{"cell_type":"code","source":["a"],"outputs":[{"text":["b"]}]}]}',
    b"From a Mon Jan  1 00:00:00 2026\nSubject: x\n\nbody\n",
]
