"""What a PDF holds besides its pages' text: the web addresses of its links, and files that are attached to it."""

from __future__ import annotations

import ctypes
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

from inro.errors import Unreadable
from inro.readers.allowance import allowance
from inro.readers.draft import Draft, clean
from inro.readers.nested import embed_file, shown_name
from inro.readers.unfolding import LARGEST_MEMBER, unfolding
from inro.records import Block, Link, Outcome, Reading, Span

_MOST_LINKS = 1000
"""On one page."""
_MOST_QUADS = 8
_LONGEST_ADDRESS = 2000
_LEAST_RECTANGLE = 0.5
MOST_ATTACHMENTS = 200

PageLink = tuple[str, str]
"""(words that are the link, address)."""


def page_links(page: Any) -> list[PageLink]:
    """The links of a page that lead to an address, in the order of the page's annotations."""
    import pypdfium2.raw as pdfium

    position, link = ctypes.c_int(0), pdfium.FPDF_LINK()
    found: list[PageLink] = []
    textpage = None
    try:
        for _ in range(_MOST_LINKS):
            if not pdfium.FPDFLink_Enumerate(page, position, link):
                break
            address = _address(page, link)
            if address:
                textpage = textpage or page.get_textpage()
                found.append((" ".join(_words(textpage, link).split()), address))
    finally:
        if textpage is not None:
            textpage.close()
    return found


def _address(page: Any, link: Any) -> str:
    import pypdfium2.raw as pdfium

    action = pdfium.FPDFLink_GetAction(link)
    if not action or pdfium.FPDFAction_GetType(action) != pdfium.PDFACTION_URI:
        return ""
    size = pdfium.FPDFAction_GetURIPath(page.pdf, action, None, 0)
    if not 1 < size <= _LONGEST_ADDRESS:
        return ""
    stored = ctypes.create_string_buffer(size)
    pdfium.FPDFAction_GetURIPath(page.pdf, action, stored, size)
    return " ".join(clean(stored.raw[: size - 1].decode("utf-8", "replace")).split())


def _words(textpage: Any, link: Any) -> str:
    """The text that stands in the link's rectangle, or in each of those that it has for its lines."""
    import pypdfium2.raw as pdfium

    boxes: list[tuple[float, float, float, float]] = []
    quad = pdfium.FS_QUADPOINTSF()
    for at in range(min(pdfium.FPDFLink_CountQuadPoints(link), _MOST_QUADS)):
        if pdfium.FPDFLink_GetQuadPoints(link, at, quad):
            xs, ys = (quad.x1, quad.x2, quad.x3, quad.x4), (quad.y1, quad.y2, quad.y3, quad.y4)
            boxes.append((min(xs), min(ys), max(xs), max(ys)))
    box = pdfium.FS_RECTF()
    if not boxes and pdfium.FPDFLink_GetAnnotRect(link, box):
        boxes.append((box.left, min(box.bottom, box.top), box.right, max(box.bottom, box.top)))
    large = (b for b in boxes if b[2] - b[0] > _LEAST_RECTANGLE and b[3] - b[1] > _LEAST_RECTANGLE)
    return " ".join(textpage.get_text_bounded(*b) for b in large)


def placed(text: str, blocks: Sequence[Block], pages: Iterable[Sequence[PageLink]]) -> tuple[Link, ...]:
    """The links at their words in the text; one whose words are not found, at the first block of its page.

    Args:
        pages: the links of each page, the first page first.
    """
    first: dict[int, Span] = {}
    last: dict[int, int] = {}
    for block in blocks:
        if block.page is not None:
            first.setdefault(block.page, (block.start, block.end))
            last[block.page] = block.end
    made: list[Link] = []
    for number, links in enumerate(pages, start=1):
        if not links or number not in first:
            continue
        start = first[number][0]
        # Lines are joined and blanks differ, so that words are looked for without any.
        places = [at for at in range(start, last[number]) if not text[at].isspace()]
        bare = "".join(text[at] for at in places)
        after = 0
        for words, address in links:
            wanted = "".join(words.split())
            at = bare.find(wanted, after) if wanted else -1
            at = bare.find(wanted) if at < 0 and wanted else at
            if at < 0:
                made.append(Link("url", address, *first[number]))
                continue
            after = at + len(wanted)
            made.append(Link("url", address, places[at], places[after - 1] + 1))
    return tuple(sorted(made, key=lambda link: (link.start, link.end)))


def with_attachments(reading: Reading, document: Any, name: str) -> Reading:
    """The reading with the files that are attached to the document after its text, each under its name."""
    count = min(document.count_attachments(), MOST_ATTACHMENTS)
    if count <= 0:
        return reading
    draft = Draft(fields=dict(reading.fields))
    draft.embed(replace(reading, outcome="ok"))
    end = len(reading.text.rstrip())
    for at in range(count):
        if allowance().spent:
            draft.problems.append("attachments left out in the time for its size")
            break
        _attachment(draft, document, at, name)
    made = draft.reading(reading.reader, reading.title, reading.encoding)
    # A page number means a page of this document, and an attachment is on none.
    blocks = tuple(b if b.start < end else replace(b, page=None) for b in made.blocks)
    reasons = "; ".join(part for part in (reading.reason, made.reason) if part)
    outcome: Outcome = "partial" if "partial" in (reading.outcome, made.outcome) else "ok"
    return replace(made, blocks=blocks, outcome=outcome, reason=reasons, mend=reading.mend)


def _attachment(draft: Draft, document: Any, at: int, name: str) -> None:
    import pypdfium2

    try:
        attachment = document.get_attachment(at)
        label = shown_name(attachment.get_name().rstrip("\0"))
        draft.declare("attachments", label)
        data = _content(attachment)
    except (pypdfium2.PdfiumError, UnicodeDecodeError):
        draft.problems.append(f"attachment {at + 1} is damaged")
        return
    if data is None:
        draft.problems.append(f"{label}: larger than {LARGEST_MEMBER // 1048576} MB, or damaged")
        return
    try:
        with unfolding() as left:
            left.member(name)
            left.unfolded(len(data), len(data), len(data), name)
    except Unreadable as e:
        draft.problems.append(e.message)
        return
    embed_file(draft, data, label, 1)


def _content(attachment: Any) -> bytes | None:
    """The bytes of an attachment; None if they are not there or too many."""
    import pypdfium2.raw as pdfium

    size = ctypes.c_ulong(0)
    if not pdfium.FPDFAttachment_GetFile(attachment, None, 0, size) or size.value > LARGEST_MEMBER:
        return None
    stored = ctypes.create_string_buffer(max(size.value, 1))
    if not pdfium.FPDFAttachment_GetFile(attachment, stored, size.value, size):
        return None
    return stored.raw[: size.value]
