"""The top and the bottom of every screen: where one is, and which keys do something here."""

from __future__ import annotations

from textual.app import RenderResult
from textual.content import Content
from textual.screen import Screen
from textual.widget import Widget

from inro_tui import keys
from inro_tui.strings import Strings
from inro_tui.wrap import cells, cut_middle


class Tabs(Widget):
    """The three places, the present one lit, and the library's name."""

    def __init__(self, strings: Strings, here: str, library: str) -> None:
        super().__init__()
        self._places = (
            ("F2", strings.tab_search, "search"),
            ("F3", strings.tab_chat, "chat"),
            ("F4", strings.tab_library, "library"),
        )
        self._here = here
        self._library = library

    def render(self) -> RenderResult:
        parts: list[str | tuple[str, str]] = [(" inro ", "bold $primary"), "  "]
        for key, name, place in self._places:
            lit = place == self._here
            parts.append((f" {key} ", "$primary" if lit else "$faint"))
            parts.append((f"{name} ", "bold $primary" if lit else "$dim"))
            parts.append(" ")
        left = Content.assemble(*parts)
        room = self.size.width - left.cell_length - 1
        name = cut_middle(self._library, room) if room > 8 else ""
        gap = " " * max(room - cells(name), 0)
        return Content.assemble(left, gap, (name, "$dim"), " ")


class KeyLine(Widget):
    """The keys that do something where the focus is, as many as fit."""

    def __init__(self, strings: Strings) -> None:
        super().__init__()
        self._words = strings.keys

    def on_mount(self) -> None:
        self.screen.bindings_updated_signal.subscribe(self, self._changed)

    def _changed(self, screen: Screen[object]) -> None:
        if screen is self.screen:
            self.refresh()

    def entries(self) -> list[tuple[str, str]]:
        """(key, deed) pairs, what is nearest to the focus first."""
        seen: set[str] = set()
        near: list[tuple[str, str]] = []
        always: list[tuple[str, str]] = []
        for active in self.screen.active_bindings.values():
            binding = active.binding
            deed = binding.description
            if not binding.show or not active.enabled or deed in seen or deed not in self._words:
                continue
            seen.add(deed)
            shown = "1-9" if deed == "transcript.source" else keys.display(binding.key)
            (always if deed.startswith("app.") else near).append((shown, self._words[deed]))
        return near + always

    def render(self) -> RenderResult:
        parts: list[str | tuple[str, str]] = [" "]
        room = self.size.width - 1
        for key, deed in self.entries():
            size = cells(key) + cells(deed) + 3
            if size > room:
                continue
            room -= size
            parts += [(key, "bold $primary"), " ", (deed, "$dim"), "  "]
        return Content.assemble(*parts)
