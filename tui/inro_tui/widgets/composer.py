"""The input line. Its caret is always where the terminal's own cursor is, so that an input method's window
opens at the text (Japanese and Chinese are composed there)."""

from __future__ import annotations

from rich.cells import cell_len
from textual import events
from textual.app import ComposeResult
from textual.containers import Horizontal
from textual.geometry import Offset
from textual.message import Message
from textual.widgets import Input, Static

from inro_tui import keys
from inro_tui.widgets.rows import SIGN


class Line(Input):
    """One line of text; in an empty one, `?` is help and not a letter."""

    BINDINGS = keys.bindings("composer")

    class Entered(Message):
        """Enter was pressed."""

        def __init__(self, line: Line, value: str) -> None:
            super().__init__()
            self.line = line
            self.value = value

        @property
        def control(self) -> Line:
            return self.line

    def __init__(self, placeholder: str, *, id: str, select_on_focus: bool = False) -> None:  # noqa: A002
        super().__init__(placeholder=placeholder, id=id, select_on_focus=select_on_focus, compact=True)

    def check_consume_key(self, key: str, character: str | None) -> bool:
        return bool(character and character.isprintable()) and not self._is_help(key)

    async def _on_key(self, event: events.Key) -> None:
        if self._is_help(event.key):
            # Left to the app's binding for the same key.
            event.prevent_default()
            return
        await super()._on_key(event)

    def _is_help(self, key: str) -> bool:
        return key == "question_mark" and not self.value

    def on_mount(self) -> None:
        # A long text scrolls only after the caret has moved.
        self.watch(self, "selection", self._caret_moved, init=False)
        self.watch(self, "scroll_x", self._caret_moved, init=False)
        # The first layout comes after the first focus, and a later one may move the line without resizing it.
        self.screen.screen_layout_refresh_signal.subscribe(self, lambda _: self.place_caret())

    def on_focus(self) -> None:
        self._caret_moved()

    def _caret_moved(self) -> None:
        self.call_after_refresh(self.place_caret)

    @property
    def cursor_screen_offset(self) -> Offset:
        """The cell of the caret. (The inherited one is a cell too far to the right at the end of the text.)"""
        region = self.content_region
        column = cell_len(self.value[: self.cursor_position]) - round(self.scroll_x)
        return Offset(region.x + max(0, min(column, region.width - 1)), region.y)

    def place_caret(self) -> None:
        """Tell the terminal where the caret is."""
        if self.has_focus and self.is_on_screen:
            self.app.cursor_position = self.cursor_screen_offset

    @property
    def is_on_screen(self) -> bool:
        """Whether this line's screen is the one shown."""
        return self.is_attached and self.screen is self.app.screen

    async def action_submit(self) -> None:
        self.post_message(self.Entered(self, self.value))


class Composer(Horizontal):
    """The sign and the line."""

    def __init__(self, placeholder: str, *, id: str) -> None:  # noqa: A002
        super().__init__(id=id)
        self._placeholder = placeholder

    def compose(self) -> ComposeResult:
        yield Static(SIGN, classes="composer-sign", markup=False)
        yield Line(self._placeholder, id=f"{self.id}-line")

    @property
    def line(self) -> Line:
        return self.query_one(Line)
