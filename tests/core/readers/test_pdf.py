"""PDFs read by their text: order, paragraphs over line and page ends, page numbers, properties, damage."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pages
import pytest

from inro.errors import Unreadable
from inro.readers import pdf, pdf_page
from inro.readers.allowance import Allowance, granted
from inro.readers.layout import Line
from inro.records import Reading

BODY = (
    "本装置の試料は硝酸銀水溶液を用いて前処理を行い、温度は八百五十度に保持した。試験片の寸法は長さ五十ミリ、"
    "幅十ミリとし、各条件で三回ずつ測定した。得られた結果を表一に示す。引張強度は従来の方法に比べて二割ほど"
    "高い値となり、破断伸びもわずかに増加した。以上のことから、この方法は実用に耐えると考えられる。"
)


def read(data: bytes) -> Reading:
    with granted(Allowance(recognise=False)):
        return pdf.read(data, "papers/a.pdf")


def told(data: bytes) -> list[tuple[str, int | None, str]]:
    reading = read(data)
    return [(b.kind, b.page, reading.text[b.start : b.end]) for b in reading.blocks]


def test_japanese_lines_become_paragraphs_without_a_gap() -> None:
    data = pages.pdf(pages.across([*pages.wrapped("　" + BODY, 37), *pages.wrapped("　" + BODY, 37)]))
    assert told(data) == [("paragraph", 1, BODY), ("paragraph", 1, BODY)]


def test_vertical_japanese_is_read_down_and_from_right_to_left() -> None:
    data = pages.pdf(pages.both(pages.down(pages.wrapped("　" + BODY, 38)), pages.across(["試験報告"], y=800)))
    assert told(data)[0] == ("paragraph", 1, BODY)
    assert told(data)[1][2] == "試験報告"


def test_two_columns_of_japanese() -> None:
    lines = pages.wrapped(BODY * 2, 18)
    half = len(lines) // 2 + 1
    data = pages.pdf(pages.both(pages.across(lines[half:], 320), pages.across(lines[:half], 72)))
    assert "".join(text for _, _, text in told(data)) == BODY * 2


def test_latin_lines_keep_their_spaces_and_lose_their_hyphens() -> None:
    lines = ["The furnace was heated to the temper-", "ature given in the table and held", "for thirty minutes."]
    data = pages.pdf(pages.across(lines, font="Helvetica"))
    assert told(data) == [
        ("paragraph", 1, "The furnace was heated to the temperature given in the table and held for thirty minutes.")
    ]


def test_a_word_cut_by_a_pages_end_is_whole_and_what_follows_is_on_its_own_page() -> None:
    first, second = "試験の前に、すべての試料を室温で硝酸銀水", "溶液に浸す。次の段階では乾燥庫で乾燥する。"
    assert told(pages.pdf(pages.across([first]), pages.across([second]))) == [
        ("paragraph", 1, "試験の前に、すべての試料を室温で硝酸銀水溶液に浸す。"),
        ("paragraph", 2, "次の段階では乾燥庫で乾燥する。"),
    ]


def test_turned_text_reads_like_any_other() -> None:
    def turned(angle: int) -> pages.Draw:
        def draw(sheet: Any) -> None:
            sheet.translate(300, 400)
            sheet.rotate(angle)
            pages.across(["First line of turned", "text in this paper."], 0, 0, font="Helvetica")(sheet)

        return draw

    for angle in (0, 90, 180, 270):
        assert told(pages.pdf(turned(angle))) == [("paragraph", 1, "First line of turned text in this paper.")], angle


def test_an_outline_makes_headings_and_larger_letters_do_without_one() -> None:
    def page(sheet: Any) -> None:
        sheet.bookmarkPage("a")
        sheet.bookmarkPage("b")
        sheet.addOutlineEntry("試験の概要", "a", 0)
        sheet.addOutlineEntry("前処理", "b", 1)
        pages.across(["1 試験の概要"], y=780)(sheet)
        pages.across(["前処理"], y=740)(sheet)
        pages.across(pages.wrapped(BODY, 37), y=700)(sheet)

    with_outline = read(pages.pdf(page))
    assert [(b.level, b.label) for b in with_outline.blocks if b.kind == "heading"] == [
        (1, "1 試験の概要"),
        (2, "前処理"),
    ]
    plain = read(pages.pdf(pages.both(pages.across(["第一章"], y=780, size=18), pages.across(pages.wrapped(BODY, 37)))))
    assert [(b.level, b.label) for b in plain.blocks if b.kind == "heading"] == [(1, "第一章")]
    assert plain.title == "第一章"


def test_a_bookmark_that_the_page_does_not_say_heads_its_page() -> None:
    def page(name: str, body: str) -> pages.Draw:
        def draw(sheet: Any) -> None:
            sheet.bookmarkPage(name)
            sheet.addOutlineEntry(name, name, 0)
            pages.across([body], font="Helvetica")(sheet)

        return draw

    data = pages.pdf(page("Denmark", "A flat country."), page("France", "A large one."))
    assert told(data) == [
        ("heading", 1, "Denmark"),
        ("paragraph", 1, "A flat country."),
        ("heading", 2, "France"),
        ("paragraph", 2, "A large one."),
    ]


def test_notes_and_filled_in_fields_are_read() -> None:
    def page(sheet: Any) -> None:
        pages.across(["The text of the page."], font="Helvetica")(sheet)
        sheet.textAnnotation("要確認: 温度が違う", Rect=(100, 100, 120, 120))
        sheet.acroForm.textfield(name="operator", value="A. Nonym", x=100, y=300)

    assert [text for kind, _, text in told(pages.pdf(page)) if kind == "quote"] == [
        "要確認: 温度が違う",
        "operator: A. Nonym",
    ]


def test_properties_are_fields_and_the_title() -> None:
    reading = read(pages.pdf(pages.across(["x"]), title="凝固試験", author="山田", keywords="silver, 硝酸銀"))
    assert reading.title == "凝固試験"
    assert reading.fields["author"] == ("山田",) and reading.fields["keywords"] == ("silver, 硝酸銀",)
    assert reading.fields["pages"] == ("1",) and reading.fields["date"] == ("2000-01-01",)
    for useless in ("untitled", "report.docx"):
        assert read(pages.pdf(pages.across(["x"]), title=useless)).title == "a"


def test_a_password_is_named_and_what_to_do() -> None:
    with pytest.raises(Unreadable, match="protected by a password") as caught:
        read(pages.pdf(pages.across(["secret"]), password="open sesame"))
    assert "qpdf" in caught.value.mend


@pytest.mark.parametrize(
    "spoil",
    [
        lambda data: b"",
        lambda data: b"%PDF-1.7\n",
        lambda data: data[: len(data) // 3],
        lambda data: b"%PDF-1.4\n" + b"[" * 200_000,
        lambda data: data.replace(b"/Pages", b"/Pagez"),
    ],
)
def test_damage_is_an_outcome(spoil: Callable[[bytes], bytes]) -> None:
    try:
        reading = read(spoil(pages.pdf(pages.across(["some words"], font="Helvetica"))))
    except Unreadable as e:
        assert e.message and e.mend
    else:
        assert reading.outcome in ("ok", "partial")


def test_a_document_too_long_for_its_time_is_read_in_part_and_says_so() -> None:
    data = pages.pdf(*[pages.across([f"Page number {n} says so."], font="Helvetica") for n in range(40)])
    with granted(Allowance(until=0.0)), pytest.raises(Unreadable, match="read 0 of 40 pages"):
        pdf.read(data, "a.pdf")
    started = iter([0.0, *[float(n) for n in range(100)]])

    class Clock:
        monotonic = staticmethod(lambda: next(started))

    with granted(Allowance(until=10.0)), pytest.MonkeyPatch.context() as patch:
        patch.setattr("inro.readers.allowance.time", Clock)
        reading = pdf.read(data, "a.pdf")
    assert reading.outcome == "partial" and reading.mend
    read_pages = {b.page for b in reading.blocks}
    assert reading.reason.startswith(f"read {len(read_pages)} of 40 pages") and 0 < len(read_pages) < 40


def garbage(sheet: Any) -> None:
    """What a font without a table to characters gives: codes of another meaning."""
    sheet.setFont("Helvetica", 11)
    for n in range(12):
        sheet.drawString(72, 700 - 16 * n, "WKH IXUQDFH ZDV KHDWHG DQG WKHQ KHOG DW WKDW WHPSHUDWXUH IRU VRPH WLPH")


def test_garbage_is_never_indexed_and_its_pages_are_named() -> None:
    reading = read(pages.pdf(pages.across(["A sound page of text."], font="Helvetica"), garbage))
    assert reading.text == "A sound page of text."
    assert reading.outcome == "partial" and reading.reason == "letters that stand for others on page 2"
    assert 'ocr = "auto"' in reading.mend


def test_a_page_of_ink_without_text_is_told_and_an_empty_page_is_not() -> None:
    page = pages.across(["A sound page of text."], font="Helvetica")
    ink = pages.picture(np.tile(np.array([0, 255], np.uint8), (80, 40)), 100, 300, 300, 300)
    reading = read(pages.pdf(page, lambda sheet: None, ink))
    assert reading.reason == "a page of ink without text on page 3"
    with pytest.raises(Unreadable, match="without text on page 1"):
        read(pages.pdf(ink))


def test_text_that_no_font_can_tell_is_named_with_what_to_do() -> None:
    """A vertical line in a font that is not embedded, on a machine without one: PDFium passes it over."""
    try:
        reading = read(pages.pdf(pages.both(pages.down(["試験の報告、一"]), pages.down(["試験片"], x=300))))
    except Unreadable as e:
        assert "font that neither the file nor this machine has on page 1" in e.message and "install a font" in e.mend
    else:
        if reading.outcome == "ok":
            pytest.skip("this machine has a Japanese font")
        assert "font that neither the file nor this machine has on page 1" in reading.reason
        assert "install a font" in reading.mend


class Eye:
    """Sees the same words in every picture and remembers the pictures' sizes."""

    def __init__(self, *said: str) -> None:
        self.said = said
        self.looked: list[tuple[int, ...]] = []

    def __call__(self, picture: Any, threads: int, scale: float) -> list[Line]:
        self.looked.append(picture.shape)
        return [
            Line(text, 10, 20 + 40 * n, 10 + 20 * len(text), 40 + 40 * n, 0, 20) for n, text in enumerate(self.said)
        ]


