"""Word, Excel and PowerPoint files of 1997 to 2003."""

from __future__ import annotations

import struct

import compounds as make
import offices
import pytest
from compounds import IN_TABLE, LISTED, ROW_END, Para, atom, words
from hypothesis import given, settings
from hypothesis import strategies as st

from inro.errors import Unreadable
from inro.readers import doc, ppt, xls
from inro.readers.ole_summary import summary
from inro.readers.registry import read
from inro.records import Reading


def shown(reading: Reading) -> list[tuple[str, str]]:
    return [(b.kind, reading.text[b.start : b.end]) for b in reading.blocks]


# Word


def test_a_word_document_keeps_headings_lists_and_tables() -> None:
    body = [
        Para("手順", style=1),
        Para("準備", style=2),
        Para("Café au lait", wide=False),
        Para("一つ", modifiers=LISTED),
        Para("その下", modifiers=LISTED + make.level(1)),
        *(Para(t, "\x07", modifiers=IN_TABLE) for t in ("試料", "質量")),
        Para("", "\x07", modifiers=ROW_END),
        *(Para(t, "\x07", modifiers=IN_TABLE) for t in ("S-1", "")),
        Para("", "\x07", modifiers=ROW_END),
        Para("終わり"),
    ]
    reading = doc.read(make.doc(body), "a.doc")
    assert shown(reading) == [
        ("heading", "手順"),
        ("heading", "準備"),
        ("paragraph", "Café au lait"),
        ("list", "一つ\n  その下"),
        ("table", "試料 | 質量\nS-1"),
        ("paragraph", "終わり"),
    ]
    assert [b.level for b in reading.blocks][:2] == [1, 1]
    assert (reading.outcome, reading.reader) == ("ok", doc.READER.id)


def test_a_file_that_was_saved_fast_is_read_in_the_order_of_its_pieces() -> None:
    body = [Para("一", style=1), Para("second", wide=False), Para("三", modifiers=LISTED)]
    assert shown(doc.read(make.doc(body, reverse=True), "a.doc")) == [
        ("heading", "一"),
        ("paragraph", "second"),
        ("list", "三"),
    ]


def test_notes_and_headers_follow_the_body_once() -> None:
    reading = doc.read(
        make.doc([Para("本文\x02と続き\x02。")], ["脚注", "二つ目"], ["社外秘", "社外秘", "12"]), "a.doc"
    )
    assert reading.text == "本文[1]と続き[2]。\n\n[1] 脚注\n\n[2] 二つ目\n\n社外秘"


def test_a_field_is_its_result_and_a_link_keeps_its_target() -> None:
    link, nested = '\x13 HYPERLINK "https://x.example/a" \x14ここ\x15', "\x13 REF a \x14図 \x13 SEQ b \x141\x15\x15"
    text = f"参照: {link}。\x13 PAGE \x15{nested}"
    reading = doc.read(make.doc([Para(text), Para("\x13 broken"), Para("次")]), "a.doc")
    assert reading.text == "参照: ここ。図 1\n\n次"
    assert [(link.kind, link.target) for link in reading.links] == [("url", "https://x.example/a")]


def test_readings_over_characters_are_left_out_and_what_they_stand_over_stays() -> None:
    ruby = '\x13 EQ \\* jc2 \\* "Font:MS Mincho" \\* hps11 \\o\\ad(\\s\\up 10(とうきょう),東京)\x15へ'
    ring = "\x13 eq \\o\\ac(○,1)\x15番"
    assert doc.read(make.doc([Para(ruby), Para(ring)]), "a.doc").text == "東京へ\n\n1番"


def test_what_a_tracked_change_deleted_is_left_out() -> None:
    assert doc.read(make.doc([Para("東京から大阪へ")], deleted=[(2, 4)]), "a.doc").text == "東京大阪へ"


def test_characters_beyond_the_basic_plane_are_whole() -> None:
    assert doc.read(make.doc([Para("𠮷野家 🦊")]), "a.doc").text == "𠮷野家 🦊"


def test_what_a_file_says_of_itself_is_declared() -> None:
    told = make.summary({2: "焼成の報告".encode("cp932"), 4: "田中", 12: 134_195_040_000_000_000, 13: 0})
    reading = doc.read(make.doc([Para("本文")], told=told), "a.doc")
    assert reading.title == "焼成の報告"
    assert reading.fields == {
        "title": ("焼成の報告",),
        "author": ("田中",),
        "created": ("2026-04-01 08:00:00+00:00",),
    }


