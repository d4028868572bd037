"""The command palette: Textual's own, with our commands, our words and no emoji."""

from __future__ import annotations

from textual.command import CommandPalette, SearchIcon

from inro_tui.widgets.rows import SIGN


class Palette(CommandPalette):
    """The palette with a plain sign before the line."""

    def on_mount(self) -> None:
        self.query_one(SearchIcon).icon = SIGN
