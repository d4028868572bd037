"""Boards, lab notes with provenance, notebooks, Org, reStructuredText, JSON, RTF and books."""

from __future__ import annotations

import json

import offices as make
import pytest

from inro.errors import Unreadable
from inro.readers import canvas, epub, graphium, json_text, notebook, org, rst, rtf
from inro.readers.graphium_labels import LABELS, LINKS, label_of, link_of
from inro.readers.registry import read
from inro.records import Reading


def shown(reading: Reading) -> list[tuple[str, str]]:
    return [(b.kind, reading.text[b.start : b.end]) for b in reading.blocks]


def test_json_is_lines_that_say_where_a_value_stands() -> None:
    data = json.dumps(
        {"試料": {"質量": 1.5, "名": "S-1", "ok": True, "n": None}, "tags": ["a", "b"], "runs": [{"t": 1}]}
    )
    assert "\\u" in data
    assert read(data.encode(), "a.json").text == "試料.質量: 1.5\n試料.名: S-1\n試料.ok: true\ntags: a, b\nruns.t: 1"
    records = read(b'{"a": "x"}\n{"a": "y"}\n', "a.jsonl")
    assert shown(records) == [("list", "a: x"), ("list", "a: y")]
    assert read(b"{not json", "a.json").text == "{not json"
    with pytest.raises(Unreadable, match="deep"):
        list(json_text.lines(json.loads("[" * 100 + "]" * 100)))


def test_a_board_is_read_by_its_groups_with_its_arrows() -> None:
    board = {
        "nodes": [
            {"id": "g", "type": "group", "x": 0, "y": 100, "width": 500, "height": 500, "label": "実験"},
            {"id": "b", "type": "text", "x": 10, "y": 300, "width": 9, "height": 9, "text": "焼成"},
            {"id": "a", "type": "text", "x": 10, "y": 150, "width": 9, "height": 9, "text": "# 乾燥\n\n[[手順]] #重要"},
            {"id": "f", "type": "file", "x": 900, "y": 0, "width": 9, "height": 9, "file": "p/x.md", "subpath": "#h"},
            {"id": "u", "type": "link", "x": 900, "y": 9, "width": 9, "height": 9, "url": "https://x.example/"},
        ],
        "edges": [
            {"id": "1", "fromNode": "a", "toNode": "b", "label": "次"},
            {"id": "2", "fromNode": "b", "toNode": "f", "fromEnd": "arrow", "toEnd": "none"},
            {"id": "3", "fromNode": "b", "toNode": "gone"},
        ],
    }
    reading = read(json.dumps(board).encode(), "a.canvas")
    assert shown(reading) == [
        ("paragraph", "p/x.md#h"),
        ("paragraph", "https://x.example/"),
        ("heading", "実験"),
        ("heading", "# 乾燥"),
        ("paragraph", "[[手順]] #重要"),
        ("paragraph", "焼成"),
        ("list", "- 乾燥 -> 焼成: 次\n- 焼成 <- p/x.md#h"),
    ]
    assert [(k.kind, k.target) for k in reading.links] == [
        ("embed", "p/x.md#h"), ("url", "https://x.example/"), ("wiki", "手順"),
    ]  # fmt: skip
    assert reading.tags == ("重要",)
    assert canvas.read(b"{}", "empty.canvas").text == ""


def block(id_: str, text: str, kind: str = "paragraph", **props: object) -> dict[str, object]:
    return {"id": id_, "type": kind, "props": props, "content": [{"type": "text", "text": text, "styles": {}}],
            "children": []}  # fmt: skip


def note(**page: object) -> dict[str, object]:
    base = {"id": "p", "title": "", "blocks": [], "labels": {}, "provLinks": [], "knowledgeLinks": []}
    return {"version": 5, "title": "焼成", "pages": [{**base, **page}], "createdAt": "2026-04-01T00:00:00Z"}


@pytest.mark.parametrize(
    ("raw", "label"),
    [("[手順]", "procedure"), ("[操作]", "procedure"), ("[材料]", "material"), ("[使用したもの]", "material"),
     ("[試料]", "material"), ("[Reagents]", "material"), ("[道具]", "tool"), ("tool", "tool"), ("[条件]", "attribute"),
     ("[パラメータ]", "attribute"), ("[結果]", "result"), ("output", "result"), ("［産物］", "result"),
     ("[考察]", "考察")],
)  # fmt: skip
def test_a_label_means_the_same_in_every_spelling(raw: str, label: str) -> None:
    assert label_of(raw) == label


@pytest.mark.parametrize("raw", ["informed_by", "informedBy", "wasInformedBy", "prov:wasInformedBy", "前手順"])
def test_a_link_kind_means_the_same_in_every_spelling(raw: str) -> None:
    assert link_of(raw) == "informed_by"


@pytest.mark.parametrize("label", LABELS)
def test_every_label_is_a_field_and_stands_at_its_block(label: str) -> None:
    value = note(blocks=[block("a", "TiO2 を量る")], labels={"a": label})
    reading = read(json.dumps(value).encode(), "x.json")
    assert reading.reader == graphium.READER.id
    assert reading.fields[label] == ("TiO2 を量る",)
    assert reading.fields["label"] == (label,)
    assert f"TiO2 を量る [{label} " in reading.text


