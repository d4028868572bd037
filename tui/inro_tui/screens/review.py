"""Answers from reference shelves that wait: read with what they cite, taken into the notes, or turned down."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from typing import Any

from textual import on, work

from inro import config
from inro.answer.markdown import cited
from inro.records import ReviewItem
from inro.shelves.accepting import accept, first_folder
from inro.state.reviews import Reviews
from inro_tui import keys
from inro_tui.lines import Line, fold
from inro_tui.sanitise import clean, clean_line
from inro_tui.screens.base import Shared
from inro_tui.screens.box import BoxScreen
from inro_tui.widgets.rows import Row, RowList
from inro_tui.work import attempt


class ReviewScreen(BoxScreen[None]):
    """The review queue."""

    BINDINGS = keys.bindings("review")

    def __init__(self, shared: Shared) -> None:
        super().__init__(shared)
        self.title_text, self.nothing_text = self.strings.review_title, self.strings.review_none
        self._reviews = Reviews(shared.library.path)
        self._unfolded: set[int] = set()

    def items(self) -> Sequence[ReviewItem]:
        return self._reviews.list()

    def row(self, item: Any) -> Row:
        assert isinstance(item, ReviewItem)
        answer = item.answer

        def draw(width: int) -> list[Line]:
            lines = fold(((clean_line(answer.question), "bold"),), width)
            lines += fold(((self.strings.chat_shelf.format(shelf=clean_line(answer.shelf)), "warn"),), width)
            for source in cited(answer):
                place = f"{source.mark} {clean_line(source.title)}"
                lines += fold(((place, "second"),), width, "  ", limit=1)
                if item.id in self._unfolded:
                    lines += fold(((clean(source.quote), "plain"),), width, "    ")
            return [*lines, ()]

        return Row(item.id, draw, item=item)

    @on(RowList.Chosen)
    def _chosen(self, event: RowList.Chosen) -> None:
        self._unfolded ^= {event.row.item.id}
        self.rows.redraw()

    def action_accept(self) -> None:
        self._decide(True)

    def action_reject(self) -> None:
        self._decide(False)

    def _decide(self, accepted: bool) -> None:
        row = self.rows.current
        if row is not None:
            self.decide(row.item.id, accepted)

    @work(thread=True, group="decide")
    def decide(self, number: int, accepted: bool) -> None:
        """Remember what was decided; of an accepted one, write the note first."""

        def done() -> str:
            if not accepted:
                self._reviews.decide(number, "rejected")
                return self.strings.review_rejected
            folder = first_folder(self.shared.library.status(look=False).sources)
            file = accept(self._reviews, number, folder, date.today(), config.load().mask_names)
            return self.strings.review_accepted.format(file=clean_line(str(file)))

        said = attempt(self, "decide", done)
        if said is not None:
            self.app.call_from_thread(self.app.notify, said)
        self.app.call_from_thread(self.read)
