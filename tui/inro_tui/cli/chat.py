"""`inro chat`: a conversation, line by line.

On a terminal the quoted answer comes at once, the model's words as they are written, then the checked answer; Ctrl-C
stops the answer and not the chat. From a pipe every line is a question and every answer one block, or one line of JSON.
"""

from __future__ import annotations

import io
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from inro.answer.quoting import shown
from inro_tui.cli.context import Context, announce_compiling, as_text, narrate, shared_options, write_json, write_lines
from inro_tui.cli.find import answer_json, answer_lines, shelves_option, source_line
from inro_tui.cli.paint import Paint
from inro_tui.sanitise import clean, clean_line

if TYPE_CHECKING:
    from types import FrameType

    from inro.conversation import Conversation
    from inro.library import Library
    from inro.records import Answer, SourcePassage

LAST = "last"
OPENED_LINES = 24
"""Of a document that `/open` shows, from the line of the passage on."""
HELP = (
    "/sources       the passages of the last answer",
    "/open N        the document of passage N, from there on",
    "/export FILE   the chat as Markdown, with its sources",
    "/new           begin another chat; this one stays remembered",
    "/quit          leave; so does Ctrl-D. Ctrl-C stops an answer",
)


@click.command("chat")
@click.option(
    "--resume", metavar="[N]", is_flag=False, flag_value=LAST, help="Go on with chat N, or with the last one."
)
@click.option("--list", "listed", is_flag=True, help="The chats with this library, the last one first.")
@click.option("--delete", metavar="N", type=click.IntRange(1), help="Forget chat N.")
@shelves_option
@shared_options
@click.pass_context
def chat_command(
    ctx: click.Context, resume: str | None, listed: bool, delete: int | None, shelves: bool | None
) -> None:
    """Ask question after question; a follow-up may lean on what was said.

    Answers are those of `inro ask`. Chats are remembered on this machine, never in the library. From a pipe,
    every line is a question; with --json every answer is one line. In a chat:

    \b
    /sources       the passages of the last answer
    /open N        the document of passage N, from there on
    /export FILE   the chat as Markdown, with its sources
    /new           begin another chat
    /help, /quit
    """
    from inro.conversation import Conversation
    from inro.state.chats import Chats

    context = Context.of(ctx)
    chats = Chats(context.library_path)
    if listed:
        records = chats.list()
        if context.json:
            write_json(records)
        else:
            write_lines(
                f"{r.id:>4}  {r.last[:16].replace('T', ' ')}  {r.turns:>3}  {clean_line(r.title)}" for r in records
            )
        return
    if delete is not None:
        chats.delete(delete)
        narrate(f"chat {delete} is forgotten")
        return
    with context.open() as library:
        conversation = Conversation(partial(library.ask, shelves=shelves), chats)
        if resume is not None:
            conversation.resume(_number(resume))
        announce_compiling("search")
        Session(library, conversation, as_json=context.json).run()


