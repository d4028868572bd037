"""A conversation as rows: questions, steps, answers with marked sentences, sources that can be opened."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Literal

from inro.answer.quoting import shown
from inro.records import NOT_HERE, Answer, AnswerSentence, Hit, SourcePassage
from inro_tui.lines import Line, Piece, fold, spread
from inro_tui.sanitise import clean, clean_line
from inro_tui.strings import Strings
from inro_tui.widgets.results import hit_lines
from inro_tui.widgets.rows import Row
from inro_tui.wrap import cells, cut_middle

State = Literal["working", "done", "stopped", "failed"]
_WIDEST = 100
"""Cells of a line of prose: longer ones are hard to read."""


@dataclass
class Exchange:
    """One question and what has come of it so far."""

    question: str
    state: State = "working"
    steps: list[str] = field(default_factory=list)
    steps_open: bool = False
    draft: Answer | None = None
    streamed: str = ""
    final: Answer | None = None
    failure: str = ""
    mend: str = ""

    @property
    def answer(self) -> Answer | None:
        """The best answer there is: the final one, else the draft."""
        return self.final or self.draft


@dataclass(frozen=True)
class StepsRow:
    """What a steps row hands back: the exchange to unfold."""

    exchange: int


def rows_of(exchanges: Sequence[Exchange], strings: Strings) -> list[Row]:
    """The whole conversation."""
    rows: list[Row] = []
    for number, exchange in enumerate(exchanges):
        rows += _exchange_rows(number, exchange, strings)
    return rows


def _exchange_rows(number: int, exchange: Exchange, strings: Strings) -> list[Row]:
    rows = [_text(number, "question", _question(exchange.question))]
    steps = _all_steps(exchange)
    if steps:
        draw = _steps(steps, exchange.steps_open, strings)
        rows.append(Row((number, "steps"), draw, item=StepsRow(number)))
    elif exchange.state == "working":
        rows.append(_text(number, "working", lambda width: [((strings.chat_working, "dim"),)]))
    answer = exchange.answer
    if answer is not None:
        rows += _answer_rows(number, exchange, answer, strings)
    if exchange.streamed and exchange.final is None:
        rows.append(_text(number, "stream", _stream(exchange.streamed, strings)))
    if exchange.state in ("stopped", "failed"):
        rows.append(_text(number, "end", _end(exchange, strings)))
    rows.append(_text(number, "gap", lambda width: [()]))
    return rows


def _text(number: int, what: str, draw: Callable[[int], Sequence[Line]]) -> Row:
    return Row((number, what), draw, choosable=False)


def _question(question: str) -> Callable[[int], list[Line]]:
    text = clean(question)

    def draw(width: int) -> list[Line]:
        return [*fold(((text, "lead"),), min(width, _WIDEST)), ()]

    return draw


def _all_steps(exchange: Exchange) -> list[str]:
    return list(exchange.final.steps) if exchange.final and exchange.final.steps else exchange.steps


def _steps(steps: Sequence[str], unfolded: bool, strings: Strings) -> Callable[[int], list[Line]]:
    def draw(width: int) -> list[Line]:
        count = strings.chat_steps_one if len(steps) == 1 else strings.chat_steps.format(n=len(steps))
        if not unfolded:
            return [*fold(((f"+ {count}: {clean_line(steps[-1])}", "faint"),), width, limit=1), ()]
        lines: list[Line] = [((f"- {count}", "faint"),)]
        for step in steps:
            lines += fold(((clean_line(step), "dim"),), width, indent="  ")
        return [*lines, ()]

    return draw


def _answer_rows(number: int, exchange: Exchange, answer: Answer, strings: Strings) -> list[Row]:
    rows = [_text(number, "answer", _answer(exchange, answer, strings))]
    if answer.refused:
        for miss in answer.misses:
            rows.append(Row((number, "miss", miss.chunk), _miss(miss, strings), item=miss))
        return rows
    cited = {n for sentence in answer.sentences for n in sentence.citations}
    sources = [source for source in answer.sources if source.n in cited] or list(answer.sources)
    if sources:
        rows.append(_text(number, "sources", lambda width: [(), ((strings.chat_sources, "dim"),)]))
    for source in sources:
        rows.append(Row((number, "source", source.n), _source(source, strings), item=source))
    return rows


def _answer(exchange: Exchange, answer: Answer, strings: Strings) -> Callable[[int], list[Line]]:
    def draw(width: int) -> list[Line]:
        width = min(width, _WIDEST)
        if answer.refused:
            lines: list[Line] = [((strings.chat_refused, "warn"),)]
            text = clean(answer.answer).strip()
            if text and text != NOT_HERE:
                lines += fold(((text, "plain"),), width)
            return [*lines, (), ((strings.chat_nearest, "dim"),)] if answer.misses else lines
        lines = [((_label(exchange, answer, strings), "dim"),)]
        if answer.shelf:
            lines = [*fold(((strings.chat_shelf.format(shelf=clean_line(answer.shelf)), "warn"),), width), *lines]
        if answer.mode == "extractive":
            for sentence in answer.sentences:
                lines += fold(_sentence(answer, sentence, strings), width, indent="  ")
        else:
            lines += fold(_prose(answer, strings), width)
        problems = [sentence for sentence in answer.sentences if not sentence.supported]
        if problems:
            total = len(answer.sentences)
            said = strings.chat_unsupported.format(n=len(problems), total=total)
            lines += [(), *fold(((f"! {said}", "warn"),), width)]
            for sentence in problems:
                for problem in sentence.problems:
                    lines += fold(((clean_line(problem), "dim"),), width, indent="  ")
        return lines

    return draw


def _label(exchange: Exchange, answer: Answer, strings: Strings) -> str:
    if exchange.final is None and exchange.state == "working":
        return strings.chat_draft
    return strings.chat_model if answer.mode == "model" else strings.chat_extractive


def _sentence(answer: Answer, sentence: AnswerSentence, strings: Strings) -> Line:
    text = clean(sentence.text).strip()
    pieces: list[Piece] = [(text, "plain" if sentence.supported else "warn")]
    missing = [mark for n in sentence.citations if (mark := answer.mark(n)) not in text]
    if missing:
        pieces.append((" " + "".join(missing), "warn" if answer.shelf else "second"))
    if not sentence.supported:
        pieces.append((f" ({strings.chat_not_supported})", "bad"))
    return tuple(pieces)


def _prose(answer: Answer, strings: Strings) -> Line:
    pieces: list[Piece] = []
    for sentence in answer.sentences:
        line = _sentence(answer, sentence, strings)
        # Latin sentences are parted by a space; after a full-width stop the stop itself is the space.
        if pieces and (len(line) > 1 or cells(pieces[-1][0][-1:]) < 2):
            pieces.append((" ", "plain"))
        pieces.extend(line)
    return tuple(pieces)


def _stream(streamed: str, strings: Strings) -> Callable[[int], list[Line]]:
    text = clean(streamed).strip()

    def draw(width: int) -> list[Line]:
        body = fold(((text, "dim"),), min(width, _WIDEST))
        return [(), ((strings.chat_model_writing, "dim"),), *body]

    return draw


def _end(exchange: Exchange, strings: Strings) -> Callable[[int], list[Line]]:
    def draw(width: int) -> list[Line]:
        if exchange.state == "stopped":
            return [(), ((strings.chat_stopped, "dim"),), ((strings.chat_back, "dim"),)]
        lines = fold(((strings.chat_failed.format(what=exchange.failure), "bad"),), width)
        if exchange.mend:
            lines += fold(((strings.do.format(mend=exchange.mend), "plain"),), width)
        return [(), *lines, ((strings.chat_back, "dim"),)]

    return draw


def _source(source: SourcePassage, strings: Strings) -> Callable[[int], list[Line]]:
    heading = clean_line(source.heading).rpartition(" › ")[2]
    quote = clean_line(shown(source.quote, source.path))

    def draw(width: int) -> list[Line]:
        title = clean_line(source.title)
        name: list[Piece] = [(f"{source.mark} ", "warn" if source.shelf else "second"), (title, "bold")]
        if heading and heading != title:
            name.append((f" › {heading}", "dim"))
        where = cut_middle(clean_line(source.path), max(width // 3, 8))
        if source.page is not None:
            where += "  " + strings.page.format(page=source.page)
        return [
            spread(tuple(name), ((where, "faint"),), width),
            *fold(((quote, "dim"),), width, "    ", limit=2),
        ]

    return draw


def _miss(miss: Hit, strings: Strings) -> Callable[[int], list[Line]]:
    def draw(width: int) -> list[Line]:
        return hit_lines(miss, strings, width, snippet_lines=1)

    return draw


def plain_text(answer: Answer) -> str:
    """An answer with its sources, as it is copied."""
    lines = [clean(answer.answer).strip(), ""]
    for source in answer.sources:
        page = f", p. {source.page}" if source.page is not None else ""
        shelf = f", shelf {clean_line(source.shelf)}" if source.shelf else ""
        lines.append(f"{source.mark} {clean_line(source.title)} ({clean_line(source.path)}{page}{shelf})")
    return "\n".join(lines).strip() + "\n"