@pytest.mark.parametrize("kind", LINKS)
def test_every_link_is_a_field_and_a_line_that_names_both_ends(kind: str) -> None:
    value = note(
        blocks=[block("a", "仮焼"), block("b", "混合")],
        provLinks=[{"id": "l", "sourceBlockId": "a", "targetBlockId": "b", "type": kind, "layer": "prov"}],
    )
    reading = read(json.dumps(value).encode(), "x.json")
    assert reading.fields[kind] == ("混合",)
    assert f"- 仮焼 — {LINKS[kind]} → 混合" in reading.text


def test_a_note_tells_where_it_comes_from() -> None:
    value = note(blocks=[block("a", "継続")]) | {
        "derivedFromNoteId": "note-1",
        "noteLinks": [{"targetNoteId": "note-2", "sourceBlockId": "a", "type": "derived_from"}],
    }
    reading = read(json.dumps(value).encode(), "x.json")
    assert reading.fields["derived_from"] == ("note-1", "note-2")
    assert "note-1" in reading.text and "- 継続 derived_from 派生元: note-2" in reading.text
    assert (reading.title, reading.fields["created"]) == ("焼成", ("2026-04-01T00:00:00Z",))


def test_highlights_steps_tables_and_pages_of_later_versions_are_read() -> None:
    table = {"id": "t", "type": "table", "content": {"type": "tableContent", "rows": [
        {"cells": [[{"type": "text", "text": "名"}], "量"]}, {"cells": ["TiO2", {"content": "1 g"}]}]}}  # fmt: skip
    step = block("s", "仮焼する", "step") | {"children": [block("c", "900 ℃ で BaCO3 を焼く"), table]}
    value = note(
        blocks=[block("h", "方法", "heading", level=2), step, block("i", "", "image", url="https://x.example/a.png")],
        labels={"t": "material"},
        highlights=[{"id": "1", "blockId": "c", "from": 8, "to": 13, "label": "material", "text": "BaCO3"}],
        mediaOcr={"i": {"text": "画像の中の文字"}},
    )
    value["pages"] = [*_list(value["pages"]), note(title="二頁目", blocks=[block("z", "続き")])["pages"][0]]  # type: ignore[index]
    reading = read(json.dumps(value).encode(), "x.json")
    assert reading.fields["procedure"] == ("仮焼する",)
    assert reading.fields["material"] == ("TiO2", "BaCO3")
    assert "[material 材料: BaCO3]" in reading.text and "名 | 量\nTiO2 | 1 g" in reading.text
    assert "画像の中の文字" in reading.text
    assert [(b.page, b.label) for b in reading.blocks if b.kind == "heading"] == [
        (None, "焼成"), (1, "方法"), (1, "仮焼する"), (2, "二頁目"),
    ]  # fmt: skip


def _list(value: object) -> list[object]:
    assert isinstance(value, list)
    return value


def test_json_that_only_resembles_a_note_is_json() -> None:
    assert read(b'{"title": "x", "pages": [1, 2]}', "a.json").reader == json_text.READER.id
    assert read(b'{"title": "x", "pages": []}', "a.json").reader == json_text.READER.id
    with pytest.raises(Unreadable):
        graphium.read(b"[]", "a.graphium")


def test_a_notebook_is_prose_code_and_what_was_printed() -> None:
    book = {"cells": [
        {"cell_type": "markdown", "source": ["# 解析\n", "本文"]},
        {"cell_type": "code", "source": "print(1)", "outputs": [
            {"output_type": "stream", "text": ["1\n"]},
            {"output_type": "error", "ename": "ValueError", "evalue": "\x1b[31mbad\x1b[0m", "traceback": []},
            {"data": {"image/png": "AAAA", "text/plain": "<Figure>"}}]},
    ]}  # fmt: skip
    reading = notebook.read(json.dumps(book).encode(), "a.ipynb")
    assert shown(reading) == [
        ("heading", "# 解析"), ("paragraph", "本文"), ("code", "print(1)"), ("code", "1"), ("code", "ValueError: bad"),
        ("code", "<Figure>"),
    ]  # fmt: skip
    assert reading.title == "解析"
    with pytest.raises(Unreadable):
        notebook.read(b"{}", "a.ipynb")


def test_org_keeps_its_text_and_gives_up_its_structure() -> None:
    text = (
        "#+TITLE: 手順書\n#+FILETAGS: :lab:\n\n* TODO [#A] 乾燥 :焼成:x:\n:PROPERTIES:\n:温度: 900\n:END:\n"
        "本文 [[file:b.org][B]]\n"
        "** 表\n| a | b |\n\n- one\n  two\n#+BEGIN_SRC sh\n* not a heading\n#+END_SRC\n"
    )
    reading = org.read(text.encode(), "a.org")
    assert reading.text == text and reading.title == "手順書"
    assert [(b.level, b.label) for b in reading.blocks if b.kind == "heading"] == [(1, "乾燥"), (2, "表")]
    assert [b.kind for b in reading.blocks] == [
        "paragraph", "heading", "list", "paragraph", "heading", "table", "list", "code",
    ]  # fmt: skip
    assert reading.tags == ("lab", "焼成", "x")
    assert reading.fields["温度"] == ("900",)
    assert [(k.kind, k.target) for k in reading.links] == [("file", "b.org")]


