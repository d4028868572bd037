"""A library in memory for the app's tests: in three languages, and as slow or as broken as a test wants."""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from textual.pilot import Pilot

from inro.errors import InroError
from inro.records import (
    NOT_HERE,
    Answer,
    AnswerDone,
    AnswerDraft,
    AnswerEvent,
    AnswerSentence,
    AnswerStep,
    AnswerText,
    DocumentView,
    Drift,
    FileOutcome,
    Hit,
    Lane,
    Ledger,
    Outcome,
    Progress,
    SearchResult,
    SourcePassage,
    SourceState,
    Status,
    SyncReport,
    TracePart,
    Turn,
)
from inro.search.stream import Stream
from inro_tui.app import InroApp
from inro_tui.strings import Strings, choose

TEXTS: tuple[tuple[str, str, str], ...] = (
    (
        "sop/desiccator.md",
        "乾燥庫の使い方",
        "# 乾燥庫の使い方\n\n## 準備\n\n試料は乾燥庫（デシケーター）に入れる前に、外側の水分を拭き取る。\n\n"
        "## シリカゲルの交換\n\nシリカゲルは毎週月曜に交換する。色が青から桃色に変わったら、"
        "曜日を待たずに交換すること。交換した日は記録簿に書き、再生は120℃で3時間おこなう。\n\n"
        "## 記録\n\n湿度が20%を超えた日は試料S-1041の扱いを中止する。\n",
    ),
    (
        "notes/2024-03 humidity.md",
        "Humidity log, March",
        "# Humidity log, March\n\nThe desiccator held 12 % relative humidity all week.\n\n"
        "## Sample S-1041\n\n"
        "S-1041 gained 0.3 % in mass after two days outside the desiccator. It was dried again at 80 degrees "
        "for four hours and lost all of it.\n\n## Next\n\nReplace the silica gel before the next run.\n",
    ),
    (
        "reagents/干燥剂.md",
        "干燥剂清单",
        "# 干燥剂清单\n\n硅胶每周更换一次，变色后立即更换。分子筛在300℃活化四小时。\n",
    ),
    (
        "web/cleaning.html",
        "Cleaning the furnace tube",
        "Cleaning the furnace tube\n\nNever open the furnace above 200 degrees. "
        "Wipe the tube with ethanol and let it dry for an hour before the next firing.\n",
    ),
)


def find(text: str, words: Sequence[str]) -> list[tuple[int, int]]:
    """Where the words stand in a text, whatever their case."""
    low = text.lower()
    spans = []
    for word in words:
        at = low.find(word)
        while at >= 0:
            spans.append((at, at + len(word)))
            at = low.find(word, at + 1)
    return sorted(spans)


def passage(text: str, spans: Sequence[tuple[int, int]]) -> tuple[int, int]:
    """The paragraph with most of the spans, headings passed over."""
    paragraphs = [(m.start(), m.end()) for m in re.finditer(r"(?:(?!\n\n).)+", text.rstrip(), re.DOTALL)]
    bodies = [(s, e) for s, e in paragraphs if not text[s:e].lstrip().startswith("#")] or paragraphs
    start, end = max(bodies, key=lambda body: sum(body[0] <= s < body[1] for s, _ in spans))
    return start + len(text[start:end]) - len(text[start:end].lstrip()), end


@dataclass
class FakeModel:
    name: str
    role: str
    installed: bool
    note: str = ""