def see(data: bytes, eye: Eye, monkeypatch: pytest.MonkeyPatch) -> Reading:
    monkeypatch.setattr(pdf_page, "recognise", eye)
    return pdf.read(data, "a.pdf")


def test_broken_text_and_bare_ink_are_looked_at_and_sound_text_is_not(monkeypatch: pytest.MonkeyPatch) -> None:
    ink = pages.picture(np.tile(np.array([0, 255], np.uint8), (80, 40)), 0, 0, 595, 842)
    eye = Eye("What the page really says.")
    sound = pages.across(["A sound page of text."], font="Helvetica")
    reading = see(pages.pdf(sound, garbage, ink), eye, monkeypatch)
    assert [b.page for b in reading.blocks] == [1, 2, 3] and reading.outcome == "ok"
    assert reading.text.count("What the page really says.") == 2
    assert len(eye.looked) == 2 and all(max(shape) == 2000 for shape in eye.looked)


def test_pictures_without_text_over_them_are_looked_at_once_each(monkeypatch: pytest.MonkeyPatch) -> None:
    """A logo on every page is read once, a figure on its page, a scan under recognised text not at all."""
    noise = np.random.default_rng(1).integers(0, 256, (3, 60, 80, 3), np.uint8)
    text = pages.across(["A sound page with a logo."], font="Helvetica")
    logo = pages.picture(noise[0], 400, 700, 120, 90)
    covered = pages.picture(noise[1], 60, 740, 300, 60)
    small = pages.picture(noise[2], 20, 20, 20, 20)
    figure = pages.picture(noise[1], 100, 100, 200, 150)
    eye = Eye("図1")
    data = pages.pdf(pages.both(covered, logo, small, text), pages.both(logo, figure, text), pages.both(logo, text))
    reading = see(data, eye, monkeypatch)
    assert [b.page for b in reading.blocks if reading.text[b.start : b.end] == "図1"] == [1, 2]
    assert len(eye.looked) == 2
    scale = 2000 / pages.HEIGHT
    assert eye.looked[0][:2] == pytest.approx((90 * scale, 120 * scale), abs=2)


def test_every_real_file_has_an_outcome_and_its_words(shared: Path) -> None:
    """Words in common with PDFium's own extraction, F1; set apart where that has letters spaced out."""
    folder = shared / "files" / "pdf"
    if not folder.is_dir():
        pytest.skip("no sample files")
    for path in sorted(folder.glob("*.pdf")):
        peer = shared / "files" / "pdf-refs" / f"{path.stem}.pdfium.txt"
        try:
            reading = read(path.read_bytes())
        except Unreadable as e:
            assert path.stem in ("libreoffice-writer-password", "testOCR") and e.mend
            continue
        if path.stem in ("imagemagick-images", "testExtraSpaces") or len(reading.text) < 200:
            continue
        ours = set(reading.text.split())
        theirs = {w for w in peer.read_text().split() if "=" not in w}
        assert 2 * len(ours & theirs) / (len(ours) + len(theirs)) > 0.85, path.stem
