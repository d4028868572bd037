"""A list in a box over a screen: read in a thread, acted on by keys, closed with Esc; the app tells what failed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from textual import work
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.message import Message
from textual.screen import ModalScreen
from textual.widgets import Static

from inro_tui.lines import fold
from inro_tui.screens.base import Shared
from inro_tui.widgets.chrome import KeyLine
from inro_tui.widgets.rows import Row, RowList
from inro_tui.work import attempt

Result = TypeVar("Result")


@dataclass
class RowsArrived(Message):
    """What a box lists has been read."""

    items: Sequence[Any]


class BoxScreen(ModalScreen[Result], Generic[Result]):
    """A list of things that are remembered on this machine."""

    title_text = ""
    nothing_text = ""

    def __init__(self, shared: Shared) -> None:
        super().__init__()
        self.shared = shared
        self.strings = shared.strings

    def compose(self) -> ComposeResult:
        with Vertical(id="list-box"):
            yield Static(self.title_text, markup=False, classes="box-title")
            yield RowList(id="box-rows", sign_always=False)
            yield KeyLine(self.strings)

    def on_mount(self) -> None:
        self.rows.focus()
        self.read()

    @property
    def rows(self) -> RowList:
        return self.query_one("#box-rows", RowList)

    def items(self) -> Sequence[Any]:
        """What is listed, read anew; called in a thread."""
        raise NotImplementedError

    def row(self, item: Any) -> Row:
        """How one of them looks."""
        raise NotImplementedError

    @work(thread=True, exclusive=True, group="box")
    def read(self) -> None:
        """Read what is listed."""
        items = attempt(self, "box", self.items)
        if items is not None:
            self.post_message(RowsArrived(items))

    def on_rows_arrived(self, message: RowsArrived) -> None:
        rows = [self.row(item) for item in message.items]
        nothing = Row("nothing", lambda width: fold(((self.nothing_text, "dim"),), width), choosable=False)
        self.rows.set_rows(rows or [nothing])