@dataclass
class FakeLibrary:
    """Answers from `TEXTS`. A test may hold a call back (`gates`) or break it (`broken`)."""

    path: Path = Path("lab.inro")
    gates: dict[str, threading.Event] = field(default_factory=dict)
    """Calls of this name wait for the event."""
    broken: dict[str, Exception] = field(default_factory=dict)
    """Calls of this name raise."""
    calls: list[tuple[str, str]] = field(default_factory=list)
    answer: Answer | None = None
    answer_error: InroError | None = None
    answer_gate: threading.Event | None = None
    """If set, the model's text waits for it."""
    histories: list[tuple[Turn, ...]] = field(default_factory=list)
    empty: bool = False
    closed: bool = False
    texts: tuple[tuple[str, str, str], ...] = TEXTS
    hits: Callable[[str, Lane], tuple[Hit, ...]] | None = None
    late: int = 0
    """How often meaning misses its deadline."""

    def _enter(self, name: str, value: str = "") -> None:
        self.calls.append((name, value))
        gate = self.gates.get(name)
        if gate is not None:
            assert gate.wait(10), f"nobody opened the gate of {name}"
        if name in self.broken:
            raise self.broken[name]

    def search_stream(self, query: str, *, limit: int = 10) -> Iterator[SearchResult]:
        late = iter([True] * self.late)

        def search(lane: Lane, _wait: int | None) -> SearchResult:
            if lane == "hybrid" and next(late, False):
                return replace(self._search(query, limit, "lexical"), partial=True, hints=("meaning is late",))
            return self._search(query, limit, lane)

        return Stream(search, None, lambda: None)

    def _search(self, query: str, limit: int, lane: Lane) -> SearchResult:
        self._enter(lane, query)
        hits = self.hits(query, lane) if self.hits else self._hits(query, lane)
        ledger = Ledger(searched=40, total=42, unreadable=1, skipped=1)
        return SearchResult(query, lane, hits[:limit], ledger)

    def _hits(self, query: str, lane: Lane) -> tuple[Hit, ...]:
        words = query.lower().split()
        scored = []
        for document, (path, title, text) in enumerate(self.texts, 1):
            spans = find(text, words)
            bonus = 1.0 if lane == "hybrid" else 0.0
            if spans or (lane == "hybrid" and words):
                scored.append((2.0 * len(spans) + bonus, document, path, title, text, spans))
        scored.sort(key=lambda entry: (-entry[0], entry[1]))
        return tuple(
            self._hit(rank, *entry, pinned="s-1041" in words and bool(entry[-1]))
            for rank, entry in enumerate(scored, 1)
        )

    def _hit(
        self,
        rank: int,
        score: float,
        document: int,
        path: str,
        title: str,
        text: str,
        spans: list[tuple[int, int]],
        *,
        pinned: bool,
    ) -> Hit:
        start, end = passage(text, spans)
        above = [line.lstrip("# ") for line in text[:start].splitlines() if line.startswith("#")]
        inside = tuple((max(s, start) - start, min(e, end) - start) for s, e in spans if s < end and e > start)
        trace = [TracePart("lexical", 2.0 * len(spans), f"bm25 {len(spans)} of 9 possible")] if spans else []
        if score > 2.0 * len(spans):
            trace.append(TracePart("dense", score - 2.0 * len(spans), "z 1.8 over the library"))
        return Hit(
            rank=rank, score=score, document=document, path=path, title=title,
            heading=" › ".join(above), page=None, chunk=document * 10, start=start, end=end,
            snippet=text[start:end], snippet_start=start, highlights=inside,
            shown=text[start:end], shown_highlights=inside, trace=tuple(trace),
            pinned=pinned, below_floor=not spans,
        )  # fmt: skip

    def titles(self, query: str, *, limit: int = 10) -> SearchResult:
        self._enter("titles", query)
        hits = [
            self._hit(1, 1.0, document, path, title, text, [], pinned=False)
            for document, (path, title, text) in enumerate(self.texts, 1)
            if query.lower() in title.lower()
        ]
        return SearchResult(query, "lexical", tuple(hits[:limit]), Ledger(40, 42, 1, 1))

    def source(self, n: int, document: int, quote: str) -> SourcePassage:
        """A numbered passage of one of the texts."""
        path, title, text = self.texts[document - 1]
        start = text.index(quote)
        return SourcePassage(n, document, path, title, "", None, start, start + len(quote), quote)

    def ask(
        self, question: str, *, history: Sequence[Turn] = (), cancel: threading.Event | None = None
    ) -> Iterator[AnswerEvent]:
        self._enter("ask", question)
        self.histories.append(tuple(history))
        yield AnswerStep("searched for the question: 4 passages")
        first = self.source(1, 1, "シリカゲルは毎週月曜に交換する。")
        second = self.source(2, 2, "S-1041 gained 0.3 % in mass after two days outside the desiccator.")
        quote = AnswerSentence(first.quote, (1,), supported=True)
        draft = Answer(question, first.quote, False, "extractive", (quote,), (first, second), ("searched",))
        if self.answer is None or not self.answer.refused:
            yield AnswerDraft(draft)
        yield AnswerStep("asked the model with 2 passages")
        if self.answer_error is not None:
            raise self.answer_error
        for word in ("The silica ", "gel is replaced ", "every Monday [1]. "):
            if cancel is not None and cancel.is_set():
                return
            yield AnswerText(word)
        if self.answer_gate is not None:
            _wait(self.answer_gate, cancel)
            if cancel is not None and cancel.is_set():
                self.calls.append(("cancelled", "ask"))
                return
        sentences = (
            AnswerSentence("The silica gel is replaced every Monday [1].", (1,), supported=True),
            AnswerSentence(
                "S-1041 gained 0.5 % in mass [2].",
                (2,),
                supported=False,
                problems=("0.5 % is not in source 2",),
            ),
        )
        steps = (
            "searched for the question: 4 passages",
            "asked the model with 2 passages",
            "checked 2 sentences",
        )
        final = Answer(question, " ".join(s.text for s in sentences), False, "model", sentences, (first, second), steps)
        yield AnswerDone(self.answer or final)

    def refusal(self, question: str) -> Answer:
        """A refused answer with the nearest misses."""
        misses = self._hits("furnace", "lexical")
        return Answer(question, NOT_HERE, True, "extractive", (), (), ("nothing above the floor",), misses)

    def show(self, document: int | str) -> DocumentView:
        self._enter("show", str(document))
        path, title, text = self.texts[int(document) - 1]
        headings = []
        at = 0
        for line in text.splitlines(keepends=True):
            if line.startswith("#"):
                headings.append((at, len(line) - len(line.lstrip("#")), line.lstrip("# ").strip()))
            at += len(line)
        return DocumentView(
            document=int(document), path=path, absolute=f"/nowhere/{path}", title=title, text=text, chars=len(text),
            outcome="ok", reason="", fields={}, tags=("lab",), headings=tuple(headings),
        )  # fmt: skip

    def add(self, paths: Sequence[Path], *, cancel: threading.Event | None = None) -> Iterator[Progress]:
        self._enter("add", str(paths[0]))
        yield from self._progress(cancel)

    def sync(self, *, full: bool = False, cancel: threading.Event | None = None) -> Iterator[Progress]:
        self._enter("sync", str(full))
        yield from self._progress(cancel)

    def _progress(self, cancel: threading.Event | None) -> Iterator[Progress]:
        yield Progress("scan", 42, 0)
        yield Progress("read", 21, 42, "notes/2024-03 humidity.md", rate=34.2, eta=12.0)
        gate = self.gates.get("progress")
        if gate is not None:
            _wait(gate, cancel)
            if cancel is not None and cancel.is_set():
                self.calls.append(("cancelled", "sync"))
                return
        yield Progress("embed", 100, 160, rate=20.0, eta=3.0)
        yield Progress("done", 42, 42, report=SyncReport(added=2, changed=1, unchanged=39, unreadable=1))

    def drift(self) -> Drift | None:
        return None

    def status(self, *, look: bool = True) -> Status:
        self._enter("status")
        source = SourceState(1, "~/lab", True, 40, "2024-03-18T09:30:00Z")
        gone = SourceState(2, "/mnt/share/papers", False, 2, "")
        status = Status(
            library="lab.inro", format=1, generation=7, bytes=2_345_678, sources=(source, gone), documents=42,
            outcomes={"ok": 40, "unreadable": 1, "skipped": 1}, chunks=160, vectors=150, segments=2,
            analyser="inro-1 icu-72.1", embedder="multilingual-e5-small", to_embed=10,
        )  # fmt: skip
        return replace(status, sources=(), documents=0, chunks=0, vectors=0, to_embed=0) if self.empty else status

    def files(self, outcome: Outcome | None = None) -> tuple[FileOutcome, ...]:
        self._enter("files")
        if self.empty:
            return ()
        listed = (
            FileOutcome(1, "sop/desiccator.md", 1, "ok", "", "", "markdown/1", "utf-8", 300),
            FileOutcome(
                5, "scans/certificate 2019.pdf", 1, "unreadable", "the text layer is not text",
                "inro models fetch ocr, then inro sync", "pdf/1", "", 0,
            ),
            FileOutcome(
                6, "old/メモ.txt", 1, "partial", "12 characters could not be read", "", "text/1", "cp932", 90
            ),
            FileOutcome(7, "video.mp4", 1, "skipped", "not a kind of file that is read", "", "", "", 0),
        )  # fmt: skip
        return tuple(file for file in listed if outcome in (None, file.outcome))

    def models(self) -> Sequence[FakeModel]:
        self._enter("models")
        return (
            FakeModel("bge-m3", "embed", False, "best quality; 570 MB"),
            FakeModel("multilingual-e5-small", "embed", True),
            FakeModel("smollm2-135m-instruct", "chat", True, "tiny: not to be trusted"),
        )

    def warm(self) -> None:
        self._enter("warm")

    def close(self) -> None:
        self.closed = True


