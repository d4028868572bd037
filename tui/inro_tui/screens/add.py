"""Naming a folder or a file to index."""

from __future__ import annotations

from pathlib import Path

from textual import on
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.screen import ModalScreen
from textual.widgets import Static

from inro_tui.strings import Strings
from inro_tui.widgets.composer import Composer
from inro_tui.widgets.composer import Line as InputLine
from inro_tui.widgets.note import Note
from inro_tui.wrap import cut_middle


class AddScreen(ModalScreen[Path | None]):
    """Asks for a path that is there."""

    def __init__(self, strings: Strings) -> None:
        super().__init__()
        self.strings = strings

    def compose(self) -> ComposeResult:
        with Vertical(id="add-box"):
            yield Static(self.strings.add_title, markup=False, classes="box-title")
            yield Composer(self.strings.add_placeholder, id="add")
            yield Note(id="add-note")

    def on_mount(self) -> None:
        self.query_one(InputLine).focus()

    @on(InputLine.Entered)
    def _entered(self, event: InputLine.Entered) -> None:
        typed = event.value.strip()
        if not typed:
            return
        path = named_path(typed)
        if path is None:
            note = self.query_one("#add-note", Note)
            note.say(((self.strings.add_missing.format(path=cut_middle(typed, 60)), "bad"),))
            return
        self.dismiss(path)

    def action_leave_composer(self) -> None:
        self.dismiss(None)


def named_path(typed: str) -> Path | None:
    """The path a person named, made absolute; None if there is nothing."""
    try:
        path = Path(typed).expanduser()
        return path.absolute() if path.exists() else None
    except (OSError, RuntimeError, ValueError):
        return None
