"""Word, PowerPoint, Excel and OpenDocument files."""

from __future__ import annotations

import offices as make
import pytest
from offices import paragraph

from inro.errors import Unreadable
from inro.readers import docx, odf, pptx, xlsx
from inro.readers.docx_numbering import spell
from inro.readers.tables import header_at, lines
from inro.readers.xlsx_cells import kind_of, number_text
from inro.records import Reading

STYLES = make.word_part(
    "styles",
    '<w:style w:styleId="1"><w:name w:val="heading 1"/></w:style>'
    '<w:style w:styleId="a"><w:name w:val="mine"/><w:basedOn w:val="1"/></w:style>'
    '<w:style w:styleId="b"><w:name w:val="other"/><w:pPr><w:outlineLvl w:val="1"/></w:pPr></w:style>',
)
NUMBERS = make.word_part(
    "numbering",
    '<w:abstractNum w:abstractNumId="0"><w:lvl w:ilvl="0"><w:start w:val="1"/><w:numFmt w:val="decimal"/>'
    '<w:lvlText w:val="第%1条"/></w:lvl><w:lvl w:ilvl="1"><w:numFmt w:val="lowerLetter"/>'
    '<w:lvlText w:val="(%2)"/></w:lvl></w:abstractNum><w:num w:numId="7"><w:abstractNumId w:val="0"/></w:num>',
)


def shown(reading: Reading) -> list[tuple[str, str]]:
    return [(b.kind, reading.text[b.start : b.end]) for b in reading.blocks]


def numbered(text: str, depth: int = 0) -> str:
    return paragraph(text, f'<w:numPr><w:ilvl w:val="{depth}"/><w:numId w:val="7"/></w:numPr>')


def test_a_word_document_keeps_headings_tables_and_the_order_of_its_body() -> None:
    body = (
        paragraph("手順", '<w:pStyle w:val="a"/>')
        + paragraph("準備", '<w:pStyle w:val="b"/>')
        + paragraph("本文")
        + "<w:tbl><w:tr><w:tc><w:p><w:r><w:t>試料</w:t></w:r></w:p></w:tc>"
        + "<w:tc><w:p><w:r><w:t>質量</w:t></w:r></w:p></w:tc></w:tr></w:tbl>"
    )
    data = make.docx(body, {"word/styles.xml": STYLES, "docProps/core.xml": make.core("報告", "田中")},
                     ("s", "styles", "styles.xml"))  # fmt: skip
    reading = docx.read(data, "a.docx")
    assert shown(reading) == [("heading", "手順"), ("heading", "準備"), ("paragraph", "本文"), ("table", "試料 | 質量")]
    assert [b.level for b in reading.blocks] == [1, 2, 0, 0]
    assert (reading.title, reading.fields["author"]) == ("報告", ("田中",))


def test_the_numbers_that_word_shows_are_in_the_text() -> None:
    body = numbered("目的") + numbered("定義") + numbered("甲", 1) + numbered("乙", 1) + numbered("期間")
    reading = docx.read(make.docx(body, {"word/numbering.xml": NUMBERS}, ("n", "numbering", "numbering.xml")), "a.docx")
    assert reading.text == "第1条 目的\n第2条 定義\n  (a) 甲\n  (b) 乙\n第3条 期間"


@pytest.mark.parametrize(
    ("number", "form", "text"),
    [(14, "upperRoman", "XIV"), (27, "lowerLetter", "aa"), (3, "aiueo", "ウ"),
     (0, "upperRoman", "0"), (23, "japaneseCounting", "二十三"),
     (2, "decimalEnclosedCircle", "②"), (12, "decimalFullWidth", "１２"), (5, "unheardOf", "5")],
)  # fmt: skip
def test_numbers_are_spelt_in_their_form(number: int, form: str, text: str) -> None:
    assert spell(number, form) == text


def test_readings_over_characters_and_deleted_words_are_left_out() -> None:
    ruby = (
        "<w:p><w:r><w:ruby><w:rt><w:r><w:t>とうきょう</w:t></w:r></w:rt>"
        "<w:rubyBase><w:r><w:t>東京</w:t></w:r></w:rubyBase></w:ruby></w:r>"
        "<w:ins><w:r><w:t>へ</w:t></w:r></w:ins><w:del><w:r><w:delText>から</w:delText></w:r></w:del></w:p>"
    )
    assert docx.read(make.docx(ruby), "a.docx").text == "東京へ"


