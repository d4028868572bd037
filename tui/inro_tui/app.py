"""The app: three places (search, ask, library), one keyboard.

Knows the façade `inro.library.Library` and nothing below it. The first screen is drawn before the library
is touched; from then on every call runs in a thread. `run` is what the command line calls.
"""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Iterable, Mapping
from typing import ClassVar

from textual import on, work
from textual.app import App, SystemCommand
from textual.binding import Binding, BindingType
from textual.notifications import SeverityLevel
from textual.screen import ModalScreen, Screen

from inro import config, kernels
from inro.paths import state_dir
from inro.records import Drift
from inro_tui import clipboard, keys, theme
from inro_tui.documents import Documents
from inro_tui.facade import Facade
from inro_tui.messages import Preparing, StateArrived, WorkFailed
from inro_tui.screens.base import AskThis, Shared
from inro_tui.screens.chat import ChatScreen
from inro_tui.screens.help import HelpScreen
from inro_tui.screens.library import LibraryChanged, LibraryScreen
from inro_tui.screens.search import SearchScreen
from inro_tui.screens.viewer import ViewerScreen
from inro_tui.state import read_state
from inro_tui.strings import Strings, choose
from inro_tui.work import attempt

TURN_SECONDS = 0.001
"""How long one thread goes on while another, such as the one that draws, waits: Python's own 5 ms add up."""
LOOK_SECONDS = 60.0
"""How often the app looks whether files changed since the last sync."""