@given(st.binary(max_size=60), st.integers(0, 200))
@settings(deadline=None)
def test_damaged_properties_are_left_out(damage: bytes, at: int) -> None:
    told = bytearray(make.summary({2: "題", 4: b"who", 12: 134_195_040_000_000_000}))
    told[at : at + len(damage)] = damage
    assert all(isinstance(value, str) for value in summary(bytes(told)).values())


@given(st.lists(st.tuples(st.text(st.characters(exclude_categories=("Cc", "Cs", "Z")), min_size=1), st.booleans()),
                min_size=1, max_size=8), st.booleans())  # fmt: skip
@settings(deadline=None)
def test_every_paragraph_comes_back_from_either_kind_of_piece(parts: list[tuple[str, bool]], reverse: bool) -> None:
    body = [Para(text, wide=not (narrow and _is_narrow(text))) for text, narrow in parts]
    reading = doc.read(make.doc(body, reverse=reverse), "a.doc")
    assert reading.text == "\n\n".join(text for text, _ in parts)


def _is_narrow(text: str) -> bool:
    try:
        return len(text.encode("cp1252")) == len(text)
    except UnicodeEncodeError:
        return False


def test_text_that_is_not_in_the_file_is_told() -> None:
    whole = make.doc([Para("始め"), Para("x" * 5000)])
    # The second piece of the table is moved to a place beyond the stream's end.
    place = whole.index(b"\x02" + struct.pack("<I", 28)) + 5 + 12 + 8 + 2
    reading = doc.read(whole[:place] + struct.pack("<I", 1 << 24) + whole[place + 4 :], "a.doc")
    assert reading.outcome == "partial" and "5,001 characters" in reading.reason
    assert reading.text == "始め"


# Excel


def test_a_workbook_is_read_like_the_newer_ones() -> None:
    rows: list[list[str | float | bool]] = [
        ["試料", "採取日", "収率", "合格"],
        ["S-1", 46113.0, 0.25, True],
        ["S-2", 46114.5, 0.5, False],
    ]
    reading = xls.read(make.xls({"測定": rows, "~控え": [["下書き"], [1234567890123456.0, 2.5]]}), "a.xls")
    assert reading.text == (
        "測定\n\n試料 | 採取日 | 収率 | 合格\n試料: S-1 | 採取日: 2026-04-01 | 収率: 25% | 合格: TRUE\n"
        "試料: S-2 | 採取日: 2026-04-02 | 収率: 50% | 合格: FALSE\n\n控え\n\n下書き\n1234567890123456 | 2.5"
    )
    assert [b.page for b in reading.blocks] == [1, 1, 2, 2]
    assert reading.fields["columns"] == ("試料", "採取日", "収率", "合格")
    assert reading.fields["hidden sheets"] == ("控え",)


# PowerPoint


def test_slides_come_in_the_order_of_the_list_with_outline_shapes_and_notes() -> None:
    target = "https://x.example/"
    click = make.record(0x0FF2, atom(0x0FF3, struct.pack("<III", 0, 7, 0)))
    link = make.record(
        0x0409,
        make.record(
            0x0FD7, atom(0x0FD3, struct.pack("<I", 7)), atom(0x0FBA, "https://x.example/".encode("utf-16-le"), 1)
        ),
    )
    first = make.page(
        0x03EE,
        atom(0x0F9E, struct.pack("<I", 0)),
        atom(0x0F9E, struct.pack("<I", 1)),
        words(4, "参照") + click,
        words(4, "*") + atom(0x0FD8, bytes(4)),
        notes=512,
    )
    outline = words(0, "焼成の結果") + words(1, "900 ℃で保持\r冷却した\x0b徐々に")
    second = make.page(0x03EE, words(4, "no title here", narrow=True), words(4, "次の行"))
    spoken = make.page(0x03F0, words(2, "話す内容"), words(4, "社外秘"))
    old = make.page(0x03EE, words(0, "前の版"))
    reading = ppt.read(make.ppt([(first, outline), (second, b"")], [spoken], [link], [old]), "a.ppt")
    assert [(b.page, *pair) for b, pair in zip(reading.blocks, shown(reading), strict=True)] == [
        (1, "heading", "焼成の結果"),
        (1, "list", "900 ℃で保持\n冷却した 徐々に"),
        (1, "paragraph", "参照"),
        (1, "quote", "話す内容"),
        (2, "heading", "no title here"),
        (2, "paragraph", "次の行"),
    ]
    assert [(one.kind, one.target) for one in reading.links] == [("url", target)]
    assert (reading.title, reading.outcome) == ("焼成の結果", "ok")


def test_without_a_directory_the_order_of_the_file_is_used_and_told() -> None:
    whole = make.ppt([(make.page(0x03EE, words(0, "題"), words(1, "中身")), b"")])
    reading = ppt.read(whole.replace(struct.pack("<HI", 0x1772, 12), struct.pack("<HI", 0x1773, 12)), "a.ppt")
    assert shown(reading) == [("heading", "題"), ("paragraph", "中身")]
    assert reading.outcome == "partial" and "directory" in reading.reason