def test_what_stands_beside_the_body_follows_it_once() -> None:
    body = (
        '<w:p><w:r><w:t>本文</w:t><w:footnoteReference w:id="2"/></w:r><w:hyperlink r:id="h"><w:r><w:t>参照</w:t>'
        "</w:r></w:hyperlink><w:r><w:pict><w:txbxContent><w:p><w:r><w:t>枠の中</w:t></w:r></w:p></w:txbxContent>"
        "</w:pict></w:r></w:p>"
    )
    note = f'<w:footnote w:id="0" w:type="separator"/><w:footnote w:id="2">{paragraph("脚注")}</w:footnote>'
    parts: dict[str, str | bytes] = {
        "word/f.xml": make.word_part("footnotes", note),
        "word/c.xml": make.word_part("comments", f'<w:comment w:author="鈴木">{paragraph("要確認")}</w:comment>'),
        "word/h1.xml": make.word_part("hdr", paragraph("社外秘")),
        "word/h2.xml": make.word_part("hdr", paragraph("社外秘")),
    }
    links = (("f", "footnotes", "f.xml"), ("c", "comments", "c.xml"), ("h", "hyperlink", "https://x.example/"),
             ("p", "header", "h1.xml"), ("q", "header", "h2.xml"))  # fmt: skip
    reading = docx.read(make.docx(body, parts, *links), "a.docx")
    assert reading.text == "本文[2]参照\n\n枠の中\n\n[2] 脚注\n\n鈴木: 要確認\n\n社外秘"
    assert [link.target for link in reading.links] == ["https://x.example/"]


def test_pages_are_where_word_broke_them_last() -> None:
    body = paragraph("一") + "<w:p><w:r><w:lastRenderedPageBreak/><w:t>二</w:t></w:r></w:p>" + paragraph("三")
    assert [b.page for b in docx.read(make.docx(body), "a.docx").blocks] == [1, 1, 2]


def test_a_chunk_of_html_in_a_document_is_read() -> None:
    parts: dict[str, str | bytes] = {"word/x.html": "<html><body><p>入れ子</p></body></html>"}
    reading = docx.read(make.docx('<w:altChunk r:id="a"/>', parts, ("a", "aFChunk", "x.html")), "a.docx")
    assert reading.text == "入れ子"


def test_slides_come_in_their_order_with_tables_and_notes() -> None:
    table = (
        "<p:graphicFrame><a:tbl><a:tr><a:tc><a:txBody><a:p><a:r><a:t>条件</a:t></a:r></a:p></a:txBody></a:tc>"
        "<a:tc><a:txBody><a:p><a:r><a:t>900 ℃</a:t></a:r></a:p></a:txBody></a:tc></a:tr></a:tbl></p:graphicFrame>"
    )
    slides = [
        make.slide(make.shape("結果", holder="title") + make.shape("焼成した", "冷却した") + table),
        make.slide(make.shape("題のない枚") + make.shape("12", holder="sldNum")),
    ]
    parts: dict[str, str | bytes] = {
        "ppt/slides/_rels/slide2.xml.rels": make.relations(("n", "notesSlide", "../notesSlides/n.xml")),
        "ppt/notesSlides/n.xml": make.slide(make.shape("話す内容", holder="body")),
    }
    reading = pptx.read(make.pptx(slides, parts), "a.pptx")
    assert [(b.page, *pair) for b, pair in zip(reading.blocks, shown(reading), strict=True)] == [
        (1, "heading", "結果"),
        (1, "list", "焼成した\n冷却した"),
        (1, "table", "条件 | 900 ℃"),
        (1, "quote", "話す内容"),
        (2, "heading", "題のない枚"),
    ]


def test_a_row_of_a_workbook_is_readable_with_its_header() -> None:
    shared = (
        "<si><t>試料</t></si><si><r><t>採取</t></r><r><t>日</t></r><rPh><t>サイシュ</t></rPh></si><si><t>収率</t></si>"
        "<si><t>S-1</t></si>"
    )
    styles = (
        '<numFmts><numFmt numFmtId="164" formatCode="yyyy/mm/dd"/></numFmts><cellXfs><xf numFmtId="0"/>'
        '<xf numFmtId="164"/><xf numFmtId="9"/></cellXfs>'
    )
    rows = (
        '<row><c r="B1" t="s"><v>0</v></c><c r="C1" t="s"><v>1</v></c><c r="D1" t="s"><v>2</v></c></row>'
        '<row><c r="B2" t="s"><v>3</v></c><c r="C2" s="1"><v>46113</v></c>'
        '<c r="D2" s="2"><f>1/4</f><v>0.25</v></c></row>'
    )
    extra = '<row><c t="inlineStr"><is><t>控え</t></is></c></row>'
    reading = xlsx.read(make.xlsx({"測定": rows, "~下書き": extra}, shared, styles), "a.xlsx")
    assert reading.text == (
        "測定\n\n試料 | 採取日 | 収率\n試料: S-1 | 採取日: 2026-04-01 | 収率: 25%\n\n下書き\n\n控え"
    )
    assert [b.page for b in reading.blocks] == [1, 1, 2, 2]
    assert reading.fields["columns"] == ("試料", "採取日", "収率")
    assert reading.fields["hidden sheets"] == ("下書き",)


