"""Every key of the app in one table. The cheat sheet, the key line and remapping all come from here.

An id names what a key does, so a user can move it (`App.set_keymap`). Chosen to work in tmux and over SSH:
no Ctrl+B, Ctrl+A, Ctrl+S or Ctrl+Z, no Alt, no mouse, and a control key beside every function key.
The words for each id are in `inro_tui.strings`.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Literal

from textual.binding import Binding, BindingType

Area = Literal[
    "app", "composer", "rows", "search", "results", "viewer", "chat", "transcript", "chats", "review", "library", "help"
]


@dataclass(frozen=True, slots=True)
class Key:
    """One entry: what is pressed and what it does."""

    id: str
    """`area.deed`; unique."""
    keys: str
    """Textual key names, comma separated; the first is the one shown."""
    action: str
    shown: bool = False
    """Whether the key line at the bottom has it."""
    first: bool = False
    """Taken before the focused widget sees it."""

    @property
    def area(self) -> str:
        return self.id.partition(".")[0]


KEYS: tuple[Key, ...] = (
    Key("app.help", "f1", "app.help", shown=True, first=True),
    Key("app.search", "f2,ctrl+f", "app.go('search')", first=True),
    Key("app.chat", "f3,ctrl+t", "app.go('chat')", first=True),
    Key("app.library", "f4,ctrl+l", "app.go('library')", first=True),
    Key("app.palette", "ctrl+p", "app.command_palette", shown=True, first=True),
    Key("app.quit", "ctrl+q", "app.quit", first=True),
    Key("app.help_too", "question_mark", "app.help"),
    Key("composer.down", "down,ctrl+n", "screen.move(1)", shown=True),
    Key("composer.up", "up", "screen.move(-1)"),
    Key("composer.page_down", "pagedown", "screen.page(1)"),
    Key("composer.page_up", "pageup", "screen.page(-1)"),
    Key("composer.leave", "escape", "screen.leave_composer", shown=True),
    Key("composer.enter", "enter", "submit", shown=True),
    Key("rows.down", "j,down", "cursor(1)"),
    Key("rows.up", "k,up", "cursor(-1)"),
    Key("rows.page_down", "pagedown,ctrl+d", "page(1)"),
    Key("rows.page_up", "pageup,ctrl+u", "page(-1)"),
    Key("rows.first", "g,home", "edge(-1)"),
    Key("rows.last", "G,end", "edge(1)"),
    Key("rows.choose", "enter", "choose", shown=True),
    Key("search.preview", "f5,ctrl+o", "screen.toggle_preview", shown=True),
    Key("results.edit", "slash,i,escape", "screen.edit", shown=True),
    Key("results.editor", "o", "screen.open_editor", shown=True),
    Key("results.copy_quote", "y", "screen.copy_quote", shown=True),
    Key("results.copy_path", "Y", "screen.copy_path"),
    Key("results.why", "e", "screen.toggle_trace"),
    Key("results.ask", "a", "screen.ask_this", shown=True),
    Key("viewer.next", "n", "screen.next_mark(1)", shown=True),
    Key("viewer.previous", "N", "screen.next_mark(-1)"),
    Key("viewer.find", "slash", "screen.find", shown=True),
    Key("viewer.next_heading", "right_square_bracket", "screen.next_heading(1)"),
    Key("viewer.previous_heading", "left_square_bracket", "screen.next_heading(-1)"),
    Key("viewer.editor", "o", "screen.open_editor", shown=True),
    Key("viewer.copy_quote", "y", "screen.copy_quote", shown=True),
    Key("viewer.copy_path", "Y", "screen.copy_path", shown=True),
    Key("viewer.back", "escape,q", "screen.back", shown=True),
    Key("chat.stop", "escape", "screen.stop", shown=True),
    Key("chat.again", "ctrl+r", "screen.again", shown=True),
    Key("chat.new", "ctrl+n", "screen.new_chat"),
    Key("chat.earlier", "f5,ctrl+o", "screen.earlier"),
    Key("transcript.edit", "slash,i,escape", "screen.edit", shown=True),
    Key("transcript.source", "1,2,3,4,5,6,7,8,9", "screen.open_source", shown=True),
    Key("transcript.copy", "y", "screen.copy_answer", shown=True),
    Key("transcript.review", "v", "app.review"),
    Key("chats.delete", "D", "screen.delete", shown=True),
    Key("chats.back", "escape,q", "screen.dismiss(None)", shown=True),
    Key("review.accept", "a", "screen.accept", shown=True),
    Key("review.reject", "x", "screen.reject", shown=True),
    Key("review.back", "escape,q", "screen.dismiss(None)", shown=True),
    Key("library.sync", "s", "screen.sync(False)", shown=True),
    Key("library.full", "S", "screen.sync(True)"),
    Key("library.stop", "escape", "screen.stop", shown=True),
    Key("library.add", "a", "screen.add", shown=True),
    Key("library.filter", "f", "screen.next_filter", shown=True),
    Key("library.refresh", "r", "screen.refresh_state"),
    Key("library.next_pane", "tab", "app.focus_next"),
    Key("help.back", "escape,q,question_mark,f1", "screen.dismiss", shown=True),
)


def bindings(area: Area, *, without: Collection[str] = ()) -> list[BindingType]:
    """The bindings of an area, for a class's `BINDINGS`."""
    return [binding for key in KEYS if key.area == area and key.id not in without for binding in _bindings(key)]


def _bindings(key: Key) -> list[Binding]:
    made: list[Binding] = []
    for name in key.keys.split(","):
        # The digits share one entry, yet each must say which it is and be movable by itself.
        digit = key.id == "transcript.source"
        action = f"{key.action}({name})" if digit else key.action
        own_id = f"{key.id}.{name}" if digit else key.id
        made.append(Binding(name, action, key.id, show=key.shown, priority=key.first, id=own_id))
    return made


def name_of(key: Key) -> str:
    """The keys of an entry as a person writes them: `F2 ^F`."""
    names = key.keys.split(",")
    if key.id == "transcript.source":
        return "1-9"
    return " ".join(display(name) for name in names)


_NAMES = {
    "escape": "Esc",
    "enter": "Enter",
    "tab": "Tab",
    "slash": "/",
    "question_mark": "?",
    "left_square_bracket": "[",
    "right_square_bracket": "]",
    "pageup": "PgUp",
    "pagedown": "PgDn",
    "home": "Home",
    "end": "End",
    "up": "Up",
    "down": "Down",
    "space": "Space",
}


def display(name: str) -> str:
    """One Textual key name as a person writes it."""
    if name.startswith("ctrl+"):
        return "^" + display(name.removeprefix("ctrl+")).upper()
    if len(name) > 1 and name[0] == "f" and name[1:].isdigit():
        return name.upper()
    return _NAMES.get(name, name)


def keymap_for(moved: dict[str, str]) -> dict[str, str]:
    """A user's own keys, with the ids that are not ours left out."""
    known = {binding.id for key in KEYS for binding in _bindings(key)}
    return {key_id: keys for key_id, keys in moved.items() if key_id in known}
