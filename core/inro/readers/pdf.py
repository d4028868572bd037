"""PDF: text in reading order with page numbers, outline, notes and properties, page by page.

A page whose text is garbage is never indexed as it is; see `pdf_page`. Pages are read until the allowance is
spent: a document of ten thousand pages gives the pages there was time for and says so. The text keeps no line
ends of the page: lines are joined to paragraphs, and a sentence that goes over a page's end stays whole. Attached
files are read by their own readers and follow the pages.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from inro.errors import Unreadable
from inro.readers.allowance import allowance
from inro.readers.furniture import without_furniture
from inro.readers.headers import add_field
from inro.readers.mojibake import wrongly_decoded
from inro.readers.paragraphs import Paragraph, assemble, connected, paragraphs, set_headings
from inro.readers.pdf_extras import placed, with_attachments
from inro.readers.pdf_page import NO_FONT, PageText, read_page
from inro.readers.reader import Reader, stem_of
from inro.readers.unfolding import unfolding
from inro.records import Block, Reading

_MOST_BOOKMARKS = 5000
_LONGEST_FIELD = 2000
_DECLARED = ("Title", "Author", "Subject", "Keywords", "CreationDate", "ModDate")
_NO_TITLE = re.compile(
    r"(?i)untitled.*|無題.*|no title|.{0,2}|.*\.(?:docx?|xlsx?|pptx?|indd|tex|dvi|ps|pdf|qxd|jtd|rtf|odt)"
)
_WRITER = re.compile(r"(?i)^Microsoft (?:Office )?(?:Word|PowerPoint|Excel) *[-–] *")
_DATE = re.compile(r"(?:D:)?(\d{4})(\d{2})?(\d{2})?")


def read(data: bytes, name: str, encoding: str | None = None) -> Reading:
    """Read a PDF. Raises `Unreadable` if it is protected or damaged beyond reading."""
    import pypdfium2

    try:
        document = pypdfium2.PdfDocument(data)
    except pypdfium2.PdfiumError as e:
        raise _refused(e, data) from e
    try:
        with unfolding():
            return _read(document, name)
    finally:
        document.close()


def _read(document: Any, name: str) -> Reading:
    pages, read, total = _pages(document)
    made = _paragraphs(pages)
    _outline(made, _bookmarks(document, read))
    fields = _fields(document)
    text, blocks = assemble(made)
    outcome, reason, mend = _judge(pages, read, total, text)
    if outcome == "unreadable":
        raise Unreadable(reason, mend)
    reading = Reading(
        text=text,
        title=_title(fields, blocks, name),
        blocks=blocks,
        reader=READER.id,
        fields=fields,
        links=placed(text, blocks, [page.links for page in pages]),
        encoding="",
        outcome="partial" if outcome == "partial" else "ok",
        reason=reason,
        mend=mend,
    )
    return with_attachments(reading, document, name)


def _refused(error: Any, data: bytes) -> Unreadable:
    import pypdfium2.raw as pdfium

    if error.err_code == pdfium.FPDF_ERR_PASSWORD:
        return Unreadable(
            "protected by a password", "save a copy without the password, for example with qpdf --decrypt"
        )
    if error.err_code == pdfium.FPDF_ERR_SECURITY:
        return Unreadable("protected in a way that is not supported", "save a copy without protection")
    what = "empty" if not data.strip(b"\0 \r\n") else "damaged, or no PDF"
    return Unreadable(what, "open it with a PDF viewer and save it anew, or exclude it with .inroignore")


def _pages(document: Any) -> tuple[list[PageText], int, int]:
    """The pages there was time for, how many these are, and how many there are."""
    import pypdfium2

    total = len(document)
    pages: list[PageText] = []
    seen: set[bytes] = set()
    for number in range(total):
        if allowance().spent:
            break
        try:
            page = document[number]
        except pypdfium2.PdfiumError:
            pages.append(PageText(fault="a damaged page"))
            continue
        try:
            pages.append(read_page(page, seen))
        except pypdfium2.PdfiumError:
            pages.append(PageText(fault="a damaged page"))
        finally:
            page.close()
    return pages, len(pages), total


def _paragraphs(pages: Sequence[PageText]) -> list[Paragraph]:
    kept = without_furniture([page.lines for page in pages])
    body = connected(paragraphs(lines, number) for number, lines in enumerate(kept, start=1))
    set_headings(body)
    extra: dict[int, list[Paragraph]] = {}
    for number, page in enumerate(pages, start=1):
        for figure in page.figures:
            extra.setdefault(number, []).extend(paragraphs(figure, number))
        for note in page.notes:
            extra.setdefault(number, []).append(Paragraph(note, "quote", number, 0.0))
    if not extra:
        return body
    made: list[Paragraph] = []
    at = 0
    for number in range(1, len(pages) + 1):
        while at < len(body) and body[at].page == number:
            made.append(body[at])
            at += 1
        made.extend(extra.get(number, ()))
    return made


def _bookmarks(document: Any, read: int) -> list[tuple[int, int, str]]:
    """(page from 1, level from 1, title) of the outline, in order, for the pages that were read."""
    import pypdfium2

    made: list[tuple[int, int, str]] = []
    try:
        for mark in document.get_toc(max_depth=8):
            if len(made) >= _MOST_BOOKMARKS:
                break
            place = mark.get_dest()
            page = place.get_index() if place is not None else None
            title = _clean(_declared(lambda m: m.get_title(), mark))
            if page is not None and page < read and title:
                made.append((page + 1, mark.level + 1, title))
    except pypdfium2.PdfiumError:
        return made
    return made


def _outline(made: list[Paragraph], marks: Iterable[tuple[int, int, str]]) -> None:
    """Make headings of the outline: where its titles stand, else at the beginning of their page."""
    at = 0
    for page, level, title in marks:
        if at and made[at - 1].page > page:
            at = next(i for i, paragraph in enumerate(made) if paragraph.page >= page)
        place = _find(made, page, title, at)
        if place is None:
            place = next((i for i in range(at, len(made)) if made[i].page >= page), len(made))
            made.insert(place, Paragraph(title, "heading", page, 0.0, True, level))
        else:
            whole = made[place]
            end = _reach(whole.text, title)
            rest = whole.text[end:].strip()
            if rest and len(rest) > 2:
                made.insert(place + 1, Paragraph(rest, "paragraph", whole.page, whole.size))
                whole.text = whole.text[:end].strip()
            whole.kind, whole.level = "heading", level
        at = place + 1


def _find(made: Sequence[Paragraph], page: int, title: str, start: int) -> int | None:
    folded = _folded(title)
    if not folded:
        return None
    for at in range(start, len(made)):
        paragraph = made[at]
        if paragraph.page > page:
            break
        if paragraph.page < page or paragraph.kind in ("table", "quote"):
            continue
        if _folded(paragraph.text[: 2 * len(title) + 40]).startswith(folded):
            return at
        # outlines often leave the number out that the page has
        bare = _folded(re.sub(r"^[\W\d]+", "", paragraph.text[: 2 * len(title) + 40]))
        if bare.startswith(folded) and len(folded) >= 4:
            return at
    return None


def _reach(text: str, title: str) -> int:
    """Where the title ends in a text that begins with it, perhaps after a number."""
    wanted = len(_folded(title))
    number = re.match(r"^[\W\d]+", text)
    if number and not _folded(text).startswith(_folded(title)):
        return number.end() + _reach(text[number.end() :], title)
    have = 0
    for at, char in enumerate(text):
        if have >= wanted:
            return at
        have += len(_folded(char))
    return len(text)


def _folded(text: str) -> str:
    return "".join(c for c in unicodedata.normalize("NFKC", text).casefold() if c.isalnum())


def _fields(document: Any) -> dict[str, tuple[str, ...]]:
    """What the document declares of itself."""
    told = {key: _clean(_declared(document.get_metadata_value, key)) for key in _DECLARED}
    fields: dict[str, tuple[str, ...]] = {}
    for key in ("Title", "Author", "Subject", "Keywords"):
        if told[key] and not wrongly_decoded(told[key]):
            add_field(fields, key, (told[key],))
    for key, stored in (("date", "CreationDate"), ("modified", "ModDate")):
        if match := _DATE.match(told[stored]):
            add_field(fields, key, ("-".join(part for part in match.groups() if part),))
    add_field(fields, "pages", (str(len(document)),))
    return fields


def _declared(ask: Callable[[Any], str], key: object) -> str:
    """A property of the document; empty where it is damaged."""
    import pypdfium2

    try:
        return ask(key)
    except (pypdfium2.PdfiumError, UnicodeDecodeError):
        return ""


def _title(fields: dict[str, tuple[str, ...]], blocks: Sequence[Block], name: str) -> str:
    """The declared title where it is one, else the first page's largest heading, else the file's name."""
    declared = _WRITER.sub("", fields.get("title", ("",))[0]).strip()
    if declared and _NO_TITLE.fullmatch(declared) is None:
        return declared
    first = [b for b in blocks if b.kind == "heading" and b.page == 1]
    if first:
        return min(first, key=lambda b: b.level).label
    return stem_of(name)


def _judge(pages: Sequence[PageText], read: int, total: int, text: str) -> tuple[str, str, str]:
    """Outcome, reason and mend of the whole."""
    faults: dict[str, list[int]] = {}
    for number, page in enumerate(pages, start=1):
        if page.fault:
            faults.setdefault(page.fault, []).append(number)
    reasons = [f"{what} on {_listed(numbers)}" for what, numbers in faults.items()]
    mends: list[str] = []
    if NO_FONT in faults:
        mends.append("install a font for Japanese and Chinese, then inro sync --full")
    if faults.keys() - {NO_FONT}:
        mends.append(
            "print it to a new PDF, or scan it"
            if allowance().recognise
            else 'set ocr = "auto" in the settings, then inro sync --full'
        )
    if read < total:
        reasons.insert(0, f"read {read:,} of {total:,} pages in the time for its size")
        mends.append("split it into smaller files")
    if not reasons:
        return "ok", "", ""
    return ("partial" if text else "unreadable"), "; ".join(reasons), "; ".join(mends)


def _listed(numbers: Sequence[int]) -> str:
    """`page 3`, `pages 1–4, 7`."""
    spans: list[list[int]] = []
    for number in numbers:
        if spans and number == spans[-1][1] + 1:
            spans[-1][1] = number
        else:
            spans.append([number, number])
    told = [str(a) if a == b else f"{a}–{b}" for a, b in spans]
    more = f" and {len(told) - 8} more" if len(told) > 8 else ""
    return f"{'page' if len(numbers) == 1 else 'pages'} {', '.join(told[:8])}{more}"


def _clean(text: str) -> str:
    return " ".join("".join(c if c.isprintable() else " " for c in text[:_LONGEST_FIELD]).split())


READER = Reader("pdf", 2, frozenset({".pdf"}), read, isolated=True)