@pytest.mark.parametrize(
    ("code", "kind"),
    [("General", "number"), ("0.00", "number"), ("#,##0_);[Red](#,##0)", "number"), ("0.0%", "percent"),
     ("yyyy-mm-dd", "date"), ("[$-411]ggge年m月d日", "date"), ("h:mm:ss", "time"), ("m/d/yy h:mm", "datetime"),
     ('"d"0', "number"), ("0.00E+00", "number")],
)  # fmt: skip
def test_a_number_format_says_what_a_cell_shows(code: str, kind: str) -> None:
    assert kind_of(code) == kind


def test_days_are_counted_from_either_epoch() -> None:
    assert number_text("59", "date", False) == "1900-02-28"
    assert number_text("61", "date", False) == "1900-03-01"
    assert number_text("0", "date", True) == "1904-01-01"
    assert number_text("46113.5", "datetime", False) == "2026-04-01 12:00"
    assert number_text("0.75", "time", False) == "18:00"
    assert number_text("0.1", "number", False) == "0.1"
    assert number_text("n/a", "number", False) == "n/a"


def test_a_header_is_told_from_values_and_from_a_title_above_it() -> None:
    assert header_at([["報告"], ["名前", "値"], ["a", "1"]]) == 1
    assert header_at([["1", "2"], ["3", "4"]]) is None
    assert header_at([["a", "a"], ["b", "c"]]) is None
    assert list(lines([["x", "y"], ["1", "2"], ["3", "4"]])) == ["x | y", "1 | 2", "3 | 4"]


def test_an_opendocument_text_keeps_headings_lists_notes_and_no_ruby() -> None:
    body = (
        '<text:h text:outline-level="2">手順</text:h>'
        "<text:p>試料を<text:ruby><text:ruby-base>乾燥庫</text:ruby-base><text:ruby-text>かんそうこ</text:ruby-text>"
        '</text:ruby>に<text:s text:c="2"/>入れる<text:note><text:note-citation>1</text:note-citation>'
        "<text:note-body><text:p>脚注</text:p></text:note-body></text:note>。</text:p>"
        "<text:tracked-changes><text:p>消した</text:p></text:tracked-changes>"
        "<text:list><text:list-item><text:p>一</text:p><text:list><text:list-item><text:p>二</text:p>"
        "</text:list-item></text:list></text:list-item></text:list>"
    )
    reading = odf.read(make.odf("text", body, "<meta:initial-creator>田中</meta:initial-creator>"), "a.odt")
    assert shown(reading) == [
        ("heading", "手順"),
        ("paragraph", "試料を乾燥庫に  入れる[1]。"),
        ("quote", "[1] 脚注"),
        ("list", "- 一\n  - 二"),
    ]
    assert reading.fields["author"] == ("田中",)


def test_an_opendocument_sheet_repeats_rows_within_reason() -> None:
    def cell(text: str) -> str:
        return f"<table:table-cell><text:p>{text}</text:p></table:table-cell>"

    body = (
        '<table:table table:name="一月"><table:table-row>' + cell("名") + cell("値") + "</table:table-row>"
        '<table:table-row table:number-rows-repeated="2">' + cell("a") + cell("1") + "</table:table-row>"
        '<table:table-row table:number-rows-repeated="1048570">'
        '<table:table-cell table:number-columns-repeated="16384"/>'
        "</table:table-row></table:table>"
    )
    reading = odf.read(make.odf("spreadsheet", body), "a.ods")
    assert reading.text == "一月\n\n名 | 値\n名: a | 値: 1\n名: a | 値: 1"


def test_an_opendocument_slide_is_a_page() -> None:
    body = (
        '<draw:page><draw:frame presentation:class="title"><draw:text-box><text:p>題</text:p></draw:text-box>'
        "</draw:frame>"
        "<draw:frame><draw:text-box><text:p>中身</text:p></draw:text-box></draw:frame>"
        "<presentation:notes><text:p>話</text:p></presentation:notes></draw:page>"
    )
    reading = odf.read(make.odf("presentation", body), "a.odp")
    assert [(b.page, *p) for b, p in zip(reading.blocks, shown(reading), strict=True)] == [
        (1, "heading", "題"),
        (1, "paragraph", "中身"),
        (1, "quote", "話"),
    ]


@pytest.mark.parametrize("reader", [docx, pptx, xlsx, odf])
def test_a_damaged_or_foreign_zip_has_an_outcome(reader: object) -> None:
    read = getattr(reader, "read")  # noqa: B009 - four modules of one shape
    whole = make.docx(paragraph("x"))
    for data in (b"", b"PK\x03\x04rest", whole[:200], make.zipped({"a.txt": "x"})):
        with pytest.raises(Unreadable):
            read(data, "a.bin", None)


def test_a_password_is_named_as_the_reason() -> None:
    with pytest.raises(Unreadable, match="password"):
        docx.read(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600), "a.docx")
    locked = make.odf("text", "", parts={"META-INF/manifest.xml": "<m><encryption-data/></m>"})
    with pytest.raises(Unreadable, match="password"):
        odf.read(locked, "a.odt")
