"""The chats that were had with this library, to go on with one or to forget it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from textual import on, work

from inro.records import ChatRecord
from inro.state.chats import Chats
from inro_tui import keys
from inro_tui.lines import spread
from inro_tui.sanitise import clean_line
from inro_tui.screens.base import Shared
from inro_tui.screens.box import BoxScreen
from inro_tui.widgets.rows import Row, RowList
from inro_tui.work import attempt


class ChatsScreen(BoxScreen[int | None]):
    """Gives back the number of a chat, or nothing."""

    BINDINGS = keys.bindings("chats")

    def __init__(self, shared: Shared) -> None:
        super().__init__(shared)
        self.title_text, self.nothing_text = self.strings.chats_title, self.strings.chats_none
        self._chats = Chats(shared.library.path)

    def items(self) -> Sequence[ChatRecord]:
        return self._chats.list()

    def row(self, item: Any) -> Row:
        assert isinstance(item, ChatRecord)
        turns = self.strings.chats_turns_one if item.turns == 1 else self.strings.chats_turns.format(n=item.turns)
        when = (f"{turns}  {item.last[:16].replace('T', ' ')}", "faint")
        return Row(item.id, lambda width: [spread(((clean_line(item.title), "bold"),), (when,), width)], item=item)

    @on(RowList.Chosen)
    def _chosen(self, event: RowList.Chosen) -> None:
        self.dismiss(event.row.item.id)

    def action_delete(self) -> None:
        row = self.rows.current
        if row is not None:
            self.forget(row.item.id)

    @work(thread=True, group="forget")
    def forget(self, chat: int) -> None:
        """Take a chat out of what is remembered."""

        def gone() -> bool:
            self._chats.delete(chat)
            return True

        if attempt(self, "forget", gone):
            self.app.call_from_thread(self.app.notify, self.strings.chats_forgotten)
        self.app.call_from_thread(self.read)
