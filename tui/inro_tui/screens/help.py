"""Every key, straight from the table that binds them."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from textual.app import ComposeResult
from textual.containers import Vertical
from textual.screen import ModalScreen
from textual.widgets import Static

from inro_tui import keys
from inro_tui.lines import Line
from inro_tui.strings import Strings
from inro_tui.widgets.rows import Row, RowList
from inro_tui.wrap import cells

_KEY_CELLS = 22
_TOGETHER = {"search": ("search", "results"), "chat": ("chat", "transcript")}
"""Areas of one screen."""


class HelpScreen(ModalScreen[None]):
    """The cheat sheet."""

    BINDINGS = keys.bindings("help")

    def __init__(self, strings: Strings, moved: Mapping[str, str], here: str) -> None:
        super().__init__()
        self.strings = strings
        self._moved = moved
        self._here = here
        """The area that is listed first."""

    def compose(self) -> ComposeResult:
        with Vertical(id="help-box"):
            yield Static(self.strings.help_title, markup=False, classes="box-title")
            yield RowList(id="help-rows", sign_always=False)

    def on_mount(self) -> None:
        rows = self.query_one(RowList)
        rows.set_rows(cheat_sheet(self.strings, self._moved, self._here))
        rows.focus()


def cheat_sheet(strings: Strings, moved: Mapping[str, str], here: str) -> list[Row]:
    """All keys by area, as they are now: a user's own keys replace the first ones."""
    first = _TOGETHER.get(here, (here,))
    areas = [*first, *(area for area in strings.help_areas if area not in first)]
    rows: list[Row] = []
    for area in (area for area in areas if area in strings.help_areas):
        entries = [key for key in keys.KEYS if key.area == area]
        lines: list[Line] = [((strings.help_areas[area], "bold"),)]
        for key in entries:
            if key.id in moved:
                pressed = " ".join(keys.display(name) for name in moved[key.id].split(","))
            else:
                pressed = keys.name_of(key)
            gap = " " * max(_KEY_CELLS - cells(pressed), 1)
            lines.append((("  ", "plain"), (pressed, "lead"), (gap, "plain"), (strings.keys[key.id], "plain")))
        lines.append(())
        rows.append(Row(area, _always(lines), choosable=False))
    return rows


def _always(lines: list[Line]) -> Callable[[int], list[Line]]:
    return lambda width: lines