# All of them


REFUSED: dict[str, tuple[str, bytes, str]] = {
    "locked document": (".doc", make.doc([Para("a")], flags=0x100), "password"),
    "Word 6": (".doc", make.compound({"WordDocument": struct.pack("<HH", 0xA5DC, 104) + bytes(2000)}), "Word 6"),
    "locked docx": (".doc", make.compound({"EncryptedPackage": b"x"}), "password"),
    "workbook as document": (".doc", make.compound({"Workbook": b"x"}), "no Word document"),
    "no pieces": (".doc", make.compound({"WordDocument": struct.pack("<HH", 0xA5EC, 193)}), "piece table"),
    "empty": (".doc", b"", "empty"),
    "picture": (".doc", b"\x89PNG\r\n\x1a\n" + bytes(99), "PNG"),
    "locked workbook": (".xls", make.xls({"a": [["b"]]}, locked=True), "password"),
    "locked xlsx": (".xls", make.compound({"EncryptedPackage": b"x"}), "password"),
    "document as workbook": (".xls", make.compound({"WordDocument": b"x"}), "no workbook"),
    "damaged workbook": (".xls", make.compound({"Workbook": b"\x09\x08\x10\x00" + bytes(16)}), "damaged"),
    "locked slides": (".ppt", make.ppt([(make.page(0x03EE, words(0, "a")), b"")], locked=True), "password"),
    "locked pptx": (".ppt", make.compound({"EncryptedPackage": b"x"}), "password"),
    "PowerPoint 95": (".ppt", make.compound({"PP40": b"x"}), "PowerPoint 95"),
    "workbook as slides": (".ppt", make.compound({"Workbook": b"x"}), "no presentation"),
    "no slide": (".ppt", make.compound({"PowerPoint Document": b"x"}), "no slide"),
    "foreign zip": (".ppt", offices.zipped({"a.txt": "x"}), "no such document"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_is_not_read_says_why_and_what_to_do(case: str) -> None:
    suffix, data, why = REFUSED[case]
    with pytest.raises(Unreadable, match=why) as caught:
        read(data, "a" + suffix)
    assert caught.value.mend


RENAMED: dict[str, tuple[str, bytes, str]] = {
    "RTF": (".doc", b"{\\rtf1\\ansi words}", "words"),
    "HTML": (".doc", b"<html><body><p>words</p></body></html>", "words"),
    "text": (".doc", "ただの文章。".encode("cp932"), "ただの文章。"),
    "DOCX": (".doc", offices.docx(offices.paragraph("本文")), "本文"),
    "table in HTML": (".xls", b"<html><body><table><tr><td>a</td><td>b</td></tr></table></body></html>", "a | b"),
    "lines": (".xls", b"name\tvalue\n", "name\tvalue"),
    "PPTX": (".ppt", offices.pptx([offices.slide(offices.shape("題", holder="title"))]), "題"),
}


@pytest.mark.parametrize("case", RENAMED)
def test_another_format_under_an_old_suffix_is_read_as_what_it_is(case: str) -> None:
    suffix, data, text = RENAMED[case]
    assert read(data, "a" + suffix).text.strip() == text


WHOLE = [
    make.doc(
        [Para("手順", style=1), Para("\x13 A \x14b\x15\x02"), Para("c", "\x07", modifiers=IN_TABLE)], ["d"], ["e"]
    ),
    make.xls({"測定": [["a", "b"], ["c", 1.0], [46113.0, 0.5]]}),
    make.ppt(
        [(make.page(0x03EE, words(0, "a"), words(1, "b\rc"), notes=512), b"")], [make.page(0x03F0, words(2, "d"))]
    ),
]


@settings(max_examples=300, deadline=None)
@given(st.data())
def test_no_damage_ends_in_anything_but_an_outcome(data: st.DataObject) -> None:
    at = data.draw(st.integers(0, 2))
    whole = bytearray(WHOLE[at])
    for _ in range(data.draw(st.integers(0, 6))):
        place = data.draw(st.integers(0, len(whole) - 1))
        whole[place : place + data.draw(st.integers(0, 4))] = data.draw(st.binary(max_size=4))
    try:
        reading = read(bytes(whole), "a" + (".doc", ".xls", ".ppt")[at])
    except Unreadable as e:
        assert e.message and e.mend
    else:
        assert reading.outcome in ("ok", "partial")
        assert all(0 <= b.start < b.end <= len(reading.text) for b in reading.blocks)
