"""The ground of every widget that draws lines: pieces become a strip of cells, exactly as wide as asked."""

from __future__ import annotations

from typing import ClassVar

from rich.segment import Segment
from rich.style import Style
from textual.scroll_view import ScrollView
from textual.strip import Strip

from inro_tui import lines
from inro_tui.lines import Line
from inro_tui.wrap import TAB


class Inked(ScrollView, can_focus=False):
    """A scrolling widget that draws `Line`s itself, so that only what is on the screen costs anything."""

    COMPONENT_CLASSES: ClassVar[set[str]] = set(lines.COMPONENT_CLASSES)

    ALLOW_SELECT = False

    def strip(self, line: Line, width: int, ground: str = "") -> Strip:
        """A line as a strip of `width` cells; `ground` names the style laid under all of it."""
        base = self.rich_style
        if ground:
            base += self.get_component_rich_style(f"ink--{ground}", partial=True)
        segments = [Segment(text.replace("\t", " " * TAB), base + self._ink(style)) for text, style in line]
        return Strip(segments).adjust_cell_length(width, base)

    def _ink(self, style: str) -> Style:
        return self.get_component_rich_style(f"ink--{style}", partial=True)

    @property
    def room(self) -> int:
        """Cells a line may take now."""
        return self.scrollable_content_region.width

    @property
    def lines_shown(self) -> int:
        """Lines that fit on the screen now."""
        return max(self.scrollable_content_region.height, 1)
