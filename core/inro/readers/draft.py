"""A text in the making: what readers of formats that hold no plain text write into.

Blocks are set apart by a blank line, so that the text reads like a document wherever a slice of it is shown.
Another reading (an attachment, a member of an archive, a Markdown cell) can be put in whole: its blocks and
links move with it and its headings go below the one it stands under. Knows no format.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field

from inro.readers.blocks import cover, trimmed
from inro.readers.headers import add_field
from inro.records import Block, BlockKind, Link, LinkKind, Outcome, Reading, Span

LARGEST_TEXT = 64 * 1024 * 1024
"""Characters after which a text takes in no more; the reading then says so."""

_CONTROLS = re.compile("[\x00-\x08\x0e-\x1f\x7f]")
_BREAKS = re.compile("\r\n?|[\x0b\x0c\x85\u2028\u2029]")
_DEEPEST = 6
_LONGEST_LABEL = 200


@dataclass(slots=True)
class Draft:
    """Written from the first block to the last."""

    _parts: list[str] = field(default_factory=list)
    _length: int = 0
    _blocks: list[Block] = field(default_factory=list)
    _links: list[Link] = field(default_factory=list)
    fields: dict[str, tuple[str, ...]] = field(default_factory=dict)
    tags: list[str] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    """Why this is not all there was; any makes the outcome `partial`."""

    @property
    def empty(self) -> bool:
        """Whether nothing was written yet."""
        return not self._parts

    def heading(self, level: int, text: str, page: int | None = None) -> Span:
        """Write a heading; nothing if its text is blank."""
        line = " ".join(clean(text).split())
        return self._write("heading", line, page, min(max(level, 1), _DEEPEST), line[:_LONGEST_LABEL])

    def add(self, kind: BlockKind, text: str, page: int | None = None) -> Span:
        """Write a block; its span, empty if the text is blank."""
        return self._write(kind, clean(text), page)

    def declare(self, key: str, *values: str) -> None:
        """Add to a declared field what is not blank."""
        tidy = [line for v in values if (line := " ".join(clean(v).split())[:2000])]
        if tidy:
            add_field(self.fields, key, tidy)

    def declared(self, key: str) -> str:
        """The first value of a declared field; empty if there is none."""
        return self.fields.get(key, ("",))[0]

    def link(self, kind: LinkKind, target: str, span: Span) -> None:
        """Note that a span that was written refers to another place."""
        target = " ".join(clean(target).split())[:2000]
        if target and span[0] < span[1]:
            self._links.append(Link(kind, target, *span))

    def embed(self, reading: Reading, under: int = 0, page: int | None = None) -> Span:
        """Write a whole reading, its headings `under` levels down; its fields stay its own."""
        start, end = trimmed(reading.text, 0, len(reading.text))
        if reading.outcome == "partial" and reading.reason:
            self.problems.append(reading.reason)
        if start == end or not self._room(end - start):
            return (self._length, self._length)
        at = self._open()
        self._put(reading.text[start:end])
        shift = at - start
        for block in reading.blocks:
            a, b = max(block.start, start) + shift, min(block.end, end) + shift
            if a < b:
                level = min(block.level + under, _DEEPEST) if block.kind == "heading" else 0
                self._blocks.append(Block(block.kind, a, b, level, page or block.page, block.label))
        self._links.extend(
            Link(link.kind, link.target, link.start + shift, link.end + shift)
            for link in reading.links
            if start <= link.start and link.end <= end
        )
        self.tags.extend(reading.tags)
        return (at, self._length)

    def reading(
        self,
        reader: str,
        title: str,
        encoding: str = "utf-8",
        confidence: float = 1.0,
        outcome: Outcome = "ok",
        reason: str = "",
    ) -> Reading:
        """What was written, as a reading."""
        text = "".join(self._parts)
        problems = list(dict.fromkeys(p for p in (reason, *self.problems) if p))
        return Reading(
            text=text,
            title=" ".join(clean(title).split())[:500],
            blocks=cover(text, self._blocks),
            reader=reader,
            fields=self.fields,
            tags=tuple(dict.fromkeys(self.tags)),
            links=tuple(sorted(self._links, key=lambda link: (link.start, link.end))),
            encoding=encoding,
            confidence=confidence,
            outcome="partial" if self.problems and outcome == "ok" else outcome,
            reason="; ".join(problems[:5]) + (f"; and {len(problems) - 5} more" if len(problems) > 5 else ""),
        )

    def first_heading(self) -> str:
        """The label of the first heading written; empty if there is none."""
        return next((b.label for b in self._blocks if b.kind == "heading"), "")

    def _write(self, kind: BlockKind, text: str, page: int | None, level: int = 0, label: str = "") -> Span:
        start, end = trimmed(text, 0, len(text))
        if start == end or not self._room(end - start):
            return (self._length, self._length)
        # Indentation of a first line belongs to code and to nested items.
        start = text.rfind("\n", 0, start) + 1 if kind in ("code", "list") else start
        at = self._open()
        self._put(text[start:end])
        self._blocks.append(Block(kind, at, self._length, level, page, label))
        return (at, self._length)

    def _room(self, size: int) -> bool:
        if self._length + size <= LARGEST_TEXT:
            return True
        self.problems.append(f"text beyond {LARGEST_TEXT // 1048576} million characters left out")
        return False

    def _open(self) -> int:
        if self._parts:
            self._put("\n\n")
        return self._length

    def _put(self, piece: str) -> None:
        self._parts.append(piece)
        self._length += len(piece)


def clean(text: str) -> str:
    """The text with every line end as `\\n` and without control characters or lone surrogates."""
    text = _CONTROLS.sub("", _BREAKS.sub("\n", text))
    if any("\ud800" <= c <= "\udfff" for c in text) if not text.isascii() else False:
        text = "".join("\ufffd" if "\ud800" <= c <= "\udfff" else c for c in text)
    return text


def one_line(cells: Iterable[str]) -> str:
    """A table row as a line: cells joined by ` | `, line ends inside a cell made spaces; empty if all are."""
    texts = [" ".join(cell.split()) for cell in cells]
    while texts and not texts[-1]:
        texts.pop()
    return " | ".join(texts) if any(texts) else ""
