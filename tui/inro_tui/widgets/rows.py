"""A list of rows with one cursor: results, sources, files, a whole conversation.

A row says how it looks at a width; rows may be of any height, and some only of text that the cursor passes
over. The cursor follows its row when the list changes. Knows nothing of what a row stands for.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Any

from textual import events
from textual.geometry import Region, Size
from textual.message import Message
from textual.reactive import reactive
from textual.strip import Strip

from inro_tui import keys
from inro_tui.lines import Line
from inro_tui.widgets.inked import Inked

SIGN = "›"
GUTTER = 2
"""Cells at the left for the cursor's sign."""


@dataclass(frozen=True)
class Row:
    """One row: what it stands for and how it is drawn."""

    key: Hashable
    draw: Callable[[int], Sequence[Line]]
    """The lines at a width; called once for each width."""
    item: Any = None
    """What the owner gets back when the row is chosen."""
    choosable: bool = True


class RowList(Inked, can_focus=True):
    """Rows, a cursor, and the vim keys."""

    BINDINGS = keys.bindings("rows")

    class Moved(Message):
        """The cursor is on another row now, or on none."""

        def __init__(self, rows: RowList, row: Row | None) -> None:
            super().__init__()
            self.rows = rows
            self.row = row

        @property
        def control(self) -> RowList:
            return self.rows

    class Chosen(Message):
        """Enter was pressed on a row."""

        def __init__(self, rows: RowList, row: Row) -> None:
            super().__init__()
            self.rows = rows
            self.row = row

        @property
        def control(self) -> RowList:
            return self.rows

    index: reactive[int] = reactive(-1, init=False, repaint=True)
    """The row under the cursor; -1 if no row can be chosen."""

    def __init__(
        self,
        *,
        id: str | None = None,  # noqa: A002
        classes: str | None = None,
        sign_always: bool = True,
    ) -> None:
        super().__init__(id=id, classes=classes)
        self.rows: tuple[Row, ...] = ()
        self._sign_always = sign_always
        self._drawn: list[Sequence[Line]] = []
        self._tops: list[int] = []
        self._width = 0

    # Content

    def set_rows(self, rows: Sequence[Row], *, cursor: Hashable = None, follow: bool = False) -> None:
        """Show other rows. The cursor goes to that key, else stays on its own, else goes first.

        With `follow` the end is shown if the end was shown before.
        """
        at_end = self.scroll_offset.y >= self.max_scroll_y
        held = cursor if cursor is not None else (self.current.key if self.current else None)
        self.rows = tuple(rows)
        self._measure()
        places = [i for i, row in enumerate(self.rows) if row.choosable]
        place = next((i for i in places if self.rows[i].key == held), places[0] if places else -1)
        before = self.index
        self.set_reactive(RowList.index, place)
        self.refresh()
        if follow:
            if at_end:
                self.call_after_refresh(self.scroll_end, animate=False)
        else:
            self.call_after_refresh(self._show_cursor)
        if before != place or held != (self.current.key if self.current else None):
            self.post_message(self.Moved(self, self.current))

    @property
    def current(self) -> Row | None:
        """The row under the cursor."""
        return self.rows[self.index] if 0 <= self.index < len(self.rows) else None

    def redraw(self) -> None:
        """Ask every row for its lines again."""
        self._measure()
        self.refresh()

    def _measure(self) -> None:
        self._width = self.room
        inner = max(self._width - GUTTER - 1, 8)
        self._drawn = [row.draw(inner) for row in self.rows] if self._width else [() for _ in self.rows]
        self._tops = [0, *accumulate(len(drawn) for drawn in self._drawn)]
        self.virtual_size = Size(self._width, self._tops[-1])

    def on_resize(self, event: events.Resize) -> None:
        if self.room != self._width:
            self._measure()
            self.call_after_refresh(self._show_cursor)
            self.refresh()

    # Drawing

    def render_line(self, y: int) -> Strip:
        line_number = y + self.scroll_offset.y
        width = self.size.width
        place = bisect_right(self._tops, line_number) - 1
        if not self._tops or line_number >= self._tops[-1] or place < 0:
            return self.strip((), width)
        line = self._drawn[place][line_number - self._tops[place]]
        under_cursor = place == self.index and (self._sign_always or self.has_focus)
        if line == () and line_number + 1 == self._tops[place + 1]:
            # The gap after a row is nobody's.
            under_cursor = False
        sign = SIGN if under_cursor and line_number == self._tops[place] else " "
        return self.strip(((sign + " ", "sign"), *line), width, "cursor" if under_cursor else "")

    # Moving

    def validate_index(self, index: int) -> int:
        return max(-1, min(index, len(self.rows) - 1))

    def watch_index(self) -> None:
        self._show_cursor()
        self.post_message(self.Moved(self, self.current))

    def _show_cursor(self) -> None:
        if self.current is None:
            return
        top = self._tops[self.index]
        height = len(self._drawn[self.index])
        if not any(row.choosable for row in self.rows[: self.index]):
            top, height = 0, top + height
        self.scroll_to_region(Region(0, top, 1, min(height, self.lines_shown)), animate=False, force=True)

    def show_from(self, key: Hashable) -> None:
        """Scroll until the row of that key is at the top, or the end is shown."""
        place = next((i for i, row in enumerate(self.rows) if row.key == key), None)
        if place is not None:
            self.scroll_to(y=self._tops[place], animate=False, force=True)

    def action_cursor(self, step: int) -> None:
        """To the next row that can be chosen; text on the way that has not been seen is scrolled to first."""
        place = self.index + step
        while 0 <= place < len(self.rows) and not self.rows[place].choosable:
            place += step
        if not 0 <= place < len(self.rows):
            self.scroll_relative(y=step, animate=False)
            return
        if abs(place - self.index) > 1 and not self._on_screen(place):
            self.scroll_relative(y=step, animate=False)
            return
        self.index = place

    def _on_screen(self, place: int) -> bool:
        top = self._tops[place] - self.scroll_offset.y
        return 0 <= top < self.lines_shown

    def action_page(self, step: int) -> None:
        """A screenful on; the cursor goes along."""
        if not self.rows:
            return
        target = self._tops[max(self.index, 0)] + step * max(self.lines_shown - 1, 1)
        self.scroll_relative(y=step * max(self.lines_shown - 1, 1), animate=False)
        place = max(0, min(bisect_right(self._tops, max(target, 0)) - 1, len(self.rows) - 1))
        self._to_nearest(place, -step)

    def action_edge(self, step: int) -> None:
        """To the first row, or the last."""
        self._to_nearest(0 if step < 0 else len(self.rows) - 1, -step)
        if step < 0:
            self.scroll_home(animate=False)
        else:
            self.scroll_end(animate=False)

    def _to_nearest(self, place: int, step: int) -> None:
        for direction in (step, -step):
            at = place
            while 0 <= at < len(self.rows):
                if self.rows[at].choosable:
                    self.index = at
                    return
                at += direction

    def action_choose(self) -> None:
        if self.current is not None:
            self.post_message(self.Chosen(self, self.current))

    def on_click(self, event: events.Click) -> None:
        place = bisect_right(self._tops, event.y + self.scroll_offset.y) - 1
        if not 0 <= place < len(self.rows) or not self.rows[place].choosable:
            return
        if place == self.index:
            self.action_choose()
        else:
            self.index = place