def test_restructuredtext_titles_code_and_fields() -> None:
    text = (
        "題\n====\n\n:author: 田中\n:date: 2026\n\n章\n----\n\n例::\n\n    code here\n\n    more\n\n"
        "文 `x <https://x.example/>`_。\n\n- a\n"
    )
    reading = rst.read(text.encode(), "a.rst")
    assert reading.text == text
    assert [(b.kind, b.level) for b in reading.blocks] == [
        ("heading", 1), ("paragraph", 0), ("heading", 2), ("paragraph", 0), ("code", 0), ("code", 0), ("paragraph", 0),
        ("list", 0),
    ]  # fmt: skip
    assert reading.fields["author"] == ("田中",)
    assert reading.links[0].target == "https://x.example/"


def test_rtf_bytes_are_in_the_encoding_of_their_font() -> None:
    data = (
        b"{\\rtf1\\ansi\\ansicpg1252\\uc1"
        b"{\\fonttbl{\\f0\\fcharset0 Arial;}{\\f1\\fcharset128 Mincho;}{\\f2\\fcharset134 S;}}"
        b"{\\stylesheet{\\s1 heading 1;}}{\\info{\\title T}{\\author A\\'e9}}{\\*\\generator x;}"
        b"\\pard\\s1\\f1 \\'93\\'fa{\\b \\'96\\'7b}\\par\\pard\\f0 caf\\'e9 \\f1 \\'83A\\'83\\\\ "
        b"\\f2 \\'d6\\'d0 \\u26085?\\u-10179?\\u-8704?\\par"
        b'\\trowd\\intbl a\\cell b\\cell\\row\\pard {\\field{\\*\\fldinst HYPERLINK "https://x.example/"}'
        b"{\\fldrslt link}}\\par"
        b"{\\pict\\bin5 }}}{{}\\v hidden\\v0 end\\par}"
    )
    reading = rtf.read(data, "a.rtf")
    assert shown(reading) == [
        ("heading", "日本"), ("paragraph", "café アソ 中 日😀"), ("table", "a | b"), ("paragraph", "link"),
        ("paragraph", "end"),
    ]  # fmt: skip
    assert (reading.title, reading.fields["author"]) == ("T", ("Aé",))
    assert reading.links[0].target == "https://x.example/"
    with pytest.raises(Unreadable):
        rtf.read(b"plain words", "a.rtf")


XHTML = '<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml"><head><title/></head><body>{}</body></html>'


def test_a_book_is_its_spine_without_readings_and_page_numbers() -> None:
    one = XHTML.format(
        '<p>山路を<ruby>登<rt>のぼ</rt></ruby>りな<span epub:type="pagebreak" id="p2">2</span>がら、'
        '<a id="x"/>こう考えた。</p>'
    )
    data = make.epub(
        {"一.xhtml": one, "b.xhtml": XHTML.format("<h1>二</h1><p>続き</p>")},
        '<item id="nav" href="nav.xhtml" properties="nav" media-type="application/xhtml+xml"/>'
        '<item id="lost" href="lost.xhtml" media-type="application/xhtml+xml"/>',
        '<itemref idref="nav"/><itemref idref="lost"/>',
        {
            "OPS/nav.xhtml": XHTML.format(
                '<nav><a href="%E4%B8%80.xhtml#x">第一章</a><a href="b.xhtml">第二章</a></nav>'
            )
        },
    )
    reading = epub.read(data, "a.epub")
    assert shown(reading) == [
        ("heading", "第一章"),
        ("paragraph", "山路を登りながら、こう考えた。"),
        ("heading", "二"),
        ("paragraph", "続き"),
    ]
    assert (reading.title, reading.fields["author"]) == ("草枕", ("夏目漱石",))
    assert reading.outcome == "partial" and "lost.xhtml" in reading.reason


def test_a_locked_book_is_reported() -> None:
    lock = '<encryption><EncryptionMethod Algorithm="{}"/></encryption>'
    page = {"a.xhtml": XHTML.format("<p>x</p>")}
    fonts = lock.format("http://www.idpf.org/2008/embedding")
    assert epub.read(make.epub(page, parts={"META-INF/encryption.xml": fonts}), "a.epub").text == "x"
    with pytest.raises(Unreadable, match="DRM"):
        epub.read(make.epub(page, parts={"META-INF/encryption.xml": lock.format("http://x/aes128-cbc")}), "a.epub")


def test_a_code_page_that_is_none_is_read_as_the_usual_one() -> None:
    assert rtf.read(b"{\\rtf1\\ansicpg12 caf\\'e9}", "a.rtf").text == "café"