class InroApp(App[None]):
    """Inro in a terminal."""

    CSS_PATH = "app.tcss"
    TITLE = "Inro"
    # Ctrl+C is every terminal program's, so it is not in the table of keys and cannot be moved.
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+c", "copy_selection", show=False, system=True),
        *keys.bindings("app"),
    ]

    def __init__(
        self,
        library: Facade,
        *,
        strings: Strings | None = None,
        keymap: Mapping[str, str] | None = None,
        theme_name: str | None = None,
    ) -> None:
        super().__init__()
        self.library = library
        self.drifted: Drift | None = None
        self.strings = strings or choose(os.environ)
        self.shared = Shared(library, self.strings, Documents(library))
        self.moved = keys.keymap_for(dict(keymap or {}))
        for each in theme.THEMES:
            self.register_theme(each)
        self.theme = theme_name or theme.preferred(os.environ)
        self.search_screen = SearchScreen(self.shared)
        self.chat_screen = ChatScreen(self.shared)
        self.library_screen = LibraryScreen(self.shared)

    async def on_mount(self) -> None:
        if self.moved:
            self.set_keymap(self.moved)
        self.add_mode("search", lambda: self.search_screen)
        self.add_mode("chat", lambda: self.chat_screen)
        self.add_mode("library", lambda: self.library_screen)
        await self.switch_mode("search")
        self.call_after_refresh(self.begin)

    def begin(self) -> None:
        """What is done once the first screen is drawn."""
        sys.setswitchinterval(TURN_SECONDS)
        self.read_state()
        self.warm_up()
        self.look_around()
        self.set_interval(LOOK_SECONDS, self.look_around)

    @work(thread=True, exclusive=True, group="state")
    def read_state(self) -> None:
        """Look whether there is anything to search."""
        state = attempt(self, "state", lambda: read_state(self.library))
        if state is not None:
            self.post_message(state)

    @work(thread=True, exclusive=True, group="look")
    def look_around(self) -> None:
        """Look whether files changed since the last sync; later results say so."""
        before = self.drifted
        self.drifted = attempt(self, "look", self.library.drift) or before
        if self.drifted != before:
            self.read_state()

    @work(thread=True, group="warm")
    def warm_up(self) -> None:
        """Start what takes long to start, while the user is still typing; say so, since the first result waits."""
        strings = self.strings
        compiled = kernels.are_compiled("search")
        self.post_message(Preparing(strings.warming if compiled else strings.compiling))
        attempt(self, "warm", self.library.warm)
        # what is there now stays; looking through all of it for garbage, again and again, would hold up a key press
        gc.freeze()
        self.post_message(Preparing(""))

    def on_preparing(self, message: Preparing) -> None:
        self.search_screen.preparing(message.what)

    def on_state_arrived(self, message: StateArrived) -> None:
        self.library_screen.show_state(message)
        self.search_screen.library_is_empty(message.status.documents == 0)

    @on(LibraryChanged)
    def _library_changed(self) -> None:
        self.read_state()

    def on_work_failed(self, message: WorkFailed) -> None:
        if message.job in ("warm", "look"):
            # The first search meets the same trouble, and says so where it is looked for.
            return
        said = message.what
        if message.mend:
            said += "\n" + self.strings.do.format(mend=message.mend)
        self.notify(said, severity="warning", markup=False)

    def notify(
        self,
        message: str,
        *,
        title: str = "",
        severity: SeverityLevel = "information",
        timeout: float | None = None,
        markup: bool = False,
    ) -> None:
        """A notice, unless the same one is still on the screen. Never markup: it may quote a document."""
        if all(shown.message != message for shown in self._notifications):
            super().notify(message, title=title, severity=severity, timeout=timeout, markup=markup)

    # Going about

    def action_go(self, place: str) -> None:
        """To one of the three places; from a document, to that place's own list."""
        while isinstance(self.screen, ModalScreen):
            self.pop_screen()
        if self.current_mode == place:
            while isinstance(self.screen, ViewerScreen):
                self.pop_screen()
        else:
            self.switch_mode(place)

    def action_help(self) -> None:
        if isinstance(self.screen, HelpScreen):
            self.screen.dismiss()
            return
        here = "viewer" if isinstance(self.screen, ViewerScreen) else self.current_mode
        self.push_screen(HelpScreen(self.strings, self.moved, here))

    def action_review(self) -> None:
        """The answers from shelves that wait."""
        from inro_tui.screens.review import ReviewScreen

        if not isinstance(self.screen, ReviewScreen):
            self.push_screen(ReviewScreen(self.shared))

    @on(AskThis)
    async def _ask_this(self, message: AskThis) -> None:
        await self.switch_mode("chat")
        self.chat_screen.ask(message.question)

    def action_command_palette(self) -> None:
        from inro_tui.palette import Palette

        if self.use_command_palette and not isinstance(self.screen, Palette):
            self.push_screen(Palette(placeholder=self.strings.palette_placeholder, id="--command-palette"))

    def get_system_commands(self, screen: Screen[object]) -> Iterable[SystemCommand]:
        words = self.strings
        yield SystemCommand(words.command_search, words.command_search_help, lambda: self.action_go("search"))
        yield SystemCommand(words.command_chat, words.command_chat_help, lambda: self.action_go("chat"))
        yield SystemCommand(words.command_library, words.command_library_help, lambda: self.action_go("library"))
        yield SystemCommand(words.command_sync, words.command_sync_help, self._sync)
        yield SystemCommand(words.command_add, words.command_add_help, self._add)
        yield SystemCommand(words.command_new, words.command_new_help, self._new_chat)
        yield SystemCommand(words.command_earlier, words.command_earlier_help, self._earlier)
        yield SystemCommand(words.command_review, words.command_review_help, self.action_review)
        yield SystemCommand(words.command_theme, words.command_theme_help, self._other_theme)
        yield SystemCommand(words.command_keys, words.command_keys_help, self.action_help)
        yield SystemCommand(words.command_quit, words.command_quit_help, self.action_quit)

    async def _sync(self) -> None:
        await self.switch_mode("library")
        self.library_screen.action_sync(False)

    async def _add(self) -> None:
        await self.switch_mode("library")
        self.library_screen.action_add()

    async def _new_chat(self) -> None:
        await self.switch_mode("chat")
        self.chat_screen.action_new_chat()

    async def _earlier(self) -> None:
        await self.switch_mode("chat")
        self.chat_screen.action_earlier()

    def _other_theme(self) -> None:
        self.theme = theme.other(self.theme)

    def on_unmount(self) -> None:
        """However the app ends, what is running is stopped; what it saved stays."""
        self.chat_screen.let_go()
        self.library_screen.let_go()

    # Copying

    def copy_to_clipboard(self, text: str) -> None:
        """Every copy of the app, Textual's own included, goes this way."""
        self._clipboard = text
        write = self._driver.write if self._driver is not None and not self.is_headless else None
        self._tell_copied(clipboard.copy(text, write, state_dir(), os.environ))

    def _tell_copied(self, copy: clipboard.Copy) -> None:
        words = self.strings
        where = _short(str(copy.file)) if copy.file else ""
        if copy.went == "terminal" and copy.file:
            said = words.copied_tmux if copy.inside == "tmux" else words.copied
        else:
            said = {
                "terminal": words.copied_bare,
                "file": words.copied_file,
                "nowhere": words.copied_nowhere,
            }[copy.went]
        severe = copy.went != "terminal"
        self.notify(
            said.format(n=f"{copy.characters:,}", file=where),
            severity="warning" if severe else "information",
            markup=False,
        )

    def action_copy_selection(self) -> None:
        """Ctrl+C copies a selection if there is one, and never ends the app."""
        selected = self.screen.get_selected_text()
        if selected:
            self.copy_to_clipboard(selected)


def _short(path: str) -> str:
    home = os.path.expanduser("~")  # noqa: PTH111
    return "~" + path[len(home) :] if home != "/" and path.startswith(home + os.sep) else path


def run(library: Facade, *, keymap: Mapping[str, str] | None = None, language: str = "") -> None:
    """Show the app on a library until the user leaves; the library is closed then.

    `keymap` moves keys by their ids; `language` is `en` or `ja`, else the settings and the environment decide.
    """
    strings = choose(os.environ, language or config.load().language)
    app = InroApp(library, strings=strings, keymap=keymap)
    try:
        app.run()
    finally:
        library.close()
