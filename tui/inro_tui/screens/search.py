"""Search: the list fills while one types, by words at once and by meaning a moment later.

The latest query wins: an older one is not begun if it has not begun, and not shown if it has. Once the
reader moves in the list, later knowledge no longer moves what is under the cursor.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator

from textual import on, work
from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.events import ScreenResume
from textual.widgets import Input
from textual.worker import Worker, get_current_worker

from inro.records import Hit, SearchResult
from inro_tui import keys
from inro_tui.lines import Line, joined
from inro_tui.merge import Found, merge, titles_typed
from inro_tui.messages import DocumentArrived, ResultsArrived, WorkFailed
from inro_tui.pages import Place, page_of, place_of_hit, place_of_title
from inro_tui.sanitise import clean_line
from inro_tui.screens.base import AskThis, InroScreen, Reading, Shared
from inro_tui.screens.viewer import ViewerScreen
from inro_tui.widgets.chrome import KeyLine, Tabs
from inro_tui.widgets.composer import Composer
from inro_tui.widgets.composer import Line as InputLine
from inro_tui.widgets.document import DocumentText, Page
from inro_tui.widgets.note import Note
from inro_tui.widgets.results import last_heading, ledger_line, rows_of
from inro_tui.widgets.rows import RowList
from inro_tui.work import attempt

LIMIT = 20
"""Results asked for."""
PAUSE = 0.14
"""Seconds without a key press before a query is looked up by meaning."""


class ResultList(RowList):
    """The results, with the keys that act on one."""

    BINDINGS = keys.bindings("results")


class SearchScreen(InroScreen):
    """The home screen."""

    BINDINGS = keys.bindings("search")

    def __init__(self, shared: Shared) -> None:
        super().__init__(shared)
        self.query_text = ""
        self.found: list[Found] = []
        self._titles: list[Found] = []
        self._hits: list[Found] = []
        self._result: SearchResult | None = None
        self._ticket = 0
        self._awaiting_meaning = False
        self._touched = False
        self._open_first = False
        self._trace = False
        self._empty_library = False
        self._preparing = ""
        self._shown: Place | None = None
        self._gate = threading.Lock()
        self._deep_gate = threading.Lock()

    def compose(self) -> ComposeResult:
        yield Tabs(self.strings, "search", self.library.path.name)
        yield Composer(self.strings.search_placeholder, id="search")
        with Horizontal(id="body"):
            yield ResultList(id="results")
            with Vertical(id="preview"):
                yield Note(id="preview-head")
                yield DocumentText(id="preview-text")
        yield Note(id="ledger")
        yield KeyLine(self.strings)

    def on_mount(self) -> None:
        self.query_one(InputLine).focus()
        self._say_ledger()
        self._show_preview_head()

    @on(ScreenResume)
    def _caret_again(self) -> None:
        self.call_after_refresh(self.query_one(InputLine).place_caret)

    def main_rows(self) -> RowList:
        return self.query_one("#results", RowList)

    def library_is_empty(self, empty: bool) -> None:
        """Told by the app once the state is known."""
        if empty != self._empty_library:
            self._empty_library = empty
            self._say_ledger()

    def preparing(self, what: str) -> None:
        """Told by the app what a first search still waits for; nothing once it is done."""
        self._preparing = what
        self._say_ledger()

    # Looking up

    @on(Input.Changed, "#search-line")
    def _typed(self, event: Input.Changed) -> None:
        self.query_text = event.value.strip()
        self._ticket += 1
        self._touched = False
        self._open_first = False
        if not self.query_text:
            self.workers.cancel_group(self, "look-up")
            self._awaiting_meaning = False
            self._result = None
            self._titles, self._hits = [], []
            self._show_found([])
            return
        self._awaiting_meaning = True
        self.look_up(self.query_text, self._ticket)

    @work(thread=True, exclusive=True, group="look-up")
    def look_up(self, query: str, ticket: int) -> None:
        """By words, by title, and after a pause by meaning; each stage is told as it comes."""
        worker = get_current_worker()
        with self._gate:
            if _late(worker):
                return
            results = self.library.search_stream(query, limit=LIMIT)
            words = attempt(self, "look-up", lambda: next(results), ticket)
        if words is not None:
            self.post_message(ResultsArrived(ticket, "words", words))
        with self._gate:
            if _late(worker):
                return
            titles = attempt(self, "look-up", lambda: self.library.titles(query), ticket)
        if titles is not None:
            self.post_message(ResultsArrived(ticket, "titles", titles))
        self._look_deeper(worker, results, ticket)

    def _look_deeper(self, worker: Worker[None], results: Iterator[SearchResult], ticket: int) -> None:
        """By meaning: what there is within the time set, then the rest of it."""
        time.sleep(PAUSE)
        result: SearchResult | None = None
        while result is None or result.partial:
            with self._deep_gate:
                if _late(worker):
                    return
                result = attempt(self, "look-up", lambda: next(results), ticket)
            if result is None:
                return
            self.post_message(ResultsArrived(ticket, "meaning", result))

    def on_results_arrived(self, message: ResultsArrived) -> None:
        if message.ticket != self._ticket:
            return
        found = [Found(hit) for hit in message.result.hits]
        if message.stage == "titles":
            self._titles = titles_typed(self.query_text, message.result.hits)
        else:
            if message.stage == "words":
                self._titles = []
            self._hits = found
            self._result = message.result
            self._awaiting_meaning = message.result.partial
        rows = self.main_rows()
        here = self._current()
        # The answer by words begins a new list; what comes after it only completes the list.
        holds = here is not None and message.stage != "words" and (self._touched or rows.has_focus)
        held = here.key if here is not None and holds else None
        self._show_found(merge(self.found, [*self._titles, *self._hits], held))
        if self._open_first and self.found:
            self._open_first = False
            self._open(self.found[0])

    def on_work_failed(self, message: WorkFailed) -> None:
        if message.job != "look-up":
            super().on_work_failed(message)
        elif message.ticket == self._ticket:
            self._awaiting_meaning = False
            self.query_one("#ledger", Note).say(*self.error_lines(message))

    def _show_found(self, found: list[Found]) -> None:
        kept_first = found[0].key if found and not self._touched and not self.main_rows().has_focus else None
        self.found = found
        high = self.has_class("-high")
        rows = rows_of(found, self.strings, snippet_lines=2 if high else 1, apart=high, trace=self._trace)
        self.main_rows().set_rows(rows, cursor=kept_first)
        # The same row may stand for a new match: the cursor need not move for the preview to be out of date.
        self._moved()

    def _say_ledger(self) -> None:
        note = self.query_one("#ledger", Note)
        strings = self.strings
        if self._result is None:
            said = strings.search_empty_library if self._empty_library else self._preparing or strings.search_idle
            note.say(((said, "warn" if self._empty_library or self._preparing else "dim"),))
            return
        parts: list[Line] = []
        if not self.found and not self._awaiting_meaning:
            parts.append(((strings.search_nothing, "warn"),))
        parts.append(ledger_line(self._result.ledger, strings))
        right: list[Line] = []
        if self._awaiting_meaning:
            right.append(((strings.searching_meaning, "faint"),))
        elif self._result.elapsed_ms >= 0.5:
            right.append(((strings.ledger_time.format(ms=f"{self._result.elapsed_ms:.0f}"), "faint"),))
        rows = self.main_rows()
        if rows.index >= 0:
            place = strings.ledger_rank.format(rank=rows.index + 1, total=len(self.found))
            right.append(((place, "dim"),))
        hints = [((clean_line(hint), "warn"),) for hint in self._result.hints]
        note.say(joined(parts, (" | ", "faint")), *hints, right=joined(right))

    # The list

    @on(RowList.Moved, "#results")
    def _moved(self) -> None:
        self._say_ledger()
        found = self._current()
        if found is None:
            self._preview_nothing()
        else:
            self._preview(found)

    @on(RowList.Chosen, "#results")
    def _chosen(self, event: RowList.Chosen) -> None:
        self._open(event.row.item)

    @on(InputLine.Entered, "#search-line")
    def _entered(self) -> None:
        found = self._current()
        if found is not None and self._result is not None and self._result.query == self.query_text:
            self._open(found)
        elif self.query_text:
            self._open_first = True

    def _current(self) -> Found | None:
        row = self.main_rows().current
        return row.item if row is not None and isinstance(row.item, Found) else None

    def _open(self, found: Found) -> None:
        self.app.push_screen(ViewerScreen(self.shared, self._place(found)))

    def _place(self, found: Found) -> Place:
        return place_of_title(found.hit, self.query_text) if found.by_title else place_of_hit(found.hit)

    def action_move(self, step: int) -> None:
        self._touched = True
        super().action_move(step)

    def action_page(self, step: int) -> None:
        self._touched = True
        super().action_page(step)

    def action_edit(self) -> None:
        self.query_one(InputLine).focus()

    def action_leave_composer(self) -> None:
        if self.found:
            super().action_leave_composer()
        else:
            self.query_one(InputLine).clear()

    def action_toggle_trace(self) -> None:
        self._trace = not self._trace
        self._show_found(self.found)

    def action_ask_this(self) -> None:
        if self.query_text:
            self.post_message(AskThis(self.query_text))

    # The preview

    def action_toggle_preview(self) -> None:
        self.toggle_class("-no-preview" if self.has_class("-wide") else "-preview")

    def _preview(self, found: Found) -> None:
        place = self._place(found)
        if place == self._shown:
            return
        self._shown = place
        self._show_preview_head(found.hit)
        view = self.shared.documents.known(place.document)
        if view is not None:
            self._show_document(place)
        else:
            self.read_document(place.document)

    @work(thread=True, exclusive=True, group="preview")
    def read_document(self, document: int) -> None:
        """Fetch a document for the preview."""
        view = attempt(self, "preview", lambda: self.shared.documents.get(document))
        if view is not None and not get_current_worker().is_cancelled:
            self.post_message(DocumentArrived(view))

    def on_document_arrived(self, message: DocumentArrived) -> None:
        if self._shown is not None and self._shown.document == message.view.document:
            self._show_document(self._shown)

    def _show_document(self, place: Place) -> None:
        view = self.shared.documents.known(place.document)
        if view is not None:
            page, _ = page_of(view, place)
            self.query_one("#preview-text", DocumentText).open(page)

    def _preview_nothing(self) -> None:
        self._shown = None
        self._show_preview_head()
        self.query_one("#preview-text", DocumentText).open(Page(""))

    def _show_preview_head(self, hit: Hit | None = None) -> None:
        note = self.query_one("#preview-head", Note)
        if hit is None:
            note.say(((self.strings.preview_none, "faint"),))
            return
        heading = last_heading(hit)
        name: Line = ((clean_line(hit.title), "bold"), (f" › {heading}" if heading else "", "dim"))
        note.say(name, ((clean_line(hit.path), "faint"),))

    def reading(self) -> Reading | None:
        found = self._current()
        view = self.shared.documents.known(found.hit.document) if found else None
        return Reading(view, found.hit.start, found.hit.end) if found and view else None


def _late(worker: Worker[None]) -> bool:
    """Whether a newer query has been typed."""
    return worker.is_cancelled
