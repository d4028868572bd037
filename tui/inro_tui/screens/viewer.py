"""One document: read it at the place one came for, step through the marks, find, copy, open the original."""

from __future__ import annotations

from textual import on, work
from textual.app import ComposeResult
from textual.widgets import Input
from textual.worker import get_current_worker

from inro.records import DocumentView
from inro_tui import keys
from inro_tui.lines import Line, joined
from inro_tui.messages import DocumentArrived, WorkFailed
from inro_tui.pages import Place, occurrences, page_of
from inro_tui.sanitise import Cleaned, clean_line
from inro_tui.screens.base import InroScreen, Reading, Shared
from inro_tui.widgets.chrome import KeyLine
from inro_tui.widgets.composer import Composer
from inro_tui.widgets.composer import Line as InputLine
from inro_tui.widgets.document import DocumentText
from inro_tui.widgets.note import Note
from inro_tui.work import attempt


class ViewerScreen(InroScreen):
    """A document, full screen."""

    # The keys of a list scroll the text.
    BINDINGS = keys.bindings("viewer") + keys.bindings("rows", without=("rows.choose",))

    def __init__(self, shared: Shared, place: Place, view: DocumentView | None = None) -> None:
        """A document of the library; or `view`, which is not one."""
        super().__init__(shared)
        self.place = place
        self.view = view
        self._cleaned = Cleaned("")

    def compose(self) -> ComposeResult:
        yield Note(id="document-head")
        yield DocumentText(id="document")
        yield Composer(self.strings.find_placeholder, id="find")
        yield Note(id="document-foot")
        yield KeyLine(self.strings)

    def on_mount(self) -> None:
        self.query_one("#find", Composer).display = False
        self.text.focus()
        self.query_one("#document-head", Note).say(((clean_line(self.place.title), "bold"),))
        self.watch(self.text, "scroll_y", self._say_where, init=False)
        view = self.view or self.shared.documents.known(self.place.document)
        if view is not None:
            self._show(view)
        else:
            self.query_one("#document-foot", Note).say(((self.strings.loading, "dim"),))
            self.read_document(self.place.document)

    @property
    def text(self) -> DocumentText:
        return self.query_one("#document", DocumentText)

    @work(thread=True, exclusive=True, group="document")
    def read_document(self, document: int) -> None:
        """Fetch the document."""
        view = attempt(self, "document", lambda: self.shared.documents.get(document))
        if view is not None and not get_current_worker().is_cancelled:
            self.post_message(DocumentArrived(view))

    def on_document_arrived(self, message: DocumentArrived) -> None:
        self._show(message.view)

    def on_work_failed(self, message: WorkFailed) -> None:
        self.query_one("#document-foot", Note).say(*self.error_lines(message))

    def _show(self, view: DocumentView) -> None:
        self.view = view
        page, self._cleaned = page_of(view, self.place)
        self._say_head(view)
        self.text.open(page)
        self._say_where()

    def _say_head(self, view: DocumentView) -> None:
        parts: list[Line] = [((clean_line(view.path), "faint"),)]
        if view.outcome in ("partial", "unreadable"):
            wording = self.strings.outcome_partial if view.outcome == "partial" else self.strings.outcome_unreadable
            parts.append(((wording.format(reason=clean_line(view.reason)), "warn"),))
        if view.tags:
            parts.append(((" ".join("#" + clean_line(tag) for tag in view.tags), "second"),))
        title = clean_line(view.title) or clean_line(view.path)
        self.query_one("#document-head", Note).say(((title, "bold"),), joined(parts))

    @on(DocumentText.Laid)
    def _say_where(self) -> None:
        if self.view is None:
            return
        strings = self.strings
        text = self.text
        marks = text.page.marks
        if not text.page.text.strip():
            left: Line = ((strings.document_empty, "dim"),)
        elif marks:
            left = ((strings.marks.format(n=text.mark + 1, total=len(marks)), "dim"),)
        else:
            left = ((strings.no_marks, "faint"),)
        total = len(text.rows) if text.rows is not None else 0
        where = strings.line_of.format(n=min(round(text.scroll_y) + 1, max(total, 1)), total=total)
        self.query_one("#document-foot", Note).say(left, right=((where, "faint"),))

    # Keys

    def action_next_mark(self, step: int) -> None:
        self.text.step_mark(step)
        self._say_where()

    def action_next_heading(self, step: int) -> None:
        self.text.step_heading(step)

    def action_cursor(self, step: int) -> None:
        self.text.move(step)

    def action_page(self, step: int) -> None:
        self.text.move(step * max(self.text.lines_shown - 2, 1))

    def action_edge(self, step: int) -> None:
        if step < 0:
            self.text.scroll_home(animate=False)
        else:
            self.text.scroll_end(animate=False)

    def action_back(self) -> None:
        self.app.pop_screen()

    def action_find(self) -> None:
        self.query_one("#find", Composer).display = True
        self.query_one(InputLine).focus()

    def action_move(self, step: int) -> None:
        self.action_next_mark(step)

    def action_leave_composer(self) -> None:
        self.query_one("#find", Composer).display = False
        self.text.focus()

    @on(Input.Changed, "#find-line")
    def _find_typed(self, event: Input.Changed) -> None:
        if event.value.strip():
            self.text.set_marks(occurrences(self.text.page.text, (event.value,)))
            self._say_where()

    @on(InputLine.Entered, "#find-line")
    def _find_entered(self, event: InputLine.Entered) -> None:
        found = bool(self.text.page.marks)
        self.action_leave_composer()
        if event.value.strip() and not found:
            self.warn(self.strings.not_found_here.format(text=clean_line(event.value)))

    def reading(self) -> Reading | None:
        """The mark the reader stepped to, else the passage, else the line at the top."""
        if self.view is None:
            return None
        text = self.text
        if self.place.start is not None and self.place.end is not None and not self._stepped_away():
            return Reading(self.view, self.place.start, self.place.end)
        at = text.page.marks[text.mark][0] if text.mark >= 0 else text.top_offset
        start = text.page.text.rfind("\n", 0, at) + 1
        end = text.page.text.find("\n", at)
        end = len(text.page.text) if end < 0 else end
        return Reading(self.view, self._cleaned.back(start), self._cleaned.back(end))

    def _stepped_away(self) -> bool:
        passage, text = self.text.page.passage, self.text
        if passage is None or text.mark < 0:
            return False
        start, end = text.page.marks[text.mark]
        return start >= passage[1] or end <= passage[0]
