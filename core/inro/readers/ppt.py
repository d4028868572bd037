"""PowerPoint 97-2003 presentations: slides in their order with title, text and notes, as newer ones are read.

A text stands in its shape, or the shape refers to the outline that the document keeps for all slides. The page of a
block is the slide's number. A slide without a title is headed by its first line, so that its text does not stand
under the heading of the slide before. Slide numbers, dates and footers are left out.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from inro.errors import Unreadable
from inro.readers.draft import Draft
from inro.readers.ole import Compound
from inro.readers.ppt_records import Presentation, Record
from inro.readers.reader import Reader, stem_of
from inro.readers.renamed import read_renamed
from inro.records import Reading

_DOCUMENT, _SLIDE, _SLIDE_ATOM, _NOTES = 0x03E8, 0x03EE, 0x03EF, 0x03F0
_TEXTS, _PLACE, _DRAWING, _TEXTBOX = 0x0FF0, 0x03F3, 0x040C, 0xF00D
_HEADER, _WIDE, _NARROW, _REFERENCE = 0x0F9F, 0x0FA0, 0x0FA8, 0x0F9E
_FURNITURE = frozenset((0x0FD8, 0x0FF7, 0x0FF8, 0x0FF9, 0x0FFA, 0x1015))
"""Records beside a text that make it a slide number, a date, a header or a footer."""
_LINKS, _LINK, _LINK_NUMBER, _STRING, _CLICK, _CLICK_ATOM = 0x0409, 0x0FD7, 0x0FD3, 0x0FBA, 0x0FF2, 0x0FF3
_SLIDES, _NOTES_LIST = 0, 2
_TITLES, _NOTES_TEXT = (0, 6), 2
_OTHER = 4
_LONGEST_TITLE = 120
_MOST_SLIDES = 100_000


@dataclass(slots=True)
class _Text:
    """The text of one shape."""

    kind: int
    """Title, body, notes, …"""
    lines: list[str]
    targets: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class _Listed:
    """A slide or a notes page in the document's list, with its texts of the outline."""

    object: int
    id: int
    texts: list[_Text]


def read(data: bytes, name: str, encoding: str | None = None) -> Reading:
    """Read a presentation. Raises `Unreadable` if it is protected, of PowerPoint 95, of another kind, or damaged."""
    renamed = read_renamed(data, name, encoding)
    if renamed is not None:
        return renamed
    file = Compound(data, name)
    records = Presentation(file, name)
    draft = Draft()
    title = file.declare(draft)
    if records.whole:
        _Slides(records, draft).write()
    if draft.empty:
        _in_file_order(records, draft)
    if draft.empty:
        raise Unreadable(f"no slide in it can be read: {name}", "open it and save it as PPTX")
    return draft.reading(READER.id, title or draft.first_heading() or stem_of(name))


class _Slides:
    def __init__(self, records: Presentation, draft: Draft) -> None:
        self._records, self._draft = records, draft
        root = records.object(records.document)
        self._root = root if root is not None and root.kind == _DOCUMENT else None
        self._links = self._targets()

    def write(self) -> None:
        """Write all slides."""
        notes = {one.id: one for one in self._listed(_NOTES_LIST)}
        for number, slide in enumerate(self._listed(_SLIDES), 1):
            record = self._records.object(slide.object)
            if record is None or record.kind != _SLIDE:
                self._draft.problems.append(f"slide {number} is damaged")
                texts = slide.texts
            else:
                texts = _shapes(self._records, record, slide.texts, self._links)
            _slide(self._draft, texts, number)
            page = notes.get(self._notes_of(record))
            spoken = self._records.object(page.object) if page is not None else None
            if page is not None and spoken is not None and spoken.kind == _NOTES:
                words = _shapes(self._records, spoken, page.texts, self._links)
                said = [one for one in words if one.kind == _NOTES_TEXT]
                self._draft.add("quote", "\n".join(line for one in said for line in one.lines), number)

    def _notes_of(self, slide: Record | None) -> int:
        atom = next((r for r in self._records.inside(slide) if r.kind == _SLIDE_ATOM), None) if slide else None
        return self._records.number(atom, 16) if atom is not None else 0

    def _listed(self, instance: int) -> list[_Listed]:
        found: list[_Listed] = []
        for texts in self._records.inside(self._root) if self._root is not None else ():
            if texts.kind != _TEXTS or texts.instance != instance:
                continue
            for one in self._records.inside(texts):
                if one.kind == _PLACE and len(found) < _MOST_SLIDES:
                    number = self._records.number
                    found.append(_Listed(number(one, 0), number(one, 12), []))
                elif one.kind == _HEADER and found:
                    found[-1].texts.append(_Text(self._records.number(one, 0), []))
                elif one.kind in (_WIDE, _NARROW) and found and found[-1].texts:
                    found[-1].texts[-1].lines.extend(_lines(self._records, one))
        return found

    def _targets(self) -> dict[int, str]:
        """Web addresses by their numbers."""
        found: dict[int, str] = {}
        for held in self._records.below(self._root, _LINKS) if self._root is not None else ():
            for link in self._records.inside(held):
                parts = list(self._records.inside(link)) if link.kind == _LINK else []
                number = next((self._records.number(p, 0) for p in parts if p.kind == _LINK_NUMBER), 0)
                target = next(
                    (_wide(self._records.bytes(p)) for p in parts if p.kind == _STRING and p.instance == 1), ""
                )
                if "://" in target or target.startswith("mailto:"):
                    found[number] = target
        return found


