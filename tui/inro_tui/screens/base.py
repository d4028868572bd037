"""What the screens have in common: the library at hand, plain notices, and acting on the place one reads."""

from __future__ import annotations

import os
import subprocess
from dataclasses import dataclass
from pathlib import Path

from textual.app import App, SuspendNotSupported
from textual.message import Message
from textual.screen import Screen

from inro.records import DocumentView
from inro_tui import editor
from inro_tui.documents import Documents
from inro_tui.facade import Facade
from inro_tui.lines import Line, fold
from inro_tui.messages import WorkFailed
from inro_tui.sanitise import clean_line
from inro_tui.strings import Strings
from inro_tui.widgets.rows import RowList


@dataclass(frozen=True)
class Shared:
    """What every screen is handed."""

    library: Facade
    strings: Strings
    documents: Documents


@dataclass
class AskThis(Message):
    """A query is to be asked as a question."""

    question: str


@dataclass(frozen=True)
class Reading:
    """The place under the reader's eye: a document and a span of its stored text."""

    view: DocumentView
    start: int
    end: int


class InroScreen(Screen[None]):
    """A screen with the library at hand."""

    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (100, "-wide")]  # noqa: RUF012
    VERTICAL_BREAKPOINTS = [(0, "-low"), (30, "-high")]  # noqa: RUF012

    def __init__(self, shared: Shared) -> None:
        super().__init__()
        self.shared = shared
        self.library = shared.library
        self.strings = shared.strings

    def tell(self, text: str) -> None:
        """A notice. Never markup: it may quote a document."""
        self.app.notify(text, markup=False)

    def warn(self, what: str, mend: str = "") -> None:
        """A notice that something did not work, and what to do."""
        said = f"{what}\n{self.strings.do.format(mend=mend)}" if mend else what
        self.app.notify(said, severity="warning", markup=False)

    def on_work_failed(self, message: WorkFailed) -> None:
        self.warn(message.what, message.mend)

    def error_lines(self, message: WorkFailed) -> list[Line]:
        """What went wrong and what to do, folded to the screen."""
        width = max(self.size.width - 2, 20)
        lines = fold(((message.what, "bad"),), width)
        if message.mend:
            lines += fold(((self.strings.do.format(mend=message.mend), "plain"),), width)
        return lines

    # What composers and lists ask of their screen

    def main_rows(self) -> RowList | None:
        """The list that the arrow keys move while the input line has the focus."""
        return None

    def action_move(self, step: int) -> None:
        rows = self.main_rows()
        if rows is not None:
            rows.action_cursor(step)

    def action_page(self, step: int) -> None:
        rows = self.main_rows()
        if rows is not None:
            rows.action_page(step)

    def action_leave_composer(self) -> None:
        rows = self.main_rows()
        if rows is not None and rows.rows:
            rows.focus()

    # Acting on a place

    def reading(self) -> Reading | None:
        """The place under the reader's eye."""
        return None

    def action_copy_quote(self) -> None:
        reading = self.reading()
        if reading is None or not reading.view.text[reading.start : reading.end].strip():
            self.warn(self.strings.nothing_to_copy)
            return
        self.app.copy_to_clipboard(reading.view.text[reading.start : reading.end])

    def action_copy_path(self) -> None:
        reading = self.reading()
        if reading is None:
            self.warn(self.strings.nothing_to_copy)
            return
        self.app.copy_to_clipboard(reading.view.absolute)

    def action_open_editor(self) -> None:
        reading = self.reading()
        if reading is None:
            self.warn(self.strings.preview_none)
            return
        problem = open_original(self.app, self.strings, reading)
        if problem:
            self.warn(problem)


def open_original(app: App[object], strings: Strings, reading: Reading) -> str:
    """Hand the terminal to the user's editor at the place; what went wrong, or nothing."""
    path = Path(reading.view.absolute)
    try:
        if not path.is_absolute() or not path.is_file():
            return strings.original_absent
        line = editor.line_of(path, reading.view.text, reading.start)
        argv = editor.command(path, line, os.environ)
    except OSError as error:
        return strings.editor_failed.format(why=clean_line(str(error)))
    if argv is None:
        return strings.no_editor
    try:
        with app.suspend():
            subprocess.run(argv, check=False)
    except SuspendNotSupported:
        return strings.cannot_suspend
    except OSError as error:
        return strings.editor_failed.format(why=clean_line(str(error)))
    return ""