def _wait(gate: threading.Event, cancel: threading.Event | None) -> None:
    """Until the gate opens or the call is cancelled; not for ever, so that a failing test ends."""
    for _ in range(1000):
        if gate.wait(0.01) or (cancel is not None and cancel.is_set()):
            return


def build(library: FakeLibrary, strings: Strings | None = None, **options: str) -> InroApp:
    """The app on a library: in English and dark unless told otherwise."""
    return InroApp(library, strings=strings or choose({}, "en"), theme_name=options.get("theme", "inro-dark"))


async def settle(pilot: Pilot[None]) -> None:
    """Wait until no worker runs and no message waits."""
    await pilot.pause()
    await pilot.app.workers.wait_for_complete()
    await pilot.pause()
    await pilot.app.workers.wait_for_complete()
    await pilot.pause()


async def until(pilot: Pilot[None], true: Callable[[], bool], seconds: float = 10) -> None:
    """Wait for something that a thread brings about."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if true():
            return
        await pilot.pause(0.01)
    raise AssertionError("it did not come to pass")


def screen_of(app: InroApp) -> object:
    """The screen that is shown, without telling a type checker which."""
    return app.screen


def drawn(app: InroApp) -> str:
    """The letters on the screen, a line each."""
    strips = app.screen._compositor.render_strips()
    return "\n".join("".join(segment.text for segment in strip) for strip in strips)
