"""Reading order from boxes alone: columns, tables, lines, and the lines' joining to paragraphs."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inro.readers.furniture import without_furniture
from inro.readers.joining import first_sentence, join
from inro.readers.layout import Line, Run, lines
from inro.readers.paragraphs import Paragraph, assemble, connected, paragraphs, set_headings
from inro.readers.quality import fault


def column(x: float, texts: list[str], *, width: float = 200.0, y: float = 0.0, step: float = 15.0) -> list[Run]:
    return [Run(text, x, y + n * step, x + width, y + n * step + 10) for n, text in enumerate(texts)]


def words(prefix: str, n: int) -> list[str]:
    return [f"{prefix}{at} text that fills the line" for at in range(n)]


def order(runs: list[Run]) -> list[str]:
    return [line.text.split()[0] for line in lines(runs)]


def test_columns_are_read_one_after_the_other_whatever_order_they_come_in() -> None:
    left, right = column(50, words("l", 8)), column(270, words("r", 8))
    mixed = [run for pair in zip(right, left, strict=True) for run in pair]
    assert order(mixed) == [f"l{n}" for n in range(8)] + [f"r{n}" for n in range(8)]


def test_a_title_over_columns_and_a_note_under_them_stay_there() -> None:
    title = Run("title over both columns of the page", 50, -40, 470, -26)
    note = Run("note under both columns of the whole page", 50, 140, 470, 150)
    runs = [note, *column(270, words("r", 8)), *column(50, words("l", 8)), title]
    assert order(runs) == ["title", *(f"l{n}" for n in range(8)), *(f"r{n}" for n in range(8)), "note"]


def test_three_columns() -> None:
    runs = [*column(330, words("c", 6), width=120), *column(50, words("a", 6), width=120)]
    runs += column(190, words("b", 6), width=120)
    assert order(runs) == [f"{c}{n}" for c in "abc" for n in range(6)]


def test_a_table_is_read_row_by_row() -> None:
    cells = [("Austria", "8.9", "Vienna"), ("Belgium", "11.5", "Brussels"), ("Czechia", "10.7", "Prague")] * 2
    runs = [
        Run(cell, 50 + 150 * c, 15 * r, 50 + 150 * c + 6 * len(cell), 15 * r + 10)
        for c in range(3)
        for r, row in enumerate(cells)
        for cell in [row[c]]
    ]
    made = lines(runs)
    assert [line.text for line in made] == ["  ".join(row) for row in cells]
    assert [p.kind for p in paragraphs(made, 1)] == ["table"]


@given(st.permutations(column(50, words("l", 4)) + column(270, words("r", 4))))
def test_the_order_of_the_content_does_not_matter(runs: list[Run]) -> None:
    assert order(runs) == [f"{c}{n}" for c in "lr" for n in range(4)]


def test_a_raised_number_stays_on_its_line() -> None:
    made = lines([Run("measured twice", 0, 0, 80, 10), Run("3", 81, -2, 84, 4), Run("again", 0, 15, 30, 25)])
    assert [line.text for line in made] == ["measured twice3", "again"]


@pytest.mark.parametrize(
    ("before", "after", "whole"),
    [
        ("試料を硝酸銀水", "溶液に浸す", "試料を硝酸銀水溶液に浸す"),
        ("方法を提", "案する。", "方法を提案する。"),
        ("the furnace was", "heated", "the furnace was heated"),
        ("extra-", "ordinary", "extraordinary"),
        ("Anglo-", "Saxon", "Anglo-Saxon"),
        ("pages 3-", "5", "pages 3-5"),
        ("soft\u00ad", "ware", "software"),
        ("温度は", "850 °C", "温度は850 °C"),
        ("안녕하세요", "여러분", "안녕하세요 여러분"),
        ("", "only", "only"),
    ],
)
def test_what_stands_between_two_lines(before: str, after: str, whole: str) -> None:
    assert join(before, after) == whole


@pytest.mark.parametrize(
    ("text", "length"),
    [
        ("液に浸す。次に、", 5),
        ("と言った。」そして", 6),
        ("was heated. Then it", 11),
        ("no end in sight", 0),
        ("3.5 g of it. So", 12),
    ],
)
def test_where_a_sentence_that_began_before_ends(text: str, length: int) -> None:
    assert first_sentence(text) == length


def test_a_sentence_over_a_pages_end_is_whole_and_the_rest_is_on_the_next_page() -> None:
    first = Paragraph("前処理のあと、試料を室温で硝酸銀水", "paragraph", 1, 10)
    second = Paragraph("溶液に浸す。次に乾燥する。", "paragraph", 2, 10)
    text, blocks = assemble(connected([[first], [second]]))
    assert [(text[b.start : b.end], b.page) for b in blocks] == [
        ("前処理のあと、試料を室温で硝酸銀水溶液に浸す。", 1),
        ("次に乾燥する。", 2),
    ]


def test_a_footnote_does_not_come_between_two_halves_of_a_sentence() -> None:
    pages = [
        [
            Paragraph("the strength of the whole part was", "paragraph", 1, 10),
            Paragraph("1 A note.", "paragraph", 1, 8),
        ],
        [Paragraph("measured twice. Then it broke.", "paragraph", 2, 10)],
    ]
    assert [p.text for p in connected(pages)] == [
        "the strength of the whole part was measured twice.",
        "1 A note.",
        "Then it broke.",
    ]


def test_what_ends_or_begins_a_paragraph_is_not_joined() -> None:
    pages = [[Paragraph("It is done.", "paragraph", 1, 10)], [Paragraph("another thing", "paragraph", 2, 10)]]
    assert len(connected(pages)) == 2
    pages = [[Paragraph("the strength was", "paragraph", 1, 10)], [Paragraph("larger letters", "paragraph", 2, 14)]]
    assert len(connected(pages)) == 2


def test_larger_letters_are_headings_by_their_size() -> None:
    made = [Paragraph(t, "paragraph", 1, s) for t, s in [("Title", 20), ("Part", 14), ("body " * 40, 10), ("Part", 14)]]
    set_headings(made)
    assert [(p.kind, p.level) for p in made] == [("heading", 1), ("heading", 2), ("paragraph", 0), ("heading", 2)]


def page_of(*texts: str, head: str = "", foot: str = "") -> list[Line]:
    made = [Line(t, 0, 100 + 15 * n, 300, 110 + 15 * n, 0, 10) for n, t in enumerate(texts)]
    top = [Line(head, 0, 20, 300, 30, 0, 10)] if head else []
    return [*top, *made, *([Line(foot, 0, 800, 300, 810, 0, 10)] if foot else [])]


def test_running_heads_are_kept_once_and_page_numbers_never() -> None:
    pages = [page_of(f"body {n} a", f"body {n} b", head="検査報告書 S-1041", foot=f"- {n} -") for n in range(1, 6)]
    kept = [[line.text for line in page] for page in without_furniture(pages)]
    assert kept[0] == ["検査報告書 S-1041", "body 1 a", "body 1 b"]
    assert kept[1:] == [[f"body {n} a", f"body {n} b"] for n in range(2, 6)]


def test_a_page_is_never_all_furniture() -> None:
    pages = [page_of("the same words")] * 4
    assert all(page for page in without_furniture(pages))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("(cid:12)(cid:45)(cid:7) (cid:99)", "(cid:"),
        ("\ufffd" * 10 + "abc", "lost"),
        ("\ue001\ue002\ue003\ue010\ue011" * 5, "private"),
        ("本装置の試料は硝酸銀水溶液".encode().decode("latin-1"), "mojibake"),
        ("+HOOR ZRUOG 7KLV LV D WHVW RI VKLIWHG OHWWHUV ZKLFK QRERGB FDQ UHDG DW DOO " * 5, "stand for others"),
        ("ጀԱაߊ" * 20 + "ꀀᎠ" * 20, "unrelated scripts"),
    ],
)
def test_garbage_is_told_by_its_characters(text: str, said: str) -> None:
    assert said in fault(text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "x",
        "The furnace was heated to 850 °C for 30 min (see Fig. 3); dP/dt = 0.3 MPa/s, α = 2.5, Δx → 0. " * 10,
        "本装置の試料は硝酸銀水溶液を用いて前処理を行い、温度は八百五十度に保持した。" * 10,
        "检验报告应当包括下列内容：样品名称、检验项目。" * 10,
        "Привет, мир! Это проверка текста. " * 10,
        "tRNA-Lys DNA mRNA CRISPR BRCA1 pH 7.4 NaCl KCl MgCl2 HEPES EDTA DTT PMSF SDS PAGE " * 10,
    ],
)
def test_sound_text_passes(text: str) -> None:
    assert fault(text) == ""
