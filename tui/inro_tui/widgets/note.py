"""A few fixed lines: a heading, the ledger, the progress of a sync."""

from __future__ import annotations

from textual.geometry import Size
from textual.strip import Strip

from inro_tui.lines import Line, clip, spread
from inro_tui.widgets.inked import Inked


class Note(Inked):
    """Lines that do not scroll; the first may have a right-hand part."""

    def __init__(self, *, id: str | None = None, classes: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id, classes=classes)
        self.said: tuple[Line, ...] = ()
        self._right: Line = ()

    def say(self, *lines: Line, right: Line = ()) -> None:
        """Show these lines and no others."""
        if len(lines) != len(self.said):
            self.styles.height = max(len(lines), 1)
        self.said = lines
        self._right = right
        self.virtual_size = Size(0, 0)
        self.refresh()

    @property
    def text(self) -> str:
        """What is said, without style."""
        rows = [*self.said, self._right] if self._right else list(self.said)
        return "\n".join("".join(piece for piece, _ in line) for line in rows)

    def render_line(self, y: int) -> Strip:
        width = self.size.width
        inner = max(width - 2, 0)
        if y >= len(self.said):
            return self.strip((), width)
        line = spread(self.said[y], self._right, inner) if y == 0 else clip(self.said[y], inner)
        return self.strip(((" ", "plain"), *line), width)
