"""A document's text with its passage and its marks, wrapped to the width and drawn row by row.

Takes cleaned text and offsets into it. A long text is wrapped in a thread, so that keys keep answering.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass

from textual import events
from textual.geometry import Size
from textual.message import Message
from textual.strip import Strip

from inro_tui.lines import Piece, marked, portion
from inro_tui.widgets.inked import Inked
from inro_tui.wrap import Rows, Span

_GUTTER = 2
_AT_ONCE = 60_000
"""Longest text wrapped on the spot; about 25 ms of CJK."""


@dataclass(frozen=True)
class Page:
    """What is shown: a text fit to draw, and what to point out in it."""

    text: str
    passage: Span | None = None
    """The span the reader came for."""
    marks: tuple[Span, ...] = ()
    """Spans to step through, in order."""
    headings: tuple[Span, ...] = ()


class DocumentText(Inked, can_focus=True):
    """The text of one document."""

    class Laid(Message):
        """The text is wrapped and can be moved in."""

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self.page = Page("")
        self.mark = -1
        """The mark under the eye; -1 before the first step."""
        self.rows: Rows | None = None
        self._goal = 0

    # Content

    def open(self, page: Page) -> None:
        """Show a page at its passage, or at its first mark."""
        same_text = page.text == self.page.text and self.rows is not None
        self.page = page
        self.mark = self._mark_near_passage()
        self._goal = self._first_goal()
        if same_text:
            self._arrive()
        else:
            self._lay_out()

    def set_marks(self, marks: Sequence[Span]) -> None:
        """Other marks in the same text; the view goes to the first at or after where it is."""
        at = self.top_offset
        self.page = Page(self.page.text, self.page.passage, tuple(marks), self.page.headings)
        self.mark = min(bisect_left([start for start, _ in marks], at), len(marks) - 1) if marks else -1
        if self.mark >= 0:
            self.go(self.page.marks[self.mark][0])
        self.refresh()

    def _mark_near_passage(self) -> int:
        if not self.page.marks:
            return -1
        if self.page.passage is None:
            return 0
        place = bisect_left([start for start, _ in self.page.marks], self.page.passage[0])
        return min(place, len(self.page.marks) - 1)

    def _first_goal(self) -> int:
        if self.page.passage is not None:
            return self.page.passage[0]
        return self.page.marks[0][0] if self.page.marks else 0

    def _lay_out(self) -> None:
        width = self.room - _GUTTER - 1
        if width < 2:
            return
        text = self.page.text
        if len(text) <= _AT_ONCE:
            self._laid(Rows(text, width))
            return
        self.rows = None
        self.refresh()
        self.run_worker(
            lambda: self.app.call_from_thread(self._laid, Rows(text, width)),
            thread=True,
            exclusive=True,
            group="layout",
            name="wrap",
        )

    def _laid(self, rows: Rows) -> None:
        if rows.text != self.page.text:
            return
        self.rows = rows
        self.virtual_size = Size(self.room, len(rows))
        self._arrive()
        self.post_message(self.Laid())

    def _arrive(self) -> None:
        self.refresh()
        # Another page may be opened before this runs: it goes to the goal of then.
        self.call_after_refresh(lambda: self.go(self._goal))

    def on_resize(self, event: events.Resize) -> None:
        if self.rows is None or self.rows.width != self.room - _GUTTER - 1:
            if self.rows is not None and self.rows.text == self.page.text:
                self._goal = self.top_offset if self.scroll_offset.y else self._goal
            self._lay_out()

    # Moving

    @property
    def top_offset(self) -> int:
        """The offset of the text at the top of the screen."""
        if self.rows is None or not len(self.rows):
            return 0
        return self.rows.spans[min(self.scroll_offset.y, len(self.rows) - 1)][0]

    def go(self, offset: int) -> None:
        """Bring an offset onto the upper third of the screen, if it is not on the screen already."""
        if self.rows is None:
            self._goal = offset
            return
        row = self.rows.row_of(offset)
        top = self.scroll_offset.y
        if not top <= row < top + self.lines_shown - 1 or (row > 0 and top == row):
            self.scroll_to(y=max(row - self.lines_shown // 3, 0), animate=False, force=True)

    def step_mark(self, step: int) -> bool:
        """To the next or previous mark, round the ends; False if there is none."""
        if not self.page.marks:
            return False
        self.mark = (self.mark + step) % len(self.page.marks) if self.mark >= 0 else 0
        self.go(self.page.marks[self.mark][0])
        self.refresh()
        return True

    def step_heading(self, step: int) -> bool:
        """To the next or previous heading; False if there is none that way."""
        if self.rows is None or not self.page.headings:
            return False
        starts = [self.rows.row_of(start) for start, _ in self.page.headings]
        at = self.scroll_offset.y
        place = bisect_right(starts, at) if step > 0 else bisect_left(starts, at) - 1
        if not 0 <= place < len(starts):
            return False
        self.scroll_to(y=starts[place], animate=False, force=True)
        return True

    def move(self, lines: int) -> None:
        """Scroll by lines."""
        self.scroll_relative(y=lines, animate=False)

    # Drawing

    def render_line(self, y: int) -> Strip:
        width = self.size.width
        number = y + self.scroll_offset.y
        if self.rows is None or number >= len(self.rows):
            return self.strip((), width)
        start, end = self.rows.spans[number]
        inside = self.page.passage is not None and start < self.page.passage[1] and end > self.page.passage[0]
        style = "lead" if any(s <= start < e for s, e in self._headings_near(start)) else "plain"
        line = marked(self.page.text[start:end], self._marks_in(start, end), style, "mark")
        if self.mark >= 0:
            from_, to = self.page.marks[self.mark]
            if from_ < end and to > start:
                here, past = max(from_ - start, 0), min(to - start, end - start)
                lit: Piece = (self.page.text[start + here : start + past], "current")
                line = (*portion(line, 0, here), lit, *portion(line, past, end - start))
        sign: Piece = ("| ", "second") if inside else ("  ", "plain")
        return self.strip((sign, *line), width, "passage" if inside else "")

    def _marks_in(self, start: int, end: int) -> list[Span]:
        marks = self.page.marks
        first = bisect_right(marks, (start,)) - 1
        found: list[Span] = []
        for mark in marks[max(first, 0) :]:
            if mark[0] >= end:
                break
            if mark[1] > start:
                found.append((mark[0] - start, mark[1] - start))
        return found

    def _headings_near(self, start: int) -> tuple[Span, ...]:
        place = bisect_right(self.page.headings, (start, len(self.page.text) + 1)) - 1
        return self.page.headings[place : place + 1] if place >= 0 else ()