def _in_file_order(records: Presentation, draft: Draft) -> None:
    """Write the slides as they lie in the file: what is left when its directory is damaged."""
    number = 0
    for one in records.inside(None):
        if one.kind == _SLIDE:
            number += 1
            _slide(draft, _shapes(records, one, [], {}), number)
        elif one.kind == _NOTES and number:
            said = [t for t in _shapes(records, one, [], {}) if t.kind == _NOTES_TEXT]
            draft.add("quote", "\n".join(line for text in said for line in text.lines), number)
    draft.problems.append("its directory is damaged: slides are in the order of the file, earlier states among them")


def _shapes(records: Presentation, page: Record, outline: Sequence[_Text], links: dict[int, str]) -> list[_Text]:
    """The texts of a page's shapes, in order."""
    found: list[_Text] = []
    for drawing in records.inside(page):
        if drawing.kind != _DRAWING:
            continue
        for box in records.below(drawing, _TEXTBOX):
            parts = list(records.inside(box))
            if any(part.kind in _FURNITURE for part in parts):
                continue
            kind, text = _OTHER, _Text(_OTHER, [])
            for part in parts:
                if part.kind == _HEADER:
                    kind = records.number(part, 0)
                elif part.kind == _REFERENCE:
                    at = records.number(part, 0)
                    if at < len(outline):
                        kind = outline[at].kind
                        text.lines.extend(outline[at].lines)
                elif part.kind in (_WIDE, _NARROW):
                    text.lines.extend(_lines(records, part))
                elif part.kind == _CLICK:
                    for atom in records.inside(part):
                        target = links.get(records.number(atom, 4)) if atom.kind == _CLICK_ATOM else None
                        if target:
                            text.targets.append(target)
            text.kind = kind
            if text.lines:
                found.append(text)
    return found


def _slide(draft: Draft, texts: Sequence[_Text], number: int) -> None:
    titles = [one for one in texts if one.kind in _TITLES][:1]
    rest = [one for one in texts if one not in titles]
    if titles:
        span = draft.heading(1, " ".join(titles[0].lines), number)
        for target in titles[0].targets:
            draft.link("url", target, span)
    else:
        first = rest[0].lines[0] if rest else ""
        short = 0 < len(first) <= _LONGEST_TITLE
        draft.heading(1, first if short else f"{number}", number)
        if short:
            rest[0].lines = rest[0].lines[1:]
    for one in rest:
        span = draft.add("list" if len(one.lines) > 1 else "paragraph", "\n".join(one.lines), number)
        for target in one.targets:
            draft.link("url", target, span)


def _lines(records: Presentation, record: Record) -> list[str]:
    """The paragraphs of a text that hold any."""
    raw = records.bytes(record)
    text = _wide(raw) if record.kind == _WIDE else raw.decode("latin-1")
    paragraphs = (part.replace("\x0b", " ").strip() for part in text.split("\r"))
    return [part for part in paragraphs if part.strip("*")]


def _wide(raw: bytes) -> str:
    return raw[: len(raw) // 2 * 2].decode("utf-16-le", "replace").rstrip("\0")


READER = Reader("ppt", 1, frozenset({".ppt", ".pps", ".pot"}), read, isolated=True)