class Session:
    """A conversation at the standard streams."""

    def __init__(self, library: Library, conversation: Conversation, *, as_json: bool = False) -> None:
        self._library = library
        self._conversation = conversation
        self._json = as_json
        self._typed = sys.stdin.isatty()
        self._lively = sys.stdout.isatty() and not as_json
        self._paint = Paint.for_stdout()

    def run(self) -> None:
        """Until the input ends or `/quit`.

        Raises:
            InroError: from a pipe, what asking raises; someone who types is told and may go on.
        """
        from inro.errors import InroError

        if self._typed:
            for answer in self._conversation.answers:
                write_lines([self._paint.bold(f"? {clean_line(answer.question)}"), *answer_lines(answer), ""])
            narrate("/help tells what else may be typed")
        for line in _lines(self._typed):
            said = clean_line(as_text(line))
            if said in ("/quit", "/exit", "/q"):
                return
            try:
                if said.startswith("/"):
                    self._order(said)
                elif said:
                    self._question(said)
            except InroError as error:
                if not self._typed:
                    raise
                narrate(str(error))

    def _question(self, question: str) -> None:
        from inro.records import AnswerDone, AnswerDraft, AnswerStep, AnswerText

        draft: Answer | None = None
        streaming = False
        with stopped_by_hand() as stop:
            for event in self._conversation.ask(question, stop):
                match event:
                    case AnswerStep(text) if sys.stderr.isatty() and not streaming:
                        narrate(f"· {text}")
                    case AnswerDraft(answer) if self._lively:
                        draft = answer
                        write_lines(answer_lines(answer, sources=False))
                    case AnswerText(text) if self._lively:
                        if not streaming:
                            write_lines(["", self._paint.dim("the model writes (not checked yet):")])
                        streaming = True
                        sys.stdout.write(self._paint.dim(clean(text)))
                        sys.stdout.flush()
                    case AnswerDone(answer):
                        if streaming:
                            write_lines([""])
                        self._answered(answer, draft, streaming)
        if stop.is_set():
            if streaming:
                write_lines([""])
            narrate("stopped; the question is not remembered")
        elif self._conversation.unkept:
            narrate(f"note: this chat is not remembered: {self._conversation.unkept}")

    def _answered(self, answer: Answer, draft: Answer | None, streamed: bool) -> None:
        if self._json:
            write_json(answer_json(answer), indent=None)
            return
        same = draft is not None and draft.sentences == answer.sentences
        if same:
            lines = ["", *(source_line(source, self._paint) for source in answer.sources)]
        else:
            lines = [*([""] if draft else []), *answer_lines(answer)]
        if streamed:
            said = "the passages stand, the model's text does not:" if same else "checked:"
            lines.insert(0, self._paint.dim(f"{said} {clean_line(answer.steps[-1])}" if answer.steps else said))
        write_lines([*lines, ""])

    # What is no question

    def _order(self, said: str) -> None:
        from inro.errors import UsageError

        word, _, rest = said.partition(" ")
        rest = rest.strip()
        match word:
            case "/help":
                write_lines(HELP)
            case "/new":
                self._conversation.new()
                narrate("a new chat")
            case "/sources":
                write_lines(
                    line
                    for source in self._last().sources
                    for line in (
                        source_line(source, self._paint),
                        f"    {clean_line(shown(source.quote, source.path))}",
                    )
                )
            case "/open":
                self._open(rest)
            case "/export":
                self._export(rest)
            case _:
                raise UsageError(f"there is no {word} here", "/help, for what there is")

    def _last(self) -> Answer:
        from inro.errors import UsageError

        if not self._conversation.answers:
            raise UsageError("nothing was answered yet", "ask something")
        return self._conversation.answers[-1]

    def _open(self, number: str) -> None:
        from inro.errors import UsageError

        source = next((s for s in self._last().sources if str(s.n) == number.strip("[]")), None)
        if source is None:
            numbers = ", ".join(str(s.n) for s in self._last().sources)
            raise UsageError(f"the last answer has no passage {number}", f"/open N; they are {numbers or 'none'}")
        text, start = self._place(source)
        begin = text.rfind("\n", 0, start) + 1
        lines = clean(text[begin:]).splitlines()
        write_lines([source_line(source, self._paint), *lines[:OPENED_LINES]])
        if len(lines) > OPENED_LINES:
            narrate(f"{len(lines) - OPENED_LINES} more lines: inro show {source.document} --at {start}")

    def _place(self, source: SourcePassage) -> tuple[str, int]:
        """The document of a passage and where it stands in it now; the passage alone if the document changed."""
        from inro.errors import InroError

        if source.shelf:
            narrate(f"note: from the shelf {source.shelf}; this is the passage that was read")
            return source.quote, 0
        try:
            text = self._library.show(source.document).text
        except InroError:
            text = ""
        at = source.start if text[source.start : source.end] == source.quote else text.find(source.quote)
        if at < 0:
            narrate("note: the document has changed since; this is the passage as it was cited")
            return source.quote, 0
        return text, at

    def _export(self, name: str) -> None:
        from inro.answer.markdown import as_markdown
        from inro.errors import UsageError

        if not name:
            raise UsageError("/export needs a file", "/export chat.md")
        file = Path(name).expanduser()
        self._last()
        note = as_markdown(self._conversation.answers[0].question, self._conversation.answers)
        try:
            with file.open("x", encoding="utf-8") as out:
                out.write(note)
        except FileExistsError as e:
            raise UsageError(f"{file} is there already", "name another file") from e
        except OSError as e:
            raise UsageError(f"{file} cannot be written: {e.strerror}", "name another file") from e
        narrate(f"written: {file}")


@contextmanager
def stopped_by_hand() -> Iterator[threading.Event]:
    """While the block runs, the first Ctrl-C sets the event, and the next one interrupts as ever."""
    stop = threading.Event()

    def told(_signal: int, _frame: FrameType | None) -> None:
        if stop.is_set():
            raise KeyboardInterrupt
        stop.set()

    before = signal.signal(signal.SIGINT, told)
    try:
        yield stop
    finally:
        signal.signal(signal.SIGINT, before)


def _lines(typed: bool) -> Iterator[str]:
    """What is typed, or piped in, line by line."""
    if not typed:
        if isinstance(sys.stdin, io.TextIOWrapper):
            sys.stdin.reconfigure(errors="replace")
        yield from sys.stdin
        return
    with suppress(ImportError):
        # once it is there, input() has line editing and what was typed before
        import readline  # noqa: F401
    while True:
        try:
            yield input("? ")
        except EOFError:
            print()
            return
        except KeyboardInterrupt:
            # at the prompt it clears the line, as in a shell
            print()


def _number(resume: str) -> int | None:
    from inro.errors import UsageError

    if resume == LAST:
        return None
    if not resume.isascii() or not resume.isdigit():
        raise UsageError(f"--resume takes the number of a chat: {resume}", "inro chat --list")
    return int(resume)
