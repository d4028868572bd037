"""What a PDF holds besides its pages: links to addresses, and attached files."""

from __future__ import annotations

import io
from typing import Any

import pages
import pypdfium2
from offices import docx, paragraph

from inro.readers import pdf, unfolding
from inro.readers.allowance import Allowance, granted
from inro.records import Reading


def read(data: bytes) -> Reading:
    with granted(Allowance(recognise=False)):
        return pdf.read(data, "papers/a.pdf")


def attached(data: bytes, files: dict[str, bytes]) -> bytes:
    """The PDF with these files attached to it."""
    document = pypdfium2.PdfDocument(data)
    for name, content in files.items():
        document.new_attachment(name).set_data(content)
    out = io.BytesIO()
    document.save(out)
    document.close()
    return out.getvalue()


def link(address: str, x: float, y: float, width: float) -> pages.Draw:
    def draw(sheet: Any) -> None:
        sheet.linkURL(address, (x, y - 3, x + width, y + 11))

    return draw


def linked(reading: Reading) -> list[tuple[str, str]]:
    return [(reading.text[one.start : one.end], one.target) for one in reading.links]


def test_a_link_is_kept_at_its_words() -> None:
    lines = pages.across(["詳しくは手引きを見る。", "Then see the manual and the list."], size=10, step=2)
    data = pages.pdf(
        pages.both(lines, link("https://x.example/guide", 112, 760, 30)),
        pages.both(
            pages.across(["on a second page"], font="Helvetica"),
            pages.both(link("mailto:a@example.org", 72, 760, 12), link("https://x.example/nowhere", 300, 100, 40)),
        ),
    )
    reading = read(data)
    assert linked(reading) == [
        ("手引き", "https://x.example/guide"),
        ("on", "mailto:a@example.org"),
        ("on a second page", "https://x.example/nowhere"),
    ]
    assert all(one.kind == "url" for one in reading.links)


def test_words_that_are_linked_twice_are_two_places() -> None:
    lines = pages.across(["here and here"], font="Courier", size=10)
    first, second = link("https://x.example/1", 72, 760, 23.9), link("https://x.example/2", 126, 760, 23.9)
    reading = read(pages.pdf(pages.both(lines, pages.both(first, second))))
    assert [(one.start, one.end, one.target[-1]) for one in reading.links] == [(0, 4, "1"), (9, 13, "2")]


def test_attached_files_are_read_by_their_own_readers_after_the_pages() -> None:
    inner = pages.pdf(pages.across(["page of the inner one"], font="Helvetica"))
    whole = attached(
        pages.pdf(pages.across(["the outer text"], font="Helvetica")),
        {
            "data.csv": "試料,値\na,1\n".encode(),
            "note.docx": docx(paragraph("本文")),
            "inner.pdf": inner,
            "x.bin": b"\0\1",
        },
    )
    reading = read(whole)
    found = [(b.kind, b.page, reading.text[b.start : b.end]) for b in reading.blocks]
    assert found[0] == ("paragraph", 1, "the outer text")
    assert ("heading", None, "data.csv") in found and ("paragraph", None, "本文") in found
    assert ("paragraph", None, "page of the inner one") in found
    assert reading.fields["attachments"] == ("data.csv", "inner.pdf", "note.docx", "x.bin")
    assert reading.outcome == "partial" and "x.bin" in reading.reason
    assert reading.reader == pdf.READER.id


def test_attachments_draw_on_the_limits_of_the_whole_file() -> None:
    whole = pages.pdf(pages.across(["outermost"], font="Helvetica"))
    for depth in range(unfolding.DEEPEST + 2):
        whole = attached(pages.pdf(pages.across([f"level {depth}"], font="Helvetica")), {"in.pdf": whole})
    reading = read(whole)
    assert "outermost" not in reading.text and "level 1" in reading.text
    assert reading.outcome == "partial" and "nested more than" in reading.reason
    many = attached(pages.pdf(pages.across(["text"], font="Helvetica")), {f"{n}.txt": b"words" for n in range(4)})
    with unfolding.unfolding() as left:
        left.members = 2
        assert "members" in read(many).reason
