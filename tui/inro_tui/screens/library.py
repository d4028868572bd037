"""The library's state: folders, files with problems, models; and syncing, which can be stopped."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from textual import on, work
from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.message import Message

from inro.records import FileOutcome, Progress
from inro_tui import keys
from inro_tui.lines import Line
from inro_tui.messages import ProgressArrived, StateArrived, WorkFailed
from inro_tui.pages import Place
from inro_tui.screens.add import AddScreen
from inro_tui.screens.base import InroScreen, Shared
from inro_tui.screens.viewer import ViewerScreen
from inro_tui.state import read_state
from inro_tui.widgets.chrome import KeyLine, Tabs
from inro_tui.widgets.note import Note
from inro_tui.widgets.rows import RowList
from inro_tui.widgets.state_rows import (
    FILTERS,
    file_rows,
    model_rows,
    progress_line,
    report_lines,
    source_rows,
    summary,
)
from inro_tui.work import attempt


@dataclass
class LibraryChanged(Message):
    """A sync has ended: what was read before may be out of date."""


class LibraryScreen(InroScreen):
    """Folders, files, models."""

    BINDINGS = keys.bindings("library")

    def __init__(self, shared: Shared) -> None:
        super().__init__(shared)
        self.state: StateArrived | None = None
        self.filter = 0
        self._cancel: threading.Event | None = None
        self._pending: Path | None = None
        self._ready = False
        """Whether the widgets are there; state may be handed over before."""

    def compose(self) -> ComposeResult:
        strings = self.strings
        yield Tabs(strings, "library", self.library.path.name)
        yield Note(id="summary")
        yield Note(id="progress")
        with Horizontal(id="panes"):
            with Vertical(id="left"):
                yield Note(id="sources-head", classes="head")
                yield RowList(id="sources", sign_always=False)
                yield Note(id="models-head", classes="head")
                yield RowList(id="models", sign_always=False)
            with Vertical(id="right"):
                yield Note(id="files-head", classes="head")
                yield RowList(id="files", sign_always=False)
        yield KeyLine(strings)

    def on_mount(self) -> None:
        strings = self.strings
        self._ready = True
        self.query_one("#sources-head", Note).say(((strings.library_sources, "dim"),))
        self.query_one("#models-head", Note).say(((strings.library_models, "dim"),))
        self.query_one("#summary", Note).say(((strings.loading, "dim"),))
        self.query_one("#progress", Note).display = False
        self._head_files()
        self.query_one("#sources", RowList).focus()
        if self.state is None:
            self.read_state()
        else:
            self.show_state(self.state)
        if self._pending is not None:
            self.start_add(self._pending)
            self._pending = None

    # State

    @work(thread=True, exclusive=True, group="state")
    def read_state(self) -> None:
        """Read status, files and models."""
        state = attempt(self, "state", lambda: read_state(self.library))
        if state is not None:
            self.post_message(state)

    def on_state_arrived(self, message: StateArrived) -> None:
        self.show_state(message)

    def show_state(self, state: StateArrived) -> None:
        """Show what was read."""
        self.state = state
        if not self._ready:
            return
        strings = self.strings
        self.query_one("#summary", Note).say(*summary(state.status, strings))
        self.query_one("#sources", RowList).set_rows(source_rows(state.status.sources, strings))
        self.query_one("#models", RowList).set_rows(model_rows(state.models, strings))
        self._show_files()

    def _show_files(self) -> None:
        if self.state is not None:
            rows = file_rows(self.state.files, FILTERS[self.filter], self.strings)
            self.query_one("#files", RowList).set_rows(rows)
        self._head_files()

    def _head_files(self) -> None:
        strings = self.strings
        count = len([row for row in self.query_one("#files", RowList).rows if row.choosable])
        right: Line = ((strings.library_filter[FILTERS[self.filter]], "second"), (f"  {count:,}", "dim"))
        self.query_one("#files-head", Note).say(((strings.library_problems, "dim"),), right=right)

    def action_next_filter(self) -> None:
        self.filter = (self.filter + 1) % len(FILTERS)
        self._show_files()

    def action_refresh_state(self) -> None:
        self.read_state()

    @on(RowList.Chosen, "#files")
    def _chosen(self, event: RowList.Chosen) -> None:
        file = event.row.item
        if isinstance(file, FileOutcome):
            self.app.push_screen(ViewerScreen(self.shared, Place(file.document, file.path)))

    # Syncing

    @property
    def syncing(self) -> bool:
        """Whether a sync is running."""
        return self._cancel is not None

    def action_sync(self, full: bool) -> None:
        self._start(lambda cancel: self.library.sync(full=full, cancel=cancel))

    def action_add(self) -> None:
        if self.syncing:
            self.warn(self.strings.sync_running)
            return
        self.app.push_screen(AddScreen(self.strings), self._named)

    def _named(self, path: Path | None) -> None:
        if path is not None:
            self.start_add(path)

    def start_add(self, path: Path) -> None:
        """Add a folder or a file and index it; before the screen is there, once it is."""
        if not self._ready:
            self._pending = path
            return
        self._start(lambda cancel: self.library.add([path], cancel=cancel))

    def _start(self, job: Callable[[threading.Event], Iterator[Progress]]) -> None:
        if self.syncing:
            self.warn(self.strings.sync_running)
            return
        self._cancel = threading.Event()
        self.refresh_bindings()
        self._say_progress(progress_line(Progress("scan", 0, 0), self.strings)[0])
        self.run_sync(job, self._cancel)

    @work(thread=True, group="sync")
    def run_sync(self, job: Callable[[threading.Event], Iterator[Progress]], cancel: threading.Event) -> None:
        """Run a sync to its end or until it is stopped."""

        def run() -> bool:
            finished = False
            for progress in job(cancel):
                finished = progress.report is not None
                self.post_message(ProgressArrived(progress))
            return finished

        finished = attempt(self, "sync", run)
        self.app.call_from_thread(self._ended, finished)

    def on_progress_arrived(self, message: ProgressArrived) -> None:
        progress = message.progress
        if progress.report is not None:
            self._say_progress(*report_lines(progress.report, self.strings))
        elif self._cancel is not None and not self._cancel.is_set():
            self._say_progress(*progress_line(progress, self.strings))

    def _ended(self, finished: bool | None) -> None:
        stopped = self._cancel is not None and self._cancel.is_set()
        self._cancel = None
        self.refresh_bindings()
        if stopped and finished is not None:
            self._say_progress(((self.strings.sync_stopped, "warn"),))
        self.shared.documents.forget()
        self.read_state()
        self.app.post_message(LibraryChanged())

    def on_work_failed(self, message: WorkFailed) -> None:
        if message.job == "state":
            self.query_one("#summary", Note).say(*self.error_lines(message))
        elif message.job == "sync":
            message.what = self.strings.sync_failed.format(what=message.what)
            self._say_progress(*self.error_lines(message))
        else:
            super().on_work_failed(message)

    def _say_progress(self, *lines: Line) -> None:
        note = self.query_one("#progress", Note)
        note.display = True
        note.say(*lines)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        return self.syncing if action == "stop" else super().check_action(action, parameters)

    def let_go(self) -> None:
        """Stop whatever runs: the app is being left."""
        if self._cancel is not None:
            self._cancel.set()

    def action_stop(self) -> None:
        if self._cancel is not None and not self._cancel.is_set():
            self._cancel.set()
            self._say_progress(((self.strings.sync_stopping, "warn"),))
